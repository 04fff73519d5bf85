//! Ed25519 signing and key generation by the column.
//!
//! Secrets pass through to `ed25519` and are not looked at here.

#[cfg(feature = "rayon")]
use super::CHUNK_ROWS;
use super::{Backend, BulkError, Column, Engine};
#[cfg(feature = "alloc")]
use super::{Outcome, Report, Spec, Specs, Table};
#[cfg(feature = "alloc")]
use crate::ed25519::rules;
use crate::ed25519::{SecretKey, SigningKey, Variant, sign_lanes};
#[cfg(feature = "alloc")]
use crate::error::Verdict;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use zeroize::{Zeroize, Zeroizing};

/// Who signs the rows of a column of messages.
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
    /// Who signs what.
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

    /// For how many rows there are keys, of so many.
    pub(super) fn len(&self, rows: usize) -> usize {
        match self {
            SigningKeys::One(_) => rows,
            SigningKeys::Each(keys) => keys.len(),
            SigningKeys::Refs(keys) => keys.len(),
        }
    }

    /// Whether every row can be signed.
    pub(super) fn check(&self, messages: &Column<'_>) -> Result<(), BulkError> {
        check_rows("list of signing keys", messages.len(), self.len(messages.len()))?;
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
        sign_lanes::sign(backend, variant, row, signatures);
    }
}

/// Signatures of all rows, made twice and then verified, for `sign_checked_into` and its kin: what a fault
/// made of one gives its key away. Both times they lie in memory of this function, which is wiped.
#[cfg(feature = "alloc")]
pub(super) struct Checked<'a, K, P, S> {
    pub(super) keys: SigningKeys<'a, K>,
    /// The public key of a key, in bytes.
    pub(super) public: fn(&K) -> P,
    pub(super) messages: &'a Column<'a>,
    /// How made signatures are verified.
    pub(super) spec: Spec<'a>,
    /// Place for a signature.
    pub(super) nothing: S,
}

#[cfg(feature = "alloc")]
impl<K, P: AsRef<[u8]>, S: Copy + Eq + AsRef<[u8]> + Zeroize> Checked<'_, K, P, S> {
    /// `sign` and `verify` do that on one thread or many.
    pub(super) fn run(
        &self,
        mut sign: impl FnMut(&mut [S]) -> Result<(), BulkError>,
        verify: impl FnOnce(&Table<'_>) -> Result<(Vec<Outcome>, Report), BulkError>,
    ) -> Result<Zeroizing<Vec<S>>, BulkError> {
        let place = || Zeroizing::new(alloc::vec![self.nothing; self.messages.len()]);
        let (mut signatures, mut again) = (place(), place());
        sign(&mut signatures)?;
        sign(&mut again)?;
        if let Some(row) = signatures.iter().zip(&*again).position(|(one, other)| one != other) {
            return Err(BulkError::Fault { row });
        }
        // from bytes on, as with the keys and signatures of others
        let publics: Vec<P> = match self.keys {
            SigningKeys::One(key) => alloc::vec![(self.public)(key)],
            SigningKeys::Each(keys) => keys.iter().map(self.public).collect(),
            SigningKeys::Refs(keys) => keys.iter().map(|key| (self.public)(key)).collect(),
        };
        let public_of = |row: usize| match self.keys {
            SigningKeys::One(_) => publics[0].as_ref(),
            SigningKeys::Each(_) | SigningKeys::Refs(_) => publics[row].as_ref(),
        };
        let public_slices: Vec<&[u8]> = (0..self.messages.len()).map(public_of).collect();
        let signature_slices: Vec<&[u8]> = signatures.iter().map(AsRef::as_ref).collect();
        let (outcomes, _) = verify(&Table::new(
            Column::slices(&public_slices),
            *self.messages,
            Column::slices(&signature_slices),
            Specs::Same(self.spec),
        )?)?;
        match outcomes.iter().position(|outcome| !outcome.is_some_and(Verdict::is_valid)) {
            Some(row) => Err(BulkError::Fault { row }),
            None => Ok(signatures),
        }
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
    /// As there; nothing is signed then.
    #[cfg(feature = "rayon")]
    pub fn sign_parallel(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &Column<'_>,
    ) -> Result<Vec<[u8; 64]>, BulkError> {
        keys.check(messages)?;
        let mut signatures = alloc::vec![[0; 64]; messages.len()];
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
    /// [`BulkError::Randomness`] if random bytes are wanted for verifying and there are none. `signatures` are then
    /// untouched, and what was made is wiped.
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
        keys.check(messages)?;
        let sign = |made: &mut [_]| {
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
        sign_lanes::public_keys(self.backend(), seeds, publics);
        Ok(())
    }

    /// The public keys of [`Engine::public_keys_into`], on all threads of the current rayon pool.
    #[cfg(feature = "rayon")]
    pub fn public_keys_parallel(&self, seeds: &[SecretKey]) -> Vec<[u8; 32]> {
        let mut publics = alloc::vec![[0; 32]; seeds.len()];
        in_parallel(&mut publics, |first, publics| {
            let seeds = &seeds[first..first + publics.len()];
            sign_lanes::public_keys(self.backend(), seeds, publics);
        });
        publics
    }

    /// The key of every seed, on this thread: those of [`SigningKey::from_bytes`]. Constant time but for
    /// the number of rows.
    #[cfg(feature = "alloc")]
    pub fn signing_keys(&self, seeds: &[SecretKey]) -> Vec<SigningKey> {
        sign_lanes::signing_keys(self.backend(), seeds)
    }
}

#[cfg(all(test, feature = "alloc"))]
#[path = "../tests/checked.rs"]
mod tests;
