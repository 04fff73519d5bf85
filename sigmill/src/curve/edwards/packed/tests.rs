//! Sums of windows with a point's coordinates side by side, and in words, against doublings and additions.

use super::{SumInWords, SumOfWindows};
use crate::ct::Mask;
use crate::curve::edwards::{Extended, equal};
use crate::curve::tests::torsion_generator;
use crate::field::algebra::Algebra;
use crate::field::f25519::{Fe, Field, mul, run_in_words, run_packed};
use crate::tests::Expander;
use crate::word::{load_le, store_le};
use std::vec::Vec;

type Point = Extended<Fe>;
type Coordinates = [[u64; 4]; 4];

fn words(point: &Point) -> Coordinates {
    let product = |product| load_le(&Fe::times::<1>(&product).to_bytes(Mask::from_bit(0)));
    point.products().map(product)
}

fn point(coordinates: &Coordinates) -> Point {
    Point::from_products(coordinates.map(|words| Fe::from_bytes((), &store_le(&words)).widen()))
}

/// The same point, with T = XY/Z.
fn same(a: &Point, b: &Point) -> bool {
    let [x, y, z, t] = a.products().map(|product| Fe::times::<1>(&product));
    let t_is_right = mul(&t, &z).equal(&mul(&x, &y));
    (equal(&a.projective(), &b.projective()) & t_is_right).is_true_vartime()
}

/// Points of each small order, the identity among them, and random ones, some of them with torsion; with Z other than 1.
fn points() -> Vec<Point> {
    let order_8 = torsion_generator::<Fe>(());
    let mut points = Vec::new();
    let mut multiple = Point::identity(());
    for _ in 0..8 {
        points.push(multiple);
        multiple = multiple.add(&order_8.cached()).extended();
    }
    let mut expander = Expander::new("sums of windows");
    while points.len() < 24 {
        let (point, decoding) = Point::decode((), &expander.bytes());
        if decoding.decodes.is_true_vartime() {
            points.push(point.double().extended().add(&point.cached()).extended());
        }
    }
    points
}

fn expected(width: u32, points: &[Point]) -> Point {
    let mut sum = Point::identity(());
    for point in points.iter().rev() {
        for _ in 0..width {
            sum = sum.double().extended();
        }
        sum = sum.add(&point.cached()).extended();
    }
    sum
}

#[test]
fn sums_of_windows_are_those_of_doublings_and_additions() {
    let points = points();
    let coordinates: Vec<Coordinates> = points.iter().map(words).collect();
    let mut packed = true;
    for first in 0..points.len() {
        for (width, len) in [(1, 1), (1, 5), (4, 2), (4, 9), (7, 3), (12, 2), (5, 0)] {
            let range = first..(first + len).min(points.len());
            let expected = expected(width, &points[range.clone()]);
            let sum = SumOfWindows { width, points: &coordinates[range] };
            assert!(
                same(&point(&run_in_words(SumInWords(sum))), &expected),
                "{len} windows of {width} bits"
            );
            match run_packed(sum) {
                Some(sum) => assert!(same(&point(&sum), &expected), "packed, {len} of {width}"),
                None => packed = false,
            }
        }
    }
    if !packed {
        std::eprintln!("SKIPPED: this CPU has no AVX-512 IFMA; only words were tested");
    }
}
