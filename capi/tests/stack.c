/*
 * The stack that each function needs: each runs on a thread whose stack was painted, with all that the CPU can do and
 * with less. Prints a table of bytes. And what is left there: no secret key.
 *
 * usage: stack [--limits]
 * --limits: threads have 128 KiB, the default of musl, and more than the limits is a failure.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pthread_attr_setstack, MAP_ANONYMOUS */
#endif
#include "sha512.h"
#include "test.h"

#include <pthread.h>
#include <sys/mman.h>

enum {
  LIMIT_VERIFY = 12 * 1024,
  LIMIT_SINGLE = SIGMILL_STACK_SINGLE,
  LIMIT_BULK = 64 * 1024, /* of what does not sign, as sigmill.h says */
  LIMIT_SIGN = SIGMILL_STACK_BULK,
  SMALL_THREAD = 128 * 1024,
  LARGE_THREAD = 1024 * 1024,
  PAINT = 0xa5
};

enum { ROWS = 1024 };
static uint8_t seed[32], pair[64], key[32], signature[64], message[200], out[1024];
static uint8_t row_messages[ROWS]; /* no bytes of a secret: they are copied to the stack */
static uint8_t ecdsa_public[2][97], ecdsa_signature[2][96];
static struct sigmill_ed25519_key object;
static struct sigmill_ed25519_prepared prepared;
static struct sigmill_ed25519_verifier verifier;
static struct sigmill_ed25519_signer signer;
static struct sigmill_ed25519_facts facts;
static struct sigmill_ecdsa_key curve_key[2];
static uint8_t seeds[ROWS * 32], keys[ROWS * 32], signatures[ROWS * 64], large[ROWS * 97], codes[ROWS];
static const void *prepared_pointers[ROWS];
static const struct sigmill_ed25519_key *key_pointer[1] = {&object};
static const struct sigmill_ecdsa_key *curve_key_pointer[1];
static struct sigmill_table table;
static struct sigmill_spec spec;
static struct sigmill_bulk how;
static uint8_t *scratch;
static size_t scratch_size, out_size;
static int failed; /* a call did not give 0 */

#define DO(call)                                                      \
  do {                                                                \
    if ((call) != 0) failed = __LINE__;                               \
  } while (0)

static struct sigmill_variant ph, digest;

static void nothing(void) { DO(sigmill_version() == 0); }
static void keygen(void) { DO(sigmill_ed25519_keygen(out, out + 32)); }
static void public_key(void) { DO(sigmill_ed25519_public_key(out, seed)); }
static void sign(void) { DO(sigmill_ed25519_sign(out, seed, NULL, message, sizeof message)); }
static void sign_ph(void) { DO(sigmill_ed25519_sign(out, seed, &ph, message, sizeof message)); }
static void sign_digest(void) { DO(sigmill_ed25519_sign(out, seed, &digest, message, 64)); }
static void sign_pair(void) { DO(sigmill_ed25519_sign_pair(out, pair, NULL, message, sizeof message)); }
static void hazmat_sign(void) { DO(sigmill_hazmat_ed25519_sign(out, pair, &ph, message, sizeof message)); }
static void verify_exact(void) {
  DO(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key, 32, message, sizeof message, signature, 64));
}
static void verify_cofactored(void) {
  DO(sigmill_ed25519_verify(SIGMILL_RULE_ZIP215, NULL, key, 32, message, sizeof message, signature, 64));
}
static void verify_refused(void) {
  DO(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key, 32, message, 5, signature, 64) != SIGMILL_REASON_EQUATION);
}
static void check_key(void) { DO(sigmill_ed25519_check_key(SIGMILL_RULE_STRICT, key, 32)); }
static void key_init(void) { DO(sigmill_ed25519_key_init(&object, seed)); }
static void key_init_pair(void) { DO(sigmill_ed25519_key_init_pair(&object, pair)); }
static void key_sign(void) { DO(sigmill_ed25519_key_sign(&object, out, NULL, message, sizeof message)); }
static void key_hedged(void) { DO(sigmill_ed25519_key_sign_hedged(&object, out, NULL, message, sizeof message, NULL)); }
static void key_checked(void) {
  DO(sigmill_ed25519_key_sign_checked(&object, out, NULL, message, sizeof message, NULL));
}
static void prepare(void) { DO(sigmill_ed25519_prepare(&prepared, key)); }
static void prepared_verify(void) {
  DO(sigmill_ed25519_prepared_verify(&prepared, SIGMILL_RULE_COMMON, NULL, message, sizeof message, signature, 64));
}
static void verifier_all(void) {
  DO(sigmill_ed25519_verifier_init(&verifier, SIGMILL_RULE_COMMON, NULL, key, 32, signature, 64));
  DO(sigmill_ed25519_verifier_update(&verifier, message, sizeof message));
  DO(sigmill_ed25519_verifier_finish(&verifier));
}
static void signer_all(void) {
  DO(sigmill_ed25519_signer_init(&signer, &object, NULL, NULL));
  DO(sigmill_ed25519_signer_update(&signer, message, sizeof message));
  DO(sigmill_ed25519_signer_second_pass(&signer));
  DO(sigmill_ed25519_signer_update(&signer, message, sizeof message));
  DO(sigmill_ed25519_signer_finish(&signer, out));
}
static void explain(void) { DO(sigmill_ed25519_explain(&facts, NULL, key, message, sizeof message, signature)); }

static struct sha512 hash_state;
static const struct sigmill_sha512 own_hash = {&hash_state, sha512_init, sha512_update, sha512_final};
static void sign_hashed(void) { DO(sigmill_ed25519_sign_hashed(out, &own_hash, seed, message, sizeof message)); }
static void verify_hashed(void) {
  DO(sigmill_ed25519_verify_hashed(SIGMILL_RULE_COMMON, &own_hash, key, 32, message, sizeof message, signature, 64));
}

static void x25519_public_key(void) { DO(sigmill_x25519_public_key(out, seed)); }
static void x25519(void) { DO(sigmill_x25519(out, seed, keys)); }
static void x25519_secret(void) { DO(sigmill_x25519_secret_from_ed25519(out, seed)); }
static void x25519_public(void) { DO(sigmill_x25519_public_from_ed25519(out, key)); }

static void container(int algorithm, size_t secret_size) {
  size_t size = sizeof out;
  DO(sigmill_key_write(algorithm, SIGMILL_PKCS8, SIGMILL_FORM_PEM, out, &size, seeds, secret_size));
  out_size = 48;
  DO(sigmill_key_read(algorithm, SIGMILL_PKCS8, SIGMILL_FORM_PEM, out, &out_size, out, size));
}
static void container_ed25519(void) { container(SIGMILL_ED25519, 32); }
static void container_x25519(void) { container(SIGMILL_X25519, 32); }

#define CURVE(number)                                                                                            \
  static void ecdsa_keygen_##number(void) { DO(sigmill_ecdsa_keygen(2 + number, out, out + 48)); }               \
  static void ecdsa_public_##number(void) { DO(sigmill_ecdsa_public_key(2 + number, out, seeds)); }              \
  static void ecdsa_sign_##number(void) {                                                                        \
    out_size = sizeof out;                                                                                       \
    DO(sigmill_ecdsa_sign(2 + number, NULL, out, &out_size, seeds, message, sizeof message));                    \
  }                                                                                                              \
  static void ecdsa_checked_##number(void) {                                                                     \
    out_size = sizeof out;                                                                                       \
    DO(sigmill_ecdsa_key_sign(&curve_key[number], NULL, out, &out_size, message, sizeof message, seed, 1));      \
  }                                                                                                              \
  static void ecdsa_verify_##number(void) {                                                                      \
    DO(sigmill_ecdsa_verify(2 + number, NULL, ecdsa_public[number], number ? 97 : 65, message, sizeof message,   \
                            ecdsa_signature[number], number ? 96 : 64));                                         \
  }                                                                                                              \
  static void ecdsa_convert_##number(void) {                                                                     \
    out_size = sizeof out;                                                                                       \
    DO(sigmill_ecdsa_convert_key(2 + number, 1, out, &out_size, ecdsa_public[number], number ? 97 : 65));        \
    DO(sigmill_ecdsa_convert_key(2 + number, 0, out, &out_size, out, number ? 49 : 33) != -17);                  \
  }                                                                                                              \
  static void container_##number(void) { container(2 + number, number ? 48 : 32); }
CURVE(0)
CURVE(1)

static void bulk_verify(void) {
  DO(sigmill_bulk_verify(&how, &table, codes, table.keys.rows, NULL, scratch, scratch_size));
}
static struct sigmill_progress progress;
static void bulk_verify_step(void) {
  int result = sigmill_progress_init(&progress);
  DO(result);
  do {
    result = sigmill_bulk_verify_step(&how, &table, codes, table.keys.rows, NULL, scratch, scratch_size, &progress, 3000);
  } while (result == SIGMILL_UNFINISHED);
  DO(result);
}
static size_t rows;
static void bulk_public_keys(void) { DO(sigmill_bulk_ed25519_public_keys(NULL, rows, seeds, large)); }
static void bulk_sign_with(const struct sigmill_variant *variant) {
  struct sigmill_column column = table.messages;
  column.rows = rows;
  DO(sigmill_bulk_ed25519_sign(NULL, key_pointer, 1, variant, &column, large, rows * 64, NULL));
}
static void bulk_sign(void) { bulk_sign_with(NULL); }
static void bulk_sign_ph(void) { bulk_sign_with(&ph); }
static void bulk_x25519_keys(void) { DO(sigmill_bulk_x25519_public_keys(NULL, rows, seeds, large)); }
static void bulk_x25519(void) { DO(sigmill_bulk_x25519(NULL, rows, seeds, rows, keys, large, codes)); }
static void bulk_ecdsa_keys_0(void) { DO(sigmill_bulk_ecdsa_public_keys(NULL, 2, rows, seeds, large, NULL)); }
static void bulk_ecdsa_keys_1(void) { DO(sigmill_bulk_ecdsa_public_keys(NULL, 3, rows / 2, seeds, large, NULL)); }
static void bulk_ecdsa_sign(void) {
  struct sigmill_column column = table.messages;
  column.rows = rows;
  DO(sigmill_bulk_ecdsa_sign(NULL, curve_key_pointer, 1, 0, &column, large,
                             rows * (curve_key_pointer[0] == &curve_key[0] ? 64 : 96), NULL));
}

/* ---- painting ---- */

static uint8_t *stack;
static size_t stack_size, used;
static uint8_t secrets[4][16]; /* the beginnings of what may not be left */
static const char *left;

static void *painted(void *argument) {
  void (*call)(void);
  uint8_t *top = (uint8_t *)&call, *at;
  memcpy(&call, argument, sizeof call);
  call();
  for (at = stack; at < top && *at == PAINT; at++) {
  }
  used = (size_t)(top - at);
  return NULL;
}

static size_t measure(void (*call)(void), int with_secrets) {
  pthread_attr_t attributes;
  pthread_t thread;
  size_t i, j;
  memset(stack, PAINT, stack_size);
  failed = 0;
  left = NULL;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, stack, stack_size) == 0);
  CHECK(pthread_create(&thread, &attributes, painted, &call) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    fprintf(stderr, "stack.c:%d: a call failed\n", failed);
    exit(1);
  }
  for (i = 0; with_secrets && i + 16 <= stack_size; i++) {
    for (j = 0; j < 4; j++) {
      static const char *const names[] = {"seed", "scalar", "prefix", "ECDSA secret"};
      if (stack[i] == secrets[j][0] && memcmp(stack + i, secrets[j], 16) == 0) left = names[j];
    }
  }
  return used;
}

static void set_up(void) {
  size_t i;
  int curve;
  uint8_t expanded[64];
  uint64_t random = 3;
  random_bytes(&random, seeds, sizeof seeds);
  for (i = 0; i < sizeof seeds; i += 16) seeds[i] &= 0x7f; /* secrets of both curves, too */
  memcpy(seed, seeds, 32);
  EQUAL(sigmill_ed25519_public_key(key, seed), 0);
  memcpy(pair, seed, 32);
  memcpy(pair + 32, key, 32);
  EQUAL(sigmill_ed25519_sign(signature, seed, NULL, message, sizeof message), 0);
  EQUAL(sigmill_ed25519_key_init(&object, seed), 0);
  EQUAL(sigmill_ed25519_prepare(&prepared, key), 0);
  ph.kind = SIGMILL_PH;
  digest.kind = SIGMILL_PH_DIGEST;
  for (curve = 0; curve < 2; curve++) {
    size_t size = 96;
    EQUAL(sigmill_ecdsa_public_key(2 + curve, ecdsa_public[curve], seeds), 0);
    EQUAL(sigmill_ecdsa_sign(2 + curve, NULL, ecdsa_signature[curve], &size, seeds, message, sizeof message), 0);
    EQUAL(sigmill_ecdsa_key_init(&curve_key[curve], 2 + curve, seeds), 0);
  }
  EQUAL(sigmill_bulk_x25519_public_keys(NULL, 1, seeds + 32, keys), 0);
  sha512(expanded, seed, 32);
  expanded[0] &= 0xf8;
  memcpy(secrets[0], seed, 16);
  memcpy(secrets[1], expanded, 16);
  memcpy(secrets[2], expanded + 32, 16);
  for (i = 0; i < 16; i++) secrets[3][i] = seeds[31 - i]; /* as words of P-256 */
}

/* A table of so many rows, each of another key unless they are prepared. */
static void set_table(size_t count, int algorithm) {
  size_t i, width = algorithm == SIGMILL_ED25519 ? 32 : algorithm == SIGMILL_P256 ? 65 : 97;
  size_t signature_size = algorithm == SIGMILL_P384 ? 96 : 64;
  memset(&table, 0, sizeof table);
  memset(&how, 0, sizeof how);
  memset(&spec, 0, sizeof spec);
  spec.algorithm = algorithm;
  spec.rule = SIGMILL_RULE_COMMON;
  table.keys.rows = table.messages.rows = table.signatures.rows = count;
  table.keys.width = width;
  table.keys.values = algorithm == SIGMILL_ED25519 ? keys : large;
  table.keys.values_size = count * width;
  table.messages.width = 1;
  table.messages.values = row_messages;
  table.messages.values_size = count;
  table.signatures.width = signature_size;
  table.signatures.values = algorithm == SIGMILL_P384 ? large + 48 * 1024 : signatures;
  table.signatures.values_size = count * signature_size;
  table.specs = &spec;
  table.spec_count = 1;
  for (i = 0; i < count; i++) {
    uint8_t *made = (uint8_t *)table.signatures.values + signature_size * i;
    if (algorithm == SIGMILL_ED25519) {
      EQUAL(sigmill_ed25519_public_key(keys + 32 * i, seeds + 32 * i), 0);
      EQUAL(sigmill_ed25519_sign(made, seeds + 32 * i, NULL, row_messages + i, 1), 0);
    } else {
      size_t size = signature_size;
      EQUAL(sigmill_ecdsa_key_sign(&curve_key[algorithm - 2], NULL, made, &size, row_messages + i, 1, NULL, 0), 0);
      memcpy(large + width * i, ecdsa_public[algorithm - 2], width);
    }
  }
}

static const struct {
  const char *name;
  void (*call)(void);
  int limit;
} singles[] = {{"nothing", nothing, LIMIT_VERIFY},
               {"ed25519_verify, exact", verify_exact, LIMIT_VERIFY},
               {"ed25519_verify, cofactored", verify_cofactored, LIMIT_VERIFY},
               {"ed25519_verify, refused", verify_refused, LIMIT_VERIFY},
               {"ed25519_verify_hashed", verify_hashed, LIMIT_VERIFY},
               {"ed25519_prepared_verify", prepared_verify, LIMIT_VERIFY},
               {"ed25519_verifier", verifier_all, LIMIT_VERIFY},
               {"ed25519_check_key", check_key, LIMIT_VERIFY},
               {"ed25519_prepare", prepare, LIMIT_SINGLE},
               {"ed25519_explain", explain, LIMIT_SINGLE},
               {"ed25519_keygen", keygen, LIMIT_SINGLE},
               {"ed25519_public_key", public_key, LIMIT_SINGLE},
               {"ed25519_sign", sign, LIMIT_SINGLE},
               {"ed25519_sign, ph", sign_ph, LIMIT_SINGLE},
               {"ed25519_sign, ph of a digest", sign_digest, LIMIT_SINGLE},
               {"ed25519_sign_pair", sign_pair, LIMIT_SINGLE},
               {"hazmat_ed25519_sign", hazmat_sign, LIMIT_SINGLE},
               {"ed25519_sign_hashed", sign_hashed, LIMIT_SINGLE},
               {"ed25519_key_init", key_init, LIMIT_SINGLE},
               {"ed25519_key_init_pair", key_init_pair, LIMIT_SINGLE},
               {"ed25519_key_sign", key_sign, LIMIT_SINGLE},
               {"ed25519_key_sign_hedged", key_hedged, LIMIT_SINGLE},
               {"ed25519_key_sign_checked", key_checked, LIMIT_SINGLE},
               {"ed25519_signer", signer_all, LIMIT_SINGLE},
               {"x25519_public_key", x25519_public_key, LIMIT_SINGLE},
               {"x25519", x25519, LIMIT_SINGLE},
               {"x25519_secret_from_ed25519", x25519_secret, LIMIT_SINGLE},
               {"x25519_public_from_ed25519", x25519_public, LIMIT_SINGLE},
               {"ecdsa_verify, P-256", ecdsa_verify_0, LIMIT_SINGLE},
               {"ecdsa_verify, P-384", ecdsa_verify_1, LIMIT_SINGLE},
               {"ecdsa_keygen, P-256", ecdsa_keygen_0, LIMIT_SINGLE},
               {"ecdsa_keygen, P-384", ecdsa_keygen_1, LIMIT_SINGLE},
               {"ecdsa_public_key, P-256", ecdsa_public_0, LIMIT_SINGLE},
               {"ecdsa_public_key, P-384", ecdsa_public_1, LIMIT_SINGLE},
               {"ecdsa_sign, P-256", ecdsa_sign_0, LIMIT_SINGLE},
               {"ecdsa_sign, P-384", ecdsa_sign_1, LIMIT_SINGLE},
               {"ecdsa_key_sign checked, P-256", ecdsa_checked_0, LIMIT_SINGLE},
               {"ecdsa_key_sign checked, P-384", ecdsa_checked_1, LIMIT_SINGLE},
               {"ecdsa_convert_key, P-256", ecdsa_convert_0, LIMIT_SINGLE},
               {"ecdsa_convert_key, P-384", ecdsa_convert_1, LIMIT_SINGLE},
               {"key_write and _read, Ed25519", container_ed25519, LIMIT_SINGLE},
               {"key_write and _read, X25519", container_x25519, LIMIT_SINGLE},
               {"key_write and _read, P-256", container_0, LIMIT_SINGLE},
               {"key_write and _read, P-384", container_1, LIMIT_SINGLE}};

static const uint32_t limits[] = {UINT32_MAX, SIGMILL_CPU_ADX | SIGMILL_CPU_AVX2, 0};
enum { CPUS = 3 };
static int too_much, leaks, enforced;

static void print_row(const char *name, const size_t amounts[CPUS], int limit, const char *found) {
  int i, over = 0;
  printf("%-42s", name);
  for (i = 0; i < CPUS; i++) {
    if (amounts[i] > 0) printf(" %8lu", (unsigned long)amounts[i]);
    else printf(" %8s", "-");
    over |= amounts[i] > (size_t)limit;
  }
  printf("  %6d%s", limit, over ? " over" : "");
  if (found != NULL) printf(" left on the stack: %s", found);
  printf("\n");
  too_much += over;
  leaks += found != NULL;
}

static void measure_bulk(const char *name, void (*call)(void), int with_secrets) {
  size_t amounts[CPUS] = {0, 0, 0};
  const char *found = NULL;
  int i;
  for (i = 0; i < CPUS; i++) {
    sigmill_cpu_limit(limits[i]);
    if (call == bulk_verify || call == bulk_verify_step) {
      scratch_size = sigmill_bulk_scratch_size(&how, table.keys.rows, &spec, 1);
      if (scratch_size == 0) continue; /* no such backend here */
      scratch = take(scratch_size);
    }
    amounts[i] = measure(call, with_secrets);
    if (left != NULL) found = left;
    if (call == bulk_verify || call == bulk_verify_step) free(scratch);
  }
  sigmill_cpu_limit(UINT32_MAX);
  print_row(name, amounts, call == bulk_sign || call == bulk_sign_ph || call == bulk_ecdsa_sign ? LIMIT_SIGN : LIMIT_BULK, found);
}

int main(int count, char **arguments) {
  static const size_t sizes[] = {8, 64, 1024};
  static const struct {
    const char *name, *what;
    void (*call)(void);
  } signers[] = {{"bulk_ed25519_public_keys", "", bulk_public_keys},
                 {"bulk_ed25519_sign", "", bulk_sign},
                 {"bulk_ed25519_sign", ", ph", bulk_sign_ph},
                 {"bulk_x25519_public_keys", "", bulk_x25519_keys},
                 {"bulk_x25519", "", bulk_x25519},
                 {"bulk_ecdsa_public_keys", ", P-256", bulk_ecdsa_keys_0},
                 {"bulk_ecdsa_public_keys", "/2, P-384", bulk_ecdsa_keys_1}};
  static const char *const strategies[] = {"best", "single", "lanes", "combined"};
  char name[100];
  size_t signer;
  size_t i;
  int strategy, rule, algorithm;
  enforced = count > 1 && strcmp(arguments[1], "--limits") == 0;
  stack_size = enforced ? SMALL_THREAD : LARGE_THREAD;
  stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  set_up();
  printf("stack in bytes %36s %8s %8s  %6s\n", "all", "AVX2", "portable", "limit");
  for (i = 0; i < sizeof singles / sizeof *singles; i++) {
    size_t amounts[CPUS];
    const char *found = NULL;
    int cpu;
    for (cpu = 0; cpu < CPUS; cpu++) {
      sigmill_cpu_limit(limits[cpu]);
      amounts[cpu] = measure(singles[i].call, 1);
      if (left != NULL) found = left;
    }
    sigmill_cpu_limit(UINT32_MAX);
    print_row(singles[i].name, amounts, singles[i].limit, found);
  }
  for (i = 0; i < 3; i++) {
    set_table(sizes[i], SIGMILL_ED25519);
    for (strategy = 0; strategy <= SIGMILL_STRATEGY_COMBINED; strategy++) {
      for (rule = SIGMILL_RULE_COMMON; rule <= SIGMILL_RULE_ZIP215; rule += 3) {
        how.strategy = strategy;
        spec.rule = rule;
        sprintf(name, "bulk_verify %lu, %s, %s", (unsigned long)sizes[i], sigmill_rule_name(rule),
                strategies[strategy]);
        measure_bulk(name, bulk_verify, 0);
        if (strategy != 0) continue;
        sprintf(name, "bulk_verify_step %lu, %s", (unsigned long)sizes[i], sigmill_rule_name(rule));
        measure_bulk(name, bulk_verify_step, 0);
      }
    }
    {
      size_t row;
      for (row = 0; row < sizes[i]; row++) {
        prepared_pointers[row] = &prepared;
        DO(sigmill_ed25519_sign(signatures + 64 * row, seed, NULL, row_messages + row, 1));
      }
      how.strategy = 0;
      table.keys.layout = SIGMILL_COLUMN_PREPARED;
      table.keys.pointers = prepared_pointers;
      sprintf(name, "bulk_verify %lu, prepared keys", (unsigned long)sizes[i]);
      measure_bulk(name, bulk_verify, 0);
    }
    for (algorithm = SIGMILL_P256; algorithm <= SIGMILL_P384; algorithm++) {
      set_table(sizes[i] < 256 ? sizes[i] : 256, algorithm);
      sprintf(name, "bulk_verify %lu, %s", (unsigned long)table.keys.rows, algorithm == 2 ? "P-256" : "P-384");
      measure_bulk(name, bulk_verify, 0);
    }
    set_table(8, SIGMILL_ED25519);
    rows = sizes[i];
    table.messages.values_size = sizeof row_messages;
    EQUAL(sigmill_bulk_x25519_public_keys(NULL, rows, seeds, keys), 0);
    for (signer = 0; signer < sizeof signers / sizeof *signers; signer++) {
      sprintf(name, "%s %lu%s", signers[signer].name, (unsigned long)rows, signers[signer].what);
      measure_bulk(name, signers[signer].call, 1);
    }
    for (algorithm = 0; algorithm < 2; algorithm++) {
      curve_key_pointer[0] = &curve_key[algorithm];
      sprintf(name, "bulk_ecdsa_sign %lu, %s", (unsigned long)rows, algorithm == 0 ? "P-256" : "P-384");
      measure_bulk(name, bulk_ecdsa_sign, 1);
    }
  }
  printf("stack          %d over their limits, %d with secrets left%s\n", too_much, leaks,
         enforced ? "" : " (not enforced)");
  return enforced && (too_much > 0 || leaks > 0);
}
