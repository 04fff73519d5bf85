// Package cache is curve25519-voi's primitives/ed25519/extra/cache by sigmill: it keeps prepared public keys, with which
// further signatures of the same key take less time.
package cache

import (
	"container/list"
	"sync"

	ed25519 "github.com/sigmill/sigmill/go/voi"
)

// Cache has prepared public keys by their bytes.
type Cache interface {
	// Get returns the key with these bytes, or nil.
	Get(publicKey *ed25519.CompressedEdwardsY) *ed25519.ExpandedPublicKey
	// Put adds a key.
	Put(publicKey *ed25519.CompressedEdwardsY, expanded *ed25519.ExpandedPublicKey)
}

// Verifier verifies with keys that a cache has, or gets from it.
type Verifier struct{ cache Cache }

// NewVerifier makes one of a cache.
func NewVerifier(cache Cache) *Verifier { return &Verifier{cache} }

// Verify is [ed25519.Verify], but a key that cannot be one makes it false.
func (v *Verifier) Verify(publicKey ed25519.PublicKey, message, sig []byte) bool {
	return v.VerifyWithOptions(publicKey, message, sig, &ed25519.Options{})
}

// VerifyWithOptions is [ed25519.VerifyWithOptions], but a key that cannot be one makes it false.
func (v *Verifier) VerifyWithOptions(publicKey ed25519.PublicKey, message, sig []byte, opts *ed25519.Options) bool {
	expanded := v.expanded(publicKey)
	return expanded != nil && ed25519.VerifyExpandedWithOptions(expanded, message, sig, opts)
}

// Add adds a signature to a batch with the default options.
func (v *Verifier) Add(verifier *ed25519.BatchVerifier, publicKey ed25519.PublicKey, message, sig []byte) {
	v.AddWithOptions(verifier, publicKey, message, sig, &ed25519.Options{})
}

// AddWithOptions adds a signature to a batch.
func (v *Verifier) AddWithOptions(verifier *ed25519.BatchVerifier, publicKey ed25519.PublicKey, message, sig []byte, opts *ed25519.Options) {
	verifier.AddExpandedWithOptions(v.expanded(publicKey), message, sig, opts)
}

// AddPublicKey puts a key into the cache, if it is one.
func (v *Verifier) AddPublicKey(publicKey ed25519.PublicKey) { v.expanded(publicKey) }

// expanded is the prepared key, which the cache has afterwards; nil for what is no key.
func (v *Verifier) expanded(publicKey ed25519.PublicKey) *ed25519.ExpandedPublicKey {
	if len(publicKey) != ed25519.PublicKeySize {
		return nil
	}
	bytes := ed25519.CompressedEdwardsY(publicKey)
	if found := v.cache.Get(&bytes); found != nil {
		return found
	}
	made, err := ed25519.NewExpandedPublicKey(bytes[:])
	if err != nil {
		return nil
	}
	v.cache.Put(&bytes, made)
	return made
}

// recent keeps the keys that were used last, newest first.
type recent struct {
	lock     sync.Mutex
	at       map[ed25519.CompressedEdwardsY]*list.Element
	order    list.List // of *ed25519.ExpandedPublicKey
	capacity int
}

// NewLRUCache makes a cache of so many keys, which gives up the one whose last use is the longest ago. It may be used by
// several goroutines at once. It panics for a capacity below 1.
func NewLRUCache(capacity int) Cache {
	if capacity <= 0 {
		panic("edcache: capacity must be > 0")
	}
	return &recent{at: map[ed25519.CompressedEdwardsY]*list.Element{}, capacity: capacity}
}

func (c *recent) Get(publicKey *ed25519.CompressedEdwardsY) *ed25519.ExpandedPublicKey {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.use(*publicKey)
}

// use returns a key and makes it the newest.
func (c *recent) use(bytes ed25519.CompressedEdwardsY) *ed25519.ExpandedPublicKey {
	element, there := c.at[bytes]
	if !there {
		return nil
	}
	c.order.MoveToFront(element)
	return element.Value.(held).key
}

type held struct {
	bytes ed25519.CompressedEdwardsY // by which it was put, whatever the key's are
	key   *ed25519.ExpandedPublicKey
}

func (c *recent) Put(publicKey *ed25519.CompressedEdwardsY, expanded *ed25519.ExpandedPublicKey) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.use(*publicKey) != nil {
		return
	}
	if c.order.Len() == c.capacity {
		delete(c.at, c.order.Remove(c.order.Back()).(held).bytes)
	}
	c.at[*publicKey] = c.order.PushFront(held{*publicKey, expanded})
}
