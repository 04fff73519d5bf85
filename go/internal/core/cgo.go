//go:build cgo && !purego && linux && (amd64 || arm64)

package core

/*
#cgo CFLAGS: -O2
#include "sigmill.h"

// Structures that point to the caller's memory are made here: Go must not hand over memory that holds pointers.

static struct sigmill_variant variant_of(int kind, const uint8_t *context, size_t context_size) {
  struct sigmill_variant variant = {kind, context, context_size};
  return variant;
}

static int go_sign(uint8_t *signature, const uint8_t *seed, int kind, const uint8_t *context, size_t context_size,
                   const uint8_t *message, size_t message_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_sign(signature, seed, &variant, message, message_size);
}

static int go_key_sign(const struct sigmill_ed25519_key *key, uint8_t *signature, int kind, const uint8_t *context,
                       size_t context_size, const uint8_t *message, size_t message_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_key_sign(key, signature, &variant, message, message_size);
}

static int go_verify(int rule, int kind, const uint8_t *context, size_t context_size, const uint8_t *key,
                     size_t key_size, const uint8_t *message, size_t message_size, const uint8_t *signature,
                     size_t signature_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_verify(rule, &variant, key, key_size, message, message_size, signature, signature_size);
}

static int go_prepared_verify(const struct sigmill_ed25519_prepared *key, int rule, int kind, const uint8_t *context,
                              size_t context_size, const uint8_t *message, size_t message_size,
                              const uint8_t *signature, size_t signature_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_prepared_verify(key, rule, &variant, message, message_size, signature, signature_size);
}

static struct sigmill_spec spec_of(int rule, int kind, const uint8_t *context, size_t context_size) {
  struct sigmill_spec spec = {SIGMILL_ED25519, rule, {kind, context, context_size}, {0}};
  return spec;
}

static size_t go_scratch_size(size_t rows, int rule) {
  struct sigmill_spec spec = spec_of(rule, SIGMILL_PURE, 0, 0);
  return sigmill_bulk_scratch_size(0, rows, &spec, 1);
}

static int go_verify_table(int rule, int kind, const uint8_t *context, size_t context_size, size_t rows,
                           const uint8_t *keys, const uint8_t *messages, size_t messages_size, const int64_t *offsets,
                           const uint8_t *signatures, uint8_t *codes, uint8_t *scratch, size_t scratch_size) {
  struct sigmill_spec spec = spec_of(rule, kind, context, context_size);
  struct sigmill_table table = {0};
  table.keys.layout = SIGMILL_COLUMN_FIXED;
  table.keys.rows = rows;
  table.keys.width = 32;
  table.keys.values = keys;
  table.keys.values_size = 32 * rows;
  table.messages.layout = SIGMILL_COLUMN_LARGE_BINARY;
  table.messages.rows = rows;
  table.messages.values = messages;
  table.messages.values_size = messages_size;
  table.messages.offsets = offsets;
  table.signatures.layout = SIGMILL_COLUMN_FIXED;
  table.signatures.rows = rows;
  table.signatures.width = 64;
  table.signatures.values = signatures;
  table.signatures.values_size = 64 * rows;
  table.specs = &spec;
  table.spec_count = 1;
  return sigmill_bulk_verify(0, &table, codes, rows, 0, scratch, scratch_size);
}

#cgo noescape sigmill_ed25519_public_key
#cgo nocallback sigmill_ed25519_public_key
#cgo noescape sigmill_ed25519_key_init
#cgo nocallback sigmill_ed25519_key_init
#cgo noescape sigmill_ed25519_key_public
#cgo nocallback sigmill_ed25519_key_public
#cgo noescape sigmill_ed25519_key_wipe
#cgo nocallback sigmill_ed25519_key_wipe
#cgo noescape sigmill_ed25519_prepare
#cgo nocallback sigmill_ed25519_prepare
#cgo noescape go_sign
#cgo nocallback go_sign
#cgo noescape go_key_sign
#cgo nocallback go_key_sign
#cgo noescape go_verify
#cgo nocallback go_verify
#cgo noescape go_prepared_verify
#cgo nocallback go_prepared_verify
#cgo noescape go_scratch_size
#cgo nocallback go_scratch_size
#cgo noescape go_verify_table
#cgo nocallback go_verify_table
#cgo noescape sigmill_x25519
#cgo nocallback sigmill_x25519
#cgo noescape sigmill_x25519_public_key
#cgo nocallback sigmill_x25519_public_key
#cgo noescape sigmill_x25519_public_from_ed25519
#cgo nocallback sigmill_x25519_public_from_ed25519
#cgo noescape sigmill_cpu_limit
#cgo nocallback sigmill_cpu_limit
#cgo noescape sigmill_cpu_features
#cgo nocallback sigmill_cpu_features
*/
import "C"

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
)

// Implementation is what computes.
const Implementation = "assembly"

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

func contextOf(v *Variant) (C.int, *C.uint8_t, C.size_t) {
	return C.int(v.Kind), (*C.uint8_t)(unsafe.StringData(v.Context)), C.size_t(len(v.Context))
}

// must takes a result that is an error only if this package is wrong.
func must(result C.int) {
	if result != 0 {
		panic("sigmill: error " + strconv.Itoa(int(result)))
	}
}

// verdictOf takes a result that is a verdict.
func verdictOf(result C.int) Verdict {
	if result < 0 {
		must(result)
	}
	return Verdict(result)
}

// turn lets other goroutines run, in one call of so many. A goroutine that has called C for 10 ms without a turn of the
// scheduler loses its processor in nearly each call from then on, as the scheduler finds nobody to ask to give it up. A
// turn takes some 5 µs where a processor is idle, which then looks for work.
func turn(every uint32) {
	if rand.Uint32()%every == 0 {
		runtime.Gosched()
	}
}

// Of calls that take 3 to 40 µs, and up to 150.
const (
	quickCalls = 256
	slowCalls  = 64
)

// PublicKey writes the 32 bytes of a seed's public key. Constant time.
func PublicKey(out, seed []byte) {
	turn(quickCalls)
	_, _ = out[31], seed[31]
	must(C.sigmill_ed25519_public_key(bytesOf(out), bytesOf(seed)))
}

// Sign writes the 64 bytes of a signature. The public key is derived from the seed. Constant time but for sizes.
func Sign(out, seed []byte, variant Variant, message []byte) {
	turn(quickCalls)
	_, _ = out[63], seed[31]
	kind, context, size := contextOf(&variant)
	must(C.go_sign(bytesOf(out), bytesOf(seed), kind, context, size, bytesOf(message), C.size_t(len(message))))
}

// Expanded is a secret key with what signing needs of it.
type Expanded struct {
	key C.struct_sigmill_ed25519_key
}

// Expand makes one of a seed.
func Expand(seed []byte) *Expanded {
	_ = seed[31]
	e := new(Expanded)
	must(C.sigmill_ed25519_key_init(&e.key, bytesOf(seed)))
	return e
}

// Public writes the public key.
func (e *Expanded) Public(out []byte) {
	_ = out[31]
	must(C.sigmill_ed25519_key_public(&e.key, bytesOf(out)))
}

// Sign writes a signature. Constant time but for sizes.
func (e *Expanded) Sign(out []byte, variant Variant, message []byte) {
	turn(quickCalls)
	_ = out[63]
	kind, context, size := contextOf(&variant)
	must(C.go_key_sign(&e.key, bytesOf(out), kind, context, size, bytesOf(message), C.size_t(len(message))))
}

// Wipe overwrites the key; it signs no more.
func (e *Expanded) Wipe() { must(C.sigmill_ed25519_key_wipe(&e.key)) }

// Prepared is a public key whose bytes decode, with tables of its multiples.
type Prepared struct {
	key C.struct_sigmill_ed25519_prepared
}

// Prepare decodes a public key of 32 bytes.
func Prepare(key []byte) (*Prepared, bool) {
	_ = key[31]
	p := new(Prepared)
	return p, C.sigmill_ed25519_prepare(&p.key, bytesOf(key)) == 0
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func Verify(rule Rule, variant Variant, key, message, signature []byte) Verdict {
	turn(quickCalls)
	kind, context, size := contextOf(&variant)
	return verdictOf(C.go_verify(C.int(rule), kind, context, size, bytesOf(key), C.size_t(len(key)),
		bytesOf(message), C.size_t(len(message)), bytesOf(signature), C.size_t(len(signature))))
}

// Verify gives the verdict of a known rule. Time depends on all inputs.
func (p *Prepared) Verify(rule Rule, variant Variant, message, signature []byte) Verdict {
	turn(quickCalls)
	kind, context, size := contextOf(&variant)
	return verdictOf(C.go_prepared_verify(&p.key, C.int(rule), kind, context, size,
		bytesOf(message), C.size_t(len(message)), bytesOf(signature), C.size_t(len(signature))))
}

// Bits of LimitCPU.
const (
	cpuAVX2 = 1 << 1
	cpuIFMA = 1 << 2
)

// LimitCPU takes away what is not in features (bit 0: ADX, 1: AVX2, 2: AVX-512 IFMA), for tests and comparisons. Not
// while anything else computes.
func LimitCPU(features uint32) { C.sigmill_cpu_limit(C.uint32_t(features)) }

var scratch = sync.Pool{New: func() any { return new([]byte) }}

// piecesOf are such that a call takes less than a millisecond, large ones if all rows are valid. Of the cofactored
// equation fewer rows are combined; what is refused in small pieces has its own equation from the beginning, but with IFMA.
func piecesOf(rule Rule) pieces {
	cofactored := rule.Asks().Cofactored
	switch features := uint32(C.sigmill_cpu_features()); {
	case features&cpuIFMA != 0:
		return pieces{large: 512, small: 128}
	case features&cpuAVX2 != 0 && cofactored:
		return pieces{large: 96, small: 32}
	case features&cpuAVX2 != 0:
		return pieces{large: 64, small: 64}
	case cofactored:
		return pieces{large: 32, small: 8}
	}
	return pieces{large: 16, small: 16}
}

// VerifyPiece writes the verdicts of rows first to first+len(verdicts) under a known rule, and reports whether all are
// valid. Time depends on all inputs.
func VerifyPiece(rule Rule, variant Variant, table *Table, first int, verdicts []Verdict) bool {
	rows := len(verdicts)
	if rows == 0 {
		return true
	}
	keys, signatures, offsets := table.Keys[32*first:][:32*rows], table.Signatures[64*first:][:64*rows], table.Offsets[first:][:rows+1]
	memory := scratch.Get().(*[]byte)
	defer scratch.Put(memory)
	if size := int(C.go_scratch_size(C.size_t(rows), C.int(rule))); len(*memory) < size {
		*memory = make([]byte, size)
	}
	kind, context, size := contextOf(&variant)
	codes := unsafe.Slice((*byte)(unsafe.SliceData(verdicts)), rows)
	result := C.go_verify_table(C.int(rule), kind, context, size, C.size_t(rows), bytesOf(keys), bytesOf(table.Messages),
		C.size_t(len(table.Messages)), (*C.int64_t)(unsafe.SliceData(offsets)), bytesOf(signatures), bytesOf(codes),
		bytesOf(*memory), C.size_t(len(*memory)))
	if result < 0 {
		must(result)
	}
	return result == 0
}

// X25519Public writes the public key of a secret of 32 bytes. Constant time.
func X25519Public(out, secret []byte) {
	turn(quickCalls)
	_, _ = out[31], secret[31]
	must(C.sigmill_x25519_public_key(bytesOf(out), bytesOf(secret)))
}

// X25519 writes the shared secret, and reports whether it is not zero; if it is, out stays as it was. Constant time.
func X25519(out, secret, public []byte) bool {
	turn(quickCalls)
	_, _, _ = out[31], secret[31], public[31]
	return C.sigmill_x25519(bytesOf(out), bytesOf(secret), bytesOf(public)) == 0
}

// X25519PublicOf writes the X25519 public key that belongs to an Ed25519 one, and reports whether that decodes.
func X25519PublicOf(out, key []byte) bool {
	_, _ = out[31], key[31]
	return C.sigmill_x25519_public_from_ed25519(bytesOf(out), bytesOf(key)) == 0
}

// HasIFMA reports whether AVX-512 IFMA is used.
func HasIFMA() bool { return uint32(C.sigmill_cpu_features())&cpuIFMA != 0 }
