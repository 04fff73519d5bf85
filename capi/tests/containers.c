/*
 * Key containers: the examples of RFC 8410, what is written reads back, and nothing else is read.
 */
#include "test.h"

static const char *const example_private =
    "302e020100300506032b657004220420d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842";
static const char *const example_public =
    "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";

static void examples(void) {
  struct bytes private_der = hex(example_private), public_der = hex(example_public);
  static const char private_pem[] =
      "-----BEGIN PRIVATE KEY-----\n"
      "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n";
  static const char public_pem[] =
      "-----BEGIN PUBLIC KEY-----\n"
      "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
      "-----END PUBLIC KEY-----\n";
  uint8_t seed[32], public_key[32], made[SIGMILL_CONTAINER_MAX];
  size_t size = 32;
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_DER, seed, &size, private_der.at,
                         private_der.size),
        0);
  EQUAL(size, 32);
  SAME_BYTES(seed, private_der.at + 16, 32);
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_SPKI, SIGMILL_FORM_DER, public_key, &size, public_der.at,
                         public_der.size),
        0);
  SAME_BYTES(public_key, public_der.at + 12, 32);
  EQUAL(sigmill_ed25519_public_key(made, seed), 0);
  SAME_BYTES(made, public_key, 32);
  memset(made, 0, 64);
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_PEM, made, &size, (const uint8_t *)private_pem,
                         sizeof private_pem - 1),
        0);
  SAME_BYTES(made, seed, 32);
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_SPKI, SIGMILL_FORM_PEM, made, &size, (const uint8_t *)public_pem,
                         sizeof public_pem - 1),
        0);
  SAME_BYTES(made, public_key, 32);
  size = sizeof made;
  EQUAL(sigmill_key_write(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_DER, made, &size, seed, 32), 0);
  EQUAL(size, private_der.size);
  SAME_BYTES(made, private_der.at, size);
  size = sizeof made;
  EQUAL(sigmill_key_write(SIGMILL_ED25519, SIGMILL_SPKI, SIGMILL_FORM_PEM, made, &size, public_key, 32), 0);
  CHECK(size >= sizeof public_pem - 2); /* with or without the last line end, and no zero */
  SAME_BYTES(made, public_pem, sizeof public_pem - 2);
  CHECK(made[size - 1] != 0);
  free(private_der.at);
  free(public_der.at);
}

static void there_and_back(void) {
  int algorithm, container, form, other, cut;
  for (algorithm = SIGMILL_ED25519; algorithm <= SIGMILL_X25519; algorithm++) {
    int is_curve = algorithm == SIGMILL_P256 || algorithm == SIGMILL_P384;
    size_t secret_size = algorithm == SIGMILL_P384 ? 48 : 32;
    size_t public_size = is_curve ? 2 * secret_size + 1 : 32;
    uint8_t secret[48], public_key[97];
    memset(secret, 0x11 * algorithm, sizeof secret);
    EQUAL(algorithm == SIGMILL_ED25519  ? sigmill_ed25519_public_key(public_key, secret)
          : algorithm == SIGMILL_X25519 ? sigmill_x25519_public_key(public_key, secret)
                                        : sigmill_ecdsa_public_key(algorithm, public_key, secret),
          0);
    for (container = SIGMILL_PKCS8; container <= SIGMILL_SPKI; container++) {
      const uint8_t *key = container == SIGMILL_SPKI ? public_key : secret;
      size_t key_size = container == SIGMILL_SPKI ? public_size : secret_size;
      for (form = SIGMILL_FORM_DER; form <= SIGMILL_FORM_PEM; form++) {
        uint8_t written[SIGMILL_CONTAINER_MAX], read[97], *exact;
        size_t size = sizeof written, read_size = sizeof read, needed;
        int result = sigmill_key_write(algorithm, container, form, written, &size, key, key_size);
        if (!is_curve && container == SIGMILL_SEC1) { /* is for curves alone */
          EQUAL(result, SIGMILL_ERROR_ALGORITHM);
          EQUAL(size, sizeof written);
          EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, written, 40), SIGMILL_ERROR_ALGORITHM);
          continue;
        }
        EQUAL(result, 0);
        CHECK(size > key_size && size <= SIGMILL_CONTAINER_MAX);
        EQUAL(written[0], form == SIGMILL_FORM_DER ? 0x30 : '-');
        EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, written, size), 0);
        EQUAL(read_size, key_size);
        SAME_BYTES(read, key, key_size);
        /* outputs that are too small */
        needed = size;
        memset(read, 0xa5, sizeof read);
        read_size = key_size - 1;
        EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, written, size),
              SIGMILL_ERROR_OUTPUT_SIZE);
        EQUAL(read_size, key_size);
        EQUAL(read[0] == 0xa5 && read[96] == 0xa5, 1);
        exact = take(needed);
        memset(exact, 0xa5, needed);
        size = needed - 1;
        EQUAL(sigmill_key_write(algorithm, container, form, exact, &size, key, key_size), SIGMILL_ERROR_OUTPUT_SIZE);
        EQUAL(size, needed);
        EQUAL(exact[0] == 0xa5 && exact[needed - 1] == 0xa5, 1);
        EQUAL(sigmill_key_write(algorithm, container, form, exact, &size, key, key_size), 0);
        SAME_BYTES(exact, written, needed);
        /* another algorithm, container or form; the beginning alone; another byte; one too many */
        for (other = 0; other < 24; other++) {
          int a = 1 + other % 4, c = other / 4 % 3, f = other / 12;
          if (a == algorithm && c == container && f == form) continue;
          if (a == algorithm && is_curve && form == SIGMILL_FORM_PEM && f == form && c != SIGMILL_SPKI &&
              container != SIGMILL_SPKI) { /* programs write either container under either label */
            uint8_t same[48];
            read_size = sizeof same;
            EQUAL(sigmill_key_read(a, c, f, same, &read_size, written, needed), 0);
            SAME_BYTES(same, key, key_size);
            continue;
          }
          read_size = sizeof read;
          result = sigmill_key_read(a, c, f, read, &read_size, written, needed);
          EQUAL(result, (a == SIGMILL_ED25519 || a == SIGMILL_X25519) && c == SIGMILL_SEC1 ? SIGMILL_ERROR_ALGORITHM
                                                                                          : SIGMILL_ERROR_CONTAINER);
          EQUAL(read_size, sizeof read);
          EQUAL(read[0] == 0xa5 && read[96] == 0xa5, 1);
        }
        for (cut = 0; cut < (int)needed - (form == SIGMILL_FORM_PEM ? 1 : 0); cut += form == SIGMILL_FORM_PEM ? 11 : 1) {
          struct bytes part = copy_of(written, (size_t)cut);
          read_size = sizeof read;
          result = sigmill_key_read(algorithm, container, form, read, &read_size, part.at, part.size);
          EQUAL(result, SIGMILL_ERROR_CONTAINER);
          free(part.at);
        }
        for (cut = 0; cut < (int)needed; cut++) {
          struct bytes changed = copy_of(written, needed);
          changed.at[cut] ^= 0x40;
          read_size = sizeof read;
          result = sigmill_key_read(algorithm, container, form, read, &read_size, changed.at, changed.size);
          CHECK(result == 0 || result == SIGMILL_ERROR_CONTAINER || result == SIGMILL_ERROR_PAIR ||
                result == SIGMILL_ERROR_PUBLIC_KEY || result == SIGMILL_ERROR_SECRET);
          free(changed.at);
        }
        if (form == SIGMILL_FORM_DER) {
          struct bytes more = copy_of(written, needed + 1);
          more.at[needed] = 0;
          read_size = sizeof read;
          EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, more.at, more.size),
                SIGMILL_ERROR_CONTAINER);
          free(more.at);
        }
        free(exact);
        /* keys that are none */
        size = sizeof written;
        EQUAL(sigmill_key_write(algorithm, container, form, written, &size, key, key_size - 1) < 0, 1);
        EQUAL(sigmill_key_write(algorithm, container, form, written, &size, NULL, 0) < 0, 1);
        EQUAL(sigmill_key_write(algorithm, container, form, written, &size, NULL, key_size), SIGMILL_ERROR_NULL);
        EQUAL(sigmill_key_write(algorithm, container, form, written, NULL, key, key_size), SIGMILL_ERROR_NULL);
        EQUAL(sigmill_key_write(algorithm, container, form, NULL, &size, key, key_size), SIGMILL_ERROR_NULL);
        read_size = sizeof read;
        EQUAL(sigmill_key_read(algorithm, container, form, read, NULL, written, needed), SIGMILL_ERROR_NULL);
        EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, NULL, needed), SIGMILL_ERROR_NULL);
        EQUAL(sigmill_key_read(algorithm, container, form, NULL, &read_size, written, needed), SIGMILL_ERROR_NULL);
        EQUAL(sigmill_key_read(algorithm, container, form, read, &read_size, written, SIZE_MAX), SIGMILL_ERROR_LENGTH);
      }
    }
  }
}

static void numbers(void) {
  uint8_t seed[32] = {1}, out[SIGMILL_CONTAINER_MAX];
  size_t size = sizeof out;
  int i;
  for (i = -1; i <= 5; i += i == -1 ? 1 : 5) {
    EQUAL(sigmill_key_write(i, SIGMILL_PKCS8, SIGMILL_FORM_DER, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
    EQUAL(sigmill_key_read(i, SIGMILL_PKCS8, SIGMILL_FORM_DER, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
  }
  for (i = -1; i <= 3; i += 4) {
    EQUAL(sigmill_key_write(SIGMILL_P256, i, SIGMILL_FORM_DER, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
    EQUAL(sigmill_key_read(SIGMILL_P256, i, SIGMILL_FORM_DER, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
    EQUAL(sigmill_key_write(SIGMILL_P256, SIGMILL_SPKI, i < 0 ? i : 2, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
    EQUAL(sigmill_key_read(SIGMILL_P256, SIGMILL_SPKI, i < 0 ? i : 2, out, &size, seed, 32), SIGMILL_ERROR_ALGORITHM);
  }
  EQUAL(size, sizeof out);
}

/* PKCS#8 with a public key that belongs to another secret (version 1, RFC 5958). */
static void pairs(void) {
  struct bytes container = hex(
      "3051020101300506032b657004220420d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842"
      "81210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
  uint8_t seed[32];
  size_t size = 32;
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_DER, seed, &size, container.at, container.size),
        0);
  SAME_BYTES(seed, container.at + 16, 32);
  container.at[container.size - 1] ^= 1;
  memset(seed, 0xa5, 32);
  EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_DER, seed, &size, container.at, container.size),
        SIGMILL_ERROR_PAIR);
  EQUAL(seed[0] == 0xa5 && seed[31] == 0xa5, 1);
  free(container.at);
}

/* PEM as other programs write it. */
static void written_by_others(void) {
  static const char *const texts[] = {
      "\xef\xbb\xbf-----BEGIN PRIVATE KEY-----\r\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwo\r\n\r\n"
      "y/HU++CXqI9EdVhC\r\n-----END PRIVATE KEY-----\r\n\r\n",
      "caf\xe9\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
      "-----BEGIN PRIVATE KEY-----  \n \n\tMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\nmore\n",
      "-----BEGIN EC PRIVATE KEY-----\rMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\r"
      "-----END EC PRIVATE KEY-----"};
  static const char *const wrong[] = {
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PUBLIC KEY-----\n",
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp-K06_nwoy_HU--CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n"};
  struct bytes expected = hex(example_private);
  uint8_t seed[32];
  size_t i, size;
  for (i = 0; i < sizeof texts / sizeof *texts; i++) {
    memset(seed, 0, 32);
    size = 32;
    EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_PEM, seed, &size, (const uint8_t *)texts[i],
                           strlen(texts[i])),
          0);
    SAME_BYTES(seed, expected.at + 16, 32);
  }
  for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    size = 32;
    EQUAL(sigmill_key_read(SIGMILL_ED25519, SIGMILL_PKCS8, SIGMILL_FORM_PEM, seed, &size, (const uint8_t *)wrong[i],
                           strlen(wrong[i])),
          SIGMILL_ERROR_CONTAINER);
  }
  free(expected.at);
}

int main(void) {
  sigmill_cpu_limit(test_cpu());
  written_by_others();
  examples();
  there_and_back();
  numbers();
  pairs();
  return finished("containers");
}
