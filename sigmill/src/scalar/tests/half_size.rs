//! Half-size pairs against big integers.

use super::super::half_size::{BOUND, HalfSizePairs, Halving, half_size_vartime, round_vartime};
use super::super::l25519::ORDER;
use crate::tests::{Expander, proven};
use crate::word::{load_le, store_le};
use num_bigint::{BigInt, BigUint, Sign};
use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

fn order() -> BigUint {
    BigUint::from_bytes_le(&store_le(&ORDER))
}

/// 8ℓ, the order of the group.
fn modulus() -> BigUint {
    order() * 8_u8
}

fn words(h: &BigUint) -> [u64; 4] {
    let mut bytes = h.to_bytes_le();
    bytes.resize(32, 0);
    load_le(&bytes.try_into().expect("below the order"))
}

/// A row's (u, c), if it has one, and nothing else.
type Pair = Option<(BigInt, BigUint)>;

fn pair<const L: usize>(halves: &HalfSizePairs<L>, l: usize) -> Pair {
    let integer = |words: &[[u64; L]; 3]| {
        words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + word[l])
    };
    if !halves.ok[l] {
        // what is computed from them must not outgrow its bounds either
        let zero = (&BigUint::ZERO, &BigUint::ZERO);
        assert_eq!((&integer(&halves.u), &integer(&halves.c)), zero, "no pair is 0");
    }
    let sign = if halves.u_negative[l] { Sign::Minus } else { Sign::Plus };
    halves.ok[l].then(|| (BigInt::from_biguint(sign, integer(&halves.u)), integer(&halves.c)))
}

/// The pairs of `hs`, `L` at a time; the last ones are filled up with zeros.
fn pairs<const L: usize>(hs: &[BigUint]) -> Vec<Pair> {
    hs.chunks(L)
        .flat_map(|chunk| {
            let mut rows = [[0; 4]; L];
            for (row, h) in rows.iter_mut().zip(chunk) {
                *row = words(h);
            }
            let halves = half_size_vartime(&rows);
            (0..chunk.len()).map(|l| pair(&halves, l)).collect::<Vec<_>>()
        })
        .collect()
}

/// The pairs of `hs`, each a little at a time.
fn pairs_in_steps(hs: &[BigUint]) -> Vec<Pair> {
    let whole = |h: &BigUint| {
        let mut halving = Halving::new(&words(h));
        // of a round ten steps and its end
        let mut ends = (0..66).filter_map(|_| halving.step_vartime());
        let halves = ends.next().expect("six rounds");
        assert!(ends.next().is_none(), "six rounds and no more");
        pair(&halves, 0)
    };
    hs.iter().map(whole).collect()
}

/// The bits of the longer one, after everything that must hold has been checked.
fn checked(h: &BigUint, (u, c): &(BigInt, BigUint)) -> u64 {
    let modulus = BigInt::from(modulus());
    let difference = BigInt::from(c.clone()) * BigInt::from(h.clone()) - u;
    assert_eq!(difference % modulus, BigInt::ZERO, "u = c·h for {h:x}");
    assert!(c.bit(0), "c is odd for {h:x}");
    let bits = u.bits().max(c.bits());
    assert!(bits <= u64::from(BOUND), "{bits} bits for {h:x}");
    bits
}

/// Checks all pairs, and that they do not depend on how many rows there are at once, nor on how the steps are taken.
fn bits(hs: &[BigUint]) -> Vec<Option<u64>> {
    let found = pairs::<8>(hs);
    assert_eq!(found, pairs::<4>(hs));
    assert_eq!(found, pairs::<1>(hs));
    assert_eq!(found, pairs_in_steps(hs));
    hs.iter().zip(&found).map(|(h, pair)| pair.as_ref().map(|pair| checked(h, pair))).collect()
}

/// The bits of the longer one of a shortest pair, by Lagrange's reduction.
fn least_bits(h: &BigUint) -> u64 {
    let length = |v: &[BigInt; 2]| v[0].magnitude().max(v[1].magnitude()).clone();
    let minus =
        |v: &[BigInt; 2], k: &BigInt, w: &[BigInt; 2]| [&v[0] - k * &w[0], &v[1] - k * &w[1]];
    let mut long = [BigInt::from(modulus()), BigInt::ZERO];
    let mut short = [BigInt::from(h.clone()), BigInt::from(1)];
    loop {
        if length(&long) < length(&short) {
            core::mem::swap(&mut long, &mut short);
        }
        // |long - k·short| as a function of k is convex: its least value is at one of these or at the
        // next integer
        let mut ks = Vec::new();
        let [a, b] = &long;
        let [c, d] = &short;
        for (x, y) in
            [(a.clone(), c.clone()), (b.clone(), d.clone()), (a - b, c - d), (a + b, c + d)]
        {
            if y != BigInt::ZERO {
                ks.push(&x / &y);
            }
        }
        let around = ks.iter().flat_map(|k| (-1..=1).map(move |i| k + i));
        let next = around.map(|k| minus(&long, &k, &short)).min_by_key(length).expect("not zero");
        if length(&next) >= length(&long) {
            break;
        }
        long = next;
    }
    // 2·long + k·short is no shorter than the shorter one of these
    let near = (-2..=2).map(|k| minus(&long, &BigInt::from(k), &short));
    let odd = near.chain([short.clone()]).filter(|v| v[1].bit(0));
    odd.map(|v| length(&v).bits()).min().expect("a basis has an odd vector")
}

#[test]
fn random_integers_have_short_pairs() {
    let mut expander = Expander::new("halves");
    let count = 20_480;
    let hs: Vec<BigUint> =
        (0..count).map(|_| BigUint::from_bytes_le(&expander.bytes::<64>()) % order()).collect();
    let mut histogram = BTreeMap::new();
    for bits in bits(&hs) {
        *histogram.entry(bits.expect("three in 10^5 have none, and none of these")).or_insert(0) +=
            1;
    }
    println!("bits of the longer one: {histogram:?}");
    let up_to = |limit| histogram.range(..=limit).map(|(_, rows)| rows).sum::<i32>();
    assert!(up_to(131) * 100 >= count * 95);
    assert!(up_to(130) * 1000 >= count * 985);
}

#[test]
fn pairs_are_hardly_longer_than_the_shortest() {
    let mut expander = Expander::new("shortest halves");
    let hs: Vec<BigUint> =
        (0..2_000).map(|_| BigUint::from_bytes_le(&expander.bytes::<64>()) % order()).collect();
    let mut longer = 0;
    for (h, found) in hs.iter().zip(bits(&hs)) {
        let (found, least) = (found.expect("a pair"), least_bits(h));
        assert!(found >= least, "{found} below {least} bits for {h:x}");
        longer += found - least;
    }
    println!("{longer} bits longer in {} rows", hs.len());
    assert!(longer * 20 <= hs.len() as u64);
}

#[test]
fn small_integers_are_their_own_pair() {
    let one = BigUint::from(1_u8);
    let mut hs: Vec<BigUint> = (0_u8..8).map(BigUint::from).collect();
    for shift in 3..128 {
        hs.extend([(&one << shift) - 1_u8, &one << shift, (&one << shift) + 1_u8]);
    }
    for (h, pair) in hs.iter().zip(pairs::<8>(&hs)) {
        let expected = (BigInt::from(h.clone()), one.clone());
        if h.bits() <= 126 {
            assert_eq!(pair, Some(expected), "{h:x}");
        }
    }
    assert!(bits(&hs).iter().all(|bits| bits.is_some_and(|bits| bits <= 128)));
}

#[test]
fn extreme_integers() {
    let one = BigUint::from(1_u8);
    let (order, modulus) = (order(), modulus());
    let mut hs = Vec::new();
    let mut around = |h: BigUint| {
        for offset in 0_u8..4 {
            hs.extend([&h + offset, &h + &order - offset]);
        }
    };
    around(BigUint::ZERO);
    around((&order - 1_u8) / 2_u8);
    for shift in 0..253 {
        around(&one << shift);
        around(&order - (&one << shift) % &order);
    }
    // quotients that are large at once, after one step and after two
    for k in 2_u32..200 {
        around(&modulus / k);
        around(&modulus * (k - 1) / k);
        around(&modulus * k / (k * k + 1));
    }
    for shift in 3..200 {
        around(&modulus / ((&one << shift) - 1_u8));
        around(&modulus / ((&one << shift) + 1_u8));
    }
    // only small quotients: Fibonacci numbers, and 8ℓ over powers of the golden ratio
    let (mut a, mut b) = (one.clone(), one.clone());
    while b < order {
        around(b.clone());
        around(&modulus * &a / (&a + &b));
        around(&modulus * &a / (&a + &b * 4_u8));
        (a, b) = (b.clone(), a + b);
    }
    // multiples near 2^127
    for c in 0_u8..20 {
        let near: BigUint = (&one << 127) + c;
        let inverse = near.modinv(&order).expect("a prime order");
        around(inverse.clone());
        around(inverse * ((&one << 126) + 1_u8) % &order);
        around(&order - (&one << 127) - c);
    }
    for h in &mut hs {
        *h %= &order;
    }
    let none = none_but_for_cause(&hs);
    println!("{none} of {} extreme integers without a pair", hs.len());
}

/// A quotient of any size, up to 2^40, wherever in the algorithm: next to a fraction of 8ℓ with a
/// denominator of d bits, at a distance of 255 − 2d bits less those of the quotient.
#[test]
fn integers_near_fractions() {
    let mut expander = Expander::new("fractions");
    let hs: Vec<BigUint> = (0..6_000)
        .map(|_| {
            let denominator_bits = u32::from(expander.byte()) % 127 + 1;
            let quotient_bits = u32::from(expander.byte()) % 40;
            let offset_bits = 255_u32.saturating_sub(2 * denominator_bits + quotient_bits);
            let mut random =
                |bits: u32| BigUint::from_bytes_le(&expander.bytes::<32>()) >> (256 - bits);
            let denominator = random(denominator_bits) + 1_u8;
            let numerator = random(denominator_bits) % &denominator;
            (modulus() * numerator / denominator + random(offset_bits)) % order()
        })
        .collect();
    let none = none_but_for_cause(&hs);
    println!("{none} of {} integers near fractions without a pair", hs.len());
}

/// Checks pairs, and that a missing one would be long, or a quotient of Euclid's algorithm is large: one
/// of 12 bits can hold it up, and the last one is applied at once and may have 6. How many are
/// missing.
fn none_but_for_cause(hs: &[BigUint]) -> usize {
    let bits = bits(hs);
    for (h, bits) in hs.iter().zip(&bits) {
        let (largest, last) = quotient_bits(h);
        assert!(bits.is_some() || least_bits(h) > 136 || largest > 12 || last > 6, "{h:x}");
    }
    bits.iter().filter(|bits| bits.is_none()).count()
}

/// The bits of the largest quotient of Euclid's algorithm until a number is below 2^128, and of the
/// one by that number.
fn quotient_bits(h: &BigUint) -> (u64, u64) {
    let (mut a, mut b) = (modulus(), h.clone());
    let mut largest = 0;
    while b.bits() > 128 {
        largest = largest.max((&a / &b).bits());
        (a, b) = (b.clone(), a % b);
    }
    let last = if b == BigUint::ZERO { a.bits() } else { (a / b).bits() };
    (largest.max(last), last)
}

#[test]
fn integers_without_a_short_pair_are_reported() {
    let order = order();
    // 8·h = −8 (mod 8ℓ): no odd pair is shorter than about ℓ/2
    let hs = [
        &order - 1_u8,
        &order - 3_u8,
        (&order + 1_u8) / 2_u8,
        &order - (BigUint::from(1_u8) << 60),
    ];
    for (h, found) in hs.iter().zip(pairs::<8>(&hs)) {
        assert!(least_bits(h) > u64::from(BOUND), "{h:x}");
        assert_eq!(found, None, "{h:x}");
    }
}

#[test]
fn rows_do_not_influence_each_other() {
    let mut expander = Expander::new("neighbours");
    let mut random = || BigUint::from_bytes_le(&expander.bytes::<64>()) % order();
    for odd_one_out in [BigUint::ZERO, BigUint::from(1_u8), order() - 1_u8, order() >> 1] {
        for lane in 0..8 {
            let mut hs: Vec<BigUint> = (0..8).map(|_| random()).collect();
            hs[lane] = odd_one_out.clone();
            assert_eq!(pairs::<8>(&hs), pairs::<1>(&hs));
        }
    }
}

/// The pairs of chosen integers are those that `proofs/batch` has checked against the conditions of theorem 4.
#[test]
fn pairs_are_those_of_the_proof() {
    let proven = proven::half_size_pairs();
    assert!(proven.len() >= 40, "{} pairs", proven.len());
    let hs: Vec<BigUint> =
        proven.iter().map(|[h, _, _]| h.to_biguint().expect("not negative")).collect();
    assert!(bits(&hs).iter().all(Option::is_some));
    for ([h, u, c], found) in proven.iter().zip(pairs::<8>(&hs)) {
        let (found_u, found_c) = found.expect("a pair");
        assert_eq!((&found_u, &BigInt::from(found_c)), (u, c), "{h}");
    }
}

/// Rounds of chosen numbers come to what the steps that `proofs/batch` has proven come to, in integers and in floating point.
#[test]
fn rounds_are_those_of_the_proof() {
    let rows = proven::rows(4);
    assert!(rows.len() >= 40, "{} rounds", rows.len());
    for row in rows {
        let numbers: Vec<i64> = row.iter().map(proven::small).collect();
        let (start, end) = numbers.split_at(3);
        let found = round_vartime(start.try_into().expect("three numbers"));
        assert_eq!(found.map(|state| state.to_vec()), [end, end], "{start:?}");
    }
}
