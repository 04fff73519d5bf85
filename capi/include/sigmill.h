/*
 * sigmill.h: signatures that are checked the same way everywhere.
 *
 * Ed25519 (pure, ctx, ph), X25519, ECDSA on P-256 and P-384, one at a time or by the million rows. A verification
 * rule of Ed25519 is a number that the caller names; single, prepared, streaming and bulk verification return that
 * rule's verdict, bit for bit, on every CPU.
 *
 * RESULTS. A function that returns int returns
 *     0    done; of a function that verifies: the signature is valid
 *   > 0    a SIGMILL_REASON_...: the rule refuses the signature, and why
 *   < 0    a SIGMILL_ERROR_...: an argument is at fault, and nothing was decided or made
 * so that `sigmill_..._verify(...) == 0` is the only way of being valid.
 *
 * POINTERS. A pointer may be NULL if its size is 0; with any other size, even an impossible one, NULL is
 * SIGMILL_ERROR_NULL. Parameters
 * written as arrays, such as seed[32], are never NULL and have at least that many bytes. Nothing is kept after a
 * call returns. Outputs of single operations may be their inputs. Outputs of bulk operations, reports and scratch must
 * not overlap each other or anything that is read: structures, columns, keys, contexts, Arrow's schemas and
 * arrays with all that they point to. Overlap is SIGMILL_ERROR_OVERLAP, and an output that lies in an input is
 * then not written, whatever else is wrong.
 *
 * MEMORY. The library allocates nothing. Objects (struct sigmill_ed25519_key, ...) lie in the caller's memory, on
 * the stack or anywhere; they may be moved with memcpy while no call uses them. Objects with secrets are wiped by their
 * ..._wipe function. Integers are little-endian in Ed25519 and X25519, big-endian in ECDSA.
 *
 * ERRORS leave outputs as they were, unless a comment says otherwise. No function prints, exits or panics.
 *
 * TIME. Functions that take a secret are constant time but for the lengths of messages and contexts. Those that take
 * only public data are not. Secrets are wiped from the stack before a function returns.
 *
 * THREADS. Every function may be called from any number of threads at once, on different outputs. There is no global
 * state but the features of the CPU, detected once, and a count of the objects that were set.
 * A key may be wiped, or set again, by one thread at a time, while others sign with it: each call uses one key whole, or
 * returns SIGMILL_ERROR_STATE and gives out nothing. A signer, verifier or progress belongs to one thread at a time;
 * another one may wipe a signer that has been initialised: its calls then return SIGMILL_ERROR_STATE.
 * Messages, contexts, digests, seeds and pairs may lie in memory that others write to while it is signed, such as a
 * mapped file: a signature is one of bytes that were all read once, or of a long message that was the same in both
 * passes (SIGMILL_ERROR_MESSAGE_CHANGED if not). Two signatures with one R that saw different messages would give the
 * key away. Other inputs, and messages to be verified, must stay as they are.
 *
 * STACK. Single operations stay below SIGMILL_STACK_SINGLE bytes, bulk operations below SIGMILL_STACK_BULK, those that
 * do not sign below 64 KiB.
 */
#ifndef SIGMILL_H
#define SIGMILL_H

#include <stddef.h>
#include <stdint.h>

#if defined(SIGMILL_STATIC)
#define SIGMILL_API
#elif defined(_WIN32)
#define SIGMILL_API __declspec(dllimport)
#elif defined(__GNUC__)
#define SIGMILL_API __attribute__((visibility("default")))
#else
#define SIGMILL_API
#endif

/* A function that verifies or can fail: GCC and clang warn where its result is not used. A wipe fails only for a pointer
 * to no object, and programs wipe on their way out; it is left out. */
#if defined(__GNUC__)
#define SIGMILL_CHECKED SIGMILL_API __attribute__((warn_unused_result))
#else
#define SIGMILL_CHECKED SIGMILL_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- version ----------------------------------------------------------------------------------------------- */

#define SIGMILL_VERSION_MAJOR 0
#define SIGMILL_VERSION_MINOR 1
#define SIGMILL_VERSION_PATCH 0
/* As the library was built: compare with sigmill_version(). */
#define SIGMILL_VERSION (SIGMILL_VERSION_MAJOR * 1000000 + SIGMILL_VERSION_MINOR * 1000 + SIGMILL_VERSION_PATCH)

/* The version of the library that is linked. */
SIGMILL_API uint32_t sigmill_version(void);

/* ---- sizes in bytes ---------------------------------------------------------------------------------------- */

#define SIGMILL_ED25519_SEED_SIZE 32       /* a secret key of RFC 8032 */
#define SIGMILL_ED25519_PUBLIC_KEY_SIZE 32
#define SIGMILL_ED25519_PAIR_SIZE 64       /* seed and public key, one after the other */
#define SIGMILL_ED25519_EXPANDED_SIZE 64   /* secret scalar and prefix of nonces, of sigmill_hazmat_... alone */
#define SIGMILL_ED25519_SIGNATURE_SIZE 64
#define SIGMILL_ED25519_CONTEXT_MAX 255
#define SIGMILL_NOISE_SIZE 32              /* random bytes of hedged signing */
#define SIGMILL_SHA512_SIZE 64
#define SIGMILL_X25519_SIZE 32             /* secret key, public key, shared secret */
#define SIGMILL_P256_SECRET_SIZE 32
#define SIGMILL_P256_PUBLIC_KEY_SIZE 65    /* SEC1, uncompressed */
#define SIGMILL_P256_COMPRESSED_SIZE 33
#define SIGMILL_P256_SIGNATURE_SIZE 64     /* r and s */
#define SIGMILL_P256_SIGNATURE_DER_MAX 72
#define SIGMILL_P384_SECRET_SIZE 48
#define SIGMILL_P384_PUBLIC_KEY_SIZE 97
#define SIGMILL_P384_COMPRESSED_SIZE 49
#define SIGMILL_P384_SIGNATURE_SIZE 96
#define SIGMILL_P384_SIGNATURE_DER_MAX 104
#define SIGMILL_CONTAINER_MAX 512          /* the longest key container that is written, in DER or PEM */
#define SIGMILL_PEM_READ_MAX 4096          /* the longest container that is read from PEM, in bytes of DER */

#define SIGMILL_STACK_SINGLE (48 * 1024)
#define SIGMILL_STACK_BULK (120 * 1024)

/* ---- numbers that never change ----------------------------------------------------------------------------- */

/* Verification rules of Ed25519. docs/rules.md says exactly what each accepts; most
 * libraries have SIGMILL_RULE_COMMON, libsodium SIGMILL_RULE_STRICT, ed25519-donna SIGMILL_RULE_LEGACY. */
enum sigmill_rule {
  SIGMILL_RULE_COMMON = 1,
  SIGMILL_RULE_RFC8032_EXACT = 2,
  SIGMILL_RULE_RFC8032 = 3,
  SIGMILL_RULE_ZIP215 = 4,
  SIGMILL_RULE_STRICT = 5,
  SIGMILL_RULE_NO_SMALL_KEY = 6,
  SIGMILL_RULE_NO_SMALL = 7,
  SIGMILL_RULE_LEGACY = 8
};

/* Why a signature is refused. Of several reasons the first is given, whichever way of verifying is used. The order for
 * Ed25519: KEY_LENGTH, SIGNATURE_LENGTH, DIGEST_LENGTH, KEY_NOT_A_POINT, KEY_NOT_CANONICAL, KEY_SMALL_ORDER,
 * R_NOT_A_POINT, R_NOT_CANONICAL, R_SMALL_ORDER, S_OUT_OF_RANGE, EQUATION. For ECDSA: KEY_LENGTH, SIGNATURE_LENGTH,
 * KEY_NOT_A_POINT, SIGNATURE_DER, DIGEST_EMPTY, R_OUT_OF_RANGE, S_OUT_OF_RANGE, S_HIGH, EQUATION. */
enum sigmill_reason {
  SIGMILL_VALID = 0,
  SIGMILL_REASON_KEY_LENGTH = 1,        /* the public key has another length than the algorithm's */
  SIGMILL_REASON_SIGNATURE_LENGTH = 2,
  SIGMILL_REASON_KEY_NOT_A_POINT = 3,
  SIGMILL_REASON_KEY_NOT_CANONICAL = 4,
  SIGMILL_REASON_KEY_SMALL_ORDER = 5,
  SIGMILL_REASON_R_NOT_A_POINT = 6,
  SIGMILL_REASON_R_NOT_CANONICAL = 7,
  SIGMILL_REASON_R_SMALL_ORDER = 8,
  SIGMILL_REASON_S_OUT_OF_RANGE = 9,
  SIGMILL_REASON_EQUATION = 10,         /* the signature is not one of this message under this key */
  SIGMILL_REASON_R_OUT_OF_RANGE = 11,   /* ECDSA */
  SIGMILL_REASON_S_HIGH = 12,           /* ECDSA, where the caller wants a low s */
  SIGMILL_REASON_DIGEST_EMPTY = 13,     /* ECDSA of a digest */
  SIGMILL_REASON_SIGNATURE_DER = 14,    /* ECDSA in DER */
  SIGMILL_REASON_DIGEST_LENGTH = 15,    /* Ed25519ph of a digest */
  SIGMILL_NOT_ALL_VALID = 100,          /* of bulk verification: some row is not valid */
  SIGMILL_UNFINISHED = 101,             /* of bulk verification in steps: more are needed */
  SIGMILL_NULL_ROW = 255                /* of a row: something in it is null, nothing was decided */
};

enum sigmill_error {
  SIGMILL_ERROR_NULL = -1,            /* a pointer is NULL */
  SIGMILL_ERROR_ALIGNMENT = -2,       /* a pointer is not aligned as its type asks for */
  SIGMILL_ERROR_OVERLAP = -3,         /* an output, or scratch, lies in other memory of the same call */
  SIGMILL_ERROR_LENGTH = -4,          /* a size is one that the function does not take */
  SIGMILL_ERROR_RULE = -5,            /* there is no such rule */
  SIGMILL_ERROR_VARIANT = -6,         /* there is no such variant, or it does not go with this function */
  SIGMILL_ERROR_CONTEXT = -7,         /* a context of more than 255 bytes, or one given to the pure variant */
  SIGMILL_ERROR_ALGORITHM = -8,       /* there is no such algorithm, curve, hash or encoding */
  SIGMILL_ERROR_SECRET = -9,          /* an ECDSA secret key is 0 or not below the group's order */
  SIGMILL_ERROR_PUBLIC_KEY = -10,     /* a public key is not a point on the curve */
  SIGMILL_ERROR_PAIR = -11,           /* the public half of a pair does not belong to its seed */
  SIGMILL_ERROR_ZERO_SECRET = -12,    /* the shared secret is all zeros: the public key has small order */
  SIGMILL_ERROR_RANDOMNESS = -13,     /* the system could not provide random bytes */
  SIGMILL_ERROR_FAULT = -14,          /* a signature failed its own check and was thrown away */
  SIGMILL_ERROR_MESSAGE_CHANGED = -15,/* a message was not the same when it was read again */
  SIGMILL_ERROR_DIGEST = -16,         /* a digest to be signed is empty */
  SIGMILL_ERROR_OUTPUT_SIZE = -17,    /* the output does not fit; its size pointer holds the size it needs */
  SIGMILL_ERROR_CONTAINER = -18,      /* not a key container of the kind that was asked for */
  SIGMILL_ERROR_STATE = -19,          /* an object is not initialised, or has finished */
  SIGMILL_ERROR_SCRATCH = -20,        /* scratch is too small */
  SIGMILL_ERROR_COLUMN = -21,         /* offsets, indices, bitmaps or sizes of a column do not fit together */
  SIGMILL_ERROR_ROWS = -22,           /* columns or buffers have different numbers of rows */
  SIGMILL_ERROR_NULL_MESSAGE = -23,   /* a message to be signed is null */
  SIGMILL_ERROR_ARROW = -24,          /* an Arrow type that is not bytes, or an array that was released */
  SIGMILL_ERROR_BACKEND = -25,        /* this CPU cannot run the backend that was asked for */
  SIGMILL_ERROR_RUN = -26,            /* the caller's function did not run every task; keys, signatures and secrets of
                                         many rows are then made in part */
  SIGMILL_ERROR_INTERNAL = -27,       /* a mistake in this library: please report it */
  SIGMILL_ERROR_SIGNATURE = -28       /* an ECDSA signature is not one of the encoding, or r or s is out of range */
};

/* The name of a rule, such as "zip215"; NULL for a number that is none. The string is static. */
SIGMILL_API const char *sigmill_rule_name(int rule);
/* The rule of a name; SIGMILL_ERROR_RULE for a name that is none. */
SIGMILL_CHECKED int sigmill_rule_from_name(const char *name);
/* The name of a reason as every face of the library writes it, such as "key_small_order"; NULL for a number that is
 * none. */
SIGMILL_API const char *sigmill_reason_name(int reason);
/* A sentence for any result of any function, never NULL. The string is static. */
SIGMILL_API const char *sigmill_message(int result);

/* ---- Ed25519 ----------------------------------------------------------------------------------------------- */

/* The variants of Ed25519 (RFC 8032 section 5.1). Signatures of one variant and context never verify under another. */
enum sigmill_variant_kind {
  SIGMILL_PURE = 0,      /* the message as it is; there is no context */
  SIGMILL_CTX = 1,       /* Ed25519ctx: under a context, which may be empty */
  SIGMILL_PH = 2,        /* Ed25519ph: SHA-512 of the message, under a context that may be empty */
  SIGMILL_PH_DIGEST = 3  /* the same, with the 64 bytes of SHA-512 in the place of the message */
};

/* Functions that take a variant take NULL for pure. */
struct sigmill_variant {
  int kind;
  const uint8_t *context;
  size_t context_size; /* at most 255 */
};

/* Makes a key from the system's random bytes. SIGMILL_ERROR_RANDOMNESS. Constant time. */
SIGMILL_CHECKED int sigmill_ed25519_keygen(uint8_t seed[32], uint8_t public_key[32]);

/* The public key of a seed. Constant time. */
SIGMILL_CHECKED int sigmill_ed25519_public_key(uint8_t public_key[32], const uint8_t seed[32]);

/* Signs with a seed. The public key is derived: no function that signs believes one that it is handed, because two
 * signatures of one message under two public keys give the secret key away. One more multiplication than
 * sigmill_ed25519_key_sign. A message of more than 16 KiB is hashed three times instead of twice, the last two times
 * side by side, to see whether it has changed: SIGMILL_ERROR_MESSAGE_CHANGED; for Ed25519ph it is hashed once. The same holds for all functions below that sign with Ed25519. Constant
 * time but for sizes. */
SIGMILL_CHECKED int sigmill_ed25519_sign(uint8_t signature[64], const uint8_t seed[32],
                                         const struct sigmill_variant *variant, const uint8_t *message,
                                         size_t message_size);

/* The same with a pair, seed and public key (libsodium's form): SIGMILL_ERROR_PAIR if they do not belong together. */
SIGMILL_CHECKED int sigmill_ed25519_sign_pair(uint8_t signature[64], const uint8_t pair[64],
                                              const struct sigmill_variant *variant, const uint8_t *message,
                                              size_t message_size);

/* Verifies a signature under a rule. A key or signature of another size than 32 and 64 is a refusal, not an error. */
SIGMILL_CHECKED int sigmill_ed25519_verify(int rule, const struct sigmill_variant *variant, const uint8_t *public_key,
                                           size_t public_key_size, const uint8_t *message, size_t message_size,
                                           const uint8_t *signature, size_t signature_size);

/* A rule's verdict on a public key alone: 0, or the reason for which it refuses every signature under it. */
SIGMILL_CHECKED int sigmill_ed25519_check_key(int rule, const uint8_t *public_key, size_t public_key_size);

/* A secret key with its halves and its public key. */
#define SIGMILL_ED25519_KEY_WORDS 48
struct sigmill_ed25519_key {
  uint64_t opaque[SIGMILL_ED25519_KEY_WORDS];
};

/* Makes a key of a seed, or of a pair (SIGMILL_ERROR_PAIR). Constant time. */
SIGMILL_CHECKED int sigmill_ed25519_key_init(struct sigmill_ed25519_key *key, const uint8_t seed[32]);
SIGMILL_CHECKED int sigmill_ed25519_key_init_pair(struct sigmill_ed25519_key *key, const uint8_t pair[64]);
/* Its public key, and its seed. SIGMILL_ERROR_STATE if the key was wiped meanwhile, as of all functions that use it. */
SIGMILL_CHECKED int sigmill_ed25519_key_public(const struct sigmill_ed25519_key *key, uint8_t public_key[32]);
SIGMILL_CHECKED int sigmill_ed25519_key_seed(const struct sigmill_ed25519_key *key, uint8_t seed[32]);
/* Signs. Constant time but for sizes. */
SIGMILL_CHECKED int sigmill_ed25519_key_sign(const struct sigmill_ed25519_key *key, uint8_t signature[64],
                                             const struct sigmill_variant *variant, const uint8_t *message,
                                             size_t message_size);
/* Signs with 32 random bytes in the nonce (draft-irtf-cfrg-det-sigs-with-noise); NULL asks the system for them. Bad
 * ones, even zeros, make it as good as the deterministic form. Not for SIGMILL_PH_DIGEST. */
SIGMILL_CHECKED int sigmill_ed25519_key_sign_hedged(const struct sigmill_ed25519_key *key, uint8_t signature[64],
                                                    const struct sigmill_variant *variant, const uint8_t *message,
                                                    size_t message_size, const uint8_t *noise);
/* Signs, and gives the signature out only if it verifies and the message has not changed meanwhile; noise as above,
 * but NULL means none. SIGMILL_ERROR_FAULT, SIGMILL_ERROR_MESSAGE_CHANGED. Not for SIGMILL_PH_DIGEST. */
SIGMILL_CHECKED int sigmill_ed25519_key_sign_checked(const struct sigmill_ed25519_key *key, uint8_t signature[64],
                                                     const struct sigmill_variant *variant, const uint8_t *message,
                                                     size_t message_size, const uint8_t *noise);
/* Overwrites the key with zeros. Calls that are using it in other threads give nothing out. */
SIGMILL_API int sigmill_ed25519_key_wipe(struct sigmill_ed25519_key *key);

/* A public key with tables of its multiples: verifying with it takes little more than half the time. Making it
 * costs a little more than one verification. */
#define SIGMILL_ED25519_PREPARED_WORDS 960
struct sigmill_ed25519_prepared {
  uint64_t opaque[SIGMILL_ED25519_PREPARED_WORDS];
};

/* SIGMILL_ERROR_PUBLIC_KEY if the bytes do not decode to a point. */
SIGMILL_CHECKED int sigmill_ed25519_prepare(struct sigmill_ed25519_prepared *prepared, const uint8_t public_key[32]);
/* As sigmill_ed25519_verify, with the same verdict. */
SIGMILL_CHECKED int sigmill_ed25519_prepared_verify(const struct sigmill_ed25519_prepared *prepared, int rule,
                                                    const struct sigmill_variant *variant, const uint8_t *message,
                                                    size_t message_size, const uint8_t *signature,
                                                    size_t signature_size);

/* SHA-512 of a message that comes in pieces: the digest of SIGMILL_PH_DIGEST, for signing and verifying. */
#define SIGMILL_ED25519_PREHASH_WORDS 32
struct sigmill_ed25519_prehash {
  uint64_t opaque[SIGMILL_ED25519_PREHASH_WORDS];
};

SIGMILL_CHECKED int sigmill_ed25519_prehash_init(struct sigmill_ed25519_prehash *prehash);
SIGMILL_CHECKED int sigmill_ed25519_prehash_update(struct sigmill_ed25519_prehash *prehash, const uint8_t *piece,
                                                   size_t piece_size);
/* The digest. The object may then be begun again, and nothing else. */
SIGMILL_CHECKED int sigmill_ed25519_prehash_finish(struct sigmill_ed25519_prehash *prehash, uint8_t digest[64]);

/* Verification of a message that comes in pieces. */
#define SIGMILL_ED25519_VERIFIER_WORDS 96
struct sigmill_ed25519_verifier {
  uint64_t opaque[SIGMILL_ED25519_VERIFIER_WORDS];
};

/* Begins. The verdict at the end tells a fault of the key or the signature. Nothing is borrowed. Not for
 * SIGMILL_PH_DIGEST. */
SIGMILL_CHECKED int sigmill_ed25519_verifier_init(struct sigmill_ed25519_verifier *verifier, int rule,
                                                  const struct sigmill_variant *variant, const uint8_t *public_key,
                                                  size_t public_key_size, const uint8_t *signature,
                                                  size_t signature_size);
SIGMILL_CHECKED int sigmill_ed25519_verifier_update(struct sigmill_ed25519_verifier *verifier, const uint8_t *piece,
                                                    size_t piece_size);
/* The verdict on the message so far. The object may then be begun again, and nothing else. */
SIGMILL_CHECKED int sigmill_ed25519_verifier_finish(struct sigmill_ed25519_verifier *verifier);

/* Signing of a message that comes in pieces, twice: Ed25519 reads a message two times. Nothing is borrowed: a signer has
 * its own copy of the key, which outlives the key's wiping; ..._finish or ..._wipe wipes it. */
#define SIGMILL_ED25519_SIGNER_WORDS 192
struct sigmill_ed25519_signer {
  uint64_t opaque[SIGMILL_ED25519_SIGNER_WORDS];
};

/* Begins the first pass; noise as of sigmill_ed25519_key_sign_checked. Not for SIGMILL_PH_DIGEST. */
SIGMILL_CHECKED int sigmill_ed25519_signer_init(struct sigmill_ed25519_signer *signer,
                                                const struct sigmill_ed25519_key *key,
                                                const struct sigmill_variant *variant, const uint8_t *noise);
SIGMILL_CHECKED int sigmill_ed25519_signer_update(struct sigmill_ed25519_signer *signer, const uint8_t *piece,
                                                  size_t piece_size);
/* Ends the first pass and begins the second. */
SIGMILL_CHECKED int sigmill_ed25519_signer_second_pass(struct sigmill_ed25519_signer *signer);
/* The signature. SIGMILL_ERROR_MESSAGE_CHANGED if the second pass did not see the bytes of the first: then there is
 * none. The object is wiped, whatever comes of it. */
SIGMILL_CHECKED int sigmill_ed25519_signer_finish(struct sigmill_ed25519_signer *signer, uint8_t signature[64]);
SIGMILL_API int sigmill_ed25519_signer_wipe(struct sigmill_ed25519_signer *signer);

/* Everything that can be said about one signature. Flags are 0 or 1. */
struct sigmill_point_facts {
  uint8_t decodes;       /* there is a point with this encoding; if not, the others are 0 */
  uint8_t canonical;     /* the encoding is the canonical one */
  uint8_t small;         /* the order is 1, 2, 4 or 8 */
  uint8_t torsion_order; /* of the torsion part: 1, 2, 4 or 8 */
};
struct sigmill_ed25519_facts {
  struct sigmill_point_facts key;
  struct sigmill_point_facts r;
  uint8_t s_below_order;
  uint8_t s_top_bits_clear;
  uint8_t exact;      /* [S]B = R + [k]A, byte for byte */
  uint8_t cofactored; /* [8][S]B = [8]R + [8][k]A */
  uint8_t has_residual;            /* key and R decode; if not, the next three are 0 */
  uint8_t residual_identity;       /* of [S]B - [k]A - R: it is the identity */
  uint8_t residual_small;          /* its order is 1, 2, 4 or 8 */
  uint8_t residual_torsion_order;
  uint8_t verdict[9]; /* verdict[rule]: 0 or the reason; verdict[0] is 0 and means nothing */
  uint8_t unused[7];
  uint8_t k[32]; /* SHA-512(dom, R, A, M) modulo the group's order, little-endian */
};
/* For SIGMILL_PH give the message; not for SIGMILL_PH_DIGEST. */
SIGMILL_CHECKED int sigmill_ed25519_explain(struct sigmill_ed25519_facts *facts,
                                            const struct sigmill_variant *variant, const uint8_t public_key[32],
                                            const uint8_t *message, size_t message_size,
                                            const uint8_t signature[64]);

/* HAZARDOUS: keys without a seed, as programs have them that blind or derive keys (Tor, Cardano). An expanded secret is a
 * scalar, 32 bytes little-endian, taken modulo the group's order and not clamped, and 32 bytes with which the hash of
 * every nonce begins. Two scalars with one prefix, and a prefix that others know, give the scalar away with the first
 * signatures. Everything else is as of sigmill_ed25519_sign: the public key is derived, a message may change, all four
 * variants, SIGMILL_ERROR_MESSAGE_CHANGED, constant time but for sizes. */
/* The expanded secret of RFC 8032: SHA-512 of the seed, its first half clamped. The caller wipes it. */
SIGMILL_CHECKED int sigmill_hazmat_ed25519_expand(uint8_t expanded[64], const uint8_t seed[32]);
/* The public key of the scalar. */
SIGMILL_CHECKED int sigmill_hazmat_ed25519_public_key(uint8_t public_key[32], const uint8_t expanded[64]);
/* Signs. */
SIGMILL_CHECKED int sigmill_hazmat_ed25519_sign(uint8_t signature[64], const uint8_t expanded[64],
                                                const struct sigmill_variant *variant, const uint8_t *message,
                                                size_t message_size);

/* SHA-512 by the caller, for hardware that computes it or a program that has it already: final gives 64 bytes. The
 * functions see seeds and nonces: they have to be constant time and to wipe their copies. With anything but SHA-512 only
 * a verifier with the same functions accepts. */
struct sigmill_sha512 {
  void *context; /* given to each function */
  void (*init)(void *context);
  void (*update)(void *context, const uint8_t *bytes, size_t size);
  void (*final)(void *context, uint8_t *digest);
};
/* Pure Ed25519 with these functions in the place of SHA-512; otherwise as the functions without _hashed. */
SIGMILL_CHECKED int sigmill_ed25519_public_key_hashed(uint8_t public_key[32], const struct sigmill_sha512 *hash,
                                                      const uint8_t seed[32]);
SIGMILL_CHECKED int sigmill_ed25519_sign_hashed(uint8_t signature[64], const struct sigmill_sha512 *hash,
                                                const uint8_t seed[32], const uint8_t *message, size_t message_size);
SIGMILL_CHECKED int sigmill_ed25519_verify_hashed(int rule, const struct sigmill_sha512 *hash,
                                                  const uint8_t *public_key, size_t public_key_size,
                                                  const uint8_t *message, size_t message_size,
                                                  const uint8_t *signature, size_t signature_size);

/* ---- X25519 (RFC 7748) ------------------------------------------------------------------------------------- */

#if !defined(SIGMILL_WITHOUT_X25519)

/* Makes a key from the system's random bytes. */
SIGMILL_CHECKED int sigmill_x25519_keygen(uint8_t secret[32], uint8_t public_key[32]);
/* The public key of a secret key, through the tables of Ed25519. Constant time. */
SIGMILL_CHECKED int sigmill_x25519_public_key(uint8_t public_key[32], const uint8_t secret[32]);
/* The shared secret. SIGMILL_ERROR_ZERO_SECRET if it is all zeros: it is then not given out. Constant time. */
SIGMILL_CHECKED int sigmill_x25519(uint8_t shared[32], const uint8_t secret[32], const uint8_t public_key[32]);
/* The keys of Ed25519 as keys of X25519. SIGMILL_ERROR_PUBLIC_KEY if the public key is not a point. */
SIGMILL_CHECKED int sigmill_x25519_secret_from_ed25519(uint8_t secret[32], const uint8_t seed[32]);
SIGMILL_CHECKED int sigmill_x25519_public_from_ed25519(uint8_t public_key[32], const uint8_t ed25519_public_key[32]);

#endif

/* ---- algorithms by number ---------------------------------------------------------------------------------- */

enum sigmill_algorithm {
  SIGMILL_ED25519 = 1,
  SIGMILL_P256 = 2, /* as a curve, too */
  SIGMILL_P384 = 3,
  SIGMILL_X25519 = 4 /* of key containers; it signs nothing */
};

enum sigmill_hash {
  SIGMILL_HASH_OWN = 0,  /* SHA-256 with P-256, SHA-384 with P-384 */
  SIGMILL_SHA256 = 256,
  SIGMILL_SHA384 = 384,
  SIGMILL_SHA512 = 512,
  SIGMILL_HASH_NONE = -1, /* the message is the digest */
  /* The same where this hash has made the digest, elsewhere or piece by piece: the signature is the one that the message
   * itself has with SIGMILL_SHA256 and the like, whose nonces RFC 6979 makes with that hash. Only of signing alone, without
   * noise and checks; when verifying it is SIGMILL_HASH_NONE. */
  SIGMILL_DIGEST_OF_SHA256 = -256,
  SIGMILL_DIGEST_OF_SHA384 = -384,
  SIGMILL_DIGEST_OF_SHA512 = -512
};

enum sigmill_encoding {
  SIGMILL_FIXED = 0, /* r and s, big-endian, each as long as a coordinate */
  SIGMILL_DER = 1    /* strict DER (RFC 3279 section 2.2.3) */
};

/* The form of ECDSA. Functions take NULL for all zeros: the curve's own hash, r and s, any s. */
struct sigmill_ecdsa {
  int hash;
  int encoding;
  int low_s; /* 1: when verifying, refuse an s above half of the order; when signing, make it low */
};

/* ---- ECDSA (FIPS 186-5), nonces of RFC 6979 ---------------------------------------------------------------- */

#if !defined(SIGMILL_WITHOUT_ECDSA)

/* Makes a key from the system's random bytes. secret has 32 or 48 bytes, public_key 65 or 97, by the curve. */
SIGMILL_CHECKED int sigmill_ecdsa_keygen(int curve, uint8_t *secret, uint8_t *public_key);
/* The public key of a secret key, uncompressed (65 or 97 bytes). SIGMILL_ERROR_SECRET. Constant time. */
SIGMILL_CHECKED int sigmill_ecdsa_public_key(int curve, uint8_t *public_key, const uint8_t *secret);
/* A public key in SEC1 bytes, compressed or not, into the form that is asked for: *out_size is the size of out and
 * becomes that of the key, also where out is too small. SIGMILL_ERROR_PUBLIC_KEY. */
SIGMILL_CHECKED int sigmill_ecdsa_convert_key(int curve, int compressed, uint8_t *out, size_t *out_size,
                                              const uint8_t *public_key, size_t public_key_size);
/* A signature from one encoding to another; *out_size as above. SIGMILL_ERROR_SIGNATURE where it cannot be read. With
 * low_s 1 the lower of s and n - s is written. */
SIGMILL_CHECKED int sigmill_ecdsa_convert_signature(int curve, int from, int to, int low_s, uint8_t *out,
                                                    size_t *out_size, const uint8_t *signature,
                                                    size_t signature_size);

/* Signs with a secret key; *signature_size is the size of signature and becomes the size written, or needed.
 * SIGMILL_ERROR_SECRET, SIGMILL_ERROR_DIGEST, SIGMILL_ERROR_OUTPUT_SIZE. Constant time but for sizes. */
SIGMILL_CHECKED int sigmill_ecdsa_sign(int curve, const struct sigmill_ecdsa *how, uint8_t *signature,
                                       size_t *signature_size, const uint8_t *secret, const uint8_t *message,
                                       size_t message_size);

/* Verifies a signature under a public key in SEC1 bytes, compressed or not. */
SIGMILL_CHECKED int sigmill_ecdsa_verify(int curve, const struct sigmill_ecdsa *how, const uint8_t *public_key,
                                         size_t public_key_size, const uint8_t *message, size_t message_size,
                                         const uint8_t *signature, size_t signature_size);

/* A secret key with its public key, read once. */
#define SIGMILL_ECDSA_KEY_WORDS 32
struct sigmill_ecdsa_key {
  uint64_t opaque[SIGMILL_ECDSA_KEY_WORDS];
};
SIGMILL_CHECKED int sigmill_ecdsa_key_init(struct sigmill_ecdsa_key *key, int curve, const uint8_t *secret);
SIGMILL_CHECKED int sigmill_ecdsa_key_public(const struct sigmill_ecdsa_key *key, uint8_t *public_key);
/* noise: 32 random bytes as additional input of the nonce (RFC 6979 section 3.6), or NULL for none. checked: 1 gives
 * the signature out only if it came out twice and verifies (SIGMILL_ERROR_FAULT). */
SIGMILL_CHECKED int sigmill_ecdsa_key_sign(const struct sigmill_ecdsa_key *key, const struct sigmill_ecdsa *how,
                                           uint8_t *signature, size_t *signature_size, const uint8_t *message,
                                           size_t message_size, const uint8_t *noise, int checked);
SIGMILL_API int sigmill_ecdsa_key_wipe(struct sigmill_ecdsa_key *key);

#endif

/* ---- key containers ---------------------------------------------------------------------------------------- */

#if !defined(SIGMILL_WITHOUT_CONTAINERS)

enum sigmill_form {
  SIGMILL_FORM_DER = 0,
  SIGMILL_FORM_PEM = 1
};
enum sigmill_container {
  SIGMILL_PKCS8 = 0, /* private keys: RFC 5208, RFC 5958, RFC 8410 */
  SIGMILL_SEC1 = 1,  /* private keys of elliptic curves: RFC 5915 */
  SIGMILL_SPKI = 2   /* public keys: RFC 5280 section 4.1.2.7 */
};

/* Reads the secret key (seed, secret of X25519 or of ECDSA) or the public key (Ed25519 and X25519: 32 bytes, ECDSA:
 * SEC1, uncompressed) of one algorithm from one kind of container, and never guesses: SIGMILL_ERROR_CONTAINER for
 * anything else, SIGMILL_ERROR_PAIR where a private container holds a public key of another secret. *key_size is the
 * size of key and becomes the size written, or needed. A secret of ECDSA may have as few as 24 bytes in a
 * container that tells the curve, and zeros are understood before them; one zero too many is, too; it is written whole.
 * Of PEM the first block labelled PUBLIC KEY, or PRIVATE KEY or EC PRIVATE KEY, is read, as OpenSSL does: other blocks,
 * other text, a byte-order mark and white space mean nothing, and SIGMILL_PKCS8 and SIGMILL_SEC1 read either container
 * of ECDSA under either label. Time depends on the shape of the text and the container and on how many bytes a secret
 * in it has, not on their values. */
SIGMILL_CHECKED int sigmill_key_read(int algorithm, int container, int form, uint8_t *key, size_t *key_size,
                                     const uint8_t *bytes, size_t size);
/* Writes it; *out_size as above, at most SIGMILL_CONTAINER_MAX. PEM is not terminated by a zero byte. */
SIGMILL_CHECKED int sigmill_key_write(int algorithm, int container, int form, uint8_t *out, size_t *out_size,
                                      const uint8_t *key, size_t key_size);

#endif

/* ---- bulk -------------------------------------------------------------------------------------------------- */

#if !defined(SIGMILL_WITHOUT_BULK)

/* A column of byte strings in one of these layouts; the first five are Arrow's. Layout 7, which
 * sigmill_column_from_arrow gives an array of type null, has no values: each of its rows is null. Fields that a layout
 * does not name are not looked at. Set everything to zero first. */
enum sigmill_layout {
  SIGMILL_COLUMN_FIXED = 0,      /* value i is values[width * i ...], width bytes */
  SIGMILL_COLUMN_BINARY = 1,     /* value i is values[offsets[i]] up to values[offsets[i + 1]]; int32_t offsets */
  SIGMILL_COLUMN_LARGE_BINARY = 2, /* the same with int64_t offsets */
  SIGMILL_COLUMN_VIEWS = 3,      /* offsets is an array of 16-byte views into buffers */
  SIGMILL_COLUMN_DICTIONARY = 4, /* value i is that of row offsets[i] of dictionary; index_type says of what type */
  SIGMILL_COLUMN_POINTERS = 5,   /* value i is sizes[i] bytes (width, if sizes is NULL) at pointers[i]; NULL is null
                                    unless its size is 0 */
  SIGMILL_COLUMN_PREPARED = 6    /* keys of Ed25519: pointers[i] is a const struct sigmill_ed25519_prepared * */
};
enum sigmill_index_type {
  SIGMILL_INT8 = 1, SIGMILL_INT16 = 2, SIGMILL_INT32 = 3, SIGMILL_INT64 = 4,
  SIGMILL_UINT8 = 5, SIGMILL_UINT16 = 6, SIGMILL_UINT32 = 7, SIGMILL_UINT64 = 8
};
struct sigmill_column {
  int layout;
  int index_type;
  size_t rows;
  size_t width;
  const uint8_t *values;
  size_t values_size;                /* bytes of values; of a fixed column at least rows * width */
  const void *offsets;
  const void *const *pointers;
  const size_t *sizes;               /* of pointers; of views those of buffers */
  const void *const *buffers;
  size_t buffer_count;
  const struct sigmill_column *dictionary; /* not itself a dictionary */
  const uint8_t *validity;           /* one bit a row, least significant first, 0 for null; NULL: none is null */
  size_t validity_offset;            /* the first row's bit */
};

/* The specification of a row: how it is verified. */
struct sigmill_spec {
  int algorithm;
  int rule;                       /* Ed25519 */
  struct sigmill_variant variant; /* Ed25519 */
  struct sigmill_ecdsa ecdsa;     /* ECDSA */
};

/* In spec_index: the row has no spec; its verdict is SIGMILL_NULL_ROW. */
#define SIGMILL_NULL_SPEC UINT32_MAX

struct sigmill_table {
  struct sigmill_column keys;       /* Ed25519: 32 bytes; ECDSA: SEC1 */
  struct sigmill_column messages;
  struct sigmill_column signatures;
  const struct sigmill_spec *specs;
  size_t spec_count;                /* at least 1 if there are rows */
  const uint32_t *spec_index;       /* row i is verified as specs[spec_index[i]]; NULL: all as specs[0] */
};

/* A part of a computation. */
typedef void sigmill_task(void *state, size_t number);
/* Calls task(state, i) once for every i below tasks, on any threads, at once or one after the other, and returns 0 when
 * all have returned. Nothing else may be done with state. */
typedef int sigmill_run(void *context, sigmill_task *task, void *state, size_t tasks);

enum sigmill_backend {
  SIGMILL_BACKEND_BEST = 0,
  SIGMILL_BACKEND_PORTABLE = 1,
  SIGMILL_BACKEND_AVX2 = 2,
  SIGMILL_BACKEND_IFMA = 3,
  SIGMILL_BACKEND_SIMD128 = 4 /* NEON: every CPU of aarch64 */
};
enum sigmill_strategy {
  SIGMILL_STRATEGY_BEST = 0,
  SIGMILL_STRATEGY_SINGLE = 1,
  SIGMILL_STRATEGY_LANES = 2,
  SIGMILL_STRATEGY_COMBINED = 3
};

/* How to compute; NULL means all zeros: the best way, on this thread. No choice changes a verdict. */
struct sigmill_bulk {
  int backend;
  int strategy;
  int deterministic;      /* 1: coefficients of combined verification come from the rows alone */
  int unused;
  const uint8_t *entropy; /* 32 secret random bytes for these coefficients; NULL: the system's */
  size_t tasks;           /* how many tasks to make of the rows; 0 and 1: none */
  sigmill_run *run;       /* runs them; NULL: one after the other. sigmill_threads is one */
  void *run_context;
};

/* The report of a call. */
struct sigmill_report {
  size_t valid;
  size_t invalid;
  size_t null;
  size_t single;   /* rows verified one by one, or refused for their lengths */
  size_t lanes;    /* each by its own equation, several side by side */
  size_t combined; /* many by one equation */
  size_t row;      /* of an error: the row, if one is to blame */
  const char *what;/* of an error: which column or buffer; NULL otherwise */
};

/* Bytes of scratch that sigmill_bulk_verify needs for a table of so many rows and these specs: at most some 8 MiB a
 * task and 64 bytes a spec. 0 if how or specs cannot be. */
SIGMILL_API size_t sigmill_bulk_scratch_size(const struct sigmill_bulk *how, size_t rows,
                                             const struct sigmill_spec *specs, size_t spec_count);

/* Verifies every row. codes[i] becomes 0 for a valid row, the reason for an invalid one, SIGMILL_NULL_ROW for a
 * row with a null. Returns 0 if every row is valid (an empty table, too), SIGMILL_NOT_ALL_VALID if not. report may
 * be NULL. After an error codes mean nothing and are not 0, unless they lie in an input: then they are not written
 * (SIGMILL_ERROR_OVERLAP, or another error if there is one). scratch needs no alignment. */
SIGMILL_CHECKED int sigmill_bulk_verify(const struct sigmill_bulk *how, const struct sigmill_table *table,
                                        uint8_t *codes, size_t codes_size, struct sigmill_report *report,
                                        void *scratch, size_t scratch_size);

/* The same in steps, for callers that must not compute for long at a time: each does about as much as work additions of
 * points take, some 20 to 300 ns each depending on the CPU, and returns SIGMILL_UNFINISHED; the last one returns the
 * result of sigmill_bulk_verify. how, table, codes and scratch must be the same in each call, and nobody may change
 * their contents, or progress, in between; tasks of how are not made. A caller may stop before the end; codes have no
 * meaning then. Two pieces of work are not cut: a first look at up to 16384 rows with the making of their coefficients, up
 * to 0.5 us a row, so tables of some thousand rows are best; and the work on one row, with its message. */
#define SIGMILL_PROGRESS_WORDS 128
struct sigmill_progress {
  uint64_t opaque[SIGMILL_PROGRESS_WORDS];
};
SIGMILL_CHECKED int sigmill_progress_init(struct sigmill_progress *progress);
/* The rate of invalid rows by a verification in steps that has ended, as a number to begin another with, of rows from the
 * same source: its rows are then combined in parts of the right size from the first on. Time depends on it, and no
 * verdict. Any number will do; 0, which says nothing, also stands for a progress that was not set. */
SIGMILL_API uint64_t sigmill_progress_rate(const struct sigmill_progress *progress);
SIGMILL_CHECKED int sigmill_progress_init_with_rate(struct sigmill_progress *progress, uint64_t rate);
SIGMILL_CHECKED int sigmill_bulk_verify_step(const struct sigmill_bulk *how, const struct sigmill_table *table,
                                             uint8_t *codes, size_t codes_size, struct sigmill_report *report,
                                             void *scratch, size_t scratch_size, struct sigmill_progress *progress,
                                             size_t work);

/* Public keys of many seeds: rows * 32 bytes each. Constant time but for the number of rows. */
SIGMILL_CHECKED int sigmill_bulk_ed25519_public_keys(const struct sigmill_bulk *how, size_t rows,
                                                     const uint8_t *seeds, uint8_t *public_keys);
/* Signatures of many messages, rows * 64 bytes: with keys[i] for row i, or with keys[0] for all where key_count is 1.
 * Not for SIGMILL_PH_DIGEST. After SIGMILL_ERROR_STATE for a key that was wiped meanwhile, SIGMILL_ERROR_MESSAGE_CHANGED
 * for a message of more than 64 KiB, and SIGMILL_ERROR_RUN, some rows have their signatures, and the others are as they
 * were; so it is with sigmill_bulk_ecdsa_sign. */
SIGMILL_CHECKED int sigmill_bulk_ed25519_sign(const struct sigmill_bulk *how,
                                              const struct sigmill_ed25519_key *const *keys, size_t key_count,
                                              const struct sigmill_variant *variant,
                                              const struct sigmill_column *messages, uint8_t *signatures,
                                              size_t signatures_size, struct sigmill_report *report);

#if !defined(SIGMILL_WITHOUT_X25519)
/* Public keys of many secret keys of X25519. */
SIGMILL_CHECKED int sigmill_bulk_x25519_public_keys(const struct sigmill_bulk *how, size_t rows,
                                                    const uint8_t *secrets, uint8_t *public_keys);
/* Shared secrets of many rows, with secret i or with the only one where secret_count is 1. codes[i] is 0, or 1 where
 * the shared secret is all zeros: it is then 32 zero bytes. Returns SIGMILL_NOT_ALL_VALID if there is such a row. */
SIGMILL_CHECKED int sigmill_bulk_x25519(const struct sigmill_bulk *how, size_t rows, const uint8_t *secrets,
                                        size_t secret_count, const uint8_t *public_keys, uint8_t *shared,
                                        uint8_t *codes);
#endif

#if !defined(SIGMILL_WITHOUT_ECDSA)
/* Public keys of many secret keys, uncompressed. SIGMILL_ERROR_SECRET, with the row in the report. */
SIGMILL_CHECKED int sigmill_bulk_ecdsa_public_keys(const struct sigmill_bulk *how, int curve, size_t rows,
                                                   const uint8_t *secrets, uint8_t *public_keys,
                                                   struct sigmill_report *report);
/* Signatures of many messages, r and s (the encoding SIGMILL_FIXED), any s. All keys are of one curve. */
SIGMILL_CHECKED int sigmill_bulk_ecdsa_sign(const struct sigmill_bulk *how,
                                            const struct sigmill_ecdsa_key *const *keys, size_t key_count,
                                            int hash, const struct sigmill_column *messages, uint8_t *signatures,
                                            size_t signatures_size, struct sigmill_report *report);
#endif

/* A ready-made sigmill_run on threads of its own (POSIX); context is a const size_t * with the number of threads, the
 * caller's included, or NULL for one a task. It is in the libraries, and in threads.c of the source package. */
SIGMILL_CHECKED int sigmill_threads(void *context, sigmill_task *task, void *state, size_t tasks);

/* ---- the Arrow C data interface ---------------------------------------------------------------------------- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

/* The view of an Arrow array as a column: fixed-size binary, binary, large binary, binary view, the same for text, null,
 * and dictionaries of them. Nothing is copied and nothing released: the array must outlive the column. columns[1] holds
 * the values of a dictionary. SIGMILL_ERROR_ARROW, SIGMILL_ERROR_COLUMN. */
SIGMILL_CHECKED int sigmill_column_from_arrow(struct sigmill_column columns[2], const struct ArrowSchema *schema,
                                              const struct ArrowArray *array);

/* Verifies a record batch (format "+s") with the children `key`, `message` and `signature`, all rows as spec, and
 * releases schema and batch, whatever comes of it, unless they had been released before. */
SIGMILL_CHECKED int sigmill_bulk_verify_arrow(const struct sigmill_bulk *how, const struct sigmill_spec *spec,
                                              struct ArrowSchema *schema, struct ArrowArray *batch, uint8_t *codes,
                                              size_t codes_size, struct sigmill_report *report, void *scratch,
                                              size_t scratch_size);

#endif

/* ---- the CPU ----------------------------------------------------------------------------------------------- */

enum sigmill_cpu {
  SIGMILL_CPU_ADX = 1,  /* BMI2 and ADX */
  SIGMILL_CPU_AVX2 = 2,
  SIGMILL_CPU_IFMA = 4  /* AVX-512 with IFMA */
};
/* The features that the library uses on this CPU. */
SIGMILL_API uint32_t sigmill_cpu_features(void);
/* Uses only these from now on, as far as the CPU has them; UINT32_MAX for all. For tests and comparisons: results are
 * the same. Not while other calls run. */
SIGMILL_API void sigmill_cpu_limit(uint32_t features);

#if defined(__cplusplus)
}
#endif

#endif
