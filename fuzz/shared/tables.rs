//! Small tables in all formats to begin with, and a reader for the outputs.

use arrow_array::builder::{BinaryBuilder, FixedSizeBinaryBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, ListArray, ListViewArray, RecordBatch, StringArray, UInt8Array};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

/// The names that `--format` takes.
pub const FORMATS: [&str; 6] = ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "tsv"];

/// In the first byte of an input, behind the format: keys are in containers.
pub const SPKI: u8 = 8;
/// Cells of CSV stand between semicolons.
pub const SEMICOLON: u8 = 16;
/// Options about single columns.
pub const KEY_BASE64: u8 = 32;
pub const SIG_HEX: u8 = 64;

/// What the name of a file in this format ends with.
pub fn extension(format: &str) -> &str {
    if format == "arrow-stream" { "arrows" } else { format }
}

/// Key, message and signature of a few rows, some of them wrong.
fn rows() -> Vec<([u8; 32], Vec<u8>, [u8; 64])> {
    (0..5_u8)
        .map(|i| {
            let key = SigningKey::from_bytes(&[i / 2; 32]);
            let message = vec![i; usize::from(i) * 3];
            let mut signature = key.sign(&message).to_bytes();
            signature[33] ^= u8::from(i == 3);
            (key.verifying_key().to_bytes(), message, signature)
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rows in binary columns: keys of fixed width, and a null among the messages.
fn binary() -> RecordBatch {
    let mut keys = FixedSizeBinaryBuilder::new(32);
    let mut signatures = FixedSizeBinaryBuilder::new(64);
    let mut messages = BinaryBuilder::new();
    for (i, (key, message, signature)) in rows().iter().enumerate() {
        keys.append_value(key).expect("32 bytes");
        signatures.append_value(signature).expect("64 bytes");
        messages.append_option((i != 4).then_some(message));
    }
    let columns: [(&str, ArrayRef); 3] = [
        ("key", Arc::new(keys.finish())),
        ("msg", Arc::new(messages.finish())),
        ("sig", Arc::new(signatures.finish())),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

/// The rows in lists of u8: keys in views of them, and a null among the bytes of a message.
fn lists() -> RecordBatch {
    let list = |cells: Vec<Vec<u8>>, null: Option<usize>| {
        let field = Arc::new(Field::new("item", DataType::UInt8, true));
        let offsets = OffsetBuffer::<i32>::from_lengths(cells.iter().map(Vec::len));
        let items = cells.concat().into_iter().enumerate();
        let items: UInt8Array =
            items.map(|(at, byte)| (Some(at) != null).then_some(byte)).collect();
        ListArray::new(field, offsets, Arc::new(items), None)
    };
    let rows = rows();
    let keys = list(rows.iter().map(|row| row.0.to_vec()).collect(), None);
    let messages = list(rows.iter().map(|row| row.1.clone()).collect(), Some(4));
    let signatures = list(rows.iter().map(|row| row.2.to_vec()).collect(), None);
    let columns: [(&str, ArrayRef); 3] = [
        ("key", Arc::new(ListViewArray::from(keys))),
        ("msg", Arc::new(messages)),
        ("sig", Arc::new(signatures)),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

/// The rows in hexadecimal, keys in a dictionary, with a rule and a variant per row.
fn text() -> RecordBatch {
    let mut keys = StringDictionaryBuilder::<Int8Type>::new();
    rows().iter().for_each(|row| keys.append_value(hex(&row.0)));
    let messages: StringArray = rows().iter().map(|row| Some(hex(&row.1))).collect();
    let signatures: StringArray = rows().iter().map(|row| Some(hex(&row.2))).collect();
    let rule =
        StringArray::from(vec![Some("zip215"), Some("strict"), None, Some("?"), Some("legacy")]);
    let variant = StringArray::from(vec!["pure", "pure", "ctx", "ph", "pure"]);
    let context = StringArray::from(vec!["", "", "a", "b", ""]);
    let columns: [(&str, ArrayRef); 6] = [
        ("key", Arc::new(keys.finish())),
        ("msg", Arc::new(messages)),
        ("sig", Arc::new(signatures)),
        ("rule", Arc::new(rule)),
        ("variant", Arc::new(variant)),
        ("context", Arc::new(context)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .expect("columns of one length")
}

fn parquet(table: &RecordBatch, compression: Compression) -> Vec<u8> {
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties));
    let mut writer = writer.expect("a Parquet writer");
    writer.write(table).expect("the table can be written");
    writer.close().expect("the table can be written");
    bytes
}

fn arrow(table: &RecordBatch, codec: Option<CompressionType>) -> Result<Vec<u8>, ArrowError> {
    let options = IpcWriteOptions::default().try_with_compression(codec)?;
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &table.schema(), options)?;
    writer.write(table)?;
    writer.finish()?;
    writer.into_inner()
}

fn arrow_stream(
    table: &RecordBatch,
    codec: Option<CompressionType>,
) -> Result<Vec<u8>, ArrowError> {
    let options = IpcWriteOptions::default().try_with_compression(codec)?;
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &table.schema(), options)?;
    writer.write(table)?;
    writer.finish()?;
    writer.into_inner()
}

fn csv() -> Vec<u8> {
    let line = |row: &([u8; 32], Vec<u8>, [u8; 64])| {
        format!("{},{},{},\"a \"\"b\"\"\"\n", hex(&row.0), hex(&row.1), hex(&row.2))
    };
    let lines: String = rows().iter().map(line).collect();
    format!("key,msg,sig,note\n{lines}").into_bytes()
}

fn jsonl() -> Vec<u8> {
    let line = |row: &([u8; 32], Vec<u8>, [u8; 64])| {
        let [key, msg, sig] = [hex(&row.0), hex(&row.1), hex(&row.2)];
        format!("{{\"key\":\"{key}\",\"msg\":\"{msg}\",\"sig\":\"{sig}\",\"n\":[1.0,null]}}\n")
    };
    rows().iter().map(line).collect::<String>().into_bytes()
}

/// Tables of text as other tools write them, and lines that are odd.
fn text_forms() -> Vec<(u8, Vec<u8>)> {
    let (csv, jsonl) = (csv(), jsonl());
    let with = |bytes: &[u8], from: &str, to: &str| {
        String::from_utf8_lossy(bytes).replace(from, to).into_bytes()
    };
    vec![
        (5, with(&csv, ",", "\t")),
        (3 | SEMICOLON, with(&csv, ",", ";")),
        (4, [b"\xef\xbb\xbf", &jsonl[..]].concat()),
        (4, with(&jsonl, "[1.0,null]", "NaN,\"note\":\"\\ud83d\"")),
        (4, with(&jsonl, "\"n\"", "\"m\\u0073g\"")),
        (4, with(&jsonl, "\"n\":[1.0,null]", "\"n\":1,\"n\":2,\"verdict\":{}")),
        (4, [&jsonl[..], b"{\"key\":\"\",\"later\":\"a\",\"alg\":\"p256\"}\n"].concat()),
        (4 | SPKI, in_spki()),
        (3, csv),
        (4, jsonl),
    ]
}

/// Lines of JSON with keys in SubjectPublicKeyInfo, in hexadecimal and in PEM.
fn in_spki() -> Vec<u8> {
    let key = SigningKey::from_bytes(&[1; 32]);
    let (public, signature) = (key.verifying_key(), hex(&key.sign(b"m").to_bytes()));
    let der = public.to_spki_der().map(|der| hex(&der)).unwrap_or_default();
    let pem = public.to_spki_pem().unwrap_or_default().replace('\n', "\\n");
    let line =
        |key: &str| format!("{{\"key\":\"{key}\",\"msg\":\"6d\",\"sig\":\"{signature}\"}}\n");
    [line(&der), line(&pem)].concat().into_bytes()
}

/// Tables of `cli/tests/files`, by the number of their format.
const MADE: [(u8, &[u8]); 6] = [
    (0, include_bytes!("../../cli/tests/files/checksums.parquet")),
    (0, include_bytes!("../../cli/tests/files/encrypted_columns.parquet")),
    (1, include_bytes!("../../cli/tests/files/polars_write.arrow")),
    (1, include_bytes!("../../cli/tests/files/runs.arrow")),
    (1, include_bytes!("../../cli/tests/files/v4.arrow")),
    (1, include_bytes!("../../cli/tests/files/v4_legacy.arrows")),
];

/// Each table with a few options in front.
pub fn seeds() -> Vec<Vec<u8>> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut seeds = Vec::new();
    for (number, table) in [(0_u8, binary()), (1, text()), (2, lists())] {
        let forms = [
            (0, parquet(&table, if number == 0 { Compression::UNCOMPRESSED } else { zstd })),
            (0, parquet(&table, Compression::SNAPPY)),
            (1, arrow(&table, None).expect("the table can be written")),
            (1, arrow(&table, Some(CompressionType::ZSTD)).expect("the table can be written")),
            (2, arrow_stream(&table, None).expect("the table can be written")),
            (2, arrow_stream(&table, Some(CompressionType::LZ4_FRAME)).expect("it can be written")),
        ];
        for (format, form) in forms {
            for options in [number, 8 | number, 8 | 3, 8 | 4] {
                seeds.push([&[format, options], &form[..]].concat());
            }
        }
    }
    for (format, form) in text_forms() {
        for options in [0, 8, 8 | 1, 8 | 2, 8 | 3, 8 | 4] {
            seeds.push([&[format, options], &form[..]].concat());
        }
    }
    for (format, form) in MADE {
        for options in [0, 8, 8 | 1, 8 | 3, 8 | 4] {
            seeds.push([&[format, options], form].concat());
        }
    }
    seeds
}

/// Said of a file whose messages have another version than its footer: `arrow-ipc` reads none.
pub const OTHER_VERSION: &str = "ersions mismatch";

/// Reads a table to its end, apart from the command line's own reader, and counts its rows. `delimiter` is that of CSV;
/// the lines of JSON that are `loose` are counted, whatever they hold.
///
/// # Errors
/// What is wrong with it.
pub fn rows_of(format: &str, path: &Path, delimiter: u8, are_loose: bool) -> Result<usize, String> {
    fn count<E: ToString>(
        mut batches: impl Iterator<Item = Result<RecordBatch, E>>,
    ) -> Result<usize, String> {
        batches.try_fold(0, |rows, batch| match batch {
            Ok(batch) => Ok(rows + batch.num_rows()),
            Err(error) => Err(error.to_string()),
        })
    }
    let say = |what: &dyn std::fmt::Display| what.to_string();
    let file = File::open(path).map_err(|error| say(&error))?;
    match format {
        "parquet" => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| say(&e))?;
            count(reader.build().map_err(|error| say(&error))?)
        }
        "arrow" | "arrow-stream" => {
            // told by the first bytes
            let mut start = [0; 6];
            let is_file = (&file).read(&mut start).is_ok() && start == *b"ARROW1";
            (&file).rewind().map_err(|error| say(&error))?;
            if is_file {
                let reader = arrow_ipc::reader::FileReader::try_new(file, None);
                count(reader.map_err(|error| say(&error))?)
            } else {
                let reader = arrow_ipc::reader::StreamReader::try_new(file, None);
                count(reader.map_err(|error| say(&error))?)
            }
        }
        "csv" | "tsv" => {
            let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(file);
            let mut records = reader.byte_records();
            records.try_fold(0, |rows, row| row.map(|_| rows + 1).map_err(|e| say(&e)))
        }
        _ => BufReader::new(file).split(b'\n').try_fold(0, |rows, line| {
            let line = line.map_err(|error| say(&error))?;
            let line = match rows {
                0 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line),
                _ => &line,
            };
            if line.trim_ascii().is_empty() {
                return Ok(rows);
            }
            if are_loose {
                return Ok(rows + 1);
            }
            serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line)
                .map(|_| rows + 1)
                .map_err(|error| say(&error))
        }),
    }
}
