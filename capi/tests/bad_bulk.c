/*
 * What nothing can be made of, through bulk: each mistake has its number, a report says where, and after no error does
 * a code say valid.
 */
#include "columns.h"

enum { ROWS = 10, SCRATCH = 1 << 18 };

/* A table that is valid, made anew for each case, since what a case breaks may be anything. */
static struct {
  struct sigmill_table table;
  struct sigmill_bulk how;
  struct sigmill_spec specs[2];
  struct sigmill_report report;
  uint32_t index[ROWS];
  uint8_t codes[ROWS];
  size_t codes_size;
  uint8_t keys[ROWS * 32], signatures[ROWS * 64], messages[64];
  int32_t offsets[ROWS + 1];
  int64_t large[ROWS + 1];
  const void *pointers[ROWS];
  size_t sizes[ROWS];
  const void *buffers[2];
  size_t buffer_sizes[2];
  int32_t views[ROWS][4];
  uint8_t bits[4], entropy[32], context[4];
  union {
    int8_t of_8[ROWS];
    int16_t of_16[ROWS];
    int32_t of_32[ROWS];
    int64_t of_64[ROWS];
  } indices;
  struct sigmill_column dictionary;
  struct sigmill_ed25519_prepared prepared[2];
  uint64_t scratch[SCRATCH / 8];
  size_t scratch_size;
} t;

static struct sigmill_ed25519_prepared prepared_once[2];
static uint8_t keys_once[ROWS * 32], signatures_once[ROWS * 64];

static void begin(void) {
  int i;
  memset(&t, 0, sizeof t);
  memcpy(t.keys, keys_once, sizeof t.keys);
  memcpy(t.signatures, signatures_once, sizeof t.signatures);
  memcpy(t.prepared, prepared_once, sizeof t.prepared);
  for (i = 0; i < 64; i++) t.messages[i] = (uint8_t)i;
  for (i = 0; i <= ROWS; i++) t.large[i] = t.offsets[i] = i * 5;
  for (i = 0; i < ROWS; i++) {
    t.pointers[i] = t.messages + 5 * i;
    t.sizes[i] = 5;
    t.views[i][0] = 5;
    memcpy(&t.views[i][1], t.messages + 5 * i, 5);
  }
  memset(t.bits, 0xff, sizeof t.bits);
  t.codes_size = ROWS;
  t.table.keys.rows = t.table.messages.rows = t.table.signatures.rows = ROWS;
  t.table.keys.width = 32;
  t.table.keys.values = t.keys;
  t.table.keys.values_size = sizeof t.keys;
  t.table.signatures.width = 64;
  t.table.signatures.values = t.signatures;
  t.table.signatures.values_size = sizeof t.signatures;
  t.table.messages.layout = SIGMILL_COLUMN_BINARY;
  t.table.messages.offsets = t.offsets;
  t.table.messages.values = t.messages;
  t.table.messages.values_size = 50;
  t.specs[0].algorithm = t.specs[1].algorithm = SIGMILL_ED25519;
  t.specs[0].rule = t.specs[1].rule = SIGMILL_RULE_COMMON;
  t.table.specs = t.specs;
  t.table.spec_count = 1;
  t.buffers[0] = t.messages;
  t.buffers[1] = t.messages + 32;
  t.buffer_sizes[0] = t.buffer_sizes[1] = 32;
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 2);
  CHECK(t.scratch_size > 0 && t.scratch_size <= sizeof t.scratch);
}

static int call(void) {
  return sigmill_bulk_verify(&t.how, &t.table, t.codes, t.codes_size, &t.report, t.scratch, t.scratch_size);
}

/* The table with all that lies beside it, as it was: of objects, which have bytes that mean nothing, the first word and the
 * last. */
static uint64_t before[(sizeof t + 7) / 8];

static void remember(void) { memcpy(before, &t, sizeof t); }

static int is_as_before(void) {
  size_t start = (size_t)((char *)t.prepared - (char *)&t), end = start + sizeof t.prepared, i;
  const struct sigmill_ed25519_prepared *were = (const void *)((char *)before + start);
  for (i = 0; i < 2; i++) {
    if (were[i].opaque[0] != t.prepared[i].opaque[0]) return 0;
    if (were[i].opaque[SIGMILL_ED25519_PREPARED_WORDS - 1] != t.prepared[i].opaque[SIGMILL_ED25519_PREPARED_WORDS - 1]) {
      return 0;
    }
  }
  return memcmp(before, &t, start) == 0 && memcmp((char *)before + end, (char *)&t + end, sizeof t - end) == 0;
}

/* Codes were all 0 before, and none is now. */
static void none_is_valid(int line) {
  int i;
  for (i = 0; i < ROWS; i++) {
    checks_made++;
    if (t.codes[i] == 0) {
      fprintf(stderr, "%s:%d: code %d says valid\n", __FILE__, line, i);
      exit(1);
    }
  }
}
#define NO_CODE_IS_VALID() none_is_valid(__LINE__)

static void refused(int line, int error, const char *what, size_t row) {
  int made;
  memset(t.codes, 0, sizeof t.codes);
  made = call();
  if (made != error || (what != NULL && (t.report.what == NULL || strcmp(t.report.what, what) != 0)) ||
      t.report.row != row) {
    fprintf(stderr, "%s:%d: result %d, not %d: %s, row %lu\n", __FILE__, line, made, error,
            t.report.what != NULL ? t.report.what : "-", (unsigned long)t.report.row);
    exit(1);
  }
  checks_made++;
  none_is_valid(line);
  CHECK(t.report.valid == 0 && t.report.invalid == 0 && t.report.null == 0);
  begin();
}
static void set_view(int row, int32_t size, int32_t buffer, int32_t offset) {
  t.views[row][0] = size;
  t.views[row][2] = buffer;
  t.views[row][3] = offset;
}

#define REFUSED(error, what, row) refused(__LINE__, (error), (what), (row))
/* a table that is good but for one change */
#define REFUSED_AFTER(table, change, error, what, row) \
  do {                                                 \
    table;                                             \
    change;                                            \
    REFUSED(error, what, row);                         \
  } while (0)

static void all_valid(int line) {
  int made = call(), i;
  if (made != 0) {
    fprintf(stderr, "%s:%d: result %d: %s\n", __FILE__, line, made, sigmill_message(made));
    exit(1);
  }
  for (i = 0; i < ROWS; i++) EQUAL(t.codes[i], 0);
  begin();
}
#define VALID() all_valid(__LINE__)

static void as_pointers(struct sigmill_column *column) {
  column->layout = SIGMILL_COLUMN_POINTERS;
  column->pointers = t.pointers;
  column->sizes = t.sizes;
}

static void as_views(struct sigmill_column *column) {
  column->layout = SIGMILL_COLUMN_VIEWS;
  column->offsets = t.views;
  column->buffers = t.buffers;
  column->sizes = t.buffer_sizes;
  column->buffer_count = 2;
}

/* The keys: all are one key, of which the dictionary has two. */
static void as_dictionary(int index_type) {
  t.dictionary = t.table.keys;
  t.dictionary.rows = 2;
  memcpy(t.keys + 32, t.keys, 32);
  memset(&t.table.keys, 0, sizeof t.table.keys);
  t.table.keys.layout = SIGMILL_COLUMN_DICTIONARY;
  t.table.keys.rows = ROWS;
  t.table.keys.index_type = index_type;
  t.table.keys.offsets = &t.indices;
  t.table.keys.dictionary = &t.dictionary;
}

static void as_prepared(void) {
  int i;
  for (i = 0; i < ROWS; i++) t.pointers[i] = &t.prepared[i % 2];
  t.table.keys.layout = SIGMILL_COLUMN_PREPARED;
  t.table.keys.pointers = t.pointers;
}

static void columns(void) {
  const int C = SIGMILL_ERROR_COLUMN, N = SIGMILL_ERROR_NULL, L = SIGMILL_ERROR_LENGTH, M = SIGMILL_ERROR_ALIGNMENT;
  int type;
  VALID();
  t.table.keys.layout = 8;
  REFUSED(C, "keys", 0);
  t.table.messages.layout = -1;
  REFUSED(C, "messages", 0);
  /* fixed */
  t.table.keys.values_size--;
  REFUSED(C, "keys", 0);
  t.table.signatures.values = NULL;
  REFUSED(N, "signatures", 0);
  t.table.keys.width = SIZE_MAX / 4;
  REFUSED(L, "keys", 0);
  t.table.keys.values_size = SIZE_MAX;
  REFUSED(L, "keys", 0);
  t.table.keys.width = 0; /* keys of no bytes: a verdict */
  t.table.keys.values = NULL;
  t.table.keys.values_size = 0;
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[9], SIGMILL_REASON_KEY_LENGTH);
  begin();
  t.table.keys.width = 16; /* more values than there are rows */
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  begin();
  /* offsets */
  t.offsets[4] = 9;
  REFUSED(C, "messages", 3);
  t.offsets[4] = t.offsets[3] - 1;
  REFUSED(C, "messages", 3);
  t.offsets[0] = -1;
  REFUSED(C, "messages", 0);
  t.offsets[10] = 51;
  REFUSED(C, "messages", 9);
  t.offsets[10] = 2147483647;
  REFUSED(C, "messages", 9);
  t.offsets[5] = -2147483647 - 1;
  REFUSED(C, "messages", 4);
  t.table.messages.values_size = 49;
  REFUSED(C, "messages", 9);
  t.table.messages.offsets = NULL;
  REFUSED(N, "messages", 0);
  t.table.messages.values = NULL;
  REFUSED(N, "messages", 0);
  t.table.messages.offsets = (char *)t.offsets + 2;
  REFUSED(M, "messages", 0);
  t.table.messages.layout = SIGMILL_COLUMN_LARGE_BINARY;
  t.table.messages.offsets = t.large;
  VALID();
  for (type = 0; type < 6; type++) {
    static const struct {
      int at;
      int64_t value;
      size_t row;
    } wrong[] = {{0, -1, 0}, {10, 51, 9}, {3, 9, 2}, {10, INT64_MAX, 9}, {5, INT64_MIN, 4}, {4, (int64_t)1 << 32, 3}};
    t.table.messages.layout = SIGMILL_COLUMN_LARGE_BINARY;
    t.table.messages.offsets = t.large;
    t.large[wrong[type].at] = wrong[type].value;
    REFUSED(C, "messages", wrong[type].row);
  }
  t.table.messages.layout = SIGMILL_COLUMN_LARGE_BINARY;
  t.table.messages.offsets = (char *)t.large + 4;
  REFUSED(M, "messages", 0);
  /* bits */
  t.table.keys.validity = t.bits;
  VALID();
  t.table.keys.validity = t.bits;
  t.table.keys.validity_offset = SIZE_MAX;
  REFUSED(L, "keys", 0);
  t.table.keys.validity = t.bits;
  t.table.keys.validity_offset = SIZE_MAX - ROWS;
  EQUAL(call() < 0, 1);
  begin();
  /* views */
  as_views(&t.table.messages);
  VALID();
  REFUSED_AFTER(as_views(&t.table.messages), t.views[6][0] = -1, C, "messages", 6);
  REFUSED_AFTER(as_views(&t.table.messages), set_view(6, 13, 2, 0), C, "messages", 6); /* no such buffer */
  REFUSED_AFTER(as_views(&t.table.messages), set_view(6, 13, -1, 0), C, "messages", 6);
  REFUSED_AFTER(as_views(&t.table.messages), set_view(6, 13, 1, 20), C, "messages", 6); /* one byte too many */
  REFUSED_AFTER(as_views(&t.table.messages), set_view(6, 13, 1, -1), C, "messages", 6);
  REFUSED_AFTER(as_views(&t.table.messages), set_view(0, 2147483647, 0, 2147483647), C, "messages", 0);
  as_views(&t.table.messages);
  t.views[6][0] = 13; /* a null's view may be anything */
  t.views[6][2] = 9;
  t.table.messages.validity = t.bits;
  t.bits[0] = 0xbf;
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[6], SIGMILL_NULL_ROW);
  EQUAL(t.report.valid, ROWS - 1);
  begin();
  REFUSED_AFTER(as_views(&t.table.messages), t.table.messages.offsets = NULL, N, "messages", 0);
  REFUSED_AFTER(as_views(&t.table.messages), t.table.messages.buffers = NULL, N, "messages", 0);
  REFUSED_AFTER(as_views(&t.table.messages), t.table.messages.sizes = NULL, N, "messages", 0);
  REFUSED_AFTER(as_views(&t.table.messages), t.buffers[1] = NULL, N, "messages", 0);
  REFUSED_AFTER(as_views(&t.table.messages), t.buffer_sizes[0] = SIZE_MAX, L, "messages", 0);
  REFUSED_AFTER(as_views(&t.table.messages), t.table.messages.buffer_count = SIZE_MAX / 8, L, "messages", 0);
  /* dictionaries */
  for (type = SIGMILL_INT8; type <= SIGMILL_UINT64; type++) {
    as_dictionary(type);
    VALID();
    REFUSED_AFTER(as_dictionary(type), set_index(&t.indices, type, 7, 2), C, "keys", 7);
    REFUSED_AFTER(as_dictionary(type), set_index(&t.indices, type, 8, SIZE_MAX), C, "keys", 8);
    REFUSED_AFTER(as_dictionary(type), t.table.keys.offsets = NULL, N, "keys", 0);
    if (index_size(type) > 1) {
      REFUSED_AFTER(as_dictionary(type), t.table.keys.offsets = (char *)&t.indices + 1, M, "keys", 0);
    }
  }
  for (type = -1; type <= 10; type += type == 0 ? 9 : 1) {
    as_dictionary(type);
    REFUSED(C, "keys", 0);
  }
  REFUSED_AFTER(as_dictionary(SIGMILL_INT32), t.table.keys.dictionary = NULL, N, "keys", 0);
  REFUSED_AFTER(as_dictionary(SIGMILL_INT32), t.table.keys.dictionary = &t.table.keys, C, "keys", 0);
  REFUSED_AFTER(as_dictionary(SIGMILL_INT32), t.table.keys.dictionary = (struct sigmill_column *)(void *)((char *)&t.dictionary + 4), M, "keys", 0);
  REFUSED_AFTER(as_dictionary(SIGMILL_INT32), t.dictionary.rows = 0, C, "keys", 0);
  REFUSED_AFTER(as_dictionary(SIGMILL_INT32), t.dictionary.values_size = 63, C, "keys", 0);
  /* pointers */
  as_pointers(&t.table.messages);
  VALID();
  as_pointers(&t.table.messages);
  t.table.messages.sizes = NULL;
  t.table.messages.width = 5;
  VALID();
  REFUSED_AFTER(as_pointers(&t.table.messages), t.table.messages.pointers = NULL, N, "messages", 0);
  REFUSED_AFTER(as_pointers(&t.table.messages), t.sizes[7] = SIZE_MAX, L, "messages", 7);
  as_pointers(&t.table.messages);
  t.pointers[7] = NULL;
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[7], SIGMILL_NULL_ROW);
  begin();
  as_pointers(&t.table.messages);
  t.pointers[7] = NULL;
  t.sizes[7] = 0; /* an empty message */
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[7], SIGMILL_REASON_EQUATION);
  begin();
  REFUSED_AFTER(as_pointers(&t.table.messages), t.table.messages.pointers = (const void *const *)(const void *)((char *)t.pointers + 4), M, "messages", 0);
  REFUSED_AFTER(as_pointers(&t.table.messages), t.table.messages.sizes = (const size_t *)(const void *)((char *)t.sizes + 4), M, "messages", 0);
  /* keys with tables */
  as_prepared();
  VALID();
  REFUSED_AFTER(as_prepared(), t.prepared[1].opaque[0] = 0, SIGMILL_ERROR_STATE, "keys", 1);
  REFUSED_AFTER(as_prepared(), t.pointers[4] = NULL, N, "keys", 4);
  as_prepared();
  t.pointers[4] = NULL; /* nulls are told by bits alone */
  t.bits[0] = 0xef;
  t.table.keys.validity = t.bits;
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[4], SIGMILL_NULL_ROW);
  EQUAL(t.report.valid, ROWS - 1);
  begin();
  REFUSED_AFTER(as_prepared(), t.pointers[4] = (char *)&t.prepared[0] + 4, M, "keys", 4);
  REFUSED_AFTER(as_prepared(), t.table.keys.pointers = NULL, N, "keys", 0);
}

static void tables(void) {
  const int A = SIGMILL_ERROR_ALGORITHM, N = SIGMILL_ERROR_NULL, M = SIGMILL_ERROR_ALIGNMENT, R = SIGMILL_ERROR_ROWS;
  static const int no_rules[] = {0, -1, 9, 257};
  static struct sigmill_spec many[100];
  int i;
  /* rows */
  for (i = 0; i < ROWS; i++) {
    int j;
    t.codes_size = (size_t)i;
    EQUAL(call(), R);
    for (j = 0; j < ROWS; j++) EQUAL(t.codes[j] != 0, j < i); /* and no further */
    begin();
  }
  t.table.messages.rows--;
  REFUSED(R, NULL, 0);
  t.table.signatures.rows--;
  REFUSED(R, NULL, 0);
  t.table.keys.rows--;
  REFUSED(R, "codes", 0);
  t.table.messages.rows = 0;
  REFUSED(R, NULL, 0);
  /* scratch */
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 1);
  VALID();
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 1) - 1;
  REFUSED(SIGMILL_ERROR_SCRATCH, "scratch", 0);
  t.scratch_size = 0;
  REFUSED(SIGMILL_ERROR_SCRATCH, "scratch", 0);
  for (i = 0; i < 17; i++) { /* needs no alignment, and no more than its size */
    size_t size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 1);
    uint8_t *exact = take(size + 18);
    memset(exact, 0xc3, size + 18);
    EQUAL(sigmill_bulk_verify(NULL, &t.table, t.codes, ROWS, NULL, exact + i, size), 0);
    CHECK(i == 0 || exact[i - 1] == 0xc3);
    CHECK(exact[i + (int)size] == 0xc3);
    EQUAL(sigmill_bulk_verify(NULL, &t.table, t.codes, ROWS, NULL, exact + i, size - 1), SIGMILL_ERROR_SCRATCH);
    NO_CODE_IS_VALID();
    free(exact);
  }
  EQUAL(sigmill_bulk_verify(NULL, &t.table, t.codes, ROWS, NULL, NULL, SCRATCH), N);
  NO_CODE_IS_VALID();
  memset(t.codes, 0, sizeof t.codes);
  EQUAL(sigmill_bulk_verify(NULL, NULL, t.codes, ROWS, &t.report, t.scratch, SCRATCH), N);
  NO_CODE_IS_VALID();
  EQUAL(sigmill_bulk_verify(NULL, &t.table, NULL, ROWS, &t.report, t.scratch, SCRATCH), N);
  memset(t.codes, 0, sizeof t.codes);
  EQUAL(sigmill_bulk_verify(NULL, (struct sigmill_table *)(void *)((char *)&t.table + 4), t.codes, ROWS, NULL,
                            t.scratch, SCRATCH),
        M);
  NO_CODE_IS_VALID();
  memset(t.codes, 0, sizeof t.codes);
  EQUAL(sigmill_bulk_verify((struct sigmill_bulk *)(void *)((char *)&t.how + 4), &t.table, t.codes, ROWS, NULL,
                            t.scratch, SCRATCH),
        M);
  NO_CODE_IS_VALID();
  memset(t.codes, 0, sizeof t.codes);
  EQUAL(sigmill_bulk_verify(NULL, &t.table, t.codes, ROWS, (struct sigmill_report *)(void *)((char *)&t.report + 4),
                            t.scratch, SCRATCH),
        M);
  NO_CODE_IS_VALID();
  /* steps */
  {
    static struct sigmill_progress progress;
    memset(t.codes, 0, sizeof t.codes);
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, NULL, t.scratch, SCRATCH, &progress, 1),
          SIGMILL_ERROR_STATE);
    NO_CODE_IS_VALID();
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, NULL, t.scratch, SCRATCH, NULL, 1), N);
    EQUAL(sigmill_progress_init(NULL), N);
    EQUAL(sigmill_progress_init_with_rate(NULL, 1), N);
    CHECK(sigmill_progress_rate(NULL) == 0);
    EQUAL(sigmill_progress_init((struct sigmill_progress *)(void *)((char *)&progress + 4)), M);
    EQUAL(sigmill_progress_init(&progress), 0);
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, NULL, t.scratch, SCRATCH,
                                   (struct sigmill_progress *)(void *)t.scratch, 1),
          SIGMILL_ERROR_OVERLAP);
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, (struct sigmill_report *)(void *)&progress,
                                   t.scratch, SCRATCH, &progress, 1),
          SIGMILL_ERROR_OVERLAP);
    EQUAL(sigmill_progress_init(&progress), 0); /* the report lay there */
    memset(t.codes, 0, sizeof t.codes);
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, NULL, t.scratch, 100, &progress, 1),
          SIGMILL_ERROR_SCRATCH);
    NO_CODE_IS_VALID();
    EQUAL(sigmill_bulk_verify_step(NULL, &t.table, t.codes, ROWS, NULL, t.scratch, SCRATCH, &progress, SIZE_MAX), 0);
  }
  begin();
  /* how */
  for (i = -1; i <= 6; i += i == -1 ? 6 : 1) {
    t.how.backend = i;
    EQUAL(sigmill_bulk_scratch_size(&t.how, ROWS, t.specs, 1), 0);
    REFUSED(SIGMILL_ERROR_BACKEND, NULL, 0);
    t.how.strategy = i;
    REFUSED(A, NULL, 0);
    t.how.deterministic = i == -1 ? 2 : -1;
    REFUSED(A, NULL, 0);
  }
  {
    uint32_t all = sigmill_cpu_features();
    sigmill_cpu_limit(0);
    t.how.backend = SIGMILL_BACKEND_AVX2;
    REFUSED(SIGMILL_ERROR_BACKEND, NULL, 0);
    t.how.backend = SIGMILL_BACKEND_IFMA;
    REFUSED(SIGMILL_ERROR_BACKEND, NULL, 0);
    t.how.backend = SIGMILL_BACKEND_PORTABLE;
    VALID();
    VALID();
    sigmill_cpu_limit(test_cpu());
    EQUAL(sigmill_cpu_features(), all);
  }
  /* specs */
  t.table.spec_count = 0;
  REFUSED(R, "specs", 0);
  t.table.specs = NULL;
  REFUSED(N, "specs", 0);
  t.table.spec_count = SIZE_MAX;
  REFUSED(SIGMILL_ERROR_LENGTH, "specs", 0);
  t.table.specs = (struct sigmill_spec *)(void *)((char *)t.specs + 4);
  REFUSED(M, "specs", 0);
  for (i = 0; i < 4; i++) {
    t.specs[0].rule = no_rules[i];
    REFUSED(SIGMILL_ERROR_RULE, "specs", 0);
    t.table.spec_count = 2; /* one that no row has */
    t.table.spec_index = t.index;
    t.specs[1].rule = no_rules[i];
    REFUSED(SIGMILL_ERROR_RULE, "specs", 0);
    t.specs[0].algorithm = i < 2 ? i - 1 : i + 2;
    t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 2);
    REFUSED(A, "specs", 0);
  }
  t.specs[0].variant.kind = 4;
  REFUSED(SIGMILL_ERROR_VARIANT, "specs", 0);
  t.specs[0].variant.kind = -1;
  REFUSED(SIGMILL_ERROR_VARIANT, "specs", 0);
  t.specs[0].variant.kind = SIGMILL_CTX;
  t.specs[0].variant.context = t.messages;
  t.specs[0].variant.context_size = 256;
  REFUSED(SIGMILL_ERROR_CONTEXT, "specs", 0);
  t.specs[0].variant.kind = SIGMILL_PURE;
  t.specs[0].variant.context = t.messages;
  t.specs[0].variant.context_size = 1;
  REFUSED(SIGMILL_ERROR_CONTEXT, "specs", 0);
  t.specs[0].variant.kind = SIGMILL_PH;
  t.specs[0].variant.context_size = 1;
  REFUSED(N, "specs", 0);
  t.specs[0].variant.kind = SIGMILL_PH_DIGEST; /* messages of other sizes are no digests: a verdict */
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[3], SIGMILL_REASON_DIGEST_LENGTH);
  begin();
#if !defined(SIGMILL_WITHOUT_ECDSA)
  t.specs[0].algorithm = SIGMILL_P256;
  t.specs[0].ecdsa.hash = 1;
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 2);
  REFUSED(A, "specs", 0);
  t.specs[0].algorithm = SIGMILL_P384;
  t.specs[0].ecdsa.encoding = 2;
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 2);
  REFUSED(A, "specs", 0);
  t.specs[0].algorithm = SIGMILL_P384;
  t.specs[0].ecdsa.low_s = 2;
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 2);
  REFUSED(A, "specs", 0);
  t.specs[0].algorithm = SIGMILL_P384; /* keys of another size: a verdict */
  t.keys[32 * 3] = 4;                /* an uncompressed key, but for its length */
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, t.specs, 1);
  CHECK(t.scratch_size <= sizeof t.scratch);
  EQUAL(call(), SIGMILL_NOT_ALL_VALID);
  EQUAL(t.codes[3], SIGMILL_REASON_KEY_LENGTH);
  begin();
#endif
  t.table.spec_index = t.index;
  t.table.spec_count = 2;
  t.index[3] = 1;
  VALID();
  t.table.spec_index = t.index;
  t.index[3] = 1;
  REFUSED(SIGMILL_ERROR_COLUMN, NULL, 3);
  t.table.spec_index = t.index;
  t.index[9] = UINT32_MAX - 1;
  REFUSED(SIGMILL_ERROR_COLUMN, NULL, 9);
  t.table.spec_index = (uint32_t *)(void *)((char *)t.index + 2);
  REFUSED(M, "specs", 0);
  /* many specs, each of one row */
  for (i = 0; i < 100; i++) {
    many[i].algorithm = SIGMILL_ED25519;
    many[i].rule = 1 + i % 8;
  }
  for (i = 0; i < ROWS; i++) t.index[i] = (uint32_t)(99 - 3 * i);
  t.table.spec_index = t.index;
  t.table.specs = many;
  t.table.spec_count = 100;
  t.scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, many, 100);
  CHECK(t.scratch_size <= sizeof t.scratch);
  VALID();
  /* no rows */
  memset(&t.table, 0, sizeof t.table);
  EQUAL(sigmill_bulk_verify(NULL, &t.table, NULL, 0, &t.report, NULL, sigmill_bulk_scratch_size(NULL, 0, NULL, 0)),
        sigmill_bulk_scratch_size(NULL, 0, NULL, 0) == 0 ? 0 : N);
  EQUAL(sigmill_bulk_verify(NULL, &t.table, NULL, 0, &t.report, t.scratch, SCRATCH), 0);
  begin();
  /* more rows than memory */
  for (i = 0; i < 4; i++) {
    static const size_t rows[] = {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2, SIZE_MAX / 64};
    t.table.keys.rows = t.table.messages.rows = t.table.signatures.rows = rows[i];
    t.table.keys.width = t.table.signatures.width = 0;
    t.how.tasks = i % 2 == 0 ? 0 : SIZE_MAX;
    CHECK(sigmill_bulk_scratch_size(&t.how, rows[i], t.specs, 1) > 0);
    EQUAL(sigmill_bulk_scratch_size(&t.how, rows[i], t.specs, SIZE_MAX), 0);
    EQUAL(sigmill_bulk_scratch_size(&t.how, rows[i], NULL, 1), 0);
    EQUAL(sigmill_bulk_verify(&t.how, &t.table, NULL, rows[i], &t.report, t.scratch, SCRATCH) < 0, 1);
  }
  begin();
}

/* Codes, scratch and report in other memory of the call: what overlaps is not written. */
static void overlaps(void) {
  struct {
    void *at;
    size_t size;
    int as; /* the layout of a column that uses it: 1 views, 2 dictionary, 3 pointers, 4 prepared, 5 bits, 6 index */
  } places[] = {
      {t.keys, sizeof t.keys, 0},
      {t.signatures, sizeof t.signatures, 0},
      {t.messages, 50, 0},
      {t.offsets, sizeof t.offsets, 0},
      {t.specs, sizeof *t.specs, 0},
      {t.views, sizeof t.views, 1},
      {(void *)t.buffers, sizeof t.buffers, 1},
      {t.buffer_sizes, sizeof t.buffer_sizes, 1},
      {t.messages, 64, 1},
      {&t.indices, sizeof t.indices.of_32, 2},
      {&t.dictionary, sizeof t.dictionary, 2},
      {t.keys, 64, 2},
      {(void *)t.pointers, sizeof t.pointers, 3},
      {t.sizes, sizeof t.sizes, 3},
      {t.messages, 50, 3},
      {(void *)t.pointers, sizeof t.pointers, 4},
      {&t.prepared[1], sizeof t.prepared[1], 4},
      {t.bits, 2, 5},
      {t.index, sizeof t.index, 6},
      {&t.table, sizeof t.table, 0},
      {&t.how, sizeof t.how, 0},
      {t.entropy, sizeof t.entropy, 7},
      {t.context, sizeof t.context, 8},
  };
  size_t i;
  int side, what;
  for (i = 0; i < sizeof places / sizeof *places; i++) {
    for (side = 0; side < 2; side++) {
      for (what = 0; what < 3; what++) {
        /* by one byte: with the last of the output, or with the last of the other */
        uint8_t *at = side == 0 ? places[i].at : (uint8_t *)places[i].at + places[i].size - 1;
        struct sigmill_report *report = &t.report;
        int made;
        size_t size = what == 0 ? ROWS : what == 1 ? t.scratch_size : sizeof t.report;
        begin();
        if (places[i].as == 1) as_views(&t.table.messages);
        if (places[i].as == 2) as_dictionary(SIGMILL_INT32);
        if (places[i].as == 3) as_pointers(&t.table.messages);
        if (places[i].as == 4) as_prepared();
        if (places[i].as == 5) t.table.keys.validity = t.bits;
        if (places[i].as == 6) t.table.spec_index = t.index;
        if (places[i].as == 7) t.how.entropy = t.entropy;
        if (places[i].as == 8) {
          t.specs[0].variant.kind = SIGMILL_CTX;
          t.specs[0].variant.context = t.context;
          t.specs[0].variant.context_size = sizeof t.context;
        }
        if (side == 0) at -= size - 1;
        if (what == 2) report = (struct sigmill_report *)(void *)(at += (0 - (size_t)(uintptr_t)at) % 8);
        /* rounded up, a report may lie beside */
        if (at >= (uint8_t *)places[i].at + places[i].size) continue;
        if ((char *)at < (char *)&t || (char *)at + size > (char *)(&t + 1)) continue;
        remember();
        made = what == 0   ? sigmill_bulk_verify(&t.how, &t.table, at, ROWS, NULL, t.scratch, t.scratch_size)
               : what == 1 ? sigmill_bulk_verify(&t.how, &t.table, t.codes, ROWS, NULL, at, size)
                           : sigmill_bulk_verify(&t.how, &t.table, t.codes, ROWS, report, t.scratch, t.scratch_size);
        if (made != SIGMILL_ERROR_OVERLAP) {
          fprintf(stderr, "%s: place %lu, side %d, output %d: result %d\n", __FILE__, (unsigned long)i, side, what, made);
          exit(1);
        }
        checks_made++;
        if (what > 0) {
          NO_CODE_IS_VALID();
          memset(t.codes, 0, sizeof t.codes);
        }
        if (!is_as_before()) {
          fprintf(stderr, "%s: place %lu, side %d, output %d: written\n", __FILE__, (unsigned long)i, side, what);
          exit(1);
        }
      }
    }
  }
  begin();
  EQUAL(sigmill_bulk_verify(NULL, &t.table, (uint8_t *)t.scratch + t.scratch_size - 1, ROWS, NULL, t.scratch,
                            t.scratch_size),
        SIGMILL_ERROR_OVERLAP);
  EQUAL(sigmill_bulk_verify(NULL, &t.table, (uint8_t *)t.scratch + t.scratch_size, ROWS, NULL, t.scratch,
                            t.scratch_size),
        0);
  /* a report in the scratch, or in the codes: of which none says valid then */
  EQUAL(sigmill_bulk_verify(NULL, &t.table, t.codes, ROWS, (struct sigmill_report *)(void *)(t.scratch + 1),
                            t.scratch, t.scratch_size),
        SIGMILL_ERROR_OVERLAP);
  NO_CODE_IS_VALID();
  {
    uint8_t *codes = (uint8_t *)(t.scratch + 2000);
    int j;
    memset(t.scratch, 0, sizeof t.scratch);
    EQUAL(sigmill_bulk_verify(NULL, &t.table, codes, ROWS, (struct sigmill_report *)(void *)codes, t.scratch,
                              t.scratch_size),
          SIGMILL_ERROR_OVERLAP);
    for (j = 0; j < ROWS; j++) CHECK(codes[j] != 0);
  }
  /* another mistake does not hide it: neither codes nor report are written where an input is */
  for (what = 0; what < 3; what++) {
    begin();
    if (what == 0) t.how.backend = 9;
    if (what == 1) t.table.messages.layout = 8;
    if (what == 2) t.table.signatures.rows--;
    remember();
    CHECK(sigmill_bulk_verify(&t.how, &t.table, t.keys + 3, ROWS, (struct sigmill_report *)(void *)t.signatures,
                              t.scratch, t.scratch_size) < 0);
    CHECK(is_as_before());
  }
  begin();
}

/* Functions for running tasks that do not do as they should. */
struct run {
  int mistake;
  size_t tasks;
};

static int run_wrongly(void *context, sigmill_task *task, void *state, size_t tasks) {
  struct run *run = context;
  size_t i;
  run->tasks = tasks;
  for (i = 0; i < tasks; i++) {
    if (run->mistake == 1 && i == tasks - 1) continue; /* leaves one out */
    task(state, i);
    if (run->mistake == 2) task(state, i); /* each twice */
    if (run->mistake == 3 && i == 0) task(state, 0);
    if (run->mistake == 3 && i + 2 == tasks) break; /* one twice and one not at all */
    if (run->mistake == 4) task(state, tasks + i * 1000000); /* numbers that are none */
    if (run->mistake == 5 && i == 1) return 7;
  }
  if (run->mistake == 6) return -1; /* after all were run */
  return 0;
}

static int run_nothing(void *context, sigmill_task *task, void *state, size_t tasks) {
  (void)context;
  (void)task;
  (void)state;
  (void)tasks;
  return 0;
}

enum { MANY = 100 };

static void runs(void) {
  static uint8_t keys[MANY * 32], signatures[MANY * 64], messages[MANY], codes[MANY], seeds[MANY * 32];
  static const struct sigmill_ed25519_key *pointers[MANY];
  struct sigmill_ed25519_key key;
  struct sigmill_table table;
  struct sigmill_bulk how;
  struct sigmill_spec spec;
  struct sigmill_report report;
  struct run run;
  uint8_t *scratch;
  uint64_t random = 1;
  size_t size, i;
  memset(&table, 0, sizeof table);
  memset(&spec, 0, sizeof spec);
  memset(&how, 0, sizeof how);
  random_bytes(&random, seeds, sizeof seeds);
  EQUAL(sigmill_ed25519_key_init(&key, seeds), 0);
  spec.algorithm = SIGMILL_ED25519;
  spec.rule = SIGMILL_RULE_STRICT;
  table.keys.rows = table.messages.rows = table.signatures.rows = MANY;
  table.keys.width = 32;
  table.messages.width = 1;
  table.signatures.width = 64;
  table.keys.values = keys;
  table.keys.values_size = sizeof keys;
  table.messages.values = messages;
  table.messages.values_size = sizeof messages;
  table.signatures.values = signatures;
  table.signatures.values_size = sizeof signatures;
  table.specs = &spec;
  table.spec_count = 1;
  for (i = 0; i < MANY; i++) {
    pointers[i] = &key;
    messages[i] = (uint8_t)i;
    EQUAL(sigmill_ed25519_key_public(&key, keys + 32 * i), 0);
  }
  EQUAL(sigmill_bulk_ed25519_sign(NULL, pointers, 1, NULL, &table.messages, signatures, sizeof signatures, NULL), 0);
  how.tasks = 5;
  how.run = run_wrongly;
  how.run_context = &run;
  size = sigmill_bulk_scratch_size(&how, MANY, &spec, 1);
  scratch = take(size);
  for (run.mistake = 0; run.mistake <= 7; run.mistake++) {
    static const int wanted[] = {0, -26, 0, -26, 0, -26, -26, -26};
    uint8_t made[MANY * 32], shared[MANY * 32], shared_codes[MANY];
    int error = wanted[run.mistake];
    EQUAL(SIGMILL_ERROR_RUN, -26);
    if (run.mistake == 7) how.run = run_nothing;
    memset(codes, 0, sizeof codes);
    run.tasks = 5;
    EQUAL(sigmill_bulk_verify(&how, &table, codes, MANY, &report, scratch, size), error);
    EQUAL(run.tasks, 5);
    for (i = 0; i < MANY; i++) CHECK((codes[i] == 0) == (error == 0));
    EQUAL(report.valid, error == 0 ? MANY : 0);
    EQUAL(sigmill_bulk_ed25519_public_keys(&how, MANY, seeds, made), error);
    EQUAL(sigmill_bulk_ed25519_sign(&how, pointers, MANY, NULL, &table.messages, signatures, sizeof signatures,
                                    &report),
          error);
#if !defined(SIGMILL_WITHOUT_X25519)
    memset(shared, 0x33, sizeof shared);
    memset(shared_codes, 0, sizeof shared_codes);
    EQUAL(sigmill_bulk_x25519_public_keys(&how, MANY, seeds, made), error);
    EQUAL(sigmill_bulk_x25519(&how, MANY, seeds, MANY, made, shared, shared_codes), error);
    for (i = 0; i < MANY; i++) {
      /* no memory that was not written is taken for a secret */
      CHECK((shared_codes[i] == 0) == (error == 0));
      CHECK(error == 0 || (shared[32 * i] == 0 && shared[32 * i + 31] == 0));
    }
#endif
  }
  free(scratch);
}

/* Making keys, signatures and secrets. */
static void making(void) {
  const int N = SIGMILL_ERROR_NULL, R = SIGMILL_ERROR_ROWS;
  static uint8_t seeds[ROWS * 48], out[ROWS * 100], room[ROWS * 200], room_before[sizeof room];
  const struct sigmill_ed25519_key *pointers[ROWS];
  struct sigmill_ed25519_key keys[2];
  struct sigmill_column messages;
  struct sigmill_variant variant;
  struct sigmill_bulk how;
  struct sigmill_report report;
  size_t i, size = ROWS * 64;
  int j;
  begin();
  for (i = 0; i < sizeof seeds; i++) seeds[i] = (uint8_t)(i * 7 + 1);
  for (i = 0; i < ROWS; i++) pointers[i] = &keys[i % 2];
  EQUAL(sigmill_ed25519_key_init(&keys[0], seeds), 0);
  EQUAL(sigmill_ed25519_key_init(&keys[1], seeds + 32), 0);
  messages = t.table.messages;
  memset(out, 0xa5, sizeof out);
#define LEFT_ALONE(call, error)                                      \
  do {                                                               \
    EQUAL((call), (error));                                          \
    for (i = 0; i < sizeof out; i++) CHECK(out[i] == 0xa5);          \
  } while (0)
/* an output in an input: nothing is written */
#define OVERLAPS(call)                                               \
  do {                                                               \
    remember();                                                      \
    memcpy(room_before, room, sizeof room);                          \
    EQUAL((call), SIGMILL_ERROR_OVERLAP);                            \
    CHECK(is_as_before());                                           \
    CHECK(memcmp(room_before, room, sizeof room) == 0);              \
  } while (0)
  /* keys of Ed25519 */
  EQUAL(sigmill_bulk_ed25519_public_keys(NULL, 0, NULL, NULL), 0);
  LEFT_ALONE(sigmill_bulk_ed25519_public_keys(NULL, 1, NULL, out), N);
  LEFT_ALONE(sigmill_bulk_ed25519_public_keys(NULL, 1, seeds, NULL), N);
  LEFT_ALONE(sigmill_bulk_ed25519_public_keys(NULL, SIZE_MAX, seeds, out), SIGMILL_ERROR_LENGTH);
  LEFT_ALONE(sigmill_bulk_ed25519_public_keys(NULL, SIZE_MAX / 32 + 2, seeds, out), SIGMILL_ERROR_LENGTH);
  OVERLAPS(sigmill_bulk_ed25519_public_keys(NULL, 3, room, room));
  OVERLAPS(sigmill_bulk_ed25519_public_keys(NULL, 3, room, room + 95));
  OVERLAPS(sigmill_bulk_ed25519_public_keys(NULL, 3, room + 95, room));
  EQUAL(sigmill_bulk_ed25519_public_keys(NULL, 3, room, room + 96), 0);
  memset(&how, 0, sizeof how);
  how.backend = 9;
  LEFT_ALONE(sigmill_bulk_ed25519_public_keys(&how, ROWS, seeds, out), SIGMILL_ERROR_BACKEND);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(&how, pointers, ROWS, NULL, &messages, out, size, &report),
             SIGMILL_ERROR_BACKEND);
  /* signatures of Ed25519 */
  memset(&variant, 0, sizeof variant);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size - 1, &report), R);
  CHECK(strcmp(report.what, "signatures") == 0);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, 2, NULL, &messages, out, size, &report), R);
  CHECK(strcmp(report.what, "keys") == 0);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, 0, NULL, &messages, out, size, &report), R);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, NULL, ROWS, NULL, &messages, out, size, &report), N);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, NULL, out, size, &report), N);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, NULL, size, &report), N);
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size,
                                       (struct sigmill_report *)(void *)((char *)&report + 4)),
             SIGMILL_ERROR_ALIGNMENT);
  pointers[5] = NULL;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size, &report), N);
  EQUAL(report.row, 5);
  pointers[5] = &keys[1];
  variant.kind = SIGMILL_PH_DIGEST;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, &variant, &messages, out, size, &report),
             SIGMILL_ERROR_VARIANT);
  variant.kind = SIGMILL_CTX;
  variant.context = seeds;
  variant.context_size = 256;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, &variant, &messages, out, size, &report),
             SIGMILL_ERROR_CONTEXT);
  t.offsets[3] = 1000;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size, &report),
             SIGMILL_ERROR_COLUMN);
  EQUAL(report.row, 2);
  CHECK(strcmp(report.what, "messages") == 0);
  begin();
  t.bits[0] = 0xf7;
  messages.validity = t.bits;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size, &report),
             SIGMILL_ERROR_NULL_MESSAGE);
  EQUAL(report.row, 3);
  messages.validity = NULL;
  keys[1].opaque[0] ^= 1;
  LEFT_ALONE(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, out, size, &report),
             SIGMILL_ERROR_STATE);
  EQUAL(report.row, 1);
  keys[1].opaque[0] ^= 1;
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, t.messages + 49, size, &report));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, (uint8_t *)t.offsets, size, &report));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, (uint8_t *)pointers, size, &report));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, (uint8_t *)&keys[1] - 1, size, &report));
  /* in the column itself, the variant, its context, what says how; a report in any of it */
  variant.kind = SIGMILL_CTX;
  variant.context = room;
  variant.context_size = 4;
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, &variant, &messages, room + 3, size, NULL));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, &variant, &messages, out, size,
                                     (struct sigmill_report *)(void *)room));
  t.table.messages.values = t.messages;
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &t.table.messages, (uint8_t *)&t.table, size, NULL));
  OVERLAPS(sigmill_bulk_ed25519_sign(&t.how, pointers, ROWS, NULL, &messages, (uint8_t *)&t.how, size, NULL));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, room, size,
                                     (struct sigmill_report *)(void *)(room + 8)));
  OVERLAPS(sigmill_bulk_ed25519_sign(NULL, pointers, ROWS, NULL, &messages, room, size,
                                     (struct sigmill_report *)(void *)t.offsets));
  memset(&messages, 0, sizeof messages);
  EQUAL(sigmill_bulk_ed25519_sign(NULL, NULL, 0, NULL, &messages, NULL, 0, &report), 0);
  EQUAL(sigmill_bulk_ed25519_sign(NULL, pointers, 1, NULL, &messages, NULL, 0, &report), 0);
  messages = t.table.messages;
#if !defined(SIGMILL_WITHOUT_X25519)
  {
    uint8_t codes[ROWS], points[ROWS * 32];
    EQUAL(sigmill_bulk_x25519_public_keys(NULL, 0, NULL, NULL), 0);
    EQUAL(sigmill_bulk_x25519(NULL, 0, NULL, 0, NULL, NULL, NULL), 0);
    LEFT_ALONE(sigmill_bulk_x25519_public_keys(NULL, 1, NULL, out), N);
    LEFT_ALONE(sigmill_bulk_x25519_public_keys(NULL, 1, seeds, NULL), N);
    LEFT_ALONE(sigmill_bulk_x25519_public_keys(NULL, SIZE_MAX / 4, seeds, out), SIGMILL_ERROR_LENGTH);
    OVERLAPS(sigmill_bulk_x25519_public_keys(NULL, 3, room, room + 95));
    EQUAL(sigmill_bulk_x25519_public_keys(NULL, ROWS, seeds, points), 0);
    t.how.entropy = room;
    OVERLAPS(sigmill_bulk_x25519_public_keys(&t.how, ROWS, seeds, room + 31));
    OVERLAPS(sigmill_bulk_x25519(&t.how, ROWS, seeds, ROWS, points, out, room));
    OVERLAPS(sigmill_bulk_x25519(&t.how, ROWS, seeds, ROWS, points, (uint8_t *)&t.how, codes));
    OVERLAPS(sigmill_bulk_ed25519_public_keys(&t.how, ROWS, seeds, room + 31));
    t.how.entropy = NULL;
    memset(codes, 0x77, sizeof codes);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, NULL, ROWS, points, out, codes), N);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, NULL, out, codes), N);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, points, NULL, codes), N);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, points, out, NULL), N);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, seeds, 2, points, out, codes), R);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, ROWS, seeds, 0, points, out, codes), R);
    LEFT_ALONE(sigmill_bulk_x25519(NULL, SIZE_MAX, seeds, 1, points, out, codes) < 0, 1);
    LEFT_ALONE(sigmill_bulk_x25519(&how, ROWS, seeds, ROWS, points, out, codes), SIGMILL_ERROR_BACKEND);
    for (i = 0; i < ROWS; i++) EQUAL(codes[i], 0x77);
    OVERLAPS(sigmill_bulk_x25519(NULL, ROWS, room, ROWS, points, room + 319, codes));
    OVERLAPS(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, room, room, codes));
    OVERLAPS(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, points, room, room + 319));
    OVERLAPS(sigmill_bulk_x25519(NULL, ROWS, seeds, ROWS, room, out, room + 319));
    OVERLAPS(sigmill_bulk_x25519(NULL, ROWS, room, 1, points, out, room + 31));
    memset(out, 0xa5, sizeof out);
  }
#endif
#if !defined(SIGMILL_WITHOUT_ECDSA)
  for (j = SIGMILL_P256; j <= SIGMILL_P384; j++) {
    size_t secret_size = j == SIGMILL_P256 ? 32 : 48;
    const struct sigmill_ecdsa_key *curve_keys[ROWS];
    struct sigmill_ecdsa_key of_curve, of_other;
    size = ROWS * 2 * secret_size;
    for (i = 0; i < ROWS; i++) curve_keys[i] = &of_curve;
    EQUAL(sigmill_ecdsa_key_init(&of_curve, j, seeds), 0);
    EQUAL(sigmill_ecdsa_key_init(&of_other, 5 - j, seeds), 0);
    EQUAL(sigmill_bulk_ecdsa_public_keys(NULL, j, 0, NULL, NULL, NULL), 0);
    LEFT_ALONE(sigmill_bulk_ecdsa_public_keys(NULL, 1, ROWS, seeds, out, &report), SIGMILL_ERROR_ALGORITHM);
    LEFT_ALONE(sigmill_bulk_ecdsa_public_keys(NULL, 4, ROWS, seeds, out, &report), SIGMILL_ERROR_ALGORITHM);
    LEFT_ALONE(sigmill_bulk_ecdsa_public_keys(NULL, j, ROWS, NULL, out, &report), N);
    LEFT_ALONE(sigmill_bulk_ecdsa_public_keys(NULL, j, ROWS, seeds, NULL, &report), N);
    LEFT_ALONE(sigmill_bulk_ecdsa_public_keys(NULL, j, SIZE_MAX / 2, seeds, out, &report), SIGMILL_ERROR_LENGTH);
    OVERLAPS(sigmill_bulk_ecdsa_public_keys(NULL, j, 3, room, room + 3 * secret_size - 1, &report));
    memset(room, 1, sizeof room);
    memset(room + 7 * secret_size, 0xff, secret_size);
    EQUAL(sigmill_bulk_ecdsa_public_keys(NULL, j, ROWS, room, out, &report), SIGMILL_ERROR_SECRET);
    EQUAL(report.row, 7);
    memset(out, 0xa5, sizeof out);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, 0, &messages, out, size - 1, &report), R);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 3, 0, &messages, out, size, &report), R);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, NULL, 1, 0, &messages, out, size, &report), N);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, 0, NULL, out, size, &report), N);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, 0, &messages, NULL, size, &report), N);
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, 1, &messages, out, size, &report),
               SIGMILL_ERROR_ALGORITHM);
    curve_keys[6] = &of_other;
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, ROWS, 0, &messages, out, size, &report),
               SIGMILL_ERROR_ALGORITHM);
    EQUAL(report.row, 6);
    curve_keys[6] = &of_curve;
    t.offsets[5] = t.offsets[4]; /* an empty digest */
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 1, SIGMILL_HASH_NONE, &messages, out, size, &report),
               SIGMILL_ERROR_DIGEST);
    EQUAL(report.row, 4);
    begin();
    t.bits[1] = 0xfd;
    messages.validity = t.bits;
    LEFT_ALONE(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 1, 0, &messages, out, size, &report),
               SIGMILL_ERROR_NULL_MESSAGE);
    EQUAL(report.row, 9);
    messages.validity = NULL;
    OVERLAPS(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 1, 0, &messages, t.messages + 49, size, &report));
    OVERLAPS(sigmill_bulk_ecdsa_sign(NULL, curve_keys, 1, 0, &messages, (uint8_t *)&of_curve + 255, size, &report));
  }
#endif
  (void)j;
}

int main(void) {
  uint8_t seed[32] = {9}, message[64];
  int i;
  sigmill_cpu_limit(test_cpu());
  for (i = 0; i < 64; i++) message[i] = (uint8_t)i;
  for (i = 0; i < ROWS; i++) {
    EQUAL(sigmill_ed25519_public_key(keys_once + 32 * i, seed), 0);
    EQUAL(sigmill_ed25519_sign(signatures_once + 64 * i, seed, NULL, message + 5 * i, 5), 0);
  }
  EQUAL(sigmill_ed25519_prepare(&prepared_once[0], keys_once), 0);
  EQUAL(sigmill_ed25519_prepare(&prepared_once[1], keys_once), 0);
  begin();
  columns();
  tables();
  overlaps();
  runs();
  making();
  return finished("bad_bulk");
}
