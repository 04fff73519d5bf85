//! Inversion in GF(2^255 − 19), once for all backends: of one value by division steps, of one in each lane and of several that
//! come one by one by a single inversion of their product.

use super::dispatch::run_in_words;
use super::field::{Field, ONE, P, SingleField, ZERO, mul};
use crate::ct::Mask;
use crate::field::algebra::{LaneArray, LaneMask};
use crate::modular;
use crate::simd::Kernel;
use crate::word;

/// `1/a` in each lane, and 0 for 0. Constant time.
#[inline(always)]
pub(crate) fn invert<F: Field>(a: &F) -> F {
    let (token, none) = (a.token(), F::Mask::from_bits(0));
    let mut bytes = a.to_bytes(none);
    if let [one] = bytes.lanes_mut() {
        invert_one(one);
        return F::from_bytes(token, &bytes);
    }
    let (is_zero, zero) = (a.is_zero(), F::splat(token, &ZERO));
    let mut bytes = F::select(is_zero, &F::splat(token, &ONE), a).to_bytes(none);
    invert_each(bytes.lanes_mut());
    F::select(is_zero, &zero, &F::from_bytes(token, &bytes))
}

/// By division steps, in half the time of a power.
#[inline(never)]
fn invert_one(residue: &mut [u8; 32]) {
    *residue = word::store_le(&modular::inverse(&word::load_le(residue), &P));
}

/// Takes the inverses of at most eight residues other than 0.
#[inline(never)]
fn invert_each(residues: &mut [[u8; 32]]) {
    run_in_words(InvertEach(residues));
}

struct InvertEach<'a>(&'a mut [[u8; 32]]);

impl<F: SingleField> Kernel<F> for InvertEach<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let one = F::splat(token, &ONE);
        let (mut values, mut products, mut before) = ([one; 8], Products::new(token), [one; 8]);
        for ((residue, value), before) in self.0.iter().zip(&mut values).zip(&mut before) {
            *value = F::from_bytes(token, residue);
            *before = products.push(value);
        }
        let mut inverses = products.invert();
        for ((residue, value), before) in self.0.iter_mut().zip(&values).zip(&before).rev() {
            *residue = inverses.pop(value, before).to_bytes(Mask::from_bit(0));
        }
    }
}

/// Simultaneous inversion (Montgomery 1987, section 10.3.1) of values that come one by one, none of them 0: the product
/// of those that came. Constant time.
pub(crate) struct Products<F>(F);

impl<F: Field> Products<F> {
    /// Of none.
    #[inline(always)]
    pub(crate) fn new(token: F::Token) -> Self {
        Products(F::splat(token, &ONE))
    }

    /// Takes a value; gives the product of those before it, which [`Inverses::pop`] wants back.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: &F) -> F {
        let before = self.0;
        self.0 = mul(&before, value);
        before
    }

    /// No more come.
    #[inline(always)]
    pub(crate) fn invert(self) -> Inverses<F> {
        Inverses(invert(&self.0))
    }
}

/// The inverse of the product of those that are left.
pub(crate) struct Inverses<F>(F);

impl<F: Field> Inverses<F> {
    /// The inverse of the last value that is left.
    #[inline(always)]
    pub(crate) fn pop(&mut self, value: &F, before: &F) -> F {
        let inverse = mul(&self.0, before);
        self.0 = mul(&self.0, value);
        inverse
    }
}
