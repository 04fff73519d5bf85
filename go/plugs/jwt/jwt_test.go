package sigmilljwt_test

import (
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/sigmill/sigmill/go/ecdsa"
	sigmilljwt "github.com/sigmill/sigmill/go/plugs/jwt"
)

// hosts are golang-jwt's own methods, which Register replaces.
var hosts = map[*sigmilljwt.SigningMethod]jwt.SigningMethod{
	sigmilljwt.EdDSA: jwt.SigningMethodEdDSA,
	sigmilljwt.ES256: jwt.SigningMethodES256,
	sigmilljwt.ES384: jwt.SigningMethodES384,
}

func TestMain(m *testing.M) {
	sigmilljwt.Register()
	os.Exit(m.Run())
}

func newKey(t *testing.T, method *sigmilljwt.SigningMethod) (private crypto.Signer) {
	t.Helper()
	var err error
	switch method {
	case sigmilljwt.EdDSA:
		_, private, err = ed25519.GenerateKey(nil)
	case sigmilljwt.ES256:
		private, err = stdecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		private, err = stdecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return private
}

var claims = jwt.MapClaims{"sub": "carol", "exp": 4102444800}

func parse(token string, key any, methods ...string) (*jwt.Token, error) {
	return jwt.Parse(token, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods(methods))
}

// TestBothWays has tokens signed by sigmill and by golang-jwt, and verified by both.
func TestBothWays(t *testing.T) {
	for ours, theirs := range hosts {
		private := newKey(t, ours)
		for _, method := range []jwt.SigningMethod{ours, theirs} {
			token, err := jwt.NewWithClaims(method, claims).SignedString(private)
			if err != nil {
				t.Fatal(err)
			}
			read, err := parse(token, private.Public(), ours.Alg())
			if err != nil || read.Method != ours {
				t.Fatalf("%s: %v", ours.Alg(), err)
			}
			if subject, _ := read.Claims.GetSubject(); subject != "carol" {
				t.Errorf("%s: sub is %q", ours.Alg(), subject)
			}
			text := token[:strings.LastIndex(token, ".")]
			if err := theirs.Verify(text, read.Signature, private.Public()); err != nil {
				t.Errorf("%s by golang-jwt: %v", ours.Alg(), err)
			}

			_, err = parse(token, newKey(t, ours).Public(), ours.Alg())
			if !errors.Is(err, jwt.ErrTokenSignatureInvalid) {
				t.Errorf("%s under another key: %v", ours.Alg(), err)
			}
			for _, signature := range [][]byte{nil, read.Signature[1:], append(read.Signature, 0), make([]byte, len(read.Signature))} {
				got, wanted := ours.Verify(text, signature, private.Public()), theirs.Verify(text, signature, private.Public())
				if wanted == nil || !errors.Is(got, wanted) {
					t.Errorf("%s, %d bytes: %v; golang-jwt: %v", ours.Alg(), len(signature), got, wanted)
				}
			}
		}
	}
}

// TestKeyDecides has tokens whose alg is not that of the key.
func TestKeyDecides(t *testing.T) {
	for method := range hosts {
		private := newKey(t, method)
		token, err := jwt.NewWithClaims(method, claims).SignedString(private)
		if err != nil {
			t.Fatal(err)
		}
		for other := range hosts {
			if other == method {
				continue
			}
			key := newKey(t, other)
			// the verifier allows both, and the key decides
			_, err := parse(token, key.Public(), method.Alg(), other.Alg())
			if !errors.Is(err, jwt.ErrInvalidKeyType) {
				t.Errorf("%s under a key of %s: %v", method.Alg(), other.Alg(), err)
			}
			if _, err := method.Sign("text", key); !errors.Is(err, jwt.ErrInvalidKeyType) {
				t.Errorf("%s signs with a key of %s: %v", method.Alg(), other.Alg(), err)
			}
		}
		if public, is := private.Public().(ed25519.PublicKey); is {
			forged, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(public))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parse(forged, public, "HS256", "EdDSA"); err == nil {
				t.Error("a token of HS256 is valid under a public key")
			}
		}
	}
}

func TestWrongKeys(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := stdecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for method := range hosts {
		for name, key := range map[string]any{
			"nil": nil, "RSA": &rsaKey.PublicKey, "P-521": &p521.PublicKey, "secret": []byte("secret"), "text": "text",
			"private": newKey(t, method),
		} {
			if err := method.Verify("text", make([]byte, 64), key); !errors.Is(err, jwt.ErrInvalidKeyType) {
				t.Errorf("%s verifies under %s: %v", method.Alg(), name, err)
			}
		}
		for name, key := range map[string]any{
			"nil": nil, "RSA": rsaKey, "P-521": p521, "secret": []byte("secret"), "public": newKey(t, method).Public(),
		} {
			if _, err := method.Sign("text", key); !errors.Is(err, jwt.ErrInvalidKeyType) {
				t.Errorf("%s signs with %s: %v", method.Alg(), name, err)
			}
		}
		for name, key := range map[string]any{
			"short": ed25519.PublicKey(make([]byte, 31)), "no point": &stdecdsa.PublicKey{Curve: elliptic.P256()},
			"nil ECDSA": (*stdecdsa.PublicKey)(nil),
		} {
			if err := method.Verify("text", make([]byte, 64), key); !errors.Is(err, jwt.ErrInvalidKey) {
				t.Errorf("%s verifies under %s: %v", method.Alg(), name, err)
			}
		}
	}
}

// token stands for a key in hardware.
type token struct{ key crypto.Signer }

func (t token) Public() crypto.PublicKey { return t.key.Public() }

func (t token) Sign(random io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	return t.key.Sign(random, message, opts)
}

// TestSigners has keys that are no plain private keys, as golang-jwt takes them.
func TestSigners(t *testing.T) {
	ed := token{newKey(t, sigmilljwt.EdDSA)}
	text, err := jwt.NewWithClaims(sigmilljwt.EdDSA, claims).SignedString(ed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(text, ed.Public(), "EdDSA"); err != nil {
		t.Error(err)
	}
	if _, err := sigmilljwt.EdDSA.Sign("text", token{newKey(t, sigmilljwt.ES256)}); err == nil {
		t.Error("EdDSA signs with a token of ECDSA")
	}
	private := newKey(t, sigmilljwt.ES256).(*stdecdsa.PrivateKey)
	signer, err := ecdsa.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	text, err = jwt.NewWithClaims(sigmilljwt.ES256, claims).SignedString(signer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(text, private.Public(), "ES256"); err != nil {
		t.Error(err)
	}
}
