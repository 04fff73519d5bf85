package x25519_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/sigmill/sigmill/go/x25519"
)

// Keys as `openssl genpkey -algorithm x25519` and `openssl pkey -pubout` write them.
const privatePEM = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIPDZ+4FPg7oNegAg1uStFjlABERU9ZUVT37tCOOORARW
-----END PRIVATE KEY-----
`
const publicPEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VuAyEAfNVseKdNXBWdAqOi4VsMZfo2eVL4IaCqgt+We2r+8wM=
-----END PUBLIC KEY-----
`

func TestContainersOfTheStandardLibrary(t *testing.T) {
	block, _ := pem.Decode([]byte(privatePEM))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x25519.PrivateKeyFromECDH(parsed.(*ecdh.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(key.Bytes(), parsed.(*ecdh.PrivateKey).Bytes()) {
		t.Error("another private key")
	}
	back, err := key.ToECDH()
	if err != nil {
		t.Fatal(err)
	}
	if der, err := x509.MarshalPKCS8PrivateKey(back); err != nil || !bytes.Equal(der, block.Bytes) {
		t.Errorf("%x, %v", der, err)
	}

	block, _ = pem.Decode([]byte(publicPEM))
	parsed, err = x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x25519.PublicKeyFromECDH(parsed.(*ecdh.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	if !public.Equal(key.PublicKey()) {
		t.Error("another public key")
	}
	backPublic, err := public.ToECDH()
	if err != nil {
		t.Fatal(err)
	}
	if der, err := x509.MarshalPKIXPublicKey(backPublic); err != nil || !bytes.Equal(der, block.Bytes) {
		t.Errorf("%x, %v", der, err)
	}
}

func TestOtherKeysOfTheStandardLibrary(t *testing.T) {
	other, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x25519.PrivateKeyFromECDH(other); err == nil {
		t.Error("a private key on P-256 is taken")
	}
	if _, err := x25519.PublicKeyFromECDH(other.PublicKey()); err == nil {
		t.Error("a public key on P-256 is taken")
	}
	if _, err := x25519.PrivateKeyFromECDH(nil); err == nil {
		t.Error("no private key is taken")
	}
	if _, err := x25519.PublicKeyFromECDH(nil); err == nil {
		t.Error("no public key is taken")
	}
	var none x25519.PrivateKey
	if _, err := none.ToECDH(); err == nil {
		t.Error("a key that is none is given")
	}
}
