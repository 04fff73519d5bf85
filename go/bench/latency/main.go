// Command latency measures what verifying much does to other goroutines.
//
// It prints how long one call outside the scheduler takes, by class of CPU, rule and kind of rows: those of a large piece
// of valid rows, of the first one with a damaged row, and of the smaller ones that follow it, damaged all over. Then, with GOMAXPROCS=2, how late goroutines wake that sleep
// for a millisecond, while nothing happens, while a batch is verified, and while single signatures are verified in tight
// loops on both processors, by sigmill and by the standard library, for comparison.
//
//	go run ./latency [-rows 200000]
package main

import (
	std "crypto/ed25519"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/internal/core"
)

func need(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

const distinct = 4096

func main() {
	rows := flag.Int("rows", 200_000, "rows of the batch")
	flag.Parse()
	runtime.GOMAXPROCS(2)
	publics, privates, err := ed25519.GenerateKeys(nil, distinct)
	need(err)
	messages := make([][]byte, distinct)
	for i := range messages {
		messages[i] = fmt.Appendf(nil, "message %d", i)
	}
	signatures, err := ed25519.SignBatch(privates, messages)
	need(err)
	calls(publics, messages, signatures)
	wakes(*rows, publics, messages, signatures)
}

func calls(publics []ed25519.PublicKey, messages, signatures [][]byte) {
	fmt.Printf("%s: one call, ms: median, 99 of 100, longest\n", ed25519.Implementation())
	valid := core.Table{Offsets: []int64{0}}
	for i := range publics {
		valid.Keys, valid.Signatures = append(valid.Keys, publics[i]...), append(valid.Signatures, signatures[i]...)
		valid.Messages = append(valid.Messages, messages[i]...)
		valid.Offsets = append(valid.Offsets, int64(len(valid.Messages)))
	}
	damaged := func(every int) *core.Table {
		table := valid
		table.Messages = slices.Clone(valid.Messages)
		for i := 0; i < distinct; i += every {
			table.Messages[valid.Offsets[i]] ^= 1
		}
		return &table
	}
	for _, class := range []struct {
		name     string
		features uint32
	}{{"portable", 0}, {"avx2", 3}, {"best", 1<<32 - 1}} {
		core.LimitCPU(class.features)
		for _, rule := range []core.Rule{core.Common, core.ZIP215} {
			large, _ := core.Pieces(rule)
			for _, kind := range []struct {
				name  string
				piece int
				table *core.Table
			}{{"valid", large, &valid}, {"first damaged", large, damaged(large)}, {"all damaged", large, damaged(1)}} {
				piece := kind.piece
				verdicts := make([]core.Verdict, piece)
				var times []time.Duration
				var rate core.Rate
				for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
					for first := 0; first+piece <= distinct; first += piece {
						if kind.name == "first damaged" {
							rate.Store(0)
						}
						start := time.Now()
						pause := func() bool {
							times = append(times, time.Since(start))
							start = time.Now()
							return true
						}
						core.VerifyPiece(rule, core.Variant{}, kind.table, first, verdicts, &rate, pause)
						pause()
					}
				}
				fmt.Printf("  %-8s %-8s %-14s %4d rows  %s\n", class.name, rule.Asks().Name, kind.name, piece, summary(times))
			}
		}
		if core.Implementation == "pure Go" {
			break
		}
	}
}

func summary(times []time.Duration) string {
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%7.3f %7.3f %7.3f", ms(times[len(times)/2]), ms(times[len(times)*99/100]), ms(times[len(times)-1]))
}

// late returns how much later than asked goroutines woke while work ran, and what work returned.
func late(work func() string) (string, []time.Duration) {
	var stop atomic.Bool
	var lock sync.Mutex
	var times []time.Duration
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			var own []time.Duration
			for !stop.Load() {
				start := time.Now()
				time.Sleep(time.Millisecond)
				own = append(own, time.Since(start)-time.Millisecond)
			}
			lock.Lock()
			times = append(times, own...)
			lock.Unlock()
		}()
	}
	said := work()
	stop.Store(true)
	all.Wait()
	return said, times
}

func wakes(rows int, publics []ed25519.PublicKey, messages, signatures [][]byte) {
	fmt.Println("goroutines that sleep 1 ms wake so much later, ms: median, 99 of 100, longest")
	keys, texts, sigs := make([]ed25519.PublicKey, rows), make([][]byte, rows), make([][]byte, rows)
	for i := range rows {
		keys[i], texts[i], sigs[i] = publics[i%distinct], messages[i%distinct], signatures[i%distinct]
	}
	batch := func(rule ed25519.Rule) func() string {
		return func() string {
			start, done := time.Now(), 0
			for time.Since(start) < time.Second || done == 0 {
				_, err := ed25519.VerifyBatch(rule, keys, texts, sigs)
				need(err)
				done += rows
			}
			return fmt.Sprintf("%d rows, %.2f µs each", done, float64(time.Since(start).Microseconds())/float64(done))
		}
	}
	tight := func(verify func(ed25519.PublicKey, []byte, []byte) bool) func() string {
		return func() string {
			const calls = 30_000
			start := time.Now()
			var both sync.WaitGroup
			for range 2 {
				both.Add(1)
				go func() {
					defer both.Done()
					for i := range calls {
						if !verify(publics[i%distinct], messages[i%distinct], signatures[i%distinct]) {
							need(fmt.Errorf("a wrong verdict"))
						}
					}
				}()
			}
			both.Wait()
			return fmt.Sprintf("%d calls on each of 2, %.2f µs each", calls, float64(time.Since(start).Microseconds())/calls)
		}
	}
	for _, load := range []struct {
		name string
		work func() string
	}{
		{"nothing", func() string { time.Sleep(time.Second); return "" }},
		{"VerifyBatch, common", batch(ed25519.RuleCommon)},
		{"VerifyBatch, zip215", batch(ed25519.RuleZIP215)},
		{"Verify in a loop", tight(ed25519.Verify)},
		{"crypto/ed25519 in a loop", tight(std.Verify)},
	} {
		said, times := late(load.work)
		fmt.Printf("  %-26s %s  %s\n", load.name, summary(times), said)
	}
}
