//! `sigmill check` over small files that stand for much, and over damage that a decoder takes at its word:
//! within 512 MiB, with a message or the right answer, and never by a signal.

use crate::folder::{Folder, text};
use crate::interrupted::{Disk, with_slow_disk};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray,
    LargeBinaryArray, RecordBatch, StringArray, new_null_array,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
const MIB: usize = 1 << 20;
/// Rows that have a signature; the others have none, so that nobody hashes their messages.
const SIGNED: usize = 3;

/// What came of it: exit code, standard output, standard error.
type Answer = (i32, String, String);

/// `check` with two threads in the memory that is promised.
fn check_from(stdin: Stdio, args: &[&str]) -> Answer {
    check_in(Command::new("sh"), stdin, args)
}

/// The same by a shell with an environment.
fn check_in(mut command: Command, stdin: Stdio, args: &[&str]) -> Answer {
    // what a process writes to and shares with nobody: heap, stacks, data
    let limited = "ulimit -d 524288; exec \"$0\" check --threads 2 \"$@\"";
    command.args(["-c", limited, BIN]).args(args).stdin(stdin);
    let output = command.output().expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code();
    (code.unwrap_or_else(|| panic!("{args:?}: ended by a signal: {err}")), out, err)
}

fn check(args: &[&str]) -> Answer {
    check_from(Stdio::null(), args)
}

impl Folder {
    /// All signed rows are valid, and nothing is known of the others.
    fn assert_answered(&self, path: &Path, rows: usize, what: &str, options: &[&str]) {
        let args = [&[text(path), "--json", "--allow-null"], options].concat();
        let (code, out, err) = check(&args);
        assert_eq!(code, 0, "{what}: {err}");
        let summary: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
        assert_eq!((&summary["rows"], &summary["valid"]), (&rows.into(), &SIGNED.into()), "{what}");
    }
}

/// One message, exit code 2, nothing left behind.
fn assert_refused(folder: &Folder, path: &Path, message: &str) {
    let before = folder.names();
    let out = folder.path("out.csv");
    let (code, _, err) = check(&[text(path), "-o", text(&out)]);
    assert!(
        code == 2 && err.contains(message) && err.lines().count() == 1,
        "{message}: {code} {err}"
    );
    assert!(err.len() < 500 && !err.contains("internal error"), "{err}");
    assert_eq!(folder.names(), before, "{message}");
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[1; 32])
}

/// Keys, and signatures of one message by the first rows.
fn keys_and_signatures(rows: usize, message: &[u8]) -> [ArrayRef; 2] {
    let (public, signature) = (key().verifying_key().to_bytes(), key().sign(message).to_bytes());
    let keys = FixedSizeBinaryArray::try_from_iter(std::iter::repeat_n(public, rows));
    let signed = (0..rows).map(|row| (row < SIGNED).then_some(signature));
    let signatures = FixedSizeBinaryArray::try_from_sparse_iter_with_size(signed, 64);
    [Arc::new(keys.expect("32 bytes")), Arc::new(signatures.expect("64 bytes"))]
}

fn table(
    rows: usize,
    message: &[u8],
    messages: ArrayRef,
    more: &[(&str, ArrayRef)],
) -> RecordBatch {
    let [keys, signatures] = keys_and_signatures(rows, message);
    let columns = [("key", keys), ("msg", messages), ("sig", signatures)];
    let more = more.iter().map(|(name, column)| (*name, column.clone()));
    let columns = columns.into_iter().chain(more).map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("of one length")
}

fn write_arrow(path: &Path, table: &RecordBatch) {
    let file = File::create(path).expect("created");
    let mut writer = FileWriter::try_new(file, &table.schema()).expect("a writer");
    writer.write(table).expect("written");
    writer.finish().expect("closed");
}

fn write_parquet(
    path: &Path,
    table: &RecordBatch,
    properties: WriterPropertiesBuilder,
    hint: bool,
) {
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(!hint);
    let file = File::create(path).expect("created");
    let mut writer =
        ArrowWriter::try_new_with_options(file, table.schema(), options).expect("a writer");
    writer.write(table).expect("written");
    writer.close().expect("closed");
}

fn one_for_all(rows: usize, values: ArrayRef) -> ArrayRef {
    let keys = vec![0; rows];
    Arc::new(DictionaryArray::<Int32Type>::try_new(keys.into(), values).expect("in range"))
}

#[test]
fn a_dictionary_is_not_unpacked() {
    let folder = Folder::new();
    let message = vec![b'a'; MIB];
    let binary: ArrayRef = Arc::new(BinaryArray::from_iter_values([&message]));
    let large: ArrayRef = Arc::new(LargeBinaryArray::from_iter_values([&message]));
    let text: ArrayRef =
        Arc::new(StringArray::from_iter_values([data_encoding::HEXLOWER.encode(&message)]));
    let rows = 100_000;
    let path = folder.path("t.arrow");
    for (values, what) in [(&binary, "binary"), (&large, "large"), (&text, "text")] {
        let table = table(rows, &message, one_for_all(rows, values.clone()), &[]);
        write_arrow(&path, &table);
        folder.assert_answered(&path, rows, what, &[]);
    }
    // a context that no row may have
    let messages: ArrayRef = new_null_array(&DataType::Binary, rows);
    let context = one_for_all(rows, text.clone());
    write_arrow(&path, &table(rows, &message, messages, &[("context", context)]));
    let (code, out, err) = check(&[self::text(&path), "--variant", "ctx"]);
    assert_eq!(code, 2, "{err}");
    assert!(out.contains("100000 rows, 0 valid, 0 invalid"), "{out}");
    assert!(err.lines().count() == 10 && err.len() < 5_000, "{err}");
    // written, each row has the value
    let rows = 40;
    let out = folder.path("out.parquet");
    write_arrow(&path, &table(rows, &message, one_for_all(rows, binary), &[]));
    folder.assert_answered(&path, rows, "written", &["-o", self::text(&out)]);
    folder.assert_answered(&out, rows, "read again", &[]);
}

#[test]
fn views_of_one_buffer_are_not_copied() {
    let folder = Folder::new();
    let message = vec![b'a'; MIB];
    let one = BinaryViewArray::from_iter_values([&message]);
    let rows = 8_500;
    let (_, buffers, _) = one.clone().into_parts();
    let views = BinaryViewArray::try_new(vec![one.views()[0]; rows].into(), buffers, None);
    let table = table(rows, &message, Arc::new(views.expect("of one buffer")), &[]);
    let path = folder.path("t.arrow");
    write_arrow(&path, &table);
    folder.assert_answered(&path, rows, "views", &[]);
}

#[test]
fn a_batch_of_parquet_is_bounded_by_what_its_rows_stand_for() {
    let folder = Folder::new();
    let message = vec![b'a'; MIB];
    let rows = 540;
    let path = folder.path("t.parquet");
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values([&message]));
    let table = table(rows, &message, one_for_all(rows, values), &[]);
    for hint in [false, true] {
        let properties = WriterProperties::builder().set_dictionary_page_size_limit(4 * MIB);
        write_parquet(&path, &table, properties, hint);
        assert!(fs::metadata(&path).expect("there").len() < 3 * MIB as u64);
        folder.assert_answered(&path, rows, "dictionary", &[]);
    }
    // prefixes of the value before
    let properties = || {
        WriterProperties::builder()
            .set_column_dictionary_enabled("msg".into(), false)
            .set_column_encoding("msg".into(), Encoding::DELTA_BYTE_ARRAY)
    };
    write_parquet(&path, &table, properties(), false);
    assert!(fs::metadata(&path).expect("there").len() < 3 * MIB as u64);
    folder.assert_answered(&path, rows, "prefixes", &[]);
    // large values in front of many small ones
    let (small, large) = (b"a".to_vec(), vec![b'a'; MIB]);
    let of_row = |row: usize| if (10..550).contains(&row) { &large } else { &small };
    let messages: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..200_000).map(of_row)));
    let table = self::table(200_000, &small, messages, &[]);
    let plain = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(ZstdLevel::default()));
    write_parquet(&path, &table, plain, false);
    assert!(fs::metadata(&path).expect("there").len() < 2 * MIB as u64);
    folder.assert_answered(&path, 200_000, "uneven", &[]);
}

#[test]
fn a_page_that_is_too_large_is_refused() {
    let folder = Folder::new();
    let message = vec![b'a'; 161 * MIB];
    let messages: ArrayRef = Arc::new(BinaryArray::from_iter_values([&message]));
    let plain = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(ZstdLevel::default()));
    let path = folder.path("t.parquet");
    write_parquet(&path, &table(1, b"", messages, &[]), plain, false);
    assert!(fs::metadata(&path).expect("there").len() < MIB as u64);
    assert_refused(&folder, &path, "row group 0: column `msg`: page 0 has ");
}

#[test]
fn a_number_of_deltas_is_no_abort() {
    let folder = Folder::new();
    let messages: ArrayRef =
        Arc::new(BinaryArray::from_iter_values((0..300_u32).map(|row| (row / 3).to_le_bytes())));
    let [keys, signatures] = keys_and_signatures(300, &[0; 4]);
    // without nulls there are no levels in front of the deltas
    let table = RecordBatch::try_from_iter_with_nullable([
        ("key", keys, false),
        ("msg", messages, false),
        ("sig", signatures, true),
    ]);
    let table = table.expect("of one length");
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_encoding("msg".into(), encoding);
        let path = folder.path("t.parquet");
        write_parquet(&path, &table, properties, false);
        folder.assert_answered(&path, 300, "deltas", &[]);
        // blocks of 128 deltas in 4 parts, and 300 of them: 2^40, and nonsense after it
        let whole = fs::read(&path).expect("there");
        let head = [0x80, 1, 4, 0xac, 2];
        let at = whole.windows(5).position(|window| window == head).expect("a page of deltas") + 3;
        let mut damaged = whole.clone();
        damaged[at..at + 6].copy_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x20]);
        let path = folder.put("d.parquet", damaged);
        let message = "row group 0: column `msg`: a page of 300 values states 1099511627776 deltas";
        assert_refused(&folder, &path, message);
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "LD_PRELOAD")]
fn what_no_check_foresees_ends_with_a_message() {
    let (folder, tools) = (Folder::new(), with_slow_disk());
    for (signature, code, disk) in
        [("null", 2, Disk::Own), ("\"\"", 1, Disk::Own), ("null", 2, Disk::SlowAndAllNamed)]
    {
        let line = format!("{{\"key\":\"00\",\"msg\":\"\",\"sig\":{signature}}}");
        // the row is answered before a line without end comes
        let endless = format!("echo '{line}'; sleep 1; head -c 450000000 /dev/zero");
        let mut sender = Command::new("sh");
        sender.args(["-c", &endless]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut sender = sender.spawn().expect("runs");
        let stdin = sender.stdout.take().expect("a pipe");
        let out = folder.path("out.jsonl");
        let args = ["-", "--format", "jsonl", "--max-record", "4000000000", "-o", text(&out)];
        let shell = disk.command("sh".as_ref(), tools.path());
        let (ended, _, err) = check_in(shell, stdin.into(), &args);
        let _ = sender.wait();
        assert_eq!(err, "sigmill: standard input: needs more than 384 MiB of memory\n");
        assert_eq!((ended, folder.names()), (code, Vec::<String>::new()));
    }
}

const HEADER: &str = "key,msg,sig\n";

/// A valid row of CSV, without the line's end.
fn csv_row() -> String {
    let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
    let (public, signature) = (key().verifying_key().to_bytes(), key().sign(b"m").to_bytes());
    format!("{},6d,{}", hex(&public), hex(&signature))
}

fn json_row() -> String {
    let row = csv_row();
    let cells: Vec<&str> = row.split(',').collect();
    format!("{{\"key\":\"{}\",\"msg\":\"{}\",\"sig\":\"{}\"}}", cells[0], cells[1], cells[2])
}

#[test]
fn a_record_has_a_largest_length() {
    let folder = Folder::new();
    let (row, long) = (csv_row(), "a".repeat(17 * MIB));
    // a quote that nobody closes
    let path = folder.put("t.csv", format!("{HEADER}{row}\n00,\"{long}\n00,00,00\n"));
    assert_refused(&folder, &path, "row 1, column msg: the record has over 16777216 bytes");
    let path = folder.put("t.csv", format!("key,msg,\"sig{long}"));
    assert_refused(&folder, &path, "header, column 2: the record has over 16777216 bytes");
    let path = folder.put("t.jsonl", format!("{}\n{{\"key\":\"{long}\n", json_row()));
    assert_refused(&folder, &path, "row 1: the record has over 16777216 bytes (--max-record)");
    // to the byte, whatever ends the line and whatever quotes are in it
    let quoted = row.replace(",6d,", ",\"6d\",");
    for (name, text, len) in [
        ("t.csv", format!("{HEADER}{row}\r\n{row}\n\n{quoted}\n{row}"), quoted.len()),
        ("t.jsonl", format!("{}\n\n{}", json_row(), json_row()), json_row().len()),
    ] {
        let path = folder.put(name, text);
        for (most, expected) in [(len + 1, 0), (len, 0), (len - 1, 2)] {
            let (code, _, err) = check(&[self::text(&path), "--max-record", &most.to_string()]);
            assert_eq!(code, expected, "{name}, {most}: {err}");
        }
    }
}

#[test]
fn cells_count_with_what_they_take() {
    let folder = Folder::new();
    let more: String = (0..2_000).map(|column| format!(",c{column}")).collect();
    let line = format!("{}{}\n", csv_row(), ",x".repeat(2_000));
    let header = HEADER.trim_end();
    let path = folder.put("t.csv", format!("{header}{more}\n{}", line.repeat(6_000)));
    let (code, out, err) = check(&[text(&path)]);
    assert!(code == 0 && out.contains("6000 rows, 6000 valid"), "{out}{err}");
}

#[test]
fn a_table_may_have_to_have_rows() {
    let folder = Folder::new();
    let none = folder.put("none.csv", HEADER);
    let one = folder.put("one.csv", format!("{HEADER}{}\n", csv_row()));
    let bad = folder.put("bad.csv", format!("{HEADER}{}\n", csv_row().replace(",6d,", ",00,")));
    let out = folder.path("out.csv");
    for (path, options, expected, message) in [
        (&none, &[][..], 0, ""),
        (&none, &["--not-empty"], 2, "none.csv: has no rows (--not-empty)"),
        (&none, &["--expect-rows", "0"], 0, ""),
        (&none, &["--expect-rows", "1"], 2, "none.csv: has 0 rows, but --expect-rows says 1"),
        (&one, &["--not-empty", "--expect-rows", "1"], 0, ""),
        (&one, &["--expect-rows", "2"], 2, "one.csv: has 1 rows, but --expect-rows says 2"),
        // an invalid row is more
        (&bad, &["--expect-rows", "2"], 1, "bad.csv: has 1 rows, but --expect-rows says 2"),
    ] {
        let args = [&[text(path), "-o", text(&out), "--force"], options].concat();
        let (code, _, err) = check(&args);
        assert!(code == expected && err.contains(message), "{args:?}: {code} {err}");
        assert_eq!(out.exists(), message.is_empty(), "{args:?}");
        let _ = fs::remove_file(&out);
    }
    let (code, ..) = check(&[text(&one), text(&none), "--not-empty"]);
    assert_eq!(code, 2);
}

#[test]
fn what_a_file_holds_does_not_reach_the_terminal_as_it_is() {
    let folder = Folder::new();
    let (nasty, long) = ("\u{1b}]0;x\u{7}\u{9b}31m\u{202e}", "z".repeat(1_000_000));
    let row = csv_row();
    let json = json_row().replace('}', &format!(",\"rule\":\"\\u001b[2J{long}\"}}\n"));
    let key = [&b"\x1b[2J"[..], &[b'z'; 60_000]].concat();
    let name = format!("{nasty}.csv");
    for (path, options) in [
        (folder.put("a.csv", format!("key,msg,sig,rule\n{row},{nasty}{long}\n")), &[][..]),
        (folder.put("b.csv", format!("key,msg,sig,variant\n{row},{nasty}{long}\n")), &[]),
        (folder.put("c.csv", format!("key,msg,sig,alg\n{row},{nasty}{long}\n")), &[]),
        (folder.put("d.csv", format!("{nasty},{long}\n{row}\n")), &[]),
        (folder.put("e.csv", format!("{HEADER}{nasty}{long},,\n")), &[]),
        (folder.put("f.csv", format!("key,msg,sig,{}\n", "x,".repeat(10_000))), &["--key", "k"]),
        (folder.put("g.jsonl", json), &[]),
        (folder.put("h.jsonl", json_row().replacen("\"6d\"", &format!("[\"{long}\"]"), 1)), &[]),
        (folder.put("i.jsonl", format!("{nasty}{long}\n")), &[]),
        (folder.put(&name, "key\n"), &[]),
        (folder.path(&format!("missing{nasty}")), &["--format", "csv"]),
    ] {
        let (code, out, err) = check(&[&[text(&path)], options].concat());
        assert_eq!(code, 2, "{path:?}: {err}");
        assert_tame(&[out, err].concat());
    }
    // the other commands, with files that are no keys
    let (key, path) = (folder.put("key", key), folder.put(nasty, "m"));
    let (key, path) = (text(&key), text(&path));
    let (at_key, at_path) = (format!("@{key}"), format!("@{path}"));
    for args in [
        &["verify", "--key", key, "--sig", key, path][..],
        &["verify", "--key", path, "--sig", path, path],
        &["sign", "--key", key, path],
        &["sign", "--key", path, path],
        &["pubkey", "--key", path],
        &["keygen", "--seed", path, "-o", path],
        &["explain", "--key", &at_key, "--sig", &at_path, "--msg", &at_path],
        &["explain", "--key", &at_path, "--sig", &at_path, "--msg", &at_path],
        &["explain", "--key", nasty, "--sig", nasty, "--msg", nasty],
    ] {
        let output = Command::new(BIN).args(args).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_tame(&String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
    }
}

/// Nothing that a terminal acts on, and no more than a few lines.
fn assert_tame(text: &str) {
    let is_tame = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
    assert!(text.len() < 4_000 && text.chars().all(is_tame), "{} bytes: {text:?}", text.len());
}

#[test]
fn a_context_that_cannot_be_always_counts() {
    let folder = Folder::new();
    let rows = |variant: &str, context: &str| {
        format!("key,msg,sig,variant,context\n{},{variant},{context}\n", csv_row())
    };
    for (variant, context, message) in [
        ("ctx", "a".repeat(256), "row 0, column context: "),
        ("ph", "a".repeat(70_000), "row 0, column context: "),
        ("pure", "a".to_owned(), "row 0, column context: the variant `pure` does not"),
    ] {
        let path = folder.put("t.csv", rows(variant, &context));
        for options in [&[][..], &["--allow-null"]] {
            let (code, out, err) = check(&[&[text(&path), "--jsonl", "--json"], options].concat());
            assert_eq!(code, 2, "{variant}: {err}");
            assert_eq!(out, "{\"row\":0,\"verdict\":null,\"reason\":\"context\"}\n");
            assert!(err.contains(message) && err.contains("\"context\":1"), "{err}");
        }
        let (_, out, _) = check(&[text(&path)]);
        assert!(out.contains("1 rows, 0 valid") && out.contains("1 with a context that"), "{out}");
    }
    // one that can be is a matter of the verdict
    let path = folder.put("t.csv", rows("ctx", &"a".repeat(255)));
    assert_eq!(check(&[text(&path)]).0, 1);
}

/// A number as Thrift's compact protocol has it.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A Parquet file without rows whose schema is one column in so many others, or states so many children.
fn nested(depth: usize, children: usize) -> Vec<u8> {
    // repetition: required; name: `a`; children
    let group = [&[0x35, 0, 0x18, 1, b'a', 0x15][..], &varint(2 * children as u64), &[0]].concat();
    let leaf = [0x15, 12, 0x25, 0, 0x18, 1, b'a', 0];
    let schema = [&[0xfc][..], &varint(depth as u64 + 1), &group.repeat(depth), &leaf].concat();
    // version, schema, rows, no row groups
    let footer = [&[0x15, 2, 0x19][..], &schema, &[0x16, 0, 0x19, 0x0c, 0]].concat();
    let len = u32::try_from(footer.len()).expect("short").to_le_bytes();
    [b"PAR1", &footer[..], &len, b"PAR1"].concat()
}

#[test]
fn a_schema_is_not_too_deep_for_its_decoder() {
    let folder = Folder::new();
    for (depth, children, message) in [
        (20, 1, "no column `key` (columns: a)"),
        (65, 1, "has columns nested deeper than 64"),
        (500_000, 1, "has columns nested deeper than 64"),
        (20, 1 << 30, "has a column of 1073741824 columns in a schema of 21"),
    ] {
        let path = folder.put("t.parquet", nested(depth, children));
        assert_refused(&folder, &path, message);
    }
}

/// The most memory that `check` has had, in MiB.
fn peak(args: &[&str]) -> u64 {
    let mut command = Command::new(BIN);
    command.args(["check", "--threads", "2", "-q", "--allow-null"]).args(args);
    let mut child = command.spawn().expect("runs");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let now = fs::read_to_string(&status).unwrap_or_default();
        let line = now.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) / 1024);
        if let Some(ended) = child.try_wait().expect("a child") {
            assert_eq!(ended.code(), Some(0), "{args:?}");
            // on a busy machine it may have ended before it was looked at
            return if peak == 0 { self::peak(args) } else { peak };
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// A table of so many rows, most of them without a signature.
fn write_rows(path: &Path, rows: usize) {
    const PART: usize = 50_000;
    let file = File::create(path).expect("created");
    let messages: ArrayRef = Arc::new(BinaryArray::from_iter_values(vec![b"m"; PART]));
    let part = table(PART, b"m", messages, &[]);
    let parts = rows / PART;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => {
            let mut writer = ArrowWriter::try_new(file, part.schema(), None).expect("a writer");
            (0..parts).for_each(|_| writer.write(&part).expect("written"));
            writer.close().expect("closed");
        }
        Some("arrow") => {
            let mut writer = FileWriter::try_new(file, &part.schema()).expect("a writer");
            (0..parts).for_each(|_| writer.write(&part).expect("written"));
            writer.finish().expect("closed");
        }
        Some("csv") => {
            let mut file = std::io::BufWriter::new(file);
            let unsigned = format!("{},-\n", csv_row().rsplit_once(',').expect("cells").0);
            file.write_all(format!("{HEADER}{}\n", csv_row()).as_bytes()).expect("written");
            (1..rows).for_each(|_| file.write_all(unsigned.as_bytes()).expect("written"));
            file.flush().expect("written");
        }
        _ => {
            let mut file = std::io::BufWriter::new(file);
            let row = json_row();
            let unsigned =
                format!("{}\"sig\":null}}\n", row.split("\"sig\"").next().expect("cells"));
            file.write_all(format!("{row}\n").as_bytes()).expect("written");
            (1..rows).for_each(|_| file.write_all(unsigned.as_bytes()).expect("written"));
            file.flush().expect("written");
        }
    }
}

/// With `SIGMILL_LONG` a million rows against five, in every format.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn memory_does_not_grow_with_the_table() {
    let folder = Folder::new();
    let is_long = std::env::var_os("SIGMILL_LONG").is_some();
    let (few, many) = if is_long { (1_000_000, 5_000_000) } else { (300_000, 600_000) };
    let names: &[&str] = if is_long {
        &["t.parquet", "t.arrow", "t.csv", "t.jsonl"]
    } else {
        &["t.parquet", "t.arrow"]
    };
    for name in names {
        let path = folder.path(name);
        let peaks = [few, many].map(|rows| {
            write_rows(&path, rows);
            let options: &[&str] = if *name == "t.csv" { &["--null", "-"] } else { &[] };
            peak(&[&[text(&path)], options].concat())
        });
        println!("{name}: {few} rows {} MiB, {many} rows {} MiB", peaks[0], peaks[1]);
        // how much of three batches overlaps is by chance
        assert!(peaks.iter().all(|peak| (1..=320).contains(peak)), "{name}: {peaks:?}");
        assert!(!is_long || peaks[1] <= peaks[0] + peaks[0] / 4 + 32, "{name}: {peaks:?}");
        fs::remove_file(&path).expect("removed");
    }
}
