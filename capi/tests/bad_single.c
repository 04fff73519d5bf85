/*
 * What nothing can be made of, through the functions for one row: each mistake has its number, and outputs are as
 * they were.
 */
#include "test.h"

/* Outputs lie in here, and may not have changed after an error. */
static uint8_t out[256];
static size_t out_size;

static void before(void) {
  memset(out, 0xa5, sizeof out);
  out_size = 200;
}

static int unchanged(void) {
  size_t i;
  for (i = 0; i < sizeof out; i++) {
    if (out[i] != 0xa5) return 0;
  }
  return out_size == 200;
}

#define REFUSED(call, error)                                                                            \
  do {                                                                                                  \
    before();                                                                                           \
    EQUAL((call), (error));                                                                             \
    CHECK(unchanged());                                                                                 \
  } while (0)

static uint8_t seed[32] = {1}, pair[64], key[32], signature[64], message[8] = "message", context[300];

/* An object of its type at an address that is not a multiple of 8. */
static uint64_t room[2000];
#define ASKEW(type) ((struct type *)(void *)((char *)room + 4))
#define ODD(type) ((struct type *)(void *)((char *)room + 1))

static void variants(void) {
  static const int no_kinds[] = {-1, 4, 5, 255, 256, -2147483647 - 1, 2147483647};
  struct sigmill_ed25519_key object;
  struct sigmill_ed25519_prepared prepared;
  struct sigmill_ed25519_verifier verifier;
  struct sigmill_ed25519_signer signer;
  struct sigmill_ed25519_facts facts;
  struct sigmill_variant variant;
  struct {
    struct sigmill_variant variant;
    int error;
    int with_digest; /* whether it is also one where a digest may be given */
  } cases[20];
  size_t count = 0, i;
  memset(cases, 0, sizeof cases);
  for (i = 0; i < sizeof no_kinds / sizeof *no_kinds; i++) {
    cases[count].variant.kind = no_kinds[i];
    cases[count].error = SIGMILL_ERROR_VARIANT;
    cases[count++].with_digest = 1;
  }
  for (i = 0; i < 4; i++) { /* a context that is too long */
    cases[count].variant.kind = (int)i;
    cases[count].variant.context = context;
    cases[count].variant.context_size = 256;
    cases[count].error = SIGMILL_ERROR_CONTEXT;
    cases[count++].with_digest = 1;
  }
  cases[count].variant.kind = SIGMILL_CTX;
  cases[count].variant.context = context;
  cases[count].variant.context_size = SIZE_MAX;
  cases[count].error = SIGMILL_ERROR_CONTEXT;
  cases[count++].with_digest = 1;
  cases[count].variant.kind = SIGMILL_PURE; /* pure has none */
  cases[count].variant.context = context;
  cases[count].variant.context_size = 1;
  cases[count].error = SIGMILL_ERROR_CONTEXT;
  cases[count++].with_digest = 1;
  cases[count].variant.kind = SIGMILL_CTX;
  cases[count].variant.context_size = 1;
  cases[count].error = SIGMILL_ERROR_NULL;
  cases[count++].with_digest = 1;
  cases[count].variant.kind = SIGMILL_CTX; /* of both faults the null */
  cases[count].variant.context_size = 256;
  cases[count].error = SIGMILL_ERROR_NULL;
  cases[count++].with_digest = 1;
  cases[count].variant.kind = SIGMILL_PH_DIGEST; /* where there has to be a message */
  cases[count++].error = SIGMILL_ERROR_VARIANT;

  EQUAL(sigmill_ed25519_key_init(&object, seed), 0);
  EQUAL(sigmill_ed25519_prepare(&prepared, key), 0);
  for (i = 0; i < count; i++) {
    int error = cases[i].error;
    variant = cases[i].variant;
    if (cases[i].with_digest) {
      REFUSED(sigmill_ed25519_sign(out, seed, &variant, message, 7), error);
      REFUSED(sigmill_ed25519_sign_pair(out, pair, &variant, message, 7), error);
      REFUSED(sigmill_ed25519_key_sign(&object, out, &variant, message, 7), error);
      REFUSED(sigmill_hazmat_ed25519_sign(out, pair, &variant, message, 7), error);
      EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, &variant, key, 32, message, 7, signature, 64), error);
      EQUAL(sigmill_ed25519_prepared_verify(&prepared, SIGMILL_RULE_COMMON, &variant, message, 7, signature, 64),
            error);
    }
    REFUSED(sigmill_ed25519_key_sign_hedged(&object, out, &variant, message, 7, seed), error);
    REFUSED(sigmill_ed25519_key_sign_checked(&object, out, &variant, message, 7, NULL), error);
    memset(&verifier, 0, sizeof verifier);
    EQUAL(sigmill_ed25519_verifier_init(&verifier, SIGMILL_RULE_COMMON, &variant, key, 32, signature, 64), error);
    EQUAL(sigmill_ed25519_verifier_finish(&verifier), SIGMILL_ERROR_STATE);
    memset(&signer, 0, sizeof signer);
    EQUAL(sigmill_ed25519_signer_init(&signer, &object, &variant, NULL), error);
    EQUAL(sigmill_ed25519_signer_second_pass(&signer), SIGMILL_ERROR_STATE);
    memset(&facts, 0x77, sizeof facts);
    EQUAL(sigmill_ed25519_explain(&facts, &variant, key, message, 7, signature), error);
    EQUAL(facts.k[31], 0x77);
    EQUAL(facts.key.decodes, 0x77);
  }
  /* a context of 255 bytes, an empty one at NULL, and digests of other sizes than 64 */
  memset(&variant, 0, sizeof variant);
  variant.kind = SIGMILL_CTX;
  EQUAL(sigmill_ed25519_sign(out, seed, &variant, message, 7), 0);
  EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, &variant, key, 32, message, 7, out, 64), 0);
  variant.context = context;
  variant.context_size = 255;
  EQUAL(sigmill_ed25519_sign(out, seed, &variant, message, 7), 0);
  EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, &variant, key, 32, message, 7, out, 64), 0);
  variant.kind = SIGMILL_PH_DIGEST;
  REFUSED(sigmill_ed25519_sign(out, seed, &variant, context, 63), SIGMILL_ERROR_LENGTH);
  REFUSED(sigmill_ed25519_sign(out, seed, &variant, NULL, 0), SIGMILL_ERROR_LENGTH);
  REFUSED(sigmill_ed25519_sign_pair(out, pair, &variant, context, 65), SIGMILL_ERROR_LENGTH);
  REFUSED(sigmill_hazmat_ed25519_sign(out, pair, &variant, context, 65), SIGMILL_ERROR_LENGTH);
  REFUSED(sigmill_ed25519_key_sign(&object, out, &variant, context, 128), SIGMILL_ERROR_LENGTH);
  EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, &variant, key, 32, context, 63, signature, 64),
        SIGMILL_REASON_DIGEST_LENGTH);
  EQUAL(sigmill_ed25519_prepared_verify(&prepared, SIGMILL_RULE_STRICT, &variant, context, 65, signature, 64),
        SIGMILL_REASON_DIGEST_LENGTH);
  EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, &variant, key, 31, context, 64, signature, 64),
        SIGMILL_REASON_KEY_LENGTH);
}

static void rules(void) {
  static const int none[] = {0, -1, 9, 10, 256, 257, 260, 65540, -252, -2147483647 - 1, 2147483647};
  static struct sigmill_ed25519_prepared prepared;
  struct sigmill_ed25519_verifier verifier;
  size_t i;
  EQUAL(sigmill_ed25519_prepare(&prepared, key), 0);
  for (i = 0; i < sizeof none / sizeof *none; i++) {
    int rule = none[i];
    EQUAL(sigmill_ed25519_verify(rule, NULL, key, 32, message, 7, signature, 64), SIGMILL_ERROR_RULE);
    EQUAL(sigmill_ed25519_check_key(rule, key, 32), SIGMILL_ERROR_RULE);
    EQUAL(sigmill_ed25519_prepared_verify(&prepared, rule, NULL, message, 7, signature, 64), SIGMILL_ERROR_RULE);
    memset(&verifier, 0, sizeof verifier);
    EQUAL(sigmill_ed25519_verifier_init(&verifier, rule, NULL, key, 32, signature, 64), SIGMILL_ERROR_RULE);
    EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), SIGMILL_ERROR_STATE);
    CHECK(sigmill_rule_name(rule) == NULL);
  }
}

/* NULL with a size, and where the header wants an array. */
static void nulls(void) {
  const int N = SIGMILL_ERROR_NULL, R = SIGMILL_RULE_COMMON;
  static struct sigmill_ed25519_prepared prepared;
  struct sigmill_ed25519_key object;
  struct sigmill_ed25519_verifier verifier;
  struct sigmill_ed25519_signer signer;
  struct sigmill_ed25519_facts facts;
  uint8_t made[64];
  EQUAL(sigmill_ed25519_key_init(&object, seed), 0);
  EQUAL(sigmill_ed25519_prepare(&prepared, key), 0);

  REFUSED(sigmill_ed25519_keygen(NULL, out), N);
  REFUSED(sigmill_ed25519_keygen(out, NULL), N);
  REFUSED(sigmill_ed25519_public_key(NULL, seed), N);
  REFUSED(sigmill_ed25519_public_key(out, NULL), N);
  REFUSED(sigmill_ed25519_sign(NULL, seed, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_sign(out, NULL, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_sign(out, seed, NULL, NULL, 1), N);
  REFUSED(sigmill_ed25519_sign(out, seed, NULL, NULL, SIZE_MAX), N);
  {
    struct sigmill_ed25519_prehash prehash;
    EQUAL(sigmill_ed25519_prehash_init(NULL), N);
    EQUAL(sigmill_ed25519_prehash_init((struct sigmill_ed25519_prehash *)((uint8_t *)&prehash + 1)), SIGMILL_ERROR_ALIGNMENT);
    memset(&prehash, 0, sizeof prehash);
    EQUAL(sigmill_ed25519_prehash_update(&prehash, message, 7), SIGMILL_ERROR_STATE);
    REFUSED(sigmill_ed25519_prehash_finish(&prehash, out), SIGMILL_ERROR_STATE);
    EQUAL(sigmill_ed25519_prehash_init(&prehash), 0);
    EQUAL(sigmill_ed25519_prehash_update(NULL, message, 7), N);
    EQUAL(sigmill_ed25519_prehash_update(&prehash, NULL, 7), N);
    EQUAL(sigmill_ed25519_prehash_finish(&prehash, NULL), N);
    REFUSED(sigmill_ed25519_prehash_finish(NULL, out), N);
  }
  REFUSED(sigmill_hazmat_ed25519_expand(NULL, seed), N);
  REFUSED(sigmill_hazmat_ed25519_expand(out, NULL), N);
  REFUSED(sigmill_hazmat_ed25519_public_key(NULL, pair), N);
  REFUSED(sigmill_hazmat_ed25519_public_key(out, NULL), N);
  REFUSED(sigmill_hazmat_ed25519_sign(NULL, pair, NULL, message, 7), N);
  REFUSED(sigmill_hazmat_ed25519_sign(out, NULL, NULL, message, 7), N);
  REFUSED(sigmill_hazmat_ed25519_sign(out, pair, NULL, NULL, 7), N);
  REFUSED(sigmill_ed25519_sign_pair(NULL, pair, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_sign_pair(out, NULL, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_sign_pair(out, pair, NULL, NULL, 7), N);
  EQUAL(sigmill_ed25519_verify(R, NULL, NULL, 32, message, 7, signature, 64), N);
  EQUAL(sigmill_ed25519_verify(R, NULL, key, 32, NULL, 7, signature, 64), N);
  EQUAL(sigmill_ed25519_verify(R, NULL, key, 32, message, 7, NULL, 64), N);
  EQUAL(sigmill_ed25519_verify(R, NULL, NULL, 0, message, 7, signature, 64), SIGMILL_REASON_KEY_LENGTH);
  EQUAL(sigmill_ed25519_verify(R, NULL, key, 32, message, 7, NULL, 0), SIGMILL_REASON_SIGNATURE_LENGTH);
  EQUAL(sigmill_ed25519_check_key(R, NULL, 32), N);
  EQUAL(sigmill_ed25519_check_key(R, NULL, 0), SIGMILL_REASON_KEY_LENGTH);
  EQUAL(sigmill_ed25519_key_init(NULL, seed), N);
  EQUAL(sigmill_ed25519_key_init_pair(NULL, pair), N);
  EQUAL(sigmill_ed25519_key_public(&object, NULL), N);
  REFUSED(sigmill_ed25519_key_public(NULL, out), N);
  EQUAL(sigmill_ed25519_key_seed(&object, NULL), N);
  REFUSED(sigmill_ed25519_key_seed(NULL, out), N);
  REFUSED(sigmill_ed25519_key_sign(NULL, out, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_key_sign(&object, NULL, NULL, message, 7), N);
  REFUSED(sigmill_ed25519_key_sign(&object, out, NULL, NULL, 7), N);
  REFUSED(sigmill_ed25519_key_sign_hedged(NULL, out, NULL, message, 7, seed), N);
  REFUSED(sigmill_ed25519_key_sign_hedged(&object, NULL, NULL, message, 7, seed), N);
  REFUSED(sigmill_ed25519_key_sign_hedged(&object, out, NULL, NULL, 7, seed), N);
  REFUSED(sigmill_ed25519_key_sign_checked(NULL, out, NULL, message, 7, seed), N);
  REFUSED(sigmill_ed25519_key_sign_checked(&object, NULL, NULL, message, 7, seed), N);
  REFUSED(sigmill_ed25519_key_sign_checked(&object, out, NULL, NULL, 7, seed), N);
  EQUAL(sigmill_ed25519_key_wipe(NULL), N);
  EQUAL(sigmill_ed25519_prepare(NULL, key), N);
  EQUAL(sigmill_ed25519_prepare(&prepared, NULL), N);
  EQUAL(sigmill_ed25519_prepared_verify(NULL, R, NULL, message, 7, signature, 64), N);
  EQUAL(sigmill_ed25519_prepared_verify(&prepared, R, NULL, NULL, 7, signature, 64), N);
  EQUAL(sigmill_ed25519_prepared_verify(&prepared, R, NULL, message, 7, NULL, 64), N);
  EQUAL(sigmill_ed25519_prepared_verify(&prepared, R, NULL, message, 7, signature, 64), 0); /* still what it was */
  EQUAL(sigmill_ed25519_verifier_init(NULL, R, NULL, key, 32, signature, 64), N);
  memset(&verifier, 0, sizeof verifier);
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, NULL, 32, signature, 64), N);
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, key, 32, NULL, 64), N);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), SIGMILL_ERROR_STATE);
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, NULL, 0, NULL, 0), 0);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), 0);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), SIGMILL_REASON_KEY_LENGTH);
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, key, 32, signature, 64), 0);
  EQUAL(sigmill_ed25519_verifier_update(NULL, message, 7), N);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, NULL, 7), N);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, NULL, 0), 0);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), 0);
  EQUAL(sigmill_ed25519_verifier_finish(NULL), N);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), 0); /* the errors have changed nothing */
  EQUAL(sigmill_ed25519_signer_init(NULL, &object, NULL, NULL), N);
  EQUAL(sigmill_ed25519_signer_init(&signer, NULL, NULL, NULL), N);
  EQUAL(sigmill_ed25519_signer_init(&signer, &object, NULL, NULL), 0);
  EQUAL(sigmill_ed25519_signer_update(NULL, message, 7), N);
  EQUAL(sigmill_ed25519_signer_update(&signer, NULL, 7), N);
  EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), 0);
  EQUAL(sigmill_ed25519_signer_second_pass(NULL), N);
  EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
  EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), 0);
  REFUSED(sigmill_ed25519_signer_finish(NULL, out), N);
  EQUAL(sigmill_ed25519_signer_finish(&signer, NULL), N);
  EQUAL(sigmill_ed25519_signer_finish(&signer, made), 0); /* an output that is not there has ended nothing */
  SAME_BYTES(made, signature, 64);
  EQUAL(sigmill_ed25519_signer_wipe(NULL), N);
  EQUAL(sigmill_ed25519_explain(NULL, NULL, key, message, 7, signature), N);
  EQUAL(sigmill_ed25519_explain(&facts, NULL, NULL, message, 7, signature), N);
  EQUAL(sigmill_ed25519_explain(&facts, NULL, key, NULL, 7, signature), N);
  EQUAL(sigmill_ed25519_explain(&facts, NULL, key, message, 7, NULL), N);
#if !defined(SIGMILL_WITHOUT_X25519)
  REFUSED(sigmill_x25519_keygen(NULL, out), N);
  REFUSED(sigmill_x25519_keygen(out, NULL), N);
  REFUSED(sigmill_x25519_public_key(NULL, seed), N);
  REFUSED(sigmill_x25519_public_key(out, NULL), N);
  REFUSED(sigmill_x25519(NULL, seed, key), N);
  REFUSED(sigmill_x25519(out, NULL, key), N);
  REFUSED(sigmill_x25519(out, seed, NULL), N);
  REFUSED(sigmill_x25519_secret_from_ed25519(NULL, seed), N);
  REFUSED(sigmill_x25519_secret_from_ed25519(out, NULL), N);
  REFUSED(sigmill_x25519_public_from_ed25519(NULL, key), N);
  REFUSED(sigmill_x25519_public_from_ed25519(out, NULL), N);
#endif
  EQUAL(sigmill_rule_from_name(NULL), N);
}

#if !defined(SIGMILL_WITHOUT_ECDSA)
static void ecdsa(void) {
  const int N = SIGMILL_ERROR_NULL, A = SIGMILL_ERROR_ALGORITHM;
  static const int no_curves[] = {0, 1, 4, -1, 258, 2147483647};
  uint8_t secret[48], public_key[97], of_zeros[48] = {0}, of_ones[48];
  struct sigmill_ecdsa how;
  struct sigmill_ecdsa_key object;
  size_t i, size;
  int curve, field;
  memset(secret, 1, sizeof secret);
  memset(of_ones, 0xff, sizeof of_ones);
  for (i = 0; i < sizeof no_curves / sizeof *no_curves; i++) {
    curve = no_curves[i];
    REFUSED(sigmill_ecdsa_keygen(curve, out, out + 100), A);
    REFUSED(sigmill_ecdsa_public_key(curve, out, secret), A);
    REFUSED(sigmill_ecdsa_convert_key(curve, 0, out, &out_size, key, 32), A);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, out, &out_size, signature, 64), A);
    REFUSED(sigmill_ecdsa_sign(curve, NULL, out, &out_size, secret, message, 7), A);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, key, 32, message, 7, signature, 64), A);
    memset(&object, 0, sizeof object);
    EQUAL(sigmill_ecdsa_key_init(&object, curve, secret), A);
    REFUSED(sigmill_ecdsa_key_public(&object, out), SIGMILL_ERROR_STATE);
  }
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    size_t key_size = curve == SIGMILL_P256 ? 65 : 97, signature_size = curve == SIGMILL_P256 ? 64 : 96;
    uint8_t made[96];
    EQUAL(sigmill_ecdsa_public_key(curve, public_key, secret), 0);
    EQUAL(sigmill_ecdsa_key_init(&object, curve, secret), 0);
    size = sizeof made;
    EQUAL(sigmill_ecdsa_sign(curve, NULL, made, &size, secret, message, 7), 0);
    EQUAL(size, signature_size);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, made, size), 0);
    /* numbers that mean nothing */
    for (field = 0; field < 3; field++) {
      static const int none[3][5] = {{1, -2, 255, 257, 1024}, {2, -1, 3, 255, 256}, {2, -1, 3, 255, 256}};
      for (i = 0; i < 5; i++) {
        memset(&how, 0, sizeof how);
        if (field == 0) how.hash = none[0][i];
        if (field == 1) how.encoding = none[1][i];
        if (field == 2) how.low_s = none[2][i];
        REFUSED(sigmill_ecdsa_sign(curve, &how, out, &out_size, secret, message, 7), A);
        REFUSED(sigmill_ecdsa_key_sign(&object, &how, out, &out_size, message, 7, NULL, 0), A);
        EQUAL(sigmill_ecdsa_verify(curve, &how, public_key, key_size, message, 7, made, size), A);
      }
    }
    REFUSED(sigmill_ecdsa_key_sign(&object, NULL, out, &out_size, message, 7, NULL, 2), A);
    REFUSED(sigmill_ecdsa_convert_key(curve, 2, out, &out_size, public_key, key_size), A);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 2, 0, 0, out, &out_size, made, size), A);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 2, 0, out, &out_size, made, size), A);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 2, out, &out_size, made, size), A);
    /* secrets out of range, an empty digest, keys and signatures that are none */
    REFUSED(sigmill_ecdsa_public_key(curve, out, of_zeros), SIGMILL_ERROR_SECRET);
    REFUSED(sigmill_ecdsa_public_key(curve, out, of_ones), SIGMILL_ERROR_SECRET);
    REFUSED(sigmill_ecdsa_sign(curve, NULL, out, &out_size, of_zeros, message, 7), SIGMILL_ERROR_SECRET);
    {
      struct sigmill_ecdsa_key other;
      memset(&other, 0, sizeof other);
      EQUAL(sigmill_ecdsa_key_init(&other, curve, of_ones), SIGMILL_ERROR_SECRET);
      EQUAL(sigmill_ecdsa_key_init(&other, curve, of_zeros), SIGMILL_ERROR_SECRET);
      REFUSED(sigmill_ecdsa_key_public(&other, out), SIGMILL_ERROR_STATE);
      REFUSED(sigmill_ecdsa_key_sign(&other, NULL, out, &out_size, message, 7, NULL, 0), SIGMILL_ERROR_STATE);
      EQUAL(sigmill_ecdsa_key_wipe(&other), 0);
    }
    memset(&how, 0, sizeof how);
    how.hash = SIGMILL_HASH_NONE;
    REFUSED(sigmill_ecdsa_sign(curve, &how, out, &out_size, secret, NULL, 0), SIGMILL_ERROR_DIGEST);
    REFUSED(sigmill_ecdsa_key_sign(&object, &how, out, &out_size, message, 0, NULL, 0), SIGMILL_ERROR_DIGEST);
    REFUSED(sigmill_ecdsa_key_sign(&object, &how, out, &out_size, message, 0, seed, 0), SIGMILL_ERROR_DIGEST);
    REFUSED(sigmill_ecdsa_key_sign(&object, &how, out, &out_size, message, 0, seed, 1), SIGMILL_ERROR_DIGEST);
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key, key_size, message, 0, made, size),
          SIGMILL_REASON_DIGEST_EMPTY);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size - 1, message, 7, made, size),
          SIGMILL_REASON_KEY_LENGTH);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, NULL, 0, message, 7, made, size), SIGMILL_REASON_KEY_LENGTH);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, made, size - 1),
          SIGMILL_REASON_SIGNATURE_LENGTH);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, of_zeros, 0),
          SIGMILL_REASON_SIGNATURE_LENGTH);
    public_key[5] ^= 1;
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, made, size),
          SIGMILL_REASON_KEY_NOT_A_POINT);
    REFUSED(sigmill_ecdsa_convert_key(curve, 0, out, &out_size, public_key, key_size), SIGMILL_ERROR_PUBLIC_KEY);
    public_key[5] ^= 1;
    before();
    EQUAL(sigmill_ecdsa_convert_key(curve, 0, out, &out_size, public_key, key_size - 1) < 0, 1);
    CHECK(unchanged());
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, out, &out_size, made, size - 1), SIGMILL_ERROR_SIGNATURE);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 1, 0, 0, out, &out_size, made, size), SIGMILL_ERROR_SIGNATURE);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, out, &out_size, NULL, 0), SIGMILL_ERROR_SIGNATURE);
    /* NULL */
    REFUSED(sigmill_ecdsa_keygen(curve, NULL, out), N);
    REFUSED(sigmill_ecdsa_keygen(curve, out, NULL), N);
    REFUSED(sigmill_ecdsa_public_key(curve, NULL, secret), N);
    REFUSED(sigmill_ecdsa_public_key(curve, out, NULL), N);
    REFUSED(sigmill_ecdsa_convert_key(curve, 0, out, NULL, public_key, key_size), N);
    REFUSED(sigmill_ecdsa_convert_key(curve, 0, out, &out_size, NULL, key_size), N);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, out, NULL, made, size), N);
    REFUSED(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, out, &out_size, NULL, size), N);
    REFUSED(sigmill_ecdsa_sign(curve, NULL, out, NULL, secret, message, 7), N);
    REFUSED(sigmill_ecdsa_sign(curve, NULL, out, &out_size, NULL, message, 7), N);
    REFUSED(sigmill_ecdsa_sign(curve, NULL, out, &out_size, secret, NULL, 7), N);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, NULL, key_size, message, 7, made, size), N);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, NULL, 7, made, size), N);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, NULL, size), N);
    EQUAL(sigmill_ecdsa_key_init(NULL, curve, secret), N);
    EQUAL(sigmill_ecdsa_key_init(&object, curve, NULL), N);
    EQUAL(sigmill_ecdsa_key_public(&object, NULL), N);
    EQUAL(sigmill_ecdsa_key_public(NULL, public_key), N);
    REFUSED(sigmill_ecdsa_key_sign(NULL, NULL, out, &out_size, message, 7, NULL, 0), N);
    REFUSED(sigmill_ecdsa_key_sign(&object, NULL, out, NULL, message, 7, NULL, 0), N);
    REFUSED(sigmill_ecdsa_key_sign(&object, NULL, out, &out_size, NULL, 7, NULL, 0), N);
    EQUAL(sigmill_ecdsa_key_wipe(NULL), N);
    /* outputs that are too small say how large they have to be */
    for (i = 0; i < 2; i++) {
      size_t needed = i == 0 ? signature_size : (key_size + 1) / 2, wanted = needed;
      for (size = 0; size < needed; size += needed - 1 > 0 && size == 0 ? needed - 1 : 1) {
        before();
        out_size = size;
        EQUAL(i == 0 ? sigmill_ecdsa_sign(curve, NULL, out, &out_size, secret, message, 7)
                     : sigmill_ecdsa_convert_key(curve, 1, size == 0 ? NULL : out, &out_size, public_key, key_size),
              SIGMILL_ERROR_OUTPUT_SIZE);
        EQUAL(out_size, wanted);
        out_size = 200;
        CHECK(unchanged());
      }
    }
    before();
    out_size = signature_size - 1;
    EQUAL(sigmill_ecdsa_convert_signature(curve, 0, 0, 0, out, &out_size, made, signature_size),
          SIGMILL_ERROR_OUTPUT_SIZE);
    EQUAL(out_size, signature_size);
    out_size = signature_size - 1;
    EQUAL(sigmill_ecdsa_key_sign(&object, NULL, out, &out_size, message, 7, NULL, 1), SIGMILL_ERROR_OUTPUT_SIZE);
    EQUAL(out_size, signature_size);
    out_size = 200;
    CHECK(unchanged());
    /* an output that is its input */
    size = signature_size;
    EQUAL(sigmill_ecdsa_convert_signature(curve, 0, 0, 0, made, &size, made, signature_size), 0);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, key_size, message, 7, made, size), 0);
    size = key_size;
    EQUAL(sigmill_ecdsa_convert_key(curve, 1, public_key, &size, public_key, key_size), 0);
    EQUAL(size, (key_size + 1) / 2);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key, size, message, 7, made, signature_size), 0);
    EQUAL(sigmill_ecdsa_key_wipe(&object), 0);
    REFUSED(sigmill_ecdsa_key_public(&object, out), SIGMILL_ERROR_STATE);
  }
  /* objects of other addresses, and of other types */
  EQUAL(sigmill_ecdsa_key_init(ASKEW(sigmill_ecdsa_key), SIGMILL_P256, secret), SIGMILL_ERROR_ALIGNMENT);
  EQUAL(sigmill_ecdsa_key_wipe(ODD(sigmill_ecdsa_key)), SIGMILL_ERROR_ALIGNMENT);
  REFUSED(sigmill_ecdsa_key_public(ASKEW(sigmill_ecdsa_key), out), SIGMILL_ERROR_ALIGNMENT);
  REFUSED(sigmill_ecdsa_key_sign(ASKEW(sigmill_ecdsa_key), NULL, out, &out_size, message, 7, NULL, 0),
          SIGMILL_ERROR_ALIGNMENT);
  REFUSED(sigmill_ecdsa_sign(SIGMILL_P256, (struct sigmill_ecdsa *)(void *)((char *)room + 1), out, &out_size, secret,
                             message, 7),
          SIGMILL_ERROR_ALIGNMENT);
  REFUSED(sigmill_ecdsa_sign(SIGMILL_P256, NULL, out, (size_t *)(void *)((char *)room + 1), secret, message, 7),
          SIGMILL_ERROR_ALIGNMENT);
  {
    struct sigmill_ed25519_key other;
    memset(room, 0, sizeof room);
    EQUAL(sigmill_ed25519_key_init(&other, seed), 0);
    memcpy(room, &other, sizeof other);
    REFUSED(sigmill_ecdsa_key_public((struct sigmill_ecdsa_key *)(void *)room, out), SIGMILL_ERROR_STATE);
  }
}
#endif

/* Objects at wrong addresses, never set, finished, wiped, or of another type. */
static void objects(void) {
  const int S = SIGMILL_ERROR_STATE, M = SIGMILL_ERROR_ALIGNMENT, R = SIGMILL_RULE_COMMON;
  static struct sigmill_ed25519_prepared prepared;
  struct sigmill_ed25519_key object, good;
  struct sigmill_ed25519_verifier verifier;
  struct sigmill_ed25519_signer signer;
  struct sigmill_ed25519_facts facts;
  uint8_t made[64];
  int i;
  EQUAL(sigmill_ed25519_key_init(&good, seed), 0);
  for (i = 0; i < 2; i++) { /* zero, and what memory happens to hold */
    int fill = i == 0 ? 0 : 0x5a;
    memset(&object, fill, sizeof object);
    memset(&prepared, fill, sizeof prepared);
    memset(&verifier, fill, sizeof verifier);
    memset(&signer, fill, sizeof signer);
    REFUSED(sigmill_ed25519_key_public(&object, out), S);
    REFUSED(sigmill_ed25519_key_seed(&object, out), S);
    REFUSED(sigmill_ed25519_key_sign(&object, out, NULL, message, 7), S);
    REFUSED(sigmill_ed25519_key_sign_hedged(&object, out, NULL, message, 7, seed), S);
    REFUSED(sigmill_ed25519_key_sign_checked(&object, out, NULL, message, 7, NULL), S);
    EQUAL(sigmill_ed25519_prepared_verify(&prepared, R, NULL, message, 7, signature, 64), S);
    EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), S);
    EQUAL(sigmill_ed25519_verifier_finish(&verifier), S);
    EQUAL(sigmill_ed25519_signer_init(&signer, &object, NULL, NULL), S);
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), S);
    EQUAL(sigmill_ed25519_signer_second_pass(&signer), S);
    REFUSED(sigmill_ed25519_signer_finish(&signer, out), S);
    EQUAL(sigmill_ed25519_signer_wipe(&signer), 0);
    EQUAL(sigmill_ed25519_key_wipe(&object), 0);
  }
  EQUAL(sigmill_ed25519_key_init(ASKEW(sigmill_ed25519_key), seed), M);
  EQUAL(sigmill_ed25519_key_init_pair(ODD(sigmill_ed25519_key), pair), M);
  REFUSED(sigmill_ed25519_key_public(ASKEW(sigmill_ed25519_key), out), M);
  REFUSED(sigmill_ed25519_key_seed(ASKEW(sigmill_ed25519_key), out), M);
  REFUSED(sigmill_ed25519_key_sign(ASKEW(sigmill_ed25519_key), out, NULL, message, 7), M);
  REFUSED(sigmill_ed25519_key_sign_hedged(ODD(sigmill_ed25519_key), out, NULL, message, 7, seed), M);
  REFUSED(sigmill_ed25519_key_sign_checked(ODD(sigmill_ed25519_key), out, NULL, message, 7, NULL), M);
  EQUAL(sigmill_ed25519_key_wipe(ASKEW(sigmill_ed25519_key)), M);
  EQUAL(sigmill_ed25519_prepare(ASKEW(sigmill_ed25519_prepared), key), M);
  EQUAL(sigmill_ed25519_prepared_verify(ODD(sigmill_ed25519_prepared), R, NULL, message, 7, signature, 64), M);
  EQUAL(sigmill_ed25519_verifier_init(ASKEW(sigmill_ed25519_verifier), R, NULL, key, 32, signature, 64), M);
  EQUAL(sigmill_ed25519_verifier_update(ASKEW(sigmill_ed25519_verifier), message, 7), M);
  EQUAL(sigmill_ed25519_verifier_finish(ODD(sigmill_ed25519_verifier)), M);
  EQUAL(sigmill_ed25519_signer_init(ASKEW(sigmill_ed25519_signer), &good, NULL, NULL), M);
  EQUAL(sigmill_ed25519_signer_update(ASKEW(sigmill_ed25519_signer), message, 7), M);
  EQUAL(sigmill_ed25519_signer_second_pass(ASKEW(sigmill_ed25519_signer)), M);
  REFUSED(sigmill_ed25519_signer_finish(ASKEW(sigmill_ed25519_signer), out), M);
  EQUAL(sigmill_ed25519_signer_wipe(ODD(sigmill_ed25519_signer)), M);
  REFUSED(sigmill_ed25519_sign(out, seed, ASKEW(sigmill_variant), message, 7), M);
  EQUAL(sigmill_ed25519_verify(R, ODD(sigmill_variant), key, 32, message, 7, signature, 64), M);
  EQUAL(sigmill_ed25519_explain(&facts, ASKEW(sigmill_variant), key, message, 7, signature), M);
  for (i = 0; i < (int)(sizeof room / 8); i++) EQUAL(room[i], 0);

  /* an error of init leaves what was there */
  EQUAL(sigmill_ed25519_prepare(&prepared, key), 0);
  memset(made, 0xff, 32);
  made[0] = 2; /* no point */
  made[31] = 0x7f;
  for (i = 3; sigmill_ed25519_check_key(R, made, 32) == 0; i++) made[0] = (uint8_t)i;
  EQUAL(sigmill_ed25519_prepare(&prepared, made), SIGMILL_ERROR_PUBLIC_KEY);
  EQUAL(sigmill_ed25519_prepared_verify(&prepared, R, NULL, message, 7, signature, 64), 0);
  pair[40] ^= 1;
  EQUAL(sigmill_ed25519_key_init_pair(&good, pair), SIGMILL_ERROR_PAIR);
  REFUSED(sigmill_ed25519_sign_pair(out, pair, NULL, message, 7), SIGMILL_ERROR_PAIR);
  pair[40] ^= 1;
  EQUAL(sigmill_ed25519_key_sign(&good, made, NULL, message, 7), 0);
  SAME_BYTES(made, signature, 64);

  /* streams end once, and can begin again */
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, key, 32, signature, 64), 0);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), 0);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), 0);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), S);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), S);
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, key, 32, signature, 64), 0);
  EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 6), 0);
  EQUAL(sigmill_ed25519_verifier_finish(&verifier), SIGMILL_REASON_EQUATION);
  EQUAL(sigmill_ed25519_signer_init(&signer, &good, NULL, NULL), 0);
  REFUSED(sigmill_ed25519_signer_finish(&signer, out), S); /* in the first pass; it is wiped */
  EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), S);
  EQUAL(sigmill_ed25519_signer_init(&signer, &good, NULL, NULL), 0);
  EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), 0);
  EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
  EQUAL(sigmill_ed25519_signer_second_pass(&signer), S);
  EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), 0);
  EQUAL(sigmill_ed25519_signer_finish(&signer, made), 0); /* the third pass has ended nothing */
  SAME_BYTES(made, signature, 64);
  REFUSED(sigmill_ed25519_signer_finish(&signer, out), S);
  for (i = 0; i < SIGMILL_ED25519_SIGNER_WORDS; i++) EQUAL(signer.opaque[i], 0);
  EQUAL(sigmill_ed25519_signer_init(&signer, &good, NULL, NULL), 0);
  EQUAL(sigmill_ed25519_signer_wipe(&signer), 0);
  for (i = 0; i < SIGMILL_ED25519_SIGNER_WORDS; i++) EQUAL(signer.opaque[i], 0);
  EQUAL(sigmill_ed25519_signer_second_pass(&signer), S);
  /* a message that was not the same the second time: longer, shorter, changed, empty */
  for (i = 0; i < 4; i++) {
    uint8_t changed[8];
    memcpy(changed, message, 8);
    if (i == 2) changed[3] ^= 0x20;
    EQUAL(sigmill_ed25519_signer_init(&signer, &good, NULL, NULL), 0);
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 7), 0);
    EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
    if (i < 3) EQUAL(sigmill_ed25519_signer_update(&signer, changed, i == 0 ? 8 : i == 1 ? 6 : 7), 0);
    REFUSED(sigmill_ed25519_signer_finish(&signer, out), SIGMILL_ERROR_MESSAGE_CHANGED);
    REFUSED(sigmill_ed25519_signer_finish(&signer, out), S);
  }
  EQUAL(sigmill_ed25519_key_wipe(&good), 0);
  for (i = 0; i < SIGMILL_ED25519_KEY_WORDS; i++) EQUAL(good.opaque[i], 0);
  /* an object of one type is none of another */
  EQUAL(sigmill_ed25519_verifier_init(&verifier, R, NULL, key, 32, signature, 64), 0);
  memcpy(&object, &verifier, sizeof object);
  REFUSED(sigmill_ed25519_key_sign(&object, out, NULL, message, 7), S);
}

/* Sizes that no memory has. */
static void sizes(void) {
  static const size_t too_many[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1};
  struct sigmill_ed25519_verifier verifier;
  size_t i;
  for (i = 0; i < 3; i++) {
    size_t size = too_many[i];
    REFUSED(sigmill_ed25519_sign(out, seed, NULL, message, size), SIGMILL_ERROR_LENGTH);
    EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key, 32, message, size, signature, 64),
          SIGMILL_ERROR_LENGTH);
    EQUAL(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key, size, message, 7, signature, 64),
          SIGMILL_ERROR_LENGTH);
    EQUAL(sigmill_ed25519_check_key(SIGMILL_RULE_COMMON, key, size), SIGMILL_ERROR_LENGTH);
    EQUAL(sigmill_ed25519_verifier_init(&verifier, SIGMILL_RULE_COMMON, NULL, key, 32, signature, 64), 0);
    EQUAL(sigmill_ed25519_verifier_update(&verifier, message, size), SIGMILL_ERROR_LENGTH);
    EQUAL(sigmill_ed25519_verifier_update(&verifier, message, 7), 0);
    EQUAL(sigmill_ed25519_verifier_finish(&verifier), 0);
#if !defined(SIGMILL_WITHOUT_ECDSA)
    REFUSED(sigmill_ecdsa_sign(SIGMILL_P256, NULL, out, &out_size, seed, message, size), SIGMILL_ERROR_LENGTH);
#endif
  }
}

int main(void) {
  sigmill_cpu_limit(test_cpu());
  memcpy(pair, seed, 32);
  EQUAL(sigmill_ed25519_public_key(key, seed), 0);
  memcpy(pair + 32, key, 32);
  EQUAL(sigmill_ed25519_sign(signature, seed, NULL, message, 7), 0);
  variants();
  rules();
  nulls();
#if !defined(SIGMILL_WITHOUT_ECDSA)
  ecdsa();
#endif
  memset(room, 0, sizeof room);
  objects();
  sizes();
  return finished("bad_single");
}
