package core

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Guard keeps a secret in place while it is used: Wipe waits until nobody does. The zero value guards a secret that is
// there.
type Guard struct {
	wiping sync.Mutex
	wiped  atomic.Bool
	uses   [8]Use
}

// Use counts the goroutines that use a secret. Each count has a cache line of its own, and goroutines share few of them,
// so that signing with one key on many processors does not wait for that line.
type Use struct {
	goroutines atomic.Int64
	_          [56]byte
}

// Enter begins a use, which ends with Leave. It returns nil if the secret has been wiped.
func (g *Guard) Enter() *Use {
	if g.wiped.Load() {
		return nil
	}
	// the address of a goroutine's stack chooses the count
	var here byte
	use := &g.uses[uint64(uintptr(unsafe.Pointer(&here)))>>11*0x9e3779b97f4a7c15>>61]
	use.goroutines.Add(1)
	// whoever wipes sets wiped before it looks at the counts
	if g.wiped.Load() {
		use.Leave()
		return nil
	}
	return use
}

// Leave ends a use.
func (u *Use) Leave() { u.goroutines.Add(-1) }

// EqualInUse compares two secrets, each between its begin and the end of its use. A secret that is none equals none.
func EqualInUse[T any](begin, beginOther func() (*T, *Use), equal func(secret, other *T) bool) bool {
	secret, use := begin()
	if use == nil {
		return false
	}
	defer use.Leave()
	other, otherUse := beginOther()
	if otherUse == nil {
		return false
	}
	defer otherUse.Leave()
	return equal(secret, other)
}

// Wiped reports whether wiping has begun.
func (g *Guard) Wiped() bool { return g.wiped.Load() }

// Wipe lets nobody in any more, waits until all have left, and overwrites the secret, the first time that it is called.
func (g *Guard) Wipe(overwrite func()) {
	g.wiping.Lock()
	defer g.wiping.Unlock()
	if g.wiped.Swap(true) {
		return
	}
	for i := range g.uses {
		for g.uses[i].goroutines.Load() != 0 {
			time.Sleep(20 * time.Microsecond)
		}
	}
	overwrite()
}

// Hidden is a pointer for code alone: printing by reflection, as fmt does, follows pointers in structures that it has no
// verb for, but not this one.
type Hidden[T any] struct{ pointer unsafe.Pointer }

// Hide hides a pointer.
func Hide[T any](pointer *T) Hidden[T] { return Hidden[T]{unsafe.Pointer(pointer)} }

// Get returns the pointer, or nil for the zero value.
func (h Hidden[T]) Get() *T { return (*T)(h.pointer) }
