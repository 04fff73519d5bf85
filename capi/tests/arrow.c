/*
 * The Arrow C data interface: arrays of every type as columns, slices, nulls, empty arrays; record batches, which are
 * released exactly once whatever comes of them.
 */
#include "columns.h"

/* What an exporter keeps: everything is freed by its release, once. */
struct kept {
  int *released;
  void *memory[4];
};

/* Memory that must be as it was when the first release comes. */
static struct {
  const void *at;
  size_t size;
  unsigned char copy[512];
} watched;

static void watch(const void *at, size_t size) {
  CHECK(size <= sizeof watched.copy);
  watched.at = at;
  watched.size = size;
  memcpy(watched.copy, at, size);
}

static void look(void) {
  if (watched.at != NULL) CHECK(memcmp(watched.at, watched.copy, watched.size) == 0);
  watched.at = NULL;
}

/* The release of a structure of either type: of what it owns, then of itself. */
#define RELEASE(function, type)                                                                               \
  static void function(type *tree) {                                                                          \
    struct kept *kept = tree->private_data;                                                                   \
    int64_t i;                                                                                                \
    look();                                                                                                   \
    CHECK(tree->release == function);                                                                         \
    for (i = 0; i < tree->n_children; i++) {                                                                  \
      if (tree->children[i]->release != NULL) tree->children[i]->release(tree->children[i]);                  \
      free(tree->children[i]);                                                                                \
    }                                                                                                         \
    if (tree->dictionary != NULL) {                                                                           \
      if (tree->dictionary->release != NULL) tree->dictionary->release(tree->dictionary);                     \
      free(tree->dictionary);                                                                                 \
    }                                                                                                         \
    (*kept->released)++;                                                                                      \
    for (i = 0; i < 4; i++) free(kept->memory[i]);                                                            \
    free(kept);                                                                                               \
    memset(tree, 0xdd, sizeof *tree);                                                                         \
    tree->release = NULL;                                                                                     \
  }

RELEASE(release_schema, struct ArrowSchema)
RELEASE(release_array, struct ArrowArray)

static struct kept *new_kept(int *released) {
  struct kept *kept = take(sizeof *kept);
  memset(kept, 0, sizeof *kept);
  kept->released = released;
  return kept;
}

static char *text_copy(const char *text) {
  char *copy = take(strlen(text) + 1);
  strcpy(copy, text);
  return copy;
}

static void set_schema(struct ArrowSchema *schema, const char *format, const char *name, int *released) {
  struct kept *kept = new_kept(released);
  memset(schema, 0, sizeof *schema);
  schema->format = kept->memory[0] = text_copy(format);
  schema->name = kept->memory[1] = text_copy(name);
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = release_schema;
  schema->private_data = kept;
}

static void set_array(struct ArrowArray *array, int64_t length, int64_t nulls, int64_t offset, int64_t n_buffers,
                      int *released) {
  struct kept *kept = new_kept(released);
  memset(array, 0, sizeof *array);
  array->length = length;
  array->null_count = nulls;
  array->offset = offset;
  array->n_buffers = n_buffers;
  array->buffers = kept->memory[0] = take((size_t)n_buffers * sizeof *array->buffers);
  memset((void *)array->buffers, 0, (size_t)n_buffers * sizeof *array->buffers);
  array->release = release_array;
  array->private_data = kept;
}

static const char *format_of(int layout, size_t width, int is_text, char *room) {
  switch (layout) {
    case SIGMILL_COLUMN_BINARY: return is_text ? "u" : "z";
    case SIGMILL_COLUMN_LARGE_BINARY: return is_text ? "U" : "Z";
    case SIGMILL_COLUMN_VIEWS: return is_text ? "vu" : "vz";
    default: sprintf(room, "w:%lu", (unsigned long)width); return room;
  }
}

/* An array of what a column that was built describes, without its first `offset` rows. */
static void export_column(struct ArrowSchema *schema, struct ArrowArray *array, const struct sigmill_column *column,
                          const char *name, size_t offset, int64_t nulls, int is_text, int *released) {
  static const char *const indices[] = {"c", "s", "i", "l", "C", "S", "I", "L"};
  char room[40];
  int64_t rows = (int64_t)(column->rows - offset);
  if (column->layout == SIGMILL_COLUMN_DICTIONARY) {
    set_schema(schema, indices[column->index_type - 1], name, released);
    set_array(array, rows, nulls, (int64_t)offset, 2, released);
    array->buffers[1] = column->offsets;
    schema->dictionary = take(sizeof *schema);
    array->dictionary = take(sizeof *array);
    export_column(schema->dictionary, array->dictionary, column->dictionary, "", 0, 0, is_text, released);
  } else {
    set_schema(schema, format_of(column->layout, column->width, is_text, room), name, released);
    if (column->layout == SIGMILL_COLUMN_VIEWS) {
      struct kept *kept;
      int64_t *sizes;
      size_t i;
      set_array(array, rows, nulls, (int64_t)offset, 3 + (int64_t)column->buffer_count, released);
      kept = array->private_data;
      kept->memory[1] = sizes = take((column->buffer_count + 1) * 8);
      for (i = 0; i < column->buffer_count; i++) {
        array->buffers[2 + i] = column->buffers[i];
        sizes[i] = (int64_t)column->sizes[i];
      }
      array->buffers[1] = column->offsets;
      array->buffers[2 + column->buffer_count] = sizes;
    } else {
      int is_fixed = column->layout == SIGMILL_COLUMN_FIXED;
      set_array(array, rows, nulls, (int64_t)offset, is_fixed ? 2 : 3, released);
      array->buffers[1] = is_fixed ? (const void *)column->values : column->offsets;
      if (!is_fixed) array->buffers[2] = column->values;
    }
  }
  array->buffers[0] = column->validity;
}

enum { ROWS = 40 };

static struct bytes keys[ROWS], messages[ROWS], signatures[ROWS];
static uint8_t codes_of[ROWS];

static void make_rows(void) {
  uint8_t seed[32] = {6}, key[32], signature[64], message[40];
  size_t i;
  for (i = 0; i < ROWS; i++) {
    seed[1] = (uint8_t)(i / 2); /* two rows share a key */
    memset(message, 'a' + (int)(i % 20), sizeof message);
    EQUAL(sigmill_ed25519_public_key(key, seed), 0);
    EQUAL(sigmill_ed25519_sign(signature, seed, NULL, message, i), 0);
    if (i % 7 == 5) signature[3] ^= 1;
    keys[i] = copy_of(key, 32);
    messages[i] = copy_of(message, i);
    signatures[i] = copy_of(signature, 64);
    codes_of[i] = (uint8_t)sigmill_ed25519_verify(SIGMILL_RULE_ZIP215, NULL, key, 32, message, i, signature, 64);
  }
}

static const struct sigmill_spec zip215 = {SIGMILL_ED25519, SIGMILL_RULE_ZIP215, {0, NULL, 0}, {0, 0, 0}};

/* A record batch of three columns, its rows `offset` and after, with `skipped` rows before those of each child. */
struct batch {
  struct ArrowSchema schema;
  struct ArrowArray array;
  struct built columns[3];
  uint8_t null[3][ROWS];
  uint8_t expected[ROWS];
  size_t rows;
  int released;  /* how often something was released */
  int wanted;    /* how often it has to be */
};

static void make_batch(struct batch *batch, const int layouts[3], int with_nulls, int64_t null_count, size_t offset,
                       size_t skipped) {
  static const char *const names[] = {"signature", "key", "message"}; /* the order of columns is nobody's business */
  const struct bytes *values[3];
  struct kept *kept;
  size_t i, j;
  memset(batch, 0, sizeof *batch);
  values[0] = signatures;
  values[1] = keys;
  values[2] = messages;
  batch->rows = ROWS - offset - skipped;
  for (i = 0; i < ROWS; i++) {
    for (j = 0; j < 3; j++) batch->null[j][i] = with_nulls && (i + 3 * j) % 11 == 2;
    if (i >= offset + skipped) {
      batch->expected[i - offset - skipped] =
          batch->null[0][i] || batch->null[1][i] || batch->null[2][i] ? SIGMILL_NULL_ROW : codes_of[i];
    }
  }
  set_schema(&batch->schema, "+s", "", &batch->released);
  set_array(&batch->array, (int64_t)batch->rows, 0, (int64_t)offset, 1, &batch->released);
  batch->schema.n_children = batch->array.n_children = 4;
  kept = batch->schema.private_data;
  batch->schema.children = kept->memory[2] = take(4 * sizeof *batch->schema.children);
  kept = batch->array.private_data;
  batch->array.children = kept->memory[2] = take(4 * sizeof *batch->array.children);
  for (j = 0; j < 4; j++) {
    batch->schema.children[j] = take(sizeof batch->schema);
    batch->array.children[j] = take(sizeof batch->array);
    if (j == 3) { /* one that nobody asks for */
      set_schema(batch->schema.children[j], "tdD", "date", &batch->released);
      set_array(batch->array.children[j], ROWS, 0, 0, 2, &batch->released);
    } else {
      struct indexed indexed = {SIGMILL_COLUMN_BINARY, SIGMILL_INT16, 1};
      indexed.inner = (int)(j + (size_t)layouts[j]) % 4;
      if (j == 2 && indexed.inner == SIGMILL_COLUMN_FIXED) indexed.inner = SIGMILL_COLUMN_VIEWS;
      indexed.share = j == 1 ? 2 : 1;
      build(&batch->columns[j], layouts[j], ROWS, values[j], with_nulls ? batch->null[j] : NULL, 0, &indexed);
      export_column(batch->schema.children[j], batch->array.children[j], &batch->columns[j].column, names[j], skipped,
                    null_count, j == 2, &batch->released);
    }
  }
  batch->wanted = 2 * (5 + (layouts[0] == 4) + (layouts[1] == 4) + (layouts[2] == 4));
}

static void end_batch(struct batch *batch) {
  int j;
  EQUAL(batch->released, batch->wanted);
  CHECK(batch->schema.release == NULL && batch->array.release == NULL);
  for (j = 0; j < 3; j++) free_built(&batch->columns[j]);
}

static uint8_t scratch[1 << 19];

static void batches(void) {
  int first, turn = 0;
  for (first = 0; first < 5 * 5 * 5; first++, turn++) {
    int layouts[3];
    struct batch batch;
    struct sigmill_bulk how;
    struct sigmill_report report;
    uint8_t codes[ROWS];
    size_t i, valid = 0;
    int with_nulls = turn % 2, result;
    layouts[0] = first % 5; /* a layout's number is Arrow's up to dictionaries */
    layouts[1] = first / 5 % 5;
    layouts[2] = first / 25;
    if (layouts[2] == SIGMILL_COLUMN_FIXED) continue; /* messages have many sizes */
    make_batch(&batch, layouts, with_nulls, turn % 3 == 0 ? -1 : with_nulls ? 7 : 0, (size_t)(turn % 4),
               (size_t)(turn % 5));
    memset(&how, 0, sizeof how);
    how.tasks = 2;
    CHECK(sigmill_bulk_scratch_size(&how, batch.rows, &zip215, 1) <= sizeof scratch);
    memset(codes, 0x11, sizeof codes);
    result = sigmill_bulk_verify_arrow(&how, &zip215, &batch.schema, &batch.array, codes, batch.rows, &report, scratch,
                                       sizeof scratch);
    if (result < 0) fprintf(stderr, "layouts %d %d %d: %s\n", layouts[0], layouts[1], layouts[2], sigmill_message(result));
    for (i = 0; i < ROWS; i++) EQUAL(codes[i], i < batch.rows ? batch.expected[i] : 0x11);
    for (i = 0; i < batch.rows; i++) valid += batch.expected[i] == 0;
    EQUAL(result, valid == batch.rows ? 0 : SIGMILL_NOT_ALL_VALID);
    EQUAL(report.valid, valid);
    end_batch(&batch);
  }
}

/* Whatever is wrong, both are released once, and no code says valid. */
static void errors_of_batches(void) {
  static const int layouts[3] = {SIGMILL_COLUMN_FIXED, SIGMILL_COLUMN_DICTIONARY, SIGMILL_COLUMN_BINARY};
  int mistake;
  for (mistake = 0; mistake <= 25; mistake++) {
    struct batch batch;
    struct sigmill_bulk how;
    struct sigmill_spec spec = zip215;
    struct sigmill_report report, *reported = &report;
    struct ArrowSchema *schema = &batch.schema;
    struct ArrowArray *array = &batch.array;
    uint8_t codes[ROWS] = {0};
    void *memory = scratch;
    size_t size = sizeof scratch, codes_size, i;
    int result, wanted = SIGMILL_ERROR_ARROW;
    int32_t *offsets;
    memset(&how, 0, sizeof how);
    make_batch(&batch, layouts, 0, 0, 0, 0);
    codes_size = batch.rows;
    offsets = (int32_t *)batch.array.children[2]->buffers[1];
    switch (mistake) {
      case 0: how.backend = 7; wanted = SIGMILL_ERROR_BACKEND; break;
      case 1: spec.rule = 0; wanted = SIGMILL_ERROR_RULE; break;
      case 2: codes_size--; wanted = SIGMILL_ERROR_ROWS; break;
      case 3: size = sigmill_bulk_scratch_size(&how, ROWS, &spec, 1) - 1; wanted = SIGMILL_ERROR_SCRATCH; break;
      case 4: memory = NULL; wanted = SIGMILL_ERROR_NULL; break;
      case 5: ((char *)batch.schema.format)[1] = 'l'; break; /* not a structure */
      case 6: ((char *)batch.schema.children[1]->name)[0] = 'K'; break; /* no such column */
      case 7: batch.array.length++; break;
      case 8: batch.array.length = -1; break;
      case 9: batch.array.offset = -1; break;
      case 10: batch.array.offset = INT64_MAX; break;
      case 11: /* a child that has been moved away */
        batch.array.children[0]->release(batch.array.children[0]);
        break;
      case 12: batch.schema.children[0]->release(batch.schema.children[0]); break;
      case 13: offsets[3] = -5; wanted = SIGMILL_ERROR_COLUMN; break;
      case 14: offsets[ROWS] = -1; wanted = SIGMILL_ERROR_COLUMN; break;
      case 15: batch.array.children[2]->buffers[1] = NULL; wanted = SIGMILL_ERROR_NULL; break;
      case 16: batch.array.children[2]->length = -1; break;
      case 17: batch.array.children[2]->n_buffers = 2; break;
      case 18: /* rows that are null as a whole */
        batch.array.null_count = 1;
        batch.array.buffers[0] = offsets;
        break;
      case 19: batch.array.children[0]->length--; break;
      case 20: reported = (struct sigmill_report *)(void *)((char *)&report + 4); wanted = SIGMILL_ERROR_ALIGNMENT; break;
      case 21: batch.array.children[1]->buffers[1] = NULL; wanted = SIGMILL_ERROR_NULL; break;
      case 22: batch.array.children[0]->buffers[1] = NULL; wanted = SIGMILL_ERROR_NULL; break;
      case 23: spec.algorithm = 9; wanted = SIGMILL_ERROR_ALGORITHM; break;
      case 24: /* released before: it is not released again, and the other is */
        batch.schema.release(&batch.schema);
        break;
      case 25: batch.array.release(&batch.array); break;
    }
    result = sigmill_bulk_verify_arrow(&how, &spec, schema, array, codes, codes_size, reported, memory, size);
    if (result != wanted) fprintf(stderr, "mistake %d\n", mistake);
    EQUAL(result, wanted);
    for (i = 0; i < codes_size; i++) CHECK(codes[i] != 0);
    end_batch(&batch);
  }
  for (mistake = 0; mistake < 3; mistake++) { /* NULL in the place of one or both */
    struct batch batch;
    uint8_t codes[ROWS] = {0};
    make_batch(&batch, layouts, 0, 0, 0, 0);
    EQUAL(sigmill_bulk_verify_arrow(NULL, mistake == 2 ? NULL : &zip215, mistake == 0 ? NULL : &batch.schema,
                                    mistake == 1 ? NULL : &batch.array, codes, ROWS, NULL, scratch, sizeof scratch),
          SIGMILL_ERROR_NULL);
    CHECK(codes[0] != 0 && codes[ROWS - 1] != 0);
    if (mistake == 0) batch.schema.release(&batch.schema);
    if (mistake == 1) batch.array.release(&batch.array);
    end_batch(&batch);
  }
}

/* Codes, report and scratch in a schema or an array, or in what they point to: nothing is written, and both are
 * released. */
static void overlaps_of_batches(void) {
  static const int layouts[3] = {SIGMILL_COLUMN_FIXED, SIGMILL_COLUMN_DICTIONARY, SIGMILL_COLUMN_VIEWS};
  enum { PLACES = 24 };
  int place, output;
  for (place = 0; place < PLACES; place++) {
    for (output = 0; output < 3; output++) {
      struct batch batch;
      struct sigmill_report report;
      uint8_t codes[ROWS] = {0};
      const void *at = NULL;
      size_t size = 8, i;
      int result;
      make_batch(&batch, layouts, 0, 0, 0, 0);
      switch (place) {
        case 0: at = &batch.schema; size = sizeof batch.schema; break;
        case 1: at = &batch.schema.release; break;
        case 2: at = batch.schema.children; break;
        case 3: at = batch.schema.children[0]; size = sizeof batch.schema; break;
        case 4: at = &batch.schema.children[1]->release; break;
        case 5: at = batch.schema.children[1]->dictionary; size = sizeof batch.schema; break;
        case 6: at = batch.schema.children[3]; size = sizeof batch.schema; break; /* that nobody asks for */
        case 7: at = batch.schema.children[1]->name; size = 4; break;
        case 8: at = batch.schema.format; size = 3; break;
        case 9: at = &batch.array; size = sizeof batch.array; break;
        case 10: at = &batch.array.release; break;
        case 11: at = batch.array.children; break;
        case 12: at = batch.array.children[0]; size = sizeof batch.array; break;
        case 13: at = &batch.array.children[1]->release; break;
        case 14: at = batch.array.children[1]->dictionary; size = sizeof batch.array; break;
        case 15: at = batch.array.children[3]; size = sizeof batch.array; break;
        case 16: at = batch.array.children[0]->buffers; break;
        case 17: at = batch.array.children[1]->dictionary->buffers; break;
        case 18: at = batch.array.children[0]->buffers[1]; break;
        case 19: at = batch.array.children[1]->buffers[1]; break;
        case 20: at = batch.array.children[2]->buffers[1]; break;
        case 21: at = batch.array.children[2]->buffers[2]; break;
        case 22: at = batch.array.children[2]->buffers[4]; break; /* sizes */
        case 23: at = batch.array.children[1]->dictionary->buffers[1]; break;
      }
      watch(at, size);
      memset(&report, 0, sizeof report);
      result = sigmill_bulk_verify_arrow(NULL, &zip215, &batch.schema, &batch.array,
                                         output == 0 ? (uint8_t *)at : codes, batch.rows,
                                         output == 1 ? (struct sigmill_report *)(void *)at : &report,
                                         output == 2 ? (void *)at : scratch, sizeof scratch);
      if (result != SIGMILL_ERROR_OVERLAP) fprintf(stderr, "place %d, output %d\n", place, output);
      EQUAL(result, SIGMILL_ERROR_OVERLAP);
      if (output > 0) for (i = 0; i < batch.rows; i++) CHECK(codes[i] != 0);
      end_batch(&batch);
    }
    for (output = 0; output < 2 && place < 12; output++) { /* columns in the array that they are of */
      struct ArrowSchema schema;
      struct ArrowArray array;
      struct built column;
      struct indexed indexed = {SIGMILL_COLUMN_FIXED, SIGMILL_UINT8, 1};
      const void *places[12];
      int released = 0;
      build(&column, SIGMILL_COLUMN_DICTIONARY, ROWS, keys, NULL, 0, &indexed);
      export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
      places[0] = &schema;
      places[1] = &schema.release;
      places[2] = schema.dictionary;
      places[3] = &schema.dictionary->release;
      places[4] = &array;
      places[5] = &array.release;
      places[6] = array.dictionary;
      places[7] = &array.dictionary->release;
      places[8] = array.buffers;
      places[9] = array.dictionary->buffers;
      places[10] = array.dictionary->buffers[1];
      places[11] = (const char *)array.dictionary->buffers[1] - 2 * sizeof(struct sigmill_column) + 8;
      if (place < 11) watch(places[place], 8);
      EQUAL(sigmill_column_from_arrow((struct sigmill_column *)(void *)places[place] - output * (place < 11), &schema,
                                      &array),
            SIGMILL_ERROR_OVERLAP);
      schema.release(&schema);
      array.release(&array);
      EQUAL(released, 4);
      free_built(&column);
    }
  }
}

/* Releases an array and its dictionary, each by itself. */
static void release_apart(struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowSchema *of_values,
                          struct ArrowArray *values) {
  schema->dictionary = NULL;
  array->dictionary = NULL;
  of_values->release(of_values);
  values->release(values);
  schema->release(schema);
  array->release(array);
}

/* A table that has a column three times. */
static struct sigmill_table table_of(const struct sigmill_column *column) {
  struct sigmill_table table;
  memset(&table, 0, sizeof table);
  table.keys = table.messages = table.signatures = *column;
  table.specs = &zip215;
  table.spec_count = 1;
  return table;
}

/* Lengths that no buffer has, and no buffers at all: an error, soon. */
static void lengths(void) {
  static const char *const formats[] = {"n", "w:0", "w:32", "z", "U", "vz", "vu", "i", "C"};
  static const int64_t long_ones[] = {(int64_t)1 << 40, (int64_t)1 << 58, (int64_t)1 << 62, INT64_MAX};
  static const int32_t some[4] = {0, 0, 0, 0};
  size_t format, length, buffers, place;
  for (format = 0; format < sizeof formats / sizeof *formats; format++) {
    for (length = 0; length < 4; length++) {
      for (buffers = 0; buffers < 4; buffers++) {
        for (place = 0; place < 3; place++) { /* as length, as offset, as length of a dictionary */
          struct ArrowSchema schema, of_values;
          struct ArrowArray array, values;
          struct sigmill_column made[2];
          int released = 0, result, is_index = strchr("iC", formats[format][0]) != NULL;
          set_schema(&schema, place == 2 ? "i" : formats[format], "", &released);
          set_array(&array, 1, -1, 0, 4, &released);
          if (place == 2 || is_index) {
            set_schema(&of_values, place == 2 ? formats[format] : "z", "", &released);
            set_array(&values, 1, -1, 0, 4, &released);
            schema.dictionary = &of_values;
            array.dictionary = &values;
            array.buffers[1] = some;
            if (place == 2) values.length = long_ones[length];
            else values.buffers[1] = some;
          }
          if (place == 0) array.length = long_ones[length];
          if (place == 1) array.offset = long_ones[length];
          (place == 2 ? &values : &array)->n_buffers = (int64_t)buffers;
          /* the last, where it would wrap around to the buffer that there is */
          if (buffers == 3 && length > 1) (place == 2 ? &values : &array)->buffers[1] = some;
          result = sigmill_column_from_arrow(made, &schema, &array);
          if (length > 0) EQUAL(result, SIGMILL_ERROR_ARROW); /* more rows than a column can have */
          if (result == 0) {
            /* a column of no bytes, which fits in no table and no list of signatures */
            struct sigmill_table table = table_of(&made[0]);
            struct sigmill_report report;
            uint8_t codes[4];
            CHECK(sigmill_bulk_verify(NULL, &table, codes, sizeof codes, &report, scratch, sizeof scratch) < 0);
            CHECK(sigmill_bulk_ed25519_sign(NULL, NULL, 1, NULL, &made[0], codes, sizeof codes, &report) < 0);
          } else {
            /* or so long that the output lies in it */
            CHECK(result == SIGMILL_ERROR_ARROW || result == SIGMILL_ERROR_NULL || result == SIGMILL_ERROR_COLUMN ||
                  result == SIGMILL_ERROR_OVERLAP);
          }
          if (schema.dictionary != NULL) {
            release_apart(&schema, &array, &of_values, &values);
          } else {
            schema.release(&schema);
            array.release(&array);
          }
        }
      }
    }
  }
}

/* Columns of type null, which have no buffers, alone or as the values of a dictionary: every row is null. */
static void null_columns(void) {
  static const int layouts[3] = {SIGMILL_COLUMN_FIXED, SIGMILL_COLUMN_FIXED, SIGMILL_COLUMN_BINARY};
  int place;
  size_t i;
  for (place = 0; place < 8; place++) { /* in each of the columns, in all, sliced or not */
    struct batch batch;
    struct sigmill_report report;
    uint8_t codes[ROWS];
    int j;
    make_batch(&batch, layouts, 0, 0, place < 4 ? 0 : 3, 0);
    for (j = 0; j < 3; j++) {
      struct ArrowArray *array = batch.array.children[j];
      if (place % 4 != j && place % 4 != 3) continue;
      batch.schema.children[j]->format = "n";
      array->null_count = array->length;
      array->n_buffers = 0;
      array->buffers = NULL;
    }
    memset(codes, 0, sizeof codes);
    EQUAL(sigmill_bulk_verify_arrow(NULL, &zip215, &batch.schema, &batch.array, codes, batch.rows, &report, scratch,
                                    sizeof scratch),
          SIGMILL_NOT_ALL_VALID);
    for (i = 0; i < batch.rows; i++) EQUAL(codes[i], SIGMILL_NULL_ROW);
    EQUAL(report.null, batch.rows);
    end_batch(&batch);
  }
  for (place = 0; place < 2; place++) { /* as a column, and as the values of a dictionary */
    static const uint8_t indices[4] = {0, 0, 0, 0};
    struct ArrowSchema schema, of_values;
    struct ArrowArray array, values;
    struct sigmill_column made[2];
    struct sigmill_table table;
    struct sigmill_report report;
    uint8_t codes[4] = {0};
    int released = 0;
    set_schema(&schema, place == 0 ? "n" : "C", "", &released);
    set_array(&array, 4, place == 0 ? 4 : 0, 1, place == 0 ? 0 : 2, &released);
    set_schema(&of_values, "n", "", &released);
    set_array(&values, 1, 1, 0, 0, &released);
    if (place == 1) {
      array.offset = 0;
      array.buffers[1] = indices;
      schema.dictionary = &of_values;
      array.dictionary = &values;
    }
    EQUAL(sigmill_column_from_arrow(made, &schema, &array), 0);
    EQUAL(made[0].rows, 4);
    table = table_of(&made[0]);
    EQUAL(sigmill_bulk_verify(NULL, &table, codes, sizeof codes, &report, scratch, sizeof scratch), SIGMILL_NOT_ALL_VALID);
    for (i = 0; i < sizeof codes; i++) EQUAL(codes[i], SIGMILL_NULL_ROW);
    release_apart(&schema, &array, &of_values, &values);
    EQUAL(released, 4);
  }
}

/* One array as a column. */
static int from_arrow(struct ArrowSchema *schema, struct ArrowArray *array) {
  struct sigmill_column columns[2];
  int result, i;
  memset(columns, 0xa5, sizeof columns);
  result = sigmill_column_from_arrow(columns, schema, array);
  for (i = 0; result != 0 && i < (int)sizeof columns; i++) EQUAL(((unsigned char *)columns)[i], 0xa5);
  return result;
}

static void arrays(void) {
  static const char *const no_formats[] = {"", "l", "b", "+s", "+l", "w:", "w:-1", "w:3a", "w:9999999999", "w32",
                                           "zz", "vx", "v", "tdD", "d:19,10", "Zu", "w:999999999999999999999999999"};
  static const char *const no_indices[] = {"f", "g", "z", "w:4", "", "b", "ii"};
  struct built column;
  struct indexed indexed = {SIGMILL_COLUMN_FIXED, SIGMILL_UINT8, 1};
  struct ArrowSchema schema;
  struct ArrowArray array;
  struct sigmill_column made[2];
  int released = 0, layout;
  size_t i;
  build(&column, SIGMILL_COLUMN_BINARY, ROWS, messages, NULL, 0, NULL);
  for (i = 0; i < sizeof no_formats / sizeof *no_formats; i++) {
    export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
    schema.format = no_formats[i];
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
    schema.release(&schema);
    array.release(&array);
  }
  /* buffers that are not there, too few, of wrong addresses; numbers below 0 */
  for (i = 0; i < 14; i++) {
    static const int wanted[] = {-1, -24, -24, -24, -24, -24, -2, -1, -1, -24, -24, -24, -1, -1};
    struct ArrowSchema *of_schema = &schema;
    struct ArrowArray *of_array = &array;
    int result;
    EQUAL(SIGMILL_ERROR_ARROW, -24);
    export_column(&schema, &array, &column.column, "", i == 7 ? 3 : 0, 0, 0, &released);
    if (i == 0 || i == 7) array.buffers[1] = NULL;
    if (i == 1) array.n_buffers = 1;
    if (i == 2) array.length = -1;
    if (i == 3) array.offset = -1;
    if (i == 4) array.n_buffers = -1;
    if (i == 5) array.offset = INT64_MAX;
    if (i == 6) array.buffers[1] = (const char *)array.buffers[1] + 2;
    if (i == 8) array.buffers = NULL;
    if (i == 9) array.n_buffers = 2;
    if (i == 10) array.release = NULL;
    if (i == 11) schema.release = NULL;
    if (i == 12) of_schema = NULL;
    if (i == 13) of_array = NULL;
    result = from_arrow(of_schema, of_array);
    if (result != wanted[i]) fprintf(stderr, "case %lu\n", (unsigned long)i);
    EQUAL(result, wanted[i]);
    schema.release = release_schema;
    array.release = release_array;
    schema.release(&schema);
    array.release(&array);
  }
  EQUAL(sigmill_column_from_arrow(NULL, &schema, &array), SIGMILL_ERROR_NULL);
  free_built(&column);
  /* a width and a length whose product no memory has; a length that only numbers have */
  build(&column, SIGMILL_COLUMN_FIXED, ROWS, keys, NULL, 0, NULL);
  export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
  array.length = INT64_MAX;
  EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
  array.length = 1;
  array.offset = INT64_MAX / 8;
  EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
  schema.release(&schema);
  array.release(&array);
  free_built(&column);
  /* dictionaries */
  build(&column, SIGMILL_COLUMN_DICTIONARY, ROWS, keys, NULL, 0, &indexed);
  for (i = 0; i < sizeof no_indices / sizeof *no_indices; i++) {
    export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
    schema.format = no_indices[i];
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
    schema.release(&schema);
    array.release(&array);
  }
  export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
  EQUAL(sigmill_column_from_arrow(made, &schema, &array), 0);
  EQUAL(made[0].layout, SIGMILL_COLUMN_DICTIONARY);
  CHECK(made[0].dictionary == &made[1]);
  CHECK(made[1].values == column.dictionary.values); /* nothing is copied */
  {
    struct ArrowArray *dictionary = array.dictionary;
    array.dictionary = NULL;
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_NULL);
    array.dictionary = dictionary;
    schema.dictionary->dictionary = &schema;
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
    schema.dictionary->dictionary = NULL;
    array.n_buffers = 1;
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
    array.dictionary->release(array.dictionary);
    array.n_buffers = 2;
    EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
  }
  schema.release(&schema);
  array.release(&array);
  free_built(&column);
  /* views: sizes below 0, sizes that are not there */
  build(&column, SIGMILL_COLUMN_VIEWS, ROWS, messages, NULL, 0, NULL);
  export_column(&schema, &array, &column.column, "", 0, 0, 0, &released);
  ((int64_t *)array.buffers[4])[1] = -1;
  EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
  array.buffers[4] = NULL;
  EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_NULL);
  array.n_buffers = 2;
  EQUAL(from_arrow(&schema, &array), SIGMILL_ERROR_ARROW);
  schema.release(&schema);
  array.release(&array);
  free_built(&column);
  /* no rows, and no buffers; rows that are all empty without a buffer for their bytes */
  for (layout = 0; layout < 4; layout++) {
    static const char *const formats[] = {"w:32", "z", "U", "vz"};
    struct sigmill_column columns[2];
    set_schema(&schema, formats[layout], "", &released);
    set_array(&array, 0, layout % 2 == 0 ? 0 : -1, 0, layout == 0 ? 2 : 3, &released);
    EQUAL(sigmill_column_from_arrow(columns, &schema, &array), 0);
    EQUAL(columns[0].rows, 0);
    schema.release(&schema);
    array.release(&array);
  }
  {
    static const int32_t zeros[ROWS + 1] = {0};
    struct sigmill_table table;
    struct sigmill_column columns[2];
    struct built of_keys, of_signatures;
    uint8_t codes[ROWS];
    set_schema(&schema, "z", "", &released);
    set_array(&array, ROWS, 0, 0, 3, &released);
    array.buffers[1] = zeros;
    EQUAL(sigmill_column_from_arrow(columns, &schema, &array), 0);
    memset(&table, 0, sizeof table);
    build(&of_keys, SIGMILL_COLUMN_FIXED, ROWS, keys, NULL, 0, NULL);
    build(&of_signatures, SIGMILL_COLUMN_FIXED, ROWS, signatures, NULL, 0, NULL);
    table.keys = of_keys.column;
    table.messages = columns[0];
    table.signatures = of_signatures.column;
    table.specs = &zip215;
    table.spec_count = 1;
    EQUAL(sigmill_bulk_verify(NULL, &table, codes, ROWS, NULL, scratch, sizeof scratch), SIGMILL_NOT_ALL_VALID);
    EQUAL(codes[0], 0); /* whose message is empty */
    EQUAL(codes[1], SIGMILL_REASON_EQUATION);
    schema.release(&schema);
    array.release(&array);
    free_built(&of_keys);
    free_built(&of_signatures);
  }
}

int main(void) {
  size_t i;
  sigmill_cpu_limit(test_cpu());
  make_rows();
  batches();
  errors_of_batches();
  overlaps_of_batches();
  lengths();
  null_columns();
  arrays();
  for (i = 0; i < ROWS; i++) {
    free(keys[i].at);
    free(messages[i].at);
    free(signatures[i].at);
  }
  return finished("arrow");
}
