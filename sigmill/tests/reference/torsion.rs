//! Which points lie in the prime-order subgroup, twice: by multiplication with ℓ, and by the formula of
//! `docs/exact-batch.md`, section 9. Its constants are derived here, not copied.

#![allow(dead_code, missing_docs, unreachable_pub)]

use crate::reference::{Point, order, p};
use num_bigint::BigUint;

/// The coefficient of Curve25519: v² = u³ + A·u² + u (RFC 7748 section 4.1).
const A: u32 = 486_662;

/// [ℓ](x, y) is the identity.
pub fn in_prime_order_subgroup(x: &BigUint, y: &BigUint) -> bool {
    Point::affine(x.clone(), y.clone()).times(&order()).is_identity()
}

fn one() -> BigUint {
    BigUint::from(1_u8)
}

fn neg(x: &BigUint) -> BigUint {
    (p() - x % p()) % p()
}

fn sub(x: &BigUint, y: &BigUint) -> BigUint {
    (x + neg(y)) % p()
}

fn inverse(x: &BigUint) -> BigUint {
    x.modinv(p()).unwrap_or_default()
}

/// Whether x is a square other than 0, by Euler's criterion.
pub fn is_nonzero_square(x: &BigUint) -> bool {
    x.modpow(&((p() - 1_u8) >> 1), p()) == one()
}

/// x^((p−1)/4): 0, or a fourth root of unity.
pub fn quartic_symbol(x: &BigUint) -> BigUint {
    x.modpow(&((p() - 1_u8) >> 2), p())
}

/// The even square root, as p = 5 (mod 8) has it: x^((p+3)/8), or that times √−1.
pub fn square_root(x: &BigUint) -> Option<BigUint> {
    let root = x.modpow(&((p() + 3_u8) >> 3), p());
    let sqrt_minus_1 = quartic_symbol(&BigUint::from(2_u8));
    [root.clone(), root * sqrt_minus_1 % p()]
        .into_iter()
        .find(|root| root * root % p() == x % p())
        .map(|root| if root.bit(0) { neg(&root) } else { root })
}

/// c with c² = −(A+2), and r with r² = A+2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    pub c: BigUint,
    pub r: BigUint,
}

impl Constants {
    /// The even c, and the r for which r·(2−r) is not a square.
    pub fn derived() -> Constants {
        let a_plus_2 = BigUint::from(A + 2);
        let c = square_root(&neg(&a_plus_2)).expect("−(A+2) is a square");
        let r = square_root(&a_plus_2).expect("A+2 is a square");
        let suitable = |r: &BigUint| !is_nonzero_square(&(r * sub(&BigUint::from(2_u8), r)));
        let mut found = [neg(&r), r].into_iter().filter(suitable);
        let r = found.next().expect("one of the two roots is suitable");
        assert_eq!(found.next(), None, "only one of the two roots is suitable");
        Constants { c, r }
    }

    pub fn with_other_c(&self) -> Constants {
        Constants { c: neg(&self.c), r: self.r.clone() }
    }

    pub fn with_other_r(&self) -> Constants {
        Constants { c: self.c.clone(), r: neg(&self.r) }
    }
}

/// What the formula says about (X : Y : Z).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// X = 0: the identity, or the point of order 2.
    Axis { identity: bool },
    /// (Z+Y)/(Z−Y) is not a square: the torsion part is odd.
    Odd,
    /// The quartic symbol of the pairing's value.
    Symbol(BigUint),
}

impl Finding {
    pub fn is_member(&self) -> bool {
        match self {
            Finding::Axis { identity } => *identity,
            Finding::Odd => false,
            Finding::Symbol(symbol) => *symbol == one(),
        }
    }
}

/// The formula, with w the even root or the other one.
pub fn finding(constants: &Constants, other_w: bool, [x, y, z]: [&BigUint; 3]) -> Finding {
    if x % p() == BigUint::ZERO {
        return Finding::Axis { identity: sub(y, z) == BigUint::ZERO };
    }
    let two = BigUint::from(2_u8);
    let Constants { c, r } = constants;
    let n = (z + y) % p();
    let d = sub(z, y);
    let Some(w) = square_root(&(n * inverse(&d) % p())) else { return Finding::Odd };
    let w = if other_w { neg(&w) } else { w };
    let m = sub(&(&two * x * y), &(c * &w % p() * &d % p() * z));
    let u_d = d * x % p();
    let u_n = (&two * &m + (A + 2) * &u_d) % p();
    let a = sub(&(w * u_n), &(sub(&two, r) * &m));
    let b = u_d * m % p();
    Finding::Symbol(quartic_symbol(&(two * &a * &a % p() * &b % p() * &b % p() * &b % p())))
}

/// Whether (X : Y : Z) lies in the prime-order subgroup, by the formula.
pub fn torsion_test(x: &BigUint, y: &BigUint, z: &BigUint) -> bool {
    finding(&Constants::derived(), false, [x, y, z]).is_member()
}
