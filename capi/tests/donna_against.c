/*
 * The drop-in beside ed25519-donna itself, whose names end in _donna here: the same keys, signatures, verdicts and
 * numbers, and where they differ, only as docs/migrating-from-donna.md says. Run by the script donna-against.
 */
#include "donna_oracle.h"
#include "test.h"

#include "ed25519.h"

void ed25519_publickey_donna(const ed25519_secret_key sk, ed25519_public_key pk);
int ed25519_sign_open_donna(const unsigned char *m, size_t mlen, const ed25519_public_key pk,
                            const ed25519_signature RS);
void ed25519_sign_donna(const unsigned char *m, size_t mlen, const ed25519_secret_key sk, const ed25519_public_key pk,
                        ed25519_signature RS);
int ed25519_sign_open_batch_donna(const unsigned char **m, size_t *mlen, const unsigned char **pk,
                                  const unsigned char **RS, size_t num, int *valid);
void curved25519_scalarmult_basepoint_donna(curved25519_key pk, const curved25519_key e);

enum { MOST = 200 };

static struct {
  uint8_t seed[32], key[32], message[MOST], signature[64];
} row[MOST];

struct batch {
  const unsigned char *message[MOST], *key[MOST], *signature[MOST];
  size_t size[MOST];
  int ours[MOST], theirs[MOST];
  int our_number, their_number;
};

static struct batch batch;

static void verify(size_t rows) {
  batch.our_number =
    ed25519_sign_open_batch(batch.message, batch.size, batch.key, batch.signature, rows, batch.ours);
  batch.their_number =
    ed25519_sign_open_batch_donna(batch.message, batch.size, batch.key, batch.signature, rows, batch.theirs);
}

static void good(size_t i) {
  batch.message[i] = row[i].message;
  batch.size[i] = i;
  batch.key[i] = row[i].key;
  batch.signature[i] = row[i].signature;
}

static void same_keys_and_signatures(void) {
  uint64_t state = 4;
  size_t i, j;
  for (j = 0; j < 20; j++) {
    for (i = 0; i < MOST; i++) {
      uint8_t made[64];
      random_bytes(&state, row[i].seed, 32);
      random_bytes(&state, row[i].message, sizeof row[i].message);
      ed25519_publickey(row[i].seed, row[i].key);
      ed25519_publickey_donna(row[i].seed, made);
      SAME_BYTES(made, row[i].key, 32);
      ed25519_sign(row[i].message, i, row[i].seed, row[i].key, row[i].signature);
      ed25519_sign_donna(row[i].message, i, row[i].seed, row[i].key, made);
      SAME_BYTES(made, row[i].signature, 64);
      curved25519_scalarmult_basepoint(made, row[i].seed);
      curved25519_scalarmult_basepoint_donna(made + 32, row[i].seed);
      SAME_BYTES(made, made + 32, 32);
      good(i);
    }
  }
  printf("  %d keys, signatures and points of Curve25519: the same\n", 20 * MOST);
}

/* A bit of something in one row is another, in batches of every size: the same number, the same valid[]. */
static void same_numbers(void) {
  unsigned long rows_seen = 0, batches = 0, numbers[4] = {0};
  uint64_t state = 5;
  size_t rows, i, at, round;
  for (round = 0; round < 3; round++) {
    for (rows = 0; rows <= MOST; rows += rows < 70 ? 1 : 13) {
      for (at = 0; at <= rows; at += 1 + random_number(&state) % 16) {
        uint8_t key[32], signature[64], message[MOST];
        size_t bit = random_number(&state);
        if (at < rows) {
          memcpy(key, row[at].key, 32);
          memcpy(signature, row[at].signature, 64);
          memcpy(message, row[at].message, MOST);
          switch (random_number(&state) % 4) {
            case 0: key[bit / 8 % 32] ^= (uint8_t)(1 << bit % 8); break;
            case 1: signature[bit / 8 % 32] ^= (uint8_t)(1 << bit % 8); break;
            case 2: signature[32 + bit / 8 % 32] ^= (uint8_t)(1 << bit % 8); break;
            default: message[at > 0 ? bit % at : 0] ^= 1;
          }
          batch.message[at] = message;
          batch.key[at] = key;
          batch.signature[at] = signature;
        }
        verify(rows);
        EQUAL(batch.our_number, batch.their_number);
        for (i = 0; i < rows; i++) EQUAL(batch.ours[i], batch.theirs[i]);
        numbers[batch.our_number & 3]++;
        batches++;
        rows_seen += rows;
        if (at < rows) good(at);
      }
    }
  }
  printf("  %lu batches, %lu rows, one of them changed: the same numbers (%lu times 0, %lu times 1, %lu times 3)\n",
         batches, rows_seen, numbers[0], numbers[1], numbers[3]);
  CHECK(numbers[0] > 50 && numbers[1] > 100 && numbers[2] == 0 && numbers[3] > 100);
}

/* Every frozen row alone, and among seven good ones. */
static void same_verdicts(void) {
  unsigned long alone = 0, valid = 0, same = 0, holes = 0, twos = 0;
  struct vectors vectors = read_vectors();
  size_t i, j;
  for (i = 0; i < vectors.rows; i++) {
    const struct vector *vector = &vectors.at[i];
    int ours, at = (int)(i % 8);
    if (vector->variant.kind != SIGMILL_PURE || vector->key.size != 32 || vector->signature.size != 64) continue;
    ours = ed25519_sign_open(vector->message.at, vector->message.size, vector->key.at, vector->signature.at);
    EQUAL(ours, ed25519_sign_open_donna(vector->message.at, vector->message.size, vector->key.at,
                                        vector->signature.at));
    EQUAL(ours == 0, vector->code[SIGMILL_RULE_LEGACY] == 0);
    alone++;
    valid += ours == 0;
    batch.message[at] = vector->message.at;
    batch.size[at] = vector->message.size;
    batch.key[at] = vector->key.at;
    batch.signature[at] = vector->signature.at;
    verify(8);
    for (j = 0; j < 8; j++) EQUAL(batch.ours[j], (int)j != at || ours == 0);
    EQUAL(batch.our_number == 0, ours == 0);
    for (j = 0; j < 8; j++) {
      if ((int)j != at) EQUAL(batch.theirs[j], 1);
    }
    if (batch.ours[at] == batch.theirs[at] && batch.our_number == batch.their_number) {
      same++;
    } else if (ours != 0 && batch.theirs[at] == 1) {
      EQUAL(batch.their_number, 0);
      holes++;
    } else {
      /* all are valid, and ed25519-donna says so, but its number is 2: torsion was in the way of its equation */
      EQUAL(batch.theirs[at], 1);
      EQUAL(batch.ours[at], 1);
      EQUAL(batch.their_number, 2);
      EQUAL(batch.our_number, 0);
      twos++;
    }
    good((size_t)at);
  }
  printf("  %lu frozen rows alone: the same verdict, %lu valid\n", alone, valid);
  printf("  the same rows among 7 good ones, in a batch: %lu as there; %lu that ed25519-donna's batch accepts and its\n"
         "  ed25519_sign_open refuses, refused here; %lu valid ones where its number is 2 and 0 here\n",
         same, holes, twos);
  CHECK(alone > (test_step() == 1 ? 1500 : 0) && (holes > 0 || test_step() > 1));
  free_vectors(&vectors);
}

/* S + 2l is what ed25519_sign_open refuses, and ed25519-donna's batch does not look at. */
static void hole(void) {
  static const uint8_t order_twice[32] = {0xda, 0xa7, 0xeb, 0xb9, 0x34, 0xc6, 0x24, 0xb0, 0xac, 0x39, 0xef,
                                          0x45, 0xbd, 0xf3, 0xbd, 0x29, 0,    0,    0,    0,    0,    0,
                                          0,    0,    0,    0,    0,    0,    0,    0,    0,    0x20};
  size_t rows, i;
  for (rows = 4; rows <= 68; rows += 32) {
    size_t at = rows / 2;
    uint8_t signature[64];
    unsigned carry = 0;
    memcpy(signature, row[at].signature, 64);
    for (i = 0; i < 32; i++) {
      carry += (unsigned)signature[32 + i] + order_twice[i];
      signature[32 + i] = (uint8_t)carry;
      carry >>= 8;
    }
    EQUAL(ed25519_sign_open_donna(row[at].message, at, row[at].key, signature), -1);
    EQUAL(ed25519_sign_open(row[at].message, at, row[at].key, signature), -1);
    batch.signature[at] = signature;
    verify(rows);
    EQUAL(batch.their_number, 0);
    EQUAL(batch.theirs[at], 1);
    EQUAL(batch.our_number, 3);
    EQUAL(batch.ours[at], 0);
    good(at);
  }
  printf("  S + 2l in a batch: ed25519-donna accepts it, refused here\n");
}

static void oracle(void) {
  CHECK(oracle_recovers(ed25519_sign_donna, row[0].seed, row[0].key, row[1].key));
  CHECK(!oracle_recovers(ed25519_sign, row[0].seed, row[0].key, row[1].key));
  printf("  two signatures under two public keys: ed25519-donna gives the secret scalar away, not here\n");
}

int main(void) {
  same_keys_and_signatures();
  same_numbers();
  same_verdicts();
  hole();
  oracle();
  return finished("donna_against");
}
