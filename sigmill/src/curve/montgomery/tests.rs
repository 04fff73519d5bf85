//! The ladder in four lanes, in eight, and in the words that the CPU has, against the one in portable words.

use super::{
    Fe, Fraction, LadderWords, Multiple, WideLadder, canonical, clamped, fraction, invert, load_le,
    mul, packed_fraction, run_in_words, store_le,
};
use crate::cpu;
use crate::ct::Mask;
use crate::field::f25519::{Field, run_wide_anywhere};
use crate::tests::Expander;
use std::vec::Vec;

fn u([u, z]: [Fe; 2]) -> [u8; 32] {
    mul(&u, &invert(&z)).to_bytes(Mask::from_bit(0))
}

/// 2^255 − 19 + `more`, little-endian.
fn p_plus(more: i8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = ((0xed_u8).wrapping_add_signed(more), 0x7f);
    bytes
}

/// Integers from 0 up, around p, with one bit, without one, and the points of order 8.
fn extremes() -> Vec<[u8; 32]> {
    const ORDER_8: [[u8; 32]; 2] = [
        *b"\xe0\xeb\x7a\x7c\x3b\x41\xb8\xae\x16\x56\xe3\xfa\xf1\x9f\xc4\x6a\xda\x09\x8d\xeb\x9c\x32\xb1\xfd\x86\x62\x05\x16\x5f\x49\xb8\x00",
        *b"\x5f\x9c\x95\xbc\xa3\x50\x8c\x24\xb1\xd0\xb1\x55\x9c\x83\xef\x5b\x04\x44\x5c\xc4\x58\x1c\x8e\x86\xd8\x22\x4e\xdd\xd0\x9f\x11\x57",
    ];
    let mut all: Vec<[u8; 32]> = (-10..=18).map(p_plus).collect();
    all.extend((0..20).map(|low| core::array::from_fn(|i| if i == 0 { low } else { 0 })));
    for bit in 0..256 {
        let one: [u8; 32] = core::array::from_fn(|i| u8::from(i == bit / 8) << (bit % 8));
        all.extend([one, one.map(|byte| !byte)]);
    }
    all.extend(ORDER_8);
    all.push([0xff; 32]);
    all
}

#[test]
fn every_ladder_gives_what_the_one_in_portable_words_does() {
    let mut random = Expander::new("ladders");
    let check = |scalar: &[u8; 32], point: &[u8; 32]| {
        let expected = u(fraction((), scalar, point));
        let in_words = run_in_words(Fraction(Multiple { scalar, point }));
        let in_words = in_words.map(|value| Fe::from_bytes((), &value));
        assert_eq!(u(in_words), expected, "{scalar:x?} {point:x?}");
        let words =
            LadderWords { scalar: load_le(&clamped(scalar)), u: load_le(&canonical(point)) };
        let in_lanes = packed_fraction((), &words);
        assert_eq!(in_lanes.is_some(), cpu::ifma().is_some());
        assert!(in_lanes.is_none_or(|sum| u(sum) == expected), "{scalar:x?} {point:x?}");
        let in_eight = run_wide_anywhere(WideLadder(&words));
        assert_eq!(in_eight.is_some(), cpu::ifma().is_some());
        let of_words = |words: [u64; 4]| Fe::from_bytes((), &store_le(&words));
        let in_eight = in_eight.map(|words| u(words.map(of_words)));
        assert!(in_eight.is_none_or(|u| u == expected), "{scalar:x?} {point:x?}");
    };
    for extreme in extremes() {
        check(&random.bytes(), &extreme);
        check(&extreme, &random.bytes());
        check(&extreme, &extreme);
    }
    // half of them points of the twist
    for _ in 0..500 {
        check(&random.bytes(), &random.bytes());
    }
}
