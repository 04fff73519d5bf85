//! Integers modulo n, the prime order of P-256 (SP 800-186 section 3.2.1.3), in four words.
//!
//! All operations are constant time. Reach: `modular`.

use crate::modular::{Modulus, Residue};

/// The modulus.
#[derive(Clone, Copy)]
pub(crate) struct N256;

/// An integer mod n.
pub(crate) type Scalar = Residue<N256, 4>;

impl Modulus<4> for N256 {
    const MODULUS: [u64; 4] =
        [0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000];
}
