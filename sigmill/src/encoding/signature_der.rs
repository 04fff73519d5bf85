//! ECDSA signatures in DER: `Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279
//! section 2.2.3), from and to two big-endian integers of the field's width.
//!
//! Strict DER: each pair (r, s) has one encoding, and every other one is refused. Whether r and s are
//! in range is decided elsewhere; 0 is an integer here. No allocator is needed.
//!
//! Public data only: time depends on the bytes.

use crate::error::{Error, SignatureDerError};
use der::asn1::UintRef;
use der::{Encode, ErrorKind, Reader, SliceReader, SliceWriter, Tag};

/// The most bytes that an encoding has, for integers of `width` bytes up to 124: 72 for 32, 104 for 48, 141 for 66.
/// Two bytes of each tag and length, three of a sequence of more than 127 bytes, and a zero before each integer.
pub(crate) const fn max_len(width: usize) -> usize {
    let integers = width.saturating_add(2 + 1).saturating_mul(2);
    let head = if integers < 128 { 2 } else { 3 };
    integers.saturating_add(head)
}

/// Reads an encoding into big-endian integers, filled up with zeros on the left. On an error they are
/// as they were.
///
/// # Errors
/// The first fault of the encoding, or that an integer needs more bytes than are given for it.
pub(crate) fn parse(bytes: &[u8], r: &mut [u8], s: &mut [u8]) -> Result<(), SignatureDerError> {
    let mut reader = SliceReader::new(bytes).map_err(fault)?;
    let (r_read, s_read) = reader
        .sequence(|fields| Ok((fields.decode::<UintRef<'_>>()?, fields.decode::<UintRef<'_>>()?)))
        .map_err(fault)?;
    reader.finish().map_err(fault)?;
    let (r_zeros, r_bytes) = split(r, r_read.as_bytes())?;
    let (s_zeros, s_bytes) = split(s, s_read.as_bytes())?;
    r_zeros.fill(0);
    r_bytes.copy_from_slice(r_read.as_bytes());
    s_zeros.fill(0);
    s_bytes.copy_from_slice(s_read.as_bytes());
    Ok(())
}

/// The places of the zeros and of the integer.
fn split<'a>(
    place: &'a mut [u8],
    integer: &[u8],
) -> Result<(&'a mut [u8], &'a mut [u8]), SignatureDerError> {
    let zeros = place.len().checked_sub(integer.len()).ok_or(SignatureDerError::TooLong)?;
    Ok(place.split_at_mut(zeros))
}

fn fault(error: der::Error) -> SignatureDerError {
    match error.kind() {
        ErrorKind::Value { tag: Tag::Integer } => SignatureDerError::Negative,
        _ => SignatureDerError::Der,
    }
}

/// Writes two big-endian integers of the same width. Returns how many bytes the encoding has; what is
/// behind them stays as it was.
///
/// # Errors
/// [`Error::Length`] if `out` has fewer bytes than [`max_len`] says.
pub(crate) fn write(r: &[u8], s: &[u8], out: &mut [u8]) -> Result<usize, Error> {
    let (expected, got) = (max_len(r.len().max(s.len())), out.len());
    let too_short = Error::Length { what: "memory for a signature in DER", expected, got };
    if got < expected {
        return Err(too_short);
    }
    encode(r, s, out).map_err(|_| too_short)
}

#[expect(clippy::arithmetic_side_effects, reason = "the sum of two lengths of `der` is a `Result`")]
fn encode(r: &[u8], s: &[u8], out: &mut [u8]) -> der::Result<usize> {
    let (r, s) = (UintRef::new(r)?, UintRef::new(s)?);
    let mut writer = SliceWriter::new(out);
    writer.sequence((r.encoded_len()? + s.encoded_len()?)?, |fields| {
        fields.encode(&r)?;
        fields.encode(&s)
    })?;
    Ok(writer.finish()?.len())
}

#[cfg(test)]
mod tests;
