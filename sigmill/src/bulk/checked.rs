//! Signatures that are given out only after checks.

use super::column::Column;
use super::error::BulkError;
use super::results::{Outcome, Report, places};
use super::signing_keys::SigningKeys;
use super::specs::{Spec, Specs};
use super::table::Table;
use crate::error::Verdict;
use alloc::vec::Vec;
use zeroize::{Zeroize, Zeroizing};

/// Signatures of all rows, made twice and then verified, for `sign_checked_into` and its kin, because a faulty
/// signature gives its key away. Both times they lie in memory of this function, which is wiped.
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

impl<K, P: AsRef<[u8]>, S: Copy + Eq + AsRef<[u8]> + Zeroize> Checked<'_, K, P, S> {
    /// `sign` and `verify` do that on one thread or many.
    pub(super) fn run(
        &self,
        mut sign: impl FnMut(&mut [S]) -> Result<(), BulkError>,
        verify: impl FnOnce(&Table<'_>) -> Result<(Vec<Outcome>, Report), BulkError>,
    ) -> Result<Zeroizing<Vec<S>>, BulkError> {
        let place = || places(self.nothing, self.messages.len()).map(Zeroizing::new);
        let (mut signatures, mut again) = (place()?, place()?);
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
        let slices = || places::<&[u8]>(&[], self.messages.len());
        let (mut public_slices, mut signature_slices) = (slices()?, slices()?);
        // one key for all rows, or one for each
        for (slice, public) in public_slices.iter_mut().zip(publics.iter().cycle()) {
            *slice = public.as_ref();
        }
        for (slice, signature) in signature_slices.iter_mut().zip(&*signatures) {
            *slice = signature.as_ref();
        }
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
