//! Products by multiplications of 32-bit words, for processors that have no wider ones.
//!
//! Each word is two halves. Per half of one operand there is one pass over the other one and the
//! modulus, in which a product and a step of the reduction are added and the lowest half drops out
//! (Koç, Acar, Kaliski, "Analyzing and Comparing Montgomery Multiplication Algorithms", 1996: FIOS, with
//! a carry for each of the two).
//!
//! Constant time.

use super::integer::{inverse_mod_word, subtract_once};
use super::modulus::Modulus;
use core::marker::PhantomData;

/// A modulus in 32-bit words.
#[derive(Clone, Copy)]
pub(crate) struct Words32<M>(PhantomData<M>);

impl<M: Modulus<N>, const N: usize> Modulus<N> for Words32<M> {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; N] = M::MODULUS;

    fn product((): (), a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        let minus_inverse = const { inverse_mod_word(M::MODULUS[0]).wrapping_neg() as u32 };
        let (a, b, m) = (halves(a), halves(b), halves(&M::MODULUS));
        let (b, m) = (b.as_flattened(), m.as_flattened());
        // sum + top·R, below 2·m after each pass: twice (2^32 − 1)·m and what there was, over 2^32
        let (mut sum, mut top) = ([[0; 2]; N], 0);
        let words = sum.as_flattened_mut();
        for a in a.as_flattened() {
            let (low, mut product_carry) = mul_add(words[0], *a, b[0], 0);
            let q = low.wrapping_mul(minus_inverse);
            let (_, mut carry) = mul_add(low, q, m[0], 0);
            for i in 1..2 * N {
                let word;
                (word, product_carry) = mul_add(words[i], *a, b[i], product_carry);
                (words[i - 1], carry) = mul_add(word, q, m[i], carry);
            }
            let last = u64::from(top).wrapping_add(product_carry.into()).wrapping_add(carry.into());
            (words[2 * N - 1], top) = (last as u32, (last >> 32) as u32);
        }
        let sum = sum.map(|[low, high]| u64::from(low) | u64::from(high) << 32);
        subtract_once(sum, u64::from(top), &M::MODULUS)
    }

    fn square((): (), a: &[u64; N]) -> [u64; N] {
        Self::product((), a, a)
    }

    fn canonical(a: &[u64; N]) -> [u64; N] {
        Self::product((), a, &core::array::from_fn(|i| u64::from(i == 0)))
    }
}

/// The lower and the upper half of each word.
#[inline(always)]
fn halves<const N: usize>(words: &[u64; N]) -> [[u32; 2]; N] {
    words.map(|word| [word as u32, (word >> 32) as u32])
}

/// `acc + a·b + carry`: the low and the high half. Cannot overflow: (2^32−1)^2 + 2·(2^32−1) = 2^64−1.
#[inline(always)]
fn mul_add(acc: u32, a: u32, b: u32, carry: u32) -> (u32, u32) {
    let product = u64::from(a).wrapping_mul(b.into());
    let sum = product.wrapping_add(acc.into()).wrapping_add(carry.into());
    (sum as u32, (sum >> 32) as u32)
}
