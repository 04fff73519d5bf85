/*
 * One call of everything, with known results: what surroundings (threads, processes, plugins, other compilers) are
 * tried with. Nothing in here is written by two calls.
 */
#ifndef SIGMILL_TEST_EVERYTHING_H
#define SIGMILL_TEST_EVERYTHING_H

#include "sigmill.h"

#include <stdlib.h>
#include <string.h>

/* The line that is wrong, or 0. */
static int everything(unsigned number) {
#define MUST(condition)                 \
  do {                                  \
    if (!(condition)) return __LINE__;  \
  } while (0)
  enum { ROWS = 70 };
  struct room {
    struct sigmill_ed25519_key key;
    struct sigmill_ed25519_prepared prepared;
    struct sigmill_ed25519_verifier verifier;
    struct sigmill_ed25519_signer signer;
    struct sigmill_ed25519_facts facts;
    struct sigmill_ecdsa_key ecdsa;
    struct sigmill_progress progress;
    uint8_t keys[ROWS * 32], signatures[ROWS * 64], messages[ROWS], codes[ROWS], seeds[ROWS * 32];
  } *room = (struct room *)malloc(sizeof *room);
  uint8_t seed[32], pair[64], key[32], message[100], signature[64], made[64], secret[48], point[97], out[512];
  struct sigmill_variant ph;
  struct sigmill_table table;
  struct sigmill_spec spec;
  struct sigmill_bulk how;
  struct sigmill_report report;
  const struct sigmill_ed25519_key *keys[1];
  size_t size, i, threads = 2;
  void *scratch;
  int curve, result;
  MUST(room != NULL);
  memset(seed, (int)number, sizeof seed);
  memset(message, (int)(number * 3), sizeof message);
  MUST(sigmill_ed25519_public_key(key, seed) == 0);
  memcpy(pair, seed, 32);
  memcpy(pair + 32, key, 32);
  MUST(sigmill_ed25519_sign(signature, seed, NULL, message, 100) == 0);
  MUST(sigmill_ed25519_sign_pair(made, pair, NULL, message, 100) == 0);
  MUST(memcmp(made, signature, 64) == 0);
  MUST(sigmill_hazmat_ed25519_expand(out, seed) == 0);
  MUST(sigmill_hazmat_ed25519_public_key(made, out) == 0);
  MUST(memcmp(made, key, 32) == 0);
  MUST(sigmill_hazmat_ed25519_sign(made, out, NULL, message, 100) == 0);
  MUST(memcmp(made, signature, 64) == 0);
  MUST(sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key, 32, message, 100, signature, 64) == 0);
  MUST(sigmill_ed25519_verify(SIGMILL_RULE_ZIP215, NULL, key, 32, message, 99, signature, 64) ==
       SIGMILL_REASON_EQUATION);
  MUST(sigmill_ed25519_key_init(&room->key, seed) == 0);
  MUST(sigmill_ed25519_key_sign_checked(&room->key, made, NULL, message, 100, NULL) == 0);
  MUST(memcmp(made, signature, 64) == 0);
  MUST(sigmill_ed25519_key_sign_hedged(&room->key, made, NULL, message, 100, NULL) == 0);
  MUST(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, key, 32, message, 100, made, 64) == 0);
  memset(&ph, 0, sizeof ph);
  ph.kind = SIGMILL_PH;
  MUST(sigmill_ed25519_key_sign(&room->key, made, &ph, message, 100) == 0);
  MUST(sigmill_ed25519_prepare(&room->prepared, key) == 0);
  MUST(sigmill_ed25519_prepared_verify(&room->prepared, SIGMILL_RULE_LEGACY, &ph, message, 100, made, 64) == 0);
  MUST(sigmill_ed25519_verifier_init(&room->verifier, SIGMILL_RULE_RFC8032, NULL, key, 32, signature, 64) == 0);
  MUST(sigmill_ed25519_verifier_update(&room->verifier, message, 50) == 0);
  MUST(sigmill_ed25519_verifier_update(&room->verifier, message + 50, 50) == 0);
  MUST(sigmill_ed25519_verifier_finish(&room->verifier) == 0);
  MUST(sigmill_ed25519_signer_init(&room->signer, &room->key, NULL, NULL) == 0);
  MUST(sigmill_ed25519_signer_update(&room->signer, message, 100) == 0);
  MUST(sigmill_ed25519_signer_second_pass(&room->signer) == 0);
  MUST(sigmill_ed25519_signer_update(&room->signer, message, 100) == 0);
  MUST(sigmill_ed25519_signer_finish(&room->signer, made) == 0);
  MUST(memcmp(made, signature, 64) == 0);
  MUST(sigmill_ed25519_explain(&room->facts, NULL, key, message, 100, signature) == 0);
  MUST(room->facts.exact == 1 && room->facts.verdict[SIGMILL_RULE_NO_SMALL] == 0);
  MUST(sigmill_ed25519_keygen(made, key) == 0);
  MUST(sigmill_ed25519_check_key(SIGMILL_RULE_STRICT, key, 32) == 0);
  /* X25519, ECDSA, containers */
  MUST(sigmill_x25519_keygen(secret, point) == 0);
  MUST(sigmill_x25519_public_key(made, seed) == 0);
  MUST(sigmill_x25519(made, secret, made) == 0);
  MUST(sigmill_x25519(made + 32, seed, point) == 0);
  MUST(memcmp(made, made + 32, 32) == 0);
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    MUST(sigmill_ecdsa_keygen(curve, secret, point) == 0);
    size = sizeof out;
    MUST(sigmill_ecdsa_sign(curve, NULL, out, &size, secret, message, 100) == 0);
    MUST(sigmill_ecdsa_verify(curve, NULL, point, curve == SIGMILL_P256 ? 65 : 97, message, 100, out, size) == 0);
    MUST(sigmill_ecdsa_key_init(&room->ecdsa, curve, secret) == 0);
    size = sizeof out;
    MUST(sigmill_ecdsa_key_sign(&room->ecdsa, NULL, out, &size, message, 100, seed, 1) == 0);
    MUST(sigmill_ecdsa_verify(curve, NULL, point, curve == SIGMILL_P256 ? 65 : 97, message, 100, out, size) == 0);
    MUST(sigmill_ecdsa_key_wipe(&room->ecdsa) == 0);
    size = sizeof out;
    MUST(sigmill_key_write(curve, SIGMILL_PKCS8, SIGMILL_FORM_PEM, out, &size, secret, curve == SIGMILL_P256 ? 32 : 48) ==
         0);
    memcpy(out + 400, secret, 48);
    i = 48;
    MUST(sigmill_key_read(curve, SIGMILL_PKCS8, SIGMILL_FORM_PEM, secret, &i, out, size) == 0);
    MUST(memcmp(out + 400, secret, i) == 0);
  }
  /* bulk */
  memset(room->seeds, (int)number + 1, sizeof room->seeds);
  MUST(sigmill_bulk_ed25519_public_keys(NULL, ROWS, room->seeds, room->keys) == 0);
  memset(&table, 0, sizeof table);
  memset(&spec, 0, sizeof spec);
  memset(&how, 0, sizeof how);
  table.keys.rows = table.messages.rows = table.signatures.rows = ROWS;
  table.keys.width = 32;
  table.keys.values = room->keys;
  table.keys.values_size = sizeof room->keys;
  table.messages.width = 1;
  table.messages.values = room->messages;
  table.messages.values_size = sizeof room->messages;
  table.signatures.width = 64;
  table.signatures.values = room->signatures;
  table.signatures.values_size = sizeof room->signatures;
  table.specs = &spec;
  table.spec_count = 1;
  spec.algorithm = SIGMILL_ED25519;
  spec.rule = 1 + (int)(number % 8);
  how.tasks = number % 3;
  how.run = number % 2 == 0 ? sigmill_threads : NULL;
  how.run_context = &threads;
  for (i = 0; i < ROWS; i++) room->messages[i] = (uint8_t)i;
  MUST(sigmill_ed25519_key_init(&room->key, room->seeds) == 0);
  keys[0] = &room->key;
  MUST(sigmill_bulk_ed25519_sign(&how, keys, 1, NULL, &table.messages, room->signatures, sizeof room->signatures,
                                 &report) == 0);
  room->signatures[64 * 33] ^= 1;
  size = sigmill_bulk_scratch_size(&how, ROWS, &spec, 1);
  scratch = malloc(size);
  MUST(scratch != NULL);
  MUST(sigmill_bulk_verify(&how, &table, room->codes, ROWS, &report, scratch, size) == SIGMILL_NOT_ALL_VALID);
  for (i = 0; i < ROWS; i++) MUST((room->codes[i] == 0) == (i != 33));
  MUST(sigmill_progress_init(&room->progress) == 0);
  do {
    result = sigmill_bulk_verify_step(&how, &table, room->codes, ROWS, &report, scratch, size, &room->progress, 100);
  } while (result == SIGMILL_UNFINISHED);
  MUST(result == SIGMILL_NOT_ALL_VALID);
  for (i = 0; i < ROWS; i++) MUST((room->codes[i] == 0) == (i != 33));
  free(scratch);
  MUST(sigmill_bulk_x25519_public_keys(&how, ROWS, room->seeds, room->keys) == 0);
  MUST(sigmill_bulk_x25519(&how, ROWS, room->seeds, 1, room->keys, room->signatures, room->codes) == 0);
  MUST(sigmill_ed25519_key_wipe(&room->key) == 0);
  free(room);
  return 0;
#undef MUST
}

#endif
