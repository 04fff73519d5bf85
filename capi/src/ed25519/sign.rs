//! Keys and signatures.

use crate::fault::{Fault, done, wiped, wiped_after_error, wiped_deep};
use crate::pointer::{Handle, In, Out, Room, content, copy_shared};
use crate::random::random;
use crate::variant::{SignedInput, VariantArg, signed_input_in, variant_in};
use core::ffi::c_int;
use sigmill::Error;
use sigmill::ed25519::{self, ContextString, SharedMessage, Signature, SigningKey, Variant};
use zeroize::Zeroizing;

content!(1: SigningKey = 48);

/// A copy of the 64 bytes of a digest that is to be signed.
fn digest(message: &[u8]) -> Result<[u8; 64], Fault> {
    let mut copy = [0; 64];
    if message.len() != copy.len() {
        return Err(Fault::Length);
    }
    copy_shared(message, 0, &mut copy);
    Ok(copy)
}

/// Messages up to here are copied, which costs less than 1 % of what signing takes. Shorter ones have a frame of their own:
/// the computation uses, and wipes, the stack below, and the less of it lies between, the less is fetched.
const SHORT: usize = 16 * 1024;
const SHORTER: usize = 1024;

/// Signs a message that other code may write to meanwhile: a copy of a short one, and a long one as its type says.
#[inline(always)]
pub(super) fn sign_shared<R>(
    message: &[u8],
    short: impl FnOnce(&[u8]) -> R,
    long: impl FnOnce(&SharedMessage<'_>) -> R,
) -> R {
    if message.len() <= SHORTER {
        return with_copy::<SHORTER, R>(message, short);
    }
    if message.len() <= SHORT {
        return with_copy::<SHORT, R>(message, short);
    }
    let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
    long(&SharedMessage::new(message.len(), &read))
}

/// Signs a copy of the first `ROOM` bytes. It has a frame of its own, below those with secrets, which are wiped.
#[inline(never)]
fn with_copy<const ROOM: usize, R>(message: &[u8], sign: impl FnOnce(&[u8]) -> R) -> R {
    let len = message.len().min(ROOM);
    sign(Room::<ROOM>::new().copy(&message[..len]).unwrap_or_default())
}

/// Signs what a variant says that the message is: itself, as [`sign_shared`], or its digest.
#[inline(always)]
pub(super) fn sign_input(
    variant: In<VariantArg>,
    message: &[u8],
    short: impl FnOnce(Variant<'_>, &[u8]) -> Result<Signature, Error>,
    long: impl FnOnce(Variant<'_>, &SharedMessage<'_>) -> Result<Signature, Error>,
    of_digest: impl FnOnce(ContextString<'_>, &[u8; 64]) -> Result<Signature, Fault>,
) -> Result<Signature, Fault> {
    match signed_input_in(variant, &mut Room::new())? {
        SignedInput::Message(variant) => Ok(sign_shared(
            message,
            |message| short(variant, message),
            |message| long(variant, message),
        )?),
        SignedInput::Digest(context) => of_digest(context, &digest(message)?),
    }
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
        let key = || SigningKey::from_bytes(&seed);
        let signature = sign_input(
            variant,
            message,
            |variant, message| Ok(ed25519::sign_with_seed(&seed, variant, message)),
            |variant, message| ed25519::sign_shared_with_seed(&seed, variant, message),
            |context, digest| Ok(key().sign_prehashed_with(context, digest)),
        )?;
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
        let signature = sign_input(
            variant,
            message,
            |variant, message| ed25519::sign_with_keypair(&pair, variant, message),
            |variant, message| ed25519::sign_shared_with_keypair(&pair, variant, message),
            |context, digest| Ok(key_of_pair(&pair)?.sign_prehashed_with(context, digest)),
        )?;
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
            sign_input(
                variant,
                message.slice(message_size)?,
                |variant, message| Ok(key.sign_with(variant, message)),
                |variant, message| key.sign_shared(variant, message),
                |context, digest| Ok(key.sign_prehashed_with(context, digest)),
            )
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
