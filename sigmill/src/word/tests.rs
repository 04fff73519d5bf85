//! Differences of extreme words against integers of 128 bits.

use super::sub_words;
use core::array::from_fn;

/// Words of which each is 0, 1 or 2^64 − 1, as the digits of `number` to the base 3 say.
fn extreme<const N: usize>(mut number: usize) -> [u64; N] {
    from_fn(|_| {
        let word = [0, 1, u64::MAX][number % 3];
        number /= 3;
        word
    })
}

fn differences_are_right<const N: usize>() {
    for number in 0..3_usize.pow(2 * N as u32) {
        let both = 3_usize.pow(N as u32);
        let (a, b) = (extreme::<N>(number % both), extreme::<N>(number / both));
        let (difference, borrow) = sub_words(&a, &b);
        let mut rest = 0;
        for ((a, b), difference) in a.iter().zip(&b).zip(&difference) {
            rest += i128::from(*a) - i128::from(*b);
            assert_eq!(*difference, rest as u64, "{a:x?} − {b:x?}");
            rest >>= 64;
        }
        assert_eq!(u64::from(rest < 0), borrow, "{a:x?} − {b:x?}");
    }
}

#[test]
fn differences_of_extreme_words_are_right() {
    differences_are_right::<1>();
    differences_are_right::<3>();
    differences_are_right::<4>();
    differences_are_right::<5>();
    differences_are_right::<6>();
}
