//! GF(p), p = 2^384 − 2^128 − 2^96 + 2^32 − 1, the coordinates of P-384 (FIPS 186-5, SP 800-186
//! section 3.2.1.4), in six words.
//!
//! −1/p = 2^32 + 1 mod 2^64, so a step of the reduction needs no multiplication. All operations are
//! constant time.

use crate::modular::Modulus;
use crate::word::{add_carry, sub_borrow};

prime!(P384, 6);

impl Modulus<6> for Prime {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; 6] = [
        0x00000000ffffffff,
        0xffffffff00000000,
        0xfffffffffffffffe,
        0xffffffffffffffff,
        0xffffffffffffffff,
        0xffffffffffffffff,
    ];

    /// With q = t₀·(2^32 + 1) mod 2^64, q·p = q·2^384 − (q·(2^128 + 2^96 + 1) − q·2^32), whose lowest
    /// word takes away t₀: what is left is to add q six words up and to subtract three words.
    #[inline(always)]
    fn step(words: &[u64; 6], top: u64) -> ([u64; 6], u64) {
        let q = words[0].wrapping_add(words[0] << 32);
        let (shifted, spill) = (q << 32, q >> 32);
        // q·(2^128 + 2^96 + 1) − q·2^32 in words: t₀, s₁, s₂, s₃
        let (_, borrow) = sub_borrow(q, shifted, 0);
        let (s1, borrow) = sub_borrow(shifted, spill, borrow);
        let (s2, carry) = add_carry(spill, q, 0);
        let (s2, borrow) = sub_borrow(s2, 0, borrow);
        let s3 = carry.wrapping_sub(borrow);
        let mut next = [0; 6];
        let mut borrow;
        (next[0], borrow) = sub_borrow(words[1], s1, 0);
        (next[1], borrow) = sub_borrow(words[2], s2, borrow);
        (next[2], borrow) = sub_borrow(words[3], s3, borrow);
        (next[3], borrow) = sub_borrow(words[4], 0, borrow);
        (next[4], borrow) = sub_borrow(words[5], 0, borrow);
        // q is at least 1 where there is a borrow
        let carry;
        (next[5], carry) = add_carry(top, q.wrapping_sub(borrow), 0);
        (next, carry)
    }

    assembly!(6);
}

#[cfg(any(test, sigmill_words = "u32x10"))]
impl crate::modular::limbs29::Sparse for Prime {
    const POWERS: [(usize, i64); 4] = [(32, 1), (96, -1), (128, -1), (384, 1)];
}

#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
crate::modular::fiat::backends!(
    Prime,
    6,
    p384_64,
    p384_32,
    (
        fiat_p384_montgomery_domain_field_element,
        fiat_p384_non_montgomery_domain_field_element,
        fiat_p384_mul,
        fiat_p384_square,
        fiat_p384_add,
        fiat_p384_sub,
        fiat_p384_from_montgomery
    )
);
