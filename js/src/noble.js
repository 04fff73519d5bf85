/** The whole package over the arithmetic of `@noble/curves`, for runtimes without WebAssembly. */
import { makeColumns } from "./columns.js";
import { makeEcdsa } from "./ecdsa.js";
import { makeEd25519 } from "./eddsa.js";
import { makeExports } from "./noble/arena.js";
import { FUNCTIONS } from "./noble/functions.js";
import { Module, Slot } from "./module.js";
import { ALGORITHMS } from "./specs.js";
import { makeX25519 } from "./xdh.js";

/** A slot that is full from the beginning: there is nothing to read. */
class NobleSlot extends Slot {
  constructor() {
    super(() => new Uint8Array(0));
    this.init = async () => {
      if (this.current?.isBroken) this.current = null;
    };
  }

  get() {
    this.current ??= new Module(/** @type {any} */ ({ exports: makeExports(FUNCTIONS) }));
    return this.current;
  }
}

const slot = /* @__PURE__ */ new NobleSlot();

/** Does nothing, but for a new beginning after a failure: for programs that run with either entry. */
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
