import type { Ecdsa, EcdsaSpec, Ed25519, Ed25519Spec, Init, Reason, Rule, VerifyColumns, X25519 } from "./types.js";
export type * from "./types.js";
export { SigmillError } from "./types.js";

export const init: Init;
export const ed25519: Ed25519;
export const ed25519ctx: Ed25519;
export const ed25519ph: Ed25519;
export const x25519: X25519;
export const p256: Ecdsa;
export const p384: Ecdsa;
export const verifyColumns: VerifyColumns<Ed25519Spec | EcdsaSpec>;
export const RULES: readonly Rule[];
export const REASONS: readonly Reason[];
export const VERSION: string;
