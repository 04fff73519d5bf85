/*
 * What the tests share: checks that say where they failed, memory of exactly the size asked for (so that Valgrind and
 * the sanitizers see one byte too many), bytes from hexadecimal, and files of vectors/.
 */
#ifndef SIGMILL_TEST_H
#define SIGMILL_TEST_H

#include "sigmill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long checks_made;

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    checks_made++;                                                                            \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                 \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

/* Two results, or other small numbers. */
#define EQUAL(made, wanted)                                                                   \
  do {                                                                                        \
    long made_ = (long)(made), wanted_ = (long)(wanted);                                      \
    checks_made++;                                                                            \
    if (made_ != wanted_) {                                                                   \
      fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #made, made_, wanted_); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

#define SAME_BYTES(a, b, size) CHECK(memcmp((a), (b), (size)) == 0)

static inline int finished(const char *name) {
  printf("%-14s %lu checks\n", name, checks_made);
  return 0;
}

/* With SIGMILL_TEST_SHORT set, tests that go through many rows take one of so many. */
static inline size_t test_step(void) {
  const char *text = getenv("SIGMILL_TEST_SHORT");
  int step = text != NULL ? atoi(text) : 1;
  return step > 1 ? (size_t)step : 1;
}

/* What the CPU may be used for: SIGMILL_TEST_CPU is what sigmill_cpu_limit gets. */
static inline uint32_t test_cpu(void) {
  const char *text = getenv("SIGMILL_TEST_CPU");
  return text != NULL ? (uint32_t)strtoul(text, NULL, 0) : UINT32_MAX;
}

/* Memory that is never NULL and not a byte longer. */
static inline void *take(size_t size) {
  void *memory = malloc(size > 0 ? size : 1);
  if (memory == NULL) {
    fprintf(stderr, "no memory\n");
    exit(2);
  }
  return memory;
}

struct bytes {
  uint8_t *at; /* NULL if there are none */
  size_t size;
};

static inline struct bytes copy_of(const void *from, size_t size) {
  struct bytes made;
  made.at = size > 0 ? take(size) : NULL;
  made.size = size;
  if (size > 0) memcpy(made.at, from, size);
  return made;
}

static inline int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  fprintf(stderr, "not hexadecimal: %c\n", c);
  exit(2);
}

static inline struct bytes hex(const char *text) {
  struct bytes made;
  size_t i;
  made.size = strlen(text) / 2;
  made.at = made.size > 0 ? take(made.size) : NULL;
  for (i = 0; i < made.size; i++) made.at[i] = (uint8_t)(nibble(text[2 * i]) << 4 | nibble(text[2 * i + 1]));
  return made;
}

/* The same into memory of the caller's. */
static inline void put_hex(uint8_t *out, const char *text) {
  struct bytes made = hex(text);
  if (made.size > 0) memcpy(out, made.at, made.size);
  free(made.at);
}

/* Numbers that look random and are the same every time. */
static inline uint32_t random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static inline void random_bytes(uint64_t *state, uint8_t *out, size_t size) {
  size_t i;
  for (i = 0; i < size; i++) out[i] = (uint8_t)(random_number(state) >> 7);
}

struct csv {
  size_t rows, columns;
  char **cells; /* row by row, without the header */
  char *text;
};

static inline struct csv read_csv(const char *name) {
  const char *folder = getenv("SIGMILL_VECTORS");
  char path[1024];
  struct csv made;
  FILE *file;
  size_t size = 0, cells = 0, i;
  char *at;
  snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "vectors", name);
  file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "cannot open %s: SIGMILL_VECTORS names the folder\n", path);
    exit(2);
  }
  made.text = take(4 << 20);
  size = fread(made.text, 1, (4 << 20) - 1, file);
  fclose(file);
  made.text[size] = 0;
  CHECK(size > 0 && size < (4 << 20) - 1 && made.text[size - 1] == '\n');
  made.columns = 1;
  for (at = made.text; *at != '\n'; at++) made.columns += *at == ',';
  for (made.rows = 0; *at != 0; at++) made.rows += *at == '\n';
  made.rows--;
  made.cells = take(made.rows * made.columns * sizeof *made.cells);
  at = strchr(made.text, '\n') + 1;
  for (i = 0; i < made.rows * made.columns; i++) {
    made.cells[cells++] = at;
    at += strcspn(at, ",\n");
    CHECK(*at == ((i + 1) % made.columns == 0 ? '\n' : ','));
    *at++ = 0;
  }
  CHECK(*at == 0);
  return made;
}

static inline void free_csv(struct csv *csv) {
  free(csv->cells);
  free(csv->text);
}

/* The number of a reason's name, as verify.csv has it. */
static inline int reason_of(const char *name) {
  int i;
  if (strcmp(name, "ok") == 0) return 0;
  for (i = 1; i < 100; i++) {
    if (sigmill_reason_name(i) != NULL && strcmp(sigmill_reason_name(i), name) == 0) return i;
  }
  fprintf(stderr, "no such reason: %s\n", name);
  exit(1);
}

static inline int variant_kind(const char *name) {
  if (strcmp(name, "pure") == 0) return SIGMILL_PURE;
  if (strcmp(name, "ctx") == 0) return SIGMILL_CTX;
  CHECK(strcmp(name, "ph") == 0);
  return SIGMILL_PH;
}

/* A row of verify.csv. */
struct vector {
  struct bytes key, message, signature, context;
  struct sigmill_variant variant;
  int code[9]; /* code[rule] */
};

struct vectors {
  size_t rows;
  struct vector *at;
};

static inline struct vectors read_vectors(void) {
  struct csv csv = read_csv("ed25519/verify.csv");
  struct vectors made;
  size_t step = test_step(), row;
  int rule;
  made.rows = 0;
  made.at = take(csv.rows * sizeof *made.at);
  CHECK(csv.rows >= 2290 && csv.columns == 16);
  for (row = 0; row < csv.rows; row += step) {
    char **cells = csv.cells + row * csv.columns;
    struct vector *vector = &made.at[made.rows++];
    memset(vector, 0, sizeof *vector);
    vector->context = hex(cells[4]);
    vector->key = hex(cells[5]);
    vector->message = hex(cells[6]);
    vector->signature = hex(cells[7]);
    vector->variant.kind = variant_kind(cells[3]);
    vector->variant.context = vector->context.at;
    vector->variant.context_size = vector->context.size;
    for (rule = 1; rule <= 8; rule++) vector->code[rule] = reason_of(cells[7 + rule]);
  }
  free_csv(&csv);
  return made;
}

static inline void free_vectors(struct vectors *vectors) {
  size_t row;
  for (row = 0; row < vectors->rows; row++) {
    free(vectors->at[row].context.at);
    free(vectors->at[row].key.at);
    free(vectors->at[row].message.at);
    free(vectors->at[row].signature.at);
  }
  free(vectors->at);
}

#endif
