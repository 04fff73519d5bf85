//! Integers modulo n, the prime order of P-384 (SP 800-186 section 3.2.1.4), in six words.
//!
//! All operations are constant time.

use crate::modular::{Chosen, Modulus, Residue};

/// The modulus, and its arithmetic in 64-bit words.
#[derive(Clone, Copy)]
pub(crate) struct Order;

/// The modulus with the arithmetic of this build.
pub(crate) type N384 = Chosen<Order>;

/// An integer mod n.
pub(crate) type Scalar = Residue<N384, 6>;

impl Modulus<6> for Order {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; 6] = [
        0xecec196accc52973,
        0x581a0db248b0a77a,
        0xc7634d81f4372ddf,
        0xffffffffffffffff,
        0xffffffffffffffff,
        0xffffffffffffffff,
    ];
}

#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
crate::modular::fiat::backends!(
    Order,
    6,
    p384_scalar_64,
    p384_scalar_32,
    (
        fiat_p384_scalar_montgomery_domain_field_element,
        fiat_p384_scalar_non_montgomery_domain_field_element,
        fiat_p384_scalar_mul,
        fiat_p384_scalar_square,
        fiat_p384_scalar_add,
        fiat_p384_scalar_sub,
        fiat_p384_scalar_from_montgomery
    )
);
