//! Integers modulo n, the prime order of P-256 (SP 800-186 section 3.2.1.3), in four words.
//!
//! All operations are constant time.

use crate::modular::{Chosen, Modulus, Residue};

/// The modulus, and its arithmetic in 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct Order;

/// The modulus with the arithmetic of this build.
pub(crate) type N256 = Chosen<Order>;

/// An integer mod n.
pub(crate) type Scalar = Residue<N256, 4>;

impl Modulus<4> for Order {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; 4] =
        [0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000];
}

#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
crate::modular::fiat::backends!(
    Order,
    4,
    p256_scalar_64,
    p256_scalar_32,
    (
        fiat_p256_scalar_montgomery_domain_field_element,
        fiat_p256_scalar_non_montgomery_domain_field_element,
        fiat_p256_scalar_mul,
        fiat_p256_scalar_square,
        fiat_p256_scalar_add,
        fiat_p256_scalar_sub,
        fiat_p256_scalar_from_montgomery
    )
);
