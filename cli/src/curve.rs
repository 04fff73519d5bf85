//! ECDSA for a curve that is a value: what the library has for each curve as a type.
//!
//! Secrets: keys wipe themselves, and what is written of them lives in memory that is wiped.

use crate::alg::{Hash, Scheme, SigFormat};
use crate::form::{Bytes, Form, encode, wiped_text};
use sha2::{Sha256, Sha384, Sha512};
use sigmill::Error;
use sigmill::ecdsa::{Curve, EcdsaCurve, LowS, OnCurve, Signature, SigningKey, VerifyingKey};
use std::marker::PhantomData;
use zeroize::Zeroizing;

/// The content of a container or text.
pub(crate) type Read<T> = Result<T, Error>;

/// A secret key of ECDSA.
pub(crate) type Key = Box<dyn SecretKey>;

/// The operations on it.
pub(crate) trait SecretKey {
    fn curve(&self) -> Curve;
    /// SEC1, uncompressed.
    fn public_key(&self) -> Vec<u8>;
    /// PKCS#8, or the bytes of the integer.
    fn encoded(&self, form: Form) -> Read<Bytes>;
    /// Signs a digest as the scheme says, whose curve is the key's.
    fn sign(&self, scheme: &Scheme, digest: &[u8]) -> Read<Vec<u8>>;
}

impl<C: EcdsaCurve> SecretKey for SigningKey<C> {
    fn curve(&self) -> Curve {
        C::CURVE
    }

    fn public_key(&self) -> Vec<u8> {
        self.verifying_key().to_sec1_bytes().as_ref().to_vec()
    }

    fn encoded(&self, form: Form) -> Read<Bytes> {
        match form {
            Form::Pem => self.to_private_key_pem().map(wiped_text),
            Form::Der => self.to_private_key_der(),
            form => Ok(encode(form, Zeroizing::new(self.to_bytes()).as_ref())),
        }
    }

    fn sign(&self, scheme: &Scheme, digest: &[u8]) -> Read<Vec<u8>> {
        // RFC 6979 takes the function that made the digest; the curve's own, if it is unknown
        let mut signature = match scheme.hash {
            Hash::Sha256 => self.sign_digest_with_nonce_hash::<Sha256>(digest),
            Hash::Sha384 => self.sign_digest_with_nonce_hash::<Sha384>(digest),
            Hash::Sha512 => self.sign_digest_with_nonce_hash::<Sha512>(digest),
            Hash::None => self.sign_digest_bytes(digest),
        }?;
        if scheme.low_s == LowS::Required {
            signature = signature.normalize_s();
        }
        Ok(match scheme.format {
            SigFormat::Raw => signature.to_vec(),
            SigFormat::Der => signature.to_der().as_bytes().to_vec(),
        })
    }
}

/// r and s of a signature, each by itself.
pub(crate) struct Scalars {
    pub(crate) r_in_range: bool,
    pub(crate) s_in_range: bool,
    pub(crate) s_low: bool,
}

/// The reader of keys and signatures of a curve.
pub(crate) trait Reader {
    /// Bytes of a coordinate.
    fn width(&self) -> usize;
    /// A new key from the system's randomness.
    fn generate(&self) -> Result<Key, getrandom::Error>;
    /// A key of PKCS#8.
    fn key_of_der(&self, bytes: &[u8]) -> Read<Key>;
    /// A key of PKCS#8 or ECPrivateKey.
    fn key_of_pem(&self, text: &[u8]) -> Read<Key>;
    /// A key of ECPrivateKey.
    fn key_of_sec1_der(&self, bytes: &[u8]) -> Read<Key>;
    /// A key of the bytes of an integer, all of them: the integers of one curve are not taken for those of another.
    fn key_of_bytes(&self, bytes: &[u8]) -> Read<Key>;
    /// The SEC1 bytes in a SubjectPublicKeyInfo.
    fn public_of_der(&self, bytes: &[u8]) -> Read<Vec<u8>>;
    fn public_of_pem(&self, text: &str) -> Read<Vec<u8>>;
    /// A public key as SubjectPublicKeyInfo, or uncompressed.
    fn public_encoded(&self, bytes: &[u8], form: Form) -> Read<Vec<u8>>;
    fn is_point(&self, key: &[u8]) -> bool;
    fn scalars(&self, format: SigFormat, signature: &[u8]) -> Read<Scalars>;
}

/// The reader of a curve.
pub(crate) fn on(curve: Curve) -> &'static dyn Reader {
    struct Get;
    impl OnCurve for Get {
        type Output = &'static dyn Reader;
        fn on<C: EcdsaCurve>(self) -> &'static dyn Reader {
            &On::<C>(PhantomData)
        }
    }
    curve.with(Get)
}

struct On<C>(PhantomData<C>);

/// A key, where there is no longer a type for its curve.
fn boxed<C: EcdsaCurve>(key: Read<SigningKey<C>>) -> Read<Key> {
    Ok(Box::new(key?))
}

impl<C: EcdsaCurve> Reader for On<C> {
    fn width(&self) -> usize {
        size_of::<C::FieldBytes>()
    }

    fn generate(&self) -> Result<Key, getrandom::Error> {
        Ok(Box::new(SigningKey::<C>::try_random(&mut getrandom::SysRng)?))
    }

    fn key_of_der(&self, bytes: &[u8]) -> Read<Key> {
        boxed(SigningKey::<C>::from_private_key_der(bytes))
    }

    fn key_of_pem(&self, text: &[u8]) -> Read<Key> {
        boxed(SigningKey::<C>::read_private_key_pem(text))
    }

    fn key_of_sec1_der(&self, bytes: &[u8]) -> Read<Key> {
        boxed(SigningKey::<C>::from_sec1_der(bytes))
    }

    fn key_of_bytes(&self, bytes: &[u8]) -> Read<Key> {
        if bytes.len() != self.width() {
            let (what, got) = ("secret key", bytes.len());
            return Err(Error::Length { what, expected: self.width(), got });
        }
        boxed(SigningKey::<C>::from_slice(bytes))
    }

    fn public_of_der(&self, bytes: &[u8]) -> Read<Vec<u8>> {
        VerifyingKey::<C>::bytes_from_spki_der(bytes)
    }

    fn public_of_pem(&self, text: &str) -> Read<Vec<u8>> {
        VerifyingKey::<C>::bytes_from_spki_pem(text)
    }

    fn public_encoded(&self, bytes: &[u8], form: Form) -> Read<Vec<u8>> {
        let key = VerifyingKey::<C>::from_sec1_bytes(bytes)?;
        Ok(match form {
            Form::Pem => key.to_spki_pem()?.into_bytes(),
            Form::Der => key.to_spki_der()?,
            form => encode(form, key.to_sec1_bytes().as_ref()).to_vec(),
        })
    }

    fn is_point(&self, key: &[u8]) -> bool {
        VerifyingKey::<C>::from_sec1_bytes(key).is_ok()
    }

    fn scalars(&self, format: SigFormat, signature: &[u8]) -> Read<Scalars> {
        let width = self.width();
        let mut bytes = match format {
            SigFormat::Der => Signature::<C>::bytes_from_der(signature)?.as_ref().to_vec(),
            SigFormat::Raw => signature.to_vec(),
        };
        if bytes.len() != 2 * width {
            let (what, got) = ("signature", bytes.len());
            return Err(Error::Length { what, expected: 2 * width, got });
        }
        let mut one = vec![0; width];
        one[width - 1] = 1;
        let with_s = Signature::<C>::from_slice(&[&one[..], &bytes[width..]].concat());
        bytes[width..].copy_from_slice(&one);
        Ok(Scalars {
            r_in_range: Signature::<C>::from_slice(&bytes).is_ok(),
            s_in_range: with_s.is_ok(),
            s_low: with_s.is_ok_and(|signature| signature.is_low_s()),
        })
    }
}
