/** The same keys and signatures by Node's OpenSSL, by WebCrypto and by noble. */
import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { test } from "node:test";
import { ed25519 as nobleEd, x25519 as nobleX } from "@noble/curves/ed25519.js";
import { p256 as nobleP256, p384 as nobleP384 } from "@noble/curves/nist.js";
import { rows, hex, isNoble, sigmill } from "./vectors.mjs";

const { ed25519, ed25519ph, init, p256, p384, x25519 } = sigmill;
await init();

const EACH = [
  { name: "ed25519", ours: ed25519, type: ["ed25519"], hash: null },
  { name: "x25519", ours: x25519, type: ["x25519"] },
  { name: "p256", ours: p256, type: ["ec", { namedCurve: "P-256" }], hash: "sha256" },
  { name: "p384", ours: p384, type: ["ec", { namedCurve: "P-384" }], hash: "sha384" },
];

for (const { name, ours, type, hash } of EACH) {
  test(`${name}: keys of Node's in containers`, { skip: isNoble && "sigmill/noble has none" }, () => {
    for (let round = 0; round < 4; round++) {
      const { privateKey, publicKey } = generateKeyPairSync(...type);
      const formats = [
        ["pkcs8", privateKey.export({ format: "der", type: "pkcs8" }), "spki", publicKey.export({ format: "der", type: "spki" })],
        ["pem", privateKey.export({ format: "pem", type: "pkcs8" }), "pem", publicKey.export({ format: "pem", type: "spki" })],
        ["jwk", privateKey.export({ format: "jwk" }), "jwk", publicKey.export({ format: "jwk" })],
      ];
      if (hash) formats.push(["sec1", privateKey.export({ format: "der", type: "sec1" }), "spki", formats[0][3]]);
      const keys = formats.map(([secretFormat, secret, publicFormat, key]) => {
        const secretKey = ours.importSecretKey(secretFormat, secret);
        const found = ours.importPublicKey(publicFormat, key);
        assert.deepEqual(ours.getPublicKey(secretKey), found);
        if (secretFormat === "jwk") {
          const sorted = (jwk) => Object.fromEntries(Object.entries(jwk).sort());
          assert.deepEqual(sorted(ours.exportSecretKey("jwk", secretKey)), sorted(secret));
          assert.deepEqual(sorted(ours.exportPublicKey("jwk", found)), sorted(key));
        }
        return { secretKey, publicKey: found };
      });
      for (const key of keys) assert.deepEqual(key, keys[0]);
      const [{ secretKey, publicKey: key }] = keys;
      const back = [
        createPrivateKey({ key: Buffer.from(ours.exportSecretKey("pkcs8", secretKey)), format: "der", type: "pkcs8" }),
        createPrivateKey(ours.exportSecretKey("pem", secretKey)),
      ];
      for (const found of back) assert.ok(found.equals(privateKey));
      assert.ok(createPublicKey({ key: Buffer.from(ours.exportPublicKey("spki", key)), format: "der", type: "spki" }).equals(publicKey));
      assert.ok(createPublicKey(ours.exportPublicKey("pem", key)).equals(publicKey));
      assert.deepEqual(ours.importSecretKey("raw", ours.exportSecretKey("raw", secretKey)), secretKey);
      assert.deepEqual(ours.importPublicKey("raw", ours.exportPublicKey("raw", key)), key);
    }
  });
}

for (const { name, ours, type, hash } of EACH.filter(({ name }) => name !== "x25519")) {
  test(`${name}: signatures both ways`, () => {
    const { privateKey, publicKey } = generateKeyPairSync(...type);
    const secretKey = ours.importSecretKey("jwk", privateKey.export({ format: "jwk" }));
    const key = ours.getPublicKey(secretKey);
    for (const length of [0, 1, 63, 64, 1000]) {
      const message = randomBytes(length);
      for (const format of hash ? ["raw", "der"] : ["raw"]) {
        const dsaEncoding = format === "der" ? "der" : "ieee-p1363";
        const options = hash ? { format } : {};
        const theirs = sign(hash, message, { key: privateKey, dsaEncoding });
        assert.ok(ours.verify(theirs, message, key, options));
        theirs[theirs.length - 1] ^= 1;
        assert.ok(!ours.verify(theirs, message, key, options));
        const signature = ours.sign(message, secretKey, options);
        assert.ok(verify(hash, message, { key: publicKey, dsaEncoding }, signature));
      }
    }
  });
}

test("agreement both ways", () => {
  const [one, other] = [generateKeyPairSync("x25519"), generateKeyPairSync("x25519")];
  const secretKey = x25519.importSecretKey("jwk", one.privateKey.export({ format: "jwk" }));
  const key = x25519.importPublicKey("jwk", other.publicKey.export({ format: "jwk" }));
  const expected = diffieHellman({ privateKey: one.privateKey, publicKey: other.publicKey });
  assert.deepEqual(Buffer.from(x25519.getSharedSecret(secretKey, key)), expected);
  assert.deepEqual(x25519.getSharedSecret(secretKey, key), nobleX.getSharedSecret(secretKey, key));
});

test("noble makes the same keys and signatures", () => {
  for (let round = 0; round < 3; round++) {
    const message = new Uint8Array(randomBytes(40 * round));
    const seed = new Uint8Array(randomBytes(32));
    assert.deepEqual(ed25519.getPublicKey(seed), nobleEd.getPublicKey(seed));
    assert.deepEqual(ed25519.sign(message, seed), nobleEd.sign(message, seed));
    assert.deepEqual(x25519.getPublicKey(seed), nobleX.getPublicKey(seed));
    assert.deepEqual(x25519.publicKeyFromEd25519(ed25519.getPublicKey(seed)), nobleEd.utils.toMontgomery(nobleEd.getPublicKey(seed)));
    // noble's has the bits set that agreement sets
    assert.deepEqual(x25519.getPublicKey(x25519.secretKeyFromEd25519(seed)), nobleX.getPublicKey(nobleEd.utils.toMontgomerySecret(seed)));
    for (const [ours, theirs, width] of [
      [p256, nobleP256, 32],
      [p384, nobleP384, 48],
    ]) {
      const secretKey = new Uint8Array(randomBytes(width));
      secretKey[0] = 0x7f;
      assert.deepEqual(ours.getPublicKey(secretKey, true), theirs.getPublicKey(secretKey));
      for (const lowS of [false, true]) {
        const signature = ours.sign(message, secretKey, { lowS });
        assert.deepEqual(signature, theirs.sign(message, secretKey, { lowS }));
        assert.ok(ours.verify(signature, message, theirs.getPublicKey(secretKey), { lowS }));
      }
    }
  }
});

test("noble's default is the rule zip215, and its zip215: false is no_small_key", () => {
  let [compared, different] = [0, 0];
  for (const row of rows("verify.csv").filter(({ variant }, i) => variant === "pure" && i % 8 === 0)) {
    const [key, message, signature] = [row.key, row.message, row.signature].map(hex);
    if (key.length !== 32 || signature.length !== 64) continue;
    compared += 1;
    assert.equal(ed25519.verify(signature, message, key, { rule: "zip215" }), nobleEd.verify(signature, message, key), `row ${row.id}`);
    const strict = nobleEd.verify(signature, message, key, { zip215: false });
    assert.equal(ed25519.verify(signature, message, key, { rule: "no_small_key" }), strict, `row ${row.id}`);
    different += row.no_small_key !== row.zip215 ? 1 : 0;
  }
  assert.ok(compared > 200 && different > 0);
});

test("a stream signed by Ed25519ph verifies as a whole", async () => {
  const { secretKey, publicKey } = ed25519.keygen();
  const message = new Uint8Array(randomBytes(100_000));
  const signature = await ed25519ph.signStream(new Blob([message]), secretKey);
  assert.deepEqual(signature, ed25519ph.sign(message, secretKey));
  assert.ok(ed25519ph.verify(signature, message, publicKey));
});
