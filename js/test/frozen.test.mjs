/**
 * Every frozen row under every rule as a table, and every frozen signature. One at a time a row has two rules in turn; other ways
 * to verify, and the small module, have an eighth of the rows. With SIGMILL_LONG=1 all of them have all.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as small from "sigmill/ed25519";
import * as whole from "sigmill";
import { hasSimd } from "../src/simd.js";
import { hex, rows, toHex } from "./vectors.mjs";

/** SIGMILL_MODULES names a folder with other modules. */
const folder = process.env.SIGMILL_MODULES;
const source = (name) => (folder ? readFileSync(`${folder}/${name}.wasm`) : undefined);
await whole.init(source(hasSimd() ? "sigmill-simd" : "sigmill"));
await small.init(source("ed25519"));
/** The package a second time, with the module without vectors. */
const plain = await import("../src/index.js?plain");
await plain.init(source("sigmill") ?? readFileSync(new URL("../dist/sigmill.wasm", import.meta.url)));

const allRows = rows("verify.csv");
const share = process.env.SIGMILL_LONG ? 1 : 8;
const some = allRows.filter((_, i) => i % share === 0);
const columns = Object.keys(allRows[0]);
const rules = columns.slice(columns.indexOf("signature") + 1);
const shown = (differences) => `${differences.length} differences\n${differences.slice(0, 20).join("\n")}`;

const modules = [
  ["sigmill", whole, allRows],
  ["sigmill without simd128", plain, share === 1 ? allRows : allRows.filter((_, i) => i % 2 === 0)],
  ["sigmill/ed25519", small, some],
];
/** The differences between the frozen rows of verify.csv and what a module says, one at a time and as a table. */
function differencesOf({ ed25519, verifyColumns }, verifyRows) {
  const differences = [];
  const compare = (row, what, got, frozen) => {
    if (got !== frozen) differences.push(`verify.csv, row ${row.id} (${row.note}), ${what}: ${got}, frozen is ${frozen}`);
  };
  const table = { keys: [], messages: [], signatures: [] };
  const specs = new Map();
  const specOfRow = [];
  const expected = [];
  for (const row of verifyRows) {
    const [key, message, signature, context] = [row.key, row.message, row.signature, row.context].map(hex);
    for (const [i, rule] of rules.entries()) {
      const options = { rule, variant: row.variant, context };
      if (share === 1 || (Number(row.id) + i) % 4 === 0) {
        compare(row, rule, ed25519.verifyReason(signature, message, key, options) ?? "ok", row[rule]);
      }
      if (row.id % share === 0) {
        const verifier = ed25519.verifier(signature, key, options);
        verifier.update(message.subarray(0, 3)).update(message.subarray(3));
        compare(row, `${rule} in pieces`, verifier.verifyReason() ?? "ok", row[rule]);
      }
      const spec = `${rule},${row.variant},${row.context}`;
      if (!specs.has(spec)) specs.set(spec, [specs.size, options]);
      specOfRow.push(specs.get(spec)[0]);
      table.keys.push(key);
      table.messages.push(message);
      table.signatures.push(signature);
      expected.push([row, rule]);
    }
  }
  const verdicts = verifyColumns(table, { specs: [...specs.values()].map(([, options]) => options), specOfRow });
  assert.equal(verdicts.length, verifyRows.length * rules.length);
  expected.forEach(([row, rule], i) => compare(row, `${rule} in a table`, verdicts.reason(i) ?? "ok", row[rule]));
  return differences;
}

for (const [name, module, verifyRows] of modules) {
  const { ed25519, RULES } = module;

  test(`${name}: verify.csv`, () => {
    assert.deepEqual(rules, RULES);
    assert.ok(verifyRows.length > 2000 / share);
    const differences = differencesOf(module, verifyRows);
    assert.equal(differences.length, 0, shown(differences));
  });

  test(`${name}: a changed cell is found`, () => {
    const row = allRows.find(({ id }) => id % share === 1);
    const changed = { ...row, legacy: row.legacy === "ok" ? "equation" : "ok" };
    assert.equal(differencesOf(module, [row]).length, 0);
    assert.equal(differencesOf(module, [changed]).length, share === 1 ? 3 : 2);
  });

  test(`${name}: prepared keys and explanations`, () => {
    const differences = [];
    const byKey = new Map();
    for (const row of some) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row]);
    let prepared = 0;
    for (const [key, found] of byKey) {
      let held = null;
      try {
        held = ed25519.prepare(hex(key));
      } catch (error) {
        if (!["key", "length"].includes(error.code)) throw error;
      }
      for (const row of found) {
        const [message, signature, context] = [row.message, row.signature, row.context].map(hex);
        const options = { variant: row.variant, context };
        const explained = key.length === 64 && signature.length === 64 ? ed25519.explain(signature, message, hex(key), options) : null;
        for (const rule of rules) {
          const got = held?.verifyReason(signature, message, { ...options, rule }) ?? "ok";
          if (held !== null && got !== row[rule]) differences.push(`row ${row.id}, ${rule}, prepared: ${got}, frozen is ${row[rule]}`);
          const said = explained?.verdicts[rule] ?? "ok";
          if (explained !== null && said !== row[rule]) differences.push(`row ${row.id}, ${rule}, explained: ${said}, frozen is ${row[rule]}`);
        }
        prepared += held === null ? 0 : 1;
      }
      held?.dispose();
    }
    assert.ok(prepared > 1000 / share);
    assert.equal(differences.length, 0, shown(differences));
  });

  test(`${name}: sign.csv`, () => {
    const signRows = rows("sign.csv");
    assert.ok(signRows.length > 100);
    const differences = [];
    for (const row of signRows) {
      const [seed, message, context] = [row.seed, row.message, row.context].map(hex);
      const options = { variant: row.variant, context };
      const held = ed25519.signingKey(seed);
      const got = {
        key: ed25519.getPublicKey(seed),
        signature: ed25519.sign(message, seed, options),
        "signature, checked": ed25519.sign(message, seed, { ...options, checked: true }),
        "signature by a held key": held.sign(message, options),
      };
      for (const [what, value] of Object.entries(got)) {
        const frozen = what === "key" ? row.key : row.signature;
        if (toHex(value) !== frozen) differences.push(`sign.csv, row ${row.id} (${row.note}), ${what}: ${toHex(value)}, frozen is ${frozen}`);
      }
      held.dispose();
    }
    assert.equal(differences.length, 0, shown(differences));
    console.log(
      `${name}: ${verifyRows.length} rows of verify.csv under ${rules.length} rules, ${share === 1 ? "singly" : "a quarter singly"} and in a table, ` +
        `and ${signRows.length} rows of sign.csv compared: 0 differences`,
    );
  });
}

test("the names are those of the module", async () => {
  const bytes = source("sigmill") ?? readFileSync(new URL("../dist/sigmill.wasm", import.meta.url));
  const { exports } = (await WebAssembly.instantiate(bytes)).instance;
  const name = (call, number) => {
    const address = exports.reserve(0);
    return Buffer.from(exports.memory.buffer, address, exports[call](number)).toString();
  };
  const all = (call, first) => {
    const found = [];
    for (let text; (text = name(call, first + found.length)) !== ""; ) found.push(text);
    return found;
  };
  assert.deepEqual(all("rule_name", 0), whole.RULES);
  assert.deepEqual(all("reason_name", 1), whole.REASONS);
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(manifest.version, whole.VERSION);
});
