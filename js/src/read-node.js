/** The bytes of a file of the package, in Node, Deno and Bun. */
import { readFile } from "node:fs/promises";
import { SigmillError } from "./errors.js";
import { ADVICE } from "./module.js";

/** @param {URL} file */
export async function read(file) {
  try {
    return file.protocol === "file:" ? await readFile(file) : await fetch(file);
  } catch (cause) {
    throw new SigmillError("module", `init: ${file} cannot be read; ${ADVICE}`, { cause });
  }
}
