//! The matrix of a batch in constant time: three calls of 20 steps, and the product of their matrices.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::Register;

use super::cpu::{Cell, Cpu, Place};
use super::head::Head;
use super::lemmas::{self, Number, Row};
use super::pieces::{Piece, Task, unit, unproven};
use super::segment::End;
use super::steps::{BITS, Callee, PART};
use super::turn::{Left, Next, expect, row, same};
use super::values::{Value, Values};
use crate::error::Result;
use crate::facts::{Fact, Pair};
use crate::number::Int;
use crate::poly::{Poly, Var};

/// Inputs of one call of 20 steps: what it promises.
struct Call {
    /// u, v, q, r.
    matrix: [Value; 4],
    /// (u*x + v*y) / 2^20 and (q*x + r*y) / 2^20, of the low bits x and y.
    sums: [Value; 2],
    /// x and y.
    low: [Value; 2],
    delta: Value,
    rows: [Row; 2],
}

/// A promise, and the monomial that it gives.
type Promise = ((Fact, Fact), Vec<Var>);

fn var(v: &Value) -> Result<Var> {
    v.p.as_var().map_or_else(|| unproven(format!("{} is no input", v.p)), Ok)
}

/// The product of two matrices.
fn multiplied(a: &[Poly; 4], b: &[Poly; 4]) -> [Poly; 4] {
    let entry = |i: usize, j: usize| a[2 * i].mul(&b[j]).add(&a[2 * i + 1].mul(&b[2 + j]));
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
}

pub(super) fn polys(m: &[Value; 4]) -> [Poly; 4] {
    [m[0].p.clone(), m[1].p.clone(), m[2].p.clone(), m[3].p.clone()]
}

impl Call {
    /// Inputs, and promises that hold no low bits.
    fn new(values: &mut Values, low: Option<[Value; 2]>) -> Result<Self> {
        let n = unit(PART);
        let mut entry = || values.input(&(1 - &n), &n);
        let matrix = [entry()?, entry()?, entry()?, entry()?];
        let mut sum = || values.input(&(1 - &n), &(&n - 1));
        let sums = [sum()?, sum()?];
        let low = match low {
            Some(low) => low,
            None => {
                let mut part = || values.input(&Int::ZERO, &(&n - 1));
                [part()?, part()?]
            }
        };
        let delta = values.input(&-unit(62), &unit(62))?;
        let rows = [
            row(values, &matrix[0].p, &matrix[1].p, &n)?,
            row(values, &matrix[2].p, &matrix[3].p, &n)?,
        ];
        Ok(Self { matrix, sums, low, delta, rows })
    }

    /// The promises that 2^20 * sums are the matrix times the low bits, and their leading monomials.
    fn promises(&self, values: &mut Values) -> Result<Vec<Promise>> {
        let mut out = Vec::new();
        for (i, sum) in self.sums.iter().enumerate() {
            let [a, b] = [&self.matrix[2 * i], &self.matrix[2 * i + 1]];
            let [x, y] = &self.low;
            let p = a.p.mul(&x.p).add(&b.p.mul(&y.p)).add_scaled(&sum.p, &-unit(PART));
            let mut left = vec![var(a)?, var(x)?];
            left.sort_unstable();
            out.push((values.promise_equal(&p, Some(&left))?, left));
        }
        Ok(out)
    }

    /// The words that the call returns: sum - 2^21*u - 2^42*v.
    fn word(&self, i: usize) -> Poly {
        let p = self.sums[i].p.add_scaled(&self.matrix[2 * i].p, &-unit(PART + 1));
        p.add_scaled(&self.matrix[2 * i + 1].p, &-unit(2 * PART + 2))
    }
}

impl Task<'_> {
    /// From the head to the matrix: three calls, and the product of their matrices.
    pub(super) fn matrix(&self, frame: &BTreeMap<Place, Cell>) -> Result<(Piece, Next)> {
        let mut cpu = Cpu::default();
        let values = &mut cpu.values;
        let head = self.head(values, frame)?;
        let parts = |i: usize| [head.parts[0][i].clone(), head.parts[1][i].clone()];
        let calls = [
            Call::new(values, Some(parts(0)))?,
            Call::new(values, None)?,
            Call::new(values, None)?,
        ];
        // (sum + matrix * parts that follow) = low bits of the next call + 2^20 * more
        let (mut rules, mut next) = (Vec::new(), [parts(1).map(|v| v.p), parts(2).map(|v| v.p)]);
        let mut leading = var(&parts(1)[0])?;
        for i in 0..3 {
            rules.extend(calls[i].promises(values)?);
            if i == 2 {
                break;
            }
            let mut carried: [Poly; 2] = Default::default();
            let mut first_more = Value::constant(0);
            for j in 0..2 {
                let of = |x: &[Poly; 2]| {
                    let m = &calls[i].matrix;
                    m[2 * j].p.mul(&x[0]).add(&m[2 * j + 1].p.mul(&x[1]))
                };
                let more = values.input(&-unit(48), &unit(48))?;
                let p = calls[i].sums[j].p.add(&of(&next[0])).sub(&calls[i + 1].low[j].p);
                let p = p.add_scaled(&more.p, &-unit(PART));
                let mut left = vec![var(&calls[i].matrix[2 * j])?, leading];
                left.sort_unstable();
                rules.push((values.promise_equal(&p, Some(&left))?, left));
                carried[j] = more.p.add(&of(&next[1]));
                if j == 0 {
                    first_more = more;
                }
            }
            leading = var(&first_more)?;
            next = [carried, Default::default()];
        }
        for (promise, left) in rules {
            values.rule(promise, &left)?;
        }
        cpu.cells = head.cells.clone();
        let two = multiplied(&polys(&calls[1].matrix), &polys(&calls[0].matrix));
        let product = multiplied(&polys(&calls[2].matrix), &two);
        let (mut ran, mut turn) = (BTreeSet::new(), 0);
        let done = std::cell::Cell::new(0);
        let at = self.run(
            &mut cpu,
            self.layout.head,
            &mut ran,
            &mut |cpu, _| {
                let holds = |p: &Poly| {
                    cpu.cells.values().any(|c| matches!(c, Cell::Value(v) if same(&v.p, p)))
                };
                Ok(done.get() == 3 && product.iter().all(holds))
            },
            &mut |cpu, callee| {
                if callee != Callee::Twenty || turn == 3 {
                    return unproven(format!("a call of {callee:?} in turn {turn}"));
                }
                let call: &Call = &calls[turn];
                let before = if turn == 0 { &head.delta } else { &calls[turn - 1].delta };
                expect(cpu, Register::RDI, &before.p)?;
                for (i, r) in [Register::RSI, Register::RDX].into_iter().enumerate() {
                    let at = unit(PART + 1 + PART + i * (PART + 1));
                    expect(cpu, r, &call.low[i].p.plus(&-at))?;
                }
                callee.forget(cpu);
                cpu.cells.insert(Place::Register(Register::RDI), Cell::Value(call.delta.clone()));
                for (i, r) in [Register::RSI, Register::RDX].into_iter().enumerate() {
                    let word = cpu.values.of(&call.word(i))?;
                    cpu.cells.insert(Place::Register(r), Cell::Value(word));
                }
                turn += 1;
                done.set(turn);
                Ok(())
            },
        )?;
        let body = matrix_goals(&mut cpu.values, &head, &calls, (&two, &product))?;
        // inputs of the next piece: those of the head, the matrix, delta
        let new = |i: usize| Some(Left::Value(Poly::var((head.inputs + i) as Var)));
        let of_head = |v: &Var| (*v as usize) < head.inputs;
        let left = |cell: &Cell| match cell {
            Cell::Value(v) => match product.iter().position(|p| same(&v.p, p)) {
                Some(i) => new(i),
                None if v.p == calls[2].delta.p => new(4),
                None if v.p.variables().iter().all(of_head) => Some(Left::Value(v.p.clone())),
                None => None,
            },
            other => Some(Left::Other(other.clone())),
        };
        let cells = cpu.cells.iter().filter_map(|(p, c)| Some((p.clone(), left(c)?))).collect();
        Ok((self.piece("matrix", ran, body)?, (cells, at)))
    }
}

/// The goals of the matrix: it is the product, takes 2^60 out of the low limbs, and its rows sum up to at most 2^60.
fn matrix_goals(
    values: &mut Values,
    head: &Head,
    calls: &[Call; 3],
    (two, product): (&[Poly; 4], &[Poly; 4]),
) -> Result<String> {
    let mut end = End::default();
    let n = unit(PART);
    let name = ["u", "v", "q", "r"];
    let outs: Vec<usize> = product.iter().map(|p| end.out(p)).collect();
    for (i, p) in product.iter().enumerate() {
        end.zero(name[i], (Int::ZERO, Int::ONE), p.clone(), vec![(outs[i], 0)], Vec::new());
    }
    for i in 0..2 {
        let [x, y] = [&head.limbs[0][0].p, &head.limbs[1][0].p];
        let sum = product[2 * i].mul(x).add(&product[2 * i + 1].mul(y));
        let out = end.out(&sum);
        let multiples = values.equations(&sum);
        end.zero(
            ["exact_f", "exact_g"][i],
            (unit(BITS), Int::ONE),
            Poly::default(),
            vec![(out, 0)],
            multiples,
        );
    }
    for minus in [false, true] {
        // columns joined: entries u + v or u - v of each matrix are products of rows with such sums
        let joined = |m: &[Poly; 4], i: usize| {
            let sign = if minus { Int::NEG_ONE } else { Int::ONE };
            m[2 * i].add_scaled(&m[2 * i + 1], &sign)
        };
        let first = |i: usize| {
            let row = &calls[0].rows[i].facts;
            let (low, high) = if minus { (row[2], row[1]) } else { (row[3], row[0]) };
            Number { p: joined(&polys(&calls[0].matrix), i), pair: Pair { low, high } }
        };
        let mut second = Vec::new();
        for row in &calls[1].rows {
            let i = second.len();
            let pair = lemmas::combination(values, row, &first(0), &first(1), &n)?;
            second.push(Number { p: joined(two, i), pair });
        }
        for (i, row) in calls[2].rows.iter().enumerate() {
            let pair = lemmas::combination(values, row, &second[0], &second[1], &unit(2 * PART))?;
            let out = end.out(&joined(product, i));
            let name = format!("row{i}_{}", if minus { "difference" } else { "sum" });
            end.limb(&name, out, (-unit(BITS), unit(BITS)), pair);
        }
    }
    end.text("whole", values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_matrices_are_in_order() {
        let numbers = |n: [i32; 4]| n.map(Poly::constant);
        assert_eq!(
            multiplied(&numbers([1, 2, 3, 4]), &numbers([5, 6, 7, 8])),
            numbers([19, 22, 43, 50])
        );
    }
}
