package sigmillssh_test

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"

	sigmillssh "github.com/sigmill/sigmill/go/plugs/ssh"
	"golang.org/x/crypto/ssh"
)

var kinds = []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384}

func newKey(t *testing.T, kind string) (private crypto.Signer) {
	t.Helper()
	var err error
	switch kind {
	case ssh.KeyAlgoED25519:
		_, private, err = ed25519.GenerateKey(nil)
	case ssh.KeyAlgoECDSA256:
		private, err = stdecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		private, err = stdecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return private
}

func ours(t *testing.T, private crypto.PrivateKey) *sigmillssh.Signer {
	t.Helper()
	signer, err := sigmillssh.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func theirs(t *testing.T, private crypto.PrivateKey) ssh.Signer {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// TestBothWays has signatures of x/crypto/ssh verified by sigmill, and the other way round. r and s begin with a zero byte
// now and then.
func TestBothWays(t *testing.T) {
	for _, kind := range kinds {
		private := newKey(t, kind)
		signers := []ssh.Signer{ours(t, private), theirs(t, private)}
		if !bytes.Equal(signers[0].PublicKey().Marshal(), signers[1].PublicKey().Marshal()) {
			t.Fatalf("%s: the keys differ on the wire", kind)
		}
		for i := range 150 {
			data := bytes.Repeat([]byte{byte(i)}, i)
			for _, signer := range signers {
				signature, err := signer.Sign(rand.Reader, data)
				if err != nil {
					t.Fatal(err)
				}
				for _, by := range signers {
					if err := by.PublicKey().Verify(data, signature); err != nil {
						t.Fatalf("%s, %d bytes: %v", kind, i, err)
					}
					if by.PublicKey().Verify(append(data, 0), signature) == nil {
						t.Fatalf("%s: valid for other data", kind)
					}
				}
			}
		}
		signature, err := signers[0].Sign(nil, []byte("hello"))
		if err != nil {
			t.Fatal(err)
		}
		if ours(t, newKey(t, kind)).PublicKey().Verify([]byte("hello"), signature) == nil {
			t.Errorf("%s: valid under another key", kind)
		}
	}
}

// TestHandshake has a server and a client whose keys are sigmill's.
func TestHandshake(t *testing.T) {
	for _, kind := range kinds {
		host, user := ours(t, newKey(t, kind)), ours(t, newKey(t, kind))
		server := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(key.Marshal(), user.PublicKey().Marshal()) {
				return nil, errors.New("another user")
			}
			return nil, nil
		}}
		server.AddHostKey(host)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 2)
		go func() {
			for range 2 {
				socket, err := listener.Accept()
				if err == nil {
					var connection *ssh.ServerConn
					if connection, _, _, err = ssh.NewServerConn(socket, server); err == nil {
						connection.Close()
					}
				}
				done <- err
			}
		}()
		for _, c := range []struct {
			signer ssh.Signer
			valid  bool
		}{{user, true}, {ours(t, newKey(t, kind)), false}} {
			connection, err := ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
				User: "carol", Auth: []ssh.AuthMethod{ssh.PublicKeys(c.signer)}, HostKeyCallback: ssh.FixedHostKey(host.PublicKey()),
			})
			if err == nil {
				connection.Close()
			}
			if of := <-done; (err == nil) != c.valid || (of == nil) != c.valid {
				t.Errorf("%s: client: %v; server: %v", kind, err, of)
			}
		}
		listener.Close()
	}
}

// TestCertificates has x/crypto/ssh sign and check a certificate with sigmill's keys.
func TestCertificates(t *testing.T) {
	for _, kind := range kinds {
		authority := ours(t, newKey(t, kind))
		certificate := &ssh.Certificate{
			Key: ours(t, newKey(t, kind)).PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"carol"}, ValidBefore: ssh.CertTimeInfinity,
		}
		if err := certificate.SignCert(rand.Reader, authority); err != nil {
			t.Fatal(err)
		}
		read, err := ssh.ParsePublicKey(certificate.Marshal())
		if err != nil {
			t.Fatal(err)
		}
		for _, certificate := range []*ssh.Certificate{certificate, read.(*ssh.Certificate)} {
			if err := new(ssh.CertChecker).CheckCert("carol", certificate); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		certificate.Serial++
		if new(ssh.CertChecker).CheckCert("carol", certificate) == nil {
			t.Errorf("%s: a changed certificate is valid", kind)
		}
		if _, err := sigmillssh.NewPublicKey(read); err == nil || !strings.Contains(err.Error(), "cert-v01") {
			t.Errorf("%s: a certificate is taken for a key: %v", kind, err)
		}
	}
}

// TestFormat has the formats and algorithms of other keys.
func TestFormat(t *testing.T) {
	for _, kind := range kinds {
		signer := ours(t, newKey(t, kind))
		signature, err := signer.Sign(nil, []byte("hello"))
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range append(kinds, ssh.KeyAlgoRSA, "") {
			if other != kind {
				err := signer.PublicKey().Verify([]byte("hello"), &ssh.Signature{Format: other, Blob: signature.Blob})
				if err == nil || !strings.Contains(err.Error(), kind) {
					t.Errorf("%s as %q: %v", kind, other, err)
				}
				if _, err := signer.SignWithAlgorithm(nil, nil, other); err == nil && other != "" {
					t.Errorf("%s signs with %q", kind, other)
				}
			}
		}
		huge := new(big.Int).Lsh(big.NewInt(1), 400)
		blobs := [][]byte{nil, signature.Blob[1:], append(bytes.Clone(signature.Blob), 0)}
		for _, integer := range []*big.Int{huge, big.NewInt(-1), big.NewInt(0)} {
			blobs = append(blobs, ssh.Marshal(struct{ R, S *big.Int }{integer, big.NewInt(1)}))
			blobs = append(blobs, ssh.Marshal(struct{ R, S *big.Int }{big.NewInt(1), integer}))
		}
		if kind != ssh.KeyAlgoED25519 {
			var of struct{ R, S *big.Int }
			if err := ssh.Unmarshal(signature.Blob, &of); err != nil {
				t.Fatal(err)
			}
			of.R.Neg(of.R)
			blobs = append(blobs, ssh.Marshal(of))
		}
		for _, blob := range blobs {
			if signer.PublicKey().Verify([]byte("hello"), &ssh.Signature{Format: kind, Blob: blob}) == nil {
				t.Errorf("%s: %x is valid", kind, blob)
			}
		}
		if signer.PublicKey().Verify([]byte("hello"), nil) == nil {
			t.Errorf("%s: no signature is valid", kind)
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
	for name, key := range map[string]any{"nil": nil, "RSA": rsaKey, "P-521": p521, "text": "text"} {
		if _, err := sigmillssh.NewSigner(key); err == nil || !strings.Contains(err.Error(), "unsupported key type") {
			t.Errorf("%s: %v", name, err)
		}
	}
	token := struct {
		Name, Key, Application string
	}{ssh.KeyAlgoSKED25519, string(newKey(t, ssh.KeyAlgoED25519).Public().(ed25519.PublicKey)), "ssh:"}
	for name, wire := range map[string][]byte{
		"RSA": theirs(t, rsaKey).PublicKey().Marshal(), "P-521": theirs(t, p521).PublicKey().Marshal(), "token": ssh.Marshal(token), "nothing": nil,
	} {
		if key, err := sigmillssh.ParsePublicKey(wire); err == nil || key != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFiles has the keys of files that ssh-keygen writes.
func TestFiles(t *testing.T) {
	for _, kind := range kinds {
		private := newKey(t, kind)
		block, err := ssh.MarshalPrivateKey(private, "a comment")
		if err != nil {
			t.Fatal(err)
		}
		read, err := ssh.ParseRawPrivateKey(pem.EncodeToMemory(block))
		if err != nil {
			t.Fatal(err)
		}
		signer := ours(t, read)
		key, err := sigmillssh.ParsePublicKey(theirs(t, private).PublicKey().Marshal())
		if err != nil || key.Type() != kind {
			t.Fatal(err)
		}
		signature, err := signer.Sign(nil, []byte("hello"))
		if err != nil {
			t.Fatal(err)
		}
		if err := key.Verify([]byte("hello"), signature); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
