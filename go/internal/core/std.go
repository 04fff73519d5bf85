package core

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
)

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
