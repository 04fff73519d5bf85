//! From a key, a digest and r, s to facts (FIPS 186-5 section 6.4.2).
//!
//! Public data only: time depends on it.

use super::rules::Facts;
use crate::curve::weierstrass::{Affine, Curve, sum_has_x_vartime};
use crate::modular::PrimeField;

/// Bytes of a coordinate and of a scalar.
pub(super) const fn width<C: Curve>() -> usize {
    size_of::<<C::Scalar as PrimeField>::Words>()
}

/// The leftmost bits of a digest, as many as n has, mod n (FIPS 186-5 section 6.4.1). Constant time but
/// for the length.
pub(super) fn scalar_of_digest<C: Curve>(digest: &[u8]) -> C::Scalar {
    let mut bytes = [0; 48];
    let bytes = &mut bytes[..width::<C>()];
    let kept = digest.len().min(bytes.len());
    let start = bytes.len() - kept;
    bytes[start..].copy_from_slice(&digest[..kept]);
    C::Scalar::from_be_bytes(bytes).0
}

/// A scalar in its range, 1 to n − 1, if the bytes are one. Constant time.
pub(super) fn scalar_in_range<C: Curve>(bytes: &[u8]) -> (C::Scalar, crate::ct::Mask) {
    let (scalar, below_order) = C::Scalar::from_be_bytes(bytes);
    (scalar, below_order & !scalar.is_zero())
}

/// Whether s is at most (n − 1)/2: 2·s < n, as n is odd.
pub(super) fn is_low<C: Curve>(s: &C::Scalar) -> crate::ct::Mask {
    // 2·s mod n is even exactly if nothing was subtracted
    !s.add(s).is_odd()
}

/// What there is to know about r and s, big-endian bytes of the field's width, under a key.
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
