/*
 * What a program may put in the place of the drop-in's own parts. HOOKS names which; the script donna builds each.
 *     1  hash functions          2  one of them is missing      3  random bytes, memory for batches
 *     4  the system has none     5  options of the build: ED25519_CUSTOMHASH, ED25519_CUSTOMRANDOM, ED25519_SUFFIX
 *     6  as 3, where the drop-in is a shared library and nothing of it can be seen
 */
#define _POSIX_C_SOURCE 200809L

#include "sha512.h"
#include "test.h"

#define ED25519_HOOKS
#include "ed25519.h"

#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if HOOKS == 5
#define FN(name) name##_own
void FN(ed25519_publickey)(const ed25519_secret_key sk, ed25519_public_key pk);
void FN(ed25519_sign)(const unsigned char *m, size_t mlen, const ed25519_secret_key sk, const ed25519_public_key pk,
                      ed25519_signature RS);
int FN(ed25519_sign_open)(const unsigned char *m, size_t mlen, const ed25519_public_key pk,
                          const ed25519_signature RS);
int FN(ed25519_sign_open_batch)(const unsigned char **m, size_t *mlen, const unsigned char **pk,
                                const unsigned char **RS, size_t num, int *valid);
void FN(ed25519_randombytes_unsafe)(void *out, size_t count);
void FN(curved25519_scalarmult_basepoint)(curved25519_key pk, const curved25519_key e);
#else
#define FN(name) name
#endif

/* RFC 8032 section 7.1, test 2. */
static uint8_t seed[32], key[32], signature[64];
static const uint8_t message[1] = {0x72};

static void read_known(void) {
  const char *text = getenv("SIGMILL_TEST_CPU"); /* features, for what runs the program and lacks some */
  if (text != NULL) sigmill_cpu_limit((uint32_t)atoi(text));
  put_hex(seed, "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
  put_hex(key, "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  put_hex(signature,
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
          "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

#if HOOKS == 2 || HOOKS == 4
/* Whether what is called ends the program by a signal. */
static int ends_the_program(void (*call)(void)) {
  int status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    call();
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}
#endif

enum { ROWS = 200 };
static const unsigned char *messages[ROWS], *keys[ROWS], *signatures[ROWS];
static size_t sizes[ROWS];
static int valid[ROWS];

/* ROWS times the same signature; one of them is wrong, or none (ROWS). */
static int verify_batch(const uint8_t *public_key, const uint8_t *of, size_t rows, size_t wrong) {
  static const uint8_t other[1] = {0x73};
  size_t i;
  int result;
  for (i = 0; i < rows; i++) {
    messages[i] = i == wrong ? other : message;
    sizes[i] = 1;
    keys[i] = public_key;
    signatures[i] = of;
  }
  result = FN(ed25519_sign_open_batch)(messages, sizes, keys, signatures, rows, valid);
  for (i = 0; i < rows; i++) EQUAL(valid[i], i != wrong);
  return result;
}

#if HOOKS == 1 || HOOKS == 2 || HOOKS == 5

/* SHA-512, or with a byte before every message another hash. */
extern int with_byte;
extern unsigned long hashed;

#if HOOKS != 5
int with_byte;
unsigned long hashed;

struct aligned {
  char byte;
  long double number;
};

struct ed25519_hash_context {
  struct sha512 hash;
  uint8_t mark[ED25519_HASH_CONTEXT_SIZE - sizeof(struct sha512)];
};

void ed25519_hash_init(struct ed25519_hash_context *context) {
  uint8_t byte = 1;
  CHECK((uintptr_t)context % offsetof(struct aligned, number) == 0);
  memset(context->mark, 0x5e, sizeof context->mark);
  sha512_init(&context->hash);
  if (with_byte) sha512_update(&context->hash, &byte, 1);
}
#endif

#if HOOKS == 1
void ed25519_hash_update(struct ed25519_hash_context *context, const unsigned char *in, size_t inlen) {
  sha512_update(&context->hash, in, inlen);
}

void ed25519_hash_final(struct ed25519_hash_context *context, unsigned char *hash) {
  sha512_final(&context->hash, hash);
  hashed++;
}
#endif

#if HOOKS != 2
static void hash_is_used(void) {
  uint8_t made[64], own_key[32];
  with_byte = 0;
  FN(ed25519_publickey)(seed, made);
  SAME_BYTES(made, key, 32);
  EQUAL(hashed, 1);
  FN(ed25519_sign)(message, 1, seed, NULL, made);
  SAME_BYTES(made, signature, 64);
  EQUAL(hashed, 4);
  EQUAL(FN(ed25519_sign_open)(message, 1, key, signature), 0);
  EQUAL(hashed, 5);
  EQUAL(verify_batch(key, signature, 70, 70), 0);
  EQUAL(hashed, 75);
  EQUAL(verify_batch(key, signature, 70, 69), 3);
  EQUAL(verify_batch(key, signature, 67, 66), 1);
  with_byte = 1;
  FN(ed25519_publickey)(seed, own_key);
  CHECK(memcmp(own_key, key, 32) != 0);
  FN(ed25519_sign)(message, 1, seed, NULL, made);
  CHECK(memcmp(made, signature, 64) != 0);
  EQUAL(FN(ed25519_sign_open)(message, 1, own_key, made), 0);
  EQUAL(FN(ed25519_sign_open)(message, 1, key, signature), -1);
  EQUAL(verify_batch(own_key, made, 65, 65), 0);
  EQUAL(verify_batch(own_key, made, 64, 0), 3);
  with_byte = 0;
}
#endif

#endif

#if HOOKS == 1

static void *sign_and_make(void *unused) {
  uint8_t made[64];
  ed25519_publickey(seed, made);
  ed25519_sign(message, 1, seed, NULL, made);
  return unused;
}

static void *only_verify(void *unused) {
  ed25519_sign_open(message, 1, key, signature);
  return unused;
}

/* How many bytes of contexts a thread leaves on its stack. */
static size_t left_behind(void *(*work)(void *)) {
  enum { STACK = 256 * 1024 };
  pthread_attr_t attributes;
  pthread_t thread;
  uint8_t *stack = NULL;
  size_t i, run = 0, most = 0;
  CHECK(posix_memalign((void **)&stack, 4096, STACK) == 0);
  memset(stack, 0, STACK);
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0);
  CHECK(pthread_create(&thread, &attributes, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  for (i = 0; i < STACK; i++) {
    run = stack[i] == 0x5e ? run + 1 : 0;
    if (run > most) most = run;
  }
  free(stack);
  return most;
}

/* With SHA-512 as the program's hash the verdicts are the same. */
static void verdicts_as_frozen(void) {
  struct vectors vectors = read_vectors();
  size_t i;
  for (i = 0; i < vectors.rows; i++) {
    const struct vector *vector = &vectors.at[i];
    if (vector->variant.kind != SIGMILL_PURE || vector->key.size != 32 || vector->signature.size != 64) continue;
    EQUAL(ed25519_sign_open(vector->message.at, vector->message.size, vector->key.at, vector->signature.at),
          vector->code[SIGMILL_RULE_LEGACY] == 0 ? 0 : -1);
  }
  free_vectors(&vectors);
}

int main(void) {
  read_known();
  hash_is_used();
  verdicts_as_frozen();
  if (getenv("SIGMILL_TEST_NO_STACK") == NULL) { /* what watches memory does not let a dead stack be read */
    CHECK(left_behind(only_verify) > 32); /* public: it shows that contexts are found */
    CHECK(left_behind(sign_and_make) < 8);
  }
  return finished("donna_hooks 1");
}

#elif HOOKS == 2

static void make(void) {
  uint8_t made[32];
  ed25519_publickey(seed, made);
}

static void sign(void) {
  uint8_t made[64];
  ed25519_sign(message, 1, seed, key, made);
}

static void verify(void) { ed25519_sign_open(message, 1, key, signature); }

static void batch(void) { verify_batch(key, signature, 9, 9); }

int main(void) {
  read_known();
  CHECK(ends_the_program(make));
  CHECK(ends_the_program(sign));
  CHECK(ends_the_program(verify));
  CHECK(ends_the_program(batch));
  return finished("donna_hooks 2");
}

#elif HOOKS == 3 || HOOKS == 6

static uint8_t next;
static size_t randoms, memories;
static int refuse_memory;

void ed25519_randombytes_unsafe(void *out, size_t count) {
  memset(out, next, count);
  randoms += count;
}

void *ed25519_batch_memory(size_t size) {
  static uint8_t memory[1 << 18];
  CHECK(size <= sizeof memory);
  memories++;
  return refuse_memory ? NULL : memory;
}

#endif

#if HOOKS == 6

int main(void) {
  read_known();
  next = 9;
  EQUAL(verify_batch(key, signature, 31, 31), 0);
  EQUAL(randoms + memories, 0);
  EQUAL(verify_batch(key, signature, ROWS, 130), 3);
  EQUAL(memories, 1);
  EQUAL(randoms, 32);
  refuse_memory = 1;
  EQUAL(verify_batch(key, signature, ROWS, 130), 3);
  EQUAL(memories, 2);
  EQUAL(randoms, 32);
  return finished("donna_hooks 6");
}

#elif HOOKS == 3

static size_t tables, strategy;
static int fail;
static uint8_t entropy[32];

int __real_sigmill_bulk_verify(const struct sigmill_bulk *how, const struct sigmill_table *table, uint8_t *codes,
                               size_t codes_size, struct sigmill_report *report, void *scratch, size_t scratch_size);
int __wrap_sigmill_bulk_verify(const struct sigmill_bulk *how, const struct sigmill_table *table, uint8_t *codes,
                               size_t codes_size, struct sigmill_report *report, void *scratch, size_t scratch_size);

int __wrap_sigmill_bulk_verify(const struct sigmill_bulk *how, const struct sigmill_table *table, uint8_t *codes,
                               size_t codes_size, struct sigmill_report *report, void *scratch, size_t scratch_size) {
  tables++;
  strategy = (size_t)how->strategy;
  EQUAL(how->deterministic, 0);
  memset(entropy, 0, 32);
  if (how->entropy != NULL) memcpy(entropy, how->entropy, 32);
  if (fail) {
    memset(codes, 0, codes_size);
    return SIGMILL_ERROR_INTERNAL;
  }
  return __real_sigmill_bulk_verify(how, table, codes, codes_size, report, scratch, scratch_size);
}

int main(void) {
  uint8_t wanted[32];
  read_known();
  /* fewer than 32 rows do with the stack */
  EQUAL(verify_batch(key, signature, 31, 31), 0);
  EQUAL(randoms + memories, 0);
  EQUAL(verify_batch(key, signature, 32, 32), 0);
  EQUAL(randoms, 32);
  EQUAL(memories, 1);
  /* the program's bytes are what coefficients come from, 32 for each batch */
  for (next = 1; next < 4; next++) {
    tables = randoms = memories = 0;
    EQUAL(verify_batch(key, signature, ROWS, next == 2 ? ROWS : 130), next == 2 ? 0 : 3);
    EQUAL(tables, 1);
    EQUAL(memories, 1);
    EQUAL(randoms, 32);
    EQUAL(strategy, SIGMILL_STRATEGY_BEST);
    memset(wanted, next, 32);
    SAME_BYTES(entropy, wanted, 32);
  }
  /* bytes that are not random are not taken for it: an equation for each row, which needs none */
  next = 0;
  EQUAL(verify_batch(key, signature, ROWS, 130), 3);
  EQUAL(strategy, SIGMILL_STRATEGY_LANES);
  /* no memory, no combination */
  refuse_memory = 1;
  tables = randoms = memories = 0;
  EQUAL(verify_batch(key, signature, ROWS, 199), 3);
  EQUAL(verify_batch(key, signature, ROWS, ROWS), 0);
  EQUAL(memories, 2);
  EQUAL(randoms, 0);
  CHECK(tables > 2);
  /* where a table could not be verified, nothing in it counts: rows are verified one by one */
  fail = 1;
  EQUAL(verify_batch(key, signature, ROWS, 199), 3);
  EQUAL(verify_batch(key, signature, ROWS, ROWS), 0);
  refuse_memory = 0;
  EQUAL(verify_batch(key, signature, ROWS, 3), 3);
  EQUAL(verify_batch(key, signature, ROWS, ROWS), 0);
  return finished("donna_hooks 3");
}

#elif HOOKS == 4

int __wrap_sigmill_ed25519_keygen(uint8_t made_seed[32], uint8_t made_key[32]);

int __wrap_sigmill_ed25519_keygen(uint8_t made_seed[32], uint8_t made_key[32]) {
  (void)made_seed;
  (void)made_key;
  return SIGMILL_ERROR_RANDOMNESS;
}

static void ask(void) {
  uint8_t bytes[32];
  ed25519_randombytes_unsafe(bytes, sizeof bytes);
}

int main(void) {
  read_known();
  CHECK(ends_the_program(ask));
  /* nothing else needs any */
  EQUAL(verify_batch(key, signature, ROWS, ROWS), 0);
  EQUAL(verify_batch(key, signature, ROWS, 7), 3);
  return finished("donna_hooks 4");
}

#elif HOOKS == 5

int main(void) {
  uint8_t bytes[40];
  size_t i;
  read_known();
  hash_is_used();
  memset(bytes, 0, sizeof bytes);
  FN(ed25519_randombytes_unsafe)(bytes, 39); /* 7, 8, 9, ... */
  for (i = 0; i < 40; i++) EQUAL(bytes[i], i < 39 ? i + 7 : 0);
  memset(bytes, 0, 32);
  bytes[0] = 9;
  FN(curved25519_scalarmult_basepoint)(bytes, bytes);
  EQUAL(bytes[0], 0x42);
  return finished("donna_hooks 5");
}

#endif
