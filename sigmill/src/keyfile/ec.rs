//! ECDSA keys in the containers that other programs read and write: PKCS#8 (RFC 5958), ECPrivateKey
//! (RFC 5915) and SubjectPublicKeyInfo (RFC 5480), in DER and PEM, each asked for by its name.
//!
//! Secrets: memory with a private key is wiped; a public key beside a secret one is not believed but
//! compared with the derived one.

use super::forms::{public_key_forms, read_private_key_pem, write_private_key};
use super::{LONGEST_DER, PRIVATE_KEY_DER, PUBLIC_KEY_DER};
use crate::ct::wiping_stack;
use crate::ecdh::SecretKey;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::{SigningKey, VerifyingKey};
use crate::encoding::sec1::{EcPrivateKey, NamedCurve};
use crate::encoding::{self, ObjectIdentifier, pem, pkcs8, spki};
use crate::error::Error;
use zeroize::Zeroizing;
#[cfg(feature = "pkcs8")]
use {super::allocated, alloc::vec::Vec, core::mem};
#[cfg(feature = "pem")]
use {super::allocated_text, alloc::string::String};

const SEC1_DER: &str = "memory for an ECPrivateKey in DER";

/// id-ecPublicKey (RFC 5480 section 2.1.1).
pub(super) const EC_PUBLIC_KEY: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// A curve as containers name it.
pub(super) const fn named<C: EcdsaCurve>() -> NamedCurve {
    NamedCurve {
        algorithm: EC_PUBLIC_KEY,
        curve: ObjectIdentifier::new_unwrap(C::NAMES.key_oid),
        key_len: C::WIDTH,
    }
}

/// Bytes of the containers with a key on a curve.
struct Lengths {
    pkcs8: usize,
    sec1: usize,
    spki: usize,
}

impl Lengths {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "of constants: an overflow does not compile"
    )]
    const fn of<C: EcdsaCurve>() -> Self {
        /// A tag, a length and so many bytes.
        const fn tagged(len: usize) -> usize {
            len + if len < 128 { 2 } else { 3 }
        }
        let oid = tagged(named::<C>().curve.as_bytes().len());
        let algorithm = tagged(tagged(EC_PUBLIC_KEY.as_bytes().len()) + oid);
        let public_key = tagged(1 + C::UncompressedPoint::LEN);
        // version, private key, public key
        let key = tagged(1) + tagged(C::WIDTH) + tagged(public_key);
        let pkcs8 = tagged(tagged(1) + algorithm + tagged(tagged(key)));
        assert!(pkcs8 <= LONGEST_DER);
        Lengths { pkcs8, sec1: tagged(key + tagged(oid)), spki: tagged(algorithm + public_key) }
    }
}

#[cfg(feature = "pem")]
fn ends_of_lines(ends: ::pkcs8::LineEnding) -> &'static str {
    match ends {
        ::pkcs8::LineEnding::CR => "\r",
        ::pkcs8::LineEnding::LF => "\n",
        ::pkcs8::LineEnding::CRLF => "\r\n",
    }
}

impl<C: EcdsaCurve> SigningKey<C> {
    pub(super) const CURVE: NamedCurve = named::<C>();

    /// Bytes of the key as [`Self::write_private_key_der`] writes it.
    pub const PRIVATE_KEY_DER_LENGTH: usize = Lengths::of::<C>().pkcs8;
    /// Bytes of the key as [`Self::write_sec1_der`] writes it.
    pub const SEC1_DER_LENGTH: usize = Lengths::of::<C>().sec1;

    /// Reads a PKCS#8 private key in DER, version 1 or 2, with an ECPrivateKey inside.
    ///
    /// Of the secret key at most as many bytes are missing as leave 24, and they count as zeros in front; one zero
    /// more than the curve's length is read, too, which some programs write.
    /// Time depends on the shape of the container and on how many bytes there are, not on the key.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
    /// curve, which has a name; [`Error::ScalarOutOfRange`]; [`Error::KeyPairMismatch`] if it
    /// has a public key that does not belong to the secret one, [`Error::NotAPoint`] or
    /// [`Error::Length`] if that is not a point.
    pub fn from_private_key_der(bytes: &[u8]) -> Result<Self, Error> {
        let outer = pkcs8::parse(bytes)?;
        Self::CURVE.check(outer.algorithm)?;
        let key = Self::CURVE.parse(outer.private_key)?;
        Self::of_container(&key, outer.public_key)
    }

    /// Reads an ECPrivateKey in DER (RFC 5915), a file of its own. If it names no curve it
    /// is taken for this one's. Zeros in front of the secret key may be missing, as there, if it
    /// names the curve or has a public key: else an integer of a shorter curve would be taken.
    ///
    /// Time depends on the shape of the container and on how many bytes there are, not on the key.
    ///
    /// # Errors
    /// As [`Self::from_private_key_der`].
    pub fn from_sec1_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::of_container(&Self::CURVE.parse_file(bytes)?, None)
    }

    pub(super) fn of_container(
        key: &EcPrivateKey<'_>,
        outer: Option<&[u8]>,
    ) -> Result<Self, Error> {
        let secret = Self::from_slice(key.private_key())?;
        for public in [key.public_key(), outer].into_iter().flatten() {
            let public = VerifyingKey::<C>::from_sec1_bytes(public)?;
            if public != *secret.verifying_key() {
                return Err(Error::KeyPairMismatch);
            }
        }
        Ok(secret)
    }

    /// Writes the key to the beginning of `out`, as PKCS#8 version 1 in DER, with the public key
    /// inside: the bytes that OpenSSL writes. Returns how many there are. The caller has to wipe
    /// them. Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_private_key_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        wiping_stack(|| {
            let mut secret = Zeroizing::new(C::FieldBytes::ZERO);
            self.write_bytes(secret.as_mut());
            let public = self.verifying_key().to_sec1_bytes();
            let private_key = Self::CURVE.unnamed_key(secret.as_ref(), public.as_ref())?;
            let container = pkcs8::Version1 { algorithm: Self::CURVE.algorithm(), private_key };
            encoding::write(PRIVATE_KEY_DER, &container, out)
        })
    }

    /// Writes the key to the beginning of `out`, as ECPrivateKey in DER, with the curve's name
    /// and the public key: the bytes that OpenSSL writes. Returns how many there are. The
    /// caller has to wipe them. Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_sec1_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        wiping_stack(|| {
            let mut secret = Zeroizing::new(C::FieldBytes::ZERO);
            self.write_bytes(secret.as_mut());
            let public = self.verifying_key().to_sec1_bytes();
            encoding::write(SEC1_DER, &Self::CURVE.key(secret.as_ref(), public.as_ref())?, out)
        })
    }

    write_private_key!(pkcs8);
    write_private_key!(sec1);

    /// Either container, as its structure says, which is no guess: the second field of one is a SEQUENCE, that of
    /// the other an OCTET STRING.
    fn from_any_der(bytes: &[u8]) -> Result<Self, Error> {
        match pkcs8::parse(bytes) {
            Ok(_) => Self::from_private_key_der(bytes),
            Err(_) => Self::from_sec1_der(bytes),
        }
    }

    // Programs write either container under either label.
    read_private_key_pem!("a private key, PKCS#8 or ECPrivateKey,", Self::from_any_der,
        /// ```
        /// use sigmill::ecdsa::p256::SigningKey;
        ///
        /// # let key = SigningKey::from_slice(&[7; 32])?;
        /// # let text = key.to_private_key_pem()?;
        /// // what `openssl genpkey -algorithm EC` writes
        /// let key = SigningKey::from_private_key_pem(&text)?;
        /// assert!(key.to_private_key_pem()?.starts_with("-----BEGIN PRIVATE KEY-----"));
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );

    /// The same as [`Self::read_private_key_pem`].
    ///
    /// # Errors
    /// As there.
    pub fn read_sec1_pem(text: &[u8]) -> Result<Self, Error> {
        Self::read_private_key_pem(text)
    }

    /// The same as [`Self::from_private_key_pem`].
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "pem")]
    pub fn from_sec1_pem(text: &str) -> Result<Self, Error> {
        Self::from_private_key_pem(text)
    }
}

/// Containers, as documented at the functions of `SigningKey` of the same name.
impl<C: EcdsaCurve> SecretKey<C> {
    /// Reads a PKCS#8 private key or an ECPrivateKey in DER.
    ///
    /// # Errors
    /// Those of `SigningKey::from_private_key_der`, or, where the bytes are no PKCS#8, of
    /// `SigningKey::from_sec1_der`.
    pub fn from_der(bytes: &[u8]) -> Result<Self, Error> {
        SigningKey::<C>::from_any_der(bytes).map(Self::from)
    }

    /// Reads an ECPrivateKey in DER (RFC 5915).
    ///
    /// # Errors
    /// Those of `SigningKey::from_sec1_der`.
    pub fn from_sec1_der(bytes: &[u8]) -> Result<Self, Error> {
        SigningKey::<C>::from_sec1_der(bytes).map(Self::from)
    }

    /// The key as ECPrivateKey in DER. The memory is wiped when dropped. Constant time.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pkcs8")]
    pub fn to_sec1_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        SigningKey::<C>::from(self).to_sec1_der()
    }

    /// Reads a PKCS#8 private key or an ECPrivateKey in PEM.
    ///
    /// # Errors
    /// Those of `SigningKey::from_private_key_pem`.
    #[cfg(feature = "pem")]
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        SigningKey::<C>::from_private_key_pem(text).map(Self::from)
    }

    /// The same as [`Self::from_pem`].
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "pem")]
    pub fn from_sec1_pem(text: &str) -> Result<Self, Error> {
        SigningKey::<C>::from_sec1_pem(text).map(Self::from)
    }

    /// The key as ECPrivateKey in PEM, with these ends of lines. The memory is wiped when dropped.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pem")]
    pub fn to_sec1_pem(&self, ends: ::pkcs8::LineEnding) -> Result<Zeroizing<String>, Error> {
        let text = SigningKey::<C>::from(self).to_sec1_pem()?;
        Ok(Zeroizing::new(text.replace('\n', ends_of_lines(ends))))
    }
}

impl<C: EcdsaCurve> VerifyingKey<C> {
    pub(super) const CURVE: NamedCurve = named::<C>();

    /// Bytes of the key as [`Self::write_spki_der`] writes it.
    pub const SPKI_DER_LENGTH: usize = Lengths::of::<C>().spki;

    /// Reads a SubjectPublicKeyInfo in DER, with a point compressed or not. Time depends on
    /// the bytes.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
    /// curve, which has a name; those of [`Self::from_sec1_bytes`].
    pub fn from_spki_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_sec1_bytes(Self::bytes_in_spki_der(bytes)?)
    }

    /// The position of the key's SEC1 bytes in a SubjectPublicKeyInfo in DER. Whether they are a
    /// point is left to the verdict.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
    /// curve, which has a name.
    pub fn bytes_in_spki_der(bytes: &[u8]) -> Result<&[u8], Error> {
        let (algorithm, key) = spki::parse(bytes)?;
        Self::CURVE.check(algorithm)?;
        Ok(key)
    }

    /// A copy of the bytes that [`Self::bytes_in_spki_der`] finds.
    ///
    /// # Errors
    /// Those of [`Self::bytes_in_spki_der`].
    #[cfg(feature = "pkcs8")]
    pub fn bytes_from_spki_der(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(Self::bytes_in_spki_der(bytes)?.to_vec())
    }

    /// Writes the key to the beginning of `out`, as SubjectPublicKeyInfo in DER, the point not
    /// compressed. Returns how many bytes there are.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_spki_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        let point = self.to_sec1_bytes();
        let container = spki::container(Self::CURVE.algorithm(), point.as_ref())?;
        encoding::write(PUBLIC_KEY_DER, &container, out)
    }

    public_key_forms!(
        /// ```
        /// use sigmill::ecdsa::p256::{SigningKey, VerifyingKey};
        ///
        /// # let key = SigningKey::from_slice(&[7; 32])?;
        /// let public: &VerifyingKey = key.verifying_key();
        /// let text = public.to_spki_pem()?; // -----BEGIN PUBLIC KEY-----
        /// assert_eq!(VerifyingKey::from_spki_pem(&text)?, *public);
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );

    /// The SEC1 bytes of the key in a SubjectPublicKeyInfo in PEM. Whether they are a point is
    /// left to the verdict.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] if the text is not such PEM; else those of
    /// [`Self::bytes_from_spki_der`].
    #[cfg(feature = "pem")]
    pub fn bytes_from_spki_pem(text: &str) -> Result<Vec<u8>, Error> {
        pem::parse_any(&[pem::PUBLIC_KEY], text, Self::bytes_from_spki_der)
    }
}
