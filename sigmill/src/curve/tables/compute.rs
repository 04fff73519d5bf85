//! Multiples of base points, computed with the formulas for one point at a time and one inversion a table. All points
//! are public.

use super::AffineWords;
use crate::ct::Mask;
use crate::curve::edwards::Extended;
#[cfg(feature = "ecdsa")]
use crate::curve::weierstrass::{Affine, Jacobian};
use crate::field::f25519::{Fe, Field, Products, mul};
#[cfg(feature = "ecdsa")]
use crate::modular;
use crate::word::load_le;
use std::vec::Vec;

/// The multiples of its point that a row holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Multiples {
    /// 1, 2, 3, …
    All,
    /// 1, 3, 5, …
    Odd,
    /// 0, 2, 4, …
    Even,
}

/// Rows of multiples of B: row i is of 2^(exponent + apart·i)·B.
pub(super) struct Rows {
    pub(super) exponent: u32,
    pub(super) apart: u32,
    pub(super) multiples: Multiples,
    pub(super) rows: usize,
    pub(super) entries: usize,
}

/// x and y of B (RFC 8032 section 5.1).
const B: [[u64; 4]; 2] = [
    [0xc9562d608f25d51a, 0x692cc7609525a7b2, 0xc0a4e231fdd6dc5c, 0x216936d3cd6e53fe],
    [0x6666666666666658, 0x6666666666666666, 0x6666666666666666, 0x6666666666666666],
];

/// `2^n·P`.
#[inline(never)]
fn double_times(point: &Extended<Fe>, n: u32) -> Extended<Fe> {
    if n == 0 { *point } else { point.projective().double_apart(n).extended_apart() }
}

/// The entries of all rows.
#[inline(never)]
pub(super) fn edwards(shape: &Rows) -> Vec<AffineWords> {
    let [x, y] = B.map(|words| Fe::splat((), &words));
    let mut row = double_times(&Extended::from_affine(&x, &y), shape.exponent);
    // X, Y and Z of each, and the product of the Z before
    let mut points = Vec::with_capacity(shape.rows * shape.entries);
    let mut products = Products::new(());
    for i in 0..shape.rows {
        if i > 0 {
            row = double_times(&row, shape.apart);
        }
        let step = double_times(&row, u32::from(shape.multiples != Multiples::All)).cached();
        let is_even = shape.multiples == Multiples::Even;
        let mut multiple = if is_even { Extended::identity(()) } else { row };
        for _ in 0..shape.entries {
            let [x, y, z] = multiple.projective().xyz();
            points.push([x, y, z, products.push(&z)]);
            multiple = multiple.add(&step).extended_apart();
        }
    }
    let mut inverses = products.invert();
    let mut entries: Vec<AffineWords> = points
        .iter()
        .rev()
        .map(|[x, y, z, before]| {
            let z_inverse = inverses.pop(z, before);
            let point = Extended::from_affine(&mul(x, &z_inverse), &mul(y, &z_inverse));
            point.affine_cached().map(|value| load_le(&value.to_bytes(Mask::from_bit(0))))
        })
        .collect();
    entries.reverse();
    entries
}

/// Rows of `entries` odd multiples: row i is of 2^(apart·i)·G.
#[cfg(feature = "ecdsa")]
#[inline(never)]
pub(super) fn weierstrass<F: modular::PrimeField>(
    g: &Affine<F>,
    apart: usize,
    rows: usize,
    entries: usize,
) -> Vec<Affine<F>> {
    let mut row = Jacobian::from_affine(g);
    // each with the product of the Z before
    let mut points = Vec::with_capacity(rows * entries);
    let mut products = modular::Products::new(());
    for i in 0..rows {
        if i > 0 {
            for _ in 0..apart {
                row = row.double_rarely();
            }
        }
        let (mut multiple, step) = (row, row.double_rarely().addend());
        for _ in 0..entries {
            points.push((multiple, products.push(&multiple.z)));
            multiple = multiple.add_vartime(&step);
        }
    }
    let mut inverses = products.invert_vartime();
    let mut affine: Vec<_> = points
        .iter()
        .rev()
        .map(|(point, before)| {
            let z_inverse = inverses.pop(&point.z, before);
            let zz = z_inverse.square();
            Affine { x: point.x.mul(&zz), y: point.y.mul(&zz.mul(&z_inverse)) }
        })
        .collect();
    affine.reverse();
    affine
}
