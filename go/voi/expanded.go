package ed25519

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sigmill/sigmill/go/internal/core"
)

// CompressedEdwardsY is an encoding of a point. It stands for curve25519-voi's curve.CompressedEdwardsY, which has these
// bytes.
type CompressedEdwardsY [PublicKeySize]byte

// ExpandedPublicKey is a public key that has been decoded and, where that helps, has tables of its multiples. It may be used
// by several goroutines at once. The zero value is no key, and verifies nothing.
type ExpandedPublicKey struct {
	bytes    CompressedEdwardsY
	prepared *core.Prepared
}

// CompressedY returns the key's bytes, as they came.
func (k *ExpandedPublicKey) CompressedY() CompressedEdwardsY { return k.bytes }

// NewExpandedPublicKey prepares a key. The error is that of a length other than [PublicKeySize], or of bytes that are no
// point; whatever else a rule asks of a key is looked at when verifying.
func NewExpandedPublicKey(publicKey PublicKey) (*ExpandedPublicKey, error) {
	if l := len(publicKey); l != PublicKeySize {
		return nil, errors.New("ed25519: invalid public key: bad length: " + strconv.Itoa(l))
	}
	prepared, decodes := core.Prepare(publicKey)
	if !decodes {
		return nil, fmt.Errorf("ed25519: failed to decompress public key: %s", core.KeyNotAPoint.Sentence())
	}
	return &ExpandedPublicKey{bytes: CompressedEdwardsY(publicKey), prepared: prepared}, nil
}

// VerifyExpanded is [Verify] with a prepared key.
func VerifyExpanded(publicKey *ExpandedPublicKey, message, sig []byte) bool {
	return VerifyExpandedWithOptions(publicKey, message, sig, optionsDefault)
}

// VerifyExpandedWithOptions is [VerifyWithOptions] with a prepared key. It panics if the options or the size of a digest
// cannot be. Time depends on all inputs.
func VerifyExpandedWithOptions(publicKey *ExpandedPublicKey, message, sig []byte, opts *Options) bool {
	rule, variant, err := opts.meant(message)
	if err != nil {
		panic(err)
	}
	return publicKey != nil && publicKey.prepared != nil && publicKey.prepared.Verify(rule, variant, message, sig) == core.Valid
}
