// Command columns verifies a table whose columns are buffers with offsets, as Apache Arrow's large binary arrays are:
// nothing is cut into slices of slices. For arrays of arrow-go and files there is the module go/arrow.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/sigmill/sigmill/go/ed25519"
)

// column appends values as an Arrow builder does.
type column struct{ ed25519.Column }

func (c *column) append(value []byte) {
	if c.Offsets == nil {
		c.Offsets = []int64{0}
	}
	c.Values = append(c.Values, value...)
	c.Offsets = append(c.Offsets, int64(len(c.Values)))
}

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "columns: it takes no arguments: %q\n", flag.Args())
		os.Exit(2)
	}
	const rows = 10_000
	publics, secrets, err := ed25519.GenerateKeys(nil, 16)
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
	var keys, messages, signatures column
	for i := range rows {
		message := fmt.Appendf(nil, "row %d", i)
		signature := ed25519.Sign(secrets[i%16], message)
		if i == 1234 {
			message = append(message, '!')
		}
		keys.append(publics[i%16])
		messages.append(message)
		signatures.append(signature)
	}
	start := time.Now()
	verdicts, err := ed25519.VerifyColumns(ed25519.RuleCommon, keys.Column, messages.Column, signatures.Column)
	took := time.Since(start)
	if verdicts == nil {
		fmt.Fprintln(os.Stderr, "columns:", err) // no verdict: the columns do not fit together
		os.Exit(1)
	}
	counts := map[ed25519.Verdict]int{}
	for _, verdict := range verdicts {
		counts[verdict]++
	}
	fmt.Printf("%d rows by %s, rule %v: %d valid; %v\n", rows, ed25519.Implementation(), ed25519.RuleCommon, counts[ed25519.Valid], err)
	fmt.Fprintf(os.Stderr, "%.1f µs a row\n", float64(took.Nanoseconds())/1000/rows)
	if counts[ed25519.Valid] != rows-1 || verdicts[1234] != ed25519.Equation {
		os.Exit(1)
	}
}
