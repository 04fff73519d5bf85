// Package sigmillssh has signers and public keys for golang.org/x/crypto/ssh by sigmill: ssh-ed25519, ecdsa-sha2-nistp256
// and ecdsa-sha2-nistp384.
//
//	signer, err := sigmillssh.NewSigner(privateKey) // for ssh.ServerConfig.AddHostKey and ssh.PublicKeys
//	key, err := sigmillssh.NewPublicKey(publicKey)  // an ssh.PublicKey, whose Verify is sigmill's
//
// A handshake signs with the signer it was given, and verifies with a key that x/crypto/ssh has read itself. Keys of this
// package verify where a program calls Verify: certificates, files, agents.
package sigmillssh

import (
	"crypto"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/sigmill/sigmill/go/plugs/internal/keys"
	"golang.org/x/crypto/ssh"
)

// PublicKey is an [ssh.PublicKey] and an [ssh.CryptoPublicKey].
type PublicKey struct {
	ssh.PublicKey // the form on the wire
	key           crypto.PublicKey
	algorithm     keys.Algorithm
}

// NewPublicKey takes an ed25519.PublicKey, an *ecdsa.PublicKey on P-256 or P-384, or a key that x/crypto/ssh has read and
// that is one of these. Certificates and keys of security tokens are refused.
func NewPublicKey(key any) (*PublicKey, error) {
	if read, is := key.(ssh.PublicKey); is {
		inner, is := read.(ssh.CryptoPublicKey)
		if !is {
			return nil, unsupported(read.Type())
		}
		public := inner.CryptoPublicKey()
		made, err := NewPublicKey(public)
		if err != nil {
			return nil, err
		}
		if made.Type() != read.Type() {
			return nil, unsupported(read.Type())
		}
		return made, nil
	}
	algorithm, err := keys.Of(key)
	if err != nil {
		return nil, fmt.Errorf("sigmillssh: %w", err)
	}
	wire, err := ssh.NewPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("sigmillssh: %w", err)
	}
	return &PublicKey{wire, key, algorithm}, nil
}

// ParsePublicKey reads a key as it is on the wire.
func ParsePublicKey(wire []byte) (*PublicKey, error) {
	key, err := ssh.ParsePublicKey(wire)
	if err != nil {
		return nil, err
	}
	return NewPublicKey(key)
}

func unsupported(found string) error {
	return fmt.Errorf("sigmillssh: %w: %s; %s, %s and %s are supported", keys.ErrType, found,
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384)
}

// CryptoPublicKey returns the key that this one was made of.
func (k *PublicKey) CryptoPublicKey() crypto.PublicKey { return k.key }

// Verify returns nil for a valid signature of data, and the reason otherwise. The format must be the type of the key.
func (k *PublicKey) Verify(data []byte, signature *ssh.Signature) error {
	if signature == nil {
		return errors.New("sigmillssh: no signature")
	}
	if signature.Format != k.Type() {
		return fmt.Errorf("sigmillssh: the signature is %q; the key is %s", signature.Format, k.Type())
	}
	blob := signature.Blob
	if k.algorithm != keys.EdDSA {
		fixed, err := fixedOf(blob, k.algorithm)
		if err != nil {
			return fmt.Errorf("sigmillssh: %w", err)
		}
		blob = fixed
	}
	if err := keys.Verify(k.key, k.algorithm, data, blob); err != nil {
		return fmt.Errorf("sigmillssh: %w", err)
	}
	return nil
}

// integers are those of a signature of ECDSA (RFC 5656 section 3.1.2).
type integers struct{ R, S *big.Int }

func fixedOf(blob []byte, algorithm keys.Algorithm) ([]byte, error) {
	var of integers
	if err := ssh.Unmarshal(blob, &of); err != nil {
		return nil, err
	}
	width := 32
	if algorithm == keys.ES384 {
		width = 48
	}
	fixed := make([]byte, 2*width)
	for i, integer := range []*big.Int{of.R, of.S} {
		if integer.Sign() < 0 || integer.BitLen() > 8*width {
			return nil, fmt.Errorf("r or s is negative or longer than %d bytes", width)
		}
		integer.FillBytes(fixed[i*width : (i+1)*width])
	}
	return fixed, nil
}

// Signer is an [ssh.AlgorithmSigner] and an [ssh.MultiAlgorithmSigner].
type Signer struct {
	signer crypto.Signer
	public *PublicKey
}

// NewSigner reads a private key: an ed25519.PrivateKey or a pointer to one, as ssh.ParseRawPrivateKey returns it, an
// *ed25519.ExpandedPrivateKey, an *ecdsa.PrivateKey or an *ecdsa.Signer, the last two on P-256 or P-384.
func NewSigner(private crypto.PrivateKey) (*Signer, error) {
	signer, _, err := keys.Signer(private)
	if err != nil {
		return nil, fmt.Errorf("sigmillssh: %w", err)
	}
	public, err := NewPublicKey(signer.Public())
	if err != nil {
		return nil, err
	}
	return &Signer{signer, public}, nil
}

// PublicKey returns a *[PublicKey].
func (s *Signer) PublicKey() ssh.PublicKey { return s.public }

// Algorithms returns the one algorithm of the key.
func (s *Signer) Algorithms() []string { return []string{s.public.Type()} }

// Sign signs data. random is ignored: Ed25519 is deterministic, and ECDSA takes random bytes of the system.
func (s *Signer) Sign(random io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(random, data, "")
}

// SignWithAlgorithm is Sign, if the algorithm is empty or the type of the key.
func (s *Signer) SignWithAlgorithm(_ io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	if algorithm != "" && algorithm != s.public.Type() {
		return nil, fmt.Errorf("sigmillssh: a key of %s does not sign with %q", s.public.Type(), algorithm)
	}
	blob, err := keys.Sign(s.signer, s.public.algorithm, data)
	if err != nil {
		return nil, fmt.Errorf("sigmillssh: %w", err)
	}
	if half := len(blob) / 2; s.public.algorithm != keys.EdDSA {
		r, s := new(big.Int).SetBytes(blob[:half]), new(big.Int).SetBytes(blob[half:])
		blob = ssh.Marshal(integers{r, s})
	}
	return &ssh.Signature{Format: s.public.Type(), Blob: blob}, nil
}
