/*
 * X25519: RFC 7748, public keys of small order, keys of Ed25519, bulk.
 */
#include "test.h"

static void known_values(void) {
  static const char *const products[][3] = {
      {"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
       "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
       "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
      {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
       "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
       "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
      {"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
       "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
       "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
      {"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
       "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
       "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"}};
  uint8_t secret[32], point[32], wanted[32], made[32], k[32] = {9}, u[32] = {9};
  size_t i;
  for (i = 0; i < 4; i++) {
    put_hex(secret, products[i][0]);
    put_hex(point, products[i][1]);
    put_hex(wanted, products[i][2]);
    EQUAL(sigmill_x25519(made, secret, point), 0);
    SAME_BYTES(made, wanted, 32);
    if (i >= 2) {
      EQUAL(sigmill_x25519_public_key(made, secret), 0);
      put_hex(wanted, products[5 - i][1]);
      SAME_BYTES(made, wanted, 32);
      memcpy(made, secret, 32); /* the output may be the input */
      EQUAL(sigmill_x25519_public_key(made, made), 0);
      SAME_BYTES(made, wanted, 32);
    }
  }
  for (i = 1; i <= 1000; i++) {
    EQUAL(sigmill_x25519(made, k, u), 0);
    memcpy(u, k, 32);
    memcpy(k, made, 32);
    if (i == 1) put_hex(wanted, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    if (i == 1) SAME_BYTES(k, wanted, 32);
    if (test_step() > 1) return;
  }
  put_hex(wanted, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
  SAME_BYTES(k, wanted, 32);
}

/* Points of small order, with and without the highest bit: 0, 1, the two of order 8, p - 1, p, p + 1. */
static const char *const small[] = {"0000000000000000000000000000000000000000000000000000000000000000",
                                    "0100000000000000000000000000000000000000000000000000000000000000",
                                    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                                    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                                    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};

static void zero_secrets(void) {
  uint8_t secret[32] = {77}, point[32], made[32];
  size_t i;
  for (i = 0; i < 14; i++) {
    put_hex(point, small[i / 2]);
    if (i % 2 == 1) point[31] |= 0x80;
    memset(made, 0xa5, 32);
    EQUAL(sigmill_x25519(made, secret, point), SIGMILL_ERROR_ZERO_SECRET);
    EQUAL(made[0] == 0xa5 && made[31] == 0xa5, 1); /* it is not given out */
  }
}

static void keys(void) {
  uint8_t a[32], b[32], public_a[32], public_b[32], shared[2][32], seed[32], edwards[32], made[32];
  EQUAL(sigmill_x25519_keygen(a, public_a), 0);
  EQUAL(sigmill_x25519_keygen(b, public_b), 0);
  CHECK(memcmp(a, b, 32) != 0);
  EQUAL(sigmill_x25519_public_key(made, a), 0);
  SAME_BYTES(made, public_a, 32);
  EQUAL(sigmill_x25519(shared[0], a, public_b), 0);
  EQUAL(sigmill_x25519(shared[1], b, public_a), 0);
  SAME_BYTES(shared[0], shared[1], 32);
  /* the keys of Ed25519 as keys of X25519 */
  EQUAL(sigmill_ed25519_keygen(seed, edwards), 0);
  EQUAL(sigmill_x25519_secret_from_ed25519(a, seed), 0);
  EQUAL(sigmill_x25519_public_from_ed25519(public_a, edwards), 0);
  EQUAL(sigmill_x25519_public_key(made, a), 0);
  SAME_BYTES(made, public_a, 32);
  memset(made, 0xff, 32);
  for (made[0] = 0; sigmill_ed25519_check_key(SIGMILL_RULE_ZIP215, made, 32) == 0;) made[0]++;
  memset(shared[0], 0xa5, 32);
  EQUAL(sigmill_x25519_public_from_ed25519(shared[0], made), SIGMILL_ERROR_PUBLIC_KEY);
  EQUAL(shared[0][7], 0xa5);
}

enum { ROWS = 500 };

static void in_bulk(void) {
  static uint8_t secrets[ROWS * 32], others[ROWS * 32], public_keys[ROWS * 32], shared[ROWS * 32], codes[ROWS];
  static const size_t few[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, ROWS};
  uint64_t random = 5;
  size_t threads = 2, i, which;
  int backend;
  random_bytes(&random, secrets, sizeof secrets);
  random_bytes(&random, others, sizeof others);
  for (backend = 0; backend <= SIGMILL_BACKEND_SIMD128; backend++) {
    for (which = 0; which < sizeof few / sizeof *few; which++) {
      size_t rows = few[which], zeros = 0;
      struct sigmill_bulk how;
      int result;
      memset(&how, 0, sizeof how);
      how.backend = backend;
      how.tasks = which;
      how.run = which % 2 == 0 ? sigmill_threads : NULL;
      how.run_context = &threads;
      result = sigmill_bulk_x25519_public_keys(&how, rows, others, public_keys);
      if (result == SIGMILL_ERROR_BACKEND && backend >= SIGMILL_BACKEND_AVX2) continue;
      EQUAL(result, 0);
      for (i = 0; i < rows; i++) {
        uint8_t one[32];
        EQUAL(sigmill_x25519_public_key(one, others + 32 * i), 0);
        SAME_BYTES(one, public_keys + 32 * i, 32);
        if (i % 9 == 4) {
          put_hex(public_keys + 32 * i, small[i / 9 % 7]);
          zeros++;
        }
      }
      memset(codes, 0xa5, sizeof codes);
      EQUAL(sigmill_bulk_x25519(&how, rows, secrets, which % 3 == 0 ? 1 : rows, public_keys, shared, codes),
            zeros > 0 ? SIGMILL_NOT_ALL_VALID : 0);
      for (i = 0; i < ROWS; i++) {
        uint8_t one[32] = {0};
        if (i >= rows) {
          EQUAL(codes[i], 0xa5);
          continue;
        }
        EQUAL(codes[i], i % 9 == 4);
        EQUAL(sigmill_x25519(one, secrets + (which % 3 == 0 ? 0 : 32 * i), public_keys + 32 * i),
              i % 9 == 4 ? SIGMILL_ERROR_ZERO_SECRET : 0);
        SAME_BYTES(one, shared + 32 * i, 32);
      }
    }
  }
}

int main(void) {
  sigmill_cpu_limit(test_cpu());
  known_values();
  zero_secrets();
  keys();
  in_bulk();
  return finished("x25519");
}
