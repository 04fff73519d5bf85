//go:build !purego && ((linux && (amd64 || (arm64 && cgo && !sigmill_nocgo))) || (sigmill_untested && ((amd64 && (darwin || windows)) || (arm64 && darwin && cgo && !sigmill_nocgo))))

package core

import (
	"bytes"
	"testing"
)

// Messages longer than what one call hashes have the verdicts and signatures that others have.
func TestLongMessages(t *testing.T) {
	defer func(before int) { longest = before }(longest)
	groups := map[Variant][]row{}
	for i, r := range verifications(t) {
		if i%8 == 0 {
			groups[r.variant] = append(groups[r.variant], r)
		}
	}
	for _, longest = range []int{-1, 0, 40} {
		for _, way := range ways {
			for rule := Common; rule.Known(); rule++ {
				for _, group := range groups {
					for i, got := range way.of(t, rule, group) {
						if expected := group[i].expected[rule]; got.Name() != expected {
							t.Errorf("row %s, %s, %s, pieces of %d: %s, must be %s", group[i].id, rule.Asks().Name, way.name, longest, got.Name(), expected)
						}
					}
				}
			}
		}
		TestFrozenSignatures(t)
	}
	longest = 64
	seed, key, message := bytes.Repeat([]byte{7}, 32), make([]byte, 32), bytes.Repeat([]byte("message"), 100)
	is, want := make([]byte, 64), make([]byte, 64)
	PublicKey(key, seed)
	for size := range len(message) {
		longest = 64
		Sign(is, seed, Variant{}, message[:size])
		verdict := Verify(Common, Variant{}, key, message[:size], is)
		longest = len(message)
		if Sign(want, seed, Variant{}, message[:size]); !bytes.Equal(is, want) || verdict != Valid {
			t.Fatalf("%d bytes: %x, must be %x; %s", size, is, want, verdict.Name())
		}
	}
}

// A table of long messages, too, can be given up after each of them.
func TestLongMessagesGivenUp(t *testing.T) {
	defer func(before int) { longest = before }(longest)
	table := manyRows(100)
	longest = -1
	asked := 0
	stop := func() bool { asked++; return asked < 10 }
	if VerifyPiece(Common, Variant{}, table, 0, make([]Verdict, 100), new(Rate), stop) || asked != 10 {
		t.Errorf("a piece that was given up goes on, and is asked %d times, not 10", asked)
	}
}
