//! Limbs of 51 bits as big integers, for the tests of the vectors that use them.

use super::LOW_51;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

/// Limbs or columns of each lane.
pub(in super::super) type Limbs<const LANES: usize> = [[u64; LANES]; 5];

pub(in super::super) fn p() -> BigUint {
    (BigUint::from(1_u8) << 255) - 19_u8
}

/// a − b modulo p.
pub(in super::super) fn minus(a: &BigUint, b: &BigUint) -> BigUint {
    (a + p() - b) % p()
}

/// The integers in the lanes, modulo p.
pub(in super::super) fn residues<const LANES: usize>(limbs: Limbs<LANES>) -> [BigUint; LANES] {
    core::array::from_fn(|lane| {
        (0..5).map(|k| BigUint::from(limbs[k][lane]) << (51 * k)).sum::<BigUint>() % p()
    })
}

/// Limbs or columns up to `max`: all the largest, single ones, and random choices among extremes.
pub(in super::super) fn extremes<const LANES: usize>(max: u64) -> Vec<Limbs<LANES>> {
    let mut random = Expander::new("limbs of lanes");
    let choices = [0, 1, LOW_51, LOW_51 + 1, max / 2, max - 1, max];
    let mut all = [[[max; LANES]; 5], [[0; LANES]; 5]].to_vec();
    all.extend((0..5).map(|k| core::array::from_fn(|i| [if i == k { max } else { 0 }; LANES])));
    for i in 0..300 {
        let mut limb = || match i % 3 {
            0 => random.word() % max,
            _ => choices[random.byte() as usize % choices.len()].min(max),
        };
        all.push(core::array::from_fn(|_| core::array::from_fn(|_| limb())));
    }
    all
}

pub(in super::super) fn assert_bound<const LANES: usize>(limbs: Limbs<LANES>, max: u64) {
    assert!(limbs.iter().flatten().all(|limb| *limb <= max), "{limbs:x?}");
}

/// The integer of words, which is below 2^255.
pub(in super::super) fn of_words(words: &[u64; 4]) -> BigUint {
    let integer = words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + *word);
    assert!(integer.bits() <= 255);
    integer
}

/// Integers below 2^255, many of them with long runs of ones, where carries go all the way.
pub(in super::super) fn words<const LANES: usize>(random: &mut Expander) -> [[u64; 4]; LANES] {
    core::array::from_fn(|_| {
        let choices = [0, 1, u64::MAX, u64::MAX - 18, random.word()];
        let mut words = [0; 4].map(|_: u64| choices[random.byte() as usize % 5]);
        words[3] &= u64::MAX >> 1;
        words
    })
}
