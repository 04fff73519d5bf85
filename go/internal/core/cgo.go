//go:build !purego && cgo && !sigmill_nocgo && ((linux && (amd64 || arm64)) || (sigmill_untested && darwin && arm64))

package core

/*
#cgo CFLAGS: -O2
#include "calls.h"

#cgo noescape sigmill_ed25519_public_key
#cgo nocallback sigmill_ed25519_public_key
#cgo noescape sigmill_bulk_ed25519_public_keys
#cgo nocallback sigmill_bulk_ed25519_public_keys
#cgo noescape sigmill_ed25519_key_init
#cgo nocallback sigmill_ed25519_key_init
#cgo noescape sigmill_ed25519_key_public
#cgo nocallback sigmill_ed25519_key_public
#cgo noescape sigmill_ed25519_key_seed
#cgo nocallback sigmill_ed25519_key_seed
#cgo noescape sigmill_ed25519_key_wipe
#cgo nocallback sigmill_ed25519_key_wipe
#cgo noescape sigmill_ed25519_prepare
#cgo nocallback sigmill_ed25519_prepare
#cgo noescape sigmill_ed25519_verifier_update
#cgo nocallback sigmill_ed25519_verifier_update
#cgo noescape sigmill_ed25519_verifier_finish
#cgo nocallback sigmill_ed25519_verifier_finish
#cgo noescape go_sign
#cgo nocallback go_sign
#cgo noescape go_key_sign
#cgo nocallback go_key_sign
#cgo noescape go_verify
#cgo nocallback go_verify
#cgo noescape go_prepared_verify
#cgo nocallback go_prepared_verify
#cgo noescape go_verifier_init
#cgo nocallback go_verifier_init
#cgo noescape go_scratch_size
#cgo nocallback go_scratch_size
#cgo noescape go_verify_step
#cgo nocallback go_verify_step
#cgo noescape sigmill_progress_init_with_rate
#cgo nocallback sigmill_progress_init_with_rate
#cgo noescape sigmill_progress_rate
#cgo nocallback sigmill_progress_rate
#cgo noescape go_sign_table
#cgo nocallback go_sign_table
#cgo noescape sigmill_x25519
#cgo nocallback sigmill_x25519
#cgo noescape sigmill_x25519_public_key
#cgo nocallback sigmill_x25519_public_key
#cgo noescape sigmill_x25519_public_from_ed25519
#cgo nocallback sigmill_x25519_public_from_ed25519
#cgo noescape sigmill_ecdsa_key_init
#cgo nocallback sigmill_ecdsa_key_init
#cgo noescape sigmill_ecdsa_key_public
#cgo nocallback sigmill_ecdsa_key_public
#cgo noescape sigmill_ecdsa_key_wipe
#cgo nocallback sigmill_ecdsa_key_wipe
#cgo noescape go_ecdsa_verify
#cgo nocallback go_ecdsa_verify
#cgo noescape go_ecdsa_key_sign
#cgo nocallback go_ecdsa_key_sign
#cgo noescape go_ecdsa_scratch_size
#cgo nocallback go_ecdsa_scratch_size
#cgo noescape go_ecdsa_verify_table
#cgo nocallback go_ecdsa_verify_table
#cgo noescape go_ecdsa_sign_table
#cgo nocallback go_ecdsa_sign_table
#cgo noescape sigmill_cpu_limit
#cgo nocallback sigmill_cpu_limit
#cgo noescape sigmill_cpu_features
#cgo nocallback sigmill_cpu_features
*/
import "C"

import (
	"math/rand/v2"
	"runtime"
	"unsafe"
)

// Implementation is what computes.
const Implementation = "assembly"

// The objects have C's sizes, or this does not compile.
var (
	_ = [1]byte{}[unsafe.Sizeof(keyWords{})-C.sizeof_struct_sigmill_ed25519_key]
	_ = [1]byte{}[unsafe.Sizeof(preparedWords{})-C.sizeof_struct_sigmill_ed25519_prepared]
	_ = [1]byte{}[unsafe.Sizeof(verifierWords{})-C.sizeof_struct_sigmill_ed25519_verifier]
	_ = [1]byte{}[unsafe.Sizeof(progressWords{})-C.sizeof_struct_sigmill_progress]
	_ = [1]byte{}[unsafe.Sizeof(ecdsaKeyWords{})-C.sizeof_struct_sigmill_ecdsa_key]
)

// turn lets other goroutines run, in one call of so many. A goroutine that has called C for 10 ms without a turn of the
// scheduler loses its processor in nearly each call from then on, as the scheduler finds nobody to ask to give it up. A
// turn takes some 5 µs where a processor is idle, which then looks for work.
func turn(every uint32) {
	if rand.Uint32()%every == 0 {
		runtime.Gosched()
	}
}

// features are what of the CPU is used.
func features() uint32 { return uint32(C.sigmill_cpu_features()) }

// LimitCPU takes away what is not in features (bit 0: ADX, 1: AVX2, 2: AVX-512 IFMA), for tests and comparisons. Not
// while anything else computes.
func LimitCPU(features uint32) { C.sigmill_cpu_limit(C.uint32_t(features)) }

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

func sizeOf(b []byte) C.size_t { return C.size_t(len(b)) }

func offsetsOf(offsets []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(offsets)) }

func rowsOf(offsets []int64) C.size_t { return C.size_t(len(offsets) - 1) }

func contextOf(v Variant) (C.int, *C.uint8_t, C.size_t) {
	return C.int(v.Kind), (*C.uint8_t)(unsafe.StringData(v.Context)), C.size_t(len(v.Context))
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func keyOf(key *keyWords) *C.struct_sigmill_ed25519_key {
	return (*C.struct_sigmill_ed25519_key)(unsafe.Pointer(key))
}

func preparedOf(key *preparedWords) *C.struct_sigmill_ed25519_prepared {
	return (*C.struct_sigmill_ed25519_prepared)(unsafe.Pointer(key))
}

func verifierOf(verifier *verifierWords) *C.struct_sigmill_ed25519_verifier {
	return (*C.struct_sigmill_ed25519_verifier)(unsafe.Pointer(verifier))
}

func progressOf(progress *progressWords) *C.struct_sigmill_progress {
	return (*C.struct_sigmill_progress)(unsafe.Pointer(progress))
}

func ecdsaKeyOf(key *ecdsaKeyWords) *C.struct_sigmill_ecdsa_key {
	return (*C.struct_sigmill_ecdsa_key)(unsafe.Pointer(key))
}

func callPublicKey(out, seed []byte) int {
	return int(C.sigmill_ed25519_public_key(bytesOf(out), bytesOf(seed)))
}

func callPublicKeys(out, seeds []byte) int {
	return int(C.sigmill_bulk_ed25519_public_keys(nil, C.size_t(len(seeds)/32), bytesOf(seeds), bytesOf(out)))
}

func callSign(out, seed []byte, variant Variant, message []byte) int {
	kind, context, size := contextOf(variant)
	return int(C.go_sign(bytesOf(out), bytesOf(seed), kind, context, size, bytesOf(message), sizeOf(message)))
}

func callKeyInit(key *keyWords, seed []byte) int {
	return int(C.sigmill_ed25519_key_init(keyOf(key), bytesOf(seed)))
}

func callKeyPublic(key *keyWords, out []byte) int {
	return int(C.sigmill_ed25519_key_public(keyOf(key), bytesOf(out)))
}

func callKeySeed(key *keyWords, out []byte) int {
	return int(C.sigmill_ed25519_key_seed(keyOf(key), bytesOf(out)))
}

func callKeySign(key *keyWords, out []byte, variant Variant, message []byte) int {
	kind, context, size := contextOf(variant)
	return int(C.go_key_sign(keyOf(key), bytesOf(out), kind, context, size, bytesOf(message), sizeOf(message)))
}

func callKeyWipe(key *keyWords) int { return int(C.sigmill_ed25519_key_wipe(keyOf(key))) }

func callPrepare(prepared *preparedWords, key []byte) int {
	return int(C.sigmill_ed25519_prepare(preparedOf(prepared), bytesOf(key)))
}

func callVerify(rule Rule, variant Variant, key, message, signature []byte) int {
	kind, context, size := contextOf(variant)
	return int(C.go_verify(C.int(rule), kind, context, size, bytesOf(key), sizeOf(key), bytesOf(message), sizeOf(message),
		bytesOf(signature), sizeOf(signature)))
}

func callPreparedVerify(key *preparedWords, rule Rule, variant Variant, message, signature []byte) int {
	kind, context, size := contextOf(variant)
	return int(C.go_prepared_verify(preparedOf(key), C.int(rule), kind, context, size, bytesOf(message), sizeOf(message),
		bytesOf(signature), sizeOf(signature)))
}

func callVerifierInit(verifier *verifierWords, rule Rule, variant Variant, key, signature []byte) int {
	kind, context, size := contextOf(variant)
	return int(C.go_verifier_init(verifierOf(verifier), C.int(rule), kind, context, size, bytesOf(key), sizeOf(key),
		bytesOf(signature), sizeOf(signature)))
}

func callVerifierUpdate(verifier *verifierWords, piece []byte) int {
	return int(C.sigmill_ed25519_verifier_update(verifierOf(verifier), bytesOf(piece), sizeOf(piece)))
}

func callVerifierFinish(verifier *verifierWords) int {
	return int(C.sigmill_ed25519_verifier_finish(verifierOf(verifier)))
}

func callScratchSize(rows int, rule Rule) int {
	return int(C.go_scratch_size(C.size_t(rows), C.int(rule)))
}

func callProgressInit(progress *progressWords, rate uint64) int {
	return int(C.sigmill_progress_init_with_rate(progressOf(progress), C.uint64_t(rate)))
}

func callProgressRate(progress *progressWords) uint64 {
	return uint64(C.sigmill_progress_rate(progressOf(progress)))
}

func callVerifyStep(rule Rule, variant Variant, keys, messages []byte, offsets []int64, signatures []byte, work *workspace, codes []byte, additions int) int {
	kind, context, size := contextOf(variant)
	return int(C.go_verify_step(C.int(rule), kind, context, size, rowsOf(offsets), bytesOf(keys), bytesOf(messages),
		sizeOf(messages), offsetsOf(offsets), bytesOf(signatures), bytesOf(work.entropy[:]), bytesOf(codes),
		bytesOf(work.memory), sizeOf(work.memory), progressOf(&work.progress), C.size_t(additions)))
}

func callSignTable(keys []keyWords, messages []byte, offsets []int64, out []byte) int {
	return int(C.go_sign_table(keyOf(unsafe.SliceData(keys)), C.size_t(len(keys)), rowsOf(offsets), bytesOf(messages),
		sizeOf(messages), offsetsOf(offsets), bytesOf(out)))
}

func callX25519Public(out, secret []byte) int {
	return int(C.sigmill_x25519_public_key(bytesOf(out), bytesOf(secret)))
}

func callX25519(out, secret, public []byte) int {
	return int(C.sigmill_x25519(bytesOf(out), bytesOf(secret), bytesOf(public)))
}

func callX25519PublicOf(out, key []byte) int {
	return int(C.sigmill_x25519_public_from_ed25519(bytesOf(out), bytesOf(key)))
}

func callECDSAKeyInit(key *ecdsaKeyWords, curve Curve, secret []byte) int {
	return int(C.sigmill_ecdsa_key_init(ecdsaKeyOf(key), C.int(curve), bytesOf(secret)))
}

func callECDSAKeyPublic(key *ecdsaKeyWords, out []byte) int {
	return int(C.sigmill_ecdsa_key_public(ecdsaKeyOf(key), bytesOf(out)))
}

func callECDSAKeyWipe(key *ecdsaKeyWords) int { return int(C.sigmill_ecdsa_key_wipe(ecdsaKeyOf(key))) }

func callECDSAKeySign(key *ecdsaKeyWords, out, digest, noise []byte) int {
	return int(C.go_ecdsa_key_sign(ecdsaKeyOf(key), bytesOf(out), sizeOf(out), bytesOf(digest), sizeOf(digest), bytesOf(noise)))
}

func callECDSAVerify(curve Curve, policy Policy, key, digest, signature []byte) int {
	return int(C.go_ecdsa_verify(C.int(curve), flag(policy.Fixed), flag(policy.LowS), bytesOf(key), sizeOf(key),
		bytesOf(digest), sizeOf(digest), bytesOf(signature), sizeOf(signature)))
}

func callECDSAScratchSize(rows int, curve Curve) int {
	return int(C.go_ecdsa_scratch_size(C.size_t(rows), C.int(curve)))
}

func callECDSAVerifyTable(curve Curve, policy Policy, keys, digests []byte, digestOffsets []int64, signatures []byte, signatureOffsets []int64, work *workspace, codes []byte) int {
	return int(C.go_ecdsa_verify_table(C.int(curve), flag(policy.Fixed), flag(policy.LowS), rowsOf(digestOffsets),
		bytesOf(keys), sizeOf(keys)/rowsOf(digestOffsets), bytesOf(digests), sizeOf(digests), offsetsOf(digestOffsets),
		bytesOf(signatures), sizeOf(signatures), offsetsOf(signatureOffsets), bytesOf(work.entropy[:]), bytesOf(codes),
		bytesOf(work.memory), sizeOf(work.memory)))
}

func callECDSASignTable(keys []ecdsaKeyWords, digests []byte, width int, out []byte) int {
	return int(C.go_ecdsa_sign_table(ecdsaKeyOf(unsafe.SliceData(keys)), C.size_t(len(keys)), C.size_t(len(digests)/width),
		bytesOf(digests), C.size_t(width), bytesOf(out), sizeOf(out)))
}
