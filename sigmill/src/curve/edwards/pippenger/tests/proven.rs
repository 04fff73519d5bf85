//! Digits and folds against the functions that `proofs/batch` proves.

use super::super::{Scalars, fold};
use super::{Point, add_times, same};
use crate::field::f25519::one_lane::Fe;
use crate::scalar::recode::Windows;
use crate::tests::proven::{rows, small, words};
use std::vec;
use std::vec::Vec;

/// The digit of a window, as the chain of its bucket tells it.
fn digit(scalars: &Scalars<'_>, windows: Windows, window: u32) -> i64 {
    let mut heads = vec![0; 1 << windows.width];
    let mut links = [0; 2];
    scalars.chain(windows, window, &mut heads, &mut links);
    let mut filled = heads.iter().enumerate().filter(|(_, head)| **head != 0);
    let (magnitude, head) = filled.next().expect("a bucket");
    assert!(filled.next().is_none(), "one bucket");
    assert_eq!(head >> 32, 1, "one point");
    assert_eq!((*head as u32) >> 1, 1, "the row");
    if head & 1 == 1 { -(magnitude as i64) } else { magnitude as i64 }
}

#[test]
fn digits_are_those_of_the_proof() {
    for (kind, stride) in [(0, 4), (1, 3), (2, 3)] {
        for row in rows(kind) {
            let windows = Windows { width: small(&row[0]) as u32, signed: kind < 2 };
            let expected: Vec<i64> = row[3..].iter().map(small).collect();
            let words: [u64; 4] = words(&row[2]);
            let scalars = Scalars {
                words: &words[..stride],
                stride,
                start: 0,
                first_row: 1,
                windows: expected.len() as u32,
            };
            let found: Vec<i64> =
                (0..scalars.windows).map(|window| digit(&scalars, windows, window)).collect();
            assert_eq!(found, expected, "kind {kind}, width {}, {}", windows.width, row[1]);
        }
    }
}

/// A multiple of B.
fn multiple(times: i64) -> Point {
    let mut base = [0x66; 32];
    base[0] = 0x58;
    add_times(Point::identity(()), &Point::decode((), &base).0, times)
}

#[test]
fn folds_are_those_of_the_proof() {
    for row in rows(3) {
        let (k, numbers) = (small(&row[0]) as usize, &row[1..]);
        let (buckets, rest) = numbers.split_at(1 << k);
        let (bits, total) = rest.split_at(k);
        let mut points: Vec<_> = buckets.iter().map(|n| multiple(small(n)).products()).collect();
        let mut found = vec![Point::identity(()); k];
        let sum = fold::<Fe>((), &mut points, |bit, sum| found[bit] = *sum);
        assert!(same(&sum, &multiple(small(&total[0]))), "{k} bits, all");
        for (bit, (found, expected)) in found.iter().zip(bits).enumerate() {
            assert!(same(found, &multiple(small(expected))), "{k} bits, bit {bit}");
        }
        // the window's sum, as `MultiScalar` makes it
        let mut window = found[k - 1];
        for bit in found[..k - 1].iter().rev() {
            window = window.projective().double().extended().add(&bit.cached()).extended();
        }
        assert!(same(&window, &multiple(small(&total[1]))), "{k} bits, unsigned");
        let signed = window.add(&sum.cached()).extended();
        assert!(same(&signed, &multiple(small(&total[2]))), "{k} bits, signed");
    }
}
