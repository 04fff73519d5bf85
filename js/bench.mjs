// Measures sigmill's WebAssembly modules beside other libraries, in one process and in turns.
// Usage: node js/bench.mjs [--rounds N] [--ops NAME,…] [--note TEXT] [--out FILE]
//   A round measures every library's slot of an operation once, in random order; a slot is 6 ms of processor time, of which
//   the least over all rounds counts. The peers are those of js/bench/package.json; tools/js bench installs them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { parseArgs } from "node:util";
import { ROWS, engines } from "./bench/engines.mjs";

const { values: given } = parseArgs({
  options: { rounds: { type: "string", default: "40" }, ops: { type: "string" }, note: { type: "string" }, out: { type: "string" } },
});
const rounds = Number(given.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds is ${given.rounds}; expected a number from 1 up`);
const SLOT = 6000;
const WARM = 150_000;

/** Microseconds of processor time since a moment. */
const used = (since) => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/** The bars of the package: our time as a share of a peer's. */
const BARS = [
  ["ed25519.verify", "libsodium", "ed25519.verify", 0.7],
  // a secret key of libsodium holds its public key, as a key made beforehand does
  ["ed25519.sign_held", "libsodium", "ed25519.sign", 0.75],
  ["ed25519.keygen", "libsodium", "ed25519.keygen", 0.75],
  ["ed25519.batch_common_1024", "libsodium", "ed25519.verify", 0.3],
  ["ed25519.verify", "noble-curves", "ed25519.verify", 1 / 12],
  ["ed25519.sign", "noble-curves", "ed25519.sign", 1 / 12],
  ["ed25519.keygen", "noble-curves", "ed25519.keygen", 1 / 12],
  ["p256.sign", "noble-curves", "p256.sign", 1 / 12],
  ["p256.verify", "noble-curves", "p256.verify", 1 / 12],
  ["p256.verify", "node", "p256.verify", 2.2],
];

/** A library's function for one operation, and the least time of a call. */
class Contender {
  constructor(engine, op, call) {
    this.engine = engine;
    this.op = op;
    this.call = call;
    this.per = Number(/batch_\w+_(\d+)$/.exec(op)?.[1] ?? 1);
    this.row = 0;
    this.times = [];
  }

  run(count) {
    for (let left = count; left > 0; left--) {
      this.call(this.row);
      this.row = (this.row + 1) % ROWS;
    }
  }

  /** Calls until the code is compiled, and finds how many calls a slot has. */
  warm() {
    const begin = process.cpuUsage();
    let count = 0;
    for (; used(begin) < WARM; count++) this.run(1);
    this.count = Math.max(1, Math.round((count * SLOT) / used(begin)));
  }

  measure() {
    const begin = process.cpuUsage();
    this.run(this.count);
    this.times.push((1000 * used(begin)) / this.count / this.per);
  }

  get least() {
    return Math.min(...this.times);
  }

  get median() {
    return this.times.sort((a, b) => a - b)[this.times.length >> 1];
  }
}

const shuffled = (list) => list.map((value) => [Math.random(), value]).sort(([a], [b]) => a - b).map(([, value]) => value);

/** The CPU as other records name it, where the system says so. */
function cpuOf() {
  if (!existsSync("/proc/cpuinfo")) return os.cpus()[0].model;
  const info = readFileSync("/proc/cpuinfo", "utf8");
  const field = (name) => new RegExp(`^${name}\\s*: (.*)$`, "m").exec(info)?.[1] ?? "unknown";
  return `${field("model name")} family ${field("cpu family")} model ${field("model")}`;
}

const all = await engines();
const names = [...new Set(all.flatMap(({ ops }) => Object.keys(ops)))];
const wanted = given.ops?.split(",") ?? names;
for (const op of wanted) if (!names.includes(op)) throw new Error(`--ops has ${op}; operations are ${names.join(", ")}`);

const results = new Map();
for (const op of wanted) {
  const contenders = all.filter(({ ops }) => ops[op] !== undefined).map(({ name, ops }) => new Contender(name, op, ops[op]));
  for (const contender of contenders) contender.warm();
  for (let round = 0; round < rounds; round++) for (const contender of shuffled(contenders)) contender.measure();
  results.set(op, new Map(contenders.map((contender) => [contender.engine, contender])));
}

const micro = (ns) => (ns / 1000).toFixed(1);
const peers = ["libsodium", "noble-curves", "node"];
const width = 28;
const least = (engine, op) => results.get(op)?.get(engine)?.least;
console.log(`microseconds of processor time a call (of a batch: a signature), the least of ${rounds} slots${given.note ? `; ${given.note}` : ""}\n`);
console.log("operation".padEnd(width), all.map(({ name }) => name.padStart(14)).join(""), peers.map((peer) => `/ ${peer}`.padStart(15)).join(""));
for (const [op, found] of results) {
  // a batch stands beside single verifications
  const other = op.replace(/batch_.*/, "verify").replace("sign_held", "sign");
  const times = all.map(({ name }) => (found.has(name) ? micro(found.get(name).least) : "").padStart(14));
  const ratios = peers.map((peer) => {
    const theirs = least(peer, other);
    return (theirs === undefined ? "" : (found.get("sigmill").least / theirs).toFixed(3)).padStart(15);
  });
  console.log(op.padEnd(width), times.join(""), ratios.join(""));
}
console.log("\nbar".padEnd(width + 21), "  wanted   found");
for (const [op, peer, other, bar] of BARS) {
  const [ours, theirs] = [least("sigmill", op), least(peer, other)];
  if (ours === undefined || theirs === undefined) continue;
  const ratio = ours / theirs;
  console.log(`${op} / ${peer}`.padEnd(width + 20), `≤ ${bar.toFixed(3)}`, ratio.toFixed(3).padStart(7), ratio <= bar ? "" : "  missed");
}

if (given.out !== undefined) {
  const header = {
    cpu: cpuOf(),
    commit: execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    os: `${os.type()} ${os.release()}`,
    node: process.version,
    v8: process.versions.v8,
    rounds,
    slot_us: SLOT,
    threads: 1,
    note: given.note,
    engines: Object.fromEntries(all.map(({ name, version }) => [name, { version }])),
  };
  const lines = [...results].flatMap(([op, found]) =>
    [...found.values()].map((contender) => ({
      engine: contender.engine,
      op,
      n: contender.per,
      msg_len: op.startsWith("x25519") || op.endsWith("keygen") ? undefined : 32,
      ns_min: Number(contender.least.toFixed(1)),
      ns_median: Number(contender.median.toFixed(1)),
      slots: contender.times.length,
    })),
  );
  writeFileSync(given.out, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}
