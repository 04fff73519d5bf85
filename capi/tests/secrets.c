/*
 * What takes secrets, with secrets that Valgrind takes for undefined: for a library that was built with
 * --cfg sigmill_valgrind, which marks as defined what is public. With the argument `leak` one secret decides a branch.
 *
 * Signatures, public keys and shared secrets that come out are looked at only by what is told that they are defined.
 */
#include "test.h"

#include <valgrind/memcheck.h>

#define SECRET(at, size) VALGRIND_MAKE_MEM_UNDEFINED((at), (size))
#define PUBLIC(at, size) VALGRIND_MAKE_MEM_DEFINED((at), (size))

enum { ROWS = 70 };
static uint8_t secrets[ROWS * 48], out[ROWS * 97], others[ROWS * 32], codes[ROWS], message[100];

static void fresh(void) {
  uint64_t random = 4;
  size_t i;
  PUBLIC(secrets, sizeof secrets);
  random_bytes(&random, secrets, sizeof secrets);
  for (i = 0; i < sizeof secrets; i += 16) secrets[i] &= 0x7f;
  SECRET(secrets, sizeof secrets);
}

/* A result says only what is public: whether something was wrong. */
#define DONE(call)                                \
  do {                                            \
    int result_ = (call);                         \
    PUBLIC(&result_, sizeof result_);             \
    EQUAL(result_, 0);                            \
    PUBLIC(out, sizeof out);                      \
    fresh();                                      \
  } while (0)

static void ed25519(void) {
  struct sigmill_variant variants[4];
  struct sigmill_ed25519_key key;
  struct sigmill_ed25519_signer signer;
  uint8_t noise[32] = {1}, pair[64];
  int kind;
  memset(variants, 0, sizeof variants);
  DONE(sigmill_ed25519_public_key(out, secrets));
  PUBLIC(secrets, 32);
  memcpy(pair, secrets, 32);
  EQUAL(sigmill_ed25519_public_key(pair + 32, pair), 0);
  PUBLIC(pair + 32, 32);
  SECRET(pair, 32);
  fresh();
  DONE(sigmill_hazmat_ed25519_expand(out, secrets));
  DONE(sigmill_hazmat_ed25519_public_key(out, secrets));
  for (kind = SIGMILL_PURE; kind <= SIGMILL_PH_DIGEST; kind++) {
    size_t size = kind == SIGMILL_PH_DIGEST ? 64 : sizeof message;
    variants[kind].kind = kind;
    DONE(sigmill_ed25519_sign(out, secrets, &variants[kind], message, size));
    DONE(sigmill_ed25519_sign_pair(out, pair, &variants[kind], message, size));
    DONE(sigmill_hazmat_ed25519_sign(out, secrets, &variants[kind], message, size));
    DONE(sigmill_ed25519_key_init(&key, secrets));
    DONE(sigmill_ed25519_key_sign(&key, out, &variants[kind], message, size));
    if (kind == SIGMILL_PH_DIGEST) continue;
    SECRET(noise, sizeof noise);
    DONE(sigmill_ed25519_key_sign_hedged(&key, out, &variants[kind], message, size, noise));
    DONE(sigmill_ed25519_key_sign_checked(&key, out, &variants[kind], message, size, NULL));
    DONE(sigmill_ed25519_key_sign_checked(&key, out, &variants[kind], message, size, noise));
    DONE(sigmill_ed25519_signer_init(&signer, &key, &variants[kind], noise));
    DONE(sigmill_ed25519_signer_update(&signer, message, size));
    DONE(sigmill_ed25519_signer_second_pass(&signer));
    DONE(sigmill_ed25519_signer_update(&signer, message, size));
    DONE(sigmill_ed25519_signer_finish(&signer, out));
  }
  DONE(sigmill_ed25519_key_init_pair(&key, pair));
  DONE(sigmill_ed25519_key_public(&key, out));
  DONE(sigmill_ed25519_key_wipe(&key));
}

static void x25519(void) {
  uint8_t point[32] = {9};
  DONE(sigmill_x25519_public_key(out, secrets));
  DONE(sigmill_x25519(out, secrets, point));
  DONE(sigmill_x25519_secret_from_ed25519(out, secrets));
}

static void ecdsa(void) {
  int curve, hash, checked;
  uint8_t noise[32] = {2};
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    struct sigmill_ecdsa_key key;
    struct sigmill_ecdsa how;
    DONE(sigmill_ecdsa_public_key(curve, out, secrets));
    DONE(sigmill_ecdsa_key_init(&key, curve, secrets));
    DONE(sigmill_ecdsa_key_public(&key, out));
    for (hash = -1; hash <= SIGMILL_SHA512; hash += hash < 0 ? 1 : hash == 0 ? 256 : 128) {
      memset(&how, 0, sizeof how);
      how.hash = hash;
      for (checked = 0; checked < 2; checked++) {
        size_t size = 104;
        how.encoding = SIGMILL_FIXED;
        DONE(sigmill_ecdsa_sign(curve, &how, out, &size, secrets, message, 48));
        size = 104;
        how.low_s = checked;
        DONE(sigmill_ecdsa_key_sign(&key, &how, out, &size, message, 48, NULL, checked));
        SECRET(noise, sizeof noise);
        size = 104;
        how.encoding = SIGMILL_DER;
        DONE(sigmill_ecdsa_key_sign(&key, &how, out, &size, message, 48, noise, checked));
      }
    }
    for (hash = SIGMILL_DIGEST_OF_SHA256; hash >= SIGMILL_DIGEST_OF_SHA512; hash -= 128) {
      size_t size = 104;
      how.hash = hash;
      DONE(sigmill_ecdsa_sign(curve, &how, out, &size, secrets, message, 48));
      size = 104;
      DONE(sigmill_ecdsa_key_sign(&key, &how, out, &size, message, 48, NULL, 0));
    }
    DONE(sigmill_ecdsa_key_wipe(&key));
  }
}

static void bulk(void) {
  struct sigmill_ed25519_key key;
  struct sigmill_ecdsa_key curve_key;
  const struct sigmill_ed25519_key *keys[1];
  const struct sigmill_ecdsa_key *curve_keys[1];
  struct sigmill_column messages;
  int curve;
  memset(&messages, 0, sizeof messages);
  messages.rows = ROWS;
  messages.width = 1;
  messages.values = message;
  messages.values_size = sizeof message;
  keys[0] = &key;
  curve_keys[0] = &curve_key;
  DONE(sigmill_bulk_ed25519_public_keys(NULL, ROWS, secrets, out));
  DONE(sigmill_ed25519_key_init(&key, secrets));
  DONE(sigmill_bulk_ed25519_sign(NULL, keys, 1, NULL, &messages, out, ROWS * 64, NULL));
  DONE(sigmill_bulk_x25519_public_keys(NULL, ROWS, secrets, others));
  PUBLIC(others, sizeof others);
  DONE(sigmill_bulk_x25519(NULL, ROWS, secrets, ROWS, others, out, codes));
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    DONE(sigmill_bulk_ecdsa_public_keys(NULL, curve, ROWS, secrets, out, NULL));
    DONE(sigmill_ecdsa_key_init(&curve_key, curve, secrets));
    DONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 1, 0, &messages, out, (size_t)ROWS * (curve == 2 ? 64 : 96), NULL));
  }
}

int main(int count, char **arguments) {
  static const uint32_t cpus[] = {SIGMILL_CPU_ADX | SIGMILL_CPU_AVX2, SIGMILL_CPU_AVX2, 0};
  int i;
  fresh();
  if (count > 1 && strcmp(arguments[1], "leak") == 0) return secrets[3] > 17 ? 1 : 0;
  if (!RUNNING_ON_VALGRIND) fprintf(stderr, "secrets: not under Valgrind, which is what this is for\n");
  for (i = 0; i < 3; i++) {
    sigmill_cpu_limit(cpus[i]);
    ed25519();
    x25519();
    ecdsa();
    bulk();
  }
  return finished("secrets");
}
