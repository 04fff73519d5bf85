package core

import (
	"crypto"
	"crypto/ed25519"
)

// signByStd signs by crypto/ed25519.
func signByStd(out []byte, key ed25519.PrivateKey, variant Variant, message []byte) {
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
