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

func ExampleVerifyBatch() {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte("message"))
	signature, err := ecdsa.SignASN1(rand.Reader, key, hash[:])
	if err != nil {
		panic(err)
	}
	keys := []*ecdsa.PublicKey{&key.PublicKey, &key.PublicKey}
	verdicts, err := ecdsa.VerifyBatch(keys, [][]byte{hash[:], hash[:16]}, [][]byte{signature, signature}, nil)
	fmt.Println(verdicts[0].Valid(), verdicts[1].Valid(), err)
	// Output: true false ecdsa: row 1: the signature is not one of this message under this key
}
