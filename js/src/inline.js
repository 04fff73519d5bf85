/** The whole package, with the module as text in a source file. */
import { module } from "../dist/inline.js";
import { init as initWith } from "./index.js";

export * from "./index.js";

/** @param {import("./module.js").Source | Promise<import("./module.js").Source>} [source] */
export const init = (source) => initWith(source ?? Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0)));
