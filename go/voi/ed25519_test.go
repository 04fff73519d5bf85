package ed25519_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	ed25519 "github.com/sigmill/sigmill/go/voi"
	"github.com/sigmill/sigmill/go/voi/extra/cache"
)

func panicOf(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

// Options without a rule here are refused by everything that verifies, and a batch does not take them for rows that are
// merely not valid.
func TestOptionsWithoutARuleAreRefused(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("message")
	signature := ed25519.Sign(private, message)
	expanded, err := ed25519.NewExpandedPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for bits := range 32 {
		opts := &ed25519.Options{SelfVerify: true, Verify: &ed25519.VerifyOptions{
			AllowSmallOrderA: bits&1 != 0, AllowSmallOrderR: bits&2 != 0, AllowNonCanonicalA: bits&4 != 0,
			AllowNonCanonicalR: bits&8 != 0, CofactorlessVerify: bits&16 != 0,
		}}
		said := fmt.Sprint(panicOf(func() { ed25519.VerifyWithOptions(public, message, signature, opts) }))
		with := fmt.Sprint(panicOf(func() { ed25519.VerifyExpandedWithOptions(expanded, message, signature, opts) }))
		batch := ed25519.NewBatchVerifier()
		inBatch := fmt.Sprint(panicOf(func() { batch.AddWithOptions(public, message, signature, opts) }))
		_, err := private.Sign(nil, message, opts)
		if said != with || (err == nil) != (said == "<nil>") || err != nil && err.Error() != said {
			t.Errorf("%+v: %q, %q, %v", *opts.Verify, said, with, err)
		}
		switch {
		case strings.Contains(said, "no rule of sigmill"):
			refused++
			if inBatch != said {
				t.Errorf("%+v: in a batch %q", *opts.Verify, inBatch)
			}
		case strings.Contains(said, "incompatible"):
			if all, each := batch.Verify(nil); inBatch != "<nil>" || all || len(each) != 1 {
				t.Errorf("%+v: in a batch %q %v %v", *opts.Verify, inBatch, all, each)
			}
		default:
			if all, _ := batch.Verify(nil); !all {
				t.Errorf("%+v: not valid in a batch", *opts.Verify)
			}
		}
	}
	if refused != 12 {
		t.Errorf("%d options have no rule, must be 12", refused)
	}
}

// A batch keeps nothing of the caller's: the slices may be written to afterwards.
func TestBatchKeepsNoSlice(t *testing.T) {
	for name, opts := range map[string]*ed25519.Options{"default": {}, "cofactorless": {Verify: ed25519.VerifyOptionsStdLib}, "context": {Context: "c"}} {
		batch := ed25519.NewBatchVerifierWithCapacity(3)
		key, message, signature := make([]byte, 32), make([]byte, 7), make([]byte, 64)
		for row := range 5 {
			_, private, err := ed25519.GenerateKey(nil)
			if err != nil {
				t.Fatal(err)
			}
			copy(key, private[32:])
			message[0] = byte(row)
			signed, err := private.Sign(nil, message, opts)
			if err != nil {
				t.Fatal(err)
			}
			copy(signature, signed)
			batch.AddWithOptions(key, message, signature, opts)
			clear(key)
			clear(message)
			clear(signature)
		}
		if all, each := batch.Verify(nil); !all || len(each) != 5 {
			t.Errorf("%s: %v", name, each)
		}
	}
}

func TestBatch(t *testing.T) {
	batch := ed25519.NewBatchVerifier()
	if all, each := batch.Verify(nil); all || each != nil || batch.VerifyBatchOnly(nil) {
		t.Error("a batch of none is valid")
	}
	public, private, _ := ed25519.GenerateKey(nil)
	expanded, _ := ed25519.NewExpandedPublicKey(public)
	message := []byte("message")
	signature := ed25519.Sign(private, message)
	for round := range 3 {
		for range 4 {
			batch.Add(public, message, signature)
			batch.AddExpanded(expanded, message, signature)
		}
		if all, each := batch.Verify(nil); !all || len(each) != 8 || !batch.VerifyBatchOnly(nil) {
			t.Errorf("round %d: %v", round, each)
		}
		if round == 1 {
			batch.AddExpanded(nil, message, signature)
			batch.AddExpanded(new(ed25519.ExpandedPublicKey), message, signature)
			batch.Add(public, message, signature[:63])
			batch.Add(public[:31], message, signature)
			batch.AddWithOptions(public, message, signature, &ed25519.Options{Context: "another"})
			batch.Add(public, message, signature)
			if all, each := batch.Verify(nil); all || batch.VerifyBatchOnly(nil) || fmt.Sprint(each[8:]) != "[false false false false false true]" {
				t.Errorf("round %d: %v", round, each)
			}
		}
		if batch.Reset() != batch {
			t.Error("Reset returns the batch")
		}
	}
	batch.AddWithOptions(public, message, signature, &ed25519.Options{Verify: ed25519.VerifyOptionsStdLib})
	if all, _ := batch.Verify(iotest.ErrReader(errors.New("not read"))); !all || batch.VerifyBatchOnly(nil) {
		t.Error("the cofactorless equation is verified by Verify alone")
	}
	if said := panicOf(func() {
		batch.Reset().Add(public, message, signature)
		batch.Verify(iotest.ErrReader(errors.New("empty")))
	}); said == nil {
		t.Error("a source that fails")
	}
	if said := panicOf(func() { batch.Reset().AddWithOptions(public, message, signature, nil) }); said == nil {
		t.Error("no options")
	}
}

// counting counts what a cache is asked for.
type counting struct {
	cache.Cache
	put int
}

func (c *counting) Put(key *ed25519.CompressedEdwardsY, expanded *ed25519.ExpandedPublicKey) {
	c.put++
	c.Cache.Put(key, expanded)
}

func TestCacheGivesUpTheOldest(t *testing.T) {
	counted := &counting{Cache: cache.NewLRUCache(2)}
	verifier := cache.NewVerifier(counted)
	keys, signatures := make([]ed25519.PublicKey, 3), make([][]byte, 3)
	message := []byte("message")
	for i := range keys {
		var private ed25519.PrivateKey
		keys[i], private, _ = ed25519.GenerateKey(nil)
		signatures[i] = ed25519.Sign(private, message)
	}
	for step, use := range []struct{ key, put int }{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}, {1, 4}, {0, 4}, {2, 5}} {
		if !verifier.Verify(keys[use.key], message, signatures[use.key]) || counted.put != use.put {
			t.Errorf("step %d: %d keys were put, must be %d", step, counted.put, use.put)
		}
	}
	batch := ed25519.NewBatchVerifier()
	for i := range keys {
		verifier.Add(batch, keys[i], message, signatures[i])
	}
	if all, _ := batch.Verify(nil); !all {
		t.Error("a batch by a cache")
	}
	bad := bytes.Repeat([]byte{0xee}, 32)
	for bad[0] = 0; ; bad[0]++ {
		if _, err := ed25519.NewExpandedPublicKey(bad); err != nil {
			break
		}
	}
	for _, key := range [][]byte{nil, keys[0][:31], bad} {
		verifier.AddPublicKey(key)
		verifier.Add(batch, key, message, signatures[0])
		if all, each := batch.Verify(nil); verifier.Verify(key, message, signatures[0]) || all || each[3] {
			t.Errorf("%x is a key", key)
		}
		batch.Reset()
		for i := range keys {
			verifier.Add(batch, keys[i], message, signatures[i])
		}
	}
	if panicOf(func() { cache.NewLRUCache(0) }) == nil {
		t.Error("a cache of none")
	}
}
