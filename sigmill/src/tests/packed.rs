//! Points with their coordinates in lanes against the same points in one lane.

use super::{Packed, PackedCached};
use crate::cpu::Backend;
use crate::curve::edwards::{Extended, equal};
use crate::field::f25519::{self, Fe, mul};
use crate::field::{Algebra, Field, LaneArray, LaneField};
use crate::simd::Kernel;
use crate::tests::Expander;
use std::vec::Vec;

type Point = Extended<Fe>;

/// 2·P, P + Q, 2·P + Q and Q + 2·P from the encodings of P and Q; none in a backend of one lane.
struct Combine([u8; 32], [u8; 32]);

impl<F: LaneField> Kernel<F> for Combine {
    type Output = Option<[Point; 4]>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        if !Packed::<F>::FITS {
            return None;
        }
        // Q in the last lane and P in the others
        let mut encodings = F::PerLane::all(self.0);
        encodings.lanes_mut()[F::LANES - 1] = self.1;
        let (points, _) = Extended::<F>::decode(token, &F::bytes(encodings));
        let points = points.double().extended().add(&points.cached()).extended().cached();
        let p = PackedCached::of_lane(&points, 0);
        let q = PackedCached::of_lane(&points, F::LANES - 1);
        let only = |q: &PackedCached<F>| Packed::identity(token).add(q);
        let twice = only(&p).double();
        let sums = [twice, only(&p).add(&q), twice.add(&q), only(&q).add(&p).add(&p)];
        let mut results = [Point::identity(()); 4];
        for (result, sum) in results.iter_mut().zip(&sums) {
            *result = sum.extended(token);
        }
        Some(results)
    }
}

fn decode(encoding: &[u8; 32]) -> Point {
    let (point, decoding) = Point::decode((), encoding);
    assert!(decoding.decodes.is_true_vartime());
    // with another Z than 1, as in the kernel
    point.double().extended().add(&point.cached()).extended()
}

/// The same point, with T = XY/Z.
fn same(a: &Point, b: &Point) -> bool {
    let [x, y, z, t] = a.products().map(|product| Fe::times::<1>(&product));
    let t_is_right = mul(&t, &z).equal(&mul(&x, &y));
    (equal(&a.projective(), &b.projective()) & t_is_right).is_true_vartime()
}

/// The identity, points of each small order, and random ones, some of them with torsion.
fn encodings() -> Vec<[u8; 32]> {
    let order_8 = crate::curve::tests::torsion_generator::<Fe>(());
    let mut encodings = Vec::new();
    let mut multiple = Point::identity(());
    for _ in 0..8 {
        encodings.push(multiple.projective().encode());
        multiple = multiple.add(&order_8.cached()).extended();
    }
    let mut expander = Expander::new("points in lanes");
    while encodings.len() < 24 {
        let encoding = expander.bytes();
        if Point::decode((), &encoding).1.decodes.is_true_vartime() {
            encodings.push(encoding);
        }
    }
    encodings
}

#[test]
fn doublings_and_additions_are_those_of_one_lane() {
    for backend in [Backend::Ifma, Backend::Avx2] {
        if !backend.is_available() {
            std::eprintln!("SKIPPED: this CPU cannot run {}; nothing was tested", backend.name());
            continue;
        }
        let encodings = encodings();
        for p in &encodings {
            for q in &encodings {
                let sums = f25519::run(backend, Combine(*p, *q)).expect("lanes");
                let (p, q) = (decode(p), decode(q));
                let twice = p.double().extended();
                let expected = [
                    twice,
                    p.add(&q.cached()).extended(),
                    twice.add(&q.cached()).extended(),
                    q.add(&twice.cached()).extended(),
                ];
                for (i, (sum, expected)) in sums.iter().zip(&expected).enumerate() {
                    assert!(same(sum, expected), "{}: sum {i}", backend.name());
                }
            }
        }
    }
}
