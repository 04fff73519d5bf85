//! One turn of the loop: what the matrix of a batch makes of f, g, d and e.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::Register;

use super::cpu::{Cell, Cpu, Place};
use super::head::Head;
use super::lemmas::{self, Number, Row};
use super::matrix::polys;
use super::pieces::{NAMES, Piece, Task, no_call, range, unit, unproven, whole};
use super::segment::{End, within};
use super::steps::BITS;
use super::values::{Value, Values};
use crate::error::Result;
use crate::facts::{Fact, Pair};
use crate::number::Int;
use crate::poly::{Poly, Var};

/// A cell that a piece leaves to the next one.
pub(super) enum Left {
    /// A value of inputs that both pieces have.
    Value(Poly),
    /// An address or a saved register.
    Other(Cell),
}

/// The start of the next piece: cells, and an address.
pub(super) type Next = (BTreeMap<Place, Left>, u64);

/// Promises that a row sums up to at most n.
pub(super) fn row(values: &mut Values, a: &Poly, b: &Poly, most: &Int) -> Result<Row> {
    let n = Poly::constant(most.clone());
    let mut fact = |p: Poly| values.facts.assume(p);
    let facts = [
        fact(n.sub(a).sub(b))?,
        fact(n.sub(a).add(b))?,
        fact(n.add(a).sub(b))?,
        fact(n.add(a).add(b))?,
    ];
    Ok(Row { entries: [a.clone(), b.clone()], most: most.clone(), facts })
}

/// Whether two polynomials are congruent modulo 2^64.
pub(super) fn same(a: &Poly, b: &Poly) -> bool {
    a.sub(b).modulo(&unit(64)).is_zero()
}

fn held(cpu: &Cpu, r: Register) -> Result<Value> {
    match cpu.cells.get(&Place::Register(r)) {
        Some(Cell::Value(v)) => Ok(v.clone()),
        _ => unproven(format!("{r:?} holds no value")),
    }
}

pub(super) fn expect(cpu: &Cpu, r: Register, p: &Poly) -> Result<()> {
    let v = held(cpu, r)?;
    if same(&v.p, p) { Ok(()) } else { unproven(format!("{r:?} holds {} instead of {p}", v.p)) }
}

impl Task<'_> {
    /// In variable time, from the head to the return of the batch, which leaves its matrix in memory.
    pub(super) fn batch(&self, frame: &BTreeMap<Place, Cell>) -> Result<(Next, BTreeSet<u64>)> {
        let mut cpu = Cpu::default();
        let head = self.head(&mut cpu.values, frame)?;
        cpu.cells = head.cells.clone();
        let (mut ran, mut done) = (BTreeSet::new(), None);
        let stopped = std::cell::Cell::new(false);
        let at = self.run(
            &mut cpu,
            self.layout.head,
            &mut ran,
            &mut |_, _| Ok(stopped.get()),
            &mut |cpu, callee| {
                let Some(Cell::Pointer(out, at)) =
                    cpu.cells.get(&Place::Register(Register::RDI)).cloned()
                else {
                    return unproven("a batch without a place for its result");
                };
                expect(cpu, Register::RSI, &head.delta.p)?;
                for (number, r) in [Register::RDX, Register::RCX].into_iter().enumerate() {
                    let v = held(cpu, r)?;
                    let low =
                        head.limbs[number][0].p.add_scaled(&head.limbs[number][1].p, &unit(BITS));
                    if !v.p.sub(&low).modulo(&unit(64)).is_zero() {
                        return unproven(format!("{r:?} holds {} instead of {low}", v.p));
                    }
                }
                callee.forget(cpu);
                done = Some((out, at));
                stopped.set(true);
                Ok(())
            },
        )?;
        let of_head = |v: &Var| (*v as usize) < head.inputs;
        let left = |cell: &Cell| match cell {
            Cell::Value(v) if !v.p.variables().iter().all(of_head) => None,
            Cell::Value(v) => Some(Left::Value(v.p.clone())),
            other => Some(Left::Other(other.clone())),
        };
        let mut cells: BTreeMap<_, _> =
            cpu.cells.iter().filter_map(|(p, c)| Some((p.clone(), left(c)?))).collect();
        // delta, then the matrix
        if let Some((out, first)) = done {
            for (word, input) in [4, 0, 1, 2, 3].into_iter().enumerate() {
                let p = Poly::var((head.inputs + input) as Var);
                cells.insert(Place::Memory(out.clone(), first + 8 * word as i64), Left::Value(p));
            }
        }
        Ok(((cells, at), ran))
    }

    /// From the matrix to the head.
    pub(super) fn apply(
        &self,
        frame: &BTreeMap<Place, Cell>,
        (cells, at): Next,
        mut ran: BTreeSet<u64>,
    ) -> Result<(Piece, BTreeMap<Place, Cell>)> {
        let mut cpu = Cpu::default();
        let values = &mut cpu.values;
        let head = self.head(values, frame)?;
        let n = unit(BITS);
        let mut entry = || values.input(&-n.clone(), &n);
        let matrix = [entry()?, entry()?, entry()?, entry()?];
        let delta = values.input(&-unit(62), &unit(62))?;
        let more = [values.input(&-unit(62), &unit(62))?, values.input(&-unit(62), &unit(62))?];
        let rows = [
            row(values, &matrix[0].p, &matrix[1].p, &n)?,
            row(values, &matrix[2].p, &matrix[3].p, &n)?,
        ];
        let entries = polys(&matrix);
        let wholes: Vec<Poly> = head
            .limbs
            .iter()
            .map(|limbs| whole(&limbs.iter().map(|v| v.p.clone()).collect::<Vec<_>>()))
            .collect();
        let mut ranges = Vec::new();
        for (number, p) in wholes.iter().enumerate() {
            let (lo, hi) = range(number, self.m);
            let low = values.facts.assume(p.plus(&-lo))?;
            let high = values.facts.assume(Poly::constant(hi).sub(p))?;
            ranges.push(Pair { low, high });
        }
        // the batch takes 2^60 out of f and g
        let (mut low, mut promises) = (Vec::new(), Vec::new());
        for (i, more) in more.iter().enumerate() {
            let of = |j: usize| entries[2 * i + j].mul(&head.limbs[j][0].p);
            let sum = of(0).add(&of(1));
            promises.push(values.promise_equal(&sum.add_scaled(&more.p, &-n.clone()), None)?);
            low.push(sum);
        }
        let mut exact = Vec::new();
        for ((low, more), (a, b)) in low.iter().zip(&more).zip(promises) {
            let equation = values.facts.equal(a, b)?;
            exact.push(quotient(values, low, more, equation, (a, b))?);
        }
        // words that hold inputs alone have their bounds
        for (place, cell) in cells {
            let cell = match cell {
                Left::Value(p) => Cell::Value(values.of(&p)?),
                Left::Other(cell) => cell,
            };
            cpu.cells.insert(place, cell);
        }
        let head_at = self.layout.head;
        self.run(&mut cpu, at, &mut ran, &mut |_, at| Ok(at == head_at), &mut no_call)?;
        let limbs = self.limbs(&mut cpu)?;
        for place in &self.layout.counter {
            match cpu.cells.get(place) {
                Some(Cell::Value(v)) if v.p == Poly::var(self.counter_var()).plus(&Int::ONE) => {}
                other => {
                    return unproven(format!("{place:?} holds {other:?} instead of a counter"));
                }
            }
        }
        for place in &self.layout.delta {
            match cpu.cells.get(place) {
                Some(Cell::Value(v)) if v.p == delta.p => {}
                other => return unproven(format!("{place:?} holds {other:?} instead of delta")),
            }
        }
        let (values, mut end) = (&mut cpu.values, End::default());
        let lifted = self.lifted(values, &head, &ranges)?;
        for number in 0..4 {
            let (i, of) = (number % 2, |j: usize| &wholes[number / 2 * 2 + j]);
            let target = entries[2 * i].mul(of(0)).add(&entries[2 * i + 1].mul(of(1)));
            let places = self.places(&mut end, &limbs[number]);
            let out = whole(&limbs[number].iter().map(|v| v.p.clone()).collect::<Vec<_>>());
            let pair = if number < 2 {
                let rest = out.scale(&n).sub(&target);
                let (floor, equations) = &exact[i];
                if rest != floor.scale(&n).sub(&low[i]) {
                    return unproven(format!("{}: what is left is {rest}", NAMES[number]));
                }
                let number = |j: usize| Number { p: wholes[j].clone(), pair: ranges[j] };
                let pair = lemmas::combination(values, &rows[i], &number(0), &number(1), self.m)?;
                end.zero(
                    NAMES[i],
                    (Int::ZERO, n.clone()),
                    target,
                    places.clone(),
                    equations.clone(),
                );
                self.exact_range(values, &out, pair, equations)?
            } else {
                end.zero(
                    NAMES[number],
                    (self.m.clone(), n.clone()),
                    target,
                    places.clone(),
                    Vec::new(),
                );
                let pair =
                    lemmas::combination(values, &rows[i], &lifted[0], &lifted[1], &(self.m - 1))?;
                let sum =
                    entries[2 * i].mul(&lifted[0].p).add(&entries[2 * i + 1].mul(&lifted[1].p));
                self.modular_range(values, &out, &sum, pair)?
            };
            let (lo, hi) = range(number, self.m);
            end.whole(
                &format!("{}_range", NAMES[number]),
                places.clone(),
                (lo.clone(), hi.clone()),
                pair,
            );
            self.limb_goals(values, &mut end, number, &limbs[number], &places, pair, (lo, hi))?;
        }
        let body = end.text("whole", values)?;
        Ok((self.piece("apply", ran, body)?, cpu.cells))
    }

    /// d and e, with m added where they are negative.
    fn lifted(&self, values: &mut Values, head: &Head, ranges: &[Pair]) -> Result<[Number; 2]> {
        let mut one = |i: usize| {
            let limbs = &head.limbs[i];
            let (r, s) = values.split(&limbs[self.top], 63)?;
            let floor = values.pair(&r)?;
            lemmas::lifted(values, (limbs, ranges[i]), (&s, floor, 63), self.m)
        };
        Ok([one(2)?, one(3)?])
    }

    /// -m <= out <= m, as 2^60 * out is a combination that lies between -2^60 * m and 2^60 * m.
    fn exact_range(
        &self,
        values: &mut Values,
        out: &Poly,
        pair: Pair,
        equations: &[(Poly, Fact)],
    ) -> Result<Pair> {
        let n = unit(BITS);
        let one = Poly::constant(1);
        let mut fact = |p: Poly, f: Fact, sign: i32| {
            // 2^60 * out = target - equations
            let mut multiples = vec![(one.clone(), f)];
            multiples.extend(equations.iter().map(|(m, e)| (m.scale(&Int::from(sign)), *e)));
            values.facts.linear(&n, p, &multiples)
        };
        let low = fact(out.plus(self.m), pair.low, -1)?;
        let high = fact(Poly::constant(self.m.clone()).sub(out), pair.high, 1)?;
        Ok(Pair { low, high })
    }

    /// -2m + 1 <= out <= m - 1, as 2^60 * out = sum - m*w with 0 <= w < 2^60.
    fn modular_range(
        &self,
        values: &mut Values,
        out: &Poly,
        sum: &Poly,
        pair: Pair,
    ) -> Result<Pair> {
        let (n, one) = (unit(BITS), Int::ONE);
        let Some(w) = sum.sub(&out.scale(&n)).divided(self.m) else {
            return unproven("a limb whose sum is no multiple of the modulus less");
        };
        let Some(w) = values.remainders.get(&w).cloned() else {
            return unproven(format!("{w}, the multiple of the modulus, is no remainder"));
        };
        let w = within(values, &w, &Int::ZERO, &(&n - 1))?;
        let low = out.plus(&(self.m * Int::from(2) - 1));
        let low = values.derive(&n, low, &[(one.clone(), pair.low), (self.m.clone(), w.high)])?;
        let high = Poly::constant(self.m - 1).sub(out);
        let high = values.derive(&n, high, &[(one, pair.high), (self.m.clone(), w.low)])?;
        Ok(Pair { low, high })
    }
}

/// floor(low / 2^60), which equals `more` by a promise: the floor, and multiples of equations that take 2^60*floor - low to zero.
fn quotient(
    values: &mut Values,
    low: &Poly,
    more: &Value,
    equation: Fact,
    (below, above): (Fact, Fact),
) -> Result<(Poly, Vec<(Poly, Fact)>)> {
    let n = unit(BITS);
    let value = values.of(low)?;
    let (r, q) = values.split(&value, BITS)?;
    let pair = values.pair(&r)?;
    // below: low - 2^60*more >= 0; above: the reverse; r = low - 2^60*q
    let difference = q.p.sub(&more.p);
    let least = [(Int::ONE, below), (Int::ONE, pair.high)];
    let least = values.derive(&n, difference.clone(), &least)?;
    let most = difference.scale(&Int::NEG_ONE);
    let most = values.derive(&n, most, &[(Int::ONE, above), (Int::ONE, pair.low)])?;
    let equal = values.facts.equal(least, most)?;
    // 2^60*q - low = 2^60*(q - more) - (low - 2^60*more)
    let multiples = vec![(Poly::constant(-n), equal), (Poly::constant(1), equation)];
    Ok((q.p, multiples))
}
