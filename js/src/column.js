/** Columns of byte strings: arrays of Uint8Array, and vectors of Arrow by their shape (offsets and values, or views), without Arrow. */
import { bytes, seen, size } from "./arguments.js";
import { SigmillError } from "./errors.js";

/**
 * A column to be copied into the arena.
 * @typedef {object} Column
 * @property {number} rows
 * @property {number} size bytes of all values
 * @property {(arena: Uint8Array, begin: number, put: (number: number) => void) => void} copy copies the values to `begin`,
 *   and puts the place of each row: where its value begins, and its length
 */

const NULL = 0xffffffff;

/** Numbers of types in Arrow's JavaScript library. */
const TYPE = { null: 1, binary: 4, utf8: 5, fixed: 15, largeBinary: 19, largeUtf8: 20, binaryView: 23, utf8View: 24, dictionary: -1 };

/** Bytes of a view, and of the longest value that lies in it. */
const VIEW = 16;
const WITHIN = 12;

/**
 * @param {any} value
 * @param {string} name
 * @returns {Column}
 */
export function columnOf(value, name) {
  if (Array.isArray(value)) return ofArray(value, name);
  if (value !== null && typeof value === "object") {
    const chunks = Array.isArray(value.data) ? value.data : [value];
    if (chunks.every(isData) && (chunks.length > 0 || typeof value.length === "number")) return ofArrow(chunks, name);
  }
  throw new SigmillError("type", `${name} is ${seen(value)}; expected an array of Uint8Array, or an Arrow vector of binary values`);
}

/** @param {any} data */
const isData = (data) => data !== null && typeof data === "object" && typeof data.type?.typeId === "number" && Number.isInteger(data.length);

/**
 * @param {any[]} values
 * @param {string} name
 * @returns {Column}
 */
function ofArray(values, name) {
  const found = Array.from(values, (value, row) => (value === null || value === undefined ? null : bytes(value, `${name}[${row}]`)));
  return {
    rows: found.length,
    size: found.reduce((sum, value) => sum + (value === null ? 0 : size(value)), 0),
    copy(arena, begin, put) {
      let at = begin;
      for (const value of found) {
        put(at);
        put(value === null ? NULL : size(value));
        if (value !== null) {
          arena.set(value, at);
          at += size(value);
        }
      }
    },
  };
}

/**
 * @param {any[]} chunks
 * @param {string} name
 * @returns {Column}
 */
function ofArrow(chunks, name) {
  const parts = chunks.map((data) => partOf(data, name));
  return {
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    size: parts.reduce((sum, part) => sum + part.values.reduce((bytes, value) => bytes + size(value), 0), 0),
    copy(arena, begin, put) {
      let at = begin;
      for (const { rows, values, place } of parts) {
        const begins = values.map((value) => {
          arena.set(value, at);
          return (at += size(value)) - size(value);
        });
        for (let row = 0; row < rows; row++) {
          const found = place(row);
          put(found === null ? 0 : begins[found[0]] + found[1]);
          put(found === null ? NULL : found[2]);
        }
      }
    },
  };
}

/**
 * A chunk: its values, and where each row's lies: in which buffer, from where on, and how long.
 * @typedef {{ rows: number, values: Uint8Array[], place: (row: number) => [number, number, number] | null }} Part
 */

/**
 * @param {any} data
 * @param {string} name
 * @returns {Part}
 */
function partOf(data, name) {
  const { type, length: rows } = data;
  const isValid = validity(data, name);
  switch (type.typeId) {
    case TYPE.null:
      return { rows, values: [], place: () => null };
    case TYPE.fixed: {
      const width = type.byteWidth;
      const values = bytes(data.values, `${name}: values`);
      if (!Number.isInteger(width) || width < 0 || size(values) < width * rows) {
        throw new SigmillError("column", `${name}: ${rows} rows of ${width} bytes have ${size(values)} bytes of values`);
      }
      return { rows, values: [values.subarray(0, width * rows)], place: (row) => (isValid(row) ? [0, width * row, width] : null) };
    }
    case TYPE.binary:
    case TYPE.utf8:
    case TYPE.largeBinary:
    case TYPE.largeUtf8:
      return ofOffsets(data, isValid, name);
    case TYPE.binaryView:
    case TYPE.utf8View:
      return ofViews(data, isValid, name);
    case TYPE.dictionary:
      return ofDictionary(data, isValid, name);
    default:
      throw new SigmillError("column", `${name} is an Arrow vector of type ${type}; expected binary, utf8, views or fixed-size binary, or a dictionary of them`);
  }
}

/**
 * @param {any} data
 * @param {string} name
 * @returns {(row: number) => boolean}
 */
function validity(data, name) {
  const { length: rows, offset = 0, nullBitmap, nullCount } = data;
  if (nullCount === 0 || nullBitmap === undefined || nullBitmap === null || nullBitmap.length === 0) return () => true;
  const bits = bytes(nullBitmap, `${name}: validity`);
  if (8 * size(bits) < offset + rows) {
    throw new SigmillError("column", `${name}: the validity of ${rows} rows from bit ${offset} on has ${size(bits)} bytes`);
  }
  return (row) => ((bits[(offset + row) >> 3] >> (offset + row) % 8) & 1) === 1;
}

/**
 * @param {any} data
 * @param {(row: number) => boolean} isValid
 * @param {string} name
 * @returns {Part}
 */
function ofOffsets(data, isValid, name) {
  const rows = data.length;
  const values = bytes(data.values, `${name}: values`);
  const found = data.valueOffsets;
  if (!(found instanceof Int32Array || found instanceof BigInt64Array)) {
    throw new SigmillError("column", `${name}: offsets are ${seen(found)}; expected an Int32Array or a BigInt64Array`);
  }
  if (rows > 0 && found.length < rows + 1) throw new SigmillError("column", `${name}: ${rows} rows have ${found.length} offsets; expected ${rows + 1}`);
  const offsets = Float64Array.from(found.subarray(0, rows + 1), Number);
  for (let row = 0; row < rows; row++) {
    if (!(offsets[row] >= 0 && offsets[row] <= offsets[row + 1] && offsets[row + 1] <= size(values))) {
      throw new SigmillError("column", `${name}: offsets of row ${row} are ${offsets[row]} and ${offsets[row + 1]}; there are ${size(values)} bytes of values`);
    }
  }
  // a slice copies its own values alone
  const [first, last] = rows === 0 ? [0, 0] : [offsets[0], offsets[rows]];
  return {
    rows,
    values: [values.subarray(first, last)],
    place: (row) => (isValid(row) ? [0, offsets[row] - first, offsets[row + 1] - offsets[row]] : null),
  };
}

/**
 * A view is a length and a short value, or a length, four bytes of the value, the number of a buffer and the place in it; numbers
 * have four bytes, little-endian. The view of a null means nothing.
 * @param {any} data
 * @param {(row: number) => boolean} isValid
 * @param {string} name
 * @returns {Part}
 */
function ofViews(data, isValid, name) {
  const rows = data.length;
  const all = bytes(data.values, `${name}: views`);
  if (size(all) < VIEW * rows) throw new SigmillError("column", `${name}: ${rows} rows have ${size(all)} bytes of views; expected ${VIEW * rows}`);
  const views = all.subarray(0, VIEW * rows);
  const numbers = new DataView(views.buffer, views.byteOffset, VIEW * rows);
  const buffers = Array.from(data.variadicBuffers ?? [], (buffer, i) => bytes(buffer, `${name}: buffer ${i}`));
  const isUsed = buffers.map(() => false);
  /** @type {Part["place"]} */
  const place = (row) => {
    if (!isValid(row)) return null;
    const length = numbers.getInt32(VIEW * row, true);
    if (length <= WITHIN) return [0, VIEW * row + 4, length];
    return [1 + numbers.getInt32(VIEW * row + 8, true), numbers.getInt32(VIEW * row + 12, true), length];
  };
  for (let row = 0; row < rows; row++) {
    const found = place(row);
    if (found === null) continue;
    const [buffer, begin, length] = found;
    const isWithin = length <= WITHIN;
    const end = isWithin ? VIEW * rows : buffer > 0 && buffer <= buffers.length ? size(buffers[buffer - 1]) : -1;
    if (length < 0 || begin < 0 || begin + length > end) {
      const where = isWithin ? "" : ` from ${begin} on in buffer ${buffer - 1}`;
      const sizes = buffers.map(size).join(", ");
      throw new SigmillError("column", `${name}: the view of row ${row} is of ${length} bytes${where}; the buffers have [${sizes}] bytes`);
    }
    if (!isWithin) isUsed[buffer - 1] = true;
  }
  // a slice has the buffers of the whole column
  return { rows, values: [views, ...buffers.map((buffer, i) => buffer.subarray(0, isUsed[i] ? size(buffer) : 0))], place };
}

/**
 * @param {any} data
 * @param {(row: number) => boolean} isValid
 * @param {string} name
 * @returns {Part}
 */
function ofDictionary(data, isValid, name) {
  const parts = [...(data.dictionary?.data ?? [])].map((/** @type {any} */ chunk) => partOf(chunk, `${name}: dictionary`));
  /** @type {([number, number, number] | null)[]} */
  const entries = [];
  /** @type {Uint8Array[]} */
  const values = [];
  for (const part of parts) {
    for (let row = 0; row < part.rows; row++) {
      const place = part.place(row);
      entries.push(place === null ? null : [values.length + place[0], place[1], place[2]]);
    }
    values.push(...part.values);
  }
  const rows = data.length;
  const indices = data.values;
  if (!ArrayBuffer.isView(indices) || /** @type {any} */ (indices).length < rows) {
    throw new SigmillError("column", `${name}: ${rows} rows have ${seen(indices)} as indices`);
  }
  const numbers = Float64Array.from(/** @type {any} */ (indices).subarray(0, rows), Number);
  for (let row = 0; row < rows; row++) {
    if (isValid(row) && entries[numbers[row]] === undefined) {
      throw new SigmillError("column", `${name}: the index of row ${row} is ${numbers[row]}; the dictionary has ${entries.length} values`);
    }
  }
  return { rows, values, place: (row) => (isValid(row) ? entries[numbers[row]] : null) };
}
