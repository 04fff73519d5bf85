/**
 * The decision, as in sigmill/src/ed25519/rules.rs and sigmill/src/ecdsa/rules.rs: a rule is data, and `decide` applies it to
 * facts. No arithmetic happens here, and no verdict is made elsewhere. A verdict is 0, or the code of a reason.
 */
import { REASONS, RULES } from "../names.js";

/** @typedef {typeof REASONS[number]} Reason */

/**
 * The requirements of each rule: the table of docs/rules.md.
 * @type {Record<typeof RULES[number], Requirements>}
 */
const REQUIREMENTS = {
  //              S              A            R            small A     small R     equation
  common:        ["belowOrder",  "any",       "canonical", "accepted", "accepted", "exact"],
  rfc8032_exact: ["belowOrder",  "canonical", "canonical", "accepted", "accepted", "exact"],
  rfc8032:       ["belowOrder",  "canonical", "canonical", "accepted", "accepted", "cofactored"],
  zip215:        ["belowOrder",  "any",       "any",       "accepted", "accepted", "cofactored"],
  strict:        ["belowOrder",  "any",       "canonical", "refused",  "refused",  "exact"],
  no_small_key:  ["belowOrder",  "canonical", "canonical", "refused",  "accepted", "cofactored"],
  no_small:      ["belowOrder",  "any",       "canonical", "refused",  "refused",  "cofactored"],
  legacy:        ["below2to253", "any",       "canonical", "accepted", "accepted", "exact"],
};

/**
 * @typedef {["belowOrder" | "below2to253", Encoding, Encoding, Order, Order, "exact" | "cofactored"]} Requirements
 * @typedef {"any" | "canonical"} Encoding
 * @typedef {"accepted" | "refused"} Order
 */

/**
 * Facts about a point: there is one with this encoding, the encoding is the canonical one, 8 times the point is the identity.
 * The last two mean nothing without the first.
 * @typedef {{ decodes: boolean, canonical: boolean, small: boolean }} PointFacts
 */

/**
 * @typedef {object} Facts
 * @property {PointFacts} a the public key
 * @property {PointFacts} r
 * @property {boolean} sBelowOrder
 * @property {boolean} sBelow2to253
 * @property {boolean} exact the encoding of [S]B − [k]A is R
 * @property {boolean} cofactored [8]([S]B − [k]A − R) is the identity
 */

const FAULTLESS_POINT = Object.freeze({ decodes: true, canonical: true, small: false });

/** Facts that no rule objects to, for a caller who asks about some of them. */
export const FAULTLESS = Object.freeze({
  a: FAULTLESS_POINT,
  r: FAULTLESS_POINT,
  sBelowOrder: true,
  sBelow2to253: true,
  exact: true,
  cofactored: true,
});

/**
 * The first reason that applies.
 * @param {[Reason, boolean][]} refusals
 */
function verdict(refusals) {
  const found = refusals.find(([, applies]) => applies);
  return found === undefined ? 0 : REASONS.indexOf(found[0]) + 1;
}

/**
 * The verdict of a rule on facts.
 * @param {number} rule
 * @param {Facts} facts
 */
export function decide(rule, facts) {
  const [s, aEncoding, rEncoding, aOrder, rOrder, equation] = REQUIREMENTS[RULES[rule]];
  return verdict([
    ["key_not_a_point", !facts.a.decodes],
    ["key_not_canonical", aEncoding === "canonical" && !facts.a.canonical],
    ["key_small_order", aOrder === "refused" && facts.a.small],
    ["r_not_a_point", !facts.r.decodes],
    ["r_not_canonical", rEncoding === "canonical" && !facts.r.canonical],
    ["r_small_order", rOrder === "refused" && facts.r.small],
    ["s_out_of_range", !(s === "belowOrder" ? facts.sBelowOrder : facts.sBelow2to253)],
    ["equation", !(equation === "exact" ? facts.exact : facts.cofactored)],
  ]);
}

/**
 * The verdict of every rule on lengths, which comes before facts: 0 if they are right. A message has no length to be wrong; a
 * digest in its place has.
 * @param {Uint8Array} key
 * @param {Uint8Array} signature
 * @param {Uint8Array} [digest]
 */
export const decideLengths = (key, signature, digest) =>
  verdict([
    ["key_length", key.length !== 32],
    ["signature_length", signature.length !== 64],
    ["digest_length", digest !== undefined && digest.length !== 64],
  ]);

/**
 * The verdict on an ECDSA key and signature as they were read; 0 if both could be.
 * @param {"length" | "notAPoint" | null} key the fault
 * @param {"length" | "der" | null} signature
 */
export const decideReading = (key, signature) =>
  verdict([
    ["key_length", key === "length"],
    ["signature_length", signature === "length"],
    ["key_not_a_point", key === "notAPoint"],
    ["signature_der", signature === "der"],
  ]);

/**
 * The verdict on an ECDSA signature.
 * @param {boolean} lowS whether an s above half of the order is refused
 * @param {{ digestEmpty: boolean, rInRange: boolean, sInRange: boolean, sLow: boolean, equation: boolean }} facts
 */
export const decideEcdsa = (lowS, facts) =>
  verdict([
    ["digest_empty", facts.digestEmpty],
    ["r_out_of_range", !facts.rInRange],
    ["s_out_of_range", !facts.sInRange],
    ["s_high", lowS && !facts.sLow],
    ["equation", !facts.equation],
  ]);
