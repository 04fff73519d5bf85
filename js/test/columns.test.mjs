/** Tables: arrays and Arrow's vectors, nulls, several specs, wrong shapes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as arrow from "apache-arrow";
import { sigmill } from "./vectors.mjs";

const { ed25519, init, p256, p384, SigmillError, verifyColumns } = sigmill;
await init();
const rows = 300;
const secrets = Array.from({ length: 3 }, (_, i) => new Uint8Array(32).fill(i + 1));
const made = Array.from({ length: rows }, (_, i) => {
  const message = new Uint8Array(i % 50).fill(i);
  const signature = ed25519.sign(message, secrets[i % 3]);
  if (i % 7 === 0) signature[40] ^= 1;
  return { key: ed25519.getPublicKey(secrets[i % 3]), message, signature };
});
const arrays = { keys: made.map(({ key }) => key), messages: made.map(({ message }) => message), signatures: made.map(({ signature }) => signature) };
const codes = made.map(({ key, message, signature }) => (ed25519.verify(signature, message, key) ? 0 : 10));
const check = (table, expected, options) => assert.deepEqual([...verifyColumns(table, options).codes], expected);
const fails = (table, options, code, text) =>
  assert.throws(
    () => verifyColumns(table, options),
    (error) => {
      assert.ok(error instanceof SigmillError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, text);
      return true;
    },
  );

test("arrays", () => {
  const verdicts = verifyColumns(arrays);
  assert.deepEqual([...verdicts.codes], codes);
  assert.equal(verdicts.invalid, codes.filter((code) => code !== 0).length);
  assert.equal(verdicts.valid + verdicts.invalid, rows);
  assert.deepEqual(verdicts.reasons, { equation: verdicts.invalid });
  assert.deepEqual(verdicts.bad(3), [0, 7, 14]);
  assert.equal(verdicts.isValid(1), true);
  assert.equal(verdicts.reason(0), "equation");
  assert.equal(verdicts.allValid, false);
  assert.throws(() => verdicts.isValid(rows), { code: "option", message: /row is the number 300; the table has 300 rows/ });
  check({ keys: [], messages: [], signatures: [] }, []);
});

test("Arrow: binary, fixed-size, large, dictionaries, chunks and slices", () => {
  const vector = (values, type) => arrow.vectorFromArray(values, type);
  const table = {
    keys: vector(arrays.keys, new arrow.FixedSizeBinary(32)),
    messages: vector(arrays.messages, new arrow.Binary()),
    signatures: vector(arrays.signatures, new arrow.LargeBinary()),
  };
  check(table, codes);
  for (const [begin, end] of [
    [0, 1],
    [5, 123],
    [299, 300],
    [10, 10],
  ]) {
    check(Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(begin, end)])), codes.slice(begin, end));
  }
  const twice = Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(3, 50).concat(column.slice(100, 203))]));
  assert.equal(twice.keys.data.length, 2);
  check(twice, [...codes.slice(3, 50), ...codes.slice(100, 203)]);
  check({ ...table, keys: table.keys.data[0] }, codes);
  const [first, others] = [vector(arrays.keys.slice(0, 1), new arrow.Binary()), vector(arrays.keys.slice(1, 3), new arrow.Binary())];
  for (const dictionary of [vector(arrays.keys.slice(0, 3), new arrow.Binary()), first.concat(others)]) {
    const type = new arrow.Dictionary(new arrow.Binary(), new arrow.Int8());
    const keys = arrow.makeVector({ data: Int8Array.from(made, (_, i) => i % 3), dictionary, type });
    check({ ...table, keys }, codes);
    check({ keys: keys.slice(7), messages: table.messages.slice(7), signatures: table.signatures.slice(7) }, codes.slice(7));
  }
  const batch = arrow.tableFromIPC(arrow.tableToIPC(new arrow.Table({ key: table.keys, message: table.messages, signature: table.signatures })));
  check({ keys: batch.getChild("key"), messages: batch.getChild("message"), signatures: batch.getChild("signature") }, codes);
  const texts = made.map((_, i) => `text ${i}`);
  const signed = texts.map((text) => ed25519.sign(new TextEncoder().encode(text), secrets[0]));
  check({ keys: texts.map(() => arrays.keys[0]), messages: vector(texts, new arrow.Utf8()), signatures: signed }, texts.map(() => 0));
});

/** A chunk of views: short values within, the others in two buffers in turn. The view of a null is all ones. */
function viewsOf(values, type) {
  const views = new Uint8Array(16 * values.length).fill(255);
  const numbers = new DataView(views.buffer);
  const [buffers, nullBitmap] = [[[], []], new Uint8Array(Math.ceil(values.length / 8))];
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    nullBitmap[i >> 3] |= 1 << i % 8;
    numbers.setInt32(16 * i, value.length, true);
    if (value.length <= 12) {
      views.set(value, 16 * i + 4);
    } else {
      views.set(value.subarray(0, 4), 16 * i + 4);
      numbers.setInt32(16 * i + 8, i % 2, true);
      numbers.setInt32(16 * i + 12, buffers[i % 2].length, true);
      buffers[i % 2].push(...value);
    }
  }
  const nullCount = values.filter((value) => value === null).length;
  return arrow.makeData({ type, length: values.length, nullCount, nullBitmap, views, variadicBuffers: buffers.map((bytes) => Uint8Array.from(bytes)) });
}

test("Arrow's views, in slices, chunks and dictionaries, and with nulls", () => {
  const vector = (values, type = new arrow.BinaryView()) => new arrow.Vector([viewsOf(values, type)]);
  const table = { keys: vector(arrays.keys), messages: vector(arrays.messages), signatures: vector(arrays.signatures) };
  check(table, codes);
  for (const [begin, end] of [[0, 1], [5, 123], [299, 300], [10, 10]]) {
    check(Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(begin, end)])), codes.slice(begin, end));
  }
  const twice = Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(3, 50).concat(column.slice(100, 203))]));
  check(twice, [...codes.slice(3, 50), ...codes.slice(100, 203)]);
  const type = new arrow.Dictionary(new arrow.BinaryView(), new arrow.Int8());
  const keys = arrow.makeVector({ data: Int8Array.from(made, (_, i) => i % 3), dictionary: vector(arrays.keys.slice(0, 3)), type });
  check({ ...table, keys }, codes);
  const messages = arrays.messages.map((message, i) => (i % 5 === 0 ? null : message));
  const expected = codes.map((code, i) => (i % 5 === 0 ? 255 : code));
  check({ ...table, messages: vector(messages, new arrow.Utf8View()) }, expected);
  check({ ...arrays, messages: vector(messages).slice(7), keys: arrays.keys.slice(7), signatures: arrays.signatures.slice(7) }, expected.slice(7));
});

test("views that point to no value are errors", () => {
  const broken = (change) => {
    const data = viewsOf(arrays.signatures, new arrow.BinaryView());
    change(new DataView(data.values.buffer), data);
    return { ...arrays, signatures: data };
  };
  const cases = [
    [(view) => view.setInt32(16 * 2, -1, true), /the view of row 2 is of -1 bytes; the buffers have \[9600, 9600\] bytes/],
    [(view) => view.setInt32(16 * 2, 9600, true), /row 2 is of 9600 bytes from 64 on in buffer 0/],
    [(view) => view.setInt32(16 * 3 + 8, 2, true), /row 3 is of 64 bytes from 64 on in buffer 2/],
    [(view) => view.setInt32(16 * 3 + 8, -1, true), /row 3 is of 64 bytes/],
    [(view) => view.setInt32(16 * 3 + 8, -2, true), /row 3 is of 64 bytes from 64 on in buffer -2/],
    [(view) => view.setInt32(16 * 3 + 12, -1, true), /row 3 is of 64 bytes from -1 on in buffer 1/],
    [(view) => view.setInt32(16 * 3 + 12, 9537, true), /row 3 is of 64 bytes from 9537 on in buffer 1/],
    [(_, data) => (data.length = rows + 1), /signatures: 301 rows have 4800 bytes of views; expected 4816/],
  ];
  for (const [change, text] of cases) fails(broken(change), undefined, "column", text);
});

test("nulls have no verdict, in arrays and in slices of Arrow's", () => {
  const messages = arrays.messages.map((message, i) => (i % 5 === 0 ? null : message));
  const expected = codes.map((code, i) => (i % 5 === 0 ? 255 : code));
  check({ ...arrays, messages }, expected);
  const vector = arrow.vectorFromArray(messages, new arrow.Binary());
  check({ ...arrays, messages: vector }, expected);
  for (const begin of [1, 7, 8, 13]) {
    const part = Object.fromEntries(Object.entries(arrays).map(([name, values]) => [name, values.slice(begin)]));
    check({ ...part, messages: vector.slice(begin) }, expected.slice(begin));
  }
  const verdicts = verifyColumns({ ...arrays, messages });
  assert.equal(verdicts.null, 60);
  assert.equal(verdicts.isValid(0), null);
  assert.equal(verdicts.reason(0), null);
  const nothing = arrow.vectorFromArray(new Array(rows).fill(null), new arrow.Null());
  check({ ...arrays, keys: nothing }, codes.map(() => 255));
});

test("several specs, algorithms and contexts in one table", () => {
  const message = Uint8Array.of(1, 2, 3);
  const context = Uint8Array.of(9);
  const [secret, wide] = [new Uint8Array(32).fill(5), new Uint8Array(48).fill(5)];
  const specs = [
    { rule: "strict" },
    { variant: "ctx", context, rule: "zip215" },
    { variant: "ph", prehashed: true },
    { algorithm: "p256", format: "der", hash: "sha512" },
    { algorithm: "p384", lowS: true },
  ];
  const digest = new Uint8Array(64).fill(3);
  const key = ed25519.getPublicKey(secret);
  const table = {
    keys: [key, key, key, p256.getPublicKey(secret), p384.getPublicKey(wide, true)],
    messages: [message, message, digest, message, message],
    signatures: [
      ed25519.sign(message, secret),
      ed25519.sign(message, secret, { variant: "ctx", context }),
      ed25519.signPrehashed(digest, secret),
      p256.sign(message, secret, { format: "der", hash: "sha512" }),
      p384.sign(message, wide, { lowS: true }),
    ],
  };
  check(table, [0, 0, 0, 0, 0], { specs, specOfRow: Uint32Array.of(0, 1, 2, 3, 4) });
  check(table, [10, 10, 1, 1, 1], { specs, specOfRow: [1, 0, 3, 4, 0] });
  const only = Object.fromEntries(Object.entries(table).map(([name, values]) => [name, values.slice(1, 2)]));
  check(only, [0], { specs: [specs[1]] });
  check(only, [0], specs[1]);
});

test("wrong shapes are named, with their row", () => {
  fails({ ...arrays, keys: "text" }, {}, "type", /keys is a string of 4 characters; expected an array of Uint8Array/);
  fails(null, {}, "type", /table is null/);
  fails({ ...arrays, keys: undefined }, {}, "type", /keys is undefined/);
  fails({ ...arrays, messages: ["a", ...arrays.messages.slice(1)] }, {}, "type", /messages\[0\] is a string/);
  fails({ ...arrays, messages: arrays.messages.slice(1) }, {}, "length", /messages has 299 rows; keys has 300/);
  fails({ ...arrays, keys: arrow.vectorFromArray([1, 2], new arrow.Int32()) }, {}, "column", /keys is an Arrow vector of type Int32; expected binary/);
  fails(arrays, { rule: "best" }, "option", /rule is "best"/);
  fails(arrays, { algorithm: "rsa" }, "option", /algorithm is "rsa"; expected one of ed25519, p256, p384/);
  fails(arrays, { algorithm: "p256", rule: "common" }, "option", /unknown option rule/);
  fails(arrays, { prehashed: true }, "option", /prehashed needs variant "ph"/);
  fails(arrays, { specs: [] }, "option", /specs is an array; expected an array of at least one/);
  fails(arrays, { specs: [{}, {}] }, "option", /specOfRow is undefined; expected 300 numbers/);
  fails(arrays, { specs: [{}, {}], specOfRow: new Array(rows).fill(2) }, "option", /specOfRow\[0\] is the number 2; there are 2 specs/);
  fails(arrays, { specs: [{}], rule: "strict" }, "option", /option rule stands beside specs/);
  const data = arrow.vectorFromArray(arrays.messages, new arrow.Binary()).data[0];
  const broken = (change) => ({ ...arrays, messages: { type: data.type, length: rows, nullCount: 0, offset: 0, values: data.values, valueOffsets: data.valueOffsets, ...change } });
  check(broken({}), codes);
  fails(broken({ valueOffsets: data.valueOffsets.slice(0, 9) }), {}, "column", /300 rows have 9 offsets; expected 301/);
  fails(broken({ valueOffsets: data.valueOffsets.map((offset, i) => (i === 5 ? -1 : offset)) }), {}, "column", /offsets of row 4 are 6 and -1/);
  fails(broken({ valueOffsets: data.valueOffsets.map((offset, i) => (i === 5 ? 1e9 : offset)) }), {}, "column", /offsets of row 4 .* 1000000000/);
  fails(broken({ values: data.values.subarray(0, 10) }), {}, "column", /there are 10 bytes of values/);
  fails(broken({ nullCount: 1, nullBitmap: new Uint8Array(2) }), {}, "column", /validity of 300 rows .* has 2 bytes/);
  check(arrays, codes);
});
