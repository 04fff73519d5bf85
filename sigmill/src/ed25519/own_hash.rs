//! Pure Ed25519 with SHA-512 of the caller's making: hardware that computes it, or a program that has it already.
//!
//! `hash` gives SHA-512 of all pieces, one after the other. With another function of 64 bytes in its place only a
//! verifier with the same one accepts.
//!
//! Secrets: the function is given seeds and nonces. What is constant time and wiped here is so as far as the function
//! is.

use super::bytes::halves;
use super::rules::{self, Rule};
use super::sign::{Expanded, Nonce};
use super::verify::verify_encoded;
use super::{SecretKey, Signature};
use crate::ct;
use crate::error::Verdict;
use crate::scalar::l25519::Scalar;
use zeroize::Zeroizing;

/// A hash function of the caller's.
///
/// ```
/// use sigmill::ed25519::{Digest, Sha512, Signer, SigningKey, sign_with_hash};
///
/// let hash = |pieces: &[&[u8]]| -> [u8; 64] {
///     // where a program would ask its hardware
///     let mut hash = Sha512::new();
///     pieces.iter().for_each(|piece| hash.update(piece));
///     hash.finalize().into()
/// };
/// let seed = [7; 32];
/// assert_eq!(sign_with_hash(&hash, &seed, b"hello"), SigningKey::from_bytes(&seed).sign(b"hello"));
/// ```
pub type OwnHash<'a> = dyn Fn(&[&[u8]]) -> [u8; 64] + 'a;

/// The public key of a seed. Constant time.
pub fn public_key_with_hash(hash: &OwnHash<'_>, seed: &SecretKey) -> [u8; 32] {
    let digest = Zeroizing::new(hash(&[seed]));
    let (_, public_key) = Expanded::from_digest(&digest).public_key();
    drop(digest);
    ct::wipe_stack(ct::StackUse::Single);
    public_key
}

/// Signs with a seed, as [`super::sign_with_seed`] does. Constant time but for the length of the message.
pub fn sign_with_hash(hash: &OwnHash<'_>, seed: &SecretKey, message: &[u8]) -> Signature {
    let signature = sign(hash, seed, message);
    ct::wipe_stack(ct::StackUse::Single);
    signature
}

#[inline(never)]
fn sign(hash: &OwnHash<'_>, seed: &SecretKey, message: &[u8]) -> Signature {
    let digest = Zeroizing::new(hash(&[seed]));
    let secrets = Expanded::from_digest(&digest);
    let digest = Zeroizing::new(hash(&[&secrets.prefix, message]));
    let (nonce, public_key) = Nonce::of_digest_with_public_key(&digest, &secrets);
    let k = Scalar::reduce_wide(&hash(&[nonce.r_encoded(), &public_key, message]));
    Signature::from_bytes(&secrets.finish(&nonce, &k))
}

/// Verifies a signature under a rule, as [`super::verify_bytes`] does. Time depends on the inputs.
pub fn verify_with_hash(
    hash: &OwnHash<'_>,
    rule: &Rule,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Verdict {
    let (key, signature): (&[u8; 32], &[u8; 64]) =
        match rules::of_lengths(key.try_into().ok(), signature.try_into().ok()) {
            Ok(both) => both,
            Err(refused) => return refused,
        };
    let [r, s] = halves(signature);
    let k = Scalar::reduce_wide(&hash(&[r, key, message]));
    verify_encoded(rule, key, &k, [r, s])
}
