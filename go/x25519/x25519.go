// Package x25519 is the key agreement of RFC 7748 with types like those of crypto/ecdh.
package x25519

import (
	"crypto"
	cryptorand "crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"github.com/sigmill/sigmill/go/internal/core"
)

// Size is that of secret keys, public keys and shared secrets in bytes.
const Size = 32

var (
	errNotMade = errors.New("x25519: a private key that has been wiped, or was not made by its function")
	errZero    = errors.New("x25519: the shared secret is zero: the public key has small order")
)

// PublicKey is the u-coordinate of a point.
type PublicKey struct{ bytes [Size]byte }

// NewPublicKey takes any 32 bytes, as RFC 7748 does.
func NewPublicKey(key []byte) (*PublicKey, error) {
	if len(key) != Size {
		return nil, fmt.Errorf("x25519: public key has %d bytes, not %d", len(key), Size)
	}
	return &PublicKey{bytes: [Size]byte(key)}, nil
}

// Bytes returns a copy of the key.
func (k *PublicKey) Bytes() []byte { return append([]byte(nil), k.bytes[:]...) }

// Equal reports whether x is a *PublicKey of the same bytes; nil equals none.
func (k *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	return ok && k != nil && other != nil && k.bytes == other.bytes
}

// PrivateKey is a secret scalar with its public key. Several goroutines may use it at once, and one of them may wipe it. A
// copy is the same key: wiping one wipes the other. The zero value is no key, as one that has been wiped.
type PrivateKey struct{ key core.Hidden[privateKey] }

type privateKey struct {
	guard  core.Guard
	bytes  [Size]byte
	public PublicKey
}

// NewPrivateKey takes any 32 bytes; they are clamped when they are used (RFC 7748 section 5). Constant time.
func NewPrivateKey(key []byte) (*PrivateKey, error) {
	if len(key) != Size {
		return nil, fmt.Errorf("x25519: private key has %d bytes, not %d", len(key), Size)
	}
	k := &privateKey{bytes: [Size]byte(key)}
	core.X25519Public(k.public.bytes[:], k.bytes[:])
	return &PrivateKey{core.Hide(k)}, nil
}

// GenerateKey makes a key of 32 bytes read from rand, or of the system's if it is nil.
func GenerateKey(rand io.Reader) (*PrivateKey, error) {
	if rand == nil {
		rand = cryptorand.Reader
	}
	var key [Size]byte
	defer clear(key[:])
	if _, err := io.ReadFull(rand, key[:]); err != nil {
		return nil, err
	}
	return NewPrivateKey(key[:])
}

// enter begins a use. It returns nil for a key that is none: X25519 has a public key and shared secrets for zeros, which
// anybody knows.
func (k *PrivateKey) enter() (*privateKey, *core.Use) {
	if k == nil {
		return nil, nil
	}
	if key := k.key.Get(); key != nil {
		return key, key.guard.Enter()
	}
	return nil, nil
}

func (k *PrivateKey) mustEnter() (*privateKey, *core.Use) {
	key, use := k.enter()
	if use == nil {
		panic(errNotMade.Error())
	}
	return key, use
}

// Bytes returns a copy of the key. It panics for a key that is none.
func (k *PrivateKey) Bytes() []byte {
	key, use := k.mustEnter()
	defer use.Leave()
	return append([]byte(nil), key.bytes[:]...)
}

// PublicKey returns the public key. It panics for a key that is none.
func (k *PrivateKey) PublicKey() *PublicKey {
	key, use := k.mustEnter()
	defer use.Leave()
	return &PublicKey{bytes: key.public.bytes}
}

// Public is PublicKey, for interfaces such as [crypto.Signer]'s.
func (k *PrivateKey) Public() crypto.PublicKey { return k.PublicKey() }

// Equal reports whether x is a *PrivateKey of the same bytes; what is no key equals none. Constant time.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	return ok && core.EqualInUse(k.enter, other.enter, func(key, otherKey *privateKey) bool {
		return subtle.ConstantTimeCompare(key.bytes[:], otherKey.bytes[:]) == 1
	})
}

// ECDH returns the shared secret. The error is that of a public key of small order, with which it would be zero, or of a
// private key that is none. Constant time.
func (k *PrivateKey) ECDH(remote *PublicKey) ([]byte, error) {
	key, use := k.enter()
	if use == nil {
		return nil, errNotMade
	}
	defer use.Leave()
	shared := make([]byte, Size)
	if !core.X25519(shared, key.bytes[:], remote.bytes[:]) {
		return nil, errZero
	}
	return shared, nil
}

// Wipe overwrites the secret, as far as Go lets it: copies that the runtime or the collector made are not found. It waits
// for those who use the key, which is none from then on.
func (k *PrivateKey) Wipe() {
	if key := k.key.Get(); key != nil {
		key.guard.Wipe(func() { clear(key.bytes[:]) })
	}
}

// String says that it is a secret key, and no more, as do all verbs of fmt.
func (PrivateKey) String() string { return "x25519.PrivateKey(secret)" }

// GoString is String.
func (k PrivateKey) GoString() string { return k.String() }

// Format writes String, whatever the verb.
func (k PrivateKey) Format(state fmt.State, _ rune) { io.WriteString(state, k.String()) }
