//! The rows of one spec in a chunk: their columns, and their verdicts one by one.

use super::results::Results;
use super::table::Table;
use crate::cpu::{self, Feature};
use crate::ed25519::many::rows::Given;
use crate::ed25519::rules::{is_wrong_equation, of_digest_length, of_lengths};
use crate::ed25519::{
    PreparedKey, Rule, Signature, VerifyingKey, verify_bytes, verify_prehashed_bytes,
};
use crate::error::Verdict;

/// From how many rows with the same key on the tables of a [`PreparedKey`] pay: making them takes as long as two or three
/// rows in words, and as long as more rows in lanes.
fn rows_to_prepare() -> usize {
    if cpu::has(Feature::Ifma) { 8 } else { 3 }
}

/// Rows of one spec in a chunk.
pub(super) struct Part<'t, 'a> {
    table: &'t Table<'a>,
    pub(super) rule: Rule,
    pub(super) given: Given<'a>,
    /// The first row of the chunk.
    pub(super) first: usize,
    /// The columns, where their values are arrays. They are read many times, and an array is found without asking how the
    /// column lies in memory.
    keys: Option<&'a [[u8; 32]]>,
    signatures: Option<&'a [[u8; 64]]>,
}

impl<'t, 'a> Part<'t, 'a> {
    pub(super) fn new(table: &'t Table<'a>, rule: Rule, given: Given<'a>, first: usize) -> Self {
        let (keys, signatures) = (table.keys.arrays(), table.signatures.arrays());
        Part { table, rule, given, first, keys, signatures }
    }

    #[inline(never)]
    pub(super) fn message(&self, row: u32) -> &'a [u8] {
        self.table.messages.get(self.first + row as usize).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn key(&self, row: u32) -> &'a [u8; 32] {
        match self.keys {
            Some(keys) => keys.get(self.first + row as usize).unwrap_or(&[0; 32]),
            None => self.key_of_column(row),
        }
    }

    #[inline(never)]
    fn key_of_column(&self, row: u32) -> &'a [u8; 32] {
        let key = self.table.keys.get(self.first + row as usize).unwrap_or_default();
        key.try_into().unwrap_or(&[0; 32])
    }

    /// The key with tables, where the key column has them.
    #[inline(never)]
    pub(super) fn prepared_key(&self, row: u32) -> Option<&'a PreparedKey> {
        self.table.keys.prepared_key(self.first + row as usize)
    }

    #[inline(always)]
    pub(super) fn signature(&self, row: u32) -> &'a [u8; 64] {
        match self.signatures {
            Some(signatures) => signatures.get(self.first + row as usize).unwrap_or(&[0; 64]),
            None => self.signature_of_column(row),
        }
    }

    #[inline(never)]
    fn signature_of_column(&self, row: u32) -> &'a [u8; 64] {
        let signature = self.table.signatures.get(self.first + row as usize).unwrap_or_default();
        signature.try_into().unwrap_or(&[0; 64])
    }

    /// The verdict on a row in which something has the wrong length.
    pub(super) fn wrong_length(&self, row: u32) -> Option<Verdict> {
        let row = self.first + row as usize;
        let is = |len, bytes: Option<&[u8]>| (bytes.map_or(0, <[u8]>::len) == len).then_some(());
        let refused =
            of_lengths(is(32, self.table.keys.get(row)), is(64, self.table.signatures.get(row)))
                .err();
        match self.given {
            Given::Digest(_) if refused.is_none() => {
                of_digest_length(is(64, self.table.messages.get(row))).err()
            }
            _ => refused,
        }
    }

    /// The verdict on a row, with the tables of its key if the key column has them.
    pub(super) fn verify_singly(&self, row: u32) -> Verdict {
        self.verify(self.prepared_key(row), row)
    }

    /// The verdict on a row, whose key may have tables.
    fn verify(&self, tables: Option<&PreparedKey>, row: u32) -> Verdict {
        let (rule, message, signature) = (&self.rule, self.message(row), self.signature(row));
        match (tables, self.given) {
            (Some(key), Given::Message(variant)) => {
                key.verify_with(rule, variant, message, &Signature::from_bytes(signature))
            }
            (Some(key), Given::Digest(context)) => {
                key.verify_prehashed_bytes(rule, context, message, signature)
            }
            (None, Given::Message(variant)) => {
                verify_bytes(rule, variant, self.key(row), message, signature)
            }
            (None, Given::Digest(context)) => {
                verify_prehashed_bytes(rule, context, self.key(row), message, signature)
            }
        }
    }

    /// Verifies rows one after the other. Equal keys stand together, and a key with many rows gets tables. A function of its
    /// own, because the tables are on its stack. Returns how many have a wrong equation.
    #[inline(never)]
    pub(super) fn verify_rows(
        &self,
        rows: &[u32],
        keys: &[u32],
        results: &mut Results<'_>,
    ) -> usize {
        let (mut i, mut bad) = (0, 0);
        while i < rows.len() {
            let run = keys[i..].iter().take_while(|key| **key == keys[i]).count();
            let mut place;
            let mut tables = self.prepared_key(rows[i]);
            if tables.is_none()
                && run >= rows_to_prepare()
                && let Ok(key) = VerifyingKey::decode(self.key(rows[i]))
            {
                place = PreparedKey::place_for(&key);
                place.replace(&key);
                tables = Some(&place);
            }
            for row in &rows[i..i + run] {
                let verdict = self.verify(tables, *row);
                bad += usize::from(is_wrong_equation(verdict));
                results.set(*row, Some(verdict));
            }
            i += run;
        }
        bad
    }
}
