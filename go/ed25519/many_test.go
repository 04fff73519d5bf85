package ed25519_test

import (
	"bytes"
	std "crypto/ed25519"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519"
)

// stream gives bytes that depend on where they are, writes down what is read, and ends somewhere.
type stream struct {
	at, end int
	reads   []int
}

var errEnd = errors.New("the end of the stream")

func (s *stream) Read(b []byte) (int, error) {
	s.reads = append(s.reads, len(b))
	count := min(len(b), s.end-s.at, 20) // short reads
	for i := range count {
		b[i] = byte((s.at + i) * 0x9d >> 3)
	}
	s.at += count
	if count == 0 {
		return 0, errEnd
	}
	return count, nil
}

// Keys, reads and errors are those of n calls of GenerateKey.
func TestGenerateKeys(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 33, 128, 129, 300, 4096, 4097, 10_000} {
		for _, end := range []int{32 * n, 32*n - 1, 32 * n / 2, 0} {
			if end < 0 {
				continue
			}
			one, many := &stream{end: end}, &stream{end: end}
			var publics []ed25519.PublicKey
			var privates []ed25519.PrivateKey
			var err error
			for len(publics) < n && err == nil {
				var public ed25519.PublicKey
				var private ed25519.PrivateKey
				if public, private, err = ed25519.GenerateKey(one); err == nil {
					publics, privates = append(publics, public), append(privates, private)
				}
			}
			gotPublics, gotPrivates, gotErr := ed25519.GenerateKeys(many, n)
			if gotErr != err || !slices.Equal(many.reads, one.reads) || many.at != one.at {
				t.Fatalf("%d keys of %d bytes: %v after %d bytes, must be %v after %d", n, end, gotErr, many.at, err, one.at)
			}
			if err != nil {
				if gotPublics != nil || gotPrivates != nil {
					t.Fatal("keys beside an error")
				}
				continue
			}
			for i := range n {
				if !bytes.Equal(gotPublics[i], publics[i]) || !bytes.Equal(gotPrivates[i], privates[i]) {
					t.Fatalf("%d keys: key %d differs", n, i)
				}
				if len(gotPublics) != n || cap(gotPublics[i]) != 32 || cap(gotPrivates[i]) != 64 {
					t.Fatal("a key can be appended to over the next one")
				}
			}
		}
	}
	publics, privates, err := ed25519.GenerateKeys(nil, 50)
	for i := range publics {
		if !bytes.Equal(std.NewKeyFromSeed(privates[i].Seed()), privates[i]) || !bytes.Equal(privates[i][32:], publics[i]) {
			t.Fatalf("key %d", i)
		}
		if i > 0 && bytes.Equal(publics[i], publics[i-1]) {
			t.Fatal("the same key twice")
		}
	}
	if err != nil || len(publics) != 50 {
		t.Fatal(len(publics), err)
	}
	// numbers that somebody states, without so many keys
	for _, n := range []int{-1, math.MinInt, math.MaxInt32, math.MaxInt, math.MaxInt/32 + 2} {
		if _, _, err := ed25519.GenerateKeys(io.LimitReader(nil, 0), n); err == nil {
			t.Errorf("%d keys of no bytes", n)
		}
		verifier := ed25519.NewBatchVerifier(ed25519.RuleCommon, n)
		if all, _ := verifier.Verify(); all || verifier.Len() != 0 {
			t.Errorf("a batch with room for %d", n)
		}
	}
}

// Signatures are those of Sign, with a key each and with one for all, whatever the messages' sizes.
func TestSignBatch(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 9, 130, 270} {
		_, privates, err := ed25519.GenerateKeys(nil, rows)
		if err != nil {
			t.Fatal(err)
		}
		messages := make([][]byte, rows)
		for i := range messages {
			if i%9 > 0 {
				messages[i] = bytes.Repeat([]byte{byte(i)}, i*i%500)
			}
		}
		if rows == 130 {
			messages[64], messages[90] = make([]byte, 600_000), make([]byte, 200_000)
		}
		for _, keys := range [][]ed25519.PrivateKey{privates, privates[:min(1, rows)]} {
			signatures, err := ed25519.SignBatch(keys, messages)
			if rows > 0 && err != nil || len(signatures) != rows {
				t.Fatalf("%d rows: %d signatures, %v", rows, len(signatures), err)
			}
			for i := range signatures {
				if want := std.Sign(keys[i%len(keys)], messages[i]); !bytes.Equal(signatures[i], want) || cap(signatures[i]) != 64 {
					t.Fatalf("row %d of %d, %d keys: %x, must be %x", i, rows, len(keys), signatures[i], want)
				}
			}
		}
	}
}
