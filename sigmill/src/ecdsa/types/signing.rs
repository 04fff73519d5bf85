//! Secret keys: making, importing and signing with them.
//!
//! Secrets: wiped when dropped, and each public function wipes the stack of the computation below it.

use super::signature::Signature;
use super::verifying::VerifyingKey;
use crate::ct;
use crate::curve::weierstrass::Affine;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::rules::LowS;
use crate::ecdsa::sign;
use crate::ecdsa::{BlockSizeUser, Digest, KeypairRef};
use crate::error::Error;
use crate::impls::{equal_where, from_slice};
use crate::modular::{Arithmetic, PrimeField};
use crate::random::generate;
use core::fmt;
use core::hint::black_box;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

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

    /// [`SigningKey::from_bytes`] from a slice of [`Self::MIN_SIZE`] bytes up to the width of the curve. Leading zeros may be
    /// missing, as some programs omit them. Time depends on the number of bytes, not on the bytes.
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

    /// [`Self::scalar_of`] for bytes whose leading zeros may be missing.
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
    /// same function). Constant time where the function is. A function whose digest is longer than its block, for which
    /// HMAC is not defined, does not compile.
    pub fn sign_with_hash<D: Digest + BlockSizeUser>(&self, message: &[u8]) -> Signature<C> {
        self.sign_parts::<D>(&D::digest(message), &[])
    }

    /// Signs a message with 32 random bytes as additional input of the nonce (RFC 6979 section
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
    /// `sign_prehash`, the name in the trait [`PrehashSigner`](crate::ecdsa::PrehashSigner), is another name of it.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`] if there are no bytes.
    pub fn sign_digest_bytes(&self, digest: &[u8]) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        Ok(self.sign_own(digest, &[]))
    }

    /// Signs a digest with the nonce of RFC 6979 for any hash function.
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

    /// Signs a digest as [`SigningKey::sign_digest_with_nonce_hash`] does by the key of these bytes, or with `noise` hedged. The
    /// public key is not made, which takes as long as the signature: for a secret that signs once. Constant time but for
    /// the length of the digest.
    ///
    /// # Errors
    /// Those of [`SigningKey::from_bytes`]; [`Error::DigestEmpty`] if there are no bytes.
    pub fn sign_digest_once<D: Digest + BlockSizeUser>(
        secret: &C::FieldBytes,
        noise: Option<&[u8; 32]>,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let mut d = Self::scalar_of(secret)?;
        let additional = noise.map_or(&[][..], |noise| noise);
        let signature = signed::<C, D>(&d, digest, additional);
        d.zeroize();
        Ok(signature)
    }

    /// Signs as [`SigningKey::sign_digest_bytes`] does, with 32 random bytes as additional input of the
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

    /// Signs a message hashed with the curve's own hash function, and gives the signature out only after these checks, so
    /// that a fault in memory or in the CPU while signing does not publish something that gives the key away. The message is
    /// read and signed twice, with the same signature. That verifies under the key's own public key, encoded and decoded
    /// again, with the message hashed a third time. Takes about three times as long as [`SigningKey::sign_message`].
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

    /// [`SigningKey::sign_checked`] with any hash function.
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

    /// [`SigningKey::sign_checked`] for a digest, with the nonce of [`SigningKey::sign_digest_bytes`].
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

    /// Signs a digest with the nonce for the curve's own hash function, hedged by bytes of a random source.
    #[cfg(feature = "rand_core")]
    pub(in crate::ecdsa) fn sign_with_random<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let mut noise = [0; 32];
        rng.try_fill_bytes(&mut noise).map_err(|_| Error::Randomness)?;
        let signature = self.sign_own(digest, &noise);
        noise.zeroize();
        Ok(signature)
    }

    /// Signs a digest with the nonce for any hash function.
    pub(in crate::ecdsa) fn sign_parts<D: Digest + BlockSizeUser>(
        &self,
        digest: &[u8],
        additional: &[u8],
    ) -> Signature<C> {
        signed::<C, D>(&self.d, digest, additional)
    }
}

/// The signature of a digest with the nonce for any hash function. The stack below is wiped.
fn signed<C: EcdsaCurve, D: Digest + BlockSizeUser>(
    d: &C::Scalar,
    digest: &[u8],
    additional: &[u8],
) -> Signature<C> {
    let mut signature = C::SignatureBytes::ZERO;
    let (r, s) = signature.as_mut().split_at_mut(C::WIDTH);
    sign::sign::<C, D>(d, digest, additional, r, s);
    ct::wipe_stack(ct::StackUse::Single);
    Signature(signature)
}

generate!(SigningKey<C: EcdsaCurve>, "A new key");

impl<C: EcdsaCurve> Drop for SigningKey<C> {
    fn drop(&mut self) {
        self.d.zeroize();
    }
}

impl<C: EcdsaCurve> ZeroizeOnDrop for SigningKey<C> {}

equal_where!([C: EcdsaCurve] SigningKey<C>, |a, b| ct::declassify("keys_equal", a.d.equal(&b.d)));

impl<C: EcdsaCurve> subtle::ConstantTimeEq for SigningKey<C> {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        subtle::Choice::from((self.d.equal(&other.d).word() & 1) as u8)
    }
}

from_slice!([C: EcdsaCurve] SigningKey<C>, from_slice, Error);

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
