//! The rows that operations work on: row i of every column belongs together.
//!
//! Widths are data, so that curves with other lengths need no other type.

use crate::Slice;
use std::ops::Range;

/// Values of one width, one after the other.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Column<'a> {
    bytes: Slice<'a, u8>,
    width: usize,
}

impl<'a> Column<'a> {
    /// A column of values of `width` bytes.
    pub fn new(bytes: &'a [u8], width: usize) -> Self {
        assert!(bytes.len().is_multiple_of(width), "a whole number of values");
        Column { bytes: bytes.into(), width }
    }

    /// The value of a row.
    pub fn row<const N: usize>(&self, row: usize) -> &'a [u8; N] {
        assert_eq!(N, self.width, "the column's width");
        self.bytes.get()[row * N..][..N].try_into().expect("N bytes")
    }

    /// The value of a row, where the width is not known to the compiler.
    pub fn get(&self, row: usize) -> &'a [u8] {
        self.bytes(row..row + 1)
    }

    /// The values of some rows, as bytes.
    pub fn bytes(&self, rows: Range<usize>) -> &'a [u8] {
        &self.bytes.get()[rows.start * self.width..rows.end * self.width]
    }
}

/// Messages of any lengths.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Messages<'a> {
    offsets: Slice<'a, i32>,
    bytes: Slice<'a, u8>,
}

impl<'a> Messages<'a> {
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    pub fn new(offsets: &'a [i32], bytes: &'a [u8]) -> Self {
        Messages { offsets: offsets.into(), bytes: bytes.into() }
    }

    /// The message of a row.
    pub fn row(&self, row: usize) -> &'a [u8] {
        let offsets = self.offsets.get();
        &self.bytes.get()[offsets[row] as usize..offsets[row + 1] as usize]
    }

    /// The messages of some rows.
    pub fn rows(&self, rows: Range<usize>) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let messages = *self;
        rows.map(move |row| messages.row(row))
    }

    /// The offsets of some rows, one more than there are rows.
    pub fn offsets(&self, rows: Range<usize>) -> &'a [i32] {
        &self.offsets.get()[rows.start..=rows.end]
    }

    /// The bytes of all messages.
    pub fn all_bytes(&self) -> &'a [u8] {
        self.bytes.get()
    }
}

/// All columns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Secret keys; for Ed25519 the seeds, for ECDSA big-endian.
    pub secrets: Column<'a>,
    /// The public keys that belong to them; for ECDSA uncompressed SEC1.
    pub publics: Column<'a>,
    /// Messages; for X25519 the public key of the other side.
    pub messages: Messages<'a>,
    /// Signatures of the messages by the secret keys, for ECDSA r and s; for X25519 the shared secrets.
    pub signatures: Column<'a>,
    /// The number of rows.
    pub count: usize,
}
