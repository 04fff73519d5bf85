//go:build !purego && amd64 && ((linux && (!cgo || sigmill_nocgo)) || (sigmill_untested && (darwin || windows)))

package core

import (
	"runtime"
	"sync"
	"unsafe"
)

// Implementation is what computes.
const Implementation = "assembly without cgo"

// The library, as code and constants; docs/go-image.md says how it lives in a Go program. Not to be called.
func image()

// imageAddress is where it begins.
func imageAddress() (begin uintptr)

func setCPU(features uint32)

// features are what of the CPU is used.
func features() uint32

// enter calls the function at an entry of the image with so many arguments, at least six are read, on the stack that ends
// at top.
//
//go:noescape
func enter(entry uintptr, arguments unsafe.Pointer, count uintptr, top unsafe.Pointer) uint64

func init() { LimitCPU(^uint32(0)) }

// LimitCPU takes away what is not in features (bit 0: ADX, 1: AVX2, 2: AVX-512 IFMA), for tests and comparisons. Not
// while anything else computes.
func LimitCPU(features uint32) {
	setCPU(uint32(call(entryCPUDetect, unsafe.Pointer(&numbers{}), numbersSize)) & features)
}

// turn is for calls that keep their thread from the scheduler longer than it wants: here it waits for their end.
func turn(uint32) {}

// A stack for one call. The library promises 48 KiB for one operation and 120 for many rows (sigmill.h), entries with lists
// need a little more. What is above top is never used.
const (
	stackSize = 256 << 10
	stackTop  = stackSize - 256
)

type stack [stackSize]byte

var stacks = sync.Pool{New: func() any { return new(stack) }}

// call calls an entry with arguments of so many bytes, in words.
func call(entry uintptr, arguments unsafe.Pointer, size uintptr) uint64 {
	s := stacks.Get().(*stack)
	result := enter(entry, arguments, size/8, unsafe.Pointer(&s[stackTop]))
	stacks.Put(s)
	runtime.KeepAlive(arguments)
	return result
}

// status takes a result that is an int of C.
func status(result uint64) int { return int(int32(result)) }

// pointers and numbers are arguments of few.
type (
	pointers [6]unsafe.Pointer
	numbers  [6]uintptr
)

const (
	pointersSize = unsafe.Sizeof(pointers{})
	numbersSize  = unsafe.Sizeof(numbers{})
)

func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// callPointers calls what takes pointers only.
func callPointers(entry uintptr, arguments pointers) int {
	return status(call(entry, unsafe.Pointer(&arguments), pointersSize))
}

// span is a pointer and a size as they follow each other in C.
type span struct {
	at   *byte
	size uintptr
}

func bytesOf(b []byte) span { return span{unsafe.SliceData(b), uintptr(len(b))} }

// form is a variant as it is in C.
type form struct {
	kind    uintptr
	context span
}

func formOf(v Variant) form {
	return form{uintptr(v.Kind), span{unsafe.StringData(v.Context), uintptr(len(v.Context))}}
}

func flag(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

func callPublicKey(out, seed []byte) int {
	return callPointers(entryEd25519PublicKey, pointers{pointerTo(out), pointerTo(seed)})
}

func callPublicKeys(out, seeds []byte) int {
	a := struct {
		how, rows  uintptr
		seeds, out *byte
		_          [2]uintptr
	}{rows: uintptr(len(seeds) / 32), seeds: unsafe.SliceData(seeds), out: unsafe.SliceData(out)}
	return status(call(entryBulkEd25519PublicKeys, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callSign(out, seed []byte, variant Variant, message []byte) int {
	a := struct {
		out, seed *byte
		form
		message span
	}{unsafe.SliceData(out), unsafe.SliceData(seed), formOf(variant), bytesOf(message)}
	return status(call(entrySign, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callKeyInit(key *keyWords, seed []byte) int {
	return callPointers(entryEd25519KeyInit, pointers{unsafe.Pointer(key), pointerTo(seed)})
}

func callKeyPublic(key *keyWords, out []byte) int {
	return callPointers(entryEd25519KeyPublic, pointers{unsafe.Pointer(key), pointerTo(out)})
}

func callKeySeed(key *keyWords, out []byte) int {
	return callPointers(entryEd25519KeySeed, pointers{unsafe.Pointer(key), pointerTo(out)})
}

func callKeySign(key *keyWords, out []byte, variant Variant, message []byte) int {
	a := struct {
		key *keyWords
		out *byte
		form
		message span
	}{key, unsafe.SliceData(out), formOf(variant), bytesOf(message)}
	return status(call(entryKeySign, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callKeyWipe(key *keyWords) int {
	return callPointers(entryEd25519KeyWipe, pointers{unsafe.Pointer(key)})
}

func callPrepare(prepared *preparedWords, key []byte) int {
	return callPointers(entryEd25519Prepare, pointers{unsafe.Pointer(prepared), pointerTo(key)})
}

func callVerify(rule Rule, variant Variant, key, message, signature []byte) int {
	a := struct {
		rule uintptr
		form
		key, message, signature span
	}{uintptr(rule), formOf(variant), bytesOf(key), bytesOf(message), bytesOf(signature)}
	return status(call(entryVerify, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callPreparedVerify(key *preparedWords, rule Rule, variant Variant, message, signature []byte) int {
	return callUnderRule(entryPreparedVerify, unsafe.Pointer(key), rule, variant, message, signature)
}

func callVerifierInit(verifier *verifierWords, rule Rule, variant Variant, key, signature []byte) int {
	return callUnderRule(entryVerifierInit, unsafe.Pointer(verifier), rule, variant, key, signature)
}

// callUnderRule calls a function of an object, a rule, a variant and two runs of bytes.
func callUnderRule(entry uintptr, object unsafe.Pointer, rule Rule, variant Variant, first, second []byte) int {
	a := struct {
		object unsafe.Pointer
		rule   uintptr
		form
		first, second span
	}{object, uintptr(rule), formOf(variant), bytesOf(first), bytesOf(second)}
	return status(call(entry, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callVerifierUpdate(verifier *verifierWords, piece []byte) int {
	a := struct {
		verifier *verifierWords
		piece    span
		_        [3]uintptr
	}{verifier: verifier, piece: bytesOf(piece)}
	return status(call(entryEd25519VerifierUpdate, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callVerifierFinish(verifier *verifierWords) int {
	return callPointers(entryEd25519VerifierFinish, pointers{unsafe.Pointer(verifier)})
}

func callScratchSize(rows int, rule Rule) int {
	return int(call(entryScratchSize, unsafe.Pointer(&numbers{uintptr(rows), uintptr(rule)}), numbersSize))
}

func callProgressInit(progress *progressWords, rate uint64) int {
	a := struct {
		progress *progressWords
		rate     uint64
		_        [4]uintptr
	}{progress: progress, rate: rate}
	return status(call(entryProgressInitWithRate, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callProgressRate(progress *progressWords) uint64 {
	return call(entryProgressRate, unsafe.Pointer(&pointers{unsafe.Pointer(progress)}), pointersSize)
}

func callVerifyStep(rule Rule, variant Variant, keys, messages []byte, offsets []int64, signatures []byte, work *workspace, codes []byte, additions int) int {
	a := struct {
		rule uintptr
		form
		rows                       uintptr
		keys                       *byte
		messages                   span
		offsets                    *int64
		signatures, entropy, codes *byte
		scratch                    span
		progress                   *progressWords
		work                       uintptr
	}{
		uintptr(rule), formOf(variant), uintptr(len(offsets) - 1), unsafe.SliceData(keys), bytesOf(messages),
		unsafe.SliceData(offsets), unsafe.SliceData(signatures), &work.entropy[0], unsafe.SliceData(codes), bytesOf(work.memory),
		&work.progress, uintptr(additions),
	}
	return status(call(entryVerifyStep, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callSignTable(keys []keyWords, messages []byte, offsets []int64, out []byte) int {
	a := struct {
		keys        *keyWords
		count, rows uintptr
		messages    span
		offsets     *int64
		out         *byte
	}{unsafe.SliceData(keys), uintptr(len(keys)), uintptr(len(offsets) - 1), bytesOf(messages), unsafe.SliceData(offsets), unsafe.SliceData(out)}
	return status(call(entrySignTable, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callX25519Public(out, secret []byte) int {
	return callPointers(entryX25519PublicKey, pointers{pointerTo(out), pointerTo(secret)})
}

func callX25519(out, secret, public []byte) int {
	return callPointers(entryX25519, pointers{pointerTo(out), pointerTo(secret), pointerTo(public)})
}

func callX25519PublicOf(out, key []byte) int {
	return callPointers(entryX25519PublicFromEd25519, pointers{pointerTo(out), pointerTo(key)})
}

func callECDSAKeyInit(key *ecdsaKeyWords, curve Curve, secret []byte) int {
	a := struct {
		key    *ecdsaKeyWords
		curve  uintptr
		secret *byte
		_      [3]uintptr
	}{key: key, curve: uintptr(curve), secret: unsafe.SliceData(secret)}
	return status(call(entryECDSAKeyInit, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callECDSAKeyPublic(key *ecdsaKeyWords, out []byte) int {
	return callPointers(entryECDSAKeyPublic, pointers{unsafe.Pointer(key), pointerTo(out)})
}

func callECDSAKeyWipe(key *ecdsaKeyWords) int {
	return callPointers(entryECDSAKeyWipe, pointers{unsafe.Pointer(key)})
}

func callECDSAKeySign(key *ecdsaKeyWords, out, digest, noise []byte) int {
	a := struct {
		key         *ecdsaKeyWords
		out, digest span
		noise       *byte
	}{key, bytesOf(out), bytesOf(digest), unsafe.SliceData(noise)}
	return status(call(entryECDSAKeySign, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callECDSAVerify(curve Curve, policy Policy, key, digest, signature []byte) int {
	a := struct {
		curve, fixed, lowS     uintptr
		key, digest, signature span
	}{uintptr(curve), flag(policy.Fixed), flag(policy.LowS), bytesOf(key), bytesOf(digest), bytesOf(signature)}
	return status(call(entryECDSAVerify, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callECDSAScratchSize(rows int, curve Curve) int {
	return int(call(entryECDSAScratchSize, unsafe.Pointer(&numbers{uintptr(rows), uintptr(curve)}), numbersSize))
}

func callECDSAVerifyTable(curve Curve, policy Policy, keys, digests []byte, digestOffsets []int64, signatures []byte, signatureOffsets []int64, work *workspace, codes []byte) int {
	rows := len(digestOffsets) - 1
	a := struct {
		curve, fixed, lowS, rows uintptr
		keys                     *byte
		keySize                  uintptr
		digests                  span
		digestOffsets            *int64
		signatures               span
		signatureOffsets         *int64
		entropy, codes           *byte
		scratch                  span
	}{
		uintptr(curve), flag(policy.Fixed), flag(policy.LowS), uintptr(rows), unsafe.SliceData(keys), uintptr(len(keys) / rows),
		bytesOf(digests), unsafe.SliceData(digestOffsets), bytesOf(signatures), unsafe.SliceData(signatureOffsets),
		&work.entropy[0], unsafe.SliceData(codes), bytesOf(work.memory),
	}
	return status(call(entryECDSAVerifyTable, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}

func callECDSASignTable(keys []ecdsaKeyWords, digests []byte, width int, out []byte) int {
	a := struct {
		keys        *ecdsaKeyWords
		count, rows uintptr
		digests     *byte
		width       uintptr
		out         span
	}{unsafe.SliceData(keys), uintptr(len(keys)), uintptr(len(digests) / width), unsafe.SliceData(digests), uintptr(width), bytesOf(out)}
	return status(call(entryECDSASignTable, unsafe.Pointer(&a), unsafe.Sizeof(a)))
}
