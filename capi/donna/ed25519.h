/*
 * ed25519.h: the functions of ed25519-donna, by their names and types, on top of sigmill.
 *
 * A program written for ed25519-donna is compiled against this header and linked with libsigmill_donna, or with
 * ed25519.c and sigmill, and nothing in it changes. docs/migrating-from-donna.md says what differs; in short:
 *
 * VERDICTS are those of one rule, SIGMILL_RULE_LEGACY, for a signature alone and in a batch: what ed25519-donna's
 * ed25519_sign_open accepts, and nothing that only its batch accepts.
 *
 * SIGNING derives the public key and does not look at the one that it is handed.
 *
 * POINTERS to a message may be NULL if its size is 0. Any other NULL makes a verification fail, and what is written
 * otherwise all zeros. So is the signature of a long message that changed while it was signed: two signatures with
 * one R of different messages would give the key away.
 *
 * TIME. What takes a secret key is constant time but for the size of the message; secrets are wiped from the stack.
 * STACK. ed25519_sign_open_batch stays below 64 KiB, the others below 48 KiB. Nothing is allocated, and there is no
 * global state but what the CPU can do and a count: every function may be called from any number of threads at once.
 */
#ifndef ED25519_H
#define ED25519_H

#include <stdlib.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef unsigned char ed25519_signature[64];
typedef unsigned char ed25519_public_key[32];
typedef unsigned char ed25519_secret_key[32]; /* the seed of RFC 8032: any 32 random bytes */
typedef unsigned char curved25519_key[32];

/* The public key of a secret key. */
void ed25519_publickey(const ed25519_secret_key sk, ed25519_public_key pk);

/* Signs a message. pk is not looked at: two signatures of one message under two public keys give the secret key away. */
void ed25519_sign(const unsigned char *m, size_t mlen, const ed25519_secret_key sk, const ed25519_public_key pk,
                  ed25519_signature RS);

/* 0 if the signature is valid, -1 if not. */
int ed25519_sign_open(const unsigned char *m, size_t mlen, const ed25519_public_key pk, const ed25519_signature RS);

/* Verifies num signatures, each with the verdict that it has alone, whatever its company: valid[i] becomes 1 or 0.
 * Returns 0 if all are valid, and if not: 1 where bad rows are found one by one (in the last one to three rows beyond
 * a multiple of 64, and in groups of up to 64 in which a key or R is not a point), 3 where a group's equation is wrong,
 * and the bits of all groups together. */
int ed25519_sign_open_batch(const unsigned char **m, size_t *mlen, const unsigned char **pk, const unsigned char **RS,
                            size_t num, int *valid);

/* Random bytes of the system, fit for keys. A program may define this function itself. If the system has none, the
 * program ends here: nothing weaker is given out. */
void ed25519_randombytes_unsafe(void *out, size_t count);

/* The public key of X25519 (RFC 7748) that belongs to a secret key. */
void curved25519_scalarmult_basepoint(curved25519_key pk, const curved25519_key e);

/* Functions that a program may define; it then defines ED25519_HOOKS before it includes this header. The linker
 * takes them from the program's objects (ELF only; elsewhere there are the build options of ed25519.c). With the shared
 * library they are those of the whole process: who has a hash of its own links the static one. */
#if defined(ED25519_HOOKS)

#if !defined(ED25519_CUSTOMHASH)
/* A hash in the place of SHA-512: all three functions or none. Each computation has its own context, 1,024 bytes that
 * are aligned for any type, wiped after signing and making keys. The hash sees secret keys and nonces, so it must be
 * constant time. Batches are then verified one by one. */
struct ed25519_hash_context;
void ed25519_hash_init(struct ed25519_hash_context *ctx);
void ed25519_hash_update(struct ed25519_hash_context *ctx, const unsigned char *in, size_t inlen);
void ed25519_hash_final(struct ed25519_hash_context *ctx, unsigned char *hash);
#define ED25519_HASH_CONTEXT_SIZE 1024
#endif

/* Memory for a batch of 32 rows or more, 65 KiB and 512 bytes a row and at most some 8 MiB: with it, many rows are
 * verified by one equation. It must stay this call's alone until the batch returns (memory of the thread's own will
 * do). NULL if there is none: then the batch does with its stack. */
void *ed25519_batch_memory(size_t size);

#endif

#if defined(__cplusplus)
}
#endif

#endif
