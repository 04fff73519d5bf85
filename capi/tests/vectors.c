/*
 * vectors/ed25519 through the functions for one signature: every way of verifying gives the frozen reason of every
 * rule, every way of signing the frozen signature.
 */
#include "sha512.h"
#include "test.h"

/* Pieces of odd sizes, empty ones among them. */
static size_t piece_size(size_t number, size_t left) {
  static const size_t sizes[] = {1, 0, 127, 3, 129, 64, 0, 257, 31};
  size_t size = sizes[number % (sizeof sizes / sizeof *sizes)];
  return size < left ? size : left;
}

static int verify_in_pieces(const struct vector *vector, int rule, size_t first) {
  struct sigmill_ed25519_verifier verifier, moved;
  size_t at = 0, number = first;
  EQUAL(sigmill_ed25519_verifier_init(&verifier, rule, &vector->variant, vector->key.at, vector->key.size,
                                      vector->signature.at, vector->signature.size),
        0);
  while (at < vector->message.size) {
    size_t size = piece_size(number++, vector->message.size - at);
    EQUAL(sigmill_ed25519_verifier_update(&verifier, vector->message.at + at, size), 0);
    at += size;
    memcpy(&moved, &verifier, sizeof moved); /* an object may be moved */
    memset(&verifier, 0xa5, sizeof verifier);
    memcpy(&verifier, &moved, sizeof moved);
  }
  EQUAL(sigmill_ed25519_verifier_update(&verifier, NULL, 0), 0);
  return sigmill_ed25519_verifier_finish(&verifier);
}

static void verify_all(const struct vectors *vectors) {
  static struct sigmill_ed25519_prepared prepared;
  size_t row;
  int rule;
  for (row = 0; row < vectors->rows; row++) {
    const struct vector *vector = &vectors->at[row];
    struct bytes key = vector->key, message = vector->message, signature = vector->signature;
    int lengths_are_right = key.size == 32 && signature.size == 64;
    int is_prepared = 0;
    struct sigmill_ed25519_facts facts;
    struct sigmill_variant by_digest = vector->variant;
    uint8_t digest[64];
    by_digest.kind = SIGMILL_PH_DIGEST;
    sha512(digest, message.at, message.size);
    if (key.size == 32) {
      int made = sigmill_ed25519_prepare(&prepared, key.at);
      CHECK(made == 0 || made == SIGMILL_ERROR_PUBLIC_KEY);
      is_prepared = made == 0;
    }
    if (lengths_are_right) {
      EQUAL(sigmill_ed25519_explain(&facts, &vector->variant, key.at, message.at, message.size, signature.at), 0);
      EQUAL(facts.verdict[0], 0);
      EQUAL(facts.key.decodes, is_prepared);
    }
    for (rule = 1; rule <= 8; rule++) {
      int code = vector->code[rule], of_key = sigmill_ed25519_check_key(rule, key.at, key.size);
      if (sigmill_ed25519_verify(rule, &vector->variant, key.at, key.size, message.at, message.size, signature.at,
                                 signature.size) != code) {
        fprintf(stderr, "row %lu of verify.csv, %s\n", (unsigned long)(row * test_step()), sigmill_rule_name(rule));
        CHECK(!"another verdict");
      }
      if (vector->variant.kind == SIGMILL_PURE) {
        EQUAL(sigmill_ed25519_verify(rule, NULL, key.at, key.size, message.at, message.size, signature.at,
                                     signature.size),
              code);
      }
      if (vector->variant.kind == SIGMILL_PH) {
        EQUAL(sigmill_ed25519_verify(rule, &by_digest, key.at, key.size, digest, 64, signature.at, signature.size),
              code);
      }
      EQUAL(verify_in_pieces(vector, rule, row), code);
      if (is_prepared) {
        EQUAL(sigmill_ed25519_prepared_verify(&prepared, rule, &vector->variant, message.at, message.size,
                                              signature.at, signature.size),
              code);
        if (vector->variant.kind == SIGMILL_PH) {
          EQUAL(sigmill_ed25519_prepared_verify(&prepared, rule, &by_digest, digest, 64, signature.at,
                                                signature.size),
                code);
        }
      }
      if (lengths_are_right) EQUAL(facts.verdict[rule], code);
      /* the reasons of keys come first, but for the length of the signature */
      if (signature.size == 64 || of_key == SIGMILL_REASON_KEY_LENGTH) {
        int about_key = code == SIGMILL_REASON_KEY_LENGTH ||
                        (code >= SIGMILL_REASON_KEY_NOT_A_POINT && code <= SIGMILL_REASON_KEY_SMALL_ORDER);
        EQUAL(of_key, about_key ? code : 0);
      }
    }
  }
}

static void decode_all(void) {
  static struct sigmill_ed25519_prepared prepared;
  struct csv csv = read_csv("ed25519/decode.csv");
  size_t row;
  for (row = 0; row < csv.rows; row += test_step()) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes encoding = hex(cells[0]);
    struct sigmill_ed25519_facts facts;
    const struct sigmill_point_facts *points[2];
    uint8_t signature[64] = {0};
    int i, decodes = atoi(cells[1]), canonical = atoi(cells[2]), small = atoi(cells[3]);
    memcpy(signature, encoding.at, 32);
    EQUAL(sigmill_ed25519_explain(&facts, NULL, encoding.at, NULL, 0, signature), 0);
    points[0] = &facts.key;
    points[1] = &facts.r;
    for (i = 0; i < 2; i++) {
      EQUAL(points[i]->decodes, decodes);
      EQUAL(points[i]->canonical, canonical);
      EQUAL(points[i]->small, small);
      EQUAL(points[i]->torsion_order, atoi(cells[4]));
    }
    EQUAL(facts.s_below_order, 1);
    EQUAL(facts.s_top_bits_clear, 1);
    EQUAL(facts.has_residual, decodes);
    EQUAL(sigmill_ed25519_prepare(&prepared, encoding.at), decodes ? 0 : SIGMILL_ERROR_PUBLIC_KEY);
    EQUAL(sigmill_ed25519_check_key(SIGMILL_RULE_COMMON, encoding.at, 32),
          decodes ? 0 : SIGMILL_REASON_KEY_NOT_A_POINT);
    EQUAL(sigmill_ed25519_check_key(SIGMILL_RULE_RFC8032, encoding.at, 32), !decodes    ? SIGMILL_REASON_KEY_NOT_A_POINT
                                                                           : !canonical ? SIGMILL_REASON_KEY_NOT_CANONICAL
                                                                                        : 0);
    EQUAL(sigmill_ed25519_check_key(SIGMILL_RULE_STRICT, encoding.at, 32), !decodes ? SIGMILL_REASON_KEY_NOT_A_POINT
                                                                          : small  ? SIGMILL_REASON_KEY_SMALL_ORDER
                                                                                   : 0);
    free(encoding.at);
  }
  free_csv(&csv);
}

static void sign_in_pieces(uint8_t signature[64], const struct sigmill_ed25519_key *key,
                           const struct sigmill_variant *variant, struct bytes message, const uint8_t *noise) {
  struct sigmill_ed25519_signer signer, moved;
  int pass;
  EQUAL(sigmill_ed25519_signer_init(&signer, key, variant, noise), 0);
  for (pass = 0; pass < 2; pass++) {
    size_t at = 0, number = (size_t)pass;
    while (at < message.size) {
      size_t size = piece_size(number++, message.size - at);
      EQUAL(sigmill_ed25519_signer_update(&signer, message.at + at, size), 0);
      at += size;
      memcpy(&moved, &signer, sizeof moved);
      memset(&signer, 0xa5, sizeof signer);
      memcpy(&signer, &moved, sizeof moved);
    }
    if (pass == 0) EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
  }
  EQUAL(sigmill_ed25519_signer_finish(&signer, signature), 0);
}

static void sign_all(void) {
  struct csv csv = read_csv("ed25519/sign.csv");
  size_t row;
  for (row = 0; row < csv.rows; row += test_step()) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes context = hex(cells[3]), seed = hex(cells[4]), key = hex(cells[5]), message = hex(cells[6]),
                 wanted = hex(cells[7]);
    struct sigmill_variant variant, by_digest;
    struct sigmill_ed25519_key object;
    uint8_t pair[64], made[64], digest[64], expanded[64];
    variant.kind = variant_kind(cells[2]);
    variant.context = context.at;
    variant.context_size = context.size;
    by_digest = variant;
    by_digest.kind = SIGMILL_PH_DIGEST;
    sha512(digest, message.at, message.size);
    memcpy(pair, seed.at, 32);
    memcpy(pair + 32, key.at, 32);

    EQUAL(sigmill_ed25519_public_key(made, seed.at), 0);
    SAME_BYTES(made, key.at, 32);
    EQUAL(sigmill_ed25519_sign(made, seed.at, &variant, message.at, message.size), 0);
    SAME_BYTES(made, wanted.at, 64);
    if (variant.kind == SIGMILL_PURE) {
      memset(made, 0, 64);
      EQUAL(sigmill_ed25519_sign(made, seed.at, NULL, message.at, message.size), 0);
      SAME_BYTES(made, wanted.at, 64);
    }
    memset(made, 0, 64);
    EQUAL(sigmill_ed25519_sign_pair(made, pair, &variant, message.at, message.size), 0);
    SAME_BYTES(made, wanted.at, 64);
    {
      struct sigmill_ed25519_prehash prehash, moved;
      size_t half = message.size / 2;
      memset(made, 0, 64);
      EQUAL(sigmill_ed25519_prehash_init(&prehash), 0);
      EQUAL(sigmill_ed25519_prehash_update(&prehash, message.at, half), 0);
      memcpy(&moved, &prehash, sizeof moved);
      EQUAL(sigmill_ed25519_prehash_update(&moved, message.at + half, message.size - half), 0);
      EQUAL(sigmill_ed25519_prehash_finish(&moved, made), 0);
      SAME_BYTES(made, digest, 64);
      EQUAL(sigmill_ed25519_prehash_finish(&moved, made), SIGMILL_ERROR_STATE);
      EQUAL(sigmill_ed25519_prehash_update(&moved, message.at, 0), SIGMILL_ERROR_STATE);
    }
    if (variant.kind == SIGMILL_PH) {
      memset(made, 0, 64);
      EQUAL(sigmill_ed25519_sign(made, seed.at, &by_digest, digest, 64), 0);
      SAME_BYTES(made, wanted.at, 64);
      memset(made, 0, 64);
      EQUAL(sigmill_ed25519_sign_pair(made, pair, &by_digest, digest, 64), 0);
      SAME_BYTES(made, wanted.at, 64);
    }

    /* the same from the scalar and the prefix */
    EQUAL(sigmill_hazmat_ed25519_expand(expanded, seed.at), 0);
    EQUAL(expanded[0] % 8, 0);
    EQUAL(expanded[31] / 64, 1);
    EQUAL(sigmill_hazmat_ed25519_public_key(made, expanded), 0);
    SAME_BYTES(made, key.at, 32);
    EQUAL(sigmill_hazmat_ed25519_sign(made, expanded, &variant, message.at, message.size), 0);
    SAME_BYTES(made, wanted.at, 64);
    if (variant.kind == SIGMILL_PH) {
      memset(made, 0, 64);
      EQUAL(sigmill_hazmat_ed25519_sign(made, expanded, &by_digest, digest, 64), 0);
      SAME_BYTES(made, wanted.at, 64);
    }

    EQUAL(row / test_step() % 2 == 0 ? sigmill_ed25519_key_init(&object, seed.at) : sigmill_ed25519_key_init_pair(&object, pair), 0);
    EQUAL(sigmill_ed25519_key_public(&object, made), 0);
    SAME_BYTES(made, key.at, 32);
    EQUAL(sigmill_ed25519_key_seed(&object, made), 0);
    SAME_BYTES(made, seed.at, 32);
    EQUAL(sigmill_ed25519_key_sign(&object, made, &variant, message.at, message.size), 0);
    SAME_BYTES(made, wanted.at, 64);
    memset(made, 0, 64);
    EQUAL(sigmill_ed25519_key_sign_checked(&object, made, &variant, message.at, message.size, NULL), 0);
    SAME_BYTES(made, wanted.at, 64);
    if (variant.kind == SIGMILL_PH) {
      memset(made, 0, 64);
      EQUAL(sigmill_ed25519_key_sign(&object, made, &by_digest, digest, 64), 0);
      SAME_BYTES(made, wanted.at, 64);
    }
    memset(made, 0, 64);
    sign_in_pieces(made, &object, &variant, message, NULL);
    SAME_BYTES(made, wanted.at, 64);
    /* the output of a single operation may be its input */
    memcpy(made, seed.at, 32);
    EQUAL(sigmill_ed25519_sign(made, made, &variant, message.at, message.size), 0);
    SAME_BYTES(made, wanted.at, 64);
    EQUAL(sigmill_ed25519_sign_pair(pair, pair, &variant, message.at, message.size), 0);
    SAME_BYTES(pair, wanted.at, 64);
    if (message.size >= 64) {
      EQUAL(sigmill_ed25519_key_sign(&object, message.at + 1, &variant, message.at, message.size - 1), 0);
      message.at[0] ^= 1;
    }
    EQUAL(sigmill_ed25519_key_wipe(&object), 0);
    free(context.at);
    free(seed.at);
    free(key.at);
    free(message.at);
    free(wanted.at);
  }
  free_csv(&csv);
  csv = read_csv("ed25519/sign_hedged.csv");
  for (row = 0; row < csv.rows; row += test_step()) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes context = hex(cells[3]), seed = hex(cells[4]), noise = hex(cells[5]), message = hex(cells[6]),
                 wanted = hex(cells[7]);
    struct sigmill_variant variant;
    struct sigmill_ed25519_key key;
    uint8_t made[64];
    variant.kind = variant_kind(cells[2]);
    variant.context = context.at;
    variant.context_size = context.size;
    EQUAL(sigmill_ed25519_key_init(&key, seed.at), 0);
    EQUAL(sigmill_ed25519_key_sign_hedged(&key, made, &variant, message.at, message.size, noise.at), 0);
    SAME_BYTES(made, wanted.at, 64);
    memset(made, 0, 64);
    EQUAL(sigmill_ed25519_key_sign_checked(&key, made, &variant, message.at, message.size, noise.at), 0);
    SAME_BYTES(made, wanted.at, 64);
    memset(made, 0, 64);
    sign_in_pieces(made, &key, &variant, message, noise.at);
    SAME_BYTES(made, wanted.at, 64);
    free(context.at);
    free(seed.at);
    free(noise.at);
    free(message.at);
    free(wanted.at);
  }
  free_csv(&csv);
}

/* Scalars without a seed, as blinding makes them: neither clamped nor below the order. */
static void sign_without_seed(void) {
  static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
  uint8_t expanded[64], base[32], key[32], made[64], again[64], *message = (uint8_t *)calloc(1, 40000);
  unsigned carry = 0;
  size_t i, size;
  CHECK(message != NULL);
  memset(base, 0x66, 32); /* 1 times the base point */
  base[0] = 0x58;
  memset(expanded, 7, 64);
  memset(expanded, 0, 32);
  expanded[0] = 1;
  EQUAL(sigmill_hazmat_ed25519_public_key(key, expanded), 0);
  SAME_BYTES(key, base, 32);
  for (size = 0; size <= 40000; size += size < 100 ? 33 : 19950) {
    EQUAL(sigmill_hazmat_ed25519_sign(made, expanded, NULL, message, size), 0);
    EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, base, 32, message, size, made, 64), 0);
  }
  for (i = 0; i < 32; i++) { /* 1 and the order are 1 */
    carry += expanded[i] + order[i];
    expanded[i] = (uint8_t)carry;
    carry >>= 8;
  }
  EQUAL(sigmill_hazmat_ed25519_public_key(key, expanded), 0);
  SAME_BYTES(key, base, 32);
  EQUAL(sigmill_hazmat_ed25519_sign(made, expanded, NULL, message, 100), 0);
  memset(expanded, 0, 32);
  expanded[0] = 1;
  EQUAL(sigmill_hazmat_ed25519_sign(again, expanded, NULL, message, 100), 0);
  SAME_BYTES(made, again, 64);
  expanded[63] ^= 1; /* another prefix, another nonce */
  EQUAL(sigmill_hazmat_ed25519_sign(again, expanded, NULL, message, 100), 0);
  CHECK(memcmp(made, again, 32) != 0);
  /* outputs may be inputs */
  EQUAL(sigmill_hazmat_ed25519_sign(expanded, expanded, NULL, message, 100), 0);
  SAME_BYTES(expanded, again, 64);
  free(message);
}

int main(void) {
  struct vectors vectors = read_vectors();
  sigmill_cpu_limit(test_cpu());
  verify_all(&vectors);
  free_vectors(&vectors);
  decode_all();
  sign_all();
  sign_without_seed();
  return finished("vectors");
}
