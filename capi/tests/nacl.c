/* NaCl's names (nacl/nacl.c): against sigmill.h, against the frozen vectors, and, where SIGMILL_LIBSODIUM names its shared
 * library, against libsodium, whose functions get the same arguments. */
#define _POSIX_C_SOURCE 200809L
#include "sigmill.h"

#include "crypto_scalarmult.h"
#include "crypto_scalarmult_curve25519.h"
#include "crypto_sign.h"
#include "crypto_sign_ed25519.h"
#include "test.h"

#include <dlfcn.h>

/* As SAME_BYTES, where the size may be 0 and a pointer NULL. */
#define SAME(a, b, size) CHECK((size) == 0 || memcmp((a), (b), (size)) == 0)

#ifndef RULE
#define RULE SIGMILL_RULE_STRICT
#endif

static void *sodium;

/* The function of libsodium, if there is one: called with arguments, and its result and what it wrote are the same. */
typedef void function(void); /* compilers let it be cast to the others */
typedef int plain_function(void);
static function *theirs(const char *name) {
  function *found = NULL;
  void *symbol = sodium == NULL ? NULL : dlsym(sodium, name);
  if (sodium != NULL && symbol == NULL) {
    fprintf(stderr, "libsodium has no %s\n", name);
    exit(1);
  }
  memcpy(&found, &symbol, sizeof found);
  return found;
}

typedef int seed_keypair(unsigned char *, unsigned char *, const unsigned char *);
typedef int sign_detached(unsigned char *, unsigned long long *, const unsigned char *, unsigned long long, const unsigned char *);
typedef int verify_detached(const unsigned char *, const unsigned char *, unsigned long long, const unsigned char *);
typedef int convert(unsigned char *, const unsigned char *);
typedef int multiply(unsigned char *, const unsigned char *, const unsigned char *);
typedef size_t size_function(void);

static void sizes(void) {
  static const struct {
    const char *name;
    size_function *ours;
    size_t size;
  } all[] = {{"crypto_sign_ed25519_bytes", crypto_sign_ed25519_bytes, 64},
             {"crypto_sign_ed25519_seedbytes", crypto_sign_ed25519_seedbytes, 32},
             {"crypto_sign_ed25519_publickeybytes", crypto_sign_ed25519_publickeybytes, 32},
             {"crypto_sign_ed25519_secretkeybytes", crypto_sign_ed25519_secretkeybytes, 64},
             {"crypto_sign_bytes", crypto_sign_bytes, 64},
             {"crypto_sign_seedbytes", crypto_sign_seedbytes, 32},
             {"crypto_sign_publickeybytes", crypto_sign_publickeybytes, 32},
             {"crypto_sign_secretkeybytes", crypto_sign_secretkeybytes, 64},
             {"crypto_scalarmult_curve25519_bytes", crypto_scalarmult_curve25519_bytes, 32},
             {"crypto_scalarmult_curve25519_scalarbytes", crypto_scalarmult_curve25519_scalarbytes, 32},
             {"crypto_scalarmult_bytes", crypto_scalarmult_bytes, 32},
             {"crypto_scalarmult_scalarbytes", crypto_scalarmult_scalarbytes, 32}};
  size_t i;
  for (i = 0; i < sizeof all / sizeof *all; i++) {
    EQUAL(all[i].ours(), all[i].size);
    if (sodium != NULL) EQUAL(((size_function *)theirs(all[i].name))(), all[i].size);
  }
  CHECK(strcmp(crypto_sign_primitive(), "ed25519") == 0 && strcmp(crypto_scalarmult_primitive(), "curve25519") == 0);
  CHECK(crypto_sign_messagebytes_max() > 1000000 && crypto_sign_ed25519_messagebytes_max() == crypto_sign_messagebytes_max());
  EQUAL(crypto_sign_statebytes(), sizeof(crypto_sign_state));
  EQUAL(crypto_sign_ed25519ph_statebytes(), sizeof(crypto_sign_state));
}

static void keys_and_signatures(void) {
  struct csv csv = read_csv("ed25519/sign.csv");
  size_t row, pure = 0, hashed = 0;
  for (row = 0; row < csv.rows; row += test_step()) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes context = hex(cells[3]), seed = hex(cells[4]), key = hex(cells[5]), message = hex(cells[6]), wanted = hex(cells[7]);
    unsigned char pk[32], sk[64], sig[64], *sm = take(message.size + 64), *m = take(message.size + 1);
    unsigned long long size = 1;
    EQUAL(crypto_sign_seed_keypair(pk, sk, seed.at), 0);
    SAME_BYTES(pk, key.at, 32);
    SAME_BYTES(sk, seed.at, 32);
    SAME_BYTES(sk + 32, key.at, 32);
    EQUAL(crypto_sign_ed25519_sk_to_seed(sig, sk), 0);
    SAME_BYTES(sig, seed.at, 32);
    EQUAL(crypto_sign_ed25519_sk_to_pk(sig, sk), 0);
    SAME_BYTES(sig, key.at, 32);
    memcpy(sig, seed.at, 32); /* in place */
    EQUAL(crypto_sign_ed25519_seed_keypair(pk, sig, sig), 0);
    SAME_BYTES(sig, sk, 64);
    if (strcmp(cells[2], "pure") == 0) {
      pure++;
      EQUAL(crypto_sign_detached(sig, &size, message.at, message.size, sk), 0);
      EQUAL(size, 64);
      SAME_BYTES(sig, wanted.at, 64);
      if (sodium != NULL) {
        EQUAL(((sign_detached *)theirs("crypto_sign_detached"))(sig, NULL, message.at, message.size, sk), 0);
        SAME_BYTES(sig, wanted.at, 64);
      }
      EQUAL(crypto_sign_verify_detached(sig, message.at, message.size, pk), 0);
      sk[40] ^= 1; /* the public half is not looked at */
      EQUAL(crypto_sign(sm, &size, message.at, message.size, sk), 0);
      EQUAL(size, message.size + 64);
      SAME_BYTES(sm, wanted.at, 64);
      SAME(sm + 64, message.at, message.size);
      memmove(sm, sm + 64, message.size); /* overlapping, as libsodium allows */
      EQUAL(crypto_sign_ed25519(sm, NULL, sm, message.size, sk), 0);
      SAME_BYTES(sm, wanted.at, 64);
      EQUAL(crypto_sign_open(m, &size, sm, message.size + 64, pk), 0);
      EQUAL(size, message.size);
      SAME(m, message.at, message.size);
      EQUAL(crypto_sign_open(NULL, NULL, sm, message.size + 64, pk), 0);
      sm[63 - row % 64] ^= 4;
      memset(m, 7, message.size + 1);
      size = 1;
      EQUAL(crypto_sign_open(m, &size, sm, message.size + 64, pk), -1);
      EQUAL(size, 0);
      CHECK(message.size == 0 || (m[0] == 0 && m[message.size - 1] == 0));
      sm[63 - row % 64] ^= 4;
      EQUAL(crypto_sign_open(m, &size, sm, 63, pk), -1);
      EQUAL(crypto_sign_ed25519_open(sm, &size, sm, message.size + 64, pk), 0); /* in place */
      SAME(sm, message.at, message.size);
    } else if (strcmp(cells[2], "ph") == 0 && context.size == 0) {
      crypto_sign_state state, other;
      size_t cut = message.size / 3;
      hashed++;
      EQUAL(crypto_sign_init(&state), 0);
      EQUAL(crypto_sign_update(&state, message.at, cut), 0);
      EQUAL(crypto_sign_update(&state, NULL, 0), 0);
      EQUAL(crypto_sign_update(&state, message.at + cut, message.size - cut), 0);
      memcpy(&other, &state, sizeof other);
      EQUAL(crypto_sign_final_create(&state, sig, &size, sk), 0);
      EQUAL(size, 64);
      SAME_BYTES(sig, wanted.at, 64);
      EQUAL(crypto_sign_final_verify(&state, sig, pk), -1); /* it has ended */
      state = other;
      EQUAL(crypto_sign_ed25519ph_final_verify(&state, sig, pk), 0);
      state = other;
      EQUAL(crypto_sign_ed25519ph_update(&state, sk, 1), 0);
      EQUAL(crypto_sign_ed25519ph_final_verify(&state, sig, pk), -1);
    }
    free(context.at);
    free(seed.at);
    free(key.at);
    free(message.at);
    free(wanted.at);
    free(sm);
    free(m);
  }
  CHECK(pure > 0 && hashed > 0);
  free_csv(&csv);
}

/* Every frozen signature of pure Ed25519: the verdict of the rule, and libsodium's. */
static void verdicts(void) {
  struct csv csv = read_csv("ed25519/verify.csv");
  /* a column for each rule, by its number */
  size_t row, column = 7 + RULE, valid = 0, all = 0;
  for (row = 0; row < csv.rows; row += test_step()) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes key = hex(cells[5]), message = hex(cells[6]), signature = hex(cells[7]);
    if (strcmp(cells[3], "pure") == 0 && key.size == 32 && signature.size == 64) {
      int expected = strcmp(cells[column], "ok") == 0 ? 0 : -1;
      EQUAL(crypto_sign_verify_detached(signature.at, message.at, message.size, key.at), expected);
      if (sodium != NULL && RULE == SIGMILL_RULE_STRICT) {
        EQUAL(((verify_detached *)theirs("crypto_sign_verify_detached"))(signature.at, message.at, message.size, key.at), expected);
      }
      all++;
      valid += expected == 0;
    }
    free(key.at);
    free(message.at);
    free(signature.at);
  }
  CHECK(valid > 0 && all > valid);
  free_csv(&csv);
}

static void agreement(void) {
  struct csv csv = read_csv("ed25519/decode.csv");
  unsigned char seed[32], sk[64], pk[32], secret[32], expected[32], public_key[32], shared[32];
  size_t row, converted = 0;
  for (row = 0; row < csv.rows; row++) {
    struct bytes key = hex(csv.cells[row * csv.columns]);
    int result;
    memset(public_key, 7, sizeof public_key);
    result = crypto_sign_ed25519_pk_to_curve25519(public_key, key.at);
    converted += result == 0;
    if (result == 0) {
      EQUAL(sigmill_x25519_public_from_ed25519(expected, key.at), 0);
      SAME_BYTES(public_key, expected, 32);
    } else {
      EQUAL(result, -1);
      CHECK(public_key[0] == 0 && public_key[31] == 0);
    }
    if (sodium != NULL) {
      EQUAL(((convert *)theirs("crypto_sign_ed25519_pk_to_curve25519"))(expected, key.at), result);
      if (result == 0) SAME_BYTES(public_key, expected, 32);
    }
    free(key.at);
  }
  CHECK(converted > 0 && converted < csv.rows);
  free_csv(&csv);
  for (row = 0; row < 20; row++) {
    memset(seed, (int)(row * 11), sizeof seed);
    EQUAL(crypto_sign_seed_keypair(pk, sk, seed), 0);
    EQUAL(crypto_sign_ed25519_sk_to_curve25519(secret, sk), 0);
    EQUAL(secret[0] % 8, 0);
    EQUAL(secret[31] / 64, 1);
    EQUAL(crypto_sign_ed25519_pk_to_curve25519(public_key, pk), 0);
    EQUAL(crypto_scalarmult_base(expected, secret), 0);
    SAME_BYTES(expected, public_key, 32);
    seed[31] ^= 0xc1; /* scalars are clamped, and the highest bit of a point is not looked at */
    public_key[31] ^= 0x80;
    EQUAL(crypto_scalarmult(shared, seed, public_key), 0);
    EQUAL(sigmill_x25519(expected, seed, public_key), 0);
    SAME_BYTES(shared, expected, 32);
    if (sodium != NULL) {
      EQUAL(((convert *)theirs("crypto_sign_ed25519_sk_to_curve25519"))(expected, sk), 0);
      SAME_BYTES(expected, secret, 32);
      EQUAL(((multiply *)theirs("crypto_scalarmult"))(expected, seed, public_key), 0);
      SAME_BYTES(shared, expected, 32);
    }
  }
  memset(public_key, 0, 32);
  public_key[0] = 1;
  memset(shared, 7, 32);
  EQUAL(crypto_scalarmult_curve25519(shared, seed, public_key), -1);
  CHECK(shared[0] == 0 && shared[31] == 0);
  if (sodium != NULL) EQUAL(((multiply *)theirs("crypto_scalarmult"))(expected, seed, public_key), -1);
}

static void wrong(void) {
  unsigned char pk[32], sk[64], other[64], sig[64], m[8] = {1}, sm[72];
  unsigned long long size = 5;
  crypto_sign_state state;
  EQUAL(crypto_sign_keypair(pk, sk), 0);
  EQUAL(crypto_sign_ed25519_keypair(sig, other), 0);
  CHECK(memcmp(sk, other, 32) != 0);
  EQUAL(crypto_sign_ed25519_keypair(NULL, other), -1);
  EQUAL(crypto_sign_ed25519_keypair(pk, NULL), -1);
  EQUAL(crypto_sign_seed_keypair(pk, sk, NULL), -1);
  CHECK(pk[0] == 0 && sk[63] == 0);
  EQUAL(crypto_sign_seed_keypair(NULL, sk, m), -1);
  EQUAL(crypto_sign_keypair(pk, sk), 0);
  memset(sig, 7, sizeof sig);
  EQUAL(crypto_sign_detached(sig, &size, NULL, 3, sk), -1);
  CHECK(size == 0 && sig[0] == 0 && sig[63] == 0);
  EQUAL(crypto_sign_detached(sig, &size, m, 3, NULL), -1);
  EQUAL(crypto_sign_detached(NULL, &size, m, 3, sk), -1);
  EQUAL(crypto_sign_detached(sig, &size, m, ~0ULL, sk), -1);
  EQUAL(crypto_sign(sm, &size, NULL, 3, sk), -1);
  EQUAL(crypto_sign(NULL, &size, m, 3, sk), -1);
  EQUAL(crypto_sign(sm, &size, m, ~0ULL - 63, sk), -1);
  EQUAL(size, 0);
  EQUAL(crypto_sign(sm, &size, m, 8, NULL), -1);
  EQUAL(crypto_sign(sm, &size, NULL, 0, sk), 0);
  EQUAL(crypto_sign_verify_detached(sm, NULL, 0, pk), 0);
  EQUAL(crypto_sign_verify_detached(sm, NULL, 1, pk), -1);
  EQUAL(crypto_sign_verify_detached(sm, m, ~0ULL, pk), -1);
  EQUAL(crypto_sign_verify_detached(NULL, NULL, 0, pk), -1);
  EQUAL(crypto_sign_verify_detached(sm, NULL, 0, NULL), -1);
  EQUAL(crypto_sign_open(m, &size, NULL, 64, pk), -1);
  EQUAL(crypto_sign_open(m, &size, sm, ~0ULL, pk), -1);
  EQUAL(crypto_sign_init(NULL), -1);
  memset(&state, 0, sizeof state);
  EQUAL(crypto_sign_update(&state, m, 1), -1);
  EQUAL(crypto_sign_final_create(&state, sig, &size, sk), -1);
  EQUAL(crypto_sign_final_verify(&state, sig, pk), -1);
  EQUAL(crypto_sign_init(&state), 0);
  EQUAL(crypto_sign_update(&state, NULL, 1), -1);
  EQUAL(crypto_scalarmult(NULL, m, pk), -1);
  EQUAL(crypto_sign_ed25519_sk_to_pk(pk, NULL), -1);
  EQUAL(crypto_sign_ed25519_sk_to_seed(NULL, sk), -1);
}

int main(void) {
  const char *library = getenv("SIGMILL_LIBSODIUM");
  sigmill_cpu_limit(test_cpu());
  if (library != NULL && *library != 0) {
    sodium = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(sodium != NULL);
    CHECK(((plain_function *)theirs("sodium_init"))() >= 0);
  }
  sizes();
  keys_and_signatures();
  verdicts();
  agreement();
  wrong();
  return finished(sodium == NULL ? "nacl" : "nacl, libsodium");
}
