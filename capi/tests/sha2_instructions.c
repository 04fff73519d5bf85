/* Signatures of a long message, for `dist/check`, which runs them in an emulator as several CPUs. Prints for Ed25519 (SHA-512)
 * and P-256 (SHA-256) the signature and the instructions that it took, from the counter of bench/count/plugin.c.
 * usage: sha2_instructions COUNTER */
#include <stdio.h>
#include <string.h>

#include "sigmill.h"

static uint8_t message[1 << 20];

static int count(const char *path, uint64_t *value) {
  FILE *file = fopen(path, "rb");
  size_t read = file ? fread(value, 1, sizeof *value, file) : 0;
  if (file) fclose(file);
  return read == sizeof *value;
}

static int ed25519(const uint8_t *key, uint8_t *signature) {
  return sigmill_ed25519_sign(signature, key, NULL, message, sizeof message);
}

static int p256(const uint8_t *key, uint8_t *signature) {
  size_t size = 64;
  return sigmill_ecdsa_sign(SIGMILL_P256, NULL, signature, &size, key, message, sizeof message);
}

static const struct {
  const char *name;
  int (*sign)(const uint8_t *key, uint8_t *signature);
} schemes[] = {{"ed25519", ed25519}, {"p256", p256}};

int main(int argc, char **argv) {
  const uint8_t key[32] = {1};
  size_t i, j;
  if (argc != 2) return fputs("usage: sha2_instructions COUNTER\n", stderr), 2;
  for (i = 0; i < sizeof message; i++) message[i] = (uint8_t)(i * 37 >> 3);
  for (i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    uint8_t signature[64];
    uint64_t before, after;
    if (!count(argv[1], &before)) return perror(argv[1]), 1;
    if (schemes[i].sign(key, signature) != 0) return fprintf(stderr, "%s: no signature\n", schemes[i].name), 1;
    if (!count(argv[1], &after)) return perror(argv[1]), 1;
    printf("%s ", schemes[i].name);
    for (j = 0; j < sizeof signature; j++) printf("%02x", signature[j]);
    printf(" %llu\n", (unsigned long long)(after - before));
  }
  return 0;
}
