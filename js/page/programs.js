/**
 * Programs, their versions, and the rule that each follows.
 *
 * Sources: [S] the comparison of every frozen vector in vectors/SOURCES.md; [M] a migration page, docs/migrating-from-*.md;
 * [E] docs/envelopes.md; [R] the table of rules in README.md; [C] `followers` in cli/src/explain/mod.rs, measured with 1,273
 * vectors in the version that is named here; [T] the text of a standard, not a program.
 *
 * `variants` names those that were compared; without it, pure alone. A program that follows no rule has `like`, a rule, and
 * `but`: the signatures for which it departs from that rule, whose verdict is not told here. Without `like` none is told.
 */
import { isBelow253 } from "./words.js";

const isOdd = ({ decodes, canonical }) => decodes && !canonical;

export const PROGRAMS = [
  // [S] 2.2.0, pure and ph; [M] 3 (migrating-from-dalek.md); [C] 1.0.1
  { program: "ed25519-dalek verify", versions: "1.0.1, 2.2.0, 3", rule: "common", variants: ["pure", "ph"] },
  // [S] 2.2.0, pure and ph; [M] 3 (migrating-from-dalek.md); [C] 1.0.1
  { program: "ed25519-dalek verify_strict", versions: "1.0.1, 2.2.0, 3", rule: "strict", variants: ["pure", "ph"] },
  // [M] migrating-from-dalek.md: a randomised equation; [C] 2.2.0
  { program: "ed25519-dalek verify_batch", versions: "2.2.0", note: "the verdict depends on the other signatures of the batch if A or R has a torsion part" },
  // [C]
  { program: "ed25519-dalek with legacy_compatibility, verify", versions: "2.2.0", rule: "legacy" },
  // [C]
  {
    program: "ed25519-dalek with legacy_compatibility, verify_strict", versions: "2.2.0", like: "strict",
    but: ({ sBelowOrder }) => !sBelowOrder, note: "S may be ℓ or more, below 2^253",
  },
  // [S]
  { program: "ring", versions: "0.17.14", rule: "common" },
  // [C]: ring 0.17.14 has its code
  { program: "BoringSSL", versions: "as in ring 0.17.14", rule: "common" },
  // [S] 3.0.22; [M] 4.0.3 (migrating-from-pyca.md)
  { program: "OpenSSL", versions: "3.0.22, 4.0.3", rule: "common" },
  // [M] migrating-from-pyca.md
  { program: "pyca/cryptography", versions: "50, with OpenSSL 4.0.3", rule: "common" },
  // [E]
  { program: "OpenSSH", versions: "not recorded", rule: "common" },
  // [C]
  { program: "Go crypto/ed25519", versions: "1.26.8", rule: "common" },
  // [S] 20.20.2, 22.20.0, 24.18.0; [R] up to 24.18, and 26.0 to 26.4
  { program: "Node crypto.verify, WebCrypto", versions: "up to 24.18; 26.0 to 26.4", rule: "common" },
  // [S] 24.19.0, 26.5.0; [R] from then on
  { program: "Node crypto.verify, WebCrypto", versions: "from 24.19; from 26.5", rule: "strict" },
  // [T] [E]
  { program: "WebCrypto", versions: "its text; engines differ", rule: "strict" },
  // [S]
  { program: "aws-lc-rs", versions: "1.19.0", rule: "rfc8032_exact" },
  // [C]
  { program: "graviola", versions: "0.3.4", rule: "rfc8032_exact" },
  // [C]
  { program: "circl", versions: "1.6.5", rule: "rfc8032_exact" },
  // [C]; docs/incidents.md row 7 has the flaw about a byte after the end
  { program: "JDK", versions: "17.0.15", rule: "rfc8032_exact" },
  // [T] [C]
  { program: "FIPS 186-5", versions: "its text", rule: "rfc8032" },
  // [C]
  { program: "pycryptodome", versions: "4.4.0", rule: "rfc8032" },
  // [S]
  { program: "ed25519-zebra", versions: "4.2.0", rule: "zip215" },
  // [C]
  { program: "ed25519-consensus", versions: "2.1.0", rule: "zip215" },
  // [C]
  { program: "Go ed25519consensus", versions: "0.2.0", rule: "zip215" },
  // [C]; js/README.md
  { program: "noble-curves, noble-ed25519", versions: "2.4.0, 3.2.0", rule: "zip215" },
  // [C]; js/README.md
  { program: "noble-curves with zip215: false", versions: "2.4.0", rule: "no_small_key" },
  // [C]
  { program: "curve25519-voi by default", versions: "not recorded", rule: "no_small_key" },
  // [C]
  { program: "curve25519-voi, StdLib preset", versions: "not recorded", rule: "common" },
  // [C]
  { program: "curve25519-voi, FIPS preset", versions: "not recorded", rule: "rfc8032" },
  // [C]
  { program: "curve25519-voi, ZIP-215 preset", versions: "not recorded", rule: "zip215" },
  // [S] 1.0.18
  { program: "libsodium", versions: "1.0.18", rule: "strict" },
  // [M] migrating-from-pynacl.md
  { program: "PyNaCl", versions: "1.6.2", rule: "strict" },
  // [C]
  { program: "libsodium.js", versions: "0.8.4", rule: "strict" },
  // [E]
  { program: "minisign", versions: "with libsodium 1.0.18", rule: "strict" },
  // [C], from its source
  { program: "Firedancer", versions: "not recorded", rule: "strict" },
  // [C]; 1.66 followed another rule
  { program: "BouncyCastle", versions: "1.81", rule: "no_small_key" },
  // [C]
  { program: "oasisprotocol/ed25519 by default", versions: "not recorded", rule: "no_small" },
  // [C]
  { program: "ed25519-compact", versions: "2.6.0", rule: "no_small" },
  // [M] migrating-from-donna.md
  { program: "ed25519-donna sign_open", versions: "not recorded", rule: "legacy" },
  // [C], measured
  { program: "ed25519-donna sign_open_batch", versions: "not recorded", note: "the verdict depends on the other signatures of the batch, and S has no bound" },
  // [E]
  { program: "signify (ref10)", versions: "not recorded", rule: "legacy" },
  // measured with the vectors of [C]
  {
    program: "tweetnacl.js", versions: "1.0.3", like: "legacy",
    but: (_, signature) => !isBelow253(signature), note: "S has no bound",
  },
  // measured with the vectors of [C]
  {
    program: "stablelib", versions: "2.1.0", like: "common",
    but: ({ a }) => isOdd(a), note: "refuses some keys that are not canonical",
  },
  // measured with the vectors of [C]
  {
    program: "elliptic", versions: "6.6.1", like: "common",
    but: ({ a, r }) => isOdd(a) || isOdd(r), note: "refuses some encodings that are not canonical, and accepts others",
  },
  // measured with the vectors of [C]: the nearest rule differs on 392 of 1,273
  { program: "python-ecdsa", versions: "0.19.2", note: "wrong for points with a torsion part" },
];

/**
 * The verdict of a program: whether it accepts the signature, or null if that is not told.
 * @param {typeof PROGRAMS[number]} entry
 * @param {import("../src/types.d.ts").Explanation} explanation
 * @param {Uint8Array} signature
 * @param {string} variant
 */
export function accepts({ rule, like, but, variants = ["pure"] }, explanation, signature, variant) {
  if (!variants.includes(variant)) return null;
  const followed = rule ?? like;
  if (followed === undefined || (but?.(explanation, signature) ?? false)) return null;
  return explanation.verdicts[followed] === null;
}
