//! The moduli of numbers in words, and the constant by which a slice tells which of them it is about.

use std::collections::BTreeSet;

use crate::number::Int;

/// A modulus.
#[derive(Clone, Debug)]
pub struct Modulus {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub m: Int,
    /// Words of a number below it.
    pub words: usize,
    mark: u64,
}

impl Modulus {
    /// Whether constants of a slice hold its mark, or that times -1.
    pub fn is_in(&self, constants: &BTreeSet<u64>) -> bool {
        constants.contains(&self.mark) || constants.contains(&self.mark.wrapping_neg())
    }
}

const L: [u64; 4] = [0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 1 << 60];
const N256: [u64; 4] = [0xf3b9cac2fc632551, 0xbce6faada7179e84, u64::MAX, 0xffffffff << 32];
const N384: [u64; 6] =
    [0xecec196accc52973, 0x581a0db248b0a77a, 0xc7634d81f4372ddf, u64::MAX, u64::MAX, u64::MAX];
const P256: [u64; 4] = [u64::MAX, 0xffffffff, 0, 0xffffffff00000001];
const P384: [u64; 6] = [0xffffffff, 0xffffffff << 32, u64::MAX - 1, u64::MAX, u64::MAX, u64::MAX];

/// All moduli: those of scalars, and those of coordinates.
pub fn moduli() -> Vec<Modulus> {
    let modulus = |name, words: &[u64], mark| {
        let m = words.iter().rev().fold(Int::ZERO, |n, &w| (n << 64) + Int::from(w));
        Modulus { name, m, words: words.len(), mark }
    };
    vec![
        modulus("l", &L, L[0]),
        modulus("n of P-256", &N256, N256[0]),
        modulus("n of P-384", &N384, N384[0]),
        modulus("p of P-256", &P256, P256[3]),
        modulus("p of P-384", &P384, P384[0]),
    ]
}
