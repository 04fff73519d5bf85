/** Columns of signatures: one verdict and reason a row. */
import { bytes, choice, flag, options, random, seen, size } from "./arguments.js";
import { columnOf } from "./column.js";
import { SigmillError, faultError } from "./errors.js";
import { reason } from "./names.js";

const NULL = 255;
/** Sizes in the arena (js/wasm/src/columns.rs). */
const ENTROPY = 32;
const SPEC = 16;
const PLACE = 8;
const NUMBER = 4;

/** The verdicts of a table, one a row. */
export class Verdicts {
  /** @param {Uint8Array} codes */
  constructor(codes) {
    /** One byte a row: 0 if it is valid, the number of the reason if it is not, 255 for a null. */
    this.codes = codes;
    this.length = codes.length;
    this.valid = 0;
    this.null = 0;
    for (const code of codes) {
      if (code === 0) this.valid += 1;
      else if (code === NULL) this.null += 1;
    }
    this.invalid = this.length - this.valid - this.null;
  }

  get allValid() {
    return this.valid === this.length;
  }

  /** @param {number} row */
  #code(row) {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new SigmillError("option", `row is ${seen(row)}; the table has ${this.length} rows, from 0`);
    }
    return this.codes[row];
  }

  /** @param {number} row */
  isValid(row) {
    const code = this.#code(row);
    return code === NULL ? null : code === 0;
  }

  /** @param {number} row */
  reason(row) {
    const code = this.#code(row);
    return code === NULL ? null : reason(code);
  }

  /** @param {number} [limit] */
  bad(limit = Infinity) {
    const rows = [];
    for (let row = 0; row < this.length && rows.length < limit; row++) {
      if (this.codes[row] !== 0 && this.codes[row] !== NULL) rows.push(row);
    }
    return rows;
  }

  get reasons() {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const code of this.codes) {
      const name = code === NULL ? null : reason(code);
      if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

/**
 * @typedef {object} Spec
 * @property {number[]} head its kind and parameter
 * @property {[number, number] | Uint8Array} tail the other two numbers, or the context
 */

/**
 * `verifyColumns` with the algorithms that a module has.
 * @param {import("./module.js").Slot} slot
 * @param {Record<string, (given: any, where: string) => Spec>} algorithms
 */
export function makeColumns(slot, algorithms) {
  const names = Object.keys(algorithms);

  /**
   * @param {any} given
   * @param {string} where
   */
  const specOf = (given, where) => {
    const { algorithm = "ed25519", ...rest } = given ?? {};
    return algorithms[names[choice(algorithm, names, `${where}: algorithm`)]](rest, where);
  };

  /**
   * @param {{ keys: any, messages: any, signatures: any }} table
   * @param {any} [given]
   */
  return function verifyColumns(table, given) {
    const where = "verifyColumns";
    const module = slot.get(where);
    const { specs, specOfRow, ...rest } = given === undefined ? {} : options(given, { ...ANY, ...given }, where);
    if (table === null || typeof table !== "object") throw new SigmillError("type", `${where}: the table is ${seen(table)}; expected an object`);
    const columns = ["keys", "messages", "signatures"].map((name) => columnOf(/** @type {any} */ (table)[name], `${where}: ${name}`));
    const rows = columns[0].rows;
    for (const [i, name] of ["messages", "signatures"].entries()) {
      const found = columns[i + 1].rows;
      if (found !== rows) throw new SigmillError("length", `${where}: ${name} has ${found} rows; keys has ${rows}`);
    }
    const found = specs === undefined ? [specOf(rest, where)] : manySpecs(specs, specOfRow, rows, rest, where);
    const index = found.length === 1 ? [] : specOfRow;
    return module.guarded(where, () => {
      const contexts = found.map(({ tail }) => (tail instanceof Uint8Array ? tail : new Uint8Array(0)));
      const head = ENTROPY + SPEC * found.length + 3 * PLACE * rows + NUMBER * index.length;
      let end = head + contexts.reduce((sum, context) => sum + context.length, 0);
      const begins = columns.map((column) => (end += column.size) - column.size);
      const arena = module.reserve(end, where);
      const view = new DataView(arena.buffer, arena.byteOffset, end);
      arena.set(random(ENTROPY));
      let at = ENTROPY;
      /** @param {number} number */
      const put = (number) => {
        view.setUint32(at, number, true);
        at += NUMBER;
      };
      let free = head;
      found.forEach(({ head: numbers, tail }, i) => {
        numbers.forEach(put);
        (tail instanceof Uint8Array ? [free, tail.length] : tail).forEach(put);
        arena.set(contexts[i], free);
        free += contexts[i].length;
      });
      columns.forEach((column, i) => {
        column.copy(arena, begins[i], put);
      });
      for (const number of index) put(number);
      const result = module.exports.verify_columns(rows, found.length);
      if (result < 0) throw faultError(result, where);
      return new Verdicts(module.written(result));
    });
  };

  /**
   * @param {any} specs
   * @param {any} specOfRow
   * @param {number} rows
   * @param {Record<string, any>} rest
   * @param {string} where
   */
  function manySpecs(specs, specOfRow, rows, rest, where) {
    if (!Array.isArray(specs) || specs.length === 0) {
      throw new SigmillError("option", `${where}: specs is ${seen(specs)}; expected an array of at least one object`);
    }
    const [other] = Object.keys(rest);
    if (other !== undefined) throw new SigmillError("option", `${where}: option ${other} stands beside specs; it belongs into each of them`);
    if (specs.length > 1) {
      const isList = Array.isArray(specOfRow) || ArrayBuffer.isView(specOfRow);
      if (!isList || /** @type {any} */ (specOfRow).length !== rows) {
        throw new SigmillError("option", `${where}: specOfRow is ${seen(specOfRow)}; expected ${rows} numbers, one a row`);
      }
      const list = /** @type {number[]} */ (specOfRow);
      for (let row = 0; row < rows; row++) {
        const number = list[row];
        if (!Number.isInteger(number) || number < 0 || number >= specs.length) {
          throw new SigmillError("option", `${where}: specOfRow[${row}] is ${seen(number)}; there are ${specs.length} specs, from 0`);
        }
      }
    }
    return specs.map((spec, i) => specOf(spec, `${where}: specs[${i}]`));
  }
}

/** Options that no algorithm has. */
const ANY = { specs: undefined, specOfRow: undefined };
