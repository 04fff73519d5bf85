/** Secrets are gone from the module's memory after each call, and those of a held key after `dispose`. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { ed25519, ed25519ph, init, p256, p384, x25519 } from "sigmill";

/** @type {WebAssembly.Memory} */
let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const instance = await instantiate(...given);
  memory = instance.exports.memory;
  return instance;
};
await init();
WebAssembly.instantiate = instantiate;

/** The names of the secrets that lie in the memory: sixteen bytes of one are enough, in either order. */
function found(secrets) {
  const bytes = Buffer.from(memory.buffer);
  const lies = (secret) =>
    [secret, Buffer.from(secret).reverse()].some((order) =>
      [order.subarray(0, 16), order.subarray(order.length - 16)].some((piece) => bytes.includes(piece)),
    );
  return Object.keys(secrets).filter((name) => lies(Buffer.from(secrets[name])));
}

/** A seed of Ed25519, and what signing derives from it. */
function seeded() {
  const seed = randomBytes(32);
  const hash = createHash("sha512").update(seed).digest();
  const scalar = Buffer.from(hash.subarray(0, 32));
  scalar[0] &= 248;
  scalar[31] = (scalar[31] & 63) | 64;
  return { seed, secrets: { seed, scalar, prefix: hash.subarray(32) } };
}

const message = new TextEncoder().encode("attack at dawn");
const digest = new Uint8Array(64).fill(9);

test("Ed25519 and X25519", async () => {
  const peer = x25519.keygen().publicKey;
  const { seed, secrets } = seeded();
  const calls = {
    getPublicKey: () => ed25519.getPublicKey(seed),
    sign: () => ed25519.sign(message, seed),
    "sign, hedged": () => ed25519.sign(message, seed, { hedged: true }),
    "sign, checked": () => ed25519.sign(message, seed, { checked: true }),
    signPrehashed: () => ed25519.signPrehashed(digest, seed),
    signStream: () => ed25519ph.signStream([message], seed),
    keygen: () => ed25519.keygen(seed),
    "x25519.getPublicKey": () => x25519.getPublicKey(seed),
    "x25519.getSharedSecret": () => void (secrets.shared = x25519.getSharedSecret(seed, peer)),
    "x25519.secretKeyFromEd25519": () => x25519.secretKeyFromEd25519(seed),
    exportSecretKey: () => ["pkcs8", "jwk", "raw"].map((format) => ed25519.exportSecretKey(format, seed)),
    "as PEM": () => {
      const text = ed25519.exportSecretKey("pem", seed);
      secrets.pem = Buffer.from(text.split("\n")[1]);
      assert.deepEqual(Buffer.from(ed25519.importSecretKey("pem", text)), seed);
    },
  };
  for (const [name, call] of Object.entries(calls)) {
    await call();
    assert.deepEqual(found(secrets), [], name);
  }
});

for (const [name, curve, width] of [
  ["p256", p256, 32],
  ["p384", p384, 48],
]) {
  test(name, () => {
    const secret = randomBytes(width);
    secret[0] &= 127;
    const calls = {
      getPublicKey: () => curve.getPublicKey(secret),
      sign: () => curve.sign(message, secret),
      "sign, hedged": () => curve.sign(message, secret, { hedged: true }),
      "sign, checked": () => curve.sign(message, secret, { checked: true, format: "der", lowS: true }),
      exportSecretKey: () => ["pkcs8", "sec1", "pem", "jwk"].map((format) => curve.exportSecretKey(format, secret)),
      importSecretKey: () => curve.importSecretKey("pkcs8", curve.exportSecretKey("pkcs8", secret)),
    };
    for (const [action, call] of Object.entries(calls)) {
      call();
      assert.deepEqual(found({ secret }), [], action);
    }
    const held = curve.signingKey(secret);
    held.sign(message);
    held.dispose();
    assert.deepEqual(found({ secret }), []);
  });
}

test("a held key, until it is disposed of", () => {
  const { seed, secrets } = seeded();
  const held = ed25519.signingKey(seed);
  assert.ok(found(secrets).includes("seed"));
  held.sign(message);
  held.dispose();
  assert.deepEqual(found(secrets), []);
});
