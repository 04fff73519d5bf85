// Prints the sections of WebAssembly modules with their sizes, as they are and by gzip.
// Usage: node js/sections.mjs FILE… [--functions N]   with N, also the N largest functions of a module that has names
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const SECTIONS = ["custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count"];
const flag = process.argv.indexOf("--functions");
const largest = flag < 0 ? 0 : Number(process.argv[flag + 1]);
const files = process.argv.slice(2, flag < 0 ? undefined : flag);

/** Reads from bytes, from a place on. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function sections(bytes) {
  const reader = new Reader(bytes, 8);
  const found = [];
  while (reader.at < bytes.length) {
    const id = reader.number();
    const body = reader.take(reader.number());
    found.push({ id, name: SECTIONS[id] ?? `section ${id}`, body });
  }
  return found;
}

function functionNames(all) {
  const names = new Map();
  for (const { id, body } of all) {
    if (id !== 0) continue;
    const reader = new Reader(body);
    if (Buffer.from(reader.take(reader.number())).toString() !== "name") continue;
    while (reader.at < body.length) {
      const kind = reader.number();
      const part = new Reader(reader.take(reader.number()));
      if (kind !== 1) continue;
      for (let left = part.number(); left > 0; left--) {
        const number = part.number();
        names.set(number, Buffer.from(part.take(part.number())).toString());
      }
    }
  }
  return names;
}

for (const file of files) {
  const bytes = readFileSync(file);
  const all = sections(bytes);
  const row = (name, part) => console.log(`${name.padEnd(12)} ${String(part.length).padStart(9)} ${String(gzipSync(part, { level: 9 }).length).padStart(9)}`);
  console.log(`${file}\nsection          bytes      gzip`);
  for (const { name, body } of all) row(name, body);
  row("all", bytes);
  if (largest > 0) {
    const names = functionNames(all);
    const reader = new Reader(all.find(({ id }) => id === 10).body);
    const sizes = Array.from({ length: reader.number() }, (_, i) => {
      const size = reader.number();
      reader.take(size);
      return [size, names.get(i) ?? `function ${i}`];
    });
    for (const [size, name] of sizes.sort(([a], [b]) => b - a).slice(0, largest)) console.log(`${String(size).padStart(9)}  ${name}`);
  }
}
