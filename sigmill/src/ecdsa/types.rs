//! Keys and signatures, the same for each curve but for lengths.
//!
//! Secrets: wiped when dropped, and each public function wipes the stack of the computation below it.

use super::rules::{KeyFault, LowS, SignatureFault, decide, of_bytes};
use super::sign;
use super::verify::{facts_vartime, is_low, scalar_in_range};
use super::{BlockSizeUser, Digest, KeypairRef, PrehashSigner, PrehashVerifier, Signer, Verifier};
use crate::ct::{self, Mask};
use crate::curve::weierstrass::{Affine, Curve};
use crate::encoding::{hex, signature_der};
use crate::error::{Error, Verdict};
use crate::modular::PrimeField;
use crate::random::generate;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::hint::black_box;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

type SignatureError = signature::Error;

/// Takes bytes of one exact length.
pub(super) fn exactly<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, got: bytes.len() })
}

/// The point of a SEC1 encoding (SEC 1 version 2 section 2.3.4), compressed or not. Time depends on the
/// bytes.
pub(super) fn point_of_sec1<C: Curve>(
    bytes: &[u8],
    width: usize,
) -> Result<Affine<C::Fe>, KeyFault> {
    let [tag, coordinates @ ..] = bytes else { return Err(KeyFault::Length) };
    let (x_bytes, y_bytes) = match (*tag, coordinates.len()) {
        (2 | 3, len) if len == width => (coordinates, None),
        (4, len) if len == 2 * width => {
            let (x, y) = coordinates.split_at(width);
            (x, Some(y))
        }
        (2..=4, _) => return Err(KeyFault::Length),
        // infinity, the hybrid forms and what is no form
        _ => return Err(KeyFault::NotAPoint),
    };
    let (x, mut is_point) = C::Fe::from_be_bytes(x_bytes);
    let point = if let Some(y_bytes) = y_bytes {
        let (y, y_reduced) = C::Fe::from_be_bytes(y_bytes);
        let point = Affine { x, y };
        is_point = is_point & y_reduced & point.is_on_curve::<C>();
        point
    } else {
        let (point, exists) = Affine::with_x::<C>(&x, Mask::from_bit(u64::from(*tag & 1)));
        is_point = is_point & exists;
        point
    };
    if is_point.is_true_vartime() { Ok(point) } else { Err(KeyFault::NotAPoint) }
}

macro_rules! curve {
    (
        $module:ident, $name:literal, $curve:ident, $hash:ident, $hash_name:literal,
        $width:literal, $double:literal, $compressed:literal, $uncompressed:literal, $der:literal
    ) => {
        #[doc = concat!("ECDSA on ", $name, ", with ", $hash_name, " where no hash is named.")]
        pub mod $module {
            use super::*;
            use crate::curve::weierstrass::$module::$curve as TheCurve;
            use crate::hash::$hash as DefaultHash;

            pub use crate::ecdsa::names::$module::*;
            pub use crate::ecdsa::pair::$module::{KEYPAIR_LENGTH, KeyPair};
            pub use crate::ecdsa::sec1_point::$module::Sec1Point;
            pub use crate::error::Error;
            #[cfg(feature = "pkcs8")]
            pub use ::pkcs8;
            #[cfg(feature = "digest")]
            pub use digest::common::Generate;
            pub use signature;

            /// Bytes of a secret key, of a coordinate, of r and of s.
            pub const FIELD_LENGTH: usize = $width;
            /// Bytes of r ‖ s.
            pub const SIGNATURE_LENGTH: usize = $double;
            /// A secret key, a coordinate, r or s, big-endian.
            pub type FieldBytes = [u8; $width];

            pub(crate) type Scalar = <TheCurve as Curve>::Scalar;
            pub(crate) type Point = Affine<<TheCurve as Curve>::Fe>;

            /// A signature with 1 ≤ r, s < n.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{SigningKey, Signature};")]
            ///
            #[doc = concat!("# use sigmill::ecdsa::", stringify!($module), "::FIELD_LENGTH;")]
            /// # let signed = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
            /// # let der = signed.to_der();
            /// let signature = Signature::from_der(der.as_bytes())?; // as certificates, TLS and OpenSSL have it
            /// assert_eq!(Signature::from_slice(&signature.to_bytes())?, signature); // r ‖ s, as JOSE and WebCrypto do
            /// assert!(signature.normalize_s().is_low_s());
            /// # assert_eq!(signature, signed);
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct Signature([u8; $double]);

            impl Signature {
                /// From r ‖ s, both big-endian.
                ///
                /// # Errors
                /// [`Error::ScalarOutOfRange`] if r or s is 0 or not below n.
                pub fn from_bytes(bytes: &[u8; $double]) -> Result<Self, Error> {
                    let (r, s) = bytes.split_at($width);
                    for (what, scalar) in [("r of the signature", r), ("s of the signature", s)] {
                        let (_, in_range) = scalar_in_range::<TheCurve>(scalar);
                        if !in_range.is_true_vartime() {
                            return Err(Error::ScalarOutOfRange { what });
                        }
                    }
                    Ok(Signature(*bytes))
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
                pub fn bytes_from_der(bytes: &[u8]) -> Result<[u8; $double], Error> {
                    let mut signature = [0; $double];
                    let (r, s) = signature.split_at_mut($width);
                    signature_der::parse(bytes, r, s).map_err(Error::SignatureDer)?;
                    Ok(signature)
                }

                /// From r and s, both big-endian: arrays, or what becomes one.
                ///
                /// # Errors
                /// Those of [`Signature::from_bytes`].
                pub fn from_scalars(
                    r: impl Into<FieldBytes>,
                    s: impl Into<FieldBytes>,
                ) -> Result<Self, Error> {
                    let mut bytes = [0; $double];
                    bytes[..$width].copy_from_slice(&r.into());
                    bytes[$width..].copy_from_slice(&s.into());
                    Self::from_bytes(&bytes)
                }

                /// r ‖ s, both big-endian.
                pub const fn to_bytes(&self) -> [u8; $double] {
                    self.0
                }

                /// r and s, both big-endian.
                pub fn split_bytes(&self) -> (FieldBytes, FieldBytes) {
                    let (mut r, mut s) = ([0; $width], [0; $width]);
                    r.copy_from_slice(self.halves().0);
                    s.copy_from_slice(self.halves().1);
                    (r, s)
                }

                fn halves(&self) -> (&[u8], &[u8]) {
                    self.0.split_at($width)
                }

                /// The signature in DER.
                pub fn to_der(&self) -> DerSignature {
                    let mut der = DerSignature { bytes: [0; $der], len: 0 };
                    let (r, s) = self.halves();
                    // the memory is as long as the longest encoding
                    der.len = signature_der::write(r, s, &mut der.bytes).unwrap_or(0);
                    der
                }

                /// Whether s is at most (n − 1)/2.
                pub fn is_low_s(&self) -> bool {
                    let (s, _) = scalar_in_range::<TheCurve>(self.halves().1);
                    is_low::<TheCurve>(&s).is_true_vartime()
                }

                /// The signature with the lower of s and n − s: valid where this one is.
                #[must_use]
                pub fn normalize_s(&self) -> Self {
                    let mut normal = *self;
                    if !self.is_low_s() {
                        let (s, _) = scalar_in_range::<TheCurve>(self.halves().1);
                        s.neg().write_be_bytes(&mut normal.0[$width..]);
                    }
                    normal
                }
            }

            impl AsRef<[u8]> for Signature {
                fn as_ref(&self) -> &[u8] {
                    &self.0
                }
            }

            impl TryFrom<&[u8]> for Signature {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_slice(bytes)
                }
            }

            impl From<Signature> for [u8; $double] {
                fn from(signature: Signature) -> Self {
                    signature.0
                }
            }

            impl signature::SignatureEncoding for Signature {
                type Repr = [u8; $double];
            }

            impl fmt::Display for Signature {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
                }
            }

            impl fmt::LowerHex for Signature {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    hex::write(&self.0, f)
                }
            }

            impl fmt::UpperHex for Signature {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(self, f)
                }
            }

            impl fmt::Debug for Signature {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "Signature({self})")
                }
            }

            /// A signature in DER, with 1 ≤ r, s < n.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{DerSignature, FIELD_LENGTH, SigningKey};")]
            ///
            /// let signature = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
            /// let der = DerSignature::from_bytes(signature.to_der().as_bytes())?;
            /// assert_eq!(der.as_bytes()[0], 0x30); // SEQUENCE
            /// # assert_eq!(der, signature.to_der());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, Copy, PartialEq, Eq, Hash)]
            pub struct DerSignature {
                bytes: [u8; $der],
                len: usize,
            }

            impl DerSignature {
                /// The encoding.
                pub fn as_bytes(&self) -> &[u8] {
                    &self.bytes[..self.len]
                }
            }

            impl AsRef<[u8]> for DerSignature {
                fn as_ref(&self) -> &[u8] {
                    self.as_bytes()
                }
            }

            impl fmt::Debug for DerSignature {
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
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{Signature, VerifyingKey};")]
            ///
            #[doc = concat!("# let secret = sigmill::ecdsa::", stringify!($module), "::SigningKey::from_slice(&[7; ", $width, "])?;")]
            /// # let (sec1, der) = (secret.verifying_key().to_sec1_compressed(), secret.sign_message(b"hello").to_der());
            /// # let der = der.as_bytes();
            /// let key = VerifyingKey::from_sec1_bytes(&sec1)?; // compressed or not
            /// let signature = Signature::from_der(der)?;
            /// assert!(key.verify(b"hello", &signature).is_ok());
            /// assert!(!key.verify_with(LowS::Any, b"hullo", &signature).is_valid());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, Copy)]
            pub struct VerifyingKey(pub(in crate::ecdsa) Point);

            impl VerifyingKey {
                /// From SEC1 bytes, uncompressed (a 4, x and y) or compressed (2 or 3, and x). Time
                /// depends on the bytes.
                ///
                /// # Errors
                /// [`Error::Length`] for another number of bytes, [`Error::NotAPoint`] if it
                /// is not on the curve, or is infinity, or in the hybrid form.
                pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
                    point_of_sec1::<TheCurve>(bytes, $width).map(VerifyingKey).map_err(|fault| {
                        match (fault, bytes.first()) {
                            (KeyFault::Length, first) => {
                                let expected = match first {
                                    Some(2 | 3) => $compressed,
                                    _ => $uncompressed,
                                };
                                Error::Length { what: "public key", expected, got: bytes.len() }
                            }
                            (KeyFault::NotAPoint, _) => Error::NotAPoint,
                        }
                    })
                }

                pub(crate) const fn point(&self) -> &Point {
                    &self.0
                }

                /// SEC1 bytes, uncompressed: 4, x and y, big-endian.
                pub fn to_sec1_bytes(&self) -> [u8; $uncompressed] {
                    let mut bytes = [4; $uncompressed];
                    self.0.x.write_be_bytes(&mut bytes[1..1 + $width]);
                    self.0.y.write_be_bytes(&mut bytes[1 + $width..]);
                    bytes
                }

                /// SEC1 bytes, compressed: 2 for an even y or 3 for an odd one, and x, big-endian.
                pub fn to_sec1_compressed(&self) -> [u8; $compressed] {
                    let odd = self.0.y.is_odd().is_true_vartime();
                    let mut bytes = [2 + u8::from(odd); $compressed];
                    self.0.x.write_be_bytes(&mut bytes[1..]);
                    bytes
                }

                #[doc = concat!("Verifies a signature of a message hashed with ", $hash_name, ".")]
                /// Time depends on the inputs.
                pub fn verify_with(
                    &self,
                    low_s: LowS,
                    message: &[u8],
                    signature: &Signature,
                ) -> Verdict {
                    self.verify_digest_with(low_s, &DefaultHash::digest(message), signature)
                }

                /// Verifies a signature of a message hashed with any hash function. Time depends on
                /// the inputs.
                pub fn verify_with_hash<D: Digest>(
                    &self,
                    low_s: LowS,
                    message: &[u8],
                    signature: &Signature,
                ) -> Verdict {
                    self.verify_digest_with(low_s, &D::digest(message), signature)
                }

                /// Verifies a signature of a digest, of which the leftmost bits count, as many as n
                /// has; an empty one is [`crate::Reason::DigestEmpty`]. Time depends on the inputs.
                pub fn verify_digest_with(
                    &self,
                    low_s: LowS,
                    digest: &[u8],
                    signature: &Signature,
                ) -> Verdict {
                    let (r, s) = signature.halves();
                    decide(low_s, &facts_vartime::<TheCurve>(&self.0, digest, r, s))
                }
            }

            /// Verifies r ‖ s under a SEC1 key, from bytes of any length and value: the verdict says
            /// what is wrong with them. Time depends on the inputs.
            ///
            /// ```
            /// use sigmill::{Reason, ecdsa::LowS};
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{FIELD_LENGTH, SigningKey, verify_digest_bytes};")]
            ///
            /// let secret = SigningKey::from_bytes(&[7; FIELD_LENGTH])?;
            /// let (digest, key) = ([1; FIELD_LENGTH], secret.verifying_key().to_sec1_bytes());
            /// let signature = secret.sign_digest_bytes(&digest)?.to_bytes();
            /// assert!(verify_digest_bytes(LowS::Any, &key, &digest, &signature).is_valid());
            /// let verdict = verify_digest_bytes(LowS::Any, &key[1..], &digest, &signature);
            /// assert_eq!(verdict.ok(), Err(Reason::KeyNotAPoint));
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            pub fn verify_digest_bytes(
                low_s: LowS,
                key: &[u8],
                digest: &[u8],
                signature: &[u8],
            ) -> Verdict {
                let is_whole = signature.len() == $double;
                let signature = is_whole.then_some(signature).ok_or(SignatureFault::Length);
                let read = of_bytes(point_of_sec1::<TheCurve>(key, $width), signature);
                let (key, signature) = match read {
                    Ok(both) => both,
                    Err(refused) => return refused,
                };
                let (r, s) = signature.split_at($width);
                decide(low_s, &facts_vartime::<TheCurve>(&key, digest, r, s))
            }

            /// The same for a signature in DER (RFC 3279 section 2.2.3), strictly: any other bytes are
            /// [`crate::Reason::SignatureDer`]. Time depends on the inputs.
            ///
            /// ```
            /// use sigmill::ecdsa::{Digest, LowS};
            #[doc = concat!("use sigmill::ecdsa::{", stringify!($hash), ", ", stringify!($module), "::verify_digest_der_bytes};")]
            ///
            #[doc = concat!("# let secret = sigmill::ecdsa::", stringify!($module), "::SigningKey::from_slice(&[7; ", $width, "])?;")]
            /// # let (key, der) = (secret.verifying_key().to_sec1_bytes(), secret.sign_message(b"hello").to_der());
            /// # let der = der.as_bytes();
            #[doc = concat!("let digest = ", stringify!($hash), "::digest(b\"hello\");")]
            /// assert!(verify_digest_der_bytes(LowS::Any, &key, &digest, der).is_valid());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            pub fn verify_digest_der_bytes(
                low_s: LowS,
                key: &[u8],
                digest: &[u8],
                signature: &[u8],
            ) -> Verdict {
                let signature =
                    Signature::bytes_from_der(signature).map_err(|_| SignatureFault::Der);
                let read = of_bytes(point_of_sec1::<TheCurve>(key, $width), signature);
                let (key, signature) = match read {
                    Ok(both) => both,
                    Err(refused) => return refused,
                };
                let (r, s) = signature.split_at($width);
                decide(low_s, &facts_vartime::<TheCurve>(&key, digest, r, s))
            }

            impl PartialEq for VerifyingKey {
                fn eq(&self, other: &Self) -> bool {
                    self.to_sec1_bytes() == other.to_sec1_bytes()
                }
            }

            impl Eq for VerifyingKey {}

            impl PartialOrd for VerifyingKey {
                fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for VerifyingKey {
                fn cmp(&self, other: &Self) -> Ordering {
                    self.to_sec1_bytes().cmp(&other.to_sec1_bytes())
                }
            }

            impl Hash for VerifyingKey {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    self.to_sec1_bytes().hash(state);
                }
            }

            /// The compressed SEC1 bytes in hexadecimal, which `FromStr` reads.
            impl fmt::Display for VerifyingKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    hex::write(&self.to_sec1_compressed(), f)
                }
            }

            impl fmt::Debug for VerifyingKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "VerifyingKey({self})")
                }
            }

            impl TryFrom<&[u8]> for VerifyingKey {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_sec1_bytes(bytes)
                }
            }

            impl Verifier<Signature> for VerifyingKey {
                fn verify(
                    &self,
                    message: &[u8],
                    signature: &Signature,
                ) -> Result<(), SignatureError> {
                    Ok(self.verify_with(LowS::Any, message, signature).ok()?)
                }
            }

            impl PrehashVerifier<Signature> for VerifyingKey {
                fn verify_prehash(
                    &self,
                    digest: &[u8],
                    signature: &Signature,
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
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{FIELD_LENGTH, Signature, SigningKey};")]
            ///
            /// # #[cfg(feature = "getrandom")] {
            /// let key = SigningKey::try_generate()?; // a new one
            /// # assert_eq!(SigningKey::from_bytes(&key.to_bytes())?, key);
            /// # }
            /// let key = SigningKey::from_bytes(&[7; FIELD_LENGTH])?; // a stored one
            #[doc = concat!("let signature: Signature = key.sign(b\"hello\"); // of ", $hash_name)]
            /// assert!(key.verifying_key().verify_with(LowS::Any, b"hello", &signature).is_valid());
            ///
            /// let signature = key.sign_with_hash::<Sha512>(b"hello");
            /// assert!(key.verifying_key().verify_with_hash::<Sha512>(LowS::Any, b"hello", &signature).is_valid());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone)]
            pub struct SigningKey {
                d: Scalar,
                verifying_key: VerifyingKey,
            }

            impl SigningKey {
                /// The key of an integer from 1 to n − 1, big-endian. Constant time.
                ///
                /// # Errors
                /// [`Error::ScalarOutOfRange`] for any other integer.
                pub fn from_bytes(bytes: &FieldBytes) -> Result<Self, Error> {
                    Ok(Self::from_scalar(Self::scalar_of(bytes)?))
                }

                /// The same from a slice of [`Self::MIN_SIZE`] bytes up to [`FIELD_LENGTH`]; before fewer than
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
                pub(crate) fn scalar_of(bytes: &FieldBytes) -> Result<Scalar, Error> {
                    let (d, in_range) = scalar_in_range::<TheCurve>(bytes);
                    if !ct::declassify("secret_in_range", in_range).is_true_vartime() {
                        return Err(Error::ScalarOutOfRange { what: "secret key" });
                    }
                    Ok(d)
                }

                /// The same for bytes before which there may be zeros missing.
                pub(crate) fn scalar_of_slice(bytes: &[u8]) -> Result<Scalar, Error> {
                    if !(Self::MIN_SIZE..=$width).contains(&bytes.len()) {
                        let (what, got) = ("secret key", bytes.len());
                        return Err(Error::Length { what, expected: $width, got });
                    }
                    let mut padded = Zeroizing::new([0; $width]);
                    padded[$width - bytes.len()..].copy_from_slice(bytes);
                    Self::scalar_of(&padded)
                }

                /// The key of an integer from 1 to n − 1.
                pub(crate) fn from_scalar(d: Scalar) -> Self {
                    SigningKey { d, verifying_key: Self::public_of(&d) }
                }

                /// The public key of such an integer.
                pub(crate) fn public_of(d: &Scalar) -> VerifyingKey {
                    let key = VerifyingKey(sign::public_key::<TheCurve>(d));
                    ct::wipe_stack();
                    key
                }

                /// A new key from a random source that may fail. Integers out of range are thrown
                /// away (FIPS 186-5 section A.2.2): with a source that gives nothing else this never ends.
                ///
                /// # Errors
                /// The error of the source; no key is made.
                pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(
                    rng: &mut R,
                ) -> Result<Self, R::Error> {
                    Ok(Self::from_scalar(Self::random_scalar(rng)?))
                }

                /// An integer from 1 to n − 1.
                pub(crate) fn random_scalar<R: TryCryptoRng + ?Sized>(
                    rng: &mut R,
                ) -> Result<Scalar, R::Error> {
                    let mut bytes = Zeroizing::new([0; $width]);
                    loop {
                        rng.try_fill_bytes(bytes.as_mut_slice())?;
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
                pub fn to_bytes(&self) -> [u8; $width] {
                    let mut bytes = [0; $width];
                    self.write_bytes(&mut bytes);
                    bytes
                }

                pub(crate) const fn scalar(&self) -> &Scalar {
                    &self.d
                }

                /// `d` is not 0 and `point` is [d]G.
                #[cfg(any(feature = "alloc", test))]
                pub(in crate::ecdsa) fn from_parts(d: Scalar, point: Point) -> Self {
                    SigningKey { d, verifying_key: VerifyingKey(point) }
                }

                /// The integer, big-endian, to where the caller wipes it. Constant time.
                #[inline(never)]
                pub(crate) fn write_bytes(&self, place: &mut [u8]) {
                    self.d.write_be_bytes(place);
                }

                /// The public key.
                pub const fn verifying_key(&self) -> &VerifyingKey {
                    &self.verifying_key
                }

                #[doc = concat!("Signs a message hashed with ", $hash_name, ", deterministically")]
                /// (RFC 6979). Constant time but for the length of the message.
                pub fn sign_message(&self, message: &[u8]) -> Signature {
                    self.sign_parts::<DefaultHash>(&DefaultHash::digest(message), &[])
                }

                /// Signs a message hashed with any hash function, deterministically (RFC 6979 with the
                /// same function). Constant time where the function is.
                pub fn sign_with_hash<D: Digest + BlockSizeUser>(
                    &self,
                    message: &[u8],
                ) -> Signature {
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
                ) -> Signature {
                    self.sign_parts::<D>(&D::digest(message), noise)
                }

                /// Signs a digest, of which the leftmost bits count, as many as n has, with the nonce
                #[doc = concat!("of RFC 6979 for ", $hash_name, ".")]
                /// Constant time but for its length.
                ///
                /// `sign_prehash`, the name in the trait [`PrehashSigner`], is another name of it.
                ///
                /// # Errors
                /// [`Error::DigestEmpty`] if there are no bytes.
                pub fn sign_digest_bytes(&self, digest: &[u8]) -> Result<Signature, Error> {
                    self.sign_digest_with_nonce_hash::<DefaultHash>(digest)
                }

                /// The same with the nonce of RFC 6979 for any hash function.
                ///
                /// # Errors
                /// Those of [`SigningKey::sign_digest_bytes`].
                pub fn sign_digest_with_nonce_hash<D: Digest + BlockSizeUser>(
                    &self,
                    digest: &[u8],
                ) -> Result<Signature, Error> {
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
                ) -> Result<Signature, Error> {
                    if digest.is_empty() {
                        return Err(Error::DigestEmpty);
                    }
                    Ok(self.sign_parts::<DefaultHash>(digest, noise))
                }

                #[doc = concat!("Signs a message hashed with ", $hash_name, ", and gives the signature out")]
                /// only after these checks, so that a fault in memory or in the CPU while signing does not
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
                ) -> Result<Signature, Error> {
                    self.sign_checked_with_hash::<DefaultHash>(noise, message)
                }

                /// The same with any hash function.
                ///
                /// # Errors
                /// Those of [`SigningKey::sign_checked`].
                pub fn sign_checked_with_hash<D: Digest + BlockSizeUser>(
                    &self,
                    noise: Option<&[u8; 32]>,
                    message: &[u8],
                ) -> Result<Signature, Error> {
                    self.sign_checked_reading::<D, _>(noise, || D::digest(black_box(message)))
                }

                /// The same for a digest, with the nonce of [`SigningKey::sign_digest_bytes`].
                ///
                /// # Errors
                /// Those of [`SigningKey::sign_checked`]; [`Error::DigestEmpty`] if there are no bytes.
                pub fn sign_digest_checked(
                    &self,
                    noise: Option<&[u8; 32]>,
                    digest: &[u8],
                ) -> Result<Signature, Error> {
                    if digest.is_empty() {
                        return Err(Error::DigestEmpty);
                    }
                    self.sign_checked_reading::<DefaultHash, _>(noise, || black_box(digest))
                }

                /// `digest` makes the digest for each of the three passes.
                pub(in crate::ecdsa) fn sign_checked_reading<D, H>(
                    &self,
                    noise: Option<&[u8; 32]>,
                    digest: impl Fn() -> H,
                ) -> Result<Signature, Error>
                where
                    D: Digest + BlockSizeUser,
                    H: AsRef<[u8]>,
                {
                    let additional = noise.map_or(&[][..], |noise| noise);
                    let first = digest();
                    let mut signature = self.sign_parts::<D>(first.as_ref(), additional);
                    let second = digest();
                    let mut again = self.sign_parts::<D>(second.as_ref(), additional);
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
                        ct::wipe_stack();
                    }
                    checked
                }

                /// Whether this key has made the signature, as far as the bytes of its public key say.
                #[inline(never)]
                fn made(&self, digest: &[u8], signature: &Signature) -> bool {
                    let bytes = self.verifying_key.to_sec1_bytes();
                    VerifyingKey::from_sec1_bytes(&bytes).is_ok_and(|key| {
                        key.verify_digest_with(LowS::Any, digest, signature).is_valid()
                    })
                }

                fn sign_parts<D: Digest + BlockSizeUser>(
                    &self,
                    digest: &[u8],
                    additional: &[u8],
                ) -> Signature {
                    let mut signature = [0; $double];
                    let (r, s) = signature.split_at_mut($width);
                    sign::sign::<TheCurve, D>(&self.d, digest, additional, r, s);
                    ct::wipe_stack();
                    Signature(signature)
                }
            }

            generate!(SigningKey, "A new key");

            impl Drop for SigningKey {
                fn drop(&mut self) {
                    self.d.zeroize();
                }
            }

            impl ZeroizeOnDrop for SigningKey {}

            impl PartialEq for SigningKey {
                fn eq(&self, other: &Self) -> bool {
                    ct::declassify("keys_equal", self.d.equal(&other.d)).is_true_vartime()
                }
            }

            impl Eq for SigningKey {}

            impl subtle::ConstantTimeEq for SigningKey {
                fn ct_eq(&self, other: &Self) -> subtle::Choice {
                    subtle::Choice::from((self.d.equal(&other.d).word() & 1) as u8)
                }
            }

            impl TryFrom<&[u8]> for SigningKey {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_slice(bytes)
                }
            }

            impl AsRef<VerifyingKey> for SigningKey {
                fn as_ref(&self) -> &VerifyingKey {
                    &self.verifying_key
                }
            }

            impl From<SigningKey> for VerifyingKey {
                fn from(key: SigningKey) -> Self {
                    key.verifying_key
                }
            }

            impl From<&SigningKey> for VerifyingKey {
                fn from(key: &SigningKey) -> Self {
                    key.verifying_key
                }
            }

            /// The public key, so that no secret is shown by mistake. `FromStr` (feature `pem`) reads PKCS#8 in PEM, which
            /// is written by asking for it.
            impl fmt::Display for SigningKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "SigningKey of {}", self.verifying_key)
                }
            }

            impl fmt::Debug for SigningKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "SigningKey {{ verifying_key: {} }}", self.verifying_key)
                }
            }

            impl KeypairRef for SigningKey {
                type VerifyingKey = VerifyingKey;
            }

            impl Signer<Signature> for SigningKey {
                fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
                    Ok(self.sign_message(message))
                }
            }

            impl PrehashSigner<Signature> for SigningKey {
                fn sign_prehash(&self, digest: &[u8]) -> Result<Signature, SignatureError> {
                    Ok(self.sign_digest_bytes(digest)?)
                }
            }

            #[cfg(feature = "rand_core")]
            impl signature::hazmat::RandomizedPrehashSigner<Signature> for SigningKey {
                fn sign_prehash_with_rng<R: TryCryptoRng + ?Sized>(
                    &self,
                    rng: &mut R,
                    digest: &[u8],
                ) -> Result<Signature, SignatureError> {
                    if digest.is_empty() {
                        return Err(Error::DigestEmpty.into());
                    }
                    let mut noise = [0; 32];
                    rng.try_fill_bytes(&mut noise).map_err(|_| Error::Randomness)?;
                    let signature = self.sign_parts::<DefaultHash>(digest, &noise);
                    noise.zeroize();
                    Ok(signature)
                }
            }

            #[cfg(feature = "rand_core")]
            impl signature::RandomizedSigner<Signature> for SigningKey {
                fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                    &self,
                    rng: &mut R,
                    message: &[u8],
                ) -> Result<Signature, SignatureError> {
                    let mut noise = [0; 32];
                    rng.try_fill_bytes(&mut noise).map_err(|_| Error::Randomness)?;
                    let signature = self.sign_hedged_with_hash::<DefaultHash>(&noise, message);
                    noise.zeroize();
                    Ok(signature)
                }
            }
        }
    };
}

curve!(p256, "P-256", P256, Sha256, "SHA-256", 32, 64, 33, 65, 72);
curve!(p384, "P-384", P384, Sha384, "SHA-384", 48, 96, 49, 97, 104);
