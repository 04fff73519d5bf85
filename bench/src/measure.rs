//! One operation in one size: every engine is checked, then timed in turns, slot after slot, so
//! that a drift of the clock hits all alike. Each slot works on other rows, the same ones for every
//! engine, and every answer of every slot is compared.
//!
//! If the machine had other work or its clock moved, medians say nothing. Then all engines are timed again
//! together, a few times at most, and the times are those of the try that was disturbed least.

use crate::args::Args;
use crate::clock::{ticks_end, ticks_start};
use crate::engines::Entrant;
use crate::inputs::{Damage, Inputs, Store};
use crate::ops::{Answer, Op};
use crate::patterns::Pattern;
use crate::positions::{Positions, Spread};
use crate::random::Random;
use crate::results::{Counted, Measured, Subject};
use crate::threads;
use sigmill_bench_abi::{Engine, Offer, Task};
use std::hint::black_box;
use std::iter;
use std::rc::Rc;
use std::time::{Duration, Instant};

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
/// A median above this many times the least time that was seen is one of a disturbed machine. Cold operations,
/// each timed by itself, differ more: there it is the lower quartile.
const STEADY: f64 = 1.1;
/// Bytes that are walked before a cold operation: more than fit beside it into a second-level cache.
const WALKED: usize = 16 << 20;
/// Bytes of a cache line.
const LINE: usize = 64;

/// One cell of the measurement.
struct Cell {
    op: &'static Op,
    n: usize,
}

/// How long a try takes, how many there are at most, and how long all of them may.
pub(crate) struct Patience {
    budget: Duration,
    tries: usize,
    start: Instant,
    all: Option<Duration>,
}

impl Patience {
    /// As the command line says, from now on.
    pub(crate) fn new(args: &Args) -> Patience {
        let minutes = args.minutes.map(|minutes| Duration::from_secs(60 * minutes));
        Patience {
            budget: Duration::from_secs_f64(args.seconds),
            tries: args.tries as usize,
            start: Instant::now(),
            all: minutes,
        }
    }

    /// Whether this share of the time is over: what comes later needs the rest.
    fn is_over(&self, share: f64) -> bool {
        self.all.is_some_and(|all| self.start.elapsed() >= all.mul_f64(share))
    }
}

struct Contestant {
    name: &'static str,
    engine: &'static Engine,
    offer: &'static Offer,
    pattern: Option<&'static str>,
    inputs: Rc<Inputs>,
    task: Task,
    /// Of each try, or of each position of the stack.
    times: Vec<Times>,
}

/// The times of one try or position, slot by slot until they are sorted.
#[derive(Default)]
struct Times {
    nanos: Vec<f64>,
    ticks: Vec<f64>,
}

impl Times {
    fn sort(&mut self) {
        self.nanos.sort_by(f64::total_cmp);
        self.ticks.sort_by(f64::total_cmp);
    }

    /// The reference for a median, from sorted times.
    fn low(&self, is_cold: bool) -> f64 {
        self.nanos[if is_cold { self.nanos.len() / 4 } else { 0 }]
    }

    /// Of sorted times.
    fn median(&self) -> f64 {
        self.nanos[self.nanos.len() / 2]
    }
}

/// The first row of a slot, and how many operations it does.
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
        if self.op.is_cold { 1 } else { SLOT_ROWS.div_ceil(self.n) }
    }

    fn warm(&self) -> usize {
        if self.op.is_cold || self.n > WARM_AT_MOST { 0 } else { WARM_ROWS.div_ceil(self.n) }
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

/// Measures an operation in one size with all engines that have it. Of all that is to be measured, `share` is
/// done after it.
pub(crate) fn measure(
    op: &'static Op,
    n: usize,
    patience: &Patience,
    share: f64,
    entrants: &[Entrant],
    store: &mut Store,
) -> Result<Vec<Measured>, String> {
    let cell = &Cell { op, n };
    let mut contestants = contestants(cell, entrants, store)?;
    if contestants.is_empty() {
        return Ok(Vec::new());
    }
    let mut slots = cell.slots();
    let mut caches = Caches::new(op);
    for tries in 1.. {
        run_try(cell, patience.budget, &mut slots, &mut caches, &mut contestants)?;
        let (_, disturbed) = calmest(cell, &contestants);
        if disturbed == 0 || tries >= patience.tries || patience.is_over(share) {
            break;
        }
        eprintln!("bench: disturbed were {disturbed} of {}; once more", contestants.len());
    }
    threads::check(op, contestants.len())?;
    let (calmest, _) = calmest(cell, &contestants);
    Ok(contestants.into_iter().map(|contestant| contestant.result(cell, calmest)).collect())
}

/// The same at each position of the stack, for `budget`. In a round every contestant has the same slot at every
/// position, so that rows and what else changes with time hit all positions alike.
pub(crate) fn measure_positions(
    op: &'static Op,
    n: usize,
    positions: Positions,
    budget: Duration,
    entrants: &[Entrant],
    store: &mut Store,
) -> Result<Vec<Spread>, String> {
    if op.threads > 1 {
        let name = op.name;
        eprintln!("bench: {name} is left out: its threads have stacks that are not moved");
        return Ok(Vec::new());
    }
    let cell = &Cell { op, n };
    let mut contestants = contestants(cell, entrants, store)?;
    if contestants.is_empty() {
        return Ok(Vec::new());
    }
    for contestant in &mut contestants {
        contestant.times.resize_with(positions.count, Times::default);
    }
    let mut caches = Caches::new(op);
    let start = Instant::now();
    for (round, slot) in cell.slots().enumerate() {
        for position in positions.from(round) {
            for contestant in &mut contestants {
                caches.take();
                positions.work(position, || contestant.slot(cell, &slot, position))?;
            }
        }
        if round + 1 >= LEAST_ROUNDS && start.elapsed() >= budget {
            break;
        }
    }
    threads::check(op, contestants.len())?;
    Ok(contestants.into_iter().map(|contestant| contestant.spread(cell, positions)).collect())
}

/// The instructions of all engines that have the operation in that size. No try disturbs another one, so that a few
/// rounds are enough; their rows differ.
pub(crate) fn count(
    op: &'static Op,
    n: usize,
    entrants: &[Entrant],
    store: &mut Store,
) -> Result<Vec<Counted>, String> {
    if op.threads > 1 {
        eprintln!("bench: {} is left out: instructions of one thread are counted", op.name);
        return Ok(Vec::new());
    }
    let cell = &Cell { op, n };
    let mut contestants = contestants(cell, entrants, store)?;
    for contestant in &mut contestants {
        contestant.times.push(Times::default());
        for slot in cell.slots().take(LEAST_ROUNDS) {
            contestant.slot(cell, &slot, 0)?;
        }
    }
    threads::check(op, contestants.len())?;
    Ok(contestants.into_iter().map(|contestant| contestant.counted(cell)).collect())
}

/// All engines that have the operation in that size, checked.
fn contestants(
    cell: &Cell,
    entrants: &[Entrant],
    store: &mut Store,
) -> Result<Vec<Contestant>, String> {
    threads::await_first()?;
    let (op, n) = (cell.op, cell.n);
    let mut contestants = Vec::new();
    for pattern in cell.patterns() {
        let inputs = store.get(op, pattern, cell.rows());
        for entrant in entrants {
            let Ok(engine) = entrant.engine else { continue };
            for offer in engine.offers.get().iter().filter(|x| x.op.as_str() == op.offer) {
                let Some(mut task) = offer.prepare(&inputs.rows(), n) else { continue };
                let name = entrant.name;
                check_answers(cell, name, &mut task, &inputs)?;
                check_refusals(cell, name, offer, &inputs)?;
                let (pattern, inputs) = (pattern.map(|pattern| pattern.name), Rc::clone(&inputs));
                let times = Vec::new();
                let contestant = Contestant { name, engine, offer, pattern, inputs, task, times };
                contestants.push(contestant);
            }
        }
    }
    let name = op.name;
    eprintln!("bench: {name}, n = {n}: {} contestants", contestants.len());
    if contestants.is_empty() {
        eprintln!("bench: no available engine offers {name} with n = {n}");
    }
    Ok(contestants)
}

/// Rounds in which each contestant has the next slot, until the time is over. The order changes in each:
/// after code in words a CPU is slow with wide vectors at first, and the same contestant would always pay for it.
fn run_try(
    cell: &Cell,
    budget: Duration,
    slots: &mut impl Iterator<Item = Slot>,
    caches: &mut Caches,
    contestants: &mut [Contestant],
) -> Result<(), String> {
    for contestant in &mut *contestants {
        contestant.times.push(Times::default());
    }
    let last = contestants[0].times.len() - 1;
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mut random = Random::new(0);
    let start = Instant::now();
    for (round, slot) in slots.enumerate() {
        random.shuffle(&mut order);
        for &i in &order {
            caches.take();
            contestants[i].slot(cell, &slot, last)?;
        }
        if round + 1 >= LEAST_ROUNDS && start.elapsed() >= budget {
            break;
        }
    }
    for contestant in contestants {
        contestant.times[last].sort();
    }
    Ok(())
}

/// The try in which the fewest contestants were disturbed, of several the one whose worst is best; and how
/// many were disturbed in it.
fn calmest(cell: &Cell, contestants: &[Contestant]) -> (usize, usize) {
    let rank = |i: usize| {
        let excess = contestants.iter().map(|contestant| contestant.excess(cell, i));
        let disturbed = excess.clone().filter(|excess| *excess > STEADY).count();
        (disturbed, excess.fold(1.0, f64::max))
    };
    let ranks = (0..contestants[0].times.len()).map(|i| (i, rank(i)));
    let order = |a: &(usize, f64), b: &(usize, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let (calmest, (disturbed, _)) = ranks.min_by(|a, b| order(&a.1, &b.1)).expect("one try");
    (calmest, disturbed)
}

/// Memory that displaces the caches between two cold operations.
struct Caches {
    lines: Vec<[u8; LINE]>,
}

impl Caches {
    /// Nothing where operations are not cold.
    fn new(op: &Op) -> Caches {
        Caches { lines: vec![[0; LINE]; if op.is_cold { WALKED / LINE } else { 0 }] }
    }

    /// Writes to every line.
    fn take(&mut self) {
        for line in &mut self.lines {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&mut self.lines);
    }
}

impl Contestant {
    /// The median of a try to the least of what medians of all tries are held against.
    fn excess(&self, cell: &Cell, i: usize) -> f64 {
        self.times[i].median() / self.least(|times| times.low(cell.op.is_cold))
    }

    /// The least of the tries.
    fn least(&self, time: impl Fn(&Times) -> f64) -> f64 {
        self.times.iter().map(time).fold(f64::INFINITY, f64::min)
    }

    /// Does a slot, whose times become some of those with that number.
    fn slot(&mut self, cell: &Cell, slot: &Slot, number: usize) -> Result<(), String> {
        let rows = &self.inputs.rows();
        let (n, width) = (cell.n, cell.op.answer_width());
        let (warm, timed) = (slot.warm * n, slot.timed * n);
        let mut got = vec![0xff; (warm + timed) * width];
        let mut operations = got.chunks_exact_mut(n * width).zip((slot.first..).step_by(n));
        for (answer, first) in operations.by_ref().take(slot.warm) {
            self.task.run(rows, first..first + n, answer);
        }
        let start = Instant::now();
        let first = ticks_start();
        for (answer, first) in operations {
            self.task.run(rows, first..first + n, answer);
        }
        let ticks = ticks_end() - first;
        let elapsed = start.elapsed();
        // signatures that cannot be compared: other ones of a slot in every round
        let step = (warm + timed).div_ceil(VERIFIED);
        let times = &mut self.times[number];
        let skipped = times.nanos.len() % step;
        if !self.inputs.are_right(cell.op, slot.first, &got, skipped, step) {
            let (name, op) = (self.name, cell.op.name);
            let rows = slot.first..slot.first + warm + timed;
            return Err(format!("{name} gave a wrong answer: {op}, n = {n}, rows {rows:?}"));
        }
        times.nanos.push(elapsed.as_nanos() as f64 / timed as f64);
        times.ticks.push(ticks as f64 / timed as f64);
        Ok(())
    }

    fn subject(&self, cell: &Cell) -> Subject {
        Subject {
            engine: self.name,
            backend: self.offer.backend(self.engine, cell.n),
            rule: self.offer.rule.as_str(),
            op: cell.op.name,
            pattern: self.pattern,
            n: cell.n,
            lengths: cell.op.lengths,
            threads: cell.op.threads,
        }
    }

    /// The times at each position.
    fn spread(self, cell: &Cell, positions: Positions) -> Spread {
        let nanos: Vec<&[f64]> = self.times.iter().map(|times| &times.nanos[..]).collect();
        Spread::new(self.subject(cell), positions, &nanos)
    }

    /// The mean of the slots.
    fn counted(self, cell: &Cell) -> Counted {
        let counts = &self.times[0].ticks;
        let instructions = counts.iter().sum::<f64>() / counts.len() as f64;
        Counted { subject: self.subject(cell), slots: counts.len(), instructions }
    }

    /// The times of the try with that number.
    fn result(self, cell: &Cell, kept: usize) -> Measured {
        let times = &self.times[kept];
        Measured {
            subject: self.subject(cell),
            slots: times.nanos.len(),
            tries: self.times.len(),
            is_disturbed: self.excess(cell, kept) > STEADY,
            ns_min: self.least(|times| times.nanos[0]),
            ns_median: times.median(),
            tsc_min: self.least(|times| times.ticks[0]),
            ns_samples: cell.op.is_sampled(cell.n).then(|| quantiles(&times.nanos)),
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
