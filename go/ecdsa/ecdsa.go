// Package ecdsa is ECDSA on P-256 and P-384 by sigmill, over the key types of crypto/ecdsa, one at a time and by the
// batch.
//
// [SignASN1] and [VerifyASN1] have the signatures of the functions in crypto/ecdsa, and their verdicts but for one: an
// empty digest is refused, where the standard library takes it for the number 0, with which anyone can make a signature
// under any key. P-224, P-521 and curves of other packages go to the standard library.
package ecdsa

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/sigmill/sigmill/go/internal/core"
)

// PublicKey is the standard library's.
type PublicKey = ecdsa.PublicKey

// PrivateKey is the standard library's. Its methods Sign and Public are the standard library's too; [Signer] is a
// [crypto.Signer] of ours.
type PrivateKey = ecdsa.PrivateKey

// Encoding is how a signature is written.
type Encoding uint8

// The encodings.
const (
	// ASN1 is strict DER (RFC 3279 section 2.2.3), as in certificates.
	ASN1 Encoding = iota
	// Fixed is r and s, big-endian, each as long as the order of the curve, as in JWS (RFC 7518 section 3.4).
	Fixed
)

// Options say how signatures are written and which are refused. The zero value, and nil, are DER and any s. They are
// [crypto.SignerOpts].
type Options struct {
	// Hash has made the digest. Only [Signer.Sign] without random bytes looks at it.
	Hash crypto.Hash
	// Encoding of the signature.
	Encoding Encoding
	// LowS makes s at most half of the order when signing, and refuses a greater one when verifying. A signature is
	// then the only one that its signer's signature can be changed into without the key.
	LowS bool
}

// HashFunc returns Hash.
func (o *Options) HashFunc() crypto.Hash { return o.Hash }

func (o *Options) policy() core.Policy {
	if o == nil {
		return core.Policy{}
	}
	return core.Policy{Fixed: o.Encoding == Fixed, LowS: o.LowS}
}

// Verdict is [Valid], or the reason for which a signature is refused, which is an error. Of several that apply it is the
// first in the order of the constants.
type Verdict uint8

// The verdicts.
const (
	Valid           = Verdict(core.Valid)
	SignatureLength = Verdict(core.SignatureLength)
	KeyNotAPoint    = Verdict(core.KeyNotAPoint)
	SignatureDER    = Verdict(core.SignatureDER)
	DigestEmpty     = Verdict(core.DigestEmpty)
	ROutOfRange     = Verdict(core.ROutOfRange)
	SOutOfRange     = Verdict(core.SOutOfRange)
	SHigh           = Verdict(core.SHigh)
	Equation        = Verdict(core.Equation)
)

// Valid reports whether the signature is valid.
func (v Verdict) Valid() bool { return v == Valid }

// String is the name, "ok" or that of the reason, such as "s_high".
func (v Verdict) String() string { return core.Verdict(v).Name() }

// Error says the reason in words.
func (v Verdict) Error() string { return "ecdsa: " + core.Verdict(v).Sentence() }

// Err is nil for Valid, and the verdict otherwise.
func (v Verdict) Err() error {
	if v == Valid {
		return nil
	}
	return v
}

// GenerateKey is the standard library's.
func GenerateKey(c elliptic.Curve, rand io.Reader) (*PrivateKey, error) {
	return ecdsa.GenerateKey(c, rand)
}

// VerifyASN1 reports whether sig is a signature of hash in DER. Time depends on all inputs.
func VerifyASN1(pub *PublicKey, hash, sig []byte) bool {
	return verify(pub, core.Policy{}, hash, sig) == core.Valid
}

// VerifyFixed reports whether sig is r and s of a signature of hash. Time depends on all inputs.
func VerifyFixed(pub *PublicKey, hash, sig []byte) bool {
	return verify(pub, core.Policy{Fixed: true}, hash, sig) == core.Valid
}

// VerifyWithOptions returns nil for a valid signature, else a [Verdict]. opts may be nil. Time depends on all inputs.
func VerifyWithOptions(pub *PublicKey, hash, sig []byte, opts *Options) error {
	return Verdict(verify(pub, opts.policy(), hash, sig)).Err()
}

func verify(pub *PublicKey, policy core.Policy, hash, sig []byte) core.Verdict {
	if curve := core.CurveOf(pub.Curve); curve != core.NoCurve {
		return core.VerifyECDSA(curve, policy, pub, hash, sig)
	}
	return core.VerifyByStd(policy, pub, hash, sig)
}

// SignASN1 signs a hash and writes the signature in DER. The nonce is hedged: of the secret, the hash and random bytes of
// the system, whatever rand is, as in the standard library. Constant time but for sizes.
func SignASN1(rand io.Reader, priv *PrivateKey, hash []byte) ([]byte, error) {
	key, err := read(priv)
	if err != nil {
		return nil, err
	}
	defer key.wipe()
	return key.sign(hash, core.Policy{})
}

// SignFixed is [SignASN1] with r and s for DER. Constant time but for sizes.
func SignFixed(rand io.Reader, priv *PrivateKey, hash []byte) ([]byte, error) {
	key, err := read(priv)
	if err != nil {
		return nil, err
	}
	defer key.wipe()
	return key.sign(hash, core.Policy{Fixed: true})
}

// Signer is a private key that has been read once. It is a [crypto.Signer], may be used by several goroutines at once, and
// wiped by one of them. A copy is the same signer: wiping one wipes the other. The zero value signs nothing.
type Signer struct{ key core.Hidden[signerKey] }

type signerKey struct {
	guard core.Guard
	readKey
}

// readKey is a private key that has been read.
type readKey struct {
	private *PrivateKey
	public  PublicKey
	curve   core.Curve
	key     *core.ECDSAKey // nil on curves of the standard library
}

var (
	errNone   = errors.New("ecdsa: the private key is nil, or has no curve or no secret")
	errSecret = errors.New("ecdsa: the private key is not in the range from 1 to n - 1")
	errPair   = errors.New("ecdsa: the public key is not that of the private key")
	errWiped  = errors.New("ecdsa: the signer has been wiped")
	errEmpty  = errors.New("ecdsa: an empty hash cannot be signed")
)

// NewSigner reads a key. The error is that of a key that is nil or lacks its curve or secret, of a secret out of range, or of
// a public key that is not its own. Constant time.
func NewSigner(priv *PrivateKey) (*Signer, error) {
	key, err := read(priv)
	if err != nil {
		return nil, err
	}
	return &Signer{core.Hide(&signerKey{readKey: *key})}, nil
}

func read(priv *PrivateKey) (*readKey, error) {
	if priv == nil || priv.Curve == nil || priv.D == nil {
		return nil, errNone
	}
	k := &readKey{private: priv, public: priv.PublicKey, curve: core.CurveOf(priv.Curve)}
	if k.curve == core.NoCurve {
		return k, nil
	}
	var secret [48]byte
	defer clear(secret[:])
	width := k.curve.Size()
	if priv.D.Sign() <= 0 || priv.D.BitLen() > 8*width {
		return nil, errSecret
	}
	priv.D.FillBytes(secret[:width])
	key, inRange := core.NewECDSAKey(k.curve, secret[:width])
	if !inRange {
		return nil, errSecret
	}
	var public, given [97]byte
	key.Public(public[:])
	if !core.SEC1(given[:1+2*width], &priv.PublicKey) || given != public {
		key.Wipe()
		return nil, errPair
	}
	k.key = key
	return k, nil
}

func (k *readKey) wipe() {
	if k.key != nil {
		k.key.Wipe()
	}
	k.private = nil
}

// Public returns the *[PublicKey].
func (s *Signer) Public() crypto.PublicKey {
	key := s.key.Get()
	if key == nil {
		return new(PublicKey)
	}
	public := key.public
	return &public
}

// enter begins a use. It returns nil where there is nothing to sign with.
func (s *Signer) enter() (*signerKey, *core.Use) {
	if key := s.key.Get(); key != nil {
		return key, key.guard.Enter()
	}
	return nil, nil
}

// Sign implements [crypto.Signer]. opts may be *[Options].
//
// If rand is nil, the signature is that of RFC 6979, as in the standard library: opts is the hash that made the digest.
// With the curve's own, SHA-256 or SHA-384, it is computed by sigmill, with others by the standard library. If rand is not
// nil, it is hedged, as of [SignASN1]. Constant time but for sizes.
func (s *Signer) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	var policy core.Policy
	if options, is := opts.(*Options); is {
		policy = options.policy()
	}
	var hash crypto.Hash
	if rand == nil {
		if opts == nil {
			return nil, errors.New("ecdsa: Sign called with nil opts")
		}
		if hash = opts.HashFunc(); hash.Size() != len(digest) {
			return nil, errors.New("ecdsa: hash length does not match hash function")
		}
	}
	key, use := s.enter()
	if use == nil {
		return nil, errWiped
	}
	defer use.Leave()
	if rand != nil {
		return key.sign(digest, policy)
	}
	// the nonce and the signature are made of the same digest, even if the caller's changes in between
	digest = bytes.Clone(digest)
	if key.key == nil || hash != key.curve.Hash() {
		der, err := key.private.Sign(nil, digest, hash)
		return key.fromStd(der, err, policy)
	}
	var fixed [96]byte
	signature := fixed[:2*key.curve.Size()]
	key.key.Sign(signature, digest, nil)
	return key.encode(signature, policy), nil
}

// sign makes a hedged signature.
func (k *readKey) sign(digest []byte, policy core.Policy) ([]byte, error) {
	digest = bytes.Clone(digest)
	switch {
	case len(digest) == 0:
		return nil, errEmpty
	case k.key == nil:
		der, err := ecdsa.SignASN1(rand.Reader, k.private, digest)
		return k.fromStd(der, err, policy)
	}
	var noise [32]byte
	if _, err := io.ReadFull(rand.Reader, noise[:]); err != nil {
		return nil, err
	}
	defer clear(noise[:])
	var fixed [96]byte
	signature := fixed[:2*k.curve.Size()]
	k.key.Sign(signature, digest, noise[:])
	return k.encode(signature, policy), nil
}

// encode writes r and s as they are wished for.
func (k *readKey) encode(fixed []byte, policy core.Policy) []byte {
	if policy.LowS {
		core.LowerS(fixed, k.public.Params().N)
	}
	if policy.Fixed {
		return append([]byte(nil), fixed...)
	}
	return core.DEROfFixed(fixed)
}

func (k *readKey) fromStd(der []byte, err error, policy core.Policy) ([]byte, error) {
	if err != nil || policy == (core.Policy{}) {
		return der, err
	}
	fixed := make([]byte, 2*((k.public.Params().N.BitLen()+7)/8))
	if !core.FixedOfDER(fixed, der) {
		return nil, errors.New("ecdsa: the curve's package made no signature")
	}
	return k.encode(fixed, policy), nil
}

// Equal reports whether x is a *Signer with the same secret on the same curve; what signs nothing, or has been wiped, equals
// none. Constant time.
func (s *Signer) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*Signer)
	if !ok || s == nil || other == nil {
		return false
	}
	return core.EqualInUse(s.enter, other.enter, func(key, otherKey *signerKey) bool {
		if key.key == nil || otherKey.key == nil { // a curve of the standard library: its public key was not looked at
			return key.private.Equal(otherKey.private)
		}
		// NewSigner has seen that public keys are those of the secrets: they are the same if the secrets are
		return key.public.Equal(&otherKey.public)
	})
}

// Wipe overwrites the key that was read, as far as Go lets it; the private key that it was read of stays as it is. It waits
// for signatures that other goroutines have begun, and the signer signs no more.
func (s *Signer) Wipe() {
	if key := s.key.Get(); key != nil {
		key.guard.Wipe(key.wipe)
	}
}

// String says that it is a secret key, and no more, as do all verbs of fmt.
func (Signer) String() string { return "ecdsa.Signer(secret)" }

// GoString is String.
func (s Signer) GoString() string { return s.String() }

// Format writes String, whatever the verb.
func (s Signer) Format(state fmt.State, _ rune) { io.WriteString(state, s.String()) }

// NotAllValidError says that a row of a batch is not valid.
type NotAllValidError struct {
	// Row is the first that is not, counted from 0; Verdict says why.
	Row     int
	Verdict Verdict
}

// Error names the row and the reason.
func (e *NotAllValidError) Error() string {
	return fmt.Sprintf("ecdsa: row %d: %s", e.Row, core.Verdict(e.Verdict).Sentence())
}

// Unwrap is the verdict.
func (e *NotAllValidError) Unwrap() error { return e.Verdict }

// VerifyBatch verifies row i as [VerifyWithOptions] would verify pubs[i], hashes[i] and sigs[i], with the same verdict,
// faster where rows are many. Keys may be on different curves. The error is nil only if every row is valid: it is a
// [NotAllValidError] if one is not, and names lengths that differ, in which case there are no verdicts. A key that is nil
// is [KeyNotAPoint]. Time depends on all inputs.
func VerifyBatch(pubs []*PublicKey, hashes, sigs [][]byte, opts *Options) ([]Verdict, error) {
	return VerifyBatchContext(context.Background(), pubs, hashes, sigs, opts)
}

// VerifyBatchContext is [VerifyBatch], given up when the context is done: the error is then the context's, and there
// are no verdicts.
func VerifyBatchContext(ctx context.Context, pubs []*PublicKey, hashes, sigs [][]byte, opts *Options) ([]Verdict, error) {
	rows := len(pubs)
	if len(hashes) != rows || len(sigs) != rows {
		return nil, fmt.Errorf("ecdsa: %d public keys, %d hashes and %d signatures", rows, len(hashes), len(sigs))
	}
	of := make([]core.Verdict, rows)
	row := func(i int) (*PublicKey, []byte, []byte) { return pubs[i], hashes[i], sigs[i] }
	if err := core.VerifyECDSARows(ctx, opts.policy(), rows, row, of); err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, rows)
	var err error
	for i, verdict := range of {
		if verdicts[i] = Verdict(verdict); verdict != core.Valid && err == nil {
			err = &NotAllValidError{Row: i, Verdict: Verdict(verdict)}
		}
	}
	return verdicts, err
}

// SignBatch signs hashes[i] with signers[i], or all with signers[0] if there is one, as [Signer.Sign] does without random
// bytes. All signers are of one curve, P-256 or P-384, and hashes are those of its own hash function: SHA-256 or SHA-384.
// The error names what is not so; there are no signatures then. Constant time but for sizes.
func SignBatch(signers []*Signer, hashes [][]byte, opts *Options) ([][]byte, error) {
	if len(signers) != len(hashes) && len(signers) != 1 {
		return nil, fmt.Errorf("ecdsa: %d signers and %d hashes", len(signers), len(hashes))
	}
	if len(hashes) == 0 {
		return nil, nil
	}
	keys, uses := make([]*core.ECDSAKey, len(signers)), make([]*core.Use, 0, len(signers))
	defer func() {
		for _, use := range uses {
			use.Leave()
		}
	}()
	curve := core.NoCurve
	for row, signer := range signers {
		if signer == nil {
			return nil, fmt.Errorf("ecdsa: row %d: no signer", row)
		}
		key, use := signer.enter()
		if use == nil {
			return nil, fmt.Errorf("ecdsa: row %d: the signer has been wiped", row)
		}
		uses = append(uses, use)
		switch {
		case key.key == nil:
			return nil, fmt.Errorf("ecdsa: row %d: the curve is neither P-256 nor P-384", row)
		case row > 0 && key.curve != curve:
			return nil, fmt.Errorf("ecdsa: row %d: another curve than that of row 0", row)
		}
		keys[row], curve = key.key, key.curve
	}
	for row, hash := range hashes {
		if len(hash) != curve.Size() {
			return nil, fmt.Errorf("ecdsa: row %d: a hash of %d bytes, not %d", row, len(hash), curve.Size())
		}
	}
	size := 2 * curve.Size()
	fixed := make([]byte, size*len(hashes))
	if err := core.SignECDSARows(context.Background(), curve, keys, hashes, fixed); err != nil {
		return nil, err
	}
	policy, signatures := opts.policy(), make([][]byte, len(hashes))
	for row := range signatures {
		signatures[row] = signers[0].key.Get().encode(fixed[size*row:size*(row+1)], policy)
	}
	return signatures, nil
}
