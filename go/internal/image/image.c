// The rest of the image beside the library: its entries, and the functions of C's library that compilers call on their own
// account. Copies are mostly of some ten to some hundred bytes.
#define CALL
#include "calls.h"

#if defined(__has_include) && !defined(__x86_64__)
#error "the image is one for x86-64"
#endif

typedef uint64_t two_words __attribute__((vector_size(16)));

#define LOAD(type, from) __extension__({ type loaded; __builtin_memcpy(&loaded, from, sizeof loaded); loaded; })
#define STORE(type, to, value) __extension__({ type stored = (value); __builtin_memcpy(to, &stored, sizeof stored); })

// Copies 1 to 15 bytes, all read before any is written.
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t size) {
  if (size >= 8) {
    uint64_t first = LOAD(uint64_t, from), last = LOAD(uint64_t, from + size - 8);
    STORE(uint64_t, to, first);
    STORE(uint64_t, to + size - 8, last);
  } else if (size >= 4) {
    uint32_t first = LOAD(uint32_t, from), last = LOAD(uint32_t, from + size - 4);
    STORE(uint32_t, to, first);
    STORE(uint32_t, to + size - 4, last);
  } else if (size > 0) {
    uint8_t first = from[0], middle = from[size / 2], last = from[size - 1];
    to[0] = first;
    to[size / 2] = middle;
    to[size - 1] = last;
  }
}

// From the first byte to the last; the last 16 are read first, so that `to` may lie in `from`, below it.
static inline void copy_upwards(uint8_t *to, const uint8_t *from, size_t size) {
  two_words last = LOAD(two_words, from + size - 16);
  size_t at = 0;
  for (; size - at > 32; at += 32) {
    two_words a = LOAD(two_words, from + at), b = LOAD(two_words, from + at + 16);
    STORE(two_words, to + at, a);
    STORE(two_words, to + at + 16, b);
  }
  if (size - at > 16) {
    two_words a = LOAD(two_words, from + at);
    STORE(two_words, to + at, a);
  }
  STORE(two_words, to + size - 16, last);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  if (size < 16) copy_short(to, from, size);
  else copy_upwards(to, from, size);
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (size < 16) {
    copy_short(t, f, size);
  } else if ((uintptr_t)t - (uintptr_t)f >= size) {
    copy_upwards(t, f, size);
  } else {
    two_words first = LOAD(two_words, f);
    for (size_t at = size; at > 16; at -= 16) {
      two_words a = LOAD(two_words, f + at - 16);
      STORE(two_words, t + at - 16, a);
    }
    STORE(two_words, t, first);
  }
  return to;
}

void *memset(void *to, int value, size_t size) {
  uint8_t *t = to;
  uint64_t word = 0x0101010101010101u * (uint8_t)value;
  two_words both = {word, word};
  if (size >= 16) {
    for (size_t at = 0; at + 16 < size; at += 16) STORE(two_words, t + at, both);
    STORE(two_words, t + size - 16, both);
  } else if (size >= 8) {
    STORE(uint64_t, t, word);
    STORE(uint64_t, t + size - 8, word);
  } else if (size >= 4) {
    STORE(uint32_t, t, (uint32_t)word);
    STORE(uint32_t, t + size - 4, (uint32_t)word);
  } else if (size > 0) {
    t[0] = t[size / 2] = t[size - 1] = (uint8_t)value;
  }
  return to;
}
