//! The reduction modulo p in eight lanes, AVX-512 IFMA.

use super::P256;
use crate::cpu::Ifma;
use crate::field::nist::ifma_x8::{self, LaneModulus};
use crate::simd::avx512::U64x8;

type V = U64x8;

/// Coordinates in eight lanes.
pub(crate) type Fe = ifma_x8::Fe<P256, 4, 5>;

/// p = 2^256 − 2^224 + 2^192 + 2^96 − 1: q is the lowest limb itself, as −1/p = 1 mod 2^52, and takes
/// it away; 2^96 is 2^44 in limb 1, 2^192 is 2^36 in limb 3, 2^256 − 2^224 is 2^48 − 2^16 in limb 4.
impl LaneModulus<4, 5> for P256 {
    const TOP: u32 = 48;

    #[inline(always)]
    fn start(token: Ifma) -> [V; 5] {
        [V::zero(token); 5]
    }
    #[inline(always)]
    fn finish(_: &mut [V; 5]) {}
    #[inline(always)]
    fn reduce(lowest: V, rest: &mut [V; 5]) {
        let [c96, c192, c256] =
            [lowest.splat(1 << 44), lowest.splat(1 << 36), lowest.splat((1 << 48) - (1 << 16))];
        // the next row waits for its lowest column
        rest[0] = rest[0].madd_low(lowest, c96) + lowest.shift_right::<52>();
        rest[2] = rest[2].madd_low(lowest, c192);
        rest[3] = rest[3].madd_low(lowest, c256);
        rest[1] = rest[1].madd_high(lowest, c96);
        rest[3] = rest[3].madd_high(lowest, c192);
        rest[4] = rest[4].madd_high(lowest, c256);
    }
    #[inline(always)]
    fn fold(limbs: &mut [V; 5], h: V) {
        limbs[0] = limbs[0] + h;
        limbs[1] = limbs[1] - h.shift_left::<44>();
        limbs[3] = limbs[3] - h.shift_left::<36>();
        limbs[4] = limbs[4] + h.shift_left::<16>();
    }
}
