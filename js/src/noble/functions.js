/** The functions of the module, by the names and with the arguments that the WebAssembly module has (js/wasm/src). */
import { VERSION } from "../names.js";
import { verifyTable } from "./columns.js";
import { ECDSA } from "./ecdsa.js";
import { EDDSA } from "./eddsa.js";
import { NO_CONTAINERS } from "./faults.js";
import { release } from "./objects.js";
import { XDH } from "./xdh.js";

/** @type {Record<string, import("./arena.js").Entry>} */
export const FUNCTIONS = {
  version: [0, () => new TextEncoder().encode(VERSION)],
  release: [1, release],
  ...EDDSA,
  ...ECDSA,
  ...XDH,
  key_read: [2, () => NO_CONTAINERS],
  key_write: [2, () => NO_CONTAINERS],
  verify_columns: [2, verifyTable],
};
