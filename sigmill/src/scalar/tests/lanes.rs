//! Arithmetic of many rows mod ℓ against big integers, with every backend.

use super::super::l25519::{ORDER, Terms};
use super::super::lanes::{combine_rows, products_of_eight, reduce_rows};
use crate::cpu::Backend;
use crate::tests::Expander;
use num_bigint::{BigInt, BigUint};
use std::eprintln;
use std::vec::Vec;

fn integer(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + *word)
}

fn words<const N: usize>(value: &BigUint) -> [u64; N] {
    let mut digits = value.to_u64_digits();
    digits.resize(N, 0);
    digits.try_into().expect("it fits")
}

/// Integers below 2^`bits`: at and around powers of two and multiples of ℓ, and random ones.
fn awkward(bits: usize) -> Vec<BigUint> {
    let limit = BigUint::from(1_u8) << bits;
    let order = integer(&ORDER);
    let mut list = Vec::new();
    for shift in 0..=bits {
        let power = BigUint::from(1_u8) << shift;
        for value in
            [&power / &order * &order, &order << shift.min(bits.saturating_sub(252)), power]
        {
            for k in 0..5_u8 {
                list.push(&value + k);
                list.push(if value >= BigUint::from(k) { &value - k } else { BigUint::ZERO });
            }
        }
    }
    let mut expander = Expander::new("many rows");
    for _ in 0..500 {
        list.push(BigUint::from_bytes_le(&expander.bytes::<64>()) % &limit);
    }
    list.retain(|value| *value < limit);
    list
}

fn backends() -> impl Iterator<Item = Backend> {
    Backend::ALL.into_iter().filter(|backend| {
        if !backend.is_available() {
            eprintln!("not run here: {backend}");
        }
        backend.is_available()
    })
}

#[test]
fn products_of_eight_are_remainders_of_products() {
    let order = integer(&ORDER);
    let (short, long) = (awkward(144), awkward(256));
    let rounds = long.len() / 8;
    for backend in backends() {
        for round in 0..rounds {
            let a: [_; 8] = core::array::from_fn(|i| &short[(round * 13 + i * 7) % short.len()]);
            let b: [_; 8] = core::array::from_fn(|i| &long[round * 8 + i]);
            let (mut a_words, mut b_bytes) = ([[0; 8]; 3], [[0; 32]; 8]);
            for i in 0..8 {
                let words: [u64; 3] = words(a[i]);
                (a_words[0][i], a_words[1][i], a_words[2][i]) = (words[0], words[1], words[2]);
                b_bytes[i][..b[i].to_bytes_le().len()].copy_from_slice(&b[i].to_bytes_le());
            }
            for count in [1, 4, 8] {
                let products = products_of_eight(backend, count, &a_words, &b_bytes);
                for i in 0..count {
                    let product = integer(&products.map(|words| words[i]));
                    assert_eq!(product, a[i] * b[i] % &order, "{backend} {:x} {:x}", a[i], b[i]);
                }
            }
        }
    }
}

#[test]
fn reductions_are_remainders() {
    let order = integer(&ORDER);
    let values = awkward(512);
    for backend in backends() {
        // every length of an incomplete last group
        for len in (0..20).chain([values.len()]) {
            let mut rows: Vec<[u64; 8]> = values[values.len() - len..].iter().map(words).collect();
            reduce_rows(backend, &mut rows);
            for (row, value) in rows.iter().zip(&values[values.len() - len..]) {
                assert_eq!(integer(&row[..4]), value % &order, "{backend} {value:x}");
            }
        }
    }
}

#[test]
fn combinations_are_sums_of_products() {
    let order = integer(&ORDER);
    let coefficients = awkward(144);
    let mut scalars = awkward(253);
    scalars.retain(|value| *value < order);
    let s = awkward(256);
    let offsets = [BigUint::ZERO, BigUint::from(1_u8) << 127, (BigUint::from(1_u8) << 144) - 1_u8];
    for (i, offset) in offsets.iter().enumerate() {
        for multiples_of_8 in [false, true] {
            // more rows than are added up before sums are carried
            for len in (0..20).chain([5000]) {
                let random: Vec<[u64; 3]> = (0..len)
                    .map(|j| words(&coefficients[(j * 7 + i) % coefficients.len()]))
                    .collect();
                let k: Vec<&BigUint> = (0..len).map(|j| &scalars[j * 11 % scalars.len()]).collect();
                let bytes: Vec<[u8; 32]> = (0..len)
                    .map(|j| {
                        let mut bytes = s[j * 13 % s.len()].to_bytes_le();
                        bytes.resize(32, 0);
                        bytes.try_into().expect("it fits")
                    })
                    .collect();
                let z: Vec<BigInt> = random
                    .iter()
                    .map(|words| BigInt::from(integer(words)) - BigInt::from(offset.clone()))
                    .collect();
                let reduced = |value: BigInt| {
                    let order = BigInt::from(order.clone());
                    let rest = value % &order;
                    if rest < BigInt::ZERO { rest + order } else { rest }
                };
                let sum = z.iter().zip(&bytes).fold(BigInt::ZERO, |sum, (z, s)| {
                    sum + z * BigInt::from(BigUint::from_bytes_le(s))
                });
                let sum = reduced(sum);
                for backend in backends() {
                    let mut rows: Vec<[u64; 8]> = k.iter().map(|k| words(k)).collect();
                    let terms = Terms { offset: words(offset), multiples_of_8 };
                    let got = combine_rows(backend, &terms, &random, &mut rows, |j| &bytes[j]);
                    assert_eq!(BigInt::from(integer(got.words())), sum, "{backend}, {len} rows");
                    for ((row, k), z) in rows.iter().zip(&k).zip(&z) {
                        let factor =
                            if multiples_of_8 { (*k + 3_u8) / 8_u8 * 8_u8 } else { (*k).clone() };
                        assert_eq!(integer(&row[..4]), **k, "k is left as it is");
                        let product = reduced(z * BigInt::from(factor));
                        assert_eq!(
                            BigInt::from(integer(&row[4..])),
                            product,
                            "{backend} {z:x} {k:x}"
                        );
                    }
                }
            }
        }
    }
}
