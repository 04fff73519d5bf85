//! GF(p), p = 2^256 − 2^224 + 2^192 + 2^96 − 1, the coordinates of P-256 (FIPS 186-5, SP 800-186
//! section 3.2.1.3), in four words.
//!
//! −1/p = 1 mod 2^64, so a step of the reduction needs one multiplication. All operations are constant
//! time.

use crate::modular::Modulus;
use crate::word::{add_carry, mul_add};

prime!(P256, 4);

impl Modulus<4> for Prime {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; 4] =
        [0xffffffffffffffff, 0x00000000ffffffff, 0x0000000000000000, 0xffffffff00000001];

    /// With q = t₀, q·p = q·(2^256 − 2^224 + 2^192) + q·2^96 − q, whose lowest word takes away t₀.
    #[inline(always)]
    fn step(words: &[u64; 4], top: u64) -> ([u64; 4], u64) {
        let q = words[0];
        let mut next = [0; 4];
        let mut carry;
        (next[0], carry) = add_carry(words[1], q << 32, 0);
        (next[1], carry) = add_carry(words[2], q >> 32, carry);
        (next[2], carry) = mul_add(words[3], q, Self::MODULUS[3], carry);
        (next[3], carry) = add_carry(top, carry, 0);
        (next, carry)
    }

    assembly!(4);
}

#[cfg(any(test, sigmill_words = "u32x10"))]
impl crate::modular::limbs29::Sparse for Prime {
    const POWERS: [(usize, i64); 4] = [(96, 1), (192, 1), (224, -1), (256, 1)];
}

#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
crate::modular::fiat::backends!(
    Prime,
    4,
    p256_64,
    p256_32,
    (
        fiat_p256_montgomery_domain_field_element,
        fiat_p256_non_montgomery_domain_field_element,
        fiat_p256_mul,
        fiat_p256_square,
        fiat_p256_add,
        fiat_p256_sub,
        fiat_p256_from_montgomery
    )
);
