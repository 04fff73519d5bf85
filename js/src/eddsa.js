/** Ed25519 (RFC 8032): `ed25519`, `ed25519ctx` and `ed25519ph`. */
import { bytes, choice, exactly, flag, options, random } from "./arguments.js";
import { SigmillError } from "./errors.js";
import { makeKeys } from "./keys.js";
import { RULES, VARIANTS, reason } from "./names.js";
import { Held, disposable } from "./objects.js";
import { makeStreams } from "./streams.js";

const NOTHING = new Uint8Array(0);

/**
 * The number of a variant, and the context.
 * @param {Record<string, any>} found
 * @param {string} where
 * @returns {[number, Uint8Array]}
 */
export function variantOf({ variant, context }, where) {
  const number = choice(variant, VARIANTS, `${where}: variant`);
  if (context === undefined) return [number, NOTHING];
  const given = bytes(context, `${where}: context`);
  if (given.length > 255) {
    throw new SigmillError("option", `${where}: context has ${given.length} bytes; at most 255 are allowed`);
  }
  if (number === 0 && given.length > 0) {
    throw new SigmillError("option", `${where}: context needs variant "ctx" or "ph"; this is "pure", which has none`);
  }
  return [number, given];
}

/**
 * The number of a rule.
 * @param {any} rule
 * @param {string} where
 */
export const ruleOf = (rule, where) => choice(rule, RULES, `${where}: rule`);

/** A secret key that stays in the module. */
export class SigningKey {
  #held;
  #publicKey;
  #scheme;

  /**
   * @param {Held} held
   * @param {Uint8Array} publicKey
   * @param {string} scheme
   */
  constructor(held, publicKey, scheme) {
    this.#held = held;
    this.#publicKey = publicKey;
    this.#scheme = scheme;
  }

  get publicKey() {
    return this.#publicKey.slice();
  }

  /**
   * @param {Uint8Array} message
   * @param {object} [given]
   */
  sign(message, given) {
    const where = "SigningKey.sign";
    const found = options(given, { variant: this.#scheme, context: undefined, hedged: false, checked: false }, where);
    const [variant, context] = variantOf(found, where);
    const noise = flag(found.hedged, `${where}: hedged`) ? random(32) : NOTHING;
    const checked = flag(found.checked, `${where}: checked`);
    const [module, handle] = this.#held.use(where);
    return module.take("ed25519_sign", [handle, variant, checked], [NOTHING, noise, context, bytes(message, "message")], where);
  }

  /**
   * @param {Uint8Array} digest
   * @param {object} [given]
   */
  signPrehashed(digest, given) {
    const where = "SigningKey.signPrehashed";
    const found = options(given, { context: undefined }, where);
    const [, context] = variantOf({ ...found, variant: "ph" }, where);
    const [module, handle] = this.#held.use(where);
    return module.take("ed25519_sign_digest", [handle], [NOTHING, context, exactly(digest, "digest", 64)], where);
  }

  dispose() {
    this.#held.dispose();
  }
}
disposable(SigningKey);

/** A public key with tables of its multiples. */
export class PreparedKey {
  #held;
  #publicKey;
  #scheme;

  /**
   * @param {Held} held
   * @param {Uint8Array} publicKey
   * @param {string} scheme
   */
  constructor(held, publicKey, scheme) {
    this.#held = held;
    this.#publicKey = publicKey;
    this.#scheme = scheme;
  }

  get publicKey() {
    return this.#publicKey.slice();
  }

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} message
   * @param {object} [given]
   */
  verify(signature, message, given) {
    return this.verifyReason(signature, message, given) === null;
  }

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} message
   * @param {object} [given]
   */
  verifyReason(signature, message, given) {
    const where = "PreparedKey.verify";
    const found = options(given, { rule: "common", variant: this.#scheme, context: undefined }, where);
    const numbers = [ruleOf(found.rule, where)];
    const [variant, context] = variantOf(found, where);
    const [module, handle] = this.#held.use(where);
    const parts = [context, bytes(message, "message"), bytes(signature, "signature")];
    return reason(module.ask("ed25519_verify_prepared", [handle, ...numbers, variant], parts, where));
  }

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} digest
   * @param {object} [given]
   */
  verifyPrehashed(signature, digest, given) {
    const where = "PreparedKey.verifyPrehashed";
    const found = options(given, { rule: "common", context: undefined }, where);
    const rule = ruleOf(found.rule, where);
    const [, context] = variantOf({ ...found, variant: "ph" }, where);
    const [module, handle] = this.#held.use(where);
    const parts = [context, bytes(digest, "digest"), bytes(signature, "signature")];
    return module.ask("ed25519_verify_digest_prepared", [handle, rule], parts, where) === 0;
  }

  dispose() {
    this.#held.dispose();
  }
}
disposable(PreparedKey);

/**
 * The functions of one variant.
 * @param {import("./module.js").Slot} slot
 * @param {"pure" | "ctx" | "ph"} scheme
 * @param {string} name
 */
export function makeEd25519(slot, scheme, name) {
  /** @param {string} action */
  const at = (action) => `${name}.${action}`;
  const signing = { variant: scheme, context: undefined, hedged: false, checked: false };
  const verifying = { rule: "common", variant: scheme, context: undefined };

  /** @param {Uint8Array} secretKey */
  const getPublicKey = (secretKey) => {
    const where = at("getPublicKey");
    return slot.get(where).take("ed25519_public_key", [], [exactly(secretKey, "secretKey", 32)], where);
  };

  /** @param {Uint8Array} [seed] */
  const keygen = (seed) => {
    slot.get(at("keygen"));
    const secretKey = seed === undefined ? random(32) : new Uint8Array(exactly(seed, "seed", 32));
    return { secretKey, publicKey: getPublicKey(secretKey) };
  };

  /**
   * @param {Uint8Array} message
   * @param {Uint8Array} secretKey
   * @param {object} [given]
   */
  const sign = (message, secretKey, given) => {
    const where = at("sign");
    const module = slot.get(where);
    const found = options(given, signing, where);
    const [variant, context] = variantOf(found, where);
    const noise = flag(found.hedged, `${where}: hedged`) ? random(32) : NOTHING;
    const numbers = [0, variant, flag(found.checked, `${where}: checked`)];
    const parts = [exactly(secretKey, "secretKey", 32), noise, context, bytes(message, "message")];
    return module.take("ed25519_sign", numbers, parts, where);
  };

  /**
   * @param {Uint8Array} digest
   * @param {Uint8Array} secretKey
   * @param {object} [given]
   */
  const signPrehashed = (digest, secretKey, given) => {
    const where = at("signPrehashed");
    const module = slot.get(where);
    const [, context] = variantOf({ ...options(given, { context: undefined }, where), variant: "ph" }, where);
    const parts = [exactly(secretKey, "secretKey", 32), context, exactly(digest, "digest", 64)];
    return module.take("ed25519_sign_digest", [0], parts, where);
  };

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} message
   * @param {Uint8Array} publicKey
   * @param {object} [given]
   */
  const verifyReason = (signature, message, publicKey, given) => {
    const where = at("verify");
    const module = slot.get(where);
    const found = options(given, verifying, where);
    const rule = ruleOf(found.rule, where);
    const [variant, context] = variantOf(found, where);
    const parts = [context, bytes(publicKey, "publicKey"), bytes(message, "message"), bytes(signature, "signature")];
    return reason(module.ask("ed25519_verify", [rule, variant], parts, where));
  };

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} digest
   * @param {Uint8Array} publicKey
   * @param {object} [given]
   */
  const verifyPrehashedReason = (signature, digest, publicKey, given) => {
    const where = at("verifyPrehashed");
    const module = slot.get(where);
    const found = options(given, { rule: "common", context: undefined }, where);
    const rule = ruleOf(found.rule, where);
    const [, context] = variantOf({ ...found, variant: "ph" }, where);
    const parts = [context, bytes(publicKey, "publicKey"), bytes(digest, "digest"), bytes(signature, "signature")];
    return reason(module.ask("ed25519_verify_digest", [rule], parts, where));
  };

  /**
   * @param {Uint8Array} publicKey
   * @param {{ rule: string }} given
   */
  const checkKey = (publicKey, given) => {
    const where = at("checkKey");
    const module = slot.get(where);
    const rule = ruleOf(options(given, { rule: "common" }, where).rule, where);
    return reason(module.ask("ed25519_check_key", [rule], [bytes(publicKey, "publicKey")], where));
  };

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} message
   * @param {Uint8Array} publicKey
   * @param {object} [given]
   */
  const explain = (signature, message, publicKey, given) => {
    const where = at("explain");
    const module = slot.get(where);
    const found = options(given, { variant: scheme, context: undefined }, where);
    const [variant, context] = variantOf(found, where);
    const key = exactly(publicKey, "publicKey", 32);
    const parts = [context, key, bytes(message, "message"), exactly(signature, "signature", 64)];
    return explanation(module.take("ed25519_explain", [variant], parts, where));
  };

  /** @param {Uint8Array} secretKey */
  const signingKey = (secretKey) => {
    const where = at("signingKey");
    const module = slot.get(where);
    const seed = exactly(secretKey, "secretKey", 32);
    const publicKey = module.take("ed25519_public_key", [], [seed], where);
    return new SigningKey(new Held(module, module.ask("ed25519_key", [], [seed], where), "key"), publicKey, scheme);
  };

  /** @param {Uint8Array} publicKey */
  const prepare = (publicKey) => {
    const where = at("prepare");
    const module = slot.get(where);
    const key = exactly(publicKey, "publicKey", 32);
    const handle = module.ask("ed25519_prepare", [], [key], where);
    return new PreparedKey(new Held(module, handle, "key"), new Uint8Array(key), scheme);
  };

  return Object.freeze({
    keygen,
    getPublicKey,
    sign,
    signPrehashed,
    /** @type {(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, given?: object) => boolean} */
    verify: (signature, message, publicKey, given) => verifyReason(signature, message, publicKey, given) === null,
    verifyReason,
    /** @type {(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array, given?: object) => boolean} */
    verifyPrehashed: (signature, digest, publicKey, given) =>
      verifyPrehashedReason(signature, digest, publicKey, given) === null,
    verifyPrehashedReason,
    checkKey,
    explain,
    signingKey,
    prepare,
    ...makeStreams(slot, scheme, at, { variantOf, ruleOf, signPrehashed }),
    ...makeKeys(slot, 0, at, getPublicKey),
  });
}

/** @param {Uint8Array} report as js/wasm/src/ed25519.rs writes it */
function explanation(report) {
  /** @param {number} first */
  const point = (first) => ({
    decodes: report[first] === 1,
    canonical: report[first + 1] === 1,
    smallOrder: report[first + 2] === 1,
    torsionOrder: report[first + 3],
  });
  const verdicts = RULES.map((rule, i) => [rule, reason(report[44 + i])]);
  return {
    a: point(0),
    r: point(4),
    k: report.slice(12, 44),
    sBelowOrder: report[8] === 1,
    exact: report[9] === 1,
    cofactored: report[10] === 1,
    residualTorsionOrder: report[11] === 0 ? null : report[11],
    verdicts: Object.fromEntries(verdicts),
  };
}
