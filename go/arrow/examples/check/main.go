// Command check verifies the signatures in an Arrow IPC file: the columns key, msg and sig, or others by name, under a rule.
// It prints the first rows that are not valid, with the reason, and how many there are.
//
//	go run ./examples/check -make 10000 sample.arrow
//	go run ./examples/check -rule zip215 sample.arrow
//
// The exit code is 0 if every row is valid, 1 if one is not, and 2 if something could not be checked and no row was found
// that is not valid. A file that was damaged or cut is an error; but arrow-go asks for as much memory as a file says it needs,
// so that one from an attacker can make this program end. For such files there is sigmill check.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	sigmillarrow "github.com/sigmill/sigmill/go/arrow"
	"github.com/sigmill/sigmill/go/ed25519"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(arguments []string, out, messages io.Writer) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.Usage = func() {
		fmt.Fprintln(messages, "usage: check [FLAGS] FILE.arrow, or check -make ROWS FILE.arrow")
		flags.PrintDefaults()
	}
	name := flags.String("rule", "common", "the rule: one of "+fmt.Sprint(ed25519.Rules()))
	names := sigmillarrow.DefaultNames
	flags.StringVar(&names.Key, "key", names.Key, "the column of public keys")
	flags.StringVar(&names.Message, "msg", names.Message, "the column of messages")
	flags.StringVar(&names.Signature, "sig", names.Signature, "the column of signatures")
	show := flags.Int("show", 10, "how many rows that are not valid are printed")
	makeRows := flags.Int("make", 0, "write a new file of so many rows instead, of which each thousandth is not valid")
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	rule, err := ed25519.ParseRule(*name)
	switch {
	case err != nil:
	case flags.NArg() != 1:
		err = fmt.Errorf("one file is needed, not %q; -help says more", flags.Args())
	case *makeRows < 0:
		err = fmt.Errorf("-make %d: a number of rows", *makeRows)
	case *makeRows > 0:
		if err = write(flags.Arg(0), *makeRows); err == nil {
			fmt.Fprintf(out, "%s: %d rows\n", flags.Arg(0), *makeRows)
			return 0
		}
	default:
		checked := counts{out: out, show: *show}
		start := time.Now()
		err = checked.file(flags.Arg(0), rule, names)
		if err == nil {
			fmt.Fprintf(out, "%s: %d rows, rule %v: %d valid, %d invalid, %d null\n",
				flags.Arg(0), checked.rows, rule, checked.rows-checked.invalid-checked.nulls, checked.invalid, checked.nulls)
			fmt.Fprintf(messages, "%.2f µs a row, by %s\n", time.Since(start).Seconds()*1e6/max(float64(checked.rows), 1), ed25519.Implementation())
		}
		if checked.invalid > 0 {
			if err != nil {
				fmt.Fprintln(messages, "check:", err)
			}
			return 1
		}
		if err == nil && checked.nulls == 0 {
			return 0
		}
	}
	if err != nil {
		fmt.Fprintln(messages, "check:", err)
	}
	return 2
}

// counts are what has been found, of rows that are not valid the first of which are printed.
type counts struct {
	out                  io.Writer
	show                 int
	rows, invalid, nulls int
}

// file verifies the rows of a file, record by record.
func (c *counts) file(name string, rule ed25519.Rule, names sigmillarrow.Names) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	magic := []byte("ARROW1")
	begins := make([]byte, len(magic))
	if size, err := io.ReadFull(file, begins); size == 0 {
		if err == io.EOF {
			err = errors.New("the file is empty")
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if !bytes.Equal(begins, magic) {
		return fmt.Errorf("%s: not an Arrow IPC file: it begins with %q, not %q", name, begins, magic)
	}
	at := "the schema"
	defer func() {
		// arrow-go's readers panic for some damaged files
		if said := recover(); said != nil {
			err = fmt.Errorf("%s: %s: a damaged file: %v", name, at, said)
		}
	}()
	reader, err := ipc.NewFileReader(file)
	if err != nil {
		return fmt.Errorf("%s: a damaged file: %w", name, err)
	}
	defer reader.Close()
	for i := range reader.NumRecords() {
		at = fmt.Sprintf("record %d", i)
		record, err := reader.RecordBatchAt(i)
		if err != nil {
			return fmt.Errorf("%s: %s: a damaged file: %w", name, at, err)
		}
		verdicts, err := sigmillarrow.VerifyRecord(rule, record, names)
		record.Release()
		if verdicts == nil && err != nil {
			return fmt.Errorf("%s: %s: %w", name, at, err)
		}
		for row, verdict := range verdicts {
			switch verdict {
			case ed25519.Valid:
				continue
			case sigmillarrow.Null:
				c.nulls++
			default:
				c.invalid++
			}
			if c.invalid+c.nulls <= c.show {
				fmt.Fprintf(c.out, "row %d: %s\n", c.rows+row, sigmillarrow.Reason(verdict))
			}
		}
		c.rows += len(verdicts)
	}
	return nil
}

// write makes a sample: signatures by a few keys, of which each thousandth is damaged.
func write(name string, rows int) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // never over another file
	if err != nil {
		return err
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			os.Remove(name) // no part of a file
		}
	}()
	publics, privates, err := ed25519.GenerateKeys(nil, 16)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: &arrow.FixedSizeBinaryType{ByteWidth: ed25519.PublicKeySize}},
		{Name: "msg", Type: arrow.BinaryTypes.Binary},
		{Name: "sig", Type: &arrow.FixedSizeBinaryType{ByteWidth: ed25519.SignatureSize}},
	}, nil)
	writer, err := ipc.NewFileWriter(file, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	for row := range rows {
		message := fmt.Appendf(nil, "row %d", row)
		signature := ed25519.Sign(privates[row%16], message)
		if row%1000 == 999 {
			signature[0] ^= 1
		}
		builder.Field(0).(*array.FixedSizeBinaryBuilder).Append(publics[row%16])
		builder.Field(1).(*array.BinaryBuilder).Append(message)
		builder.Field(2).(*array.FixedSizeBinaryBuilder).Append(signature)
		if row%4096 == 4095 || row == rows-1 {
			record := builder.NewRecordBatch()
			err := writer.Write(record)
			record.Release()
			if err != nil {
				return err
			}
		}
	}
	return writer.Close()
}
