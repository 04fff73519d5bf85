/** The spec of rows of Ed25519. */
import { flag, options } from "./arguments.js";
import { ruleOf, variantOf } from "./eddsa.js";
import { SigmillError } from "./errors.js";

/** Ed25519ph with digests in the place of messages. */
const PREHASHED = 3;

/**
 * @param {any} given
 * @param {string} where
 */
export function ed25519Spec(given, where) {
  const found = options(given, { rule: "common", variant: "pure", context: undefined, prehashed: false }, where);
  const rule = ruleOf(found.rule, where);
  const [variant, context] = variantOf(found, where);
  const isPrehashed = flag(found.prehashed, `${where}: prehashed`) === 1;
  if (isPrehashed && variant !== 2) {
    throw new SigmillError("option", `${where}: prehashed needs variant "ph"; this is ${JSON.stringify(found.variant)}`);
  }
  return { head: [isPrehashed ? PREHASHED : variant, rule], tail: context };
}
