//! Multiples of points of Curve25519, v² = u³ + 486662·u² + u, by their u-coordinates alone: the ladder of
//! RFC 7748 section 5, for one point or one a lane, and multiples of the base point by the Edwards form.
//!
//! Representation: u = U/Z; Z is 0 for the point at infinity, whose u is then 0 as section 5 wants it.
//! Every integer below 2^255 is the u of a point of the curve or of its twist, and the formulas hold for
//! both. A scalar is 32 bytes, little-endian; bits 0, 1, 2 and 255 count as 0 and bit 254 as 1, whatever
//! they are (`decodeScalar25519`).
//!
//! Quotients of up to `VECTORS` vectors share one inversion (Montgomery 1987, section 10.3.1), with 1 in
//! the place of a Z that is 0.
//!
//! Secrets: scalars, points and results. All operations are constant time; what they leave on the stack is
//! the caller's to wipe.

use super::edwards::fixed_base::{self, vectors};
use super::edwards::lanes::Words;
use crate::ct::Mask;
use crate::field::algebra::LaneArray;
use crate::field::f25519::{
    Fe, Field, MINUS_1, ONE, Offset, PackedField, Products, SecretLanes, SingleField, WideField,
    ZERO, invert, mul, run_in_words, run_packed, run_wide,
};
use crate::scalar::l25519::Scalar;
use crate::simd::{Instructions, Kernel};
use crate::word::{load_le, store_le};

/// (486662 + 2)/4. Section 5 has AA + 121665·E; with E = AA − BB that is BB + 121666·E.
const A24: u32 = 121666;

/// A point as U and Z.
#[derive(Clone, Copy)]
struct Point<F: Field> {
    u: F::Product,
    z: F::Product,
}

impl<F: Field> Point<F> {
    /// U + Z and U − Z: A and B of section 5, or C and D.
    #[inline(always)]
    fn sum_and_difference(&self) -> [F; 2] {
        [F::sum_of_two::<1, 1>(&self.u, &self.z), F::sum_of_two::<1, -1>(&self.u, &self.z)]
    }

    /// `2·P`, given U + Z and U − Z.
    #[inline(always)]
    fn double([sum, difference]: [F; 2]) -> Self {
        let [aa, bb] = [sum.square(), difference.square()];
        Self::of_squares(&aa, &bb)
    }

    /// The same, given the squares of these.
    #[inline(always)]
    fn of_squares(aa: &F::Product, bb: &F::Product) -> Self {
        let e = F::sum_of_two::<1, -1>(aa, bb);
        let f = F::sum_of_two::<1, 1>(bb, &e.mul_small(A24));
        let [u, z] = F::mul_pair([&F::times::<1>(aa), &F::times::<1>(bb)], [&e, &f]);
        Point { u, z }
    }
}

/// The state of the ladder: two multiples of P that differ by P, whose u is given.
#[derive(Clone, Copy)]
struct Rungs<F: Field>([Point<F>; 2]);

impl<F: Field> Rungs<F> {
    /// U + Z and U − Z of the first, or of the second where the mask is set.
    #[inline(always)]
    fn chosen(swap: F::Mask, [a, b]: &[F; 2], [c, d]: &[F; 2]) -> [F; 2] {
        [F::select(swap, c, a), F::select(swap, d, b)]
    }

    /// Twice the first, or twice the second where the mask is set; and the sum of the two.
    ///
    /// Section 5 swaps the two points beforehand. Their sum does not need it: DA and CB only change
    /// places, and the difference of the two, whose sign changes, is squared. The order is that in which products
    /// can start, where a processor looks some two of them ahead.
    #[inline(always)]
    fn step(&self, swap: F::Mask, u: &F) -> Self {
        let (first, second) = (self.0[0].sum_and_difference(), self.0[1].sum_and_difference());
        let [a, b] = Self::chosen(swap, &first, &second);
        let [da, cb] = F::mul_pair([&second[1], &first[0]], [&second[0], &first[1]]);
        let [aa, bb] = [a.square(), b.square()];
        let (sum, difference) = (F::sum_of_two::<1, 1>(&da, &cb), F::sum_of_two::<1, -1>(&da, &cb));
        let e = F::sum_of_two::<1, -1>(&aa, &bb);
        let [sum_u, square] = [sum.square(), difference.square()];
        let f = F::sum_of_two::<1, 1>(&bb, &e.mul_small(A24));
        let double_u = F::times::<1>(&aa).mul(&F::times::<1>(&bb));
        let z = u.mul(&F::times::<1>(&square));
        let double_z = e.mul(&f);
        let sum = Point { u: sum_u, z };
        Rungs([Point { u: double_u, z: double_z }, sum])
    }
}

/// The scalar that 32 bytes stand for (section 5, `decodeScalar25519`).
#[inline(always)]
fn clamped(scalar: &[u8; 32]) -> [u8; 32] {
    let mut clamped = *scalar;
    clamped[0] &= 248;
    clamped[31] = clamped[31] & 127 | 64;
    clamped
}

/// The integer below p that 32 bytes stand for (section 5, `decodeUCoordinate`).
pub(crate) fn canonical(u: &[u8; 32]) -> [u8; 32] {
    Fe::from_bytes((), u).to_bytes(Mask::from_bit(0))
}

/// The u of `[scalar]P`, below p, little-endian; 0 for the point at infinity. Bit 255 of P's u is not
/// looked at, and a value from p on is reduced.
#[inline(never)]
pub(crate) fn multiple(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    run_in_words(Multiple { scalar, point })
}

/// The multiple of one point in words, or by a ladder in lanes that the CPU has.
struct Multiple<'a> {
    scalar: &'a [u8; 32],
    point: &'a [u8; 32],
}

impl<F: SingleField> Kernel<F> for Multiple<'_> {
    type Output = [u8; 32];

    #[inline(always)]
    fn run(self, token: F::Token) -> [u8; 32] {
        let Multiple { scalar, point } = self;
        let words =
            LadderWords { scalar: load_le(&clamped(scalar)), u: load_le(&canonical(point)) };
        let [u, z] = wide_fraction::<F>(token, &words)
            .or_else(|| packed_fraction(token, &words))
            .unwrap_or_else(|| fraction(token, scalar, point));
        mul(&u, &invert(&z)).to_bytes(Mask::from_bit(0))
    }
}

/// Its U and Z.
#[inline(never)]
fn fraction<F: SingleField>(token: F::Token, scalar: &[u8; 32], point: &[u8; 32]) -> [F; 2] {
    climb(token, &Alone(load_le(scalar)), F::from_bytes(token, point))
}

/// The same in bytes.
struct Fraction<'a>(Multiple<'a>);

impl<F: SingleField> Kernel<F> for Fraction<'_> {
    type Output = [[u8; 32]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u8; 32]; 2] {
        let Multiple { scalar, point } = self.0;
        fraction::<F>(token, scalar, point).map(|value| value.to_bytes(Mask::from_bit(0)))
    }
}

/// The same in lanes, if the CPU has them: 2·U and 2·Z.
#[inline(always)]
fn packed_fraction<F: SingleField>(token: F::Token, words: &LadderWords) -> Option<[F; 2]> {
    let [sum, difference] = run_packed(PackedLadder(words))?;
    let (sum, difference) = (
        F::from_bytes(token, &store_le(&sum)).widen(),
        F::from_bytes(token, &store_le(&difference)).widen(),
    );
    Some([F::sum_of_two::<1, 1>(&sum, &difference), F::sum_of_two::<1, -1>(&sum, &difference)])
}

/// The same by the ladder in eight lanes: U and Z.
#[inline(always)]
fn wide_fraction<F: SingleField>(token: F::Token, words: &LadderWords) -> Option<[F; 2]> {
    Some(run_wide(WideLadder(words))?.map(|words| F::from_bytes(token, &store_le(&words))))
}

/// The input of a ladder in lanes.
struct LadderWords {
    /// Clamped.
    scalar: [u64; 4],
    /// Below 2^255.
    u: [u64; 4],
}

/// U and Z of the multiple of one point, with the values of a step in eight lanes: two products of vectors a step.
///
/// With u of the given point, each point has a third coordinate, V = u·Z. With A, B, C, D as in section 5 of the point s to
/// double and of the other one, o, E = AA − BB = 4·UZ and F = BB + 121666·E, twice the point is AA·BB over E·F, and V is
/// 4·UV·F. With S = DA + CB, T = DA − CB = 2·(Uo·Zs − Us·Zo) and G = u·T the sum is S² over u·T² = T·G, and V is G². No product has to
/// wait for G: it is 2·(C·Vs − A·Vo), in which Zo·Vs = Zs·Vo.
struct WideLadder<'a>(&'a LadderWords);

impl<F: WideField> Kernel<F> for WideLadder<'_> {
    type Output = [[u64; 4]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u64; 4]; 2] {
        let LadderWords { scalar, u } = self.0;
        use Offset::{First, Minuend, None, Second};
        // of points: U and Z of s, then of o; Z, V, U of s, V of o
        let points_start = F::start(token, [First, Second, First, Second, None, None, None, None]);
        // A, B, C, D; the rest as it is
        let pairs = F::pairs(token, 0b1111, 0b1010);
        let factors = [1, 1, 1, 1, 4 * u64::from(A24), 2, 4, 2];
        // A, B, B, A, U of s, C, V of s, A
        let left = F::index(token, [0, 1, 1, 0, 6, 2, 5, 0]);
        // AA, BB, CB, DA, F − BB, 2·C·V of s, 4·UV, 2·A·V of o
        let products_start =
            F::start(token, [Minuend, None, First, Second, None, None, None, Minuend]);
        // AA, E, S, −T, F, −G, 4·UV, BB
        let sums = F::sums(token, [0, 0, 3, 2, 1, 7, 6, 1], 0b0011_1110, 0b0010_1011);
        // the double is s of the next step, or o
        let double_left = F::index(token, [0, 1, 2, 3, 1, 6, 0, 5]);
        let double_right = F::index(token, [7, 4, 2, 5, 4, 4, 7, 5]);
        let sum_left = F::index(token, [2, 3, 0, 1, 3, 5, 2, 6]);
        let sum_right = F::index(token, [2, 5, 7, 4, 5, 5, 2, 4]);

        // bit 254 is 1: s is u over 1, o is 1 over 0
        let words = [u, &ONE, &ONE, &ZERO, &ONE, u, u, &ZERO];
        let mut points = F::widen(token, words, &points_start);
        let mut bit = scalar[3] >> 62 & 1;
        let mut i = 255;
        while i > 0 {
            i -= 1;
            // after bit 0, which is 0, comes no other: the point of the smaller multiple is s
            let next = if i > 0 { scalar[(i - 1) / 64] >> ((i - 1) % 64) & 1 } else { 0 };
            let exchange = (bit ^ next).wrapping_neg();
            bit = next;
            let sums_of_points = F::add_pairs(&points, &pairs);
            let multiples = sums_of_points.times(factors);
            let products = sums_of_points.permuted(left).mul(&multiples, &products_start);
            let values = F::add(&products, &sums);
            let [left, right] = values.permuted_twice([
                F::index_where(exchange, sum_left, double_left),
                F::index_where(exchange, sum_right, double_right),
            ]);
            points = left.mul(&right, &points_start);
        }
        F::words(&points, [6, 4])
    }
}

/// U + Z and U − Z of the multiple of one point, with the values of a step in four lanes (Nath, Sarkar,
/// "Efficient 4-way vectorizations of the Montgomery ladder", eprint 2020/378): three products of vectors a
/// step.
///
/// With A = U + Z, B = U − Z of the point to double, S and T the sum and difference of DA and CB as in
/// section 5, G = AA + BB and E = AA − BB, twice the point is 4·AA·BB = G² − E² over
/// 4·E·(BB + 121666·E) = 2·(E·G + 243331·E²), and the sum is S² over u·T².
struct PackedLadder<'a>(&'a LadderWords);

impl<F: PackedField> Kernel<F> for PackedLadder<'_> {
    type Output = [[u64; 4]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u64; 4]; 2] {
        let LadderWords { scalar, u } = self.0;
        // 1 : 0, and 1 over u
        let start = F::from_words::<0>(token, [&ONE, &ZERO, &ONE, u]);
        let zero = F::from_words::<0>(token, [&ZERO; 4]);
        let factors = F::from_words::<0>(token, [&MINUS_1, &ZERO, u, &ONE]);
        // A, B, D, C of section 5
        let mut sums = F::butterflies::<0b0110, 0>(&start.widen());
        let mut before = 0;
        let mut i = 255;
        while i > 0 {
            i -= 1;
            let bit = scalar[i / 64] >> (i % 64) & 1;
            // A and B of the point to double: of the first, or of the second (lanes 3 and 2)
            let swap = (bit ^ before).wrapping_mul(3);
            before = bit;
            let left = sums.permuted([swap, 1 ^ swap, 0, 1]);
            let right = sums.permuted([swap, 1 ^ swap, 2, 3]);
            // AA, BB, DA, CB
            let products = left.mul(&right);
            // G, E, −T, S
            let gets = F::butterflies::<0b0110, 0>(&products);
            let squares = F::carry(&gets.square());
            // U = GG − EE and Z/2 = E·G + 243331·EE of the double, Z = u·TT and U = SS of the sum
            let left = F::choose::<0b0001>(&squares.neighbours(), &squares);
            let left = F::choose::<0b0010>(&gets, &left);
            let right = F::choose::<0b0010>(&gets.neighbours(), &factors);
            let squared = F::choose::<0b0001>(&squares, &zero);
            let points = F::mul_sum(&left, &right, &squares, [0, 2 * A24 - 1, 0, 0], &squared);
            sums = F::butterflies::<0b0110, 0b0010>(&points);
        }
        // bit 0 is 0: the first point, by U + Z and U − Z
        let [sum, difference, ..] = sums.to_words();
        [sum, difference]
    }
}

/// The u of `[scalar]B`, where u(B) = 9 (section 4.1), below p, little-endian. It is never 0.
#[inline(never)]
pub(crate) fn base_multiple(scalar: &[u8; 32]) -> [u8; 32] {
    // B has order ℓ
    run_in_words(BaseMultiple(&Scalar::reduce_narrow(&clamped(scalar))))
}

struct BaseMultiple<'a>(&'a Scalar);

impl<F: SingleField> Kernel<F> for BaseMultiple<'_> {
    type Output = [u8; 32];

    #[inline(always)]
    fn run(self, token: F::Token) -> [u8; 32] {
        fixed_base::multiple::<F>(token, self.0).montgomery_u()
    }
}

/// The bits of scalars, one a lane.
trait Bits<F: Field> {
    /// Bit i of each: lane l is bit l.
    fn bits(&self, i: usize) -> u32;
    /// Set in lanes whose bit is set.
    fn mask(token: F::Token, bits: u32) -> F::Mask;
}

/// One scalar.
struct Alone([u64; 4]);

impl<F: SingleField> Bits<F> for Alone {
    #[inline(always)]
    fn bits(&self, i: usize) -> u32 {
        (self.0[i / 64] >> (i % 64)) as u32 & 1
    }

    #[inline(always)]
    fn mask(_: F::Token, bits: u32) -> Mask {
        Mask::from_bit(u64::from(bits & 1))
    }
}

/// One scalar a lane.
struct Side<F: SecretLanes>(Words<F, 4>);

impl<F: SecretLanes> Bits<F> for Side<F> {
    #[inline(always)]
    fn bits(&self, i: usize) -> u32 {
        let mut bits = 0;
        for (lane, word) in self.0[i / 64].lanes().iter().enumerate() {
            bits |= ((word >> (i % 64)) as u32 & 1) << lane;
        }
        bits
    }

    #[inline(always)]
    fn mask(token: F::Token, bits: u32) -> F::Mask {
        F::mask(token, bits)
    }
}

/// U and Z of the multiple of a point, given its u.
#[inline(always)]
fn climb<F: Field, B: Bits<F>>(token: F::Token, scalars: &B, u: F) -> [F; 2] {
    let first = Point::<F> { u: u.widen(), z: F::splat(token, &ONE).widen() };
    // bit 254 is 1: 2P and P, and the second is the one that counts
    let mut rungs = Rungs([Point::double(first.sum_and_difference()), first]);
    let mut before = u32::MAX;
    let mut i = 254;
    while i > 3 {
        i -= 1;
        let bit = scalars.bits(i);
        rungs = rungs.step(B::mask(token, bit ^ before), &u);
        before = bit;
    }
    // bits 2 to 0 are 0: doublings of the one that counts
    let (first, second) = (rungs.0[0].sum_and_difference(), rungs.0[1].sum_and_difference());
    let mut chosen = Rungs::chosen(B::mask(token, before), &first, &second);
    let mut doublings = 3;
    loop {
        let multiple = Point::<F>::double(chosen);
        doublings -= 1;
        if doublings == 0 {
            return [F::times::<1>(&multiple.u), F::times::<1>(&multiple.z)];
        }
        chosen = multiple.sum_and_difference();
    }
}

/// U and Z of the multiple of one point a lane.
struct Ladder<F: SecretLanes> {
    scalars: Words<F, 4>,
    points: F::Bytes,
}

impl<F: SecretLanes> Kernel<F> for Ladder<F> {
    type Output = [F; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [F; 2] {
        let u = F::from_bytes(token, &self.points);
        climb(token, &Side::<F>(self.scalars), u)
    }
}

/// A source of U and Z for a vector of rows.
pub(crate) trait Fractions<F: SecretLanes>: Copy {
    /// Of the rows from `first` on, one a lane; in lanes without a row, of any.
    fn fractions(self, token: F::Token, first: usize) -> [F; 2];
}

/// Multiples of one point a row.
#[derive(Clone, Copy)]
pub(crate) struct OfPoints<'a> {
    pub(crate) scalars: &'a [[u8; 32]],
    /// The u of as many points.
    pub(crate) points: &'a [[u8; 32]],
}

impl<F: SecretLanes> Fractions<F> for OfPoints<'_> {
    #[inline(always)]
    fn fractions(self, token: F::Token, first: usize) -> [F; 2] {
        if F::LANES == 1 {
            // as one alone
            let scalar = self.scalars.get(first).unwrap_or(&[0; 32]);
            let point = self.points.get(first).unwrap_or(&[0; 32]);
            let bytes = run_in_words(Fraction(Multiple { scalar, point }));
            return bytes.map(|value| F::from_bytes(token, &F::Bytes::all(value)));
        }
        let mut scalars = [F::PerLane::<u64>::all(0); 4];
        let mut points = F::Bytes::all([0; 32]);
        for lane in 0..F::LANES {
            let words = load_le(self.scalars.get(first + lane).unwrap_or(&[0; 32]));
            for i in 0..4 {
                scalars[i].lanes_mut()[lane] = words[i];
            }
            points.lanes_mut()[lane] = *self.points.get(first + lane).unwrap_or(&[0; 32]);
        }
        token.enter::<F, _>(Ladder { scalars, points })
    }
}

/// Multiples of the base point.
#[derive(Clone, Copy)]
pub(crate) struct OfBase<'a> {
    pub(crate) scalars: &'a [[u8; 32]],
}

impl<F: SecretLanes> Fractions<F> for OfBase<'_> {
    #[inline(always)]
    fn fractions(self, token: F::Token, first: usize) -> [F; 2] {
        // B has order ℓ
        let mut scalars = F::PerLane::<Scalar>::all(Scalar::ZERO);
        for (lane, scalar) in scalars.lanes_mut().iter_mut().enumerate() {
            let bytes = self.scalars.get(first + lane).unwrap_or(&[0; 32]);
            *scalar = Scalar::reduce_narrow(&clamped(bytes));
        }
        let [_, y, z] = token.enter::<F, _>(fixed_base::Multiply(scalars.lanes()));
        // u = (1 + y)/(1 − y) (section 4.1)
        let (y, z) = (y.widen(), z.widen());
        [F::sum_of_two::<1, 1>(&z, &y), F::sum_of_two::<1, -1>(&z, &y)]
    }
}

/// The u of each row, as `multiple` and `base_multiple` give it.
pub(crate) struct UCoordinates<'a, R> {
    pub(crate) rows: R,
    /// As many as there are rows.
    pub(crate) u: &'a mut [[u8; 32]],
}

impl<F: SecretLanes, R: Fractions<F>> Kernel<F> for UCoordinates<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let (rows, len) = (self.rows, vectors(F::LANES) * F::LANES);
        for (group, u) in self.u.chunks_mut(len).enumerate() {
            let first = group * len;
            if F::LANES == 8 {
                token.enter::<F, _>(Group::<R, { vectors(8) }> { rows, first, u });
            } else {
                token.enter::<F, _>(Group::<R, { vectors(1) }> { rows, first, u });
            }
        }
    }
}

/// At most `VECTORS` vectors, from row `first` on.
struct Group<'a, R, const VECTORS: usize> {
    rows: R,
    first: usize,
    u: &'a mut [[u8; 32]],
}

impl<F: SecretLanes, R: Fractions<F>, const VECTORS: usize> Kernel<F> for Group<'_, R, VECTORS> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let (zero, one) = (F::splat(token, &ZERO), F::splat(token, &ONE));
        let mut fractions = [[one; 2]; VECTORS];
        // of the Z of all vectors before
        let mut before = [one; VECTORS];
        let mut products = Products::new(token);
        let vectors = self.u.len().div_ceil(F::LANES);
        for i in 0..vectors {
            let [u, z] = self.rows.fractions(token, self.first + i * F::LANES);
            let infinite = z.is_zero();
            fractions[i] = [F::select(infinite, &zero, &u), F::select(infinite, &one, &z)];
            before[i] = products.push(&fractions[i][1]);
        }
        let mut inverses = products.invert();
        let mut i = vectors;
        while i > 0 {
            i -= 1;
            let [u, z] = fractions[i];
            let u = mul(&u, &inverses.pop(&z, &before[i]));
            let lanes = u.to_bytes(F::mask(token, 0));
            for (row, lane) in self.u[i * F::LANES..].iter_mut().zip(lanes.lanes()) {
                *row = *lane;
            }
        }
    }
}

#[cfg(test)]
mod tests;
