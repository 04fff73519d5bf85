package x25519_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"fmt"
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
		_, err := x25519.NewPrivateKey(make([]byte, size))
		if expected := fmt.Sprintf("x25519: private key has %d bytes, not 32", size); err == nil || err.Error() != expected {
			t.Errorf("a private key of %d bytes: %v", size, err)
		}
		_, err = x25519.NewPublicKey(make([]byte, size))
		if expected := fmt.Sprintf("x25519: public key has %d bytes, not 32", size); err == nil || err.Error() != expected {
			t.Errorf("a public key of %d bytes: %v", size, err)
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
	for name, none := range map[string]*x25519.PrivateKey{"wiped": again, "zero": new(x25519.PrivateKey)} {
		if shared, err := none.ECDH(key.PublicKey()); err == nil || shared != nil {
			t.Errorf("%s: ECDH gives %x", name, shared)
		}
		if key.Equal(none) || none.Equal(none) {
			t.Errorf("%s: Equal", name)
		}
		for call, of := range map[string]func(){"Bytes": func() { none.Bytes() }, "PublicKey": func() { none.PublicKey() }, "Public": func() { none.Public() }} {
			func() {
				defer func() {
					if said := recover(); said != "x25519: a private key that has been wiped, or was not made by its function" {
						t.Errorf("%s: %s: %v", name, call, said)
					}
				}()
				of()
			}()
		}
		none.Wipe()
	}
	var noKey *x25519.PrivateKey
	if key.Equal(noKey) || noKey.Equal(key) || noKey.Equal(noKey) {
		t.Error("a nil private key: Equal")
	}
	if _, err := noKey.ECDH(key.PublicKey()); err == nil {
		t.Error("a nil private key: ECDH")
	}
	var noPublic *x25519.PublicKey
	if key.PublicKey().Equal(noPublic) || noPublic.Equal(key.PublicKey()) || noPublic.Equal(noPublic) {
		t.Error("a nil public key: Equal")
	}
	if shared, err := key.ECDH(new(x25519.PublicKey)); err == nil || shared != nil {
		t.Errorf("the zero public key, of small order: %x", shared)
	}
}

func FuzzECDH(f *testing.F) {
	f.Add(make([]byte, 32), bytes.Repeat([]byte{9}, 32))
	f.Fuzz(func(t *testing.T, secret, point []byte) {
		ours, err := x25519.NewPrivateKey(secret)
		theirs, stdErr := ecdh.X25519().NewPrivateKey(secret)
		if (err == nil) != (stdErr == nil) {
			t.Fatalf("a secret of %d bytes: %v, the standard library says %v", len(secret), err, stdErr)
		}
		public, err := x25519.NewPublicKey(point)
		stdPublic, stdErr := ecdh.X25519().NewPublicKey(point)
		if (err == nil) != (stdErr == nil) {
			t.Fatalf("a point of %d bytes: %v, the standard library says %v", len(point), err, stdErr)
		}
		if ours == nil || public == nil {
			return
		}
		if !bytes.Equal(ours.PublicKey().Bytes(), theirs.PublicKey().Bytes()) {
			t.Errorf("the public key of %x", secret)
		}
		shared, err := ours.ECDH(public)
		stdShared, stdErr := theirs.ECDH(stdPublic)
		if !bytes.Equal(shared, stdShared) || (err == nil) != (stdErr == nil) {
			t.Errorf("%x %v, the standard library says %x %v", shared, err, stdShared, stdErr)
		}
	})
}
