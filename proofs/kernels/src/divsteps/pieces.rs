//! The pieces of a function that divides.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{ConditionCode, Register};

use super::cpu::{Cell, Cpu, Flow, Place};
use super::segment::{End, within};
use super::steps::{self, BITS, Buffers, Callee, Layout, State};
use super::values::{Value, Values};
use super::{enough_steps, words_of};
use crate::claim::Places;
use crate::error::{Error, Result};
use crate::facts::Pair;
use crate::image::{Code, Function, Image};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};

/// A proven piece.
pub struct Piece {
    pub name: &'static str,
    pub ran: BTreeSet<u64>,
    pub text: String,
}

impl Piece {
    /// A piece of code, and its segments.
    pub fn new(
        name: &'static str,
        (image, start, size): (&Image, u64, u64),
        ran: BTreeSet<u64>,
        body: String,
    ) -> Result<Self> {
        let hash = image.hash(start, size)?;
        let text = format!("code {hash} {start:x} {size:x}\n{body}end certificate\n");
        Ok(Self { name, ran, text })
    }
}

/// A function and a modulus.
pub struct Task<'a> {
    image: &'a Image,
    f: &'a Function,
    code: &'a Code,
    pub(super) m: &'a Int,
    words: usize,
    pub(super) top: usize,
    pub(super) vartime: bool,
    pub(super) layout: Layout,
}

pub(super) const NAMES: [&str; 4] = ["f", "g", "d", "e"];

pub(super) fn unproven<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Unproven(why.into()))
}

pub(super) fn unit(k: usize) -> Int {
    number::power_of_two(k)
}

/// sum(limbs * 2^(60 * i)).
pub(super) fn whole(limbs: &[Poly]) -> Poly {
    let terms = limbs.iter().enumerate();
    terms.fold(Poly::default(), |sum, (i, p)| sum.add_scaled(p, &unit(BITS * i)))
}

/// Least and greatest of each number: f, g, d, e.
pub(super) fn range(number: usize, m: &Int) -> (Int, Int) {
    if number < 2 { (-m.clone(), m.clone()) } else { (m * Int::from(-2) + 1, m - 1) }
}

impl<'a> Task<'a> {
    /// Runs the function on numbers to find its places.
    pub fn new(
        image: &'a Image,
        f: &'a Function,
        code: &'a Code,
        m: &'a Int,
        words: usize,
    ) -> Result<Self> {
        let calls = code.values().filter(|i| i.is_call_near());
        let vartime = calls
            .filter_map(|i| Callee::at(image, i.near_branch_target()))
            .any(|c| c == Callee::Batch);
        let mut task = Self {
            image,
            f,
            code,
            m,
            words,
            top: 64 * words / BITS,
            vartime,
            layout: Layout::default(),
        };
        let constants = |n: &Int| words_of(n, words).into_iter().map(Value::constant).collect();
        // any numbers below m; a place that holds a limb by chance does not in both runs
        for (a, b) in [(3, 5), (7, 4)] {
            let x = number::floor_div(m, &Int::from(a));
            let factor = task
                .factor()
                .unwrap_or_else(|| number::floor_div(&(m * Int::from(2)), &Int::from(b)));
            let buffers = task.buffers(constants(&factor), constants(&x), constants(m));
            let state = State::new(m, &x, &factor, vartime);
            let found = steps::layout(image, (code, f.start), &buffers, state, (m, task.top))?;
            task.layout = if task.layout.head == 0 { found } else { task.layout.common(&found) };
        }
        Ok(task)
    }

    /// The factor, where the code has it: R^2 modulo m.
    fn factor(&self) -> Option<Int> {
        (self.f.stem() != "divsteps_quotient")
            .then(|| number::modulo(&unit(128 * self.words), self.m))
    }

    fn buffers(&self, factor: Vec<Value>, x: Vec<Value>, m: Vec<Value>) -> Buffers<Value> {
        let mut out: Buffers<Value> = vec![(Register::RDI, "out".into(), Vec::new())];
        if self.factor().is_some() {
            out.push((Register::RSI, "x".into(), x));
        } else {
            out.push((Register::RSI, "factor".into(), factor));
            out.push((Register::RDX, "x".into(), x));
            out.push((Register::RCX, "modulus".into(), m));
        }
        out
    }

    /// All pieces.
    pub fn prove(&self) -> Result<Vec<Piece>> {
        let (start, cells) = self.start()?;
        let mut frame = agreeing(&cells, &cells);
        loop {
            let (mut pieces, end) = self.turn(&frame)?;
            let kept = agreeing(&frame, &end);
            if kept.len() == frame.len() {
                pieces.insert(0, start);
                return Ok(pieces);
            }
            frame = kept;
        }
    }

    pub(super) fn piece(
        &self,
        name: &'static str,
        ran: BTreeSet<u64>,
        body: String,
    ) -> Result<Piece> {
        Piece::new(name, (self.image, self.f.start, self.f.size), ran, body)
    }

    /// Bounds of a limb.
    pub(super) fn limb_range(&self, number: usize, i: usize) -> (Int, Int) {
        if i < self.top {
            return (Int::ZERO, unit(BITS) - 1);
        }
        let ((lo, hi), at) = (range(number, self.m), unit(BITS * i));
        (number::floor_div(&lo, &at), number::floor_div(&hi, &at))
    }

    /// From the entry to the head of the loop.
    fn start(&self) -> Result<(Piece, BTreeMap<Place, Cell>)> {
        let mut cpu = Cpu::default();
        let mut words = || -> Result<Vec<Value>> {
            let most = unit(64) - 1;
            (0..self.words).map(|_| cpu.values.input(&Int::ZERO, &most)).collect()
        };
        let (x, factor) = (words()?, if self.factor().is_none() { words()? } else { Vec::new() });
        let total = |words: &[Value]| {
            let terms = words.iter().enumerate();
            terms.fold(Poly::default(), |sum, (i, w)| sum.add_scaled(&w.p, &unit(64 * i)))
        };
        let below = Poly::constant(self.m - 1);
        let mut promises = Vec::new();
        for n in [&x, &factor] {
            promises.push(cpu.values.facts.assume(below.sub(&total(n)))?);
        }
        let m = words_of(self.m, self.words).into_iter().map(Value::constant).collect();
        cpu.cells = steps::entry(&self.buffers(factor.clone(), x.clone(), m));
        let mut ran = BTreeSet::new();
        self.run(
            &mut cpu,
            self.f.start,
            &mut ran,
            &mut |_, at| Ok(at == self.layout.head),
            &mut no_call,
        )?;
        let limbs = self.limbs(&mut cpu)?;
        let constant = |limbs: &[Value], n: &Int| {
            let got = whole(&limbs.iter().map(|v| v.p.clone()).collect::<Vec<_>>()).as_constant();
            if got.as_ref() == Some(n) {
                Ok(())
            } else {
                unproven(format!("{got:?} instead of {n}"))
            }
        };
        for (places, n) in [(&self.layout.counter, 0), (&self.layout.delta, u8::from(self.vartime))]
        {
            for place in places {
                match cpu.cells.get(place) {
                    Some(Cell::Value(v)) if v.known() == Some(Int::from(n)) => {}
                    other => return unproven(format!("{place:?} holds {other:?} instead of {n}")),
                }
            }
        }
        constant(&limbs[0], self.m)?;
        constant(&limbs[2], &Int::ZERO)?;
        let mut end = End::default();
        for (number, words, promise) in [(1, &x, promises[0]), (3, &factor, promises[1])] {
            if let (3, Some(n)) = (number, self.factor()) {
                constant(&limbs[3], &n)?;
                continue;
            }
            let places = self.places(&mut end, &limbs[number]);
            let sum = total(words);
            end.zero(NAMES[number], (Int::ZERO, Int::ONE), sum.clone(), places.clone(), Vec::new());
            let terms: Vec<_> = words
                .iter()
                .enumerate()
                .map(|(i, w)| Ok((unit(64 * i), cpu.values.pair(w)?.low)))
                .collect::<Result<_>>()?;
            let low = cpu.values.derive(&Int::ONE, sum, &terms)?;
            let pair = Pair { low, high: promise };
            end.whole(
                &format!("{}_range", NAMES[number]),
                places.clone(),
                (Int::ZERO, self.m - 1),
                pair,
            );
            self.limb_goals(
                &mut cpu.values,
                &mut end,
                number,
                &limbs[number],
                &places,
                pair,
                (Int::ZERO, self.m - 1),
            )?;
        }
        let body = end.text("whole", &mut cpu.values)?;
        Ok((self.piece("start", ran, body)?, cpu.cells))
    }

    /// Outputs for limbs.
    pub(super) fn places(&self, end: &mut End, limbs: &[Value]) -> Places {
        limbs.iter().enumerate().map(|(i, v)| (end.out(&v.p), BITS * i)).collect()
    }

    /// Goals that limbs are in their bounds: the highest one by those of the whole number.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn limb_goals(
        &self,
        values: &mut Values,
        end: &mut End,
        number: usize,
        limbs: &[Value],
        places: &Places,
        pair: Pair,
        (lo, hi): (Int, Int),
    ) -> Result<()> {
        let at = unit(BITS * self.top);
        let (mut above, mut below) = (vec![(Int::ONE, pair.high)], vec![(Int::ONE, pair.low)]);
        for (i, limb) in limbs.iter().enumerate().take(self.top) {
            let (least, most) = self.limb_range(number, i);
            let pair = within(values, limb, &least, &most)?;
            end.limb(&format!("{}{i}", NAMES[number]), places[i].0, (least, most), pair);
            above.push((unit(BITS * i), pair.low));
            below.push((unit(BITS * i), pair.high));
        }
        let (least, most) = (number::floor_div(&lo, &at), number::floor_div(&hi, &at));
        let top = limbs[self.top].p.clone();
        let low = values.derive(&at, top.plus(&-least), &below)?;
        let high = values.derive(&at, Poly::constant(most).sub(&top), &above)?;
        let (least, most) = self.limb_range(number, self.top);
        let limb = values.with_bounds(
            top,
            number::floor_div(&lo, &at),
            number::floor_div(&hi, &at),
            low,
            high,
        );
        let pair = within(values, &limb, &least, &most)?;
        end.limb(
            &format!("{}{}", NAMES[number], self.top),
            places[self.top].0,
            (least, most),
            pair,
        );
        Ok(())
    }

    /// Runs until `stop` says so, before the instruction at an address; the address.
    pub(super) fn run(
        &self,
        cpu: &mut Cpu,
        start: u64,
        ran: &mut BTreeSet<u64>,
        stop: &mut dyn FnMut(&mut Cpu, u64) -> Result<bool>,
        call: &mut dyn FnMut(&mut Cpu, Callee) -> Result<()>,
    ) -> Result<u64> {
        let mut at = start;
        for _ in 0..100_000 {
            if !(ran.is_empty() && at == start) && stop(cpu, at)? {
                return Ok(at);
            }
            let Some(i) = self.code.get(&at) else {
                return unproven(format!("no instruction at {at:x}"));
            };
            let flow = cpu.step(i)?;
            ran.insert(at);
            at = match flow {
                Flow::To(to) => to,
                Flow::Call(to, next) => match Callee::at(self.image, to) {
                    Some(Callee::Compare) => {
                        Callee::Compare.forget(cpu);
                        next
                    }
                    Some(callee) => {
                        call(cpu, callee)?;
                        next
                    }
                    None => return unproven(format!("{at:x}: a call that is not expected")),
                },
                Flow::Either(taken, not) => {
                    let ways: Vec<u64> =
                        [taken, not].into_iter().filter(|to| self.leads_to_head(*to)).collect();
                    let on_zero = if i.condition_code() == ConditionCode::e { taken } else { not };
                    match ways[..] {
                        [way] if way != on_zero => {
                            self.check_end(cpu, at)?;
                            way
                        }
                        _ => {
                            return unproven(format!(
                                "{at:x}: a branch that is not the loop's end"
                            ));
                        }
                    }
                }
                Flow::Return => return unproven(format!("{at:x}: a return")),
            };
        }
        unproven("a loop that does not end")
    }

    fn leads_to_head(&self, from: u64) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            if at == self.layout.head {
                return true;
            }
            if seen.insert(at)
                && let Some(i) = self.code.get(&at)
            {
                open.extend(steps::successors(i));
            }
        }
        false
    }

    /// In constant time the loop ends by its counter, after enough turns.
    fn check_end(&self, cpu: &Cpu, at: u64) -> Result<()> {
        if self.vartime {
            return Ok(());
        }
        let Some(zero) = &cpu.zero else {
            return unproven(format!("{at:x}: a branch by no counter"));
        };
        let turns = enough_steps(64 * self.words).div_ceil(BITS);
        let counter = Poly::var(self.counter_var());
        if zero.p != counter.plus(&Int::from(1 - turns as i64)) {
            return unproven(format!(
                "{at:x}: the loop ends where {} is 0, not after {turns} turns",
                zero.p
            ));
        }
        Ok(())
    }

    /// The first input: the counter.
    pub(super) fn counter_var(&self) -> Var {
        0
    }

    /// One turn of the loop.
    fn turn(&self, frame: &BTreeMap<Place, Cell>) -> Result<(Vec<Piece>, BTreeMap<Place, Cell>)> {
        if self.vartime {
            let (next, ran) = self.batch(frame)?;
            let (piece, end) = self.apply(frame, next, ran)?;
            return Ok((vec![piece], end));
        }
        let (matrix, next) = self.matrix(frame)?;
        let (apply, end) = self.apply(frame, next, BTreeSet::new())?;
        Ok((vec![matrix, apply], end))
    }
}

/// The rule where no call is expected.
pub fn no_call(_: &mut Cpu, callee: Callee) -> Result<()> {
    unproven(format!("a call of {callee:?}"))
}

/// Cells of a frame that others agree with: constants, addresses and saved registers.
fn agreeing(frame: &BTreeMap<Place, Cell>, end: &BTreeMap<Place, Cell>) -> BTreeMap<Place, Cell> {
    let same = |(place, cell): &(&Place, &Cell)| match (cell, end.get(place)) {
        (Cell::Value(a), Some(Cell::Value(b))) => a.known().is_some() && a.known() == b.known(),
        (Cell::Pointer(a, i), Some(Cell::Pointer(b, j))) => a == b && i == j,
        (Cell::Saved(a), Some(Cell::Saved(b))) => a == b,
        _ => false,
    };
    frame.iter().filter(same).map(|(p, c)| (p.clone(), c.clone())).collect()
}
