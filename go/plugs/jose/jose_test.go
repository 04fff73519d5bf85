package sigmilljose_test

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/sigmill/sigmill/go/ecdsa"
	sigmill "github.com/sigmill/sigmill/go/ed25519"
	sigmilljose "github.com/sigmill/sigmill/go/plugs/jose"
)

type pair struct {
	alg     jose.SignatureAlgorithm
	private crypto.Signer
	public  crypto.PublicKey
}

func newPair(t *testing.T, alg jose.SignatureAlgorithm) pair {
	t.Helper()
	var private crypto.Signer
	var err error
	switch alg {
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(nil)
	case jose.ES256:
		private, err = stdecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		private, err = stdecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pair{alg, private, private.Public()}
}

var algorithms = []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256, jose.ES384}

// sign makes a compact token; key is go-jose's or opaque.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, payload string) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func parse(t *testing.T, token string) *jose.JSONWebSignature {
	t.Helper()
	read, err := jose.ParseSigned(token, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func newVerifier(t *testing.T, public crypto.PublicKey) *sigmilljose.Verifier {
	t.Helper()
	verifier, err := sigmilljose.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

func newSigner(t *testing.T, private crypto.PrivateKey) *sigmilljose.Signer {
	t.Helper()
	signer, err := sigmilljose.NewSigner(private, "a key")
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// TestBothWays has tokens of go-jose verified by sigmill, and the other way round.
func TestBothWays(t *testing.T) {
	for _, alg := range algorithms {
		p := newPair(t, alg)
		for by, key := range map[string]any{"go-jose": p.private, "sigmill": newSigner(t, p.private)} {
			token := sign(t, alg, key, "hello")
			for of, key := range map[string]any{"go-jose": p.public, "sigmill": newVerifier(t, p.public)} {
				payload, err := parse(t, token).Verify(key)
				if err != nil || string(payload) != "hello" {
					t.Errorf("%s by %s, verified by %s: %q, %v", alg, by, of, payload, err)
				}
			}
			changed := parse(t, token)
			changed.Signatures[0].Signature[5] ^= 1
			if _, err := changed.Verify(newVerifier(t, p.public)); err == nil {
				t.Errorf("%s: a changed signature is valid", alg)
			}
			if _, err := parse(t, token).Verify(newVerifier(t, newPair(t, alg).public)); err == nil {
				t.Errorf("%s: the signature is valid under another key", alg)
			}
		}
	}
}

// TestExpandedKeys has the signers of sigmill as keys.
func TestExpandedKeys(t *testing.T) {
	ed, ec := newPair(t, jose.EdDSA), newPair(t, jose.ES384)
	expanded, err := sigmill.NewExpandedPrivateKey(ed.private.(ed25519.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	read, err := ecdsa.NewSigner(ec.private.(*stdecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pair
		key any
	}{{ed, expanded}, {ec, read}} {
		token := sign(t, c.alg, newSigner(t, c.key), "hello")
		if _, err := parse(t, token).Verify(c.public); err != nil {
			t.Errorf("%s: %v", c.alg, err)
		}
	}
	edSigner, ecSigner := newSigner(t, expanded), newSigner(t, read)
	expanded.Wipe()
	read.Wipe()
	if _, err := edSigner.SignPayload([]byte("hello"), jose.EdDSA); err == nil {
		t.Error("a wiped key signs")
	}
	if _, err := ecSigner.SignPayload([]byte("hello"), jose.ES384); err == nil {
		t.Error("a wiped signer signs")
	}
	for _, wiped := range []any{expanded, read} {
		if _, err := sigmilljose.NewSigner(wiped, ""); err == nil || !strings.Contains(err.Error(), "has been wiped") {
			t.Errorf("%T: %v", wiped, err)
		}
	}
}

// TestKeyDecides has the alg of a header refused that is not the key's.
func TestKeyDecides(t *testing.T) {
	for _, alg := range algorithms {
		p := newPair(t, alg)
		for _, other := range append(algorithms, jose.HS256, jose.RS256, "", "none") {
			if other == alg {
				continue
			}
			_, err := newSigner(t, p.private).SignPayload([]byte("hello"), other)
			if !errors.Is(err, jose.ErrUnsupportedAlgorithm) || !strings.Contains(err.Error(), string(alg)) {
				t.Errorf("a key of %s signs with %q: %v", alg, other, err)
			}
			signature, err := newSigner(t, p.private).SignPayload([]byte("hello"), alg)
			if err != nil {
				t.Fatal(err)
			}
			err = newVerifier(t, p.public).VerifyPayload([]byte("hello"), signature, other)
			if !errors.Is(err, jose.ErrUnsupportedAlgorithm) {
				t.Errorf("a signature of %s is verified as %q: %v", alg, other, err)
			}
		}
		if _, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: newSigner(t, p.private)}, nil); err == nil {
			t.Errorf("%s: go-jose makes a signer of HS256", alg)
		}
		// HMAC under the public key as a secret
		if secret, is := p.public.(ed25519.PublicKey); is {
			forged := sign(t, jose.HS256, []byte(secret), "hello")
			read, err := jose.ParseSigned(forged, []jose.SignatureAlgorithm{jose.HS256})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := read.Verify(newVerifier(t, p.public)); err == nil {
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
	ed := newPair(t, jose.EdDSA)
	for name, key := range map[string]any{
		"nil": nil, "RSA": &rsaKey.PublicKey, "P-521": &p521.PublicKey, "short": ed25519.PublicKey(make([]byte, 31)),
		"no point": &stdecdsa.PublicKey{Curve: elliptic.P256()}, "nil ECDSA": (*stdecdsa.PublicKey)(nil), "secret": []byte("secret"),
		"nil JWK": (*jose.JSONWebKey)(nil), "empty JWK": jose.JSONWebKey{}, "RSA JWK": jose.JSONWebKey{Key: &rsaKey.PublicKey},
		"alg": jose.JSONWebKey{Key: ed.public, Algorithm: "ES256"},
	} {
		if verifier, err := sigmilljose.NewVerifier(key); err == nil || verifier != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, key := range map[string]any{
		"nil": nil, "RSA": rsaKey, "P-521": p521, "short": ed25519.PrivateKey(make([]byte, 63)), "none": ed25519.PrivateKey(nil),
		"nil ECDSA": (*stdecdsa.PrivateKey)(nil), "public": ed.public,
		"nil pointer": (*ed25519.PrivateKey)(nil), "nil signer": (*ecdsa.Signer)(nil), "nil expanded": (*sigmill.ExpandedPrivateKey)(nil),
		"no signer": new(ecdsa.Signer), "nothing expanded": new(sigmill.ExpandedPrivateKey),
	} {
		if signer, err := sigmilljose.NewSigner(key, ""); err == nil || signer != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJSONWebKeys has keys in the form in which verifiers get them.
func TestJSONWebKeys(t *testing.T) {
	for _, alg := range algorithms {
		p := newPair(t, alg)
		text, err := json.Marshal(newSigner(t, p.private).Public())
		if err != nil {
			t.Fatal(err)
		}
		var jwk jose.JSONWebKey
		if err := json.Unmarshal(text, &jwk); err != nil {
			t.Fatal(err)
		}
		token := sign(t, alg, newSigner(t, p.private), "hello")
		if kid := parse(t, token).Signatures[0].Header.KeyID; kid != "a key" {
			t.Errorf("%s: kid is %q", alg, kid)
		}
		for _, key := range []any{jwk, &jwk} {
			if _, err := parse(t, token).Verify(newVerifier(t, key)); err != nil {
				t.Errorf("%s: %v", alg, err)
			}
		}
	}
}

// RFC 7515 appendix A.3 and RFC 8037 appendix A.4.
func TestExamplesOfTheStandards(t *testing.T) {
	for _, c := range []struct{ jwk, token, payload string }{
		{
			`{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`,
			"eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
			`{"iss":"joe",`,
		}, {
			`{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`,
			"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
			"Example of Ed25519 signing",
		},
	} {
		var jwk jose.JSONWebKey
		if err := json.Unmarshal([]byte(c.jwk), &jwk); err != nil {
			t.Fatal(err)
		}
		payload, err := parse(t, c.token).Verify(newVerifier(t, jwk))
		if err != nil || !bytes.HasPrefix(payload, []byte(c.payload)) {
			t.Errorf("%q, %v", payload, err)
		}
	}
}
