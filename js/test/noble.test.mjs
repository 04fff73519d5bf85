/**
 * sigmill/noble against the frozen rows and against the WebAssembly module. Every row is explained, which gives the verdicts of
 * all rules, and verified singly and in a table under one rule; with SIGMILL_LONG=1 under all.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import * as noble from "sigmill/noble";
import * as wasm from "sigmill";
import { makeExports } from "../src/noble/arena.js";
import { FUNCTIONS } from "../src/noble/functions.js";
import { hex, rows, toHex } from "./vectors.mjs";

await wasm.init();
const { ed25519, RULES } = noble;
const allRows = rows("verify.csv");
const isLong = Boolean(process.env.SIGMILL_LONG);
const shown = (differences) => `${differences.length} differences\n${differences.slice(0, 20).join("\n")}`;

/** The rule under which a row is verified in pieces and by a prepared key. */
const ruleInPieces = (row) => RULES[Math.floor(row.id / 8) % RULES.length];

/** The differences between frozen rows and verdicts, and how many verdicts there were. */
function differencesOf(verifyRows) {
  const differences = [];
  let verdicts = 0;
  const compare = (row, what, got, frozen) => {
    verdicts += 1;
    if (got !== frozen) differences.push(`verify.csv, row ${row.id} (${row.note}), ${what}: ${got}, frozen is ${frozen}`);
  };
  const table = { keys: [], messages: [], signatures: [] };
  const specs = [];
  const expected = [];
  for (const row of verifyRows) {
    const [key, message, signature, context] = [row.key, row.message, row.signature, row.context].map(hex);
    const options = { variant: row.variant, context };
    for (const [i, rule] of RULES.entries()) {
      if (!isLong && i !== row.id % RULES.length) continue;
      compare(row, rule, ed25519.verifyReason(signature, message, key, { ...options, rule }) ?? "ok", row[rule]);
      for (const [column, value] of [["keys", key], ["messages", message], ["signatures", signature]]) table[column].push(value);
      specs.push({ ...options, rule });
      expected.push([row, rule]);
    }
    if (key.length !== 32 || signature.length !== 64) continue;
    const explained = ed25519.explain(signature, message, key, options);
    for (const rule of RULES) compare(row, `${rule}, explained`, explained.verdicts[rule] ?? "ok", row[rule]);
    if (isLong || row.id % 8 === 0) {
      assert.deepEqual(explained, wasm.ed25519.explain(signature, message, key, options), `row ${row.id}`);
      const rule = ruleInPieces(row);
      const verifier = ed25519.verifier(signature, key, { ...options, rule });
      compare(row, `${rule} in pieces`, verifier.update(message.subarray(0, 3)).update(message.subarray(3)).verifyReason() ?? "ok", row[rule]);
      if (!explained.a.decodes) continue;
      const prepared = ed25519.prepare(key);
      compare(row, `${rule}, prepared`, prepared.verifyReason(signature, message, { ...options, rule }) ?? "ok", row[rule]);
      prepared.dispose();
    }
  }
  const found = noble.verifyColumns(table, { specs, specOfRow: specs.map((_, i) => i) });
  expected.forEach(([row, rule], i) => compare(row, `${rule} in a table`, found.reason(i) ?? "ok", row[rule]));
  return { differences, verdicts };
}

test("verify.csv", () => {
  assert.ok(allRows.length > 2000);
  const { differences, verdicts } = differencesOf(allRows);
  assert.equal(differences.length, 0, shown(differences));
  console.log(`sigmill/noble: ${verdicts} verdicts on ${allRows.length} rows of verify.csv compared: 0 differences`);
});

test("a changed cell is found", () => {
  const row = allRows[7];
  assert.equal(differencesOf([row]).differences.length, 0);
  for (const rule of RULES) {
    const changed = { ...row, [rule]: row[rule] === "ok" ? "equation" : "ok" };
    const { differences } = differencesOf([changed]);
    const isWhole = isLong || rule === RULES[row.id % RULES.length];
    const expected = 1 + (isWhole ? 2 : 0) + (isLong && rule === ruleInPieces(row) ? 2 : 0);
    assert.equal(differences.length, expected, shown(differences));
  }
});

test("decode.csv", () => {
  const found = rows("decode.csv");
  assert.ok(found.length > 20);
  for (const row of found) {
    const { a } = ed25519.explain(new Uint8Array(64), new Uint8Array(0), hex(row.encoding));
    assert.equal(a.decodes, row.decodes === "1", row.note);
    if (!a.decodes) continue;
    assert.deepEqual([a.canonical, a.smallOrder, a.torsionOrder], [row.canonical === "1", row.small === "1", Number(row.torsion_order)], row.note);
  }
});

/** Calls with these bytes in the place of random ones. */
function withRandom(noise, call) {
  const { getRandomValues } = globalThis.crypto;
  globalThis.crypto.getRandomValues = (array) => (array.set(noise.subarray(0, array.length)), array);
  try {
    return call();
  } finally {
    globalThis.crypto.getRandomValues = getRandomValues;
  }
}

test("sign.csv and sign_hedged.csv", () => {
  const [signRows, hedgedRows] = ["sign.csv", "sign_hedged.csv"].map(rows);
  assert.ok(signRows.length > 100 && hedgedRows.length > 10);
  for (const row of [...signRows, ...hedgedRows]) {
    const [seed, message, context] = [row.seed, row.message, row.context].map(hex);
    const isHedged = row.noise !== undefined;
    const options = { variant: row.variant, context, hedged: isHedged, checked: row.id % 4 === 0 };
    const held = ed25519.signingKey(seed);
    if (!isHedged) assert.equal(toHex(ed25519.getPublicKey(seed)), row.key);
    for (const signer of [(found) => ed25519.sign(message, seed, found), (found) => held.sign(message, found)]) {
      const signature = isHedged ? withRandom(hex(row.noise), () => signer(options)) : signer(options);
      assert.equal(toHex(signature), row.signature, `row ${row.id} (${row.note})`);
    }
    held.dispose();
  }
  console.log(`sigmill/noble: ${signRows.length} rows of sign.csv and ${hedgedRows.length} of sign_hedged.csv compared: 0 differences`);
});

/** The result of both entries, or the code and the message of the error. */
function both(call) {
  return [noble, wasm].map((entry) => {
    try {
      return call(entry);
    } catch (error) {
      if (!(error instanceof entry.SigmillError)) throw error;
      return `${error.code}: ${error.message}`;
    }
  });
}

const same = (call, what) => {
  const [one, other] = both(call);
  assert.deepEqual(one, other, what);
  return one;
};

/** Byte strings that follow from a number. */
const bytesOf = (number, length) => Uint8Array.from({ length }, (_, i) => (Math.imul(number * 256 + i + 1, 2654435761) >>> 13) & 255);

for (const [name, width] of [["p256", 32], ["p384", 48]]) {
  test(`${name}: signatures, and reasons for damaged ones, are those of the module`, () => {
    const noise = bytesOf(9, 64);
    const reasons = new Set();
    let round = 0;
    for (const hash of ["sha256", "sha384", "sha512", "none"]) {
      for (const format of ["raw", "der"]) {
        for (const lowS of [false, true]) {
          round += 1;
          const secretKey = bytesOf(round, width);
          secretKey[0] &= 127;
          const message = bytesOf(round, hash === "none" ? 10 * round : round);
          const options = { hash, format, lowS };
          const publicKey = same(({ [name]: curve }) => curve.getPublicKey(secretKey, lowS));
          const signature = same(({ [name]: curve }) => curve.sign(message, secretKey, options));
          withRandom(noise, () => same(({ [name]: curve }) => curve.sign(message, secretKey, { ...options, hedged: true })));
          const check = (key, text, found, given = options) =>
            reasons.add(same(({ [name]: curve }) => curve.verifyReason(found, text, key, given), JSON.stringify([toHex(key), toHex(found), given])));
          check(publicKey, message, signature);
          check(publicKey, new Uint8Array(0), signature);
          check(publicKey, message, signature, { ...options, lowS: true });
          check(publicKey, message, signature, { ...options, format: format === "raw" ? "der" : "raw" });
          for (const at of [0, 1, 2, 3, 4, 5, width, width + 1, width + 4, width + 5, signature.length - 1]) {
            for (const change of [1, 0x80]) {
              const damaged = signature.slice();
              damaged[at] ^= change;
              check(publicKey, message, damaged);
            }
          }
          for (const length of [0, 1, 2, signature.length - 1]) check(publicKey, message, signature.subarray(0, length));
          check(publicKey, message, Uint8Array.of(...signature, 0));
          for (const first of [0, 2, 3, 4, 5, 6, 7]) {
            for (const length of [0, 1, 2, width, 1 + width, 2 * width, 1 + 2 * width, 200]) {
              const key = new Uint8Array(length).fill(first);
              key.set(publicKey.subarray(1, length), Math.min(1, length));
              check(key, message, signature);
              same(({ [name]: curve }) => toHex(curve.importPublicKey("raw", key)));
            }
          }
        }
      }
    }
    const zeros = new Uint8Array(width);
    const ones = new Uint8Array(width).fill(255);
    const key = noble[name].getPublicKey(bytesOf(1, width).map((byte) => byte & 127));
    for (const r of [zeros, ones, bytesOf(3, width)]) {
      for (const s of [zeros, ones, bytesOf(4, width)]) {
        const found = Uint8Array.of(...r, ...s);
        reasons.add(same(({ [name]: curve }) => curve.verifyReason(found, zeros, key)));
        const code = same((entry) => entry.verifyColumns({ keys: [key], messages: [zeros], signatures: [found] }, { algorithm: name }).reason(0));
        assert.equal(code, noble[name].verifyReason(found, zeros, key));
      }
    }
    for (const secret of [zeros, ones]) same(({ [name]: curve }) => curve.getPublicKey(secret));
    const every = [null, "key_length", "signature_length", "key_not_a_point", "signature_der", "digest_empty", "r_out_of_range", "s_out_of_range", "s_high", "equation"];
    assert.deepEqual([...reasons].sort(), every.sort());
  });
}

test("digests, X25519 and keys are those of the module", () => {
  const encodings = rows("decode.csv").map(({ encoding }) => hex(encoding));
  for (const [round, encoding] of encodings.entries()) {
    const [seed, digest] = [bytesOf(round, 32), bytesOf(round, 64)];
    for (const call of [
      ({ ed25519 }) => ed25519.signPrehashed(digest, seed, { context: seed.subarray(0, round % 32) }),
      ({ ed25519 }) => ed25519.verifyPrehashedReason(digest, digest, encoding),
      ({ ed25519 }) => ed25519.verifyPrehashedReason(digest, seed, encoding),
      ({ ed25519 }) => RULES.map((rule) => ed25519.checkKey(encoding, { rule })),
      ({ ed25519 }) => ed25519.importPublicKey("raw", encoding),
      ({ x25519 }) => x25519.getPublicKey(seed),
      ({ x25519 }) => x25519.getSharedSecret(seed, encoding),
      ({ x25519 }) => x25519.publicKeyFromEd25519(encoding),
      ({ x25519 }) => x25519.secretKeyFromEd25519(seed),
    ]) {
      same(call, `round ${round}, ${call}`);
    }
  }
});

test("arguments and results are wiped, and a released key is gone", () => {
  const exports = makeExports(FUNCTIONS);
  const arguments32 = () => {
    const address = exports.reserve(32);
    const { buffer } = exports.memory;
    new Uint8Array(buffer, address, 32).fill(7);
    return new Uint8Array(buffer);
  };
  const memory = arguments32();
  assert.equal(exports.ed25519_public_key(32), 32);
  assert.ok(memory.some((byte) => byte !== 0));
  exports.clear();
  assert.ok(memory.every((byte) => byte === 0));
  arguments32();
  const handle = exports.ed25519_key(32);
  assert.ok(handle > 0);
  assert.equal(exports.release(handle), 0);
  assert.equal(exports.release(handle), -3);
  exports.reserve(3);
  assert.equal(exports.ed25519_sign(handle, 0, 0, 0, 0, 0, 3), -3);
  assert.equal(exports.reserve(2 ** 53), 0);
});

test("it runs where there is no WebAssembly", () => {
  const script = `
    import { ed25519, init } from "sigmill/noble";
    await init();
    const { secretKey, publicKey } = ed25519.keygen();
    const message = new TextEncoder().encode("attack at dawn");
    const signature = ed25519.sign(message, secretKey);
    console.log(typeof WebAssembly, ed25519.verify(signature, message, publicKey), ed25519.verifyReason(signature, secretKey, publicKey));`;
  const folder = new URL(".", import.meta.url);
  const said = execFileSync(process.execPath, ["--jitless", "--input-type=module", "--eval", script], { cwd: folder, encoding: "utf8" });
  assert.match(said, /^undefined true equation\n$/);
});
