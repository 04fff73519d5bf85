//! The run of a slice in one lane, on exact integers.

use std::collections::BTreeMap;

use super::doubles::Doubles;
use super::field::Field;
use super::graph::Op;
use super::slice::{Class, Part, Slice};
use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::Var;
use crate::trace::{Trace, Word};

pub(super) fn unproven<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Unproven(why.into()))
}

/// One run of a slice: one lane, and a value for each mask.
#[derive(Clone)]
pub struct Run<'a> {
    /// The slice.
    pub slice: &'a Slice,
    /// Facts.
    pub trace: Trace,
    pub(super) lane: usize,
    pub(super) masks: BTreeMap<usize, bool>,
    pub(super) full: Vec<Option<Word>>,
    pub(super) low: Vec<Option<Word>>,
    pub(super) products: BTreeMap<(usize, usize), (Word, Word)>,
    pub(super) halves: BTreeMap<(usize, bool), Word>,
    /// Variables of the parts that are inputs.
    pub inputs: BTreeMap<usize, Var>,
    /// Variables of the parts that are pairs of limbs.
    pub pairs: BTreeMap<usize, [Var; 2]>,
    /// Integers that doubles hold.
    pub(super) doubles: Option<Doubles>,
    /// Whether signs are told apart by cases.
    pub(super) signed: bool,
}

impl<'a> Run<'a> {
    /// A run in a lane, with masks set or not; inputs are the first variables.
    pub fn new(
        slice: &'a Slice,
        field: &Field,
        lane: usize,
        masks: BTreeMap<usize, bool>,
    ) -> Result<Self> {
        let n = slice.parts.len();
        let mut run = Self {
            slice,
            trace: Trace::default(),
            lane,
            masks,
            full: vec![None; n],
            low: vec![None; n],
            products: BTreeMap::new(),
            halves: BTreeMap::new(),
            inputs: BTreeMap::new(),
            doubles: None,
            signed: false,
            pairs: BTreeMap::new(),
        };
        for (i, p) in slice.parts.iter().enumerate() {
            let Part::Input(class) = p else { continue };
            run.trace.facts.set_note(format!("part {i}, {class:?}"));
            let unit = number::power_of_two(52);
            match class {
                Class::Mask => {}
                Class::Pair(level) => run.pair(i, *level)?,
                Class::Signed | Class::Coefficient => {
                    if let Some((_, width)) = slice.range_of(i) {
                        let w = run.trace.input(&Int::ZERO, &width)?;
                        run.name(i, &w)?;
                    }
                }
                Class::Limb => {
                    let w = run.trace.input(&Int::ZERO, &(unit - 1))?;
                    run.name(i, &w)?;
                    run.low[i] = Some(w);
                }
                Class::Top => {
                    let w = run.trace.input(&Int::ZERO, &field.top)?;
                    run.name(i, &w)?;
                    run.full[i] = Some(w);
                }
                _ => {
                    let (lo, hi) = Self::range(field, *class);
                    let w = run.trace.input(&Int::ZERO, &(hi - lo))?;
                    run.name(i, &w)?;
                    run.full[i] = Some(w);
                }
            }
        }
        Ok(run)
    }

    /// Bounds of a column.
    pub fn range(field: &Field, class: Class) -> (Int, Int) {
        field.range(class)
    }

    /// Columns as inputs plus their least value: the first derivations, after the goals.
    fn shift(&mut self, field: &Field) -> Result<()> {
        if field.columns.0.is_zero() {
            return Ok(());
        }
        for i in 0..self.slice.parts.len() {
            if let Part::Input(class) = self.slice.parts[i]
                && class.is_column()
                && let Some(w) = self.full[i].clone()
            {
                let lo = Word::constant(Self::range(field, class).0);
                self.full[i] = Some(self.trace.sum(&[(Int::ONE, &w), (Int::ONE, &lo)])?);
            }
        }
        Ok(())
    }

    fn name(&mut self, i: usize, w: &Word) -> Result<()> {
        match w.p.as_var() {
            Some(v) => {
                self.inputs.insert(i, v);
                Ok(())
            }
            None => unproven("an input that is a constant"),
        }
    }

    /// An integer that the lane is congruent to modulo 2^64.
    pub(super) fn word(&mut self, i: usize) -> Result<Word> {
        if let Some(w) = &self.full[i] {
            return Ok(w.clone());
        }
        let w = self.compute(i)?;
        self.full[i] = Some(w.clone());
        Ok(w)
    }

    /// The low 52 bits of the lane.
    pub(super) fn low(&mut self, i: usize) -> Result<Word> {
        if let Some(w) = &self.low[i] {
            return Ok(w.clone());
        }
        // through selects, so that limbs whose upper bits mean nothing can be selected
        let slice = self.slice;
        let w = match &slice.parts[i] {
            Part::Lanes(Op::Select, v) => {
                let from = self.selected(v)?;
                self.low(from)?
            }
            _ => {
                let w = self.word(i)?;
                self.trace.halves(&w, 52)?.0
            }
        };
        self.low[i] = Some(w.clone());
        Ok(w)
    }

    /// The part that a select takes.
    fn selected(&self, v: &[usize]) -> Result<usize> {
        let set = match (self.constant(v[0]), self.masks.get(&v[0])) {
            (Some(m), _) => m == u64::MAX,
            (None, Some(&set)) => set,
            _ => return unproven("a computed mask"),
        };
        Ok(if set { v[1] } else { v[2] })
    }

    /// The lane as an integer in [lo, lo + 2^64).
    pub(super) fn within(&mut self, i: usize, lo: Int) -> Result<Word> {
        let w = self.word(i)?;
        let unit = number::power_of_two(64);
        if w.lo >= lo && w.hi < &lo + &unit {
            return Ok(w);
        }
        let shift = Word::constant(lo);
        let moved = self.trace.sum(&[(Int::ONE, &w), (Int::NEG_ONE, &shift)])?;
        let r = self.trace.split(&moved, 64)?.0;
        self.trace.sum(&[(Int::ONE, &r), (Int::ONE, &shift)])
    }

    pub(super) fn constant(&self, i: usize) -> Option<u64> {
        match &self.slice.parts[i] {
            Part::Constant(c) => Some(c[self.lane]),
            _ => None,
        }
    }

    fn product(&mut self, a: usize, b: usize) -> Result<(Word, Word)> {
        let key = (a.min(b), a.max(b));
        if let Some(halves) = self.products.get(&key) {
            return Ok(halves.clone());
        }
        let (x, y) = (self.low(a)?, self.low(b)?);
        let e = self.trace.product(&x, &y)?;
        let halves = self.trace.split(&e, 52)?;
        self.products.insert(key, halves.clone());
        Ok(halves)
    }

    fn compute(&mut self, i: usize) -> Result<Word> {
        let slice = self.slice;
        self.trace.facts.set_note(format!("{:x} part {i}", slice.addresses[i]));
        if self.doubles.is_some()
            && let Some(w) = self.beside_doubles(i)?
        {
            return Ok(w);
        }
        if self.signed
            && let Some(w) = self.beside_signs(i)?
        {
            return Ok(w);
        }
        let (op, v) = match &slice.parts[i] {
            Part::Constant(c) => return Ok(Word::constant(c[self.lane])),
            Part::Lanes(op, v) => (*op, v),
            Part::Input(Class::Pair(_)) => {
                let (low, high) = (self.field(i, 0, 32)?, self.field(i, 32, 32)?);
                return self.trace.joined(vec![(0, low), (32, high)]);
            }
            Part::Input(class) => {
                return unproven(format!("part {i}, of which a {class:?} is known, as a word"));
            }
        };
        let one = || Int::ONE;
        match op {
            Op::Add | Op::Sub => {
                let (a, b) = (self.word(v[0])?, self.word(v[1])?);
                let sign = if op == Op::Add { Int::ONE } else { Int::NEG_ONE };
                self.trace.sum(&[(one(), &a), (sign, &b)])
            }
            Op::MulLow | Op::MulHigh => {
                let acc = self.word(v[0])?;
                let (low, high) = self.product(v[1], v[2])?;
                let half = if op == Op::MulLow { low } else { high };
                self.trace.sum(&[(one(), &acc), (one(), &half)])
            }
            Op::Srl(k) if !self.pairs.is_empty() => {
                self.field(v[0], usize::from(k), 64 - usize::from(k))
            }
            Op::Srl(k) => {
                let w = self.within(v[0], Int::ZERO)?;
                Ok(self.trace.halves(&w, usize::from(k))?.1)
            }
            Op::Sra(k) => {
                let w = self.within(v[0], -number::power_of_two(63))?;
                Ok(self.trace.split(&w, usize::from(k))?.1)
            }
            Op::Sll(k) => {
                let w = self.word(v[0])?;
                self.trace.sum(&[(number::power_of_two(usize::from(k)), &w)])
            }
            Op::Rol(32) | Op::AddPairs | Op::SubPairs => {
                let (low, high) = (self.field(i, 0, 32)?, self.field(i, 32, 32)?);
                self.trace.joined(vec![(0, low), (32, high)])
            }
            Op::Halves | Op::SignedHalves => self.product_of_halves(op, v),
            Op::Rol(k) => {
                let w = self.within(v[0], Int::ZERO)?;
                if w.hi >= number::power_of_two(64 - usize::from(k)) {
                    return unproven(format!("part {i}: a rotation of bits that come back"));
                }
                self.trace.sum(&[(number::power_of_two(usize::from(k)), &w)])
            }
            Op::SllEach => match self.constant(v[1]) {
                Some(k) if k < 64 => {
                    let w = self.word(v[0])?;
                    self.trace.sum(&[(number::power_of_two(k as usize), &w)])
                }
                _ => unproven(format!("part {i}: a shift that is not known")),
            },
            Op::And => {
                let (x, m) = match (self.constant(v[0]), self.constant(v[1])) {
                    (Some(m), _) => (v[1], m),
                    (_, Some(m)) => (v[0], m),
                    _ => return unproven(format!("part {i}: a conjunction of two variables")),
                };
                if self.pairs.is_empty() { self.conjunction(x, m) } else { self.masked(x, m) }
            }
            Op::Or => {
                // of what is below 2^k, and a multiple of 2^k
                for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
                    let k = self.bits(b).trailing_zeros() as usize;
                    if self.bits(a).checked_shr(k as u32).unwrap_or(0) != 0 {
                        continue;
                    }
                    let x = self.within(a, Int::ZERO)?;
                    if x.hi >= number::power_of_two(k) {
                        continue;
                    }
                    let y = match &slice.parts[b] {
                        Part::Lanes(Op::Sll(n), y) if usize::from(*n) == k => {
                            self.within(y[0], Int::ZERO)?
                        }
                        _ => {
                            let w = self.within(b, Int::ZERO)?;
                            self.trace.halves(&w, k)?.1
                        }
                    };
                    return self.trace.joined(vec![(0, x), (k, y)]);
                }
                unproven(format!("part {i}: a disjunction of bits that may overlap"))
            }
            Op::Xor => {
                let x = match (self.constant(v[0]), self.constant(v[1])) {
                    (Some(0), _) => return self.word(v[1]),
                    (_, Some(0)) => return self.word(v[0]),
                    (Some(u64::MAX), _) => v[1],
                    (_, Some(u64::MAX)) => v[0],
                    _ => return unproven(format!("part {i}: an exclusive or")),
                };
                let w = self.word(x)?;
                self.trace.sum(&[(Int::NEG_ONE, &w), (one(), &Word::constant(Int::NEG_ONE))])
            }
            Op::Ternary(table) => {
                // not a
                let not =
                    [(0x0f, 0), (0x33, 1), (0x55, 2)].iter().find(|x| x.0 == table).map(|x| x.1);
                if let Some(k) = not {
                    let w = self.word(v[k])?;
                    return self
                        .trace
                        .sum(&[(Int::NEG_ONE, &w), (one(), &Word::constant(Int::NEG_ONE))]);
                }
                unproven(format!("part {i}: the ternary table {table:x}"))
            }
            Op::Select => {
                let from = self.selected(v)?;
                self.word(from)
            }
            other => unproven(format!("part {i}: {other:?}")),
        }
    }

    /// Bits that may be set in a lane, by shifts and masks alone.
    pub(super) fn bits(&self, i: usize) -> u64 {
        match &self.slice.parts[i] {
            Part::Constant(c) => c[self.lane],
            Part::Input(Class::Limb) => u64::MAX,
            Part::Lanes(Op::Srl(k), v) => self.bits(v[0]) >> k,
            Part::Lanes(Op::Sll(k), v) => self.bits(v[0]) << k,
            Part::Lanes(Op::Rol(32), v) => self.bits(v[0]).rotate_left(32),
            Part::Lanes(Op::And, v) => self.bits(v[0]) & self.bits(v[1]),
            Part::Lanes(Op::Or | Op::Xor, v) => self.bits(v[0]) | self.bits(v[1]),
            Part::Lanes(Op::Select, v) => self.bits(v[1]) | self.bits(v[2]),
            _ => u64::MAX,
        }
    }

    fn conjunction(&mut self, x: usize, m: u64) -> Result<Word> {
        let (below, bits) = (m.trailing_zeros() as usize, m.count_ones() as usize);
        if m == 0 {
            return Ok(Word::constant(0));
        }
        if (m >> below).checked_add(1).is_some_and(|n| !n.is_power_of_two()) {
            return unproven(format!("a mask of {m:x}"));
        }
        let known = self.full[x].is_none() && self.low[x].is_some();
        let w = if below + bits == 52 || below + bits < 52 && known {
            self.low(x)?
        } else {
            self.word(x)?
        };
        let w = if below > 0 { self.trace.halves(&w, below)?.1 } else { w };
        let low = self.trace.halves(&w, bits)?.0;
        self.trace.sum(&[(number::power_of_two(below), &low)])
    }

    /// The outputs as exact integers.
    pub fn outputs(&mut self, field: &Field) -> Result<Vec<Word>> {
        self.shift(field)?;
        let slice = self.slice;
        let last = slice.outputs.len() - 1;
        let mut out = Vec::new();
        for (k, &o) in slice.outputs.iter().enumerate() {
            out.push(if slice.limbs && k < last && field.radix == 52 {
                self.low(o)?
            } else if field.columns.0.is_zero() {
                self.within(o, Int::ZERO)?
            } else {
                self.within(o, -number::power_of_two(63))?
            });
        }
        Ok(out)
    }
}
