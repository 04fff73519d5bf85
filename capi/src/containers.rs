//! Keys in containers: PKCS#8, SEC1 and SubjectPublicKeyInfo, in DER and PEM.

use crate::fault::{Fault, wiped_deep};
use crate::pointer::{In, Out, Room};
use core::ffi::c_int;
use sigmill::Error;
use sigmill::ecdsa::p256::NistP256;
use sigmill::ecdsa::p384::{self, NistP384};
use sigmill::ecdsa::{self, EcdsaCurve};
use sigmill::ed25519::{SigningKey, VerifyingKey};
#[cfg(feature = "x25519")]
use sigmill::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

/// Bytes for any container that is written.
const LONGEST: usize = 512;

const _: () = assert!(
    p384::SigningKey::PRIVATE_KEY_PEM_LENGTH <= LONGEST
        && p384::SigningKey::SEC1_PEM_LENGTH <= LONGEST
        && p384::VerifyingKey::SPKI_PEM_LENGTH <= LONGEST
);

/// The kind of container.
#[derive(Clone, Copy)]
enum Container {
    Pkcs8,
    Sec1,
    Spki,
}

/// How it lies in its bytes.
#[derive(Clone, Copy)]
enum Form {
    Der,
    Pem,
}

fn kind(container: c_int, form: c_int) -> Result<(Container, Form), Fault> {
    let container = match container {
        0 => Container::Pkcs8,
        1 => Container::Sec1,
        2 => Container::Spki,
        _ => return Err(Fault::Algorithm),
    };
    match form {
        0 => Ok((container, Form::Der)),
        1 => Ok((container, Form::Pem)),
        _ => Err(Fault::Algorithm),
    }
}

/// A container that cannot be read, or a key inside that is none.
fn unreadable(error: Error) -> Fault {
    match Fault::from(error) {
        Fault::Length => Fault::Container,
        fault => fault,
    }
}

fn read<C: EcdsaCurve>(
    (container, form): (Container, Form),
    bytes: &[u8],
    put: impl FnOnce(&[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let key = match (container, form) {
        (Container::Pkcs8, Form::Der) => ecdsa::SigningKey::<C>::from_private_key_der(bytes),
        (Container::Pkcs8, Form::Pem) => ecdsa::SigningKey::<C>::read_private_key_pem(bytes),
        (Container::Sec1, Form::Der) => ecdsa::SigningKey::<C>::from_sec1_der(bytes),
        (Container::Sec1, Form::Pem) => ecdsa::SigningKey::<C>::read_sec1_pem(bytes),
        (Container::Spki, form) => {
            let key = match form {
                Form::Der => ecdsa::VerifyingKey::<C>::from_spki_der(bytes),
                Form::Pem => ecdsa::VerifyingKey::<C>::read_spki_pem(bytes),
            };
            return put(key.map_err(unreadable)?.to_sec1_bytes().as_ref());
        }
    };
    put(Zeroizing::new(key.map_err(unreadable)?.to_bytes()).as_ref())
}

fn write<C: EcdsaCurve>(
    (container, form): (Container, Form),
    key: &[u8],
    out: &mut [u8],
) -> Result<usize, Fault> {
    if let Container::Spki = container {
        let key = ecdsa::VerifyingKey::<C>::from_sec1_bytes(key)?;
        return Ok(match form {
            Form::Der => key.write_spki_der(out)?,
            Form::Pem => key.write_spki_pem(out)?,
        });
    }
    if key.len() != size_of::<C::FieldBytes>() {
        return Err(Fault::Length);
    }
    let key = ecdsa::SigningKey::<C>::from_slice(key)?;
    Ok(match (container, form) {
        (Container::Sec1, Form::Der) => key.write_sec1_der(out)?,
        (Container::Sec1, Form::Pem) => key.write_sec1_pem(out)?,
        (_, Form::Der) => key.write_private_key_der(out)?,
        (_, Form::Pem) => key.write_private_key_pem(out)?,
    })
}

fn read_ed25519(
    (container, form): (Container, Form),
    bytes: &[u8],
    put: impl FnOnce(&[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let key = match (container, form) {
        (Container::Pkcs8, Form::Der) => SigningKey::from_private_key_der(bytes),
        (Container::Pkcs8, Form::Pem) => SigningKey::read_private_key_pem(bytes),
        (Container::Sec1, _) => return Err(Fault::Algorithm),
        (Container::Spki, form) => {
            let key = match form {
                Form::Der => VerifyingKey::from_spki_der(bytes),
                Form::Pem => VerifyingKey::read_spki_pem(bytes),
            };
            return put(key.map_err(unreadable)?.as_bytes());
        }
    };
    put(key.map_err(unreadable)?.as_bytes())
}

fn write_ed25519(
    (container, form): (Container, Form),
    key: &[u8],
    out: &mut [u8],
) -> Result<usize, Fault> {
    Ok(match (container, form) {
        (Container::Pkcs8, Form::Der) => SigningKey::decode(key)?.write_private_key_der(out)?,
        (Container::Pkcs8, Form::Pem) => SigningKey::decode(key)?.write_private_key_pem(out)?,
        (Container::Sec1, _) => return Err(Fault::Algorithm),
        (Container::Spki, Form::Der) => VerifyingKey::decode(key)?.write_spki_der(out)?,
        (Container::Spki, Form::Pem) => VerifyingKey::decode(key)?.write_spki_pem(out)?,
    })
}

#[cfg(feature = "x25519")]
fn read_x25519(
    (container, form): (Container, Form),
    bytes: &[u8],
    put: impl FnOnce(&[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let secret = match (container, form) {
        (Container::Pkcs8, Form::Der) => StaticSecret::from_private_key_der(bytes),
        (Container::Pkcs8, Form::Pem) => StaticSecret::read_private_key_pem(bytes),
        (Container::Sec1, _) => return Err(Fault::Algorithm),
        (Container::Spki, form) => {
            let key = match form {
                Form::Der => PublicKey::from_spki_der(bytes),
                Form::Pem => PublicKey::read_spki_pem(bytes),
            };
            return put(key.map_err(unreadable)?.as_bytes());
        }
    };
    put(secret.map_err(unreadable)?.as_bytes())
}

#[cfg(feature = "x25519")]
fn write_x25519(
    (container, form): (Container, Form),
    key: &[u8],
    out: &mut [u8],
) -> Result<usize, Fault> {
    let key: &[u8; 32] = key.try_into().map_err(|_| Fault::Length)?;
    let secret = || StaticSecret::from(*key);
    Ok(match (container, form) {
        (Container::Pkcs8, Form::Der) => secret().write_private_key_der(out)?,
        (Container::Pkcs8, Form::Pem) => secret().write_private_key_pem(out)?,
        (Container::Sec1, _) => return Err(Fault::Algorithm),
        (Container::Spki, Form::Der) => PublicKey::from(*key).write_spki_der(out)?,
        (Container::Spki, Form::Pem) => PublicKey::from(*key).write_spki_pem(out)?,
    })
}

/// Reads a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_key_read(
    algorithm: c_int,
    container: c_int,
    form: c_int,
    key: Out<u8>,
    key_size: Out<usize>,
    bytes: In<u8>,
    size: usize,
) -> c_int {
    wiped_deep(|| {
        let kind = kind(container, form)?;
        key_size.value()?;
        let bytes = bytes.slice(size)?;
        let put = |read: &[u8]| key.put_sized(key_size, read);
        match algorithm {
            1 => read_ed25519(kind, bytes, put),
            2 => read::<NistP256>(kind, bytes, put),
            3 => read::<NistP384>(kind, bytes, put),
            #[cfg(feature = "x25519")]
            4 => read_x25519(kind, bytes, put),
            _ => Err(Fault::Algorithm),
        }
    })
}

/// Writes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_key_write(
    algorithm: c_int,
    container: c_int,
    form: c_int,
    out: Out<u8>,
    out_size: Out<usize>,
    key: In<u8>,
    key_size: usize,
) -> c_int {
    wiped_deep(|| {
        let kind = kind(container, form)?;
        out_size.value()?;
        let key = key.slice(key_size)?;
        // it is read more than once; longer ones are none
        let mut room = Room::<LONGEST>::new();
        let key = room.copy(&key[..key.len().min(LONGEST)]).ok_or(Fault::Internal)?;
        let mut written = Zeroizing::new([0; LONGEST]);
        let len = match algorithm {
            1 => write_ed25519(kind, key, written.as_mut_slice()),
            2 => write::<NistP256>(kind, key, written.as_mut_slice()),
            3 => write::<NistP384>(kind, key, written.as_mut_slice()),
            #[cfg(feature = "x25519")]
            4 => write_x25519(kind, key, written.as_mut_slice()),
            _ => Err(Fault::Algorithm),
        }?;
        out.put_sized(out_size, written.get(..len).ok_or(Fault::Internal)?)
    })
}
