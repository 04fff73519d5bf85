//! A checker of certificates about machine code. `proofs/kernels/FORMAT.md` is the format; this package shares no code with the prover.
//!
//! To be convinced, read `rules` (each rule with the reason why it is sound), `segment` (scopes, cases and ends of blocks), `certificate`
//! (the frame, and the composition of segments), `text` and `polynomial`, in this order.

#![forbid(unsafe_code)]

mod certificate;
pub mod polynomial;
pub mod rules;
mod segment;
mod text;

pub use certificate::Certificate;
use std::io::{BufRead, ErrorKind, Read};

/// Most bytes of a line.
const LINE: u64 = 1 << 24;
/// Most characters of a message: it may quote a field.
const MESSAGE: usize = 1000;

/// Reads a certificate to its end, and returns it if every line of it is right and none is missing.
///
/// # Errors
/// `LINE: STATEMENT: …`, with what was seen and expected. The same where the reader fails, a line is no UTF-8 or is longer than 16 MiB.
pub fn check(mut reader: impl BufRead) -> Result<Certificate, String> {
    let mut certificate = Certificate::default();
    let mut line = String::new();
    let mut number = 0u64;
    loop {
        number += 1;
        line.clear();
        let read = reader.by_ref().take(LINE).read_line(&mut line);
        let size = read.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => format!("{number}: line: not UTF-8; text is expected"),
            _ => format!("{number}: line: {error}"),
        })?;
        if size == 0 {
            break;
        }
        if size as u64 == LINE {
            return Err(format!("{number}: line: {size} bytes or more; fewer are expected"));
        }
        let text = line.strip_suffix('\n').unwrap_or(&line);
        certificate = certificate.line(text).map_err(|message| {
            let start: String = message.chars().take(MESSAGE).collect();
            let rest = if start.len() < message.len() { "…" } else { "" };
            format!("{number}: {start}{rest}")
        })?;
    }
    match certificate.is_complete() {
        true => Ok(certificate),
        false => Err(format!("{number}: end: the text ends; end certificate is expected")),
    }
}
