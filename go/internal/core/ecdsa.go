package core

import (
	"context"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"math/big"
)

// Curve is one that this module has its own code for, by its number in sigmill.h.
type Curve uint8

// The curves.
const (
	NoCurve Curve = 0
	P256    Curve = 2
	P384    Curve = 3
)

// CurveOf is the number of a curve, or NoCurve.
func CurveOf(curve elliptic.Curve) Curve {
	switch curve.Params() {
	case elliptic.P256().Params():
		return P256
	case elliptic.P384().Params():
		return P384
	}
	return NoCurve
}

// Size is that of a scalar and of a coordinate in bytes.
func (c Curve) Size() int { return 16 * int(c) }

// Hash is the curve's own.
func (c Curve) Hash() crypto.Hash {
	if c == P256 {
		return crypto.SHA256
	}
	return crypto.SHA384
}

func (c Curve) ecdh() ecdh.Curve {
	if c == P256 {
		return ecdh.P256()
	}
	return ecdh.P384()
}

// Policy is how signatures are given, and which are refused.
type Policy struct {
	// Fixed: r and s, big-endian, each as long as the order; else strict DER.
	Fixed bool
	// LowS: s above half of the order is refused.
	LowS bool
}

// SEC1 writes the uncompressed bytes of a public key, which has 1 + 2·Size of them. It reports false where a coordinate
// has no bytes; whether they are a point is not looked at.
func SEC1(out []byte, key *ecdsa.PublicKey) bool {
	if key == nil || key.X == nil || key.Y == nil || key.X.Sign() < 0 || key.Y.Sign() < 0 {
		return false
	}
	width := len(out) / 2
	if key.X.BitLen() > 8*width || key.Y.BitLen() > 8*width {
		return false
	}
	out[0] = 4
	key.X.FillBytes(out[1 : 1+width])
	key.Y.FillBytes(out[1+width:])
	return true
}

// hasWrongLength reports whether a signature is not r and s, one after the other, of an order of this width. It comes
// before whether the key is a point.
func (p Policy) hasWrongLength(width int, signature []byte) bool {
	return p.Fixed && len(signature) != 2*width
}

// VerifyByStd gives the verdict by the standard library, on any of its curves. Of a key on another curve than P-256 and
// P-384 it is not said that it is not a point: the equation does not hold then. Time depends on all inputs.
func VerifyByStd(policy Policy, key *ecdsa.PublicKey, digest, signature []byte) Verdict {
	order := key.Curve.Params().N
	width := (order.BitLen() + 7) / 8
	if policy.hasWrongLength(width, signature) {
		return SignatureLength
	}
	if curve := CurveOf(key.Curve); curve != NoCurve {
		var bytes [97]byte
		point := bytes[:1+2*curve.Size()]
		if !SEC1(point, key) {
			return KeyNotAPoint
		}
		if _, err := curve.ecdh().NewPublicKey(point); err != nil {
			return KeyNotAPoint
		}
	}
	if !policy.Fixed {
		fixed := make([]byte, 2*width)
		if !FixedOfDER(fixed, signature) {
			return SignatureDER
		}
		signature = fixed
	}
	r, s := new(big.Int).SetBytes(signature[:width]), new(big.Int).SetBytes(signature[width:])
	switch {
	case len(digest) == 0:
		return DigestEmpty
	case r.Sign() == 0 || r.Cmp(order) >= 0:
		return ROutOfRange
	case s.Sign() == 0 || s.Cmp(order) >= 0:
		return SOutOfRange
	case policy.LowS && new(big.Int).Lsh(s, 1).Cmp(order) > 0:
		return SHigh
	case !ecdsa.Verify(key, digest, r, s):
		return Equation
	}
	return Valid
}

// element splits what begins with a tag and a length below 256 in DER.
func element(tag byte, der []byte) (content, rest []byte, ok bool) {
	if len(der) < 2 || der[0] != tag {
		return nil, nil, false
	}
	length, der := int(der[1]), der[2:]
	if length == 0x81 {
		if len(der) == 0 || der[0] < 0x80 {
			return nil, nil, false
		}
		length, der = int(der[0]), der[1:]
	} else if length >= 0x80 {
		return nil, nil, false
	}
	if length > len(der) {
		return nil, nil, false
	}
	return der[:length], der[length:], true
}

// integer splits one that is not negative, in its shortest form, and writes it big-endian.
func integer(out, der []byte) (rest []byte, ok bool) {
	content, rest, ok := element(2, der)
	if !ok || len(content) == 0 || content[0] >= 0x80 {
		return nil, false
	}
	if len(content) > 1 && content[0] == 0 {
		if content = content[1:]; content[0] < 0x80 {
			return nil, false
		}
	}
	if len(content) > len(out) {
		return nil, false
	}
	clear(out)
	copy(out[len(out)-len(content):], content)
	return rest, true
}

// FixedOfDER writes r and s of a signature in strict DER (RFC 3279 section 2.2.3), each in half of the bytes. It reports
// whether the signature is one, and its integers fit; whether they are in range is not looked at.
func FixedOfDER(out, signature []byte) bool {
	half := len(out) / 2
	content, rest, ok := element(0x30, signature)
	if !ok || len(rest) != 0 {
		return false
	}
	if content, ok = integer(out[:half], content); !ok {
		return false
	}
	content, ok = integer(out[half:], content)
	return ok && len(content) == 0
}

// DEROfFixed is the strict DER of r and s of at most 66 bytes each.
func DEROfFixed(fixed []byte) []byte {
	der := make([]byte, 3, len(fixed)+9)
	for _, number := range [][]byte{fixed[:len(fixed)/2], fixed[len(fixed)/2:]} {
		for len(number) > 1 && number[0] == 0 {
			number = number[1:]
		}
		if number[0] >= 0x80 {
			der = append(append(der, 2, byte(len(number)+1), 0), number...)
		} else {
			der = append(append(der, 2, byte(len(number))), number...)
		}
	}
	length := len(der) - 3
	if length < 0x80 {
		der = der[1:]
		der[0], der[1] = 0x30, byte(length)
	} else {
		der[0], der[1], der[2] = 0x30, 0x81, byte(length)
	}
	return der
}

// LowerS makes s of a signature r, s the lower of s and order − s. Public data: time depends on it.
func LowerS(fixed []byte, order *big.Int) {
	half := fixed[len(fixed)/2:]
	s := new(big.Int).SetBytes(half)
	if new(big.Int).Lsh(s, 1).Cmp(order) > 0 {
		s.Sub(order, s).FillBytes(half)
	}
}

// ECDSATable is rows of keys of one curve in SEC1 bytes without compression, digests and signatures: digest i is
// Digests[DigestOffsets[i]:DigestOffsets[i+1]], signatures likewise.
type ECDSATable struct {
	Curve                           Curve
	Keys, Digests, Signatures       []byte
	DigestOffsets, SignatureOffsets []int64
}

// VerifyECDSARows writes the verdicts of rows wherever they are, on as many goroutines as there are processors. It
// returns the context's error if that is done before it has begun all rows; verdicts mean nothing then. Time depends on
// all inputs.
func VerifyECDSARows(ctx context.Context, policy Policy, rows int, row func(int) (key *ecdsa.PublicKey, digest, signature []byte), verdicts []Verdict) error {
	groups := map[Curve][]int{}
	for i := range rows {
		key, _, _ := row(i)
		if key == nil || key.Curve == nil || key.X == nil || key.Y == nil {
			verdicts[i] = KeyNotAPoint
			continue
		}
		curve := CurveOf(key.Curve)
		groups[curve] = append(groups[curve], i)
	}
	for curve, group := range groups {
		piece := 1
		if curve != NoCurve {
			piece = ECDSAPiece(curve)
		}
		err := inPieces(ctx, len(group), pieces{piece, piece}, func(first, count int) bool {
			of := group[first : first+count]
			if curve == NoCurve {
				for _, i := range of {
					key, digest, signature := row(i)
					verdicts[i] = VerifyByStd(policy, key, digest, signature)
				}
				return true
			}
			verifyECDSAPiece(curve, policy, of, row, verdicts)
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SignECDSARows writes the signatures r, s of digests as long as the curve's own hash makes them, one after the other,
// with keys[i] for row i or with the only one, all of one curve; nonces are those of RFC 6979. The error is the
// context's, as above. Constant time but for the number of rows.
func SignECDSARows(ctx context.Context, curve Curve, keys []*ECDSAKey, digests [][]byte, signatures []byte) error {
	piece := ECDSAPiece(curve)
	return inPieces(ctx, len(digests), pieces{piece, piece}, func(first, rows int) bool {
		of := keys
		if len(keys) > 1 {
			of = keys[first : first+rows]
		}
		signECDSAPiece(curve, of, digests[first:first+rows], signatures[2*curve.Size()*first:][:2*curve.Size()*rows])
		return true
	})
}
