//! Membership in the prime-order subgroup: an exact test by one square root and one quartic
//! power. `docs/exact-batch.md` has the proof.
//!
//! One step along the 2-isogeny to V² = U³ − 2A·U² + (A² − 4)·U says whether the torsion part is even,
//! by whether u = (1 + y)/(1 − y) is a square; if it is, the order-4 Tate pairing of the isogenous
//! curve, whose 2-part is Z/2 × Z/4 and therefore fits p = 5 (mod 8), says whether it is zero.
//!
//! No condition on the inputs; constant time.

use super::formulas::Projective;
use crate::field::f25519::{Field, ONE, pow_p_minus_5_over_8, sqrt_ratios};

/// A + 2 for Curve25519's A = 486662.
const A_PLUS_2: [u64; 4] = [486664, 0, 0, 0];
/// c with c² = −(A + 2): x = c·u/v maps Curve25519 to edwards25519.
const C: [u64; 4] =
    [0xcc6e04aaff457e06, 0xc5a1d3d14b7d1a82, 0xd27b08dc03fc4f7e, 0x0f26edf460a006bb];
/// 2 − r for r² = A + 2 with r·(2 − r) not a square.
const TWO_MINUS_R: [u64; 4] =
    [0x165db7106377bbda, 0x9ca5ee38d7b56c9c, 0x3de05885280b5910, 0x141b0b6806563d50];

/// Set in lanes whose point is a multiple of the base point. Each step is done to all points before the next.
#[inline(always)]
pub(crate) fn are_torsion_free<F: Field, const N: usize>(
    points: &[Projective<F>; N],
) -> [F::Mask; N] {
    let token = F::times::<1>(&points[0].x).token();
    let all = |words| [F::splat(token, words); N];
    let (mut x, mut y, mut z) = (all(&ONE), all(&ONE), all(&ONE));
    let (mut numerator, mut denominator) = (all(&ONE), all(&ONE));
    for i in 0..N {
        let point = &points[i];
        [x[i], y[i], z[i]] = point.xyz();
        // u = N/D and w = √u
        numerator[i] = F::sum_of_two::<1, 1>(&point.z, &point.y);
        denominator[i] = F::sum_of_two::<1, -1>(&point.z, &point.y);
    }
    let (mut w, mut members) = sqrt_ratios(&numerator, &denominator);
    // m = 2XY − c·w·D·Z; Ud = D·X; Un = 2m + (A + 2)·Ud: the point (U, V) with U = Un/Ud
    F::multiply(&mut z, &all(&C));
    F::multiply(&mut z, &w);
    F::multiply(&mut z, &denominator);
    let mut m = x;
    F::multiply(&mut m, &y);
    let mut ud = denominator;
    F::multiply(&mut ud, &x);
    let mut un = all(&A_PLUS_2);
    F::multiply(&mut un, &ud);
    for i in 0..N {
        let xy = m[i].widen();
        m[i] = F::sum_of_two::<2, -1>(&xy, &z[i].widen());
        let m = m[i].widen();
        un[i] = F::sum_of_two::<2, 1>(&m, &un[i].widen());
    }
    // the pairing's value up to fourth powers: g = 2·a²·b³, a = w·Un − (2 − r)·m, b = Ud·m
    F::multiply(&mut w, &un);
    F::multiply(&mut ud, &m);
    F::multiply(&mut m, &all(&TWO_MINUS_R));
    for i in 0..N {
        w[i] = F::sum_of_two::<1, -1>(&w[i].widen(), &m[i].widen());
    }
    let mut g = ud;
    F::square_times(&mut g, 1);
    F::multiply(&mut g, &ud);
    F::square_times(&mut w, 1);
    F::multiply(&mut g, &w);
    for g in &mut g {
        let product = g.widen();
        *g = F::times::<2>(&product);
    }
    // (p − 1)/4 = 2·(p − 5)/8 + 1
    let mut symbol = g;
    pow_p_minus_5_over_8(&mut symbol);
    F::square_times(&mut symbol, 1);
    F::multiply(&mut symbol, &g);
    for i in 0..N {
        // X = 0: the identity, or the point of order 2
        let on_axis = x[i].is_zero();
        let member = members[i] & symbol[i].equal(&F::splat(token, &ONE));
        members[i] = (member & !on_axis) | (on_axis & y[i].equal(&F::times::<1>(&points[i].z)));
    }
    members
}
