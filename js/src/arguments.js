/** Checks of arguments. After them no code of the caller runs before the bytes have been copied. */
import { SigmillError } from "./errors.js";

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype);
/** @param {string} name */
const getter = (name) => /** @type {() => any} */ (Object.getOwnPropertyDescriptor(TYPED_ARRAY, name)?.get);
const lengthOf = getter("length");
const bufferOf = getter("buffer");
const kindOf = /** @type {() => any} */ (Object.getOwnPropertyDescriptor(TYPED_ARRAY, Symbol.toStringTag)?.get);

/**
 * A value in words, for messages.
 * @param {any} value
 */
export function seen(value) {
  if (value === null) return "null";
  if (typeof value === "string") return `a string of ${value.length} characters`;
  if (typeof value === "number" || typeof value === "boolean") return `the ${typeof value} ${value}`;
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return "an array";
  return `an object of class ${value.constructor?.name ?? "unknown"}`;
}

/**
 * The value, if it is a Uint8Array (a Buffer of Node's is one) in memory that stays as it is during the call.
 * @param {any} value
 * @param {string} name
 * @returns {Uint8Array}
 */
export function bytes(value, name) {
  const isBytes = ArrayBuffer.isView(value) && kindOf.call(value) === "Uint8Array";
  if (!isBytes) {
    const advice = typeof value === "string" ? "; decode it first, such as by TextEncoder or from hexadecimal" : "";
    throw new SigmillError("type", `${name} is ${seen(value)}; expected a Uint8Array${advice}`);
  }
  const buffer = bufferOf.call(value);
  if (!(buffer instanceof ArrayBuffer) && Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]") {
    throw new SigmillError("type", `${name} lies in a SharedArrayBuffer, which others may write to; pass a copy, new Uint8Array(${name})`);
  }
  if (buffer.resizable) {
    throw new SigmillError("type", `${name} lies in a resizable ArrayBuffer; pass a copy, new Uint8Array(${name})`);
  }
  if (lengthOf.call(value) === 0 && isDetached(buffer)) {
    throw new SigmillError("type", `the buffer of ${name} is detached: it was transferred to somebody else`);
  }
  return /** @type {Uint8Array} */ (value);
}

/** @param {ArrayBuffer} buffer */
function isDetached(buffer) {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/**
 * @param {Uint8Array} value
 * @returns {number}
 */
export const size = (value) => lengthOf.call(value);

/**
 * Bytes of one length.
 * @param {any} value
 * @param {string} name
 * @param {number} length
 */
export function exactly(value, name, length) {
  const found = bytes(value, name);
  if (size(found) !== length) {
    throw new SigmillError("length", `${name} has ${size(found)} bytes; expected ${length}`);
  }
  return found;
}

/** Advice about options of other libraries. */
const ELSEWHERE = new Map([
  ["zip215", 'noble\'s `zip215: true` is `rule: "zip215"`, its `false` is `rule: "no_small_key"`'],
  ["prehash", 'Ed25519ph is `variant: "ph"` or `ed25519ph`; a digest for ECDSA is `hash: "none"`'],
  ["extraEntropy", "noble's `extraEntropy: true` is `hedged: true`"],
]);

/**
 * The options of a call, read once; a name that the call does not have is an error.
 * @param {any} given
 * @param {Record<string, any>} defaults
 * @param {string} where
 * @returns {Record<string, any>}
 */
export function options(given, defaults, where) {
  if (given === undefined) return defaults;
  if (given === null || typeof given !== "object" || Array.isArray(given) || ArrayBuffer.isView(given)) {
    throw new SigmillError("type", `${where}: options are ${seen(given)}; expected an object`);
  }
  const found = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ") || "none";
      const advice = ELSEWHERE.has(name) ? `; ${ELSEWHERE.get(name)}` : "";
      throw new SigmillError("option", `${where}: unknown option ${name}; options are ${known}${advice}`);
    }
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/**
 * The place of a name in a list.
 * @param {any} value
 * @param {readonly string[]} names
 * @param {string} what
 */
export function choice(value, names, what) {
  const place = typeof value === "string" ? names.indexOf(value) : -1;
  if (place < 0) {
    const found = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : seen(value);
    throw new SigmillError("option", `${what} is ${found}; expected one of ${names.join(", ")}`);
  }
  return place;
}

/**
 * 0 or 1.
 * @param {any} value
 * @param {string} what
 */
export function flag(value, what) {
  if (typeof value !== "boolean") throw new SigmillError("option", `${what} is ${seen(value)}; expected true or false`);
  return value ? 1 : 0;
}

/**
 * Random bytes of the platform.
 * @param {number} length
 */
export function random(length) {
  const source = globalThis.crypto;
  if (typeof source?.getRandomValues !== "function") {
    throw new SigmillError("randomness", "this platform has no crypto.getRandomValues");
  }
  return source.getRandomValues(new Uint8Array(length));
}
