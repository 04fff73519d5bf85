//! ECDSA signing and key generation by the column.
//!
//! Secrets pass through to `ecdsa` and are not looked at here.

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
use crate::ecdsa::{CurveKey, Prehash};
#[cfg(feature = "alloc")]
use crate::ecdsa::{Encoding, LowS, Scheme};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

fn check<K>(
    keys: &SigningKeys<'_, K>,
    prehash: Prehash,
    messages: &Column<'_>,
) -> Result<(), BulkError> {
    keys.check(messages)?;
    if prehash == Prehash::None
        && let Some(row) = (0..messages.len()).find(|row| messages.get(*row) == Some(&[]))
    {
        return Err(BulkError::EmptyDigest { row });
    }
    Ok(())
}

impl Engine {
    /// Signs every message with ECDSA, on this thread, without allocating; a message is the digest itself
    /// with [`Prehash::None`]. Signatures are r ‖ s, and each is the one that `sign_with_hash`, or else
    /// `sign_digest_bytes`, of its key gives (RFC 6979). Constant time but for the number of rows and the lengths
    /// of messages. Needs 64 KiB of stack.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `keys` or `signatures` is not as long as `messages`;
    /// [`BulkError::NullMessage`] if a message is null, [`BulkError::EmptyDigest`] if a digest is
    /// empty. `signatures` are then untouched.
    ///
    /// ```
    /// use sigmill::bulk::{Column, Engine, SigningKeys};
    /// use sigmill::ecdsa::{Prehash, p256::SigningKey};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32])?;
    /// let messages = Column::binary(&[0, 3, 6], b"onetwo", None)?;
    /// let mut signatures = [[0; 64]; 2];
    /// Engine::new().sign_ecdsa_into(
    ///     SigningKeys::One(&key),
    ///     Prehash::Sha256,
    ///     &messages,
    ///     &mut signatures,
    /// )?;
    /// assert_eq!(signatures[1], key.sign_message(b"two").to_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sign_ecdsa_into<K: CurveKey>(
        &self,
        keys: SigningKeys<'_, K>,
        prehash: Prehash,
        messages: &Column<'_>,
        signatures: &mut [K::Signature],
    ) -> Result<(), BulkError> {
        check_rows("signature buffer", messages.len(), signatures.len())?;
        check(&keys, prehash, messages)?;
        K::sign(self.backend(), prehash, |row| keys.row(messages, row), signatures);
        Ok(())
    }

    /// Signs as [`Engine::sign_ecdsa_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there, and [`BulkError::Memory`]; nothing is signed then.
    #[cfg(feature = "rayon")]
    pub fn sign_ecdsa_parallel<K: CurveKey>(
        &self,
        keys: SigningKeys<'_, K>,
        prehash: Prehash,
        messages: &Column<'_>,
    ) -> Result<Vec<K::Signature>, BulkError> {
        let mut signatures = places(K::NO_SIGNATURE, messages.len())?;
        check(&keys, prehash, messages)?;
        in_parallel(&mut signatures, |first, signatures| {
            let row = |row: usize| keys.row(messages, first + row);
            K::sign(self.backend(), prehash, row, signatures);
        });
        Ok(signatures)
    }

    #[cfg(feature = "alloc")]
    fn checked_ecdsa<'a, K: CurveKey>(
        keys: SigningKeys<'a, K>,
        prehash: Prehash,
        messages: &'a Column<'a>,
    ) -> Checked<'a, K, K::Public, K::Signature> {
        let (encoding, low_s) = (Encoding::Fixed, LowS::Any);
        let spec = Spec::Ecdsa(Scheme { curve: K::CURVE, prehash, encoding, low_s });
        Checked { keys, public: K::public_key, messages, spec, nothing: K::NO_SIGNATURE }
    }

    /// Signs as [`Engine::sign_ecdsa_into`], and gives the signatures out only after the checks of
    /// `sign_checked` of a key, so that a fault in memory or in the CPU while signing does not publish
    /// something that gives a key away: every message is signed twice, with the same signature, which
    /// verifies, in bulk, with the public key decoded and the message hashed again.
    ///
    /// # Errors
    /// Those of [`Engine::sign_ecdsa_into`]; [`BulkError::Fault`] with the first row that fails a check.
    /// `signatures` are then untouched, and the made ones are wiped.
    ///
    /// ```
    /// use sigmill::bulk::{Column, Engine, SigningKeys};
    /// use sigmill::ecdsa::{Prehash, p256::SigningKey};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32])?;
    /// let messages = Column::binary(&[0, 3, 6], b"onetwo", None)?;
    /// let mut signatures = [[0; 64]; 2];
    /// Engine::new().sign_ecdsa_checked_into(
    ///     SigningKeys::One(&key),
    ///     Prehash::Sha256,
    ///     &messages,
    ///     &mut signatures,
    /// )?;
    /// assert_eq!(signatures[1], key.sign_message(b"two").to_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn sign_ecdsa_checked_into<K: CurveKey>(
        &self,
        keys: SigningKeys<'_, K>,
        prehash: Prehash,
        messages: &Column<'_>,
        signatures: &mut [K::Signature],
    ) -> Result<(), BulkError> {
        check_rows("signature buffer", messages.len(), signatures.len())?;
        let sign = |made: &mut [_]| self.sign_ecdsa_into(keys, prehash, messages, made);
        let checked = Self::checked_ecdsa(keys, prehash, messages);
        signatures.copy_from_slice(&checked.run(sign, |table| self.verify(table))?);
        Ok(())
    }

    /// Signs as [`Engine::sign_ecdsa_checked_into`], on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As there; nothing of the signatures is returned then.
    #[cfg(feature = "rayon")]
    pub fn sign_ecdsa_checked_parallel<K: CurveKey>(
        &self,
        keys: SigningKeys<'_, K>,
        prehash: Prehash,
        messages: &Column<'_>,
    ) -> Result<Vec<K::Signature>, BulkError> {
        let sign = |made: &mut [_]| {
            check(&keys, prehash, messages)?;
            in_parallel(made, |first, made| {
                let row = |row: usize| keys.row(messages, first + row);
                K::sign(self.backend(), prehash, row, made);
            });
            Ok(())
        };
        let checked = Self::checked_ecdsa(keys, prehash, messages);
        let mut made = checked.run(sign, |table| self.verify_parallel(table))?;
        Ok(core::mem::take(&mut *made))
    }

    /// The public key of every secret key of a curve, an integer from 1 to n − 1, big-endian, as an
    /// uncompressed SEC1 point, on this thread, without allocating. Constant time but for the number of
    /// rows. Needs 64 KiB of stack.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `publics` is not as long as `secrets`,
    /// [`BulkError::SecretOutOfRange`] if a secret key is not such an integer; `publics` are then untouched.
    ///
    /// ```
    /// use sigmill::bulk::Engine;
    /// use sigmill::ecdsa::p256::SigningKey;
    ///
    /// let secrets = [[1; 32], [2; 32]];
    /// let mut publics = [[0; 65]; 2];
    /// Engine::new().ecdsa_public_keys_into::<SigningKey>(&secrets, &mut publics)?;
    /// let second = SigningKey::from_bytes(&secrets[1])?;
    /// assert_eq!(publics[1], second.verifying_key().to_sec1_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ecdsa_public_keys_into<K: CurveKey>(
        &self,
        secrets: &[K::Secret],
        publics: &mut [K::Public],
    ) -> Result<(), BulkError> {
        check_rows("public key buffer", secrets.len(), publics.len())?;
        K::public_keys(self.backend(), secrets, publics)
            .map_err(|row| BulkError::SecretOutOfRange { row })
    }

    /// The key of every secret key of a curve, on this thread. Constant time but for the number of rows.
    ///
    /// # Errors
    /// [`BulkError::SecretOutOfRange`] if a secret key is not from 1 to n − 1.
    #[cfg(feature = "alloc")]
    pub fn ecdsa_signing_keys<K: CurveKey>(
        &self,
        secrets: &[K::Secret],
    ) -> Result<Vec<K>, BulkError> {
        K::signing_keys(self.backend(), secrets).map_err(|row| BulkError::SecretOutOfRange { row })
    }
}
