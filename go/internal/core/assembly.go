//go:build !purego && ((linux && (amd64 || (arm64 && cgo && !sigmill_nocgo))) || (sigmill_untested && ((amd64 && (darwin || windows)) || (arm64 && darwin && cgo && !sigmill_nocgo))))

package core

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
)

// What the C face's objects hold, by the sizes of sigmill.h.
type (
	keyWords      [48]uint64
	preparedWords [960]uint64
	verifierWords [96]uint64
	ecdsaKeyWords [32]uint64
	progressWords [128]uint64
)

// Bits of features and LimitCPU.
const (
	cpuAVX2 = 1 << 1
	cpuIFMA = 1 << 2
)

// How often calls make way for others, where that is needed: of calls that take 3 to 40 µs, and up to 150.
const (
	quickCalls = 256
	slowCalls  = 64
)

// longest is how many bytes one call hashes: some 0.4 ms, twice when it signs. No call is interrupted by the scheduler. Tests
// change it.
var longest = 256 << 10

// must takes a result that is an error only if this package is wrong.
func must(result int) {
	if result != 0 {
		panic("sigmill: error " + strconv.Itoa(result))
	}
}

// messageChanged is the result of signing a message that another goroutine changes: no signature.
const messageChanged = -15

// verdictOf takes a result that is a verdict.
func verdictOf(result int) Verdict {
	if result < 0 {
		must(result)
	}
	return Verdict(result)
}

// PublicKey writes the 32 bytes of a seed's public key. Constant time.
func PublicKey(out, seed []byte) {
	turn(quickCalls)
	_, _ = out[31], seed[31]
	must(callPublicKey(out, seed))
}

// Sign writes the 64 bytes of a signature. The public key is derived from the seed. Constant time but for sizes.
func Sign(out, seed []byte, variant Variant, message []byte) {
	turn(quickCalls)
	_, _ = out[63], seed[31]
	if len(message) > longest {
		signLong(out, seed, variant, message)
		return
	}
	result := callSign(out, seed, variant, message)
	if result == messageChanged {
		result = callSign(out, seed, variant, bytes.Clone(message))
	}
	must(result)
}

// signLong signs by the standard library, which the scheduler may interrupt while it hashes.
func signLong(out, seed []byte, variant Variant, message []byte) {
	key := ed25519.NewKeyFromSeed(seed)
	defer clear(key)
	signByStd(out, key, variant, message)
}

// Expanded is a secret key with what signing needs of it.
type Expanded struct {
	key keyWords
}

// Expand makes one of a seed.
func Expand(seed []byte) *Expanded {
	_ = seed[31]
	e := new(Expanded)
	must(callKeyInit(&e.key, seed))
	return e
}

// Public writes the public key.
func (e *Expanded) Public(out []byte) {
	_ = out[31]
	must(callKeyPublic(&e.key, out))
}

// Equal reports whether both are of one seed. Constant time.
func (e *Expanded) Equal(other *Expanded) bool {
	var seed, its [32]byte
	defer clear(seed[:])
	defer clear(its[:])
	must(callKeySeed(&e.key, seed[:]))
	must(callKeySeed(&other.key, its[:]))
	return subtle.ConstantTimeCompare(seed[:], its[:]) == 1
}

// Sign writes a signature. Constant time but for sizes.
func (e *Expanded) Sign(out []byte, variant Variant, message []byte) {
	turn(quickCalls)
	_ = out[63]
	if len(message) > longest {
		e.signLong(out, variant, message)
		return
	}
	result := callKeySign(&e.key, out, variant, message)
	if result == messageChanged {
		result = callKeySign(&e.key, out, variant, bytes.Clone(message))
	}
	must(result)
}

func (e *Expanded) signLong(out []byte, variant Variant, message []byte) {
	seed := make([]byte, 32)
	defer clear(seed)
	must(callKeySeed(&e.key, seed))
	signLong(out, seed, variant, message)
}

// Wipe overwrites the key; it signs no more.
func (e *Expanded) Wipe() { must(callKeyWipe(&e.key)) }

// Prepared is a public key whose bytes decode, with tables of its multiples.
type Prepared struct {
	key   preparedWords
	bytes [32]byte
}

// Prepare decodes a public key of 32 bytes.
func Prepare(key []byte) (*Prepared, bool) {
	p := &Prepared{bytes: [32]byte(key)}
	return p, callPrepare(&p.key, key) == 0
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func Verify(rule Rule, variant Variant, key, message, signature []byte) Verdict {
	turn(quickCalls)
	if len(message) > longest && variant.Kind != Digest {
		return verifyLong(rule, variant, key, message, signature)
	}
	return verdictOf(callVerify(rule, variant, key, message, signature))
}

// verifyLong hashes the message piece by piece.
func verifyLong(rule Rule, variant Variant, key, message, signature []byte) Verdict {
	if refused := lengths(variant, key, message, signature); refused != Valid {
		return refused
	}
	var verifier verifierWords
	must(callVerifierInit(&verifier, rule, variant, key, signature))
	for len(message) > 0 {
		piece := message[:min(len(message), max(longest, 1))]
		must(callVerifierUpdate(&verifier, piece))
		message = message[len(piece):]
	}
	return verdictOf(callVerifierFinish(&verifier))
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func (p *Prepared) Verify(rule Rule, variant Variant, message, signature []byte) Verdict {
	turn(quickCalls)
	if len(message) > longest && variant.Kind != Digest {
		return verifyLong(rule, variant, p.bytes[:], message, signature)
	}
	return verdictOf(callPreparedVerify(&p.key, rule, variant, message, signature))
}

// workspace is what a call for many rows needs besides its rows.
type workspace struct {
	entropy  [32]byte
	progress progressWords
	memory   []byte
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// workspaceOf has so many bytes, and random ones that no row can know.
func workspaceOf(size int) *workspace {
	w := workspaces.Get().(*workspace)
	if len(w.memory) < size {
		w.memory = make([]byte, size)
	}
	rand.Read(w.entropy[:])
	return w
}

// piecesOf are what is combined: large ones are faster, but take more memory, half a kilobyte a row. Where rows are
// refused the library combines parts of a piece, by the rate of those that were refused before.
func piecesOf(Rule) pieces {
	switch features := features(); {
	case features&cpuIFMA != 0:
		return pieces{4096, 4096}
	case features&cpuAVX2 != 0:
		return pieces{2048, 2048}
	}
	return pieces{512, 512}
}

// additionsOf is how much work, in additions of points, one call does: some 0.3 ms, at most 1.
func additionsOf() int {
	switch features := features(); {
	case features&cpuIFMA != 0:
		return 12_000
	case features&cpuAVX2 != 0:
		return 3000
	}
	return 1000
}

// unfinished is the result of a call that leaves work for another.
const unfinished = 101

// short is how many of the rows between offsets, from the first on, have messages that one call hashes.
func short(offsets []int64) int {
	rows := 0
	for rows < len(offsets)-1 && offsets[rows+1]-offsets[rows] <= int64(longest) {
		rows++
	}
	return rows
}

// VerifyPiece writes the verdicts of rows first to first+len(verdicts) under a known rule, and reports whether all are
// valid. It makes a pause between calls of less than a millisecond, and gives up where that is false; verdicts mean
// nothing then. Pieces of one table share rate. Time depends on all inputs.
func VerifyPiece(rule Rule, variant Variant, table *Table, first int, verdicts []Verdict, rate *Rate, pause func() bool) bool {
	valid := true
	for len(verdicts) > 0 {
		rows := short(table.Offsets[first : first+len(verdicts)+1])
		if rows > 0 {
			valid = verifyShort(rule, variant, table, first, verdicts[:rows], rate, pause) && valid
		} else {
			rows = 1
			key, message, signature := table.Row(first)
			verdicts[0] = Verify(rule, variant, key, message, signature)
			valid = valid && verdicts[0] == Valid
			if len(verdicts) > 1 && !pause() {
				return false
			}
		}
		first, verdicts = first+rows, verdicts[rows:]
	}
	return valid
}

func verifyShort(rule Rule, variant Variant, table *Table, first int, verdicts []Verdict, rate *Rate, pause func() bool) bool {
	rows := len(verdicts)
	keys, signatures, offsets := table.Keys[32*first:][:32*rows], table.Signatures[64*first:][:64*rows], table.Offsets[first:][:rows+1]
	codes := unsafe.Slice((*byte)(unsafe.SliceData(verdicts)), rows)
	work := workspaceOf(callScratchSize(rows, rule))
	defer workspaces.Put(work)
	must(callProgressInit(&work.progress, rate.Load()))
	for additions := additionsOf(); ; {
		switch result := callVerifyStep(rule, variant, keys, table.Messages, offsets, signatures, work, codes, additions); {
		case result < 0:
			must(result)
		case result != unfinished:
			rate.Store(callProgressRate(&work.progress))
			return result == 0
		case !pause():
			return false
		}
	}
}

// signPieces are how many rows one call signs or makes keys of.
func signPieces() pieces {
	switch features := features(); {
	case features&cpuIFMA != 0:
		return pieces{128, 128}
	case features&cpuAVX2 != 0:
		return pieces{64, 64}
	}
	return pieces{32, 32}
}

func publicKeysPiece(out, seeds []byte) { must(callPublicKeys(out, seeds)) }

func signPiece(one *Expanded, seeds, messages [][]byte, out []byte) {
	size := 0
	for _, message := range messages {
		size += len(message)
	}
	if size > longest {
		for i, message := range messages {
			if one != nil {
				one.Sign(out[64*i:], Variant{}, message)
			} else {
				Sign(out[64*i:], seeds[i], Variant{}, message)
			}
		}
		return
	}
	flat, offsets := make([]byte, 0, size), make([]int64, 1, len(messages)+1)
	for _, message := range messages {
		flat = append(flat, message...)
		offsets = append(offsets, int64(len(flat)))
	}
	if one != nil {
		must(callSignTable(unsafe.Slice(&one.key, 1), flat, offsets, out))
		return
	}
	keys := make([]keyWords, len(seeds))
	for i, seed := range seeds {
		must(callKeyInit(&keys[i], seed))
	}
	must(callSignTable(keys, flat, offsets, out))
	clear(keys)
	runtime.KeepAlive(keys)
}

// X25519Public writes the public key of a secret of 32 bytes. Constant time.
func X25519Public(out, secret []byte) {
	turn(quickCalls)
	_, _ = out[31], secret[31]
	must(callX25519Public(out, secret))
}

// X25519 writes the shared secret, and reports whether it is not zero; if it is, out stays as it was. Constant time.
func X25519(out, secret, public []byte) bool {
	turn(quickCalls)
	_, _, _ = out[31], secret[31], public[31]
	return callX25519(out, secret, public) == 0
}

// X25519PublicOf writes the X25519 public key that belongs to an Ed25519 one, and reports whether that decodes.
func X25519PublicOf(out, key []byte) bool {
	_, _ = out[31], key[31]
	return callX25519PublicOf(out, key) == 0
}

// HasIFMA reports whether AVX-512 IFMA is used.
func HasIFMA() bool { return features()&cpuIFMA != 0 }
