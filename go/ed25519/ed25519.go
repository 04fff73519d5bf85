// Package ed25519 is crypto/ed25519 by sigmill, with verification rules that have names and with batches.
//
// Change the import path: every name of crypto/ed25519 is here and means the same. Keys and options are the standard
// library's own types, so that crypto/x509, crypto/tls and golang.org/x/crypto/ssh take them. Sign, Verify and the
// rest give the standard library's answers, with these differences:
//
//   - [Sign] derives the public key from the seed. A private key whose second half is not its public key makes the
//     signature of the first half. The standard library signs with the second half as it is, and two signatures of
//     one message with two such halves give the secret away. The method [PrivateKey.Sign] is the standard library's;
//     [ExpandedPrivateKey] is a [crypto.Signer] of ours.
//   - [VerifyWithRule], [PreparedKey], [BatchVerifier] and [VerifyBatch] verify under a rule that the caller names.
//     [Verify] and [VerifyWithOptions] have the rule [RuleCommon], which is that of the standard library.
//
// [Implementation] says what computes.
package ed25519

import (
	"crypto"
	"crypto/ed25519"
	"errors"
	"io"
	"strconv"

	"github.com/sigmill/sigmill/go/internal/core"
)

// Sizes in bytes, as in crypto/ed25519.
const (
	// PublicKeySize is the size of a public key.
	PublicKeySize = ed25519.PublicKeySize
	// PrivateKeySize is the size of a private key: seed and public key.
	PrivateKeySize = ed25519.PrivateKeySize
	// SignatureSize is the size of a signature.
	SignatureSize = ed25519.SignatureSize
	// SeedSize is the size of a seed, which is the private key of RFC 8032.
	SeedSize = ed25519.SeedSize
)

// PublicKey is the standard library's.
type PublicKey = ed25519.PublicKey

// PrivateKey is the standard library's: a seed and its public key. Its method Sign is the standard library's too.
type PrivateKey = ed25519.PrivateKey

// Options is the standard library's: a hash (0, or [crypto.SHA512] for Ed25519ph) and a context of at most 255 bytes.
type Options = ed25519.Options

// ContextOptions ask for Ed25519ctx, with a context that may be empty, which [Options] cannot say: with them no context is
// pure Ed25519. RFC 8032 section 8.3 allows an empty one and advises against it. They are [crypto.SignerOpts].
type ContextOptions struct {
	// Context has at most 255 bytes.
	Context string
}

// HashFunc returns 0: the message itself is signed.
func (*ContextOptions) HashFunc() crypto.Hash { return 0 }

// Implementation says what computes: "assembly" (through cgo), "assembly without cgo" or "pure Go".
func Implementation() string { return core.Implementation }

// GenerateKey makes a key pair of [SeedSize] bytes read from random, or of the system's random bytes if it is nil. Of
// the same bytes it makes the same keys as crypto/ed25519.
func GenerateKey(random io.Reader) (PublicKey, PrivateKey, error) {
	if random == nil {
		return ed25519.GenerateKey(nil)
	}
	seed := make([]byte, SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, nil, err
	}
	private := NewKeyFromSeed(seed)
	return private.Public().(PublicKey), private, nil
}

// NewKeyFromSeed makes the private key of a seed. It panics if the seed does not have [SeedSize] bytes. Constant time.
func NewKeyFromSeed(seed []byte) PrivateKey {
	// the body is apart, so that the key can be on the caller's stack
	private := make([]byte, PrivateKeySize)
	core.KeyPair(private, seed)
	return private
}

// Sign signs the message with the seed half of a private key. It panics if the key does not have [PrivateKeySize]
// bytes. Constant time but for the size of the message.
func Sign(privateKey PrivateKey, message []byte) []byte {
	signature := make([]byte, SignatureSize)
	sign(signature, privateKey, message)
	return signature
}

//go:noinline
func sign(signature []byte, privateKey PrivateKey, message []byte) {
	if l := len(privateKey); l == 0 {
		ed25519.Sign(nil, nil) // it panics, in words that have changed between releases of Go
	} else if l != PrivateKeySize {
		panic("ed25519: bad private key: ed25519: bad private key length: " + strconv.Itoa(l))
	}
	core.Sign(signature, privateKey[:SeedSize], core.Variant{}, message)
}

// Verify reports whether a signature is valid under [RuleCommon]. It panics if the key does not have [PublicKeySize]
// bytes. Time depends on all inputs.
func Verify(publicKey PublicKey, message, sig []byte) bool {
	keyLength(publicKey)
	return core.Verify(core.Common, core.Variant{}, publicKey, message, sig) == core.Valid
}

// VerifyWithOptions verifies under [RuleCommon] and returns nil for a valid signature. With [crypto.SHA512] as
// opts.Hash it is Ed25519ph, and message is the SHA-512 of what was signed. It panics if the key does not have
// [PublicKeySize] bytes. Time depends on all inputs.
func VerifyWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) error {
	keyLength(publicKey)
	if opts == nil && !decodes(publicKey) {
		return errKey // before it panics for no options
	}
	variant, err := variantOf(opts)
	if err != nil {
		return refusal(err, publicKey, message, opts)
	}
	switch core.Verify(core.Common, variant, publicKey, message, sig) {
	case core.Valid:
		return nil
	case core.KeyNotAPoint:
		return errKey
	case core.SignatureLength:
		return refusal(errors.New("ed25519: bad signature length: "+strconv.Itoa(len(sig))), publicKey, message, opts)
	case core.DigestLength:
		return refusal(nil, publicKey, message, opts)
	}
	return errors.New("ed25519: invalid signature")
}

var errKey = errors.New("ed25519: bad public key")

// refusal is the error of what is not even computed: of several faults the standard library names the key first, then the
// size of a digest, then another one.
func refusal(other error, publicKey PublicKey, message []byte, opts *Options) error {
	if !decodes(publicKey) {
		return errKey
	}
	if err := digestError(opts.Hash, message); err != nil {
		return err
	}
	return other
}

func decodes(publicKey PublicKey) bool {
	return core.Verify(core.Common, core.Variant{}, publicKey, nil, make([]byte, SignatureSize)) != core.KeyNotAPoint
}

func digestError(hash crypto.Hash, message []byte) error {
	if l := len(message); hash == crypto.SHA512 && l != 64 {
		return errors.New("ed25519: bad Ed25519ph message hash length: " + strconv.Itoa(l))
	}
	return nil
}

func keyLength(key PublicKey) {
	if l := len(key); l != PublicKeySize {
		panic("ed25519: bad public key length: " + strconv.Itoa(l))
	}
}

// variantOfAny says what options of any kind ask for; nil is pure Ed25519.
func variantOfAny(opts crypto.SignerOpts) (core.Variant, error) {
	switch opts := opts.(type) { // by their types alone, so that those of a caller stay on its stack
	case nil:
		return core.Variant{}, nil
	case *Options:
		if opts == nil {
			return core.Variant{}, nil
		}
		return variantOf(opts)
	case *ContextOptions:
		if opts == nil {
			return core.Variant{}, nil
		}
		if l := len(opts.Context); l > 255 {
			return core.Variant{}, errors.New("ed25519: bad Ed25519ctx context length: " + strconv.Itoa(l))
		}
		return core.Variant{Kind: core.Ctx, Context: opts.Context}, nil
	case crypto.Hash:
		return variantOf(&Options{Hash: opts})
	}
	return core.Variant{}, errors.New("ed25519: options that are neither *Options nor *ContextOptions nor a crypto.Hash")
}

// variantOf says what options ask for.
func variantOf(opts *Options) (core.Variant, error) {
	switch {
	case opts.Hash != 0 && opts.Hash != crypto.SHA512:
		return core.Variant{}, errors.New("ed25519: expected opts.Hash zero (unhashed message, for standard Ed25519) or SHA-512 (for Ed25519ph)")
	case len(opts.Context) > 255 && opts.Hash == crypto.SHA512:
		return core.Variant{}, errors.New("ed25519: bad Ed25519ph context length: " + strconv.Itoa(len(opts.Context)))
	case len(opts.Context) > 255:
		return core.Variant{}, errors.New("ed25519: bad Ed25519ctx context length: " + strconv.Itoa(len(opts.Context)))
	case opts.Hash == crypto.SHA512:
		return core.Variant{Kind: core.Digest, Context: opts.Context}, nil
	case opts.Context != "":
		return core.Variant{Kind: core.Ctx, Context: opts.Context}, nil
	}
	return core.Variant{}, nil
}
