//! The multiples of the base points that the library looks up, computed with the slow reference: words of
//! eight bytes, little-endian. What they are is said where the library reads them (`sigmill/src/curve/tables`).

use crate::File;
use crate::reference::weierstrass::{self, Curve, p256, p384};
use crate::reference::{Point, d, p};
use num_bigint::BigUint;

macro_rules! path {
    ($name:literal) => {
        concat!("sigmill/src/curve/tables/", $name, ".bin")
    };
}

pub(crate) fn files() -> Vec<File<Vec<u8>>> {
    let (p256, p384) = (p256(), p384());
    vec![
        (path!("edwards25519_odd_multiples"), bytes(multiples(&[0, 128], 1))),
        (path!("edwards25519_odd_multiples_between"), bytes(multiples(&[64, 192], 1))),
        (path!("edwards25519_even_multiples"), bytes(multiples(&[0, 64, 128, 192], 0))),
        (path!("edwards25519_radix_32"), bytes(radix_32())),
        (path!("p256_radix_32"), bytes(weierstrass_rows(&p256, 5, 2))),
        (path!("p256_odd_radix_64"), bytes(odd_rows(&p256, 6))),
        (path!("p256_radix_16"), bytes(weierstrass_rows(&p256, 4, 1))),
        (path!("p256_odd_multiples"), bytes(odd_multiples(&p256))),
        (path!("p384_radix_32"), bytes(weierstrass_rows(&p384, 5, 2))),
        (path!("p384_odd_radix_32"), bytes(odd_rows(&p384, 5))),
        (path!("p384_radix_16"), bytes(weierstrass_rows(&p384, 4, 1))),
        (path!("p384_odd_multiples"), bytes(odd_multiples(&p384))),
    ]
}

fn bytes(words: Vec<u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// A row for each exponent e: every other multiple of 2^e B from the first one on, up to 128.
fn multiples(exponents: &[u32], first: u32) -> Vec<u64> {
    let mut words = Vec::new();
    for exponent in exponents {
        let row = Point::base().times(&(BigUint::from(1_u8) << exponent));
        let twice = row.add(&row);
        let mut multiple = row.times(&first.into());
        for _ in (first..=128).step_by(2) {
            words.extend(entry(&multiple));
            multiple = multiple.add(&twice);
        }
    }
    words
}

/// Row i: 1, 2, ..., 16 times 1024^i B; the first words of all entries, then the second, so that a vector holds
/// one word of several entries.
fn radix_32() -> Vec<u64> {
    let mut words = Vec::new();
    let mut row = Point::base();
    for _ in 0..26 {
        let mut multiple = row.clone();
        let mut entries = Vec::new();
        for _ in 0..16 {
            entries.push(entry(&multiple));
            multiple = multiple.add(&row);
        }
        for word in 0..12 {
            words.extend(entries.iter().map(|entry| entry[word]));
        }
        row = row.times(&BigUint::from(1024_u32));
    }
    words
}

/// y+x, y−x, 2dxy.
fn entry(point: &Point) -> Vec<u64> {
    let (x, y) = point.coordinates();
    let residues = [(&y + &x) % p(), (&y + p() - &x) % p(), d() * 2_u8 * &x * &y % p()];
    residues.iter().flat_map(|residue| digits(residue, 4)).collect()
}

/// Row i: 1, 2, ..., 2^(bits − 1) times 2^(bits · apart · i) G, until the digits of a scalar are covered.
fn weierstrass_rows(curve: &Curve, bits: usize, apart: usize) -> Vec<u64> {
    let mut words = Vec::new();
    let mut row = curve.g.clone();
    for _ in 0..(curve.n.bits() as usize).div_ceil(bits).div_ceil(apart) {
        let mut multiple = row.clone();
        for _ in 0..1 << (bits - 1) {
            words.extend(coordinates(curve, &multiple));
            multiple = curve.add(&multiple, &row);
        }
        row = curve.times(&row, &(BigUint::from(1_u8) << (bits * apart)));
    }
    words
}

/// Row i: 1, 3, 5, ..., 2^bits − 1 times 2^(2 · bits · i) G, until the digits of a scalar are covered.
fn odd_rows(curve: &Curve, bits: usize) -> Vec<u64> {
    let mut words = Vec::new();
    for i in 0..(64 * curve.words - 2).div_ceil(bits).div_ceil(2) {
        let row = curve.times(&curve.g, &(BigUint::from(1_u8) << (2 * bits * i)));
        words.extend(odd_multiples_of(curve, row, 1 << (bits - 1)));
    }
    words
}

/// 1, 3, 5, ..., 255 times G.
fn odd_multiples(curve: &Curve) -> Vec<u64> {
    odd_multiples_of(curve, curve.g.clone(), 128)
}

/// So many odd multiples of a point.
fn odd_multiples_of(curve: &Curve, point: weierstrass::Point, count: usize) -> Vec<u64> {
    let mut words = Vec::new();
    let twice = curve.add(&point, &point);
    let mut multiple = point;
    for _ in 0..count {
        words.extend(coordinates(curve, &multiple));
        multiple = curve.add(&multiple, &twice);
    }
    words
}

/// x and y times 2^(64·words) mod p.
fn coordinates(curve: &Curve, point: &weierstrass::Point) -> Vec<u64> {
    let (x, y) = point.as_ref().expect("no multiple below n is infinity");
    let montgomery = |x: &BigUint| (x << (64 * curve.words)) % &curve.p;
    [x, y].into_iter().flat_map(|x| digits(&montgomery(x), curve.words)).collect()
}

fn digits(value: &BigUint, words: usize) -> Vec<u64> {
    let mut digits = value.to_u64_digits();
    digits.resize(words, 0);
    digits
}
