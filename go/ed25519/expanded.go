package ed25519

import (
	"crypto"
	"errors"
	"io"
	"strconv"

	"github.com/sigmill/sigmill/go/internal/core"
)

// ExpandedPrivateKey is a private key with what signing would derive of its seed each time. It is a [crypto.Signer],
// and may be used by several goroutines at once.
type ExpandedPrivateKey struct {
	public   [PublicKeySize]byte
	expanded *core.Expanded
}

// NewExpandedPrivateKey expands the seed half of a private key. Its public key is derived. The error names a length
// that is not [PrivateKeySize]. Constant time.
func NewExpandedPrivateKey(privateKey PrivateKey) (*ExpandedPrivateKey, error) {
	if l := len(privateKey); l != PrivateKeySize {
		return nil, errors.New("ed25519: bad private key length: " + strconv.Itoa(l))
	}
	k := &ExpandedPrivateKey{expanded: core.Expand(privateKey[:SeedSize])}
	k.expanded.Public(k.public[:])
	return k, nil
}

// Public returns the [PublicKey].
func (k *ExpandedPrivateKey) Public() crypto.PublicKey {
	return PublicKey(append([]byte(nil), k.public[:]...))
}

// SignMessage signs a message: pure Ed25519. It panics after Wipe. Constant time but for the size of the message.
func (k *ExpandedPrivateKey) SignMessage(message []byte) []byte {
	signature := make([]byte, SignatureSize)
	k.sign(signature, core.Variant{}, message)
	return signature
}

//go:noinline
func (k *ExpandedPrivateKey) sign(signature []byte, variant core.Variant, message []byte) {
	if k.expanded == nil {
		panic(errWiped.Error())
	}
	k.expanded.Sign(signature, variant, message)
}

var errWiped = errors.New("ed25519: the expanded key has been wiped")

// Sign implements [crypto.Signer], as the method of [PrivateKey]: opts is [Options], crypto.Hash(0) or
// [crypto.SHA512], for which message is a digest. rand is ignored.
func (k *ExpandedPrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	options := &Options{Hash: opts.HashFunc()}
	if opts, ok := opts.(*Options); ok {
		options.Context = opts.Context
	}
	variant, err := variantOf(options)
	if err != nil {
		return nil, err
	}
	if l := len(message); variant.Kind == core.Digest && l != 64 {
		return nil, errors.New("ed25519: bad Ed25519ph message hash length: " + strconv.Itoa(l))
	}
	if k.expanded == nil {
		return nil, errWiped
	}
	signature := make([]byte, SignatureSize)
	k.sign(signature, variant, message)
	return signature, nil
}

// Wipe overwrites the key, as far as Go lets it: copies that the runtime or the collector made are not found. It signs
// no more. Not while other goroutines use it.
func (k *ExpandedPrivateKey) Wipe() {
	if k.expanded != nil {
		k.expanded.Wipe()
		k.expanded = nil
	}
}
