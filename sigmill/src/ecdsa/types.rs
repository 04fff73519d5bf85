//! Keys and signatures, the same for each curve but for lengths.
//!
//! Secrets: wiped when dropped, and each public function wipes the stack of the computation below it.

use super::curves::{ByteArray, EcdsaCurve};
use super::rules::{KeyFault, LowS, SignatureFault, of_bytes};
use super::sign;
use super::{BlockSizeUser, Digest, KeypairRef, PrehashSigner, PrehashVerifier, Signer, Verifier};
use crate::ct;
use crate::curve::weierstrass::Affine;
use crate::encoding::{hex, signature_der};
use crate::error::{Error, Verdict};
use crate::modular::{Arithmetic, PrimeField};
use crate::random::generate;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::hint::black_box;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

type SignatureError = signature::Error;

/// Takes bytes of one exact length.
pub(super) fn exactly<'a, B: ByteArray>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<&'a B, Error> {
    B::of(bytes).ok_or(Error::Length { what, expected: B::LEN, got: bytes.len() })
}

/// A signature with 1 ≤ r, s < n.
///
/// ```
/// use sigmill::ecdsa::p256::{SigningKey, Signature};
///
/// # use sigmill::ecdsa::p256::FIELD_LENGTH;
/// # let signed = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
/// # let der = signed.to_der();
/// let signature = Signature::from_der(der.as_bytes())?; // as certificates, TLS and OpenSSL have it
/// assert_eq!(Signature::from_slice(&signature.to_bytes())?, signature); // r ‖ s, as JOSE and WebCrypto do
/// assert!(signature.normalize_s().is_low_s());
/// # assert_eq!(signature, signed);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature<C: EcdsaCurve>(C::SignatureBytes);

impl<C: EcdsaCurve> Signature<C> {
    /// From r ‖ s, both big-endian.
    ///
    /// # Errors
    /// [`Error::ScalarOutOfRange`] if r or s is 0 or not below n.
    pub fn from_bytes(bytes: &C::SignatureBytes) -> Result<Self, Error> {
        let signature = Signature(*bytes);
        let (r, s) = signature.halves();
        for (what, scalar) in [("r of the signature", r), ("s of the signature", s)] {
            let (_, in_range) = C::scalar_in_range(scalar);
            if !in_range.is_true_vartime() {
                return Err(Error::ScalarOutOfRange { what });
            }
        }
        Ok(signature)
    }

    /// From r ‖ s in a slice, and from nothing else: DER is not guessed.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes; those of
    /// [`Signature::from_bytes`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(exactly("signature", bytes)?)
    }

    /// From DER (RFC 3279 section 2.2.3), strictly: each signature has one encoding.
    ///
    /// # Errors
    /// [`Error::SignatureDer`] if the bytes are not such an encoding; those of
    /// [`Signature::from_bytes`].
    pub fn from_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(&Self::bytes_from_der(bytes)?)
    }

    /// r ‖ s of a signature in DER, strictly. Whether they are in range is left to the
    /// verdict.
    ///
    /// # Errors
    /// [`Error::SignatureDer`] if the bytes are not such an encoding.
    pub fn bytes_from_der(bytes: &[u8]) -> Result<C::SignatureBytes, Error> {
        let mut signature = C::SignatureBytes::ZERO;
        let (r, s) = signature.as_mut().split_at_mut(C::WIDTH);
        signature_der::parse(bytes, r, s).map_err(Error::SignatureDer)?;
        Ok(signature)
    }

    /// From r and s, both big-endian: arrays, or what becomes one.
    ///
    /// # Errors
    /// Those of [`Signature::from_bytes`].
    pub fn from_scalars(
        r: impl Into<C::FieldBytes>,
        s: impl Into<C::FieldBytes>,
    ) -> Result<Self, Error> {
        let mut bytes = C::SignatureBytes::ZERO;
        let (r_place, s_place) = bytes.as_mut().split_at_mut(C::WIDTH);
        r_place.copy_from_slice(r.into().as_ref());
        s_place.copy_from_slice(s.into().as_ref());
        Self::from_bytes(&bytes)
    }

    /// r ‖ s, both big-endian.
    pub const fn to_bytes(&self) -> C::SignatureBytes {
        self.0
    }

    /// r and s, both big-endian.
    pub fn split_bytes(&self) -> (C::FieldBytes, C::FieldBytes) {
        let (mut r, mut s) = (C::FieldBytes::ZERO, C::FieldBytes::ZERO);
        r.as_mut().copy_from_slice(self.halves().0);
        s.as_mut().copy_from_slice(self.halves().1);
        (r, s)
    }

    fn halves(&self) -> (&[u8], &[u8]) {
        self.0.as_ref().split_at(C::WIDTH)
    }

    /// The signature in DER.
    pub fn to_der(&self) -> DerSignature<C> {
        let mut der = DerSignature::<C> { bytes: C::DerBytes::ZERO, len: 0 };
        let (r, s) = self.halves();
        // the memory is as long as the longest encoding
        der.len = signature_der::write(r, s, der.bytes.as_mut()).unwrap_or(0);
        der
    }

    /// Whether s is at most (n − 1)/2.
    pub fn is_low_s(&self) -> bool {
        self.normalize_s() == *self
    }

    /// The signature with the lower of s and n − s: valid where this one is.
    #[must_use]
    pub fn normalize_s(&self) -> Self {
        let mut normal = *self;
        C::lower(&mut normal.0.as_mut()[C::WIDTH..]);
        normal
    }
}

impl<C: EcdsaCurve> AsRef<[u8]> for Signature<C> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<C: EcdsaCurve> TryFrom<&[u8]> for Signature<C> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_slice(bytes)
    }
}

impl<C: EcdsaCurve> fmt::Display for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl<C: EcdsaCurve> fmt::LowerHex for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(self.as_ref(), f)
    }
}

impl<C: EcdsaCurve> fmt::UpperHex for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<C: EcdsaCurve> fmt::Debug for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

/// A signature in DER, with 1 ≤ r, s < n.
///
/// ```
/// use sigmill::ecdsa::p384::{DerSignature, FIELD_LENGTH, SigningKey};
///
/// let signature = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
/// let der = DerSignature::from_bytes(signature.to_der().as_bytes())?;
/// assert_eq!(der.as_bytes()[0], 0x30); // SEQUENCE
/// # assert_eq!(der, signature.to_der());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DerSignature<C: EcdsaCurve> {
    bytes: C::DerBytes,
    len: usize,
}

impl<C: EcdsaCurve> DerSignature<C> {
    /// The encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes.as_ref()[..self.len]
    }
}

impl<C: EcdsaCurve> AsRef<[u8]> for DerSignature<C> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<C: EcdsaCurve> fmt::Debug for DerSignature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DerSignature(")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        write!(f, ")")
    }
}

/// A public key: a point of the curve other than infinity.
///
/// ```
/// use sigmill::ecdsa::{LowS, Verifier};
/// use sigmill::ecdsa::p256::{Signature, VerifyingKey};
///
/// # let secret = sigmill::ecdsa::p256::SigningKey::from_slice(&[7; 32])?;
/// # let (sec1, der) = (secret.verifying_key().to_sec1_compressed(), secret.sign_message(b"hello").to_der());
/// # let der = der.as_bytes();
/// let key = VerifyingKey::from_sec1_bytes(&sec1)?; // compressed or not
/// let signature = Signature::from_der(der)?;
/// assert!(key.verify(b"hello", &signature).is_ok());
/// assert!(!key.verify_with(LowS::Any, b"hullo", &signature).is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct VerifyingKey<C: EcdsaCurve>(pub(in crate::ecdsa) Affine<C::Fe>);

impl<C: EcdsaCurve> VerifyingKey<C> {
    /// From SEC1 bytes, uncompressed (a 4, x and y) or compressed (2 or 3, and x). Time
    /// depends on the bytes.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes, which infinity has, too; [`Error::NotAPoint`] if it
    /// is not on the curve, or in the hybrid form.
    pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
        C::point_of_sec1(bytes).map(VerifyingKey).map_err(|fault| match (fault, bytes.first()) {
            (KeyFault::Length, first) => {
                let expected = match first {
                    Some(2 | 3) => C::CompressedPoint::LEN,
                    _ => C::UncompressedPoint::LEN,
                };
                Error::Length { what: "public key", expected, got: bytes.len() }
            }
            (KeyFault::NotAPoint, _) => Error::NotAPoint,
        })
    }

    pub(crate) const fn point(&self) -> &Affine<C::Fe> {
        &self.0
    }

    /// SEC1 bytes, uncompressed: 4, x and y, big-endian.
    pub fn to_sec1_bytes(&self) -> C::UncompressedPoint {
        let mut bytes = C::UncompressedPoint::ZERO;
        let (tag, coordinates) = bytes.as_mut().split_at_mut(1);
        let (x, y) = coordinates.split_at_mut(C::WIDTH);
        tag[0] = 4;
        self.0.x.write_be_bytes(x);
        self.0.y.write_be_bytes(y);
        bytes
    }

    /// SEC1 bytes, compressed: 2 for an even y or 3 for an odd one, and x, big-endian.
    pub fn to_sec1_compressed(&self) -> C::CompressedPoint {
        let mut bytes = C::CompressedPoint::ZERO;
        let (tag, x) = bytes.as_mut().split_at_mut(1);
        tag[0] = 2 + u8::from(self.0.y.is_odd().is_true_vartime());
        self.0.x.write_be_bytes(x);
        bytes
    }

    /// Verifies a signature of a message hashed with the curve's own hash function. Time depends on the inputs.
    pub fn verify_with(&self, low_s: LowS, message: &[u8], signature: &Signature<C>) -> Verdict {
        self.verify_digest_with(low_s, C::digest(&[message]).as_ref(), signature)
    }

    /// Verifies a signature of a message hashed with any hash function. Time depends on
    /// the inputs.
    pub fn verify_with_hash<D: Digest>(
        &self,
        low_s: LowS,
        message: &[u8],
        signature: &Signature<C>,
    ) -> Verdict {
        self.verify_digest_with(low_s, &D::digest(message), signature)
    }

    /// Verifies a signature of a digest, of which the leftmost bits count, as many as n
    /// has; an empty one is [`crate::Reason::DigestEmpty`]. Time depends on the inputs.
    pub fn verify_digest_with(
        &self,
        low_s: LowS,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Verdict {
        C::verify(low_s, &self.0, digest, signature.as_ref())
    }
}

/// The verdict about bytes.
fn verify_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: Result<&[u8], SignatureFault>,
) -> Verdict {
    match of_bytes(C::point_of_sec1(key), signature) {
        Ok((key, signature)) => C::verify(low_s, &key, digest, signature),
        Err(refused) => refused,
    }
}

pub(super) fn verify_digest_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Verdict {
    let is_whole = signature.len() == C::SignatureBytes::LEN;
    let signature = is_whole.then_some(signature).ok_or(SignatureFault::Length);
    verify_bytes::<C>(low_s, key, digest, signature)
}

pub(super) fn verify_digest_der_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Verdict {
    let signature = Signature::<C>::bytes_from_der(signature);
    let signature = signature.as_ref().map(AsRef::as_ref).map_err(|_| SignatureFault::Der);
    verify_bytes::<C>(low_s, key, digest, signature)
}

impl<C: EcdsaCurve> PartialEq for VerifyingKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.to_sec1_bytes() == other.to_sec1_bytes()
    }
}

impl<C: EcdsaCurve> Eq for VerifyingKey<C> {}

impl<C: EcdsaCurve> PartialOrd for VerifyingKey<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: EcdsaCurve> Ord for VerifyingKey<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_sec1_bytes().cmp(&other.to_sec1_bytes())
    }
}

impl<C: EcdsaCurve> Hash for VerifyingKey<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_sec1_bytes().hash(state);
    }
}

/// The compressed SEC1 bytes in hexadecimal, which `FromStr` reads.
impl<C: EcdsaCurve> fmt::Display for VerifyingKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(self.to_sec1_compressed().as_ref(), f)
    }
}

impl<C: EcdsaCurve> fmt::Debug for VerifyingKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

impl<C: EcdsaCurve> TryFrom<&[u8]> for VerifyingKey<C> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_sec1_bytes(bytes)
    }
}

impl<C: EcdsaCurve> Verifier<Signature<C>> for VerifyingKey<C> {
    fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), SignatureError> {
        Ok(self.verify_with(LowS::Any, message, signature).ok()?)
    }
}

impl<C: EcdsaCurve> PrehashVerifier<Signature<C>> for VerifyingKey<C> {
    fn verify_prehash(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<(), SignatureError> {
        Ok(self.verify_digest_with(LowS::Any, digest, signature).ok()?)
    }
}

/// A secret key, an integer from 1 to n − 1, with its public key. Wiped when dropped.
///
/// Neither the type nor its `Debug` form shows a secret. Comparison is constant time.
///
/// ```
/// use sigmill::ecdsa::{LowS, Sha512, Signer};
/// use sigmill::ecdsa::p256::{FIELD_LENGTH, Signature, SigningKey};
///
/// # #[cfg(feature = "getrandom")] {
/// let key = SigningKey::try_generate()?; // a new one
/// # assert_eq!(SigningKey::from_bytes(&key.to_bytes())?, key);
/// # }
/// let key = SigningKey::from_bytes(&[7; FIELD_LENGTH])?; // a stored one
/// let signature: Signature = key.sign(b"hello"); // of SHA-256
/// assert!(key.verifying_key().verify_with(LowS::Any, b"hello", &signature).is_valid());
///
/// let signature = key.sign_with_hash::<Sha512>(b"hello");
/// assert!(key.verifying_key().verify_with_hash::<Sha512>(LowS::Any, b"hello", &signature).is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey<C: EcdsaCurve> {
    d: C::Scalar,
    verifying_key: VerifyingKey<C>,
}

impl<C: EcdsaCurve> SigningKey<C> {
    /// The key of an integer from 1 to n − 1, big-endian. Constant time.
    ///
    /// # Errors
    /// [`Error::ScalarOutOfRange`] for any other integer.
    pub fn from_bytes(bytes: &C::FieldBytes) -> Result<Self, Error> {
        Ok(Self::from_scalar(Self::scalar_of(bytes)?))
    }

    /// The same from a slice of [`Self::MIN_SIZE`] bytes up to the width of the curve; before fewer than
    /// that, zeros are understood, which some programs leave out. Time depends on how many bytes
    /// there are, not on what they are.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes; those of
    /// [`SigningKey::from_bytes`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self::from_scalar(Self::scalar_of_slice(bytes)?))
    }

    /// The fewest bytes in which a secret key is read: those of 192 bits.
    pub const MIN_SIZE: usize = 24;

    /// An integer from 1 to n − 1, and nothing else.
    pub(crate) fn scalar_of(bytes: &C::FieldBytes) -> Result<C::Scalar, Error> {
        let (d, in_range) = C::scalar_in_range(bytes.as_ref());
        if !ct::declassify("secret_in_range", in_range).is_true_vartime() {
            return Err(Error::ScalarOutOfRange { what: "secret key" });
        }
        Ok(d)
    }

    /// The same for bytes before which there may be zeros missing.
    pub(crate) fn scalar_of_slice(bytes: &[u8]) -> Result<C::Scalar, Error> {
        if !(Self::MIN_SIZE..=C::WIDTH).contains(&bytes.len()) {
            let (what, got) = ("secret key", bytes.len());
            return Err(Error::Length { what, expected: C::WIDTH, got });
        }
        let mut padded = Zeroizing::new(C::FieldBytes::ZERO);
        padded.as_mut()[C::WIDTH - bytes.len()..].copy_from_slice(bytes);
        Self::scalar_of(&padded)
    }

    /// The key of an integer from 1 to n − 1.
    pub(crate) fn from_scalar(d: C::Scalar) -> Self {
        SigningKey { d, verifying_key: Self::public_of(&d) }
    }

    /// The public key of such an integer.
    pub(crate) fn public_of(d: &C::Scalar) -> VerifyingKey<C> {
        VerifyingKey(C::public_key(d))
    }

    /// A new key from a random source that may fail. Integers out of range are thrown
    /// away (FIPS 186-5 section A.2.2): with a source that gives nothing else this never ends.
    ///
    /// # Errors
    /// The error of the source; no key is made.
    pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Ok(Self::from_scalar(Self::random_scalar(rng)?))
    }

    /// An integer from 1 to n − 1.
    pub(crate) fn random_scalar<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
    ) -> Result<C::Scalar, R::Error> {
        let mut bytes = Zeroizing::new(C::FieldBytes::ZERO);
        loop {
            rng.try_fill_bytes(bytes.as_mut())?;
            if let Ok(d) = Self::scalar_of(&bytes) {
                return Ok(d);
            }
        }
    }

    /// Another name of [`SigningKey::generate_from_rng`].
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        Self::generate_from_rng(rng)
    }

    /// Another name of [`SigningKey::try_generate_from_rng`].
    ///
    /// # Errors
    /// Those of [`SigningKey::try_generate_from_rng`].
    pub fn try_random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::try_generate_from_rng(rng)
    }

    /// The integer, big-endian. The caller has to wipe the copy. Constant time.
    pub fn to_bytes(&self) -> C::FieldBytes {
        let mut bytes = C::FieldBytes::ZERO;
        self.write_bytes(bytes.as_mut());
        bytes
    }

    pub(crate) const fn scalar(&self) -> &C::Scalar {
        &self.d
    }

    /// `d` is not 0 and `point` is [d]G.
    #[cfg(any(feature = "alloc", test))]
    pub(in crate::ecdsa) fn from_parts(d: C::Scalar, point: Affine<C::Fe>) -> Self {
        SigningKey { d, verifying_key: VerifyingKey(point) }
    }

    /// The integer, big-endian, to where the caller wipes it. Constant time.
    #[inline(never)]
    pub(crate) fn write_bytes(&self, place: &mut [u8]) {
        self.d.write_be_bytes(place);
    }

    /// The public key.
    pub const fn verifying_key(&self) -> &VerifyingKey<C> {
        &self.verifying_key
    }

    /// Signs a message hashed with the curve's own hash function, deterministically (RFC 6979). Constant time but
    /// for the length of the message.
    pub fn sign_message(&self, message: &[u8]) -> Signature<C> {
        self.sign_own(C::digest(&[message]).as_ref(), &[])
    }

    /// Signs a message hashed with any hash function, deterministically (RFC 6979 with the
    /// same function). Constant time where the function is.
    pub fn sign_with_hash<D: Digest + BlockSizeUser>(&self, message: &[u8]) -> Signature<C> {
        self.sign_parts::<D>(&D::digest(message), &[])
    }

    /// The same with 32 random bytes as additional input of the nonce (RFC 6979 section
    /// 3.6): if they are bad, even all zeros, the signature is as good as a deterministic
    /// one; if they are good, faults and traces of two signatures of one message do not
    /// add up. They must be secret.
    pub fn sign_hedged_with_hash<D: Digest + BlockSizeUser>(
        &self,
        noise: &[u8; 32],
        message: &[u8],
    ) -> Signature<C> {
        self.sign_parts::<D>(&D::digest(message), noise)
    }

    /// Signs a digest, of which the leftmost bits count, as many as n has, with the nonce
    /// of RFC 6979 for the curve's own hash function. Constant time but for its length.
    ///
    /// `sign_prehash`, the name in the trait [`PrehashSigner`], is another name of it.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`] if there are no bytes.
    pub fn sign_digest_bytes(&self, digest: &[u8]) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        Ok(self.sign_own(digest, &[]))
    }

    /// The same with the nonce of RFC 6979 for any hash function.
    ///
    /// # Errors
    /// Those of [`SigningKey::sign_digest_bytes`].
    pub fn sign_digest_with_nonce_hash<D: Digest + BlockSizeUser>(
        &self,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        Ok(self.sign_parts::<D>(digest, &[]))
    }

    /// The same as [`SigningKey::sign_digest_bytes`] with 32 random bytes as additional input of the
    /// nonce, as [`SigningKey::sign_hedged_with_hash`] takes them.
    ///
    /// # Errors
    /// Those of [`SigningKey::sign_digest_bytes`].
    pub fn sign_digest_hedged(
        &self,
        noise: &[u8; 32],
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        Ok(self.sign_own(digest, noise))
    }

    /// Signs a message hashed with the curve's own hash function, and gives the signature out only after these checks, so that a fault in memory or in the CPU while signing does not
    /// publish something that gives the key away: the message is read and signed twice, with
    /// the same signature, which verifies under the key's own public key, encoded and decoded
    /// again, with the message hashed a third time. Takes about three times as long as
    /// [`SigningKey::sign_message`].
    ///
    /// With `noise`, the nonce is hedged as in [`SigningKey::sign_hedged_with_hash`].
    ///
    /// # Errors
    /// [`Error::MessageChanged`] if the message was not the same when it was read again,
    /// [`Error::Fault`] if the signature was not, or does not verify; nothing of it is
    /// returned, and it is wiped.
    pub fn sign_checked(
        &self,
        noise: Option<&[u8; 32]>,
        message: &[u8],
    ) -> Result<Signature<C>, Error> {
        self.sign_checked_reading(Self::sign_own, noise, || C::digest(&[black_box(message)]))
    }

    /// The same with any hash function.
    ///
    /// # Errors
    /// Those of [`SigningKey::sign_checked`].
    pub fn sign_checked_with_hash<D: Digest + BlockSizeUser>(
        &self,
        noise: Option<&[u8; 32]>,
        message: &[u8],
    ) -> Result<Signature<C>, Error> {
        self.sign_checked_reading(Self::sign_parts::<D>, noise, || D::digest(black_box(message)))
    }

    /// The same for a digest, with the nonce of [`SigningKey::sign_digest_bytes`].
    ///
    /// # Errors
    /// Those of [`SigningKey::sign_checked`]; [`Error::DigestEmpty`] if there are no bytes.
    pub fn sign_digest_checked(
        &self,
        noise: Option<&[u8; 32]>,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        self.sign_checked_reading(Self::sign_own, noise, || black_box(digest))
    }

    /// `sign` takes a digest and additional input; `digest` makes the digest for each of the three passes.
    pub(in crate::ecdsa) fn sign_checked_reading<H: AsRef<[u8]>>(
        &self,
        sign: fn(&Self, &[u8], &[u8]) -> Signature<C>,
        noise: Option<&[u8; 32]>,
        digest: impl Fn() -> H,
    ) -> Result<Signature<C>, Error> {
        let additional = noise.map_or(&[][..], |noise| noise);
        let first = digest();
        let mut signature = sign(self, first.as_ref(), additional);
        let second = digest();
        let mut again = sign(self, second.as_ref(), additional);
        let checked = if first.as_ref() != second.as_ref() {
            Err(Error::MessageChanged)
        } else if signature != again || !self.made(digest().as_ref(), &signature) {
            Err(Error::Fault)
        } else {
            Ok(signature)
        };
        if checked.is_err() {
            signature.0.zeroize();
            again.0.zeroize();
            ct::wipe_stack(ct::StackUse::Single);
        }
        checked
    }

    /// Whether this key has made the signature, as far as the bytes of its public key say.
    #[inline(never)]
    fn made(&self, digest: &[u8], signature: &Signature<C>) -> bool {
        let bytes = self.verifying_key.to_sec1_bytes();
        VerifyingKey::<C>::from_sec1_bytes(bytes.as_ref())
            .is_ok_and(|key| key.verify_digest_with(LowS::Any, digest, signature).is_valid())
    }

    /// Signs a digest with the nonce for the curve's own hash function.
    fn sign_own(&self, digest: &[u8], additional: &[u8]) -> Signature<C> {
        let mut signature = C::SignatureBytes::ZERO;
        C::sign(&self.d, digest, additional, signature.as_mut());
        Signature(signature)
    }

    /// The same with the nonce for any.
    pub(in crate::ecdsa) fn sign_parts<D: Digest + BlockSizeUser>(
        &self,
        digest: &[u8],
        additional: &[u8],
    ) -> Signature<C> {
        let mut signature = C::SignatureBytes::ZERO;
        let (r, s) = signature.as_mut().split_at_mut(C::WIDTH);
        sign::sign::<C, D>(&self.d, digest, additional, r, s);
        ct::wipe_stack(ct::StackUse::Single);
        Signature(signature)
    }
}

generate!(SigningKey<C: EcdsaCurve>, "A new key");

impl<C: EcdsaCurve> Drop for SigningKey<C> {
    fn drop(&mut self) {
        self.d.zeroize();
    }
}

impl<C: EcdsaCurve> ZeroizeOnDrop for SigningKey<C> {}

impl<C: EcdsaCurve> PartialEq for SigningKey<C> {
    fn eq(&self, other: &Self) -> bool {
        ct::declassify("keys_equal", self.d.equal(&other.d)).is_true_vartime()
    }
}

impl<C: EcdsaCurve> Eq for SigningKey<C> {}

impl<C: EcdsaCurve> subtle::ConstantTimeEq for SigningKey<C> {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        subtle::Choice::from((self.d.equal(&other.d).word() & 1) as u8)
    }
}

impl<C: EcdsaCurve> TryFrom<&[u8]> for SigningKey<C> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_slice(bytes)
    }
}

impl<C: EcdsaCurve> AsRef<VerifyingKey<C>> for SigningKey<C> {
    fn as_ref(&self) -> &VerifyingKey<C> {
        &self.verifying_key
    }
}

impl<C: EcdsaCurve> From<SigningKey<C>> for VerifyingKey<C> {
    fn from(key: SigningKey<C>) -> Self {
        key.verifying_key
    }
}

impl<C: EcdsaCurve> From<&SigningKey<C>> for VerifyingKey<C> {
    fn from(key: &SigningKey<C>) -> Self {
        key.verifying_key
    }
}

/// The public key, so that no secret is shown by mistake. `FromStr` (feature `pem`) reads PKCS#8 in PEM, which
/// is written by asking for it.
impl<C: EcdsaCurve> fmt::Display for SigningKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey of {}", self.verifying_key)
    }
}

impl<C: EcdsaCurve> fmt::Debug for SigningKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey {{ verifying_key: {} }}", self.verifying_key)
    }
}

impl<C: EcdsaCurve> KeypairRef for SigningKey<C> {
    type VerifyingKey = VerifyingKey<C>;
}

impl<C: EcdsaCurve> Signer<Signature<C>> for SigningKey<C> {
    fn try_sign(&self, message: &[u8]) -> Result<Signature<C>, SignatureError> {
        Ok(self.sign_message(message))
    }
}

impl<C: EcdsaCurve> PrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash(&self, digest: &[u8]) -> Result<Signature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(digest)?)
    }
}

#[cfg(feature = "rand_core")]
impl<C: EcdsaCurve> signature::hazmat::RandomizedPrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        digest: &[u8],
    ) -> Result<Signature<C>, SignatureError> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty.into());
        }
        let mut noise = [0; 32];
        rng.try_fill_bytes(&mut noise).map_err(|_| Error::Randomness)?;
        let signature = self.sign_own(digest, &noise);
        noise.zeroize();
        Ok(signature)
    }
}

#[cfg(feature = "rand_core")]
impl<C: EcdsaCurve> signature::RandomizedSigner<Signature<C>> for SigningKey<C> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<C>, SignatureError> {
        let mut noise = [0; 32];
        rng.try_fill_bytes(&mut noise).map_err(|_| Error::Randomness)?;
        let signature = self.sign_own(C::digest(&[message]).as_ref(), &noise);
        noise.zeroize();
        Ok(signature)
    }
}
