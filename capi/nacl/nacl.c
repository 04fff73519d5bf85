/*
 * NaCl's and libsodium's signing functions on top of sigmill.h.
 *
 *     cc -O3 -c nacl.c
 *
 * Options of the build:
 *     SIGMILL_NACL_RULE=SIGMILL_RULE_...   another rule than SIGMILL_RULE_STRICT
 *     SIGMILL_WITHOUT_X25519               leaves out crypto_scalarmult and the conversion of keys
 */
#if !defined(SIGMILL_STATIC)
#define SIGMILL_STATIC
#endif
#include "sigmill.h"

#include "sigmill_nacl.h"

#include <string.h>

#if !defined(SIGMILL_NACL_RULE)
#define SIGMILL_NACL_RULE SIGMILL_RULE_STRICT
#endif
typedef char rule_is_known[SIGMILL_NACL_RULE >= SIGMILL_RULE_COMMON && SIGMILL_NACL_RULE <= SIGMILL_RULE_LEGACY ? 1 : -1];
typedef char state_is_large_enough[sizeof(crypto_sign_ed25519ph_state) == sizeof(struct sigmill_ed25519_prehash) ? 1 : -1];

enum { KEY = 32, PAIR = 64, SIGNATURE = 64 };

static void wipe(void *memory, size_t size) {
  volatile unsigned char *byte = (volatile unsigned char *)memory;
  while (size > 0) byte[--size] = 0;
}

/* 0 if result is, else -1, and zeros in the place of what was not made. */
static int given(int result, unsigned char *out, size_t size) {
  if (result == 0) return 0;
  if (out != NULL) memset(out, 0, size);
  return -1;
}

/* The same for both keys of a pair, which is then wiped. */
static int give_pair(int result, unsigned char *pk, unsigned char *sk, unsigned char *pair) {
  if (result == 0) {
    memcpy(sk, pair, PAIR);
    memcpy(pk, pair + KEY, KEY);
  } else {
    given(result, pk, KEY);
    given(result, sk, PAIR);
  }
  wipe(pair, PAIR);
  return result == 0 ? 0 : -1;
}

static void set(unsigned long long *size, unsigned long long to) {
  if (size != NULL) *size = to;
}

/* ---- one at a time ----------------------------------------------------------------------------------------- */

int crypto_sign_ed25519_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed) {
  unsigned char pair[PAIR];
  int result = sk == NULL ? SIGMILL_ERROR_NULL : sigmill_ed25519_public_key(pair + KEY, seed);
  if (result == 0 && pk == NULL) result = SIGMILL_ERROR_NULL;
  if (result == 0) memcpy(pair, seed, KEY); /* pk and sk may lie in the seed */
  return give_pair(result, pk, sk, pair);
}

int crypto_sign_ed25519_keypair(unsigned char *pk, unsigned char *sk) {
  unsigned char pair[PAIR];
  int result = sigmill_ed25519_keygen(pair, pair + KEY);
  if (pk == NULL || sk == NULL) result = SIGMILL_ERROR_NULL;
  return give_pair(result, pk, sk, pair);
}

int crypto_sign_ed25519_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                                 unsigned long long mlen, const unsigned char *sk) {
  int result = mlen > crypto_sign_ed25519_MESSAGEBYTES_MAX ? SIGMILL_ERROR_LENGTH
                                                           : sigmill_ed25519_sign(sig, sk, NULL, m, (size_t)mlen);
  set(siglen, result == 0 ? SIGNATURE : 0);
  return given(result, sig, SIGNATURE);
}

int crypto_sign_ed25519_verify_detached(const unsigned char *sig, const unsigned char *m, unsigned long long mlen,
                                        const unsigned char *pk) {
  if (mlen > crypto_sign_ed25519_MESSAGEBYTES_MAX) return -1;
  return sigmill_ed25519_verify(SIGMILL_NACL_RULE, NULL, pk, KEY, m, (size_t)mlen, sig, SIGNATURE) == 0 ? 0 : -1;
}

int crypto_sign_ed25519(unsigned char *sm, unsigned long long *smlen, const unsigned char *m, unsigned long long mlen,
                        const unsigned char *sk) {
  size_t size = (size_t)mlen;
  int result;
  set(smlen, 0);
  if (sm == NULL || (m == NULL && mlen > 0) || mlen > crypto_sign_ed25519_MESSAGEBYTES_MAX) return -1;
  if (size > 0) memmove(sm + SIGNATURE, m, size);
  result = sigmill_ed25519_sign(sm, sk, NULL, sm + SIGNATURE, size);
  if (result == 0) set(smlen, SIGNATURE + mlen);
  return given(result, sm, SIGNATURE + size);
}

int crypto_sign_ed25519_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                             unsigned long long smlen, const unsigned char *pk) {
  size_t size;
  set(mlen, 0);
  if (smlen < SIGNATURE || smlen - SIGNATURE > crypto_sign_ed25519_MESSAGEBYTES_MAX || sm == NULL) return -1;
  size = (size_t)(smlen - SIGNATURE);
  if (crypto_sign_ed25519_verify_detached(sm, sm + SIGNATURE, size, pk) != 0) {
    return given(-1, m, size);
  }
  if (m != NULL && size > 0) memmove(m, sm + SIGNATURE, size);
  set(mlen, size);
  return 0;
}

int crypto_sign_ed25519_sk_to_seed(unsigned char *seed, const unsigned char *sk) {
  if (seed == NULL || sk == NULL) return given(-1, seed, KEY);
  memmove(seed, sk, KEY);
  return 0;
}

int crypto_sign_ed25519_sk_to_pk(unsigned char *pk, const unsigned char *sk) {
  if (pk == NULL || sk == NULL) return given(-1, pk, KEY);
  memmove(pk, sk + KEY, KEY);
  return 0;
}

/* ---- a message in pieces ----------------------------------------------------------------------------------- */

static struct sigmill_ed25519_prehash *prehash_of(crypto_sign_ed25519ph_state *state) {
  return (struct sigmill_ed25519_prehash *)(void *)state;
}

int crypto_sign_ed25519ph_init(crypto_sign_ed25519ph_state *state) {
  return sigmill_ed25519_prehash_init(prehash_of(state)) == 0 ? 0 : -1;
}

int crypto_sign_ed25519ph_update(crypto_sign_ed25519ph_state *state, const unsigned char *m, unsigned long long mlen) {
  if (mlen > crypto_sign_ed25519_MESSAGEBYTES_MAX) return -1;
  return sigmill_ed25519_prehash_update(prehash_of(state), m, (size_t)mlen) == 0 ? 0 : -1;
}

static void of_digest(struct sigmill_variant *variant) {
  memset(variant, 0, sizeof *variant);
  variant->kind = SIGMILL_PH_DIGEST;
}

int crypto_sign_ed25519ph_final_create(crypto_sign_ed25519ph_state *state, unsigned char *sig,
                                       unsigned long long *siglen, const unsigned char *sk) {
  struct sigmill_variant variant;
  unsigned char digest[SIGMILL_SHA512_SIZE];
  int result = sigmill_ed25519_prehash_finish(prehash_of(state), digest);
  of_digest(&variant);
  if (result == 0) result = sigmill_ed25519_sign(sig, sk, &variant, digest, sizeof digest);
  set(siglen, result == 0 ? SIGNATURE : 0);
  return given(result, sig, SIGNATURE);
}

int crypto_sign_ed25519ph_final_verify(crypto_sign_ed25519ph_state *state, const unsigned char *sig,
                                       const unsigned char *pk) {
  struct sigmill_variant variant;
  unsigned char digest[SIGMILL_SHA512_SIZE];
  if (sigmill_ed25519_prehash_finish(prehash_of(state), digest) != 0) return -1;
  of_digest(&variant);
  return sigmill_ed25519_verify(SIGMILL_NACL_RULE, &variant, pk, KEY, digest, sizeof digest, sig, SIGNATURE) == 0 ? 0 : -1;
}

/* ---- X25519 ------------------------------------------------------------------------------------------------ */

#if !defined(SIGMILL_WITHOUT_X25519)

int crypto_scalarmult_curve25519(unsigned char *q, const unsigned char *n, const unsigned char *p) {
  return given(sigmill_x25519(q, n, p), q, KEY);
}

int crypto_scalarmult_curve25519_base(unsigned char *q, const unsigned char *n) {
  return given(sigmill_x25519_public_key(q, n), q, KEY);
}

int crypto_sign_ed25519_pk_to_curve25519(unsigned char *x25519_pk, const unsigned char *ed25519_pk) {
  static const unsigned char none[SIGNATURE] = {0};
  struct sigmill_ed25519_facts facts;
  int result = sigmill_ed25519_explain(&facts, NULL, ed25519_pk, NULL, 0, none);
  if (result == 0 && (!facts.key.decodes || facts.key.small || facts.key.torsion_order != 1)) result = SIGMILL_ERROR_PUBLIC_KEY;
  if (result == 0) result = sigmill_x25519_public_from_ed25519(x25519_pk, ed25519_pk);
  return given(result, x25519_pk, KEY);
}

int crypto_sign_ed25519_sk_to_curve25519(unsigned char *x25519_sk, const unsigned char *ed25519_sk) {
  int result = sigmill_x25519_secret_from_ed25519(x25519_sk, ed25519_sk);
  if (result == 0) { /* as libsodium gives it */
    x25519_sk[0] &= 248;
    x25519_sk[31] &= 127;
    x25519_sk[31] |= 64;
  }
  return given(result, x25519_sk, KEY);
}

#endif

/* ---- the same by other names ------------------------------------------------------------------------------- */

int crypto_sign_keypair(unsigned char *pk, unsigned char *sk) { return crypto_sign_ed25519_keypair(pk, sk); }

int crypto_sign_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed) {
  return crypto_sign_ed25519_seed_keypair(pk, sk, seed);
}

int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m, unsigned long long mlen,
                const unsigned char *sk) {
  return crypto_sign_ed25519(sm, smlen, m, mlen, sk);
}

int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm, unsigned long long smlen,
                     const unsigned char *pk) {
  return crypto_sign_ed25519_open(m, mlen, sm, smlen, pk);
}

int crypto_sign_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                         unsigned long long mlen, const unsigned char *sk) {
  return crypto_sign_ed25519_detached(sig, siglen, m, mlen, sk);
}

int crypto_sign_verify_detached(const unsigned char *sig, const unsigned char *m, unsigned long long mlen,
                                const unsigned char *pk) {
  return crypto_sign_ed25519_verify_detached(sig, m, mlen, pk);
}

int crypto_sign_init(crypto_sign_state *state) { return crypto_sign_ed25519ph_init(state); }

int crypto_sign_update(crypto_sign_state *state, const unsigned char *m, unsigned long long mlen) {
  return crypto_sign_ed25519ph_update(state, m, mlen);
}

int crypto_sign_final_create(crypto_sign_state *state, unsigned char *sig, unsigned long long *siglen,
                             const unsigned char *sk) {
  return crypto_sign_ed25519ph_final_create(state, sig, siglen, sk);
}

int crypto_sign_final_verify(crypto_sign_state *state, const unsigned char *sig, const unsigned char *pk) {
  return crypto_sign_ed25519ph_final_verify(state, sig, pk);
}

#define SIZE(function, size) \
  size_t function(void) { return size; }
SIZE(crypto_sign_ed25519_bytes, crypto_sign_ed25519_BYTES)
SIZE(crypto_sign_ed25519_seedbytes, crypto_sign_ed25519_SEEDBYTES)
SIZE(crypto_sign_ed25519_publickeybytes, crypto_sign_ed25519_PUBLICKEYBYTES)
SIZE(crypto_sign_ed25519_secretkeybytes, crypto_sign_ed25519_SECRETKEYBYTES)
SIZE(crypto_sign_ed25519_messagebytes_max, crypto_sign_ed25519_MESSAGEBYTES_MAX)
SIZE(crypto_sign_bytes, crypto_sign_BYTES)
SIZE(crypto_sign_seedbytes, crypto_sign_SEEDBYTES)
SIZE(crypto_sign_publickeybytes, crypto_sign_PUBLICKEYBYTES)
SIZE(crypto_sign_secretkeybytes, crypto_sign_SECRETKEYBYTES)
SIZE(crypto_sign_messagebytes_max, crypto_sign_MESSAGEBYTES_MAX)
SIZE(crypto_sign_ed25519ph_statebytes, sizeof(crypto_sign_ed25519ph_state))
SIZE(crypto_sign_statebytes, sizeof(crypto_sign_state))
const char *crypto_sign_primitive(void) { return crypto_sign_PRIMITIVE; }
#if !defined(SIGMILL_WITHOUT_X25519)
SIZE(crypto_scalarmult_curve25519_bytes, crypto_scalarmult_curve25519_BYTES)
SIZE(crypto_scalarmult_curve25519_scalarbytes, crypto_scalarmult_curve25519_SCALARBYTES)
SIZE(crypto_scalarmult_bytes, crypto_scalarmult_BYTES)
SIZE(crypto_scalarmult_scalarbytes, crypto_scalarmult_SCALARBYTES)
const char *crypto_scalarmult_primitive(void) { return crypto_scalarmult_PRIMITIVE; }

int crypto_scalarmult(unsigned char *q, const unsigned char *n, const unsigned char *p) {
  return crypto_scalarmult_curve25519(q, n, p);
}

int crypto_scalarmult_base(unsigned char *q, const unsigned char *n) { return crypto_scalarmult_curve25519_base(q, n); }
#endif
