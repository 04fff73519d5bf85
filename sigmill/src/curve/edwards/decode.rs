//! Points of encodings (RFC 8032 section 5.1.3), and what was seen on the way: facts, of which a rule makes a verdict.

use super::formulas::Extended;
use crate::field::f25519::{D, Field, LaneField, ONE, are_reduced, neg, sqrt_ratios, top_bits};
use crate::simd::Kernel;

/// The result of decoding 32 bytes. `canonical` has no meaning unless `decodes` is set.
#[derive(Clone, Copy)]
pub(crate) struct Decoding<M> {
    /// There is a point with this y. If not, the other means nothing.
    pub(crate) decodes: M,
    /// y is below p, and the sign bit is 0 if x is 0.
    pub(crate) canonical: M,
}

/// A decoded vector of points.
#[derive(Clone, Copy)]
pub(crate) struct Decoded<F: Field> {
    pub(crate) point: Extended<F>,
    pub(crate) decoding: Decoding<F::Mask>,
}

/// Decodes vectors of encodings side by side: a root is a chain, in which every step waits for the one before.
pub(crate) struct Decode<'a, F: LaneField, const N: usize>(pub(crate) [&'a F::Bytes; N]);

impl<F: LaneField, const N: usize> Kernel<F> for Decode<'_, F, N> {
    type Output = [Decoded<F>; N];

    #[inline(always)]
    fn run(self, token: F::Token) -> [Decoded<F>; N] {
        decode(token, &self.0)
    }
}

/// Each step is done to all before the next.
#[inline(always)]
fn decode<F: Field, const N: usize>(token: F::Token, bytes: &[&F::Bytes; N]) -> [Decoded<F>; N] {
    let (x, y, decoding) = decode_affine(token, bytes);
    let one = F::splat(token, &ONE);
    let mut t = x;
    F::multiply(&mut t, &y);
    let point = Extended::identity(token);
    let mut decoded = [Decoded { point, decoding: decoding[0] }; N];
    for i in 0..N {
        let (x, y, t) = (x[i].widen(), y[i].widen(), t[i].widen());
        let point = Extended::from_products([x, y, one.widen(), t]);
        decoded[i] = Decoded { point, decoding: decoding[i] };
    }
    decoded
}

/// The coordinates x and y, and the facts about the bytes.
#[inline(always)]
#[allow(clippy::type_complexity)] // three arrays
pub(super) fn decode_affine<F: Field, const N: usize>(
    token: F::Token,
    bytes: &[&F::Bytes; N],
) -> ([F; N], [F; N], [Decoding<F::Mask>; N]) {
    let one = F::splat(token, &ONE);
    let mut y = [one; N];
    for (y, bytes) in y.iter_mut().zip(bytes) {
        *y = F::from_bytes(token, bytes);
    }
    // x² = (y² − 1) / (d·y² + 1); the denominator is never 0 because −1/d is not a square
    let mut u = y;
    F::square_times(&mut u, 1);
    let mut v = [F::splat(token, &D); N];
    F::multiply(&mut v, &u);
    for i in 0..N {
        u[i] = F::sum_of_two::<1, -1>(&u[i].widen(), &one.widen());
        v[i] = F::sum_of_two::<1, 1>(&v[i].widen(), &one.widen());
    }
    let (mut x, decodes) = sqrt_ratios(&u, &v);
    let mut decoding = [Decoding { decodes: decodes[0], canonical: decodes[0] }; N];
    for i in 0..N {
        let sign = top_bits::<F>(bytes[i]);
        x[i] = F::select(x[i].is_odd() ^ sign, &neg(&x[i]), &x[i]);
        let canonical = are_reduced::<F>(bytes[i]) & !(x[i].is_zero() & sign);
        decoding[i] = Decoding { decodes: decodes[i], canonical };
    }
    (x, y, decoding)
}

impl<F: Field> Extended<F> {
    /// Decodes permissively and reports the facts (RFC 8032 section 5.1.3 without its two
    /// refusals): y = bits 0 to 254 mod p; x from the curve equation, with the parity that bit 255
    /// asks for; the sign bit of x = 0 is ignored. The point has no meaning in lanes that do not decode.
    #[cfg(test)]
    pub(crate) fn decode(token: F::Token, bytes: &F::Bytes) -> (Self, Decoding<F::Mask>) {
        let [Decoded { point, decoding }] = decode(token, &[bytes]);
        (point, decoding)
    }
}
