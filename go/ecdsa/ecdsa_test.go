package ecdsa_test

import (
	"bytes"
	"context"
	"crypto"
	std "crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/sigmill/sigmill/go/ecdsa"
)

var curves = map[string]elliptic.Curve{"P-224": elliptic.P224(), "P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}

func newKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func width(key *ecdsa.PublicKey) int { return (key.Params().N.BitLen() + 7) / 8 }

type numbers struct{ R, S *big.Int }

func der(t *testing.T, r, s *big.Int) []byte {
	t.Helper()
	out, err := asn1.Marshal(numbers{r, s})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parsed(t *testing.T, signature []byte) (r, s *big.Int) {
	t.Helper()
	var both numbers
	if rest, err := asn1.Unmarshal(signature, &both); err != nil || len(rest) != 0 {
		t.Fatalf("%x: %v", signature, err)
	}
	return both.R, both.S
}

func fixed(width int, r, s *big.Int) []byte {
	out := make([]byte, 2*width)
	r.FillBytes(out[:width])
	s.FillBytes(out[width:])
	return out
}

func TestBothWaysWithTheStandardLibrary(t *testing.T) {
	for name, curve := range curves {
		for range 2 {
			key := newKey(t, curve)
			pub := &key.PublicKey
			for _, size := range []int{1, 28, 32, 48, 100} {
				hash := make([]byte, size)
				rand.Read(hash)
				ours, err := ecdsa.SignASN1(rand.Reader, key, hash)
				if err != nil || !std.VerifyASN1(pub, hash, ours) || !ecdsa.VerifyASN1(pub, hash, ours) {
					t.Fatalf("%s, %d bytes: our signature %x, %v", name, size, ours, err)
				}
				again, err := ecdsa.SignASN1(rand.Reader, key, hash)
				if err != nil || bytes.Equal(ours, again) {
					t.Errorf("%s: not hedged, %v", name, err)
				}
				theirs, err := std.SignASN1(rand.Reader, key, hash)
				if err != nil || !ecdsa.VerifyASN1(pub, hash, theirs) {
					t.Fatalf("%s, %d bytes: the standard library's signature %x, %v", name, size, theirs, err)
				}
				r, s := parsed(t, ours)
				short, err := ecdsa.SignFixed(rand.Reader, key, hash)
				if err != nil || len(short) != 2*width(pub) || !ecdsa.VerifyFixed(pub, hash, short) || !ecdsa.VerifyFixed(pub, hash, fixed(width(pub), r, s)) {
					t.Fatalf("%s: %x, %v", name, short, err)
				}
				if ecdsa.VerifyASN1(pub, hash, short) || ecdsa.VerifyFixed(pub, hash, ours) {
					t.Errorf("%s: one encoding is taken for the other", name)
				}
				// a bit more or less, in the hash's part that counts and anywhere in the signature
				for bit := range 8 * len(theirs) {
					damaged := bytes.Clone(theirs)
					damaged[bit/8] ^= 1 << (bit % 8)
					if bit%83 == 0 && ecdsa.VerifyASN1(pub, hash, damaged) != std.VerifyASN1(pub, hash, damaged) {
						t.Fatalf("%s, bit %d of %x", name, bit, theirs)
					}
				}
				other := bytes.Clone(hash)
				other[0] ^= 0x40
				if ecdsa.VerifyASN1(pub, other, theirs) {
					t.Errorf("%s: valid for another hash", name)
				}
			}
		}
	}
}

func TestSignerIsDeterministicLikeTheStandardLibrary(t *testing.T) {
	digests := map[crypto.Hash][]byte{}
	for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		h := hash.New()
		h.Write([]byte("message"))
		digests[hash] = h.Sum(nil)
	}
	for name, curve := range curves {
		for range 2 {
			key := newKey(t, curve)
			signer, err := ecdsa.NewSigner(key)
			if err != nil {
				t.Fatal(err)
			}
			if !key.PublicKey.Equal(signer.Public()) {
				t.Errorf("%s: Public", name)
			}
			order := key.Params().N
			for hash, digest := range digests {
				theirs, err := key.Sign(nil, digest, hash)
				if err != nil {
					t.Fatal(err)
				}
				ours, err := signer.Sign(nil, digest, hash)
				if err != nil || !bytes.Equal(ours, theirs) {
					t.Fatalf("%s, %v: %x, must be %x, %v", name, hash, ours, theirs, err)
				}
				r, s := parsed(t, theirs)
				if new(big.Int).Lsh(s, 1).Cmp(order) > 0 {
					s.Sub(order, s)
				}
				for _, opts := range []*ecdsa.Options{{Hash: hash, Encoding: ecdsa.Fixed, LowS: true}, {Hash: hash, LowS: true}} {
					low, err := signer.Sign(nil, digest, opts)
					expected := der(t, r, s)
					if opts.Encoding == ecdsa.Fixed {
						expected = fixed(width(&key.PublicKey), r, s)
					}
					if err != nil || !bytes.Equal(low, expected) {
						t.Fatalf("%s, %v: %x, must be %x, %v", name, opts, low, expected, err)
					}
					for range 2 {
						low, err = signer.Sign(rand.Reader, digest, opts)
						if err != nil || ecdsa.VerifyWithOptions(&key.PublicKey, digest, low, opts) != nil {
							t.Fatalf("%s, %v: %x, %v", name, opts, low, err)
						}
					}
				}
			}
			if _, err := signer.Sign(nil, digests[crypto.SHA256], crypto.SHA512); err == nil {
				t.Error("a digest of another size than the hash's")
			}
			if _, err := signer.Sign(nil, digests[crypto.SHA256], nil); err == nil {
				t.Error("no options and no random bytes")
			}
			for _, sign := range []func() ([]byte, error){
				func() ([]byte, error) { return signer.Sign(rand.Reader, nil, crypto.SHA256) },
				func() ([]byte, error) { return ecdsa.SignASN1(rand.Reader, key, nil) },
				func() ([]byte, error) { return ecdsa.SignFixed(rand.Reader, key, []byte{}) },
			} {
				if signature, err := sign(); err == nil || signature != nil {
					t.Errorf("%s: signs an empty digest", name)
				}
			}
			signer.Wipe()
			signer.Wipe()
			for _, random := range []*bytes.Reader{nil, bytes.NewReader(nil)} {
				var err error
				if random == nil {
					_, err = signer.Sign(nil, digests[crypto.SHA256], crypto.SHA256)
				} else {
					_, err = signer.Sign(random, digests[crypto.SHA256], crypto.SHA256)
				}
				if err == nil || err.Error() != "ecdsa: the signer has been wiped" {
					t.Errorf("%s: after Wipe: %v", name, err)
				}
			}
		}
	}
}

// The vectors of RFC 6979 appendices A.2.5 and A.2.6 for the message "sample" and the curve's own hash.
func TestRFC6979(t *testing.T) {
	d256, d384 := sha256.Sum256([]byte("sample")), sha512.Sum384([]byte("sample"))
	for name, vector := range map[string]struct {
		curve        elliptic.Curve
		secret, r, s string
		hash         crypto.Hash
		digest       []byte
	}{
		"P-256": {
			elliptic.P256(), "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
			"EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
			"F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8", crypto.SHA256, d256[:],
		},
		"P-384": {
			elliptic.P384(), "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5",
			"94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
			"99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8", crypto.SHA384, d384[:],
		},
	} {
		number := func(hex string) *big.Int {
			n, ok := new(big.Int).SetString(hex, 16)
			if !ok {
				t.Fatal(hex)
			}
			return n
		}
		key := &ecdsa.PrivateKey{D: number(vector.secret)}
		key.Curve = vector.curve
		//lint:ignore SA1019 a key from its secret, which Go 1.24 has no other function for
		key.X, key.Y = vector.curve.ScalarBaseMult(key.D.Bytes())
		signer, err := ecdsa.NewSigner(key)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := signer.Sign(nil, vector.digest, vector.hash)
		if expected := der(t, number(vector.r), number(vector.s)); err != nil || !bytes.Equal(signature, expected) {
			t.Errorf("%s: %x, must be %x, %v", name, signature, expected, err)
		}
	}
}

// edge is a row with the verdict that it must have.
type edge struct {
	name      string
	key       *ecdsa.PublicKey
	digest    []byte
	signature []byte
	opts      ecdsa.Options
	verdict   ecdsa.Verdict
}

func edges(t *testing.T, curve elliptic.Curve) []edge {
	key := newKey(t, curve)
	pub, order := &key.PublicKey, curve.Params().N
	w := width(pub)
	digest := sha256.Sum256([]byte("edges"))
	signature, err := std.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	r, s := parsed(t, signature)
	if new(big.Int).Lsh(s, 1).Cmp(order) > 0 {
		s.Sub(order, s)
	}
	low, high := der(t, r, s), der(t, r, new(big.Int).Sub(order, s))
	zero, one := big.NewInt(0), big.NewInt(1)
	half := new(big.Int).Rsh(order, 1)
	var rows []edge
	add := func(name string, signature []byte, verdict ecdsa.Verdict) {
		rows = append(rows, edge{name, pub, digest[:], signature, ecdsa.Options{}, verdict})
	}
	in := func(name string, r, s *big.Int, verdict ecdsa.Verdict) {
		add(name+", DER", der(t, r, s), verdict)
		rows = append(rows, edge{name + ", fixed", pub, digest[:], fixed(w, r, s), ecdsa.Options{Encoding: ecdsa.Fixed}, verdict})
	}
	in("valid", r, s, ecdsa.Valid)
	in("the other s", r, new(big.Int).Sub(order, s), ecdsa.Valid)
	in("r = 0", zero, s, ecdsa.ROutOfRange)
	in("s = 0", r, zero, ecdsa.SOutOfRange)
	in("r = s = 0", zero, zero, ecdsa.ROutOfRange)
	in("r = n", order, s, ecdsa.ROutOfRange)
	in("s = n", r, order, ecdsa.SOutOfRange)
	in("r = n, s = n", order, order, ecdsa.ROutOfRange)
	in("r = n - 1", new(big.Int).Sub(order, one), s, ecdsa.Equation)
	in("s = n - 1", r, new(big.Int).Sub(order, one), ecdsa.Equation)
	in("r = s = 1", one, one, ecdsa.Equation)
	in("r and s exchanged", s, r, ecdsa.Equation)
	in("s = s + 1", r, new(big.Int).Add(s, one), ecdsa.Equation)
	if sum := new(big.Int).Add(s, order); sum.BitLen() <= 8*w {
		in("s + n", r, sum, ecdsa.SOutOfRange)
	} else {
		add("s + n", der(t, r, sum), ecdsa.SignatureDER)
	}
	wide := new(big.Int).Lsh(one, uint(8*w))
	add("r of a byte more", der(t, wide, s), ecdsa.SignatureDER)
	add("s of a byte more", der(t, r, wide), ecdsa.SignatureDER)
	add("r < 0", der(t, new(big.Int).Neg(r), s), ecdsa.SignatureDER)
	add("s < 0", der(t, r, new(big.Int).Neg(s)), ecdsa.SignatureDER)
	add("no bytes", nil, ecdsa.SignatureDER)
	add("an empty sequence", []byte{0x30, 0}, ecdsa.SignatureDER)
	add("one integer", []byte{0x30, 3, 2, 1, 1}, ecdsa.SignatureDER)
	add("three integers", []byte{0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1}, ecdsa.SignatureDER)
	add("integers without bytes", []byte{0x30, 4, 2, 0, 2, 0}, ecdsa.SignatureDER)
	add("a byte behind", append(bytes.Clone(low), 0), ecdsa.SignatureDER)
	add("a byte less", low[:len(low)-1], ecdsa.SignatureDER)
	inner := low[2:]
	if low[1] == 0x81 {
		inner = low[3:]
	}
	length := byte(len(inner))
	sequence := func(head []byte, content []byte) []byte { return append(head, content...) }
	add("a byte behind, in the sequence", sequence([]byte{0x30, 0x81, length + 1}, append(bytes.Clone(inner), 0)), ecdsa.SignatureDER)
	if length < 0x80 {
		add("a length of two bytes", sequence([]byte{0x30, 0x81, length}, inner), ecdsa.SignatureDER)
	}
	add("a length of three bytes", sequence([]byte{0x30, 0x82, 0, length}, inner), ecdsa.SignatureDER)
	add("a length that is not said", sequence([]byte{0x30, 0x80}, append(bytes.Clone(inner), 0, 0)), ecdsa.SignatureDER)
	add("a set", sequence([]byte{0x31}, low[1:]), ecdsa.SignatureDER)
	add("a zero before r", sequence([]byte{0x30, 7}, []byte{2, 2, 0, 1, 2, 1, 1}), ecdsa.SignatureDER)
	add("a zero before s", sequence([]byte{0x30, 7}, []byte{2, 1, 1, 2, 2, 0, 1}), ecdsa.SignatureDER)
	add("the length of r in two bytes", sequence([]byte{0x30, 7}, []byte{2, 0x81, 1, 1, 2, 1, 1}), ecdsa.SignatureDER)
	add("an octet string for r", sequence([]byte{0x30, 6}, []byte{4, 1, 1, 2, 1, 1}), ecdsa.SignatureDER)
	add("a length past the end", sequence([]byte{0x30, 6}, []byte{2, 1, 1, 2, 2, 1}), ecdsa.SignatureDER)
	rows = append(rows,
		edge{"fixed, a byte less", pub, digest[:], fixed(w, r, s)[1:], ecdsa.Options{Encoding: ecdsa.Fixed}, ecdsa.SignatureLength},
		edge{"fixed, a byte more", pub, digest[:], append(fixed(w, r, s), 0), ecdsa.Options{Encoding: ecdsa.Fixed}, ecdsa.SignatureLength},
		edge{"fixed, no bytes", pub, digest[:], nil, ecdsa.Options{Encoding: ecdsa.Fixed}, ecdsa.SignatureLength},
		edge{"low s, asked for", pub, digest[:], low, ecdsa.Options{LowS: true}, ecdsa.Valid},
		edge{"high s, low asked for", pub, digest[:], high, ecdsa.Options{LowS: true}, ecdsa.SHigh},
		edge{"s = (n - 1)/2", pub, digest[:], der(t, r, half), ecdsa.Options{LowS: true}, ecdsa.Equation},
		edge{"s = (n + 1)/2", pub, digest[:], der(t, r, new(big.Int).Add(half, one)), ecdsa.Options{LowS: true}, ecdsa.SHigh},
		edge{"an empty digest", pub, nil, low, ecdsa.Options{}, ecdsa.DigestEmpty},
		edge{"an empty digest and r = 0", pub, nil, der(t, zero, s), ecdsa.Options{}, ecdsa.DigestEmpty},
		edge{"not DER, an empty digest", pub, nil, low[1:], ecdsa.Options{}, ecdsa.SignatureDER},
	)
	if name := curve.Params().Name; name == "P-256" || name == "P-384" {
		field := curve.Params().P
		off := func(name string, x, y *big.Int) {
			rows = append(rows, edge{name, &ecdsa.PublicKey{Curve: curve, X: x, Y: y}, digest[:], low, ecdsa.Options{}, ecdsa.KeyNotAPoint})
		}
		off("a key beside the curve", pub.X, new(big.Int).Add(pub.Y, one))
		off("the key 0, 0", zero, zero)
		off("x < 0", new(big.Int).Neg(pub.X), pub.Y)
		off("x + p", new(big.Int).Add(pub.X, field), pub.Y)
		off("y + p", pub.X, new(big.Int).Add(pub.Y, field))
		off("a y of too many bytes", pub.X, wide)
		rows = append(rows,
			edge{"a key beside the curve, not DER", &ecdsa.PublicKey{Curve: curve, X: one, Y: one}, nil, low[1:], ecdsa.Options{}, ecdsa.KeyNotAPoint},
			edge{"a key beside the curve, a byte less", &ecdsa.PublicKey{Curve: curve, X: one, Y: one}, digest[:], fixed(w, r, s)[1:], ecdsa.Options{Encoding: ecdsa.Fixed}, ecdsa.SignatureLength},
			edge{"x < 0, no bytes", &ecdsa.PublicKey{Curve: curve, X: new(big.Int).Neg(pub.X), Y: pub.Y}, digest[:], nil, ecdsa.Options{Encoding: ecdsa.Fixed}, ecdsa.SignatureLength},
			edge{"the curve by its parameters", &ecdsa.PublicKey{Curve: curve.Params(), X: pub.X, Y: pub.Y}, digest[:], low, ecdsa.Options{}, ecdsa.Valid})
	}
	return rows
}

func TestEdges(t *testing.T) {
	checked := 0
	for name, curve := range curves {
		rows := edges(t, curve)
		for _, row := range rows {
			err := ecdsa.VerifyWithOptions(row.key, row.digest, row.signature, &row.opts)
			if fmt.Sprint(err) != fmt.Sprint(row.verdict.Err()) {
				t.Errorf("%s, %s: %v, must be %v", name, row.name, err, row.verdict.Err())
			}
			checked++
			if row.opts == (ecdsa.Options{}) && row.verdict != ecdsa.DigestEmpty {
				if ours, theirs := ecdsa.VerifyASN1(row.key, row.digest, row.signature), std.VerifyASN1(row.key, row.digest, row.signature); ours != theirs || ours != (err == nil) {
					t.Errorf("%s, %s: VerifyASN1 says %v, the standard library %v", name, row.name, ours, theirs)
				}
			}
			if row.opts == (ecdsa.Options{Encoding: ecdsa.Fixed}) && ecdsa.VerifyFixed(row.key, row.digest, row.signature) != (err == nil) {
				t.Errorf("%s, %s: VerifyFixed", name, row.name)
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d rows", checked)
	}
}

// For an empty digest the standard library verifies for the number 0, and r = x(t·Q), s = r/t holds under any key Q,
// whose secret nobody needs.
func TestEmptyDigestsCanBeForged(t *testing.T) {
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		pub, order, factor := &newKey(t, curve).PublicKey, curve.Params().N, big.NewInt(77)
		//lint:ignore SA1019 a multiple of somebody else's point is what it takes
		x, _ := curve.ScalarMult(pub.X, pub.Y, factor.Bytes())
		r := x.Mod(x, order)
		s := new(big.Int).Mul(r, new(big.Int).ModInverse(factor, order))
		forged := der(t, r, s.Mod(s, order))
		if !std.VerifyASN1(pub, nil, forged) {
			t.Error("the standard library refuses it: say so in the documentation")
		}
		if ecdsa.VerifyASN1(pub, nil, forged) || ecdsa.VerifyWithOptions(pub, []byte{}, forged, nil) != ecdsa.DigestEmpty {
			t.Error("an empty digest has a signature")
		}
	}
}

func TestBatches(t *testing.T) {
	for _, opts := range []*ecdsa.Options{nil, {Encoding: ecdsa.Fixed}, {LowS: true}, {Encoding: ecdsa.Fixed, LowS: true}} {
		given := ecdsa.Options{}
		if opts != nil {
			given = *opts
		}
		var keys []*ecdsa.PublicKey
		var digests, signatures [][]byte
		var expected []ecdsa.Verdict
		for round := range 3 {
			for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
				for _, row := range edges(t, curve) {
					if row.opts != given {
						continue
					}
					keys, digests, signatures = append(keys, row.key), append(digests, row.digest), append(signatures, row.signature)
					expected = append(expected, row.verdict)
				}
				// rows that are valid, before, between and behind
				key := newKey(t, curve)
				signer, err := ecdsa.NewSigner(key)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 20 * (2 - round) {
					digest := sha512.Sum512([]byte{byte(i)})
					signature, err := signer.Sign(rand.Reader, digest[:], opts)
					if err != nil {
						t.Fatal(err)
					}
					keys, digests, signatures = append(keys, &key.PublicKey), append(digests, digest[:]), append(signatures, signature)
					expected = append(expected, ecdsa.Valid)
				}
			}
		}
		keys, digests, signatures = append(keys, nil), append(digests, nil), append(signatures, nil)
		expected = append(expected, ecdsa.KeyNotAPoint)
		verdicts, err := ecdsa.VerifyBatch(keys, digests, signatures, opts)
		var refused *ecdsa.NotAllValidError
		if !errors.As(err, &refused) || expected[refused.Row] == ecdsa.Valid || verdicts[refused.Row] != refused.Verdict || !errors.Is(err, refused.Verdict) {
			t.Errorf("%v: %v", opts, err)
		}
		for i, verdict := range verdicts {
			if verdict != expected[i] {
				t.Errorf("%v, row %d: %v, must be %v", opts, i, verdict, expected[i])
			}
			if refused != nil && i < refused.Row && verdict != ecdsa.Valid {
				t.Errorf("%v: row %d is the first that is not valid, not %d", opts, i, refused.Row)
			}
		}
		if len(verdicts) != len(expected) || len(verdicts) < 100 {
			t.Errorf("%d verdicts", len(verdicts))
		}
	}
	if verdicts, err := ecdsa.VerifyBatch(nil, nil, nil, nil); err != nil || len(verdicts) != 0 {
		t.Errorf("no rows: %v", err)
	}
	if _, err := ecdsa.VerifyBatch(nil, [][]byte{nil}, nil, nil); err == nil {
		t.Error("lengths that differ")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	key := &newKey(t, elliptic.P256()).PublicKey
	if _, err := ecdsa.VerifyBatchContext(ctx, []*ecdsa.PublicKey{key}, [][]byte{{1}}, [][]byte{nil}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSignBatch(t *testing.T) {
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		const rows = 150
		size := width(&newKey(t, curve).PublicKey)
		hash := map[int]crypto.Hash{32: crypto.SHA256, 48: crypto.SHA384}[size]
		keys, signers, digests := make([]*ecdsa.PrivateKey, rows), make([]*ecdsa.Signer, rows), make([][]byte, rows)
		for i := range rows {
			keys[i], digests[i] = newKey(t, curve), make([]byte, size)
			rand.Read(digests[i])
			var err error
			if signers[i], err = ecdsa.NewSigner(keys[i]); err != nil {
				t.Fatal(err)
			}
		}
		for _, of := range [][]*ecdsa.Signer{signers, signers[:1]} {
			for _, opts := range []*ecdsa.Options{nil, {Encoding: ecdsa.Fixed, LowS: true}} {
				signatures, err := ecdsa.SignBatch(of, digests, opts)
				if err != nil || len(signatures) != rows {
					t.Fatal(err)
				}
				for i, signature := range signatures {
					single := ecdsa.Options{Hash: hash}
					if opts != nil {
						single.Encoding, single.LowS = opts.Encoding, opts.LowS
					}
					alone, err := of[i%len(of)].Sign(nil, digests[i], &single)
					if err != nil || !bytes.Equal(signature, alone) {
						t.Fatalf("row %d: %x, alone %x, %v", i, signature, alone, err)
					}
					if key := &keys[i%len(of)].PublicKey; opts == nil && !std.VerifyASN1(key, digests[i], signature) {
						t.Fatalf("row %d is not valid", i)
					}
				}
			}
		}
		if signatures, err := ecdsa.SignBatch(nil, nil, nil); err != nil || len(signatures) != 0 {
			t.Errorf("no rows: %v", err)
		}
		other, err := ecdsa.NewSigner(newKey(t, elliptic.P521()))
		if err != nil {
			t.Fatal(err)
		}
		third := elliptic.P256()
		if size == 32 {
			third = elliptic.P384()
		}
		another, err := ecdsa.NewSigner(newKey(t, third))
		if err != nil {
			t.Fatal(err)
		}
		wiped, err := ecdsa.NewSigner(keys[0])
		if err != nil {
			t.Fatal(err)
		}
		wiped.Wipe()
		for expected, call := range map[string]func() ([][]byte, error){
			"ecdsa: 2 signers and 150 hashes":                    func() ([][]byte, error) { return ecdsa.SignBatch(signers[:2], digests, nil) },
			"ecdsa: row 0: the curve is neither P-256 nor P-384": func() ([][]byte, error) { return ecdsa.SignBatch([]*ecdsa.Signer{other}, digests, nil) },
			"ecdsa: row 1: another curve than that of row 0": func() ([][]byte, error) {
				return ecdsa.SignBatch([]*ecdsa.Signer{signers[0], another}, digests[:2], nil)
			},
			"ecdsa: row 1: no signer":                 func() ([][]byte, error) { return ecdsa.SignBatch([]*ecdsa.Signer{signers[0], nil}, digests[:2], nil) },
			"ecdsa: row 0: the signer has been wiped": func() ([][]byte, error) { return ecdsa.SignBatch([]*ecdsa.Signer{wiped}, digests, nil) },
			fmt.Sprintf("ecdsa: row 1: a hash of 20 bytes, not %d", size): func() ([][]byte, error) {
				return ecdsa.SignBatch(signers[:2], [][]byte{digests[0], digests[1][:20]}, nil)
			},
		} {
			if signatures, err := call(); err == nil || err.Error() != expected || signatures != nil {
				t.Errorf("%v, must be %s", err, expected)
			}
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	whole := newKey(t, elliptic.P256())
	for name, none := range map[string]*ecdsa.PrivateKey{
		"nil": nil, "zero": new(ecdsa.PrivateKey), "no secret": {PublicKey: whole.PublicKey}, "no curve": {D: whole.D},
		"no curve, a point": {PublicKey: ecdsa.PublicKey{X: whole.X, Y: whole.Y}, D: whole.D},
		"no secret, P-521":  {PublicKey: newKey(t, elliptic.P521()).PublicKey},
	} {
		const expected = "ecdsa: the private key is nil, or has no curve or no secret"
		if _, err := ecdsa.NewSigner(none); err == nil || err.Error() != expected {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ecdsa.SignASN1(rand.Reader, none, []byte{1}); err == nil || err.Error() != expected {
			t.Errorf("%s signs: %v", name, err)
		}
	}
	if _, err := ecdsa.NewSigner(&ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: whole.Curve}, D: whole.D}); err == nil {
		t.Error("a key without a point")
	}
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		key := newKey(t, curve)
		order := curve.Params().N
		for name, secret := range map[string]*big.Int{
			"0": big.NewInt(0), "-1": big.NewInt(-1), "n": order, "n + 1": new(big.Int).Add(order, big.NewInt(1)), "2^400": new(big.Int).Lsh(big.NewInt(1), 400),
		} {
			bad := &ecdsa.PrivateKey{PublicKey: key.PublicKey, D: secret}
			if _, err := ecdsa.NewSigner(bad); err == nil || err.Error() != "ecdsa: the private key is not in the range from 1 to n - 1" {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := ecdsa.SignASN1(rand.Reader, bad, []byte{1}); err == nil {
				t.Errorf("%s signs", name)
			}
		}
		crossed := &ecdsa.PrivateKey{PublicKey: newKey(t, curve).PublicKey, D: key.D}
		if _, err := ecdsa.NewSigner(crossed); err == nil || err.Error() != "ecdsa: the public key is not that of the private key" {
			t.Errorf("another public key: %v", err)
		}
		// the standard library's certificates take a Signer
		signer, err := ecdsa.NewSigner(key)
		if err != nil {
			t.Fatal(err)
		}
		request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, signer)
		if err != nil {
			t.Fatal(err)
		}
		if parsed, err := x509.ParseCertificateRequest(request); err != nil || parsed.CheckSignature() != nil {
			t.Errorf("a request: %v", err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	digest := sha256.Sum256(nil)
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			f.Fatal(err)
		}
		signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
		if err != nil {
			f.Fatal(err)
		}
		//lint:ignore SA1019 the bytes of a key, whatever they are
		f.Add(elliptic.Marshal(curve, key.X, key.Y), digest[:], signature)
	}
	f.Fuzz(func(t *testing.T, point, digest, signature []byte) {
		key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int), Y: new(big.Int)}
		if len(point) > 65 {
			key.Curve = elliptic.P384()
		}
		if width := len(point) / 2; width > 0 { // a point or not
			key.X.SetBytes(point[len(point)-2*width : len(point)-width])
			key.Y.SetBytes(point[len(point)-width:])
		}
		ours, theirs := ecdsa.VerifyASN1(key, digest, signature), std.VerifyASN1(key, digest, signature)
		if ours != theirs && len(digest) > 0 {
			t.Errorf("%v, the standard library says %v", ours, theirs)
		}
		verdicts, _ := ecdsa.VerifyBatch([]*ecdsa.PublicKey{key, key}, [][]byte{digest, digest}, [][]byte{signature, signature}, nil)
		if verdicts[0].Valid() != ours || verdicts[1].Valid() != ours {
			t.Errorf("a batch: %v, alone %v", verdicts, ours)
		}
	})
}

func TestSignersAreEqualBySecret(t *testing.T) {
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		private, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		another, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		signer := func(private *ecdsa.PrivateKey) *ecdsa.Signer {
			made, err := ecdsa.NewSigner(private)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		key, same := signer(private), signer(private)
		copied := *key
		if !key.Equal(key) || !key.Equal(same) || !same.Equal(key) || !key.Equal(&copied) {
			t.Error("signers of one secret differ")
		}
		elsewhere, _ := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
		var zero ecdsa.Signer
		var none *ecdsa.Signer
		for _, different := range []crypto.PrivateKey{signer(another), signer(elsewhere), &zero, none, private, *key, nil} {
			if key.Equal(different) {
				t.Errorf("equal to a %T", different)
			}
		}
		if zero.Equal(&zero) || none.Equal(none) || none.Equal(key) || zero.Equal(key) {
			t.Error("what signs nothing equals something")
		}
		same.Wipe()
		if key.Equal(same) || same.Equal(key) || same.Equal(same) {
			t.Error("a signer that has been wiped equals something")
		}
	}
}
