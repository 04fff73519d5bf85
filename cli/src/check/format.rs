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

/// An option that some formats alone have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct OfFormats {
    /// As it is typed.
    pub(super) option: &'static str,
    formats: &'static [Format],
    /// Whether an output of such a format has it, too.
    in_outputs: bool,
}

const OF_CSV: &[Format] = &[Format::Csv, Format::Tsv];
const OF_TEXT: &[Format] = &[Format::Csv, Format::Tsv, Format::Jsonl];

/// The options that not every format has.
pub(super) const OPTIONS: [OfFormats; 4] = [
    OfFormats { option: "--delimiter", formats: OF_CSV, in_outputs: true },
    OfFormats { option: "--quote", formats: OF_CSV, in_outputs: true },
    OfFormats { option: "--null", formats: OF_CSV, in_outputs: true },
    OfFormats { option: "--max-record", formats: OF_TEXT, in_outputs: false },
];

impl OfFormats {
    /// Whether the option says something of a table in one format and its output in another.
    pub(super) fn concerns(self, table: Format, output: Option<Format>) -> bool {
        let output = output.filter(|_| self.in_outputs);
        [Some(table), output].into_iter().flatten().any(|format| self.formats.contains(&format))
    }

    /// The message about a table in a format that does not have it.
    pub(super) fn refusal(self, table: Format, output: Option<Format>) -> String {
        let names: Vec<&str> = self.formats.iter().map(|format| format.title()).collect();
        let output = output.filter(|output| *output != table);
        let output =
            output.map_or(String::new(), |output| format!(", its output {}", output.title()));
        let names = names.join(" and ").replacen(" and ", ", ", names.len().saturating_sub(2));
        format!("is {}{output}; {} is for {names} alone", table.title(), self.option)
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

/// The character around cells of CSV that hold a delimiter or a line end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Character(u8),
    /// Quotes are characters like any other.
    None,
}

pub(super) fn parse_quote(text: &str) -> Result<Quote, String> {
    match text.as_bytes() {
        b"none" => Ok(Quote::None),
        [quote] if quote.is_ascii_graphic() => Ok(Quote::Character(*quote)),
        _ => Err("one character of ASCII, or `none`, is needed".to_owned()),
    }
}

/// How the cells of CSV are told apart.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    pub(super) delimiter: u8,
    pub(super) quote: Option<u8>,
    /// Whether the cell between two quotes may have line ends. TSV has no quotes by its definition; a quote that is not one
    /// would make one cell of many rows.
    pub(super) may_span_lines: bool,
}

impl Cells {
    /// Those of a format, where options say nothing else.
    pub(super) fn of(format: Format, delimiter: Option<u8>, quote: Option<Quote>) -> Self {
        Cells {
            delimiter: delimiter.unwrap_or(format.usual_delimiter()),
            quote: match quote {
                None => Some(b'"'),
                Some(Quote::Character(quote)) => Some(quote),
                Some(Quote::None) => None,
            },
            may_span_lines: quote.is_some() || format != Format::Tsv,
        }
    }
}
