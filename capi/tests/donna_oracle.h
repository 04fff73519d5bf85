/*
 * The attack on a signer that believes the public key it is handed: two signatures of one message by one secret key,
 * under two public keys, have the same nonce and different k, and so a = (S - S') / (k - k') modulo the order.
 * Arithmetic is by bits, and slow.
 */
#ifndef SIGMILL_TEST_DONNA_ORACLE_H
#define SIGMILL_TEST_DONNA_ORACLE_H

#include "sha512.h"

#include <string.h>

typedef void donna_sign(const unsigned char *m, size_t mlen, const unsigned char *sk, const unsigned char *pk,
                        unsigned char *RS);

/* An integer below the order, least significant word first. */
struct residue {
  uint32_t word[9];
};

static const struct residue order = {
  {0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de, 0x00000000, 0x00000000, 0x00000000, 0x10000000, 0}};

/* 1 where a - b would be negative. */
static inline int minus(struct residue *out, const struct residue *a, const struct residue *b) {
  uint64_t borrow = 0;
  int i;
  for (i = 0; i < 9; i++) {
    uint64_t word = (uint64_t)a->word[i] - b->word[i] - borrow;
    out->word[i] = (uint32_t)word;
    borrow = word >> 63;
  }
  return (int)borrow;
}

/* 2a + b modulo the order, for a and b below it. */
static inline struct residue twice_plus(struct residue a, const struct residue *b) {
  struct residue less;
  uint64_t carry = 0;
  int i;
  for (i = 0; i < 9; i++) {
    carry += ((uint64_t)a.word[i] << 1) + b->word[i];
    a.word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  while (minus(&less, &a, &order) == 0) a = less;
  return a;
}

static inline struct residue residue_of(const uint8_t *bytes, size_t size) {
  struct residue made = {{0}}, bit = {{0}};
  size_t i;
  for (i = 8 * size; i-- > 0;) {
    bit.word[0] = bytes[i / 8] >> i % 8 & 1;
    made = twice_plus(made, &bit);
  }
  return made;
}

static inline struct residue times(const struct residue *a, const struct residue *b) {
  static const struct residue zero = {{0}};
  struct residue made = {{0}};
  int i;
  for (i = 256; i-- > 0;) made = twice_plus(made, b->word[i / 32] >> i % 32 & 1 ? a : &zero);
  return made;
}

/* By Fermat; 0 for 0. */
static inline struct residue inverse(const struct residue *a) {
  static const struct residue two = {{2}};
  struct residue made = {{1}}, exponent;
  int i;
  minus(&exponent, &order, &two);
  for (i = 256; i-- > 0;) {
    made = times(&made, &made);
    if (exponent.word[i / 32] >> i % 32 & 1) made = times(&made, a);
  }
  return made;
}

static inline struct residue difference(const struct residue *a, const struct residue *b) {
  struct residue made, negated;
  if (minus(&made, a, b) == 0) return made;
  minus(&negated, b, a);
  minus(&made, &order, &negated);
  return made;
}

/* Whether the secret scalar of a seed comes out of signatures under its own public key and another. */
static inline int oracle_recovers(donna_sign *sign, const uint8_t seed[32], const uint8_t public_key[32],
                                  const uint8_t other_key[32]) {
  static const uint8_t message[] = "the same message, twice";
  struct residue k[2], s[2], recovered, secret;
  uint8_t digest[64];
  int i;
  for (i = 0; i < 2; i++) {
    const uint8_t *key = i == 0 ? public_key : other_key;
    struct sha512 hash;
    uint8_t signature[64];
    sign(message, sizeof message, seed, key, signature);
    sha512_init(&hash);
    sha512_update(&hash, signature, 32);
    sha512_update(&hash, key, 32);
    sha512_update(&hash, message, sizeof message);
    sha512_final(&hash, digest);
    k[i] = residue_of(digest, 64);
    s[i] = residue_of(signature + 32, 32);
  }
  recovered = difference(&k[0], &k[1]);
  recovered = inverse(&recovered);
  s[0] = difference(&s[0], &s[1]);
  recovered = times(&recovered, &s[0]);
  sha512(digest, seed, 32);
  digest[0] &= 248;
  digest[31] = (digest[31] & 127) | 64;
  secret = residue_of(digest, 32);
  return memcmp(&recovered, &secret, sizeof secret) == 0;
}

#endif
