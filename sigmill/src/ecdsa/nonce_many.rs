//! Candidates for the nonces of many rows: the first ones of RFC 6979 section 3.2, with HMAC in lanes.
//!
//! A row whose candidate is out of range is signed alone, by the generator of `nonce`, which goes on.
//!
//! Secrets: buffers are wiped where they end. Constant time but for the number of rows. Reach: `hash`,
//! `cpu`.

use crate::cpu::Backend;
use crate::hash::{Function, digest_many};
use zeroize::{DefaultIsZeroes, Zeroize};

/// Rows that go together.
const ROWS: usize = 32;

/// Bytes that are wiped as a whole.
#[derive(Clone, Copy)]
struct Bytes<const N: usize>([u8; N]);

impl<const N: usize> Default for Bytes<N> {
    fn default() -> Self {
        Bytes([0; N])
    }
}

impl<const N: usize> DefaultIsZeroes for Bytes<N> {}

/// The generators' states, and what HMAC needs.
struct States {
    k: [Bytes<64>; ROWS],
    v: [Bytes<64>; ROWS],
    pad: [Bytes<128>; ROWS],
    inner: [Bytes<64>; ROWS],
    /// The separator, the secret key and e.
    seed: [Bytes<97>; ROWS],
}

impl Drop for States {
    fn drop(&mut self) {
        self.k.zeroize();
        self.v.zeroize();
        self.pad.zeroize();
        self.inner.zeroize();
        self.seed.zeroize();
    }
}

impl States {
    /// HMAC (FIPS 198-1) under each row's K, of V and, where they are wanted, the first bytes of its seed;
    /// it is K or else V afterwards.
    fn mac(&mut self, backend: Backend, function: Function, rows: usize, rekey: Option<usize>) {
        let len = function.len();
        for (pad, key) in self.pad.iter_mut().zip(&self.k).take(rows) {
            pad.0 = [0x36; 128];
            pad.0.iter_mut().zip(&key.0[..len]).for_each(|(pad, byte)| *pad ^= byte);
        }
        let (pad, v, seed, inner) = (&self.pad, &self.v, &self.seed, &mut self.inner);
        let seed_len = rekey.unwrap_or(0);
        digest_many(
            backend,
            function,
            rows,
            |i| [&pad[i].0, &v[i].0[..len], &seed[i].0[..seed_len], &[]],
            |i, digest| inner[i].0 = *digest,
        );
        for pad in &mut self.pad[..rows] {
            pad.0.iter_mut().for_each(|byte| *byte ^= 0x36 ^ 0x5c);
        }
        let (pad, inner) = (&self.pad, &self.inner);
        let mac = if rekey.is_some() { &mut self.k } else { &mut self.v };
        digest_many(
            backend,
            function,
            rows,
            |i| [&pad[i].0, &inner[i].0[..len], &[], &[]],
            |i, digest| mac[i].0 = *digest,
        );
    }
}

/// Tells each row's candidate: the leftmost `width` bytes of one output, which has as many. `write(i, x,
/// e)` writes the secret key and the digest as an integer mod n, both big-endian of `width` bytes.
#[inline(never)]
pub(super) fn candidates(
    backend: Backend,
    function: Function,
    width: usize,
    rows: usize,
    write: impl Fn(usize, &mut [u8], &mut [u8]),
    mut tell: impl FnMut(usize, &[u8]),
) {
    let mut states = States {
        k: [Bytes::default(); ROWS],
        v: [Bytes::default(); ROWS],
        pad: [Bytes::default(); ROWS],
        inner: [Bytes::default(); ROWS],
        seed: [Bytes::default(); ROWS],
    };
    let mut first = 0;
    while first < rows {
        let len = (rows - first).min(ROWS);
        for (i, seed) in states.seed[..len].iter_mut().enumerate() {
            let (x, e) = seed.0[1..=2 * width].split_at_mut(width);
            write(first + i, x, e);
        }
        states.k = [Bytes([0; 64]); ROWS];
        states.v = [Bytes([1; 64]); ROWS];
        for separator in [0, 1] {
            states.seed.iter_mut().for_each(|seed| seed.0[0] = separator);
            states.mac(backend, function, len, Some(1 + 2 * width));
            states.mac(backend, function, len, None);
        }
        states.mac(backend, function, len, None);
        for (i, v) in states.v[..len].iter().enumerate() {
            tell(first + i, &v.0[..width]);
        }
        first += len;
    }
}
