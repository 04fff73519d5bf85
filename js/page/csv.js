/** Tables of comma-separated values (RFC 4180), read in pieces. */
import Papa from "papaparse";
import { InputError } from "./decode.js";

/** In bytes of the file. */
const PIECE = 2 ** 20;
/** In characters. */
const LONGEST_RECORD = 2 ** 24;

/** Text of a file, a piece at a time, and how many of its bytes were read. */
async function* textOf(file) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let begin = 0; begin < file.size; begin += PIECE) {
    const end = Math.min(begin + PIECE, file.size);
    const bytes = await file.slice(begin, end).arrayBuffer();
    let text;
    try {
      text = decoder.decode(bytes, { stream: end < file.size });
    } catch {
      throw new InputError(`not UTF-8 in bytes ${begin} to ${end - 1}`);
    }
    yield { text, read: end };
  }
}

/** The first line end outside of quotes. */
function lineEnd(text) {
  const found = /^(?:[^"\r\n]|"[^"]*")*(\r\n|\n|\r)/.exec(text.slice(0, LONGEST_RECORD));
  return found?.[1] ?? "\n";
}

/**
 * Records of a file: arrays of cells, those of a piece together. Lines without characters are passed over.
 * @param {Blob} file
 * @param {string} delimiter
 * @returns {AsyncGenerator<{ records: string[][], read: number }>}
 */
async function* recordsOf(file, delimiter) {
  let rest = "";
  let parser = null;
  let before = 0;
  for await (const { text, read } of textOf(file)) {
    rest += text;
    // a line end of two characters may be cut
    if (parser === null && rest.endsWith("\r") && read < file.size) continue;
    parser ??= new Papa.Parser({ delimiter, newline: lineEnd(rest) });
    const isLast = read === file.size;
    const { data, errors, meta } = parser.parse(rest, 0, !isLast);
    const wrong = errors.find(({ row }) => row < data.length);
    if (wrong) throw new InputError(`record ${before + wrong.row} (the header is 0): ${wrong.code === "MissingQuotes" ? "a quoted cell is never closed" : "text behind the quote that closes a cell"}`);
    before += data.length;
    rest = isLast ? "" : rest.slice(meta.cursor);
    if (rest.length > LONGEST_RECORD) throw new InputError(`record ${before} (the header is 0) has more than ${LONGEST_RECORD} characters; is a quote never closed?`);
    yield { records: data.filter((cells) => cells.length > 1 || cells[0] !== ""), read };
  }
}

/** @param {Blob} file @param {string} delimiter */
export async function columnsOfCsv(file, delimiter) {
  for await (const { records } of recordsOf(file, delimiter)) {
    if (records.length > 0) return records[0];
  }
  throw new InputError("no header: the table is empty");
}

/**
 * Rows by column.
 * @param {Blob} file
 * @param {string} delimiter
 * @param {string[]} names of columns to read
 * @returns {AsyncGenerator<{ rows: number, cells: Record<string, any[]>, share: number }>}
 */
export async function* rowsOfCsv(file, delimiter, names) {
  let header = null;
  let row = 0;
  for await (const { records, read } of recordsOf(file, delimiter)) {
    if (header === null) {
      if (records.length === 0) continue;
      header = records.shift();
      for (const name of names) {
        const times = header.filter((column) => column === name).length;
        if (times !== 1) throw new InputError(`the header has the column ${name} ${times} times`);
      }
    }
    const odd = records.findIndex((record) => record.length !== header.length);
    const whole = odd < 0 ? records : records.slice(0, odd);
    const cells = {};
    for (const name of names) {
      const at = header.indexOf(name);
      cells[name] = whole.map((record) => record[at]);
    }
    yield { rows: whole.length, cells, share: read / file.size };
    if (odd >= 0) throw new InputError(`row ${row + odd} has ${records[odd].length} cells; the header has ${header.length}`);
    row += records.length;
  }
}
