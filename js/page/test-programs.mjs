// Compares programs.js with the programs that are here, Node and noble, on every frozen row of variant pure. Ends with 1 if one differs.
import { createPublicKey, verify } from "node:crypto";
import { ed25519 as noble } from "@noble/curves/ed25519.js";
import { RULES, ed25519, init } from "../src/ed25519.js";
import { hex, rows } from "../test/vectors.mjs";
import { PROGRAMS, accepts } from "./programs.js";

await init();
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const [major, minor] = process.versions.node.split(".").map(Number);
const isStrict = (major === 24 && minor >= 19) || (major === 26 && minor >= 5);
const isCommon = major < 24 || (major === 24 && minor < 19) || (major === 26 && minor < 5);
/** Each with the rule of the entry that must foretell it. */
const programs = [
  ["noble-curves, noble-ed25519", "zip215", (signature, message, key) => noble.verify(signature, message, key)],
  ["noble-curves with zip215: false", "no_small_key", (signature, message, key) => noble.verify(signature, message, key, { zip215: false })],
];
if (isStrict || isCommon) {
  programs.push(["Node crypto.verify, WebCrypto", isStrict ? "strict" : "common", (signature, message, key) => {
    try {
      return verify(null, message, createPublicKey({ key: Buffer.concat([SPKI, key]), format: "der", type: "spki" }), signature);
    } catch {
      return false; // a key that it does not read
    }
  }]);
} else {
  console.log(`not compared: Node ${process.versions.node}, of which programs.js says nothing`);
}

for (const { program, versions, rule, like, but, note } of PROGRAMS) {
  const known = [rule, like].filter((name) => name !== undefined);
  const isTold = known.length < 2 && known.every((name) => RULES.includes(name)) && (like !== undefined) === (but !== undefined);
  const isWhole = program && versions && isTold && (rule !== undefined) === (note === undefined);
  if (!isWhole) throw new Error(`programs.js: ${program} ${versions} is no whole entry`);
}

const vectors = rows("verify.csv")
  .filter(({ variant, key, signature }) => variant === "pure" && key.length === 64 && signature.length === 128)
  .map(({ key, message, signature }) => [signature, message, key].map(hex));
for (const [name, rule, isAccepted] of programs) {
  const entry = PROGRAMS.find((candidate) => candidate.program === name && candidate.rule === rule);
  if (entry === undefined) throw new Error(`programs.js: no entry ${name} with rule ${rule}`);
  const differ = vectors.filter(([signature, message, key]) => accepts(entry, ed25519.explain(signature, message, key), signature, "pure") !== isAccepted(signature, message, key));
  console.log(`${name} (${rule}): ${vectors.length} rows, ${differ.length} differences`);
  if (differ.length > 0) process.exitCode = 1;
}
