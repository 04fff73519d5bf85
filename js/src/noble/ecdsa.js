/** ECDSA on P-256 and P-384: facts by the arithmetic of noble, keys and signatures. The decision is in `rules.js`. */
import { DER, ecdsa } from "@noble/curves/abstract/weierstrass.js";
import { p256, p384 } from "@noble/curves/nist.js";
import { bytesToNumberBE } from "@noble/curves/utils.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { signChecked } from "./eddsa.js";
import { DIGEST_EMPTY, LENGTH, NOT_A_POINT, SECRET } from "./faults.js";
import { keep, withObject } from "./objects.js";
import { decideEcdsa, decideReading } from "./rules.js";

/** By their numbers. With the hash function `NONE` the message is the digest, and nonces have the hash function of the curve. */
const CURVES = [
  { Point: p256.Point, width: 32, own: 0 },
  { Point: p384.Point, width: 48, own: 1 },
];
const HASHES = [sha256, sha384, sha512];
const NONE = 3;

const DER_FLAG = 1;
const LOW_S = 2;
const CHECKED = 4;

/** @typedef {typeof CURVES[number]} Curve */

/** noble's functions for a curve and the hash function of nonces; they are made when they are needed first. */
const makers = CURVES.map(({ Point }) => HASHES.map((hash) => {
  /** @type {import("@noble/curves/abstract/weierstrass.js").ECDSA | undefined} */
  let made;
  return () => (made ??= ecdsa(Point, hash));
}));

/**
 * As many of the leftmost bytes of the digest as the order has.
 * @param {Curve} curve
 * @param {number} hash
 * @param {Uint8Array} message
 */
const digestOf = ({ width }, hash, message) => (hash === NONE ? message : HASHES[hash](message)).subarray(0, width);

/**
 * The point of a SEC1 encoding, or the fault.
 * @param {Curve} curve
 * @param {Uint8Array} key
 * @returns {{ point: import("@noble/curves/abstract/weierstrass.js").WeierstrassPoint<bigint> | null, fault: "length" | "notAPoint" | null }}
 */
function pointOf({ Point, width }, key) {
  const isCompressed = key[0] === 2 || key[0] === 3;
  const lengths = isCompressed ? [1 + width] : key[0] === 4 ? [1 + 2 * width] : [1 + width, 1 + 2 * width];
  if (!lengths.includes(key.length)) return { point: null, fault: "length" };
  // infinity, the hybrid forms, and bytes of no form
  if (!isCompressed && key[0] !== 4) return { point: null, fault: "notAPoint" };
  try {
    return { point: Point.fromBytes(key), fault: null };
  } catch (error) {
    // noble throws a plain Error for coordinates of no point; anything else, such as a stack that is used up, is no fact
    if (/** @type {any} */ (error)?.constructor !== Error) throw error;
    return { point: null, fault: "notAPoint" };
  }
}

/**
 * r and s, or the fault.
 * @param {Curve} curve
 * @param {number} isDer
 * @param {Uint8Array} signature
 * @returns {{ r: bigint, s: bigint, fault: "length" | "der" | null }}
 */
function numbersOf({ width }, isDer, signature) {
  if (isDer === 0) {
    if (signature.length !== 2 * width) return { r: 0n, s: 0n, fault: "length" };
    const [r, s] = [signature.subarray(0, width), signature.subarray(width)].map(bytesToNumberBE);
    return { r, s, fault: null };
  }
  try {
    const { r, s } = DER.toSig(signature, width + 1);
    const fits = (/** @type {bigint} */ number) => number >> BigInt(8 * width) === 0n;
    return { r, s, fault: fits(r) && fits(s) ? null : "der" };
  } catch (error) {
    if (!(error instanceof DER.Err)) throw error;
    return { r: 0n, s: 0n, fault: "der" };
  }
}

/**
 * Whether [e/s]G + [r/s]Q has an x that is r mod n.
 * @param {Curve} curve
 * @param {import("@noble/curves/abstract/weierstrass.js").WeierstrassPoint<bigint>} q
 * @param {Uint8Array} digest
 * @param {bigint} r
 * @param {bigint} s
 */
function equationHolds({ Point }, q, digest, r, s) {
  const { Fn } = Point;
  const w = Fn.inv(s);
  const sum = Point.BASE.mulAddUnsafe(Fn.mul(Fn.create(bytesToNumberBE(digest)), w), q, Fn.mul(r, w));
  return !sum.is0() && Fn.create(sum.toAffine().x) === r;
}

/** @type {(number: number, hash: number, isDer: number, lowS: number, key: Uint8Array, message: Uint8Array, signature: Uint8Array) => number} */
export function verify(number, hash, isDer, lowS, key, message, signature) {
  const curve = CURVES[number];
  const [{ point, fault }, { r, s, fault: signatureFault }] = [pointOf(curve, key), numbersOf(curve, isDer, signature)];
  const refused = decideReading(fault, signatureFault);
  if (refused !== 0 || point === null) return refused;
  const { Fn } = curve.Point;
  const digest = digestOf(curve, hash, message);
  const facts = {
    digestEmpty: digest.length === 0,
    rInRange: Fn.isValidNot0(r),
    sInRange: Fn.isValidNot0(s),
    sLow: 2n * s < Fn.ORDER,
    equation: true,
  };
  const early = decideEcdsa(lowS === 1, facts);
  return early || decideEcdsa(lowS === 1, { ...facts, equation: equationHolds(curve, point, digest, r, s) });
}

/** @type {(number: number, isCompressed: number, key: Uint8Array) => number | Uint8Array} */
function point(number, isCompressed, key) {
  const { point: found, fault } = pointOf(CURVES[number], key);
  if (found === null) return fault === "length" ? LENGTH : NOT_A_POINT;
  return found.toBytes(isCompressed === 1);
}

/**
 * The fault of a secret key, or 0.
 * @param {Curve} curve
 * @param {Uint8Array} secret
 */
const faultOf = ({ Point }, secret) => (Point.Fn.isValidNot0(bytesToNumberBE(secret)) ? 0 : SECRET);

/** @type {(number: number, isCompressed: number, secret: Uint8Array) => number | Uint8Array} */
const publicKey = (number, isCompressed, secret) => faultOf(CURVES[number], secret) || makers[number][0]().getPublicKey(secret, isCompressed === 1);

/** A secret key. The numbers that noble derives from it cannot be wiped. */
class EcdsaSigning {
  /** @param {number} number @param {Uint8Array} secret */
  constructor(number, secret) {
    this.number = number;
    this.secret = new Uint8Array(secret);
  }

  wipe() {
    this.secret.fill(0);
  }
}

/** @type {(number: number, hash: number, flags: number, secret: Uint8Array, noise: Uint8Array, message: Uint8Array) => number | Uint8Array} */
function signSecret(number, hash, flags, secret, noise, message) {
  const curve = CURVES[number];
  const digest = digestOf(curve, hash, message);
  const fault = faultOf(curve, secret) || (digest.length === 0 ? DIGEST_EMPTY : 0);
  if (fault !== 0) return fault;
  const made = makers[number][hash === NONE ? curve.own : hash]();
  /** @type {import("@noble/curves/abstract/weierstrass.js").ECDSASignOpts} */
  const options = { prehash: false, lowS: (flags & LOW_S) !== 0, format: flags & DER_FLAG ? "der" : "compact" };
  if (noise.length > 0) options.extraEntropy = noise;
  const signAgain = () => made.sign(digest, secret, options);
  if (!(flags & CHECKED)) return signAgain();
  const key = made.getPublicKey(secret, false);
  return signChecked(signAgain, (signature) => verify(number, NONE, flags & DER_FLAG, 0, key, digest, signature));
}

/** @type {(number: number, handle: number, hash: number, flags: number, secret: Uint8Array, noise: Uint8Array, message: Uint8Array) => number | Uint8Array} */
const sign = (number, handle, hash, flags, secret, noise, message) =>
  handle === 0
    ? signSecret(number, hash, flags, secret, noise, message)
    : withObject(handle, EcdsaSigning, (key) => signSecret(key.number, hash, flags, key.secret, noise, message));

/** @type {Record<string, import("./arena.js").Entry>} */
export const ECDSA = {
  ecdsa_verify: [4, verify],
  ecdsa_point: [2, point],
  ecdsa_public_key: [2, publicKey],
  ecdsa_key: [1, (number, secret) => faultOf(CURVES[number], secret) || keep(new EcdsaSigning(number, secret))],
  ecdsa_sign: [4, sign],
};
