/*
 * Names, sentences and the version; keys and noise of the system; the caller's own SHA-512.
 */
#include "sha512.h"
#include "test.h"

#include <limits.h>

static void names(void) {
  static const char *const rules[] = {"common", "rfc8032_exact", "rfc8032", "zip215", "strict", "no_small_key",
                                      "no_small", "legacy"};
  static const char *const reasons[] = {
      "key_length",      "signature_length", "key_not_a_point", "key_not_canonical", "key_small_order",
      "r_not_a_point",   "r_not_canonical",  "r_small_order",   "s_out_of_range",    "equation",
      "r_out_of_range",  "s_high",           "digest_empty",    "signature_der",     "digest_length"};
  struct csv csv = read_csv("rules.csv");
  char long_name[200];
  int i, j;
  for (i = 1; i <= 8; i++) {
    CHECK(strcmp(sigmill_rule_name(i), rules[i - 1]) == 0);
    CHECK(strcmp(sigmill_rule_name(i), csv.cells[(size_t)(i - 1) * csv.columns + 1]) == 0);
    EQUAL(atoi(csv.cells[(size_t)(i - 1) * csv.columns]), i);
    EQUAL(sigmill_rule_from_name(rules[i - 1]), i);
  }
  EQUAL(csv.rows, 8);
  free_csv(&csv);
  memset(long_name, 'a', sizeof long_name);
  long_name[sizeof long_name - 1] = 0;
  EQUAL(sigmill_rule_from_name(long_name), SIGMILL_ERROR_RULE);
  EQUAL(sigmill_rule_from_name(""), SIGMILL_ERROR_RULE);
  EQUAL(sigmill_rule_from_name("Strict"), SIGMILL_ERROR_RULE);
  EQUAL(sigmill_rule_from_name("strict "), SIGMILL_ERROR_RULE);
  EQUAL(sigmill_rule_from_name("stric"), SIGMILL_ERROR_RULE);
  EQUAL(sigmill_rule_from_name("\xff\xfe"), SIGMILL_ERROR_RULE);
  for (i = 1; i <= 15; i++) CHECK(strcmp(sigmill_reason_name(i), reasons[i - 1]) == 0);
  for (i = -400; i <= 400; i++) {
    if (i < 1 || i > 15) CHECK(sigmill_reason_name(i) == NULL);
    if (i < 1 || i > 8) CHECK(sigmill_rule_name(i) == NULL);
    CHECK(sigmill_message(i) != NULL && strlen(sigmill_message(i)) > 3);
    for (j = -28; j < i && i <= 15; j++) { /* no two results have one sentence */
      if (i >= -28) CHECK(strcmp(sigmill_message(i), sigmill_message(j)) != 0);
    }
  }
  CHECK(strcmp(sigmill_message(SIGMILL_NOT_ALL_VALID), sigmill_message(99)) != 0);
  CHECK(strcmp(sigmill_message(SIGMILL_NULL_ROW), sigmill_message(99)) != 0);
  CHECK(strcmp(sigmill_message(-29), sigmill_message(99)) == 0);
  CHECK(sigmill_message(INT_MIN) != NULL && sigmill_message(INT_MAX) != NULL);
  CHECK(sigmill_reason_name(INT_MIN) == NULL && sigmill_rule_name(INT_MAX) == NULL);
  EQUAL(sigmill_version(), SIGMILL_VERSION);
}

static void systems_bytes(void) {
  uint8_t seed[2][32], public_key[2][32], made[64], signatures[3][64];
  struct sigmill_ed25519_key key;
  int i;
  for (i = 0; i < 2; i++) {
    EQUAL(sigmill_ed25519_keygen(seed[i], public_key[i]), 0);
    EQUAL(sigmill_ed25519_public_key(made, seed[i]), 0);
    SAME_BYTES(made, public_key[i], 32);
  }
  CHECK(memcmp(seed[0], seed[1], 32) != 0);
  EQUAL(sigmill_ed25519_key_init(&key, seed[0]), 0);
  EQUAL(sigmill_ed25519_key_sign(&key, signatures[0], NULL, seed[1], 32), 0);
  for (i = 1; i < 3; i++) { /* noise of the system */
    EQUAL(sigmill_ed25519_key_sign_hedged(&key, signatures[i], NULL, seed[1], 32, NULL), 0);
    EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, public_key[0], 32, seed[1], 32, signatures[i], 64), 0);
    CHECK(memcmp(signatures[i], signatures[i - 1], 64) != 0);
  }
  CHECK(memcmp(signatures[0], signatures[2], 64) != 0);
}

/* SHA-512, and one that is not. */
static int calls;

static void counting_init(void *context) {
  calls++;
  sha512_init(context);
}

static void another_final(void *context, uint8_t *digest) {
  sha512_final(context, digest);
  digest[5] ^= 1;
}

static void own_hash(void) {
  struct sha512 state;
  struct sigmill_sha512 hash = {&state, counting_init, sha512_update, sha512_final};
  uint8_t seed[32] = {4}, key[2][32], signature[2][64], message[300];
  int rule, i;
  memset(message, 5, sizeof message);
  for (i = 0; i <= 300; i += 60) {
    calls = 0;
    EQUAL(sigmill_ed25519_public_key(key[0], seed), 0);
    EQUAL(sigmill_ed25519_public_key_hashed(key[1], &hash, seed), 0);
    SAME_BYTES(key[0], key[1], 32);
    EQUAL(sigmill_ed25519_sign(signature[0], seed, NULL, message, (size_t)i), 0);
    EQUAL(sigmill_ed25519_sign_hashed(signature[1], &hash, seed, message, (size_t)i), 0);
    SAME_BYTES(signature[0], signature[1], 64);
    CHECK(calls >= 4); /* seed twice, nonce, challenge */
    for (rule = 1; rule <= 8; rule++) {
      calls = 0;
      EQUAL(sigmill_ed25519_verify_hashed(rule, &hash, key[0], 32, message, (size_t)i, signature[0], 64), 0);
      EQUAL(calls, 1);
      signature[0][33] ^= 1;
      EQUAL(sigmill_ed25519_verify_hashed(rule, &hash, key[0], 32, message, (size_t)i, signature[0], 64),
            SIGMILL_REASON_EQUATION);
      signature[0][33] ^= 1;
      EQUAL(sigmill_ed25519_verify_hashed(rule, &hash, key[0], 31, message, (size_t)i, signature[0], 64),
            SIGMILL_REASON_KEY_LENGTH);
    }
  }
  hash.final = another_final;
  EQUAL(sigmill_ed25519_verify_hashed(SIGMILL_RULE_COMMON, &hash, key[0], 32, message, 300, signature[0], 64),
        SIGMILL_REASON_EQUATION);
  EQUAL(sigmill_ed25519_public_key_hashed(key[1], &hash, seed), 0);
  CHECK(memcmp(key[0], key[1], 32) != 0);
  EQUAL(sigmill_ed25519_sign_hashed(signature[1], &hash, seed, message, 300), 0);
  EQUAL(sigmill_ed25519_verify_hashed(SIGMILL_RULE_STRICT, &hash, key[1], 32, message, 300, signature[1], 64), 0);
  EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, key[1], 32, message, 300, signature[1], 64),
        SIGMILL_REASON_EQUATION);
  hash.final = sha512_final;
  for (i = 0; i < 6; i++) { /* what is not there */
    struct sigmill_sha512 broken = hash;
    uint8_t out[64];
    if (i == 0) broken.init = NULL;
    if (i == 1) broken.update = NULL;
    if (i == 2) broken.final = NULL;
    memset(out, 0xa5, sizeof out);
    EQUAL(sigmill_ed25519_public_key_hashed(i == 4 ? NULL : out, i == 3 ? NULL : &broken, i == 5 ? NULL : seed),
          SIGMILL_ERROR_NULL);
    EQUAL(sigmill_ed25519_sign_hashed(i == 4 ? NULL : out, i == 3 ? NULL : &broken, i == 5 ? NULL : seed, message, 9),
          SIGMILL_ERROR_NULL);
    EQUAL(sigmill_ed25519_verify_hashed(SIGMILL_RULE_COMMON, i == 3 ? NULL : &broken, i >= 4 ? NULL : key[0], 32,
                                        message, 9, signature[0], 64),
          SIGMILL_ERROR_NULL);
    EQUAL(out[0] == 0xa5 && out[63] == 0xa5, 1);
  }
  EQUAL(sigmill_ed25519_sign_hashed(signature[1], &hash, seed, NULL, 1), SIGMILL_ERROR_NULL);
  EQUAL(sigmill_ed25519_verify_hashed(9, &hash, key[0], 32, message, 9, signature[0], 64), SIGMILL_ERROR_RULE);
}

int main(void) {
  sigmill_cpu_limit(test_cpu());
  names();
  systems_bytes();
  own_hash();
  return finished("names");
}
