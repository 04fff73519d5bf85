package ed25519

import (
	"crypto"
	"errors"
	"fmt"

	"github.com/sigmill/sigmill/go/internal/core"
)

// Rule is a verification rule. It decides which signatures are valid where Ed25519 libraries differ: torsion,
// encodings that are not canonical, points of small order, S past the order of the group. A rule never changes its
// verdicts; the zero value is none.
type Rule uint8

// The rules.
const (
	// RuleCommon is what most deployed libraries have, crypto/ed25519 among them: the exact equation on bytes,
	// canonical R, S below the order.
	RuleCommon = Rule(core.Common)
	// RuleRFC8032Exact is RFC 8032 with the exact equation: canonical keys too.
	RuleRFC8032Exact = Rule(core.RFC8032Exact)
	// RuleRFC8032 is RFC 8032 with the cofactored equation, that of its verification step 3.
	RuleRFC8032 = Rule(core.RFC8032)
	// RuleZIP215 is that of ZIP 215, for consensus: every encoding that decodes, the cofactored equation.
	RuleZIP215 = Rule(core.ZIP215)
	// RuleStrict is RuleCommon without keys and R of small order.
	RuleStrict = Rule(core.Strict)
	// RuleNoSmallKey is the cofactored equation without keys of small order; curve25519-voi's default.
	RuleNoSmallKey = Rule(core.NoSmallKey)
	// RuleNoSmall is the cofactored equation without keys and R of small order; oasisprotocol/ed25519's default.
	RuleNoSmall = Rule(core.NoSmall)
	// RuleLegacy is RuleCommon with S below 2^253, for old data: its signatures are malleable.
	RuleLegacy = Rule(core.Legacy)
)

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{RuleCommon, RuleRFC8032Exact, RuleRFC8032, RuleZIP215, RuleStrict, RuleNoSmallKey, RuleNoSmall, RuleLegacy}
}

// ParseRule returns the rule with this name, such as "zip215".
func ParseRule(name string) (Rule, error) {
	for _, rule := range Rules() {
		if rule.String() == name {
			return rule, nil
		}
	}
	return 0, fmt.Errorf("ed25519: no rule is called %q", name)
}

// String is the rule's name.
func (r Rule) String() string {
	if !core.Rule(r).Known() {
		return fmt.Sprintf("rule %d", uint8(r))
	}
	return core.Rule(r).Asks().Name
}

// known panics for a number that is no rule: it is the program's mistake, not an input's.
func (r Rule) known() core.Rule {
	if !core.Rule(r).Known() {
		panic("ed25519: no verification rule: " + r.String())
	}
	return core.Rule(r)
}

// Verdict is what a rule says of a signature: Valid, or the reason for which it refuses it. A reason is an error. Of
// several that apply it is the first in the order of the constants from KeyLength to Equation, DigestLength after
// SignatureLength.
type Verdict uint8

// The verdicts.
const (
	Valid           = Verdict(core.Valid)
	KeyLength       = Verdict(core.KeyLength)
	SignatureLength = Verdict(core.SignatureLength)
	KeyNotAPoint    = Verdict(core.KeyNotAPoint)
	KeyNotCanonical = Verdict(core.KeyNotCanonical)
	KeySmallOrder   = Verdict(core.KeySmallOrder)
	RNotAPoint      = Verdict(core.RNotAPoint)
	RNotCanonical   = Verdict(core.RNotCanonical)
	RSmallOrder     = Verdict(core.RSmallOrder)
	SOutOfRange     = Verdict(core.SOutOfRange)
	Equation        = Verdict(core.Equation)
	DigestLength    = Verdict(core.DigestLength)
)

// Valid reports whether the signature is valid.
func (v Verdict) Valid() bool { return v == Valid }

// String is the name, "ok" or that of the reason, such as "key_small_order".
func (v Verdict) String() string { return core.Verdict(v).Name() }

// Error says the reason in words.
func (v Verdict) Error() string { return "ed25519: " + core.Verdict(v).Sentence() }

// Err is nil for Valid, and the verdict otherwise.
func (v Verdict) Err() error {
	if v == Valid {
		return nil
	}
	return v
}

var errNotMade = errors.New("ed25519: a key that was not made by its function")

// VerifyWithRule verifies under a rule and returns nil for a valid signature, else a [Verdict], or an error that is
// none if opts cannot be. opts is [*Options], [*ContextOptions], crypto.Hash(0), [crypto.SHA512], for which message is a digest,
// or nil. It panics only if there is no such rule: a key or signature of another size is refused. Time depends on all
// inputs.
func VerifyWithRule(rule Rule, publicKey PublicKey, message, sig []byte, opts crypto.SignerOpts) error {
	number := rule.known()
	variant, err := variantOfAny(opts)
	if err != nil {
		return err
	}
	return Verdict(core.Verify(number, variant, publicKey, message, sig)).Err()
}

// PreparedKey is a public key that has been decoded and, where that helps, has tables of its multiples. It may be used
// by several goroutines at once. The zero value is no key, and verifies nothing.
type PreparedKey struct {
	bytes    [PublicKeySize]byte
	prepared *core.Prepared
}

// NewPreparedKey prepares a key. The error is the [Verdict] KeyLength or KeyNotAPoint.
func NewPreparedKey(publicKey PublicKey) (*PreparedKey, error) {
	if len(publicKey) != PublicKeySize {
		return nil, KeyLength
	}
	prepared, decodes := core.Prepare(publicKey)
	if !decodes {
		return nil, KeyNotAPoint
	}
	return &PreparedKey{bytes: [PublicKeySize]byte(publicKey), prepared: prepared}, nil
}

// PublicKey returns a copy of the key's bytes, as they came.
func (k *PreparedKey) PublicKey() PublicKey { return append(PublicKey(nil), k.bytes[:]...) }

// Verify is [VerifyWithRule] with this key, and has the same verdicts.
func (k *PreparedKey) Verify(rule Rule, message, sig []byte, opts crypto.SignerOpts) error {
	number := rule.known()
	variant, err := variantOfAny(opts)
	if err != nil {
		return err
	}
	if k == nil || k.prepared == nil {
		return errNotMade
	}
	return Verdict(k.prepared.Verify(number, variant, message, sig)).Err()
}
