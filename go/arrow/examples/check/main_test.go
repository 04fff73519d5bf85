package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// file writes an Arrow IPC file of string columns, one record of one row; "null" is a null.
func file(t *testing.T, columns ...string) string {
	t.Helper()
	fields := make([]arrow.Field, len(columns))
	for i, name := range columns {
		fields[i] = arrow.Field{Name: name, Type: arrow.BinaryTypes.Binary, Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	writer, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range columns {
		builder.Field(i).AppendNull()
	}
	if err := writer.Write(builder.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return text(t, out.String())
}

func text(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.arrow")
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestWhatItSays(t *testing.T) {
	sample := filepath.Join(t.TempDir(), "sample.arrow")
	short := filepath.Join(t.TempDir(), "short.arrow")
	for _, c := range []struct {
		arguments string
		code      int
		says      string
	}{
		{"-make 5000 " + sample, 0, "5000 rows"}, // two records
		{"-make 9 " + short, 0, "9 rows"},
		{"-make 9 " + short, 2, "file exists"},
		{"-make -1 x", 2, "-make -1: a number of rows"},
		{sample, 1, "5000 rows, rule common: 4995 valid, 5 invalid, 0 null"},
		{"-rule zip215 -show 5 " + sample, 1, "row 4999: "},
		{short, 0, "9 rows, rule common: 9 valid, 0 invalid, 0 null"},
		{"-key sig -sig key " + short, 1, "row 0: key_length"},
		{file(t, "key", "msg", "sig"), 2, "row 0: null\n"},
		{"-key pk " + short, 2, `record 0: sigmillarrow: no column is called "pk"; there are ["key" "msg" "sig"]`},
		{file(t, "key", "msg", "msg", "sig"), 2, `2 columns are called "msg"`},
		{"", 2, "one file is needed, not []"},
		{"one two", 2, `one file is needed, not ["one" "two"]`},
		{"-rule nothing " + short, 2, `no rule is called "nothing"`},
		{"-frobnicate " + short, 2, "flag provided but not defined: -frobnicate"},
		{"-help", 0, "usage: check [FLAGS] FILE.arrow"},
		{filepath.Join(t.TempDir(), "missing"), 2, "no such file or directory"},
		{t.TempDir(), 2, "is a directory"},
		{text(t, ""), 2, "the file is empty"},
		{text(t, "key,msg,sig\n"), 2, `not an Arrow IPC file: it begins with "key,ms", not "ARROW1"`},
		{text(t, "ARROW1"), 2, "a damaged file"},
	} {
		var out bytes.Buffer
		code := run(strings.Fields(c.arguments), &out, &out)
		if code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("check %s: %d, must be %d %q:\n%s", c.arguments, code, c.code, c.says, &out)
		}
	}
}

// A file that was cut anywhere, or damaged in its values, ends in a count of its rows or in an error.
func TestDamagedFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "whole.arrow")
	if err := write(name, 3); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	check := func(content []byte) (int, string) {
		var out bytes.Buffer
		code := run([]string{text(t, string(content))}, &out, &out)
		return code, out.String()
	}
	for size := range whole {
		if code, says := check(whole[:size]); code != 2 || !strings.Contains(says, "a damaged file") && !strings.Contains(says, "not an Arrow IPC file") && !strings.Contains(says, "empty") {
			t.Errorf("%d bytes of %d: %d %s", size, len(whole), code, says)
		}
	}
	first := bytes.Index(whole, []byte("row 0row 1row 2"))
	if first < 0 {
		t.Fatal("the messages do not lie side by side")
	}
	for at := range 15 {
		damaged := bytes.Clone(whole)
		damaged[first+at] ^= 0x80
		if code, says := check(damaged); code != 1 || !strings.Contains(says, "2 valid, 1 invalid") {
			t.Errorf("byte %d of the messages: %d %s", at, code, says)
		}
	}
}
