//! Signing and key generation by the column.
//!
//! Secrets pass through to `ed25519` and are not looked at here. Reach: `ed25519`, own `column`, `run`.

use super::{BulkError, Column, Engine};
use crate::ed25519::{SecretKey, SigningKey, Variant, sign_many};

/// Who signs the rows of a column of messages.
#[derive(Clone, Copy, Debug)]
pub enum SigningKeys<'a> {
    /// One key for every row.
    One(&'a SigningKey),
    /// A key for each row.
    Each(&'a [SigningKey]),
}

impl<'a> SigningKeys<'a> {
    fn key(&self, row: usize) -> &'a SigningKey {
        match self {
            SigningKeys::One(key) => key,
            SigningKeys::Each(keys) => &keys[row],
        }
    }
}

/// An error unless there are as many as expected.
fn check_rows(what: &'static str, expected: usize, got: usize) -> Result<(), BulkError> {
    if got == expected { Ok(()) } else { Err(BulkError::Rows { what, expected, got }) }
}

impl Engine {
    /// Signs every message with the given variant, on this thread, without allocating. Each signature is
    /// the one that [`SigningKey::sign_with`] gives. Constant time but for the number of rows and the
    /// lengths of messages and context. Needs 128 KiB of stack in lanes.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if there are not as many keys, or places for signatures, as messages;
    /// [`BulkError::NullMessage`] if a message is null. `signatures` are then untouched.
    pub fn sign_into(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
        signatures: &mut [[u8; 64]],
    ) -> Result<(), BulkError> {
        let rows = messages.len();
        if let SigningKeys::Each(keys) = keys {
            check_rows("signing keys", rows, keys.len())?;
        }
        check_rows("place for the signatures", rows, signatures.len())?;
        if let Some(row) = (0..rows).find(|row| messages.get(*row).is_none()) {
            return Err(BulkError::NullMessage { row });
        }
        let row = |row: usize| (keys.key(row), messages.get(row).unwrap_or_default());
        sign_many::sign(self.backend(), variant, row, signatures);
        Ok(())
    }

    /// The public key of every seed, on this thread, without allocating: those of
    /// [`SigningKey::from_bytes`]. Constant time but for the number of rows. Needs 128 KiB of stack in
    /// lanes.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if there are not as many places for public keys as seeds; `publics` are then
    /// untouched.
    pub fn public_keys_into(
        &self,
        seeds: &[SecretKey],
        publics: &mut [[u8; 32]],
    ) -> Result<(), BulkError> {
        check_rows("place for the public keys", seeds.len(), publics.len())?;
        sign_many::public_keys(self.backend(), seeds, publics);
        Ok(())
    }

    /// The key of every seed, on this thread: those of [`SigningKey::from_bytes`]. Constant time but for
    /// the number of rows.
    #[cfg(feature = "alloc")]
    pub fn signing_keys(&self, seeds: &[SecretKey]) -> alloc::vec::Vec<SigningKey> {
        sign_many::signing_keys(self.backend(), seeds)
    }
}
