//! Ed25519 signing and key generation by the column.
//!
//! Secrets pass through to `ed25519` and are not looked at here.

#[cfg(feature = "rayon")]
use super::CHUNK_ROWS;
use super::{BulkError, Column, Engine};
use crate::ed25519::{SecretKey, SigningKey, Variant, sign_many};

/// Who signs the rows of a column of messages.
#[derive(Debug)]
pub enum SigningKeys<'a, K = SigningKey> {
    /// One key for every row.
    One(&'a K),
    /// A key for each row.
    Each(&'a [K]),
}

impl<K> Clone for SigningKeys<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for SigningKeys<'_, K> {}

impl<'a, K> SigningKeys<'a, K> {
    /// Who signs what.
    pub(super) fn row<'m: 'a>(&self, messages: &Column<'m>, row: usize) -> (&'a K, &'a [u8]) {
        let key = match self {
            SigningKeys::One(key) => key,
            SigningKeys::Each(keys) => &keys[row],
        };
        (key, messages.get(row).unwrap_or_default())
    }

    /// Whether every row can be signed.
    pub(super) fn check(&self, messages: &Column<'_>) -> Result<(), BulkError> {
        if let SigningKeys::Each(keys) = self {
            check_rows("signing keys", messages.len(), keys.len())?;
        }
        match (0..messages.len()).find(|row| messages.get(*row).is_none()) {
            Some(row) => Err(BulkError::NullMessage { row }),
            None => Ok(()),
        }
    }
}

/// Cuts rows into parts for the threads of the current rayon pool: `work(first, part)`.
#[cfg(feature = "rayon")]
pub(super) fn in_parallel<T: Send>(rows: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    // short columns are cut finer, so that every thread has something to do
    let threads = rayon_core::current_num_threads().max(1);
    let len = rows.len().div_ceil(threads).next_multiple_of(8).clamp(8, CHUNK_ROWS);
    let work = &work;
    rayon_core::scope(|scope| {
        for (i, part) in rows.chunks_mut(len).enumerate() {
            scope.spawn(move |_| work(i * len, part));
        }
    });
}

/// An error unless there are as many as expected.
pub(super) fn check_rows(what: &'static str, expected: usize, got: usize) -> Result<(), BulkError> {
    if got == expected { Ok(()) } else { Err(BulkError::Rows { what, expected, got }) }
}

impl Engine {
    /// Signs every message with the given variant, on this thread, without allocating. Each signature is
    /// the one that [`SigningKey::sign_with`] gives. Constant time but for the number of rows and the
    /// lengths of messages and context. Needs 128 KiB of stack in lanes, 32 KiB
    /// in the portable backend.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if there are not as many keys, or places for signatures, as messages;
    /// [`BulkError::NullMessage`] if a message is null. `signatures` are then untouched.
    ///
    /// ```
    /// use sigmill::bulk::{Column, Engine, SigningKeys};
    /// use sigmill::ed25519::{Signer, SigningKey, Variant};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32]);
    /// let messages = Column::binary(&[0, 3, 6], b"onetwo", None)?;
    /// let mut signatures = [[0; 64]; 2];
    /// Engine::new().sign_into(SigningKeys::One(&key), Variant::Pure, &messages, &mut signatures)?;
    /// assert_eq!(signatures[1], key.sign(b"two").to_bytes());
    /// # Ok::<(), sigmill::bulk::BulkError>(())
    /// ```
    pub fn sign_into(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
        signatures: &mut [[u8; 64]],
    ) -> Result<(), BulkError> {
        check_rows("place for the signatures", messages.len(), signatures.len())?;
        keys.check(messages)?;
        sign_many::sign(self.backend(), variant, |row| keys.row(messages, row), signatures);
        Ok(())
    }

    /// Signs as [`Engine::sign_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there; nothing is signed then.
    #[cfg(feature = "rayon")]
    pub fn sign_parallel(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
    ) -> Result<alloc::vec::Vec<[u8; 64]>, BulkError> {
        keys.check(messages)?;
        let mut signatures = alloc::vec![[0; 64]; messages.len()];
        in_parallel(&mut signatures, |first, signatures| {
            let row = |row: usize| keys.row(messages, first + row);
            sign_many::sign(self.backend(), variant, row, signatures);
        });
        Ok(signatures)
    }

    /// The public key of every seed, on this thread, without allocating: those of
    /// [`SigningKey::from_bytes`]. Constant time but for the number of rows. Needs 128 KiB of stack in
    /// lanes, 32 KiB in the portable backend.
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

    /// The public keys of [`Engine::public_keys_into`], on all threads of the current rayon pool.
    #[cfg(feature = "rayon")]
    pub fn public_keys_parallel(&self, seeds: &[SecretKey]) -> alloc::vec::Vec<[u8; 32]> {
        let mut publics = alloc::vec![[0; 32]; seeds.len()];
        in_parallel(&mut publics, |first, publics| {
            let seeds = &seeds[first..first + publics.len()];
            sign_many::public_keys(self.backend(), seeds, publics);
        });
        publics
    }

    /// The key of every seed, on this thread: those of [`SigningKey::from_bytes`]. Constant time but for
    /// the number of rows.
    #[cfg(feature = "alloc")]
    pub fn signing_keys(&self, seeds: &[SecretKey]) -> alloc::vec::Vec<SigningKey> {
        sign_many::signing_keys(self.backend(), seeds)
    }
}
