//! ECDSA on P-256 and P-384.

use crate::fault::{Fault, answer, code, done, wiped};
use crate::pointer::{Handle, In, Out, content};
use crate::scheme::{How, curve, encoding, flag};
use core::ffi::c_int;
use sha2::{Sha256, Sha384, Sha512};
use sigmill::ecdsa::p256::{self, NistP256};
use sigmill::ecdsa::p384::{self, NistP384};
use sigmill::ecdsa::{
    self, ByteArray, Curve, EcdsaCurve, Encoding, LowS, Prehash, Scheme, SigningKey, VerifyingKey,
};

content!(5: Key = 32);

fn scheme(curve_number: c_int, how: In<How>) -> Result<Scheme, Fault> {
    read(how)?.scheme(curve(curve_number)?)
}

fn read(how: In<How>) -> Result<How, Fault> {
    Ok(how.optional()?.copied().unwrap_or_default())
}

/// A secret key of either curve.
#[allow(clippy::large_enum_variant)] // lies in the caller's memory
pub enum Key {
    /// Of P-256.
    P256(p256::SigningKey),
    /// Of P-384.
    P384(p384::SigningKey),
}

impl Key {
    fn new(curve: Curve, secret: In<u8>) -> Result<Self, Fault> {
        Ok(match curve {
            Curve::P256 => {
                Key::P256(p256::SigningKey::from_slice(&secret.cast::<[u8; 32]>().copied()?)?)
            }
            Curve::P384 => {
                Key::P384(p384::SigningKey::from_slice(&secret.cast::<[u8; 48]>().copied()?)?)
            }
            _ => return Err(Fault::Algorithm),
        })
    }

    /// The public key, and its length.
    fn public(&self) -> ([u8; 97], usize) {
        let mut bytes = [0; 97];
        let len = match self {
            Key::P256(key) => {
                bytes[..65].copy_from_slice(&key.verifying_key().to_sec1_bytes());
                65
            }
            Key::P384(key) => {
                bytes = key.verifying_key().to_sec1_bytes();
                97
            }
        };
        (bytes, len)
    }

    /// The key, if it is one of P-256.
    #[cfg(feature = "bulk")]
    pub fn p256(&self) -> Option<&p256::SigningKey> {
        if let Key::P256(key) = self { Some(key) } else { None }
    }

    /// The key, if it is one of P-384.
    #[cfg(feature = "bulk")]
    pub fn p384(&self) -> Option<&p384::SigningKey> {
        if let Key::P384(key) = self { Some(key) } else { None }
    }

    /// Of which it is.
    pub fn curve(&self) -> Curve {
        match self {
            Key::P256(_) => Curve::P256,
            Key::P384(_) => Curve::P384,
        }
    }

    fn sign(&self, scheme: &Scheme, wish: &Wish<'_>) -> Result<Signature, Fault> {
        match self {
            Key::P256(key) => sign(key, scheme, wish),
            Key::P384(key) => sign(key, scheme, wish),
        }
    }
}

/// The message to sign, and whether the signature is checked.
struct Wish<'a> {
    message: &'a [u8],
    /// The hash that has made the message, which is a digest; `None` where it is not said.
    digest_of: Option<Prehash>,
    noise: Option<&'a [u8; 32]>,
    checked: bool,
}

/// A signature in the encoding that was asked for.
struct Signature {
    bytes: [u8; 104],
    len: usize,
}

impl Signature {
    fn of(bytes: &[u8]) -> Self {
        let mut signature = Signature { bytes: [0; 104], len: bytes.len() };
        signature.bytes[..bytes.len()].copy_from_slice(bytes);
        signature
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

fn sign<C: EcdsaCurve>(
    key: &SigningKey<C>,
    scheme: &Scheme,
    wish: &Wish<'_>,
) -> Result<Signature, Fault> {
    let Wish { message, digest_of, noise, checked } = *wish;
    if let Some(hash) = digest_of {
        let signature = match (hash, checked, noise) {
            (Prehash::Sha256, false, None) => key.sign_digest_with_nonce_hash::<Sha256>(message)?,
            (Prehash::Sha384, false, None) => key.sign_digest_with_nonce_hash::<Sha384>(message)?,
            (Prehash::Sha512, false, None) => key.sign_digest_with_nonce_hash::<Sha512>(message)?,
            _ => return Err(Fault::Algorithm),
        };
        return write(&signature, scheme.encoding, scheme.low_s == LowS::Required);
    }
    let signature = match (scheme.prehash, checked, noise) {
        (Prehash::None, true, _) => key.sign_digest_checked(noise, message)?,
        (Prehash::None, false, None) => key.sign_digest_bytes(message)?,
        (Prehash::None, false, Some(noise)) => key.sign_digest_hedged(noise, message)?,
        (Prehash::Sha256, true, _) => key.sign_checked_with_hash::<Sha256>(noise, message)?,
        (Prehash::Sha384, true, _) => key.sign_checked_with_hash::<Sha384>(noise, message)?,
        (Prehash::Sha512, true, _) => key.sign_checked_with_hash::<Sha512>(noise, message)?,
        (Prehash::Sha256, false, None) => key.sign_with_hash::<Sha256>(message),
        (Prehash::Sha384, false, None) => key.sign_with_hash::<Sha384>(message),
        (Prehash::Sha512, false, None) => key.sign_with_hash::<Sha512>(message),
        (Prehash::Sha256, false, Some(noise)) => {
            key.sign_hedged_with_hash::<Sha256>(noise, message)
        }
        (Prehash::Sha384, false, Some(noise)) => {
            key.sign_hedged_with_hash::<Sha384>(noise, message)
        }
        (Prehash::Sha512, false, Some(noise)) => {
            key.sign_hedged_with_hash::<Sha512>(noise, message)
        }
        _ => return Err(Fault::Algorithm),
    };
    write(&signature, scheme.encoding, scheme.low_s == LowS::Required)
}

fn write<C: EcdsaCurve>(
    signature: &ecdsa::Signature<C>,
    encoding: Encoding,
    low_s: bool,
) -> Result<Signature, Fault> {
    let signature = if low_s { signature.normalize_s() } else { *signature };
    match encoding {
        Encoding::Fixed => Ok(Signature::of(signature.as_ref())),
        Encoding::Der => Ok(Signature::of(signature.to_der().as_bytes())),
        _ => Err(Fault::Algorithm),
    }
}

/// Makes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_keygen(
    curve_number: c_int,
    secret: Out<u8>,
    public_key: Out<u8>,
) -> c_int {
    /// One integer in 2^32 is out of range on P-256: a source that gives 64 of them is broken.
    const TRIALS: usize = 64;

    fn make<C: EcdsaCurve>(secret: Out<u8>, public_key: Out<u8>) -> Result<(), Fault> {
        let mut bytes = zeroize::Zeroizing::new(C::FieldBytes::ZERO);
        for _ in 0..TRIALS {
            getrandom::fill(bytes.as_mut()).map_err(|_| Fault::Randomness)?;
            if let Ok(key) = SigningKey::<C>::from_bytes(&bytes) {
                public_key.put_all(key.verifying_key().to_sec1_bytes().as_ref())?;
                return secret.put_all(bytes.as_ref());
            }
        }
        Err(Fault::Randomness)
    }

    wiped(|| {
        let curve = curve(curve_number)?;
        secret.place()?;
        public_key.place()?;
        match curve {
            Curve::P256 => make::<NistP256>(secret, public_key),
            Curve::P384 => make::<NistP384>(secret, public_key),
            _ => Err(Fault::Algorithm),
        }
    })
}

/// The public key of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_public_key(
    curve_number: c_int,
    public_key: Out<u8>,
    secret: In<u8>,
) -> c_int {
    wiped(|| {
        let curve = curve(curve_number)?;
        public_key.place()?;
        let (bytes, len) = Key::new(curve, secret)?.public();
        public_key.put_all(&bytes[..len])
    })
}

fn put_key<C: EcdsaCurve>(
    bytes: &[u8],
    compressed: bool,
    out: Out<u8>,
    out_size: Out<usize>,
) -> Result<(), Fault> {
    let key = VerifyingKey::<C>::from_sec1_bytes(bytes)?;
    if compressed {
        out.put_sized(out_size, key.to_sec1_compressed().as_ref())
    } else {
        out.put_sized(out_size, key.to_sec1_bytes().as_ref())
    }
}

/// A public key in another form.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_convert_key(
    curve_number: c_int,
    compressed: c_int,
    out: Out<u8>,
    out_size: Out<usize>,
    public_key: In<u8>,
    public_key_size: usize,
) -> c_int {
    done(|| {
        let (curve, compressed) = (curve(curve_number)?, flag(compressed)?);
        let bytes = public_key.slice(public_key_size)?;
        match curve {
            Curve::P256 => put_key::<NistP256>(bytes, compressed, out, out_size),
            Curve::P384 => put_key::<NistP384>(bytes, compressed, out, out_size),
            _ => Err(Fault::Algorithm),
        }
    })
}

fn converted<C: EcdsaCurve>(
    bytes: &[u8],
    from: Encoding,
    to: Encoding,
    low_s: bool,
) -> Result<Signature, Fault> {
    let read = match from {
        Encoding::Fixed => ecdsa::Signature::<C>::from_slice(bytes),
        Encoding::Der => ecdsa::Signature::<C>::from_der(bytes),
        _ => return Err(Fault::Algorithm),
    };
    write(&read.map_err(|_| Fault::Signature)?, to, low_s)
}

/// A signature in another encoding.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_convert_signature(
    curve_number: c_int,
    from: c_int,
    to: c_int,
    low_s: c_int,
    out: Out<u8>,
    out_size: Out<usize>,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    done(|| {
        let (curve, low_s) = (curve(curve_number)?, flag(low_s)?);
        let (from, to) = (encoding(from)?, encoding(to)?);
        let bytes = signature.slice(signature_size)?;
        let written = match curve {
            Curve::P256 => converted::<NistP256>(bytes, from, to, low_s),
            Curve::P384 => converted::<NistP384>(bytes, from, to, low_s),
            _ => Err(Fault::Algorithm),
        };
        out.put_sized(out_size, written?.bytes())
    })
}

/// Signs with a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_sign(
    curve_number: c_int,
    how: In<How>,
    signature: Out<u8>,
    signature_size: Out<usize>,
    secret: In<u8>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        signature_size.value()?;
        let how = read(how)?;
        let scheme = how.scheme(curve(curve_number)?)?;
        let message = message.slice(message_size)?;
        let key = Key::new(scheme.curve, secret)?;
        let digest_of = how.digest_of();
        let made = key.sign(&scheme, &Wish { message, digest_of, noise: None, checked: false })?;
        signature.put_sized(signature_size, made.bytes())
    })
}

/// Verifies.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_verify(
    curve_number: c_int,
    how: In<How>,
    public_key: In<u8>,
    public_key_size: usize,
    message: In<u8>,
    message_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    answer(|| {
        let scheme = scheme(curve_number, how)?;
        let key = public_key.slice(public_key_size)?;
        let (message, signature) = (message.slice(message_size)?, signature.slice(signature_size)?);
        Ok(code(scheme.verify(key, message, signature)))
    })
}

/// Makes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_key_init(
    key: Handle<Key>,
    curve_number: c_int,
    secret: In<u8>,
) -> c_int {
    wiped(|| {
        key.check()?;
        let made = Key::new(curve(curve_number)?, secret)?;
        key.set(made)
    })
}

/// Its public key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_key_public(key: Handle<Key>, public_key: Out<u8>) -> c_int {
    done(|| {
        public_key.place()?;
        let (bytes, len) = key.using(|key| Ok(key.public()))?;
        public_key.put_all(&bytes[..len])
    })
}

/// Signs.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_key_sign(
    key: Handle<Key>,
    how: In<How>,
    signature: Out<u8>,
    signature_size: Out<usize>,
    message: In<u8>,
    message_size: usize,
    noise: In<[u8; 32]>,
    checked: c_int,
) -> c_int {
    wiped(|| {
        signature_size.value()?;
        let made = key.using(|key| {
            let how = read(how)?;
            let scheme = how.scheme(key.curve())?;
            let (message, digest_of) = (message.slice(message_size)?, how.digest_of());
            let (noise, checked) = (noise.optional()?, flag(checked)?);
            let wish = Wish { message, digest_of, noise, checked };
            key.sign(&scheme, &wish)
        })?;
        signature.put_sized(signature_size, made.bytes())
    })
}

/// Wipes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ecdsa_key_wipe(key: Handle<Key>) -> c_int {
    done(|| key.clear())
}
