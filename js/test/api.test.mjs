/** Every function, and wrong uses of it: an error that says what was seen, and a module that goes on working. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as inline from "sigmill/inline";
import * as small from "sigmill/ed25519";
import { Slot } from "../src/module.js";
import { isNoble, sigmill } from "./vectors.mjs";

const { ed25519, ed25519ctx, ed25519ph, init, p256, p384, SigmillError, verifyColumns, x25519 } = sigmill;
const skip = isNoble && "only of WebAssembly";
const wasm = readFileSync(new URL("../dist/sigmill.wasm", import.meta.url));
const message = new TextEncoder().encode("attack at dawn");
const seed = new Uint8Array(32).fill(7);

const fails = (call, code, text) =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof SigmillError && error instanceof Error, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
  });

test("before init every call says so", { skip }, async () => {
  for (const call of [
    () => ed25519.keygen(),
    () => ed25519.verify(new Uint8Array(64), message, new Uint8Array(32)),
    () => x25519.keygen(),
    () => p256.sign(message, seed),
    () => verifyColumns({ keys: [], messages: [], signatures: [] }),
    () => small.ed25519.getPublicKey(seed),
  ]) {
    fails(call, "not_initialized", /await init\(\)/);
  }
  await assert.rejects(ed25519.verifyStream(new Uint8Array(64), [], new Uint8Array(32)), { code: "not_initialized" });
});

test("init refuses what is no module", { skip }, async () => {
  await assert.rejects(init(new TextEncoder().encode("<!doctype html>")), (error) => {
    assert.equal(error.code, "module");
    assert.match(error.message, /15 bytes that begin with "<!doctype ht".*sigmill\/inline/);
    return true;
  });
  await assert.rejects(init("sigmill.wasm"), { code: "type", message: /a string of 12 characters/ });
  await assert.rejects(init(new Response("", { status: 404, statusText: "Not Found" })), { code: "module", message: /404 Not Found/ });
  await assert.rejects(init(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)), { code: "module", message: /version none/ });
  const withoutAddress = new Slot(() => new URL("sigmill.wasm", undefined));
  await assert.rejects(withoutAddress.init(), { code: "module", message: /address of the module is unknown.*sigmill\/inline/ });
  await assert.rejects(init(wasm.subarray(0, 5000)), { code: "module", message: /does not compile/ });
});

test("init takes bytes, a module, an answer; later calls do nothing", { skip }, async () => {
  await Promise.all([init(new Response(wasm)), init()]);
  const { publicKey } = ed25519.keygen();
  await init();
  assert.equal(publicKey.length, 32);
  await inline.init();
  await small.init(readFileSync(new URL("../dist/ed25519.wasm", import.meta.url)));
  assert.deepEqual(inline.ed25519.getPublicKey(seed), small.ed25519.getPublicKey(seed));
});

test("a call returns memory of its own, never a Buffer", () => {
  const key = ed25519.keygen(Buffer.from(seed));
  assert.equal(Object.getPrototypeOf(key.secretKey), Uint8Array.prototype);
  const signature = ed25519.sign(Buffer.from(message), Buffer.from(seed));
  assert.equal(Object.getPrototypeOf(signature), Uint8Array.prototype);
  assert.equal(signature.buffer.byteLength, 64);
  const again = signature.slice();
  ed25519.sign(Buffer.alloc(3), seed);
  assert.deepEqual(signature, again);
});

test("the memory grows with a message, and gives the next call its own again", { skip }, () => {
  const large = new Uint8Array(5_000_000).fill(3);
  const signature = ed25519.sign(large, seed);
  assert.deepEqual(signature, small.ed25519.sign(large, seed));
  assert.ok(ed25519.verify(signature, large, ed25519.getPublicKey(seed)));
  large[4_999_999] = 4;
  assert.equal(ed25519.verifyReason(signature, large, ed25519.getPublicKey(seed)), "equation");
  assert.ok(ed25519.verify(ed25519.sign(message, seed), message, ed25519.getPublicKey(seed)));
});

test("wrong types are errors", () => {
  const signature = ed25519.sign(message, seed);
  const key = ed25519.getPublicKey(seed);
  fails(() => ed25519.verify(signature, "attack at dawn", key), "type", /message is a string of 14 characters; expected a Uint8Array; decode/);
  fails(() => ed25519.verify("ab".repeat(64), message, key), "type", /signature is a string of 128 characters/);
  fails(() => ed25519.verify(signature, message, key.buffer), "type", /publicKey is an object of class ArrayBuffer/);
  fails(() => ed25519.verify([...signature], message, key), "type", /signature is an array/);
  fails(() => ed25519.verify(signature, new Uint16Array(4), key), "type", /message is an object of class Uint16Array/);
  fails(() => ed25519.verify(signature, new DataView(new ArrayBuffer(4)), key), "type", /class DataView/);
  fails(() => ed25519.verify(signature, undefined, key), "type", /message is undefined/);
  fails(() => ed25519.verify(signature, null, key), "type", /message is null/);
  fails(() => ed25519.verify(signature, 7, key), "type", /message is the number 7/);
  fails(() => ed25519.verify(signature, Object.create(null), key), "type", /message is an object/);
  fails(() => ed25519.verify(signature, Object.create(Uint8Array.prototype), key), "type", /message is an object/);
  fails(() => ed25519.verify(signature, new Uint8Array(new SharedArrayBuffer(4)), key), "type", /SharedArrayBuffer.*new Uint8Array\(message\)/);
  fails(() => ed25519.verify(signature, new Uint8Array(new ArrayBuffer(4, { maxByteLength: 8 })), key), "type", /resizable/);
  for (const length of [0, 4]) {
    const detached = new Uint8Array(length);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    fails(() => ed25519.verify(signature, detached, key), "type", /detached/);
  }
  assert.ok(ed25519.verify(signature, message, key));
});

test("an own length of a view is not believed", () => {
  const view = new Uint8Array(message);
  Object.defineProperty(view, "length", { value: 2 ** 31 });
  assert.deepEqual(ed25519.sign(view, seed), ed25519.sign(message, seed));
});

test("lengths of secrets are errors, those of public values are verdicts", () => {
  fails(() => ed25519.sign(message, seed.subarray(1)), "length", /secretKey has 31 bytes; expected 32/);
  fails(() => ed25519.getPublicKey(new Uint8Array(64)), "length", /64 bytes; expected 32/);
  fails(() => ed25519.keygen(new Uint8Array(33)), "length", /seed has 33/);
  fails(() => p384.sign(message, seed), "length", /32 bytes; expected 48/);
  fails(() => x25519.getSharedSecret(seed, new Uint8Array(31)), "length", /publicKey has 31/);
  fails(() => ed25519.signPrehashed(message, seed), "length", /digest has 14 bytes; expected 64/);
  fails(() => ed25519.explain(message, message, message), "length", /publicKey has 14 bytes/);
  const key = ed25519.getPublicKey(seed);
  assert.equal(ed25519.verifyReason(message, message, key), "signature_length");
  assert.equal(ed25519.verifyReason(new Uint8Array(64), message, key.subarray(1)), "key_length");
  assert.equal(ed25519.verifyPrehashedReason(new Uint8Array(64), message, key), "digest_length");
  assert.equal(p256.verifyReason(message, message, key), "key_length");
});

test("options are checked by name and value", () => {
  const signature = ed25519.sign(message, seed);
  const key = ed25519.getPublicKey(seed);
  const verify = (options) => ed25519.verify(signature, message, key, options);
  assert.ok(verify({}) && verify(undefined) && verify({ rule: undefined }) && verify({ rule: "strict" }));
  fails(() => verify({ zip215: true }), "option", /unknown option zip215; options are rule, variant, context; .*rule: "zip215"/);
  fails(() => verify({ Rule: "strict" }), "option", /unknown option Rule/);
  fails(() => verify({ rule: "ZIP215" }), "option", /rule is "ZIP215"; expected one of common, rfc8032_exact/);
  fails(() => verify({ rule: 3 }), "option", /rule is the number 3/);
  fails(() => verify({ rule: null }), "option", /rule is null/);
  fails(() => verify("strict"), "type", /options are a string/);
  fails(() => verify(null), "type", /options are null/);
  fails(() => verify({ context: message }), "option", /context needs variant/);
  fails(() => verify({ variant: "ctx", context: new Uint8Array(256) }), "option", /256 bytes; at most 255/);
  fails(() => verify({ variant: "ctx", context: "abc" }), "type", /context is a string/);
  fails(() => ed25519.sign(message, seed, { hedged: 1 }), "option", /hedged is the number 1/);
  fails(() => p256.sign(message, seed, { format: "compact" }), "option", /"compact"; expected one of raw, der/);
  fails(() => p256.sign(message, seed, { hash: "SHA-256" }), "option", /"SHA-256"; expected one of sha256/);
  fails(() => p256.sign(message, seed, { prehash: false }), "option", /hash: "none"/);
  fails(() => p256.sign(new Uint8Array(0), seed, { hash: "none" }), "digest_empty", /digest is empty/);
  fails(() => p256.getPublicKey(seed, "yes"), "option", /isCompressed is a string/);
  fails(() => p256.getPublicKey(new Uint8Array(32)), "key", /0 or not below the order/);
  fails(() => p256.getPublicKey(new Uint8Array(32).fill(255)), "key", /0 or not below the order/);
});

test("variants and their namespaces", () => {
  const key = ed25519.getPublicKey(seed);
  const context = Uint8Array.of(1, 2);
  for (const [named, variant] of [
    [ed25519ctx, "ctx"],
    [ed25519ph, "ph"],
  ]) {
    const signature = named.sign(message, seed, { context });
    assert.deepEqual(signature, ed25519.sign(message, seed, { variant, context }));
    assert.ok(named.verify(signature, message, key, { context }));
    assert.equal(named.verifyReason(signature, message, key), "equation");
    assert.equal(ed25519.verify(signature, message, key), false);
  }
});

test("hedged and checked signatures verify; hedged ones differ", () => {
  const key = ed25519.getPublicKey(seed);
  for (const checked of [false, true]) {
    const [one, other] = [1, 2].map(() => ed25519.sign(message, seed, { hedged: true, checked }));
    assert.notDeepEqual(one, other);
    assert.ok(ed25519.verify(one, message, key) && ed25519.verify(other, message, key));
  }
  for (const hash of ["sha256", "sha384", "sha512", "none"]) {
    for (const checked of [false, true]) {
      const digest = hash === "none" ? message.slice(0, 9) : message;
      const [one, other] = [1, 2].map(() => p256.sign(digest, seed, { hash, hedged: true, checked }));
      assert.notDeepEqual(one, other);
      assert.ok(p256.verify(one, digest, p256.getPublicKey(seed), { hash }));
      assert.deepEqual(p256.sign(digest, seed, { hash, checked }), p256.sign(digest, seed, { hash }));
    }
  }
});

test("high s is a policy of the caller", () => {
  const key = p256.getPublicKey(seed);
  const high = Array.from({ length: 40 }, (_, i) => Uint8Array.of(i)).find(
    (text) => p256.verifyReason(p256.sign(text, seed), text, key, { lowS: true }) === "s_high",
  );
  assert.ok(high);
  assert.ok(p256.verify(p256.sign(high, seed), high, key));
  assert.ok(p256.verify(p256.sign(high, seed, { lowS: true }), high, key, { lowS: true }));
});

test("held keys work, and say when they are gone", async () => {
  const key = ed25519.signingKey(seed);
  const signature = key.sign(message);
  assert.deepEqual(signature, ed25519.sign(message, seed));
  const prepared = ed25519.prepare(key.publicKey);
  assert.ok(prepared.verify(signature, message, { rule: "strict" }));
  const digest = new Uint8Array(64);
  assert.ok(prepared.verifyPrehashed(key.signPrehashed(digest), digest));
  assert.ok(ed25519.verifyPrehashed(ed25519.signPrehashed(digest, seed), digest, key.publicKey));
  const curve = p256.signingKey(seed);
  assert.deepEqual(curve.sign(message, { format: "der" }), p256.sign(message, seed, { format: "der" }));
  assert.deepEqual(curve.publicKey, p256.getPublicKey(seed));
  for (const held of [key, prepared, curve]) {
    held.dispose();
    held.dispose();
    if (typeof Symbol.dispose === "symbol") held[Symbol.dispose]();
  }
  fails(() => key.sign(message), "disposed", /this key has ended/);
  fails(() => prepared.verify(signature, message), "disposed", /disposed/);
  fails(() => curve.sign(message), "disposed", /disposed/);
  fails(() => ed25519.prepare(new Uint8Array(32).fill(2)), "key", /not a point/);
});

test("streams", async () => {
  const { secretKey, publicKey } = ed25519.keygen();
  const long = new Uint8Array(300_000).map((_, i) => i);
  const signature = ed25519.sign(long, secretKey);
  const pieces = () => [long.subarray(0, 1), long.subarray(1, 200_001), long.subarray(200_001)];
  async function* later() {
    yield* pieces();
  }
  for (const source of [new Blob([long]), new Blob([long]).stream(), pieces(), later()]) {
    assert.equal(await ed25519.verifyStreamReason(signature, source, publicKey), null);
  }
  assert.equal(await ed25519.verifyStream(signature, new Blob([message]), publicKey), false);
  assert.equal(await ed25519.verifyStreamReason(message, new Blob([long]), publicKey), "signature_length");
  const rejected = (promise, code, text) => assert.rejects(promise, (error) => (assert.equal(error.code, code), assert.match(error.message, text), true));
  await rejected(ed25519.verifyStream(signature, ["text"], publicKey), "type", /piece 0 of the stream is a string/);
  await rejected(ed25519.verifyStream(signature, long, publicKey), "type", /class Uint8Array; expected a ReadableStream/);
  await rejected(ed25519.verifyStream(signature, "text", publicKey), "type", /a string of 4/);
  await rejected(ed25519.verifyStream(signature, {}, publicKey), "type", /class Object/);
  await rejected(ed25519.signStream(new Blob([long]), secretKey), "option", /variant is "pure", which reads the message twice/);
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(new Error("connection lost"));
    },
  });
  await assert.rejects(ed25519.verifyStream(signature, broken, publicKey), /connection lost/);
  const verifier = ed25519.verifier(signature, publicKey);
  assert.equal(verifier.update(long).verify(), true);
  fails(() => verifier.update(long), "disposed", /verifier has ended/);
  fails(() => verifier.verify(), "disposed", /verifier has ended/);
});

test("keys in other formats: wrong ones are named", () => {
  const jwk = ed25519.exportSecretKey("jwk", seed);
  fails(() => ed25519.importSecretKey("der", seed), "option", /"der"; expected one of raw, pkcs8/);
  fails(() => ed25519.importSecretKey("sec1", seed), "option", /"sec1"/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, crv: "X25519" }), "jwk", /member crv .* "X25519"; expected Ed25519/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, x: ed25519.exportPublicKey("jwk", ed25519.keygen().publicKey).x }), "key_pair", /does not belong/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, d: `${jwk.d}=` }), "jwk", /member d .* base64url/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, d: jwk.d.slice(4) }), "jwk", /29 bytes; expected 32/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, d: undefined }), "jwk", /member d .* missing/);
  fails(() => ed25519.importPublicKey("jwk", jwk), "jwk", /member d: it is a private key/);
  fails(() => ed25519.importPublicKey("jwk", "text"), "type", /a string/);
  fails(() => ed25519.importSecretKey("jwk", { ...jwk, alg: "ES256" }), "jwk", /member alg .* "ES256"/);
  fails(() => ed25519.importPublicKey("raw", new Uint8Array(32).fill(2)), "key", /not a point/);
  fails(() => p256.importPublicKey("raw", new Uint8Array(65).fill(4)), "key", /not a point/);
  fails(() => ed25519.exportPublicKey("raw", new Uint8Array(33)), "length", /33 bytes/);
  assert.deepEqual(p256.importPublicKey("raw", p256.getPublicKey(seed, true)), p256.getPublicKey(seed));
});

test("containers of keys: wrong ones are named", { skip: isNoble && "sigmill/noble has none" }, () => {
  const other = p256.keygen();
  fails(() => ed25519.importSecretKey("pkcs8", p256.exportSecretKey("pkcs8", other.secretKey)), "container", /another algorithm/);
  fails(() => p384.importSecretKey("pkcs8", p256.exportSecretKey("pkcs8", other.secretKey)), "container", /another curve/);
  fails(() => ed25519.importSecretKey("pem", "no PEM"), "container", /PEM/);
  fails(() => ed25519.importPublicKey("pem", ed25519.exportSecretKey("pem", seed)), "container", /PEM/);
  const pair = Buffer.from(ed25519.exportPublicKey("spki", ed25519.getPublicKey(seed)));
  assert.deepEqual(ed25519.importPublicKey("spki", pair), ed25519.getPublicKey(seed));
  fails(() => ed25519.importPublicKey("spki", pair.subarray(1)), "container", /DER/);
});

test("without containers, each says so", { skip: !isNoble && "only of sigmill/noble" }, () => {
  const secret = p256.keygen().secretKey;
  fails(() => ed25519.exportPublicKey("spki", ed25519.getPublicKey(seed)), "container", /ed25519.exportPublicKey: sigmill\/noble reads and writes no/);
  fails(() => ed25519.importPublicKey("pem", "text"), "container", /ed25519.importPublicKey: .*use raw or jwk/);
  fails(() => p256.exportSecretKey("sec1", secret), "container", /p256.exportSecretKey/);
  fails(() => p256.importSecretKey("pkcs8", secret), "container", /p256.importSecretKey/);
});

test("keys as JWK and as bytes come back", () => {
  for (const [scheme, secretKey] of [
    [ed25519, seed],
    [x25519, seed],
    [p256, seed],
    [p384, new Uint8Array(48).fill(7)],
  ]) {
    const publicKey = scheme.getPublicKey(secretKey);
    for (const format of ["raw", "jwk"]) {
      assert.deepEqual(scheme.importSecretKey(format, scheme.exportSecretKey(format, secretKey)), secretKey);
      assert.deepEqual(scheme.importPublicKey(format, scheme.exportPublicKey(format, publicKey)), publicKey);
    }
  }
});

test("keys are judged by a rule, and conversions refuse what is no point", () => {
  const zero = new Uint8Array(32);
  assert.equal(ed25519.checkKey(zero, { rule: "strict" }), "key_small_order");
  assert.equal(ed25519.checkKey(zero, { rule: "zip215" }), null);
  fails(() => x25519.getSharedSecret(seed, zero), "not_contributory", /small order/);
  fails(() => x25519.publicKeyFromEd25519(new Uint8Array(32).fill(2)), "key", /not a point/);
});

test("a message for which there is no memory is an error, and the module goes on", { skip }, () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  assert.equal(exports.reserve(0xffff0000), 0);
  assert.notEqual(exports.reserve(10), 0);
  assert.equal(exports.verify_columns(0xffffffff, 1), -2);
  assert.equal(exports.verify_columns(2 ** 24, 1), -2);
  assert.equal(exports.ed25519_verify(0, 0, 0xffffffff, 0xffffffff, 1, 1), -2);
  assert.equal(exports.ed25519_verify(99, 0, 0, 32, 0, 64), -2);
  assert.equal(exports.release(77), -3);
  assert.equal(exports.release(-1), -3);
});

test("a trap ends the module until init is called again", async () => {
  const key = ed25519.signingKey(seed);
  const before = ed25519.sign(message, seed);
  // a stack that is used up is one way to a trap
  const deep = () => {
    try {
      return deep();
    } catch {
      return ed25519.sign(message, seed);
    }
  };
  let failed = null;
  for (let i = 0; i < 50 && failed === null; i++) {
    try {
      deep();
    } catch (error) {
      if (error instanceof SigmillError) failed = error;
    }
  }
  assert.equal(failed?.code, "trapped");
  assert.match(failed.message, /call init\(\) again/);
  fails(() => ed25519.sign(message, seed), "trapped", /call init\(\) again/);
  await init();
  assert.deepEqual(ed25519.sign(message, seed), before);
  fails(() => key.sign(message), "trapped", /make keys/);
});
