//! X25519 by the column: public keys and shared secrets.
//!
//! Secrets pass through to `x25519` and are not looked at here.

use super::engine::Engine;
use super::error::BulkError;
#[cfg(feature = "rayon")]
use super::parallel::in_parallel;
use super::results::check_rows;
use crate::x25519::{PublicKey, SharedSecret, StaticSecret, lanes};

/// The secret keys for the rows of a column of public keys.
///
/// ```
/// use sigmill::bulk::{Engine, StaticSecrets};
/// use sigmill::x25519::{PublicKey, StaticSecret};
///
/// let secrets = [1, 2].map(|n| StaticSecret::from([n; 32]));
/// let publics = [PublicKey::from([9; 32]); 2];
/// let mut shared = [const { None }; 2];
/// Engine::new().x25519_into(StaticSecrets::Each(&secrets), &publics, &mut shared)?;
/// assert_eq!(shared[1], secrets[1].agree(&publics[1]).ok());
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum StaticSecrets<'a> {
    /// One key for every row.
    One(&'a StaticSecret),
    /// A key for each row.
    Each(&'a [StaticSecret]),
}

impl<'a> StaticSecrets<'a> {
    /// The keys of a row.
    fn row(&self, publics: &'a [PublicKey], row: usize) -> (&'a StaticSecret, &'a PublicKey) {
        let secret = match self {
            StaticSecrets::One(secret) => secret,
            StaticSecrets::Each(secrets) => &secrets[row],
        };
        (secret, &publics[row])
    }

    fn check(&self, rows: usize) -> Result<(), BulkError> {
        match self {
            StaticSecrets::One(_) => Ok(()),
            StaticSecrets::Each(secrets) => check_rows("list of secret keys", rows, secrets.len()),
        }
    }
}

impl Engine {
    /// The shared secret of each row, on this thread, without allocating: those of
    /// [`StaticSecret::agree`], and `None` where that is an error, because the public key has small order.
    /// Constant time but for the number of rows. Needs 64 KiB of stack in lanes, 24 KiB in the portable
    /// backend.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `secrets` or `shared` is not as long as `publics`; `shared` is then untouched.
    ///
    /// ```
    /// use sigmill::bulk::{Engine, StaticSecrets};
    /// use sigmill::x25519::{PublicKey, StaticSecret};
    ///
    /// let server = StaticSecret::from([1; 32]);
    /// let client = StaticSecret::from([2; 32]);
    /// let publics = [PublicKey::from(&client), PublicKey::from([0; 32])];
    /// let mut shared = [const { None }; 2];
    /// Engine::new().x25519_into(StaticSecrets::One(&server), &publics, &mut shared)?;
    /// assert_eq!(shared[0], client.agree(&PublicKey::from(&server)).ok());
    /// assert_eq!(shared[1], None);
    /// # Ok::<(), sigmill::bulk::BulkError>(())
    /// ```
    pub fn x25519_into(
        &self,
        secrets: StaticSecrets<'_>,
        publics: &[PublicKey],
        shared: &mut [Option<SharedSecret>],
    ) -> Result<(), BulkError> {
        check_rows("buffer for the shared secrets", publics.len(), shared.len())?;
        secrets.check(publics.len())?;
        lanes::agree(self.backend(), |row| secrets.row(publics, row), shared);
        Ok(())
    }

    /// The shared secrets of [`Engine::x25519_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there; nothing is computed then.
    #[cfg(feature = "rayon")]
    pub fn x25519_parallel(
        &self,
        secrets: StaticSecrets<'_>,
        publics: &[PublicKey],
    ) -> Result<alloc::vec::Vec<Option<SharedSecret>>, BulkError> {
        secrets.check(publics.len())?;
        let mut shared: alloc::vec::Vec<_> = publics.iter().map(|_| None).collect();
        in_parallel(&mut shared, |first, shared| {
            lanes::agree(self.backend(), |row| secrets.row(publics, first + row), shared);
        });
        Ok(shared)
    }

    /// The public key of every secret, on this thread, without allocating: those of `PublicKey::from`.
    /// Constant time but for the number of rows. Needs 64 KiB of stack in lanes, 24 KiB in the portable
    /// backend.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `publics` is not as long as `secrets`; `publics` are then untouched.
    pub fn x25519_public_keys_into(
        &self,
        secrets: &[StaticSecret],
        publics: &mut [PublicKey],
    ) -> Result<(), BulkError> {
        check_rows("public key buffer", secrets.len(), publics.len())?;
        lanes::public_keys(self.backend(), secrets, publics);
        Ok(())
    }

    /// The public keys of [`Engine::x25519_public_keys_into`], on all threads of the current rayon pool.
    #[cfg(feature = "rayon")]
    pub fn x25519_public_keys_parallel(
        &self,
        secrets: &[StaticSecret],
    ) -> alloc::vec::Vec<PublicKey> {
        let mut publics = alloc::vec![PublicKey::from([0; 32]); secrets.len()];
        in_parallel(&mut publics, |first, publics| {
            let secrets = &secrets[first..first + publics.len()];
            lanes::public_keys(self.backend(), secrets, publics);
        });
        publics
    }
}
