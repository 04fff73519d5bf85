/*
 * The drop-in beside ed25519-donna and libsodium, in one process and in turns: each round calls every engine in every
 * slot, and medians of slots decide. For each class of CPU that this one can stand for.
 *
 *     bench [SECONDS [RECORD [HEADER]]]
 *
 * The script run builds it, with what is at hand; HEADER is text for the record's first line.
 */
#define _POSIX_C_SOURCE 200809L

#include "sigmill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void publickey(const unsigned char *sk, unsigned char *pk);
typedef void sign(const unsigned char *m, size_t mlen, const unsigned char *sk, const unsigned char *pk,
                  unsigned char *RS);
typedef int sign_open(const unsigned char *m, size_t mlen, const unsigned char *pk, const unsigned char *RS);
typedef int sign_open_batch(const unsigned char **m, size_t *mlen, const unsigned char **pk, const unsigned char **RS,
                            size_t num, int *valid);
typedef void basepoint(unsigned char *pk, const unsigned char *e);

#define DONNA(suffix)                        \
  publickey ed25519_publickey##suffix;       \
  sign ed25519_sign##suffix;                 \
  sign_open ed25519_sign_open##suffix;       \
  sign_open_batch ed25519_sign_open_batch##suffix; \
  basepoint curved25519_scalarmult_basepoint##suffix;

struct engine {
  const char *name;
  publickey *publickey;
  sign *sign;
  sign_open *sign_open;
  sign_open_batch *batch;
  basepoint *basepoint;
};

#define ENGINE(name, suffix)                                                                          \
  {                                                                                                   \
    name, ed25519_publickey##suffix, ed25519_sign##suffix, ed25519_sign_open##suffix,                 \
      ed25519_sign_open_batch##suffix, curved25519_scalarmult_basepoint##suffix                       \
  }

DONNA()
#if defined(WITH_DONNA)
DONNA(_donna)
DONNA(_sse2)
#endif

#if defined(WITH_SODIUM)
#include <sodium.h>

static void sodium_publickey(const unsigned char *sk, unsigned char *pk) {
  unsigned char pair[64];
  crypto_sign_seed_keypair(pk, pair, sk);
}

/* Its secret key has the public key in it, which it believes. */
static void sodium_sign(const unsigned char *m, size_t mlen, const unsigned char *sk, const unsigned char *pk,
                        unsigned char *RS) {
  unsigned char pair[64];
  memcpy(pair, sk, 32);
  memcpy(pair + 32, pk, 32);
  crypto_sign_detached(RS, NULL, m, mlen, pair);
}

static int sodium_sign_open(const unsigned char *m, size_t mlen, const unsigned char *pk, const unsigned char *RS) {
  return crypto_sign_verify_detached(RS, m, mlen, pk);
}

static void sodium_basepoint(unsigned char *pk, const unsigned char *e) { crypto_scalarmult_curve25519_base(pk, e); }
#endif

enum { OURS, DONNA_64, DONNA_SSE2, SODIUM, ENGINES };
static const struct engine engines[ENGINES] = {
  ENGINE("sigmill", ),
#if defined(WITH_DONNA)
  ENGINE("donna", _donna), ENGINE("donna-sse2", _sse2),
#else
  {"donna", NULL, NULL, NULL, NULL, NULL}, {"donna-sse2", NULL, NULL, NULL, NULL, NULL},
#endif
#if defined(WITH_SODIUM)
  {"libsodium", sodium_publickey, sodium_sign, sodium_sign_open, NULL, sodium_basepoint},
#else
  {"libsodium", NULL, NULL, NULL, NULL, NULL},
#endif
};

enum { KEYGEN, SIGN, VERIFY, BATCH_8, BATCH_64, BATCH_256, BASE, BULK, OPERATIONS };
static const char *const operations[OPERATIONS] = {
  "keygen", "sign", "verify", "batch of 8", "batch of 64", "batch of 256", "curved25519 base", "bulk of 16384"};
static const size_t rows_of[OPERATIONS] = {1, 1, 1, 8, 64, 256, 1, 16384};

enum { ROWS = 16384, SIZE = 32, SLOTS = 1 << 16 };
static unsigned char (*seeds)[32], (*keys)[32], (*messages)[SIZE], (*signatures)[64];
static const unsigned char **message_at, **key_at, **signature_at;
static size_t *sizes;
static int *valid;
static uint8_t *codes, *scratch;
static size_t scratch_size;
static struct sigmill_spec spec;

static void *take(size_t size) {
  void *memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "bench: no memory\n");
    exit(1);
  }
  return memory;
}

static void wrong(const struct engine *engine, int operation) {
  fprintf(stderr, "bench: %s: %s: a wrong answer\n", engine->name, operations[operation]);
  exit(1);
}

static void make_rows(void) {
  uint64_t state = 1;
  size_t i, j;
  seeds = take(ROWS * sizeof *seeds);
  keys = take(ROWS * sizeof *keys);
  messages = take(ROWS * sizeof *messages);
  signatures = take(ROWS * sizeof *signatures);
  message_at = take(ROWS * sizeof *message_at);
  key_at = take(ROWS * sizeof *key_at);
  signature_at = take(ROWS * sizeof *signature_at);
  sizes = take(ROWS * sizeof *sizes);
  valid = take(ROWS * sizeof *valid);
  codes = take(ROWS);
  for (i = 0; i < ROWS; i++) {
    for (j = 0; j < 32; j++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      seeds[i][j] = (unsigned char)(state >> 56);
      messages[i][j] = (unsigned char)(state >> 48);
    }
    ed25519_publickey(seeds[i], keys[i]);
    ed25519_sign(messages[i], SIZE, seeds[i], keys[i], signatures[i]);
    message_at[i] = messages[i];
    key_at[i] = keys[i];
    signature_at[i] = signatures[i];
    sizes[i] = SIZE;
  }
  memset(&spec, 0, sizeof spec);
  spec.algorithm = SIGMILL_ED25519;
  spec.rule = SIGMILL_RULE_LEGACY;
  scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, &spec, 1);
  scratch = take(scratch_size);
}

static int bulk(void) {
  struct sigmill_table table;
  memset(&table, 0, sizeof table);
  table.keys.rows = table.messages.rows = table.signatures.rows = ROWS;
  table.keys.width = 32;
  table.keys.values = keys[0];
  table.keys.values_size = ROWS * 32;
  table.messages.width = SIZE;
  table.messages.values = messages[0];
  table.messages.values_size = ROWS * SIZE;
  table.signatures.width = 64;
  table.signatures.values = signatures[0];
  table.signatures.values_size = ROWS * 64;
  table.specs = &spec;
  table.spec_count = 1;
  return sigmill_bulk_verify(NULL, &table, codes, ROWS, NULL, scratch, scratch_size);
}

/* One call for row i and those after it; whether the answer is right. */
static int call(const struct engine *engine, int operation, size_t i) {
  unsigned char made[64];
  switch (operation) {
    case KEYGEN: engine->publickey(seeds[i], made); return memcmp(made, keys[i], 32) == 0;
    case SIGN:
      engine->sign(messages[i], SIZE, seeds[i], keys[i], made);
      return memcmp(made, signatures[i], 64) == 0;
    case VERIFY: return engine->sign_open(messages[i], SIZE, keys[i], signatures[i]) == 0;
    case BASE: engine->basepoint(made, seeds[i]); return 1;
    case BULK: return bulk() == 0;
    default:
      return engine->batch(message_at + i, sizes + i, key_at + i, signature_at + i, rows_of[operation], valid) == 0;
  }
}

static int takes_part(int engine, int operation) {
  if (operation == BULK) return engine == OURS;
  if (operation >= BATCH_8 && operation <= BATCH_256) return engines[engine].batch != NULL;
  return engines[engine].publickey != NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct result {
  double least, median; /* nanoseconds a row; 0 if not run */
  size_t slots;
};

static void measure(int operation, double seconds, struct result results[ENGINES]) {
  static double *times[ENGINES];
  /* a slot is at least 16 rows, the first call of each is not timed */
  size_t rows = rows_of[operation], calls = rows < 16 ? 16 / rows : 1, slots = 0, i, first = 0;
  double end = now() + seconds * 1e9;
  int engine;
  while (slots < SLOTS && (slots < 5 || now() < end)) {
    for (engine = 0; engine < ENGINES; engine++) {
      double start;
      int right = 1;
      if (!takes_part(engine, operation)) continue;
      if (times[engine] == NULL) times[engine] = take(SLOTS * sizeof(double));
      if (rows <= 256) right &= call(&engines[engine], operation, (first + 512) % (ROWS - 256));
      start = now();
      for (i = 0; i < calls; i++) right &= call(&engines[engine], operation, rows < ROWS ? first + i * rows : 0);
      times[engine][slots] = (now() - start) / (double)(calls * rows);
      if (!right) wrong(&engines[engine], operation);
    }
    slots++;
    first = (first + calls * rows) % (ROWS - 512);
  }
  for (engine = 0; engine < ENGINES; engine++) {
    memset(&results[engine], 0, sizeof results[engine]);
    if (!takes_part(engine, operation)) continue;
    qsort(times[engine], slots, sizeof(double), ascending);
    results[engine].least = times[engine][0];
    results[engine].median = times[engine][slots / 2];
    results[engine].slots = slots;
  }
}

/* Answers of every engine are compared with ours before it is timed, and each must refuse what is wrong. */
static void same_answers(void) {
  int engine;
  for (engine = 0; engine < ENGINES; engine++) {
    unsigned char ours[32], made[32];
    if (engines[engine].publickey == NULL) continue;
    engines[OURS].basepoint(ours, seeds[0]);
    engines[engine].basepoint(made, seeds[0]);
    if (memcmp(ours, made, 32) != 0) wrong(&engines[engine], BASE);
    if (engines[engine].sign_open(messages[1], SIZE, keys[0], signatures[0]) == 0) wrong(&engines[engine], VERIFY);
    if (engines[engine].batch != NULL) {
      signature_at[7] = signatures[8];
      if (engines[engine].batch(message_at, sizes, key_at, signature_at, 64, valid) == 0 || valid[7] != 0 ||
          valid[8] != 1) {
        wrong(&engines[engine], BATCH_64);
      }
      signature_at[7] = signatures[7];
    }
  }
}

static const uint32_t classes[] = {UINT32_MAX, SIGMILL_CPU_ADX | SIGMILL_CPU_AVX2, 0};

static const char *class_of(uint32_t features) {
  if ((features & SIGMILL_CPU_IFMA) != 0) return "ifma";
  return (features & SIGMILL_CPU_AVX2) != 0 ? "avx2" : "portable";
}

/* How many times as fast as ed25519-donna's better build an operation has to be; 0: nothing is asked. */
static double bar(int operation, uint32_t features, int amd) {
  int ifma = (features & SIGMILL_CPU_IFMA) != 0;
  switch (operation) {
    case KEYGEN:
    case VERIFY:
    case BASE: return ifma ? 2 : 1.3;
    case SIGN: return ifma ? 1.4 : 0.9;
    case BATCH_64: return ifma ? (amd ? 3.4 : 4) : (features & SIGMILL_CPU_AVX2) != 0 ? 3 : 0;
    default: return 0;
  }
}

int main(int count, char **arguments) {
  double seconds = count > 1 ? atof(arguments[1]) : 3;
  FILE *record = NULL;
  size_t c;
  int misses = 0, amd = 0;
  uint32_t seen = UINT32_MAX;
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_cpu_init();
  amd = __builtin_cpu_is("amd") != 0;
#endif
  if (seconds <= 0) {
    fprintf(stderr, "bench: how many seconds?\n");
    return 2;
  }
#if defined(WITH_SODIUM)
  if (sodium_init() < 0) return 1;
#endif
  if (count > 2) {
    record = fopen(arguments[2], "w");
    if (record == NULL) {
      perror(arguments[2]);
      return 1;
    }
    fprintf(record, "%s\n", count > 3 ? arguments[3] : "{}");
  }
  make_rows();
  for (c = 0; c < sizeof classes / sizeof *classes; c++) {
    const char *name;
    int operation, engine;
    uint32_t features;
    sigmill_cpu_limit(classes[c]);
    features = sigmill_cpu_features();
    if (features == seen) continue;
    seen = features;
    name = class_of(features);
    same_answers();
    printf("\n%-8s us a row, medians   |  sigmill    donna donna-sse2 libsodium | of donna's better | must\n", name);
    for (operation = 0; operation < OPERATIONS; operation++) {
      struct result results[ENGINES];
      double donna, must = bar(operation, features, amd);
      measure(operation, seconds, results);
      printf("  %-28s |", operations[operation]);
      for (engine = 0; engine < ENGINES; engine++) {
        if (results[engine].slots == 0) {
          printf(" %*s", engine < DONNA_SSE2 ? 8 : engine == SODIUM ? 9 : 10, takes_part(engine, KEYGEN) ? "-" : "not run");
          continue;
        }
        printf(" %*.3f", engine < DONNA_SSE2 ? 8 : engine == SODIUM ? 9 : 10, results[engine].median / 1e3);
        if (record != NULL) {
          fprintf(record,
                  "{\"engine\":\"%s\",\"class\":\"%s\",\"features\":%u,\"op\":\"%s\",\"n\":%lu,\"msg_len\":%d,"
                  "\"ns_min\":%.1f,\"ns_median\":%.1f,\"slots\":%lu}\n",
                  engines[engine].name, name, (unsigned)features, operations[operation],
                  (unsigned long)rows_of[operation], SIZE, results[engine].least, results[engine].median,
                  (unsigned long)results[engine].slots);
        }
      }
      donna = results[DONNA_64].median;
      if (results[DONNA_SSE2].median < donna) donna = results[DONNA_SSE2].median;
      if (donna > 0) {
        double ratio = donna / results[OURS].median;
        printf(" | %17.2f", ratio);
        if (must > 0) printf(" | %.1f %s", must, ratio >= must ? "pass" : "MISS");
        misses += must > 0 && ratio < must;
      }
      printf("\n");
      fflush(stdout);
    }
  }
  if (record != NULL && fclose(record) != 0) {
    perror(arguments[2]);
    return 1;
  }
  printf("\n%d of the bars missed%s\n", misses, engines[DONNA_64].publickey == NULL ? ": nothing to compare with" : "");
  return 0;
}
