//! Integers modulo n, the prime order of P-384 (SP 800-186 section 3.2.1.4), in six words.
//!
//! All operations are constant time. Reach: `modular`.

use crate::modular::{Modulus, Residue};

/// The modulus.
#[derive(Clone, Copy)]
pub(crate) struct N384;

/// An integer mod n.
pub(crate) type Scalar = Residue<N384, 6>;

impl Modulus<6> for N384 {
    const MODULUS: [u64; 6] = [
        0xecec196accc52973,
        0x581a0db248b0a77a,
        0xc7634d81f4372ddf,
        0xffffffffffffffff,
        0xffffffffffffffff,
        0xffffffffffffffff,
    ];
}
