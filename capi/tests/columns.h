/*
 * Columns of every layout from a list of values, in memory of exactly the size needed.
 */
#ifndef SIGMILL_TEST_COLUMNS_H
#define SIGMILL_TEST_COLUMNS_H

#include "test.h"

struct built {
  struct sigmill_column column, dictionary;
  void *memory[16];
  size_t count;
};

static inline void *keep(struct built *built, size_t size) {
  CHECK(built->count < sizeof built->memory / sizeof *built->memory);
  return built->memory[built->count++] = take(size);
}

static inline void free_built(struct built *built) {
  while (built->count > 0) free(built->memory[--built->count]);
}

/* What a dictionary's indices point to, and how: value i has index (rows - 1 - i) / share, so that so many rows share
 * one. */
struct indexed {
  int inner;      /* the layout of the values */
  int index_type; /* enum sigmill_index_type */
  size_t share;
};

/* One bit a row from bit `offset` on, the others set; 0 for values whose `null` is set. */
static inline const uint8_t *validity_of(struct built *built, size_t rows, const uint8_t *null, size_t offset) {
  size_t size = (offset + rows + 7) / 8, i;
  uint8_t *bits = keep(built, size);
  memset(bits, 0xff, size);
  for (i = 0; i < rows; i++) {
    size_t bit = offset + i;
    if (null[i]) bits[bit / 8] &= (uint8_t)~(1u << bit % 8);
  }
  return bits;
}

static inline void set_index(void *indices, int type, size_t i, size_t index) {
  switch (type) {
    case SIGMILL_INT8: ((int8_t *)indices)[i] = (int8_t)index; break;
    case SIGMILL_INT16: ((int16_t *)indices)[i] = (int16_t)index; break;
    case SIGMILL_INT32: ((int32_t *)indices)[i] = (int32_t)index; break;
    case SIGMILL_INT64: ((int64_t *)indices)[i] = (int64_t)index; break;
    case SIGMILL_UINT8: ((uint8_t *)indices)[i] = (uint8_t)index; break;
    case SIGMILL_UINT16: ((uint16_t *)indices)[i] = (uint16_t)index; break;
    case SIGMILL_UINT32: ((uint32_t *)indices)[i] = (uint32_t)index; break;
    case SIGMILL_UINT64: ((uint64_t *)indices)[i] = (uint64_t)index; break;
    default: CHECK(!"an index type");
  }
}

static inline size_t index_size(int type) { return (size_t)1 << (type - 1) % 4; }

/* Values of one layout that is not a dictionary. The bytes of a null stay away, but for a fixed column. */
static inline struct sigmill_column plain_column(struct built *built, int layout, size_t rows,
                                                 const struct bytes *values, const uint8_t *null,
                                                 size_t bit_offset) {
  struct sigmill_column column;
  size_t i, size = 0, at = 0;
  memset(&column, 0, sizeof column);
  column.layout = layout;
  column.rows = rows;
  for (i = 0; i < rows; i++) size += null != NULL && null[i] ? 0 : values[i].size;
  switch (layout) {
    case SIGMILL_COLUMN_FIXED: {
      uint8_t *bytes;
      for (i = 0; i < rows; i++) {
        if (null == NULL || !null[i]) column.width = values[i].size;
      }
      bytes = keep(built, column.width * rows);
      for (i = 0; i < rows; i++) {
        if (null != NULL && null[i]) {
          memset(bytes + i * column.width, 0x5a, column.width);
        } else {
          CHECK(values[i].size == column.width);
          if (column.width > 0) memcpy(bytes + i * column.width, values[i].at, column.width);
        }
      }
      column.values = bytes;
      column.values_size = column.width * rows;
      break;
    }
    case SIGMILL_COLUMN_BINARY:
    case SIGMILL_COLUMN_LARGE_BINARY: {
      int large = layout == SIGMILL_COLUMN_LARGE_BINARY;
      uint8_t *bytes = keep(built, size);
      int32_t *small_offsets = keep(built, (rows + 1) * 4);
      int64_t *large_offsets = keep(built, (rows + 1) * 8);
      for (i = 0; i <= rows; i++) {
        small_offsets[i] = (int32_t)at;
        large_offsets[i] = (int64_t)at;
        if (i < rows && (null == NULL || !null[i])) {
          if (values[i].size > 0) memcpy(bytes + at, values[i].at, values[i].size);
          at += values[i].size;
        }
      }
      column.values = size > 0 ? bytes : NULL;
      column.values_size = size;
      column.offsets = large ? (const void *)large_offsets : (const void *)small_offsets;
      break;
    }
    case SIGMILL_COLUMN_VIEWS: {
      /* long values in two buffers, by turns */
      uint8_t *views = keep(built, rows * 16);
      uint8_t *bytes[2];
      const void **buffers = keep(built, 2 * sizeof *buffers);
      size_t *sizes = keep(built, 2 * sizeof *sizes);
      memset(views, 0xee, rows * 16); /* a null's view may be anything */
      sizes[0] = sizes[1] = 0;
      for (i = 0; i < rows; i++) {
        if ((null == NULL || !null[i]) && values[i].size > 12) sizes[i % 2] += values[i].size;
      }
      for (i = 0; i < 2; i++) {
        bytes[i] = keep(built, sizes[i]);
        buffers[i] = sizes[i] > 0 ? bytes[i] : NULL;
        sizes[i] = 0;
      }
      for (i = 0; i < rows; i++) {
        int32_t words[4] = {0, 0, 0, 0};
        if (null != NULL && null[i]) continue;
        words[0] = (int32_t)values[i].size;
        if (values[i].size <= 12) {
          if (values[i].size > 0) memcpy(words + 1, values[i].at, values[i].size);
        } else {
          memcpy(words + 1, values[i].at, 4);
          words[2] = (int32_t)(i % 2);
          words[3] = (int32_t)sizes[i % 2];
          memcpy(bytes[i % 2] + sizes[i % 2], values[i].at, values[i].size);
          sizes[i % 2] += values[i].size;
        }
        memcpy(views + 16 * i, words, 16);
      }
      column.offsets = views;
      column.buffers = buffers;
      column.sizes = sizes;
      column.buffer_count = 2;
      break;
    }
    case SIGMILL_COLUMN_POINTERS: {
      const void **pointers = keep(built, rows * sizeof *pointers);
      size_t *sizes = keep(built, rows * sizeof *sizes);
      for (i = 0; i < rows; i++) {
        int absent = null != NULL && null[i];
        /* half of the nulls by NULL, half by the bitmap */
        pointers[i] = absent && i % 2 == 0 ? NULL : values[i].at;
        sizes[i] = values[i].size;
        if (absent && sizes[i] == 0) sizes[i] = 1;
      }
      column.pointers = pointers;
      column.sizes = sizes;
      break;
    }
    default: CHECK(!"a layout");
  }
  if (null != NULL) {
    column.validity = validity_of(built, rows, null, bit_offset);
    column.validity_offset = bit_offset;
  }
  return column;
}

/* A column of any layout but the prepared one. `null` may be NULL; `indexed` is for dictionaries, whose values i of one
 * share are the same. */
static inline void build(struct built *built, int layout, size_t rows, const struct bytes *values,
                         const uint8_t *null, size_t bit_offset, const struct indexed *indexed) {
  size_t i, share, distinct;
  struct bytes *entries;
  void *indices;
  built->count = 0;
  if (layout != SIGMILL_COLUMN_DICTIONARY) {
    built->column = plain_column(built, layout, rows, values, null, bit_offset);
    return;
  }
  share = indexed->share;
  distinct = (rows + share - 1) / share;
  entries = take(distinct * sizeof *entries);
  indices = keep(built, rows * index_size(indexed->index_type));
  for (i = 0; i < rows; i++) {
    size_t index = distinct - 1 - i / share;
    entries[index] = values[i / share * share];
    CHECK(values[i].size == entries[index].size);
    /* the index of a null may be anything */
    set_index(indices, indexed->index_type, i, null != NULL && null[i] ? 100 : index);
  }
  memset(&built->column, 0, sizeof built->column);
  built->dictionary = plain_column(built, indexed->inner, distinct, entries, NULL, 0);
  free(entries);
  built->column.layout = layout;
  built->column.rows = rows;
  built->column.index_type = indexed->index_type;
  built->column.offsets = indices;
  built->column.dictionary = &built->dictionary;
  if (null != NULL) {
    built->column.validity = validity_of(built, rows, null, bit_offset);
    built->column.validity_offset = bit_offset;
  }
}

#endif
