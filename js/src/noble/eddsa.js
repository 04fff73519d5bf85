/** Ed25519: facts by the arithmetic of noble, keys and signatures. The decision is in `rules.js`. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE, equalBytes } from "@noble/curves/utils.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { RULES } from "../names.js";
import { DISCARDED, NOT_A_POINT } from "./faults.js";
import { keep, release, withObject } from "./objects.js";
import { FAULTLESS, decide, decideLengths } from "./rules.js";

const { Point } = ed25519;
const { Fp, Fn } = Point;
const COMMON = RULES.indexOf("common");
const DOM2 = /* @__PURE__ */ new TextEncoder().encode("SigEd25519 no Ed25519 collisions");

/** Variants, by their numbers. */
const PURE = 0;
const PH = 2;

/** @typedef {import("@noble/curves/abstract/edwards.js").EdwardsPoint} EdwardsPoint */
/** @typedef {{ point: EdwardsPoint | null, facts: import("./rules.js").PointFacts }} Decoded */

/**
 * A point of any encoding: y is taken mod p, and the sign of x = 0 is ignored.
 * @param {Uint8Array} bytes 32 of them
 * @returns {Decoded}
 */
export function decode(bytes) {
  let point;
  try {
    point = Point.fromBytes(bytes, true);
  } catch (error) {
    // noble throws a plain Error where y has no x; anything else, such as a stack that is used up, is no fact
    if (/** @type {any} */ (error)?.constructor !== Error) throw error;
    return { point: null, facts: { decodes: false, canonical: false, small: false } };
  }
  const sign = bytes[31] >> 7;
  const y = bytesToNumberLE(bytes) - (BigInt(sign) << 255n);
  const canonical = y < Fp.ORDER && !(sign === 1 && Fp.is0(point.X));
  return { point, facts: { decodes: true, canonical, small: point.isSmallOrder() } };
}

/**
 * The order of the torsion part: 1, 2, 4 or 8.
 * @param {EdwardsPoint} point
 */
function torsionOrder(point) {
  let order = 1;
  for (let part = point.multiplyUnsafe(Fn.ORDER - 1n).add(point); !part.is0(); part = part.double()) order *= 2;
  return order;
}

/**
 * The hash function of a variant, after dom2 and bytes before the message.
 * @param {number} variant
 * @param {Uint8Array} context
 * @param {Uint8Array[]} parts
 */
function hashAfter(variant, context, parts) {
  const hash = sha512.create();
  if (variant !== PURE) hash.update(DOM2).update(Uint8Array.of(variant === PH ? 1 : 0, context.length)).update(context);
  for (const part of parts) hash.update(part);
  return hash;
}

/**
 * The message as a variant hashes it: Ed25519ph hashes its digest.
 * @param {number} variant
 * @param {Uint8Array} message
 */
const hashedMessage = (variant, message) => (variant === PH ? sha512(message) : message);

/** @param {Uint8Array} digest */
function scalarOf(digest) {
  const scalar = Fn.create(bytesToNumberLE(digest));
  digest.fill(0);
  return scalar;
}

/** @param {Uint8Array} signature @returns {[Uint8Array, Uint8Array]} */
const halves = (signature) => [signature.subarray(0, 32), signature.subarray(32)];

/** @param {Uint8Array} s */
function factsOfS(s) {
  const number = bytesToNumberLE(s);
  return { sBelowOrder: number < Fn.ORDER, sBelow2to253: s[31] < 32 };
}

/**
 * [S]B − [k]A. B has order ℓ, so that S may be reduced.
 * @param {EdwardsPoint} a
 * @param {bigint} k
 * @param {Uint8Array} s
 */
const sumOf = (a, k, s) => Point.BASE.multiplyUnsafe(Fn.create(bytesToNumberLE(s))).subtract(a.multiplyUnsafe(k));

/**
 * The verdict, given k.
 * @param {number} rule
 * @param {Decoded} a
 * @param {bigint} k
 * @param {Uint8Array} signature
 */
function verifyDecoded(rule, a, k, signature) {
  const [rBytes, s] = halves(signature);
  const r = decode(rBytes);
  const facts = { ...FAULTLESS, a: a.facts, r: r.facts, ...factsOfS(s) };
  const refused = decide(rule, facts);
  if (refused !== 0 || a.point === null || r.point === null) return refused;
  const sum = sumOf(a.point, k, s);
  return decide(rule, { ...facts, exact: equalBytes(sum.toBytes(), rBytes), cofactored: sum.subtract(r.point).isSmallOrder() });
}

/**
 * @param {number} rule
 * @param {number} variant
 * @param {Uint8Array} context
 * @param {Uint8Array} key
 * @param {Uint8Array} hashed
 * @param {Uint8Array} signature
 * @param {Decoded} [a]
 */
function verifyHashed(rule, variant, context, key, hashed, signature, a = decode(key)) {
  const hash = hashAfter(variant, context, [signature.subarray(0, 32), key]).update(hashed);
  return verifyDecoded(rule, a, scalarOf(hash.digest()), signature);
}

/** @type {(rule: number, variant: number, context: Uint8Array, key: Uint8Array, message: Uint8Array, signature: Uint8Array) => number} */
export const verify = (rule, variant, context, key, message, signature) =>
  decideLengths(key, signature) || verifyHashed(rule, variant, context, key, hashedMessage(variant, message), signature);

/** @type {(rule: number, context: Uint8Array, key: Uint8Array, digest: Uint8Array, signature: Uint8Array) => number} */
export const verifyDigest = (rule, context, key, digest, signature) =>
  decideLengths(key, signature, digest) || verifyHashed(rule, PH, context, key, digest, signature);

/** @param {number} rule @param {Uint8Array} key */
function checkKey(rule, key) {
  const refused = decideLengths(key, new Uint8Array(64));
  return refused || decide(rule, { ...FAULTLESS, a: decode(key).facts });
}

/** A public key that is decoded once. */
class Prepared {
  /** @param {Uint8Array} key @param {Decoded} a */
  constructor(key, a) {
    this.key = new Uint8Array(key);
    this.a = a;
  }
}

/** @param {Uint8Array} key */
function prepare(key) {
  const a = decode(key);
  return a.facts.decodes ? keep(new Prepared(key, a)) : NOT_A_POINT;
}

/** @type {(handle: number, rule: number, variant: number, context: Uint8Array, message: Uint8Array, signature: Uint8Array) => number} */
const verifyPrepared = (handle, rule, variant, context, message, signature) =>
  withObject(handle, Prepared, ({ key, a }) => {
    return decideLengths(key, signature) || verifyHashed(rule, variant, context, key, hashedMessage(variant, message), signature, a);
  });

/** @type {(handle: number, rule: number, context: Uint8Array, digest: Uint8Array, signature: Uint8Array) => number} */
const verifyDigestPrepared = (handle, rule, context, digest, signature) =>
  withObject(handle, Prepared, ({ key, a }) => {
    return decideLengths(key, signature, digest) || verifyHashed(rule, PH, context, key, digest, signature, a);
  });

/** A secret key. The numbers that noble derives from it cannot be wiped. */
class Signing {
  /** @param {Uint8Array} seed */
  constructor(seed) {
    this.seed = new Uint8Array(seed);
  }

  wipe() {
    this.seed.fill(0);
  }
}

/**
 * A signature, given the message as its variant hashes it. With noise the nonce is hedged, as sigmill's
 * (draft-irtf-cfrg-det-sigs-with-noise-05).
 * @param {Uint8Array} seed
 * @param {number} variant
 * @param {Uint8Array} noise
 * @param {Uint8Array} context
 * @param {Uint8Array} hashed
 */
function signHashed(seed, variant, noise, context, hashed) {
  const { prefix, head, scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
  if (noise.length > 0) prefix.set(sha512.create().update(prefix).update(noise).digest().subarray(0, 32));
  const nonce = scalarOf(hashAfter(variant, context, [prefix]).update(hashed).digest());
  for (const secret of [prefix, head]) secret.fill(0);
  const r = Point.BASE.multiply(nonce).toBytes();
  const k = scalarOf(hashAfter(variant, context, [r, pointBytes]).update(hashed).digest());
  const signature = new Uint8Array(64);
  signature.set(r);
  signature.set(Fn.toBytes(Fn.create(nonce + k * scalar)), 32);
  return signature;
}

/**
 * Signs twice, and verifies what is returned.
 * @param {() => Uint8Array} signAgain
 * @param {(signature: Uint8Array) => number} verifyAgain
 */
export function signChecked(signAgain, verifyAgain) {
  const signature = signAgain();
  return equalBytes(signature, signAgain()) && verifyAgain(signature) === 0 ? signature : DISCARDED;
}

/** @type {(seed: Uint8Array, variant: number, checked: number, noise: Uint8Array, context: Uint8Array, message: Uint8Array) => number | Uint8Array} */
function signSeed(seed, variant, checked, noise, context, message) {
  const signAgain = () => signHashed(seed, variant, noise, context, hashedMessage(variant, message));
  if (checked === 0) return signAgain();
  return signChecked(signAgain, (signature) => verify(COMMON, variant, context, ed25519.getPublicKey(seed), message, signature));
}

/**
 * The seed of a key that was kept, or the one that was given.
 * @param {number} handle
 * @param {Uint8Array} seed
 * @param {(seed: Uint8Array) => number | Uint8Array} work
 */
const withSeed = (handle, seed, work) => (handle === 0 ? work(seed) : withObject(handle, Signing, (key) => work(key.seed)));

/** @type {(handle: number, variant: number, checked: number, seed: Uint8Array, noise: Uint8Array, context: Uint8Array, message: Uint8Array) => number | Uint8Array} */
const sign = (handle, variant, checked, seed, noise, context, message) =>
  withSeed(handle, seed, (found) => signSeed(found, variant, checked, noise, context, message));

/** @type {(handle: number, seed: Uint8Array, context: Uint8Array, digest: Uint8Array) => number | Uint8Array} */
const signDigest = (handle, seed, context, digest) =>
  withSeed(handle, seed, (found) => signHashed(found, PH, new Uint8Array(0), context, digest));

/** @type {(variant: number, context: Uint8Array, key: Uint8Array, message: Uint8Array, signature: Uint8Array) => Uint8Array} */
function explain(variant, context, key, message, signature) {
  const [rBytes, s] = halves(signature);
  const k = scalarOf(hashAfter(variant, context, [rBytes, key]).update(hashedMessage(variant, message)).digest());
  const [a, r] = [decode(key), decode(rBytes)];
  const sum = a.point === null ? null : sumOf(a.point, k, s);
  const residual = sum === null || r.point === null ? null : sum.subtract(r.point);
  const facts = {
    a: a.facts,
    r: r.facts,
    ...factsOfS(s),
    exact: sum !== null && equalBytes(sum.toBytes(), rBytes),
    cofactored: residual !== null && residual.isSmallOrder(),
  };
  /** @param {EdwardsPoint | null} found */
  const order = (found) => (found === null ? 0 : torsionOrder(found));
  /** @param {Decoded} decoded */
  const report = ({ point, facts: { decodes, canonical, small } }) => [decodes, canonical, small, order(point)];
  const tail = [facts.sBelowOrder, facts.exact, facts.cofactored, order(residual)];
  const verdicts = RULES.map((_, rule) => decide(rule, facts));
  return Uint8Array.from([...report(a), ...report(r), ...tail, ...Fn.toBytes(k), ...verdicts].map(Number));
}

/** SHA-512 of a message in pieces. */
class Hash {
  constructor(message = sha512.create()) {
    this.message = message;
  }
}

/** The verification of a message in pieces. */
class Verifier extends Hash {
  /**
   * @param {number} rule
   * @param {number} variant
   * @param {Uint8Array} context
   * @param {Uint8Array} key
   * @param {Uint8Array} signature
   */
  constructor(rule, variant, context, key, signature) {
    const hash = hashAfter(variant, context, [signature.subarray(0, 32), key]);
    super(variant === PH ? sha512.create() : hash);
    this.hash = hash;
    this.rule = rule;
    this.key = new Uint8Array(key);
    this.signature = new Uint8Array(signature);
  }

  finish() {
    if (this.message !== this.hash) this.hash.update(this.message.digest());
    return verifyDecoded(this.rule, decode(this.key), scalarOf(this.hash.digest()), this.signature);
  }
}

/** Handles of verifiers are above this; below it a call returns the code of a reason. */
const VERIFIERS = 256;

/** @type {(rule: number, variant: number, context: Uint8Array, key: Uint8Array, signature: Uint8Array) => number} */
function verifier(rule, variant, context, key, signature) {
  const refused = decideLengths(key, signature) || decide(rule, { ...FAULTLESS, a: { ...FAULTLESS.a, decodes: decode(key).facts.decodes } });
  return refused || VERIFIERS + keep(new Verifier(rule, variant, context, key, signature));
}

/** @param {number} handle @param {Uint8Array} piece */
const update = (handle, piece) =>
  withObject(handle, Hash, ({ message }) => {
    message.update(piece);
    return 0;
  });

/**
 * Ends a handle, and uses its object.
 * @template T
 * @param {number} handle
 * @param {new (...args: any[]) => T} type
 * @param {(object: T) => number | Uint8Array} use
 */
function finish(handle, type, use) {
  const result = withObject(handle, type, use);
  release(handle);
  return result;
}

/** @type {Record<string, import("./arena.js").Entry>} */
export const EDDSA = {
  ed25519_verify: [2, verify],
  ed25519_verify_digest: [1, verifyDigest],
  ed25519_check_key: [1, checkKey],
  ed25519_prepare: [0, prepare],
  ed25519_verify_prepared: [3, verifyPrepared],
  ed25519_verify_digest_prepared: [2, verifyDigestPrepared],
  ed25519_public_key: [0, (seed) => ed25519.getPublicKey(seed)],
  ed25519_key: [0, (seed) => keep(new Signing(seed))],
  ed25519_sign: [3, sign],
  ed25519_sign_digest: [1, signDigest],
  ed25519_explain: [1, explain],
  ed25519_verifier: [2, verifier],
  ed25519_verifier_finish: [1, (handle) => finish(handle, Verifier, (found) => found.finish())],
  sha512: [0, () => keep(new Hash())],
  sha512_finish: [1, (handle) => finish(handle, Hash, ({ message }) => message.digest())],
  update: [1, update],
};
