//! Tables: three columns and the specs of their rows.

use super::column::Column;
use super::error::BulkError;
use super::failure_rate::FailureRate;
use super::results::check_rows;
use super::specs::Specs;
use crate::ed25519::many::rows::Rate;

/// Rows to verify: three columns of bytes, and the specs of the rows.
///
/// ```
/// use sigmill::bulk::{Column, Spec, Specs, Table};
/// # use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
/// # let key = SigningKey::from_bytes(&[7; 32]);
/// # let (public, signatures) = (key.verifying_key().to_bytes(), [key.sign(b"one").to_bytes(), key.sign(b"two").to_bytes()]);
/// # let (publics, messages): (_, [&[u8]; 2]) = ([&public[..]; 2], [b"one", b"two"]);
/// # let signatures: [&[u8]; 2] = [&signatures[0], &signatures[1]];
///
/// let spec = Spec::ed25519(&rules::COMMON, Variant::Pure);
/// let table = Table::new(
///     Column::slices(&publics),
///     Column::slices(&messages),
///     Column::slices(&signatures),
///     Specs::Same(spec),
/// )?;
/// assert_eq!(table.len(), 2);
/// # #[cfg(feature = "alloc")]
/// assert!(sigmill::bulk::verify(&table)?.iter().all(|row| row.is_some_and(|row| row.is_valid())));
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    pub(super) keys: Column<'a>,
    pub(super) messages: Column<'a>,
    pub(super) signatures: Column<'a>,
    pub(super) specs: Specs<'a>,
    pub(super) rate: Option<&'a FailureRate>,
}

impl<'a> Table<'a> {
    /// Puts columns together.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if they differ in length, [`BulkError::Index`] if a row names a spec
    /// that does not exist.
    pub fn new(
        keys: Column<'a>,
        messages: Column<'a>,
        signatures: Column<'a>,
        specs: Specs<'a>,
    ) -> Result<Self, BulkError> {
        let expected = keys.len();
        check_rows("message column", expected, messages.len())?;
        check_rows("signature column", expected, signatures.len())?;
        specs.check(expected)?;
        Ok(Table { keys, messages, signatures, specs, rate: None })
    }

    /// Lets every verification of these rows begin with what others have learnt of the table, and tell what it has learnt.
    pub const fn with_failure_rate(self, rate: &'a FailureRate) -> Self {
        Table { rate: Some(rate), ..self }
    }

    /// The rate to begin with.
    pub(super) fn known_rate(&self) -> Rate {
        self.rate.map_or(Rate::UNKNOWN, FailureRate::get)
    }

    /// Tells others the rate.
    pub(super) fn tell_rate(&self, rate: Rate) {
        if let Some(shared) = self.rate {
            shared.set(rate);
        }
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
