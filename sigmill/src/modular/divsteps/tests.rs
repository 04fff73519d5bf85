//! How many division steps are enough, by exact computation (`docs/division-steps.md`), and the steps of a
//! batch against their definition.

use super::{BITS, enough_steps, quotient, steps, steps_vartime};
use crate::field::nist::{p256, p384};
use crate::modular::Modulus;
use crate::scalar::{n256, n384};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use num_bigint::{BigInt, BigUint};

type Point = (BigInt, BigInt);

/// The convex hull (Andrew 1979).
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort();
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = &Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = &chain[..]
                && (&b.0 - &a.0) * (&point.1 - &a.1) <= (&b.1 - &a.1) * (&point.0 - &a.0)
            {
                chain.pop();
            }
            chain.push(point.clone());
        }
        chain
    };
    let mut all = half(&mut points.iter());
    all.pop();
    all.extend(half(&mut points.iter().rev()));
    all.pop();
    if all.is_empty() { points } else { all }
}

/// After how many steps |g| < 1 has been reached from all real 0 ≤ g ≤ f ≤ 2^b, whichever of g are taken
/// for odd. Points are multiplied by 2^steps; keys are δ − 1/2.
fn steps_of_the_triangle(b: usize) -> usize {
    let (zero, m) = (BigInt::ZERO, BigInt::from(1) << b);
    let triangle = [(zero.clone(), zero.clone()), (m.clone(), zero), (m.clone(), m)];
    let mut hulls = BTreeMap::from([(0_i64, Vec::from(triangle))]);
    let mut count = 0;
    while !hulls.is_empty() {
        count += 1;
        let mut next: BTreeMap<i64, Vec<Point>> = BTreeMap::new();
        for (delta, points) in &hulls {
            for (f, g) in points {
                let mut put = |delta, f: &BigInt, g| {
                    next.entry(delta).or_default().push((f * 2_u8, g));
                };
                put(delta + 1, f, g.clone());
                if *delta >= 0 {
                    put(-delta, g, g - f);
                } else {
                    put(delta + 1, f, g + f);
                }
            }
        }
        let one: BigInt = BigInt::from(1) << count;
        let open =
            |points: &Vec<Point>| points.iter().any(|(_, g)| g.magnitude() >= one.magnitude());
        hulls = next
            .into_iter()
            .filter(|(_, points)| open(points))
            .map(|(d, p)| (d, hull(p)))
            .collect();
    }
    count
}

/// The formula gives what the hulls need or one more. `SIGMILL_LONG` asks for the lengths that are used.
/// Numbers of words that 20 steps may be asked for: low bits, and −1 at the place of the matrix's entry.
#[cfg(all(any(target_arch = "x86_64", sigmill_aarch64), not(sigmill_words = "u32x10")))]
#[test]
fn twenty_steps_in_assembly_are_those_of_any_target() {
    let mut random = crate::tests::Expander::new("twenty division steps");
    let mut word = || random.word() as i64;
    for round in 0..20_000_i64 {
        let delta = match round % 4 {
            0 => round % 40 - 20,
            1 => round % 1200 - 600,
            _ => round % 3 - 1,
        };
        let low = |word: i64| word & ((1 << 20) - 1);
        let (f, g) = (low(word()) | 1, low(word()) & (word() | 7));
        let (f, g) = (f - (1 << 41), g - (1 << 62));
        assert_eq!(
            super::part_by_target(delta, f, g),
            super::part_of_any_target(delta, f, g),
            "{delta} {f} {g}"
        );
    }
}

#[test]
fn the_formula_covers_the_hulls_closely() {
    let mut lengths = Vec::from([8, 16, 24, 32, 40]);
    if std::env::var_os("SIGMILL_LONG").is_some() {
        lengths.extend([256, 384]);
    }
    for b in lengths {
        let (exact, formula) = (steps_of_the_triangle(b), enough_steps(b));
        std::println!("{b} bits: {exact} steps, by the formula {formula}");
        assert!((exact..=exact + 1).contains(&formula), "{b} bits: {exact} steps, {formula}");
    }
}

/// The definition, from δ = 1/2 and from δ = 1.
#[test]
fn batches_are_steps_by_the_definition() {
    for f in (1..200_i64).step_by(2) {
        for g in 0..=f {
            for vartime in [false, true] {
                // twice δ
                let (mut delta, mut at) = (if vartime { 2 } else { 1 }, (f, g));
                let mut needed = 0;
                for step in 1..=BITS {
                    let (f, g) = at;
                    if g % 2 == 0 {
                        (delta, at) = (2 + delta, (f, g / 2));
                    } else if delta > 0 {
                        (delta, at) = (2 - delta, (g, (g - f) / 2));
                    } else {
                        (delta, at) = (2 + delta, (f, (g + f) / 2));
                    }
                    needed = if g == 0 { needed } else { step };
                }
                let (twice_delta, [u, v, q, r]) = if vartime {
                    let (delta, matrix) = steps_vartime(1, f as u64, g as u64);
                    (2 * delta, matrix)
                } else {
                    let (delta, matrix) = steps(0, f as u64, g as u64);
                    (2 * delta + 1, matrix)
                };
                assert_eq!(twice_delta, delta, "{f} {g} {vartime}");
                let apply =
                    |a: i64, b: i64| i128::from(a) * i128::from(f) + i128::from(b) * i128::from(g);
                let expected = (i128::from(at.0) << BITS, i128::from(at.1) << BITS);
                assert_eq!((apply(u, v), apply(q, r)), expected, "{f} {g} {vartime}");
                assert!(vartime || needed <= enough_steps(8) as u32, "{f} {g}: {needed}");
            }
        }
    }
}

fn integer(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + word)
}

/// factor/x of extreme and random words, against big integers.
fn quotients_modulo<const N: usize>(m: &[u64; N]) {
    let mut random = crate::tests::Expander::new("quotients");
    let modulus = integer(m);
    let less = |by: u64| core::array::from_fn(|i| m[i] - if i == 0 { by } else { 0 });
    let mut numbers = Vec::from([[0; N], less(1), less(2)]);
    numbers.extend(
        (0..64 * N).map(|bit| core::array::from_fn(|i| u64::from(i == bit / 64) << (bit % 64))),
    );
    let top = |i: usize| if i + 1 < N { u64::MAX } else { m[i] };
    numbers.extend((0..200).map(|_| core::array::from_fn(|i| random.word() & top(i))));
    numbers.retain(|number| integer(number) < modulus);
    assert!(numbers.len() > 60 * N);
    for (x, factor) in numbers.iter().zip(numbers.iter().rev()) {
        let inverse = integer(x).modinv(&modulus).unwrap_or_default();
        let expected = integer(factor) * inverse % &modulus;
        assert_eq!(integer(&quotient::<false, N>(factor, x, m)), expected, "{factor:x?}/{x:x?}");
        assert_eq!(integer(&quotient::<true, N>(factor, x, m)), expected, "{factor:x?}/{x:x?}");
    }
}

#[test]
fn quotients_are_those_of_integers() {
    quotients_modulo(&p256::Prime::MODULUS);
    quotients_modulo(&p384::Prime::MODULUS);
    quotients_modulo(&n256::Order::MODULUS);
    quotients_modulo(&n384::Order::MODULUS);
    // 2^521 − 1
    quotients_modulo::<9>(&core::array::from_fn(|i| if i < 8 { u64::MAX } else { 511 }));
}
