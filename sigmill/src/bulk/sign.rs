//! Ed25519 signing and key generation by the column.
//!
//! Secrets pass through to `ed25519` and are not looked at here.

#[cfg(feature = "alloc")]
use super::checked::Checked;
use super::column::Column;
use super::engine::Engine;
use super::error::BulkError;
#[cfg(feature = "rayon")]
use super::parallel::in_parallel;
use super::results::check_rows;
#[cfg(feature = "rayon")]
use super::results::places;
use super::signing_keys::SigningKeys;
#[cfg(feature = "alloc")]
use super::specs::Spec;
use crate::cpu::Backend;
#[cfg(feature = "alloc")]
use crate::ed25519::rules;
use crate::ed25519::{SecretKey, SigningKey, Variant, many};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Rows whose messages are asked for beforehand.
const ROWS_HELD: usize = 64;

/// Signs the rows from `first` on. Ed25519 reads a message twice, and two different ones under one nonce
/// would give the key away: where a column need not give the same one again, each row is asked for it once.
fn sign_rows(
    backend: Backend,
    keys: SigningKeys<'_>,
    variant: Variant<'_>,
    messages: &Column<'_>,
    first: usize,
    signatures: &mut [[u8; 64]],
) {
    let fixed = messages.is_fixed();
    let len = if fixed { signatures.len().max(1) } else { ROWS_HELD };
    for (i, signatures) in signatures.chunks_mut(len).enumerate() {
        let first = first + i * len;
        let mut held: [&[u8]; ROWS_HELD] = [&[]; ROWS_HELD];
        if !fixed {
            for (row, message) in held.iter_mut().enumerate().take(signatures.len()) {
                *message = messages.get(first + row).unwrap_or_default();
            }
        }
        let row = |row: usize| match fixed {
            true => keys.row(messages, first + row),
            false => (keys.key(first + row), held[row]),
        };
        many::sign::sign(backend, variant, row, signatures);
    }
}

impl Engine {
    /// Signs every message with the given variant, on this thread, without allocating. Each signature is
    /// the one that [`SigningKey::sign_with`] gives. Constant time but for the number of rows and the
    /// lengths of messages and context. Needs 64 KiB of stack in lanes, 24 KiB
    /// in the portable backend.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `keys` or `signatures` is not as long as `messages`;
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
        check_rows("signature buffer", messages.len(), signatures.len())?;
        keys.check(messages)?;
        sign_rows(self.backend(), keys, variant, messages, 0, signatures);
        Ok(())
    }

    /// Signs as [`Engine::sign_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there, and [`BulkError::Memory`]; nothing is signed then.
    #[cfg(feature = "rayon")]
    pub fn sign_parallel(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
    ) -> Result<Vec<[u8; 64]>, BulkError> {
        let mut signatures = places([0; 64], messages.len())?;
        keys.check(messages)?;
        in_parallel(&mut signatures, |first, signatures| {
            sign_rows(self.backend(), keys, variant, messages, first, signatures);
        });
        Ok(signatures)
    }

    #[cfg(feature = "alloc")]
    fn checked<'a>(
        keys: SigningKeys<'a>,
        variant: Variant<'a>,
        messages: &'a Column<'a>,
    ) -> Checked<'a, SigningKey, [u8; 32], [u8; 64]> {
        let spec = Spec::ed25519(&rules::COMMON, variant);
        let public = |key: &SigningKey| key.verifying_key().to_bytes();
        Checked { keys, public, messages, spec, nothing: [0; 64] }
    }

    /// Signs as [`Engine::sign_into`], and gives the signatures out only after these checks, so that a
    /// fault in memory or in the CPU while signing does not publish something that gives a key away: every
    /// message is signed twice, with the same signature, which verifies under the rule `common`, in bulk,
    /// with the public key decoded and the message hashed again.
    ///
    /// # Errors
    /// Those of [`Engine::sign_into`]; [`BulkError::Fault`] with the first row that fails a check;
    /// [`BulkError::Randomness`] if random bytes are wanted for verifying and there are none; [`BulkError::Memory`].
    /// `signatures` are then untouched, and the made ones are wiped.
    ///
    /// ```
    /// use sigmill::bulk::{Column, Engine, SigningKeys};
    /// use sigmill::ed25519::{Signer, SigningKey, Variant};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32]);
    /// let messages = Column::binary(&[0, 3, 6], b"onetwo", None)?;
    /// let mut signatures = [[0; 64]; 2];
    /// let keys = SigningKeys::One(&key);
    /// Engine::new().sign_checked_into(keys, Variant::Pure, &messages, &mut signatures)?;
    /// assert_eq!(signatures[1], key.sign(b"two").to_bytes());
    /// # Ok::<(), sigmill::bulk::BulkError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn sign_checked_into(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
        signatures: &mut [[u8; 64]],
    ) -> Result<(), BulkError> {
        check_rows("signature buffer", messages.len(), signatures.len())?;
        let sign = |made: &mut [_]| self.sign_into(keys, variant, messages, made);
        let made = Self::checked(keys, variant, messages).run(sign, |table| self.verify(table))?;
        signatures.copy_from_slice(&made);
        Ok(())
    }

    /// Signs as [`Engine::sign_checked_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there; nothing of the signatures is returned then.
    #[cfg(feature = "rayon")]
    pub fn sign_checked_parallel(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
    ) -> Result<Vec<[u8; 64]>, BulkError> {
        let sign = |made: &mut [_]| {
            keys.check(messages)?;
            in_parallel(made, |first, made| {
                sign_rows(self.backend(), keys, variant, messages, first, made);
            });
            Ok(())
        };
        let checked = Self::checked(keys, variant, messages);
        let mut made = checked.run(sign, |table| self.verify_parallel(table))?;
        Ok(core::mem::take(&mut *made))
    }

    /// The public key of every seed, on this thread, without allocating: those of
    /// [`SigningKey::from_bytes`]. Constant time but for the number of rows. Needs 64 KiB of stack in
    /// lanes, 24 KiB in the portable backend.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `publics` is not as long as `seeds`; `publics` are then
    /// untouched.
    pub fn public_keys_into(
        &self,
        seeds: &[SecretKey],
        publics: &mut [[u8; 32]],
    ) -> Result<(), BulkError> {
        check_rows("public key buffer", seeds.len(), publics.len())?;
        many::sign::public_keys(self.backend(), seeds, publics);
        Ok(())
    }

    /// The public keys of [`Engine::public_keys_into`], on all threads of the current rayon pool.
    #[cfg(feature = "rayon")]
    pub fn public_keys_parallel(&self, seeds: &[SecretKey]) -> Vec<[u8; 32]> {
        let mut publics = alloc::vec![[0; 32]; seeds.len()];
        in_parallel(&mut publics, |first, publics| {
            let seeds = &seeds[first..first + publics.len()];
            many::sign::public_keys(self.backend(), seeds, publics);
        });
        publics
    }

    /// The key of every seed, on this thread: those of [`SigningKey::from_bytes`]. Constant time but for
    /// the number of rows.
    #[cfg(feature = "alloc")]
    pub fn signing_keys(&self, seeds: &[SecretKey]) -> Vec<SigningKey> {
        many::sign::signing_keys(self.backend(), seeds)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests;
