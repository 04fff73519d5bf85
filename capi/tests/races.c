/*
 * Memory that another thread changes while it is signed with: keys that are wiped or set again, and messages, contexts,
 * digests and seeds of which a byte toggles. What leaves is a signature of one of the two states, whole, or there is an
 * error and nothing has left. A signature of both gives the key away.
 *
 * usage: races [SECONDS]
 * Of 4 seconds, or SIGMILL_TEST_RACES; each trial has its share.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* clock_gettime */
#endif
#include "sha512.h"
#include "test.h"

#include <pthread.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__)
/* What the library reads while it changes is what this is about; what it makes of it is looked at. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:sigmill\n"; }
#endif

enum { ROWS = 70, LONG = 100000, MOST = ROWS * 96, SHORT = 1000, PIECED = 3000 };

static struct sigmill_ed25519_key key;
static const struct sigmill_ed25519_key *keys[ROWS];
static struct sigmill_ecdsa_key curve_key;
static const struct sigmill_ecdsa_key *curve_keys[ROWS];
static uint8_t seeds[2][48], pair[64], seed[32], public_keys[2][32];
static uint8_t message[LONG], context[8], digest[64];
static size_t message_size = SHORT;
static int curve;
static struct sigmill_variant variant;
static struct sigmill_sha512 own_hash;
static struct sha512 hash_state;

/* ---- what is done in one thread; each returns a result and writes what may have left ---- */

static int sign(uint8_t *out) { return sigmill_ed25519_sign(out, seed, &variant, message, message_size); }
static int sign_pair(uint8_t *out) { return sigmill_ed25519_sign_pair(out, pair, &variant, message, message_size); }
static int hazmat_sign(uint8_t *out) {
  return sigmill_hazmat_ed25519_sign(out, pair, &variant, message, message_size);
}
static int sign_digest(uint8_t *out) {
  struct sigmill_variant of_digest = variant;
  of_digest.kind = SIGMILL_PH_DIGEST;
  return sigmill_ed25519_sign(out, seed, &of_digest, digest, 64);
}
static int key_digest(uint8_t *out) {
  struct sigmill_variant of_digest = variant;
  of_digest.kind = SIGMILL_PH_DIGEST;
  return sigmill_ed25519_key_sign(&key, out, &of_digest, digest, 64);
}
static int sign_hashed(uint8_t *out) {
  return sigmill_ed25519_sign_hashed(out, &own_hash, seed, message, message_size);
}
static int key_sign(uint8_t *out) { return sigmill_ed25519_key_sign(&key, out, &variant, message, message_size); }
static int key_hedged(uint8_t *out) {
  return sigmill_ed25519_key_sign_hedged(&key, out, &variant, message, message_size, seeds[1]);
}
static int key_checked(uint8_t *out) {
  return sigmill_ed25519_key_sign_checked(&key, out, &variant, message, message_size, NULL);
}
static int key_public(uint8_t *out) { return sigmill_ed25519_key_public(&key, out); }
static int key_seed(uint8_t *out) { return sigmill_ed25519_key_seed(&key, out); }
static int key_stream(uint8_t *out) {
  struct sigmill_ed25519_signer signer;
  int result = sigmill_ed25519_signer_init(&signer, &key, &variant, NULL);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message, message_size / 2);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message + message_size / 2, message_size / 2);
  if (result == 0) result = sigmill_ed25519_signer_second_pass(&signer);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message, message_size / 2);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message + message_size / 2, message_size / 2);
  if (result == 0) result = sigmill_ed25519_signer_finish(&signer, out);
  return result;
}
static int bulk_fixed(uint8_t *out) {
  struct sigmill_column column;
  memset(&column, 0, sizeof column);
  column.rows = ROWS;
  column.width = message_size / ROWS;
  column.values = message;
  column.values_size = message_size;
  return sigmill_bulk_ed25519_sign(NULL, keys, ROWS, &variant, &column, out, ROWS * 64, NULL);
}
/* the first row is all of the message, the others are of one byte */
static int bulk_pointers(uint8_t *out) {
  struct sigmill_column column;
  const void *pointers[ROWS];
  size_t sizes[ROWS], i;
  struct sigmill_bulk how;
  memset(&how, 0, sizeof how);
  memset(&column, 0, sizeof column);
  column.layout = SIGMILL_COLUMN_POINTERS;
  column.rows = ROWS;
  column.pointers = pointers;
  column.sizes = sizes;
  for (i = 0; i < ROWS; i++) {
    pointers[i] = message;
    sizes[i] = i == 0 ? message_size : 1;
  }
  how.tasks = 2;
  return sigmill_bulk_ed25519_sign(&how, keys, 1, &variant, &column, out, ROWS * 64, NULL);
}
#if !defined(SIGMILL_WITHOUT_ECDSA)
static int curve_sign(uint8_t *out) {
  size_t size = MOST;
  return sigmill_ecdsa_key_sign(&curve_key, NULL, out, &size, message, message_size, NULL, 0);
}
static int curve_checked(uint8_t *out) {
  size_t size = MOST;
  return sigmill_ecdsa_key_sign(&curve_key, NULL, out, &size, message, message_size, seeds[1], 1);
}
static int curve_public(uint8_t *out) { return sigmill_ecdsa_key_public(&curve_key, out); }
static int curve_digest(uint8_t *out) {
  struct sigmill_ecdsa how = {SIGMILL_HASH_NONE, SIGMILL_FIXED, 0};
  size_t size = MOST;
  return sigmill_ecdsa_key_sign(&curve_key, &how, out, &size, digest, 64, NULL, 0);
}
static int curve_bulk(uint8_t *out) {
  struct sigmill_column column;
  memset(&column, 0, sizeof column);
  column.rows = ROWS;
  column.width = 2;
  column.values = message;
  column.values_size = 2 * ROWS;
  return sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, SIGMILL_HASH_NONE, &column, out,
                                 ROWS * (curve == SIGMILL_P256 ? 64 : 96), NULL);
}
#endif

/* ---- what another thread does meanwhile: state 0 or 1, or 2, in which there is no key ---- */

static void set_byte(uint8_t *byte, int state) { __atomic_store_n(byte, (uint8_t)(0x40 + state), __ATOMIC_RELAXED); }
static void must(int result) {
  if (result != 0) abort();
}
static void set_key(int state) {
  must(state < 2 ? sigmill_ed25519_key_init(&key, seeds[state]) : sigmill_ed25519_key_wipe(&key));
}
static void set_message(int state) { set_byte(&message[message_size / 2], state & 1); }
/* of a row of bulk_fixed, and the byte of all rows of bulk_pointers */
static void set_first(int state) { set_byte(message, state & 1); }
static void set_context(int state) { set_byte(&context[3], state & 1); }
static void set_digest(int state) { set_byte(&digest[5], state & 1); }
static void set_seed(int state) { set_byte(&seed[9], state & 1); }
/* the public half belongs to the first state */
static void set_pair(int state) { set_byte(&pair[9], state & 1); }
#if !defined(SIGMILL_WITHOUT_ECDSA)
static void set_curve_key(int state) {
  must(state < 2 ? sigmill_ecdsa_key_init(&curve_key, curve, seeds[state]) : sigmill_ecdsa_key_wipe(&curve_key));
}
#endif

/* ---- a trial ---- */

static int stop, peace; /* peace: there is no other thread */
static void (*set)(int state);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double call_seconds; /* of one call in peace */

static void *disturb(void *nothing) {
  uint64_t random = 5;
  volatile uint32_t turns;
  int state = 0;
  (void)nothing;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    uint32_t number = random_number(&random);
    /* as often: wiped and the same again, wiped and another, another without a wipe */
    if (number % 3 != 0 || state == 2) set(2);
    if (number % 2 != 0) state ^= 1;
    set(state);
    for (turns = number / 16 % (number % 16 < 12 ? 8192 : 131072); turns > 0; turns--) {
    }
    if (number % 61 == 0) { /* long enough for a call, however long it takes */
      double end = now() + 2 * call_seconds;
      while (now() < end && !__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
      }
    }
  }
  return NULL;
}

static double seconds;
static unsigned long wrong;
enum { TRIALS = 54 };

/* Rows of `size` bytes: each that has left is one of those that were made in peace. */
static void trial(const char *name, int (*make)(uint8_t *), void (*change)(int), size_t rows, size_t size) {
  static uint8_t expected[2][MOST], out[MOST];
  unsigned long made = 0, refused = 0, bad = 0;
  pthread_t thread;
  double end;
  size_t row;
  int state;
  CHECK(rows * size <= MOST);
  set = change;
  peace = 1;
  for (state = 1; state >= 0; state--) {
    int result;
    set(state);
    call_seconds = now();
    result = make(expected[state]);
    call_seconds = now() - call_seconds;
    /* a pair of two keys */
    if (change == set_pair && state == 1) EQUAL(result, SIGMILL_ERROR_PAIR);
    else EQUAL(result, 0);
  }
  CHECK(memcmp(expected[0], expected[1], rows * size) != 0);
  stop = peace = 0;
  CHECK(pthread_create(&thread, NULL, disturb, NULL) == 0);
  end = now() + seconds / TRIALS;
  do {
    int result, i;
    for (i = 0; i < 10; i++) {
      memset(out, 0xa5, rows * size);
      result = make(out);
      made += result == 0;
      refused += result != 0;
      if (result != 0 && result != SIGMILL_ERROR_STATE && result != SIGMILL_ERROR_MESSAGE_CHANGED &&
          result != SIGMILL_ERROR_PAIR &&
          !(result == SIGMILL_ERROR_FAULT && make == key_checked && change == set_message)) {
        fprintf(stderr, "%s: result %d\n", name, result);
        exit(1);
      }
      for (row = 0; row < rows; row++) {
        const uint8_t *at = out + row * size;
        int known = memcmp(at, expected[0] + row * size, size) == 0 || memcmp(at, expected[1] + row * size, size) == 0;
        if (!known && result != 0) { /* untouched */
          size_t j;
          for (known = 1, j = 0; j < size; j++) known &= at[j] == 0xa5;
        }
        bad += !known;
      }
    }
  } while (now() < end || (made == 0 && now() < end + 20));
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  CHECK(pthread_join(thread, NULL) == 0);
  if (bad > 0 || getenv("SIGMILL_TEST_VERBOSE") != NULL) {
    fprintf(stderr, "%-40s %8lu made, %8lu refused, %lu wrong\n", name, made, refused, bad);
  }
  CHECK(made > 0);
  checks_made += made + refused;
  wrong += bad;
}

static void wipes(void) {
  size_t i;
  for (i = 0; i < ROWS; i++) keys[i] = &key;
  message_size = SHORT;
  trial("key wiped: key_sign", key_sign, set_key, 1, 64);
  trial("key wiped: key_sign_hedged", key_hedged, set_key, 1, 64);
  trial("key wiped: key_sign_checked", key_checked, set_key, 1, 64);
  trial("key wiped: key_sign of a digest", key_digest, set_key, 1, 64);
  trial("key wiped: key_public", key_public, set_key, 1, 32);
  trial("key wiped: key_seed", key_seed, set_key, 1, 32);
  trial("key wiped: signer", key_stream, set_key, 1, 64);
  message_size = LONG;
  trial("key wiped: key_sign, long", key_sign, set_key, 1, 64);
#if !defined(SIGMILL_WITHOUT_BULK)
  trial("key wiped: bulk, a key a row", bulk_fixed, set_key, ROWS, 64);
  message_size = SHORT;
  trial("key wiped: bulk, one key", bulk_pointers, set_key, ROWS, 64);
#endif
#if !defined(SIGMILL_WITHOUT_ECDSA)
  for (i = 0; i < ROWS; i++) curve_keys[i] = &curve_key;
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    size_t size = curve == SIGMILL_P256 ? 64 : 96;
    trial("key wiped: ecdsa_key_sign", curve_sign, set_curve_key, 1, size);
    trial("key wiped: ecdsa_key_sign, checked", curve_checked, set_curve_key, 1, size);
    trial("key wiped: ecdsa_key_public", curve_public, set_curve_key, 1, size + 1);
#if !defined(SIGMILL_WITHOUT_BULK)
    trial("key wiped: bulk_ecdsa_sign", curve_bulk, set_curve_key, ROWS, size);
#endif
  }
#endif
}

static void changes(void) {
  static const size_t sizes[] = {SHORT, PIECED, LONG};
  size_t i;
  set_key(0);
  for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    message_size = sizes[i];
    trial("message changed: sign", sign, set_message, 1, 64);
    trial("message changed: sign_pair", sign_pair, set_message, 1, 64);
    trial("message changed: hazmat_sign", hazmat_sign, set_message, 1, 64);
    trial("message changed: key_sign", key_sign, set_message, 1, 64);
    trial("message changed: key_sign_hedged", key_hedged, set_message, 1, 64);
    if (i == 1) trial("message changed: key_sign_checked", key_checked, set_message, 1, 64);
    if (i > 0) trial("message changed: sign_hashed", sign_hashed, set_message, 1, 64);
    if (i != 1) trial("message changed: signer", key_stream, set_message, 1, 64);
  }
#if !defined(SIGMILL_WITHOUT_BULK)
  trial("message changed: bulk, a long row", bulk_pointers, set_first, ROWS, 64);
  trial("message changed: bulk, one row", bulk_fixed, set_first, ROWS, 64);
#endif
  message_size = SHORT;
#if !defined(SIGMILL_WITHOUT_BULK)
  trial("message changed: bulk, all rows", bulk_pointers, set_first, ROWS, 64);
#endif
  trial("digest changed: sign", sign_digest, set_digest, 1, 64);
  trial("seed changed: sign", sign, set_seed, 1, 64);
  memcpy(seed, seeds[0], 32);
  trial("seed changed: sign_pair", sign_pair, set_pair, 1, 64);
  memcpy(pair, seeds[0], 32);
#if !defined(SIGMILL_WITHOUT_ECDSA)
  curve = SIGMILL_P256;
  set_curve_key(0);
  trial("digest changed: ecdsa_key_sign", curve_digest, set_digest, 1, 64);
#endif
  variant.kind = SIGMILL_CTX;
  variant.context = context;
  variant.context_size = sizeof context;
  trial("context changed: sign", sign, set_context, 1, 64);
  trial("context changed: key_sign", key_sign, set_context, 1, 64);
  trial("context changed: signer", key_stream, set_context, 1, 64);
#if !defined(SIGMILL_WITHOUT_BULK)
  trial("context changed: bulk", bulk_pointers, set_context, ROWS, 64);
  variant.kind = SIGMILL_PH;
  trial("context changed: bulk of hashes", bulk_pointers, set_context, ROWS, 64);
  trial("message changed: bulk of hashes", bulk_pointers, set_first, ROWS, 64);
  trial("key wiped: bulk of hashes", bulk_fixed, set_key, ROWS, 64);
#endif
}

/* A signer that another thread wipes, once and at any time after it was initialised: it makes the one signature or none. */
static struct sigmill_ed25519_signer signer;
static int signers, wiped_signers;
static int signer_all(uint8_t *out) {
  int result;
  while (__atomic_load_n(&wiped_signers, __ATOMIC_ACQUIRE) != signers) {
  }
  result = sigmill_ed25519_signer_init(&signer, &key, NULL, NULL);
  if (!peace) __atomic_store_n(&signers, signers + 1, __ATOMIC_RELEASE);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message, message_size);
  if (result == 0) result = sigmill_ed25519_signer_second_pass(&signer);
  if (result == 0) result = sigmill_ed25519_signer_update(&signer, message, message_size);
  if (result == 0) result = sigmill_ed25519_signer_finish(&signer, out);
  return result;
}
static void wipe_signer(int state) {
  int number = __atomic_load_n(&signers, __ATOMIC_ACQUIRE);
  set_message(peace ? state : 0); /* the message has two states in peace alone */
  if (number != wiped_signers) {
    must(sigmill_ed25519_signer_wipe(&signer));
    __atomic_store_n(&wiped_signers, number, __ATOMIC_RELEASE);
  }
}

/* What a signer has of its key and context is its own. */
static void signer_keeps(void) {
  uint8_t made[64], wanted[64];
  int wiped;
  for (wiped = 0; wiped < 3; wiped++) {
    memcpy(context, "context", 8);
    variant.kind = SIGMILL_CTX;
    variant.context = context;
    variant.context_size = 8;
    EQUAL(sigmill_ed25519_key_init(&key, seeds[0]), 0);
    EQUAL(sigmill_ed25519_key_sign(&key, wanted, &variant, message, 10), 0);
    EQUAL(sigmill_ed25519_signer_init(&signer, &key, &variant, NULL), 0);
    if (wiped == 0) EQUAL(sigmill_ed25519_key_wipe(&key), 0);
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 10), 0);
    if (wiped == 1) EQUAL(sigmill_ed25519_key_init(&key, seeds[1]), 0);
    EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
    if (wiped == 2) context[0] ^= 1;
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 10), 0);
    EQUAL(sigmill_ed25519_signer_finish(&signer, made), 0);
    SAME_BYTES(made, wanted, 64);
  }
  for (wiped = 0; wiped < 2; wiped++) { /* a context that changes before the second pass */
    memcpy(context, "context", 8);
    EQUAL(sigmill_ed25519_key_init(&key, seeds[0]), 0);
    EQUAL(sigmill_ed25519_signer_init(&signer, &key, &variant, NULL), 0);
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 10), 0);
    context[0] ^= (uint8_t)(1 + wiped);
    EQUAL(sigmill_ed25519_signer_second_pass(&signer), 0);
    EQUAL(sigmill_ed25519_signer_update(&signer, message, 10), 0);
    EQUAL(sigmill_ed25519_signer_finish(&signer, made), 0);
    SAME_BYTES(made, wanted, 64);
  }
  memset(&variant, 0, sizeof variant);
}

int main(int count, char **arguments) {
  const char *text = count > 1 ? arguments[1] : getenv("SIGMILL_TEST_RACES");
  size_t i;
  seconds = text != NULL ? atof(text) : 4;
  sigmill_cpu_limit(test_cpu());
  for (i = 0; i < sizeof message; i++) message[i] = (uint8_t)(i * 11);
  for (i = 0; i < 48; i++) {
    seeds[0][i] = (uint8_t)(i + 1);
    seeds[1][i] = (uint8_t)(100 - i);
  }
  seeds[0][9] = 0x40;
  memcpy(seed, seeds[0], 32);
  memcpy(pair, seeds[0], 32);
  EQUAL(sigmill_ed25519_public_key(pair + 32, seed), 0);
  EQUAL(sigmill_ed25519_public_key(public_keys[0], seeds[0]), 0);
  own_hash.context = &hash_state;
  own_hash.init = sha512_init;
  own_hash.update = sha512_update;
  own_hash.final = sha512_final;
  wipes();
  changes();
  memset(&variant, 0, sizeof variant);
  trial("signer wiped", signer_all, wipe_signer, 1, 64);
  signer_keeps();
  if (wrong > 0) fprintf(stderr, "races.c: %lu signatures or keys were wrong\n", wrong);
  CHECK(wrong == 0);
  return finished("races");
}
