//! Decoders and encoders of others: what they may do, and what they say.

use crate::memory;
use crate::status::{Failure, LONGEST_QUOTE, Result, plain, printable};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// An error of reading a table.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::at(path, plain(error))
}

/// Runs a decoder or encoder. A panic inside it is a failure that says `gave_up`.
pub(super) fn guarded<T>(
    path: &Path,
    gave_up: &str,
    work: impl FnOnce() -> std::result::Result<T, String>,
) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|what| Failure::at(path, what)),
        Err(_) => Err(Failure::at(path, gave_up)),
    }
}

/// The settings of a program that writes bytes as text.
const CLICKHOUSE: &str = "ClickHouse: output_format_parquet_string_as_string=0, \
                          output_format_arrow_string_as_string=0";

/// The byte at which another file begins behind the end of a first, if one does: at `last` at the latest, up to which no
/// part of a whole file reaches. `seam` is the end of a file and the beginning of one, in equal parts or nearly.
pub(super) fn second_file(file: &File, last: u64, end: &[u8], start: &[u8]) -> Option<u64> {
    let seam = [end, start].concat();
    let is_here = |at: u64| {
        let mut bytes = vec![0; seam.len()];
        let from = at.checked_sub(end.len() as u64)?;
        file.read_exact_at(&mut bytes, from).ok()?;
        (bytes == seam).then_some(at)
    };
    // mostly nothing stands between the last part of a file and its footer
    is_here(last).or_else(|| {
        let from = last.saturating_sub(LOOKED_AT);
        let mut bytes = vec![0; usize::try_from(last - from).ok()? + start.len()];
        file.read_exact_at(&mut bytes, from).ok()?;
        let found = bytes.windows(seam.len()).rposition(|window| window == seam)?;
        Some(from + found as u64 + end.len() as u64)
    })
}

/// So many bytes are searched for the end of another file.
const LOOKED_AT: u64 = 16 << 20;

/// The message about a file behind another.
pub(super) fn several_files(kind: &str, at: u64) -> String {
    format!(
        "is several {kind} files one behind the other; the last begins at byte {at}: check each by itself"
    )
}

/// The message of a decoder, without the name of its kind of error.
pub(super) fn say(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    let text = ["Parquet argument error: ", "Parquet error: ", "External: ", "Io error: "]
        .iter()
        .fold(text.as_str(), |text, prefix| text.strip_prefix(prefix).unwrap_or(text));
    let text = printable(text, LONGEST_QUOTE);
    // programs without a type of text write bytes as text
    if text.to_lowercase().contains("non utf-8") || text.contains("Invalid UTF8") {
        return format!(
            "{text}; a text column holds bytes: write it as binary ({CLICKHOUSE}); without an output, --encoding raw \
             reads it as it is"
        );
    }
    text
}

/// Whether there is so much memory: a decoder that asks and is refused ends the process.
pub(super) fn check_memory(bytes: u64) -> std::result::Result<(), String> {
    match usize::try_from(bytes).is_ok_and(memory::has_room) {
        true => Ok(()),
        false => Err("is too large for the memory".to_owned()),
    }
}
