//! Multiples of the base point of a curve y² = x³ − 3x + b of prime order: many secret scalars, one a lane,
//! and a single one, whose digits are spread over the lanes.
//!
//! *Many.* Σ dᵢ·32ⁱ with −16 ≤ dᵢ ≤ 16: the odd digits first, times 32, then
//! the even ones. An entry is selected from its whole row (`Coordinates::select_entry`), and additions are
//! complete (Renes, Costello, Batina, EUROCRYPT 2016, algorithms 4 and 5 for a = −3), with one reduction
//! for each of the three sums of two products at their end. Points are made affine with one inversion for
//! up to `VECTORS` vectors of them (Montgomery 1987, section 10.3.1): scalars are not 0, so Z is never 0.
//!
//! *One.* Σ dᵢ·16ⁱ: lane l adds up what the digits l, l + 8, … choose among 1, 2, …, 8 times its own points,
//! and three additions of rotated lanes make one sum of eight.
//!
//! Secrets: scalars, digits and points with Z ≠ 1. All operations are constant time; their traces on
//! the stack are the caller's to wipe.

use super::formulas::{Affine, Curve};
use crate::field::algebra::Absent;
use crate::field::algebra::LaneArray;
use crate::field::nist::{EightLanes, Field, Pair};
use crate::memory::Line;
use crate::modular::{Arithmetic, PlainModulus, PrimeField, Products, Residue};
use crate::scalar::recode::{RADIX_32_DIGITS, signed_radix_16_of, signed_radix_32, wipe};
use crate::simd::{Instructions, Kernel};
use zeroize::Zeroize;

/// Multiples of G in the form of a backend.
pub(crate) trait BaseTables<F: Field>: Curve<Fe = F::Single> {
    /// Row i holds 1, 2, …, 16 times 1024^i·G.
    fn rows() -> &'static [F::Entries];
    /// Lane l of entry i holds 1, 2, …, 8 times 16^(LANES·i + l)·G.
    fn spread() -> &'static [F::Spread];
    /// Entry i is (2·i + 1)·G.
    fn odd_multiples() -> &'static [Pair; 128];
}

/// Nobody reads those of coordinates that are absent.
impl<C: Curve> BaseTables<Absent<C::Fe>> for C
where
    Absent<C::Fe>: Field<Single = C::Fe, Entries = (), Spread = ()>,
{
    fn rows() -> &'static [()] {
        &[]
    }

    fn spread() -> &'static [()] {
        &[]
    }

    fn odd_multiples() -> &'static [Pair; 128] {
        static NONE: [Pair; 128] = [[Line([0; 8]); 2]; 128];
        &NONE
    }
}

/// Points in words, as backends make their tables of them when the library is built.
pub(super) const fn words<M: PlainModulus<W>, const W: usize, const POINTS: usize>(
    points: &[Affine<Residue<M, W>>; POINTS],
) -> [[[u64; W]; 2]; POINTS] {
    let mut words = [[[0; W]; 2]; POINTS];
    let mut i = 0;
    while i < POINTS {
        words[i] = [points[i].x.words(), points[i].y.words()];
        i += 1;
    }
    words
}

/// The tables of a curve for the coordinates of a backend, from those for one point at a time.
macro_rules! base_tables {
    ($curve:ident, $tables:ident, $coordinates:ty) => {
        impl BaseTables<$coordinates> for $curve {
            fn rows() -> &'static [<$coordinates as Field>::Entries] {
                use super::fixed_base::words;

                const LEN: usize = tables::$tables::BASE_RADIX_32.len();
                static ROWS: [<$coordinates as Field>::Entries; LEN] = {
                    let mut rows =
                        [<$coordinates>::entries(&words(&tables::$tables::BASE_RADIX_32[0])); LEN];
                    let mut i = 1;
                    while i < LEN {
                        rows[i] =
                            <$coordinates>::entries(&words(&tables::$tables::BASE_RADIX_32[i]));
                        i += 1;
                    }
                    rows
                };
                &ROWS
            }

            fn spread() -> &'static [<$coordinates as Field>::Spread] {
                use super::fixed_base::words;

                const ROWS: usize = tables::$tables::BASE_RADIX_16.len();
                const LEN: usize = ROWS / <$coordinates as Field>::LANES;
                static SPREAD: [<$coordinates as Field>::Spread; LEN] = {
                    let mut rows = [words(&tables::$tables::BASE_RADIX_16[0]); ROWS];
                    let mut i = 1;
                    while i < ROWS {
                        rows[i] = words(&tables::$tables::BASE_RADIX_16[i]);
                        i += 1;
                    }
                    let mut spread = [<$coordinates>::spread(&rows, 0); LEN];
                    i = 1;
                    while i < LEN {
                        spread[i] = <$coordinates>::spread(&rows, i);
                        i += 1;
                    }
                    spread
                };
                &SPREAD
            }

            fn odd_multiples() -> &'static [Pair; 128] {
                use super::fixed_base::words;

                static PAIRS: [Pair; 128] =
                    <$coordinates>::pairs(&words(&tables::$tables::BASE_ODD_MULTIPLES));
                &PAIRS
            }
        }
    };
}
pub(super) use base_tables;

/// Writes `[scalar]G` for each scalar, none of them 0. The slices have one length. So many vectors share an
/// inversion.
pub(crate) fn multiples<C: BaseTables<F>, F: Field, const VECTORS: usize>(
    token: F::Token,
    scalars: &[C::Scalar],
    points: &mut [Affine<C::Fe>],
) {
    let rows = VECTORS * F::LANES;
    for (scalars, points) in scalars.chunks(rows).zip(points.chunks_mut(rows)) {
        token.enter::<F, _>(Group::<C, VECTORS> { scalars, points });
    }
}

/// At most `VECTORS` vectors.
struct Group<'a, C: Curve, const VECTORS: usize> {
    scalars: &'a [C::Scalar],
    points: &'a mut [Affine<C::Fe>],
}

impl<F: Field, C: BaseTables<F>, const VECTORS: usize> Kernel<F> for Group<'_, C, VECTORS> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let one = all(token, &F::Single::ONE);
        let mut sums = [[one; 3]; VECTORS];
        // of the Z of all vectors before
        let mut products = [one; VECTORS];
        let mut product = one;
        let vectors = self.scalars.chunks(F::LANES);
        let len = vectors.len();
        for (scalars, (sum, before)) in vectors.zip(sums.iter_mut().zip(&mut products)) {
            *before = product;
            *sum = token.enter::<F, _>(Multiply::<C>(scalars));
            product = F::times::<1>(&product.mul(&sum[2]));
        }
        let mut inverse = F::load(token, &inverses::<F>(&product.store()));
        for (i, points) in self.points.chunks_mut(F::LANES).enumerate().take(len).rev() {
            let [x, y, z] = &sums[i];
            let [z_inverse, next] = F::mul_pair([&inverse, &products[i]], [&inverse, z]);
            let z_inverse = F::times::<1>(&z_inverse);
            inverse = F::times::<1>(&next);
            let [x, y] = F::mul_pair([x, &z_inverse], [y, &z_inverse]);
            let (x, y) = (F::times::<1>(&x).store(), F::times::<1>(&y).store());
            for (lane, point) in points.iter_mut().enumerate() {
                *point = Affine { x: x.lanes()[lane], y: y.lanes()[lane] };
            }
        }
    }
}

/// 1/x of each, none of them 0.
pub(super) fn inverses<F: Field>(values: &F::PerLane<F::Single>) -> F::PerLane<F::Single> {
    // first the products of those before each
    let mut inverses = *values;
    let mut products = Products::new(());
    for (value, before) in values.lanes().iter().zip(inverses.lanes_mut()) {
        *before = products.push(value);
    }
    let mut left = products.invert();
    for (value, place) in values.lanes().iter().zip(inverses.lanes_mut()).rev() {
        *place = left.pop(value, place);
    }
    inverses
}

/// (X : Y : Z) with x = X/Z, y = Y/Z.
#[derive(Clone, Copy)]
struct Projective<F: Field> {
    x: F::Product,
    y: F::Product,
    z: F::Product,
}

/// The sums at the end of an addition: X₁X₂, Y₁Y₂ and Z₁Z₂, X₁Y₂ + X₂Y₁ and the like.
struct Sums<F: Field> {
    xx: F::Product,
    yy: F::Product,
    zz: F::Product,
    xy: F,
    xz: F,
    yz: F,
}

impl<F: Field> Sums<F> {
    /// The sum of two points.
    #[inline(always)]
    fn finish(&self, b: &F) -> Projective<F> {
        let Sums { xx, yy, zz, xy, xz, yz } = self;
        let [b_zz, b_xz] = F::mul_pair([b, &F::times::<1>(zz)], [b, xz]);
        let xz = xz.widen();
        let minus = F::sum::<1, -3, 3>(yy, &xz, &b_zz);
        let plus = F::sum::<1, 3, -3>(yy, &xz, &b_zz);
        let minus_y_part = F::sum::<-3, 9, 3>(&b_xz, zz, xx);
        let y_part = F::sum::<3, -9, -3>(&b_xz, zz, xx);
        let x_part = F::sum_of_two::<3, -3>(xx, zz);
        let [x, y] = F::mul_add_pair(
            [xy, &plus],
            &yz.mul_unreduced(&minus_y_part),
            [&plus, &minus],
            &x_part.mul_unreduced(&y_part),
        );
        let z = F::mul_add([yz, &minus], &xy.mul_unreduced(&x_part));
        Projective { x, y, z }
    }
}

/// The same value in every lane.
#[inline(always)]
fn all<F: Field>(token: F::Token, value: &F::Single) -> F {
    F::load(token, &F::PerLane::<F::Single>::all(*value))
}

impl<F: Field> Projective<F> {
    #[inline(always)]
    fn infinity(token: F::Token) -> Self {
        let zero = all::<F>(token, &F::Single::ZERO).widen();
        Projective { x: zero, y: all::<F>(token, &F::Single::ONE).widen(), z: zero }
    }

    #[inline(always)]
    fn operands(&self) -> [F; 3] {
        [F::times::<1>(&self.x), F::times::<1>(&self.y), F::times::<1>(&self.z)]
    }

    /// `self + other` (algorithm 4).
    #[inline(always)]
    fn add(&self, other: &Self, b: &F) -> Self {
        let ([x1, y1, z1], [x2, y2, z2]) = (self.operands(), other.operands());
        let [xx, yy] = F::mul_pair([&x1, &x2], [&y1, &y2]);
        let [zz, xy] = F::mul_pair(
            [&z1, &z2],
            [&F::sum_of_two::<1, 1>(&self.x, &self.y), &F::sum_of_two::<1, 1>(&other.x, &other.y)],
        );
        let [xz, yz] = F::mul_pair(
            [&F::sum_of_two::<1, 1>(&self.x, &self.z), &F::sum_of_two::<1, 1>(&other.x, &other.z)],
            [&F::sum_of_two::<1, 1>(&self.y, &self.z), &F::sum_of_two::<1, 1>(&other.y, &other.z)],
        );
        let xy = F::sum::<1, -1, -1>(&xy, &xx, &yy);
        let xz = F::sum::<1, -1, -1>(&xz, &xx, &zz);
        let yz = F::sum::<1, -1, -1>(&yz, &yy, &zz);
        Sums { xx, yy, zz, xy, xz, yz }.finish(b)
    }

    /// The same for a point other than infinity, as an operand and a product (algorithm 5).
    #[inline(always)]
    fn add_affine(&self, x2: &F, y2: &F::Product, b: &F) -> Self {
        let [x1, y1, z1] = self.operands();
        let [xx, yy] = F::mul_pair([&x1, x2], [&y1, &F::times::<1>(y2)]);
        let xy =
            F::sum_of_two::<1, 1>(&self.x, &self.y).mul(&F::sum_of_two::<1, 1>(&x2.widen(), y2));
        let [xz, yz] = F::mul_pair([x2, &z1], [&F::times::<1>(y2), &z1]);
        let xy = F::sum::<1, -1, -1>(&xy, &xx, &yy);
        let xz = F::sum_of_two::<1, 1>(&xz, &self.x);
        let yz = F::sum_of_two::<1, 1>(&yz, &self.y);
        Sums { xx, yy, zz: self.z, xy, xz, yz }.finish(b)
    }
}

/// Adds to each lane its digit's multiple of a point: the point times the digit's magnitude is selected already.
struct AddSelected<'a, F: Field> {
    sum: &'a mut Projective<F>,
    point: &'a [F; 2],
    digits: &'a F::PerLane<i8>,
    b: &'a F,
}

impl<F: Field> Kernel<F> for AddSelected<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: F::Token) {
        let AddSelected { sum, point: [x, y], digits, b } = self;
        let (mut negative, mut nothing) = (0, 0);
        for (lane, digit) in digits.lanes().iter().enumerate() {
            let byte = u32::from(*digit as u8);
            negative |= (byte >> 7) << lane;
            // a borrow where it is 0
            nothing |= (byte.wrapping_sub(1) >> 31) << lane;
        }
        let added = sum.add_affine(x, &F::negate_where(negative, &y.widen()), b);
        *sum = Projective {
            x: F::select(nothing, &sum.x, &added.x),
            y: F::select(nothing, &sum.y, &added.y),
            z: F::select(nothing, &sum.z, &added.z),
        };
    }
}

/// Adds a point in each lane: a function of its own for all sums of two points.
struct AddPoint<'a, F: Field> {
    sum: &'a mut Projective<F>,
    other: &'a Projective<F>,
    b: &'a F,
}

impl<F: Field> Kernel<F> for AddPoint<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: F::Token) {
        *self.sum = self.sum.add(self.other, self.b);
    }
}

/// Adds lane i + BY to lane i.
#[inline(always)]
fn add_rotated<F: EightLanes, const BY: i32>(token: F::Token, sum: &mut Projective<F>, b: &F) {
    let Projective { x, y, z } = &*sum;
    let other = Projective { x: F::rotate::<BY>(x), y: F::rotate::<BY>(y), z: F::rotate::<BY>(z) };
    token.enter::<F, _>(AddPoint { sum, other: &other, b });
}

/// X, Y and Z of the multiple of one scalar: digits in lanes, whose sums are added up at the end.
struct MultiplyOne<'a, C: Curve>(&'a C::Scalar);

impl<F: EightLanes, C: BaseTables<F>> Kernel<F> for MultiplyOne<'_, C> {
    type Output = [F::Single; 3];

    #[inline(always)]
    fn run(self, token: F::Token) -> [F::Single; 3] {
        // of k and n − k one is below 2^(64·W − 1)
        let opposite = self.0.neg();
        let is_low = !self.0.add(self.0).is_odd();
        let mut words = C::Scalar::select(is_low, self.0, &opposite).to_words();
        let mut digits = signed_radix_16_of(words.as_ref());
        words.zeroize();
        let (mut sum, b) = (Projective::infinity(token), all(token, &C::B));
        let mut of_lanes = F::PerLane::<i8>::all(0);
        for (points, digits) in C::spread().iter().zip(digits.chunks(F::LANES)) {
            of_lanes.lanes_mut().copy_from_slice(digits);
            let point = &F::select_spread(token, points, &of_lanes);
            token.enter::<F, _>(AddSelected { sum: &mut sum, point, digits: &of_lanes, b: &b });
        }
        wipe(&mut digits);
        add_rotated::<F, 4>(token, &mut sum, &b);
        add_rotated::<F, 2>(token, &mut sum, &b);
        add_rotated::<F, 1>(token, &mut sum, &b);
        // no closures: they would not have the backend's instructions
        let x = F::times::<1>(&sum.x).store().lanes()[0];
        let y = F::times::<1>(&sum.y).store().lanes()[0];
        let z = F::times::<1>(&sum.z).store().lanes()[0];
        [x, C::Fe::select(is_low, &y, &y.neg()), z]
    }
}

/// `[scalar]G`, and (0, 0) for 0.
pub(crate) fn multiple<C: BaseTables<F>, F: EightLanes>(
    token: F::Token,
    scalar: &C::Scalar,
) -> Affine<C::Fe> {
    let [x, y, z] = token.enter::<F, _>(MultiplyOne::<C>(scalar));
    let z_inverse = z.invert();
    Affine { x: x.mul(&z_inverse), y: y.mul(&z_inverse) }
}

/// X, Y and Z of the multiples of at most `LANES` scalars. Lanes without one are those of the first.
struct Multiply<'a, C: Curve>(&'a [C::Scalar]);

impl<F: Field, C: BaseTables<F>> Kernel<F> for Multiply<'_, C> {
    type Output = [F; 3];

    #[inline(always)]
    fn run(self, token: F::Token) -> [F; 3] {
        let mut digits = [F::PerLane::<i8>::all(0); RADIX_32_DIGITS];
        for lane in 0..F::LANES {
            let scalar = self.0.get(lane).unwrap_or(&self.0[0]).to_words();
            for (digits, digit) in digits.iter_mut().zip(signed_radix_32(scalar.as_ref())) {
                digits.lanes_mut()[lane] = digit;
            }
        }
        let (mut sum, b) = (Projective::infinity(token), all(token, &C::B));
        for first in [1, 0] {
            for (row, digits) in C::rows().iter().zip(digits.chunks(2)) {
                let (sum, digits) = (&mut sum, &digits[first]);
                let point = &F::select_entry(token, row, digits);
                token.enter::<F, _>(AddSelected { sum, point, digits, b: &b });
            }
            if first == 1 {
                for _ in 0..5 {
                    let other = &sum.clone();
                    token.enter::<F, _>(AddPoint { sum: &mut sum, other, b: &b });
                }
            }
        }
        sum.operands()
    }
}

#[cfg(test)]
mod tests;
