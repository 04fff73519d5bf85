//! ECDSA on P-256 and P-384.

use crate::arena::{RESULT, ask, call, noise, put};
use crate::fault::Fault;
use crate::objects::{Object, One, keep, with};
use sigmill::ecdsa::{
    ByteArray, Curve, Digest, EcdsaCurve, Encoding, LowS, Prehash, Scheme, Sha256, Sha384, Sha512,
    Signature, SigningKey, VerifyingKey, p256::NistP256, p384::NistP384,
};

/// An expression about curve `$C`, by its number.
macro_rules! on_curve {
    ($number:expr, $C:ident => $does:expr) => {
        match $number {
            0 => {
                type $C = NistP256;
                $does
            }
            1 => {
                type $C = NistP384;
                $does
            }
            _ => Err(Fault::Call),
        }
    };
}

/// 0 is P-256, 1 P-384.
pub(crate) fn curve(number: u32) -> Result<Curve, Fault> {
    Curve::ALL.get(number as usize).copied().ok_or(Fault::Call)
}

/// 0 is SHA-256, 1 SHA-384, 2 SHA-512, 3 none.
pub(crate) fn prehash(number: u32) -> Result<Prehash, Fault> {
    match number {
        0 => Ok(Prehash::Sha256),
        1 => Ok(Prehash::Sha384),
        2 => Ok(Prehash::Sha512),
        3 => Ok(Prehash::None),
        _ => Err(Fault::Call),
    }
}

/// A scheme by its numbers; `der` and `low_s` are 0 or 1.
pub(crate) fn scheme(number: u32, hash: u32, der: u32, low_s: u32) -> Result<Scheme, Fault> {
    Ok(Scheme {
        curve: curve(number)?,
        prehash: prehash(hash)?,
        encoding: if der == 0 { Encoding::Fixed } else { Encoding::Der },
        low_s: if low_s == 0 { LowS::Any } else { LowS::Required },
    })
}

/// Verifies key ‖ message ‖ signature: 0, or the code of the reason.
#[unsafe(no_mangle)]
pub extern "C" fn ecdsa_verify(
    number: u32,
    hash: u32,
    der: u32,
    low_s: u32,
    key: usize,
    message: usize,
    signature: usize,
) -> i32 {
    ask([key, message, signature], |[key, message, signature]| {
        Ok(scheme(number, hash, der, low_s)?.verify(key, message, signature).code().into())
    })
}

/// Writes a public key in the form that is asked for.
#[unsafe(no_mangle)]
pub extern "C" fn ecdsa_point(number: u32, compressed: u32, key: usize) -> i32 {
    call(
        [key],
        |[key], result| on_curve!(number, C => point(&VerifyingKey::<C>::from_sec1_bytes(key)?, compressed, result)),
    )
}

/// Writes the public key of a secret one.
#[unsafe(no_mangle)]
pub extern "C" fn ecdsa_public_key(number: u32, compressed: u32, secret: usize) -> i32 {
    call(
        [secret],
        |[secret], result| on_curve!(number, C => point(whole::<C>(secret)?.verifying_key(), compressed, result)),
    )
}

fn point<C: EcdsaCurve>(
    key: &VerifyingKey<C>,
    compressed: u32,
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    match compressed {
        0 => put(result, key.to_sec1_bytes().as_ref()),
        _ => put(result, key.to_sec1_compressed().as_ref()),
    }
}

/// Keeps a secret key: its handle.
#[unsafe(no_mangle)]
pub extern "C" fn ecdsa_key(number: u32, secret: usize) -> i32 {
    call([secret], |[secret], _| {
        keep(match number {
            0 => Object::P256(One::new(|| whole(secret))?),
            1 => Object::P384(One::new(|| whole(secret))?),
            _ => return Err(Fault::Call),
        })
    })
}

/// The key of a secret with all its bytes: `SigningKey::from_slice` would take fewer.
fn whole<C: EcdsaCurve>(secret: &[u8]) -> Result<SigningKey<C>, Fault> {
    Ok(SigningKey::from_bytes(C::FieldBytes::of(secret).ok_or(Fault::Length)?)?)
}

/// Signs secret ‖ noise ‖ message. A key that was kept has a handle, and no secret is given; without noise the signature is
/// deterministic (RFC 6979). With `low_s`, s is at most half of the order. Flags: 1 for DER, 2 for low s, 4 for a signature
/// that is made twice and verified.
#[unsafe(no_mangle)]
pub extern "C" fn ecdsa_sign(
    number: u32,
    handle: usize,
    hash: u32,
    flags: u32,
    secret: usize,
    noise_length: usize,
    message: usize,
) -> i32 {
    call([secret, noise_length, message], |[secret, random, message], result| {
        let work = Work { hash: prehash(hash)?, flags, noise: noise(random)?, message };
        if handle == 0 {
            return on_curve!(number, C => work.sign_by::<C>(secret, result));
        }
        with(handle, |object| match (number, object) {
            (0, Object::P256(key)) => work.put(work.signature(key.get()?)?, result),
            (1, Object::P384(key)) => work.put(work.signature(key.get()?)?, result),
            _ => Err(Fault::Handle),
        })
    })
}

struct Work<'a> {
    hash: Prehash,
    flags: u32,
    noise: Option<&'a [u8; 32]>,
    message: &'a [u8],
}

impl Work<'_> {
    /// Signs by a secret key. Its public key is made only to check the signature.
    fn sign_by<C: EcdsaCurve>(
        &self,
        secret: &[u8],
        result: &mut [u8; RESULT],
    ) -> Result<usize, Fault> {
        let signature = match self.flags & 4 {
            0 => self.signature_by(C::FieldBytes::of(secret).ok_or(Fault::Length)?)?,
            _ => self.signature(&whole::<C>(secret)?)?,
        };
        self.put(signature, result)
    }

    fn signature_by<C: EcdsaCurve>(&self, secret: &C::FieldBytes) -> Result<Signature<C>, Fault> {
        let (noise, message) = (self.noise, self.message);
        macro_rules! digest {
            ($hash:ty, $digest:expr) => {
                SigningKey::<C>::sign_digest_once::<$hash>(secret, noise, $digest)?
            };
        }
        Ok(match (self.hash, C::CURVE.own_hash()) {
            (Prehash::Sha256, _) => digest!(Sha256, &Sha256::digest(message)),
            (Prehash::Sha384, _) => digest!(Sha384, &Sha384::digest(message)),
            (Prehash::Sha512, _) => digest!(Sha512, &Sha512::digest(message)),
            (_, Prehash::Sha384) => digest!(Sha384, message),
            (_, _) => digest!(Sha256, message),
        })
    }

    /// Writes a signature in the form that is asked for.
    fn put<C: EcdsaCurve>(
        &self,
        mut signature: Signature<C>,
        result: &mut [u8; RESULT],
    ) -> Result<usize, Fault> {
        if self.flags & 2 != 0 {
            signature = signature.normalize_s();
        }
        match self.flags & 1 {
            0 => put(result, signature.to_bytes().as_ref()),
            _ => put(result, signature.to_der().as_bytes()),
        }
    }

    fn signature<C: EcdsaCurve>(&self, key: &SigningKey<C>) -> Result<Signature<C>, Fault> {
        let (checked, message) = (self.flags & 4 != 0, self.message);
        macro_rules! hashed {
            ($hash:ty) => {
                match (checked, self.noise) {
                    (true, noise) => key.sign_checked_with_hash::<$hash>(noise, message)?,
                    (false, Some(noise)) => key.sign_hedged_with_hash::<$hash>(noise, message),
                    (false, None) => key.sign_with_hash::<$hash>(message),
                }
            };
        }
        Ok(match self.hash {
            Prehash::Sha256 => hashed!(Sha256),
            Prehash::Sha384 => hashed!(Sha384),
            Prehash::Sha512 => hashed!(Sha512),
            _ => match (checked, self.noise) {
                (true, noise) => key.sign_digest_checked(noise, message)?,
                (false, Some(noise)) => key.sign_digest_hedged(noise, message)?,
                (false, None) => key.sign_digest_bytes(message)?,
            },
        })
    }
}
