//! Many signatures in one call, in dalek's form: slices of messages, signatures and keys. The engine of
//! `bulk` verifies them; this file stands above it.
//!
//! Public inputs only: time depends on them.

use super::{Rule, Signature, SignatureError, Variant, VerifyingKey, rules};
use crate::bulk::{Column, Engine, Spec, Specs, Table};
use crate::error::{Error, Verdict};
use alloc::vec::Vec;

/// Verifies pure Ed25519 signatures under the rule `common`: row i is `messages[i]`,
/// `signatures[i]`, `verifying_keys[i]`. The verdict of a row never depends on the others, and an
/// empty batch is valid.
///
/// # Errors
/// [`Error::BatchLength`] if the slices differ in length, else the [`Reason`](crate::Reason) of the
/// first row that the rule refuses; either as the error's source.
///
/// # Examples
/// ```
/// use sigmill::ed25519::{Signer, SigningKey, verify_batch};
///
/// let keys = [1, 2].map(|n| SigningKey::from_bytes(&[n; 32]));
/// let messages: [&[u8]; 2] = [b"one", b"two"];
/// let signatures = [keys[0].sign(messages[0]), keys[1].sign(messages[1])];
/// let publics = keys.map(|key| key.verifying_key());
/// assert!(verify_batch(&messages, &signatures, &publics).is_ok());
/// ```
pub fn verify_batch(
    messages: &[&[u8]],
    signatures: &[Signature],
    verifying_keys: &[VerifyingKey],
) -> Result<(), SignatureError> {
    let verdicts =
        verify_batch_with(&rules::COMMON, Variant::Pure, messages, signatures, verifying_keys)?;
    Ok(verdicts.into_iter().try_for_each(Verdict::ok)?)
}

/// Verifies signatures of one variant under a named rule and gives each row's verdict, the one of
/// [`VerifyingKey::verify_with`].
///
/// # Errors
/// [`Error::BatchLength`] if the slices differ in length.
///
/// # Examples
/// ```
/// use sigmill::ed25519::{Signer, SigningKey, Variant, rules, verify_batch_with};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let signature = key.sign(b"one");
/// let publics = [key.verifying_key(); 2];
/// let verdicts =
///     verify_batch_with(&rules::ZIP215, Variant::Pure, &[b"one", b"two"], &[signature; 2], &publics)?;
/// assert!(verdicts[0].is_valid() && !verdicts[1].is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
pub fn verify_batch_with(
    rule: &Rule,
    variant: Variant<'_>,
    messages: &[&[u8]],
    signatures: &[Signature],
    verifying_keys: &[VerifyingKey],
) -> Result<Vec<Verdict>, Error> {
    check_lengths(messages, signatures, verifying_keys)?;
    if let ([message], [signature], [key]) = (messages, signatures, verifying_keys) {
        return Ok(alloc::vec![key.verify_with(rule, variant, message, signature)]);
    }
    let keys: Vec<&[u8]> = verifying_keys.iter().map(|key| key.as_bytes().as_slice()).collect();
    let signatures: Vec<[u8; 64]> = signatures.iter().map(Signature::to_bytes).collect();
    let signatures: Vec<&[u8]> = signatures.iter().map(<[u8; 64]>::as_slice).collect();
    let spec = Specs::Same(Spec::ed25519(rule, variant));
    let [keys, messages, signatures] = [&keys, messages, &signatures].map(Column::slices);
    let table = Table::new(keys, messages, signatures, spec);
    // the columns have one length and the specs are the same for all: only randomness can fail
    let (outcomes, _) =
        table.and_then(|table| Engine::new().verify(&table)).map_err(|_| Error::Randomness)?;
    // no column has nulls
    Ok(outcomes.into_iter().flatten().collect())
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
