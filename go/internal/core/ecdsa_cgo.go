//go:build cgo && !purego && linux && (amd64 || arm64)

package core

/*
#include "sigmill.h"

static struct sigmill_ecdsa policy_of(int fixed, int low_s) {
  struct sigmill_ecdsa policy = {SIGMILL_HASH_NONE, fixed ? SIGMILL_FIXED : SIGMILL_DER, low_s};
  return policy;
}

static int go_ecdsa_verify(int curve, int fixed, int low_s, const uint8_t *key, size_t key_size, const uint8_t *digest,
                           size_t digest_size, const uint8_t *signature, size_t signature_size) {
  struct sigmill_ecdsa policy = policy_of(fixed, low_s);
  return sigmill_ecdsa_verify(curve, &policy, key, key_size, digest, digest_size, signature, signature_size);
}

static int go_ecdsa_key_sign(const struct sigmill_ecdsa_key *key, uint8_t *signature, size_t signature_size,
                             const uint8_t *digest, size_t digest_size, const uint8_t *noise) {
  struct sigmill_ecdsa policy = policy_of(1, 0);
  return sigmill_ecdsa_key_sign(key, &policy, signature, &signature_size, digest, digest_size, noise, 0);
}

static struct sigmill_spec ecdsa_spec_of(int curve, int fixed, int low_s) {
  struct sigmill_spec spec = {curve, 0, {0, 0, 0}, policy_of(fixed, low_s)};
  return spec;
}

static size_t go_ecdsa_scratch_size(size_t rows, int curve) {
  struct sigmill_spec spec = ecdsa_spec_of(curve, 0, 0);
  return sigmill_bulk_scratch_size(0, rows, &spec, 1);
}

static int go_ecdsa_verify_table(int curve, int fixed, int low_s, size_t rows, const uint8_t *keys, size_t key_size,
                                 const uint8_t *digests, size_t digests_size, const int64_t *digest_offsets,
                                 const uint8_t *signatures, size_t signatures_size, const int64_t *signature_offsets,
                                 uint8_t *codes, uint8_t *scratch, size_t scratch_size) {
  struct sigmill_spec spec = ecdsa_spec_of(curve, fixed, low_s);
  struct sigmill_table table = {0};
  table.keys.layout = SIGMILL_COLUMN_FIXED;
  table.keys.rows = rows;
  table.keys.width = key_size;
  table.keys.values = keys;
  table.keys.values_size = key_size * rows;
  table.messages.layout = SIGMILL_COLUMN_LARGE_BINARY;
  table.messages.rows = rows;
  table.messages.values = digests;
  table.messages.values_size = digests_size;
  table.messages.offsets = digest_offsets;
  table.signatures.layout = SIGMILL_COLUMN_LARGE_BINARY;
  table.signatures.rows = rows;
  table.signatures.values = signatures;
  table.signatures.values_size = signatures_size;
  table.signatures.offsets = signature_offsets;
  table.specs = &spec;
  table.spec_count = 1;
  return sigmill_bulk_verify(0, &table, codes, rows, 0, scratch, scratch_size);
}

static int go_ecdsa_sign_table(const struct sigmill_ecdsa_key *const *keys, size_t key_count, size_t rows,
                               const uint8_t *digests, size_t digest_size, uint8_t *signatures,
                               size_t signatures_size) {
  struct sigmill_column messages = {0};
  messages.layout = SIGMILL_COLUMN_FIXED;
  messages.rows = rows;
  messages.width = digest_size;
  messages.values = digests;
  messages.values_size = digest_size * rows;
  return sigmill_bulk_ecdsa_sign(0, keys, key_count, SIGMILL_HASH_NONE, &messages, signatures, signatures_size, 0);
}

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
*/
import "C"

import (
	"crypto/ecdsa"
	"runtime"
	"unsafe"
)

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// VerifyECDSA gives the verdict under a key of a known curve. Time depends on all inputs.
func VerifyECDSA(curve Curve, policy Policy, key *ecdsa.PublicKey, digest, signature []byte) Verdict {
	turn(slowCalls)
	var bytes [97]byte
	point := bytes[:1+2*curve.Size()]
	if !SEC1(point, key) {
		return KeyNotAPoint
	}
	return verdictOf(C.go_ecdsa_verify(C.int(curve), flag(policy.Fixed), flag(policy.LowS), bytesOf(point), C.size_t(len(point)),
		bytesOf(digest), C.size_t(len(digest)), bytesOf(signature), C.size_t(len(signature))))
}

// ECDSAPiece is how many rows one call should have, so that it takes about half a millisecond.
func ECDSAPiece(curve Curve) int {
	rows := 8
	if uint32(C.sigmill_cpu_features())&cpuIFMA != 0 {
		rows = 64
	}
	if curve == P384 {
		rows /= 2
	}
	return rows
}

func verifyECDSAPiece(curve Curve, policy Policy, of []int, row func(int) (*ecdsa.PublicKey, []byte, []byte), verdicts []Verdict) {
	width := 1 + 2*curve.Size()
	table := make([]byte, 0, len(of)*(width+curve.Size()+2*curve.Size()+9))
	offsets := make([]int64, 2*len(of)+2)
	digestOffsets, signatureOffsets := offsets[:len(of)+1], offsets[len(of)+1:]
	rows := make([]int, 0, len(of))
	for _, i := range of {
		key, _, _ := row(i)
		at := len(table)
		table = table[:at+width]
		if !SEC1(table[at:], key) {
			verdicts[i] = KeyNotAPoint
			table = table[:at]
			continue
		}
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return
	}
	keys := table
	digests := table[len(table):]
	for at, i := range rows {
		_, digest, _ := row(i)
		digests = append(digests, digest...)
		digestOffsets[at+1] = int64(len(digests))
	}
	signatures := digests[len(digests):]
	for at, i := range rows {
		_, _, signature := row(i)
		signatures = append(signatures, signature...)
		signatureOffsets[at+1] = int64(len(signatures))
	}
	memory := scratch.Get().(*[]byte)
	defer scratch.Put(memory)
	if size := int(C.go_ecdsa_scratch_size(C.size_t(len(rows)), C.int(curve))); len(*memory) < size {
		*memory = make([]byte, size)
	}
	codes := make([]byte, len(rows))
	result := C.go_ecdsa_verify_table(C.int(curve), flag(policy.Fixed), flag(policy.LowS), C.size_t(len(rows)),
		bytesOf(keys), C.size_t(width), bytesOf(digests), C.size_t(len(digests)), (*C.int64_t)(unsafe.SliceData(digestOffsets)),
		bytesOf(signatures), C.size_t(len(signatures)), (*C.int64_t)(unsafe.SliceData(signatureOffsets)),
		bytesOf(codes), bytesOf(*memory), C.size_t(len(*memory)))
	if result < 0 {
		must(result)
	}
	for at, i := range rows {
		verdicts[i] = Verdict(codes[at])
	}
}

// ECDSAKey is a secret key that has been read.
type ECDSAKey struct {
	key   C.struct_sigmill_ecdsa_key
	curve Curve
}

// NewECDSAKey reads a secret of the curve's Size; it reports whether that is in its range, 1 to n − 1. Constant time.
func NewECDSAKey(curve Curve, secret []byte) (*ECDSAKey, bool) {
	_ = secret[curve.Size()-1]
	k := &ECDSAKey{curve: curve}
	return k, C.sigmill_ecdsa_key_init(&k.key, C.int(curve), bytesOf(secret)) == 0
}

// Public writes the public key in SEC1 bytes, uncompressed.
func (k *ECDSAKey) Public(out []byte) {
	_ = out[2*k.curve.Size()]
	must(C.sigmill_ecdsa_key_public(&k.key, bytesOf(out)))
}

// Sign writes r and s. The nonce is that of RFC 6979 with the curve's own hash, which has made the digest; or, if there
// is noise, 32 random bytes, with these as additional input, and the digest has any length but 0. Constant time but for
// sizes.
func (k *ECDSAKey) Sign(out, digest, noise []byte) {
	turn(slowCalls)
	size := 2 * k.curve.Size()
	_ = out[size-1]
	must(C.go_ecdsa_key_sign(&k.key, bytesOf(out), C.size_t(size), bytesOf(digest), C.size_t(len(digest)), bytesOf(noise)))
}

// Wipe overwrites the key; it signs no more.
func (k *ECDSAKey) Wipe() { must(C.sigmill_ecdsa_key_wipe(&k.key)) }

func signECDSAPiece(curve Curve, keys []*ECDSAKey, digests [][]byte, signatures []byte) {
	width := curve.Size()
	flat := make([]byte, 0, width*len(digests))
	for _, digest := range digests {
		flat = append(flat, digest[:width]...)
	}
	// C is handed a list of pointers: what they point to has to stay where it is
	var pins runtime.Pinner
	defer pins.Unpin()
	list := make([]*C.struct_sigmill_ecdsa_key, len(keys))
	for i, key := range keys {
		pins.Pin(key)
		list[i] = &key.key
	}
	must(C.go_ecdsa_sign_table(unsafe.SliceData(list), C.size_t(len(list)), C.size_t(len(digests)), bytesOf(flat),
		C.size_t(width), bytesOf(signatures), C.size_t(len(signatures))))
}
