package x25519_test

import (
	"bytes"
	"fmt"

	ed25519 "github.com/sigmill/sigmill/go/oasis"
	"github.com/sigmill/sigmill/go/oasis/x25519"
)

func ExampleX25519() {
	alice, bob := bytes.Repeat([]byte{1}, x25519.ScalarSize), bytes.Repeat([]byte{2}, x25519.ScalarSize)
	public, err := x25519.X25519(bob, x25519.Basepoint)
	if err != nil {
		panic(err)
	}
	one, err := x25519.X25519(alice, public)
	if err != nil {
		panic(err)
	}
	if public, err = x25519.X25519(alice, x25519.Basepoint); err != nil {
		panic(err)
	}
	other, err := x25519.X25519(bob, public)
	fmt.Println(bytes.Equal(one, other), err)
	_, err = x25519.X25519(alice, make([]byte, x25519.PointSize))
	fmt.Println(err)
	// Output:
	// true <nil>
	// bad input point: low order point
}

func ExampleEdPublicKeyToX25519() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	point, ok := x25519.EdPublicKeyToX25519(public)
	same, err := x25519.X25519(x25519.EdPrivateKeyToX25519(private), x25519.Basepoint)
	fmt.Println(ok, bytes.Equal(point, same), err)
	// Output: true true <nil>
}
