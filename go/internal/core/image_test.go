//go:build !purego && amd64 && ((linux && (!cgo || sigmill_nocgo)) || (sigmill_untested && (darwin || windows)))

package core

import (
	"bytes"
	"crypto/sha512"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

const painted = 0xa5

// onPainted does what makes calls, the last on a stack that was painted before, and returns that.
func onPainted(t *testing.T, do func()) *stack {
	t.Helper()
	for range 100 {
		stacks.Get() // of this processor, where ours will be instead
		s := new(stack)
		for i := range s {
			s[i] = painted
		}
		stacks.Put(s)
		do()
		if slices.ContainsFunc(s[:], func(b byte) bool { return b != painted }) {
			return s
		}
	}
	t.Fatal("no call took the stack that was given")
	return nil
}

// depth is how many bytes of a painted stack have been used.
func (s *stack) depth() int {
	return stackTop - slices.IndexFunc(s[:], func(b byte) bool { return b != painted })
}

// inputs of all kinds of calls: secrets, and what they make of a message.
type secrets struct {
	seed, secret [32]byte
	ecdsa        [48]byte
	message      []byte
}

func newSecrets() *secrets {
	s := new(secrets)
	s.message = make([]byte, 100)
	for _, of := range [][]byte{s.seed[:], s.secret[:], s.ecdsa[:], s.message} {
		for i := range of {
			of[i] = byte(rand.Uint32())
		}
	}
	s.ecdsa[0] = 0x7f
	return s
}

// derived is what signing has to hide: the scalar, the prefix and the nonce.
func (s *secrets) derived() map[string][]byte {
	hash := sha512.Sum512(s.seed[:])
	scalar := slices.Clone(hash[:32])
	scalar[0] &= 248
	scalar[31] = scalar[31]&127 | 64
	wide := sha512.Sum512(append(slices.Clone(hash[32:]), s.message...))
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	backwards := func(b []byte) []byte { b = slices.Clone(b); slices.Reverse(b); return b }
	nonce := new(big.Int).SetBytes(backwards(wide[:]))
	nonce.Mod(nonce, order)
	return map[string][]byte{
		"seed": s.seed[:], "scalar": scalar, "prefix": hash[32:], "nonce": backwards(nonce.FillBytes(make([]byte, 32))),
		"wide nonce": wide[:], "X25519 secret": s.secret[:], "ECDSA secret": s.ecdsa[:], "ECDSA secret, in words": backwards(s.ecdsa[:]),
		"P-256 secret": s.ecdsa[:32], "P-256 secret, in words": backwards(s.ecdsa[:32]),
	}
}

func goOn() bool { return true }

// No call goes deeper than the header promises, with half of the stack to spare, and none leaves a secret there.
func TestStackOfTheImage(t *testing.T) {
	defer LimitCPU(^uint32(0))
	for _, cpu := range []uint32{^uint32(0), cpuAVX2 | 1, 1, 0} {
		LimitCPU(cpu)
		s := newSecrets()
		const rows = 600
		seeds, messages := make([][]byte, rows), make([][]byte, rows)
		table := Table{Offsets: []int64{0}}
		key, signature := make([]byte, 32), make([]byte, 64)
		for i := range rows {
			seeds[i], messages[i] = s.seed[:], s.message
			if i == 0 {
				PublicKey(key, seeds[i])
				Sign(signature, seeds[i], Variant{}, s.message)
			}
			table.Keys, table.Signatures = append(table.Keys, key...), append(table.Signatures, signature...)
			table.Messages = append(table.Messages, s.message...)
			table.Offsets = append(table.Offsets, int64(len(table.Messages)))
		}
		table.Signatures[64*17] ^= 1
		flatSeeds := bytes.Repeat(s.seed[:], 64)
		prepared, _ := Prepare(key)
		expanded := Expand(s.seed[:])
		p384, _ := NewECDSAKey(P384, s.ecdsa[:])
		p256, _ := NewECDSAKey(P256, s.ecdsa[:32])
		digest := sha512.Sum384(s.message)
		signer := map[string]func(){
			"PublicKey":       func() { PublicKey(make([]byte, 32), s.seed[:]) },
			"publicKeysPiece": func() { publicKeysPiece(make([]byte, 32*64), flatSeeds) },
			"Sign":            func() { Sign(make([]byte, 64), s.seed[:], Variant{}, s.message) },
			"Expand":          func() { Expand(s.seed[:]) },
			"Expanded.Sign":   func() { expanded.Sign(make([]byte, 64), Variant{}, s.message) },
			"signPiece":       func() { signPiece(nil, seeds[:128], messages[:128], make([]byte, 64*128)) },
			"signPiece, one":  func() { signPiece(expanded, nil, messages[:128], make([]byte, 64*128)) },
			"X25519Public":    func() { X25519Public(make([]byte, 32), s.secret[:]) },
			"X25519":          func() { X25519(make([]byte, 32), s.secret[:], key) },
			"NewECDSAKey":     func() { NewECDSAKey(P384, s.ecdsa[:]) },
			"ECDSA P-384":     func() { p384.Sign(make([]byte, 96), digest[:], nil) },
			"ECDSA P-256":     func() { p256.Sign(make([]byte, 64), digest[:32], nil) },
			"signECDSAPiece": func() {
				signECDSAPiece(P384, []*ECDSAKey{p384}, slices.Repeat([][]byte{digest[:]}, 32), make([]byte, 96*32))
			},
			"Verify":           func() { Verify(ZIP215, Variant{}, key, s.message, signature) },
			"Prepare":          func() { Prepare(key) },
			"Prepared.Verify":  func() { prepared.Verify(Strict, Variant{}, s.message, signature) },
			"verifyLong":       func() { verifyLong(Common, Variant{}, key, s.message, signature) },
			"VerifyPiece":      func() { VerifyPiece(Common, Variant{}, &table, 0, make([]Verdict, 512), new(Rate), goOn) },
			"VerifyPiece, few": func() { VerifyPiece(NoSmallKey, Variant{}, &table, 0, make([]Verdict, 24), new(Rate), goOn) },
		}
		deepest := 0
		for name, do := range signer {
			stack := onPainted(t, do)
			deepest = max(deepest, stack.depth())
			if depth := stack.depth(); depth > stackSize/2 {
				t.Errorf("CPU %d, %s: %d bytes of stack", cpu, name, depth)
			}
			for i := range stack[stackTop:] {
				if stack[stackTop+i] != painted {
					t.Fatalf("CPU %d, %s: written above the stack", cpu, name)
				}
			}
			for what, secret := range s.derived() {
				for at := 0; at+12 <= len(secret); at += 4 {
					if bytes.Contains(stack[:], secret[at:at+12]) {
						t.Errorf("CPU %d, %s: of the %s bytes from %d on are left on the stack", cpu, name, what, at)
						break
					}
				}
			}
		}
		t.Logf("CPU %d: at most %d bytes of stack", features(), deepest)
	}
}

// What the image has instead of C's library is right for every size and wherever both memories meet.
func TestCopiesOfTheImage(t *testing.T) {
	const most, room = 300, 700
	start := make([]byte, room)
	for i := range start {
		start[i] = byte(i*7 + i/256)
	}
	is, want := make([]byte, room), make([]byte, room)
	for size := range most {
		for _, distance := range []int{-most, -65, -33, -32, -17, -16, -9, -8, -5, -3, -1, 0, 1, 2, 4, 7, 8, 12, 15, 16, 17, 31, 32, 47, 64, most} {
			from, to := room/2-most/2, room/2-most/2+distance
			if to < 0 || to+size > room {
				continue
			}
			names := map[string]uintptr{"memmove": entryMemmove}
			if distance >= size || -distance >= size {
				names["memcpy"] = entryMemcpy
			}
			for name, entry := range names {
				copy(is, start)
				copy(want, start)
				copy(want[to:to+size], want[from:from+size])
				a := struct {
					to, from *byte
					size     uintptr
					_        [3]uintptr
				}{to: &is[to], from: &is[from], size: uintptr(size)}
				if got := call(entry, unsafe.Pointer(&a), unsafe.Sizeof(a)); got != uint64(uintptr(unsafe.Pointer(&is[to]))) || !bytes.Equal(is, want) {
					t.Fatalf("%s of %d bytes over %d", name, size, distance)
				}
			}
		}
		copy(is, start)
		copy(want, start)
		for i := range size {
			want[50+i] = 0xc3
		}
		a := struct {
			to          *byte
			value, size uintptr
			_           [3]uintptr
		}{to: &is[50], value: 0x77c3, size: uintptr(size)}
		if call(entryMemset, unsafe.Pointer(&a), unsafe.Sizeof(a)); !bytes.Equal(is, want) {
			t.Fatalf("memset of %d bytes", size)
		}
	}
}

// The linker keeps the image where its vectors are aligned.
func TestImageIsAligned(t *testing.T) {
	if address := imageAddress(); address%64 != 0 {
		t.Errorf("at %#x", address)
	}
}
