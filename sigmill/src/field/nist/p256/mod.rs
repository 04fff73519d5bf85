//! GF(p), p = 2^256 − 2^224 + 2^192 + 2^96 − 1, the coordinates of P-256 (FIPS 186-5, SP 800-186
//! section 3.2.1.3), in four words.
//!
//! −1/p = 1 mod 2^64, so a step of the reduction needs one multiplication. All operations are constant
//! time.

#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
mod adx;
#[cfg(sigmill_lanes)]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
use super::with_adx::AdxModulus;
#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
use crate::cpu::Adx;
use crate::modular::{Chosen, Modulus, Residue};
use crate::word::{add_carry, mul_add};

/// The modulus, and its arithmetic in 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct Prime;

/// The modulus with the arithmetic of this build.
pub(crate) type P256 = Chosen<Prime>;

/// Coordinates in eight lanes: none in a build without vectors.
#[cfg(sigmill_lanes)]
pub(crate) use lanes::Fe as Lanes;
#[cfg(not(sigmill_lanes))]
pub(crate) type Lanes = super::absent::EightAbsent<Fe>;

/// A coordinate.
pub(crate) type Fe = Residue<P256, 4>;

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

    x86_64!(4);
}

#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
impl AdxModulus<4> for Prime {
    #[inline(always)]
    fn product(token: Adx, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        adx::product(token, a, b)
    }

    #[inline(always)]
    fn square(token: Adx, a: &[u64; 4]) -> [u64; 4] {
        adx::square(token, a)
    }
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
