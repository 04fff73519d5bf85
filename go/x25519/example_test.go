package x25519_test

import (
	"bytes"
	"fmt"

	"github.com/sigmill/sigmill/go/x25519"
)

func Example() {
	alice, err := x25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	defer alice.Wipe()
	bob, err := x25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	defer bob.Wipe()
	public, err := x25519.NewPublicKey(bob.PublicKey().Bytes()) // as it came over a wire
	if err != nil {
		panic(err)
	}
	one, err := alice.ECDH(public)
	if err != nil {
		panic(err)
	}
	other, err := bob.ECDH(alice.PublicKey())
	fmt.Println(bytes.Equal(one, other), err)
	// Output: true <nil>
}

func ExamplePrivateKey_ECDH() {
	key, err := x25519.NewPrivateKey(bytes.Repeat([]byte{1}, x25519.Size))
	if err != nil {
		panic(err)
	}
	defer key.Wipe()
	zero, err := x25519.NewPublicKey(make([]byte, x25519.Size)) // every secret would give zeros with it
	if err != nil {
		panic(err)
	}
	_, err = key.ECDH(zero)
	fmt.Println(err)
	// Output: x25519: the shared secret is zero: the public key has small order
}
