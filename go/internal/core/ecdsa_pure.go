//go:build purego || !((linux && (amd64 || (arm64 && cgo && !sigmill_nocgo))) || (sigmill_untested && ((amd64 && (darwin || windows)) || (arm64 && darwin && cgo && !sigmill_nocgo))))

package core

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	_ "crypto/sha256" // the nonces of P-256
	_ "crypto/sha512" // and of P-384
	"math/big"
)

// VerifyECDSA gives the verdict under a key of a known curve. Time depends on all inputs.
func VerifyECDSA(curve Curve, policy Policy, key *ecdsa.PublicKey, digest, signature []byte) Verdict {
	return VerifyByStd(policy, key, digest, signature)
}

// ECDSAPiece is how many rows one call should have.
func ECDSAPiece(Curve) int { return 8 }

func verifyECDSAPiece(curve Curve, policy Policy, of []int, row func(int) (*ecdsa.PublicKey, []byte, []byte), verdicts []Verdict) {
	for _, i := range of {
		key, digest, signature := row(i)
		verdicts[i] = VerifyByStd(policy, key, digest, signature)
	}
}

// ECDSAKey is a secret key that has been read.
type ECDSAKey struct {
	curve Curve
	key   *ecdsa.PrivateKey
}

// NewECDSAKey reads a secret of the curve's Size; it reports whether that is in its range, 1 to n − 1. Constant time.
func NewECDSAKey(curve Curve, secret []byte) (*ECDSAKey, bool) {
	read, err := curve.ecdh().NewPrivateKey(secret)
	if err != nil {
		return nil, false
	}
	public, width := read.PublicKey().Bytes(), curve.Size()
	key := &ecdsa.PrivateKey{D: new(big.Int).SetBytes(secret)}
	key.Curve = elliptic.P256()
	if curve == P384 {
		key.Curve = elliptic.P384()
	}
	key.X, key.Y = new(big.Int).SetBytes(public[1:1+width]), new(big.Int).SetBytes(public[1+width:])
	return &ECDSAKey{curve: curve, key: key}, true
}

// Public writes the public key in SEC1 bytes, uncompressed.
func (k *ECDSAKey) Public(out []byte) { SEC1(out[:1+2*k.curve.Size()], &k.key.PublicKey) }

// Sign writes r and s. The nonce is that of RFC 6979 with the curve's own hash, which has made the digest; or, if there
// is noise, of the standard library's random bytes, and the digest has any length but 0. Constant time but for sizes.
func (k *ECDSAKey) Sign(out, digest, noise []byte) {
	var signature []byte
	if noise == nil {
		signature = mustKey(k.key.Sign(nil, digest, k.curve.Hash()))
	} else {
		signature = mustKey(ecdsa.SignASN1(rand.Reader, k.key, digest))
	}
	if !FixedOfDER(out[:2*k.curve.Size()], signature) {
		panic("sigmill: a signature of the standard library that is not one")
	}
}

// Wipe forgets the key; it signs no more.
func (k *ECDSAKey) Wipe() {
	clear(k.key.D.Bits())
	k.key.D.SetInt64(0)
}

func signECDSAPiece(curve Curve, keys []*ECDSAKey, digests [][]byte, signatures []byte) {
	for i, digest := range digests {
		// a copy, as the nonce and the signature are made of the same digest
		keys[i%len(keys)].Sign(signatures[2*curve.Size()*i:], bytes.Clone(digest), nil)
	}
}
