//! X25519: agreement on a secret.

use crate::arena::{call, exactly, put};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{PublicKey, StaticSecret};

/// Writes the public key of a secret one.
#[unsafe(no_mangle)]
pub extern "C" fn x25519_public_key(secret: usize) -> i32 {
    call([secret], |[secret], result| {
        let secret = StaticSecret::from(*exactly(secret)?);
        put(result, PublicKey::from(&secret).as_bytes())
    })
}

/// Writes the shared secret of secret ‖ public key; a fault where it is zero.
#[unsafe(no_mangle)]
pub extern "C" fn x25519_shared(secret: usize, public: usize) -> i32 {
    call([secret, public], |[secret, public], result| {
        let secret = StaticSecret::from(*exactly(secret)?);
        put(result, secret.agree(&PublicKey::from(*exactly(public)?))?.as_bytes())
    })
}

/// Writes the secret key that belongs to a seed of Ed25519.
#[unsafe(no_mangle)]
pub extern "C" fn x25519_secret_of_ed25519(seed: usize) -> i32 {
    call([seed], |[seed], result| {
        put(result, StaticSecret::from(&SigningKey::from_bytes(exactly(seed)?)).as_bytes())
    })
}

/// Writes the public key that belongs to one of Ed25519.
#[unsafe(no_mangle)]
pub extern "C" fn x25519_public_of_ed25519(key: usize) -> i32 {
    call([key], |[key], result| {
        put(result, PublicKey::from(&VerifyingKey::decode(key)?).as_bytes())
    })
}
