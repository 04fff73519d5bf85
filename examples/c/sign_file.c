/*
 * Signs a file of any size with Ed25519. A signature needs the message two times, so the file is read twice; if it has
 * changed in between, there is no signature.
 *
 *     cc sign_file.c $(pkg-config --cflags --libs sigmill) -o sign_file
 *     sign_file SECRET_KEY.pem FILE SIGNATURE
 *
 * The secret key is in PEM (PKCS#8, as `openssl genpkey -algorithm ed25519` writes it). SIGNATURE is written when the 64
 * bytes are there, and must not exist before. Ends with 0, or with 2 and a message.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sigmill.h"

static int failed(const char *what, const char *why) {
  fprintf(stderr, "sign_file: %s: %s\n", what, why);
  return 2;
}

/* Overwrites a secret; volatile, so that the compiler keeps it although nobody reads the memory again. */
static void wipe(void *bytes, size_t size) {
  volatile uint8_t *byte = bytes;
  while (size > 0) byte[--size] = 0;
}

static int read_key(const char *path, struct sigmill_ed25519_key *key) {
  uint8_t pem[SIGMILL_PEM_READ_MAX], seed[SIGMILL_ED25519_SEED_SIZE];
  size_t pem_size, seed_size = sizeof seed;
  int result;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return failed(path, strerror(errno));
  setbuf(file, NULL); /* no copy of the key in a buffer of the C library's */
  pem_size = fread(pem, 1, sizeof pem, file);
  fclose(file);
  result = sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_PEM, seed, &seed_size, pem, pem_size);
  if (result == 0) result = sigmill_ed25519_key_init(key, seed);
  wipe(pem, sizeof pem);
  wipe(seed, sizeof seed);
  return result == 0 ? 0 : failed(path, sigmill_message(result));
}

/* Gives the whole file to the signer. 0, a result of the library, or 1 where the file cannot be read. */
static int pass(struct sigmill_ed25519_signer *signer, FILE *file) {
  static uint8_t piece[64 * 1024];
  size_t size;
  rewind(file);
  while ((size = fread(piece, 1, sizeof piece, file)) > 0) {
    int result = sigmill_ed25519_signer_update(signer, piece, size);
    if (result != 0) return result;
  }
  return ferror(file) ? 1 : 0;
}

int main(int argc, char **argv) {
  struct sigmill_ed25519_key key;
  struct sigmill_ed25519_signer signer;
  uint8_t signature[SIGMILL_ED25519_SIGNATURE_SIZE];
  FILE *file, *out;
  int result;

  if (argc != 4) return failed("usage", "sign_file SECRET_KEY.pem FILE SIGNATURE");
  if ((out = fopen(argv[3], "rb")) != NULL) {
    fclose(out);
    return failed(argv[3], "exists");
  }
  if (read_key(argv[1], &key) != 0) return 2;
  file = fopen(argv[2], "rb");
  if (file == NULL) {
    sigmill_ed25519_key_wipe(&key);
    return failed(argv[2], strerror(errno));
  }

  /* Without noise: the same file gives the same signature. With 32 random bytes it would be a hedged one. */
  result = sigmill_ed25519_signer_init(&signer, &key, NULL, NULL);
  if (result == 0) result = pass(&signer, file);
  if (result == 0) result = sigmill_ed25519_signer_second_pass(&signer);
  if (result == 0) result = pass(&signer, file);
  if (result == 0) result = sigmill_ed25519_signer_finish(&signer, signature);
  sigmill_ed25519_signer_wipe(&signer);
  sigmill_ed25519_key_wipe(&key);
  fclose(file);
  if (result != 0) return failed(argv[2], result > 0 ? "cannot be read" : sigmill_message(result));

  out = fopen(argv[3], "wb");
  if (out == NULL) return failed(argv[3], strerror(errno));
  result = fwrite(signature, 1, sizeof signature, out) == sizeof signature;
  if (fclose(out) != 0 || !result) {
    remove(argv[3]);
    return failed(argv[3], "cannot be written");
  }
  return 0;
}
