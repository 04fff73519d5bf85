// Package core computes what the packages of this module offer: keys, signatures and verdicts, from bytes to bytes.
//
// [Implementation] says with what. Whichever it is, verdicts and reasons are the same: those of docs/rules.md in
// sigmill's repository, and its frozen vectors are the test.
package core

import "fmt"

// Rule is a verification rule, by its number in vectors/rules.csv.
type Rule uint8

// The eight rules.
const (
	Common Rule = 1 + iota
	RFC8032Exact
	RFC8032
	ZIP215
	Strict
	NoSmallKey
	NoSmall
	Legacy
)

// Asks is what a rule asks of a signature.
type Asks struct {
	Name string
	// TopBits: S below 2^253 is enough; else it must be below the order of B.
	TopBits bool
	// ACanonical and RCanonical: the encodings must be canonical.
	ACanonical, RCanonical bool
	// ALarge and RLarge: points of order 1, 2, 4 and 8 are refused.
	ALarge, RLarge bool
	// Cofactored: the equation may be off by a point of order 1, 2, 4 or 8; else the encodings must agree.
	Cofactored bool
}

var asks = [...]Asks{
	Common:       {Name: "common", RCanonical: true},
	RFC8032Exact: {Name: "rfc8032_exact", ACanonical: true, RCanonical: true},
	RFC8032:      {Name: "rfc8032", ACanonical: true, RCanonical: true, Cofactored: true},
	ZIP215:       {Name: "zip215", Cofactored: true},
	Strict:       {Name: "strict", RCanonical: true, ALarge: true, RLarge: true},
	NoSmallKey:   {Name: "no_small_key", ACanonical: true, RCanonical: true, ALarge: true, Cofactored: true},
	NoSmall:      {Name: "no_small", RCanonical: true, ALarge: true, RLarge: true, Cofactored: true},
	Legacy:       {Name: "legacy", TopBits: true, RCanonical: true},
}

// Known reports whether there is such a rule.
func (r Rule) Known() bool { return r >= Common && int(r) < len(asks) }

// Asks returns what a known rule asks.
func (r Rule) Asks() *Asks { return &asks[r] }

// Verdict is 0 for a valid signature, or the number of the reason for which it is refused. Of several reasons the first
// in this order counts, for Ed25519: KeyLength, SignatureLength, DigestLength, KeyNotAPoint, KeyNotCanonical,
// KeySmallOrder, RNotAPoint, RNotCanonical, RSmallOrder, SOutOfRange, Equation; for ECDSA: SignatureLength, KeyNotAPoint,
// SignatureDER, DigestEmpty, ROutOfRange, SOutOfRange, SHigh, Equation.
type Verdict uint8

// The verdicts, by the numbers of the library.
const (
	Valid           Verdict = 0
	KeyLength       Verdict = 1
	SignatureLength Verdict = 2
	KeyNotAPoint    Verdict = 3
	KeyNotCanonical Verdict = 4
	KeySmallOrder   Verdict = 5
	RNotAPoint      Verdict = 6
	RNotCanonical   Verdict = 7
	RSmallOrder     Verdict = 8
	SOutOfRange     Verdict = 9
	Equation        Verdict = 10
	ROutOfRange     Verdict = 11
	SHigh           Verdict = 12
	DigestEmpty     Verdict = 13
	SignatureDER    Verdict = 14
	DigestLength    Verdict = 15
)

var reasons = map[Verdict][2]string{
	Valid:           {"ok", "the signature is valid"},
	KeyLength:       {"key_length", "the public key has another number of bytes than the algorithm's"},
	SignatureLength: {"signature_length", "the signature has another number of bytes than the algorithm's"},
	KeyNotAPoint:    {"key_not_a_point", "the public key is not a point on the curve"},
	KeyNotCanonical: {"key_not_canonical", "the encoding of the public key is not canonical"},
	KeySmallOrder:   {"key_small_order", "the public key has small order"},
	RNotAPoint:      {"r_not_a_point", "R is not a point on the curve"},
	RNotCanonical:   {"r_not_canonical", "the encoding of R is not canonical"},
	RSmallOrder:     {"r_small_order", "R has small order"},
	SOutOfRange:     {"s_out_of_range", "S is out of range"},
	Equation:        {"equation", "the signature is not one of this message under this key"},
	ROutOfRange:     {"r_out_of_range", "r is out of range"},
	SHigh:           {"s_high", "s is in the upper half of its range"},
	DigestEmpty:     {"digest_empty", "the digest is empty"},
	SignatureDER:    {"signature_der", "the signature is not the strict DER of two integers"},
	DigestLength:    {"digest_length", "the digest of Ed25519ph does not have 64 bytes"},
}

// Name is that of the frozen vectors: "ok", or the reason's.
func (v Verdict) Name() string {
	if text, ok := reasons[v]; ok {
		return text[0]
	}
	return fmt.Sprintf("verdict %d", uint8(v))
}

// Sentence says the verdict in words.
func (v Verdict) Sentence() string {
	if text, ok := reasons[v]; ok {
		return text[1]
	}
	return v.Name()
}

// Kind is one of the forms of Ed25519 (RFC 8032 section 5.1).
type Kind uint8

// The kinds, by the numbers of sigmill.h. Of Ed25519ph it is the digest that is given.
const (
	Pure   Kind = 0
	Ctx    Kind = 1
	Digest Kind = 3
)

// Variant is a kind with its context, which has at most 255 bytes; the pure kind has none, and what is signed as Ctx
// has at least one byte of it.
type Variant struct {
	Kind    Kind
	Context string
}

// Table is rows of public keys (32 bytes each), signatures (64 bytes each) and messages: message i is
// Messages[Offsets[i]:Offsets[i+1]].
type Table struct {
	Keys, Signatures, Messages []byte
	Offsets                    []int64
}

// Rows is how many there are.
func (t *Table) Rows() int { return len(t.Keys) / 32 }

// Row returns the parts of row i.
func (t *Table) Row(i int) (key, message, signature []byte) {
	return t.Keys[32*i : 32*i+32], t.Messages[t.Offsets[i]:t.Offsets[i+1]], t.Signatures[64*i : 64*i+64]
}
