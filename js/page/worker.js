/** Verifies a table, beside the page: in a worker, a piece at a time. */
import wasm from "../dist/ed25519.wasm";
import { REASONS, SigmillError, init, verifyColumns } from "../src/ed25519.js";
import { columnsOfCsv, rowsOfCsv } from "./csv.js";
import { InputError, fromBase64, fromHex, toHex } from "./decode.js";
import { UNREADABLE, columnsOfParquet, rowsOfParquet } from "./parquet.js";

/** Rows that are verified together. */
const TOGETHER = 512;
/** Bytes of their messages. */
const BYTES_TOGETHER = 2 ** 24;
const LISTED = 25;
/** Bytes of a message of a listed row. */
const LISTED_MESSAGE = 2 ** 16;
const NOTHING = new Uint8Array(0);

/** The kind of a file by its first bytes; other than CSV only where they are unmistakable. */
async function kindOf(file) {
  const head = new Uint8Array(await file.slice(0, 6).arrayBuffer());
  const begins = (...bytes) => bytes.every((byte, i) => head[i] === byte);
  if (begins(0x50, 0x41, 0x52, 0x31)) return "parquet";
  if (begins(0x41, 0x52, 0x52, 0x4f, 0x57, 0x31)) throw new InputError("an Arrow file; here are CSV and Parquet, and “sigmill check” reads Arrow, too");
  if (begins(0x1f, 0x8b)) throw new InputError("gzip; decompress it first");
  if (begins(0x50, 0x4b, 3, 4)) throw new InputError("a ZIP archive or a workbook; save the table as CSV");
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) throw new InputError("UTF-16; save the table as UTF-8");
  if (/\.(parquet|pq)$/i.test(file.name)) throw new InputError(`the file begins with ${toHex(head.subarray(0, 4)) || "nothing"}; Parquet begins with 50415231`);
  return "csv";
}

/** @returns {Uint8Array | null | undefined} undefined: nobody can read it */
function bytesOfCell(cell, encoding) {
  if (cell === null || cell === undefined) return null;
  if (cell instanceof Uint8Array) return cell;
  if (typeof cell !== "string" || cell === UNREADABLE) return undefined;
  try {
    if (encoding === "text") return new TextEncoder().encode(cell);
    return encoding === "hex" ? fromHex(cell) : fromBase64(cell);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** A row: its bytes, or why it has no verdict. */
function rowOf(cells, i, { columns, encodings, variant, context }) {
  const [key, message, signature] = ["key", "message", "signature"].map((name) => bytesOfCell(cells[columns[name]][i], encodings[name]));
  const itsVariant = columns.variant === null ? variant : cells[columns.variant][i];
  const itsContext = columns.context === null ? context : bytesOfCell(cells[columns.context][i], encodings.context);
  const row = { key, message, signature, variant: itsVariant, context: itsContext, without: null };
  const all = [key, message, signature, itsVariant, itsContext];
  if (all.includes(null)) row.without = "null";
  else if (all.includes(undefined)) row.without = "unreadable";
  else if (!["pure", "ctx", "ph"].includes(itsVariant)) row.without = "unknown";
  else if (itsContext.length > (itsVariant === "pure" ? 0 : 255)) row.without = "context";
  return row;
}

/** The code of each row: 0 if it is valid, or the number of the reason; 255 without a verdict. */
function verdictsOf(rows, rule) {
  const numbers = new Map();
  const specs = [];
  const specOfRow = rows.map(({ without, variant, context }) => {
    const options = without === null ? { rule, variant, context } : { rule, variant: "pure", context: NOTHING };
    const name = `${options.variant} ${toHex(options.context)}`;
    if (!numbers.has(name)) {
      numbers.set(name, specs.length);
      specs.push(options);
    }
    return numbers.get(name);
  });
  const column = (name) => rows.map((row) => (row.without === null ? row[name] : null));
  const table = { keys: column("key"), messages: column("message"), signatures: column("signature") };
  return verifyColumns(table, { specs, specOfRow }).codes;
}

const listed = ({ key, message, signature, variant, context, without }, row, reason) => ({
  row,
  reason,
  key: key ? toHex(key) : "",
  // explained one by one: only where nothing is missing
  rest: without === null && message.length <= LISTED_MESSAGE ? { message: toHex(message), signature: toHex(signature), variant, context: toHex(context) } : null,
});

/** Verifies all rows, and says how far it is. */
async function verify(job, say) {
  const { file, columns, rule } = job;
  const names = [...new Set(Object.values(columns).filter((name) => name !== null))];
  const result = { rows: 0, valid: 0, invalid: {}, without: {}, bad: [], blank: [] };
  const parts = [`row,verdict,reason\n`];
  const take = (rows) => {
    const codes = verdictsOf(rows, rule);
    let lines = "";
    rows.forEach((row, i) => {
      const number = result.rows + i;
      const code = codes[i];
      if (code === 0) {
        result.valid += 1;
        lines += `${number},valid,\n`;
        return;
      }
      const isInvalid = row.without === null;
      const reason = isInvalid ? REASONS[code - 1] : row.without;
      const [counts, list] = isInvalid ? [result.invalid, result.bad] : [result.without, result.blank];
      counts[reason] = (counts[reason] ?? 0) + 1;
      if (list.length < LISTED) list.push(listed(row, number, reason));
      lines += `${number},${isInvalid ? "invalid" : ""},${reason}\n`;
    });
    parts.push(lines);
    // a browser may keep blobs on disk
    if (parts.length > 1000) parts.splice(0, parts.length, new Blob(parts));
    result.rows += rows.length;
  };
  let failure = null;
  try {
    const pieces = (await kindOf(file)) === "parquet" ? rowsOfParquet(file, names) : rowsOfCsv(file, job.delimiter, names);
    for await (const { rows, cells, share } of pieces) {
      let waiting = [];
      let bytes = 0;
      for (let i = 0; i < rows; i++) {
        const row = rowOf(cells, i, job);
        bytes += row.message?.length ?? 0;
        waiting.push(row);
        if (waiting.length === TOGETHER || bytes > BYTES_TOGETHER || i === rows - 1) {
          take(waiting);
          [waiting, bytes] = [[], 0];
          say({ progress: { rows: result.rows, share: share * ((i + 1) / rows) } });
        }
      }
    }
  } catch (error) {
    failure = messageOf(error);
  }
  say({ result: { ...result, failure, verdicts: new Blob(parts, { type: "text/csv" }) } });
}

const messageOf = (error) => (error instanceof InputError || error instanceof SigmillError ? error.message : `the table cannot be read: ${error.message}`);

/** Answers the page's one message: the columns of a table, or its verdicts. */
export function serve() {
  self.onmessage = async ({ data }) => {
    const say = (answer) => self.postMessage(answer);
    try {
      if (data.task === "columns") {
        const kind = await kindOf(data.file);
        say({ kind, columns: await (kind === "parquet" ? columnsOfParquet(data.file) : columnsOfCsv(data.file, data.delimiter)) });
      } else {
        await init(wasm);
        await verify(data, say);
      }
    } catch (error) {
      say({ error: messageOf(error) });
    }
  };
}
