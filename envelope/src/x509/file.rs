//! Files of certificates: one in DER, or any number in PEM.

use crate::error::{Error, Refusal, Result, quoted};
use data_encoding::BASE64;

/// The longest certificate, in bytes: webpki has the same limit.
const LONGEST: usize = 65_535;

const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";

/// The certificates of a file, in DER. Text between the blocks of PEM is passed over (RFC 7468 section 2).
pub(super) fn certificates(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    // a SEQUENCE
    if bytes.first() == Some(&0x30) {
        return Ok(vec![bounded(bytes)?.to_vec()]);
    }
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((base64, after)) = next_block(rest)? {
        // lines of any length, as openssl reads them
        let text: Vec<u8> = base64.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        let refused = |error: String| {
            let at = found.len();
            Error::new(Refusal::NotX509, format!("block {at} of the PEM file: {error}"))
        };
        // data-encoding takes several texts with padding in a row
        if text.iter().rev().skip_while(|b| **b == b'=').any(|b| *b == b'=') {
            return Err(refused("padding before the end".to_owned()));
        }
        let der = BASE64.decode(&text).map_err(|error| refused(error.to_string()))?;
        bounded(&der)?;
        found.push(der);
        rest = after;
    }
    if found.is_empty() {
        let detail =
            "neither DER (a SEQUENCE, first byte 0x30) nor PEM (-----BEGIN CERTIFICATE-----)";
        return Err(Error::new(Refusal::NotX509, detail));
    }
    Ok(found)
}

fn bounded(der: &[u8]) -> Result<&[u8]> {
    if der.len() > LONGEST {
        let len = der.len();
        let detail = format!("a certificate of {len} bytes; at most {LONGEST} are read");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    Ok(der)
}

/// The base64 of the next certificate, between its boundaries, and the rest behind it. Blocks of other kinds are refused.
fn next_block(bytes: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
    let Some((_, block)) = find(bytes, BEGIN).and_then(|at| bytes.split_at_checked(at)) else {
        return Ok(None);
    };
    let unfinished = || Error::new(Refusal::NotX509, "a block of PEM does not end");
    let label = block.get(BEGIN.len()..).unwrap_or_default();
    let label = find(label, DASHES).and_then(|end| label.get(..end)).ok_or_else(unfinished)?;
    if label != b"CERTIFICATE" {
        let text = quoted(&String::from_utf8_lossy(label));
        return Err(if label.ends_with(b"PRIVATE KEY") {
            let detail = format!("the file has a {text}; certificates were expected");
            Error::new(Refusal::KeyUse, detail)
        } else {
            let detail = format!("the file has a block {text}; `CERTIFICATE` was expected");
            Error::new(Refusal::NotX509, detail)
        });
    }
    const END: &[u8] = b"-----END CERTIFICATE-----";
    let end = find(block, END).ok_or_else(unfinished)?;
    let base64 = block.get(BEGIN.len() + label.len() + DASHES.len()..end).unwrap_or_default();
    Ok(block.get(end + END.len()..).map(|after| (base64, after)))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
