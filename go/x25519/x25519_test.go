package x25519_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"testing"

	"github.com/sigmill/sigmill/go/x25519"
)

func TestSameAsTheStandardLibrary(t *testing.T) {
	for range 100 {
		var a, b [32]byte
		rand.Read(a[:])
		rand.Read(b[:])
		ours, err := x25519.NewPrivateKey(a[:])
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := ecdh.X25519().NewPrivateKey(a[:])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.PublicKey().Bytes(), theirs.PublicKey().Bytes()) {
			t.Fatalf("public key of %x", a)
		}
		// any 32 bytes are a public key, those of the twist too
		remote, err := x25519.NewPublicKey(b[:])
		if err != nil {
			t.Fatal(err)
		}
		their, err := ecdh.X25519().NewPublicKey(b[:])
		if err != nil {
			t.Fatal(err)
		}
		x, err := ours.ECDH(remote)
		y, stdErr := theirs.ECDH(their)
		if err != nil || stdErr != nil || !bytes.Equal(x, y) {
			t.Fatalf("%x with %x: %x %v, must be %x %v", a, b, x, err, y, stdErr)
		}
	}
}

func TestSmallOrderAndSizes(t *testing.T) {
	key, err := x25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 32)
	one[0] = 1
	top := make([]byte, 32)
	top[31] = 0x80
	for _, bytes := range [][]byte{make([]byte, 32), one, top} {
		remote, err := x25519.NewPublicKey(bytes)
		if err != nil {
			t.Fatal(err)
		}
		if shared, err := key.ECDH(remote); err == nil || shared != nil {
			t.Errorf("%x: %x", bytes, shared)
		}
	}
	for _, size := range []int{0, 31, 33} {
		if _, err := x25519.NewPrivateKey(make([]byte, size)); err == nil {
			t.Errorf("a private key of %d bytes", size)
		}
		if _, err := x25519.NewPublicKey(make([]byte, size)); err == nil {
			t.Errorf("a public key of %d bytes", size)
		}
	}
	if _, err := x25519.GenerateKey(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("31 random bytes")
	}
	again, err := x25519.NewPrivateKey(key.Bytes())
	if err != nil || !key.Equal(again) || !key.PublicKey().Equal(again.Public()) {
		t.Errorf("a key from its bytes: %v", err)
	}
	again.Wipe()
	if key.Equal(again) || !bytes.Equal(again.Bytes(), make([]byte, 32)) {
		t.Error("Wipe")
	}
}
