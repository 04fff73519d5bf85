//! Signatures that are given out only after checks, against faults while signing.
//!
//! Secrets: as in `signing`.

use super::stream::{StreamSigner, StreamVerifier};
use super::variant::Variant;
use super::{Signature, SigningKey, VerifyingKey, rules};
use crate::ct;
use crate::error::Error;

impl SigningKey {
    /// Signs, and gives the signature out only after these checks, so that a fault in memory or in
    /// the CPU while signing does not publish something that gives the key away: the message was
    /// the same in both passes over it, and the signature verifies under the rule `common`, with
    /// the public key decoded again and the message hashed a third time. Takes about four times as
    /// long as [`SigningKey::sign_with`].
    ///
    /// With `noise`, the nonce is hedged as in [`SigningKey::sign_hedged`].
    ///
    /// The checks are for faults. Memory that other code writes to may differ between two reads of one pass, which they
    /// do not see: [`SigningKey::sign_shared_checked`] does.
    ///
    /// # Errors
    /// [`Error::MessageChanged`] or [`Error::Fault`]; nothing of the signature is returned.
    pub fn sign_checked(
        &self,
        variant: Variant<'_>,
        noise: Option<&[u8; 32]>,
        message: &[u8],
    ) -> Result<Signature, Error> {
        self.sign_checked_reading(variant, noise, || message)
    }

    /// `read` gives the message for each of the three passes.
    pub(super) fn sign_checked_reading<'m>(
        &self,
        variant: Variant<'_>,
        noise: Option<&[u8; 32]>,
        read: impl Fn() -> &'m [u8],
    ) -> Result<Signature, Error> {
        self.sign_checked_passes(variant, noise, |take| take(read()))
    }

    /// `pass` gives the pieces of the message, three times.
    pub(super) fn sign_checked_passes(
        &self,
        variant: Variant<'_>,
        noise: Option<&[u8; 32]>,
        pass: impl Fn(&mut dyn FnMut(&[u8])),
    ) -> Result<Signature, Error> {
        let signature = self.sign_in_passes(variant, noise, pass);
        // a signature that is refused lies in the frames of its verification, too
        ct::wipe_stack(ct::StackUse::Single);
        signature
    }

    /// The caller wipes the stack, this function's frame included: the passes move their states.
    #[inline(never)]
    fn sign_in_passes(
        &self,
        variant: Variant<'_>,
        noise: Option<&[u8; 32]>,
        pass: impl Fn(&mut dyn FnMut(&[u8])),
    ) -> Result<Signature, Error> {
        let mut first = match noise {
            Some(noise) => StreamSigner::hedged(self, variant, noise),
            None => StreamSigner::new(self, variant),
        };
        pass(&mut |piece| first.update(piece));
        let mut second = first.second_pass();
        pass(&mut |piece| second.update(piece));
        let signature = second.finish()?;
        let public_key =
            VerifyingKey::decode(&self.verifying_key.bytes).map_err(|_| Error::Fault)?;
        let mut verifier = StreamVerifier::new(&rules::COMMON, variant, &public_key, &signature);
        pass(&mut |piece| verifier.update(piece));
        if verifier.finish().is_valid() { Ok(signature) } else { Err(Error::Fault) }
    }
}

#[cfg(test)]
mod tests;
