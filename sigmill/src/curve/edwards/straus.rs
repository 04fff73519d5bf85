//! Multiples of points.
//!
//! Public inputs only: time depends on them. Multiples by secrets are in `base_lanes` and `montgomery`.

use super::formulas::{AffineCached, Cached, Completed, Extended};
use crate::ct::Mask;
use crate::curve::tables::AffineWords;
use crate::curve::tables::edwards25519::{base_odd_multiples, base_odd_multiples_of_parts};
use crate::field::algebra::Algebra;
use crate::field::f25519::{Fe, Field, ONE, Products, SingleField, ZERO, mul, run_in_words};
use crate::scalar::recode::naf_vartime;
use crate::simd::Kernel;
use crate::word::load_le;

/// P, 3P, 5P, …, (2N−1)P.
#[inline(never)]
pub(super) fn odd_multiples<F: SingleField, const N: usize>(p: &Extended<F>) -> [Cached<F>; N] {
    let twice = cached_apart(&p.projective().double_apart(1).extended_apart());
    let mut multiple = *p;
    let mut multiples = [twice; N];
    let mut i = 0;
    loop {
        multiples[i] = multiple.cached();
        i += 1;
        if i == N {
            return multiples;
        }
        multiple = multiple.add(&twice).extended();
    }
}

/// `P` as a second operand, by a function of its own.
#[inline(never)]
pub(super) fn cached_apart<F: SingleField>(p: &Extended<F>) -> Cached<F> {
    p.cached()
}

/// y+x, y−x, 2dxy, by a function of its own.
#[inline(never)]
fn affine_cached_apart<F: SingleField>(x: &F, y: &F) -> [F; 3] {
    Extended::from_affine(x, y).affine_cached()
}

/// Adds Q, or −Q. One function for all scalars, so that the loop stays where the CPU finds its
/// code soonest.
#[inline(never)]
pub(super) fn add_vartime<F: SingleField>(sum: &mut Completed<F>, q: &Cached<F>, minus: bool) {
    *sum = sum.extended().add_signed_vartime(q, minus);
}

/// Adds a precomputed point, or its opposite.
#[inline(never)]
fn add_affine_vartime<F: SingleField>(sum: &mut Completed<F>, multiple: &AffineWords, minus: bool) {
    // −Q has the first two swapped
    let token = sum.token();
    let multiple = AffineCached {
        y_plus_x: F::splat(token, &multiple[usize::from(minus)]),
        y_minus_x: F::splat(token, &multiple[usize::from(!minus)]),
        xy_2d: F::splat(token, &multiple[2]),
    };
    *sum = sum.extended().add_affine(&multiple).with_sign_vartime(minus);
}

/// Width of the digits of other points' scalars, of which eight odd multiples are made.
pub(super) const P_WIDTH: u32 = 5;
/// Width of the digits of B's scalars: all of them are odd, and `base_odd_multiples` goes up to 127.
pub(super) const BASE_WIDTH: u32 = 8;

/// `[a]P + [b]B` for integers below 2^255, in little code: for what is rare. Time depends on all inputs.
#[inline(never)]
pub(crate) fn double_base_vartime<F: SingleField>(
    a: &[u64; 4],
    p: &Extended<F>,
    b: &[u64; 4],
) -> Extended<F> {
    let multiples: [_; 8] = odd_multiples(p);
    let a_digits: [i16; 257] = naf_vartime(a, P_WIDTH);
    let b_digits: [i16; 257] = naf_vartime(b, BASE_WIDTH);
    let top = (0..257).rev().find(|&i| a_digits[i] != 0 || b_digits[i] != 0);
    let mut result = Extended::<F>::identity(p.token());
    for i in (0..=top.unwrap_or(0)).rev() {
        let mut sum = result.projective().double_apart(1);
        let digit = a_digits[i];
        if digit != 0 {
            add_vartime(&mut sum, &multiples[digit.unsigned_abs() as usize / 2], digit < 0);
        }
        if b_digits[i] != 0 {
            let multiple = &base_odd_multiples()[0][b_digits[i].unsigned_abs() as usize / 2];
            add_affine_vartime(&mut sum, multiple, b_digits[i] < 0);
        }
        result = sum.extended_apart();
    }
    result
}

/// Multiples of 2^(65·i)·P for the four parts i of a scalar: with them a double-base multiplication
/// needs a quarter of the doublings.
#[derive(Clone)]
pub(crate) struct PreparedPoint([[AffineWords; PreparedPoint::ENTRIES]; PreparedPoint::PARTS]);

/// Makes the tables of the point with these X, Y, Z, T.
struct Fill<'a> {
    tables: &'a mut PreparedPoint,
    coordinates: [[u8; 32]; 4],
}

impl<F: SingleField> Kernel<F> for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let products = self.coordinates.map(|bytes| F::from_bytes(token, &bytes).widen());
        self.tables.fill_in_words(&Extended::<F>::from_products(products));
    }
}

impl PreparedPoint {
    /// 0 to 16 times a point.
    pub(crate) const ENTRIES: usize = 17;
    /// Parts of a scalar.
    pub(crate) const PARTS: usize = 4;
    /// Width of the digits whose multiples are in the tables, in non-adjacent form or signed windows.
    pub(crate) const WIDTH: u32 = 5;
    /// Bits of a part: windows do not cross from part to part.
    pub(crate) const PART_BITS: u32 = 13 * Self::WIDTH;

    /// Place for the tables.
    pub(crate) const EMPTY: Self = PreparedPoint([[[ZERO; 3]; Self::ENTRIES]; Self::PARTS]);

    /// Makes the tables.
    #[inline(never)]
    pub(crate) fn fill(&mut self, p: &Extended<Fe>) {
        let coordinates =
            p.products().map(|product| Fe::times::<1>(&product).to_bytes(Mask::from_bit(0)));
        run_in_words(Fill { tables: self, coordinates });
    }

    /// A function for each kind of words, so that the stack is that of one.
    #[inline(never)]
    pub(in crate::curve) fn fill_in_words<F: SingleField>(&mut self, p: &Extended<F>) {
        let canonical = |residue: F| load_le(&residue.to_bytes(Mask::from_bit(0)));
        // of each multiple but the identity Y, Z and the product of the Z before; X is where the entry is to be
        let token = p.token();
        let one = F::splat(token, &ONE);
        let mut multiples = [[[one; 3]; Self::ENTRIES - 1]; Self::PARTS];
        let mut products = Products::new(token);
        let mut point = *p;
        for (part, (entries, multiples)) in self.0.iter_mut().zip(&mut multiples).enumerate() {
            if part > 0 {
                point = point.projective().double_apart(Self::PART_BITS).extended_apart();
            }
            let first = cached_apart(&point);
            let mut multiple = Completed::<F>::identity(token);
            for (entry, place) in entries[1..].iter_mut().zip(multiples) {
                add_vartime(&mut multiple, &first, false);
                let [x, y, z] = multiple.extended_apart().projective().xyz();
                entry[0] = canonical(x);
                *place = [y, z, products.push(&z)];
            }
        }
        let mut inverses = products.invert();
        for (entries, multiples) in self.0.iter_mut().zip(&multiples).rev() {
            let [identity, entries @ ..] = entries;
            *identity = [ONE, ONE, ZERO];
            for (entry, [y, z, before]) in entries.iter_mut().zip(multiples).rev() {
                let z_inverse = inverses.pop(z, before);
                let (x, y) = (mul(&F::splat(token, &entry[0]), &z_inverse), mul(y, &z_inverse));
                *entry = affine_cached_apart(&x, &y).map(canonical);
            }
        }
    }

    /// `multiple` of 2^(65·part)·P; past the end the last one.
    #[inline(always)]
    pub(crate) fn multiple(&self, part: usize, multiple: u32) -> &AffineWords {
        &self.0[part % Self::PARTS][(multiple as usize).min(Self::ENTRIES - 1)]
    }

    /// `[a]P + [b]B` for integers below 2^255. Time depends on all inputs.
    pub(crate) fn double_base_vartime<F: SingleField>(
        &self,
        token: F::Token,
        a: &[u64; 4],
        b: &[u64; 4],
    ) -> Extended<F> {
        let part_bits = Self::PART_BITS as usize;
        let a_digits: [i16; 65 * Self::PARTS] = naf_vartime(a, Self::WIDTH);
        let b_digits: [i16; 257] = naf_vartime(b, BASE_WIDTH);
        let mut sum = Completed::<F>::identity(token);
        for i in (0..part_bits).rev() {
            sum = sum.projective().double();
            for (part, table) in self.0.iter().enumerate() {
                let digit = a_digits[part_bits * part + i];
                if digit != 0 {
                    add_affine_vartime(&mut sum, &table[digit.unsigned_abs() as usize], digit < 0);
                }
            }
            if i < 64 {
                for (part, table) in base_odd_multiples_of_parts().iter().enumerate() {
                    let digit = b_digits[64 * part + i];
                    if digit != 0 {
                        let multiple = &table[digit.unsigned_abs() as usize / 2];
                        add_affine_vartime(&mut sum, multiple, digit < 0);
                    }
                }
            }
        }
        sum.extended_apart()
    }
}
