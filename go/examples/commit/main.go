// Command commit verifies a commit as consensus engines make them: 150 validators sign their votes on one block, each
// its own bytes, and the block stands if more than two thirds of the power have valid signatures. The rule is zip215, so
// that all nodes agree, and a batch has the verdict of each vote.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/sigmill/sigmill/go/ed25519"
)

const validators = 150

// vote is what a validator signs: height, round, block, time, chain.
func vote(height int64, block [32]byte, at time.Time, chain string) []byte {
	out := binary.LittleEndian.AppendUint64([]byte{2}, uint64(height))
	out = append(out, block[:]...)
	out = binary.LittleEndian.AppendUint64(out, uint64(at.UnixNano()))
	return append(out, chain...)
}

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "commit: it takes no arguments: %q\n", flag.Args())
		os.Exit(2)
	}
	keys, secrets, err := ed25519.GenerateKeys(nil, validators)
	if err != nil {
		fmt.Fprintln(os.Stderr, "commit:", err)
		os.Exit(1)
	}
	block, begin := [32]byte{0xb1}, time.Unix(1_700_000_000, 0)
	votes, signatures := make([][]byte, validators), make([][]byte, validators)
	power, all := make([]int64, validators), int64(0)
	for i := range validators {
		votes[i] = vote(42, block, begin.Add(time.Duration(i)*time.Millisecond), "example")
		signatures[i] = ed25519.Sign(secrets[i], votes[i])
		power[i] = int64(1 + i%7)
		all += power[i]
	}
	// one validator has signed another block, and one signature was damaged on its way
	signatures[17] = ed25519.Sign(secrets[17], vote(42, [32]byte{0xbb}, begin, "example"))
	signatures[99][32] ^= 1

	batch := ed25519.NewBatchVerifier(ed25519.RuleZIP215, validators)
	for i := range validators {
		batch.Add(keys[i], votes[i], signatures[i])
	}
	start := time.Now()
	valid, each := batch.Verify()
	took := time.Since(start)
	counted := int64(0)
	for i, ok := range each {
		if ok {
			counted += power[i]
		} else {
			fmt.Printf("validator %d: %v\n", i, ed25519.VerifyWithRule(ed25519.RuleZIP215, keys[i], votes[i], signatures[i], nil))
		}
	}
	fmt.Printf("%d votes by %s: all valid %v, power %d of %d, committed %v\n", validators, ed25519.Implementation(), valid, counted, all, 3*counted > 2*all)
	fmt.Fprintf(os.Stderr, "%.0f µs, %.1f a vote\n", float64(took.Nanoseconds())/1000, float64(took.Nanoseconds())/1000/validators)
	if valid || 3*counted <= 2*all {
		os.Exit(1)
	}
}
