/** Names that every language of sigmill has in common. */

export const VERSION = "0.1.0";

/** The rules, by their numbers in the module. */
export const RULES = Object.freeze(
  /** @type {const} */ (["common", "rfc8032_exact", "rfc8032", "zip215", "strict", "no_small_key", "no_small", "legacy"]),
);

/** The reasons, by their codes less 1. */
export const REASONS = Object.freeze(
  /** @type {const} */ ([
    "key_length",
    "signature_length",
    "key_not_a_point",
    "key_not_canonical",
    "key_small_order",
    "r_not_a_point",
    "r_not_canonical",
    "r_small_order",
    "s_out_of_range",
    "equation",
    "r_out_of_range",
    "s_high",
    "digest_empty",
    "signature_der",
    "digest_length",
  ]),
);

export const VARIANTS = /** @type {const} */ (["pure", "ctx", "ph"]);

/** Hash functions of ECDSA; with the last the message is the digest. */
export const HASHES = /** @type {const} */ (["sha256", "sha384", "sha512", "none"]);

/**
 * The name of a reason; null for code 0, which is valid.
 * @param {number} code
 */
export const reason = (code) => (code === 0 ? null : REASONS[code - 1]);
