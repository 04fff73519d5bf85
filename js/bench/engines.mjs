/**
 * The libraries that js/bench.mjs measures: each has a function of a row's number for every operation. All of them have the same
 * rows, and none writes to memory that another one reads.
 */
import { createHash, createPrivateKey, createPublicKey, diffieHellman, sign as nodeSign, verify as nodeVerify } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { ed25519 as nobleEd, x25519 as nobleX } from "@noble/curves/ed25519.js";
import { p256 as nobleP256, p384 as nobleP384 } from "@noble/curves/nist.js";
import * as nobleSmall from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import sodium from "libsodium-wrappers";
import nacl from "tweetnacl";
import { makeColumns } from "../src/columns.js";
import { makeEcdsa } from "../src/ecdsa.js";
import { makeEd25519 } from "../src/eddsa.js";
import { Slot } from "../src/module.js";
import { VERSION } from "../src/names.js";
import { hasSimd } from "../src/simd.js";
import { ed25519Spec } from "../src/spec-ed25519.js";
import { makeX25519 } from "../src/xdh.js";

/** Rows of an operation; a batch has as many as it says. */
export const ROWS = 64;
const LARGEST = 1024;
export const BATCHES = [64, LARGEST];

const bytesOf = (text, length) => new Uint8Array(createHash("shake256", { outputLength: length }).update(text).digest());
const seeds = Array.from({ length: LARGEST }, (_, i) => bytesOf(`seed ${i}`, 32));
const messages = Array.from({ length: LARGEST }, (_, i) => bytesOf(`message ${i}`, 32));
const rows = seeds.slice(0, ROWS);
const CURVES = [
  { name: "p256", width: 32, noble: nobleP256, hash: "sha256", crv: "P-256" },
  { name: "p384", width: 48, noble: nobleP384, hash: "sha384", crv: "P-384" },
];
/** Below the order: the first bit is 0. */
const secretsOf = (width) => rows.map((_, i) => bytesOf(`secret ${i}`, width).map((byte, at) => (at === 0 ? byte & 127 : byte)));

const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

const mustBe = (expected, found) => {
  if (found !== expected) throw new Error(`a verdict is ${found}; expected ${expected}`);
};

/** The inputs, made by the first module and compared with noble. */
function inputsOf({ ed25519, x25519, curves }) {
  const ed = seeds.map((seed, i) => {
    const publicKey = ed25519.getPublicKey(seed);
    return { seed, message: messages[i], publicKey, signature: ed25519.sign(messages[i], seed) };
  });
  if (Buffer.compare(ed[0].signature, nobleEd.sign(messages[0], seeds[0])) !== 0) throw new Error("noble makes another signature");
  const publicKeys = rows.map((_, i) => x25519.getPublicKey(seeds[ROWS + i]));
  const onCurves = CURVES.map(({ width }, c) => secretsOf(width).map((secretKey, i) => {
    const publicKey = curves[c].getPublicKey(secretKey);
    return { secretKey, message: messages[i], publicKey, signature: curves[c].sign(messages[i], secretKey) };
  }));
  return { ed, publicKeys, onCurves };
}

/** The version of a module, and the beginning of its SHA-256. */
const moduleVersion = (file) => `${VERSION} ${createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16)}`;

async function moduleAt(file) {
  const slot = new Slot(() => readFileSync(file));
  await slot.init();
  const { exports } = slot.get("bench");
  const hasCurves = exports.ecdsa_verify !== undefined;
  return {
    ed25519: makeEd25519(slot, "pure", "ed25519"),
    verifyColumns: makeColumns(slot, { ed25519: ed25519Spec }),
    x25519: exports.x25519_shared === undefined ? null : makeX25519(slot),
    curves: hasCurves ? CURVES.map(({ name, width, hash }, i) => makeEcdsa(slot, i, name, width, hash)) : null,
  };
}

function sigmillOps({ ed25519, verifyColumns, x25519, curves }, { ed, publicKeys, onCurves }) {
  const held = ed.slice(0, ROWS).map(({ seed }) => ed25519.signingKey(seed));
  const ops = {
    "ed25519.verify": (i) => mustBe(true, ed25519.verify(ed[i].signature, ed[i].message, ed[i].publicKey)),
    "ed25519.sign": (i) => ed25519.sign(ed[i].message, ed[i].seed),
    "ed25519.sign_held": (i) => held[i].sign(ed[i].message),
    "ed25519.keygen": (i) => ed25519.getPublicKey(ed[i].seed),
  };
  for (const rule of ["common", "zip215"]) {
    for (const n of BATCHES) {
      const part = ed.slice(0, n);
      const table = { keys: part.map(({ publicKey }) => publicKey), messages: part.map(({ message }) => message), signatures: part.map(({ signature }) => signature) };
      ops[`ed25519.batch_${rule}_${n}`] = () => mustBe(true, verifyColumns(table, { rule }).allValid);
    }
  }
  if (x25519 !== null) {
    ops["x25519.base"] = (i) => x25519.getPublicKey(ed[i].seed);
    ops["x25519.shared"] = (i) => x25519.getSharedSecret(ed[i].seed, publicKeys[i]);
  }
  for (const [c, curve] of (curves ?? []).entries()) {
    const { name } = CURVES[c];
    ops[`${name}.sign`] = (i) => curve.sign(onCurves[c][i].message, onCurves[c][i].secretKey);
    ops[`${name}.verify`] = (i) => mustBe(true, curve.verify(onCurves[c][i].signature, onCurves[c][i].message, onCurves[c][i].publicKey));
  }
  return ops;
}

function nobleOps({ ed, publicKeys, onCurves }) {
  const ops = {
    "ed25519.verify": (i) => mustBe(true, nobleEd.verify(ed[i].signature, ed[i].message, ed[i].publicKey)),
    "ed25519.sign": (i) => nobleEd.sign(ed[i].message, ed[i].seed),
    "ed25519.keygen": (i) => nobleEd.getPublicKey(ed[i].seed),
    "x25519.base": (i) => nobleX.getPublicKey(ed[i].seed),
    "x25519.shared": (i) => nobleX.getSharedSecret(ed[i].seed, publicKeys[i]),
  };
  for (const [c, { name, noble }] of CURVES.entries()) {
    ops[`${name}.sign`] = (i) => noble.sign(onCurves[c][i].message, onCurves[c][i].secretKey, { lowS: false });
    ops[`${name}.verify`] = (i) => mustBe(true, noble.verify(onCurves[c][i].signature, onCurves[c][i].message, onCurves[c][i].publicKey, { lowS: false }));
  }
  return ops;
}

function nobleSmallOps({ ed }) {
  nobleSmall.hashes.sha512 = sha512;
  return {
    "ed25519.verify": (i) => mustBe(true, nobleSmall.verify(ed[i].signature, ed[i].message, ed[i].publicKey)),
    "ed25519.sign": (i) => nobleSmall.sign(ed[i].message, ed[i].seed),
    "ed25519.keygen": (i) => nobleSmall.getPublicKey(ed[i].seed),
  };
}

function sodiumOps({ ed, publicKeys }) {
  const pairs = ed.slice(0, ROWS).map(({ seed }) => sodium.crypto_sign_seed_keypair(seed));
  return {
    "ed25519.verify": (i) => mustBe(true, sodium.crypto_sign_verify_detached(ed[i].signature, ed[i].message, ed[i].publicKey)),
    "ed25519.sign": (i) => sodium.crypto_sign_detached(ed[i].message, pairs[i].privateKey),
    "ed25519.keygen": (i) => sodium.crypto_sign_seed_keypair(ed[i].seed),
    "x25519.base": (i) => sodium.crypto_scalarmult_base(ed[i].seed),
    "x25519.shared": (i) => sodium.crypto_scalarmult(ed[i].seed, publicKeys[i]),
  };
}

function naclOps({ ed, publicKeys }) {
  const pairs = ed.slice(0, ROWS).map(({ seed }) => nacl.sign.keyPair.fromSeed(seed));
  return {
    "ed25519.verify": (i) => mustBe(true, nacl.sign.detached.verify(ed[i].message, ed[i].signature, ed[i].publicKey)),
    "ed25519.sign": (i) => nacl.sign.detached(ed[i].message, pairs[i].secretKey),
    "ed25519.keygen": (i) => nacl.sign.keyPair.fromSeed(ed[i].seed),
    "x25519.base": (i) => nacl.scalarMult.base(ed[i].seed),
    "x25519.shared": (i) => nacl.scalarMult(ed[i].seed, publicKeys[i]),
  };
}

function nodeOps({ ed, publicKeys, onCurves }) {
  const keysOf = (jwk) => {
    const { d, ...open } = jwk;
    return { secret: createPrivateKey({ key: { ...open, d }, format: "jwk" }), open: createPublicKey({ key: open, format: "jwk" }) };
  };
  const okp = (crv, secret, open) => keysOf({ kty: "OKP", crv, d: base64url(secret), x: base64url(open) });
  const pairs = ed.slice(0, ROWS).map(({ seed, publicKey }) => okp("Ed25519", seed, publicKey));
  const own = rows.map((seed, i) => okp("X25519", seed, nobleX.getPublicKey(seed)).secret);
  const theirs = rows.map((_, i) => okp("X25519", seeds[ROWS + i], publicKeys[i]).open);
  const ops = {
    "ed25519.verify": (i) => mustBe(true, nodeVerify(null, ed[i].message, pairs[i].open, ed[i].signature)),
    "ed25519.sign": (i) => nodeSign(null, ed[i].message, pairs[i].secret),
    "x25519.shared": (i) => diffieHellman({ privateKey: own[i], publicKey: theirs[i] }),
  };
  for (const [c, { name, crv, hash, width }] of CURVES.entries()) {
    const found = onCurves[c].map(({ secretKey, publicKey }) => {
      const [x, y] = [publicKey.subarray(1, 1 + width), publicKey.subarray(1 + width)].map(base64url);
      const { secret, open } = keysOf({ kty: "EC", crv, d: base64url(secretKey), x, y });
      return { secret: { key: secret, dsaEncoding: "ieee-p1363" }, open: { key: open, dsaEncoding: "ieee-p1363" } };
    });
    ops[`${name}.sign`] = (i) => nodeSign(hash, onCurves[c][i].message, found[i].secret);
    ops[`${name}.verify`] = (i) => mustBe(true, nodeVerify(hash, onCurves[c][i].message, found[i].open, onCurves[c][i].signature));
  }
  return ops;
}

const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;

/** All engines: a name, a version, and operations. The first has all operations. */
export async function engines() {
  await sodium.ready;
  const folder = new URL("../dist/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  // as init() chooses
  const chosen = hasSimd() ? "sigmill-simd.wasm" : "sigmill.wasm";
  if (!files.includes(chosen)) throw new Error(`js/dist/${chosen} is missing; tools/js build makes it`);
  const at = (file) => new URL(file, folder);
  const whole = await moduleAt(at(chosen));
  const inputs = inputsOf(whole);
  const found = [{ name: "sigmill", version: moduleVersion(at(chosen)), ops: sigmillOps(whole, inputs) }];
  for (const file of files.filter((name) => name !== chosen)) {
    found.push({ name: file, version: moduleVersion(at(file)), ops: sigmillOps(await moduleAt(at(file)), inputs) });
  }
  found.push(
    { name: "libsodium", version: versionOf("libsodium-wrappers"), ops: sodiumOps(inputs) },
    { name: "noble-curves", version: versionOf("@noble/curves"), ops: nobleOps(inputs) },
    { name: "noble-ed25519", version: versionOf("@noble/ed25519"), ops: nobleSmallOps(inputs) },
    { name: "tweetnacl", version: versionOf("tweetnacl"), ops: naclOps(inputs) },
    { name: "node", version: process.version, ops: nodeOps(inputs) },
  );
  return found;
}
