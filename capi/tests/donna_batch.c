/*
 * ed25519_sign_open_batch: the verdict that each row has alone, in any company, and ed25519-donna's numbers.
 * With WITH_MEMORY the program gives memory for batches (ed25519_batch_memory), so that equations are of many rows.
 */
#include "test.h"

#define ED25519_HOOKS
#include "ed25519.h"

/* What ed25519.c was built with. */
#if !defined(RULE)
#define RULE SIGMILL_RULE_LEGACY
#endif

enum { MOST = 300 };

static struct {
  uint8_t seed[32], key[32], message[40], signature[64], wrong[40];
} row[MOST];

static size_t memory_asked;

#if defined(WITH_MEMORY)
static void *batch_memory;

void *ed25519_batch_memory(size_t size) {
  memory_asked++;
  free(batch_memory);
  batch_memory = take(size);
  return batch_memory;
}
#endif

/* A batch as ed25519-donna's callers make it. */
static struct {
  const unsigned char *message[MOST], *key[MOST], *signature[MOST];
  size_t size[MOST];
  int valid[MOST + 1];
} batch;

static int verify(size_t rows) {
  size_t i;
  int result;
  for (i = 0; i <= rows; i++) batch.valid[i] = 77;
  result = ed25519_sign_open_batch(batch.message, batch.size, batch.key, batch.signature, rows, batch.valid);
  EQUAL(batch.valid[rows], 77);
  return result;
}

static void good(size_t i) {
  batch.message[i] = row[i].message;
  batch.size[i] = i % 41;
  batch.key[i] = row[i].key;
  batch.signature[i] = row[i].signature;
}

static void make_rows(void) {
  uint64_t state = 2;
  size_t i;
  for (i = 0; i < MOST; i++) {
    random_bytes(&state, row[i].seed, 32);
    random_bytes(&state, row[i].message, 40);
    /* some keys are those of other rows */
    if (i % 5 == 4) memcpy(row[i].seed, row[i - 3].seed, 32);
    memcpy(row[i].wrong, row[i].message, 40);
    row[i].wrong[0] ^= 1;
    ed25519_publickey(row[i].seed, row[i].key);
    ed25519_sign(row[i].message, i % 41, row[i].seed, row[i].key, row[i].signature);
    good(i);
  }
}

/* What a row may have wrong, and the bits that it gives in a group of four and more. */
enum flaw { MESSAGE, KEY_NOT_A_POINT, R_NOT_A_POINT, LARGE_S, NULL_KEY, NULL_SIGNATURE, NULL_MESSAGE, FLAWS };
static const int bits[FLAWS] = {3, 1, 1, 3, 3, 3, 3};
static uint8_t not_a_point[64] = {2}; /* there is no point with y = 2 */
static uint8_t large_s[64];

static void spoil(size_t i, enum flaw flaw) {
  switch (flaw) {
    case MESSAGE:
      batch.message[i] = row[i].wrong;
      batch.size[i] = 40;
      break;
    case KEY_NOT_A_POINT: batch.key[i] = not_a_point; break;
    case R_NOT_A_POINT: batch.signature[i] = not_a_point; break;
    case LARGE_S:
      memcpy(large_s, row[i].signature, 64);
      large_s[63] |= 0x20;
      batch.signature[i] = large_s;
      break;
    case NULL_KEY: batch.key[i] = NULL; break;
    case NULL_SIGNATURE: batch.signature[i] = NULL; break;
    default:
      batch.message[i] = NULL;
      batch.size[i] = 1;
  }
}

/* The bits of a row in a batch of so many: the rows of the last group are the fewer ones. */
static int bits_of(size_t i, size_t rows, enum flaw flaw) {
  size_t first = i / 64 * 64, group = rows - first < 64 ? rows - first : 64;
  return group < 4 ? 1 : bits[flaw];
}

static void numbers(size_t step) {
  static const size_t counts[] = {100, 127, 128, 129, 191, 192, 195, 257, MOST};
  size_t n, i, j;
  for (n = 0; n < 71 + sizeof counts / sizeof *counts; n++) {
    size_t rows = n < 71 ? n : counts[n - 71];
    size_t positions = rows < 71 ? step : 29 * step;
    EQUAL(verify(rows), 0);
    for (i = 0; i < rows; i++) EQUAL(batch.valid[i], 1);
    for (i = 0; i < rows; i += i + 1 < rows && i + positions >= rows ? rows - 1 - i : positions) {
      enum flaw flaw = (enum flaw)((i / step + rows) % FLAWS);
      spoil(i, flaw);
      EQUAL(verify(rows), bits_of(i, rows, flaw));
      for (j = 0; j < rows; j++) EQUAL(batch.valid[j], j != i);
      good(i);
    }
  }
}

/* Bad rows in several groups: the bits of all together. */
static void numbers_together(void) {
  static const struct {
    size_t rows, at[3];
    enum flaw flaws[3];
    int number;
  } cases[] = {
    {67, {10, 66, 66}, {MESSAGE, MESSAGE, MESSAGE}, 3},
    {67, {10, 66, 66}, {R_NOT_A_POINT, MESSAGE, MESSAGE}, 1},
    {67, {65, 66, 66}, {MESSAGE, MESSAGE, MESSAGE}, 1},
    {130, {3, 64, 129}, {KEY_NOT_A_POINT, MESSAGE, R_NOT_A_POINT}, 3},
    /* where a key is no point, ed25519-donna looks at the rows of the group one by one, and at no equation */
    {64, {3, 4, 63}, {KEY_NOT_A_POINT, MESSAGE, MESSAGE}, 1},
    {68, {3, 4, 67}, {KEY_NOT_A_POINT, MESSAGE, LARGE_S}, 3}};
  size_t c, i, j;
  for (c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (i = 0; i < 3; i++) spoil(cases[c].at[i], cases[c].flaws[i]);
    EQUAL(verify(cases[c].rows), cases[c].number);
    for (i = 0; i < cases[c].rows; i++) {
      int bad = 0;
      for (j = 0; j < 3; j++) bad |= cases[c].at[j] == i;
      EQUAL(batch.valid[i], !bad);
    }
    for (i = 0; i < 3; i++) good(cases[c].at[i]);
  }
}

static void nulls(void) {
  int valid[5] = {7, 7, 7, 7, 7};
  size_t i;
  EQUAL(ed25519_sign_open_batch(NULL, NULL, NULL, NULL, 0, NULL), 0);
  EQUAL(ed25519_sign_open_batch(NULL, batch.size, batch.key, batch.signature, 5, valid), 3);
  for (i = 0; i < 5; i++) EQUAL(valid[i], 0);
  EQUAL(ed25519_sign_open_batch(batch.message, NULL, batch.key, batch.signature, 3, valid), 1);
  EQUAL(ed25519_sign_open_batch(batch.message, batch.size, NULL, batch.signature, 3, valid), 1);
  EQUAL(ed25519_sign_open_batch(batch.message, batch.size, batch.key, NULL, 4, valid), 3);
  EQUAL(ed25519_sign_open_batch(batch.message, batch.size, batch.key, batch.signature, 4, NULL), 3);
  /* row 0 has no message */
  EQUAL(batch.size[0], 0);
  batch.message[0] = NULL;
  EQUAL(verify(70), 0);
  good(0);
}

/* Incidents 2, 3 and 4: every frozen row at other places, among other rows of all kinds. */
static void any_company(size_t rounds) {
  struct vectors vectors = read_vectors();
  struct vector **some = take(vectors.rows * sizeof *some);
  uint64_t state = 3;
  size_t count = 0, i, first, rows, round;
  for (i = 0; i < vectors.rows; i++) {
    struct vector *vector = &vectors.at[i];
    if (vector->variant.kind == SIGMILL_PURE && vector->key.size == 32 && vector->signature.size == 64) {
      some[count++] = vector;
    }
  }
  CHECK(count > (test_step() == 1 ? 1500 : 0));
  for (round = 0; round < rounds; round++) {
    for (i = count; i-- > 1;) {
      size_t other = random_number(&state) % (i + 1);
      struct vector *vector = some[i];
      some[i] = some[other];
      some[other] = vector;
    }
    for (first = 0; first < count; first += rows) {
      int all = 1;
      rows = round == 0 ? 1 : round == 1 ? MOST : 1 + random_number(&state) % MOST;
      if (rows > count - first) rows = count - first;
      for (i = 0; i < rows; i++) {
        struct vector *vector = some[first + i];
        batch.message[i] = vector->message.at;
        batch.size[i] = vector->message.size;
        batch.key[i] = vector->key.at;
        batch.signature[i] = vector->signature.at;
        all &= vector->code[RULE] == 0;
      }
      EQUAL(verify(rows) == 0, all);
      for (i = 0; i < rows; i++) EQUAL(batch.valid[i], some[first + i]->code[RULE] == 0);
    }
  }
  /* each row that is refused, among rows that are good */
  for (i = 0; i < MOST; i++) good(i);
  for (first = 0; first < count; first++) {
    size_t at;
    rows = first % 7 == 0 ? 200 : 8;
    at = random_number(&state) % rows;
    batch.message[at] = some[first]->message.at;
    batch.size[at] = some[first]->message.size;
    batch.key[at] = some[first]->key.at;
    batch.signature[at] = some[first]->signature.at;
    EQUAL(verify(rows) == 0, some[first]->code[RULE] == 0);
    for (i = 0; i < rows; i++) EQUAL(batch.valid[i], i != at || some[first]->code[RULE] == 0);
    good(at);
  }
  free(some);
  free_vectors(&vectors);
}

int main(void) {
  static const uint32_t classes[] = {UINT32_MAX, SIGMILL_CPU_ADX | SIGMILL_CPU_AVX2, 0};
  const char *text = getenv("SIGMILL_TEST_CPU"); /* features, for what runs the program and lacks some */
  uint32_t seen = UINT32_MAX, there = text != NULL ? (uint32_t)atoi(text) : UINT32_MAX;
  size_t i;
  make_rows();
  for (i = 0; i < 3; i++) {
    sigmill_cpu_limit(classes[i] & there);
    if (sigmill_cpu_features() == seen) continue;
    seen = sigmill_cpu_features();
    numbers((i == 0 ? 1 : 13) * test_step());
    numbers_together();
    nulls();
    any_company(i == 0 ? 8 : 2);
  }
#if defined(WITH_MEMORY)
  CHECK(memory_asked > 10);
  free(batch_memory);
#else
  EQUAL(memory_asked, 0);
#endif
  return finished("donna_batch");
}
