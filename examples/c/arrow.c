/*
 * Verifies a record batch that arrives through the Arrow C data interface, as pyarrow, DuckDB or arrow-rs export it.
 * This program is both ends: it makes the batch, with a row that is not valid and one that is null, and hands it over.
 * Nothing is copied, and the library calls the release functions when it is done.
 *
 *     cc arrow.c $(pkg-config --cflags --libs sigmill) -o arrow
 *
 * Prints a line a row and ends with 0, or says what does not hold and ends with 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sigmill.h"

enum { ROWS = 5, CHANGED = 2, NULL_ROW = 3, CHILDREN = 3 };

#define MUST(condition) ((condition) ? (void)0 : does_not_hold(__LINE__, #condition))

static void does_not_hold(int line, const char *condition) {
  fprintf(stderr, "arrow.c:%d: does not hold: %s\n", line, condition);
  exit(1);
}

/* ---- the producer: all that the batch needs lies in one structure ------------------------------------------- */

struct batch {
  uint8_t keys[ROWS][32], signatures[ROWS][64];
  char messages[ROWS * 16];
  int32_t offsets[ROWS + 1];
  uint8_t validity; /* of signatures: a bit a row */
  const void *key_buffers[2], *message_buffers[3], *signature_buffers[2], *batch_buffers[1];
  struct ArrowSchema schemas[CHILDREN], *schema_children[CHILDREN];
  struct ArrowArray arrays[CHILDREN], *array_children[CHILDREN];
  int released;
};

/* A parent releases its children. A real producer frees its memory here. */
static void release_schema(struct ArrowSchema *schema) {
  struct batch *batch = schema->private_data;
  int64_t i;
  for (i = 0; i < schema->n_children; i++) {
    if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
  }
  batch->released++;
  schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
  struct batch *batch = array->private_data;
  int64_t i;
  for (i = 0; i < array->n_children; i++) {
    if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
  }
  batch->released++;
  array->release = NULL;
}

static void describe(struct ArrowSchema *schema, struct batch *batch, const char *format, const char *name) {
  memset(schema, 0, sizeof *schema);
  schema->format = format;
  schema->name = name;
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = release_schema;
  schema->private_data = batch;
}

static void fill(struct ArrowArray *array, struct batch *batch, const void **buffers, int64_t buffer_count) {
  memset(array, 0, sizeof *array);
  array->length = ROWS;
  array->n_buffers = buffer_count;
  array->buffers = buffers;
  array->release = release_array;
  array->private_data = batch;
}

static void make(struct batch *batch, struct ArrowSchema *schema, struct ArrowArray *array) {
  int i;
  memset(batch, 0, sizeof *batch);
  for (i = 0; i < ROWS; i++) {
    uint8_t seed[32];
    char *message = batch->messages + batch->offsets[i];
    int size = sprintf(message, "message %d", i);
    batch->offsets[i + 1] = batch->offsets[i] + size;
    MUST(sigmill_ed25519_keygen(seed, batch->keys[i]) == 0);
    MUST(sigmill_ed25519_sign(batch->signatures[i], seed, NULL, (const uint8_t *)message, (size_t)size) == 0);
    if (i != NULL_ROW) batch->validity |= (uint8_t)(1 << i);
  }
  batch->messages[batch->offsets[CHANGED]] = 'M';

  batch->key_buffers[1] = batch->keys;
  batch->message_buffers[1] = batch->offsets;
  batch->message_buffers[2] = batch->messages;
  batch->signature_buffers[0] = &batch->validity;
  batch->signature_buffers[1] = batch->signatures;

  describe(&batch->schemas[0], batch, "w:32", "key"); /* binary of 32 bytes */
  describe(&batch->schemas[1], batch, "z", "message"); /* binary with offsets of 32 bits */
  describe(&batch->schemas[2], batch, "w:64", "signature");
  fill(&batch->arrays[0], batch, batch->key_buffers, 2);
  fill(&batch->arrays[1], batch, batch->message_buffers, 3);
  fill(&batch->arrays[2], batch, batch->signature_buffers, 2);
  batch->arrays[2].null_count = 1;
  for (i = 0; i < CHILDREN; i++) {
    batch->schema_children[i] = &batch->schemas[i];
    batch->array_children[i] = &batch->arrays[i];
  }
  describe(schema, batch, "+s", ""); /* a structure: a record batch */
  schema->n_children = CHILDREN;
  schema->children = batch->schema_children;
  fill(array, batch, batch->batch_buffers, 1);
  array->n_children = CHILDREN;
  array->children = batch->array_children;
}

/* ---- the consumer ------------------------------------------------------------------------------------------- */

int main(void) {
  struct batch batch;
  struct ArrowSchema schema;
  struct ArrowArray array;
  struct sigmill_spec spec;
  struct sigmill_report report;
  uint8_t codes[ROWS];
  size_t scratch_size;
  void *scratch;
  int result, i;

  make(&batch, &schema, &array);
  memset(&spec, 0, sizeof spec);
  spec.algorithm = SIGMILL_ED25519;
  spec.rule = SIGMILL_RULE_ZIP215;
  scratch_size = sigmill_bulk_scratch_size(NULL, ROWS, &spec, 1);
  scratch = malloc(scratch_size);
  MUST(scratch_size > 0 && scratch != NULL);
  result = sigmill_bulk_verify_arrow(NULL, &spec, &schema, &array, codes, sizeof codes, &report, scratch, scratch_size);
  free(scratch);
  if (result < 0) {
    fprintf(stderr, "arrow: %s: %s\n", report.what == NULL ? "batch" : report.what, sigmill_message(result));
    return 1;
  }

  for (i = 0; i < ROWS; i++) {
    printf("row %d: %s\n", i, codes[i] == SIGMILL_NULL_ROW ? "null"
                              : codes[i] == 0             ? "valid"
                                                          : sigmill_reason_name(codes[i]));
    MUST(i == NULL_ROW ? codes[i] == SIGMILL_NULL_ROW : (codes[i] != 0) == (i == CHANGED));
  }
  MUST(result == SIGMILL_NOT_ALL_VALID && report.valid == ROWS - 2 && report.invalid == 1 && report.null == 1);
  MUST(schema.release == NULL && array.release == NULL && batch.released == 2 * (1 + CHILDREN));
  printf("%u valid, %u invalid, %u null; the batch was released\n", (unsigned)report.valid, (unsigned)report.invalid,
         (unsigned)report.null);
  return 0;
}
