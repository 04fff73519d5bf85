//! SHA-512 of the caller's making.

use crate::fault::{Fault, answer, code, wiped};
use crate::names::rule;
use crate::pointer::{
    HashFinal, HashInit, HashUpdate, In, Opaque, Out, Pieces, copy_shared, hash_by, plain_struct,
};
use core::ffi::c_int;
use sigmill::ed25519::{self, SharedMessage};

plain_struct! {
    /// `struct sigmill_sha512`.
    pub struct Sha512 {
        context: Opaque,
        init: Option<HashInit>,
        update: Option<HashUpdate>,
        finish: Option<HashFinal>,
    }
}

/// The hash of pieces by the caller's functions.
fn own_piece_hash(hash: In<Sha512>) -> Result<impl Fn(&mut Pieces<'_>) -> [u8; 64], Fault> {
    let Sha512 { context, init, update, finish } = *hash.get()?;
    let (Some(init), Some(update), Some(finish)) = (init, update, finish) else {
        return Err(Fault::Null);
    };
    Ok(move |pieces: &mut Pieces<'_>| hash_by(context, (init, update, finish), pieces))
}

/// The same of slices.
fn own_hash(hash: In<Sha512>) -> Result<impl Fn(&[&[u8]]) -> [u8; 64], Fault> {
    let hash = own_piece_hash(hash)?;
    Ok(move |pieces: &[&[u8]]| hash(&mut |update| pieces.iter().for_each(|piece| update(piece))))
}

/// The public key of a seed, by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_public_key_hashed(
    public_key: Out<[u8; 32]>,
    hash: In<Sha512>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = public_key.place()?;
        let hash = own_hash(hash)?;
        place.put(ed25519::public_key_with_hash(&hash, &seed.copied()?));
        Ok(())
    })
}

/// Signs by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign_hashed(
    signature: Out<[u8; 64]>,
    hash: In<Sha512>,
    seed: In<[u8; 32]>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (hash, message) = (own_piece_hash(hash)?, message.slice(message_size)?);
        let seed = seed.copied()?;
        let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
        let message = SharedMessage::new(message.len(), &read);
        let signature = ed25519::sign_shared_with_hash(&hash, &seed, &message)?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Verifies by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verify_hashed(
    rule_number: c_int,
    hash: In<Sha512>,
    public_key: In<u8>,
    public_key_size: usize,
    message: In<u8>,
    message_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    answer(|| {
        let (rule, hash) = (rule(rule_number)?, own_hash(hash)?);
        let key = public_key.slice(public_key_size)?;
        let (message, signature) = (message.slice(message_size)?, signature.slice(signature_size)?);
        Ok(code(ed25519::verify_with_hash(&hash, rule, key, message, signature)))
    })
}
