// Checks the WebAssembly build of the library against the frozen vectors: every row of verify.csv
// under every rule, one at a time and as one table, and every row of sign.csv.
// Usage: node check.mjs MODULE.wasm VERIFY.csv SIGN.csv
import { readFileSync } from "node:fs";

const [module, verifyFile, signFile] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const library = instance.exports;
const differences = [];

/** The rows of a file without quoting, each an object from column to text. */
function rows(file) {
  const [header, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const columns = header.split(",");
  return lines.map((line) => {
    const values = line.split(",");
    if (values.length !== columns.length) throw new Error(`${file}: ${line}`);
    return Object.fromEntries(columns.map((column, i) => [column, values[i]]));
  });
}

/** Hands bytes over, one part after the other; returns their lengths. */
function put(...hex) {
  const parts = hex.map((text) => Buffer.from(text, "hex"));
  parts.forEach((part, i) => {
    if (2 * part.length !== hex[i].length) throw new Error(`not hexadecimal: ${hex[i]}`);
  });
  const bytes = Buffer.concat(parts);
  const address = library.reserve(bytes.length);
  new Uint8Array(library.memory.buffer).set(bytes, address);
  return parts.map((part) => part.length);
}

function taken(length) {
  return Buffer.from(library.memory.buffer, library.reserve(0), length);
}

/** The names that a function of the library gives to 0, 1, 2, … until it has none. */
function names(name) {
  const list = [];
  for (let length; (length = name(list.length)) > 0; ) list.push(taken(length).toString());
  return list;
}

function variant(row) {
  const number = ["pure", "ctx", "ph"].indexOf(row.variant);
  if (number < 0) throw new Error(`no variant is called ${row.variant}`);
  return number;
}

function compare(file, row, what, got, expected) {
  if (got !== expected) {
    differences.push(`${file}, row ${row.id} (${row.note}), ${what}: ${got}, frozen is ${expected}`);
  }
}

const rules = names(library.rule_name);
const words = names(library.word);
const verifyRows = rows(verifyFile);
const columns = Object.keys(verifyRows[0]);
const ruled = columns.slice(columns.indexOf("signature") + 1);
if (ruled.join() !== rules.join()) throw new Error(`rules ${rules}, columns ${ruled}`);

for (const row of verifyRows) {
  for (const [i, rule] of rules.entries()) {
    const lengths = put(row.context, row.key, row.message, row.signature);
    const got = library.verify(i, variant(row), ...lengths);
    compare("verify.csv", row, rule, words[got], row[rule]);
    library.push(i, variant(row), ...lengths);
  }
}
const verdicts = library.bulk();
if (verdicts !== verifyRows.length * rules.length) throw new Error(`${verdicts} rows in bulk`);
verifyRows.forEach((row, r) => {
  rules.forEach((rule, i) => {
    const got = words[library.outcome(r * rules.length + i)];
    compare("verify.csv in bulk", row, rule, got, row[rule]);
  });
});

const signRows = rows(signFile);
for (const row of signRows) {
  const length = library.sign(variant(row), ...put(row.seed, row.context, row.message));
  compare("sign.csv", row, "signature", taken(length).toString("hex"), row.key + row.signature);
}

console.log(
  `${verifyRows.length} rows of verify.csv under ${rules.length} rules, singly and in bulk, and ` +
    `${signRows.length} rows of sign.csv compared: ${differences.length} differences`,
);
differences.slice(0, 20).forEach((difference) => console.log(difference));
if (differences.length > 0 || verifyRows.length === 0 || signRows.length === 0) process.exit(1);
