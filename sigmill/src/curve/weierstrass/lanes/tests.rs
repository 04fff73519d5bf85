//! Lanes against the formulas for one point at a time: random rows, and rows that are exceptional in one
//! way or another, in every lane, in groups of every length.

use super::super::{NistP256, NistP384};
use super::super::{fixed_base, sum_has_x_vartime};
use super::{BaseTables, Curve, Field, Row, Tables};
use crate::ecdsa::lanes::memory_needed;
use crate::memory::{Memory, Scratch};
use crate::modular::{Arithmetic, PrimeField};
use crate::tests::Random;
use alloc::vec;
use alloc::vec::Vec;

fn small<S: PrimeField>(x: u8) -> S {
    let mut bytes = [0; 48];
    let bytes = &mut bytes[..size_of::<S::Words>()];
    bytes[bytes.len() - 1] = x;
    S::from_be_bytes(bytes).0
}

/// Q = [d]G, and r that fits or not.
fn row<C: Curve>(u1: C::Scalar, u2: C::Scalar, d: &C::Scalar, fits: bool) -> Row<C> {
    let q = fixed_base::<C>(d);
    let sum = fixed_base::<C>(&u1.add(&u2.mul(d)));
    let mut bytes = [0; 48];
    let bytes = &mut bytes[..size_of::<<C::Scalar as PrimeField>::Words>()];
    sum.x.write_be_bytes(bytes);
    let r = C::Scalar::from_be_bytes(bytes).0;
    Row { u1, u2, q, r: if fits { r } else { r.add(&C::Scalar::ONE) } }
}

fn single<C: Curve>(row: &Row<C>) -> bool {
    sum_has_x_vartime::<C>(&row.u1, &row.u2, &row.q, &row.r)
}

fn answers<C: BaseTables<F>, F: Field>(token: F::Token, rows: &[Row<C>]) -> Vec<Option<bool>> {
    answers_in::<C, F>(token, rows, memory_needed(rows.len()).div_ceil(size_of::<Scratch>()))
}

/// The same with so much memory.
fn answers_in<C: BaseTables<F>, F: Field>(
    token: F::Token,
    rows: &[Row<C>],
    scratch: usize,
) -> Vec<Option<bool>> {
    let mut scratch = vec![Scratch::new(); scratch];
    let mut memory = Memory::new(&mut scratch);
    let mut answers = vec![None; rows.len()];
    let Some(mut tables) = Tables::<F>::new(rows.len(), &mut memory) else {
        return answers;
    };
    let len = tables.group();
    for (rows, answers) in rows.chunks(len).zip(answers.chunks_mut(len)) {
        tables.have_x_vartime::<C>(token, rows, answers);
    }
    answers
}

fn check<C: BaseTables<F>, F: Field>(token: F::Token, what: &str) {
    let mut random = Random(1);
    let ordinary: Vec<Row<C>> = (0..69)
        .map(|i| {
            let d = random.scalar();
            row(random.scalar(), random.scalar(), &d, i % 3 != 0)
        })
        .collect();
    let expected: Vec<Option<bool>> = ordinary.iter().map(|row| Some(single(row))).collect();
    assert!(expected.contains(&Some(true)) && expected.contains(&Some(false)));
    for len in (0..=2 * F::LANES + 1).chain([63, 64, 65, 69]) {
        assert_eq!(answers::<C, F>(token, &ordinary[..len]), expected[..len], "{what}, {len} rows");
    }

    // with the memory of fewer vectors, and of none
    for scratch in [0, 100, 250, 1000] {
        let found = answers_in::<C, F>(token, &ordinary, scratch);
        let expected = if scratch == 0 { vec![None; ordinary.len()] } else { expected.clone() };
        assert_eq!(found, expected, "{what}, {scratch} of memory");
    }

    // small and n-adjacent scalars and keys: the sum may be infinity, equal or opposite on the way
    let mut edges: Vec<C::Scalar> = (0..5).map(small).collect();
    edges.extend((1..4).map(|x| small::<C::Scalar>(x).neg()));
    let mut exceptional = Vec::new();
    for d in [small::<C::Scalar>(1), small(2), small(3), small(31), small::<C::Scalar>(1).neg()] {
        for u1 in &edges {
            for u2 in &edges {
                exceptional.push(row::<C>(*u1, *u2, &d, true));
                exceptional.push(row::<C>(*u1, *u2, &d, false));
            }
        }
        // u1·G = ±u2·Q
        let u2 = random.scalar::<C::Scalar>();
        exceptional.push(row(u2.mul(&d), u2, &d, true));
        exceptional.push(row(u2.mul(&d).neg(), u2, &d, true));
    }
    let found = answers::<C, F>(token, &exceptional);
    let mut unknown = 0;
    for (i, (row, answer)) in exceptional.iter().zip(&found).enumerate() {
        match answer {
            Some(answer) => assert_eq!(*answer, single(row), "{what}, exceptional row {i}"),
            None => unknown += 1,
        }
    }
    // some are exceptional, and not all
    assert!(unknown > 0 && unknown < found.len(), "{what}: {unknown} of {}", found.len());

    // one exceptional row among ordinary ones, in each lane
    for lane in 0..F::LANES {
        let mut rows = ordinary[..F::LANES].to_vec();
        rows[lane] = row(small(0), small(0), &small(7), true);
        let found = answers::<C, F>(token, &rows);
        for (i, answer) in found.iter().enumerate() {
            let expected = if i == lane { None } else { expected[i] };
            assert_eq!(*answer, expected, "{what}, lane {i} beside {lane}");
        }
    }
}

#[test]
fn one_lane() {
    check::<NistP256, <NistP256 as Curve>::Fe>((), "P-256");
    check::<NistP384, <NistP384 as Curve>::Fe>((), "P-384");
}

#[cfg(sigmill_lanes)]
#[test]
fn ifma_lanes() {
    use crate::field::nist::{p256::Lanes as Fe256, p384::Lanes as Fe384};
    let Some(token) = crate::cpu::ifma() else {
        std::eprintln!("not run: this CPU has no AVX-512 IFMA");
        return;
    };
    check::<NistP256, Fe256>(token, "P-256");
    check::<NistP384, Fe384>(token, "P-384");
}
