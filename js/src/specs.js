/** Specs of rows, by algorithm. */
import { options } from "./arguments.js";
import { schemeOf } from "./ecdsa.js";
import { ed25519Spec } from "./spec-ed25519.js";

/** @param {number} kind @param {string} hash */
const ecdsaSpec =
  (kind, hash) =>
  (/** @type {any} */ given, /** @type {string} */ where) => {
    const [number, der, lowS] = schemeOf(options(given, { hash, format: "raw", lowS: false }, where), where);
    return { head: [kind, number], tail: /** @type {[number, number]} */ ([der, lowS]) };
  };

export const ALGORITHMS = { ed25519: ed25519Spec, p256: ecdsaSpec(4, "sha256"), p384: ecdsaSpec(5, "sha384") };
