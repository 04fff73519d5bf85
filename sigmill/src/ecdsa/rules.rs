//! The decision: facts about a signature and the caller's policy give the verdict. Nothing else in
//! `ecdsa` names a verdict or a reason; `tests/house/layers.rs` sees to it.
//!
//! Whatever the policy: the key is a point other than infinity, 1 ≤ r, s < n, and the equation holds (FIPS
//! 186-5 section 6.4.2).

use crate::error::{Reason, Verdict};

/// The s that a verifier accepts. (r, s) and (r, n − s) are both signatures of a message, and whoever sees
/// one can write down the other: it matters where signatures serve as names. Certificates and
/// attestations have either.
///
/// ```
/// use sigmill::Reason;
/// use sigmill::ecdsa::{LowS, p256::SigningKey};
///
/// let key = SigningKey::from_bytes(&[3; 32])?;
/// let messages: [&[u8]; 8] = [b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"];
/// let (message, high) = messages
///     .iter()
///     .map(|message| (message, key.sign_message(message)))
///     .find(|(_, signature)| !signature.is_low_s())
///     .expect("one s of two is high");
/// let public = key.verifying_key();
/// assert!(public.verify_with(LowS::Any, message, &high).is_valid());
/// assert_eq!(public.verify_with(LowS::Required, message, &high).ok(), Err(Reason::SHigh));
/// assert!(public.verify_with(LowS::Required, message, &high.normalize_s()).is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LowS {
    /// Any s from 1 to n − 1 (FIPS 186-5).
    #[default]
    Any,
    /// s up to (n − 1)/2 only.
    Required,
}

/// Why bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyFault {
    /// A form of SEC1 with another number of bytes, or no form with as many bytes as none has.
    Length,
    /// No accepted form of SEC1, or no point with these coordinates.
    NotAPoint,
}

/// Why bytes are no r and s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignatureFault {
    /// r ‖ s has another number of bytes.
    Length,
    /// Not the strict DER of two integers of the curve's width.
    Der,
}

/// A key and a signature as they were read, or the verdict where one of them could not be: this comes
/// before all that [`decide`] looks at. Lengths come first, then encodings, the key before the signature.
pub(super) fn of_bytes<K, S>(
    key: Result<K, KeyFault>,
    signature: Result<S, SignatureFault>,
) -> Result<(K, S), Verdict> {
    let refused = match (key, signature) {
        (Ok(key), Ok(signature)) => return Ok((key, signature)),
        (Err(KeyFault::Length), _) => Reason::KeyLength,
        (_, Err(SignatureFault::Length)) => Reason::SignatureLength,
        (Err(KeyFault::NotAPoint), _) => Reason::KeyNotAPoint,
        (_, Err(SignatureFault::Der)) => Reason::SignatureDer,
    };
    Err(Verdict::Invalid(refused))
}

/// The facts that verification has found.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) digest_empty: bool,
    pub(super) r_in_range: bool,
    pub(super) s_in_range: bool,
    pub(super) s_low: bool,
    pub(super) equation: bool,
}

/// The first of the reasons that apply.
pub(super) fn decide(low_s: LowS, facts: &Facts) -> Verdict {
    let refusals = [
        (facts.digest_empty, Reason::DigestEmpty),
        (!facts.r_in_range, Reason::ROutOfRange),
        (!facts.s_in_range, Reason::SOutOfRange),
        (low_s == LowS::Required && !facts.s_low, Reason::SHigh),
        (!facts.equation, Reason::Equation),
    ];
    match refusals.iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => Verdict::Invalid(*reason),
        None => Verdict::Valid,
    }
}

/// The verdict where it does not hang on the equation.
// for verification in lanes, which allocates
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
pub(super) fn refusal_without_equation(low_s: LowS, facts: &Facts) -> Option<Verdict> {
    let verdict = decide(low_s, &Facts { equation: true, ..*facts });
    (!verdict.is_valid()).then_some(verdict)
}

#[cfg(test)]
mod tests;
