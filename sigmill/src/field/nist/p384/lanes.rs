//! The reduction modulo p in eight lanes, AVX-512 IFMA.

use super::P384;
use crate::cpu::Ifma;
use crate::field::nist::ifma_x8::{self, LaneModulus};
use crate::simd::avx512::U64x8;

type V = U64x8;

/// Coordinates in eight lanes.
pub(crate) type Fe = ifma_x8::Fe<P384, 6, 8>;

/// p = 2^384 − 2^128 − 2^96 + 2^32 − 1: −1/p = 2^32 + 1 mod 2^52; 2^96 is 2^44 in limb 1, 2^128 is
/// 2^24 in limb 2, 2^384 is 2^20 in limb 7. What p subtracts is added for 2^52 − 1 − q instead of q: in
/// all rows together 2^44·(2^416 − 1) in column 1 and 2^24·(2^416 − 1) in column 2 too much, so the
/// first row starts with 2^44 and 2^24 there, and the last leaves them N columns higher.
impl LaneModulus<6, 8> for P384 {
    const TOP: u32 = 20;

    #[inline(always)]
    fn start(token: Ifma) -> [V; 8] {
        let mut columns = [V::zero(token); 8];
        (columns[1], columns[2]) = (V::all(token, 1 << 44), V::all(token, 1 << 24));
        columns
    }
    #[inline(always)]
    fn finish(columns: &mut [V; 8]) {
        columns[1] = columns[1] - columns[0].splat(1 << 44);
        columns[2] = columns[2] - columns[0].splat(1 << 24);
    }
    #[inline(always)]
    fn reduce(lowest: V, rest: &mut [V; 8]) {
        let [c0, c96, c128, c384] = [
            lowest.splat((1 << 32) - 1),
            lowest.splat(1 << 44),
            lowest.splat(1 << 24),
            lowest.splat(1 << 20),
        ];
        let q = lowest + lowest.shift_left::<32>();
        let not_q = q ^ lowest.splat(u64::MAX);
        // the next row waits for its lowest column: two short chains instead of one
        let lowest = lowest.madd_low(q, c0);
        rest[0] = rest[0].madd_high(q, c0);
        let beside = lowest.splat(0).madd_low(not_q, c96);
        rest[0] = rest[0] + (beside + lowest.shift_right::<52>());
        rest[1] = rest[1].madd_high(not_q, c96);
        rest[1] = rest[1].madd_low(not_q, c128);
        rest[2] = rest[2].madd_high(not_q, c128);
        rest[6] = rest[6].madd_low(q, c384);
        rest[7] = rest[7].madd_high(q, c384);
    }
    #[inline(always)]
    fn fold(limbs: &mut [V; 8], h: V) {
        limbs[0] = limbs[0] + (h - h.shift_left::<32>());
        limbs[1] = limbs[1] + h.shift_left::<44>();
        limbs[2] = limbs[2] + h.shift_left::<24>();
    }
}
