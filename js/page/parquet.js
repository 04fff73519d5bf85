/** Parquet, read a row group at a time. */
import { parquetMetadataAsync, parquetRead } from "hyparquet";
import { compressors as others } from "hyparquet-compressors";
import { InputError } from "./decode.js";

/** Bytes of the columns of one row group that are read together, decompressed. */
const LARGEST_GROUP = 2 ** 28;
const LARGEST_METADATA = 2 ** 26;

/** Text that is not UTF-8: a cell that nobody can read. */
export const UNREADABLE = Symbol("unreadable");

const compressors = Object.fromEntries(
  Object.entries(others).map(([codec, decompress]) => [
    codec,
    (input, length) => {
      if (length > LARGEST_GROUP) throw new InputError(`a page of ${length} bytes; at most ${LARGEST_GROUP} are read`);
      const output = decompress(input, length);
      if (output.length !== length) throw new InputError(`a page of ${codec} has ${output.length} bytes; its header says ${length}`);
      return output;
    },
  ]),
);

const parsers = {
  stringFromBytes(bytes) {
    try {
      return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return UNREADABLE;
    }
  },
};

const bufferOf = (file) => ({ byteLength: file.size, slice: (begin, end) => file.slice(begin, end ?? file.size).arrayBuffer() });

async function metadataOf(file) {
  const tail = new Uint8Array(await file.slice(Math.max(0, file.size - 8)).arrayBuffer());
  const mark = new TextDecoder("latin1").decode(tail.subarray(-4));
  if (mark === "PARE") throw new InputError("encrypted Parquet");
  if (mark !== "PAR1") throw new InputError("the end of the file is not that of Parquet: is it cut off?");
  const size = new DataView(tail.buffer).getUint32(0, true);
  if (size > LARGEST_METADATA || size + 12 > file.size) throw new InputError(`metadata of ${size} bytes in a file of ${file.size}; at most ${LARGEST_METADATA} are read`);
  return parquetMetadataAsync(bufferOf(file), { geoparquet: false });
}

/** Names of the columns that are neither lists nor structures. */
export async function columnsOfParquet(file) {
  const { schema } = await metadataOf(file);
  const names = [];
  let at = 1;
  const skip = () => {
    const { num_children: children = 0 } = schema[at++];
    for (let i = 0; i < children; i++) skip();
  };
  while (at < schema.length) {
    const { name, num_children: children, repetition_type: repetition } = schema[at];
    if (!children && repetition !== "REPEATED") names.push(name);
    skip();
  }
  return names;
}

/**
 * Rows by column, as of CSV.
 * @param {Blob} file
 * @param {string[]} names
 */
export async function* rowsOfParquet(file, names) {
  const metadata = await metadataOf(file);
  let begin = 0;
  for (const [number, group] of metadata.row_groups.entries()) {
    const rows = Number(group.num_rows);
    const chunks = group.columns.filter(({ meta_data: chunk }) => names.includes(chunk?.path_in_schema[0]));
    const size = chunks.reduce((sum, { meta_data: chunk }) => sum + Number(chunk.total_uncompressed_size), 0);
    if (size > LARGEST_GROUP) throw new InputError(`row group ${number} has ${size} bytes in these columns; at most ${LARGEST_GROUP} are read together`);
    const cells = Object.fromEntries(names.map((name) => [name, new Array(rows)]));
    let filled = 0;
    await parquetRead({
      file: bufferOf(file), metadata, columns: names, rowStart: begin, rowEnd: begin + rows, utf8: false, geoparquet: false, compressors, parsers,
      onChunk({ columnName, columnData, rowStart }) {
        for (let i = 0; i < columnData.length; i++) {
          const at = rowStart - begin + i;
          if (at < 0 || at >= rows) continue;
          cells[columnName][at] = columnData[i] ?? null;
          filled += 1;
        }
      },
    });
    if (filled !== rows * names.length) throw new InputError(`row group ${number} has ${filled} cells in ${names.length} columns; expected ${rows} rows`);
    begin += rows;
    yield { rows, cells, share: begin / Number(metadata.num_rows) };
  }
}
