/**
 * The interface of the WebAssembly module (js/wasm/src/lib.rs) over functions in JavaScript: arguments lie in one buffer, one
 * after the other; the result comes back at the same place, and `clear` wipes it. So both entries check arguments with the same
 * code, and throw the same errors.
 */

/** The address of the arena; 0 means that there is no memory. */
export const BEGIN = 8;
/** The longest result. */
const RESULT = 256;

/**
 * A function of the module: how many numbers it takes, and the work. After the numbers come byte arrays, which are wiped when
 * the call ends. It returns a number, or the bytes of the result.
 * @typedef {[number, (...args: any[]) => number | Uint8Array]} Entry
 */

/**
 * @param {Record<string, Entry>} functions
 * @returns {Record<string, any>}
 */
export function makeExports(functions) {
  let arena = new Uint8Array(0);

  /** @param {number | Uint8Array} result */
  const put = (result) => {
    if (typeof result === "number") return result;
    arena.set(result, BEGIN);
    result.fill(0);
    return result.length;
  };

  /** @param {Entry} entry */
  const exported = ([count, work]) => (/** @type {number[]} */ ...args) => {
    let end = BEGIN;
    const parts = args.slice(count).map((length) => arena.subarray(end, (end += length)));
    return put(work(...args.slice(0, count), ...parts));
  };

  return {
    memory: {
      get buffer() {
        return arena.buffer;
      },
    },
    /** @param {number} total */
    reserve(total) {
      try {
        arena = new Uint8Array(BEGIN + Math.max(total, RESULT));
        return BEGIN;
      } catch {
        return 0;
      }
    },
    clear() {
      arena.fill(0);
      arena = new Uint8Array(0);
    },
    ...Object.fromEntries(Object.entries(functions).map(([name, entry]) => [name, exported(entry)])),
    /** @param {number} rows @param {number} specs */
    verify_columns: (rows, specs) => put(functions.verify_columns[1](rows, specs, arena)),
  };
}
