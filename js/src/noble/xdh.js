/** X25519 by the arithmetic of noble. */
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { decode } from "./eddsa.js";
import { NOT_A_POINT, NOT_CONTRIBUTORY } from "./faults.js";

const { Fp } = ed25519.Point;

/** @type {(secret: Uint8Array, publicKey: Uint8Array) => number | Uint8Array} */
function shared(secret, publicKey) {
  try {
    return x25519.getSharedSecret(secret, publicKey);
  } catch (error) {
    // noble throws a plain Error where the result is zero; anything else, such as a stack that is used up, is a failure
    if (/** @type {any} */ (error)?.constructor !== Error) throw error;
    return NOT_CONTRIBUTORY;
  }
}

/** The first half of SHA-512(seed), which is clamped where it multiplies. @param {Uint8Array} seed */
function secretOfEd25519(seed) {
  const digest = sha512(seed);
  const secret = digest.slice(0, 32);
  digest.fill(0);
  return secret;
}

/** u = (1 + y)/(1 − y), and 0 for the neutral point (RFC 7748 section 4.1). @param {Uint8Array} key */
function publicOfEd25519(key) {
  const { point } = decode(key);
  if (point === null) return NOT_A_POINT;
  const { y } = point.toAffine();
  return Fp.toBytes(Fp.eql(y, Fp.ONE) ? Fp.ZERO : Fp.div(Fp.add(Fp.ONE, y), Fp.sub(Fp.ONE, y)));
}

/** @type {Record<string, import("./arena.js").Entry>} */
export const XDH = {
  x25519_public_key: [0, (secret) => x25519.getPublicKey(secret)],
  x25519_shared: [0, shared],
  x25519_secret_of_ed25519: [0, secretOfEd25519],
  x25519_public_of_ed25519: [0, publicOfEd25519],
};
