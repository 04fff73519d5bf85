//! Integers without bound, and the few operations on them that proofs need.

use dashu_int::ops::{DivEuclid, Gcd, RemEuclid};

/// An integer without bound; those of at most 128 bits allocate nothing.
pub use dashu_int::IBig as Int;

/// 2^k.
pub fn power_of_two(k: usize) -> Int {
    Int::ONE << k
}

/// floor(x / 2^k).
pub fn floor_shift(x: &Int, k: usize) -> Int {
    floor_div(x, &power_of_two(k))
}

/// floor(x / n), of a positive n.
pub fn floor_div(x: &Int, n: &Int) -> Int {
    x.div_euclid(n)
}

/// The residue of x in [0, m).
pub fn modulo(x: &Int, m: &Int) -> Int {
    Int::from(x.rem_euclid(m))
}

/// The residue of x of least magnitude: in (-m/2, m/2].
pub fn symmetric(x: &Int, m: &Int) -> Int {
    let r = modulo(x, m);
    if &r * 2 > *m { r - m } else { r }
}

/// The greatest common divisor, positive unless both are zero.
pub fn gcd(a: &Int, b: &Int) -> Int {
    if a.is_zero() {
        return magnitude(b);
    }
    if b.is_zero() {
        return magnitude(a);
    }
    Int::from(a.gcd(b))
}

/// |x|.
pub fn magnitude(x: &Int) -> Int {
    if is_negative(x) { -x.clone() } else { x.clone() }
}

/// x < 0.
pub fn is_negative(x: &Int) -> bool {
    *x < Int::ZERO
}

/// The inverse of x modulo m, if they have no common divisor.
pub fn inverse(x: &Int, m: &Int) -> Option<Int> {
    let (mut a, mut b) = (m.clone(), modulo(x, m));
    let (mut s, mut t) = (Int::ZERO, Int::ONE);
    while !b.is_zero() {
        let q = floor_div(&a, &b);
        (a, b) = (b.clone(), a - &q * &b);
        (s, t) = (t.clone(), s - &q * &t);
    }
    a.is_one().then(|| modulo(&s, m))
}

/// Hexadecimal as certificates have it: no prefix, `-` before a negative number.
pub fn hex(x: &Int) -> String {
    x.in_radix(16).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_round_down() {
        for x in -40..40 {
            assert_eq!(floor_shift(&Int::from(x), 3), Int::from(x >> 3));
            assert_eq!(modulo(&Int::from(x), &Int::from(8)), Int::from(x & 7));
        }
    }

    #[test]
    fn inverses_multiply_to_one() {
        let p = power_of_two(255) - 19;
        for x in [1, 2, 38, 977] {
            let y = inverse(&Int::from(x), &p).expect("p is prime");
            assert_eq!(modulo(&(y * x), &p), Int::ONE);
        }
        assert_eq!(inverse(&Int::from(6), &Int::from(9)), None);
    }

    #[test]
    fn hexadecimal_has_a_sign_and_no_prefix() {
        assert_eq!(hex(&Int::from(-255)), "-ff");
        assert_eq!(hex(&Int::ZERO), "0");
    }
}
