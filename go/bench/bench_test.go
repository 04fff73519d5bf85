package main

import (
	std "crypto/ed25519"
	"fmt"
	"testing"

	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/sigmill/sigmill/go/ed25519"
)

// The names of crypto/ed25519's benchmarks, and of curve25519-voi's for batches, with each library's name behind:
//
//	go test -bench . -count 6 | benchstat -col /by -

var message = make([]byte, 64)

func keys(b *testing.B) (ed25519.PublicKey, ed25519.PrivateKey) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	return public, private
}

func side(b *testing.B, name string, one func() bool) {
	b.Run("by="+name, func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if !one() {
				b.Fatal("a wrong answer")
			}
		}
	})
}

func BenchmarkNewKeyFromSeed(b *testing.B) {
	seed := make([]byte, 32)
	side(b, "sigmill", func() bool { return len(ed25519.NewKeyFromSeed(seed)) == 64 })
	side(b, "std", func() bool { return len(std.NewKeyFromSeed(seed)) == 64 })
	side(b, "voi", func() bool { return len(voi.NewKeyFromSeed(seed)) == 64 })
}

func BenchmarkSigning(b *testing.B) {
	_, private := keys(b)
	side(b, "sigmill", func() bool { return len(ed25519.Sign(private, message)) == 64 })
	side(b, "std", func() bool { return len(std.Sign(private, message)) == 64 })
	side(b, "voi", func() bool { return len(voi.Sign(voi.PrivateKey(private), message)) == 64 })
}

func BenchmarkVerification(b *testing.B) {
	public, private := keys(b)
	signature := ed25519.Sign(private, message)
	side(b, "sigmill", func() bool { return ed25519.Verify(public, message, signature) })
	side(b, "std", func() bool { return std.Verify(public, message, signature) })
	side(b, "voi", func() bool { return voi.Verify(voi.PublicKey(public), message, signature) })
}

// Of a batch one operation is all of its rows. curve25519-voi hashes and decodes in Add, which is not timed here; command
// bench times both.
func BenchmarkVerifyBatchOnly(b *testing.B) {
	for _, rows := range []int{8, 64, 1024} {
		ours, theirs := ed25519.NewBatchVerifier(ed25519.RuleNoSmallKey, rows), voi.NewBatchVerifierWithCapacity(rows)
		for range rows {
			public, private := keys(b)
			signature := ed25519.Sign(private, message)
			ours.Add(public, message, signature)
			theirs.Add(voi.PublicKey(public), message, signature)
		}
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			side(b, "sigmill", func() bool { all, _ := ours.Verify(); return all })
			side(b, "voi", func() bool { return theirs.VerifyBatchOnly(nil) })
		})
	}
}
