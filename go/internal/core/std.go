package core

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"strconv"
)

// KeyPair writes the 64 bytes of a private key, the seed and its public key. It panics if the seed has another size than 32
// bytes. Constant time. It is not inlined, so that the key can be on the stack of whoever calls.
//
//go:noinline
func KeyPair(private, seed []byte) {
	if l := len(seed); l != ed25519.SeedSize {
		panic("ed25519: bad seed length: " + strconv.Itoa(l))
	}
	copy(private, seed)
	PublicKey(private[ed25519.SeedSize:], seed)
}

// signByStd signs a copy of the message by crypto/ed25519, which hashes it twice: for the nonce, and for what the nonce is
// added to. Where the caller's memory changes in between, two signatures with one nonce would give the secret away.
func signByStd(out []byte, key ed25519.PrivateKey, variant Variant, message []byte) {
	if variant == (Variant{Kind: Ctx}) { // its options take no context for the pure kind
		SignInGo(out, key[:ed25519.SeedSize], variant, nil, nil, message)
		return
	}
	message = bytes.Clone(message)
	options := &ed25519.Options{Context: variant.Context}
	if variant.Kind == Digest {
		options.Hash = crypto.SHA512
	}
	// its errors are a context, a digest or a key of another size; whoever calls has looked
	signature, err := key.Sign(nil, message, options)
	if err != nil {
		panic(err)
	}
	copy(out, signature)
}
