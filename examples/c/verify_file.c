/*
 * Verifies a detached Ed25519 signature over a file of any size, piece by piece, under a rule that the user names.
 *
 *     cc verify_file.c $(pkg-config --cflags --libs sigmill) -o verify_file
 *     verify_file RULE PUBLIC_KEY.pem SIGNATURE FILE
 *
 * The public key is in PEM (SubjectPublicKeyInfo, as `openssl pkey -pubout` writes it), the signature is 64 bytes, FILE
 * may be `-` for the standard input. Ends with 0 if the signature is valid, with 1 if the rule refuses it, and with 2 if
 * nothing could be decided.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sigmill.h"

enum { VALID = 0, INVALID = 1, UNDECIDED = 2 };

static int undecided(const char *what, const char *why) {
  fprintf(stderr, "verify_file: %s: %s\n", what, why);
  return UNDECIDED;
}

/* Up to *size bytes of a file; *size becomes how many. 0, or a message was written. */
static int read_small(const char *path, uint8_t *bytes, size_t *size) {
  FILE *file = fopen(path, "rb");
  int failed;
  if (file == NULL) return undecided(path, strerror(errno));
  *size = fread(bytes, 1, *size, file);
  failed = ferror(file);
  fclose(file);
  return failed ? undecided(path, "cannot be read") : 0;
}

int main(int argc, char **argv) {
  static uint8_t piece[64 * 1024];
  uint8_t pem[SIGMILL_PEM_READ_MAX], key[SIGMILL_ED25519_PUBLIC_KEY_SIZE];
  uint8_t signature[SIGMILL_ED25519_SIGNATURE_SIZE + 1]; /* one more, so that a longer file is seen to be longer */
  size_t pem_size = sizeof pem, key_size = sizeof key, signature_size = sizeof signature, size;
  struct sigmill_ed25519_verifier verifier;
  FILE *file;
  int rule, result, failed;

  if (argc != 5) return undecided("usage", "verify_file RULE PUBLIC_KEY.pem SIGNATURE FILE");
  rule = sigmill_rule_from_name(argv[1]);
  if (rule < 0) return undecided(argv[1], sigmill_message(rule));

  if (read_small(argv[2], pem, &pem_size) != 0 || read_small(argv[3], signature, &signature_size) != 0) return UNDECIDED;
  result = sigmill_key_read(SIGMILL_ED25519, SIGMILL_SPKI, SIGMILL_FORM_PEM, key, &key_size, pem, pem_size);
  if (result != 0) return undecided(argv[2], sigmill_message(result));

  /* A signature of another size than 64 is not an error here: the rule refuses it at the end, as any other bad one. */
  result = sigmill_ed25519_verifier_init(&verifier, rule, NULL, key, key_size, signature, signature_size);
  if (result != 0) return undecided(argv[3], sigmill_message(result));

  file = strcmp(argv[4], "-") == 0 ? stdin : fopen(argv[4], "rb");
  if (file == NULL) return undecided(argv[4], strerror(errno));
  while (result == 0 && (size = fread(piece, 1, sizeof piece, file)) > 0) {
    result = sigmill_ed25519_verifier_update(&verifier, piece, size);
  }
  /* A file that ends in an error is not the file that was signed, and not one that was not signed either. */
  failed = ferror(file);
  if (file != stdin) fclose(file);
  if (failed) return undecided(argv[4], "cannot be read");
  if (result == 0) result = sigmill_ed25519_verifier_finish(&verifier);

  if (result < 0) return undecided(argv[4], sigmill_message(result));
  if (result > 0) {
    printf("%s: invalid under %s: %s (%s)\n", argv[4], argv[1], sigmill_reason_name(result), sigmill_message(result));
    return INVALID;
  }
  printf("%s: valid under %s\n", argv[4], argv[1]);
  return VALID;
}
