// Writes the frozen vectors as Parquet: columns of bytes, or of text. Usage: node test-parquet.mjs CSV PARQUET bytes|text
import { readFileSync, writeFileSync } from "node:fs";
import { parquetWriteBuffer } from "hyparquet-writer";

const [source, target, kind] = process.argv.slice(2);
const [header, ...lines] = readFileSync(source, "utf8").trimEnd().split("\n").map((line) => line.split(","));
const columnData = ["key", "message", "signature", "variant", "context"].map((name) => {
  const at = header.indexOf(name);
  const isText = kind === "text" || name === "variant";
  const data = lines.map((cells) => (isText ? cells[at] : new Uint8Array(Buffer.from(cells[at], "hex"))));
  return { name, data, type: isText ? "STRING" : "BYTE_ARRAY" };
});
writeFileSync(target, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 700 })));
