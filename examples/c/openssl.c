/*
 * Keys and signatures to OpenSSL and from it, in the form in which programs exchange them: private keys as PKCS#8 and
 * public keys as SubjectPublicKeyInfo, both in PEM; signatures of Ed25519, and in DER of ECDSA on P-256 and P-384.
 *
 *     cc openssl.c $(pkg-config --cflags --libs sigmill libcrypto) -o openssl
 *
 * Needs OpenSSL 1.1.1 or newer. Prints a line for each algorithm and direction, and ends with 0; or says what does not
 * hold, and ends with 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

#include "sigmill.h"

/* Ends the program where something does not hold. Whatever it holds then goes with it. */
#define MUST(condition) ((condition) ? (void)0 : does_not_hold(__LINE__, #condition))

static void does_not_hold(int line, const char *condition) {
  fprintf(stderr, "openssl.c:%d: does not hold: %s\n", line, condition);
  exit(1);
}

static const struct algorithm {
  const char *name;
  int ours, theirs; /* SIGMILL_..., and OpenSSL's number of the curve or the algorithm */
  size_t secret_size, public_size;
} algorithms[] = {
  {"Ed25519", SIGMILL_ED25519, NID_ED25519, SIGMILL_ED25519_SEED_SIZE, SIGMILL_ED25519_PUBLIC_KEY_SIZE},
  {"P-256", SIGMILL_P256, NID_X9_62_prime256v1, SIGMILL_P256_SECRET_SIZE, SIGMILL_P256_PUBLIC_KEY_SIZE},
  {"P-384", SIGMILL_P384, NID_secp384r1, SIGMILL_P384_SECRET_SIZE, SIGMILL_P384_PUBLIC_KEY_SIZE}
};

/* As large as the largest, and the sizes of what is in it. */
struct key {
  uint8_t secret[SIGMILL_P384_SECRET_SIZE], public_key[SIGMILL_P384_PUBLIC_KEY_SIZE];
  size_t secret_size, public_size;
};
struct signature {
  uint8_t bytes[SIGMILL_P384_SIGNATURE_DER_MAX + 40]; /* OpenSSL asks for some more than it writes */
  size_t size;
};

static const uint8_t message[] = "attack at dawn";
enum { MESSAGE_SIZE = sizeof message - 1 };

/* ---- ours --------------------------------------------------------------------------------------------------- */

static const struct sigmill_ecdsa der = {SIGMILL_HASH_OWN, SIGMILL_DER, 0};

static void our_new_key(const struct algorithm *algorithm, struct key *key) {
  key->secret_size = algorithm->secret_size;
  key->public_size = algorithm->public_size;
  MUST((algorithm->ours == SIGMILL_ED25519 ? sigmill_ed25519_keygen(key->secret, key->public_key)
                                           : sigmill_ecdsa_keygen(algorithm->ours, key->secret, key->public_key)) == 0);
}

static void our_signature(const struct algorithm *algorithm, const struct key *key, struct signature *signature) {
  signature->size = sizeof signature->bytes;
  if (algorithm->ours == SIGMILL_ED25519) {
    signature->size = SIGMILL_ED25519_SIGNATURE_SIZE;
    MUST(sigmill_ed25519_sign(signature->bytes, key->secret, NULL, message, MESSAGE_SIZE) == 0);
  } else {
    MUST(sigmill_ecdsa_sign(algorithm->ours, &der, signature->bytes, &signature->size, key->secret, message,
                            MESSAGE_SIZE) == 0);
  }
}

/* 0, or why not. The rule `common` is what OpenSSL does with Ed25519. */
static int our_verdict(const struct algorithm *algorithm, const struct key *key, const struct signature *signature,
                       size_t message_size) {
  return algorithm->ours == SIGMILL_ED25519
             ? sigmill_ed25519_verify(SIGMILL_RULE_COMMON, NULL, key->public_key, key->public_size, message,
                                      message_size, signature->bytes, signature->size)
             : sigmill_ecdsa_verify(algorithm->ours, &der, key->public_key, key->public_size, message, message_size,
                                    signature->bytes, signature->size);
}

/* ---- OpenSSL's ---------------------------------------------------------------------------------------------- */

static EVP_PKEY *their_new_key(const struct algorithm *algorithm) {
  EVP_PKEY *key = NULL;
  int curve = algorithm->ours == SIGMILL_ED25519 ? 0 : algorithm->theirs;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(curve == 0 ? EVP_PKEY_ED25519 : EVP_PKEY_EC, NULL);
  MUST(context != NULL && EVP_PKEY_keygen_init(context) == 1);
  MUST(curve == 0 || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, curve) == 1);
  MUST(EVP_PKEY_keygen(context, &key) == 1);
  EVP_PKEY_CTX_free(context);
  return key;
}

static const EVP_MD *their_hash(const struct algorithm *algorithm) {
  return algorithm->ours == SIGMILL_ED25519 ? NULL : algorithm->ours == SIGMILL_P256 ? EVP_sha256() : EVP_sha384();
}

static void their_signature(const struct algorithm *algorithm, EVP_PKEY *key, struct signature *signature) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  signature->size = sizeof signature->bytes;
  MUST(context != NULL && EVP_DigestSignInit(context, NULL, their_hash(algorithm), NULL, key) == 1);
  MUST(EVP_DigestSign(context, signature->bytes, &signature->size, message, MESSAGE_SIZE) == 1);
  EVP_MD_CTX_free(context);
}

static int their_verdict(const struct algorithm *algorithm, EVP_PKEY *key, const struct signature *signature,
                         size_t message_size) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int valid;
  MUST(context != NULL && EVP_DigestVerifyInit(context, NULL, their_hash(algorithm), NULL, key) == 1);
  valid = EVP_DigestVerify(context, signature->bytes, signature->size, message, message_size) == 1;
  EVP_MD_CTX_free(context);
  return valid;
}

/* ---- both ways ---------------------------------------------------------------------------------------------- */

static void read_pem(const struct algorithm *algorithm, int container, BIO *pem, uint8_t *key, size_t *key_size,
                     size_t expected) {
  char *bytes;
  long size = BIO_get_mem_data(pem, &bytes);
  *key_size = expected;
  MUST(size > 0 && sigmill_key_read(algorithm->ours, container, SIGMILL_FORM_PEM, key, key_size, (uint8_t *)bytes,
                                    (size_t)size) == 0);
  MUST(*key_size == expected);
  BIO_free(pem);
}

/* A key of theirs, read from what they write. */
static void from_openssl(const struct algorithm *algorithm) {
  EVP_PKEY *theirs = their_new_key(algorithm);
  BIO *secret_pem = BIO_new(BIO_s_mem()), *public_pem = BIO_new(BIO_s_mem());
  struct signature signature, ours;
  struct key key;
  MUST(PEM_write_bio_PKCS8PrivateKey(secret_pem, theirs, NULL, NULL, 0, NULL, NULL) == 1);
  MUST(PEM_write_bio_PUBKEY(public_pem, theirs) == 1);
  read_pem(algorithm, SIGMILL_PKCS8, secret_pem, key.secret, &key.secret_size, algorithm->secret_size);
  read_pem(algorithm, SIGMILL_SPKI, public_pem, key.public_key, &key.public_size, algorithm->public_size);

  their_signature(algorithm, theirs, &signature);
  MUST(our_verdict(algorithm, &key, &signature, MESSAGE_SIZE) == 0);
  MUST(our_verdict(algorithm, &key, &signature, MESSAGE_SIZE - 1) > 0);
  our_signature(algorithm, &key, &ours);
  MUST(their_verdict(algorithm, theirs, &ours, MESSAGE_SIZE));
  MUST(!their_verdict(algorithm, theirs, &ours, MESSAGE_SIZE - 1));
  /* Ed25519 has one signature for a key and a message, and ECDSA as many as there are nonces */
  MUST(algorithm->ours != SIGMILL_ED25519 || memcmp(signature.bytes, ours.bytes, ours.size) == 0);
  EVP_PKEY_free(theirs);
  printf("%s: a key of OpenSSL's, read here from PEM: its signature is valid here, and ours there\n", algorithm->name);
}

/* A key of ours, read by them from what we write. */
static void to_openssl(const struct algorithm *algorithm) {
  uint8_t pem[SIGMILL_CONTAINER_MAX];
  size_t size = sizeof pem;
  struct signature signature;
  struct key key;
  EVP_PKEY *secret, *public_key;
  BIO *bio;
  our_new_key(algorithm, &key);
  MUST(sigmill_key_write(algorithm->ours, SIGMILL_PKCS8, SIGMILL_FORM_PEM, pem, &size, key.secret, key.secret_size) == 0);
  bio = BIO_new_mem_buf(pem, (int)size);
  secret = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
  BIO_free(bio);
  size = sizeof pem;
  MUST(sigmill_key_write(algorithm->ours, SIGMILL_SPKI, SIGMILL_FORM_PEM, pem, &size, key.public_key, key.public_size) ==
       0);
  bio = BIO_new_mem_buf(pem, (int)size);
  public_key = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
  BIO_free(bio);
  MUST(secret != NULL && public_key != NULL);

  our_signature(algorithm, &key, &signature);
  MUST(their_verdict(algorithm, public_key, &signature, MESSAGE_SIZE));
  MUST(!their_verdict(algorithm, public_key, &signature, MESSAGE_SIZE - 1));
  their_signature(algorithm, secret, &signature);
  MUST(our_verdict(algorithm, &key, &signature, MESSAGE_SIZE) == 0);
  signature.bytes[signature.size - 1] ^= 1;
  MUST(our_verdict(algorithm, &key, &signature, MESSAGE_SIZE) > 0);
  EVP_PKEY_free(secret);
  EVP_PKEY_free(public_key);
  printf("%s: a key of ours, read by OpenSSL from PEM: our signature is valid there, and its here\n", algorithm->name);
}

int main(void) {
  size_t i;
  for (i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    from_openssl(&algorithms[i]);
    to_openssl(&algorithms[i]);
  }
  return 0;
}
