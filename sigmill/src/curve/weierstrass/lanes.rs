//! `[u1]G + [u2]Q` for many rows in lanes, on curves y² = x³ − 3x + b of prime order, and whether its x is
//! r mod n. Public data only: time depends on all inputs.
//!
//! Of u and n − u one is odd, as n is, and digits of −(n − u) are those of n − u with other signs. So every
//! digit is odd, and no lane ever has nothing to add: digit i of width w is 2·b + 1 − 2^w, where b are the bits w·i + 1 to
//! w·i + w, and the highest is 2·b + 1. Digits of u2 choose among Q, 3Q, …, 31Q, those of u1 among
//! G, 3G, …, 255G, all in affine coordinates.
//!
//! *Multiples of Q.* Two points with one Z add up with five products and two squares, and the first comes
//! out over the new Z as well (Meloni, WAIFI 2007): from 2Q and Q each step gives the next odd multiple,
//! and its Z is the one before times a difference of two x. So all Z of a row are known from the last,
//! and the last Z of all rows of a group share one inversion (Montgomery 1987, section 10.3.1).
//!
//! *Exceptional cases.* `dbl-2001-b` (with 2YZ for Z, and the opposite point) and `madd` of the Explicit-Formulas Database hold but
//! for equal or opposite points and infinity. In those cases Z becomes 0 and stays 0. It also is 0 if the
//! sum is infinity. Rows whose Z is 0 at the end are left to formulas that know all cases: for them there
//! is no answer here. That an answer is right needs no more than that Z is not 0.

use super::double_base::residues_with_x;
use super::fixed_base::{BaseTables, inverses};
use super::formulas::{Affine, Curve};
use crate::field::algebra::LaneArray;
use crate::field::nist::{Field, Pair};
use crate::memory::{Line, Memory};
use crate::modular::PrimeField;
use crate::scalar::recode::OddWindows;
use crate::simd::{Instructions, Kernel};
use core::marker::PhantomData;

/// Widths of the digits of the two scalars.
const Q_WIDTH: usize = 5;
const G_WIDTH: usize = 8;
/// OddWindows multiples of Q: as many as a digit has magnitudes.
const Q_MULTIPLES: usize = 1 << (Q_WIDTH - 1);
/// Vectors that share an inversion: more are more stack, and little time.
const VECTORS: usize = 7;

/// One row to verify.
#[derive(Clone, Copy)]
pub(crate) struct Row<C: Curve> {
    pub(crate) u1: C::Scalar,
    pub(crate) u2: C::Scalar,
    pub(crate) q: Affine<C::Fe>,
    pub(crate) r: C::Scalar,
}

/// Memory for groups of rows.
pub(crate) struct Tables<'m, F: Field> {
    /// Those of each vector, over their own Z.
    multiples: &'m mut [Line],
    /// Those of each row.
    of_rows: &'m mut [[Pair; Q_MULTIPLES]],
    backend: PhantomData<F>,
}

impl<'m, F: Field> Tables<'m, F> {
    /// Rows of the largest group.
    pub(crate) const GROUP: usize = VECTORS * F::LANES;
    /// Bytes that a vector takes.
    const VECTOR: usize =
        Q_MULTIPLES * (F::TRIPLE * size_of::<Line>() + F::LANES * size_of::<Pair>());

    /// For groups of so many rows, or of as many as the memory is for; none if that is less than a vector.
    pub(crate) fn new(rows: usize, memory: &mut Memory<'m>) -> Option<Self> {
        let vectors = rows.div_ceil(F::LANES).min(VECTORS).min(memory.len() / Self::VECTOR);
        if vectors == 0 {
            return None;
        }
        let multiples = memory.take_lines(vectors * Q_MULTIPLES * F::TRIPLE * size_of::<Line>())?;
        let of_rows = memory.take(vectors * F::LANES * Q_MULTIPLES)?.as_chunks_mut().0;
        Some(Tables { multiples, of_rows, backend: PhantomData })
    }

    /// Rows of a group.
    pub(crate) fn group(&self) -> usize {
        self.of_rows.len()
    }

    /// For each row of a group whether x of `[u1]G + [u2]Q` is r mod n; none if it is not found out here.
    pub(crate) fn have_x_vartime<C: BaseTables<F>>(
        &mut self,
        token: F::Token,
        rows: &[Row<C>],
        answers: &mut [Option<bool>],
    ) {
        let rows = &rows[..rows.len().min(self.group())];
        let mut first_factors = [None; VECTORS];
        let mut product = None;
        let multiples = self.multiples.chunks_mut(Q_MULTIPLES * F::TRIPLE);
        for ((rows, before), multiples) in
            rows.chunks(F::LANES).zip(&mut first_factors).zip(multiples)
        {
            let z = token.enter::<F, _>(OddMultiples::<C> { rows, multiples });
            // of the last Z of all vectors before
            *before = product;
            product = Some(match product {
                None => z,
                Some(product) => token.enter::<F, _>(Product(product, z)),
            });
        }
        let Some(product) = product else { return };
        let mut inverse = F::load(token, &inverses::<F>(&product.store()));
        let vectors = rows.len().div_ceil(F::LANES);
        let multiples = self.multiples.chunks(Q_MULTIPLES * F::TRIPLE).take(vectors);
        for (i, multiples) in multiples.enumerate().rev() {
            let places = &mut self.of_rows[i * F::LANES..];
            let before = first_factors[i];
            inverse = token.enter::<F, _>(MakeAffine { multiples, inverse, before, places });
        }
        for (i, (rows, answers)) in
            rows.chunks(F::LANES).zip(answers.chunks_mut(F::LANES)).enumerate()
        {
            let of_rows = &self.of_rows[i * F::LANES..];
            let [known, equal] = token.enter::<F, _>(HaveX::<C> { rows, of_rows });
            for (lane, answer) in answers.iter_mut().enumerate() {
                *answer = (known >> lane & 1 == 1).then_some(equal >> lane & 1 == 1);
            }
        }
    }
}

/// `a·b`.
struct Product<F>(F, F);

impl<F: Field> Kernel<F> for Product<F> {
    type Output = F;

    #[inline(always)]
    fn run(self, _: F::Token) -> F {
        F::times::<1>(&self.0.mul(&self.1))
    }
}

/// x and y of the points, one a lane; in lanes without a point, of the first.
#[inline(always)]
fn load_points<'a, F: Field>(
    token: F::Token,
    points: impl Iterator<Item = &'a Affine<F::Single>>,
) -> [F; 2] {
    let mut x = F::PerLane::<F::Single>::all(F::Single::ZERO);
    let mut y = F::PerLane::<F::Single>::all(F::Single::ZERO);
    let mut len = 0;
    for (lane, point) in points.take(F::LANES).enumerate() {
        (x.lanes_mut()[lane], y.lanes_mut()[lane]) = (point.x, point.y);
        len = lane + 1;
    }
    for lane in len..F::LANES {
        (x.lanes_mut()[lane], y.lanes_mut()[lane]) = (x.lanes()[0], y.lanes()[0]);
    }
    [F::load(token, &x), F::load(token, &y)]
}

/// Writes the odd multiples of each row's Q; gives the last Z. Of each x, y and, but for the first, the factor by which
/// its Z is more than that of the one before; of the first, Z itself.
struct OddMultiples<'a, C: Curve> {
    rows: &'a [Row<C>],
    multiples: &'a mut [Line],
}

impl<F: Field, C: Curve<Fe = F::Single>> Kernel<F> for OddMultiples<'_, C> {
    type Output = F;

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let [x, y]: [F; 2] = load_points(token, self.rows.iter().map(|row| &row.q));
        let one = F::load(token, &F::PerLane::<F::Single>::all(F::Single::ONE));
        // 2Q = (X : Y : Z) with Z = 2y, and Q over the same Z
        let yy = F::times::<1>(&y.square());
        let s = F::times::<4>(&x.mul(&yy));
        let w = F::sum_of_two::<3, -3>(&x.square(), &one.widen());
        let eighth = F::times::<8>(&yy.square());
        let mut twice_x = F::sum_of_two::<1, -2>(&w.square(), &s.widen());
        let difference = F::sum_of_two::<1, -1>(&s.widen(), &twice_x.widen());
        let mut twice_y = F::sum_of_two::<1, -1>(&w.mul(&difference), &eighth.widen());
        let z_first = F::times::<2>(&y.widen());
        let (mut x, mut y, mut z) = (s, eighth, z_first);
        let mut places = self.multiples.chunks_mut(F::TRIPLE).take(Q_MULTIPLES);
        if let Some(place) = places.next() {
            F::store_triple(&[x, y, z], place);
        }
        for place in places {
            // the odd multiple and 2Q, over one Z
            let (wide_x, wide_y) = (twice_x.widen(), twice_y.widen());
            let dx = F::sum_of_two::<1, -1>(&x.widen(), &wide_x);
            let dy = F::sum_of_two::<1, -1>(&y.widen(), &wide_y);
            let dd = F::times::<1>(&dx.square());
            let b = twice_x.mul(&dd);
            let c = x.mul(&dd);
            x = F::sum::<1, -1, -1>(&dy.square(), &b, &c);
            let cb = F::sum_of_two::<1, -1>(&c, &b);
            let moved_y = twice_y.mul(&cb);
            y = F::sum_of_two::<1, -1>(&dy.mul(&F::sum_of_two::<1, -1>(&b, &x.widen())), &moved_y);
            twice_x = F::times::<1>(&b);
            twice_y = F::times::<1>(&moved_y);
            z = F::times::<1>(&z.mul(&dx));
            F::store_triple(&[x, y, dx], place);
        }
        z
    }
}

/// Writes a vector's multiples in affine coordinates, given 1/(z·before), z the last Z; gives 1/before.
struct MakeAffine<'a, F> {
    multiples: &'a [Line],
    inverse: F,
    before: Option<F>,
    places: &'a mut [[Pair; Q_MULTIPLES]],
}

impl<F: Field> Kernel<F> for MakeAffine<'_, F> {
    type Output = F;

    #[inline(always)]
    fn run(self, token: F::Token) -> F {
        let mut z_inverse = match self.before {
            None => self.inverse,
            Some(before) => F::times::<1>(&self.inverse.mul(&before)),
        };
        let mut rest = self.inverse;
        let places = self.places.as_flattened_mut();
        for i in (0..Q_MULTIPLES).rev() {
            let [x, y, factor] = F::load_triple(token, &self.multiples[i * F::TRIPLE..]);
            let zz = F::times::<1>(&z_inverse.square());
            let zzz = F::times::<1>(&zz.mul(&z_inverse));
            let affine = [F::times::<1>(&x.mul(&zz)), F::times::<1>(&y.mul(&zzz))];
            F::store_pairs(&affine, &mut places[i..], Q_MULTIPLES);
            z_inverse = F::times::<1>(&z_inverse.mul(&factor));
            rest = F::times::<1>(&rest.mul(&factor));
        }
        rest
    }
}

/// A point (X : Y : Z) with x = X/Z², y = Y/Z³.
#[derive(Clone, Copy)]
struct Jacobian<F> {
    x: F,
    y: F,
    z: F,
}

/// Minus twice a point, in place: 8·Y⁴ − … costs a reduction less than … − 8·Y⁴.
struct Double<'a, F>(&'a mut Jacobian<F>);

impl<F: Field> Kernel<F> for Double<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: F::Token) {
        let Jacobian { x, y, z } = *self.0;
        let [delta, gamma] = F::square_pair(&z, &y);
        let gamma = F::times::<1>(&gamma);
        let wide_x = x.widen();
        let minus = F::sum_of_two::<1, -1>(&wide_x, &delta);
        let plus = F::sum_of_two::<1, 1>(&wide_x, &delta);
        let [alpha, beta] = F::mul_pair([&minus, &plus], [&x, &gamma]);
        let alpha = F::times::<3>(&alpha);
        let x = F::sum_of_two::<1, -8>(&alpha.square(), &beta);
        let difference = F::sum_of_two::<1, -4>(&x.widen(), &beta);
        let [minus_y, yz] =
            F::mul_add_and_mul([&alpha, &difference], &gamma.square_times_8(), [&y, &z]);
        *self.0 = Jacobian { x, y: F::times::<1>(&minus_y), z: F::times::<2>(&yz) };
    }
}

/// Adds an affine point a lane, with the sign changed where the bit is set.
struct AddAffine<'a, 'p, F: Field> {
    sum: &'a mut Jacobian<F>,
    pairs: F::PerLane<&'p Pair>,
    negative: u32,
}

impl<F: Field> Kernel<F> for AddAffine<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let [x2, y2] = F::load_pairs_vartime(token, &self.pairs);
        let Jacobian { x, y, z } = *self.sum;
        let zz = F::times::<1>(&z.square());
        let [zzz, u2] = F::mul_pair([&zz, &z], [&x2, &zz]);
        let h = F::sum_of_two::<1, -1>(&u2, &x.widen());
        let s2 = y2.mul(&F::times::<1>(&zzz));
        let hh = F::times::<1>(&h.square());
        let r = F::sum_of_two::<1, -1>(&F::negate_where(self.negative, &s2), &y.widen());
        let [hhh, v] = F::mul_pair([&h, &hh], [&x, &hh]);
        let x3 = F::sum::<1, -1, -2>(&r.square(), &hhh, &v);
        let difference = F::sum_of_two::<1, -1>(&v, &x3.widen());
        let minus = y.mul_unreduced(&F::times::<-1>(&hhh));
        let [y3, zh] = F::mul_add_and_mul([&r, &difference], &minus, [&z, &h]);
        *self.sum = Jacobian { x: x3, y: F::times::<1>(&y3), z: F::times::<1>(&zh) };
    }
}

/// Bits of lanes: where there is an answer, and where it is yes.
struct HaveX<'a, C: Curve> {
    rows: &'a [Row<C>],
    of_rows: &'a [[Pair; Q_MULTIPLES]],
}

impl<F: Field, C: BaseTables<F>> Kernel<F> for HaveX<'_, C> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [u32; 2] {
        let of_base = C::odd_multiples();
        let mut u1 = F::PerLane::<OddWindows>::all(OddWindows::ZERO);
        let mut u2 = F::PerLane::<OddWindows>::all(OddWindows::ZERO);
        for (lane, row) in self.rows.iter().take(F::LANES).enumerate() {
            u1.lanes_mut()[lane] = OddWindows::of_vartime(&row.u1);
            u2.lanes_mut()[lane] = OddWindows::of_vartime(&row.u2);
        }
        let bits = 8 * size_of::<<C::Scalar as PrimeField>::Words>();
        let (q_digits, g_digits) = (bits.div_ceil(Q_WIDTH), bits.div_ceil(G_WIDTH));
        let of_q = |i: usize| {
            let mut pairs = F::PerLane::<&Pair>::all(&of_base[0]);
            let mut negative = 0;
            for lane in 0..F::LANES {
                let (entry, sign) = u2.lanes()[lane].digit(i, Q_WIDTH, i + 1 == q_digits);
                pairs.lanes_mut()[lane] = &self.of_rows[lane][entry];
                negative |= u32::from(sign) << lane;
            }
            (pairs, negative)
        };
        let of_g = |i: usize| {
            let mut pairs = F::PerLane::<&Pair>::all(&of_base[0]);
            let mut negative = 0;
            for lane in 0..F::LANES {
                let (entry, sign) = u1.lanes()[lane].digit(i, G_WIDTH, i + 1 == g_digits);
                pairs.lanes_mut()[lane] = &of_base[entry];
                negative |= u32::from(sign) << lane;
            }
            (pairs, negative)
        };
        let one = F::load(token, &F::PerLane::<F::Single>::all(F::Single::ONE));
        let mut position = Q_WIDTH * (q_digits - 1);
        let (pairs, negative) = of_q(q_digits - 1);
        let [x, y] = F::load_pairs_vartime(token, &pairs);
        let y = F::times::<1>(&F::negate_where(negative, &y.widen()));
        let mut sum = Jacobian { x, y, z: one };
        // lanes whose sum has the other sign: all or none
        let mut opposite = 0;
        loop {
            if position.is_multiple_of(G_WIDTH) {
                let (pairs, negative) = of_g(position / G_WIDTH);
                let negative = negative ^ opposite;
                token.enter::<F, _>(AddAffine { sum: &mut sum, pairs, negative });
            }
            if position == 0 {
                break;
            }
            position -= 1;
            token.enter::<F, _>(Double(&mut sum));
            opposite = !opposite;
            if position.is_multiple_of(Q_WIDTH) {
                let (pairs, negative) = of_q(position / Q_WIDTH);
                let negative = negative ^ opposite;
                token.enter::<F, _>(AddAffine { sum: &mut sum, pairs, negative });
            }
        }
        // X = x·Z² for x = r or, if it is below p, r + n
        let mut r = F::PerLane::<F::Single>::all(F::Single::ZERO);
        let mut r_and_order = r;
        for (lane, row) in self.rows.iter().take(F::LANES).enumerate() {
            let (first, second) = residues_with_x::<C>(&row.r);
            r.lanes_mut()[lane] = first;
            r_and_order.lanes_mut()[lane] = second.unwrap_or(first);
        }
        let zz = F::times::<1>(&sum.z.square());
        let x = sum.x.widen();
        let mut equal = 0;
        for r in [r, r_and_order] {
            let scaled = F::load(token, &r).mul(&zz);
            equal |= F::sum_of_two::<1, -1>(&scaled, &x).zeros();
        }
        let known = !sum.z.zeros();
        [known, equal]
    }
}

#[cfg(test)]
mod tests;
