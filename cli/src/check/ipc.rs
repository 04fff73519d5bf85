//! Arrow IPC files and streams. A length that the input states is compared with the bytes that are there
//! before memory is taken for it; the bytes are decoded by `arrow-ipc`.

use super::decoder::{check_memory, say, second_file, several_files};
use super::options::ColumnNames;
use crate::status::quoted;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{
    Block, CompressionType, Message, MessageHeader, MetadataVersion, root_as_footer,
    root_as_message,
};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, SchemaRef};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// The length of the footer and `ARROW1`, at the end of a file.
const TRAILER: usize = 10;
/// The first bytes of a file, with zeros behind them.
const START: &[u8] = b"ARROW1\0\0";
const OTHER_STREAM: &str = "another stream begins here; check each by itself";
/// In front of a message's length, but for messages of old.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// So many values need no bytes: a column may be of a type without any.
const FREE_VALUES: u64 = 16 * 1024;
/// A block of zstd has at least four bytes and gives at most 128 KiB; LZ4 counts repeated bytes in units
/// of 255.
const ZSTD_EXPANSION: u64 = 1 << 15;
const LZ4_EXPANSION: u64 = 255;

/// So large a record batch may be, in its file and decompressed together: it is in memory as a whole.
const LARGEST_BATCH: u64 = 192 << 20;
/// All dictionaries of a table together.
const LARGEST_DICTIONARIES: usize = 64 << 20;
/// Schemas and the lists of a batch's buffers.
const LARGEST_METADATA: usize = 16 << 20;

type Result<T> = std::result::Result<T, String>;

/// The record batches of a file or of a stream.
pub(super) struct Batches {
    stored: SchemaRef,
    /// The columns that are decoded, if not all are, and their schema.
    decoded: Option<Vec<usize>>,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    input: Input,
    /// Messages of a stream, or blocks of a file, so far.
    read: usize,
}

enum Input {
    /// With the blocks of rows, and the ranges of the file that are accounted for.
    File(File, Vec<Block>, Vec<[u64; 2]>),
    Stream(Box<dyn Read + Send>),
}

impl Batches {
    /// Of a file; without an output the columns that are looked at alone are decoded, and text in `raw` columns is bytes,
    /// whatever they are.
    pub(super) fn of_file(
        names: &ColumnNames,
        raw: &[&str],
        is_written: bool,
        mut file: File,
    ) -> Result<Self> {
        let len = file.metadata().map_err(io)?.len();
        let cut = || "not a readable Arrow file: shorter than its footer".to_owned();
        let end = len.checked_sub(TRAILER as u64).ok_or_else(cut)?;
        let trailer = read_at(&mut file, end, TRAILER)?;
        let trailer = trailer.try_into().map_err(|_| cut())?;
        let footer_len = read_footer_length(trailer)
            .map_err(|error| format!("not a readable Arrow file: {}", say(error)))?;
        let start = end.checked_sub(footer_len as u64).ok_or_else(cut)?;
        check_metadata(footer_len)
            .map_err(|what| format!("the footer of the Arrow file {what}"))?;
        let mut footer = read_at(&mut file, start, footer_len)?;
        let broken = || "the footer of the Arrow file is broken".to_owned();
        let wide = {
            let footer = root_as_footer(&footer).map_err(|_| broken())?;
            WideIntegers::of(footer.schema())
        };
        wide.check(names, is_written)?;
        wide.turn_into_bytes(&mut footer);
        let footer = root_as_footer(&footer).map_err(|_| broken())?;
        let stored = schema(footer.schema())?;
        let stored = if is_written { stored } else { with_bytes(&stored, raw) };
        let (decoded, schema) = projection(&stored, names, is_written)?;
        let blocks: Vec<Block> =
            footer.recordBatches().ok_or_else(broken)?.iter().copied().collect();
        let dictionaries: Vec<Block> =
            footer.dictionaries().into_iter().flatten().copied().collect();
        for (name, blocks) in [("dictionary block", &dictionaries), ("block", &blocks)] {
            for (number, block) in blocks.iter().enumerate() {
                check_block(block, len)
                    .map_err(|what| format!("{name} {number} of the Arrow file {what}"))?;
            }
        }
        let named = blocks.iter().chain(&dictionaries).map(|block| {
            let start = block.offset() as u64;
            [start, start + block.metaDataLength() as u64 + block.bodyLength() as u64]
        });
        let mut named: Vec<[u64; 2]> = named.chain([[start, len]]).collect();
        let blocks_end = named.iter().rev().skip(1).map(|[_, end]| *end).max();
        named.sort_unstable();
        let input = Input::File(file, blocks, named);
        let dictionaries_read = HashMap::new();
        let mut batches =
            Batches { stored, decoded, schema, dictionaries: dictionaries_read, input, read: 0 };
        let ends = blocks_end.unwrap_or(START.len() as u64);
        let gap = start.checked_sub(ends).filter(|gap| *gap > START.len() as u64);
        if let Input::File(file, ..) = &batches.input
            && let Some(at) = gap.and_then(|gap| second_file(file, gap, b"ARROW1", START))
        {
            return Err(several_files("Arrow", at));
        }
        for (number, block) in dictionaries.iter().enumerate() {
            let no_rows = batches.read_block(block).and_then(|rows| match rows {
                None => Ok(()),
                Some(_) => Err("holds rows".to_owned()),
            });
            no_rows
                .map_err(|what| format!("dictionary block {number} of the Arrow file {what}"))?;
        }
        Ok(batches)
    }

    /// Of a stream, likewise.
    pub(super) fn of_stream(
        names: &ColumnNames,
        raw: &[&str],
        is_written: bool,
        mut stream: Box<dyn Read + Send>,
    ) -> Result<Self> {
        let first = read_message(&mut stream).map_err(in_stream(0))?;
        let (mut metadata, _) = first.ok_or("has no schema")?;
        let wide = WideIntegers::of(message(&metadata).map_err(in_stream(0))?.header_as_schema());
        wide.check(names, is_written)?;
        wide.turn_into_bytes(&mut metadata);
        let message = message(&metadata).map_err(in_stream(0))?;
        let stored = match message.header_type() {
            MessageHeader::Schema => schema(message.header_as_schema())?,
            _ => return Err(in_stream(0)("is not a schema".to_owned())),
        };
        let stored = if is_written { stored } else { with_bytes(&stored, raw) };
        let (decoded, schema) = projection(&stored, names, is_written)?;
        let input = Input::Stream(stream);
        Ok(Batches { stored, decoded, schema, dictionaries: HashMap::new(), input, read: 1 })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn read(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let number = self.read;
            self.read += 1;
            match &mut self.input {
                Input::File(_, blocks, _) => {
                    let Some(block) = blocks.get(number).copied() else {
                        return self.check_all_named().map(|()| None);
                    };
                    let rows = self
                        .read_block(&block)
                        .and_then(|rows| rows.ok_or("holds no rows".to_owned()));
                    return rows
                        .map(Some)
                        .map_err(|what| format!("block {number} of the Arrow file {what}"));
                }
                Input::Stream(stream) => {
                    let Some((metadata, body)) = read_message(stream).map_err(in_stream(number))?
                    else {
                        return Ok(None);
                    };
                    let rows = self.decode(&metadata, body).map_err(in_stream(number))?;
                    if rows.is_some() {
                        return Ok(rows);
                    }
                }
            }
        }
    }

    /// Whether all bytes of a file are named by the footer, or the end marker: a footer that is damaged may
    /// name fewer batches than there are. In front of the first block that it names writers put their schema in
    /// forms of their own, or nothing; the footer's schema counts. Only a record batch must not be there.
    fn check_all_named(&mut self) -> Result<()> {
        let Input::File(file, _, named) = &mut self.input else { return Ok(()) };
        let mut end = named.first().map_or(0, |[start, _]| *start);
        if let Some(at) = unnamed_batch(file, end)? {
            return Err(format!(
                "the Arrow file has a record batch at byte {at} that its footer does not name"
            ));
        }
        for [start, next] in named {
            let gap = start
                .checked_sub(end)
                .ok_or_else(|| format!("the footer of the Arrow file names byte {start} twice"))?;
            // the end marker, and zeros up to a multiple of 64
            let is_filling = |bytes: Vec<u8>| {
                let rest = bytes.strip_prefix(&CONTINUATION[..]).unwrap_or(&bytes);
                rest.iter().all(|byte| *byte == 0)
            };
            if gap > 72 || (gap > 0 && !is_filling(read_at(file, end, gap as usize)?)) {
                return Err(format!(
                    "the Arrow file has {gap} bytes at byte {end} that its footer does not name"
                ));
            }
            end = end.max(*next);
        }
        Ok(())
    }

    /// The rows in a block, whose lengths have been checked; a dictionary has none.
    fn read_block(&mut self, block: &Block) -> Result<Option<RecordBatch>> {
        let Input::File(file, ..) = &mut self.input else { return Ok(None) };
        let metadata = read_at(file, block.offset() as u64, block.metaDataLength() as usize)?;
        let body = read(file, block.bodyLength() as usize, block.bodyLength() as usize)?;
        let prefix = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
        self.decode(metadata.get(prefix..).ok_or_else(broken)?, body)
    }

    /// The rows in a message; a dictionary has none.
    fn decode(&mut self, metadata: &[u8], body: Vec<u8>) -> Result<Option<RecordBatch>> {
        let (message, body) = (message(metadata)?, Buffer::from_vec(body));
        // files of old state one version in the footer and another in messages: that of a message says how it is laid out
        if message.version() > MetadataVersion::V5 {
            return Err("has a metadata version that is not known".to_owned());
        }
        let undecodable = |error: ArrowError| format!("cannot be decoded: {}", say(error));
        if let Some(rows) = message.header_as_record_batch() {
            check_lengths(&rows, &body)?;
            let (schema, version) = (self.stored.clone(), message.version());
            let decoded = self.decoded.as_deref();
            read_record_batch(&body, rows, schema, &self.dictionaries, decoded, &version)
                .map(Some)
                .map_err(undecodable)
        } else if let Some(dictionary) = message.header_as_dictionary_batch() {
            check_lengths(&dictionary.data().ok_or_else(broken)?, &body)?;
            let (known, version) = (&mut self.dictionaries, message.version());
            read_dictionary(&body, dictionary, &self.stored, known, &version)
                .map_err(undecodable)?;
            let bytes: usize = known.values().map(|values| values.get_array_memory_size()).sum();
            match bytes > LARGEST_DICTIONARIES {
                true => Err(format!(
                    "brings the dictionaries to {bytes} bytes; at most {LARGEST_DICTIONARIES} are read"
                )),
                false => Ok(None),
            }
        } else if message.header_as_schema().is_some() {
            Err(format!("is a schema: {OTHER_STREAM}"))
        } else {
            Err("holds neither rows nor a dictionary".to_owned())
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn io(error: std::io::Error) -> String {
    crate::status::plain(&error)
}

fn broken() -> String {
    "is broken".to_owned()
}

fn in_stream(number: usize) -> impl Fn(String) -> String {
    move |what| format!("message {number} of the Arrow stream {what}")
}

/// Exactly `len` bytes. Beyond `reserve`, memory is taken as they come.
fn read(input: &mut impl Read, len: usize, reserve: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(reserve).map_err(|_| "is too large for the memory")?;
    let read = input.take(len as u64).read_to_end(&mut bytes).map_err(io)?;
    if read < len { Err("is cut off".to_owned()) } else { Ok(bytes) }
}

fn read_at(file: &mut File, offset: u64, len: usize) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    read(file, len, len)
}

/// The place of a message with rows in front of the first block that the footer names, at `end`.
fn unnamed_batch(file: &mut File, end: u64) -> Result<Option<u64>> {
    let gap = read_at(file, 0, end.min(LARGEST_METADATA as u64) as usize)?;
    // a file of old has no mark in front of its messages, and this is left out
    let marked = (0..gap.len()).step_by(8).filter(|at| gap[*at..].starts_with(&CONTINUATION));
    for at in marked {
        let len = gap[at + 4..].first_chunk().map_or(0, |len| i32::from_le_bytes(*len));
        let metadata = usize::try_from(len).ok().and_then(|len| gap[at + 8..].get(..len));
        let Some(Ok(message)) = metadata.map(message) else { continue };
        let last = u64::try_from(message.bodyLength()).ok().map(|body| at as u64 + 8 + body);
        if message.header_as_record_batch().is_some() && last.is_some_and(|last| last <= end) {
            return Ok(Some(at as u64));
        }
    }
    Ok(None)
}

/// Whether the three numbers of a block keep to a file of `len` bytes.
fn check_block(block: &Block, len: u64) -> Result<()> {
    let numbers = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
    let end =
        numbers.iter().try_fold(0_u64, |end, number| end.checked_add(u64::try_from(*number).ok()?));
    match end {
        None => Err("has a negative length".to_owned()),
        Some(end) if end > len => Err("ends past the end of the file".to_owned()),
        Some(_) => {
            check_metadata(block.metaDataLength() as usize)?;
            check_batch(block.bodyLength() as u64)
        }
    }
}

fn check_metadata(len: usize) -> Result<()> {
    match len > LARGEST_METADATA {
        true => Err(format!("has metadata of {len} bytes; at most {LARGEST_METADATA} are read")),
        false => Ok(()),
    }
}

fn check_batch(bytes: u64) -> Result<()> {
    match bytes > LARGEST_BATCH {
        true => Err(format!(
            "has {bytes} bytes; at most {LARGEST_BATCH} are read at once: write smaller batches"
        )),
        false => Ok(()),
    }
}

/// Metadata and body of the next message; `None` at the end. A stream may end without an end marker.
fn read_message(stream: &mut impl Read) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut prefix = Vec::new();
    stream.take(4).read_to_end(&mut prefix).map_err(io)?;
    if prefix.is_empty() {
        return Ok(None);
    }
    if prefix == CONTINUATION {
        prefix = read(stream, 4, 0)?;
    }
    let len = <[u8; 4]>::try_from(prefix).map_err(|_| "is cut off")?;
    let len = usize::try_from(i32::from_le_bytes(len)).map_err(|_| "has a negative length")?;
    if len == 0 {
        let mut more = Vec::new();
        stream.take(4).read_to_end(&mut more).map_err(io)?;
        return match &more[..] {
            [] => Ok(None),
            more if *more == CONTINUATION => Err(format!("is the end, but {OTHER_STREAM}")),
            _ => Err("is the end, but bytes follow".to_owned()),
        };
    }
    check_metadata(len)?;
    let metadata = read(stream, len, 0)?;
    let body = message(&metadata)?.bodyLength();
    let body = usize::try_from(body).map_err(|_| "has a negative length")?;
    check_batch(body as u64)?;
    Ok(Some((metadata, read(stream, body, 0)?)))
}

fn message(metadata: &[u8]) -> Result<Message<'_>> {
    root_as_message(metadata).map_err(|_| broken())
}

/// Columns with integers of 128 bits, as Polars writes them and Arrow does not have them: sixteen bytes each.
struct WideIntegers {
    names: Vec<String>,
    /// In the schema, the places of a type's kind and of its width in bits.
    places: Vec<[usize; 2]>,
}

impl WideIntegers {
    fn of(schema: Option<arrow_ipc::Schema<'_>>) -> Self {
        let (mut names, mut places) = (Vec::new(), Vec::new());
        for field in schema.and_then(|schema| schema.fields()).into_iter().flatten() {
            let before = places.len();
            Self::find(field, &mut places);
            if places.len() > before {
                names.push(field.name().unwrap_or_default().to_owned());
            }
        }
        WideIntegers { names, places }
    }

    fn find(field: arrow_ipc::Field<'_>, places: &mut Vec<[usize; 2]>) {
        if let Some(int) = field.type_as_int().filter(|int| int.bitWidth() == 128) {
            let kind = field._tab.vtable().get(arrow_ipc::Field::VT_TYPE_TYPE);
            let width = int._tab.vtable().get(arrow_ipc::Int::VT_BITWIDTH);
            places
                .push([field._tab.loc() + usize::from(kind), int._tab.loc() + usize::from(width)]);
        }
        field.children().into_iter().flatten().for_each(|child| Self::find(child, places));
    }

    /// Refuses them where they are looked at or written.
    fn check(&self, names: &ColumnNames, is_written: bool) -> Result<()> {
        let wanted = names.wanted();
        match self.names.iter().find(|name| is_written || wanted.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) if is_written => Err(format!(
                "column `{}` has integers of 128 bits, which no output can hold; leave it out, or cast it to \
                 decimals or text",
                quoted(name)
            )),
            Some(name) => Err(format!(
                "column `{}` has integers of 128 bits; bytes, lists of u8 or text are needed",
                quoted(name)
            )),
        }
    }

    /// Changes a schema: the two types have their width in the same place.
    fn turn_into_bytes(&self, schema: &mut [u8]) {
        for [kind, width] in &self.places {
            schema[*kind] = arrow_ipc::Type::FixedSizeBinary.0;
            schema[*width..*width + 4].copy_from_slice(&16_i32.to_le_bytes());
        }
    }
}

/// A schema whose text in some columns is bytes, which are laid out in the same way.
fn with_bytes(schema: &SchemaRef, raw: &[&str]) -> SchemaRef {
    fn bytes(kind: &DataType) -> DataType {
        match kind {
            DataType::Utf8 => DataType::Binary,
            DataType::LargeUtf8 => DataType::LargeBinary,
            DataType::Utf8View => DataType::BinaryView,
            DataType::Dictionary(keys, values) => {
                DataType::Dictionary(keys.clone(), Box::new(bytes(values)))
            }
            kind => kind.clone(),
        }
    }
    let fields = schema.fields().iter().map(|field| match raw.contains(&field.name().as_str()) {
        true => Arc::new(field.as_ref().clone().with_data_type(bytes(field.data_type()))),
        false => field.clone(),
    });
    let fields: Vec<FieldRef> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn schema(schema: Option<arrow_ipc::Schema<'_>>) -> Result<SchemaRef> {
    let schema = schema.ok_or("has no schema")?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err("is of a machine with the other byte order".to_owned());
    }
    Ok(Arc::new(try_fb_to_schema(schema).map_err(say)?))
}

/// The columns that are looked at, of a table that goes on to no output, and their schema.
fn projection(
    schema: &SchemaRef,
    names: &ColumnNames,
    is_written: bool,
) -> Result<(Option<Vec<usize>>, SchemaRef)> {
    if is_written {
        return Ok((None, schema.clone()));
    }
    let all: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    names.check(&all)?;
    let wanted = names.wanted();
    let wanted = (0..all.len()).filter(|i| wanted.contains(&all[*i].as_str())).collect::<Vec<_>>();
    let projected = schema.project(&wanted).map_err(say)?;
    Ok((Some(wanted), Arc::new(projected)))
}

/// Compares buffers with the message's body, the length of what is compressed in them with what can be,
/// and the number of values with both.
fn check_lengths(rows: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<()> {
    let codec = rows.compression().map(|compression| compression.codec());
    let (mut bytes, mut unused) = (0_u64, body.len());
    for buffer in rows.buffers().into_iter().flatten() {
        let end = buffer.offset().checked_add(buffer.length());
        let range = usize::try_from(buffer.offset()).ok().zip(end.and_then(|e| e.try_into().ok()));
        let stored = range.and_then(|(start, end)| body.get(start..end));
        let stored = stored.ok_or("has a buffer that ends past its end")?;
        unused = unused.checked_sub(stored.len()).ok_or("has buffers that overlap")?;
        bytes = bytes.saturating_add(match codec {
            None => stored.len() as u64,
            Some(codec) => decompressed_len(stored, codec)?,
        });
    }
    if codec.is_some() {
        // the decoder takes the memory at once
        check_memory(bytes)?;
        check_batch(bytes.saturating_add(body.len() as u64))?;
    }
    let nodes = rows.nodes().into_iter().flatten().map(|node| node.length());
    // a value of a type that needs bytes has at least one bit
    let most = bytes.saturating_mul(8).saturating_add(FREE_VALUES);
    match nodes.chain([rows.length()]).find(|n| !u64::try_from(*n).is_ok_and(|n| n <= most)) {
        None => Ok(()),
        Some(values) => Err(format!("states {values} values, with {bytes} bytes")),
    }
}

/// The length that a compressed buffer states for its content.
fn decompressed_len(stored: &[u8], codec: CompressionType) -> Result<u64> {
    let Some((len, content)) = stored.split_first_chunk() else {
        return if stored.is_empty() { Ok(0) } else { Err(broken()) };
    };
    let content = content.len() as u64;
    let expansion = if codec == CompressionType::ZSTD { ZSTD_EXPANSION } else { LZ4_EXPANSION };
    match i64::from_le_bytes(*len) {
        // not compressed
        -1 => Ok(content),
        len => u64::try_from(len)
            .ok()
            .filter(|len| *len <= content.saturating_mul(expansion))
            .ok_or_else(|| format!("states {len} bytes for a buffer of {content} compressed ones")),
    }
}
