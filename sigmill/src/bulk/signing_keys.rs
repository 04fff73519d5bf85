//! The keys that sign the rows of a column.

use super::column::Column;
use super::error::BulkError;
use super::results::check_rows;
use crate::ed25519::SigningKey;

/// The keys that sign the rows of a column of messages.
///
/// ```
/// use sigmill::bulk::{Column, Engine, SigningKeys};
/// use sigmill::ed25519::{SigningKey, Variant};
///
/// let keys = [1, 2].map(|n| SigningKey::from_bytes(&[n; 32]));
/// let messages = Column::fixed(b"onetwo", 3, 2, None)?;
/// let mut signatures = [[0; 64]; 2];
/// Engine::new().sign_into(SigningKeys::Each(&keys), Variant::Pure, &messages, &mut signatures)?;
/// # assert_eq!(signatures[1], sigmill::ed25519::Signer::sign(&keys[1], b"two").to_bytes());
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Debug)]
pub enum SigningKeys<'a, K = SigningKey> {
    /// One key for every row.
    One(&'a K),
    /// A key for each row.
    Each(&'a [K]),
    /// A key for each row, anywhere in memory.
    Refs(&'a [&'a K]),
}

impl<K> Clone for SigningKeys<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for SigningKeys<'_, K> {}

impl<'a, K> SigningKeys<'a, K> {
    /// The key and the message of a row.
    pub(super) fn row<'m: 'a>(&self, messages: &Column<'m>, row: usize) -> (&'a K, &'a [u8]) {
        (self.key(row), messages.get(row).unwrap_or_default())
    }

    pub(super) fn key(&self, row: usize) -> &'a K {
        match self {
            SigningKeys::One(key) => key,
            SigningKeys::Each(keys) => &keys[row],
            SigningKeys::Refs(keys) => keys[row],
        }
    }

    /// How many rows have a key, where `rows` are to be signed.
    pub(super) fn len(&self, rows: usize) -> usize {
        match self {
            SigningKeys::One(_) => rows,
            SigningKeys::Each(keys) => keys.len(),
            SigningKeys::Refs(keys) => keys.len(),
        }
    }

    /// An error unless every row has a key and a message.
    pub(super) fn check(&self, messages: &Column<'_>) -> Result<(), BulkError> {
        check_rows("list of signing keys", messages.len(), self.len(messages.len()))?;
        match (0..messages.len()).find(|row| messages.get(*row).is_none()) {
            Some(row) => Err(BulkError::NullMessage { row }),
            None => Ok(()),
        }
    }
}
