// Package x25519 is github.com/oasisprotocol/ed25519/extra/x25519 by sigmill: the X25519 function of RFC 7748.
package x25519

import (
	"crypto/sha512"
	"crypto/subtle"
	"fmt"

	"github.com/sigmill/sigmill/go/internal/core"
	ed25519 "github.com/sigmill/sigmill/go/oasis"
)

const (
	// ScalarSize is the size of a scalar in bytes.
	ScalarSize = 32
	// PointSize is the size of a point in bytes.
	PointSize = 32
)

var basePoint = [PointSize]byte{9}

// Basepoint is the u-coordinate of the base point. X25519 is faster with this very slice; it must not be changed.
var Basepoint = basePoint[:]

// ScalarMult sets dst to in·base. Constant time.
//
// Deprecated: dst is all zeros for a base of small order, where [X25519] returns an error.
func ScalarMult(dst, in, base *[32]byte) {
	var shared [32]byte
	core.X25519(shared[:], in[:], base[:])
	*dst = shared
}

// ScalarBaseMult sets dst to in·Basepoint. Constant time.
func ScalarBaseMult(dst, in *[32]byte) {
	core.X25519Public(dst[:], in[:])
}

// X25519 returns scalar·point (RFC 7748 section 5). The error is that of a size, or of a point of small order, with
// which every scalar gives zero. It panics if Basepoint has been changed. Constant time.
func X25519(scalar, point []byte) ([]byte, error) {
	// the body is apart, so that the result can be on the caller's stack
	var dst [32]byte
	return x25519(&dst, scalar, point)
}

func x25519(dst *[32]byte, scalar, point []byte) ([]byte, error) {
	if l := len(scalar); l != ScalarSize {
		return nil, fmt.Errorf("bad scalar length: %d, expected %d", l, ScalarSize)
	}
	if l := len(point); l != PointSize {
		return nil, fmt.Errorf("bad point length: %d, expected %d", l, PointSize)
	}
	if &point[0] == &Basepoint[0] {
		if want := [PointSize]byte{9}; subtle.ConstantTimeCompare(Basepoint, want[:]) != 1 {
			panic("curve25519: global Basepoint value was modified")
		}
		core.X25519Public(dst[:], scalar)
	} else if !core.X25519(dst[:], scalar, point) {
		return nil, fmt.Errorf("bad input point: low order point")
	}
	return dst[:], nil
}

// EdPrivateKeyToX25519 returns the scalar of an Ed25519 private key: the secret whose public key [EdPublicKeyToX25519]
// gives. Constant time.
func EdPrivateKeyToX25519(privateKey ed25519.PrivateKey) []byte {
	digest := sha512.Sum512(privateKey[:ed25519.SeedSize])
	digest[0] &= 248
	digest[31] &= 127
	digest[31] |= 64
	scalar := make([]byte, ScalarSize)
	copy(scalar, digest[:])
	clear(digest[:])
	return scalar
}

// EdPublicKeyToX25519 returns the X25519 public key of an Ed25519 one: u = (1 + y)/(1 − y). It reports false for bytes
// that are not a point, or not [ed25519.PublicKeySize] of them.
func EdPublicKeyToX25519(publicKey ed25519.PublicKey) ([]byte, bool) {
	if len(publicKey) != ed25519.PublicKeySize {
		return nil, false
	}
	point := make([]byte, PointSize)
	if !core.X25519PublicOf(point, publicKey) {
		return nil, false
	}
	return point, true
}
