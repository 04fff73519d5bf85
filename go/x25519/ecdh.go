package x25519

import (
	"crypto/ecdh"
	"errors"
)

var errNotX25519 = errors.New("x25519: the key is none of crypto/ecdh's on X25519")

// PrivateKeyFromECDH takes a key of the standard library, such as [crypto/x509.ParsePKCS8PrivateKey] reads from PKCS#8
// (RFC 8410). The error is that of a key on another curve. Constant time.
func PrivateKeyFromECDH(key *ecdh.PrivateKey) (*PrivateKey, error) {
	if key == nil || key.Curve() != ecdh.X25519() {
		return nil, errNotX25519
	}
	bytes := key.Bytes()
	defer clear(bytes)
	return NewPrivateKey(bytes)
}

// ToECDH returns the key as one of the standard library, which [crypto/x509.MarshalPKCS8PrivateKey] writes as PKCS#8. The
// error is that of a private key that is none. Constant time.
func (k *PrivateKey) ToECDH() (*ecdh.PrivateKey, error) {
	key, use := k.enter()
	if use == nil {
		return nil, errNotMade
	}
	defer use.Leave()
	return ecdh.X25519().NewPrivateKey(key.bytes[:])
}

// PublicKeyFromECDH takes a key of the standard library, such as [crypto/x509.ParsePKIXPublicKey] reads. The error is that
// of a key on another curve.
func PublicKeyFromECDH(key *ecdh.PublicKey) (*PublicKey, error) {
	if key == nil || key.Curve() != ecdh.X25519() {
		return nil, errNotX25519
	}
	return NewPublicKey(key.Bytes())
}

// ToECDH returns the key as one of the standard library, which [crypto/x509.MarshalPKIXPublicKey] writes.
func (k *PublicKey) ToECDH() (*ecdh.PublicKey, error) { return ecdh.X25519().NewPublicKey(k.bytes[:]) }
