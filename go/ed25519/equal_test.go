package ed25519_test

import (
	"bytes"
	"crypto"
	"fmt"
	"strings"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519"
)

func TestExpandedKeysAreEqualBySecret(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	_, another, _ := ed25519.GenerateKey(nil)
	expand := func(private ed25519.PrivateKey) *ed25519.ExpandedPrivateKey {
		key, err := ed25519.NewExpandedPrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key, same, other := expand(private), expand(private), expand(another)
	copied := *key
	for _, equal := range []*ed25519.ExpandedPrivateKey{key, same, &copied} {
		if !key.Equal(equal) || !equal.Equal(key) {
			t.Error("keys of one seed differ")
		}
	}
	for at := range 32 {
		near := bytes.Clone(private)
		near[at] ^= 0x10
		if key.Equal(expand(near)) {
			t.Errorf("byte %d of the seed is not looked at", at)
		}
	}
	var zero ed25519.ExpandedPrivateKey
	var none *ed25519.ExpandedPrivateKey
	for _, different := range []crypto.PrivateKey{other, &zero, none, private, *key, public, nil} {
		if key.Equal(different) {
			t.Errorf("equal to a %T", different)
		}
	}
	if zero.Equal(&zero) || none.Equal(none) || none.Equal(key) || zero.Equal(key) {
		t.Error("what is no key equals something")
	}
	same.Wipe()
	if key.Equal(same) || same.Equal(key) || same.Equal(same) {
		t.Error("a key that has been wiped equals something")
	}
	key.Wipe()
	if key.Equal(&copied) || expand(private).Equal(&copied) {
		t.Error("a copy of a wiped key equals something")
	}
	var _ interface{ Equal(crypto.PrivateKey) bool } = key
}

// Ed25519ctx may have an empty context; its signatures are valid as nothing else. go/tests/frozen has known answers.
func TestEmptyContext(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	key, _ := ed25519.NewExpandedPrivateKey(private)
	prepared, _ := ed25519.NewPreparedKey(public)
	empty := &ed25519.ContextOptions{}
	for _, size := range []int{0, 1, 100, 300_000} {
		message := bytes.Repeat([]byte{9}, size)
		signature, err := key.Sign(nil, message, empty)
		if err != nil {
			t.Fatal(err)
		}
		batch := ed25519.NewBatchVerifier(ed25519.RuleCommon, 2)
		batch.AddWithOptions(public, message, signature, empty)
		batch.AddPrepared(prepared, message, signature, empty)
		if all, each := batch.Verify(); !all {
			t.Errorf("%d bytes: %v", size, each)
		}
		if err := ed25519.VerifyWithRule(ed25519.RuleStrict, public, message, signature, empty); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := prepared.Verify(ed25519.RuleStrict, message, signature, empty); err != nil {
			t.Errorf("%d bytes, prepared: %v", size, err)
		}
		for _, opts := range []crypto.SignerOpts{nil, (*ed25519.Options)(nil), (*ed25519.ContextOptions)(nil), crypto.Hash(0), &ed25519.Options{}, &ed25519.Options{Context: "c"}, &ed25519.ContextOptions{Context: "c"}} {
			if err := ed25519.VerifyWithRule(ed25519.RuleCommon, public, message, signature, opts); err != ed25519.Equation {
				t.Errorf("%d bytes, %#v: %v", size, opts, err)
			}
		}
		// with a context the two ways of asking are one
		with, err := key.Sign(nil, message, &ed25519.ContextOptions{Context: "c"})
		if of, ofErr := key.Sign(nil, message, &ed25519.Options{Context: "c"}); err != nil || ofErr != nil || !bytes.Equal(with, of) {
			t.Errorf("%d bytes: %x %v, %x %v", size, with, err, of, ofErr)
		}
	}
	for name, opts := range map[string]crypto.SignerOpts{"context": &ed25519.ContextOptions{Context: strings.Repeat("c", 256)}, "hash": crypto.SHA256, "type": other{}} {
		if err := ed25519.VerifyWithRule(ed25519.RuleCommon, public, nil, make([]byte, 64), opts); err == nil || fmt.Sprintf("%T", err) == "ed25519.Verdict" {
			t.Errorf("%s: %v", name, err)
		}
		if name != "type" {
			if signature, err := key.Sign(nil, nil, opts); err == nil {
				t.Errorf("%s: signed %x", name, signature)
			}
		}
	}
}

type other struct{}

func (other) HashFunc() crypto.Hash { return 0 }
