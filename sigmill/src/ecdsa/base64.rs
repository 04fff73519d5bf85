//! Signatures and public keys as text in base64 (RFC 4648 section 4, padded, one text for each value).
//!
//! Public data only: time depends on it.

use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::types::{Signature, VerifyingKey};
use crate::error::Error;
use alloc::string::String;
use base64ct::{Base64, Encoding};

/// Decodes into the beginning of `place`.
fn decode<'a>(what: &'static str, text: &str, place: &'a mut [u8]) -> Result<&'a [u8], Error> {
    use base64ct::Error::{InvalidEncoding, InvalidLength};
    let expected = place.len();
    Base64::decode(text, place).map_err(|error| match error {
        InvalidEncoding => Error::Base64,
        // three bytes for four characters: a text that is no multiple of four was no encoding
        InvalidLength => Error::Length { what, expected, got: text.len() / 4 * 3 },
    })
}

impl<C: EcdsaCurve> Signature<C> {
    /// r ‖ s in base64 (RFC 4648 section 4).
    pub fn encode_base64(&self) -> String {
        Base64::encode_string(self.as_ref())
    }

    /// From r ‖ s in base64, padded, without spaces and line breaks.
    ///
    /// # Errors
    /// [`Error::Base64`] if the text is not base64; those of [`Self::from_slice`].
    pub fn decode_base64(text: &str) -> Result<Self, Error> {
        let mut place = C::SignatureBytes::ZERO;
        Self::from_slice(decode("signature", text, place.as_mut())?)
    }
}

impl<C: EcdsaCurve> VerifyingKey<C> {
    /// The compressed SEC1 bytes in base64 (RFC 4648 section 4).
    pub fn encode_base64(&self) -> String {
        Base64::encode_string(self.to_sec1_compressed().as_ref())
    }

    /// From SEC1 bytes, compressed or not, in base64, padded, without spaces and line breaks.
    ///
    /// # Errors
    /// [`Error::Base64`] if the text is not base64; those of [`Self::from_sec1_bytes`].
    pub fn decode_base64(text: &str) -> Result<Self, Error> {
        let mut place = C::UncompressedPoint::ZERO;
        Self::from_sec1_bytes(decode("public key", text, place.as_mut())?)
    }
}
