// Package sigmilljose is a signer and a verifier for go-jose by sigmill: EdDSA, ES256 and ES384.
//
//	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: opaque}, nil) // opaque of NewSigner
//	payload, err := signature.Verify(verifier)                                             // verifier of NewVerifier
package sigmilljose

import (
	"crypto"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/sigmill/sigmill/go/plugs/internal/keys"
)

// Signer is a private key. It is a [jose.OpaqueSigner], and may be used by several goroutines at once.
type Signer struct {
	signer    crypto.Signer
	algorithm jose.SignatureAlgorithm
	kid       string
}

// NewSigner reads a private key of sigmill or of the standard library: an ed25519.PrivateKey, an
// *ed25519.ExpandedPrivateKey, an *ecdsa.PrivateKey or an *ecdsa.Signer, the last two on P-256 or P-384. kid is the
// identifier of the key in headers, and may be empty.
func NewSigner(private crypto.PrivateKey, kid string) (*Signer, error) {
	signer, algorithm, err := keys.Signer(private)
	if err != nil {
		return nil, fmt.Errorf("sigmilljose: %w", err)
	}
	return &Signer{signer, jose.SignatureAlgorithm(algorithm), kid}, nil
}

// Public returns the public key.
func (s *Signer) Public() *jose.JSONWebKey {
	return &jose.JSONWebKey{Key: s.signer.Public(), KeyID: s.kid, Algorithm: string(s.algorithm), Use: "sig"}
}

// Algs returns the algorithm of the key, the only one.
func (s *Signer) Algs() []jose.SignatureAlgorithm { return []jose.SignatureAlgorithm{s.algorithm} }

// SignPayload signs, if alg is the algorithm of the key. Ed25519 is deterministic; ECDSA has a hedged nonce.
func (s *Signer) SignPayload(payload []byte, alg jose.SignatureAlgorithm) ([]byte, error) {
	if alg != s.algorithm {
		return nil, mismatch(alg, s.algorithm)
	}
	return keys.Sign(s.signer, keys.Algorithm(s.algorithm), payload)
}

// Verifier is a public key. It is a [jose.OpaqueVerifier].
type Verifier struct {
	public    crypto.PublicKey
	algorithm jose.SignatureAlgorithm
}

// NewVerifier takes an ed25519.PublicKey, an *ecdsa.PublicKey on P-256 or P-384, or a [jose.JSONWebKey] with one of
// them, whose algorithm, if it names one, must be that of the key.
func NewVerifier(public crypto.PublicKey) (*Verifier, error) {
	var named string
	switch jwk := public.(type) {
	case jose.JSONWebKey:
		public, named = jwk.Key, jwk.Algorithm
	case *jose.JSONWebKey:
		if jwk == nil {
			return nil, errors.New("sigmilljose: the JSON Web Key is nil")
		}
		public, named = jwk.Key, jwk.Algorithm
	}
	algorithm, err := keys.Of(public)
	if err != nil {
		return nil, fmt.Errorf("sigmilljose: %w", err)
	}
	if named != "" && named != string(algorithm) {
		return nil, fmt.Errorf("sigmilljose: the JSON Web Key names %q; its key is for %s", named, algorithm)
	}
	return &Verifier{public, jose.SignatureAlgorithm(algorithm)}, nil
}

// VerifyPayload returns nil for a valid signature by the algorithm of the key. Another alg is refused, whatever the
// signature.
func (v *Verifier) VerifyPayload(payload, signature []byte, alg jose.SignatureAlgorithm) error {
	if alg != v.algorithm {
		return mismatch(alg, v.algorithm)
	}
	return keys.Verify(v.public, keys.Algorithm(v.algorithm), payload, signature)
}

func mismatch(alg, expected jose.SignatureAlgorithm) error {
	return fmt.Errorf("sigmilljose: alg is %q; the key is for %s: %w", string(alg), expected, jose.ErrUnsupportedAlgorithm)
}
