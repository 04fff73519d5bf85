// Package keys has the keys of JSON Web Signatures: Ed25519, and ECDSA on P-256 and P-384. The type of a key decides the
// algorithm.
package keys

import (
	"crypto"
	"crypto/elliptic"
	"crypto/rand"
	_ "crypto/sha256" // registers SHA-256
	_ "crypto/sha512" // registers SHA-384
	"errors"
	"fmt"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
)

// Algorithm is the name of an algorithm in JOSE.
type Algorithm string

// The algorithms.
const (
	EdDSA Algorithm = "EdDSA"
	ES256 Algorithm = "ES256"
	ES384 Algorithm = "ES384"
)

// ErrType says that a key has another type than those of the algorithms.
var ErrType = errors.New("unsupported key type")

var fixed = &ecdsa.Options{Encoding: ecdsa.Fixed}

// Of returns the algorithm of a public key: an [ed25519.PublicKey] of 32 bytes, or an *[ecdsa.PublicKey] on P-256 or P-384.
func Of(public crypto.PublicKey) (Algorithm, error) {
	switch key := public.(type) {
	case ed25519.PublicKey:
		if len(key) != ed25519.PublicKeySize {
			return "", fmt.Errorf("the public key has %d bytes; Ed25519 has %d", len(key), ed25519.PublicKeySize)
		}
		return EdDSA, nil
	case *ecdsa.PublicKey:
		if key == nil || key.Curve == nil || key.X == nil || key.Y == nil {
			return "", errors.New("the ECDSA public key is nil or has no curve or no point")
		}
		switch key.Curve {
		case elliptic.P256():
			return ES256, nil
		case elliptic.P384():
			return ES384, nil
		}
		return "", fmt.Errorf("%w: ECDSA on %s; P-256 and P-384 are supported", ErrType, key.Params().Name)
	}
	return "", fmt.Errorf("%w: %T; ed25519.PublicKey and *ecdsa.PublicKey are supported", ErrType, public)
}

// Signer returns what signs with a private key, and its algorithm: of an [ed25519.PrivateKey] or a
// pointer to one, an *[ed25519.ExpandedPrivateKey], an *[ecdsa.PrivateKey] or an *[ecdsa.Signer].
func Signer(private crypto.PrivateKey) (crypto.Signer, Algorithm, error) {
	var signer crypto.Signer
	if pointer, is := private.(*ed25519.PrivateKey); is && pointer != nil {
		private = *pointer
	}
	switch key := private.(type) {
	case ed25519.PrivateKey:
		if len(key) != ed25519.PrivateKeySize {
			return nil, "", fmt.Errorf("the private key has %d bytes; Ed25519 has %d", len(key), ed25519.PrivateKeySize)
		}
		expanded, err := ed25519.NewExpandedPrivateKey(key)
		if err != nil {
			return nil, "", err
		}
		signer = expanded
	case *ecdsa.PrivateKey:
		if key == nil {
			return nil, "", errors.New("the ECDSA private key is nil")
		}
		read, err := ecdsa.NewSigner(key)
		if err != nil {
			return nil, "", err
		}
		signer = read
	case *ed25519.ExpandedPrivateKey:
		if key == nil || !key.Equal(key) {
			return nil, "", errors.New("the expanded private key is nil, was not made by its function, or has been wiped")
		}
		signer = key
	case *ecdsa.Signer:
		if key == nil || !key.Equal(key) {
			return nil, "", errors.New("the ECDSA signer is nil, was not made by its function, or has been wiped")
		}
		signer = key
	default:
		return nil, "", fmt.Errorf("%w: %T; ed25519.PrivateKey, *ed25519.ExpandedPrivateKey, *ecdsa.PrivateKey and *ecdsa.Signer are supported", ErrType, private)
	}
	algorithm, err := Of(signer.Public())
	if err != nil {
		return nil, "", err
	}
	return signer, algorithm, nil
}

// Sign signs a message: 64 bytes of Ed25519; of ECDSA r and s in fixed length, with a hedged nonce.
func Sign(signer crypto.Signer, algorithm Algorithm, message []byte) ([]byte, error) {
	if algorithm == EdDSA {
		return signer.Sign(nil, message, crypto.Hash(0))
	}
	return signer.Sign(rand.Reader, digest(algorithm, message), fixed)
}

// Verify returns nil for a valid signature under a key that [Of] has this algorithm, and the reason otherwise: of Ed25519
// under the rule common, that of crypto/ed25519.
func Verify(public crypto.PublicKey, algorithm Algorithm, message, signature []byte) error {
	if algorithm == EdDSA {
		return ed25519.VerifyWithRule(ed25519.RuleCommon, public.(ed25519.PublicKey), message, signature, nil)
	}
	return ecdsa.VerifyWithOptions(public.(*ecdsa.PublicKey), digest(algorithm, message), signature, fixed)
}

func digest(algorithm Algorithm, message []byte) []byte {
	hash := crypto.SHA256
	if algorithm == ES384 {
		hash = crypto.SHA384
	}
	hasher := hash.New()
	hasher.Write(message)
	return hasher.Sum(nil)
}
