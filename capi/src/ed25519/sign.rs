//! Keys and signatures.

use crate::fault::{Fault, done, wiped, wiped_after_error, wiped_deep};
use crate::pointer::{Handle, In, Out, Room, content, copy_shared};
use crate::random::random;
use crate::variant::{SignedInput, VariantArg, signed_input_in, variant_in};
use core::ffi::c_int;
use sigmill::Error;
use sigmill::ed25519::{self, SharedMessage, Signature, SigningKey, Variant};
use zeroize::Zeroizing;

content!(1: SigningKey = 48);

/// A copy of the 64 bytes of a digest that is to be signed.
pub(super) fn digest(message: &[u8]) -> Result<[u8; 64], Fault> {
    let mut copy = [0; 64];
    if message.len() != copy.len() {
        return Err(Fault::Length);
    }
    copy_shared(message, 0, &mut copy);
    Ok(copy)
}

/// Messages up to here are copied, which costs less than 1 % of what signing takes.
const SHORT: usize = 16 * 1024;

/// Signs a message that other code may write to meanwhile: a copy of a short one, and a long one as its type says. The copy
/// has a frame of its own, below those with secrets, which are wiped.
#[inline(never)]
pub(super) fn sign_shared<R>(
    message: &[u8],
    short: impl FnOnce(&[u8]) -> R,
    long: impl FnOnce(&SharedMessage<'_>) -> R,
) -> R {
    if let Some(copy) = Room::<SHORT>::new().copy(message) {
        return short(copy);
    }
    let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
    long(&SharedMessage::new(message.len(), &read))
}

/// The same with a key.
pub fn sign_with_key(
    key: &SigningKey,
    variant: Variant<'_>,
    message: &[u8],
) -> Result<Signature, Error> {
    let short = |message: &[u8]| Ok(key.sign_with(variant, message));
    sign_shared(message, short, |message| key.sign_shared(variant, message))
}

/// Makes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_keygen(seed: Out<[u8; 32]>, public_key: Out<[u8; 32]>) -> c_int {
    wiped(|| {
        let (seed, public_key) = (seed.place()?, public_key.place()?);
        let made = random()?;
        public_key.put(SigningKey::from_bytes(&made).verifying_key().to_bytes());
        seed.put(*made);
        Ok(())
    })
}

/// The public key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_public_key(
    public_key: Out<[u8; 32]>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let public_key = public_key.place()?;
        public_key.put(SigningKey::from_bytes(&seed.copied()?).verifying_key().to_bytes());
        Ok(())
    })
}

/// Signs with a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign(
    signature: Out<[u8; 64]>,
    seed: In<[u8; 32]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (seed, message) = (seed.copied()?, message.slice(message_size)?);
        let signature = match signed_input_in(variant, &mut Room::new())? {
            SignedInput::Message(variant) => sign_shared(
                message,
                |message| Ok(ed25519::sign_with_seed(&seed, variant, message)),
                |message| ed25519::sign_shared_with_seed(&seed, variant, message),
            )?,
            SignedInput::Digest(context) => {
                SigningKey::from_bytes(&seed).sign_prehashed_with(context, &digest(message)?)
            }
        };
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs with a seed and its public key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign_pair(
    signature: Out<[u8; 64]>,
    pair: In<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (pair, message) = (pair.copied()?, message.slice(message_size)?);
        let signature = match signed_input_in(variant, &mut Room::new())? {
            SignedInput::Message(variant) => sign_shared(
                message,
                |message| ed25519::sign_with_keypair(&pair, variant, message),
                |message| ed25519::sign_shared_with_keypair(&pair, variant, message),
            )?,
            SignedInput::Digest(context) => {
                let digest = digest(message)?;
                key_of_pair(&pair)?.sign_prehashed_with(context, &digest)
            }
        };
        place.put(signature.to_bytes());
        Ok(())
    })
}

fn key_of_pair(pair: &[u8; 64]) -> Result<SigningKey, Fault> {
    SigningKey::from_keypair_bytes(pair).map_err(|_| Fault::Pair)
}

/// Makes a key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_init(key: Handle<SigningKey>, seed: In<[u8; 32]>) -> c_int {
    wiped(|| {
        key.check()?;
        let made = SigningKey::from_bytes(&seed.copied()?);
        key.set(made)
    })
}

/// Makes a key of a pair.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_init_pair(
    key: Handle<SigningKey>,
    pair: In<[u8; 64]>,
) -> c_int {
    wiped(|| {
        key.check()?;
        let made = key_of_pair(&pair.copied()?)?;
        key.set(made)
    })
}

/// Its public key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_public(
    key: Handle<SigningKey>,
    public_key: Out<[u8; 32]>,
) -> c_int {
    done(|| {
        let place = public_key.place()?;
        place.put(key.using(|key| Ok(key.verifying_key().to_bytes()))?);
        Ok(())
    })
}

/// Its seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_seed(key: Handle<SigningKey>, seed: Out<[u8; 32]>) -> c_int {
    wiped(|| {
        let place = seed.place()?;
        place.put(key.using(|key| Ok(*key.as_bytes()))?);
        Ok(())
    })
}

/// Signs.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped_after_error(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            match signed_input_in(variant, &mut Room::new())? {
                SignedInput::Message(variant) => Ok(sign_with_key(key, variant, message)?),
                SignedInput::Digest(context) => {
                    Ok(key.sign_prehashed_with(context, &digest(message)?))
                }
            }
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs with random bytes in the nonce.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign_hedged(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
    noise: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            let mut room = Room::new();
            let variant = variant_in(variant, &mut room)?;
            let noise = match noise.optional()? {
                Some(noise) => Zeroizing::new(*noise),
                None => random()?,
            };
            Ok(sign_shared(
                message,
                |message| Ok(key.sign_hedged(variant, &noise, message)),
                |message| key.sign_shared_hedged(variant, &noise, message),
            )?)
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs, and looks at what came out.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign_checked(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
    noise: In<[u8; 32]>,
) -> c_int {
    wiped_deep(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            let mut room = Room::new();
            let (variant, noise) = (variant_in(variant, &mut room)?, noise.optional()?);
            let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
            let message = SharedMessage::new(message.len(), &read);
            Ok(key.sign_shared_checked(variant, noise, &message)?)
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Wipes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_wipe(key: Handle<SigningKey>) -> c_int {
    done(|| key.clear())
}
