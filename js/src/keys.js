/** Keys from and to other formats: the bytes by themselves, PKCS#8, SubjectPublicKeyInfo, ECPrivateKey, PEM, JWK. */
import { bytes, choice, seen, size } from "./arguments.js";
import { SigmillError, faultError } from "./errors.js";
import { RULES } from "./names.js";

/** By the numbers that the module has for algorithms. */
const ALGORITHMS = [
  { kty: "OKP", crv: "Ed25519", secret: 32, algs: ["Ed25519", "EdDSA"] },
  { kty: "OKP", crv: "X25519", secret: 32, algs: [] },
  { kty: "EC", crv: "P-256", secret: 32, algs: ["ES256"] },
  { kty: "EC", crv: "P-384", secret: 48, algs: ["ES384"] },
];
const PKCS8 = 0;
const SPKI = 2;
const SEC1 = 4;
const PEM = 1;

/** A rule that accepts every public key that is a point, and the fault of one that is not. */
const ANY_POINT = RULES.indexOf("zip215");
const NOT_A_POINT = -5;

/** @param {Uint8Array} value */
function toBase64url(value) {
  let text = "";
  for (const byte of value) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes of a member of a JWK: base64url (RFC 7515 section 2), and the one text of its bytes.
 * @param {any} jwk
 * @param {string} name
 * @param {number} length
 * @param {string} where
 */
function member(jwk, name, length, where) {
  const text = jwk[name];
  if (typeof text !== "string") {
    throw new SigmillError("jwk", `${where}: member ${name} of the JWK is ${text === undefined ? "missing" : seen(text)}; expected base64url`);
  }
  /** @type {Uint8Array | null} */
  let found = null;
  if (/^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1) {
    found = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  }
  if (found === null || toBase64url(found) !== text) {
    throw new SigmillError("jwk", `${where}: member ${name} of the JWK is not base64url without padding`);
  }
  if (found.length !== length) {
    throw new SigmillError("jwk", `${where}: member ${name} of the JWK has ${found.length} bytes; expected ${length}`);
  }
  return found;
}

/**
 * @param {import("./module.js").Slot} slot
 * @param {number} algorithm
 * @param {(action: string) => string} at
 * @param {(secretKey: Uint8Array) => Uint8Array} publicKeyOf uncompressed, for curves with two forms
 */
export function makeKeys(slot, algorithm, at, publicKeyOf) {
  const { kty, crv, secret, algs } = ALGORITHMS[algorithm];
  const isCurve = kty === "EC";
  const secretFormats = ["raw", "pkcs8", "pem", "jwk", ...(isCurve ? ["sec1"] : [])];
  const publicFormats = ["raw", "spki", "pem", "jwk"];

  /**
   * @param {any} jwk
   * @param {string} where
   */
  const checkJwk = (jwk, where) => {
    if (jwk === null || typeof jwk !== "object") throw new SigmillError("type", `${where}: the JWK is ${seen(jwk)}; expected an object`);
    /** @type {[string, string[], boolean][]} */
    const members = [["kty", [kty], true], ["crv", [crv], true], ["alg", algs, false]];
    for (const [name, values, needed] of members) {
      const value = jwk[name];
      if (value === undefined ? needed : !values.includes(value)) {
        const found = value === undefined ? "missing" : JSON.stringify(value);
        throw new SigmillError("jwk", `${where}: member ${name} of the JWK is ${found}; expected ${values.join(" or ") || "none"}`);
      }
    }
  };

  /**
   * @param {any} jwk
   * @param {string} where
   */
  const publicOfJwk = (jwk, where) => {
    const x = member(jwk, "x", secret, where);
    if (!isCurve) return x;
    return Uint8Array.of(4, ...x, ...member(jwk, "y", secret, where));
  };

  /** @param {Uint8Array} publicKey */
  const jwkOf = (publicKey) => {
    if (!isCurve) return { kty, crv, x: toBase64url(publicKey) };
    return { kty, crv, x: toBase64url(publicKey.subarray(1, 1 + secret)), y: toBase64url(publicKey.subarray(1 + secret)) };
  };

  /**
   * The text or bytes of PEM, as bytes.
   * @param {any} data
   * @param {string} where
   */
  const pemBytes = (data, where) => (typeof data === "string" ? new TextEncoder().encode(data) : bytes(data, `${where}: data`));

  /**
   * @param {Uint8Array} secretKey
   * @param {string} where
   */
  const checked = (secretKey, where) => {
    if (size(secretKey) !== secret) {
      throw new SigmillError("length", `${where}: the secret key has ${size(secretKey)} bytes; expected ${secret}`);
    }
    return publicKeyOf(secretKey);
  };

  /**
   * The public key in its one form, checked.
   * @param {Uint8Array} key
   * @param {string} where
   */
  const point = (key, where) => {
    const module = slot.get(where);
    if (isCurve) return module.take("ecdsa_point", [algorithm - 2, 0], [key], where);
    if (size(key) !== 32) throw new SigmillError("length", `${where}: the public key has ${size(key)} bytes; expected 32`);
    // an X25519 key is any 32 bytes
    if (algorithm === 0 && module.ask("ed25519_check_key", [ANY_POINT], [key], where) !== 0) throw faultError(NOT_A_POINT, where);
    return new Uint8Array(key);
  };

  return {
    /**
     * @param {string} format
     * @param {any} data
     */
    importSecretKey(format, data) {
      const where = at("importSecretKey");
      const module = slot.get(where);
      const container = { pkcs8: PKCS8, sec1: SEC1, pem: PKCS8 + PEM }[secretFormats[choice(format, secretFormats, `${where}: format`)]];
      if (container !== undefined) {
        const given = container & PEM ? pemBytes(data, where) : bytes(data, `${where}: data`);
        return module.take("key_read", [algorithm, container], [given], where);
      }
      if (format === "raw") {
        const found = bytes(data, `${where}: data`);
        checked(found, where);
        return new Uint8Array(found);
      }
      checkJwk(data, where);
      const found = member(data, "d", secret, where);
      const [stated, derived] = [publicOfJwk(data, where), publicKeyOf(found)];
      if (stated.some((byte, i) => byte !== derived[i])) {
        throw new SigmillError("key_pair", `${where}: the public key of the JWK does not belong to its d`);
      }
      return found;
    },

    /**
     * @param {string} format
     * @param {any} data
     */
    importPublicKey(format, data) {
      const where = at("importPublicKey");
      const module = slot.get(where);
      const container = { spki: SPKI, pem: SPKI + PEM }[publicFormats[choice(format, publicFormats, `${where}: format`)]];
      if (container !== undefined) {
        const given = container & PEM ? pemBytes(data, where) : bytes(data, `${where}: data`);
        return module.take("key_read", [algorithm, container], [given], where);
      }
      if (format === "raw") return point(bytes(data, `${where}: data`), where);
      checkJwk(data, where);
      if (data.d !== undefined) throw new SigmillError("jwk", `${where}: the JWK has a member d: it is a private key; use importSecretKey`);
      return point(publicOfJwk(data, where), where);
    },

    /**
     * @param {string} format
     * @param {Uint8Array} secretKey
     */
    exportSecretKey(format, secretKey) {
      const where = at("exportSecretKey");
      const module = slot.get(where);
      choice(format, secretFormats, `${where}: format`);
      const key = bytes(secretKey, "secretKey");
      const publicKey = checked(key, where);
      if (format === "pkcs8") return module.take("key_write", [algorithm, PKCS8], [key], where);
      if (format === "sec1") return module.take("key_write", [algorithm, SEC1], [key], where);
      if (format === "pem") return module.text("key_write", [algorithm, PKCS8 + PEM], [key], where);
      return format === "raw" ? new Uint8Array(key) : { ...jwkOf(publicKey), d: toBase64url(key) };
    },

    /**
     * @param {string} format
     * @param {Uint8Array} publicKey
     */
    exportPublicKey(format, publicKey) {
      const where = at("exportPublicKey");
      const module = slot.get(where);
      choice(format, publicFormats, `${where}: format`);
      const key = point(bytes(publicKey, "publicKey"), where);
      if (format === "spki") return module.take("key_write", [algorithm, SPKI], [key], where);
      if (format === "pem") return module.text("key_write", [algorithm, SPKI + PEM], [key], where);
      return format === "raw" ? key : jwkOf(key);
    },
  };
}
