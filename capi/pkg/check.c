/* Whether the library that was built works on this machine: the first two vectors of RFC 8032 section 7.1, made and
 * checked, and one of them spoiled. Says what is wrong and ends with 1, or with 0. */
#include <stdio.h>
#include <string.h>

#include "sigmill.h"

static const struct {
  const char *seed, *public_key, *message, *signature;
} vectors[] = {
  {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
   "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
   "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465514143"
   "8e7a100b"},
  {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
   "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
   "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d2916"
   "12bb0c00"}
};

static size_t bytes(uint8_t *out, const char *hex) {
  size_t i;
  unsigned byte;
  for (i = 0; sscanf(hex + 2 * i, "%2x", &byte) == 1; i++) out[i] = (uint8_t)byte;
  return i;
}

#define CHECK(condition) \
  if (!(condition)) return printf("sigmill: vector %u: not so: %s\n", (unsigned)i + 1, #condition), 1

int main(void) {
  size_t i, size;
  if (sigmill_version() != SIGMILL_VERSION) return puts("sigmill: the library is not of this header's version"), 1;
  for (i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    uint8_t seed[32], key[32], expected_key[32], message[1], signature[64], expected[64];
    bytes(seed, vectors[i].seed);
    bytes(expected_key, vectors[i].public_key);
    size = bytes(message, vectors[i].message);
    bytes(expected, vectors[i].signature);
    CHECK(sigmill_ed25519_public_key(key, seed) == 0 && memcmp(key, expected_key, 32) == 0);
    CHECK(sigmill_ed25519_sign(signature, seed, NULL, message, size) == 0 && memcmp(signature, expected, 64) == 0);
    CHECK(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, key, 32, message, size, signature, 64) == 0);
    signature[0] ^= 1;
    CHECK(sigmill_ed25519_verify(SIGMILL_RULE_STRICT, NULL, key, 32, message, size, signature, 64) > 0);
  }
  printf("sigmill %u.%u.%u: works, with CPU features %u\n", SIGMILL_VERSION_MAJOR, SIGMILL_VERSION_MINOR,
         SIGMILL_VERSION_PATCH, (unsigned)sigmill_cpu_features());
  return 0;
}
