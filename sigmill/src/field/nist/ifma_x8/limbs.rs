//! Limbs of 52 bits: sums of columns and their carries, words as limbs, lanes in another order.

use crate::cpu::Ifma;
use crate::modular::PlainModulus;
use crate::simd::avx512::U64x8;

pub(super) type V = U64x8;

pub(super) const LOW_52: u64 = (1 << 52) - 1;

/// A prime just below 2^B, whose form makes multiples cheap.
pub(crate) trait LaneModulus<const W: usize, const N: usize>: PlainModulus<W> {
    /// B − 52·(N − 1): where 2^B is in the highest limb.
    const TOP: u32;

    /// The columns with which the first row starts, and the surplus that the last one leaves in them.
    fn start(token: Ifma) -> [V; N];
    fn finish(columns: &mut [V; N]);
    /// Adds q·p so that the lowest column is 0 mod 2^52, and what it then is over 2^52 to the next:
    /// `rest` are the N columns above it.
    fn reduce(lowest: V, rest: &mut [V; N]);
    /// Adds h·(2^B − p).
    fn fold(limbs: &mut [V; N], h: V);
}

/// `sum + FACTOR·a`.
#[inline(always)]
pub(super) fn add_times<const FACTOR: i32>(sum: V, a: V) -> V {
    const {
        assert!(matches!(FACTOR.unsigned_abs(), 0..=4 | 8 | 9));
    }
    let multiple = match FACTOR.unsigned_abs() {
        0 => return sum,
        1 => a,
        2 => a.shift_left::<1>(),
        3 => a.shift_left::<1>() + a,
        4 => a.shift_left::<2>(),
        8 => a.shift_left::<3>(),
        _ => a.shift_left::<3>() + a,
    };
    if FACTOR < 0 { sum - multiple } else { sum + multiple }
}

/// Signed columns of a V between −64·p and 64·p become columns of V − (h − 1)·p.
#[inline(always)]
pub(super) fn without_top<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    mut z: [V; N],
) -> [V; N] {
    let one = z[0].splat(1);
    let h = if M::TOP == 20 {
        z[N - 1].shift_right_signed::<20>()
    } else {
        z[N - 1].shift_right_signed::<48>()
    };
    // its part in the highest limb is h·2^B, and (h − 1)·2^B goes
    z[N - 1] = (z[N - 1] & z[0].splat((1 << M::TOP) - 1)) + z[0].splat(1 << M::TOP);
    M::fold(&mut z, h - one);
    z
}

/// These columns as limbs.
#[inline(always)]
pub(super) fn carried<const N: usize>(mut z: [V; N]) -> [V; N] {
    let mut i = 1;
    while i < N {
        z[i] = z[i] + z[i - 1].shift_right_signed::<52>();
        i += 1;
    }
    z
}

/// The same for the lanes whose bit is set, and no carry waits for another: what a column carries is hardly ever, once in
/// 2^44, changed by what is carried into it. Whether it was is looked at, and then all are carried in turn. Time depends on
/// the columns.
#[inline(always)]
pub(super) fn carried_vartime<const LANES: u8, const N: usize>(z: [V; N]) -> [V; N] {
    let (mut limbs, mut changed) = (z, z[0].splat(0));
    let mut i = 1;
    while i < N {
        limbs[i] = z[i] + z[i - 1].shift_right_signed::<52>();
        if i + 1 < N {
            changed = changed | (limbs[i] ^ z[i]);
        }
        i += 1;
    }
    if changed.disjoint(z[0].splat(!LOW_52)) | !LANES != u8::MAX {
        rarely();
        limbs = carried(z);
    }
    limbs
}

/// Tells the compiler that what calls it is not to be made fast.
#[cold]
#[inline(never)]
pub(super) fn rarely() {}

/// An operand's limbs without the bits that mean nothing.
#[inline(always)]
pub(super) fn clean<const N: usize>(a: &[V; N]) -> [V; N] {
    let mut limbs = *a;
    let mut i = 0;
    while i + 1 < N {
        limbs[i] = limbs[i] & a[0].splat(LOW_52);
        i += 1;
    }
    limbs
}

/// The limbs of an integer of W words and a carry.
pub(super) const fn limbs_of<const W: usize, const N: usize>(
    words: &[u64; W],
    carry: u64,
) -> [u64; N] {
    let mut limbs = [0; N];
    let mut i = 0;
    while i < N {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        let low = if word < W { words[word] } else { carry };
        let high = if word + 1 < W {
            words[word + 1]
        } else if word + 1 == W {
            carry
        } else {
            0
        };
        let all = (high as u128) << 64 | low as u128;
        limbs[i] = (all >> shift) as u64 & LOW_52;
        i += 1;
    }
    limbs
}

/// The positive multiples of p below 3·p: p and 2·p.
pub(super) const fn multiples<M: PlainModulus<W>, const W: usize, const N: usize>() -> [[u64; N]; 2]
{
    let p = limbs_of::<W, N>(&M::MODULUS, 0);
    let mut twice = [0; N];
    let (mut i, mut carry) = (0, 0);
    while i < N {
        let sum = 2 * p[i] + carry;
        (twice[i], carry) = (sum & LOW_52, sum >> 52);
        i += 1;
    }
    [p, twice]
}

/// The digits of [`lanes_from`](super::super::field::lanes_from), and a bit for each below 8.
pub(super) const fn digits_of(lanes: u32) -> ([u64; 8], u8) {
    let (mut digits, mut keep, mut i) = ([0; 8], 0, 0);
    while i < 8 {
        let digit = lanes >> (4 * i) & 15;
        if digit < 8 {
            (digits[i], keep) = (digit as u64, keep | 1 << i);
        }
        i += 1;
    }
    (digits, keep)
}

#[inline(always)]
pub(super) fn arrange_each<const FROM: u32, const N: usize>(mut limbs: [V; N]) -> [V; N] {
    let (index, keep) = const { digits_of(FROM) };
    let mut i = 0;
    while i < N {
        limbs[i] = limbs[i].permute(keep, limbs[0].words(index));
        i += 1;
    }
    limbs
}
