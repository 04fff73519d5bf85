//! One test per known mistake of other libraries.

use crate::curves::{Curve, P256, P384};
use num_bigint::BigUint;
use sigmill::ecdsa::LowS;
use sigmill::{Error, Reason, Verdict};

fn invalid(reason: Reason) -> Verdict {
    Verdict::Invalid(reason)
}

/// Secret key, public key, digest, signature.
fn signed<C: Curve>() -> [Vec<u8>; 4] {
    let (secret, digest) = (vec![0x21; C::WIDTH], vec![0x87; C::WIDTH]);
    let signature = C::sign_digest(&secret, &digest).expect("not empty");
    [secret.clone(), C::public_key(&secret), digest, signature]
}

/// CVE-2022-21449 ("psychic signatures"): 0 and n for r or s.
fn zeros_and_orders<C: Curve>() {
    let [_, key, digest, signature] = signed::<C>();
    let (r, s) = C::split(&signature);
    let n = C::reference().n;
    let verify =
        |r: &BigUint, s: &BigUint| C::verify(LowS::Any, &key, &digest, &C::signature(r, s));
    assert_eq!(verify(&r, &s), Verdict::Valid);
    for bad in [&BigUint::ZERO, &n] {
        assert_eq!(verify(bad, &s), invalid(Reason::ROutOfRange));
        assert_eq!(verify(&r, bad), invalid(Reason::SOutOfRange));
        for other in [&BigUint::ZERO, &n] {
            assert_eq!(verify(bad, other), invalid(Reason::ROutOfRange));
        }
    }
}

#[test]
fn r_and_s_of_zero_and_of_the_order_are_refused() {
    zeros_and_orders::<P256>();
    zeros_and_orders::<P384>();
}

/// The first point with x from `first` on, and x.
fn point_from<C: Curve>(first: &BigUint) -> (BigUint, BigUint) {
    let curve = C::reference();
    let mut x = first.clone();
    loop {
        let right = (&x * &x * &x + &curve.b + (&curve.p - &x) * 3_u8) % &curve.p;
        let y = right.modpow(&((&curve.p + 1_u8) >> 2), &curve.p);
        if curve.is_on_curve(&(x.clone(), y.clone())) {
            return (x, y);
        }
        x += 1_u8;
    }
}

/// The key r⁻¹·(s·R − e·G), under which (r, s) leads to R.
fn key_for<C: Curve>(point: (BigUint, BigUint), r: &BigUint, s: &BigUint, e: &BigUint) -> Vec<u8> {
    let curve = C::reference();
    let minus = curve.neg(&curve.times(&curve.g, e));
    let sum = curve.add(&curve.times(&Some(point), s), &minus);
    C::sec1(&curve.times(&sum, &r.modpow(&(&curve.n - 2_u8), &curve.n)))
}

/// x of R is compared mod n: above n it is still r, and r + n above p is no x.
fn wrapping<C: Curve>() {
    let curve = C::reference();
    let digest = vec![0x42; C::WIDTH];
    let e = curve.integer_of_digest(&digest) % &curve.n;
    let s = BigUint::from(0x1234_5678_9abc_def0_u64);
    let verify = |key: &[u8], r: &BigUint| C::verify(LowS::Any, key, &digest, &C::signature(r, &s));
    let point = point_from::<C>(&(&curve.n + 1_u8));
    let r = &point.0 - &curve.n;
    let key = key_for::<C>(point, &r, &s, &e);
    assert_eq!(verify(&key, &r), Verdict::Valid, "{}", C::NAME);
    assert_eq!(verify(&key, &(&r + 1_u8)), invalid(Reason::Equation));
    // r + n − p is x of R
    let point = point_from::<C>(&BigUint::from(1_u8));
    let r = &point.0 + &curve.p - &curve.n;
    let key = key_for::<C>(point, &r, &s, &e);
    assert_eq!(verify(&key, &r), invalid(Reason::Equation), "{}", C::NAME);
}

#[test]
fn x_of_the_sum_above_the_order() {
    wrapping::<P256>();
    wrapping::<P384>();
}

/// Q = −(e/r)·G: the sum is infinity whatever s is.
fn infinity<C: Curve>() {
    let curve = C::reference();
    let digest = vec![0x42; C::WIDTH];
    let e = curve.integer_of_digest(&digest) % &curve.n;
    for r in [1_u8.into(), 5_u8.into(), &curve.n - 1_u8] {
        let inverse = r.modpow(&(&curve.n - 2_u8), &curve.n);
        let secret = C::bytes(&(&curve.n - e.clone() * inverse % &curve.n));
        let key = C::public_key(&secret);
        let verdict = C::verify(LowS::Any, &key, &digest, &C::signature(&r, &7_u8.into()));
        assert_eq!(verdict, invalid(Reason::Equation));
    }
}

#[test]
fn a_sum_at_infinity_is_refused() {
    infinity::<P256>();
    infinity::<P384>();
}

/// The leftmost bytes count: crafted with the slow reference's integer for each length.
fn lengths<C: Curve>() {
    let [secret, key, _, _] = signed::<C>();
    let curve = C::reference();
    let k = BigUint::from(0xdead_beef_u32);
    let (r, _) = curve.times(&curve.g, &k).expect("a point");
    let inverse = k.modpow(&(&curve.n - 2_u8), &curve.n);
    for len in 1..=130 {
        let digest: Vec<u8> = (1..=len).map(|i: u8| i.wrapping_mul(93)).collect();
        let sum = curve.integer_of_digest(&digest) + &r * BigUint::from_bytes_be(&secret);
        let signature = C::signature(&r, &(sum * &inverse % &curve.n));
        assert_eq!(C::verify(LowS::Any, &key, &digest, &signature), Verdict::Valid, "{len}");
        let theirs = C::their_sign_digest(&secret, &digest);
        assert_eq!(C::sign_digest(&secret, &digest), Ok(theirs), "{len}");
    }
    let signature = C::sign_digest(&secret, &[1]).expect("not empty");
    assert_eq!(C::sign_digest(&secret, &[]), Err(Error::DigestEmpty));
    assert_eq!(C::verify(LowS::Any, &key, &[], &signature), invalid(Reason::DigestEmpty));
}

#[test]
fn digests_of_all_lengths() {
    lengths::<P256>();
    lengths::<P384>();
}

#[test]
fn high_s_is_the_callers_choice() {
    fn both<C: Curve>() {
        let [_, key, digest, signature] = signed::<C>();
        let (r, s) = C::split(&signature);
        let n = C::reference().n;
        for s in [s.clone(), &n - s] {
            let high = s > &n >> 1;
            let verify = |low_s| C::verify(low_s, &key, &digest, &C::signature(&r, &s));
            assert_eq!(verify(LowS::Any), Verdict::Valid);
            let expected = if high { invalid(Reason::SHigh) } else { Verdict::Valid };
            assert_eq!(verify(LowS::Required), expected);
        }
    }
    both::<P256>();
    both::<P384>();
}

/// Every first byte that means something, every length: an answer, the same as the crate's but for forms
/// that only one of them reads.
#[test]
fn keys_of_any_length_and_form() {
    fn all<C: Curve>() {
        let [_, key, digest, signature] = signed::<C>();
        for tag in 0..=8 {
            for len in 0..=200 {
                let mut bytes = key.clone();
                bytes.resize(200.max(len), 0);
                bytes.truncate(len);
                if let Some(first) = bytes.first_mut() {
                    *first = tag;
                }
                let verdict = C::verify(LowS::Any, &bytes, &digest, &signature);
                let right = tag == 4 && len == key.len();
                assert_eq!(verdict.is_valid(), right || bytes_are_compressed::<C>(&bytes, &key));
                if tag != 5 {
                    assert_eq!(C::key(&bytes).is_ok(), C::they_take_key(&bytes), "{bytes:x?}");
                }
            }
        }
        let p = C::bytes(&C::reference().p);
        let (x, y) = key[1..].split_at(C::WIDTH);
        for bytes in [[&[4], &p[..], y].concat(), [&[4], x, &p[..]].concat()] {
            assert_eq!(C::key(&bytes), Err(Error::NotAPoint));
        }
        let mut off = key.clone();
        off[2 * C::WIDTH] ^= 1;
        assert_eq!(C::key(&off), Err(Error::NotAPoint));
    }
    fn bytes_are_compressed<C: Curve>(bytes: &[u8], key: &[u8]) -> bool {
        bytes.len() == 1 + C::WIDTH && bytes[0] == 2 + (key[2 * C::WIDTH] & 1)
    }
    all::<P256>();
    all::<P384>();
}
