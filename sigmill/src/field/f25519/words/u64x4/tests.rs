//! Words of elements, for the tests of all backends in words, and assembly against portable code.

use super::*;
use crate::field::f25519::tests::{Inspect, Kind};
use std::vec;
use std::vec::Vec;

#[cfg(any(target_arch = "x86_64", sigmill_aarch64))]
#[test]
fn assembly_gives_what_portable_code_gives() {
    let mut list: Vec<[u64; 4]> = Fe::<()>::extreme_integers()
        .iter()
        .map(|limbs| core::array::from_fn(|i| limbs[i]))
        .collect();
    list.extend([[0; 4], [u64::MAX; 4], [0, 0, 0, 1 << 63], [u64::MAX, 0, u64::MAX, 0]]);
    // the lower words of its square carry into bit 255 after a power has folded that bit
    list.push([0x0807_978d_bba3_e9b9, 1 << 32, 0, 0x97b7_5092_3ceb_3ffd]);
    for x in &list {
        assert_eq!(words::folded(x), portable::folded(x));
        assert_eq!(words::square(x), portable::square(x));
        // the highest word of a power is left as it comes: the same residue, but for a p
        let canonical = |words| Fe { words, token: () }.canonical();
        for n in [1, 2, 7] {
            let power = words::power(x, n);
            assert!(Fe::<()>::is_within(Kind::Product, &power), "{x:x?}");
            assert_eq!(canonical(power), canonical(portable::power(x, n)));
        }
        for y in &list {
            assert_eq!(words::product(x, y), portable::product(x, y));
            assert_eq!(words::sum(x, y), portable::sum(x, y));
            assert_eq!(words::difference(x, y), portable::difference(x, y));
            assert_eq!(words::sum_of_products(x, y), portable::sum_of_products(x, y));
            assert_eq!(words::difference_of_products(x, y), portable::difference_of_products(x, y));
            for bit in [0, 1] {
                let mask = Mask::from_bit(bit);
                assert_eq!(words::selected(mask, x, y), portable::selected(mask, x, y));
            }
        }
    }
}

impl<T: Multiply> Inspect for Fe<T> {
    const OFFSETS: &[usize] = &[0, 64, 128, 192];

    fn available() -> Option<T> {
        T::available()
    }

    fn limit(kind: Kind, i: usize) -> u64 {
        if kind == Kind::Product && i == 3 { 1 << 63 } else { u64::MAX }
    }

    fn is_within(kind: Kind, limbs: &[u64]) -> bool {
        // 2^255 or more: only the lowest word is left
        kind != Kind::Product
            || limbs[3] >> 63 == 0
            || (limbs[1] | limbs[2] == 0 && limbs[0] < EXCESS)
    }

    /// Values near the multiples of p, 2^255 and 2^256.
    fn extreme_integers() -> Vec<Vec<u64>> {
        let near = |words: [u64; 4]| {
            (0..80).map(move |i| {
                let (low, carry) = add_carry(words[0], i, 0);
                let (second, carry) = add_carry(words[1], 0, carry);
                let (third, carry) = add_carry(words[2], 0, carry);
                let (top, _) = add_carry(words[3], 0, carry);
                vec![low, second, third, top]
            })
        };
        let (max, half) = (u64::MAX, u64::MAX >> 1);
        // about 2p and 2^256, and about p and 2^255
        let near = near([max - 77, max, max, max]).chain(near([max - 39, max, max, half]));
        // products with 121666 and 2^17 − 1 in which a word carries into the next: w·n = −1, or −2, mod 2^64
        let carrying = [60_833, SMALL_MAX].into_iter().flat_map(|n| {
            let inverse = (0..6).fold(n, |inverse: u64, _| {
                inverse.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(inverse)))
            });
            (0..4).map(move |place| {
                let word = |i| if i == place { inverse.wrapping_neg() } else { max };
                (0..4).map(word).collect()
            })
        });
        near.chain(carrying).collect()
    }

    fn operand(token: T, limbs: &[u64]) -> Self {
        Fe { words: core::array::from_fn(|i| limbs[i]), token }
    }

    fn product(token: T, limbs: &[u64]) -> Product<T> {
        Product(Self::operand(token, limbs))
    }

    fn of_operand(&self) -> Vec<u64> {
        self.words.to_vec()
    }

    fn of_product(product: &Product<T>) -> Vec<u64> {
        product.0.of_operand()
    }
}
