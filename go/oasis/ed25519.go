// Package ed25519 is github.com/oasisprotocol/ed25519 by sigmill: change the import path to
// github.com/sigmill/sigmill/go/oasis. Every exported name is here with its meaning. The rule is oasis' own, cofactored
// and without keys and R of small order ([Verify]), or that of ZIP 215 with [Options].ZIP215Verify; and a batch has the
// verdicts that its signatures have alone.
//
// Two things are not copied. The original refuses signatures with S from 2^252 up to the order of the group, which its
// two rules accept (honest signers make one in 2^127); and it signs with the public half of a private key as it is,
// where here the seed alone counts: two signatures of one message with two such halves give the secret away.
package ed25519

import (
	"bytes"
	"context"
	"crypto"
	cryptorand "crypto/rand"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"

	"github.com/sigmill/sigmill/go/internal/core"
)

// Sizes in bytes.
const (
	// PublicKeySize is the size of a public key.
	PublicKeySize = 32
	// PrivateKeySize is the size of a private key: seed and public key.
	PrivateKeySize = 64
	// SignatureSize is the size of a signature.
	SignatureSize = 64
	// SeedSize is the size of a seed, which is the private key of RFC 8032.
	SeedSize = 32
	// ContextMaxSize is the greatest size of a context.
	ContextMaxSize = 255
)

// Options choose a variant of Ed25519 and the rule of verification.
type Options struct {
	// Hash is crypto.Hash(0), or crypto.SHA512 for Ed25519ph, of which the digest is given.
	Hash crypto.Hash
	// Context, if not empty, is that of Ed25519ctx or Ed25519ph: at most ContextMaxSize bytes.
	Context string
	// ZIP215Verify verifies under the rule of ZIP 215.
	ZIP215Verify bool
}

// HashFunc returns Hash.
func (opt *Options) HashFunc() crypto.Hash { return opt.Hash }

func (opt *Options) rule() core.Rule {
	if opt.ZIP215Verify {
		return core.ZIP215
	}
	return core.NoSmall
}

func contextError(context string) error {
	if l := len(context); l > ContextMaxSize {
		return errors.New("ed25519: bad context length: " + strconv.Itoa(l))
	}
	return nil
}

var errHash = errors.New("ed25519: expected opts HashFunc zero (unhashed message, for Ed25519/Ed25519ctx) or SHA-512 (for Ed25519ph)")

// variantOf is a variant, or the error of what cannot be one.
func variantOf(hash crypto.Hash, context string, message []byte) (core.Variant, error) {
	if err := contextError(context); err != nil {
		return core.Variant{}, err
	}
	switch {
	case hash == crypto.SHA512 && len(message) != sha512.Size:
		return core.Variant{}, errors.New("ed25519: bad message hash length: " + strconv.Itoa(len(message)))
	case hash == crypto.SHA512:
		return core.Variant{Kind: core.Digest, Context: context}, nil
	case hash != 0:
		return core.Variant{}, errHash
	case context != "":
		return core.Variant{Kind: core.Ctx, Context: context}, nil
	}
	return core.Variant{}, nil
}

// PublicKey is the type of public keys.
type PublicKey []byte

// Equal reports whether x is a PublicKey of the same bytes.
func (pub PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(PublicKey)
	return ok && bytes.Equal(pub, other)
}

// PrivateKey is the type of private keys: a seed and its public key. It is a [crypto.Signer].
type PrivateKey []byte

// Public returns the second half as a [PublicKey].
func (priv PrivateKey) Public() crypto.PublicKey {
	public := make([]byte, PublicKeySize)
	copy(public, priv[SeedSize:])
	return PublicKey(public)
}

// Equal reports whether x is a PrivateKey of the same bytes. Constant time.
func (priv PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(PrivateKey)
	return ok && subtle.ConstantTimeCompare(priv, other) == 1
}

// Seed returns a copy of the seed.
func (priv PrivateKey) Seed() []byte {
	seed := make([]byte, SeedSize)
	copy(seed, priv[:SeedSize])
	return seed
}

// String says that it is a secret key, and no more, as do the verbs of fmt wherever it calls the methods of a key. It does
// not call them in struct fields that are not exported, whatever the verb, for %w, and for %p of a value that holds a key:
// there it prints the bytes of the slice. The encoders of the standard library encode these, too.
func (PrivateKey) String() string { return "ed25519.PrivateKey(secret)" }

// GoString is String.
func (priv PrivateKey) GoString() string { return priv.String() }

// Format writes String, whatever the verb that fmt calls it for; see String.
func (priv PrivateKey) Format(state fmt.State, _ rune) { io.WriteString(state, priv.String()) }

// LogValue is String for log/slog.
func (priv PrivateKey) LogValue() slog.Value { return slog.StringValue(priv.String()) }

// Sign signs a message, or the digest of one for Ed25519ph, with the seed half of the key. rand is ignored. It panics
// if the key does not have [PrivateKeySize] bytes. Constant time but for sizes.
func (priv PrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) (signature []byte, err error) {
	context := ""
	if options, ok := opts.(*Options); ok {
		context = options.Context
	}
	variant, err := variantOf(opts.HashFunc(), context, message)
	if err != nil {
		return nil, err
	}
	signature = make([]byte, SignatureSize)
	sign(signature, priv, variant, message)
	return signature, nil
}

// Sign signs a message with the seed half of a key. It panics if the key does not have [PrivateKeySize] bytes. Constant
// time but for sizes.
func Sign(privateKey PrivateKey, message []byte) []byte {
	signature := make([]byte, SignatureSize)
	sign(signature, privateKey, core.Variant{}, message)
	return signature
}

//go:noinline
func sign(signature []byte, privateKey PrivateKey, variant core.Variant, message []byte) {
	if l := len(privateKey); l != PrivateKeySize {
		panic("ed25519: bad private key length: " + strconv.Itoa(l))
	}
	core.Sign(signature, privateKey[:SeedSize], variant, message)
}

// Verify reports whether a signature is valid: cofactored, without keys and R of small order. It panics if the key does
// not have [PublicKeySize] bytes. Time depends on all inputs.
func Verify(publicKey PublicKey, message, sig []byte) bool {
	if l := len(publicKey); l != PublicKeySize {
		panic("ed25519: bad public key length: " + strconv.Itoa(l))
	}
	return core.Verify(core.NoSmall, core.Variant{}, publicKey, message, sig) == core.Valid
}

// VerifyWithOptions verifies as the options say. It panics with an error if the key does not have [PublicKeySize]
// bytes, or the options or the size of a digest cannot be. Time depends on all inputs.
func VerifyWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) bool {
	variant, err := variantOf(opts.Hash, opts.Context, message)
	if err != nil {
		panic(err)
	}
	if l := len(publicKey); l != PublicKeySize {
		panic(errors.New("ed25519: bad public key length: " + strconv.Itoa(l)))
	}
	return core.Verify(opts.rule(), variant, publicKey, message, sig) == core.Valid
}

// NewKeyFromSeed makes the private key of a seed. It panics if the seed does not have [SeedSize] bytes. Constant time.
func NewKeyFromSeed(seed []byte) PrivateKey {
	private := make([]byte, PrivateKeySize)
	core.KeyPair(private, seed)
	return private
}

// GenerateKey makes a key pair of [SeedSize] bytes read from rand, or from [cryptorand.Reader] if it is nil.
func GenerateKey(rand io.Reader) (PublicKey, PrivateKey, error) {
	if rand == nil {
		rand = cryptorand.Reader
	}
	seed := make([]byte, SeedSize)
	if _, err := io.ReadFull(rand, seed); err != nil {
		return nil, nil, err
	}
	private := NewKeyFromSeed(seed)
	return private.Public().(PublicKey), private, nil
}

var errCounts = errors.New("ed25519: argument count mismatch")

// VerifyBatch verifies signature i of message i under key i, and reports whether all are valid and which. Keys,
// signatures and digests of other sizes are not valid; only counts that differ, a context that is too long and an error
// of rand are errors. If rand is not nil, 32 bytes are read from it; what verification needs of randomness is the
// system's in any case. Time depends on all inputs.
func VerifyBatch(rand io.Reader, publicKeys []PublicKey, messages, sigs [][]byte, opts *Options) (bool, []bool, error) {
	if err := contextError(opts.Context); err != nil {
		return false, nil, err
	}
	rows := len(publicKeys)
	if rows != len(messages) || rows != len(sigs) {
		return false, nil, errCounts
	}
	if rand != nil {
		if _, err := io.ReadFull(rand, make([]byte, 32)); err != nil {
			return false, nil, err
		}
	}
	valid := make([]bool, rows)
	variant, err := variantOf(opts.Hash, opts.Context, make([]byte, sha512.Size))
	if err != nil {
		return rows == 0, valid, nil
	}
	row := func(i int) (key, message, sig []byte) { return publicKeys[i], messages[i], sigs[i] }
	verdicts := make([]core.Verdict, rows)
	if err := core.VerifyRows(context.Background(), opts.rule(), variant, rows, row, verdicts); err != nil {
		return false, nil, err
	}
	all := true
	for i, verdict := range verdicts {
		valid[i] = verdict == core.Valid
		all = all && valid[i]
	}
	return all, valid, nil
}
