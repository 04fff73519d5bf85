//! The run of a slice on exact integers.

use std::collections::HashMap;

use super::graph::Op;
use super::slice::{Part, Slice};
use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::Var;
use crate::trace::{Trace, Word};

/// The reason why a run cannot go on.
pub enum Stop {
    /// A bit has to be known.
    Fork(Box<Word>),
    /// A bit is neither 0 nor 1: the case cannot be.
    Impossible,
    /// An error.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

type Step<T> = std::result::Result<T, Stop>;

fn unproven<T>(why: impl Into<String>) -> Step<T> {
    Err(Error::Unproven(why.into()).into())
}

/// Operations that one splitting of an integer gives both results of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Sum,
    Difference,
    Product,
}

/// A run.
#[derive(Clone)]
pub struct Run<'a> {
    slice: &'a Slice,
    /// Facts.
    pub trace: Trace,
    words: Vec<Option<Word>>,
    halves: HashMap<(Kind, Vec<usize>), (Word, Word)>,
    /// Variables of inputs, by part.
    pub inputs: HashMap<usize, Var>,
}

impl<'a> Run<'a> {
    /// A run; inputs are the first variables.
    pub fn new(slice: &'a Slice) -> Result<Self> {
        let mut run = Self {
            slice,
            trace: Trace::default(),
            words: vec![None; slice.parts.len()],
            halves: HashMap::new(),
            inputs: HashMap::new(),
        };
        for (i, p) in slice.parts.iter().enumerate() {
            if let Part::Input(bits) = p {
                run.trace.facts.set_note(format!("part {i}"));
                let w = run.trace.input(&Int::ZERO, &(number::power_of_two(*bits as usize) - 1))?;
                if let Some(v) = w.p.as_var() {
                    run.inputs.insert(i, v);
                }
                run.words[i] = Some(w);
            }
        }
        Ok(run)
    }

    /// Words after a case: with the variable that it fixed replaced.
    pub fn refresh(&mut self) {
        let trace = &self.trace;
        for w in self.words.iter_mut().flatten() {
            *w = trace.refresh(w);
        }
        for (a, b) in self.halves.values_mut() {
            (*a, *b) = (trace.refresh(a), trace.refresh(b));
        }
    }

    /// The outputs.
    pub fn outputs(&mut self) -> Step<Vec<Word>> {
        self.slice.outputs.iter().map(|&o| self.word(o)).collect()
    }

    /// The word of a part.
    pub fn word(&mut self, i: usize) -> Step<Word> {
        if let Some(w) = &self.words[i] {
            return Ok(w.clone());
        }
        let w = self.compute(i)?;
        self.words[i] = Some(w.clone());
        Ok(w)
    }

    fn halves(&mut self, i: usize, kind: Kind, v: &[usize]) -> Step<(Word, Word)> {
        let mut key = (kind, v.to_vec());
        if kind != Kind::Difference {
            key.1.sort_unstable();
        }
        if let Some(halves) = self.halves.get(&key) {
            return Ok(halves.clone());
        }
        let words: Vec<Word> = v.iter().map(|&j| self.word(j)).collect::<Step<_>>()?;
        self.trace.facts.set_note(format!("part {i}"));
        let one = || Int::ONE;
        let e = match (kind, words.as_slice()) {
            (Kind::Product, [a, b]) => self.trace.product(a, b)?,
            (Kind::Sum, [a, b, c]) => self.trace.sum(&[(one(), a), (one(), b), (one(), c)])?,
            (Kind::Difference, [a, b, c]) => {
                self.trace.sum(&[(one(), a), (Int::NEG_ONE, b), (Int::NEG_ONE, c)])?
            }
            _ => return unproven(format!("part {i}: another number of operands")),
        };
        let halves = self.trace.split(&e, 64)?;
        self.halves.insert(key, halves.clone());
        Ok(halves)
    }

    /// A bit that has to be known; by cases of a variable, if it is not.
    fn choose(&mut self, w: &Word) -> Step<bool> {
        if let Some(n) = w.known() {
            return if w.is_bit() { Ok(!n.is_zero()) } else { Err(Stop::Impossible) };
        }
        let unit = if Trace::unit(&w.p).is_some() { Some(w.clone()) } else { None };
        let last = || w.p.variables().last().map(|&v| self.trace.variable(v)).filter(Word::is_bit);
        match unit.or_else(last) {
            Some(bit) => Err(Stop::Fork(Box::new(bit))),
            None => unproven("a choice by something that is no bit"),
        }
    }

    /// The word of a part that has to be a bit.
    fn bit(&mut self, i: usize) -> Step<Word> {
        let mut w = self.word(i)?;
        if !w.is_bit() && w.known().is_none() {
            self.trace.facts.set_note(format!("part {i}"));
            w = self.trace.narrowed(&w, &Int::ZERO, &Int::ONE)?;
            self.words[i] = Some(w.clone());
        }
        match w.known() {
            _ if w.is_bit() => Ok(w),
            Some(_) => Err(Stop::Impossible),
            None => unproven(format!("part {i}: a word in the place of a bit")),
        }
    }

    fn constant(&self, i: usize) -> Option<u64> {
        if let Part::Constant(c) = self.slice.parts[i] { Some(c) } else { None }
    }

    fn compute(&mut self, i: usize) -> Step<Word> {
        let slice = self.slice;
        let (op, v) = match &slice.parts[i] {
            Part::Constant(c) => return Ok(Word::constant(*c)),
            Part::Of(op, v) => (*op, v.as_slice()),
            Part::Input(_) => return unproven(format!("part {i}: an input without a word")),
        };
        let note = format!("part {i}");
        match op {
            Op::Add => Ok(self.halves(i, Kind::Sum, v)?.0),
            Op::Carry => Ok(self.halves(i, Kind::Sum, v)?.1),
            Op::Sub => Ok(self.halves(i, Kind::Difference, v)?.0),
            Op::Borrow => {
                let q = self.halves(i, Kind::Difference, v)?.1;
                Ok(self.trace.sum(&[(Int::NEG_ONE, &q)])?)
            }
            Op::MulLow => Ok(self.halves(i, Kind::Product, v)?.0),
            Op::MulHigh => Ok(self.halves(i, Kind::Product, v)?.1),
            Op::Mask => {
                let b = self.bit(v[0])?;
                self.trace.facts.set_note(note);
                Ok(self.trace.sum(&[(number::power_of_two(64) - 1, &b)])?)
            }
            Op::Select => {
                let bit = self.bit(v[0])?;
                let from = if self.choose(&bit)? { v[1] } else { v[2] };
                self.word(from)
            }
            Op::Shl(k) => {
                let w = self.word(v[0])?;
                self.trace.facts.set_note(note);
                let low = self.trace.halves(&w, 64 - usize::from(k))?.0;
                Ok(self.trace.joined(vec![(usize::from(k), low)])?)
            }
            Op::Shr(k) => {
                let w = self.word(v[0])?;
                self.trace.facts.set_note(note);
                Ok(self.trace.halves(&w, usize::from(k))?.1)
            }
            Op::Funnel(k) => {
                let (upper, lower, k) = (self.word(v[0])?, self.word(v[1])?, usize::from(k));
                self.trace.facts.set_note(note);
                let high = self.trace.halves(&lower, 64 - k)?.1;
                let low = self.trace.halves(&upper, 64 - k)?.0;
                Ok(self.trace.joined(vec![(0, high), (k, low)])?)
            }
            Op::And | Op::Or | Op::Xor => self.logic(i, op, v),
            Op::IsZero => unproven(format!("part {i}: whether a word is zero")),
        }
    }

    fn logic(&mut self, i: usize, op: Op, v: &[usize]) -> Step<Word> {
        let one = || Int::ONE;
        for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
            let Some(c) = self.constant(a) else { continue };
            if op == Op::Xor && (c == u64::MAX || c == 1) {
                let w = if c == 1 { self.bit(b)? } else { self.word(b)? };
                self.trace.facts.set_note(format!("part {i}"));
                return Ok(self.trace.sum(&[(one(), &Word::constant(c)), (Int::NEG_ONE, &w)])?);
            }
            if op == Op::And && c != 0 {
                let (below, bits) = (c.trailing_zeros() as usize, c.count_ones() as usize);
                if (c >> below).checked_add(1).is_some_and(|n| !n.is_power_of_two()) {
                    return unproven(format!("part {i}: a mask of {c:x}"));
                }
                let w = self.word(b)?;
                self.trace.facts.set_note(format!("part {i}"));
                let w = if below > 0 { self.trace.halves(&w, below)?.1 } else { w };
                let low = self.trace.halves(&w, bits)?.0;
                return Ok(self.trace.joined(vec![(below, low)])?);
            }
        }
        if op == Op::Or
            && let Some((k, a, b)) = self.shifted(v)
        {
            let (x, y) = (self.word(a)?, self.word(b)?);
            self.trace.facts.set_note(format!("part {i}"));
            let y = self.trace.halves(&y, 64 - k)?.0;
            if x.hi < number::power_of_two(k) {
                return Ok(self.trace.joined(vec![(0, x), (k, y)])?);
            }
        }
        let a = self.bit(v[0])?;
        match (op, a.known().map(|n| !n.is_zero())) {
            (Op::And, Some(false)) => return Ok(Word::constant(0)),
            (Op::Or, Some(true)) => return Ok(Word::constant(1)),
            _ => {}
        }
        let b = self.bit(v[1])?;
        self.trace.facts.set_note(format!("part {i}"));
        match (op, b.known().map(|n| !n.is_zero())) {
            (Op::And, Some(false)) => return Ok(Word::constant(0)),
            (Op::Or, Some(true)) => return Ok(Word::constant(1)),
            _ => {}
        }
        if op == Op::Or {
            // one at most: their sum
            let sum = self.trace.sum(&[(one(), &a), (one(), &b)])?;
            if sum.hi <= Int::ONE {
                return Ok(sum);
            }
            let sum = self.trace.narrowed(&sum, &Int::ZERO, &Int::ONE)?;
            if sum.hi <= Int::ONE {
                return Ok(sum);
            }
        }
        let (x, y) = if let Some(x) = a.known() {
            (x, b)
        } else {
            (Int::from(i32::from(self.choose(&a)?)), b)
        };
        let x = !x.is_zero();
        match op {
            Op::And => Ok(if x { y } else { Word::constant(0) }),
            Op::Or => Ok(if x { Word::constant(1) } else { y }),
            _ if x => Ok(self.trace.sum(&[(one(), &Word::constant(1)), (Int::NEG_ONE, &y)])?),
            _ => Ok(y),
        }
    }

    /// A disjunction of what lies below 2^k and what is moved up by k.
    fn shifted(&self, v: &[usize]) -> Option<(usize, usize, usize)> {
        for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
            if let Part::Of(Op::Shl(k), x) = &self.slice.parts[b] {
                return Some((usize::from(*k), a, x[0]));
            }
        }
        None
    }
}
