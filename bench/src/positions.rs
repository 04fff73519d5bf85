//! Positions of the stack. Operands on the stack share the last twelve bits of their addresses with tables and with
//! memory of the caller, or do not, by where the stack lies modulo 4096; loads then wait for stores that they do not
//! depend on. The length of the environment is enough to move it. Here each position is measured, and what is told
//! is how far the best and the worst are apart.
//!
//! A position is the number of bytes by which the stack is moved down from a place that is the same modulo 4096 in
//! every run.

use crate::engines::OURS;
use crate::results::Subject;
use std::fmt::Write;
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Bytes after which low bits of addresses are the same again.
const PAGE: usize = 4096;
/// Bytes of a cache line; positions are whole lines apart.
const LINE: usize = 64;
/// Positions there are at most.
const MOST: usize = PAGE / LINE;
/// A worst time up to this many times the best is fine.
const EVEN: f64 = 1.1;

/// Evenly spread positions, a power of two of them.
#[derive(Clone, Copy)]
pub(crate) struct Positions {
    pub(crate) count: usize,
}

impl Positions {
    /// From the number of them.
    pub(crate) fn parse(text: &str) -> Result<Positions, String> {
        match text.parse() {
            Ok(count) if usize::is_power_of_two(count) && count <= MOST => Ok(Positions { count }),
            _ => Err("1, 2, 4, 8, 16, 32 or 64 positions are needed".into()),
        }
    }

    /// Bytes between two of them.
    fn step(self) -> usize {
        PAGE / self.count
    }

    /// The positions by number, in another order each round: the first of a round finds its rows in no cache.
    pub(crate) fn from(self, round: usize) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| (round + i) % self.count)
    }

    /// Works with the stack at the position of that number.
    pub(crate) fn work<T>(self, number: usize, mut work: impl FnMut() -> T) -> T {
        let lines = number * self.step() / LINE;
        let mut result = None;
        let mut keep = || result = Some(work());
        on_page(&mut || EIGHTS[lines / 8](&mut || ONES[lines % 8](&mut keep)));
        result.expect("the work has been done")
    }

    /// Makes sure that the compiler has left frames as they are meant.
    pub(crate) fn check(self) -> Result<(), String> {
        let address = |number| {
            self.work(number, || {
                let local = 0_u8;
                black_box(&raw const local).addr()
            })
        };
        let first = address(0);
        for number in 0..self.count {
            let moved = first.wrapping_sub(address(number)) % PAGE;
            if moved != number * self.step() {
                let meant = number * self.step();
                return Err(format!("the stack was moved by {moved} bytes instead of {meant}"));
            }
        }
        Ok(())
    }
}

type Frame = fn(&mut dyn FnMut());

/// Frames that are one line apart in size, and eight lines. None is empty: an empty one would lack what the
/// compiler puts beside the lines.
const ONES: [Frame; 8] =
    [down::<1>, down::<2>, down::<3>, down::<4>, down::<5>, down::<6>, down::<7>, down::<8>];
const EIGHTS: [Frame; 8] =
    [down::<1>, down::<9>, down::<17>, down::<25>, down::<33>, down::<41>, down::<49>, down::<57>];

/// Works below a frame of that many lines.
#[inline(never)]
fn down<const LINES: usize>(work: &mut dyn FnMut()) {
    let mut lines = [MaybeUninit::<[u8; LINE]>::uninit(); LINES];
    black_box(&mut lines);
    work();
    black_box(&mut lines);
}

#[repr(align(4096))]
struct Page(MaybeUninit<[u8; PAGE]>);

const _: () = assert!(align_of::<Page>() == PAGE);

/// Works below a frame that begins a page, wherever the stack was.
#[inline(never)]
fn on_page(work: &mut dyn FnMut()) {
    let mut page = Page(MaybeUninit::uninit());
    black_box(&mut page.0);
    work();
    black_box(&mut page.0);
}

/// Times of one engine at each position, per signature.
pub(crate) struct Spread {
    pub(crate) subject: Subject,
    positions: Positions,
    /// Slots at each position.
    pub(crate) slots: usize,
    /// The time at each position.
    pub(crate) ns: Vec<f64>,
}

impl Spread {
    /// From the times of the slots, of each position in the order of the rounds. The cost of a position is the median,
    /// over the rounds, of its time against the level of the round: the clock and the rows of a round are the same for
    /// all. Times are these at the lower quartile of the levels.
    pub(crate) fn new(subject: Subject, positions: Positions, times: &[&[f64]]) -> Spread {
        assert_eq!(times.len(), positions.count, "times of each position");
        let slots = times[0].len();
        let round = |i: usize| times.iter().map(|times| times[i]).collect();
        let levels: Vec<f64> = (0..slots).map(|i| level(round(i))).collect();
        let cost = |times: &[f64]| {
            let costs: Vec<f64> = times.iter().zip(&levels).map(|(time, all)| time / all).collect();
            sorted(costs)[slots / 2]
        };
        let costs: Vec<f64> = times.iter().map(|times| cost(times)).collect();
        let usual = sorted(levels)[slots / 4];
        Spread { subject, positions, slots, ns: costs.iter().map(|cost| cost * usual).collect() }
    }

    /// The least time, and its position in bytes.
    pub(crate) fn best(&self) -> (f64, usize) {
        self.timed().min_by(|a, b| a.0.total_cmp(&b.0)).expect("one position at least")
    }

    /// The largest time, and its position in bytes.
    pub(crate) fn worst(&self) -> (f64, usize) {
        self.timed().max_by(|a, b| a.0.total_cmp(&b.0)).expect("one position at least")
    }

    /// The worst against the best.
    pub(crate) fn ratio(&self) -> f64 {
        self.worst().0 / self.best().0
    }

    fn timed(&self) -> impl Iterator<Item = (f64, usize)> {
        self.ns.iter().copied().zip((0..).step_by(self.positions.step()))
    }
}

/// The mean of the lower three quarters: what interrupts have hit is above them.
fn level(times: Vec<f64>) -> f64 {
    let kept = (3 * times.len()).div_ceil(4);
    sorted(times)[..kept].iter().sum::<f64>() / kept as f64
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// A table for each operation and size, and which of our rows depend on the position.
pub(crate) fn report(spreads: &[Spread], positions: Positions) -> String {
    let mut text = format!(
        "Microseconds per signature at {} positions of the stack, {} bytes apart. `at`: bytes by which the stack was \
         moved down.\n",
        positions.count,
        positions.step()
    );
    for group in spreads.chunk_by(|a, b| a.subject.title() == b.subject.title()) {
        let _ = writeln!(text, "\n{}", group[0].subject.title());
        let _ = writeln!(
            text,
            "  {:<18}{:<12}{:<15}{:>9}{:>6}{:>9}{:>6}{:>8}",
            "engine", "backend", "rule", "best", "at", "worst", "at", "ratio"
        );
        for spread in group {
            let (subject, (best, best_at), (worst, worst_at)) =
                (&spread.subject, spread.best(), spread.worst());
            let _ = writeln!(
                text,
                "  {:<18}{:<12}{:<15}{:>9.3}{best_at:>6}{:>9.3}{worst_at:>6}{:>8.3}",
                subject.engine,
                subject.backend,
                subject.shown_rule(),
                best / 1000.0,
                worst / 1000.0,
                spread.ratio(),
            );
        }
    }
    let mut ours = spreads.iter().filter(|spread| spread.subject.engine == OURS).peekable();
    if ours.peek().is_none() {
        return text;
    }
    let uneven: Vec<&Spread> = ours.filter(|spread| spread.ratio() > EVEN).collect();
    if uneven.is_empty() {
        let _ = writeln!(text, "\nNo row of {OURS} has a worst time above {EVEN} times the best.");
        return text;
    }
    let _ = writeln!(text, "\nRows of {OURS} whose worst time is above {EVEN} times the best:");
    for spread in uneven {
        let (subject, (_, at)) = (&spread.subject, spread.worst());
        let (title, ratio) = (subject.title(), spread.ratio());
        let (backend, rule) = (subject.backend, subject.shown_rule());
        let _ = writeln!(text, "  {title}, {backend}, {rule}: {ratio:.3} at {at}");
    }
    text
}
