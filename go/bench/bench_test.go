package main

import (
	"bytes"
	"crypto/ecdh"
	std "crypto/ed25519"
	"fmt"
	"testing"

	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	voix "github.com/oasisprotocol/curve25519-voi/primitives/x25519"
	"github.com/sigmill/sigmill/go/ed25519"
	oasis "github.com/sigmill/sigmill/go/oasis"
	"github.com/sigmill/sigmill/go/oasis/x25519"
)

// The names are those of the benchmarks of crypto/ed25519, oasisprotocol/ed25519 (VerifyBatch64, ScalarBaseMult) and
// curve25519-voi (GenerateKey, Expanded, VerifyBatchOnly), with each library's name behind:
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

func generate(b *testing.B) {
	seed := bytes.NewReader(make([]byte, 32))
	side(b, "sigmill", func() bool { seed.Seek(0, 0); _, _, err := ed25519.GenerateKey(seed); return err == nil })
	side(b, "std", func() bool { seed.Seek(0, 0); _, _, err := std.GenerateKey(seed); return err == nil })
	side(b, "voi", func() bool { seed.Seek(0, 0); _, _, err := voi.GenerateKey(seed); return err == nil })
}

func BenchmarkKeyGeneration(b *testing.B) { generate(b) }

func BenchmarkGenerateKey(b *testing.B) { generate(b) }

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

// batchOnly is of one signature n times, as in curve25519-voi: one operation is to build a batch and to verify it.
func batchOnly(b *testing.B, rows int) {
	public, private := keys(b)
	signature := ed25519.Sign(private, message)
	b.Run(fmt.Sprint(rows), func(b *testing.B) {
		side(b, "sigmill", func() bool {
			batch := ed25519.NewBatchVerifier(ed25519.RuleNoSmallKey, 0)
			for range rows {
				batch.Add(public, message, signature)
			}
			all, _ := batch.Verify()
			return all
		})
		side(b, "voi", func() bool {
			batch := voi.NewBatchVerifier()
			for range rows {
				batch.Add(voi.PublicKey(public), message, signature)
			}
			return batch.VerifyBatchOnly(nil)
		})
	})
}

// The sizes are those of ed25519-donna's batches, and 1024.
func BenchmarkVerifyBatchOnly(b *testing.B) {
	for _, rows := range []int{4, 8, 16, 32, 64, 96, 128, 256, 1024} {
		batchOnly(b, rows)
	}
}

func BenchmarkVerifyBatch64(b *testing.B) {
	const rows = 64
	publics, privates, err := ed25519.GenerateKeys(nil, rows)
	if err != nil {
		b.Fatal(err)
	}
	keys, messages, signatures := make([]oasis.PublicKey, rows), make([][]byte, rows), make([][]byte, rows)
	for i := range rows {
		keys[i], messages[i] = oasis.PublicKey(publics[i]), message
		signatures[i] = ed25519.Sign(privates[i], message)
	}
	side(b, "sigmill", func() bool {
		all, _, _ := oasis.VerifyBatch(nil, keys, messages, signatures, &oasis.Options{})
		return all
	})
	side(b, "voi", func() bool {
		batch := voi.NewBatchVerifierWithCapacity(rows)
		for i := range rows {
			batch.Add(voi.PublicKey(publics[i]), message, signatures[i])
		}
		return batch.VerifyBatchOnly(nil)
	})
}

func BenchmarkExpanded(b *testing.B) {
	public, private := keys(b)
	signature := ed25519.Sign(private, message)
	b.Run("NewExpandedPublicKey", func(b *testing.B) {
		side(b, "sigmill", func() bool { _, err := ed25519.NewPreparedKey(public); return err == nil })
		side(b, "voi", func() bool { _, err := voi.NewExpandedPublicKey(voi.PublicKey(public)); return err == nil })
	})
	ours, err := ed25519.NewPreparedKey(public)
	if err != nil {
		b.Fatal(err)
	}
	theirs, err := voi.NewExpandedPublicKey(voi.PublicKey(public))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Verification", func(b *testing.B) {
		side(b, "sigmill", func() bool { return ours.Verify(ed25519.RuleNoSmallKey, message, signature, nil) == nil })
		side(b, "voi", func() bool { return voi.VerifyExpanded(theirs, message, signature) })
	})
}

func BenchmarkScalarBaseMult(b *testing.B) {
	var out, secret [32]byte
	secret[0] = 1
	side(b, "sigmill", func() bool { x25519.ScalarBaseMult(&out, &secret); return out != secret })
	side(b, "std", func() bool {
		key, err := ecdh.X25519().NewPrivateKey(secret[:])
		return err == nil && key.PublicKey() != nil
	})
	side(b, "voi", func() bool { voix.ScalarBaseMult(&out, &secret); return out != secret })
}

func BenchmarkScalarMult(b *testing.B) {
	var secret, point [32]byte
	secret[0], point[0] = 1, 9
	key, err := ecdh.X25519().NewPrivateKey(secret[:])
	if err != nil {
		b.Fatal(err)
	}
	public, err := ecdh.X25519().NewPublicKey(point[:])
	if err != nil {
		b.Fatal(err)
	}
	side(b, "sigmill", func() bool { _, err := x25519.X25519(secret[:], point[:]); return err == nil })
	side(b, "std", func() bool { _, err := key.ECDH(public); return err == nil })
	side(b, "voi", func() bool { _, err := voix.X25519(secret[:], point[:]); return err == nil })
}
