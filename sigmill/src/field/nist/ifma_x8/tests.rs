//! What is made for one product alone against what is made for many: extreme limbs and columns, and carries that
//! other carries change.

use super::super::field::{EightLanes, Field};
use super::super::{p256::P256, p384::P384};
use super::{Algebra, Columns, Fe, LOW_52, LaneModulus, V, carried, carried_vartime};
use crate::cpu::{Ifma, ifma};
use crate::modular::PrimeField;
use crate::tests::Expander;
use core::marker::PhantomData;
use std::vec::Vec;

fn token() -> Option<Ifma> {
    let token = ifma();
    if token.is_none() {
        std::eprintln!("not run: this CPU has no AVX-512 IFMA");
    }
    token
}

fn vectors<const N: usize>(token: Ifma, limbs: [[u64; 8]; N]) -> [V; N] {
    limbs.map(|limb| V::from_array(token, limb))
}

/// Limbs up to those of 2.01·p: all the largest, single ones, and random choices among extremes.
fn operands<M: LaneModulus<W, N>, const W: usize, const N: usize>(token: Ifma) -> Vec<Fe<M, W, N>> {
    let mut random = Expander::new("limbs of coordinates");
    let top = (2_u64 << M::TOP) - 1;
    let largest = |k: usize| if k == N - 1 { top } else { LOW_52 };
    let mut all = Vec::from([
        core::array::from_fn(|k| [largest(k); 8]),
        [[0; 8]; N],
        core::array::from_fn(|k| {
            core::array::from_fn(|lane| if k == lane { largest(k) } else { 0 })
        }),
    ]);
    for i in 0..200 {
        all.push(core::array::from_fn(|k| {
            let choices = [0, 1, largest(k) / 2, largest(k) - 1, largest(k)];
            core::array::from_fn(|_| match i % 2 {
                0 => random.word() & largest(k),
                _ => choices[random.byte() as usize % choices.len()],
            })
        }));
    }
    all.into_iter().map(|limbs| Fe(vectors(token, limbs), PhantomData)).collect()
}

fn check_products<M: LaneModulus<W, N>, const W: usize, const N: usize>(token: Ifma) {
    let operands = operands::<M, W, N>(token);
    for (a, b) in operands.iter().zip(operands.iter().rev()).chain(operands.iter().zip(&operands)) {
        let [alone, product] = [a.mul_alone(b), a.mul(b)];
        // the same integers: sums of the same terms
        let [alone, product] =
            [alone, product].map(|columns| carried(columns.0).map(|limb| limb.to_array()));
        for k in 0..N {
            let mask = if k + 1 < N { LOW_52 } else { u64::MAX };
            assert_eq!(alone[k].map(|x| x & mask), product[k].map(|x| x & mask), "limb {k}");
        }
    }
}

#[test]
fn a_product_alone_is_a_product() {
    let Some(token) = token() else { return };
    check_products::<P256, 4, 5>(token);
    check_products::<P384, 6, 8>(token);
}

/// Columns of each lane that carry ±`far` from column `from` through `through` columns: each of these is all ones, or
/// all zeros for a borrow.
fn rippling<const N: usize>(from: usize, through: usize, far: i64, lane: usize) -> [[u64; 8]; N] {
    let mut columns = [[12345 << 20; 8]; N];
    columns[from][lane] = (far << 52) as u64;
    for column in &mut columns[from + 1..(from + 1 + through).min(N)] {
        column[lane] = if far > 0 { LOW_52 } else { 0 };
    }
    columns
}

fn check_carries<const N: usize>(token: Ifma) {
    let limbs = |columns: [V; N]| {
        let mut limbs = columns.map(|limb| limb.to_array());
        for limb in &mut limbs[..N - 1] {
            *limb = limb.map(|x| x & LOW_52);
        }
        limbs
    };
    for lane in 0..8 {
        for from in 0..N - 1 {
            for through in 0..N {
                for far in [1, -1, 100, -100] {
                    let columns = vectors(token, rippling::<N>(from, through, far, lane));
                    let expected = limbs(carried(columns));
                    let all = limbs(carried_vartime::<0xff, N>(columns));
                    assert_eq!(all, expected, "lane {lane}: {from} {through} {far}");
                    // of other lanes nothing is promised: these are not waited for
                    let others = limbs(carried_vartime::<0, N>(columns));
                    let waits = through > 0 && from + 2 < N;
                    assert_eq!(others != expected, waits, "lane {lane}: {from} {through} {far}");
                }
            }
        }
    }
}

#[test]
fn carries_that_change_others_are_seen_in_each_lane() {
    let Some(token) = token() else { return };
    check_carries::<5>(token);
    check_carries::<8>(token);
}

fn check_operands<M: LaneModulus<W, N>, const W: usize, const N: usize>(token: Ifma) {
    let mut random = Expander::new("columns of coordinates");
    for i in 0..300 {
        let columns: [[u64; 8]; N] = core::array::from_fn(|_| {
            core::array::from_fn(|_| match i % 3 {
                0 => 0,
                // with a sign
                1 => ((random.word() as i64) >> 6) as u64,
                _ => [0, LOW_52, 1 << 52, u64::MAX][random.byte() as usize % 4],
            })
        });
        // the sum of the other columns is far less than the highest's limit
        let mut columns = vectors(token, columns);
        columns[N - 1] = columns[N - 1] & columns[0].splat((1 << M::TOP) - 1);
        let columns = Columns::<M, W, N>(columns, PhantomData);
        let sum = Fe::<M, W, N>::times::<1>(&columns).store();
        let sooner = Fe::<M, W, N>::operand_vartime::<0xff>(&columns).store();
        assert!(sum.iter().zip(&sooner).all(|(a, b)| a.to_words() == b.to_words()), "columns {i}");
    }
}

#[test]
fn operands_made_sooner_are_the_same() {
    let Some(token) = token() else { return };
    check_operands::<P256, 4, 5>(token);
    check_operands::<P384, 6, 8>(token);
}
