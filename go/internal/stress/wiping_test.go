package main

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha512"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/x25519"
)

// duration is that of a stress test: SIGMILL_STRESS in seconds, or a little.
func duration(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SIGMILL_STRESS")
	if text == "" {
		if testing.Short() {
			t.Skip("go/check runs the stress tests in a step of their own, with SIGMILL_STRESS and -count=1")
		}
		return 1500 * time.Millisecond
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// result is what came of using a key that is being wiped.
type result int

const (
	right result = iota
	wrong
	refused // for it has been wiped
	broken  // a panic that says something else
)

// of is the result of a call that made something or failed.
func of(is bool, err error) result {
	switch {
	case err != nil && strings.Contains(err.Error(), "wiped"):
		return refused
	case err == nil && is:
		return right
	}
	return wrong
}

// use calls, and takes a panic for the error that it is.
func use(call func() result) (came result) {
	defer func() {
		if said := recover(); said != nil {
			came = broken
			if strings.Contains(fmt.Sprint(said), "wiped") {
				came = refused
			}
		}
	}()
	return call()
}

// wipedKeys make a key each time, and ways to use it; each has one right answer, or a verification.
var wipedKeys = []struct {
	name string
	make func() (wipe func(), uses []func() result)
}{
	{"ed25519.ExpandedPrivateKey", func() (func(), []func() result) {
		r := newRow(100, false)
		key := must(ed25519.NewExpandedPrivateKey(r.private))
		digest := sha512.Sum512(r.message)
		options := &ed25519.Options{Hash: crypto.SHA512, Context: "wiping"}
		prehashed := must(r.private.Sign(nil, digest[:], options))
		same := must(ed25519.NewExpandedPrivateKey(r.private))
		return key.Wipe, []func() result{
			func() result {
				return of(bytes.Equal(key.SignMessage(r.message), r.asSigned), nil)
			},
			func() result {
				signature, err := key.Sign(nil, digest[:], options)
				return of(bytes.Equal(signature, prehashed), err)
			},
			func() result { // no key equals what is none
				if key.Equal(same) && same.Equal(key) {
					return right
				}
				return refused
			},
		}
	}},
	{"ed25519.ExpandedPrivateKey, long messages", func() (func(), []func() result) {
		key := must(ed25519.NewExpandedPrivateKey(long.private))
		return key.Wipe, []func() result{func() result {
			return of(bytes.Equal(key.SignMessage(long.message), long.asSigned), nil)
		}}
	}},
	{"ecdsa.Signer, P-256", func() (func(), []func() result) { return signerUses(elliptic.P256()) }},
	{"ecdsa.Signer, P-384", func() (func(), []func() result) { return signerUses(elliptic.P384()) }},
	{"ecdsa.Signer, P-521", func() (func(), []func() result) {
		private := must(stdecdsa.GenerateKey(elliptic.P521(), source{}))
		signer := must(ecdsa.NewSigner(private))
		digest := sha512.Sum512(nil)
		return signer.Wipe, []func() result{func() result {
			signature, err := signer.Sign(source{}, digest[:], crypto.SHA512)
			return of(err == nil && stdecdsa.VerifyASN1(&private.PublicKey, digest[:], signature), err)
		}}
	}},
	{"x25519.PrivateKey", func() (func(), []func() result) {
		theirs, other := must(ecdh.X25519().GenerateKey(source{})), must(ecdh.X25519().GenerateKey(source{}))
		shared := must(theirs.ECDH(other.PublicKey()))
		key, remote := must(x25519.NewPrivateKey(theirs.Bytes())), must(x25519.NewPublicKey(other.PublicKey().Bytes()))
		same := must(x25519.NewPrivateKey(theirs.Bytes()))
		return key.Wipe, []func() result{
			func() result {
				secret, err := key.ECDH(remote)
				return of(bytes.Equal(secret, shared), err)
			},
			func() result {
				return of(bytes.Equal(key.Bytes(), theirs.Bytes()), nil)
			},
			func() result {
				return of(bytes.Equal(key.PublicKey().Bytes(), theirs.PublicKey().Bytes()), nil)
			},
			func() result { // no key equals what is none
				if key.Equal(same) {
					return right
				}
				return refused
			},
		}
	}},
}

func signerUses(curve elliptic.Curve) (func(), []func() result) {
	private := must(stdecdsa.GenerateKey(curve, source{}))
	signer := must(ecdsa.NewSigner(private))
	hash, another, digest, anotherDigest := crypto.SHA256, crypto.SHA384, make([]byte, 32), make([]byte, 48)
	if curve == elliptic.P384() {
		hash, another, digest, anotherDigest = another, hash, anotherDigest, digest
	}
	copy(digest, "a digest that is not 0")
	verified := func(digest, signature []byte, err error) result {
		return of(err == nil && stdecdsa.VerifyASN1(&private.PublicKey, digest, signature), err)
	}
	digests := make([][]byte, 20)
	for i := range digests {
		digests[i] = digest
	}
	same := must(ecdsa.NewSigner(private))
	return signer.Wipe, []func() result{
		func() result {
			if signer.Equal(same) && same.Equal(signer) {
				return right
			}
			return refused
		},
		func() result {
			signature, err := signer.Sign(nil, digest, hash)
			return verified(digest, signature, err)
		},
		func() result {
			signature, err := signer.Sign(source{}, digest, hash)
			return verified(digest, signature, err)
		},
		func() result {
			signature, err := signer.Sign(nil, anotherDigest, another)
			return verified(anotherDigest, signature, err)
		},
		func() result {
			signatures, err := ecdsa.SignBatch([]*ecdsa.Signer{signer}, digests, nil)
			for _, signature := range signatures {
				if verified(digest, signature, err) != right {
					return wrong
				}
			}
			return of(len(signatures) == len(digests), err)
		},
		func() result {
			signatures, err := ecdsa.SignBatch([]*ecdsa.Signer{signer, signer, signer}, digests[:3], nil)
			for _, signature := range signatures {
				if verified(digest, signature, err) != right {
					return wrong
				}
			}
			return of(len(signatures) == 3, err)
		},
	}
}

// Goroutines use a key while another wipes it: what leaves is right, and nothing leaves once Wipe has returned.
func TestWipingBesideUse(t *testing.T) {
	const users = 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(users + 1)) // one is for whoever wipes
	long = newRow(300_000, false)
	for _, kind := range wipedKeys {
		t.Run(kind.name, func(t *testing.T) {
			keys, counts := 0, [4]int{}
			for end := time.Now().Add(duration(t) / time.Duration(len(wipedKeys))); time.Now().Before(end); keys++ {
				wipe, ways := kind.make()
				var group sync.WaitGroup
				var of [users][4]int
				begun := make(chan bool, users)
				for user := range users {
					group.Add(1)
					go func() {
						defer group.Done()
						for i := 0; of[user][refused] < 2*len(ways); i++ {
							of[user][use(ways[(i+user)%len(ways)])]++
							if i == 0 {
								begun <- true
							}
						}
					}()
				}
				<-begun
				for begin, pause := time.Now(), time.Duration(rand.IntN(100_000)); time.Since(begin) < pause; {
				}
				wipe()
				for i, way := range ways {
					if came := use(way); came != refused {
						t.Errorf("use %d of a key that has been wiped: %d", i, came)
					}
				}
				group.Wait()
				for user := range of {
					for came, count := range of[user] {
						counts[came] += count
					}
				}
			}
			t.Logf("%d keys: %d results right, %d wrong, %d refused, %d other panics", keys, counts[right], counts[wrong], counts[refused], counts[broken])
			if counts[wrong]+counts[broken] > 0 {
				t.Fail()
			}
		})
	}
}

// A use that ends in a panic, as that of no public key, is one that Wipe does not wait for.
func TestWipingAfterPanic(t *testing.T) {
	key := must(x25519.GenerateKey(nil))
	if came := use(func() result { key.ECDH(nil); return right }); came != broken {
		t.Fatal("a nil public key was taken for one")
	}
	wiped := make(chan bool)
	go func() { key.Wipe(); close(wiped) }()
	select {
	case <-wiped:
	case <-time.After(10 * time.Second):
		t.Error("Wipe waits for who has left")
	}
}
