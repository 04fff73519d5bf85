//! Every way to the verdict on one signature under every rule, for keys and R of every torsion and in every
//! encoding, against facts found by doubling and adding; and for each k that has no short pair.

use super::{
    HalfDigits, HalfSize, Residual, all_facts, decode, facts_of_vartime, verify_decoded,
    verify_encoded, verify_prepared,
};
use crate::cpu::Backend;
use crate::curve::edwards::Extended;
use crate::curve::edwards::straus::PreparedPoint;
use crate::ed25519::check_key_bytes;
use crate::ed25519::rules::{ALL, Facts, Order, decide, verdict};
use crate::field::f25519::Fe;
use crate::scalar::l25519::{ORDER, Scalar};
use crate::tests::Expander;
use crate::word::{load_le, store_le};
use std::vec::Vec;

type Point = Extended<Fe>;

fn add(p: &Point, q: &Point) -> Point {
    p.add(&q.cached()).extended()
}

/// Double and add, bit by bit.
fn times(scalar: &[u64; 4], p: &Point) -> Point {
    (0..256).rev().fold(Point::identity(()), |acc, bit| {
        let twice = acc.double().extended();
        if scalar[bit / 64] >> (bit % 64) & 1 == 1 { add(&twice, p) } else { twice }
    })
}

/// The encodings of 0·T to 7·T for a point T of order 8, then others of the same points, and bytes that are no point.
fn small_encodings() -> Vec<([u8; 32], u64)> {
    let mut y = [0; 32];
    let t = (2..)
        .find_map(|low| {
            y[0] = low;
            let (point, decoding) = Point::decode((), &y);
            let t = times(&ORDER, &point);
            let full = !times(&[4, 0, 0, 0], &t).projective().is_identity().is_true_vartime();
            (decoding.decodes.is_true_vartime() && full).then_some(t)
        })
        .expect("half of all points have torsion of order 8");
    let canonical: Vec<[u8; 32]> =
        (0..8).map(|i| times(&[i, 0, 0, 0], &t).projective().encode()).collect();
    let mut list: Vec<([u8; 32], u64)> = canonical.iter().copied().zip(0..).collect();
    for low in [0_u8, 1, 0xec, 0xed, 0xee] {
        for top in [0, 0x80] {
            let large = low > 1;
            let mut bytes = [if large { 0xff } else { 0 }; 32];
            (bytes[0], bytes[31]) = (low, if large { 0x7f | top } else { top });
            let (point, _) = Point::decode((), &bytes);
            let encoding = point.projective().encode();
            let index = canonical.iter().position(|other| *other == encoding);
            list.push((bytes, index.expect("a point of small order") as u64));
        }
    }
    list
}

/// Facts found without halves, digits or tables; every way to the equation that this CPU has says the same.
fn facts(key: &[u8; 32], k: &Scalar, [commitment, s]: [&[u8; 32]; 2]) -> Facts<bool> {
    let [a, r] = decode([key, commitment]);
    let a_facts = facts_of_vartime(&a, Order::RejectSmall);
    let base = times(Scalar::reduce_narrow(s).words(), &Point::decode((), &base()).0);
    let ka = times(k.words(), &a.extended(()));
    let (facts, residual) = all_facts(a_facts, &r, &add(&base, &ka.neg()), [commitment, s]);
    if a.decoding.decodes && r.decoding.decodes {
        let identity = residual.projective().is_identity().is_true_vartime();
        assert_eq!(facts.exact, identity && facts.r_canonical);
        let digits = HalfSize::new_vartime(k, s).map(|scalars| HalfDigits::new_vartime(&scalars));
        let residual = Residual { a: &a, r: &r, k, s, digits: digits.as_ref() };
        let no_pair = [1, 2].iter().any(|less| k.words()[0] == ORDER[0] - less);
        for (times_8, expected) in [(false, identity), (true, facts.cofactored)] {
            let context = (key, commitment, s, k.words());
            let by_digits = (!no_pair && Backend::Ifma.is_available()).then_some(expected);
            assert_eq!(residual.by_digits_vartime(times_8), by_digits, "{context:x?}");
            let by_half_size = (!no_pair).then_some(expected);
            assert_eq!(residual.by_half_size_vartime(times_8), by_half_size, "{context:x?}");
            assert_eq!(residual.in_full_vartime(times_8), expected, "{context:x?}");
            assert_eq!(residual.is_neutral_vartime(times_8), expected, "{context:x?}");
        }
    }
    facts
}

fn base() -> [u8; 32] {
    let mut encoding = [0x66; 32];
    encoding[0] = 0x58;
    encoding
}

/// Compares every way; says whether any rule accepts.
fn check(key: &[u8; 32], k: &Scalar, [commitment, s]: [&[u8; 32]; 2]) -> bool {
    let facts_found = facts(key, k, [commitment, s]);
    let expected = ALL.map(|rule| verdict(&decide(rule, &facts_found)));
    let [a] = decode([key]);
    let facts = facts_of_vartime(&a, Order::RejectSmall);
    let mut prepared = PreparedPoint::EMPTY;
    if a.decoding.decodes {
        prepared.fill(&a.extended::<Fe>(()).neg());
    }
    for (rule, expected) in ALL.into_iter().zip(&expected) {
        let context = (rule.name(), key, commitment, s, k.words());
        assert_eq!(verify_encoded(rule, key, k, [commitment, s]), *expected, "{context:x?}");
        if a.decoding.decodes {
            assert_eq!(
                verify_decoded(rule, &a, facts, k, [commitment, s]),
                *expected,
                "{context:x?}"
            );
            let by_tables = verify_prepared(rule, facts, &prepared, k, [commitment, s]);
            assert_eq!(by_tables, *expected, "{context:x?}");
        }
    }
    expected.iter().any(|verdict| verdict.is_valid())
}

/// S in the three ways that are congruent and others that are not.
fn variants(s: &Scalar) -> Vec<[u8; 32]> {
    let plus = |times: u64| {
        let mut words = *s.words();
        for _ in 0..times {
            let mut carry = 0;
            for (word, order) in words.iter_mut().zip(ORDER) {
                (*word, carry) = crate::word::add_carry(*word, order, carry);
            }
        }
        store_le(&words)
    };
    let mut top = s.to_bytes();
    top[31] |= 0x20;
    let next = Scalar::sum(s.words(), &[1, 0, 0, 0]).to_bytes();
    [plus(0), plus(1), plus(2), plus(14), top, next].into()
}

fn scalar(words: [u64; 4]) -> Scalar {
    Scalar::reduce_narrow(&store_le(&words))
}

/// Those for which no pair is short, and others.
fn challenges(expander: &mut Expander) -> [Scalar; 4] {
    let last = scalar([ORDER[0] - 1, ORDER[1], ORDER[2], ORDER[3]]);
    let random = Scalar::reduce_wide(&expander.bytes());
    [random, last, scalar([0; 4]), scalar([1, 0, 0, 0])]
}

#[test]
fn all_torsion_of_key_and_r() {
    let mut expander = Expander::new("torsion of key and R");
    let (small, base) = (small_encodings(), Point::decode((), &base()).0);
    let mut accepted = 0;
    for i in 0..8 {
        for j in 0..8 {
            let [a, r] = [(); 2].map(|()| Scalar::reduce_wide(&expander.bytes()));
            let encode = |scalar: &Scalar, i: usize| {
                let torsion = Point::decode((), &small[i].0).0;
                add(&times(scalar.words(), &base), &torsion).projective().encode()
            };
            let (key, commitment) = (encode(&a, i), encode(&r, j));
            for k in challenges(&mut expander) {
                for s in variants(&k.mul_add(&a, &r)) {
                    accepted += u32::from(check(&key, &k, [&commitment, &s]));
                }
            }
        }
    }
    // every good S under a rule with a cofactor
    assert!(accepted >= 64 * 4, "{accepted}");
}

#[test]
fn all_encodings_of_small_order() {
    let mut expander = Expander::new("encodings of small order");
    let (small, base) = (small_encodings(), Point::decode((), &base()).0);
    let random = Scalar::reduce_wide(&expander.bytes());
    let regular = times(random.words(), &base).projective().encode();
    let mut no_point = [0; 32];
    no_point[0] = 2;
    assert!(!decode([&no_point])[0].decoding.decodes);
    let mut list: Vec<([u8; 32], Scalar)> =
        small.iter().map(|(bytes, _)| (*bytes, Scalar::ZERO)).collect();
    list.extend([(regular, random), (no_point, Scalar::ZERO)]);
    let mut accepted = 0;
    for (key, a) in &list {
        for (commitment, r) in &list {
            let [k, long, ..] = challenges(&mut expander);
            for k in [k, long] {
                let good = k.mul_add(a, r);
                let next = Scalar::sum(good.words(), &[1, 0, 0, 0]);
                for s in [good, next] {
                    let s = s.to_bytes();
                    accepted += u32::from(check(key, &k, [commitment, &s]));
                }
            }
        }
    }
    assert!(accepted >= 19 * 19 * 2, "{accepted}");
}

#[test]
fn damaged_signatures() {
    let mut expander = Expander::new("damaged signatures");
    let base = Point::decode((), &base()).0;
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..200 {
        let [a, r, k] = [(); 3].map(|()| Scalar::reduce_wide(&expander.bytes()));
        let [key, commitment] = [a, r].map(|a| times(a.words(), &base).projective().encode());
        let mut all = [key, commitment, k.mul_add(&a, &r).to_bytes(), k.to_bytes()];
        let random = expander.word() as usize;
        if !random.is_multiple_of(16) {
            all[random / 16 % 4][random / 64 % 32] ^= 1 << (random / 2048 % 8);
        }
        let [key, commitment, s, k] = all;
        let k = scalar(load_le(&k));
        let valid = check(&key, &k, [&commitment, &s]);
        accepted += u32::from(valid);
        refused += u32::from(!valid);
    }
    assert!(accepted > 3 && refused > 100, "{accepted} {refused}");
}

#[test]
fn a_key_of_another_length_is_told_from_one_that_is_no_point() {
    let bytes = [2; 70];
    for (len, rule) in (0..bytes.len()).flat_map(|len| ALL.map(|rule| (len, rule))) {
        let verdict = check_key_bytes(rule, &bytes[..len]);
        let expected = if len == 32 { "key_not_a_point" } else { "key_length" };
        assert_eq!(verdict.ok().map_err(|reason| reason.name()), Err(expected), "{len}");
    }
}
