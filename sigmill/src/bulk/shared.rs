//! Ed25519 signing of many rows in memory that other code may write to.
//!
//! Secrets pass through to `ed25519` and are not looked at here.

use super::engine::Engine;
use super::error::BulkError;
use super::results::check_rows;
use super::signing_keys::SigningKeys;
use crate::ed25519::{SharedMessage, Variant, many};
use core::sync::atomic::{Ordering, compiler_fence};

/// Messages of rows in memory that other code may write to: see [`SharedMessage`].
///
/// ```
/// use sigmill::bulk::{Engine, SharedRows, SigningKeys};
/// use sigmill::ed25519::{Signer, SigningKey, Variant};
/// use std::sync::atomic::{AtomicU8, Ordering};
///
/// struct Messages(Vec<[AtomicU8; 3]>);
/// impl SharedRows for Messages {
///     fn message_len(&self, _: usize) -> usize {
///         3
///     }
///     fn read(&self, row: usize, offset: usize, piece: &mut [u8]) {
///         for (byte, shared) in piece.iter_mut().zip(&self.0[row][offset..]) {
///             *byte = shared.load(Ordering::Relaxed);
///         }
///     }
/// }
///
/// let messages = Messages([b"one", b"two"].map(|message| message.map(AtomicU8::new)).into());
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let (mut buffer, mut signatures) = ([0; 1024], [[0; 64]; 2]);
/// Engine::new().sign_shared_into(SigningKeys::One(&key), Variant::Pure, &messages, &mut buffer, &mut signatures)?;
/// assert_eq!(signatures[1], key.sign(b"two").to_bytes());
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
pub trait SharedRows {
    /// The length of the row's message in bytes. If it is asked for again, the last answer counts.
    fn message_len(&self, row: usize) -> usize;

    /// Fills the piece with the bytes of the row's message from `offset` on; `offset + piece.len()` is at most the
    /// length.
    fn read(&self, row: usize, offset: usize, piece: &mut [u8]);
}

/// Rows that are copied and signed together, and that the widest lanes have.
const ROWS: usize = 128;
const LANES: usize = 8;

impl Engine {
    /// Signs the message of each row, as [`Engine::sign_into`] does, where other code may write to the messages: each is
    /// copied into `buffer` before it is signed, as many rows at a time as fit, up to 128, in groups of eight. A row that
    /// is longer than the buffer is signed alone, by
    /// [`SigningKey::sign_shared`](crate::ed25519::SigningKey::sign_shared). A buffer that holds 128 messages costs no
    /// more than the copies.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if there are not as many keys as signatures; nothing is signed then.
    /// [`BulkError::MessageChanged`] if a row that was signed alone has changed meanwhile. Rows before it have their
    /// signatures.
    pub fn sign_shared_into(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &dyn SharedRows,
        buffer: &mut [u8],
        signatures: &mut [[u8; 64]],
    ) -> Result<(), BulkError> {
        check_rows("list of signing keys", signatures.len(), keys.len(signatures.len()))?;
        let mut first = 0;
        many::sign::wiping(self.backend(), variant, signatures.len(), || {
            while first < signatures.len() {
                first += self.sign_group(keys, variant, messages, first, buffer, signatures)?;
            }
            Ok(())
        })
    }

    /// Signs as many rows from `first` on as fit into the buffer, or one, and returns how many.
    #[inline(always)]
    fn sign_group(
        &self,
        keys: SigningKeys<'_>,
        variant: Variant<'_>,
        messages: &dyn SharedRows,
        first: usize,
        buffer: &mut [u8],
        signatures: &mut [[u8; 64]],
    ) -> Result<usize, BulkError> {
        let signatures = &mut signatures[first..];
        let rows = ROWS.min(signatures.len());
        let mut copies: [&mut [u8]; ROWS] = core::array::from_fn(|_| &mut [][..]);
        match split(messages, first, buffer, &mut copies[..rows]) {
            Ok(mut count) => {
                if count > LANES && count < signatures.len() {
                    count -= count % LANES;
                }
                for (i, copy) in copies[..count].iter_mut().enumerate() {
                    messages.read(first + i, 0, copy);
                }
                // From here on the copies are read: a compiler that sees through `read` may not read the memory again.
                compiler_fence(Ordering::SeqCst);
                let row = |row: usize| (keys.key(first + row), &*copies[row]);
                many::sign::sign_some(self.backend(), variant, &row, &mut signatures[..count]);
                Ok(count)
            }
            Err(len) => {
                let read = |offset: usize, piece: &mut [u8]| messages.read(first, offset, piece);
                let message = SharedMessage::new(len, &read);
                match keys.key(first).sign_shared(variant, &message) {
                    Ok(signature) => signatures[0] = signature.to_bytes(),
                    Err(_) => return Err(BulkError::MessageChanged { row: first }),
                }
                Ok(1)
            }
        }
    }
}

/// Gives the messages of rows from `first` on their places in the buffer, one after the other, as many as fit into it and
/// into `copies`, and returns how many; or the length of the first, if not even that fits.
fn split<'b>(
    messages: &dyn SharedRows,
    first: usize,
    mut buffer: &'b mut [u8],
    copies: &mut [&'b mut [u8]],
) -> Result<usize, usize> {
    let mut count = 0;
    for place in copies {
        let len = messages.message_len(first + count);
        let Some((copy, rest)) = buffer.split_at_mut_checked(len) else {
            if count == 0 {
                return Err(len);
            }
            break;
        };
        *place = copy;
        buffer = rest;
        count += 1;
    }
    Ok(count)
}
