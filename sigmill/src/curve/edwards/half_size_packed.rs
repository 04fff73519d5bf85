//! The verification of one signature with scalars of half the length, four values of one formula side by
//! side.
//!
//! Public inputs only: time depends on them.

use super::decode::Decoding;
use super::half_size::{DIGITS, Decoded, DigitsMeanwhile, HalfDigits};
use super::packed::{ADDITION, DOUBLING, ORDERS, Point, SWAPPED, TWO, operand_factors};
use super::straus::{BASE_WIDTH, PreparedPoint};
use crate::curve::tables::AffineWords;
use crate::curve::tables::edwards25519::{base_odd_multiples, base_odd_multiples_of_parts};
use crate::field::f25519::{D, MINUS_1, ONE, P, PackedField, SQRT_MINUS_1, ZERO, run_packed};
use crate::scalar::l25519::Scalar;
use crate::scalar::recode::NafPlace;
use crate::simd::{Kernel, prefetch};
use crate::word::{add_carry, load_le, sub_words};

/// An affine point, before an addition.
#[inline(always)]
fn first_multiple<F: PackedField>(token: F::Token, [x, y]: [&[u64; 4]; 2]) -> Point<F> {
    let coordinates = F::from_words::<0>(token, [x, y, &ONE, x]);
    let others = F::from_words::<0>(token, [&ONE, &ONE, &ONE, y]);
    Point::of_coordinates(&coordinates.mul(&others))
}

/// P, 3P, …, 15P of two affine points, as second operands: two chains side by side.
#[inline(always)]
fn odd_multiples<F: PackedField>(token: F::Token, points: &[[&[u64; 4]; 2]; 2]) -> [[F; 8]; 2] {
    let factors = operand_factors::<F>(token);
    let mut multiple = [Point(factors); 2];
    let mut twice = [factors; 2];
    let mut multiples = [[factors; 8]; 2];
    let mut t = 0;
    while t < 2 {
        let [x, y] = points[t];
        multiple[t] = first_multiple(token, [x, y]);
        multiples[t][0] = multiple[t].operand(&factors);
        let coordinates = F::from_words::<0>(token, [x, y, &ONE, y]);
        twice[t] =
            Point::<F>::of_coordinates(&coordinates.widen()).double(ADDITION).operand(&factors);
        t += 1;
    }
    let mut i = 1;
    while i < 8 {
        multiple[0] = multiple[0].add(&twice[0], ADDITION);
        multiple[1] = multiple[1].add(&twice[1], ADDITION);
        multiples[0][i] = multiple[0].operand(&factors);
        multiples[1][i] = multiple[1].operand(&factors);
        i += 1;
    }
    multiples
}

/// A precomputed point as a second operand, or its opposite but for the sign of T.
#[inline(always)]
fn affine_operand<F: PackedField>(token: F::Token, entry: &AffineWords, minus: bool) -> F {
    let (sum, difference) = (&entry[usize::from(minus)], &entry[usize::from(!minus)]);
    F::from_words::<0b0011>(token, [sum, difference, &TWO, &entry[2]])
}

/// A sum of multiples of up to eight points, digit by digit.
trait Terms<F: PackedField> {
    /// Digits of each scalar.
    const LEN: usize;
    /// The scalars with a nonzero digit at position i: bit t for scalar t.
    fn terms(&self, i: usize) -> u8;
    /// That multiple of its point as a second operand; and whether it is the opposite, but for the sign of T.
    fn operand(&self, token: F::Token, term: usize, i: usize) -> (F, bool);

    /// The sum, ready for `next`; for a doubling only if there is a digit.
    #[inline(always)]
    fn sum(&self, token: F::Token, next: usize) -> Point<F> {
        let mut sum = Point::<F>::identity(token);
        let mut i = Self::LEN - 1;
        while i > 0 && self.terms(i) == 0 {
            i -= 1;
        }
        loop {
            let mut terms = self.terms(i);
            while terms != 0 {
                let term = terms.trailing_zeros() as usize;
                terms &= terms - 1;
                let (q, minus) = self.operand(token, term, i);
                let then = if terms != 0 {
                    ADDITION
                } else if i > 0 {
                    DOUBLING
                } else {
                    next
                };
                sum = sum.add(&q, then + if minus { SWAPPED } else { 0 });
            }
            if i == 0 {
                return sum;
            }
            i -= 1;
            let then = if self.terms(i) != 0 {
                ADDITION
            } else if i > 0 {
                DOUBLING
            } else {
                next
            };
            sum = sum.double(then);
        }
    }
}

/// Whether a point, or 8 times it, is the identity.
#[inline(always)]
fn is_neutral<F: PackedField>(mut sum: Point<F>, times_8: bool) -> bool {
    let mut doublings = if times_8 { 3 } else { 0 };
    while doublings > 0 {
        doublings -= 1;
        sum = sum.double(DOUBLING);
    }
    // X = 0 leaves (0, 1) and (0, −1); Y = Z decides. Z is never 0.
    let [plus, minus, z, y] = sum.0.to_words();
    reduced(&plus) == reduced(&minus) && reduced(&z) == reduced(&y)
}

/// Multiples of A, R, B and 2^128·B.
struct OfPoints<'a, F: PackedField> {
    multiples: [[F; 8]; 2],
    digits: &'a [[i16; DIGITS]; 4],
    /// Whether those of A and of R are taken away.
    minus: [bool; 2],
}

impl<F: PackedField> Terms<F> for OfPoints<'_, F> {
    const LEN: usize = DIGITS;

    #[inline(always)]
    fn terms(&self, i: usize) -> u8 {
        let [u, c, low, high] = self.digits;
        u8::from(u[i] != 0)
            | u8::from(c[i] != 0) << 1
            | u8::from(low[i] != 0) << 2
            | u8::from(high[i] != 0) << 3
    }

    #[inline(always)]
    fn operand(&self, token: F::Token, term: usize, i: usize) -> (F, bool) {
        let digit = self.digits[term % 4][i];
        let (magnitude, minus) = (usize::from(digit.unsigned_abs()), digit < 0);
        if term < 2 {
            let minus = minus ^ self.minus[term];
            let multiple = self.multiples[term][magnitude / 2 % 8];
            (multiple.permuted(ORDERS[usize::from(minus)]), minus)
        } else {
            let multiple = &base_odd_multiples()[term % 2][magnitude / 2];
            (affine_operand(token, multiple, minus), minus)
        }
    }
}

/// Whether D = \[b\]B − \[u\]A − \[c\]R, or 8·D, is the identity.
struct Residual<'a> {
    /// x and y of A and of R.
    points: [[&'a [u64; 4]; 2]; 2],
    scalars: &'a HalfDigits,
    times_8: bool,
}

impl<F: PackedField> Kernel<F> for Residual<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self, token: F::Token) -> bool {
        let HalfDigits { digits, u_negative } = self.scalars;
        let multiples = odd_multiples::<F>(token, &self.points);
        let terms = OfPoints { multiples, digits, minus: [!u_negative, true] };
        // c is odd
        is_neutral(terms.sum(token, DOUBLING), self.times_8)
    }
}

/// Whether D = \[b\]B − \[u\]A − \[c\]R, or 8·D, is the identity, if the CPU has four lanes for one formula.
#[inline(never)]
pub(crate) fn residual_packed_vartime(
    a: &Decoded,
    r: &Decoded,
    scalars: &HalfDigits,
    times_8: bool,
) -> Option<bool> {
    let points = [[&a.x, &a.y], [&r.x, &r.y]];
    run_packed(Residual { points, scalars, times_8 })
}

/// Multiples of the parts of a prepared point, and of 2^(64·i)·B.
struct OfTables<'a> {
    tables: &'a PreparedPoint,
    digits: &'a [i16; PreparedPoint::PARTS * PART],
    base_digits: &'a [i16; 4 * 64],
}

const PART: usize = PreparedPoint::PART_BITS as usize;
const _: () = assert!(PreparedPoint::PARTS == 4 && PART > 64);

/// The multiple of a part of a prepared point for a digit that is not 0; the digit's sign is another matter.
#[inline(always)]
fn table_entry(tables: &PreparedPoint, part: usize, digit: i16) -> &AffineWords {
    tables.multiple(part, digit.unsigned_abs().into())
}

impl OfTables<'_> {
    /// A digit that is not 0 is that of an entry.
    #[inline(always)]
    fn entry(&self, term: usize, i: usize) -> (&AffineWords, bool) {
        let part = term % 4;
        if term < 4 {
            let digit = self.digits[PART * part + i];
            (table_entry(self.tables, part, digit), digit < 0)
        } else {
            let digit = self.base_digits[64 * part + i];
            let magnitude = usize::from(digit.unsigned_abs());
            (&base_odd_multiples_of_parts()[part][magnitude / 2], digit < 0)
        }
    }
}

/// The digits of [`OfTables`], made a little at a time; entries of tables are asked for as soon as their digit is known,
/// as they may not be in the cache.
struct TablesMeanwhile<'a> {
    tables: &'a PreparedPoint,
    /// k and s.
    scalars: [&'a [u64; 4]; 2],
    places: [NafPlace; 2],
    digits: [i16; PreparedPoint::PARTS * PART],
    base_digits: [i16; 4 * 64],
}

impl TablesMeanwhile<'_> {
    /// Goes on a little; whether there is more to do.
    #[inline(always)]
    fn step_vartime(&mut self) -> bool {
        let [k, s] = self.scalars;
        if !self.places[0].at_end(k) {
            if let Some((i, digit)) = self.places[0].step_vartime(k, PreparedPoint::WIDTH)
                && let Some(place) = self.digits.get_mut(i)
            {
                *place = digit;
                prefetch(table_entry(self.tables, i / PART, digit));
            }
            return true;
        }
        if self.places[1].at_end(s) {
            return false;
        }
        if let Some((i, digit)) = self.places[1].step_vartime(s, BASE_WIDTH)
            && let Some(place) = self.base_digits.get_mut(i)
        {
            *place = digit;
        }
        true
    }
}

impl Meanwhile for &mut TablesMeanwhile<'_> {
    #[inline(always)]
    fn step(&mut self) {
        self.step_vartime();
    }
}

impl<F: PackedField> Terms<F> for OfTables<'_> {
    const LEN: usize = PART;

    #[inline(always)]
    fn terms(&self, i: usize) -> u8 {
        let (mut terms, mut part) = (0, 0);
        while part < 4 {
            terms |= u8::from(self.digits[PART * part + i] != 0) << part;
            if i < 64 {
                terms |= u8::from(self.base_digits[64 * part + i] != 0) << (4 + part);
            }
            part += 1;
        }
        terms
    }

    #[inline(always)]
    fn operand(&self, token: F::Token, term: usize, i: usize) -> (F, bool) {
        let (entry, minus) = self.entry(term, i);
        (affine_operand(token, entry, minus), minus)
    }
}

/// R, and whether \[s\]B + \[k\]P − R, or 8 times it, is the identity, which means nothing where R does
/// not decode.
struct Prepared<'a> {
    tables: &'a PreparedPoint,
    k: &'a [u64; 4],
    s: &'a [u64; 4],
    r: &'a [u8; 32],
    times_8: bool,
}

impl<F: PackedField> Kernel<F> for Prepared<'_> {
    type Output = (Decoded, bool);

    #[inline(always)]
    fn run(self, token: F::Token) -> (Decoded, bool) {
        let mut meanwhile = TablesMeanwhile {
            tables: self.tables,
            scalars: [self.k, self.s],
            places: [NafPlace::default(); 2],
            digits: [0; PreparedPoint::PARTS * PART],
            base_digits: [0; 4 * 64],
        };
        let [r] = Kernel::<F>::run(Decode([self.r], &mut meanwhile), token);
        while meanwhile.step_vartime() {}
        let TablesMeanwhile { digits, base_digits, .. } = &meanwhile;
        let terms = OfTables { tables: self.tables, digits, base_digits };
        let minus_r = first_multiple::<F>(token, [&r.x, &r.y])
            .operand(&operand_factors(token))
            .permuted(ORDERS[1]);
        let sum = terms.sum(token, ADDITION).add(&minus_r, DOUBLING + SWAPPED);
        (r, is_neutral(sum, self.times_8))
    }
}

/// R decoded, and whether \[s\]B + \[k\]P − R, or 8 times it, is the identity, given tables of P, and k and s
/// below 2^255; if the CPU has four lanes for one formula.
#[inline(never)]
pub(crate) fn prepared_packed_vartime(
    tables: &PreparedPoint,
    k: &[u64; 4],
    s: &[u64; 4],
    r: &[u8; 32],
    times_8: bool,
) -> Option<(Decoded, bool)> {
    run_packed(Prepared { tables, k, s, r, times_8 })
}

/// How w^(2^252 − 3) is made, (p − 5)/8 = 2^252 − 3: squarings, and the result by which it is then multiplied,
/// 0 being w. Result i + 1 is made by step i. In all 251 squarings.
const CHAIN: [(u32, usize); 11] = [
    (1, 0),   // 2^2 − 1
    (2, 1),   // 2^4 − 1
    (1, 0),   // 2^5 − 1
    (5, 3),   // 2^10 − 1
    (10, 4),  // 2^20 − 1
    (20, 5),  // 2^40 − 1
    (10, 4),  // 2^50 − 1
    (50, 7),  // 2^100 − 1
    (100, 8), // 2^200 − 1
    (50, 7),  // 2^250 − 1
    (2, 0),   // 2^252 − 3
];

/// Work that fills the latency of dependent squarings.
trait Meanwhile {
    /// A little of it.
    fn step(&mut self);
}

impl Meanwhile for &mut DigitsMeanwhile<'_> {
    #[inline(always)]
    fn step(&mut self) {
        self.step_vartime();
    }
}

/// One or two encodings, decoded as by `edwards::Extended::decode`; and what is done meanwhile.
struct Decode<'a, M, const N: usize>([&'a [u8; 32]; N], M);

impl<F: PackedField, M: Meanwhile, const N: usize> Kernel<F> for Decode<'_, M, N> {
    type Output = [Decoded; N];

    #[inline(always)]
    fn run(mut self, token: F::Token) -> [Decoded; N] {
        const { assert!(N == 1 || N == 2) };
        let words = self.0.map(load_le);
        let signs = words.map(|words| words[3] >> 63);
        let y = words.map(|[w0, w1, w2, w3]| [w0, w1, w2, w3 & (u64::MAX >> 1)]);
        let (a, r) = (&y[0], &y[N - 1]);
        let of_words = |words: [&[u64; 4]; 4]| F::from_words::<0>(token, words);
        let (zero, minus_1) = (of_words([&ZERO; 4]), of_words([&MINUS_1; 4]));
        let mul = |a: &F, b: &F| F::carry(&a.mul(b));
        let mul_add = |a: &F, b: &F, c: &F| F::carry(&F::mul_sum(a, b, &zero, [0; 4], c));
        // each point in two lanes, one alone in four. x² = u/v with u = y² − 1, v = d·y² + 1, which is never 0
        let both = of_words([a, r, a, r]);
        let u = mul_add(&both, &both, &minus_1);
        let v = mul_add(&F::carry(&both.square()), &of_words([&D; 4]), &of_words([&ONE; 4]));
        // x = u·v³·(u·v⁷)^((p − 5)/8) (RFC 8032 section 5.1.3), or that times √−1
        let v3 = mul(&F::carry(&v.square()), &v);
        let uv3 = mul(&u, &v3);
        let w = mul(&mul(&F::carry(&v3.square()), &v), &u);
        let mut powers = [w; CHAIN.len() + 1];
        let mut step = 0;
        while step < CHAIN.len() {
            let (mut squarings, factor) = CHAIN[step];
            let mut power = powers[step];
            while squarings > 0 {
                squarings -= 1;
                power = F::carry(&power.square());
                self.1.step();
            }
            step += 1;
            powers[step] = mul(&power, &powers[factor]);
        }
        let x = mul(&uv3, &powers[CHAIN.len()]);
        // lanes 0 and 1: v·x² − u and x; lanes 2 and 3: v·x² + u and √−1·x
        let vu = F::choose::<0b0011>(&mul(&u, &minus_1), &u);
        let rests = mul_add(&F::carry(&x.square()), &v, &vu).to_words();
        let roots = mul(&x, &of_words([&ONE, &ONE, &SQRT_MINUS_1, &SQRT_MINUS_1])).to_words();
        core::array::from_fn(|i| {
            let is_zero = |words: &[u64; 4]| reduced(words) == ZERO;
            let is_root = is_zero(&rests[i]);
            let root = reduced(&roots[if is_root { i } else { i + 2 }]);
            let x = if root[0] & 1 != signs[i] && root != ZERO { minus(&root) } else { root };
            let below_p = reduced(&y[i]);
            Decoded {
                x,
                y: below_p,
                decoding: Decoding {
                    decodes: is_root || is_zero(&rests[i + 2]),
                    canonical: below_p == y[i] && !(x == ZERO && signs[i] == 1),
                },
            }
        })
    }
}

/// Decodes one or two points, two side by side, and makes the digits for the equation meanwhile, of k and any 32
/// bytes of S, if k has a short pair; if the CPU has four lanes for one formula.
#[inline(never)]
pub(crate) fn decode_packed_vartime<const N: usize>(
    bytes: [&[u8; 32]; N],
    k: &Scalar,
    s: &[u8; 32],
    digits: &mut Option<HalfDigits>,
) -> Option<[Decoded; N]> {
    run_packed(DecodeWithDigits { bytes, k, s, digits })
}

/// [`decode_packed_vartime`] as a kernel.
struct DecodeWithDigits<'a, const N: usize> {
    bytes: [&'a [u8; 32]; N],
    k: &'a Scalar,
    s: &'a [u8; 32],
    digits: &'a mut Option<HalfDigits>,
}

impl<F: PackedField, const N: usize> Kernel<F> for DecodeWithDigits<'_, N> {
    type Output = [Decoded; N];

    #[inline(always)]
    fn run(self, token: F::Token) -> [Decoded; N] {
        let made = self.digits.insert(HalfDigits::ZERO);
        let mut meanwhile = DigitsMeanwhile::new(self.k, self.s, made);
        let points = Kernel::<F>::run(Decode(self.bytes, &mut meanwhile), token);
        if !meanwhile.end_vartime() {
            *self.digits = None;
        }
        points
    }
}

/// The residue below p of an integer below 2^255.
#[inline(always)]
fn reduced(words: &[u64; 4]) -> [u64; 4] {
    // p and more reach bit 255 with 19
    let (mut sum, mut carry) = ([0; 4], 19);
    let mut i = 0;
    while i < 4 {
        (sum[i], carry) = add_carry(words[i], carry, 0);
        i += 1;
    }
    if sum[3] >> 63 == 0 {
        return *words;
    }
    sum[3] &= u64::MAX >> 1;
    sum
}

/// `p − a` for a from 1 to p − 1.
#[inline(always)]
fn minus(a: &[u64; 4]) -> [u64; 4] {
    sub_words(&P, a).0
}

#[cfg(test)]
mod tests;
