/*
 * ed25519-donna's names, one key or signature at a time: vectors, verdicts, the public key that signing does not
 * believe, NULL.
 */
#include "donna_oracle.h"
#include "test.h"

#include "ed25519.h"

/* What ed25519.c was built with. */
#if !defined(RULE)
#define RULE SIGMILL_RULE_LEGACY
#endif

/* RFC 8032 and more: frozen keys and signatures. */
static void made_as_frozen(void) {
  struct csv csv = read_csv("ed25519/sign.csv");
  size_t row, pure = 0;
  CHECK(csv.columns == 8);
  for (row = 0; row < csv.rows; row++) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes seed = hex(cells[4]), key = hex(cells[5]), message = hex(cells[6]), signature = hex(cells[7]);
    ed25519_public_key made;
    ed25519_signature signed_;
    if (strcmp(cells[2], "pure") == 0) {
      pure++;
      ed25519_publickey(seed.at, made);
      SAME_BYTES(made, key.at, 32);
      ed25519_sign(message.at, message.size, seed.at, key.at, signed_);
      SAME_BYTES(signed_, signature.at, 64);
      EQUAL(ed25519_sign_open(message.at, message.size, key.at, signed_), 0);
      signed_[8] ^= 1;
      EQUAL(ed25519_sign_open(message.at, message.size, key.at, signed_), -1);
    }
    free(seed.at);
    free(key.at);
    free(message.at);
    free(signature.at);
  }
  CHECK(pure >= 5);
  free_csv(&csv);
}

static void verdicts_as_frozen(void) {
  struct vectors vectors = read_vectors();
  size_t row;
  for (row = 0; row < vectors.rows; row++) {
    const struct vector *vector = &vectors.at[row];
    if (vector->variant.kind != SIGMILL_PURE || vector->key.size != 32 || vector->signature.size != 64) continue;
    EQUAL(ed25519_sign_open(vector->message.at, vector->message.size, vector->key.at, vector->signature.at),
          vector->code[RULE] == 0 ? 0 : -1);
  }
  free_vectors(&vectors);
}

/* Incident 1: what is handed to ed25519_sign beside the secret key changes nothing. */
static void handed_key_is_not_looked_at(void) {
  uint64_t state = 1;
  ed25519_secret_key seed;
  ed25519_public_key key, other;
  ed25519_signature signature, again;
  uint8_t message[40];
  int i;
  for (i = 0; i < 20; i++) {
    random_bytes(&state, seed, sizeof seed);
    random_bytes(&state, message, sizeof message);
    random_bytes(&state, other, sizeof other);
    ed25519_publickey(seed, key);
    ed25519_sign(message, sizeof message, seed, key, signature);
    ed25519_sign(message, sizeof message, seed, other, again);
    SAME_BYTES(signature, again, 64);
    EQUAL(ed25519_sign_open(message, sizeof message, key, again), 0);
    ed25519_sign(message, sizeof message, seed, NULL, again);
    SAME_BYTES(signature, again, 64);
    if (i < 2) CHECK(!oracle_recovers(ed25519_sign, seed, key, other));
  }
}

/* The signature may be written over the message. */
static void signature_over_message(void) {
  uint64_t state = 6;
  ed25519_secret_key seed;
  ed25519_public_key key;
  ed25519_signature signature;
  uint8_t memory[100];
  random_bytes(&state, seed, sizeof seed);
  random_bytes(&state, memory, sizeof memory);
  ed25519_publickey(seed, key);
  ed25519_sign(memory, sizeof memory, seed, key, signature);
  ed25519_sign(memory, sizeof memory, seed, key, memory + 20);
  SAME_BYTES(memory + 20, signature, 64);
}

/* RFC 7748, sections 5.2 (one round: the scalar 9 times the base point) and 6.1. */
static void base_point_of_curve25519(void) {
  static const char *const pairs[][2] = {
    {"0900000000000000000000000000000000000000000000000000000000000000",
     "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"},
    {"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
     "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"},
    {"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
     "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"}};
  curved25519_key secret, wanted, made;
  size_t i;
  for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    put_hex(secret, pairs[i][0]);
    put_hex(wanted, pairs[i][1]);
    curved25519_scalarmult_basepoint(made, secret);
    SAME_BYTES(made, wanted, 32);
    curved25519_scalarmult_basepoint(secret, secret);
    SAME_BYTES(secret, wanted, 32);
  }
}

/* Secret keys that nobody has twice. */
static void random_bytes_of_the_system(void) {
  uint8_t bytes[2][100], zero[100] = {0};
  memset(bytes, 0, sizeof bytes);
  ed25519_randombytes_unsafe(NULL, 0);
  ed25519_randombytes_unsafe(bytes[0], 99);
  ed25519_randombytes_unsafe(bytes[1], 33);
  EQUAL(bytes[0][99], 0);
  SAME_BYTES(bytes[1] + 33, zero, 67);
  CHECK(memcmp(bytes[0], bytes[1], 16) != 0 && memcmp(bytes[0], bytes[0] + 32, 16) != 0);
  CHECK(memcmp(bytes[0] + 80, zero, 19) != 0 && memcmp(bytes[1] + 16, zero, 17) != 0);
}

/* What ed25519-donna crashes on, or takes for granted. */
static void nulls(void) {
  static const uint8_t zero[64] = {0};
  ed25519_secret_key seed = {7};
  ed25519_public_key key;
  ed25519_signature signature, empty;
  uint8_t byte = 1;
  ed25519_publickey(seed, key);
  ed25519_sign(NULL, 0, seed, key, empty);
  ed25519_sign(&byte, 0, seed, key, signature);
  SAME_BYTES(signature, empty, 64);
  EQUAL(ed25519_sign_open(NULL, 0, key, empty), 0);
  EQUAL(ed25519_sign_open(NULL, 1, key, empty), -1);
  EQUAL(ed25519_sign_open(&byte, 0, NULL, empty), -1);
  EQUAL(ed25519_sign_open(&byte, 0, key, NULL), -1);
  ed25519_sign(NULL, 1, seed, key, signature);
  SAME_BYTES(signature, zero, 64);
  memset(signature, 1, 64);
  ed25519_sign(&byte, 1, NULL, key, signature);
  SAME_BYTES(signature, zero, 64);
  ed25519_publickey(NULL, key);
  SAME_BYTES(key, zero, 32);
  memset(key, 1, 32);
  curved25519_scalarmult_basepoint(key, NULL);
  SAME_BYTES(key, zero, 32);
  ed25519_publickey(seed, NULL);
  ed25519_sign(&byte, 1, seed, key, NULL);
  curved25519_scalarmult_basepoint(NULL, seed);
}

int main(void) {
  made_as_frozen();
  verdicts_as_frozen();
  handed_key_is_not_looked_at();
  signature_over_message();
  base_point_of_curve25519();
  random_bytes_of_the_system();
  nulls();
  return finished("donna_one");
}
