//go:build purego || !((linux && (amd64 || (arm64 && cgo && !sigmill_nocgo))) || (sigmill_untested && ((amd64 && (darwin || windows)) || (arm64 && darwin && cgo && !sigmill_nocgo))))

package core

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"crypto/subtle"
	"runtime"
	"slices"

	"filippo.io/edwards25519"
)

// Implementation is what computes.
const Implementation = "pure Go"

// PublicKey writes the 32 bytes of a seed's public key. Constant time.
func PublicKey(out, seed []byte) {
	copy(out, ed25519.NewKeyFromSeed(seed)[ed25519.SeedSize:])
}

// Sign writes the 64 bytes of a signature. The public key is derived from the seed. Constant time but for sizes.
func Sign(out, seed []byte, variant Variant, message []byte) {
	key := ed25519.NewKeyFromSeed(seed)
	signByStd(out, key, variant, message)
	clear(key)
}

// Expanded is a secret key with what signing needs of it.
type Expanded struct {
	key ed25519.PrivateKey
}

// Expand makes one of a seed.
func Expand(seed []byte) *Expanded { return &Expanded{key: ed25519.NewKeyFromSeed(seed)} }

// Public writes the public key.
func (e *Expanded) Public(out []byte) { copy(out, e.key[ed25519.SeedSize:]) }

// Equal reports whether both are of one seed. Constant time.
func (e *Expanded) Equal(other *Expanded) bool {
	return subtle.ConstantTimeCompare(e.key, other.key) == 1
}

// Sign writes a signature. Constant time but for sizes.
func (e *Expanded) Sign(out []byte, variant Variant, message []byte) {
	signByStd(out, e.key, variant, message)
}

// Wipe overwrites the key; it signs no more.
func (e *Expanded) Wipe() {
	clear(e.key)
	runtime.KeepAlive(e.key)
}

// point is an encoding and what decoding it says.
type point struct {
	edwards25519.Point
	decodes, canonical bool
}

func (p *point) decode(encoding []byte) {
	_, err := p.SetBytes(encoding)
	p.decodes = err == nil
	p.canonical = p.decodes && bytes.Equal(p.Bytes(), encoding)
}

var identity = edwards25519.NewIdentityPoint()

// small reports whether the order is 1, 2, 4 or 8.
func small(p *edwards25519.Point) bool {
	return new(edwards25519.Point).MultByCofactor(p).Equal(identity) == 1
}

// Prepared is a public key whose bytes decode.
type Prepared struct {
	bytes [32]byte
	a     point
	small bool
}

// Prepare decodes a public key of 32 bytes.
func Prepare(key []byte) (*Prepared, bool) {
	p := new(Prepared)
	copy(p.bytes[:], key)
	p.a.decode(key)
	p.small = p.a.decodes && small(&p.a.Point)
	return p, p.a.decodes
}

// refusal is the verdict of a rule on a key alone.
func (p *Prepared) refusal(rule *Asks) Verdict {
	switch {
	case !p.a.decodes:
		return KeyNotAPoint
	case rule.ACanonical && !p.a.canonical:
		return KeyNotCanonical
	case rule.ALarge && p.small:
		return KeySmallOrder
	}
	return Valid
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func Verify(rule Rule, variant Variant, key, message, signature []byte) Verdict {
	if refused := lengths(variant, key, message, signature); refused != Valid {
		return refused
	}
	// the standard library's rule is `common`; only a refusal needs its reason
	if rule == Common && verifiesInStd(variant, key, message, signature) {
		return Valid
	}
	prepared, _ := Prepare(key)
	return prepared.verify(rule.Asks(), variant, message, signature)
}

func verifiesInStd(variant Variant, key, message, signature []byte) bool {
	if variant.Kind == Pure {
		return ed25519.Verify(key, message, signature)
	}
	options := &ed25519.Options{Context: variant.Context}
	if variant.Kind == Digest {
		options.Hash = crypto.SHA512
	} else if variant.Context == "" {
		return false // the standard library has no Ed25519ctx without a context
	}
	return ed25519.VerifyWithOptions(key, message, signature, options) == nil
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func (p *Prepared) Verify(rule Rule, variant Variant, message, signature []byte) Verdict {
	if refused := lengths(variant, p.bytes[:], message, signature); refused != Valid {
		return refused
	}
	return p.verify(rule.Asks(), variant, message, signature)
}

// equation is what is left to be seen of a signature after everything that is asked of its parts.
type equation struct {
	k, s edwards25519.Scalar
	r    point
}

// parts looks at R and S, and hashes.
func (e *equation) parts(rule *Asks, p *Prepared, variant Variant, message, signature []byte) Verdict {
	if refused := p.refusal(rule); refused != Valid {
		return refused
	}
	e.r.decode(signature[:32])
	_, err := e.s.SetCanonicalBytes(signature[32:])
	inRange := err == nil
	if !inRange && rule.TopBits && signature[63]>>5 == 0 {
		var wide [64]byte
		copy(wide[:], signature[32:])
		mustScalar(e.s.SetUniformBytes(wide[:]))
		inRange = true
	}
	switch {
	case !e.r.decodes:
		return RNotAPoint
	case rule.RCanonical && !e.r.canonical:
		return RNotCanonical
	case rule.RLarge && small(&e.r.Point):
		return RSmallOrder
	case !inRange:
		return SOutOfRange
	}
	mustScalar(e.k.SetUniformBytes(challenge(variant, signature[:32], p.bytes[:], message)))
	return Valid
}

// holds computes [S]B − [k]A − R.
func (e *equation) holds(rule *Asks, p *Prepared) bool {
	minusA := new(edwards25519.Point).Negate(&p.a.Point)
	sum := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(&e.k, minusA, &e.s)
	sum.Subtract(sum, &e.r.Point)
	if rule.Cofactored {
		return small(sum)
	}
	// R is canonical here: equal points are equal encodings
	return sum.Equal(identity) == 1
}

func (p *Prepared) verify(rule *Asks, variant Variant, message, signature []byte) Verdict {
	var e equation
	if refused := e.parts(rule, p, variant, message, signature); refused != Valid {
		return refused
	}
	if e.holds(rule, p) {
		return Valid
	}
	return Equation
}

// challenge is SHA-512(dom ‖ R ‖ A ‖ M), RFC 8032 section 5.1.7.
func challenge(variant Variant, r, a, message []byte) []byte {
	return hashOf(make([]byte, 0, sha512.Size), Dom2(variant), r, a, message)
}

// piecesOf says how many rows one equation combines; one that does not hold costs each of them a verification.
func piecesOf(rule Rule) pieces {
	if rule.Asks().Cofactored {
		return pieces{large: 256, small: 32}
	}
	return pieces{large: 16, small: 16}
}

// VerifyPiece writes the verdicts of rows first to first+len(verdicts) under a known rule, and reports whether all are
// valid. It makes no pause: the scheduler interrupts it. Time depends on all inputs.
//
// Rules with the cofactored equation combine rows: with random z of 128 bits, Σ z·([S]B − [k]A − R), multiplied by 8,
// is the identity if every row's equation holds, and with a probability of 2^-128 otherwise. The exact equation is
// lost in such a sum, which may cancel torsion: each row has its own.
func VerifyPiece(rule Rule, variant Variant, table *Table, first int, verdicts []Verdict, _ *Rate, _ func() bool) bool {
	if rule.Asks().Cofactored && len(verdicts) >= 4 {
		combine(rule.Asks(), variant, table, first, verdicts)
	} else {
		for i := range verdicts {
			key, message, signature := table.Row(first + i)
			verdicts[i] = Verify(rule, variant, key, message, signature)
		}
	}
	return !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Valid })
}

// LimitCPU does nothing here.
func LimitCPU(uint32) {}

func combine(rule *Asks, variant Variant, table *Table, first int, verdicts []Verdict) {
	rows := len(verdicts)
	keys, equations := make([]*Prepared, rows), make([]equation, rows)
	noise := make([]byte, 16*rows)
	rand.Read(noise)
	sum := new(edwards25519.Scalar)
	scalars := make([]*edwards25519.Scalar, 0, 2*rows+1)
	points := make([]*edwards25519.Point, 0, 2*rows+1)
	for i := range equations {
		key, message, signature := table.Row(first + i)
		verdict := lengths(variant, key, message, signature)
		if verdict == Valid {
			keys[i], _ = Prepare(key)
			verdict = equations[i].parts(rule, keys[i], variant, message, signature)
		}
		verdicts[i] = verdict
		if verdict != Valid {
			keys[i] = nil
			continue
		}
		var wide [32]byte
		copy(wide[:], noise[16*i:16*i+16])
		z := new(edwards25519.Scalar)
		mustScalar(z.SetCanonicalBytes(wide[:]))
		e := &equations[i]
		sum.MultiplyAdd(z, &e.s, sum)
		scalars = append(scalars, z, new(edwards25519.Scalar).Multiply(z, &e.k))
		points = append(points, &e.r.Point, &keys[i].a.Point)
	}
	scalars = append(scalars, sum.Negate(sum))
	points = append(points, edwards25519.NewGeneratorPoint())
	if small(new(edwards25519.Point).VarTimeMultiScalarMult(scalars, points)) {
		return
	}
	for i := range equations {
		if keys[i] != nil && !equations[i].holds(rule, keys[i]) {
			verdicts[i] = Equation
		}
	}
}

// mustKey takes what fails only for a length that it cannot have.
func mustKey[T any](key T, err error) T {
	if err != nil {
		panic(err)
	}
	return key
}

func publicKeysPiece(out, seeds []byte) {
	for i := 0; i < len(seeds); i += 32 {
		PublicKey(out[i:i+32], seeds[i:i+32])
	}
}

func signPiece(one *Expanded, seeds, messages [][]byte, out []byte) {
	for i, message := range messages {
		if one != nil {
			one.Sign(out[64*i:], Variant{}, message)
		} else {
			Sign(out[64*i:], seeds[i], Variant{}, message)
		}
	}
}

// signPieces are how many rows one piece has.
func signPieces() pieces { return pieces{16, 16} }

// X25519Public writes the public key of a secret of 32 bytes. Constant time.
func X25519Public(out, secret []byte) {
	copy(out, mustKey(ecdh.X25519().NewPrivateKey(secret)).PublicKey().Bytes())
}

// X25519 writes the shared secret, and reports whether it is not zero; if it is, out stays as it was. Constant time.
func X25519(out, secret, public []byte) bool {
	key := mustKey(ecdh.X25519().NewPrivateKey(secret))
	shared, err := key.ECDH(mustKey(ecdh.X25519().NewPublicKey(public)))
	if err != nil {
		return false
	}
	copy(out, shared)
	return true
}

// X25519PublicOf writes the X25519 public key that belongs to an Ed25519 one, and reports whether that decodes.
func X25519PublicOf(out, key []byte) bool {
	point, err := new(edwards25519.Point).SetBytes(key)
	if err != nil {
		return false
	}
	copy(out, point.BytesMontgomery())
	return true
}

// HasIFMA reports whether AVX-512 IFMA is used.
func HasIFMA() bool { return false }
