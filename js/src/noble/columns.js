/** Columns of signatures, row by row. The arena has the layout that js/wasm/src/columns.rs describes. */
import { BEGIN } from "./arena.js";
import { verify as verifyEcdsa } from "./ecdsa.js";
import { verify, verifyDigest } from "./eddsa.js";
import { CALL } from "./faults.js";

const NULL = 0xffffffff;
const NULL_CODE = 255;
const ENTROPY = 32;
const SPEC = 16;
const PLACE = 8;
const NUMBER = 4;

/** Kinds of specs above the variants of Ed25519. */
const PREHASHED = 3;
const P256 = 4;

/** @type {(rows: number, specCount: number, arena: Uint8Array) => number | Uint8Array} */
export function verifyTable(rows, specCount, arena) {
  const view = new DataView(arena.buffer, BEGIN);
  /** @param {number} at */
  const number = (at) => view.getUint32(at, true);
  /** @param {number} begin @param {number} length */
  const value = (begin, length) => arena.subarray(BEGIN + begin, BEGIN + begin + length);

  const specs = Array.from({ length: specCount }, (_, i) => {
    const [kind, parameter, third, fourth] = [0, 1, 2, 3].map((j) => number(ENTROPY + SPEC * i + NUMBER * j));
    /** @type {(key: Uint8Array, message: Uint8Array, signature: Uint8Array) => number} */
    const verifyRow = (key, message, signature) => {
      if (kind >= P256) return verifyEcdsa(kind - P256, parameter, third, fourth, key, message, signature);
      const context = value(third, fourth);
      if (kind === PREHASHED) return verifyDigest(parameter, context, key, message, signature);
      return verify(parameter, kind, context, key, message, signature);
    };
    return verifyRow;
  });
  const places = ENTROPY + SPEC * specCount;
  const numbers = places + 3 * PLACE * rows;
  /** @param {number} column @param {number} row */
  const cell = (column, row) => {
    const at = places + PLACE * (column * rows + row);
    const length = number(at + NUMBER);
    return length === NULL ? null : value(number(at), length);
  };
  const codes = new Uint8Array(rows).fill(NULL_CODE);
  for (let row = 0; row < rows; row++) {
    const verifyRow = specs[specCount === 1 ? 0 : number(numbers + NUMBER * row)];
    if (verifyRow === undefined) return CALL;
    const [key, message, signature] = [cell(0, row), cell(1, row), cell(2, row)];
    if (key !== null && message !== null && signature !== null) codes[row] = verifyRow(key, message, signature);
  }
  return codes;
}
