// Command commit verifies a commit as CometBFT has them: 150 validators sign their precommits for one block, each its own
// bytes, as times differ. A commit stands if every signature in it is valid and they have more than two thirds of the
// power; who was absent has none. The rule is zip215, so that all nodes agree, and a batch has the verdict of each vote.
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/sigmill/sigmill/go/ed25519"
)

const validators = 150

// validator has its key prepared once, for all heights to come.
type validator struct {
	key   *ed25519.PreparedKey
	power int64
}

// field appends a field of bytes in protobuf's encoding.
func field(out []byte, tag byte, value []byte) []byte {
	return append(binary.AppendUvarint(append(out, tag), uint64(len(value))), value...)
}

// precommit is what a validator signs: CometBFT's CanonicalVote, with its length before it.
func precommit(chain string, height, round int64, block, parts [32]byte, at time.Time) []byte {
	header := field([]byte{0x08, 1}, 0x12, parts[:]) // one part, its hash
	id := field(field(nil, 0x0a, block[:]), 0x12, header)
	stamp := binary.AppendUvarint([]byte{0x08}, uint64(at.Unix()))
	if nanos := at.Nanosecond(); nanos != 0 {
		stamp = binary.AppendUvarint(append(stamp, 0x10), uint64(nanos))
	}
	vote := binary.LittleEndian.AppendUint64([]byte{0x08, 2, 0x11}, uint64(height))
	if round != 0 {
		vote = binary.LittleEndian.AppendUint64(append(vote, 0x19), uint64(round))
	}
	vote = field(field(field(vote, 0x22, id), 0x2a, stamp), 0x32, []byte(chain))
	return append(binary.AppendUvarint(nil, uint64(len(vote))), vote...)
}

// verifyCommit verifies the votes of those who were not absent. The error names the first vote that is not valid, and why.
func verifyCommit(set []validator, votes, signatures [][]byte) error {
	batch := ed25519.NewBatchVerifier(ed25519.RuleZIP215, len(set))
	var who []int
	power, all := int64(0), int64(0)
	for i, v := range set {
		all += v.power
		if signatures[i] == nil {
			continue
		}
		batch.AddPrepared(v.key, votes[i], signatures[i], nil)
		who = append(who, i)
		power += v.power
	}
	if valid, each := batch.Verify(); !valid {
		for at, ok := range each {
			if i := who[at]; !ok {
				return fmt.Errorf("wrong signature (#%d): %w", i, set[i].key.Verify(ed25519.RuleZIP215, votes[i], signatures[i], nil))
			}
		}
	}
	if 3*power <= 2*all {
		return fmt.Errorf("not enough power: %d of %d", power, all)
	}
	return nil
}

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "commit: it takes no arguments: %q\n", flag.Args())
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "commit:", err)
		os.Exit(1)
	}
}

func run() error {
	publics, secrets, err := ed25519.GenerateKeys(nil, validators)
	if err != nil {
		return err
	}
	set := make([]validator, validators)
	block, parts, begin := [32]byte{0xb1}, [32]byte{0xb2}, time.Unix(1_700_000_000, 0)
	votes, signatures := make([][]byte, validators), make([][]byte, validators)
	for i := range set {
		if set[i].key, err = ed25519.NewPreparedKey(publics[i]); err != nil {
			return err
		}
		set[i].power = int64(1 + i%7)
		votes[i] = precommit("example", 42, 0, block, parts, begin.Add(time.Duration(i)*time.Millisecond))
		signatures[i] = ed25519.Sign(secrets[i], votes[i])
	}
	signatures[60], signatures[61] = nil, nil // absent

	// while votes come in, each is verified alone, with its validator's prepared key
	start := time.Now()
	for i, v := range set {
		if signatures[i] != nil {
			if err := v.key.Verify(ed25519.RuleZIP215, votes[i], signatures[i], nil); err != nil {
				return fmt.Errorf("vote %d: %w", i, err)
			}
		}
	}
	alone := time.Since(start)
	start = time.Now()
	if err := verifyCommit(set, votes, signatures); err != nil {
		return err
	}
	together := time.Since(start)
	fmt.Printf("%d validators, 2 absent, by %s: the commit stands\n", validators, ed25519.Implementation())
	fmt.Fprintf(os.Stderr, "%.1f µs a vote alone, %.1f in the commit\n", alone.Seconds()*1e6/(validators-2), together.Seconds()*1e6/(validators-2))

	// one validator has signed another block, and one signature was damaged on its way
	signatures[17] = ed25519.Sign(secrets[17], precommit("example", 42, 0, [32]byte{0xbb}, parts, begin))
	signatures[99][63] |= 0x80
	for _, repaired := range []int{17, 99} {
		err := verifyCommit(set, votes, signatures)
		fmt.Println("refused:", err)
		if !errors.Is(err, map[int]error{17: ed25519.Equation, 99: ed25519.SOutOfRange}[repaired]) {
			return fmt.Errorf("vote %d should be refused", repaired)
		}
		signatures[repaired] = ed25519.Sign(secrets[repaired], votes[repaired])
	}
	for i := range 50 {
		signatures[3*i] = nil
	}
	err = verifyCommit(set, votes, signatures)
	fmt.Println("refused:", err)
	if err == nil {
		return errors.New("a third of the power is missing")
	}
	return nil
}
