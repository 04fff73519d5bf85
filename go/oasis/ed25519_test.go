package ed25519_test

import (
	"bytes"
	"crypto"
	std "crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	ed25519 "github.com/sigmill/sigmill/go/oasis"
	"github.com/sigmill/sigmill/go/oasis/x25519"
)

func panicOf(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

func TestSignsLikeTheStandardLibrary(t *testing.T) {
	for i := range 60 {
		seed := make([]byte, 32)
		rand.Read(seed)
		pub, priv, err := ed25519.GenerateKey(bytes.NewReader(seed))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(priv, std.NewKeyFromSeed(seed)) || !bytes.Equal(priv.Seed(), seed) || !pub.Equal(priv.Public()) || !priv.Equal(ed25519.NewKeyFromSeed(seed)) {
			t.Fatalf("keys of %x", seed)
		}
		message := bytes.Repeat([]byte{7}, i)
		digest := sha512.Sum512(message)
		if !bytes.Equal(ed25519.Sign(priv, message), std.Sign(std.PrivateKey(priv), message)) {
			t.Fatal("Sign")
		}
		for _, opts := range []*ed25519.Options{{}, {Context: "c"}, {Hash: crypto.SHA512}, {Hash: crypto.SHA512, Context: strings.Repeat("c", 255)}} {
			signed := message
			if opts.Hash != 0 {
				signed = digest[:]
			}
			signature, err := priv.Sign(nil, signed, opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := std.VerifyWithOptions(std.PublicKey(pub), signed, signature, &std.Options{Hash: opts.Hash, Context: opts.Context}); err != nil {
				t.Fatal(err)
			}
			for _, zip215 := range []bool{false, true} {
				opts := &ed25519.Options{Hash: opts.Hash, Context: opts.Context, ZIP215Verify: zip215}
				damaged := bytes.Clone(signature)
				damaged[i] ^= 4
				if !ed25519.VerifyWithOptions(pub, signed, signature, opts) || ed25519.VerifyWithOptions(pub, signed, damaged, opts) {
					t.Fatalf("%+v", opts)
				}
				for _, rows := range []int{1, 3, 5, 70} {
					pubs, messages, sigs := make([]ed25519.PublicKey, rows), make([][]byte, rows), make([][]byte, rows)
					for at := range rows {
						pubs[at], messages[at], sigs[at] = pub, signed, signature
					}
					if all, each, err := ed25519.VerifyBatch(nil, pubs, messages, sigs, opts); !all || len(each) != rows || err != nil {
						t.Fatalf("%d rows: %v %v", rows, each, err)
					}
					sigs[rows-1] = damaged
					all, each, err := ed25519.VerifyBatch(rand.Reader, pubs, messages, sigs, opts)
					if all || err != nil || each[rows-1] || rows > 1 && !each[0] {
						t.Fatalf("%d rows, one damaged: %v %v", rows, each, err)
					}
				}
			}
		}
	}
}

func TestPanicsAndErrors(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("message")
	signature := ed25519.Sign(priv, message)
	long := strings.Repeat("c", 256)
	for expected, call := range map[string]func(){
		"ed25519: bad seed length: 31":         func() { ed25519.NewKeyFromSeed(make([]byte, 31)) },
		"ed25519: bad private key length: 0":   func() { ed25519.Sign(nil, message) },
		"ed25519: bad private key length: 63":  func() { priv[:63].Sign(nil, message, crypto.Hash(0)) },
		"ed25519: bad public key length: 33":   func() { ed25519.Verify(append(bytes.Clone(pub), 0), message, signature) },
		"ed25519: bad public key length: 31":   func() { ed25519.VerifyWithOptions(pub[:31], message, signature, &ed25519.Options{}) },
		"ed25519: bad context length: 256":     func() { ed25519.VerifyWithOptions(pub, message, signature, &ed25519.Options{Context: long}) },
		"ed25519: bad message hash length: 7":  func() { ed25519.VerifyWithOptions(pub, message, signature, &ed25519.Options{Hash: crypto.SHA512}) },
		"ed25519: expected opts HashFunc zero": func() { ed25519.VerifyWithOptions(pub, message, signature, &ed25519.Options{Hash: crypto.SHA256}) },
	} {
		if said := fmt.Sprint(panicOf(call)); !strings.HasPrefix(said, expected) {
			t.Errorf("%q, must be %q", said, expected)
		}
	}
	if _, isError := panicOf(func() { ed25519.VerifyWithOptions(pub, message, signature, &ed25519.Options{Context: long}) }).(error); !isError {
		t.Error("VerifyWithOptions panics with an error")
	}
	for _, opts := range []*ed25519.Options{{Context: long}, {Hash: crypto.SHA512}, {Hash: crypto.SHA256}} {
		if signature, err := priv.Sign(nil, message, opts); err == nil || signature != nil {
			t.Errorf("%v: %x", opts, signature)
		}
	}
	one := [][]byte{message}
	if _, _, err := ed25519.VerifyBatch(nil, []ed25519.PublicKey{pub}, one, nil, &ed25519.Options{}); err == nil {
		t.Error("counts that differ")
	}
	if _, _, err := ed25519.VerifyBatch(nil, []ed25519.PublicKey{pub}, one, [][]byte{signature}, &ed25519.Options{Context: long}); err == nil {
		t.Error("a context of 256 bytes")
	}
	if _, _, err := ed25519.VerifyBatch(iotest.ErrReader(errors.New("empty")), []ed25519.PublicKey{pub}, one, [][]byte{signature}, &ed25519.Options{}); err == nil || err.Error() != "empty" {
		t.Errorf("no random bytes: %v", err)
	}
	if all, each, err := ed25519.VerifyBatch(nil, nil, nil, nil, &ed25519.Options{}); !all || len(each) != 0 || err != nil {
		t.Errorf("no rows: %v %v %v", all, each, err)
	}
	// rows of other sizes are not valid, and no error
	pubs := []ed25519.PublicKey{pub, pub[:31], pub, nil, pub}
	sigs := [][]byte{signature, signature, signature[:63], signature, signature}
	messages := [][]byte{message, message, message, message, message}
	all, each, err := ed25519.VerifyBatch(nil, pubs, messages, sigs, &ed25519.Options{})
	if all || err != nil || fmt.Sprint(each) != "[true false false false true]" {
		t.Errorf("%v %v", each, err)
	}
	for _, hash := range []crypto.Hash{crypto.SHA512, crypto.SHA256} {
		all, each, err = ed25519.VerifyBatch(nil, pubs, messages, sigs, &ed25519.Options{Hash: hash})
		if all || err != nil || fmt.Sprint(each) != "[false false false false false]" {
			t.Errorf("%v: %v %v", hash, each, err)
		}
	}
}

// The key of order 1, R = −B and S = ℓ − 1: valid under ZIP 215, and refused by the original for its S past 2^252.
func TestGreatestS(t *testing.T) {
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	key := make([]byte, 32)
	key[0] = 1
	signature := make([]byte, 64)
	copy(signature, bytes.Repeat([]byte{0x66}, 32))
	signature[0], signature[31] = 0x58, 0x66|0x80
	s := new(big.Int).Sub(order, big.NewInt(1)).FillBytes(make([]byte, 32))
	for i := range s {
		signature[32+i] = s[31-i]
	}
	if !ed25519.VerifyWithOptions(key, nil, signature, &ed25519.Options{ZIP215Verify: true}) {
		t.Error("refused under ZIP 215")
	}
	if ed25519.VerifyWithOptions(key, nil, signature, &ed25519.Options{}) {
		t.Error("a key of small order is valid")
	}
	copy(signature[32:], make([]byte, 32))
	order.FillBytes(s)
	for i := range s {
		signature[32+i] = s[31-i]
	}
	if ed25519.VerifyWithOptions(key, nil, signature, &ed25519.Options{ZIP215Verify: true}) {
		t.Error("S = ℓ is valid")
	}
}

func TestX25519(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	secret := x25519.EdPrivateKeyToX25519(priv)
	public, ok := x25519.EdPublicKeyToX25519(pub)
	if !ok {
		t.Fatal("not a point")
	}
	fast, err := x25519.X25519(secret, x25519.Basepoint)
	if err != nil || !bytes.Equal(fast, public) {
		t.Errorf("%x, must be %x, %v", fast, public, err)
	}
	slow, err := x25519.X25519(secret, bytes.Clone(x25519.Basepoint))
	if err != nil || !bytes.Equal(slow, public) {
		t.Errorf("%x, must be %x, %v", slow, public, err)
	}
	if _, ok := x25519.EdPublicKeyToX25519(append([]byte{2}, make([]byte, 31)...)); ok {
		t.Error("2 is no y of a point")
	}
	if _, ok := x25519.EdPublicKeyToX25519(nil); ok {
		t.Error("no bytes are no point")
	}
	for _, sizes := range [][2]int{{31, 32}, {32, 33}, {0, 0}} {
		if _, err := x25519.X25519(make([]byte, sizes[0]), make([]byte, sizes[1])); err == nil {
			t.Errorf("sizes %v", sizes)
		}
	}
	if _, err := x25519.X25519(secret, make([]byte, 32)); err == nil {
		t.Error("a point of small order")
	}
	dst, in, base := [32]byte{5}, [32]byte(secret), [32]byte{}
	//lint:ignore SA1019 it is there
	if x25519.ScalarMult(&dst, &in, &base); dst != [32]byte{} {
		t.Errorf("%x", dst)
	}
	if x25519.ScalarBaseMult(&dst, &in); !bytes.Equal(dst[:], public) {
		t.Errorf("%x", dst)
	}
	// the iterated function of RFC 7748 section 5.2, a thousand times
	k, u := [32]byte{9}, [32]byte{9}
	for range 1000 {
		next, err := x25519.X25519(k[:], u[:])
		if err != nil {
			t.Fatal(err)
		}
		u, k = k, [32]byte(next)
	}
	if fmt.Sprintf("%x", k) != "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51" {
		t.Errorf("%x", k)
	}
	x25519.Basepoint[0] = 8
	if said := panicOf(func() { x25519.X25519(secret, x25519.Basepoint) }); said != "curve25519: global Basepoint value was modified" {
		t.Errorf("%v", said)
	}
	x25519.Basepoint[0] = 9
}
