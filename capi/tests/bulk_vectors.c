/*
 * vectors/ed25519 through bulk: a table with every row under every rule, in every layout, with nulls, computed in
 * every way. Each row has its frozen reason.
 */
#include "columns.h"

struct table_of_rows {
  size_t rows, specs;
  struct bytes *keys, *messages, *signatures;
  uint8_t *expected;
  uint32_t *index;
  struct sigmill_spec *spec;
};

static int same_variant(const struct sigmill_variant *a, const struct sigmill_variant *b) {
  return a->kind == b->kind && a->context_size == b->context_size &&
         (a->context_size == 0 || memcmp(a->context, b->context, a->context_size) == 0);
}

/* All rows under all rules; with `usual`, only those whose key and signature have the right sizes. */
static struct table_of_rows all_rows(const struct vectors *vectors, int usual) {
  struct table_of_rows table;
  size_t row, i, most = vectors->rows * 8;
  int rule;
  memset(&table, 0, sizeof table);
  table.keys = take(most * sizeof *table.keys);
  table.messages = take(most * sizeof *table.messages);
  table.signatures = take(most * sizeof *table.signatures);
  table.expected = take(most);
  table.index = take(most * sizeof *table.index);
  table.spec = take(most * sizeof *table.spec);
  for (row = 0; row < vectors->rows; row++) {
    const struct vector *vector = &vectors->at[row];
    if (usual && (vector->key.size != 32 || vector->signature.size != 64)) continue;
    for (i = 0; i < table.specs; i += 8) {
      if (same_variant(&table.spec[i].variant, &vector->variant)) break;
    }
    if (i == table.specs) {
      for (rule = 1; rule <= 8; rule++) {
        struct sigmill_spec *spec = &table.spec[table.specs++];
        memset(spec, 0, sizeof *spec);
        spec->algorithm = SIGMILL_ED25519;
        spec->rule = rule;
        spec->variant = vector->variant;
      }
    }
    for (rule = 1; rule <= 8; rule++) {
      table.keys[table.rows] = vector->key;
      table.messages[table.rows] = vector->message;
      table.signatures[table.rows] = vector->signature;
      table.expected[table.rows] = (uint8_t)vector->code[rule];
      table.index[table.rows] = (uint32_t)(i + (size_t)rule - 1);
      table.rows++;
    }
  }
  return table;
}

static void free_table(struct table_of_rows *table) {
  free(table->keys);
  free(table->messages);
  free(table->signatures);
  free(table->expected);
  free(table->index);
  free(table->spec);
}

/* The same in steps of some size, in memory that others have left as it is. */
static void verify_in_steps(const struct sigmill_bulk *how, const struct sigmill_table *table, const uint8_t *expected,
                            uint8_t *scratch, size_t size, const char *what) {
  static size_t work = 1;
  static uint64_t rate = 0;
  size_t rows = table->keys.rows, steps = 0;
  uint8_t *codes = take(rows + 1);
  struct sigmill_progress progress;
  struct sigmill_report report;
  int result;
  memset(codes, 0, rows + 1);
  /* nothing known, what the table before has shown, anything */
  EQUAL(work % 3 == 0 ? sigmill_progress_init(&progress) : sigmill_progress_init_with_rate(&progress, rate), 0);
  CHECK(sigmill_progress_rate(&progress) == (work % 3 == 0 ? 0 : rate));
  do {
    work = work * 5 % 65537;
    result = sigmill_bulk_verify_step(how, table, codes, rows, &report, scratch, size, &progress, work);
    steps++;
  } while (result == SIGMILL_UNFINISHED);
  if (result < 0 || memcmp(codes, expected, rows) != 0) {
    fprintf(stderr, "%s: %lu steps give other codes; result %d\n", what, (unsigned long)steps, result);
    exit(1);
  }
  CHECK(rows < 5000 || steps > 3);
  EQUAL(report.valid + report.invalid + report.null, rows);
  EQUAL(result, report.valid == rows ? 0 : SIGMILL_NOT_ALL_VALID);
  rate = work % 3 == 1 ? work * 0x9e3779b97f4a7c15u : sigmill_progress_rate(&progress);
  /* there is nothing more to do */
  EQUAL(sigmill_bulk_verify_step(how, table, codes, rows, &report, scratch, size, &progress, work), result);
  free(codes);
}

/* Verifies and compares, every fifth time in steps as well. `expected` are codes of rows. */
static void verify(const struct sigmill_bulk *how, const struct sigmill_table *table, const uint8_t *expected,
                   const char *what) {
  static size_t calls;
  size_t rows = table->keys.rows, size = sigmill_bulk_scratch_size(how, rows, table->specs, table->spec_count), i;
  size_t counts[3] = {0, 0, 0};
  uint8_t *codes = take(rows + 2), *scratch = take(size + 1);
  struct sigmill_report report;
  int result;
  memset(codes, 0xab, rows + 2);
  result = sigmill_bulk_verify(how, table, codes + 1, rows, &report, scratch + 1, size); /* of odd alignment */
  for (i = 0; i < rows; i++) {
    if (result < 0 || codes[1 + i] != expected[i]) {
      fprintf(stderr, "%s, row %lu: code %d, not %d; result %d: %s, %s, row %lu\n", what, (unsigned long)i,
              codes[1 + i], expected[i], result, sigmill_message(result), report.what != NULL ? report.what : "-",
              (unsigned long)report.row);
      exit(1);
    }
    counts[codes[1 + i] == 0 ? 0 : codes[1 + i] == SIGMILL_NULL_ROW ? 2 : 1]++;
  }
  checks_made += rows;
  CHECK(codes[0] == 0xab && codes[rows + 1] == 0xab);
  EQUAL(result, counts[0] == rows ? 0 : SIGMILL_NOT_ALL_VALID);
  EQUAL(report.valid, counts[0]);
  EQUAL(report.invalid, counts[1]);
  EQUAL(report.null, counts[2]);
  EQUAL(report.single + report.lanes + report.combined, counts[0] + counts[1]);
  CHECK(report.what == NULL);
  /* five has no divisor in common with the layouts, backends and rules that this is called for in turn */
  if (calls++ % 5 == 0) verify_in_steps(how, table, expected, scratch + 1, size, what);
  free(codes);
  free(scratch);
}

/* Calls tasks from the last to the first. */
static int run_backwards(void *context, sigmill_task *task, void *state, size_t tasks) {
  (*(size_t *)context)++;
  while (tasks > 0) task(state, --tasks);
  return 0;
}

static int can_run(int backend) {
  uint32_t has = sigmill_cpu_features();
#ifdef __aarch64__
  int has_neon = 1;
#else
  int has_neon = 0;
#endif
  return backend == SIGMILL_BACKEND_AVX2      ? (has & SIGMILL_CPU_AVX2) != 0
         : backend == SIGMILL_BACKEND_IFMA    ? (has & SIGMILL_CPU_IFMA) != 0
         : backend == SIGMILL_BACKEND_SIMD128 ? has_neon
                                              : 1;
}

static const int layouts[] = {SIGMILL_COLUMN_FIXED,      SIGMILL_COLUMN_BINARY,   SIGMILL_COLUMN_LARGE_BINARY,
                              SIGMILL_COLUMN_VIEWS,      SIGMILL_COLUMN_POINTERS, SIGMILL_COLUMN_DICTIONARY};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void each_way(const struct table_of_rows *rows) {
  static const uint8_t entropy[32] = {7};
  struct built keys, messages, signatures;
  struct sigmill_table table;
  struct sigmill_bulk how;
  size_t threads = 2, calls = 0;
  int backend, strategy, turn = 0;
  memset(&table, 0, sizeof table);
  build(&keys, SIGMILL_COLUMN_BINARY, rows->rows, rows->keys, NULL, 0, NULL);
  build(&messages, SIGMILL_COLUMN_LARGE_BINARY, rows->rows, rows->messages, NULL, 0, NULL);
  build(&signatures, SIGMILL_COLUMN_POINTERS, rows->rows, rows->signatures, NULL, 0, NULL);
  table.keys = keys.column;
  table.messages = messages.column;
  table.signatures = signatures.column;
  table.specs = rows->spec;
  table.spec_count = rows->specs;
  table.spec_index = rows->index;
  verify(NULL, &table, rows->expected, "the best way");
  for (backend = SIGMILL_BACKEND_BEST; backend <= SIGMILL_BACKEND_SIMD128; backend++) {
    for (strategy = SIGMILL_STRATEGY_BEST; strategy <= SIGMILL_STRATEGY_COMBINED; strategy++, turn++) {
      char what[64];
      memset(&how, 0, sizeof how);
      how.backend = backend;
      how.strategy = strategy;
      how.deterministic = turn % 3 == 1;
      how.entropy = turn % 3 == 2 ? entropy : NULL;
      how.tasks = (size_t)(turn % 5);
      if (turn % 4 == 1 || turn % 4 == 2) {
        how.run = sigmill_threads;
        how.run_context = turn % 4 == 1 ? &threads : NULL;
      } else if (turn % 4 == 3) {
        how.run = run_backwards;
        how.run_context = &calls;
      }
      if (!can_run(backend)) {
        uint8_t *codes = take(rows->rows);
        memset(codes, 0, rows->rows);
        EQUAL(sigmill_bulk_verify(&how, &table, codes, rows->rows, NULL, NULL, 0), SIGMILL_ERROR_BACKEND);
        CHECK(codes[0] != 0 && codes[rows->rows - 1] != 0);
        free(codes);
        continue;
      }
      snprintf(what, sizeof what, "backend %d, strategy %d, tasks %d", backend, strategy, turn % 5);
      verify(&how, &table, rows->expected, what);
    }
  }
  CHECK(calls > 0);
  free_built(&keys);
  free_built(&messages);
  free_built(&signatures);
}

/* Every layout for each of the three columns, with nulls in each by turns. */
static void each_layout(const struct table_of_rows *rows) {
  uint8_t *null[3], *expected = take(rows->rows);
  uint32_t *index = take(rows->rows * sizeof *index);
  struct bytes *messages_of_one_size = take(rows->rows * sizeof *messages_of_one_size);
  size_t n = rows->rows, i, threads = 3;
  int layout, with_nulls;
  for (i = 0; i < 3; i++) null[i] = take(n);
  for (layout = 0; layout < LAYOUTS * 2; layout++) {
    struct built keys, messages, signatures;
    struct sigmill_table table;
    struct sigmill_bulk how;
    struct indexed shared = {SIGMILL_COLUMN_BINARY, SIGMILL_INT32, 8};
    int of_keys = layouts[layout % LAYOUTS], of_messages = layouts[(layout + 1 + layout / LAYOUTS) % LAYOUTS],
        of_signatures = layouts[(layout + 2 + layout / LAYOUTS * 2) % LAYOUTS];
    char what[96];
    shared.inner = layouts[layout % (LAYOUTS - 1)];
    shared.index_type = SIGMILL_INT16 + layout % 3 + (layout % 2) * 4;
    with_nulls = layout % 3 != 2;
    for (i = 0; i < n; i++) {
      size_t which;
      for (which = 0; which < 3; which++) null[which][i] = with_nulls && (i * 5 + which * 3 + i / 11) % 13 == 0;
      expected[i] = null[0][i] || null[1][i] || null[2][i] ? SIGMILL_NULL_ROW : rows->expected[i];
      index[i] = rows->index[i];
      if (i % 97 == 5) {
        index[i] = SIGMILL_NULL_SPEC;
        expected[i] = SIGMILL_NULL_ROW;
      }
      messages_of_one_size[i] = rows->messages[i];
      if ((of_messages == SIGMILL_COLUMN_FIXED || (of_messages == SIGMILL_COLUMN_DICTIONARY &&
                                                   shared.inner == SIGMILL_COLUMN_FIXED)) &&
          rows->messages[i].size != 32) {
        /* rows with other messages cannot be in this layout: they are nulls, or another's message */
        if (of_messages == SIGMILL_COLUMN_FIXED) {
          null[1][i] = 1;
          expected[i] = SIGMILL_NULL_ROW;
        }
      }
    }
    if (of_messages == SIGMILL_COLUMN_DICTIONARY && shared.inner == SIGMILL_COLUMN_FIXED)
      shared.inner = SIGMILL_COLUMN_VIEWS;
    memset(&table, 0, sizeof table);
    build(&keys, of_keys, n, rows->keys, with_nulls ? null[0] : NULL, 3, &shared);
    build(&messages, of_messages, n, messages_of_one_size,
          with_nulls || of_messages == SIGMILL_COLUMN_FIXED ? null[1] : NULL, 0, &shared);
    build(&signatures, of_signatures, n, rows->signatures, with_nulls ? null[2] : NULL, 17, &shared);
    table.keys = keys.column;
    table.messages = messages.column;
    table.signatures = signatures.column;
    table.specs = rows->spec;
    table.spec_count = rows->specs;
    table.spec_index = index;
    memset(&how, 0, sizeof how);
    how.tasks = layout % 2 == 0 ? 0 : 5;
    how.run = layout % 2 == 0 ? NULL : sigmill_threads;
    how.run_context = layout % 4 == 1 ? &threads : NULL;
    snprintf(what, sizeof what, "layouts %d %d %d, values of dictionaries %d, nulls %d", of_keys, of_messages,
             of_signatures, shared.inner, with_nulls);
    verify(&how, &table, expected, what);
    free_built(&keys);
    free_built(&messages);
    free_built(&signatures);
  }
  for (i = 0; i < 3; i++) free(null[i]);
  free(expected);
  free(index);
  free(messages_of_one_size);
}

/* Every type of index, with every layout of the values, in tables that are short. */
static void each_index(const struct table_of_rows *rows) {
  int type, inner;
  size_t n = rows->rows < 96 ? rows->rows : 96;
  for (type = SIGMILL_INT8; type <= SIGMILL_UINT64; type++) {
    for (inner = SIGMILL_COLUMN_FIXED; inner <= SIGMILL_COLUMN_POINTERS; inner++) {
      struct built keys, messages, signatures;
      struct sigmill_table table;
      struct indexed indexed = {0, 0, 8};
      size_t first = rows->rows > 8 * n ? (size_t)(type * 8) * 8 : 0;
      if (inner == SIGMILL_COLUMN_DICTIONARY) continue;
      indexed.inner = inner;
      indexed.index_type = type;
      memset(&table, 0, sizeof table);
      build(&keys, SIGMILL_COLUMN_DICTIONARY, n, rows->keys + first, NULL, 0, &indexed);
      build(&messages, SIGMILL_COLUMN_VIEWS, n, rows->messages + first, NULL, 0, NULL);
      build(&signatures, SIGMILL_COLUMN_DICTIONARY, n, rows->signatures + first, NULL, 0, &indexed);
      table.keys = keys.column;
      table.messages = messages.column;
      table.signatures = signatures.column;
      table.specs = rows->spec;
      table.spec_count = rows->specs;
      table.spec_index = rows->index + first;
      verify(NULL, &table, rows->expected + first, "an index type");
      free_built(&keys);
      free_built(&messages);
      free_built(&signatures);
    }
  }
}

/* Keys with tables, directly and as values of a dictionary; and tables of a few rows, under one spec. */
static void prepared_keys(const struct vectors *vectors) {
  static const size_t few[] = {0, 1, 3, 7, 8, 9, 64, 65, 257, 1000};
  size_t n = vectors->rows, i, used = 0, which;
  struct sigmill_ed25519_prepared *objects = take(n * sizeof *objects);
  const void **pointers = take(n * sizeof *pointers);
  struct bytes *messages = take(n * sizeof *messages), *signatures = take(n * sizeof *signatures);
  uint8_t *expected[9];
  int32_t *indices = take(n * sizeof *indices);
  int rule;
  for (rule = 1; rule <= 8; rule++) expected[rule] = take(n);
  for (i = 0; i < n; i++) {
    const struct vector *vector = &vectors->at[i];
    int decodes = vector->key.size == 32 && sigmill_ed25519_prepare(&objects[i], vector->key.at) == 0;
    if (vector->variant.kind != SIGMILL_PURE) continue;
    pointers[used] = decodes ? &objects[i] : NULL;
    messages[used] = vector->message;
    signatures[used] = vector->signature;
    for (rule = 1; rule <= 8; rule++) expected[rule][used] = (uint8_t)(decodes ? vector->code[rule] : SIGMILL_NULL_ROW);
    used++;
  }
  for (rule = 1; rule <= 8; rule++) {
    for (which = 0; which <= sizeof few / sizeof *few; which++) {
      size_t rows = which < sizeof few / sizeof *few && few[which] < used ? few[which] : used;
      struct built message, signature;
      struct sigmill_spec spec;
      struct sigmill_table table;
      struct sigmill_column values;
      uint8_t *null = take(rows);
      memset(&table, 0, sizeof table);
      memset(&spec, 0, sizeof spec);
      spec.algorithm = SIGMILL_ED25519;
      spec.rule = rule;
      build(&message, SIGMILL_COLUMN_POINTERS, rows, messages, NULL, 0, NULL);
      build(&signature, SIGMILL_COLUMN_BINARY, rows, signatures, NULL, 0, NULL);
      for (i = 0; i < rows; i++) {
        indices[i] = (int32_t)i;
        null[i] = pointers[i] == NULL;
      }
      memset(&values, 0, sizeof values);
      values.layout = SIGMILL_COLUMN_PREPARED;
      values.rows = rows;
      values.pointers = pointers;
      values.validity = validity_of(&message, rows, null, 5);
      values.validity_offset = 5;
      table.keys = values;
      table.messages = message.column;
      table.signatures = signature.column;
      table.specs = &spec;
      table.spec_count = 1;
      verify(NULL, &table, expected[rule], "prepared keys");
      if (which % 3 == 0) {
        table.keys.layout = SIGMILL_COLUMN_DICTIONARY;
        table.keys.index_type = SIGMILL_INT32;
        table.keys.offsets = indices;
        table.keys.dictionary = &values;
        verify(NULL, &table, expected[rule], "a dictionary of prepared keys");
      }
      free(null);
      free_built(&message);
      free_built(&signature);
    }
    free(expected[rule]);
  }
  free(objects);
  free(pointers);
  free(messages);
  free(signatures);
  free(indices);
}

/* Ed25519ph of digests; and sign.csv by bulk signing, its keys by bulk key generation. */
static void signing(void) {
  struct csv csv = read_csv("ed25519/sign.csv");
  size_t n = csv.rows, row, i, threads = 2;
  struct sigmill_ed25519_key *keys = take(n * sizeof *keys);
  const struct sigmill_ed25519_key **pointers = take(n * sizeof *pointers);
  uint8_t *seeds = take(n * 32), *public_keys = take(n * 32), *made = take(n * 64);
  struct bytes *messages = take(n * sizeof *messages);
  int layout, backend;
  for (row = 0; row < n; row++) {
    char **cells = csv.cells + row * csv.columns;
    put_hex(seeds + 32 * row, cells[4]);
    EQUAL(sigmill_ed25519_key_init(&keys[row], seeds + 32 * row), 0);
  }
  for (backend = SIGMILL_BACKEND_BEST; backend <= SIGMILL_BACKEND_SIMD128; backend++) {
    struct sigmill_bulk how;
    if (!can_run(backend)) continue;
    memset(&how, 0, sizeof how);
    how.backend = backend;
    how.tasks = (size_t)backend * 2;
    how.run = backend == SIGMILL_BACKEND_AVX2 ? sigmill_threads : NULL;
    how.run_context = &threads;
    memset(public_keys, 0, n * 32);
    EQUAL(sigmill_bulk_ed25519_public_keys(&how, n, seeds, public_keys), 0);
    for (row = 0; row < n; row++) {
      struct bytes wanted = hex(csv.cells[row * csv.columns + 5]);
      SAME_BYTES(public_keys + 32 * row, wanted.at, 32);
      free(wanted.at);
    }
  }
  /* rows of one variant and context are a call */
  for (row = 0; row < n; row++) {
    char **cells = csv.cells + row * csv.columns;
    struct bytes context = hex(cells[3]);
    struct sigmill_variant variant;
    size_t count = 0, first = 1;
    variant.kind = variant_kind(cells[2]);
    variant.context = context.at;
    variant.context_size = context.size;
    for (i = 0; i < n; i++) {
      char **others = csv.cells + i * csv.columns;
      if (strcmp(others[2], cells[2]) != 0 || strcmp(others[3], cells[3]) != 0) continue;
      if (i < row) first = 0;
      pointers[count] = &keys[i];
      messages[count++] = hex(others[6]);
    }
    for (layout = 1; first && layout < LAYOUTS; layout++) {
      struct built column;
      struct sigmill_report report;
      struct sigmill_bulk how;
      struct indexed indexed = {SIGMILL_COLUMN_BINARY, SIGMILL_UINT16, 1};
      size_t at = 0;
      memset(&how, 0, sizeof how);
      how.tasks = (size_t)layout;
      how.run = layout % 2 == 0 ? sigmill_threads : NULL;
      build(&column, layouts[layout], count, messages, NULL, 0, &indexed);
      memset(made, 0, n * 64);
      EQUAL(sigmill_bulk_ed25519_sign(&how, pointers, count, &variant, &column.column, made, count * 64, &report), 0);
      for (i = 0; i < n; i++) {
        char **others = csv.cells + i * csv.columns;
        struct bytes wanted;
        if (strcmp(others[2], cells[2]) != 0 || strcmp(others[3], cells[3]) != 0) continue;
        wanted = hex(others[7]);
        SAME_BYTES(made + 64 * at++, wanted.at, 64);
        free(wanted.at);
      }
      /* one key for all rows */
      EQUAL(sigmill_bulk_ed25519_sign(&how, pointers, 1, &variant, &column.column, made, count * 64, NULL), 0);
      for (i = 0; i < count; i++) {
        uint8_t one[64];
        EQUAL(sigmill_ed25519_key_sign(pointers[0], one, &variant, messages[i].at, messages[i].size), 0);
        SAME_BYTES(one, made + 64 * i, 64);
      }
      free_built(&column);
    }
    while (count > 0) free(messages[--count].at);
    free(context.at);
  }
  for (row = 0; row < n; row++) EQUAL(sigmill_ed25519_key_wipe(&keys[row]), 0);
  free(keys);
  free(pointers);
  free(seeds);
  free(public_keys);
  free(made);
  free(messages);
  free_csv(&csv);
}

int main(void) {
  struct vectors vectors = read_vectors();
  struct table_of_rows all = all_rows(&vectors, 0), usual = all_rows(&vectors, 1);
  sigmill_cpu_limit(test_cpu());
  each_way(&all);
  each_layout(&usual);
  each_index(&usual);
  prepared_keys(&vectors);
  signing();
  free_table(&all);
  free_table(&usual);
  free_vectors(&vectors);
  return finished("bulk_vectors");
}
