//! Integers modulo ℓ = 2^252 + 27742317777372353535851937790883648493, the order of the base point
//! of edwards25519.
//!
//! Representation: four 64-bit words, little-endian, fully reduced.
//!
//! Reduction is Barrett's (Handbook of Applied Cryptography, algorithm 14.42) in words:
//! for x < 2^512 and μ = ⌊2^512/ℓ⌋, q = ⌊⌊x/2^192⌋·μ / 2^320⌋ is ⌊x/ℓ⌋ or up to 2 less, because
//! each of the three roundings costs less than 1 and the first two together less than 1 + 2^−60.
//! So x − q·ℓ < 3ℓ < 2^254, and two conditional subtractions finish.
//!
//! All operations are constant time.

use crate::ct::Mask;
use crate::word::{add_carry, load_le, mul_add, store_le, sub_words};
use zeroize::Zeroize;

/// ℓ.
pub(crate) const ORDER: [u64; 4] = [0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000];
/// ⌊2^512/ℓ⌋.
const MU: [u64; 5] =
    [0xed9ce5a30a2c131b, 0x2106215d086329a7, 0xffffffffffffffeb, 0xffffffffffffffff, 0xf];

const _: () = {
    // 3ℓ fits four words with room to spare, so the remainder may be computed modulo 2^256.
    assert!(ORDER[3] < (1 << 62) / 3);
    assert!(MU[4] < 16);
};

/// An integer below ℓ.
#[derive(Clone, Copy)]
pub(crate) struct Scalar([u64; 4]);

impl Zeroize for Scalar {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// `a·b` as eight words.
fn mul_wide(a: &[u64; 4], b: &[u64; 4]) -> [u64; 8] {
    let mut product = [0; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (product[i + j], carry) = mul_add(product[i + j], a[i], b[j], carry);
        }
        product[i + 4] = carry;
    }
    product
}

/// `a + b`, less ℓ where it is not below that. The sum is below 2^256.
pub(crate) fn sum_less_order(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (mut sum, mut carry) = ([0; 4], 0);
    for i in 0..4 {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
    }
    subtract_order_once(&sum)
}

/// `x` or `x − ℓ`, whichever is not negative and smaller.
#[inline(always)]
fn subtract_order_once(x: &[u64; 4]) -> [u64; 4] {
    let (difference, borrow) = sub_words(x, &ORDER);
    let too_small = Mask::from_bit(borrow);
    core::array::from_fn(|i| too_small.select(x[i], difference[i]))
}

/// `x mod ℓ` for eight words.
fn reduce(x: &[u64; 8]) -> Scalar {
    // q = ⌊⌊x/2^192⌋·μ / 2^320⌋
    let mut product = [0; 10];
    for i in 0..5 {
        let mut carry = 0;
        for j in 0..5 {
            (product[i + j], carry) = mul_add(product[i + j], x[i + 3], MU[j], carry);
        }
        product[i + 5] = carry;
    }
    let q = &product[5..9];
    // x − q·ℓ modulo 2^256
    let mut q_order = [0; 4];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 - i {
            (q_order[i + j], carry) = mul_add(q_order[i + j], q[i], ORDER[j], carry);
        }
    }
    let (mut rest, _) = sub_words(&[x[0], x[1], x[2], x[3]], &q_order);
    let scalar = Scalar(subtract_order_once(&subtract_order_once(&rest)));
    product.zeroize();
    q_order.zeroize();
    rest.zeroize();
    scalar
}

/// `a·b` as seven words.
#[inline(always)]
pub(crate) fn mul_short(a: &[u64; 3], b: &[u64; 4]) -> [u64; 7] {
    let mut product = [0; 7];
    for i in 0..3 {
        let mut carry = 0;
        for j in 0..4 {
            (product[i + j], carry) = mul_add(product[i + j], a[i], b[j], carry);
        }
        product[i + 4] = carry;
    }
    product
}

/// `x mod ℓ` for x below 2^400, by 2^252 = −c (mod ℓ) twice:
/// x = h·2^252 + l is l − h·c, and h·c < 2^273 = t·2^252 + m gives l − m + t·c, which is above −2^252
/// and below 2^252 + 2^146: one ℓ too few or too many.
#[inline(always)]
fn reduce_short(x: &[u64; 7]) -> Scalar {
    const LOW_60: u64 = (1 << 60) - 1;
    #[cfg(test)]
    assert!(x[6] >> 16 == 0);
    let h = [3, 4, 5].map(|i| x[i] >> 60 | x[i + 1] << 4);
    let mut hc = [0; 5];
    for i in 0..3 {
        let mut carry = 0;
        for j in 0..2 {
            (hc[i + j], carry) = mul_add(hc[i + j], h[i], ORDER[j], carry);
        }
        hc[i + 2] = carry;
    }
    let t = hc[3] >> 60 | hc[4] << 4;
    hc[3] &= LOW_60;
    let mut sum = [x[0], x[1], x[2], x[3] & LOW_60];
    let mut carry = 0;
    (sum[0], carry) = mul_add(sum[0], t, ORDER[0], carry);
    (sum[1], carry) = mul_add(sum[1], t, ORDER[1], carry);
    (sum[2], carry) = add_carry(sum[2], carry, 0);
    sum[3] = sum[3].wrapping_add(carry);
    let (mut sum, borrow) = sub_words(&sum, &[hc[0], hc[1], hc[2], hc[3]]);
    let (negative, mut carry) = (borrow.wrapping_neg(), 0);
    for i in 0..4 {
        (sum[i], carry) = add_carry(sum[i], ORDER[i] & negative, carry);
    }
    Scalar(subtract_order_once(&sum))
}

/// Whether the little-endian integer is below ℓ.
pub(crate) fn is_below_order(bytes: &[u8; 32]) -> Mask {
    Mask::from_bit(sub_words(&load_le(bytes), &ORDER).1)
}

impl Scalar {
    /// 0.
    pub(crate) const ZERO: Scalar = Scalar([0; 4]);

    /// Eight words, reduced mod ℓ.
    pub(crate) fn reduce_words(words: &[u64; 8]) -> Scalar {
        reduce(words)
    }

    /// `a·b mod ℓ` for an integer a below 2^144 and b below 2^256.
    #[inline(always)]
    pub(crate) fn product_short(a: &[u64; 3], b: &[u64; 4]) -> Scalar {
        reduce_short(&mul_short(a, b))
    }

    /// `−a mod ℓ`.
    #[inline(always)]
    pub(crate) fn negated(&self) -> Scalar {
        Scalar(subtract_order_once(&sub_words(&ORDER, &self.0).0))
    }

    /// `a + b mod ℓ` for integers below ℓ.
    pub(crate) fn sum(a: &[u64; 4], b: &[u64; 4]) -> Scalar {
        Scalar(sum_less_order(a, b))
    }

    /// A 64-byte little-endian integer, reduced mod ℓ.
    pub(crate) fn reduce_wide(bytes: &[u8; 64]) -> Scalar {
        let mut words = [0; 8];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
        let scalar = reduce(&words);
        words.zeroize();
        scalar
    }

    /// A 32-byte little-endian integer, reduced mod ℓ.
    pub(crate) fn reduce_narrow(bytes: &[u8; 32]) -> Scalar {
        let [a, b, c, d] = load_le(bytes);
        let mut words = [a, b, c, d, 0, 0, 0, 0];
        let scalar = reduce(&words);
        words.zeroize();
        scalar
    }

    /// `self·b + c mod ℓ`.
    pub(crate) fn mul_add(&self, b: &Scalar, c: &Scalar) -> Scalar {
        // (ℓ−1)² + ℓ − 1 < 2^512
        let mut wide = mul_wide(&self.0, &b.0);
        let mut carry = 0;
        for (i, word) in wide.iter_mut().enumerate() {
            (*word, carry) = add_carry(*word, c.0.get(i).copied().unwrap_or(0), carry);
        }
        let scalar = reduce(&wide);
        wide.zeroize();
        scalar
    }

    /// The words, lowest first, below ℓ.
    pub(crate) fn words(&self) -> &[u64; 4] {
        &self.0
    }

    /// 32 bytes, little-endian, below ℓ.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        store_le(&self.0)
    }
}

/// How the coefficients of rows are kept, and what they multiply.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// The coefficient z is the row's integer, below 2^144, less this, which is below 2^144 too.
    pub(crate) offset: [u64; 3],
    /// Whether z multiplies k less its residue mod 8 between −3 and 4, or k itself.
    pub(crate) multiples_of_8: bool,
}
