/** The bytes of a file of the package, in browsers and workers. */
import { SigmillError } from "./errors.js";
import { ADVICE } from "./module.js";

/** @param {URL} file */
export async function read(file) {
  try {
    return await fetch(file);
  } catch (cause) {
    throw new SigmillError("module", `init: ${file} cannot be fetched; ${ADVICE}`, { cause });
  }
}
