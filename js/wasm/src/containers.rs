//! Keys in PKCS#8, ECPrivateKey and SubjectPublicKeyInfo, in DER and PEM.

#[cfg(feature = "x25519")]
use crate::arena::exactly;
use crate::arena::{RESULT, call, put};
use crate::fault::Fault;
use sigmill::Error;
#[cfg(feature = "ecdsa")]
use sigmill::ecdsa::{self, EcdsaCurve, p256::NistP256, p384::NistP384};
use sigmill::ed25519::{SigningKey, VerifyingKey};
#[cfg(feature = "x25519")]
use sigmill::x25519::{PublicKey, StaticSecret};

/// A container and its form, by number: 0 and 1 are PKCS#8 in DER and PEM, 2 and 3 SubjectPublicKeyInfo, 4 and 5
/// ECPrivateKey.
#[derive(Clone, Copy)]
enum Container {
    Pkcs8Der,
    Pkcs8Pem,
    SpkiDer,
    SpkiPem,
    Sec1Der,
    Sec1Pem,
}

impl Container {
    fn of(number: u32) -> Result<Self, Fault> {
        use Container::*;
        let all = [Pkcs8Der, Pkcs8Pem, SpkiDer, SpkiPem, Sec1Der, Sec1Pem];
        all.get(number as usize).copied().ok_or(Fault::Call)
    }
}

/// Writes the key by itself that a container holds. Algorithms: 0 Ed25519, 1 X25519, 2 P-256, 3 P-384.
#[unsafe(no_mangle)]
pub extern "C" fn key_read(algorithm: u32, container: u32, bytes: usize) -> i32 {
    call([bytes], |[bytes], result| {
        let container = Container::of(container)?;
        match algorithm {
            0 => read_ed25519(container, bytes, result),
            #[cfg(feature = "x25519")]
            1 => read_x25519(container, bytes, result),
            #[cfg(feature = "ecdsa")]
            2 => read_ecdsa::<NistP256>(container, bytes, result),
            #[cfg(feature = "ecdsa")]
            3 => read_ecdsa::<NistP384>(container, bytes, result),
            _ => Err(Fault::Call),
        }
    })
}

/// Writes a key in a container.
#[unsafe(no_mangle)]
pub extern "C" fn key_write(algorithm: u32, container: u32, key: usize) -> i32 {
    call([key], |[key], result| {
        let container = Container::of(container)?;
        match algorithm {
            0 => write_ed25519(container, key, result),
            #[cfg(feature = "x25519")]
            1 => write_x25519(container, key, result),
            #[cfg(feature = "ecdsa")]
            2 => write_ecdsa::<NistP256>(container, key, result),
            #[cfg(feature = "ecdsa")]
            3 => write_ecdsa::<NistP384>(container, key, result),
            _ => Err(Fault::Call),
        }
    })
}

fn written(length: Result<usize, Error>) -> Result<usize, Fault> {
    Ok(length?)
}

fn read_ed25519(
    container: Container,
    bytes: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    match container {
        Container::Pkcs8Der => put(result, SigningKey::from_private_key_der(bytes)?.as_bytes()),
        Container::Pkcs8Pem => put(result, SigningKey::read_private_key_pem(bytes)?.as_bytes()),
        Container::SpkiDer => put(result, VerifyingKey::from_spki_der(bytes)?.as_bytes()),
        Container::SpkiPem => put(result, VerifyingKey::read_spki_pem(bytes)?.as_bytes()),
        _ => Err(Fault::Call),
    }
}

fn write_ed25519(
    container: Container,
    key: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    match container {
        Container::Pkcs8Der => written(SigningKey::decode(key)?.write_private_key_der(result)),
        Container::Pkcs8Pem => written(SigningKey::decode(key)?.write_private_key_pem(result)),
        Container::SpkiDer => written(VerifyingKey::decode(key)?.write_spki_der(result)),
        Container::SpkiPem => written(VerifyingKey::decode(key)?.write_spki_pem(result)),
        _ => Err(Fault::Call),
    }
}

#[cfg(feature = "x25519")]
fn read_x25519(
    container: Container,
    bytes: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    match container {
        Container::Pkcs8Der => put(result, StaticSecret::from_private_key_der(bytes)?.as_bytes()),
        Container::Pkcs8Pem => put(result, StaticSecret::read_private_key_pem(bytes)?.as_bytes()),
        Container::SpkiDer => put(result, PublicKey::from_spki_der(bytes)?.as_bytes()),
        Container::SpkiPem => put(result, PublicKey::read_spki_pem(bytes)?.as_bytes()),
        _ => Err(Fault::Call),
    }
}

#[cfg(feature = "x25519")]
fn write_x25519(
    container: Container,
    key: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    let key = *exactly(key)?;
    match container {
        Container::Pkcs8Der => written(StaticSecret::from(key).write_private_key_der(result)),
        Container::Pkcs8Pem => written(StaticSecret::from(key).write_private_key_pem(result)),
        Container::SpkiDer => written(PublicKey::from(key).write_spki_der(result)),
        Container::SpkiPem => written(PublicKey::from(key).write_spki_pem(result)),
        _ => Err(Fault::Call),
    }
}

#[cfg(feature = "ecdsa")]
fn read_ecdsa<C: EcdsaCurve>(
    container: Container,
    bytes: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    type Secret<C> = ecdsa::SigningKey<C>;
    type Public<C> = ecdsa::VerifyingKey<C>;
    let secret = match container {
        Container::Pkcs8Der => Secret::<C>::from_private_key_der(bytes)?,
        Container::Sec1Der => Secret::<C>::from_sec1_der(bytes)?,
        Container::Pkcs8Pem | Container::Sec1Pem => Secret::<C>::read_private_key_pem(bytes)?,
        Container::SpkiDer => {
            return put(result, Public::<C>::from_spki_der(bytes)?.to_sec1_bytes().as_ref());
        }
        Container::SpkiPem => {
            return put(result, Public::<C>::read_spki_pem(bytes)?.to_sec1_bytes().as_ref());
        }
    };
    put(result, zeroize::Zeroizing::new(secret.to_bytes()).as_ref())
}

#[cfg(feature = "ecdsa")]
fn write_ecdsa<C: EcdsaCurve>(
    container: Container,
    key: &[u8],
    result: &mut [u8; RESULT],
) -> Result<usize, Fault> {
    let secret = || ecdsa::SigningKey::<C>::from_slice(key);
    let public = || ecdsa::VerifyingKey::<C>::from_sec1_bytes(key);
    written(match container {
        Container::Pkcs8Der => secret()?.write_private_key_der(result),
        Container::Pkcs8Pem => secret()?.write_private_key_pem(result),
        Container::Sec1Der => secret()?.write_sec1_der(result),
        Container::Sec1Pem => secret()?.write_sec1_pem(result),
        Container::SpkiDer => public()?.write_spki_der(result),
        Container::SpkiPem => public()?.write_spki_pem(result),
    })
}
