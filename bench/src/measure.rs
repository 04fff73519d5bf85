//! One operation in one size: every engine is checked, then timed in turns, slot after slot, so
//! that a drift of the clock hits all alike. Each slot works on other rows, the same ones for every
//! engine, and every answer of every slot is compared.

use crate::clock::{tsc_end, tsc_start};
use crate::engines::Entrant;
use crate::inputs::{Damage, Inputs, Store};
use crate::ops::{Answer, Lengths, Op};
use crate::patterns::Pattern;
use sigmill_bench_abi::{Engine, Offer, Task};
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{fs, iter, thread};

/// Rows of a slot, unless one operation has more.
const SLOT_ROWS: usize = 16;
/// Rows that are done, untimed, at the start of each slot, at least one operation: an engine finds the
/// caches and the clock as the one before has left them, its own code not among them.
const WARM_ROWS: usize = 4;
/// Operations on more rows than this, which last ten milliseconds and more, need no such start.
const WARM_AT_MOST: usize = 1024;
/// Signatures of a slot that are verified, where they cannot be compared.
const VERIFIED: usize = 4;
/// Rows of each pattern.
const PATTERN_ROWS: usize = 64;
/// Quantiles that the record keeps at most.
const SAMPLES: usize = 200;
/// Rounds without which a median means nothing.
const LEAST_ROUNDS: usize = 3;

/// What is measured, and for how long.
pub(crate) struct Cell {
    pub(crate) op: &'static Op,
    pub(crate) n: usize,
    pub(crate) budget: Duration,
}

/// Times of one engine, per signature.
pub(crate) struct Measured {
    pub(crate) engine: &'static str,
    pub(crate) backend: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) op: &'static str,
    /// How the scalars of the signatures were chosen, where they were.
    pub(crate) pattern: Option<&'static str>,
    pub(crate) n: usize,
    pub(crate) lengths: Lengths,
    pub(crate) threads: usize,
    pub(crate) slots: usize,
    pub(crate) ns_min: f64,
    pub(crate) ns_median: f64,
    pub(crate) tsc_min: f64,
    /// Times at evenly spaced quantiles, where the record keeps them.
    pub(crate) ns_samples: Option<Vec<f64>>,
}

struct Contestant {
    name: &'static str,
    engine: &'static Engine,
    offer: &'static Offer,
    pattern: Option<&'static str>,
    inputs: Rc<Inputs>,
    task: Task,
    times: Vec<f64>,
    ticks: Vec<f64>,
}

/// Where a slot begins, and how many operations it does.
struct Slot {
    first: usize,
    warm: usize,
    timed: usize,
}

impl Cell {
    fn rows(&self) -> usize {
        match self.n {
            1 if !self.op.patterns.is_empty() => PATTERN_ROWS,
            1 => 1024,
            n => n.max(4096),
        }
    }

    /// The patterns whose rows are measured; where there are none, the rows are random.
    fn patterns(&self) -> Vec<Option<&'static Pattern>> {
        if self.op.patterns.is_empty() {
            return vec![None];
        }
        self.op.patterns.iter().map(Some).collect()
    }

    fn timed(&self) -> usize {
        SLOT_ROWS.div_ceil(self.n)
    }

    fn warm(&self) -> usize {
        if self.n > WARM_AT_MOST { 0 } else { WARM_ROWS.div_ceil(self.n) }
    }

    /// The slots, each on the rows after those of the one before.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let (warm, timed) = (self.warm(), self.timed());
        let next = move |first: &usize| {
            let next = first + timed * self.n;
            let fits = next + (warm + timed) * self.n <= self.rows();
            Some(if fits { next } else { 0 })
        };
        iter::successors(Some(0), next).map(move |first| Slot { first, warm, timed })
    }
}

/// Measures a cell with all engines that have the operation.
pub(crate) fn measure(
    cell: &Cell,
    entrants: &[Entrant],
    store: &mut Store,
) -> Result<Vec<Measured>, String> {
    await_one_thread()?;
    let mut contestants = Vec::new();
    for pattern in cell.patterns() {
        let inputs = store.get(cell.op, pattern, cell.rows());
        for entrant in entrants {
            let Ok(engine) = entrant.engine else { continue };
            for offer in engine.offers.get().iter().filter(|x| x.op.as_str() == cell.op.name) {
                let Some(mut task) = offer.prepare(&inputs.rows(), cell.n) else { continue };
                let name = entrant.name;
                check_answers(cell, name, &mut task, &inputs)?;
                check_refusals(cell, name, offer, &inputs)?;
                let (pattern, inputs) = (pattern.map(|pattern| pattern.name), Rc::clone(&inputs));
                let (times, ticks) = (Vec::new(), Vec::new());
                let contestant =
                    Contestant { name, engine, offer, pattern, inputs, task, times, ticks };
                contestants.push(contestant);
            }
        }
    }
    let (op, n) = (cell.op.name, cell.n);
    eprintln!("bench: {op}, n = {n}: {} contestants", contestants.len());
    if contestants.is_empty() {
        eprintln!("bench: no available engine offers {op} with n = {n}");
        return Ok(Vec::new());
    }
    let start = Instant::now();
    for (round, slot) in cell.slots().enumerate() {
        if round >= LEAST_ROUNDS && start.elapsed() >= cell.budget {
            break;
        }
        for contestant in &mut contestants {
            contestant.slot(cell, &slot)?;
        }
    }
    check_threads(cell.op, contestants.len())?;
    Ok(contestants.into_iter().map(|contestant| contestant.result(cell)).collect())
}

impl Contestant {
    fn slot(&mut self, cell: &Cell, slot: &Slot) -> Result<(), String> {
        let rows = &self.inputs.rows();
        let (n, width) = (cell.n, cell.op.answer_width());
        let (warm, timed) = (slot.warm * n, slot.timed * n);
        let mut got = vec![0xff; (warm + timed) * width];
        let mut operations = got.chunks_exact_mut(n * width).zip((slot.first..).step_by(n));
        for (answer, first) in operations.by_ref().take(slot.warm) {
            self.task.run(rows, first..first + n, answer);
        }
        let start = Instant::now();
        let tsc = tsc_start();
        for (answer, first) in operations {
            self.task.run(rows, first..first + n, answer);
        }
        let ticks = tsc_end() - tsc;
        let elapsed = start.elapsed();
        // signatures that cannot be compared: other ones of a slot in every round
        let step = (warm + timed).div_ceil(VERIFIED);
        let skipped = self.times.len() % step;
        if !self.inputs.are_right(cell.op, slot.first, &got, skipped, step) {
            let (name, op) = (self.name, cell.op.name);
            let rows = slot.first..slot.first + warm + timed;
            return Err(format!("{name} gave a wrong answer: {op}, n = {n}, rows {rows:?}"));
        }
        self.times.push(elapsed.as_nanos() as f64 / timed as f64);
        self.ticks.push(ticks as f64 / timed as f64);
        Ok(())
    }

    fn result(mut self, cell: &Cell) -> Measured {
        self.times.sort_by(f64::total_cmp);
        self.ticks.sort_by(f64::total_cmp);
        Measured {
            engine: self.name,
            backend: self.offer.backend(self.engine),
            rule: self.offer.rule.as_str(),
            op: cell.op.name,
            pattern: self.pattern,
            n: cell.n,
            lengths: cell.op.lengths,
            threads: cell.op.threads,
            slots: self.times.len(),
            ns_min: self.times[0],
            ns_median: self.times[self.times.len() / 2],
            tsc_min: self.ticks[0],
            ns_samples: cell.op.is_sampled(cell.n).then(|| quantiles(&self.times)),
        }
    }
}

/// The first operation, every answer of it.
fn check_answers(cell: &Cell, name: &str, task: &mut Task, inputs: &Inputs) -> Result<(), String> {
    let mut got = vec![0xff; cell.n * cell.op.answer_width()];
    task.run(&inputs.rows(), 0..cell.n, &mut got);
    if inputs.are_right(cell.op, 0, &got, 0, 1) {
        return Ok(());
    }
    Err(format!("{name} gave a wrong answer: {}, n = {}, the first time", cell.op.name, cell.n))
}

/// An engine that accepts what is damaged has not verified. With one row damaged, an engine may
/// refuse that row alone or the whole batch.
fn check_refusals(
    cell: &Cell,
    name: &str,
    offer: &'static Offer,
    inputs: &Inputs,
) -> Result<(), String> {
    let damages = match cell.op.answer {
        Answer::Valid if cell.n <= 256 => &[Damage::R, Damage::S, Damage::Message][..],
        Answer::Valid => &[Damage::S],
        Answer::Point => &[Damage::Key],
        Answer::PublicKey | Answer::Signature | Answer::SomeSignature | Answer::SharedSecret => &[],
    };
    for &damage in damages {
        let row = cell.n * 2 / 3;
        let damaged = inputs.damaged(row, damage);
        let mut task = offer.prepare(&damaged.rows(), cell.n).expect("prepared before");
        let mut got = vec![0xff; cell.n];
        task.run(&damaged.rows(), 0..cell.n, &mut got);
        let (op, n) = (cell.op.name, cell.n);
        let place = format!("{op}, n = {n}, row {row}, damaged: {damage:?}");
        if got[row] != 0 {
            return Err(format!("{name} accepted what is damaged: {place}"));
        }
        let others = got.iter().enumerate().filter(|(i, _)| *i != row).map(|(_, answer)| *answer);
        if others.clone().any(|answer| answer != 1) && others.clone().any(|answer| answer != 0) {
            return Err(format!("{name} refused some of the other rows: {place}"));
        }
    }
    Ok(())
}

/// Evenly spaced quantiles of sorted times, each in the middle of its share.
fn quantiles(sorted: &[f64]) -> Vec<f64> {
    let count = sorted.len().min(SAMPLES);
    (0..count).map(|i| sorted[(2 * i + 1) * sorted.len() / (2 * count)]).collect()
}

/// An engine with threads of its own would be compared with engines that have one. Where an operation
/// has several, each contestant keeps its own, which sleep between its slots, and the program waits.
fn check_threads(op: &Op, contestants: usize) -> Result<(), String> {
    let allowed = if op.threads == 1 { 1 } else { 1 + op.threads * contestants };
    let (name, threads) = (op.name, threads());
    if threads <= allowed {
        return Ok(());
    }
    Err(format!("an engine of {name} started threads: there are {threads}, not {allowed}"))
}

/// Threads of the operation before end a moment after they were told to.
fn await_one_thread() -> Result<(), String> {
    let start = Instant::now();
    while threads() > 1 {
        if start.elapsed() > Duration::from_secs(5) {
            return Err(format!("threads are left from before: {}", threads()));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}
