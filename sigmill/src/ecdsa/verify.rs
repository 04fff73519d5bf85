//! From a key, a digest and r, s to facts (FIPS 186-5 section 6.4.2).
//!
//! Public data only: time depends on it.

use super::rules::{Facts, KeyFault};
use crate::ct::Mask;
use crate::curve::weierstrass::{Affine, Curve, MAX_WIDTH, sum_has_x_vartime};
use crate::modular::{Arithmetic, PrimeField};

/// The point of a SEC1 encoding (SEC 1 version 2 section 2.3.4), compressed or not. Time depends on the
/// bytes.
pub(super) fn point_of_sec1<C: Curve>(bytes: &[u8]) -> Result<Affine<C::Fe>, KeyFault> {
    let [tag, coordinates @ ..] = bytes else { return Err(KeyFault::Length) };
    let (x_bytes, y_bytes) = match (*tag, coordinates.len()) {
        (2 | 3, len) if len == C::WIDTH => (coordinates, None),
        (4, len) if len == 2 * C::WIDTH => {
            let (x, y) = coordinates.split_at(C::WIDTH);
            (x, Some(y))
        }
        (2..=4, _) => return Err(KeyFault::Length),
        (_, len) if len != C::WIDTH && len != 2 * C::WIDTH => return Err(KeyFault::Length),
        // the hybrid forms, and bytes of no form
        _ => return Err(KeyFault::NotAPoint),
    };
    let (x, mut is_point) = C::Fe::from_be_bytes(x_bytes);
    let point = if let Some(y_bytes) = y_bytes {
        let (y, y_reduced) = C::Fe::from_be_bytes(y_bytes);
        let point = Affine { x, y };
        is_point = is_point & y_reduced & point.is_on_curve::<C>();
        point
    } else {
        let (point, exists) = Affine::with_x::<C>(&x, Mask::from_bit(u64::from(*tag & 1)));
        is_point = is_point & exists;
        point
    };
    if is_point.is_true_vartime() { Ok(point) } else { Err(KeyFault::NotAPoint) }
}

/// The leftmost bits of a digest, as many as n has, mod n (FIPS 186-5 section 6.4.1). Constant time but
/// for the length.
pub(super) fn scalar_of_digest<C: Curve>(digest: &[u8]) -> C::Scalar {
    let mut bytes = [0; MAX_WIDTH];
    let bytes = &mut bytes[..C::WIDTH];
    let kept = digest.len().min(bytes.len());
    let start = bytes.len() - kept;
    bytes[start..].copy_from_slice(&digest[..kept]);
    if start == 0 {
        keep_leftmost_bits::<C>(bytes);
    }
    C::Scalar::from_be_bytes(bytes).0
}

/// Of bytes as wide as a scalar the leftmost bits, as many as n has: a shift where these are no whole bytes. Constant
/// time.
pub(super) fn keep_leftmost_bits<C: Curve>(bytes: &mut [u8]) {
    let shift = const { (8 * C::WIDTH - C::Scalar::BITS) as u32 };
    if shift > 0 {
        let mut above = 0;
        for byte in bytes {
            let shifted = u16::from(above) << 8 | u16::from(*byte);
            above = *byte;
            *byte = (shifted >> shift) as u8;
        }
    }
}

/// A scalar in its range, 1 to n − 1, if the bytes are one. Constant time.
pub(super) fn scalar_in_range<C: Curve>(bytes: &[u8]) -> (C::Scalar, Mask) {
    let (scalar, below_order) = C::Scalar::from_be_bytes(bytes);
    (scalar, below_order & !scalar.is_zero())
}

/// Whether s is at most (n − 1)/2: 2·s < n, as n is odd.
pub(super) fn is_low<C: Curve>(s: &C::Scalar) -> Mask {
    // 2·s mod n is even exactly if nothing was subtracted
    !s.add(s).is_odd()
}

/// The facts about r and s, big-endian bytes of the field's width, under a key.
pub(super) fn facts_vartime<C: Curve>(
    q: &Affine<C::Fe>,
    digest: &[u8],
    r_bytes: &[u8],
    s_bytes: &[u8],
) -> Facts {
    let (r, r_in_range) = scalar_in_range::<C>(r_bytes);
    let (s, s_in_range) = scalar_in_range::<C>(s_bytes);
    let (r_in_range, s_in_range) = (r_in_range.is_true_vartime(), s_in_range.is_true_vartime());
    let mut facts = Facts {
        digest_empty: digest.is_empty(),
        r_in_range,
        s_in_range,
        s_low: is_low::<C>(&s).is_true_vartime(),
        equation: false,
    };
    if r_in_range && s_in_range && !facts.digest_empty {
        let w = s.invert_vartime();
        let u1 = scalar_of_digest::<C>(digest).mul(&w);
        facts.equation = sum_has_x_vartime::<C>(&u1, &r.mul(&w), q, &r);
    }
    facts
}
