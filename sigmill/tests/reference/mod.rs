//! The slow reference: Ed25519 in big integers, straight from RFC 8032 and `docs/rules.md`.
//!
//! It shares no code with the library and optimises nothing. It is the judge when two backends, two
//! languages or two programs disagree, and it made the verdicts in `vectors/`. It uses `num-bigint` and
//! `sha2` only; `gen` includes this file as well.

#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod weierstrass;

use num_bigint::BigUint;
use sha2::{Digest, Sha512};
use std::sync::LazyLock;

static P: LazyLock<BigUint> = LazyLock::new(|| (BigUint::from(1_u8) << 255) - 19_u8);
static D: LazyLock<BigUint> = LazyLock::new(|| {
    (p() - BigUint::from(121_665_u32)) * inverse(&BigUint::from(121_666_u32)) % p()
});
static BASE: LazyLock<Point> = LazyLock::new(|| {
    let y = BigUint::from(4_u8) * inverse(&BigUint::from(5_u8)) % p();
    Point::decode(&bytes32(&y)).expect("the base point decodes").0
});

/// p = 2^255 − 19.
pub fn p() -> &'static BigUint {
    &P
}

/// ℓ = 2^252 + 27742317777372353535851937790883648493.
pub fn order() -> BigUint {
    (BigUint::from(1_u8) << 252) + 27_742_317_777_372_353_535_851_937_790_883_648_493_u128
}

fn inverse(x: &BigUint) -> BigUint {
    x.modinv(p()).unwrap_or_default()
}

fn subtract(a: &BigUint, b: &BigUint) -> BigUint {
    (a + p() - b % p()) % p()
}

/// d = −121665/121666 (RFC 8032 section 5.1).
pub fn d() -> &'static BigUint {
    &D
}

pub fn integer(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

pub fn bytes32(x: &BigUint) -> [u8; 32] {
    let mut bytes = x.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().expect("the integer is below 2^256")
}

/// A point in extended homogeneous coordinates (RFC 8032 section 5.1.4).
#[derive(Clone, Debug)]
pub struct Point {
    x: BigUint,
    y: BigUint,
    z: BigUint,
    t: BigUint,
}

impl Point {
    pub fn affine(x: BigUint, y: BigUint) -> Point {
        let t = &x * &y % p();
        Point { x, y, z: BigUint::from(1_u8), t }
    }

    pub fn identity() -> Point {
        Point::affine(BigUint::ZERO, BigUint::from(1_u8))
    }

    /// The base point: y = 4/5, x even (section 5.1).
    pub fn base() -> Point {
        BASE.clone()
    }

    /// Section 5.1.4, the addition formulas. They are complete.
    pub fn add(&self, q: &Point) -> Point {
        let a = subtract(&self.y, &self.x) * subtract(&q.y, &q.x) % p();
        let b = (&self.y + &self.x) * (&q.y + &q.x) % p();
        let c = &self.t * 2_u8 * d() * &q.t % p();
        let dd = &self.z * 2_u8 * &q.z % p();
        let (e, f, g, h) = (subtract(&b, &a), subtract(&dd, &c), (&dd + &c) % p(), (&b + &a) % p());
        Point { x: &e * &f % p(), y: &g * &h % p(), z: &f * &g % p(), t: &e * &h % p() }
    }

    pub fn neg(&self) -> Point {
        let zero = BigUint::ZERO;
        Point {
            x: subtract(&zero, &self.x),
            y: self.y.clone(),
            z: self.z.clone(),
            t: subtract(&zero, &self.t),
        }
    }

    /// `[n]P`, one bit after the other.
    pub fn times(&self, n: &BigUint) -> Point {
        (0..n.bits()).rev().fold(Point::identity(), |acc, bit| {
            let twice = acc.add(&acc);
            if n.bit(bit) { twice.add(self) } else { twice }
        })
    }

    pub fn is_identity(&self) -> bool {
        self.x == BigUint::ZERO && self.y == self.z
    }

    /// `[8]P` is the identity.
    pub fn is_small(&self) -> bool {
        self.times(&BigUint::from(8_u8)).is_identity()
    }

    /// The order of the torsion part: of `[ℓ]P`.
    pub fn torsion_order(&self) -> u8 {
        let torsion = self.times(&order());
        [1_u8, 2, 4]
            .into_iter()
            .find(|n| torsion.times(&BigUint::from(*n)).is_identity())
            .unwrap_or(8)
    }

    pub fn coordinates(&self) -> (BigUint, BigUint) {
        let z = inverse(&self.z);
        (&self.x * &z % p(), &self.y * &z % p())
    }

    /// Section 5.1.2.
    pub fn encode(&self) -> [u8; 32] {
        let (x, y) = self.coordinates();
        let mut bytes = bytes32(&y);
        bytes[31] |= u8::from(x.bit(0)) << 7;
        bytes
    }

    /// Section 5.1.3, but for its two refusals, which become the second result: whether y is below
    /// p and the sign bit of x = 0 is 0. `None` if no point has this y.
    pub fn decode(bytes: &[u8; 32]) -> Option<(Point, bool)> {
        let sign = bytes[31] >> 7 == 1;
        let mut low = *bytes;
        low[31] &= 0x7f;
        let encoded_y = integer(&low);
        let y = &encoded_y % p();
        let u = subtract(&(&y * &y % p()), &BigUint::from(1_u8));
        let v = (d() * &y * &y + 1_u8) % p();
        // x = (u/v)^((p+3)/8), or that times 2^((p-1)/4)
        let square = &u * inverse(&v) % p();
        let mut x = square.modpow(&((p() + 3_u8) >> 3), p());
        if &x * &x % p() != square {
            x = x * BigUint::from(2_u8).modpow(&((p() - 1_u8) >> 2), p()) % p();
        }
        if &x * &x % p() != square {
            return None;
        }
        if x.bit(0) != sign {
            x = subtract(&BigUint::ZERO, &x);
        }
        let canonical = encoded_y < *p() && !(x == BigUint::ZERO && sign);
        Some((Point::affine(x, y), canonical))
    }
}

pub fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    let mut hash = Sha512::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Ed25519, Ed25519ctx, Ed25519ph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Pure,
    Ctx,
    Ph,
}

impl Variant {
    pub fn name(self) -> &'static str {
        match self {
            Variant::Pure => "pure",
            Variant::Ctx => "ctx",
            Variant::Ph => "ph",
        }
    }
}

/// dom2(F, C), and PH(M) (section 5.1).
fn domain_and_message(variant: Variant, context: &[u8], message: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut dom = Vec::new();
    if variant != Variant::Pure {
        dom.extend_from_slice(b"SigEd25519 no Ed25519 collisions");
        dom.push(u8::from(variant == Variant::Ph));
        dom.push(u8::try_from(context.len()).expect("a context has at most 255 bytes"));
        dom.extend_from_slice(context);
    }
    let message = match variant {
        Variant::Ph => sha512(&[message]).to_vec(),
        _ => message.to_vec(),
    };
    (dom, message)
}

/// Section 5.1.5: the secret scalar and the prefix.
pub fn expand(seed: &[u8; 32]) -> (BigUint, [u8; 32]) {
    let digest = sha512(&[seed]);
    let mut a: [u8; 32] = digest[..32].try_into().expect("32 bytes");
    a[0] &= 0b1111_1000;
    a[31] &= 0b0111_1111;
    a[31] |= 0b0100_0000;
    (integer(&a), digest[32..].try_into().expect("32 bytes"))
}

pub fn public_key(seed: &[u8; 32]) -> [u8; 32] {
    Point::base().times(&expand(seed).0).encode()
}

/// Section 5.1.6.
pub fn sign(seed: &[u8; 32], variant: Variant, context: &[u8], message: &[u8]) -> [u8; 64] {
    sign_with_prefix(seed, &expand(seed).1, variant, context, message)
}

/// draft-irtf-cfrg-det-sigs-with-noise-05, "Hedged EdDSA": the prefix is replaced by the first half
/// of SHA-512(prefix ‖ Z).
pub fn sign_hedged(
    seed: &[u8; 32],
    noise: &[u8; 32],
    variant: Variant,
    context: &[u8],
    message: &[u8],
) -> [u8; 64] {
    let digest = sha512(&[&expand(seed).1, noise]);
    sign_with_prefix(seed, &digest[..32], variant, context, message)
}

fn sign_with_prefix(
    seed: &[u8; 32],
    prefix: &[u8],
    variant: Variant,
    context: &[u8],
    message: &[u8],
) -> [u8; 64] {
    let (a, _) = expand(seed);
    let (dom, m) = domain_and_message(variant, context, message);
    let r = integer(&sha512(&[&dom, prefix, &m])) % order();
    let r_bytes = Point::base().times(&r).encode();
    let k = challenge(variant, context, &r_bytes, &public_key(seed), message);
    signature(&r_bytes, &((r + k * a) % order()))
}

pub fn signature(r: &[u8; 32], s: &BigUint) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(r);
    bytes[32..].copy_from_slice(&bytes32(s));
    bytes
}

/// k = SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, over the bytes as they are.
pub fn challenge(
    variant: Variant,
    context: &[u8],
    r: &[u8; 32],
    a: &[u8; 32],
    message: &[u8],
) -> BigUint {
    let (dom, m) = domain_and_message(variant, context, message);
    integer(&sha512(&[&dom, r, a, &m])) % order()
}

/// What is true of 32 bytes as a point.
#[derive(Clone, Copy, Debug)]
pub struct PointFacts {
    pub canonical: bool,
    pub small: bool,
}

/// What is true of one signature. `None` where a point does not decode.
#[derive(Clone, Debug)]
pub struct Facts {
    pub a: Option<PointFacts>,
    pub r: Option<PointFacts>,
    pub s: BigUint,
    pub exact: bool,
    pub cofactored: bool,
}

pub const RULES: [&str; 8] = [
    "common",
    "rfc8032_exact",
    "rfc8032",
    "zip215",
    "strict",
    "no_small_key",
    "no_small",
    "legacy",
];

/// Everything that any rule asks about a signature; an error for a wrong length.
pub fn facts(
    variant: Variant,
    context: &[u8],
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<Facts, &'static str> {
    let key: &[u8; 32] = key.try_into().map_err(|_| "key_length")?;
    let signature: &[u8; 64] = signature.try_into().map_err(|_| "signature_length")?;
    let r_bytes: &[u8; 32] = signature[..32].try_into().expect("32 bytes");
    let s = integer(&signature[32..]);
    let (a, r) = (Point::decode(key), Point::decode(r_bytes));
    let (mut exact, mut cofactored) = (false, false);
    if let Some((a, _)) = &a {
        let k = challenge(variant, context, r_bytes, key, message);
        let sum = Point::base().times(&s).add(&a.times(&k).neg());
        exact = sum.encode() == *r_bytes;
        if let Some((r, _)) = &r {
            cofactored = sum.add(&r.neg()).is_small();
        }
    }
    let about = |decoded: &Option<(Point, bool)>| {
        decoded
            .as_ref()
            .map(|(point, canonical)| PointFacts { canonical: *canonical, small: point.is_small() })
    };
    Ok(Facts { a: about(&a), r: about(&r), s, exact, cofactored })
}

/// `docs/rules.md`, sentence by sentence: `ok`, or the first reason that applies.
pub fn verdict(rule: &str, facts: &Result<Facts, &'static str>) -> &'static str {
    assert!(RULES.contains(&rule), "no rule is called {rule}");
    let facts = match facts {
        Ok(facts) => facts,
        Err(length) => return length,
    };
    // A must decode.
    let Some(a) = facts.a else { return "key_not_a_point" };
    // rfc8032_exact, rfc8032 and no_small_key: A must be canonical.
    if ["rfc8032_exact", "rfc8032", "no_small_key"].contains(&rule) && !a.canonical {
        return "key_not_canonical";
    }
    // strict, no_small_key and no_small: A must not have small order.
    if ["strict", "no_small_key", "no_small"].contains(&rule) && a.small {
        return "key_small_order";
    }
    // R must decode.
    let Some(r) = facts.r else { return "r_not_a_point" };
    // All but zip215: R must be canonical.
    if rule != "zip215" && !r.canonical {
        return "r_not_canonical";
    }
    // strict and no_small: R must not have small order.
    if ["strict", "no_small"].contains(&rule) && r.small {
        return "r_small_order";
    }
    // All but legacy: S < ℓ. legacy: S < 2^253.
    let bound = if rule == "legacy" { BigUint::from(1_u8) << 253 } else { order() };
    if facts.s >= bound {
        return "s_out_of_range";
    }
    // rfc8032, zip215, no_small_key and no_small: the cofactored equation; the others: the exact one.
    let cofactored = ["rfc8032", "zip215", "no_small_key", "no_small"].contains(&rule);
    if if cofactored { facts.cofactored } else { facts.exact } { "ok" } else { "equation" }
}
