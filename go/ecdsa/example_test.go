package ecdsa_test

import (
	"crypto"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/sigmill/sigmill/go/ecdsa"
)

func Example() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte("message"))
	signature, err := ecdsa.SignASN1(rand.Reader, key, hash[:])
	if err != nil {
		panic(err)
	}
	fmt.Println(ecdsa.VerifyASN1(&key.PublicKey, hash[:], signature))
	fmt.Println(ecdsa.VerifyWithOptions(&key.PublicKey, hash[:], signature[1:], nil))
	// Output:
	// true
	// ecdsa: the signature is not the strict DER of two integers
}

func ExampleSigner() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	signer, err := ecdsa.NewSigner(key)
	if err != nil {
		panic(err)
	}
	defer signer.Wipe()
	hash := sha256.Sum256([]byte("message"))
	opts := &ecdsa.Options{Hash: crypto.SHA256, Encoding: ecdsa.Fixed, LowS: true}
	signature, err := signer.Sign(nil, hash[:], opts) // RFC 6979
	if err != nil {
		panic(err)
	}
	fmt.Println(len(signature), ecdsa.VerifyWithOptions(&key.PublicKey, hash[:], signature, opts))
	// Output: 64 <nil>
}
