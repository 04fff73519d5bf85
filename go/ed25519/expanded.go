package ed25519

import (
	"crypto"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sigmill/sigmill/go/internal/core"
)

// ExpandedPrivateKey is a private key with what signing would derive of its seed each time. It is a [crypto.Signer],
// and may be used by several goroutines at once, and wiped by one of them. A copy is the same key: wiping one wipes the other. The
// zero value is no key.
type ExpandedPrivateKey struct{ key core.Hidden[expandedKey] }

type expandedKey struct {
	guard    core.Guard
	expanded *core.Expanded
	public   [PublicKeySize]byte
}

// NewExpandedPrivateKey expands the seed half of a private key. Its public key is derived. The error names a length
// that is not [PrivateKeySize]. Constant time.
func NewExpandedPrivateKey(privateKey PrivateKey) (*ExpandedPrivateKey, error) {
	if l := len(privateKey); l != PrivateKeySize {
		return nil, errors.New("ed25519: bad private key length: " + strconv.Itoa(l))
	}
	k := &expandedKey{expanded: core.Expand(privateKey[:SeedSize])}
	k.expanded.Public(k.public[:])
	return &ExpandedPrivateKey{core.Hide(k)}, nil
}

// Public returns the [PublicKey]. It panics for a key that [NewExpandedPrivateKey] has not made.
func (k *ExpandedPrivateKey) Public() crypto.PublicKey {
	key := k.key.Get()
	if key == nil {
		panic(errNotMade.Error())
	}
	return PublicKey(append([]byte(nil), key.public[:]...))
}

// SignMessage signs a message: pure Ed25519. It panics after Wipe, and for a key that nobody has made. Constant time but
// for the size of the message.
func (k *ExpandedPrivateKey) SignMessage(message []byte) []byte {
	signature := make([]byte, SignatureSize)
	if err := k.sign(signature, core.Variant{}, message); err != nil {
		panic(err.Error())
	}
	return signature
}

//go:noinline
func (k *ExpandedPrivateKey) sign(signature []byte, variant core.Variant, message []byte) error {
	key := k.key.Get()
	if key == nil {
		return errNotMade
	}
	use := key.guard.Enter()
	if use == nil {
		return errWiped
	}
	defer use.Leave()
	key.expanded.Sign(signature, variant, message)
	return nil
}

// missing says why there is nothing to sign with.
func (k *ExpandedPrivateKey) missing() error {
	switch key := k.key.Get(); {
	case key == nil:
		return errNotMade
	case key.guard.Wiped():
		return errWiped
	}
	return nil
}

var errWiped = errors.New("ed25519: the expanded key has been wiped")

// Sign implements [crypto.Signer], as the method of [PrivateKey]: opts is [*Options], [*ContextOptions], crypto.Hash(0) or
// [crypto.SHA512], for which message is a digest. rand is ignored. The errors are the standard library's, and that of a
// key that has been wiped or that nobody has made.
func (k *ExpandedPrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if err := k.missing(); err != nil {
		return nil, err
	}
	if opts, ok := opts.(*ContextOptions); ok {
		variant, err := variantOfAny(opts)
		return k.signAs(variant, err, message)
	}
	options := &Options{Hash: opts.HashFunc()}
	if opts, ok := opts.(*Options); ok {
		options.Context = opts.Context
	}
	if options.Hash != 0 && options.Hash != crypto.SHA512 {
		return nil, errors.New("ed25519: expected opts.HashFunc() zero (unhashed message, for standard Ed25519) or SHA-512 (for Ed25519ph)")
	}
	if err := digestError(options.Hash, message); err != nil {
		return nil, err
	}
	variant, err := variantOf(options)
	return k.signAs(variant, err, message)
}

// signAs signs under a variant, if there is one.
func (k *ExpandedPrivateKey) signAs(variant core.Variant, err error, message []byte) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	signature := make([]byte, SignatureSize)
	if err := k.sign(signature, variant, message); err != nil {
		return nil, err
	}
	return signature, nil
}

// enter begins a use. It returns nil where there is nothing to sign with.
func (k *ExpandedPrivateKey) enter() (*expandedKey, *core.Use) {
	if key := k.key.Get(); key != nil {
		return key, key.guard.Enter()
	}
	return nil, nil
}

// Equal reports whether x is an *ExpandedPrivateKey of the same seed; what is no key, or has been wiped, equals none. Constant
// time.
func (k *ExpandedPrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*ExpandedPrivateKey)
	if !ok || k == nil || other == nil {
		return false
	}
	return core.EqualInUse(k.enter, other.enter, func(key, otherKey *expandedKey) bool {
		return key.expanded.Equal(otherKey.expanded)
	})
}

// Wipe overwrites the key, as far as Go lets it: copies that the runtime or the collector made are not found. It waits for
// signatures that other goroutines have begun, and the key signs no more.
func (k *ExpandedPrivateKey) Wipe() {
	if key := k.key.Get(); key != nil {
		key.guard.Wipe(key.expanded.Wipe)
	}
}

// String says that it is a secret key, and no more, as do all verbs of fmt.
func (ExpandedPrivateKey) String() string { return "ed25519.ExpandedPrivateKey(secret)" }

// GoString is String.
func (k ExpandedPrivateKey) GoString() string { return k.String() }

// Format writes String, whatever the verb.
func (k ExpandedPrivateKey) Format(state fmt.State, _ rune) { io.WriteString(state, k.String()) }
