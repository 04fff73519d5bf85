//! Signing messages in memory that other code may write to: a mapped file, memory of another process, a buffer of a
//! language without Rust's borrows.
//!
//! Ed25519 reads a message twice, for the nonce r and for k. Two signatures with one r and different k give the
//! secret scalar away, a = (S − S')/(k − k'), so that both passes must have seen the same bytes:
//!
//! - A short message is copied once, and the copy is signed.
//! - A longer one is copied piece by piece. In the second pass each piece goes into the hash behind k and into a
//!   second SHA-512(dom ‖ prefix ‖ M), side by side in lanes. S is computed only if this equals the digest that r came
//!   from: both digests are then of the bytes that k has seen. A third pass in place of the common piece would not
//!   do, since memory that changes can change back.
//! - Ed25519ph signs SHA-512 of the message, which is read once.
//!
//! Secrets: the copies are messages and public; all else as in `signing`.

use super::bytes::halves;
use super::sign::{Expanded, Nonce};
use super::signing::{SigningKey, check_pair, sign_feeding, sign_with_keypair, sign_with_seed};
use super::variant::{MessageHash, Variant};
use super::{SecretKey, Signature};
use crate::ct::{self, declassify};
use crate::error::Error;
use crate::hash::{Sha512, Sha512Pair};
use crate::scalar::l25519::Scalar;
use core::fmt;
use core::sync::atomic::{Ordering, compiler_fence};
use zeroize::Zeroizing;

/// Bytes up to which a message is copied whole, and bytes of a piece of a longer one.
const PIECE: usize = 2048;

/// A message in memory that other code may write to while it is signed.
///
/// ```
/// use sigmill::ed25519::{SharedMessage, Signer, SigningKey, Variant};
/// use std::sync::atomic::{AtomicU8, Ordering};
///
/// let memory: Vec<AtomicU8> = b"attack at dawn".iter().copied().map(AtomicU8::new).collect();
/// let read = |offset: usize, piece: &mut [u8]| {
///     for (byte, shared) in piece.iter_mut().zip(&memory[offset..]) {
///         *byte = shared.load(Ordering::Relaxed);
///     }
/// };
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let signature = key.sign_shared(Variant::Pure, &SharedMessage::new(memory.len(), &read))?;
/// assert_eq!(signature, key.sign(b"attack at dawn"));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct SharedMessage<'a> {
    len: usize,
    read: &'a dyn Fn(usize, &mut [u8]),
}

impl<'a> SharedMessage<'a> {
    /// A message of `len` bytes. `read(offset, piece)` fills the piece with the bytes from `offset` on, wherever they
    /// lie; `offset + piece.len()` is at most `len`.
    pub fn new(len: usize, read: &'a dyn Fn(usize, &mut [u8])) -> Self {
        SharedMessage { len, read }
    }

    /// Copies the bytes from `offset` on.
    fn copy(&self, offset: usize, piece: &mut [u8]) {
        (self.read)(offset, piece);
        // The copy is what is read from here on: a compiler that sees through `read` may not read the memory again.
        compiler_fence(Ordering::SeqCst);
    }

    /// The whole message, if it is short.
    fn short<'b>(&self, buffer: &'b mut [u8; PIECE]) -> Option<&'b [u8]> {
        let copy = buffer.get_mut(..self.len)?;
        self.copy(0, copy);
        Some(copy)
    }

    /// Reads the message once, piece by piece.
    #[inline(never)]
    fn pass(&self, take: &mut dyn FnMut(&[u8])) {
        let mut buffer = [0; PIECE];
        for offset in (0..self.len).step_by(PIECE) {
            let piece = &mut buffer[..PIECE.min(self.len - offset)];
            self.copy(offset, piece);
            take(piece);
        }
    }

    /// The digest behind the nonce.
    fn nonce_digest(&self, mut hash: MessageHash) -> Zeroizing<[u8; 64]> {
        self.pass(&mut |piece| hash.update(piece));
        Zeroizing::new(hash.finish())
    }

    /// SHA-512 of the message, for Ed25519ph.
    fn digest(&self) -> [u8; 64] {
        let mut hash = Sha512::new();
        self.pass(&mut |piece| hash.update(piece));
        hash.finish()
    }

    /// The second pass: k, if it has seen the message that gave `digest`.
    #[inline(never)]
    fn challenge(&self, mut hashes: Sha512Pair, digest: &[u8; 64]) -> Result<Scalar, Error> {
        self.pass(&mut |piece| hashes.update(piece));
        let [challenge, again] = hashes.finish();
        let again = Zeroizing::new(again);
        let unchanged = declassify("message_unchanged", ct::bytes_equal(&again, digest));
        if unchanged.is_true_vartime() {
            Ok(Scalar::reduce_wide(&challenge))
        } else {
            Err(Error::MessageChanged)
        }
    }
}

impl fmt::Debug for SharedMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedMessage({} bytes)", self.len)
    }
}

impl SigningKey {
    /// Signs a message that other code may write to: [`SigningKey::sign_with`] of the bytes that it had. Constant time
    /// but for the lengths of message and context. Messages of more than 2 KiB are hashed three times instead of twice, the second
    /// and third time side by side; those of Ed25519ph once.
    ///
    /// # Errors
    /// [`Error::MessageChanged`] if both passes over a longer message did not see the same bytes.
    pub fn sign_shared(
        &self,
        variant: Variant<'_>,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        match message.short(&mut [0; PIECE]) {
            Some(copy) => Ok(self.sign_with(variant, copy)),
            None => self.sign_long(variant, &self.expanded, message),
        }
    }

    /// The same with a hedged nonce ([`SigningKey::sign_hedged`]).
    ///
    /// # Errors
    /// As for [`SigningKey::sign_shared`].
    pub fn sign_shared_hedged(
        &self,
        variant: Variant<'_>,
        noise: &[u8; 32],
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        match message.short(&mut [0; PIECE]) {
            Some(copy) => Ok(self.sign_hedged(variant, noise, copy)),
            None => self.sign_long(variant, &self.expanded.hedged(noise), message),
        }
    }

    /// The same with the checks of [`SigningKey::sign_checked`].
    ///
    /// # Errors
    /// [`Error::MessageChanged`] or [`Error::Fault`]; nothing of the signature is returned.
    pub fn sign_shared_checked(
        &self,
        variant: Variant<'_>,
        noise: Option<&[u8; 32]>,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        match message.short(&mut [0; PIECE]) {
            Some(copy) => self.sign_checked(variant, noise, copy),
            None => self.sign_checked_passes(variant, noise, |take| message.pass(take)),
        }
    }

    fn sign_long(
        &self,
        variant: Variant<'_>,
        secrets: &Expanded,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        let signature = self.sign_pieces(variant, secrets, message);
        ct::wipe_stack(ct::StackUse::Curve25519);
        signature
    }

    /// The caller wipes the stack, this function's frame included.
    #[inline(never)]
    fn sign_pieces(
        &self,
        variant: Variant<'_>,
        secrets: &Expanded,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        if let Variant::Ph(_) = variant {
            let digest = message.digest();
            return Ok(self.sign_hashing(variant, secrets, |hash| hash.fed_with_digest(&digest)));
        }
        let digest = message.nonce_digest(secrets.nonce_hash(variant));
        let nonce = Nonce::of_digest(&digest);
        let hashes = secrets.both_hashes(variant, &nonce, &self.verifying_key.bytes);
        let k = message.challenge(hashes, &digest)?;
        Ok(Signature::from_bytes(&secrets.finish(&nonce, &k)))
    }
}

/// [`sign_with_seed`] of a message that other code may write to.
///
/// # Errors
/// As for [`SigningKey::sign_shared`].
pub fn sign_shared_with_seed(
    seed: &SecretKey,
    variant: Variant<'_>,
    message: &SharedMessage<'_>,
) -> Result<Signature, Error> {
    match message.short(&mut [0; PIECE]) {
        Some(copy) => Ok(sign_with_seed(seed, variant, copy)),
        None => sign_long_deriving(seed, variant, message, |_| Ok(())),
    }
}

/// [`sign_with_keypair`] of a message that other code may write to.
///
/// # Errors
/// [`Error::KeyPairMismatch`] if the public half does not belong to the seed, else as for
/// [`SigningKey::sign_shared`].
pub fn sign_shared_with_keypair(
    pair: &[u8; 64],
    variant: Variant<'_>,
    message: &SharedMessage<'_>,
) -> Result<Signature, Error> {
    match message.short(&mut [0; PIECE]) {
        Some(copy) => sign_with_keypair(pair, variant, copy),
        None => {
            let [seed, _] = halves(pair);
            sign_long_deriving(seed, variant, message, |public_key| check_pair(pair, public_key))
        }
    }
}

fn sign_long_deriving(
    seed: &SecretKey,
    variant: Variant<'_>,
    message: &SharedMessage<'_>,
    check: impl FnOnce(&[u8; 32]) -> Result<(), Error>,
) -> Result<Signature, Error> {
    let signature = sign_pieces_deriving(seed, variant, message, check);
    ct::wipe_stack(ct::StackUse::Deriving);
    signature
}

/// The caller wipes the stack, this function's frame included.
#[inline(never)]
fn sign_pieces_deriving(
    seed: &SecretKey,
    variant: Variant<'_>,
    message: &SharedMessage<'_>,
    check: impl FnOnce(&[u8; 32]) -> Result<(), Error>,
) -> Result<Signature, Error> {
    sign_pieces_with(&Expanded::from_seed(seed), variant, message, check)
}

/// The same with secrets of any origin.
#[inline(always)]
pub(super) fn sign_pieces_with(
    secrets: &Expanded,
    variant: Variant<'_>,
    message: &SharedMessage<'_>,
    check: impl FnOnce(&[u8; 32]) -> Result<(), Error>,
) -> Result<Signature, Error> {
    if let Variant::Ph(_) = variant {
        let digest = message.digest();
        return sign_feeding(secrets, variant, |hash| hash.fed_with_digest(&digest), check);
    }
    let digest = message.nonce_digest(secrets.nonce_hash(variant));
    let (nonce, public_key) = Nonce::of_digest_with_public_key(&digest, secrets);
    check(&public_key)?;
    let hashes = secrets.both_hashes(variant, &nonce, &public_key);
    let k = message.challenge(hashes, &digest)?;
    Ok(Signature::from_bytes(&secrets.finish(&nonce, &k)))
}

/// SHA-512 of the caller's making, of a message that comes in pieces: gives the function that it is handed a function
/// that takes the next piece, and returns the hash of all pieces. See [`super::OwnHash`].
///
/// ```
/// use sigmill::ed25519::{Digest, Sha512, SharedMessage, sign_shared_with_hash, sign_with_seed, Variant};
///
/// let hash = |pieces: &mut dyn FnMut(&mut dyn FnMut(&[u8]))| -> [u8; 64] {
///     let mut hash = Sha512::new();
///     pieces(&mut |piece| hash.update(piece));
///     hash.finalize().into()
/// };
/// let read = |offset: usize, piece: &mut [u8]| piece.copy_from_slice(&b"hello"[offset..][..piece.len()]);
/// let signature = sign_shared_with_hash(&hash, &[7; 32], &SharedMessage::new(5, &read))?;
/// assert_eq!(signature, sign_with_seed(&[7; 32], Variant::Pure, b"hello"));
/// # Ok::<(), sigmill::Error>(())
/// ```
pub type OwnPieceHash<'a> = dyn Fn(&mut dyn FnMut(&mut dyn FnMut(&[u8]))) -> [u8; 64] + 'a;

/// [`super::sign_with_hash`] of a message that other code may write to. The hash is asked for two digests that contain
/// the message, and both passes take SHA-512 of it besides, to compare.
///
/// # Errors
/// As for [`SigningKey::sign_shared`].
pub fn sign_shared_with_hash(
    hash: &OwnPieceHash<'_>,
    seed: &SecretKey,
    message: &SharedMessage<'_>,
) -> Result<Signature, Error> {
    let signature = match message.short(&mut [0; PIECE]) {
        Some(copy) => sign_with_piece_hash(hash, seed, |take| take(copy)),
        None => sign_with_piece_hash(hash, seed, |take| message.pass(take)),
    };
    ct::wipe_stack(ct::StackUse::Single);
    signature
}

#[inline(never)]
fn sign_with_piece_hash(
    hash: &OwnPieceHash<'_>,
    seed: &SecretKey,
    pass: impl Fn(&mut dyn FnMut(&[u8])),
) -> Result<Signature, Error> {
    // the hash of `begin` and the message, and SHA-512 of the message alone
    let of_message = |begin: &[&[u8]]| {
        let mut message = Sha512::new();
        let digest = Zeroizing::new(hash(&mut |update| {
            begin.iter().for_each(|piece| update(piece));
            pass(&mut |piece| {
                update(piece);
                message.update(piece);
            });
        }));
        (digest, message.finish())
    };
    let digest = Zeroizing::new(hash(&mut |update| update(seed)));
    let secrets = Expanded::from_digest(&digest);
    let (digest, first) = of_message(&[&secrets.prefix]);
    let (nonce, public_key) = Nonce::of_digest_with_public_key(&digest, &secrets);
    let (digest, second) = of_message(&[nonce.r_encoded(), &public_key]);
    if first != second {
        return Err(Error::MessageChanged);
    }
    Ok(Signature::from_bytes(&secrets.finish(&nonce, &Scalar::reduce_wide(&digest))))
}
