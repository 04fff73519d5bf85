/** The whole package, with the module beside it. */
import { read } from "#read";
import { makeColumns } from "./columns.js";
import { makeEcdsa } from "./ecdsa.js";
import { makeEd25519 } from "./eddsa.js";
import { Slot } from "./module.js";
import { hasSimd } from "./simd.js";
import { ALGORITHMS } from "./specs.js";
import { makeX25519 } from "./xdh.js";

// bundlers find a file by the whole of such an expression
const file = () =>
  hasSimd() ? new URL("../dist/sigmill-simd.wasm", import.meta.url) : new URL("../dist/sigmill.wasm", import.meta.url);
const slot = /* @__PURE__ */ new Slot(() => read(file()));

export const init = /* @__PURE__ */ (() => slot.init)();
export const ed25519 = /* @__PURE__ */ makeEd25519(slot, "pure", "ed25519");
export const ed25519ctx = /* @__PURE__ */ makeEd25519(slot, "ctx", "ed25519ctx");
export const ed25519ph = /* @__PURE__ */ makeEd25519(slot, "ph", "ed25519ph");
export const x25519 = /* @__PURE__ */ makeX25519(slot);
export const p256 = /* @__PURE__ */ makeEcdsa(slot, 0, "p256", 32, "sha256");
export const p384 = /* @__PURE__ */ makeEcdsa(slot, 1, "p384", 48, "sha384");
export const verifyColumns = /* @__PURE__ */ makeColumns(slot, ALGORITHMS);
export { SigmillError } from "./errors.js";
export { REASONS, RULES, VERSION } from "./names.js";
