// Package ed25519 is github.com/oasisprotocol/curve25519-voi/primitives/ed25519 by sigmill: change the import path to
// github.com/sigmill/sigmill/go/voi, and that of extra/cache to github.com/sigmill/sigmill/go/voi/extra/cache. Every exported
// name is here with its meaning. [VerifyOptions] are one of the rules of docs/rules.md, with the original's verdicts;
// those for which there is no such rule are refused, see [VerifyOptions].
//
// Two things are not copied. A batch has the verdicts that its signatures have alone, also with options that ask for the
// cofactorless equation, and needs no random bytes of the caller's. Signing derives the public key from the seed, where the
// original signs with the public half of a private key as it is: two signatures of one message with two such halves give
// the secret away.
package ed25519

import (
	"bytes"
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

// Presets of VerifyOptions.
var (
	// VerifyOptionsDefault is what Options without Verify have: the rule no_small_key.
	VerifyOptionsDefault = &VerifyOptions{AllowSmallOrderR: true}
	// VerifyOptionsStdLib is the standard library's rule, common.
	VerifyOptionsStdLib = &VerifyOptions{AllowSmallOrderA: true, AllowSmallOrderR: true, AllowNonCanonicalA: true, CofactorlessVerify: true}
	// VerifyOptionsFIPS_186_5 is that of FIPS 186-5, rfc8032.
	VerifyOptionsFIPS_186_5 = &VerifyOptions{AllowSmallOrderA: true, AllowSmallOrderR: true}
	// VerifyOptionsZIP_215 is that of ZIP 215, zip215.
	VerifyOptionsZIP_215 = &VerifyOptions{AllowSmallOrderA: true, AllowSmallOrderR: true, AllowNonCanonicalA: true, AllowNonCanonicalR: true}
)

// VerifyOptions say what a signature may be. These are rules of docs/rules.md and are computed:
//
//	SmallOrderA  SmallOrderR  NonCanonicalA  NonCanonicalR  Cofactorless  rule
//	yes          yes          yes            no             yes           common (StdLib)
//	yes          yes          no             no             yes           rfc8032_exact
//	yes          yes          no             no             no            rfc8032 (FIPS_186_5)
//	yes          yes          yes            yes            no            zip215 (ZIP_215)
//	no           yes          any            no             no            no_small_key (Default)
//	no           no           any            any            no            no_small
//	no           no           any            no             yes           strict
//
// If points of small order are refused, nobody can make a signature that shows whether other encodings have to be
// canonical, so that any of both is the same rule. AllowNonCanonicalR with CofactorlessVerify is refused by the original as
// well. All others have no rule here: whatever verifies with such options panics, and [PrivateKey.Sign] returns the error if it
// is to verify.
type VerifyOptions struct {
	// AllowSmallOrderA allows public keys of order 1, 2, 4 and 8.
	AllowSmallOrderA bool
	// AllowSmallOrderR allows R of order 1, 2, 4 and 8.
	AllowSmallOrderR bool
	// AllowNonCanonicalA allows public keys in encodings that are not canonical.
	AllowNonCanonicalA bool
	// AllowNonCanonicalR allows R in such an encoding; not with CofactorlessVerify.
	AllowNonCanonicalR bool
	// CofactorlessVerify asks for the exact equation.
	CofactorlessVerify bool
}

var (
	errIncompatible = errors.New("ed25519: incompatible verification options")
	errHash         = errors.New("ed25519: expected opts HashFunc zero (unhashed message, for Ed25519/Ed25519ctx) or SHA-512 (for Ed25519ph)")
)

// noRuleError says that options are no rule of this module's.
type noRuleError struct{ options VerifyOptions }

func (e noRuleError) Error() string {
	return fmt.Sprintf("ed25519: no rule of sigmill has the verdicts of %+v", e.options)
}

// rules are those that options can ask for, where points of small order are refused without what cannot be seen then.
var rules = map[VerifyOptions]core.Rule{
	{AllowSmallOrderA: true, AllowSmallOrderR: true, AllowNonCanonicalA: true, CofactorlessVerify: true}: core.Common,
	{AllowSmallOrderA: true, AllowSmallOrderR: true, CofactorlessVerify: true}:                           core.RFC8032Exact,
	{AllowSmallOrderA: true, AllowSmallOrderR: true}:                                                     core.RFC8032,
	{AllowSmallOrderA: true, AllowSmallOrderR: true, AllowNonCanonicalA: true, AllowNonCanonicalR: true}: core.ZIP215,
	{AllowSmallOrderR: true}:   core.NoSmallKey,
	{}:                         core.NoSmall,
	{CofactorlessVerify: true}: core.Strict,
}

// rule is the rule of options; nil are the default.
func (o *VerifyOptions) rule() (core.Rule, error) {
	if o == nil {
		o = VerifyOptionsDefault
	}
	asked := *o
	if asked.AllowNonCanonicalR && asked.CofactorlessVerify {
		return 0, errIncompatible
	}
	if !asked.AllowSmallOrderA {
		asked.AllowNonCanonicalA = false
		asked.AllowNonCanonicalR = asked.AllowNonCanonicalR && asked.AllowSmallOrderR
	}
	rule, known := rules[asked]
	if !known {
		return 0, noRuleError{*o}
	}
	return rule, nil
}

// Options choose a variant of Ed25519, how to sign and the rule of verification.
type Options struct {
	// Hash is crypto.Hash(0), or crypto.SHA512 for Ed25519ph, of which the digest is given.
	Hash crypto.Hash
	// Context, if not empty, is that of Ed25519ctx or Ed25519ph: at most ContextMaxSize bytes.
	Context string
	// AddedRandomness has random bytes in the nonce of a signature, which is then another one each time.
	AddedRandomness bool
	// SelfVerify has a signature verified, under the public half of the private key, before it is given out.
	SelfVerify bool
	// Verify is the rule; nil means VerifyOptionsDefault.
	Verify *VerifyOptions
}

// HashFunc returns Hash.
func (opt *Options) HashFunc() crypto.Hash { return opt.Hash }

var optionsDefault = &Options{}

// variantOf is a variant, or the error of what cannot be one.
func variantOf(hash crypto.Hash, context string, message []byte) (core.Variant, error) {
	if l := len(context); l > ContextMaxSize {
		return core.Variant{}, errors.New("ed25519: bad context length: " + strconv.Itoa(l))
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

// meant is the rule and the variant that options ask for; the error is that of the original, of several the same one.
func (opt *Options) meant(message []byte) (core.Rule, core.Variant, error) {
	rule, err := opt.Verify.rule()
	if err != nil {
		return 0, core.Variant{}, err
	}
	variant, err := variantOf(opt.Hash, opt.Context, message)
	return rule, variant, err
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

var _ crypto.Signer = PrivateKey(nil)

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

// Sign signs a message, or the digest of one for Ed25519ph, with the seed half of the key. Of rand it reads 32 bytes if opts
// ask for AddedRandomness, of the system's if rand is nil. The error is that of opts, of the key's length, of rand, or of a
// signature that does not verify where opts ask for SelfVerify. It panics if opts is nil. Constant time but for sizes.
func (priv PrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) (signature []byte, err error) {
	options, ok := opts.(*Options)
	if !ok {
		options = &Options{Hash: opts.HashFunc()}
	}
	if _, err := options.Verify.rule(); err != nil && (options.SelfVerify || err == errIncompatible) {
		return nil, err
	}
	variant, err := variantOf(options.Hash, options.Context, message)
	if err != nil {
		return nil, err
	}
	if l := len(priv); l != PrivateKeySize {
		return nil, errors.New("ed25519: bad private key length: " + strconv.Itoa(l))
	}
	signature = make([]byte, SignatureSize)
	if options.SelfVerify {
		message = bytes.Clone(message) // what is verified is what was signed
	}
	if options.AddedRandomness {
		if err := signHedged(signature, rand, priv[:SeedSize], variant, message); err != nil {
			return nil, err
		}
	} else {
		core.Sign(signature, priv[:SeedSize], variant, message)
	}
	if options.SelfVerify && !VerifyWithOptions(PublicKey(priv[SeedSize:]), message, signature, options) {
		return nil, errors.New("ed25519: failed to self-verify signature")
	}
	return signature, nil
}

// signHedged has random bytes before the prefix of the nonce's hash, and zeros behind it up to 1024 bytes with dom2, as the
// original does.
func signHedged(signature []byte, rand io.Reader, seed []byte, variant core.Variant, message []byte) error {
	if rand == nil {
		rand = cryptorand.Reader
	}
	noise := make([]byte, 32)
	defer clear(noise)
	if _, err := io.ReadFull(rand, noise); err != nil {
		return fmt.Errorf("ed25519: failed to read Z: %w", err)
	}
	zeros := make([]byte, 1024-len(core.Dom2(variant))-len(noise)-32)
	core.SignInGo(signature, seed, variant, noise, zeros, message)
	return nil
}

// Sign signs a message with the seed half of a key. It panics if the key does not have [PrivateKeySize] bytes. Constant
// time but for sizes.
func Sign(privateKey PrivateKey, message []byte) []byte {
	signature := make([]byte, SignatureSize)
	sign(signature, privateKey, message)
	return signature
}

//go:noinline
func sign(signature []byte, privateKey PrivateKey, message []byte) {
	if l := len(privateKey); l != PrivateKeySize {
		panic(errors.New("ed25519: bad private key length: " + strconv.Itoa(l)))
	}
	core.Sign(signature, privateKey[:SeedSize], core.Variant{}, message)
}

// Verify reports whether a signature is valid under [VerifyOptionsDefault]. It panics if the key does not have
// [PublicKeySize] bytes. Time depends on all inputs.
func Verify(publicKey PublicKey, message, sig []byte) bool {
	return VerifyWithOptions(publicKey, message, sig, optionsDefault)
}

// VerifyWithOptions verifies as the options say. It panics if the key does not have [PublicKeySize] bytes, or the options or
// the size of a digest cannot be. Time depends on all inputs.
func VerifyWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) bool {
	if l := len(publicKey); l != PublicKeySize {
		panic("ed25519: bad public key length: " + strconv.Itoa(l))
	}
	rule, variant, err := opts.meant(message)
	if err != nil {
		panic(err)
	}
	return core.Verify(rule, variant, publicKey, message, sig) == core.Valid
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
