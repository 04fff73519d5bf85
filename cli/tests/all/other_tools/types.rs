//! Types of columns that go on into an output: each keeps its type, or there is none.

use super::{VALID, assert_refused, assert_rows, folder, made, rows, run, text};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date64Array, FixedSizeBinaryArray, ListArray, RecordBatch,
    StringArray, Time32SecondArray, TimestampSecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema};
use parquet::basic::{LogicalType, TimeUnit};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// The three rows with one more column, as an Arrow file.
fn with_column(path: &Path, field: Field, column: ArrayRef) {
    let of_rows = |n: usize| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(rows().iter().map(|row| row[n].clone())))
    };
    let names = ["key", "msg", "sig"];
    let mut fields: Vec<Field> =
        names.iter().map(|name| Field::new(*name, DataType::Binary, true)).collect();
    fields.push(field);
    let columns = vec![of_rows(0), of_rows(1), of_rows(2), column];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("a table");
    super::arrow(path, &batch);
}

fn logical_type(path: &Path) -> Option<LogicalType> {
    let reader = SerializedFileReader::new(File::open(path).expect("there")).expect("Parquet");
    reader.metadata().file_metadata().schema_descr().column(3).logical_type_ref().cloned()
}

fn cells(path: &Path) -> Vec<String> {
    let written = fs::read_to_string(path).expect("there");
    let cell = |line: &str| line.split(',').nth(3).expect("four cells").to_owned();
    written.lines().skip(1).map(cell).collect()
}

/// An extension type of Arrow.
fn extended(field: Field, name: &str) -> Field {
    let metadata = [("ARROW:extension:name", name), ("ARROW:extension:metadata", "")];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    field.with_metadata(HashMap::from(metadata))
}

/// As pyarrow 25 and DuckDB 2 write them: pyarrow has seconds as milliseconds and date64 as DATE.
#[test]
fn a_type_of_a_column_stays_in_outputs() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let folder = folder();
    let uuids = [Some([0x11; 16]), Some([0xa2; 16]), None].map(|cell| cell.map(Vec::from));
    let uuids = FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids.into_iter(), 16);
    let instants = TimestampSecondArray::from(vec![Some(60), Some(-1), None]);
    let zoned = instants.clone().with_timezone("Europe/Berlin");
    let milliseconds = |is_utc| LogicalType::timestamp(is_utc, TimeUnit::MILLIS);
    let cases: Vec<(ArrayRef, Option<&str>, LogicalType, [&str; 3])> = vec![
        (
            Arc::new(uuids.expect("of sixteen bytes")),
            Some("arrow.uuid"),
            LogicalType::Uuid,
            ["11111111-1111-1111-1111-111111111111", "a2a2a2a2-a2a2-a2a2-a2a2-a2a2a2a2a2a2", ""],
        ),
        (
            Arc::new(StringArray::from(vec![Some("[]"), Some("1"), None])),
            Some("arrow.json"),
            LogicalType::Json,
            ["[]", "1", ""],
        ),
        (
            Arc::new(Date64Array::from(vec![Some(DAY), Some(-DAY), None])),
            None,
            LogicalType::Date,
            ["1970-01-02", "1969-12-31", ""],
        ),
        (
            Arc::new(Time32SecondArray::from(vec![Some(1), Some(86_399), None])),
            None,
            LogicalType::time(false, TimeUnit::MILLIS),
            ["00:00:01", "23:59:59", ""],
        ),
        (
            Arc::new(instants),
            None,
            milliseconds(false),
            ["1970-01-01T00:01:00", "1969-12-31T23:59:59", ""],
        ),
        (
            Arc::new(zoned),
            None,
            milliseconds(true),
            ["1970-01-01T00:01:00Z", "1969-12-31T23:59:59Z", ""],
        ),
    ];
    for (column, extension, expected, texts) in cases {
        let kind = column.data_type().clone();
        let field = Field::new("more", kind.clone(), true);
        let field = extension.map_or(field.clone(), |name| extended(field, name));
        let path = folder.path().join("t.arrow");
        with_column(&path, field, column);
        let [parquet, again, csv] =
            ["o.parquet", "again.parquet", "o.csv"].map(|name| folder.path().join(name));
        let write = |from: &Path, to: &Path| {
            let (code, _, err) = run(&["-q", text(from), "-o", text(to), "--force"], b"");
            assert_eq!(code, 0, "{kind}: {err}");
        };
        write(&path, &parquet);
        assert_eq!(logical_type(&parquet), Some(expected.clone()), "{kind}");
        write(&path, &csv);
        assert_eq!(cells(&csv), texts, "{kind}");
        // of Parquet, too
        without_verdicts(&parquet, &folder.path().join("from.parquet"));
        let from = folder.path().join("from.parquet");
        write(&from, &again);
        assert_eq!(logical_type(&again), Some(expected), "{kind}");
        write(&from, &csv);
        assert_eq!(cells(&csv), texts, "{kind}");
    }
}

/// The same table with its first four columns alone, without a schema of Arrow beside that of Parquet.
fn without_verdicts(from: &Path, to: &Path) {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::arrow::arrow_writer::ArrowWriterOptions;
    let file = File::open(from).expect("there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build();
    let batch = reader.expect("rows").next().expect("a batch").expect("rows");
    let batch = batch.project(&[0, 1, 2, 3]).expect("four columns");
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let file = File::create(to).expect("created");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new_with_options(file, batch.schema(), options)
            .expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

#[test]
fn values_that_no_type_of_parquet_has_are_refused() {
    let folder = folder();
    let path = folder.path().join("t.arrow");
    let output = folder.path().join("o.parquet");
    let seconds = TimestampSecondArray::from(vec![0, 1, 2]);
    let item = Arc::new(Field::new_list_field(seconds.data_type().clone(), true));
    let lists =
        ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1]), Arc::new(seconds), None);
    let cases: [(ArrayRef, &str); 3] = [
        (Arc::new(Date64Array::from(vec![0, 1, 2])), "holds dates with a time of day"),
        (
            Arc::new(TimestampSecondArray::from(vec![0, 0, i64::MAX])),
            "holds a time that Parquet has no number for",
        ),
        (Arc::new(lists), "Parquet has no times in seconds for column `more`"),
    ];
    for (column, message) in cases {
        with_column(&path, Field::new("more", column.data_type().clone(), true), column);
        let (code, _, err) = run(&["-q", text(&path), "-o", text(&output)], b"");
        assert!(code == 2 && err.contains(message) && err.contains("write Arrow instead"), "{err}");
        assert!(!output.exists());
        let arrow = folder.path().join("o.arrow");
        assert_eq!(run(&["-q", text(&path), "-o", text(&arrow), "--force"], b"").0, 0, "{message}");
    }
}

/// Text whose bytes are no UTF-8: DuckDB and pyarrow refuse it where it is looked at, ClickHouse writes it.
#[test]
fn text_is_read_as_bytes_where_it_stands_for_them() {
    let folder = folder();
    for name in ["text_of_bytes.parquet", "text_of_bytes.arrow"] {
        let path = made(name);
        assert_rows(&[text(&path), "--encoding", "raw"], &VALID);
        let each = ["--key-encoding", "raw", "--msg-encoding", "raw", "--sig-encoding", "raw"];
        assert_rows(&[&[text(&path)], &each[..]].concat(), &VALID);
        for options in [&[][..], &["--key-encoding", "raw", "--msg-encoding", "raw"]] {
            let (code, out, err) = run(&[&["--jsonl", text(&path)], options].concat(), b"");
            assert_eq!((code, out.as_str()), (2, ""), "{name}: {err}");
            assert!(err.contains("without an output, --encoding raw reads it"), "{name}: {err}");
        }
        assert_refused(
            &[text(&path), "--encoding", "raw"],
            folder.path(),
            "a text column holds bytes",
        );
    }
}

#[test]
fn integers_of_128_bits_are_no_obstacle_where_nobody_reads_them() {
    let folder = folder();
    for name in ["polars_int128.arrow", "polars_int128.arrows"] {
        let path = made(name);
        assert_rows(&[text(&path)], &VALID);
        for output in ["o.arrow", "o.arrows"] {
            let output = folder.path().join(output);
            let (code, _, err) = run(&[text(&path), "-o", text(&output)], b"");
            assert!(code == 2 && err.contains("column `n` has integers of 128 bits"), "{err}");
            assert!(!output.exists());
        }
        assert_refused(
            &[text(&path)],
            folder.path(),
            "column `n` has integers of 128 bits, which no output",
        );
        let (code, _, err) = run(&[text(&path), "--key", "n"], b"");
        assert!(code == 2 && err.contains("bytes, lists of u8 or text are needed"), "{err}");
    }
}

/// pyarrow refuses to write an Arrow file of these batches, too; Polars reads no deltas.
#[test]
fn a_dictionary_that_changes_goes_into_every_output_but_an_arrow_file() {
    let folder = folder();
    let expected = [&VALID[..], &VALID].concat();
    for (name, notes) in [
        ("dictionary_grows.arrows", ["a", "b", "b", "a", "b", "c"]),
        ("dictionary_replaced.arrows", ["a", "b", "b", "x", "y", "z"]),
    ] {
        let path = made(name);
        assert_rows(&[text(&path)], &expected);
        for output in ["o.arrows", "o.parquet", "o.csv", "o.jsonl"] {
            let output = folder.path().join(output);
            assert_rows(&[text(&path), "-o", text(&output), "--force"], &expected);
            assert_rows(&[text(&output)], &expected);
        }
        assert_eq!(cells(&folder.path().join("o.csv")), notes);
        let output = folder.path().join("o.arrow");
        let (code, _, err) = run(&[text(&path), "-o", text(&output)], b"");
        assert_eq!(code, 2, "{err}");
        let message = "a column has another dictionary from row 3 on, which an Arrow file cannot have; write an Arrow \
                       stream (.arrows) or Parquet instead";
        assert!(err.contains(message), "{err}");
        assert!(!output.exists());
    }
}

/// Of two files behind one another pyarrow, DuckDB and Polars read the last and say nothing; offsets in its footer mean the
/// bytes of the first, so that no row of the second may have been read.
#[test]
fn files_one_behind_the_other_are_named() {
    let folder = folder();
    let (long, short) = (folder.path().join("long"), folder.path().join("short"));
    let note = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text; 3])) };
    for (path, note) in [(&long, note(&"long".repeat(500))), (&short, note("short"))] {
        with_column(&path.with_extension("arrow"), Field::new("note", DataType::Utf8, true), note);
        let arrow = path.with_extension("arrow");
        for extension in ["parquet", "arrows"] {
            let output = path.with_extension(extension);
            assert_rows(&[text(&arrow), "-o", text(&output)], &VALID);
        }
    }
    let read =
        |path: &Path, extension: &str| fs::read(path.with_extension(extension)).expect("there");
    for (extension, kind) in [("parquet", "Parquet"), ("arrow", "Arrow")] {
        for (first, last) in [(&long, &short), (&short, &long), (&short, &short), (&long, &long)] {
            let (first, last) = (read(first, extension), read(last, extension));
            for files in [vec![&first, &last], vec![&first, &first, &last]] {
                let path = folder.path().join(format!("both.{extension}"));
                let all: Vec<u8> = files.iter().flat_map(|file| file.to_vec()).collect();
                fs::write(&path, &all).expect("written");
                let begins = all.len() - last.len();
                let (code, out, err) = run(&["--jsonl", text(&path)], b"");
                assert_eq!((code, out.as_str()), (2, ""), "{err}");
                let message = format!(
                    "is several {kind} files one behind the other; the last begins at byte {begins}"
                );
                assert!(err.contains(&message), "{err}");
            }
        }
    }
    // of streams, one begins where another ends
    let path = folder.path().join("both.arrows");
    let both = [read(&long, "arrows"), read(&short, "arrows")].concat();
    fs::write(&path, &both).expect("written");
    let (code, _, err) = run(&["-q", text(&path)], b"");
    assert!(code == 2 && err.contains("another stream begins here; check each by itself"), "{err}");
    // without the end marker of the first
    let first = read(&long, "arrows");
    let whole = first.len() - 8;
    fs::write(&path, [&first[..whole], &read(&short, "arrows")].concat()).expect("written");
    let (code, _, err) = run(&["-q", text(&path)], b"");
    assert!(code == 2 && err.contains("another stream begins here; check each by itself"), "{err}");
}

/// Avro's and Java's writers have names as ENUM, which is text by the format; arrow-rs takes it for bytes.
#[test]
fn names_of_parquet_are_text() {
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    let folder = folder();
    let path = folder.path().join("t.parquet");
    let schema = "message m { required binary key; required binary msg; required binary sig; \
                  required binary name (ENUM); }";
    let schema = parse_message_type(schema).expect("a schema");
    let file = File::create(&path).expect("created");
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let columns = rows();
    for n in 0..4 {
        let cell = |row: &super::Row| row.get(n).cloned().unwrap_or(b"SIGNED".to_vec());
        let cells: Vec<ByteArray> = columns.iter().map(|row| cell(row).into()).collect();
        let mut column = group.next_column().expect("a writer").expect("a column");
        column.typed::<ByteArrayType>().write_batch(&cells, None, None).expect("written");
        column.close().expect("closed");
    }
    group.close().expect("closed");
    writer.close().expect("closed");
    let csv = folder.path().join("o.csv");
    assert_rows(&[text(&path), "-o", text(&csv)], &VALID);
    assert_eq!(cells(&csv), ["SIGNED"; 3]);
    let output = folder.path().join("o.parquet");
    assert_rows(&[text(&path), "-o", text(&output)], &VALID);
    assert_eq!(logical_type(&output), Some(LogicalType::String));
}
