package core

import (
	"bytes"
	"crypto/sha512"

	"filippo.io/edwards25519"
)

// Dom2 is what a hash of a variant begins with (RFC 8032 section 5.1): nothing for the pure kind.
func Dom2(variant Variant) []byte {
	if variant.Kind == Pure {
		return nil
	}
	dom := append(make([]byte, 0, 34+len(variant.Context)), "SigEd25519 no Ed25519 collisions"...)
	dom = append(dom, byte(variant.Kind)>>1, byte(len(variant.Context)))
	return append(dom, variant.Context...)
}

// SignInGo signs what neither crypto/ed25519 nor the assembly without cgo can: before and after are what the hash of the
// nonce has between dom2 and the prefix of the secret, and between that and the message. It signs a copy of the message.
// Constant time but for sizes.
func SignInGo(out, seed []byte, variant Variant, before, after, message []byte) {
	message = bytes.Clone(message)
	dom := Dom2(variant)
	expanded := sha512.Sum512(seed)
	defer clear(expanded[:])
	secret := new(edwards25519.Scalar)
	mustScalar(secret.SetBytesWithClamping(expanded[:32]))
	nonce := new(edwards25519.Scalar)
	var digest [sha512.Size]byte
	defer clear(digest[:])
	mustScalar(nonce.SetUniformBytes(hashOf(digest[:0], dom, before, expanded[32:], after, message)))
	public := new(edwards25519.Point).ScalarBaseMult(secret).Bytes()
	r := new(edwards25519.Point).ScalarBaseMult(nonce).Bytes()
	k := new(edwards25519.Scalar)
	mustScalar(k.SetUniformBytes(hashOf(nil, dom, r, public, message)))
	copy(out, r)
	copy(out[32:64], k.MultiplyAdd(k, secret, nonce).Bytes())
	*secret, *nonce = edwards25519.Scalar{}, edwards25519.Scalar{}
}

func hashOf(out []byte, parts ...[]byte) []byte {
	h := sha512.New()
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(out)
}

// mustScalar takes a result whose only error is a length that it cannot have.
func mustScalar(_ *edwards25519.Scalar, err error) {
	if err != nil {
		panic(err)
	}
}
