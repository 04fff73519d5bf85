/** ECDSA (FIPS 186-5) on P-256 and P-384. */
import { bytes, choice, exactly, flag, options, random } from "./arguments.js";
import { SigmillError } from "./errors.js";
import { makeKeys } from "./keys.js";
import { HASHES, reason } from "./names.js";
import { Held, disposable } from "./objects.js";

const NOTHING = new Uint8Array(0);
const FORMATS = ["raw", "der"];
const DER = 1;
const LOW_S = 2;
const CHECKED = 4;

/**
 * The numbers of the options of a signature, and the noise.
 * @param {Record<string, any>} found
 * @param {string} where
 */
function signing(found, where) {
  const flags =
    DER * choice(found.format, FORMATS, `${where}: format`) +
    LOW_S * flag(found.lowS, `${where}: lowS`) +
    CHECKED * flag(found.checked, `${where}: checked`);
  const noise = flag(found.hedged, `${where}: hedged`) ? random(32) : NOTHING;
  return { numbers: [choice(found.hash, HASHES, `${where}: hash`), flags], noise };
}

/**
 * The numbers of a scheme: hash function, 1 for DER, 1 for low s.
 * @param {Record<string, any>} found
 * @param {string} where
 */
export const schemeOf = (found, where) => [
  choice(found.hash, HASHES, `${where}: hash`),
  choice(found.format, FORMATS, `${where}: format`),
  flag(found.lowS, `${where}: lowS`),
];

/** A secret key that stays in the module. */
export class EcdsaSigningKey {
  #held;
  #publicKey;
  #curve;
  #hash;

  /**
   * @param {Held} held
   * @param {Uint8Array} publicKey
   * @param {number} curve
   * @param {string} hash
   */
  constructor(held, publicKey, curve, hash) {
    this.#held = held;
    this.#publicKey = publicKey;
    this.#curve = curve;
    this.#hash = hash;
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
    const defaults = { hash: this.#hash, format: "raw", lowS: false, hedged: false, checked: false };
    const { numbers, noise } = signing(options(given, defaults, where), where);
    const [module, handle] = this.#held.use(where);
    return module.take("ecdsa_sign", [this.#curve, handle, ...numbers], [NOTHING, noise, bytes(message, "message")], where);
  }

  dispose() {
    this.#held.dispose();
  }
}
disposable(EcdsaSigningKey);

/**
 * The functions of a curve.
 * @param {import("./module.js").Slot} slot
 * @param {number} curve
 * @param {string} name
 * @param {number} width bytes of a secret key
 * @param {string} hash
 */
export function makeEcdsa(slot, curve, name, width, hash) {
  /** @param {string} action */
  const at = (action) => `${name}.${action}`;

  /**
   * @param {Uint8Array} secretKey
   * @param {boolean} [isCompressed]
   */
  const getPublicKey = (secretKey, isCompressed = false) => {
    const where = at("getPublicKey");
    const module = slot.get(where);
    const numbers = [curve, flag(isCompressed, `${where}: isCompressed`)];
    return module.take("ecdsa_public_key", numbers, [exactly(secretKey, "secretKey", width)], where);
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
    const numbers = schemeOf(options(given, { hash, format: "raw", lowS: false }, where), where);
    const parts = [bytes(publicKey, "publicKey"), bytes(message, "message"), bytes(signature, "signature")];
    return reason(module.ask("ecdsa_verify", [curve, ...numbers], parts, where));
  };

  return Object.freeze({
    keygen() {
      const where = at("keygen");
      slot.get(where);
      for (;;) {
        const secretKey = random(width);
        try {
          return { secretKey, publicKey: getPublicKey(secretKey) };
        } catch (error) {
          // 0, or not below the order: one of 2^32 on P-256
          if (!(error instanceof SigmillError && error.code === "key")) throw error;
        }
      }
    },
    getPublicKey,
    /**
     * @param {Uint8Array} message
     * @param {Uint8Array} secretKey
     * @param {object} [given]
     */
    sign(message, secretKey, given) {
      const where = at("sign");
      const module = slot.get(where);
      const { numbers, noise } = signing(
        options(given, { hash, format: "raw", lowS: false, hedged: false, checked: false }, where),
        where,
      );
      const parts = [exactly(secretKey, "secretKey", width), noise, bytes(message, "message")];
      return module.take("ecdsa_sign", [curve, 0, ...numbers], parts, where);
    },
    /** @type {(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, given?: object) => boolean} */
    verify: (signature, message, publicKey, given) => verifyReason(signature, message, publicKey, given) === null,
    verifyReason,
    /** @param {Uint8Array} secretKey */
    signingKey(secretKey) {
      const where = at("signingKey");
      const module = slot.get(where);
      const secret = exactly(secretKey, "secretKey", width);
      const publicKey = getPublicKey(secret);
      return new EcdsaSigningKey(new Held(module, module.ask("ecdsa_key", [curve], [secret], where), "key"), publicKey, curve, hash);
    },
    ...makeKeys(slot, curve + 2, at, getPublicKey),
  });
}
