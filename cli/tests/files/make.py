"""Writes the tables of this folder. See README.md."""

import base64
import sys
from pathlib import Path

import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

folder = Path(sys.argv[1])
ROWS = 3
keys = [Ed25519PrivateKey.from_private_bytes(bytes([row + 1]) * 32) for row in range(ROWS)]
messages = [b"message %d" % row for row in range(ROWS)]
rows = {
    "key": [key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for key in keys],
    "msg": messages,
    "sig": [key.sign(message) for key, message in zip(keys, messages)],
}
table = pa.table(rows)
frame = polars.DataFrame(rows)

frame.write_ipc(folder / "polars_write.arrow")
frame.lazy().sink_ipc(folder / "polars_sink.arrow", compression="zstd")
frame.write_ipc_stream(folder / "polars_write.arrows")
frame.head(0).write_ipc(folder / "polars_empty.arrow")
frame.write_parquet(folder / "polars_write.parquet")
wide = frame.with_columns(polars.Series("n", [2**100, -5, None], dtype=polars.Int128))
wide.write_ipc(folder / "polars_int128.arrow")
wide.write_ipc_stream(folder / "polars_int128.arrows")

options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4)
for name, new in [("v4.arrow", pa.ipc.new_file), ("v4.arrows", pa.ipc.new_stream)]:
    with new(folder / name, table.schema, options=options) as writer:
        writer.write_table(table)
# messages without a mark in front, as before Arrow 0.15
options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4, use_legacy_format=True)
for name, new in [("v4_legacy.arrow", pa.ipc.new_file), ("v4_legacy.arrows", pa.ipc.new_stream)]:
    with new(folder / name, table.schema, options=options) as writer:
        writer.write_table(table)
pyarrow.feather.write_feather(table, folder / "v1.feather", version=1)

pq.write_table(table, folder / "checksums.parquet", write_page_checksum=True, compression="none")

# text that is no UTF-8, as programs write it whose only type of strings holds bytes
as_text = [
    pa.Array.from_buffers(pa.string(), ROWS, pa.array(cells, pa.binary()).buffers()) for cells in rows.values()
]
as_text = pa.table(as_text, names=list(rows))
pq.write_table(as_text, folder / "text_of_bytes.parquet")
with pa.ipc.new_file(folder / "text_of_bytes.arrow", as_text.schema) as writer:
    writer.write_table(as_text)

# a dictionary that grows, and one that another replaces
kind = pa.dictionary(pa.int8(), pa.string())
schema = table.schema.append(pa.field("note", kind))
for name, second in [("dictionary_grows.arrows", ["a", "b", "c"]), ("dictionary_replaced.arrows", ["x", "y", "z"])]:
    with pa.ipc.new_stream(
        folder / name, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    ) as writer:
        for values in [["a", "b"], second]:
            notes = pa.DictionaryArray.from_arrays(pa.array([0, 1, len(values) - 1], pa.int8()), values)
            writer.write_batch(pa.record_batch([*table.to_batches()[0].columns, notes], schema=schema))

ends = pa.array([1, ROWS], pa.int32())
runs = [pa.RunEndEncodedArray.from_arrays(ends, pa.array([rows[name][0], rows[name][1]])) for name in rows]
with pa.ipc.new_file(folder / "runs.arrow", pa.schema([(n, c.type) for n, c in zip(rows, runs)])) as writer:
    writer.write_batch(pa.record_batch(runs, names=list(rows)))


class Kms(pe.KmsClient):
    """Wraps keys by writing them down."""

    def __init__(self, _):
        super().__init__()

    def wrap_key(self, key_bytes, master_key_identifier):
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return base64.b64decode(wrapped_key)


factory = pe.CryptoFactory(Kms)
for name, plaintext_footer in [("encrypted.parquet", False), ("encrypted_columns.parquet", True)]:
    config = pe.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": ["key"]}, plaintext_footer=plaintext_footer
    )
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), config)
    with pq.ParquetWriter(folder / name, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
