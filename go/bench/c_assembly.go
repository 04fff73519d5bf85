//go:build cgo && !purego && !sigmill_nocgo && linux && (amd64 || arm64)

package main

/*
#cgo CFLAGS: -O2 -I${SRCDIR}/../internal/core
#cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
#include "sigmill.h"

// The same calls in a loop in C: what they take without Go.

static int c_keygen(size_t rows, const uint8_t *seeds, uint8_t *out) {
  int bad = 0;
  for (size_t i = 0; i < rows; i++) bad |= sigmill_ed25519_public_key(out + 32 * i, seeds + 32 * i);
  return bad;
}

static int c_sign(size_t rows, const uint8_t *seeds, const uint8_t *messages, uint8_t *out) {
  int bad = 0;
  for (size_t i = 0; i < rows; i++) bad |= sigmill_ed25519_sign(out + 64 * i, seeds + 32 * i, 0, messages + 32 * i, 32);
  return bad;
}

static int c_sign_expanded(size_t rows, const uint8_t *seed, const uint8_t *messages, uint8_t *out) {
  struct sigmill_ed25519_key key;
  int bad = sigmill_ed25519_key_init(&key, seed);
  for (size_t i = 0; i < rows; i++) bad |= sigmill_ed25519_key_sign(&key, out + 64 * i, 0, messages + 32 * i, 32);
  return bad;
}

static int c_verify(size_t rows, const uint8_t *keys, const uint8_t *messages, const uint8_t *signatures) {
  int bad = 0;
  for (size_t i = 0; i < rows; i++)
    bad |= sigmill_ed25519_verify(SIGMILL_RULE_COMMON, 0, keys + 32 * i, 32, messages + 32 * i, 32, signatures + 64 * i, 64);
  return bad;
}
*/
import "C"

import "unsafe"

func at(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// inC is the operations of a loop in C, from row first on.
var inC = map[string]func(in *inputs, first, rows int) bool{
	"keygen": func(in *inputs, first, rows int) bool {
		return C.c_keygen(C.size_t(rows), at(in.seeds[32*first:]), at(in.out)) == 0
	},
	"sign": func(in *inputs, first, rows int) bool {
		return C.c_sign(C.size_t(rows), at(in.seeds[32*first:]), at(in.flatMessages[32*first:]), at(in.out)) == 0
	},
	"sign_expanded": func(in *inputs, first, rows int) bool {
		return C.c_sign_expanded(C.size_t(rows), at(in.seeds), at(in.flatMessages[32*first:]), at(in.out)) == 0
	},
	"verify": func(in *inputs, first, rows int) bool {
		return C.c_verify(C.size_t(rows), at(in.flatKeys[32*first:]), at(in.flatMessages[32*first:]), at(in.flatSignatures[64*first:])) == 0
	},
}
