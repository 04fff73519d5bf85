/** X25519 (RFC 7748): agreement on a secret. */
import { exactly, random } from "./arguments.js";
import { makeKeys } from "./keys.js";

/** @param {import("./module.js").Slot} slot */
export function makeX25519(slot) {
  /** @param {string} action */
  const at = (action) => `x25519.${action}`;
  /**
   * @param {string} action
   * @param {string} name
   * @param {Uint8Array[]} parts
   */
  const take = (action, name, parts) => slot.get(at(action)).take(name, [], parts, at(action));

  /** @param {Uint8Array} secretKey */
  const getPublicKey = (secretKey) => {
    slot.get(at("getPublicKey"));
    return take("getPublicKey", "x25519_public_key", [exactly(secretKey, "secretKey", 32)]);
  };

  return Object.freeze({
    /** @param {Uint8Array} [seed] */
    keygen(seed) {
      slot.get(at("keygen"));
      const secretKey = seed === undefined ? random(32) : new Uint8Array(exactly(seed, "seed", 32));
      return { secretKey, publicKey: getPublicKey(secretKey) };
    },
    getPublicKey,
    /**
     * @param {Uint8Array} secretKey
     * @param {Uint8Array} publicKey
     */
    getSharedSecret(secretKey, publicKey) {
      slot.get(at("getSharedSecret"));
      return take("getSharedSecret", "x25519_shared", [exactly(secretKey, "secretKey", 32), exactly(publicKey, "publicKey", 32)]);
    },
    /** @param {Uint8Array} secretKey */
    secretKeyFromEd25519(secretKey) {
      slot.get(at("secretKeyFromEd25519"));
      return take("secretKeyFromEd25519", "x25519_secret_of_ed25519", [exactly(secretKey, "secretKey", 32)]);
    },
    /** @param {Uint8Array} publicKey */
    publicKeyFromEd25519(publicKey) {
      slot.get(at("publicKeyFromEd25519"));
      return take("publicKeyFromEd25519", "x25519_public_of_ed25519", [exactly(publicKey, "publicKey", 32)]);
    },
    ...makeKeys(slot, 1, at, getPublicKey),
  });
}
