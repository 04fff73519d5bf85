// Command invalid measures what a table of Ed25519 takes where some rows are invalid, as a multiple of what it takes where
// none is: both in each turn, on one processor, and the median of the quotients counts. Every verdict is looked at.
//
//	go -C "$(go/scratch)/bench" run ./invalid [-rows 16384] [-keys 0] [-rounds 5]
//
// from the root of the repository. SIGMILL_CPU=none, avx2 or best measures that class of CPU. bench/invalid does the same in Rust.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/sigmill/sigmill/go/internal/core"
)

// shares are how many of a million rows are invalid.
var shares = []int{100, 1000, 3000, 4200, 8400, 10_000, 30_000, 100_000, 1_000_000}

func valid(rows, keys int) *core.Table {
	table := &core.Table{Offsets: []int64{0}}
	for row := range rows {
		seed, key, signature := make([]byte, 32), make([]byte, 32), make([]byte, 64)
		binary.LittleEndian.PutUint64(seed, uint64(row%keys))
		core.PublicKey(key, seed)
		message := binary.LittleEndian.AppendUint64(slices.Clone(seed[:24]), uint64(row))
		core.Sign(signature, seed, core.Variant{}, message)
		table.Keys, table.Signatures = append(table.Keys, key...), append(table.Signatures, signature...)
		table.Messages = append(table.Messages, message...)
		table.Offsets = append(table.Offsets, int64(len(table.Messages)))
	}
	return table
}

func main() {
	rows := flag.Int("rows", 16384, "rows of the table")
	keys := flag.Int("keys", 0, "different keys among them; one a row if 0")
	rounds := flag.Int("rounds", 5, "turns, of which the median counts")
	flag.Parse()
	if flag.NArg() > 0 || *rows < 1 || *rows > 1_000_000 || *keys < 0 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "invalid: -rows is 1 to 1000000, -keys 0 or more, -rounds 1 or more, and nothing else follows")
		os.Exit(2)
	}
	if *keys == 0 {
		*keys = *rows
	}
	class := os.Getenv("SIGMILL_CPU")
	features, known := map[string]uint32{"": 1<<32 - 1, "best": 1<<32 - 1, "avx2": 3, "none": 0}[class]
	if !known {
		log.Fatalf("invalid: SIGMILL_CPU is %q, not none, avx2 or best", class)
	}
	core.LimitCPU(features)
	runtime.GOMAXPROCS(1)
	clean, verdicts := valid(*rows, *keys), make([]core.Verdict, *rows)
	timed := func(rule core.Rule, table *core.Table, bad []bool) float64 {
		start := time.Now()
		if err := core.VerifyTable(context.Background(), rule, core.Variant{}, table, verdicts); err != nil {
			log.Fatal(err)
		}
		took := time.Since(start).Seconds()
		for row, verdict := range verdicts {
			if (verdict == core.Valid) == bad[row] {
				log.Fatalf("row %d: %s", row, verdict.Name())
			}
		}
		return took
	}
	fmt.Printf("%s, class %q, %d rows, %d keys\n%-8s%10s%8s%10s\n", core.Implementation, class, *rows, *keys, "rule", "invalid", "times", "us a row")
	none := make([]bool, *rows)
	for _, rule := range []core.Rule{core.Common, core.ZIP215} {
		last := 0
		for _, share := range shares {
			count := *rows * share / 1_000_000
			if count <= last {
				continue
			}
			last = count
			table, bad := *clean, make([]bool, *rows)
			table.Signatures = slices.Clone(clean.Signatures)
			for _, row := range rand.New(rand.NewPCG(1, uint64(count))).Perm(*rows)[:count] {
				table.Signatures[64*row+33] ^= 1
				bad[row] = true
			}
			var times, all []float64
			for range *rounds {
				of := timed(rule, clean, none)
				took := timed(rule, &table, bad)
				times, all = append(times, took/of), append(all, took/float64(*rows)*1e6)
			}
			slices.Sort(times)
			slices.Sort(all)
			fmt.Printf("%-8s%10d%8.2f%10.2f\n", rule.Asks().Name, count, times[len(times)/2], all[len(all)/2])
		}
	}
}
