//! The headers of the pages of a Parquet row group, read before the decoder sees them: how many
//! values they state, what these can grow to, and so how many rows a batch may have.
//!
//! The decoder takes memory by the numbers of values in a page and in its streams of deltas, and a
//! dictionary or a stream of prefixes makes long values of few bytes. Headers are read here; bytes only of
//! dictionaries and of pages of deltas.

use super::cut::{BATCH_ROWS, CELL_BYTES};
use super::thrift::{LIST, STRUCT, TRUE, Thrift};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// Columns in columns: the decoder of a schema calls itself for each.
const DEEPEST: usize = 64;
const LARGEST_FOOTER: u64 = 64 << 20;
/// The length of the footer and `PAR1`, at the end of a file.
const TRAILER: u64 = 8;
/// The most bytes that the rows of a batch may take.
const BATCH_BYTES: u64 = 32 << 20;
/// The largest pages of all columns, dictionaries too, as stored and as decompressed: the decoder holds one of
/// each column.
const LARGEST_PAGES: u64 = 160 << 20;
/// Page headers hold the least and the greatest value, and may be long.
const HEADER_STEPS: [u64; 3] = [1 << 12, 1 << 17, 1 << 23];
/// Of pages that are smaller than both, several are counted as one.
const SMALL_ROWS: u64 = 1024;
const SMALL_BYTES: u64 = 1 << 16;

/// The decoder has the lengths of a page in memory, and so has what looks at them.
const MOST_DELTAS: u64 = 4 << 20;

type Result<T> = std::result::Result<T, String>;

/// The header of a page, as far as it matters.
#[derive(Default)]
struct Header {
    kind: i64,
    uncompressed: i64,
    compressed: i64,
    values: i64,
    encoding: i64,
    len: usize,
}

const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE_V2: i64 = 3;
// encodings by their numbers in the format
const PLAIN_DICTIONARY: i64 = 2;
const DELTA_BINARY_PACKED: i64 = 5;
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;
const RLE_DICTIONARY: i64 = 8;

fn header_of(bytes: &[u8]) -> Option<Header> {
    let mut header = Header::default();
    let mut thrift = Thrift::new(bytes);
    thrift.structure(|thrift, number, kind| {
        match (number, kind) {
            (1, 5) => header.kind = thrift.integer()?,
            (2, 5) => header.uncompressed = thrift.integer()?,
            (3, 5) => header.compressed = thrift.integer()?,
            (5 | 7 | 8, STRUCT) => {
                let encoding_at = if number == 8 { 4 } else { 2 };
                thrift.structure(|thrift, inner, kind| {
                    match (inner, kind) {
                        (1, 5) => header.values = thrift.integer()?,
                        (inner, 5) if inner == encoding_at => header.encoding = thrift.integer()?,
                        (_, kind) => thrift.skip(kind)?,
                    }
                    Some(())
                })?;
            }
            (_, kind @ TRUE..) => thrift.skip(kind)?,
            _ => return None,
        }
        Some(())
    })?;
    header.len = thrift.position();
    Some(header)
}

/// Looks at the schema before it is decoded. Returns whether some columns are encrypted.
///
/// # Errors
/// It is too deep, or states what cannot be. A footer that is not there at all is the decoder's to refuse.
pub(super) fn check_schema(file: &File) -> Result<bool> {
    let io = |error: std::io::Error| crate::status::plain(&error);
    let len = file.metadata().map_err(io)?.len();
    let Some(end) = len.checked_sub(TRAILER) else { return Ok(false) };
    let trailer = read_range(file, end, TRAILER).map_err(io)?;
    let ends = [("begin", read_range(file, 0, 4).map_err(io)?), ("end", trailer[4..].to_vec())];
    // with an encrypted footer it is another word, and the file has been named
    if let Some((place, _)) = ends.iter().find(|(_, word)| word != b"PAR1" && word != b"PARE") {
        return Err(format!(
            "does not {place} with `PAR1`, as Parquet does: a part is missing, or other bytes stand there"
        ));
    }
    let footer_len = trailer.first_chunk().map_or(0, |len| u64::from(u32::from_le_bytes(*len)));
    let Some(start) = end.checked_sub(footer_len) else { return Ok(false) };
    if footer_len > LARGEST_FOOTER {
        return Err(format!(
            "has a footer of {footer_len} bytes; at most {LARGEST_FOOTER} are read"
        ));
    }
    let footer = read_range(file, start, footer_len).map_err(io)?;
    let (mut result, mut is_encrypted) = (Ok(()), false);
    // what ends too soon here does so for the decoder, too
    let _ = Thrift::new(&footer).structure(|thrift, number, kind| {
        match (number, kind) {
            (2, LIST) => result = check_depth(thrift)?,
            // the algorithm
            (8, STRUCT) => {
                is_encrypted = true;
                thrift.skip(STRUCT)?;
            }
            (_, kind) => thrift.skip(kind)?,
        }
        result.is_ok().then_some(())
    });
    result.map(|()| is_encrypted)
}

/// The place of the footer in a file of `len` bytes.
pub(super) fn footer_start(file: &File, len: u64) -> Option<u64> {
    let end = len.checked_sub(TRAILER)?;
    let trailer = read_range(file, end, TRAILER).ok()?;
    end.checked_sub(u64::from(u32::from_le_bytes(*trailer.first_chunk()?)))
}

/// Follows the tree of columns, which is a list: each says how many children come next.
fn check_depth(thrift: &mut Thrift<'_>) -> Option<Result<()>> {
    let (len, _) = thrift.list()?;
    // children that are still to come, from the root on
    let mut open: Vec<u64> = Vec::new();
    for _ in 0..len {
        let mut children = 0;
        thrift.structure(|thrift, number, kind| {
            match (number, kind) {
                (5, 5) => children = thrift.integer()?,
                (_, kind) => thrift.skip(kind)?,
            }
            Some(())
        })?;
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        match u64::try_from(children) {
            Ok(0) => {}
            Ok(children) if children < len => open.push(children),
            _ => {
                return Some(Err(format!(
                    "has a column of {children} columns in a schema of {len}"
                )));
            }
        }
        if open.len() > DEEPEST {
            return Some(Err(format!("has columns nested deeper than {DEEPEST}")));
        }
    }
    Some(Ok(()))
}

fn read_range(mut file: &File, start: u64, len: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Rows beside each other in a column: what they come to together, and one of them at most.
#[derive(Clone, Copy)]
struct Run {
    rows: u64,
    bytes: u64,
    most: u64,
}

/// The rows that a batch of this row group may have.
///
/// # Errors
/// A page that states what cannot be, or that is too large.
pub(super) fn batch_rows(
    file: &File,
    group: &RowGroupMetaData,
    is_wanted: impl Fn(usize) -> bool,
) -> Result<usize> {
    let rows = u64::try_from(group.num_rows()).map_err(|_| "is broken")?;
    let mut columns = Vec::new();
    let mut largest = 0_u64;
    for (_, column) in group.columns().iter().enumerate().filter(|(leaf, _)| is_wanted(*leaf)) {
        let name = column.column_path().string();
        let in_column = |what: String| format!("column `{}`: {what}", crate::status::quoted(&name));
        let (runs, pages) = runs(file, column, rows).map_err(in_column)?;
        largest = largest.saturating_add(pages);
        columns.push(runs);
    }
    if largest > LARGEST_PAGES {
        return Err(format!(
            "has pages of {largest} bytes in all columns; at most {LARGEST_PAGES} are read at once: write \
             smaller pages"
        ));
    }
    let mut batch = BATCH_ROWS;
    while batch > 1 {
        let own = (batch * CELL_BYTES * columns.len()) as u64;
        let bytes = columns.iter().map(|runs| most_of_rows(runs, batch as u64));
        if bytes.fold(own, u64::saturating_add) <= BATCH_BYTES {
            break;
        }
        batch /= 2;
    }
    Ok(batch)
}

/// The most bytes that so many rows take, wherever they begin.
fn most_of_rows(runs: &[Run], rows: u64) -> u64 {
    let cost = |run: &Run| run.bytes.min(run.most.saturating_mul(rows));
    let (mut most, mut bytes, mut first) = (0, 0_u64, 0);
    // the rows of the runs between the first and the last
    let mut between = 0_u64;
    for (last, run) in runs.iter().enumerate() {
        bytes = bytes.saturating_add(cost(run));
        if last > first + 1 {
            between += runs[last - 1].rows;
        }
        // one row of the first at least, and one of the last
        while first < last && between + 2 > rows {
            bytes = bytes.saturating_sub(cost(&runs[first]));
            first += 1;
            between = between.saturating_sub(if first < last { runs[first].rows } else { 0 });
        }
        most = most.max(bytes);
    }
    most
}

/// The rows of a column, and the size of its largest pages.
fn runs(file: &File, column: &ColumnChunkMetaData, rows: u64) -> Result<(Vec<Run>, u64)> {
    let descriptor = column.column_descr();
    let is_nested = descriptor.max_rep_level() > 0;
    let width = match column.column_type() {
        Type::BOOLEAN => Some(1),
        Type::INT32 | Type::FLOAT => Some(4),
        Type::INT64 | Type::DOUBLE => Some(8),
        Type::INT96 => Some(12),
        Type::FIXED_LEN_BYTE_ARRAY => Some(u64::try_from(descriptor.type_length()).unwrap_or(0)),
        Type::BYTE_ARRAY => None,
    };
    let (start, len) = column.byte_range();
    let end = start.saturating_add(len);
    let stated = u64::try_from(column.num_values()).map_err(|_| "is broken")?;
    let (mut at, mut values) = (start, 0_u64);
    let (mut pages, mut dictionary_page, mut value_of_dictionary) = (0, 0, 0);
    let mut runs: Vec<Run> = Vec::new();
    let mut contents: Option<SerializedPageReader<File>> = None;
    let (mut number, mut data_pages, mut taken) = (0, 0, 0);
    while at < end && (values < stated || number == 0) {
        let header = read_header(file, at, end)?;
        let sizes = u64::try_from(header.uncompressed).ok().zip(header.compressed.try_into().ok());
        let (uncompressed, compressed): (u64, u64) = sizes.ok_or("a page has a negative length")?;
        let of_page = u64::try_from(header.values).map_err(|_| "a page has a negative length")?;
        at = at + header.len as u64 + compressed;
        if at > end {
            return Err(format!("page {number} ends past the end of the column"));
        }
        let both = uncompressed + compressed;
        let is_delta = matches!(
            header.encoding,
            DELTA_BINARY_PACKED | DELTA_LENGTH_BYTE_ARRAY | DELTA_BYTE_ARRAY
        );
        if both > LARGEST_PAGES {
            return Err(format!(
                "page {number} has {both} bytes; at most {LARGEST_PAGES} are read"
            ));
        }
        match header.kind {
            DICTIONARY_PAGE => {
                if of_page > uncompressed {
                    return Err(format!(
                        "the dictionary states {of_page} values, with {uncompressed} bytes"
                    ));
                }
                dictionary_page = both;
                value_of_dictionary = match width {
                    Some(width) => width,
                    // most are small: then it need not be looked at
                    None if uncompressed <= 64 => uncompressed,
                    None => longest(&next_page(file, column, rows, &mut contents)?),
                };
            }
            DATA_PAGE | DATA_PAGE_V2 => {
                pages = both.max(pages);
                data_pages += 1;
                values += of_page;
                let (bytes, most) = match (header.encoding, width) {
                    _ if is_delta => {
                        // those before are passed by
                        let page = loop {
                            let page = next_page(file, column, rows, &mut contents)?;
                            taken += usize::from(page.is_data_page());
                            if taken == data_pages && page.is_data_page() {
                                break page;
                            }
                        };
                        let (bytes, most) = of_deltas(&page, column)?;
                        width.map_or((bytes, most), |w| (of_page.saturating_mul(w), w))
                    }
                    (_, Some(width)) => (of_page.saturating_mul(width), width),
                    (PLAIN_DICTIONARY | RLE_DICTIONARY, None) => {
                        (of_page.saturating_mul(value_of_dictionary), value_of_dictionary)
                    }
                    (_, None) => (uncompressed, uncompressed),
                };
                let run = Run { rows: of_page, bytes, most };
                match runs.last_mut() {
                    Some(last)
                        if last.rows + run.rows < SMALL_ROWS
                            && last.bytes.saturating_add(run.bytes) < SMALL_BYTES =>
                    {
                        last.rows += run.rows;
                        last.bytes += run.bytes;
                        last.most = last.most.max(run.most);
                    }
                    _ => runs.push(run),
                }
            }
            _ => {}
        }
        number += 1;
    }
    if values != stated {
        return Err(format!("its pages state {values} values, the footer {stated}"));
    }
    if !is_nested && values != rows {
        return Err(format!("has {values} values for {rows} rows"));
    }
    if is_nested {
        // pages do not say how many rows they are: an even spread, with room
        let bytes = runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.bytes));
        runs = vec![Run { rows, bytes, most: 4 * (bytes / rows.max(1)) + 64 }];
    }
    Ok((runs, pages + dictionary_page))
}

fn read_header(file: &File, at: u64, end: u64) -> Result<Header> {
    for step in HEADER_STEPS {
        let bytes = read_range(file, at, (end - at).min(step));
        let bytes = bytes.map_err(|error| crate::status::plain(&error))?;
        if let Some(header) = header_of(&bytes) {
            return Ok(header);
        }
    }
    Err("the header of a page is broken".to_owned())
}

/// The decoder's words about a page.
pub(super) fn say(error: impl std::fmt::Display) -> String {
    let said = super::decoder::say(error);
    if said.contains("CRC checksum mismatch") { BAD_CHECKSUM.to_owned() } else { said }
}

/// Said wherever a page has another checksum than it states.
pub(super) const BAD_CHECKSUM: &str = "the checksum of a page does not fit; the file is damaged";

/// The place of the first page whose checksum does not fit, among the columns that are read.
pub(super) fn bad_checksum(
    file: &File,
    group: &RowGroupMetaData,
    is_wanted: impl Fn(usize) -> bool,
) -> Option<String> {
    let rows = u64::try_from(group.num_rows()).ok()?;
    for (_, column) in group.columns().iter().enumerate().filter(|(leaf, _)| is_wanted(*leaf)) {
        let (mut contents, mut number) = (None, 0);
        loop {
            match next_page(file, column, rows, &mut contents) {
                Ok(_) => number += 1,
                Err(what) if what == BAD_CHECKSUM => {
                    let name = crate::status::quoted(&column.column_path().string());
                    return Some(format!("column `{name}`, page {number}"));
                }
                // the last was before
                Err(_) => break,
            }
        }
    }
    None
}

/// The next page, decompressed; reading begins at the first.
fn next_page(
    file: &File,
    column: &ColumnChunkMetaData,
    rows: u64,
    contents: &mut Option<SerializedPageReader<File>>,
) -> Result<Page> {
    if contents.is_none() {
        let file = file.try_clone().map_err(|error| crate::status::plain(&error))?;
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let reader = SerializedPageReader::new(Arc::new(file), column, rows, None);
        *contents = Some(reader.map_err(say)?);
    }
    let page = contents.as_mut().map(|reader| reader.get_next_page()).transpose().map_err(say)?;
    page.flatten().ok_or_else(|| "has fewer pages than its headers say".to_owned())
}

/// The longest value in a dictionary: each has its length in front.
fn longest(page: &Page) -> u64 {
    let (mut rest, mut longest) = (&page.buffer()[..], 0);
    while let Some((len, after)) = rest.split_first_chunk() {
        let len = u32::from_le_bytes(*len) as usize;
        longest = longest.max(len.min(after.len()));
        rest = after.get(len..).unwrap_or_default();
    }
    longest as u64
}

/// The bytes of the values of a page of deltas, and those of the longest.
fn of_deltas(page: &Page, column: &ColumnChunkMetaData) -> Result<(u64, u64)> {
    let descriptor = column.column_descr();
    let (values, encoding) = (u64::from(page.num_values()), page.encoding());
    let mut stream = page.buffer().as_ref();
    let cut = || "a page of deltas is cut off".to_owned();
    // levels stand in front
    match page {
        Page::DataPage { def_level_encoding, rep_level_encoding, .. } => {
            for (most, encoding) in [
                (descriptor.max_rep_level(), rep_level_encoding),
                (descriptor.max_def_level(), def_level_encoding),
            ] {
                let skipped = match encoding {
                    _ if most == 0 => 0,
                    Encoding::RLE => {
                        let len = stream.first_chunk().ok_or_else(cut)?;
                        4 + u32::from_le_bytes(*len) as usize
                    }
                    _ => {
                        let width = 16 - most.leading_zeros().min(16);
                        (values * u64::from(width)).div_ceil(8) as usize
                    }
                };
                stream = stream.get(skipped..).ok_or_else(cut)?;
            }
        }
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            let skipped = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
            stream = stream.get(skipped..).ok_or_else(cut)?;
        }
        Page::DictionaryPage { .. } => return Err("is broken".to_owned()),
    }
    let mut lengths = Vec::new();
    let rest = deltas(stream, values, &mut lengths)?;
    let sum = |lengths: &[i64]| {
        lengths.iter().fold(0_u64, |sum, len| sum.saturating_add((*len).try_into().unwrap_or(0)))
    };
    let most = |lengths: &[i64]| lengths.iter().copied().max().unwrap_or(0).max(0) as u64;
    match encoding {
        Encoding::DELTA_BYTE_ARRAY => {
            let mut suffixes = Vec::new();
            deltas(rest, values, &mut suffixes)?;
            if suffixes.len() != lengths.len() {
                return Err("a page of deltas has another number of prefixes".to_owned());
            }
            let mut before = 0;
            for (len, suffix) in lengths.iter_mut().zip(&suffixes) {
                if !(0..=before).contains(len) || *suffix < 0 {
                    return Err("a page of deltas has a length that cannot be".to_owned());
                }
                *len = len.saturating_add(*suffix);
                before = *len;
            }
            Ok((sum(&lengths), most(&lengths)))
        }
        _ => Ok((page.buffer().len() as u64, page.buffer().len() as u64)),
    }
}

/// Decodes a stream of deltas of at most so many values; returns what comes after it.
fn deltas<'a>(stream: &'a [u8], most: u64, values: &mut Vec<i64>) -> Result<&'a [u8]> {
    let mut thrift = Thrift::new(stream);
    let mut head =
        || Some((thrift.varint()?, thrift.varint()?, thrift.varint()?, thrift.integer()?));
    let (block, parts, count, first) = head().ok_or("a page of deltas is cut off")?;
    if count > most {
        return Err(format!("a page of {most} values states {count} deltas"));
    }
    if count > MOST_DELTAS {
        return Err(format!("a page has {count} deltas; at most {MOST_DELTAS} are read"));
    }
    let broken = || "a page of deltas is broken".to_owned();
    let per_part = block.checked_div(parts).filter(|n| *n > 0).ok_or_else(broken)?;
    if parts > stream.len() as u64 || per_part > i32::MAX as u64 {
        return Err(broken());
    }
    let mut left = count;
    let mut value = first;
    if left > 0 {
        values.push(value);
        left -= 1;
    }
    while left > 0 {
        let least = thrift.integer().ok_or_else(broken)?;
        let widths = thrift.bytes(parts as usize).ok_or_else(broken)?;
        for width in widths {
            if left == 0 {
                break;
            }
            let width = u64::from(*width);
            if width > 64 {
                return Err(broken());
            }
            let packed = thrift.bytes((per_part * width).div_ceil(8) as usize);
            let packed = packed.ok_or_else(broken)?;
            for number in 0..per_part.min(left) {
                let delta = bits(packed, number * width, width);
                value = value.wrapping_add(least).wrapping_add(delta as i64);
                values.push(value);
                left -= 1;
            }
        }
    }
    Ok(&stream[thrift.position()..])
}

/// `width` bits from number `start` on, least significant first.
fn bits(bytes: &[u8], start: u64, width: u64) -> u64 {
    let first = (start / 8) as usize;
    let mut window = [0; 16];
    let there = &bytes[first.min(bytes.len())..];
    let len = there.len().min(9);
    window[..len].copy_from_slice(&there[..len]);
    let value = u128::from_le_bytes(window) >> (start % 8);
    (value & ((1 << width) - 1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_to_what_the_worst_of_them_do() {
        let run = |rows, bytes, most| Run { rows, bytes, most };
        assert_eq!(most_of_rows(&[], 5), 0);
        // one page whose values are even
        assert_eq!(most_of_rows(&[run(100, 10_000, 100)], 10), 1_000);
        // large values after small ones, and on both sides of an end
        let runs = [run(100, 100, 1), run(4, 400, 400), run(4, 800, 800), run(50, 10, 1)];
        assert_eq!(most_of_rows(&runs, 2), 1_200);
        assert_eq!(most_of_rows(&runs, 1), 800);
        assert_eq!(most_of_rows(&runs, 100), 1_310);
        let even = [run(10, 1_000, 1_000); 20];
        assert_eq!(most_of_rows(&even, 10), 2_000);
        assert_eq!(most_of_rows(&even, 30), 4_000);
        assert_eq!(most_of_rows(&even, 300), 20_000);
    }

    #[test]
    fn deltas_are_read_as_the_format_has_them() {
        // the example of the format: 7, 5, 3, 1, 2, 3, 4, 5 in blocks of 8 with one part
        let stream = [8, 1, 8, 14, 3, 2, 0xc0, 0x3f, 9, 9];
        let mut values = Vec::new();
        assert_eq!(deltas(&stream, 8, &mut values), Ok(&[9, 9][..]));
        assert_eq!(values, [7, 5, 3, 1, 2, 3, 4, 5]);
        let mut values = Vec::new();
        let error = deltas(&stream, 7, &mut values).expect_err("too many");
        assert_eq!(error, "a page of 7 values states 8 deltas");
        assert!(deltas(&[8, 0, 8, 14], 8, &mut values).is_err());
        assert!(deltas(&stream[..7], 8, &mut values).is_err());
        assert_eq!(bits(&[0xff; 16], 7, 64), u64::MAX);
    }
}
