//! `sigmill check` over Arrow and Parquet whose lengths are wrong: a message, no output, and no memory
//! for what is not there.

use crate::folder::{Folder, text};
use crate::hostile::varint;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    Int8Array, Int64Array, LargeListArray, NullArray, RecordBatch, RunArray, StructArray,
    make_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{
    CompressionType, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message,
};

use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

const ROWS: usize = 3;
const MESSAGE: usize = 5_001;

/// `sigmill` in so little memory that it cannot have what a wrong length says.
fn sigmill() -> Command {
    if cfg!(target_os = "linux") {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "ulimit -v 1000000; ulimit -t 60; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_sigmill"),
        ]);
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_sigmill"))
    }
}

fn check(args: &[&str], stdin: &[u8]) -> Output {
    let mut command = sigmill();
    command.args(["check", "--threads", "1"]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("runs");
    // it need not read to the end
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    child.wait_with_output().expect("ends")
}

impl Folder {
    /// The table is good, by name and from a pipe.
    fn assert_good(&self, name: &str, bytes: &[u8], rows: usize) {
        let path = self.path(name);
        fs::write(&path, bytes).expect("written");
        for input in [text(&path), "-"] {
            let output = check(&[input, "--format", format(name), "--json"], bytes);
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{name}: {err}");
            let summary: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("one JSON object");
            assert_eq!(summary["rows"], rows, "{name}");
        }
    }

    /// The table is damaged, by name and from a pipe: exit code 2, the message, and no output.
    fn assert_damaged(&self, name: &str, bytes: &[u8], message: &str) {
        let (path, out) = (self.path(name), self.path("out.arrow"));
        fs::write(&path, bytes).expect("written");
        for input in [text(&path), "-"] {
            let output = check(&[input, "--format", format(name), "-o", text(&out)], bytes);
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name}, {message}: {err}");
            assert!(err.contains(message) && err.lines().count() == 1, "{message}: {err}");
            let shown = if input == "-" { "standard input" } else { input };
            assert!(err.starts_with(&format!("sigmill: {shown}: ")), "{err}");
            assert!(!err.contains("internal error"), "{err}");
            assert!(!out.exists(), "{message}: an output");
        }
    }
}

fn format(name: &str) -> &str {
    match name {
        "t.arrow" => "arrow",
        "t.arrows" => "arrow-stream",
        _ => "parquet",
    }
}

fn table() -> RecordBatch {
    let key = SigningKey::from_bytes(&[1; 32]);
    let message = vec![0; MESSAGE];
    let signature = key.sign(&message).to_bytes();
    let fixed = |bytes: &[u8]| -> ArrayRef {
        let rows = std::iter::repeat_n(bytes, ROWS);
        Arc::new(FixedSizeBinaryArray::try_from_iter(rows).expect("of one length"))
    };
    columns([
        fixed(key.verifying_key().as_bytes()),
        Arc::new(BinaryArray::from_iter_values(vec![message; ROWS])),
        fixed(&signature),
    ])
}

fn columns([key, msg, sig]: [ArrayRef; 3]) -> RecordBatch {
    RecordBatch::try_from_iter([("key", key), ("msg", msg), ("sig", sig)]).expect("of one length")
}

/// Keys in a dictionary.
fn with_dictionary(table: &RecordBatch) -> RecordBatch {
    let keys = table.column(0).as_any().downcast_ref::<FixedSizeBinaryArray>().expect("fixed");
    let values = Arc::new(BinaryArray::from_iter_values([keys.value(0)]));
    let keys = DictionaryArray::<Int8Type>::try_new(vec![0; ROWS].into(), values);
    let keys = Arc::new(keys.expect("a dictionary"));
    columns([keys, table.column(1).clone(), table.column(2).clone()])
}

fn file(table: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &table.schema()).expect("a writer");
    writer.write(table).expect("written");
    writer.finish().expect("closed");
    writer.into_inner().expect("the bytes")
}

fn stream(table: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("known");
    let mut writer =
        StreamWriter::try_new_with_options(Vec::new(), &table.schema(), options).expect("a writer");
    writer.write(table).expect("written");
    writer.write(&table.slice(0, 1)).expect("written");
    writer.finish().expect("closed");
    writer.into_inner().expect("the bytes")
}

/// Start and end of the metadata of each message, and the end of its body.
fn messages(stream: &[u8]) -> Vec<[usize; 3]> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        assert_eq!(stream[at..at + 4], [0xff; 4]);
        let len = u32::from_le_bytes(stream[at + 4..at + 8].try_into().expect("four bytes"));
        if len == 0 {
            return found;
        }
        let (start, end) = (at + 8, at + 8 + len as usize);
        let message = root_as_message(&stream[start..end]).expect("a message");
        at = end + message.bodyLength() as usize;
        found.push([start, end, at]);
    }
}

/// Where a buffer of the first rows begins.
fn buffer(stream: &[u8], number: usize) -> usize {
    let [start, end, _] = messages(stream)[1];
    let message = root_as_message(&stream[start..end]).expect("a message");
    let rows = message.header_as_record_batch().expect("rows");
    end + rows.buffers().expect("buffers").get(number).offset() as usize
}

/// The bytes with `to` for `from`, which is there `times`.
fn patched(bytes: &[u8], from: &[u8], to: &[u8], times: usize) -> Vec<u8> {
    let mut rest = bytes;
    let mut result = Vec::new();
    let mut found = 0;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(to);
        rest = &rest[at + from.len()..];
        found += 1;
    }
    assert_eq!(found, times);
    [&result, rest].concat()
}

/// Too large for any file: for the memory, for the arithmetic, and with a sign.
const WRONG: [i64; 5] = [1 << 20, 1 << 40, i64::MAX, -1, i64::MIN];

fn what_is_wrong(length: i64) -> &'static str {
    if length < 0 { "has a negative length" } else { "ends past the end of the file" }
}

#[test]
fn the_lengths_of_blocks_keep_to_the_file() {
    let folder = Folder::new();
    let plain = file(&table());
    let whole = file(&with_dictionary(&table()));
    folder.assert_good("t.arrow", &plain, ROWS);
    folder.assert_good("t.arrow", &whole, ROWS);
    let trailer = whole.len() - 10;
    let footer_len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().expect("four"));
    let footer = root_as_footer(&whole[trailer - footer_len as usize..trailer]).expect("a footer");
    let dictionary = *footer.dictionaries().expect("dictionaries").get(0);
    let block = *footer.recordBatches().expect("blocks").get(0);
    for (name, block) in [("dictionary block", dictionary), ("block", block)] {
        for wrong in WRONG {
            let message = format!("{name} 0 of the Arrow file {}", what_is_wrong(wrong));
            let mut offset = block.0;
            offset[..8].copy_from_slice(&wrong.to_le_bytes());
            let mut body = block.0;
            body[16..].copy_from_slice(&wrong.to_le_bytes());
            let mut metadata = block.0;
            let narrow = wrong.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            metadata[8..12].copy_from_slice(&narrow.to_le_bytes());
            for to in [offset, metadata, body] {
                folder.assert_damaged("t.arrow", &patched(&whole, &block.0, &to, 1), &message);
            }
        }
        // within the file, but not of this block
        let mut body = block.0;
        body[16..].copy_from_slice(&(block.bodyLength() - 64).to_le_bytes());
        let short = patched(&whole, &block.0, &body, 1);
        let message = format!("{name} 0 of the Arrow file has a buffer that ends past its end");
        folder.assert_damaged("t.arrow", &short, &message);
    }
    for (length, message) in [
        (i32::MAX, "not a readable Arrow file: shorter than its footer"),
        (-1, "not a readable Arrow file: Parser error: Invalid footer length: -1"),
    ] {
        let mut bytes = whole.clone();
        bytes[trailer..trailer + 4].copy_from_slice(&length.to_le_bytes());
        folder.assert_damaged("t.arrow", &bytes, message);
    }
    folder.assert_damaged(
        "t.arrow",
        b"ARROW1",
        "not a readable Arrow file: shorter than its footer",
    );
}

#[test]
fn a_block_of_another_kind_is_no_end() {
    let folder = Folder::new();
    let whole = file(&with_dictionary(&table()));
    let trailer = whole.len() - 10;
    let footer_len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().expect("four"));
    let footer = root_as_footer(&whole[trailer - footer_len as usize..trailer]).expect("a footer");
    let dictionary = *footer.dictionaries().expect("dictionaries").get(0);
    let block = *footer.recordBatches().expect("blocks").get(0);
    let bytes = patched(&whole, &block.0, &dictionary.0, 1);
    folder.assert_damaged("t.arrow", &bytes, "block 0 of the Arrow file holds no rows");
    let bytes = patched(&whole, &dictionary.0, &block.0, 1);
    folder.assert_damaged("t.arrow", &bytes, "dictionary block 0 of the Arrow file ");
    // a byte in the metadata: the kind of the message, and its version
    let (before, rest) = whole.split_at(block.offset() as usize);
    let (metadata, after) = rest.split_at(block.metaDataLength() as usize);
    let is_none = |message: Message<'_>| message.header_type() == MessageHeader::NONE;
    let is_new = |message: Message<'_>| message.version() == MetadataVersion(9);
    type Change = (u8, u8, fn(Message<'_>) -> bool, &'static str);
    let changes: [Change; 2] = [
        (MessageHeader::RecordBatch.0, 0, is_none, "holds neither rows nor a dictionary"),
        (4, 9, is_new, "has a metadata version that is not known"),
    ];
    for (from, to, is_changed, what) in changes {
        let mut found = 0;
        for at in (8..metadata.len()).filter(|at| metadata[*at] == from) {
            let mut changed = metadata.to_vec();
            changed[at] = to;
            if root_as_message(&changed[8..]).is_ok_and(is_changed) {
                found += 1;
                let bytes = [before, &changed, after].concat();
                folder.assert_damaged(
                    "t.arrow",
                    &bytes,
                    &format!("block 0 of the Arrow file {what}"),
                );
            }
        }
        assert_eq!(found, 1, "{what}");
    }
}

#[test]
fn a_footer_names_all_that_is_there_once() {
    let folder = Folder::new();
    let rows = with_dictionary(&table());
    let mut writer = FileWriter::try_new(Vec::new(), &rows.schema()).expect("a writer");
    for batch in [&rows, &rows.slice(0, 2)] {
        writer.write(batch).expect("written");
    }
    writer.finish().expect("closed");
    let whole = writer.into_inner().expect("the bytes");
    folder.assert_good("t.arrow", &whole, ROWS + 2);
    let trailer = whole.len() - 10;
    let footer_len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().expect("four"));
    let start = trailer - footer_len as usize;
    let footer = root_as_footer(&whole[start..trailer]).expect("a footer");
    let blocks = footer.recordBatches().expect("blocks");
    let twice = patched(&whole, &blocks.get(1).0, &blocks.get(0).0, 1);
    folder.assert_damaged("t.arrow", &twice, "the footer of the Arrow file names byte ");
    // bytes between the last batch and the footer
    let more = [&whole[..start], &[0; 80], &whole[start..]].concat();
    folder.assert_damaged("t.arrow", &more, " that its footer does not name");
    // no byte of the footer makes rows go away
    let path = folder.path("t.arrow");
    let mut emptied = 0;
    for at in (start..trailer).filter(|at| whole[*at] != 0) {
        let mut bytes = whole.clone();
        bytes[at] = 0;
        fs::write(&path, bytes).expect("written");
        let output = check(&[text(&path), "--expect-rows", "5"], &[]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("--expect-rows"), "at {at}: {err}");
        emptied += usize::from(err.contains(" that its footer does not name"));
    }
    assert!(emptied > 0);
}

#[test]
fn nothing_follows_the_end_of_a_stream() {
    let folder = Folder::new();
    let whole = stream(&table(), None);
    let number = messages(&whole).len();
    let message = format!("message {number} of the Arrow stream is the end, but ");
    for (more, what) in [
        (&whole[..], "another stream begins here"),
        (&[0xff; 8], "another stream begins here"),
        (&[0], "bytes follow"),
        (&[0xff; 3], "bytes follow"),
    ] {
        folder.assert_damaged("t.arrows", &[&whole, more].concat(), &format!("{message}{what}"));
    }
}

#[test]
fn the_lengths_of_messages_keep_to_the_stream() {
    let folder = Folder::new();
    for (table, number) in [(table(), 1), (with_dictionary(&table()), 1), (table(), 0)] {
        let whole = stream(&table, None);
        folder.assert_good("t.arrows", &whole, ROWS + 1);
        let [start, end, body_end] = messages(&whole)[number];
        for wrong in WRONG {
            let what = |len: i64, most: i64| match len {
                ..0 => "has a negative length",
                len if len > most => "has ",
                _ => "is cut off",
            };
            let message = |what| format!("message {number} of the Arrow stream {what}");
            let mut bytes = whole.clone();
            let narrow = wrong.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            bytes[start - 4..start].copy_from_slice(&narrow.to_le_bytes());
            folder.assert_damaged("t.arrows", &bytes, &message(what(narrow.into(), 1 << 24)));
            if body_end > end {
                let length = (body_end - end) as i64;
                let (from, to) = (length.to_le_bytes(), wrong.to_le_bytes());
                let metadata = patched(&whole[start..end], &from, &to, 1);
                let bytes = [&whole[..start], &metadata, &whole[end..]].concat();
                folder.assert_damaged("t.arrows", &bytes, &message(what(wrong, 192 << 20)));
            }
        }
    }
}

#[test]
fn a_stream_ends_only_between_messages() {
    let folder = Folder::new();
    let whole = stream(&table(), None);
    let ends: Vec<usize> = messages(&whole).iter().map(|message| message[2]).collect();
    let [schema, first, last] = ends[..] else { panic!("three messages") };
    assert_eq!(whole.len(), last + 8);
    let cuts = (1..whole.len()).step_by(whole.len() / 50 + 1);
    let near = ends.iter().flat_map(|end| [end - 1, end + 1, end + 3, end + 4, end + 7]);
    for cut in cuts.chain(near).filter(|cut| !ends.contains(cut)) {
        folder.assert_damaged("t.arrows", &whole[..cut], " of the Arrow stream is cut off");
    }
    for (end, rows) in [(schema, 0), (first, ROWS), (last, ROWS + 1)] {
        folder.assert_good("t.arrows", &whole[..end], rows);
    }
    let other = [&whole[..schema], &whole[..]].concat();
    let message = "message 1 of the Arrow stream is a schema: another stream begins here";
    folder.assert_damaged("t.arrows", &other, message);
    folder.assert_damaged(
        "t.arrows",
        &whole[schema..],
        "message 0 of the Arrow stream is not a schema",
    );
}

#[test]
fn the_lengths_of_buffers_keep_to_what_is_in_them() {
    let folder = Folder::new();
    let whole = stream(&table(), None);
    let [start, end, _] = messages(&whole)[1];
    let message = root_as_message(&whole[start..end]).expect("a message");
    let rows = message.header_as_record_batch().expect("rows");
    for buffer in rows.buffers().expect("buffers").iter().filter(|buffer| buffer.length() > 64) {
        for wrong in WRONG {
            for at in [0, 8] {
                let mut to = buffer.0;
                to[at..at + 8].copy_from_slice(&wrong.to_le_bytes());
                let metadata = patched(&whole[start..end], &buffer.0, &to, 1);
                let bytes = [&whole[..start], &metadata, &whole[end..]].concat();
                let message = "message 1 of the Arrow stream has a buffer that ends past its end";
                folder.assert_damaged("t.arrows", &bytes, message);
            }
        }
    }
    // the signatures where the messages are
    let list = rows.buffers().expect("buffers");
    let (messages_at, mut to) = (list.get(4), list.get(6).0);
    assert_eq!(list.get(6).length(), (ROWS * 64) as i64);
    to[..8].copy_from_slice(&messages_at.offset().to_le_bytes());
    to[8..].copy_from_slice(&messages_at.length().to_le_bytes());
    let metadata = patched(&whole[start..end], &list.get(6).0, &to, 1);
    let bytes = [&whole[..start], &metadata, &whole[end..]].concat();
    let message = "message 1 of the Arrow stream has buffers that overlap";
    folder.assert_damaged("t.arrows", &bytes, message);
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let whole = stream(&table(), Some(codec));
        folder.assert_good("t.arrows", &whole, ROWS + 1);
        // after the two buffers of the keys, and nulls and offsets
        let at = buffer(&whole, 4);
        let length = (MESSAGE * ROWS) as i64;
        assert_eq!(whole[at..at + 8], length.to_le_bytes());
        let wrong = |to: i64| [&whole[..at], &to.to_le_bytes(), &whole[at + 8..]].concat();
        for to in WRONG {
            // -1 says that nothing is compressed
            let message = match to {
                -1 => "cannot be decoded: ",
                _ => "bytes for a buffer of ",
            };
            folder.assert_damaged("t.arrows", &wrong(to), message);
        }
        folder.assert_damaged("t.arrows", &wrong(length + 1), "cannot be decoded: ");
        folder.assert_damaged("t.arrows", &wrong(length - 1), "cannot be decoded: ");
    }
    // what zstd may give, but no memory is there for
    let key = SigningKey::from_bytes(&[1; 32]);
    let random = (0..625_u32).flat_map(|i| key.sign(&i.to_le_bytes()).to_bytes());
    let message: Vec<u8> = random.chain(std::iter::repeat_n(0, 40_000)).collect();
    let one = |bytes: &[u8]| -> ArrayRef { Arc::new(BinaryArray::from_iter_values([bytes])) };
    let signature = key.sign(&message).to_bytes();
    let table = columns([one(key.verifying_key().as_bytes()), one(&message), one(&signature)]);
    let mut whole = stream(&table, Some(CompressionType::ZSTD));
    folder.assert_good("t.arrows", &whole, 2);
    // keys have offsets here
    let at = buffer(&whole, 5);
    assert_eq!(whole[at..at + 8], 80_000_i64.to_le_bytes());
    whole[at..at + 8].copy_from_slice(&1_200_000_000_i64.to_le_bytes());
    // and again in the header of the zstd frame, after five bytes
    assert_eq!(whole[at + 13..at + 17], 80_000_u32.to_le_bytes());
    whole[at + 13..at + 17].copy_from_slice(&1_200_000_000_u32.to_le_bytes());
    if cfg!(target_os = "linux") {
        folder.assert_damaged("t.arrows", &whole, "is too large for the memory");
    }
}

#[test]
fn values_without_bytes_are_few() {
    let folder = Folder::new();
    let none: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[0_u8; 0]; 1].iter()).expect("no bytes"));
    for (rows, is_good) in [(16_384, true), (16_385, false), (1 << 40, false)] {
        let data = none.to_data().into_builder().len(rows).build().expect("no bytes are enough");
        let none = make_array(data);
        let table = columns([none.clone(), none.clone(), none]);
        for (name, bytes) in [("t.arrow", file(&table)), ("t.arrows", stream(&table, None))] {
            if is_good {
                let path = folder.path(name);
                fs::write(&path, bytes).expect("written");
                assert_eq!(check(&[text(&path)], &[]).status.code(), Some(1), "{name}");
            } else {
                let message = format!("states {rows} values, with 0 bytes");
                folder.assert_damaged(name, &bytes, &message);
            }
        }
    }
}

/// Three good rows, and beside them one column of these.
fn beside(table: &RecordBatch, column: ArrayRef) -> RecordBatch {
    let names = table.schema();
    let names = names.fields().iter().map(|field| field.name().clone());
    let columns = names.zip(table.columns().iter().cloned()).chain([("more".to_owned(), column)]);
    RecordBatch::try_from_iter(columns).expect("of one length")
}

#[test]
fn columns_that_state_many_values_in_few_bytes_are_refused() {
    let folder = Folder::new();
    let nothing = |len| Arc::new(NullArray::new(len)) as ArrayRef;
    let field = |kind| Arc::new(Field::new("item", kind, true));
    let many = 1_usize << 40;
    let refused = |table: &RecordBatch, values: usize| {
        for (name, bytes) in [
            ("t.arrow", file(table)),
            ("t.arrows", stream(table, None)),
            ("t.arrows", stream(table, Some(CompressionType::ZSTD))),
        ] {
            folder.assert_damaged(name, &bytes, &format!("states {values} values, with "));
        }
    };
    // rows without a byte
    refused(&columns([nothing(many), nothing(many), nothing(many)]), many);
    let ends = Int64Array::from(vec![many as i64]);
    let runs = RunArray::try_new(&ends, &BinaryArray::from_iter_values([b"a"])).expect("a run");
    let runs: ArrayRef = Arc::new(runs);
    refused(&columns([runs.clone(), runs.clone(), runs]), many);
    // values of a row without a byte
    let offsets = |last: usize| OffsetBuffer::new(vec![0, 0, 0, last as i64].into());
    let lists = LargeListArray::new(field(DataType::Null), offsets(many), nothing(many), None);
    let good = table();
    refused(&beside(&good, Arc::new(lists)), many);
    let most = i32::MAX as usize;
    let lists =
        FixedSizeListArray::new(field(DataType::Null), i32::MAX, nothing(ROWS * most), None);
    refused(&beside(&good, Arc::new(lists)), ROWS * most);
    let structure = StructArray::new([field(DataType::Null)].into(), vec![nothing(many)], None);
    let lists = LargeListArray::new(
        field(structure.data_type().clone()),
        offsets(many),
        Arc::new(structure),
        None,
    );
    refused(&beside(&good, Arc::new(lists)), many);
    // values of a dictionary
    let keys = Int8Array::from(vec![0; ROWS]);
    let dictionary = DictionaryArray::<Int8Type>::new(keys, nothing(many));
    let table = beside(&good, Arc::new(dictionary));
    for (name, bytes) in [("t.arrow", file(&table)), ("t.arrows", stream(&table, None))] {
        folder.assert_damaged(name, &bytes, &format!("states {many} values, with "));
    }
}

#[test]
fn values_without_bytes_are_not_written_as_parquet() {
    let folder = Folder::new();
    let none: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[0_u8; 0]; 3].iter()).expect("no bytes"));
    let path = folder.path("t.arrow");
    fs::write(&path, file(&columns([none.clone(), none.clone(), none]))).expect("written");
    for (name, code) in [("o.arrow", 1), ("o.jsonl", 1), ("o.parquet", 2)] {
        let out = folder.path(name);
        let output = check(&[text(&path), "-o", text(&out)], &[]);
        assert_eq!(output.status.code(), Some(code), "{name}: {output:?}");
        assert_eq!(out.exists(), code == 1, "{name}");
        if code == 2 {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(message.contains("o.parquet: Parquet has no values of 0 bytes"), "{message}");
        }
    }
}

#[test]
fn the_lengths_in_a_parquet_footer_keep_to_the_file() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("key".into(), Encoding::DELTA_BYTE_ARRAY)
        .build();
    let options =
        ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let output = File::create(&path).expect("created");
    let table = table();
    let mut writer =
        ArrowWriter::try_new_with_options(output, table.schema(), options).expect("a writer");
    writer.write(&table).expect("written");
    writer.close().expect("closed");
    let whole = fs::read(&path).expect("there");
    folder.assert_good("t.parquet", &whole, ROWS);
    let trailer = whole.len() - 8;
    let footer_len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().expect("four"));
    let (before, footer) = whole[..trailer].split_at(trailer - footer_len as usize);
    let with_footer = |from: &[u8], to: &[u8]| {
        let footer = patched(footer, from, to, 1);
        let len = u32::try_from(footer.len()).expect("short").to_le_bytes();
        [before, &footer, &len, b"PAR1"].concat()
    };
    let reader = SerializedFileReader::new(File::open(&path).expect("there")).expect("a reader");
    let column = reader.metadata().row_group(0).column(1);
    // fields 6 and 7 of the column: lengths before and after compression
    let lengths = |compressed: i64| {
        let uncompressed = column.uncompressed_size();
        let numbers = [uncompressed, compressed].map(|n| varint((n << 1 ^ n >> 63) as u64));
        [&[0x16], &numbers[0][..], &[0x16], &numbers[1]].concat()
    };
    for wrong in [1 << 20, i32::MAX.into(), i64::MAX] {
        let bytes = with_footer(&lengths(column.compressed_size()), &lengths(wrong));
        let message = "column `msg` of row group 0 ends past the end of the file";
        folder.assert_damaged("t.parquet", &bytes, message);
    }
    let bytes = with_footer(&lengths(column.compressed_size()), &lengths(-1));
    folder.assert_damaged("t.parquet", &bytes, "is broken: its decoder gave up");
    // fields 1 and 2 of the column in the schema: bytes of a fixed width, and the width
    let width = |width: u64| [&[0x15, 14, 0x15][..], &varint(width << 1), &[0x15]].concat();
    for (wrong, message) in [
        (1 << 20, "cannot be read after row 0: "),
        (1 << 30, "a row of 1073741888 bytes is too large for the memory"),
        (i32::MAX as u64, "a row of 2147483711 bytes is too large for the memory"),
    ] {
        let bytes = with_footer(&width(32), &width(wrong));
        if wrong != 1 << 30 || cfg!(target_os = "linux") {
            folder.assert_damaged("t.parquet", &bytes, message);
        }
    }
}
