/** Ed25519 alone, with a small module. */
import { read } from "#read";
import { makeColumns } from "./columns.js";
import { makeEd25519 } from "./eddsa.js";
import { Slot } from "./module.js";
import { ed25519Spec } from "./spec-ed25519.js";

const slot = /* @__PURE__ */ new Slot(() => read(new URL("../dist/ed25519.wasm", import.meta.url)));

export const init = /* @__PURE__ */ (() => slot.init)();
export const ed25519 = /* @__PURE__ */ makeEd25519(slot, "pure", "ed25519");
export const ed25519ctx = /* @__PURE__ */ makeEd25519(slot, "ctx", "ed25519ctx");
export const ed25519ph = /* @__PURE__ */ makeEd25519(slot, "ph", "ed25519ph");
export const verifyColumns = /* @__PURE__ */ makeColumns(slot, { ed25519: ed25519Spec });
export { SigmillError } from "./errors.js";
export { REASONS, RULES, VERSION } from "./names.js";
