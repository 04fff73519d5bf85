//! The formats of tables.

use clap::ValueEnum;
use std::path::Path;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Parquet (.parquet)
    Parquet,
    /// Arrow IPC file (.arrow, .feather, .ipc)
    Arrow,
    /// Arrow IPC stream (.arrows)
    ArrowStream,
    /// Comma-separated values with a header (.csv)
    Csv,
    /// Tab-separated values with a header (.tsv, .tab)
    Tsv,
    /// One JSON object a line (.jsonl, .ndjson, .json)
    Jsonl,
}

impl Format {
    /// The format that a file name tells.
    pub(super) fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "jsonl" | "ndjson" | "json" => Format::Jsonl,
            _ => return None,
        })
    }

    /// Its name for `--format`.
    pub(super) fn option(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrow-stream",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
        }
    }

    /// The character between its cells, unless another is named.
    pub(super) fn usual_delimiter(self) -> u8 {
        if self == Format::Tsv { b'\t' } else { b',' }
    }

    /// The content of a table without rows, as a message calls it.
    pub(super) fn content(self) -> &'static str {
        match self {
            Format::Csv => "CSV with a header",
            Format::Tsv => "TSV with a header",
            format => format.title(),
        }
    }

    /// As a message calls it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Format::Parquet => "Parquet",
            Format::Arrow => "an Arrow IPC file",
            Format::ArrowStream => "an Arrow IPC stream",
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::Jsonl => "JSON lines",
        }
    }
}

/// A character that may stand between the cells of CSV.
pub(super) fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [delimiter] if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n' | 0) => {
            Ok(*delimiter)
        }
        _ => {
            Err("one character of ASCII, or `tab`, is needed; not a quote or a line end".to_owned())
        }
    }
}
