//! X25519.

use crate::fault::{Fault, done, wiped};
use crate::pointer::{In, Out};
use crate::random::random;
use core::ffi::c_int;
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{PublicKey, StaticSecret};

/// Makes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_x25519_keygen(secret: Out<[u8; 32]>, public_key: Out<[u8; 32]>) -> c_int {
    wiped(|| {
        let (secret, public_key) = (secret.place()?, public_key.place()?);
        let made = random()?;
        public_key.put(PublicKey::from(&StaticSecret::from(*made)).to_bytes());
        secret.put(*made);
        Ok(())
    })
}

/// The public key of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_x25519_public_key(
    public_key: Out<[u8; 32]>,
    secret: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = public_key.place()?;
        place.put(PublicKey::from(&StaticSecret::from(*secret.get()?)).to_bytes());
        Ok(())
    })
}

/// The shared secret.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_x25519(
    shared: Out<[u8; 32]>,
    secret: In<[u8; 32]>,
    public_key: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = shared.place()?;
        let secret = StaticSecret::from(*secret.get()?);
        let shared = secret.agree(&PublicKey::from(*public_key.get()?))?;
        place.put(*shared.as_bytes());
        Ok(())
    })
}

/// The secret key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_x25519_secret_from_ed25519(
    secret: Out<[u8; 32]>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = secret.place()?;
        let key = SigningKey::from_bytes(seed.get()?);
        place.put(*StaticSecret::from(&key).as_bytes());
        Ok(())
    })
}

/// The public key of one of Ed25519.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_x25519_public_from_ed25519(
    public_key: Out<[u8; 32]>,
    ed25519_public_key: In<[u8; 32]>,
) -> c_int {
    done(|| {
        let place = public_key.place()?;
        let key = VerifyingKey::decode(ed25519_public_key.get()?).map_err(|_| Fault::PublicKey)?;
        place.put(PublicKey::from(&key).to_bytes());
        Ok(())
    })
}
