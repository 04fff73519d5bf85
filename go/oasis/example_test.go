package ed25519_test

import (
	"crypto"
	"crypto/sha512"
	"fmt"

	ed25519 "github.com/sigmill/sigmill/go/oasis"
)

func Example() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	signature := ed25519.Sign(private, []byte("message"))
	fmt.Println(ed25519.Verify(public, []byte("message"), signature))
	// Output: true
}

func ExampleVerifyWithOptions() {
	// the key is the point of order 1: under ZIP 215, anybody can sign anything with it
	key, signature := make(ed25519.PublicKey, 32), make([]byte, 64)
	key[0], signature[0] = 1, 1
	fmt.Println(ed25519.VerifyWithOptions(key, []byte("anything"), signature, &ed25519.Options{}))
	fmt.Println(ed25519.VerifyWithOptions(key, []byte("anything"), signature, &ed25519.Options{ZIP215Verify: true}))
	// Output:
	// false
	// true
}

func ExampleVerifyBatch() {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := private.Public().(ed25519.PublicKey)
	one, two := ed25519.Sign(private, []byte("one")), ed25519.Sign(private, []byte("two"))
	keys := []ed25519.PublicKey{public, public, public}
	messages := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	fmt.Println(ed25519.VerifyBatch(nil, keys, messages, [][]byte{one, two, two}, &ed25519.Options{}))
	// Output: false [true true false] <nil>
}

func ExamplePrivateKey_Sign() {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	digest := sha512.Sum512([]byte("message"))
	opts := &ed25519.Options{Hash: crypto.SHA512, Context: "example"} // Ed25519ph
	signature, err := private.Sign(nil, digest[:], opts)
	if err != nil {
		panic(err)
	}
	fmt.Println(ed25519.VerifyWithOptions(private.Public().(ed25519.PublicKey), digest[:], signature, opts))
	// Output: true
}
