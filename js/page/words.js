/** Rules, reasons and facts in words: those of docs/rules.md and of `sigmill explain`. */

/** Requirements of each rule (docs/rules.md): S, A, R, points of small order, the equation. */
export const RULES_IN_WORDS = {
  common: "S < ℓ; A any; R canonical; small order accepted; exact",
  rfc8032_exact: "S < ℓ; A and R canonical; small order accepted; exact",
  rfc8032: "S < ℓ; A and R canonical; small order accepted; cofactored",
  zip215: "S < ℓ; A and R any; small order accepted; cofactored",
  strict: "S < ℓ; A any; R canonical; A and R of small order refused; exact",
  no_small_key: "S < ℓ; A and R canonical; A of small order refused; cofactored",
  no_small: "S < ℓ; A any; R canonical; A and R of small order refused; cofactored",
  legacy: "S < 2^253; A any; R canonical; small order accepted; exact",
};

export const REASONS_IN_WORDS = {
  key_length: "the key does not have 32 bytes",
  signature_length: "the signature does not have 64 bytes",
  key_not_a_point: "the key is not a point on the curve",
  key_not_canonical: "the key is not the canonical encoding of its point",
  key_small_order: "the key is a point of small order",
  r_not_a_point: "R is not a point on the curve",
  r_not_canonical: "R is not the canonical encoding of its point",
  r_small_order: "R is a point of small order",
  s_out_of_range: "S is not in the range that the rule requires",
  equation: "the equation does not hold",
};

/** @param {import("../src/types.d.ts").PointReport} report */
export function pointInWords({ decodes, canonical, smallOrder, torsionOrder }) {
  if (!decodes) return "not a point on the curve";
  const order = smallOrder ? `small order ${torsionOrder}` : torsionOrder === 1 ? "prime order" : `mixed order, torsion part of order ${torsionOrder}`;
  return `${canonical ? "canonical" : "not canonical"}, ${order}`;
}

/** @param {import("../src/types.d.ts").Explanation} explanation */
export function residualInWords({ residualTorsionOrder, cofactored }) {
  if (residualTorsionOrder === null) return "undefined: a point does not decode";
  if (!cofactored) return `not of small order, torsion part of order ${residualTorsionOrder}`;
  return residualTorsionOrder === 1 ? "the identity" : `small order ${residualTorsionOrder}`;
}

/** Whether S is below 2^253: its top three bits are clear. */
export const isBelow253 = (signature) => signature[63] < 32;

export function rangeInWords({ sBelowOrder }, signature) {
  if (sBelowOrder) return "below the group order ℓ";
  return isBelow253(signature) ? "from the group order ℓ up, below 2^253 (malleable)" : "2^253 or more";
}
