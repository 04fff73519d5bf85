// Package sigmilljwt has signing methods for golang-jwt by sigmill: EdDSA, ES256 and ES384.
//
//	sigmilljwt.Register() // tokens are verified by sigmill from now on
//	token, err := jwt.NewWithClaims(sigmilljwt.EdDSA, claims).SignedString(privateKey)
//
// The methods are no *jwt.SigningMethodEd25519 and no *jwt.SigningMethodECDSA. A key function that asserts one of these
// types refuses the tokens; [jwt.WithValidMethods], with the names of methods, does the same check.
package sigmilljwt

import (
	"crypto"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
	"github.com/sigmill/sigmill/go/ed25519"
	"github.com/sigmill/sigmill/go/plugs/internal/keys"
)

// SigningMethod is a [jwt.SigningMethod]. Its values are [EdDSA], [ES256] and [ES384].
type SigningMethod struct {
	algorithm keys.Algorithm
	invalid   error
}

// The methods. Their keys are those of golang-jwt's own: an ed25519.PublicKey or *ecdsa.PublicKey to verify; a
// crypto.Signer of Ed25519 or an *ecdsa.PrivateKey to sign, and sigmill's *ecdsa.Signer.
var (
	EdDSA = &SigningMethod{keys.EdDSA, jwt.ErrEd25519Verification}
	ES256 = &SigningMethod{keys.ES256, jwt.ErrECDSAVerification}
	ES384 = &SigningMethod{keys.ES384, jwt.ErrECDSAVerification}
)

// Register makes the methods those by which golang-jwt verifies tokens that name them. It is called once, before tokens
// are read.
func Register() {
	for _, method := range []*SigningMethod{EdDSA, ES256, ES384} {
		jwt.RegisterSigningMethod(method.Alg(), func() jwt.SigningMethod { return method })
	}
}

// Alg returns the name.
func (m *SigningMethod) Alg() string { return string(m.algorithm) }

// Verify returns nil for a valid signature. The key must be one of the method: on another curve it is
// [jwt.ErrInvalidKeyType]. An invalid signature is [jwt.ErrEd25519Verification] or [jwt.ErrECDSAVerification], as with
// golang-jwt's own methods, and the reason.
func (m *SigningMethod) Verify(signingString string, sig []byte, key any) error {
	algorithm, err := keys.Of(key)
	if err != nil {
		return m.refused(err)
	}
	if algorithm != m.algorithm {
		return m.another(algorithm)
	}
	if err := keys.Verify(key, algorithm, []byte(signingString), sig); err != nil {
		return fmt.Errorf("%w: %w", m.invalid, err)
	}
	return nil
}

// Sign signs. Ed25519 is deterministic; ECDSA has a hedged nonce. A crypto.Signer of Ed25519 that is no key of sigmill or
// of the standard library signs itself.
func (m *SigningMethod) Sign(signingString string, key any) ([]byte, error) {
	signer, algorithm, err := keys.Signer(key)
	if other, is := key.(crypto.Signer); is && errors.Is(err, keys.ErrType) && m.algorithm == keys.EdDSA {
		if _, is := other.Public().(ed25519.PublicKey); is {
			signer, algorithm, err = other, keys.EdDSA, nil
		}
	}
	if err != nil {
		return nil, m.refused(err)
	}
	if algorithm != m.algorithm {
		return nil, m.another(algorithm)
	}
	return keys.Sign(signer, algorithm, []byte(signingString))
}

func (m *SigningMethod) refused(err error) error {
	kind := jwt.ErrInvalidKey
	if errors.Is(err, keys.ErrType) {
		kind = jwt.ErrInvalidKeyType
	}
	return fmt.Errorf("sigmilljwt: %s: %w: %w", m.algorithm, kind, err)
}

func (m *SigningMethod) another(algorithm keys.Algorithm) error {
	return fmt.Errorf("sigmilljwt: %s: %w: the key is for %s", m.algorithm, jwt.ErrInvalidKeyType, algorithm)
}
