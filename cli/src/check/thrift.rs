//! As much of Thrift's compact protocol as the footer and the page headers of Parquet need.

/// Bytes that are read from the front. `None`: they end too soon, or are not of the protocol.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Structures in structures; a page header has three.
const DEEPEST: usize = 16;

// types of fields
pub(super) const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Thrift { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at)?;
        self.at += 1;
        Some(*byte)
    }

    /// Seven bits a byte, least significant first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// An integer with its sign in the lowest bit.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The bytes that come next.
    pub(super) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(bytes)
    }

    /// The fields of a structure, one by one, by number and type. `field` reads the value, or skips it.
    pub(super) fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i64, u8) -> Option<()>,
    ) -> Option<()> {
        let mut number = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => self.integer()?,
                step => number.checked_add(step.into())?,
            };
            field(self, number, head & 15)?;
        }
    }

    /// The head of a list: how many values come, and of which type.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let len = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Some((len, head & 15))
    }

    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_in(kind, DEEPEST)
    }

    fn skip_in(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.byte().map(drop),
            4..=I64 => self.varint().map(drop),
            DOUBLE => self.bytes(8).map(drop),
            BINARY => {
                let len = self.varint()?.try_into().ok()?;
                self.bytes(len).map(drop)
            }
            LIST..=SET => {
                let (len, kind) = self.list()?;
                self.items(len, &[kind], depth)
            }
            MAP => match self.varint()? {
                0 => Some(()),
                len => {
                    let kinds = self.byte()?;
                    self.items(len, &[kinds >> 4, kinds & 15], depth)
                }
            },
            STRUCT => self.structure(|thrift, _, kind| thrift.skip_in(kind, depth)),
            _ => None,
        }
    }

    /// In a list a truth value is a byte.
    fn items(&mut self, len: u64, kinds: &[u8], depth: usize) -> Option<()> {
        for _ in 0..len {
            for kind in kinds {
                match *kind {
                    TRUE | FALSE => self.byte().map(drop)?,
                    kind => self.skip_in(kind, depth)?,
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_all_that_may_stand_before_them() {
        // 1: -3; 2: true; 3: "ab"; 4: [[1, 2], []]; 20: 300
        let bytes = [
            0x15, 5, 0x11, 0x18, 2, b'a', b'b', 0x19, 0x29, 0x25, 2, 4, 0x05, 0x05, 40, 0xd8, 4, 0,
        ];
        let mut found = Vec::new();
        let mut thrift = Thrift::new(&bytes);
        let read = thrift.structure(|thrift, number, kind| {
            match kind {
                5 => found.push((number, thrift.integer()?)),
                kind => thrift.skip(kind)?,
            }
            Some(())
        });
        assert_eq!((read, found), (Some(()), vec![(1, -3), (20, 300)]));
        assert_eq!(thrift.position(), bytes.len());
        for cut in 0..bytes.len() {
            assert_eq!(Thrift::new(&bytes[..cut]).skip(STRUCT), None, "{cut}");
        }
        // structures without end
        assert_eq!(Thrift::new(&[0x1c; 100]).skip(STRUCT), None);
    }
}
