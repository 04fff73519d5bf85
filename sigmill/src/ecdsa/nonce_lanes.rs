//! Nonces of many rows: the first candidates of RFC 6979 section 3.2, with HMAC in lanes.
//!
//! A row whose candidate is out of range is signed alone, by the generator of `nonce`, which goes on.
//!
//! Secrets: all that is here; wiped. Constant time.

use crate::hash::hmac_lanes::{Compress, Hmac, LaneWords, Sha2, Word};
use zeroize::Zeroize;

/// Bytes of a scalar on the widest curve that has lanes.
pub(super) const LANE_WIDTH: usize = 48;
/// Words of V, a byte, a secret key and a digest, in the smallest words.
const MESSAGE: usize = 8 + 1 + 2 * LANE_WIDTH / 4;

/// Writes each lane's candidate, big-endian: the leftmost bytes of the first outputs. `x` and `e` are the
/// secret key and the digest as an integer mod n of each lane, as many words as a candidate has bytes.
#[inline(never)]
pub(super) fn candidates<C: Compress<LANES>, const LANES: usize>(
    compress: C,
    hash: &Sha2<C::Word>,
    x: &[[C::Word; LANES]],
    e: &[[C::Word; LANES]],
    candidates: &mut [[u8; LANE_WIDTH]; LANES],
) {
    let (size, words) = (C::Word::BYTES, hash.digest_words);
    let mut v = LaneWords::<C::Word, LANES, 8>::all(C::Word::repeat(1));
    let mut message = LaneWords::<C::Word, LANES, MESSAGE>::all(C::Word::ZERO);
    let mut hmac = Hmac::new(compress, hash, &[]);
    for separator in [0, 1] {
        // V ‖ separator ‖ x ‖ e, whose words after V come a byte late
        message.0[..words].copy_from_slice(&v.0[..words]);
        let mut before = [C::Word::from(separator); LANES];
        let mut len = words;
        for word in x.iter().chain(e) {
            for (lane, place) in message.0[len].iter_mut().enumerate() {
                *place = before[lane] << (8 * (size - 1)) | word[lane] >> 8;
            }
            before = *word;
            len += 1;
        }
        for (place, word) in message.0[len].iter_mut().zip(before) {
            *place = word << (8 * (size - 1));
        }
        let mut key = hmac.mac(&message.0[..=len], len * size + 1);
        hmac = Hmac::new(compress, hash, &key.0[..words]);
        key.zeroize();
        before.zeroize();
        v = hmac.mac(&v.0[..words], words * size);
    }
    message.zeroize();
    // as many bytes as x has, whole outputs one after the other
    let mut written = 0;
    while written < x.len() * size {
        v = hmac.mac(&v.0[..words], words * size);
        for row in v.0[..words].iter().take(x.len() - written / size) {
            for (candidate, word) in candidates.iter_mut().zip(row) {
                word.write(&mut candidate[written..written + size]);
            }
            written += size;
        }
    }
    v.zeroize();
}

#[cfg(test)]
mod tests;
