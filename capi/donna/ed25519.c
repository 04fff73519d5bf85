/*
 * ed25519-donna's functions on top of sigmill.h.
 *
 *     cc -O3 -c ed25519.c
 *
 * Options of the build, all but the first two ed25519-donna's:
 *     SIGMILL_DONNA_RULE=SIGMILL_RULE_...  another rule than SIGMILL_RULE_LEGACY, for single signatures and batches
 *     SIGMILL_WITHOUT_BULK, ..._X25519     the parts that the library at hand lacks: batches are verified one by one,
 *                                          curved25519_scalarmult_basepoint is left out
 *     ED25519_SUFFIX=_name                 is appended to the name of every function
 *     ED25519_CUSTOMHASH                   the hash of ed25519-hash-custom.h: the type ed25519_hash_context and the
 *                                          functions ed25519_hash_init, _update, _final and ed25519_hash
 *     ED25519_CUSTOMRANDOM                 ed25519_randombytes_unsafe of ed25519-randombytes-custom.h, which names it
 *                                          ED25519_FN(ed25519_randombytes_unsafe)
 *     ED25519_REFHASH, ED25519_SSE2, ED25519_FORCE_32BIT, ED25519_INLINE_ASM, ED25519_NO_INLINE_ASM
 *                                          change nothing: SHA-512 is built in, and the CPU is asked when running
 *     ED25519_TEST                         changes nothing: random bytes stay the system's. A test that wants the same
 *                                          ones every time defines ed25519_randombytes_unsafe
 */
#if !defined(SIGMILL_STATIC)
#define SIGMILL_STATIC
#endif
#include "sigmill.h"

#define ED25519_HOOKS
#include "ed25519.h"

#include <string.h>

#if !defined(ED25519_SUFFIX)
#define ED25519_SUFFIX
#endif
#define ED25519_JOIN(name, suffix) name##suffix
#define ED25519_NAME(name, suffix) ED25519_JOIN(name, suffix)
#define ED25519_FN(name) ED25519_NAME(name, ED25519_SUFFIX)

#if !defined(SIGMILL_DONNA_RULE)
#define SIGMILL_DONNA_RULE SIGMILL_RULE_LEGACY
#endif
typedef char rule_is_known[SIGMILL_DONNA_RULE >= SIGMILL_RULE_COMMON && SIGMILL_DONNA_RULE <= SIGMILL_RULE_LEGACY ? 1 : -1];

void ED25519_FN(ed25519_randombytes_unsafe)(void *out, size_t count);

/* ---- the hash ---------------------------------------------------------------------------------------------- */

#if defined(ED25519_CUSTOMHASH)

#include "ed25519-hash-custom.h"
typedef ed25519_hash_context hash_memory;
#define HAS_HASH 1
#define HASH_IS_WHOLE 1

#elif defined(__ELF__)

#pragma weak ed25519_hash_init
#pragma weak ed25519_hash_update
#pragma weak ed25519_hash_final
typedef struct ed25519_hash_context ed25519_hash_context;
typedef union {
  unsigned char bytes[ED25519_HASH_CONTEXT_SIZE];
  long double number;
  uint64_t word;
  void *pointer;
} hash_memory;
#define HAS_HASH (ed25519_hash_init || ed25519_hash_update || ed25519_hash_final)
#define HASH_IS_WHOLE (ed25519_hash_init && ed25519_hash_update && ed25519_hash_final)

#endif

/* Ends the program where going on would be worse, without a symbol of the C library's. */
static void give_up(void) {
#if defined(__GNUC__)
  __builtin_trap();
#else
  abort();
#endif
}

#if defined(HAS_HASH)

static void hash_init(void *context) { ed25519_hash_init((ed25519_hash_context *)context); }

static void hash_update(void *context, const uint8_t *bytes, size_t size) {
  ed25519_hash_update((ed25519_hash_context *)context, bytes, size);
}

static void hash_final(void *context, uint8_t *digest) { ed25519_hash_final((ed25519_hash_context *)context, digest); }

/* Whether there is another hash, and which. */
static int own_hash(struct sigmill_sha512 *hash, hash_memory *memory) {
  if (!HAS_HASH) return 0;
  if (!HASH_IS_WHOLE) give_up(); /* signing with SHA-512 is not what such a program wants */
#if defined(ED25519_CUSTOMHASH)
  (void)ed25519_hash; /* asked for by name, and not needed */
#endif
  hash->context = memory;
  hash->init = hash_init;
  hash->update = hash_update;
  hash->final = hash_final;
  return 1;
}

static void wipe(hash_memory *memory) {
  volatile unsigned char *byte = (volatile unsigned char *)memory;
  size_t i;
  for (i = 0; i < sizeof *memory; i++) byte[i] = 0;
}

#endif

/* ---- one at a time ----------------------------------------------------------------------------------------- */

void ED25519_FN(ed25519_publickey)(const ed25519_secret_key sk, ed25519_public_key pk) {
  int result;
#if defined(HAS_HASH)
  struct sigmill_sha512 hash;
  hash_memory memory;
  if (own_hash(&hash, &memory)) {
    result = sigmill_ed25519_public_key_hashed(pk, &hash, sk);
    wipe(&memory);
  } else
#endif
    result = sigmill_ed25519_public_key(pk, sk);
  if (result != 0 && pk != NULL) memset(pk, 0, 32);
}

void ED25519_FN(ed25519_sign)(const unsigned char *m, size_t mlen, const ed25519_secret_key sk,
                              const ed25519_public_key pk, ed25519_signature RS) {
  int result;
#if defined(HAS_HASH)
  struct sigmill_sha512 hash;
  hash_memory memory;
#endif
  (void)pk;
#if defined(HAS_HASH)
  if (own_hash(&hash, &memory)) {
    result = sigmill_ed25519_sign_hashed(RS, &hash, sk, m, mlen);
    wipe(&memory);
  } else
#endif
    result = sigmill_ed25519_sign(RS, sk, NULL, m, mlen);
  if (result != 0 && RS != NULL) memset(RS, 0, 64);
}

/* 0, a reason, or an error. */
static int verify(const unsigned char *m, size_t mlen, const unsigned char *pk, const unsigned char *RS) {
#if defined(HAS_HASH)
  struct sigmill_sha512 hash;
  hash_memory memory;
  if (own_hash(&hash, &memory)) {
    return sigmill_ed25519_verify_hashed(SIGMILL_DONNA_RULE, &hash, pk, 32, m, mlen, RS, 64);
  }
#endif
  return sigmill_ed25519_verify(SIGMILL_DONNA_RULE, NULL, pk, 32, m, mlen, RS, 64);
}

int ED25519_FN(ed25519_sign_open)(const unsigned char *m, size_t mlen, const ed25519_public_key pk,
                                  const ed25519_signature RS) {
  return verify(m, mlen, pk, RS) == 0 ? 0 : -1;
}

#if !defined(SIGMILL_WITHOUT_X25519)

void ED25519_FN(curved25519_scalarmult_basepoint)(curved25519_key pk, const curved25519_key e) {
  if (sigmill_x25519_public_key(pk, e) != 0 && pk != NULL) memset(pk, 0, 32);
}

#endif

/* ---- random bytes ------------------------------------------------------------------------------------------ */

#if defined(ED25519_CUSTOMRANDOM)

#include "ed25519-randombytes-custom.h"

#else

#if defined(__ELF__) || defined(__APPLE__)
__attribute__((weak))
#endif
void ED25519_FN(ed25519_randombytes_unsafe)(void *out, size_t count) {
  unsigned char *to = (unsigned char *)out;
  uint8_t random[32], public_key[32];
  volatile uint8_t *byte = random;
  size_t i;
  /* a new secret key is 32 of the system's bytes, and sigmill.h has no other function that gives them */
  while (count > 0) {
    size_t size = count < sizeof random ? count : sizeof random;
    if (sigmill_ed25519_keygen(random, public_key) != 0) give_up();
    memcpy(to, random, size);
    to += size;
    count -= size;
  }
  for (i = 0; i < sizeof random; i++) byte[i] = 0;
}

#endif

/* ---- many -------------------------------------------------------------------------------------------------- */

/* ed25519-donna verifies so many rows by one equation, and the last 1 to 3 rows one by one. */
enum { GROUP = 64, FEWEST = 4 };

/* From how many rows on memory of the program's may pay: one equation does from 40 on with AVX2. */
enum { FEWEST_COMBINED = 32 };

/* In codes: nothing was decided. */
enum { UNDECIDED = SIGMILL_NULL_ROW };

static void verify_singly(const unsigned char **m, const size_t *mlen, const unsigned char **pk,
                          const unsigned char **RS, size_t num, uint8_t *codes) {
  size_t i;
  for (i = 0; i < num; i++) {
    int result = verify(m[i], mlen[i], pk[i], RS[i]);
    codes[i] = result >= 0 ? (uint8_t)result : UNDECIDED;
  }
}

#if !defined(SIGMILL_WITHOUT_BULK)

#if defined(__ELF__)
#pragma weak ed25519_batch_memory
#define HAS_MEMORY (ed25519_batch_memory != NULL)
#else
#define HAS_MEMORY 0
#endif

/* Rows that are verified together on the stack, as many as its part for scratch is enough for: 16 today,
 * which fill eight lanes twice. */
enum { ROWS = 64, SCRATCH = 9 * 1024 };

/* A batch: every row is verified alike. */
struct batch {
  struct sigmill_bulk how;
  struct sigmill_spec spec;
};

static void batch_init(struct batch *batch) {
  memset(batch, 0, sizeof *batch);
  batch->spec.algorithm = SIGMILL_ED25519;
  batch->spec.rule = SIGMILL_DONNA_RULE;
}

static size_t scratch_size_of(const struct batch *batch, size_t num) {
  return sigmill_bulk_scratch_size(&batch->how, num, &batch->spec, 1);
}

static int verify_table(const struct batch *batch, const unsigned char **m, const size_t *mlen,
                        const unsigned char **pk, const unsigned char **RS, size_t num, uint8_t *codes, void *scratch,
                        size_t scratch_size) {
  struct sigmill_table table;
  memset(&table, 0, sizeof table);
  table.keys.layout = table.messages.layout = table.signatures.layout = SIGMILL_COLUMN_POINTERS;
  table.keys.rows = table.messages.rows = table.signatures.rows = num;
  /* pointers to void and to characters are represented alike (C99 6.2.5) */
  table.keys.pointers = (const void *const *)(const void *)pk;
  table.keys.width = 32;
  table.messages.pointers = (const void *const *)(const void *)m;
  table.messages.sizes = mlen;
  table.signatures.pointers = (const void *const *)(const void *)RS;
  table.signatures.width = 64;
  table.specs = &batch->spec;
  table.spec_count = 1;
  return sigmill_bulk_verify(&batch->how, &table, codes, num, NULL, scratch, scratch_size);
}

/* By equations of many rows, with memory of the program's. 0 if there is none. */
static int verify_combined(const unsigned char **m, const size_t *mlen, const unsigned char **pk,
                           const unsigned char **RS, size_t num, uint8_t *codes) {
  struct batch batch;
  uint8_t entropy[32] = {0}, any = 0;
  size_t size, i;
  void *memory;
  batch_init(&batch);
  size = scratch_size_of(&batch, num);
  memory = ed25519_batch_memory(size);
  if (memory == NULL) return 0;
  ED25519_FN(ed25519_randombytes_unsafe)(entropy, sizeof entropy);
  for (i = 0; i < sizeof entropy; i++) any |= entropy[i];
  batch.how.entropy = entropy;
  /* nothing random was given: rows keep an equation each, which needs nothing random */
  if (any == 0) batch.how.strategy = SIGMILL_STRATEGY_LANES;
  return verify_table(&batch, m, mlen, pk, RS, num, codes, memory, size) >= 0;
}

/* Each row by an equation of its own, many side by side, with memory of the stack. Takes nothing random. */
static void verify_in_lanes(const unsigned char **m, const size_t *mlen, const unsigned char **pk,
                            const unsigned char **RS, size_t num, uint8_t *codes) {
  uint8_t scratch[SCRATCH];
  struct batch batch;
  size_t first, rows, most = ROWS;
  batch_init(&batch);
  batch.how.strategy = (sigmill_cpu_features() & (SIGMILL_CPU_AVX2 | SIGMILL_CPU_IFMA)) != 0
                         ? SIGMILL_STRATEGY_LANES
                         : SIGMILL_STRATEGY_SINGLE;
  while (most > 1 && scratch_size_of(&batch, most) > SCRATCH) most /= 2;
  for (first = 0; first < num; first += rows) {
    rows = num - first < most ? num - first : most;
    if (rows == 1 || verify_table(&batch, m + first, mlen + first, pk + first, RS + first, rows, codes + first,
                                  scratch, SCRATCH) < 0) {
      verify_singly(m + first, mlen + first, pk + first, RS + first, rows, codes + first);
    }
  }
}

#endif

static void verify_many(const unsigned char **m, const size_t *mlen, const unsigned char **pk, const unsigned char **RS,
                        size_t num, uint8_t *codes) {
#if !defined(SIGMILL_WITHOUT_BULK)
#if defined(HAS_HASH)
  if (!HAS_HASH)
#endif
  {
    if (HAS_MEMORY && num >= FEWEST_COMBINED && verify_combined(m, mlen, pk, RS, num, codes)) return;
    verify_in_lanes(m, mlen, pk, RS, num, codes);
    return;
  }
#endif
#if defined(SIGMILL_WITHOUT_BULK) || defined(HAS_HASH)
  verify_singly(m, mlen, pk, RS, num, codes);
#endif
}

int ED25519_FN(ed25519_sign_open_batch)(const unsigned char **m, size_t *mlen, const unsigned char **pk,
                                        const unsigned char **RS, size_t num, int *valid) {
  uint8_t *codes;
  size_t first, group, i;
  int result = 0;
  if (num == 0) return 0;
  if (valid == NULL) return num < FEWEST ? 1 : 3;
  if (m == NULL || mlen == NULL || pk == NULL || RS == NULL) {
    for (i = 0; i < num; i++) valid[i] = 0;
    return num < FEWEST ? 1 : 3;
  }
  /* the last num bytes of valid: valid[i] is written when the codes that it covers have been read */
  codes = (uint8_t *)valid + num * (sizeof *valid - 1);
  memset(codes, UNDECIDED, num);
  verify_many(m, mlen, pk, RS, num, codes);
  for (first = 0; first < num; first += group) {
    int bad = 0, not_points = 0;
    group = num - first < GROUP ? num - first : GROUP;
    for (i = first; i < first + group; i++) {
      uint8_t code = codes[i];
      bad |= code != 0;
      not_points |= code == SIGMILL_REASON_KEY_NOT_A_POINT || code == SIGMILL_REASON_R_NOT_A_POINT;
      valid[i] = code == 0;
    }
    if (bad) result |= group < FEWEST || not_points ? 1 : 3;
  }
  return result;
}
