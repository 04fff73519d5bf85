/*
 * ECDSA: every signature of RFC 6979 appendices A.2.5 and A.2.6 of a hash that there is, in every way of making and
 * verifying it; encodings, low s, keys in both forms.
 */
#include "columns.h"

static const struct {
  int curve;
  const char *secret, *public_key; /* uncompressed */
} keys[] = {
    {SIGMILL_P256, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
     "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
     "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"},
    {SIGMILL_P384, "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
     "04ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13"
     "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720"}};

static const struct {
  int curve, hash;
  const char *message, *digest, *signature;
} rows[] = {
    {SIGMILL_P256, SIGMILL_SHA256, "sample",
     "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
     "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65"
     "f3e900dbb9aff4064dc4ab2f843acda8"},
    {SIGMILL_P256, SIGMILL_SHA384, "sample",
     "9a9083505bc92276aec4be312696ef7bf3bf603f4bbd381196a029f340585312313bca4a9b5b890efee42c77b1ee25fe",
     "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef77194861f0491e6998b9455193e34e7b0d28"
     "4ddd7149a74b95b9261f13abde940954"},
    {SIGMILL_P256, SIGMILL_SHA512, "sample",
     "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f49a739468ab8049bf18eef820cdb1ad6c"
     "9015f838556bc7fad4138b23fdf986c7",
     "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f002362ab1adbe2b8adf9cb9edab740ea60"
     "49c028114f2460f96554f61fae3302fe"},
    {SIGMILL_P256, SIGMILL_SHA256, "test",
     "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
     "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c64915"
     "5f267e60d3814b4c0cc84250e46f0083"},
    {SIGMILL_P256, SIGMILL_SHA384, "test",
     "768412320f7b0aa5812fce428dc4706b3cae50e02a64caa16a782249bfe8efc4b7ef1ccb126255d196047dfedf17a0a9",
     "83910e8b48bb0c74244ebdf7f07a1c5413d61472bd941ef3920e623fbccebeb68ddbec54cf8cd5874883841d712142a5"
     "6a8d0f218f5003cb0296b6b509619f2c"},
    {SIGMILL_P256, SIGMILL_SHA512, "test",
     "ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b14"
     "3732c304cc5fa9ad8e6f57f50028a8ff",
     "461d93f31b6540894788fd206c07cfa0cc35f46fa3c91816fff1040ad1581a0439af9f15de0db8d97e72719c74820d30"
     "4ce5226e32dedae67519e840d1194e55"},
    {SIGMILL_P384, SIGMILL_SHA256, "sample",
     "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
     "21b13d1e013c7fa1392d03c5f99af8b30c570c6f98d4ea8e354b63a21d3daa33bde1e888e63355d92fa2b3c36d8fb2cd"
     "f3aa443fb107745bf4bd77cb3891674632068a10ca67e3d45db2266fa7d1feebefdc63eccd1ac42ec0cb8668a4fa0ab0"},
    {SIGMILL_P384, SIGMILL_SHA384, "sample",
     "9a9083505bc92276aec4be312696ef7bf3bf603f4bbd381196a029f340585312313bca4a9b5b890efee42c77b1ee25fe",
     "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46"
     "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"},
    {SIGMILL_P384, SIGMILL_SHA512, "sample",
     "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f49a739468ab8049bf18eef820cdb1ad6c"
     "9015f838556bc7fad4138b23fdf986c7",
     "ed0959d5880ab2d869ae7f6c2915c6d60f96507f9cb3e047c0046861da4a799cfe30f35cc900056d7c99cd7882433709"
     "512c8cceee3890a84058ce1e22dbc2198f42323ce8aca9135329f03c068e5112dc7cc3ef3446defceb01a45c2667fdd5"},
    {SIGMILL_P384, SIGMILL_SHA256, "test",
     "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
     "6d6defac9ab64dabafe36c6bf510352a4cc27001263638e5b16d9bb51d451559f918eedaf2293be5b475cc8f0188636b"
     "2d46f3becbcc523d5f1a1256bf0c9b024d879ba9e838144c8ba6baeb4b53b47d51ab373f9845c0514eefb14024787265"},
    {SIGMILL_P384, SIGMILL_SHA384, "test",
     "768412320f7b0aa5812fce428dc4706b3cae50e02a64caa16a782249bfe8efc4b7ef1ccb126255d196047dfedf17a0a9",
     "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db"
     "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e06a739f040649a667bf3b828246baa5a5"},
    {SIGMILL_P384, SIGMILL_SHA512, "test",
     "ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b14"
     "3732c304cc5fa9ad8e6f57f50028a8ff",
     "a0d5d090c9980faf3c2ce57b7ae951d31977dd11c775d314af55f76c676447d06fb6495cd21b4b6e340fc236584fb277"
     "976984e59b4c77b0e8e4460dca3d9f20e07b9bb1f63beefaf576f6b2e8b224634a2092cd3792e0159ad9cee37659c736"},
};
enum { SIGNATURES = sizeof rows / sizeof *rows };

/* The orders of the groups. */
static const char *const orders[2] = {
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"};

/* out = n - s, big-endian. */
static void other_s(uint8_t *out, const uint8_t *s, int curve) {
  struct bytes order = hex(orders[curve - SIGMILL_P256]);
  int i, borrow = 0;
  for (i = (int)order.size - 1; i >= 0; i--) {
    int byte = order.at[i] - s[i] - borrow;
    borrow = byte < 0;
    out[i] = (uint8_t)(byte + 256 * borrow);
  }
  free(order.at);
}

static void known_signatures(void) {
  int i, j;
  for (i = 0; i < SIGNATURES; i++) {
    int curve = rows[i].curve;
    struct bytes secret = hex(keys[curve - 2].secret), public_key = hex(keys[curve - 2].public_key),
                 digest = hex(rows[i].digest), wanted = hex(rows[i].signature);
    const uint8_t *message = (const uint8_t *)rows[i].message;
    size_t message_size = strlen(rows[i].message), size, half = wanted.size / 2, other_size;
    uint8_t made[104], der[104], compressed[49], low[96], noise[32] = {3}, again[104];
    struct sigmill_ecdsa_key key, moved;
    struct sigmill_ecdsa how;
    int is_low;
    memset(&how, 0, sizeof how);
    how.hash = rows[i].hash;
    EQUAL(sigmill_ecdsa_public_key(curve, made, secret.at), 0);
    SAME_BYTES(made, public_key.at, public_key.size);
    EQUAL(sigmill_ecdsa_key_init(&moved, curve, secret.at), 0);
    memcpy(&key, &moved, sizeof key);
    EQUAL(sigmill_ecdsa_key_wipe(&moved), 0);
    memset(made, 0, sizeof made);
    EQUAL(sigmill_ecdsa_key_public(&key, made), 0);
    SAME_BYTES(made, public_key.at, public_key.size);
    /* the signature itself, of the message and of its digest, with size to spare and without */
    for (j = 0; j < 5; j++) {
      size = j == 0 ? sizeof made : wanted.size;
      memset(made, 0, sizeof made);
      if (j == 0) EQUAL(sigmill_ecdsa_sign(curve, &how, made, &size, secret.at, message, message_size), 0);
      if (j == 1) EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, message, message_size, NULL, 0), 0);
      if (j == 2) EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, message, message_size, NULL, 1), 0);
      if (j >= 3) {
        /* the nonce of a digest is made with the curve's own hash */
        if (rows[i].hash != (curve == SIGMILL_P256 ? SIGMILL_SHA256 : SIGMILL_SHA384)) continue;
        how.hash = j == 3 ? SIGMILL_HASH_NONE : SIGMILL_HASH_OWN;
        EQUAL(sigmill_ecdsa_sign(curve, &how, made, &size, secret.at, j == 3 ? digest.at : message,
                                 j == 3 ? digest.size : message_size),
              0);
        how.hash = rows[i].hash;
      }
      EQUAL(size, wanted.size);
      SAME_BYTES(made, wanted.at, wanted.size);
    }
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, wanted.at,
                               wanted.size),
          0);
    how.hash = SIGMILL_HASH_NONE;
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, digest.at, digest.size, wanted.at,
                               wanted.size),
          0);
    how.hash = -rows[i].hash; /* a digest of which it is said what has made it has the message's signature */
    for (j = 0; j < 2; j++) {
      size = wanted.size;
      memset(made, 0, sizeof made);
      if (j == 0) EQUAL(sigmill_ecdsa_sign(curve, &how, made, &size, secret.at, digest.at, digest.size), 0);
      if (j == 1) EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, digest.at, digest.size, NULL, 0), 0);
      EQUAL(size, wanted.size);
      SAME_BYTES(made, wanted.at, wanted.size);
    }
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, digest.at, digest.size, wanted.at,
                               wanted.size),
          0);
    EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, digest.at, 0, NULL, 0), SIGMILL_ERROR_DIGEST);
    EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, digest.at, digest.size, noise, 0), SIGMILL_ERROR_ALGORITHM);
    EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, digest.at, digest.size, NULL, 1), SIGMILL_ERROR_ALGORITHM);
    how.hash = rows[i].hash == SIGMILL_SHA512 ? SIGMILL_SHA256 : SIGMILL_SHA512; /* another hash */
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, wanted.at,
                               wanted.size),
          SIGMILL_REASON_EQUATION);
    how.hash = rows[i].hash;
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size - 1, wanted.at,
                               wanted.size),
          SIGMILL_REASON_EQUATION);
    /* keys in both forms */
    size = sizeof compressed;
    EQUAL(sigmill_ecdsa_convert_key(curve, 1, compressed, &size, public_key.at, public_key.size), 0);
    EQUAL(size, 1 + half);
    EQUAL(compressed[0], 2 + public_key.at[public_key.size - 1] % 2);
    EQUAL(sigmill_ecdsa_verify(curve, &how, compressed, size, message, message_size, wanted.at, wanted.size), 0);
    other_size = sizeof made;
    EQUAL(sigmill_ecdsa_convert_key(curve, 0, made, &other_size, compressed, size), 0);
    EQUAL(other_size, public_key.size);
    SAME_BYTES(made, public_key.at, public_key.size);
    /* DER, there and back, and nothing but DER */
    size = sizeof der;
    EQUAL(sigmill_ecdsa_convert_signature(curve, SIGMILL_FIXED, SIGMILL_DER, 0, der, &size, wanted.at, wanted.size), 0);
    CHECK(size <= (curve == SIGMILL_P256 ? SIGMILL_P256_SIGNATURE_DER_MAX : SIGMILL_P384_SIGNATURE_DER_MAX));
    EQUAL(der[0], 0x30);
    EQUAL(der[1], size - 2);
    how.encoding = SIGMILL_DER;
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, der, size), 0);
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, der, size - 1),
          SIGMILL_REASON_SIGNATURE_DER);
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, wanted.at,
                               wanted.size),
          SIGMILL_REASON_SIGNATURE_DER);
    other_size = sizeof made;
    EQUAL(sigmill_ecdsa_convert_signature(curve, SIGMILL_DER, SIGMILL_FIXED, 0, made, &other_size, der, size), 0);
    EQUAL(other_size, wanted.size);
    SAME_BYTES(made, wanted.at, wanted.size);
    other_size = size;
    EQUAL(sigmill_ecdsa_sign(curve, &how, made, &other_size, secret.at, message, message_size), 0);
    EQUAL(other_size, size);
    SAME_BYTES(made, der, size);
    how.encoding = SIGMILL_FIXED;
    /* low s */
    other_s(low + half, wanted.at + half, curve);
    memcpy(low, wanted.at, half);
    is_low = memcmp(wanted.at + half, low + half, half) < 0;
    if (is_low) memcpy(low, wanted.at, wanted.size);
    how.low_s = 1;
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, wanted.at,
                               wanted.size),
          is_low ? 0 : SIGMILL_REASON_S_HIGH);
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, low, wanted.size), 0);
    size = sizeof made;
    EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, message, message_size, NULL, i % 2), 0);
    SAME_BYTES(made, low, wanted.size);
    size = sizeof made;
    EQUAL(sigmill_ecdsa_convert_signature(curve, SIGMILL_FIXED, SIGMILL_FIXED, 1, made, &size, wanted.at, wanted.size),
          0);
    SAME_BYTES(made, low, wanted.size);
    how.low_s = 0;
    EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, low, wanted.size), 0);
    /* noise makes another signature, the same for the same noise, checked or not */
    for (j = 0; j < 3; j++) {
      struct bytes of = j < 2 ? copy_of(message, message_size) : copy_of(digest.at, digest.size);
      how.hash = j < 2 ? rows[i].hash : SIGMILL_HASH_NONE;
      size = other_size = sizeof made;
      EQUAL(sigmill_ecdsa_key_sign(&key, &how, made, &size, of.at, of.size, noise, 0), 0);
      EQUAL(sigmill_ecdsa_key_sign(&key, &how, again, &other_size, of.at, of.size, noise, 1), 0);
      EQUAL(size, other_size);
      SAME_BYTES(made, again, size);
      CHECK(memcmp(made, wanted.at, size) != 0);
      EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, of.at, of.size, made, size), 0);
      free(of.at);
    }
    how.hash = rows[i].hash;
    /* r and s out of range */
    for (j = 0; j < 4; j++) {
      struct bytes order = hex(orders[curve - 2]);
      memcpy(made, wanted.at, wanted.size);
      if (j < 2) memset(made + (j == 0 ? 0 : half), 0, half);
      if (j >= 2) memcpy(made + (j == 2 ? 0 : half), order.at, half);
      EQUAL(sigmill_ecdsa_verify(curve, &how, public_key.at, public_key.size, message, message_size, made, wanted.size),
            j % 2 == 0 ? SIGMILL_REASON_R_OUT_OF_RANGE : SIGMILL_REASON_S_OUT_OF_RANGE);
      size = sizeof again;
      EQUAL(sigmill_ecdsa_convert_signature(curve, 0, 1, 0, again, &size, made, wanted.size), SIGMILL_ERROR_SIGNATURE);
      free(order.at);
    }
    EQUAL(sigmill_ecdsa_key_wipe(&key), 0);
    for (j = 0; j < SIGMILL_ECDSA_KEY_WORDS; j++) EQUAL(key.opaque[j], 0);
    free(secret.at);
    free(public_key.at);
    free(digest.at);
    free(wanted.at);
  }
}

/* A key of the system's bytes signs, and is not the same twice. */
static void new_keys(void) {
  int curve;
  for (curve = SIGMILL_P256; curve <= SIGMILL_P384; curve++) {
    uint8_t secret[2][48], public_key[2][97], made[97], signature[96];
    size_t size = sizeof signature, key_size = curve == SIGMILL_P256 ? 65 : 97;
    memset(secret, 0, sizeof secret);
    EQUAL(sigmill_ecdsa_keygen(curve, secret[0], public_key[0]), 0);
    EQUAL(sigmill_ecdsa_keygen(curve, secret[1], public_key[1]), 0);
    CHECK(memcmp(secret[0], secret[1], 32) != 0);
    if (curve == SIGMILL_P256) EQUAL(secret[0][32] | secret[1][47], 0); /* no further than its size */
    EQUAL(sigmill_ecdsa_public_key(curve, made, secret[0]), 0);
    SAME_BYTES(made, public_key[0], key_size);
    EQUAL(sigmill_ecdsa_sign(curve, NULL, signature, &size, secret[0], NULL, 0), 0);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key[0], key_size, NULL, 0, signature, size), 0);
    EQUAL(sigmill_ecdsa_verify(curve, NULL, public_key[1], key_size, NULL, 0, signature, size), SIGMILL_REASON_EQUATION);
  }
}

enum { MANY = 300 };

/* Bulk gives what single gives: keys, signatures, verdicts, both curves and Ed25519 in one table. */
static void in_bulk(void) {
  static uint8_t secrets[2][MANY * 48], public_keys[2][MANY * 97], signatures[2][MANY * 96], message_bytes[MANY][40];
  static struct sigmill_ecdsa_key objects[2][MANY];
  struct bytes *key_column = take(3 * MANY * sizeof *key_column), *signature_column = take(3 * MANY * sizeof *key_column),
               *message_column = take(3 * MANY * sizeof *key_column);
  uint32_t *index = take(3 * MANY * sizeof *index);
  uint8_t *expected = take(3 * MANY), *codes = take(3 * MANY), *scratch;
  const struct sigmill_ecdsa_key *pointers[2][MANY];
  struct bytes messages[MANY];
  struct sigmill_spec specs[5];
  struct built columns[3];
  struct sigmill_table table;
  struct sigmill_bulk how;
  struct sigmill_report report;
  uint64_t random = 11;
  size_t threads = 2, size, i, many = test_step() > 1 ? 21 : MANY, n = 3 * many;
  int curve, backend, strategy, hash;
  memset(&how, 0, sizeof how);
  how.tasks = 4;
  how.run = sigmill_threads;
  how.run_context = &threads;
  memset(specs, 0, sizeof specs);
  specs[0].algorithm = SIGMILL_P256;
  specs[1].algorithm = SIGMILL_P384;
  specs[2].algorithm = SIGMILL_ED25519;
  specs[2].rule = SIGMILL_RULE_NO_SMALL;
  specs[3].algorithm = SIGMILL_P256;
  specs[3].ecdsa.low_s = 1;
  specs[4].algorithm = SIGMILL_P384;
  specs[4].ecdsa.hash = SIGMILL_SHA512;
  for (i = 0; i < many; i++) {
    random_bytes(&random, message_bytes[i], 40);
    messages[i] = copy_of(message_bytes[i], i % 41);
  }
  for (curve = 0; curve < 2; curve++) {
    size_t half = curve == 0 ? 32 : 48, key_size = 2 * half + 1;
    struct built column;
    random_bytes(&random, secrets[curve], sizeof secrets[curve]);
    for (i = 0; i < many; i++) secrets[curve][i * half] &= 0x7f; /* below the order */
    EQUAL(sigmill_bulk_ecdsa_public_keys(curve == 0 ? &how : NULL, 2 + curve, many, secrets[curve], public_keys[curve],
                                         &report),
          0);
    for (i = 0; i < many; i++) {
      uint8_t one[97];
      EQUAL(sigmill_ecdsa_public_key(2 + curve, one, secrets[curve] + half * i), 0);
      SAME_BYTES(one, public_keys[curve] + key_size * i, key_size);
      EQUAL(sigmill_ecdsa_key_init(&objects[curve][i], 2 + curve, secrets[curve] + half * i), 0);
      pointers[curve][i] = &objects[curve][i];
    }
    build(&column, SIGMILL_COLUMN_LARGE_BINARY, many, messages, NULL, 0, NULL);
    for (hash = 0; hash <= SIGMILL_SHA512; hash += hash == 0 ? 256 : 128) {
      struct sigmill_ecdsa with;
      memset(&with, 0, sizeof with);
      with.hash = hash == 0 ? SIGMILL_HASH_OWN : hash;
      EQUAL(sigmill_bulk_ecdsa_sign(hash == 256 ? &how : NULL, pointers[curve], many, hash, &column.column,
                                    signatures[curve], many * 2 * half, &report),
            0);
      for (i = 0; i < many; i += 7) {
        uint8_t one[96];
        size_t one_size = sizeof one;
        EQUAL(sigmill_ecdsa_key_sign(pointers[curve][i], &with, one, &one_size, messages[i].at, messages[i].size, NULL,
                                     0),
              0);
        SAME_BYTES(one, signatures[curve] + 2 * half * i, 2 * half);
      }
    }
    /* digests, and one key for all */
    EQUAL(sigmill_bulk_ecdsa_sign(NULL, pointers[curve], 1, SIGMILL_HASH_OWN, &column.column, signatures[curve],
                                  many * 2 * half, NULL),
          0);
    EQUAL(sigmill_ecdsa_verify(2 + curve, NULL, public_keys[curve], key_size, messages[many - 1].at,
                               messages[many - 1].size, signatures[curve] + 2 * half * (many - 1), 2 * half),
          0);
    EQUAL(sigmill_bulk_ecdsa_sign(NULL, pointers[curve], many, SIGMILL_HASH_OWN, &column.column, signatures[curve],
                                  many * 2 * half, NULL),
          0);
    free_built(&column);
  }
  for (i = 0; i < n; i++) {
    size_t row = i / 3;
    int which = (int)(i % 3);
    message_column[i] = messages[row];
    if (which < 2) {
      size_t half = which == 0 ? 32 : 48;
      key_column[i] = copy_of(public_keys[which] + (2 * half + 1) * row, 2 * half + 1);
      signature_column[i] = copy_of(signatures[which] + 2 * half * row, 2 * half);
    } else {
      uint8_t key[32], signature[64];
      EQUAL(sigmill_ed25519_public_key(key, secrets[0] + 32 * row), 0);
      EQUAL(sigmill_ed25519_sign(signature, secrets[0] + 32 * row, NULL, messages[row].at, messages[row].size), 0);
      key_column[i] = copy_of(key, 32);
      signature_column[i] = copy_of(signature, 64);
    }
    index[i] = (uint32_t)which;
    if (row % 10 == 3) signature_column[i].at[row % 64] ^= 4;
    if (row % 10 == 4) key_column[i].at[row % 32] ^= 8;
    if (row % 10 == 5) signature_column[i].size -= row % 20 == 5;
    if (row % 10 == 6 && which < 2) index[i] = (uint32_t)which + 3;
    if (which == 2) {
      expected[i] = (uint8_t)sigmill_ed25519_verify(specs[index[i]].rule, NULL, key_column[i].at, key_column[i].size,
                                                    message_column[i].at, message_column[i].size,
                                                    signature_column[i].at, signature_column[i].size);
    } else {
      expected[i] = (uint8_t)sigmill_ecdsa_verify(2 + which, &specs[index[i]].ecdsa, key_column[i].at,
                                                  key_column[i].size, message_column[i].at, message_column[i].size,
                                                  signature_column[i].at, signature_column[i].size);
    }
  }
  build(&columns[0], SIGMILL_COLUMN_BINARY, n, key_column, NULL, 0, NULL);
  build(&columns[1], SIGMILL_COLUMN_VIEWS, n, message_column, NULL, 0, NULL);
  build(&columns[2], SIGMILL_COLUMN_POINTERS, n, signature_column, NULL, 0, NULL);
  memset(&table, 0, sizeof table);
  table.keys = columns[0].column;
  table.messages = columns[1].column;
  table.signatures = columns[2].column;
  table.specs = specs;
  table.spec_count = 5;
  table.spec_index = index;
  for (backend = 0; backend <= SIGMILL_BACKEND_SIMD128; backend++) {
    for (strategy = 0; strategy <= SIGMILL_STRATEGY_COMBINED; strategy++) {
      how.backend = backend;
      if (test_step() > 1 && strategy % 3 != 0) continue;
      how.strategy = strategy;
      how.tasks = (size_t)strategy;
      size = sigmill_bulk_scratch_size(&how, n, specs, 5);
      if (size == 0) {
        CHECK(backend >= SIGMILL_BACKEND_AVX2); /* not of this CPU */
        continue;
      }
      scratch = take(size);
      EQUAL(sigmill_bulk_verify(&how, &table, codes, n, &report, scratch, size), SIGMILL_NOT_ALL_VALID);
      for (i = 0; i < n; i++) EQUAL(codes[i], expected[i]);
      EQUAL(report.valid + report.invalid, n);
      free(scratch);
    }
  }
  for (i = 0; i < 3; i++) free_built(&columns[i]);
  for (i = 0; i < n; i++) {
    free(key_column[i].at);
    free(signature_column[i].at);
  }
  for (i = 0; i < many; i++) free(messages[i].at);
  free(key_column);
  free(signature_column);
  free(message_column);
  free(index);
  free(expected);
  free(codes);
}

int main(void) {
  sigmill_cpu_limit(test_cpu());
  known_signatures();
  new_keys();
  in_bulk();
  return finished("ecdsa");
}
