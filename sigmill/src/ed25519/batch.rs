//! Many signatures in one call, with keys that are parsed already. Columns of bytes are the matter
//! of `bulk`.
//!
//! Public inputs only: time depends on them. Reach: own `verifying`, `rules`, `variant`.

use super::{Rule, Signature, SignatureError, Variant, VerifyingKey, rules};
use crate::error::{Error, Verdict};
use alloc::vec::Vec;

/// Verifies pure Ed25519 signatures under the rule `common`: row i is `messages[i]`,
/// `signatures[i]`, `verifying_keys[i]`. The verdict of a row never depends on the others, and an
/// empty batch is valid.
///
/// # Errors
/// [`Error::BatchLength`] if the slices differ in length, else the [`Reason`](crate::Reason) of the
/// first row that the rule refuses; either as the error's source.
pub fn verify_batch(
    messages: &[&[u8]],
    signatures: &[Signature],
    verifying_keys: &[VerifyingKey],
) -> Result<(), SignatureError> {
    check_lengths(messages, signatures, verifying_keys)?;
    for ((message, signature), key) in messages.iter().zip(signatures).zip(verifying_keys) {
        key.verify_with(&rules::COMMON, Variant::Pure, message, signature).ok()?;
    }
    Ok(())
}

/// Verifies signatures of one variant under a named rule and gives each row's verdict, the one of
/// [`VerifyingKey::verify_with`].
///
/// # Errors
/// [`Error::BatchLength`] if the slices differ in length.
pub fn verify_batch_with(
    rule: &Rule,
    variant: Variant<'_>,
    messages: &[&[u8]],
    signatures: &[Signature],
    verifying_keys: &[VerifyingKey],
) -> Result<Vec<Verdict>, Error> {
    check_lengths(messages, signatures, verifying_keys)?;
    let rows = messages.iter().zip(signatures).zip(verifying_keys);
    Ok(rows.map(|((m, signature), key)| key.verify_with(rule, variant, m, signature)).collect())
}

fn check_lengths(
    messages: &[&[u8]],
    signatures: &[Signature],
    keys: &[VerifyingKey],
) -> Result<(), Error> {
    let (messages, signatures, keys) = (messages.len(), signatures.len(), keys.len());
    if messages == signatures && signatures == keys {
        Ok(())
    } else {
        Err(Error::BatchLength { messages, signatures, keys })
    }
}
