/*
 * sigmill_nacl.h: the signing functions of NaCl and libsodium, by their names and types, on top of sigmill.
 *
 * A program written for crypto_sign_ed25519 or crypto_scalarmult_curve25519 is compiled against this header, or against
 * crypto_sign.h, crypto_sign_ed25519.h, crypto_scalarmult.h and crypto_scalarmult_curve25519.h beside it, and linked with
 * libsigmill_nacl, or with nacl.c and sigmill. docs/migrating-from-nacl.md says what differs; in short:
 *
 * VERDICTS are libsodium's: those of SIGMILL_RULE_STRICT. NaCl's own code accepts more.
 *
 * SIGNING derives the public key from the seed, the first half of a secret key, and does not look at the other half.
 *
 * RESULTS are 0, or -1 if nothing was made or the signature is not valid; what is written is all zeros then. So it is for
 * pointers that are NULL and have a size, for messages longer than memory can be, and for a signature of a long message
 * that changed while it was signed.
 *
 * TIME. What takes a secret key is constant time but for the size of the message; secrets are wiped from the stack.
 * Nothing is allocated, there is no sodium_init, and every function may be called from any number of threads at once.
 */
#ifndef SIGMILL_NACL_H
#define SIGMILL_NACL_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- crypto_sign_ed25519 ----------------------------------------------------------------------------------- */

#define crypto_sign_ed25519_BYTES 64U
#define crypto_sign_ed25519_SEEDBYTES 32U
#define crypto_sign_ed25519_PUBLICKEYBYTES 32U
#define crypto_sign_ed25519_SECRETKEYBYTES 64U /* seed and public key */
#define crypto_sign_ed25519_MESSAGEBYTES_MAX ((size_t)-1 / 2 - crypto_sign_ed25519_BYTES)
#define crypto_sign_ed25519_PRIMITIVE "sigmill" /* what computes, as NaCl's headers say it */

size_t crypto_sign_ed25519_bytes(void);
size_t crypto_sign_ed25519_seedbytes(void);
size_t crypto_sign_ed25519_publickeybytes(void);
size_t crypto_sign_ed25519_secretkeybytes(void);
size_t crypto_sign_ed25519_messagebytes_max(void);

/* A key pair of the system's random bytes; -1 if it has none. */
int crypto_sign_ed25519_keypair(unsigned char *pk, unsigned char *sk);
/* The key pair of a seed. */
int crypto_sign_ed25519_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
/* sm becomes the signature with the message behind it. They may overlap. smlen may be NULL. */
int crypto_sign_ed25519(unsigned char *sm, unsigned long long *smlen, const unsigned char *m, unsigned long long mlen,
                        const unsigned char *sk);
/* The message of a signed one, if its signature is valid. They may overlap. m and mlen may be NULL. */
int crypto_sign_ed25519_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                             unsigned long long smlen, const unsigned char *pk);
/* A signature alone. siglen may be NULL. */
int crypto_sign_ed25519_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                                 unsigned long long mlen, const unsigned char *sk);
int crypto_sign_ed25519_verify_detached(const unsigned char *sig, const unsigned char *m, unsigned long long mlen,
                                        const unsigned char *pk);
int crypto_sign_ed25519_sk_to_seed(unsigned char *seed, const unsigned char *sk);
int crypto_sign_ed25519_sk_to_pk(unsigned char *pk, const unsigned char *sk);

/* ---- crypto_sign ------------------------------------------------------------------------------------------- */

#define crypto_sign_BYTES crypto_sign_ed25519_BYTES
#define crypto_sign_SEEDBYTES crypto_sign_ed25519_SEEDBYTES
#define crypto_sign_PUBLICKEYBYTES crypto_sign_ed25519_PUBLICKEYBYTES
#define crypto_sign_SECRETKEYBYTES crypto_sign_ed25519_SECRETKEYBYTES
#define crypto_sign_MESSAGEBYTES_MAX crypto_sign_ed25519_MESSAGEBYTES_MAX
#define crypto_sign_PRIMITIVE "ed25519"

size_t crypto_sign_bytes(void);
size_t crypto_sign_seedbytes(void);
size_t crypto_sign_publickeybytes(void);
size_t crypto_sign_secretkeybytes(void);
size_t crypto_sign_messagebytes_max(void);
const char *crypto_sign_primitive(void);

int crypto_sign_keypair(unsigned char *pk, unsigned char *sk);
int crypto_sign_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m, unsigned long long mlen,
                const unsigned char *sk);
int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm, unsigned long long smlen,
                     const unsigned char *pk);
int crypto_sign_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                         unsigned long long mlen, const unsigned char *sk);
int crypto_sign_verify_detached(const unsigned char *sig, const unsigned char *m, unsigned long long mlen,
                                const unsigned char *pk);

/* ---- Ed25519ph, a message in pieces ------------------------------------------------------------------------ */

/* SHA-512 of the pieces so far. It may be moved, and copied. */
typedef struct crypto_sign_ed25519ph_state {
  unsigned long long opaque[32];
} crypto_sign_ed25519ph_state;
typedef crypto_sign_ed25519ph_state crypto_sign_state;

size_t crypto_sign_ed25519ph_statebytes(void);
int crypto_sign_ed25519ph_init(crypto_sign_ed25519ph_state *state);
int crypto_sign_ed25519ph_update(crypto_sign_ed25519ph_state *state, const unsigned char *m, unsigned long long mlen);
/* Both end the message: the state is wiped. */
int crypto_sign_ed25519ph_final_create(crypto_sign_ed25519ph_state *state, unsigned char *sig,
                                       unsigned long long *siglen, const unsigned char *sk);
int crypto_sign_ed25519ph_final_verify(crypto_sign_ed25519ph_state *state, const unsigned char *sig,
                                       const unsigned char *pk);

size_t crypto_sign_statebytes(void);
int crypto_sign_init(crypto_sign_state *state);
int crypto_sign_update(crypto_sign_state *state, const unsigned char *m, unsigned long long mlen);
int crypto_sign_final_create(crypto_sign_state *state, unsigned char *sig, unsigned long long *siglen,
                             const unsigned char *sk);
int crypto_sign_final_verify(crypto_sign_state *state, const unsigned char *sig, const unsigned char *pk);

/* ---- crypto_scalarmult_curve25519, X25519 ------------------------------------------------------------------ */

#if !defined(SIGMILL_WITHOUT_X25519)

#define crypto_scalarmult_curve25519_BYTES 32U
#define crypto_scalarmult_curve25519_SCALARBYTES 32U
#define crypto_scalarmult_curve25519_PRIMITIVE "sigmill"
#define crypto_scalarmult_BYTES crypto_scalarmult_curve25519_BYTES
#define crypto_scalarmult_SCALARBYTES crypto_scalarmult_curve25519_SCALARBYTES
#define crypto_scalarmult_PRIMITIVE "curve25519"

size_t crypto_scalarmult_curve25519_bytes(void);
size_t crypto_scalarmult_curve25519_scalarbytes(void);
size_t crypto_scalarmult_bytes(void);
size_t crypto_scalarmult_scalarbytes(void);
const char *crypto_scalarmult_primitive(void);

/* The shared secret; -1, and zeros, if p has small order, as in libsodium. */
int crypto_scalarmult_curve25519(unsigned char *q, const unsigned char *n, const unsigned char *p);
/* The public key of a secret one. */
int crypto_scalarmult_curve25519_base(unsigned char *q, const unsigned char *n);
int crypto_scalarmult(unsigned char *q, const unsigned char *n, const unsigned char *p);
int crypto_scalarmult_base(unsigned char *q, const unsigned char *n);

/* Keys of Ed25519 as keys of X25519. -1 for a public key that is no point, has small order or a part of it. */
int crypto_sign_ed25519_pk_to_curve25519(unsigned char *x25519_pk, const unsigned char *ed25519_pk);
int crypto_sign_ed25519_sk_to_curve25519(unsigned char *x25519_sk, const unsigned char *ed25519_sk);

#endif

#if defined(__cplusplus)
}
#endif

#endif
