/*
 * How much stack the drop-in takes, found by painting.
 *
 * usage: donna_stack [--limits]
 * --limits: threads have 128 KiB, the default of musl, and more than the limits is a failure.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "ed25519.h"

#include <pthread.h>

enum { ROWS = 300, PAINT = 0xa5 };

static uint8_t seed[32], key[32], message[100], signature[64], wrong[64];
static const unsigned char *messages[ROWS], *keys[ROWS], *signatures[ROWS];
static size_t sizes[ROWS];
static int valid[ROWS];

static void *nothing(void *unused) { return unused; }

static void *publickey(void *unused) {
  uint8_t made[32];
  ed25519_publickey(seed, made);
  return unused;
}

static void *sign(void *unused) {
  uint8_t made[64];
  ed25519_sign(message, sizeof message, seed, key, made);
  return unused;
}

static void *sign_open(void *unused) {
  EQUAL(ed25519_sign_open(message, sizeof message, key, signature), 0);
  EQUAL(ed25519_sign_open(message, sizeof message, key, wrong), -1);
  return unused;
}

static void *batch(void *unused) {
  static const size_t counts[] = {1, 2, 3, 4, 8, 9, 17, 31, 32, 33, 64, 67, 256, ROWS};
  size_t i;
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    signatures[counts[i] - 1] = wrong;
    CHECK(ed25519_sign_open_batch(messages, sizes, keys, signatures, counts[i], valid) != 0);
    signatures[counts[i] - 1] = signature;
    EQUAL(ed25519_sign_open_batch(messages, sizes, keys, signatures, counts[i], valid), 0);
  }
  return unused;
}

static void *random_(void *unused) {
  uint8_t made[100];
  ed25519_randombytes_unsafe(made, sizeof made);
  return unused;
}

static void *base_point(void *unused) {
  uint8_t made[32];
  curved25519_scalarmult_basepoint(made, seed);
  return unused;
}

/* Bytes of its stack that a thread has written to. */
static size_t written(void *(*work)(void *), size_t size) {
  pthread_attr_t attributes;
  pthread_t thread;
  uint8_t *stack = NULL;
  size_t untouched = 0;
  CHECK(posix_memalign((void **)&stack, 4096, size) == 0);
  memset(stack, PAINT, size);
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, size) == 0);
  CHECK(pthread_create(&thread, &attributes, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  while (untouched < size && stack[untouched] == PAINT) untouched++;
  free(stack);
  return size - untouched;
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void *(*work)(void *);
    size_t limit;
  } functions[] = {
    {"ed25519_publickey", publickey, SIGMILL_STACK_SINGLE},
    {"ed25519_sign", sign, SIGMILL_STACK_SINGLE},
    {"ed25519_sign_open", sign_open, SIGMILL_STACK_SINGLE},
    {"ed25519_sign_open_batch", batch, 64 * 1024}, /* as ed25519.h says */
    {"ed25519_randombytes_unsafe", random_, SIGMILL_STACK_SINGLE},
    {"curved25519_scalarmult_basepoint", base_point, SIGMILL_STACK_SINGLE}};
  static const uint32_t classes[] = {UINT32_MAX, SIGMILL_CPU_ADX | SIGMILL_CPU_AVX2, 0};
  size_t empty = written(nothing, 1 << 20), c, i;
  int above = 0, limits = count > 1 && strcmp(arguments[1], "--limits") == 0;
  for (i = 0; i < sizeof seed; i++) seed[i] = (uint8_t)i;
  ed25519_publickey(seed, key);
  ed25519_sign(message, sizeof message, seed, key, signature);
  memcpy(wrong, signature, 64);
  wrong[40] ^= 1;
  for (i = 0; i < ROWS; i++) {
    messages[i] = message;
    sizes[i] = sizeof message;
    keys[i] = key;
    signatures[i] = signature;
  }
  for (c = 0; c < 3; c++) {
    sigmill_cpu_limit(classes[c]);
    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
      size_t bytes = written(functions[i].work, 1 << 20) - empty;
      printf("  features %u: %-34s %6lu bytes of stack\n", (unsigned)sigmill_cpu_features(), functions[i].name,
             (unsigned long)bytes);
      fflush(stdout);
      above |= bytes > functions[i].limit;
      checks_made++;
      if (limits) written(functions[i].work, 128 * 1024);
    }
  }
  CHECK(!limits || !above);
  return finished("donna_stack");
}
