//! Which points lie in the prime-order subgroup: an exact test by one square root and one quartic
//! power. `docs/exact-batch.md` has the proof.
//!
//! One step along the 2-isogeny to V² = U³ − 2A·U² + (A² − 4)·U says whether the torsion part is even,
//! by whether u = (1 + y)/(1 − y) is a square; if it is, the order-4 Tate pairing of the isogenous
//! curve, whose 2-part is Z/2 × Z/4 and therefore fits p = 5 (mod 8), says whether it is zero.
//!
//! No condition on the inputs; constant time.

use super::edwards::Projective;
use crate::field::Field;
use crate::field::f25519::{ONE, base_of_root, mul, pow_p_minus_5_over_8, root_of_power, square};

/// A + 2 for Curve25519's A = 486662.
const A_PLUS_2: [u64; 4] = [486664, 0, 0, 0];
/// c with c² = −(A + 2): x = c·u/v maps Curve25519 to edwards25519.
const C: [u64; 4] =
    [0xcc6e04aaff457e06, 0xc5a1d3d14b7d1a82, 0xd27b08dc03fc4f7e, 0x0f26edf460a006bb];
/// 2 − r for r² = A + 2 with r·(2 − r) not a square.
const TWO_MINUS_R: [u64; 4] =
    [0x165db7106377bbda, 0x9ca5ee38d7b56c9c, 0x3de05885280b5910, 0x141b0b6806563d50];

/// Where each point is a multiple of the base point. What is one chain for a point is done to all side by side;
/// the rest is done to one after the other, so that there is no stack for all of it at once.
#[inline(always)]
pub(crate) fn are_torsion_free<F: Field, const N: usize>(
    points: &[Projective<F>; N],
) -> [F::Mask; N] {
    let token = F::carry(&points[0].x).token();
    let constant = |words| F::splat(token, words);
    let mut powers = [constant(&ONE); N];
    for (power, point) in powers.iter_mut().zip(points) {
        let [numerator, denominator] = point.fraction_of_u();
        *power = base_of_root(&numerator, &denominator);
    }
    pow_p_minus_5_over_8(&mut powers);
    let mut members = [powers[0].is_zero(); N];
    for ((power, point), member) in powers.iter_mut().zip(points).zip(&mut members) {
        let [x, y, z] = point.xyz();
        // w = √u
        let [numerator, denominator] = point.fraction_of_u();
        let (w, even) = root_of_power(&numerator, &denominator, power);
        // m = 2XY − c·w·D·Z; Ud = D·X; Un = 2m + (A + 2)·Ud: the point (U, V) with U = Un/Ud
        let cwdz = mul(&mul(&w, &denominator), &mul(&z, &constant(&C)));
        let xy = mul(&x, &y).widen();
        let m = F::sub_sums(&F::add(&xy, &xy), &F::relax(&cwdz.widen()));
        let ud = mul(&denominator, &x);
        let un = F::add_sums(
            &F::add(&m.widen(), &m.widen()),
            &F::relax(&mul(&ud, &constant(&A_PLUS_2)).widen()),
        );
        // the pairing's value up to fourth powers: g = 2·a²·b³, a = w·Un − (2 − r)·m, b = Ud·m
        let a =
            F::carry_sum(&F::sub(&mul(&w, &un).widen(), &mul(&m, &constant(&TWO_MINUS_R)).widen()));
        let b = mul(&ud, &m);
        let product = mul(&square(&a), &mul(&square(&b), &b)).widen();
        *power = F::carry_sum(&F::add(&product, &product));
        *member = even;
    }
    let g = powers;
    pow_p_minus_5_over_8(&mut powers);
    for (((power, g), point), member) in powers.iter().zip(&g).zip(points).zip(&mut members) {
        // (p − 1)/4 = 2·(p − 5)/8 + 1
        let symbol = mul(&square(power), g);
        // X = 0: the identity, or the point of order 2
        let [x, y, z] = point.xyz();
        let on_axis = x.is_zero();
        *member = (*member & symbol.equal(&constant(&ONE)) & !on_axis) | (on_axis & y.equal(&z));
    }
    members
}

impl<F: Field> Projective<F> {
    /// N and D with u = N/D.
    #[inline(always)]
    fn fraction_of_u(&self) -> [F; 2] {
        [F::carry_sum(&F::add(&self.z, &self.y)), F::carry_sum(&F::sub(&self.z, &self.y))]
    }
}
