package main

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	std "crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha512"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/internal/core"
	oasis "github.com/sigmill/sigmill/go/oasis"
	voi "github.com/sigmill/sigmill/go/voi"
)

// changing is a way to sign messages of these sizes, which another goroutine changes.
type changing struct {
	name   string
	sizes  []int
	width  int // of R or r, with which signatures begin
	sign   func(message []byte) ([][]byte, error)
	verify func(message, signature []byte) bool
}

func changingMessages() []changing {
	public, private, _ := std.GenerateKey(source{})
	expanded := must(ed25519.NewExpandedPrivateKey(private))
	sizes := []int{32, 1000, 5000, 100_000, 300_000}
	one := func(signature []byte, err error) ([][]byte, error) { return [][]byte{signature}, err }
	ways := []changing{
		{"ed25519.Sign", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(ed25519.Sign(private, message), nil)
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"ed25519.SignBatch", sizes, 32, func(message []byte) ([][]byte, error) {
			return ed25519.SignBatch([]ed25519.PrivateKey{private}, [][]byte{message, message, message})
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"ed25519.SignBatch, keys", sizes, 32, func(message []byte) ([][]byte, error) {
			return ed25519.SignBatch([]ed25519.PrivateKey{private, private}, [][]byte{message, message})
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"ed25519.ExpandedPrivateKey.SignMessage", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(expanded.SignMessage(message), nil)
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"oasis.Sign", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(oasis.Sign(oasis.PrivateKey(private), message), nil)
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"voi.Sign", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(voi.Sign(voi.PrivateKey(private), message), nil)
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		// the same random bytes each time: what differs is the message
		{"voi.PrivateKey.Sign, random", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(voi.PrivateKey(private).Sign(bytes.NewReader(make([]byte, 32)), message, &voi.Options{AddedRandomness: true, SelfVerify: true}))
		}, func(message, signature []byte) bool { return std.Verify(public, message, signature) }},
		{"ed25519.ExpandedPrivateKey.Sign, empty context", sizes, 32, func(message []byte) ([][]byte, error) {
			return one(expanded.Sign(nil, message, &ed25519.ContextOptions{}))
		}, func(message, signature []byte) bool {
			return ed25519.VerifyWithRule(ed25519.RuleCommon, public, message, signature, &ed25519.ContextOptions{}) == nil
		}},
	}
	for _, options := range []*ed25519.Options{{Context: "changing"}, {Hash: crypto.SHA512}, {Hash: crypto.SHA512, Context: "changing"}} {
		of := sizes
		if options.Hash != 0 {
			of = []int{sha512.Size}
		}
		verify := func(message, signature []byte) bool {
			return std.VerifyWithOptions(public, message, signature, options) == nil
		}
		ways = append(ways,
			changing{fmt.Sprintf("ed25519.ExpandedPrivateKey.Sign, %v", *options), of, 32, func(message []byte) ([][]byte, error) {
				return one(expanded.Sign(nil, message, options))
			}, verify},
			changing{fmt.Sprintf("oasis.PrivateKey.Sign, %v", *options), of, 32, func(message []byte) ([][]byte, error) {
				return one(oasis.PrivateKey(private).Sign(nil, message, &oasis.Options{Hash: options.Hash, Context: options.Context}))
			}, verify})
	}
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		private := must(stdecdsa.GenerateKey(curve, source{}))
		signer := must(ecdsa.NewSigner(private))
		size, hash := 32, crypto.SHA256
		if curve != elliptic.P256() {
			size, hash = 48, crypto.SHA384
		}
		fixed := &ecdsa.Options{Hash: hash, Encoding: ecdsa.Fixed}
		verify := func(digest, signature []byte) bool {
			return ecdsa.VerifyWithOptions(&private.PublicKey, digest, signature, fixed) == nil
		}
		width := (curve.Params().BitSize + 7) / 8
		name := curve.Params().Name
		ways = append(ways,
			changing{"ecdsa.Signer.Sign, " + name, []int{size}, width, func(digest []byte) ([][]byte, error) {
				return one(signer.Sign(nil, digest, fixed))
			}, verify},
			changing{"ecdsa.Signer.Sign, random, " + name, []int{size}, width, func(digest []byte) ([][]byte, error) {
				return one(signer.Sign(source{}, digest, fixed))
			}, verify})
		if width != 66 {
			ways = append(ways, changing{"ecdsa.SignBatch, " + name, []int{size}, width, func(digest []byte) ([][]byte, error) {
				return ecdsa.SignBatch([]*ecdsa.Signer{signer}, [][]byte{digest, digest, digest}, fixed)
			}, verify})
		}
	}
	return ways
}

// A goroutine changes one byte of a message while another signs it. Each signature that leaves is one of a message that
// there was, and no two that differ have the same R: they would give the secret away.
func TestChangingMessages(t *testing.T) {
	if raceDetector {
		t.Skip("not under the race detector: this test changes messages in a data race on purpose")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	ways := changingMessages()
	cases := 0
	for _, way := range ways {
		cases += len(way.sizes)
	}
	for _, way := range ways {
		for _, size := range way.sizes {
			messages := [2][]byte{bytes.Repeat([]byte{1}, size), bytes.Repeat([]byte{1}, size)}
			messages[1][size-1] = 2
			message := bytes.Clone(messages[0])
			var stop, stopped atomic.Bool
			go func() {
				for i := 0; !stop.Load(); i++ {
					message[size-1] ^= 3
					for range i % 64 * 8 {
						pause++
					}
				}
				stopped.Store(true)
			}()
			known, signed, invalid, sharing := map[string]string{}, 0, 0, 0
			for end := time.Now().Add(duration(t) / time.Duration(cases)); time.Now().Before(end); {
				signatures, err := way.sign(message)
				if err != nil {
					t.Fatal(way.name, size, err)
				}
				for _, signature := range signatures {
					signed++
					r, s := string(signature[:way.width]), string(signature[way.width:])
					before, seen := known[r]
					if !seen {
						known[r] = s
						if !way.verify(messages[0], signature) && !way.verify(messages[1], signature) {
							invalid++
						}
					} else if before != s {
						sharing++
					}
				}
			}
			stop.Store(true)
			for !stopped.Load() {
				runtime.Gosched()
			}
			if invalid+sharing > 0 {
				t.Errorf("%s, %d bytes: of %d signatures %d have the R of another one, %d are of no message", way.name, size, signed, sharing, invalid)
			}
		}
	}
	t.Logf("%s: %d ways to sign", core.Implementation, cases)
}

var pause int // a loop that the compiler keeps
