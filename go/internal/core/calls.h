// The library's functions as Go calls them: with plain arguments. Structures that point to the caller's memory are made
// here, as Go must not hand over memory that holds pointers. For cgo these are static functions; for the image that runs
// without cgo they are its entries.
#ifndef SIGMILL_GO_CALLS_H
#define SIGMILL_GO_CALLS_H

#include "sigmill.h"

#if !defined(CALL)
#define CALL static
#endif

// ---- Ed25519 ----

static struct sigmill_variant variant_of(int kind, const uint8_t *context, size_t context_size) {
  struct sigmill_variant variant = {kind, context, context_size};
  return variant;
}

CALL int go_sign(uint8_t *signature, const uint8_t *seed, int kind, const uint8_t *context, size_t context_size,
                 const uint8_t *message, size_t message_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_sign(signature, seed, &variant, message, message_size);
}

CALL int go_key_sign(const struct sigmill_ed25519_key *key, uint8_t *signature, int kind, const uint8_t *context,
                     size_t context_size, const uint8_t *message, size_t message_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_key_sign(key, signature, &variant, message, message_size);
}

CALL int go_verify(int rule, int kind, const uint8_t *context, size_t context_size, const uint8_t *key, size_t key_size,
                   const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_verify(rule, &variant, key, key_size, message, message_size, signature, signature_size);
}

CALL int go_prepared_verify(const struct sigmill_ed25519_prepared *key, int rule, int kind, const uint8_t *context,
                            size_t context_size, const uint8_t *message, size_t message_size, const uint8_t *signature,
                            size_t signature_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_prepared_verify(key, rule, &variant, message, message_size, signature, signature_size);
}

CALL int go_verifier_init(struct sigmill_ed25519_verifier *verifier, int rule, int kind, const uint8_t *context,
                          size_t context_size, const uint8_t *key, size_t key_size, const uint8_t *signature,
                          size_t signature_size) {
  struct sigmill_variant variant = variant_of(kind, context, context_size);
  return sigmill_ed25519_verifier_init(verifier, rule, &variant, key, key_size, signature, signature_size);
}

// ---- columns ----

static struct sigmill_column fixed_column(size_t rows, const uint8_t *values, size_t width) {
  struct sigmill_column column = {0};
  column.layout = SIGMILL_COLUMN_FIXED;
  column.rows = rows;
  column.width = width;
  column.values = values;
  column.values_size = width * rows;
  return column;
}

static struct sigmill_column binary_column(size_t rows, const uint8_t *values, size_t values_size,
                                           const int64_t *offsets) {
  struct sigmill_column column = {0};
  column.layout = SIGMILL_COLUMN_LARGE_BINARY;
  column.rows = rows;
  column.values = values;
  column.values_size = values_size;
  column.offsets = offsets;
  return column;
}

// ---- Ed25519, many rows ----

static struct sigmill_spec spec_of(int rule, int kind, const uint8_t *context, size_t context_size) {
  struct sigmill_spec spec = {SIGMILL_ED25519, rule, {kind, context, context_size}, {0}};
  return spec;
}

CALL size_t go_scratch_size(size_t rows, int rule) {
  struct sigmill_spec spec = spec_of(rule, SIGMILL_PURE, 0, 0);
  return sigmill_bulk_scratch_size(0, rows, &spec, 1);
}

CALL int go_verify_step(int rule, int kind, const uint8_t *context, size_t context_size, size_t rows,
                        const uint8_t *keys, const uint8_t *messages, size_t messages_size, const int64_t *offsets,
                        const uint8_t *signatures, const uint8_t *entropy, uint8_t *codes, uint8_t *scratch,
                        size_t scratch_size, struct sigmill_progress *progress, size_t work) {
  struct sigmill_spec spec = spec_of(rule, kind, context, context_size);
  struct sigmill_table table = {0};
  struct sigmill_bulk how = {0};
  how.entropy = entropy;
  table.keys = fixed_column(rows, keys, 32);
  table.messages = binary_column(rows, messages, messages_size, offsets);
  table.signatures = fixed_column(rows, signatures, 64);
  table.specs = &spec;
  table.spec_count = 1;
  return sigmill_bulk_verify_step(&how, &table, codes, rows, 0, scratch, scratch_size, progress, work);
}

// The most rows that one call signs.
#define GO_SIGN_ROWS 256

// Signs rows with a key each, or all with the only one.
CALL int go_sign_table(const struct sigmill_ed25519_key *keys, size_t key_count, size_t rows, const uint8_t *messages,
                       size_t messages_size, const int64_t *offsets, uint8_t *signatures) {
  const struct sigmill_ed25519_key *list[GO_SIGN_ROWS];
  struct sigmill_column column = binary_column(rows, messages, messages_size, offsets);
  if (rows > GO_SIGN_ROWS || key_count > rows) return SIGMILL_ERROR_LENGTH;
  for (size_t i = 0; i < key_count; i++) list[i] = &keys[i];
  return sigmill_bulk_ed25519_sign(0, list, key_count, 0, &column, signatures, 64 * rows, 0);
}

// ---- ECDSA ----

static struct sigmill_ecdsa policy_of(int fixed, int low_s) {
  struct sigmill_ecdsa policy = {SIGMILL_HASH_NONE, fixed ? SIGMILL_FIXED : SIGMILL_DER, low_s};
  return policy;
}

CALL int go_ecdsa_verify(int curve, int fixed, int low_s, const uint8_t *key, size_t key_size, const uint8_t *digest,
                         size_t digest_size, const uint8_t *signature, size_t signature_size) {
  struct sigmill_ecdsa policy = policy_of(fixed, low_s);
  return sigmill_ecdsa_verify(curve, &policy, key, key_size, digest, digest_size, signature, signature_size);
}

CALL int go_ecdsa_key_sign(const struct sigmill_ecdsa_key *key, uint8_t *signature, size_t signature_size,
                           const uint8_t *digest, size_t digest_size, const uint8_t *noise) {
  struct sigmill_ecdsa policy = policy_of(1, 0);
  return sigmill_ecdsa_key_sign(key, &policy, signature, &signature_size, digest, digest_size, noise, 0);
}

static struct sigmill_spec ecdsa_spec_of(int curve, int fixed, int low_s) {
  struct sigmill_spec spec = {curve, 0, {0, 0, 0}, policy_of(fixed, low_s)};
  return spec;
}

CALL size_t go_ecdsa_scratch_size(size_t rows, int curve) {
  struct sigmill_spec spec = ecdsa_spec_of(curve, 0, 0);
  return sigmill_bulk_scratch_size(0, rows, &spec, 1);
}

CALL int go_ecdsa_verify_table(int curve, int fixed, int low_s, size_t rows, const uint8_t *keys, size_t key_size,
                               const uint8_t *digests, size_t digests_size, const int64_t *digest_offsets,
                               const uint8_t *signatures, size_t signatures_size, const int64_t *signature_offsets,
                               const uint8_t *entropy, uint8_t *codes, uint8_t *scratch, size_t scratch_size) {
  struct sigmill_spec spec = ecdsa_spec_of(curve, fixed, low_s);
  struct sigmill_table table = {0};
  struct sigmill_bulk how = {0};
  how.entropy = entropy;
  table.keys = fixed_column(rows, keys, key_size);
  table.messages = binary_column(rows, digests, digests_size, digest_offsets);
  table.signatures = binary_column(rows, signatures, signatures_size, signature_offsets);
  table.specs = &spec;
  table.spec_count = 1;
  return sigmill_bulk_verify(&how, &table, codes, rows, 0, scratch, scratch_size);
}

// The most rows that one call signs.
#define GO_ECDSA_SIGN_ROWS 64

CALL int go_ecdsa_sign_table(const struct sigmill_ecdsa_key *keys, size_t key_count, size_t rows,
                             const uint8_t *digests, size_t digest_size, uint8_t *signatures, size_t signatures_size) {
  const struct sigmill_ecdsa_key *list[GO_ECDSA_SIGN_ROWS];
  struct sigmill_column column = fixed_column(rows, digests, digest_size);
  if (rows > GO_ECDSA_SIGN_ROWS || key_count > rows) return SIGMILL_ERROR_LENGTH;
  for (size_t i = 0; i < key_count; i++) list[i] = &keys[i];
  return sigmill_bulk_ecdsa_sign(0, list, key_count, SIGMILL_HASH_NONE, &column, signatures, signatures_size, 0);
}

#endif
