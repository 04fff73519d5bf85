//! The search for rows whose equations do not hold: in what order parts of a table are combined, and how large they are.
//!
//! A part that holds is done. Of one that does not, a smaller part is combined next, and so on; the smallest are left to
//! equations of their own. What is around a part that did not hold is unknown again, and is combined in parts as large as
//! the rate of bad rows suggests. Parts lie in one another or apart, and each is at most half of one that it lies in, so
//! that no row is in more than `MAX_PARTS` of them.
//!
//! This is group testing with nested tests (Sobel, Groll 1959), with a rate that is estimated on the way: by the rows of
//! the table before these ([`Rate`]), and by these. With costs as they were measured, the best sizes are near a fifth of
//! the rows that have one bad row among them, and less where these are many thousand; of a part that does not hold, an eighth.
//! Twice or half as much costs 1 to 5 % (docs/tried/batches.md).
//!
//! No verdict depends on this.

/// Parts that lie in one another: 16,384 rows, at most half of them, and so on down to less than twice the smallest part.
pub(super) const MAX_PARTS: usize = 10;
/// How many parts of 16,384 rows are tested at most.
#[cfg(test)]
const MOST_TESTS: usize = 1400;

/// One bad row, in the units in which they are counted.
const ONE: u32 = 256;

/// How many rows of a table had an equation of their own that does not hold, among how many. Older rows count less.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    rows: u32,
    /// In parts of [`ONE`].
    bad: u32,
}

impl Rate {
    pub(crate) const UNKNOWN: Rate = Rate { rows: 0, bad: 0 };

    pub(crate) const fn to_words(self) -> [u32; 2] {
        [self.rows, self.bad]
    }

    /// Any two words are a rate.
    pub(crate) const fn of_words([rows, bad]: [u32; 2]) -> Rate {
        Rate { rows, bad }
    }

    /// After how many rows half of what was seen before is forgotten.
    pub(crate) const MEMORY: u32 = 1 << 13;

    /// Adds rows of which so many were bad.
    pub(crate) fn add(&mut self, rows: usize, bad: usize) {
        self.rows = self.rows.saturating_add(u32::try_from(rows).unwrap_or(u32::MAX));
        self.bad =
            self.bad.saturating_add(u32::try_from(bad).unwrap_or(u32::MAX).saturating_mul(ONE));
    }

    /// Lets rows count less after which there are many others. Between the good rows of a batch and its bad ones it would count
    /// the good ones less.
    pub(crate) fn forget(&mut self, memory: u32) {
        while self.rows > memory {
            (self.rows, self.bad) = (self.rows / 2, self.bad / 2);
        }
    }

    /// How many rows have one bad row among them; `None` if none was seen.
    fn gap(&self) -> Option<u32> {
        (u64::from(self.rows) * u64::from(ONE)).checked_div(self.bad.into()).map(|gap| gap as u32)
    }

    /// Whether so many rows were bad that no combination is worth its cost: a handful of them, not one by chance.
    pub(crate) fn is_above(&self, limits: &Limits) -> bool {
        self.bad >= 4 * ONE && self.gap().is_some_and(|gap| gap < limits.gap)
    }

    /// Whether rows were seen, as many as a chunk has.
    pub(crate) fn is_known(&self) -> bool {
        self.rows >= 4096
    }
}

/// From where on rows take less time by their own equations.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// How many rows the smallest part has that is worth a combination.
    pub(crate) least: u32,
    /// One bad row among fewer than so many, before any point is decoded, and among three fourths of them once all are.
    pub(crate) gap: u32,
}

/// A part that did not hold, in which the next one lies; at first the whole.
#[derive(Clone, Copy)]
struct Frame {
    len: u32,
    end: u32,
}

/// The parts that have been tested, and the next one.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    /// The first row of the next part, and its length.
    at: usize,
    len: usize,
    frames: [Frame; 1 + MAX_PARTS],
    level: usize,
    /// Whether a bad row is known to be in what is left of the last frame.
    bad: bool,
    limits: Limits,
    /// The rate by the rows before these, and that of these. The latter forgets soon.
    before: Rate,
    here: Rate,
    /// How many rows are left to their own equations where too many are bad, and whether the next part is tested even so.
    block: usize,
    probe: bool,
}

/// The rows that are taken to have one bad row among them once a combination does not hold and nothing else is known. A fourth of
/// as many rows in hand counts as much.
const FIRST_GAP: u32 = 3000;

/// As how many rows those before these count: as many as have one bad row among them, and at most so many.
const MOST_TRUST: u64 = 16_000;

/// After how many rows half of what was seen of these is forgotten.
const HERE: u32 = 8192;

const FIRST_BLOCK: usize = 256;
const LARGEST_BLOCK: usize = 4096;

impl Search {
    /// A search among so many rows, before the first test.
    pub(crate) fn new(rows: usize, before: Rate, limits: Limits) -> Self {
        let whole = Frame { len: rows as u32, end: rows as u32 };
        let mut search = Search {
            at: 0,
            len: 0,
            frames: [whole; 1 + MAX_PARTS],
            level: 0,
            bad: false,
            limits,
            before,
            here: Rate::UNKNOWN,
            block: FIRST_BLOCK,
            probe: true,
        };
        search.settle();
        search
    }

    /// The first row of the next part, and that after its last.
    pub(super) fn part(&self) -> Option<(usize, usize)> {
        (self.len > 0).then_some((self.at, self.at + self.len))
    }

    /// Whether nothing was tested, and the next part is all there is.
    pub(super) fn begins_with_all(&self) -> bool {
        self.at == 0 && self.level == 0 && self.len == self.frames[0].len as usize
    }

    /// Records whether the equations of that part hold.
    pub(super) fn tested(&mut self, holds: bool) {
        let Some((at, end)) = self.part() else { return };
        self.probe = false;
        if holds {
            self.leave(self.len, 0);
            self.block = FIRST_BLOCK;
        } else {
            if self.before.bad == 0 {
                let gap = self.before.rows.max(FIRST_GAP);
                self.before = Rate { rows: gap / 4, bad: ONE / 4 };
            }
            // a part that does not hold lies in no more than there are frames
            self.level = (self.level + 1).min(MAX_PARTS);
            self.frames[self.level] = Frame { len: (end - at) as u32, end: end as u32 };
            self.bad = true;
        }
        self.settle();
    }

    /// Goes on behind rows of which so many are known to be bad. What is left of the frame is known to be bad if it was and
    /// none of these is.
    fn leave(&mut self, rows: usize, bad: usize) {
        self.here.add(rows, bad);
        self.here.forget(HERE);
        self.at += rows;
        self.bad &= bad == 0;
    }

    /// Goes on to the next part that is worth a test.
    fn settle(&mut self) {
        let least = self.limits.least as usize;
        loop {
            let Frame { len, end } = self.frames[self.level];
            let rest = (end as usize).saturating_sub(self.at);
            if rest == 0 && self.level == 0 {
                self.len = 0;
                return;
            }
            if rest == 0 {
                self.level -= 1;
                self.bad = false;
                continue;
            }
            let best = self.best();
            let most = if !self.probe
                && self.gap().is_some_and(|gap| gap < 3 * u64::from(self.limits.gap) / 4)
            {
                // beyond the frame, too
                self.at = (self.at + self.block).min(self.frames[0].end as usize);
                self.block = (2 * self.block).min(LARGEST_BLOCK);
                (self.bad, self.probe) = (false, true);
                continue;
            } else if self.bad {
                if rest < 2 * least {
                    self.leave(rest, 1);
                    continue;
                }
                best.min(rest / 8)
            } else if self.level == 0 {
                best.min(rest)
            } else if rest < least {
                self.leave(rest, 0);
                continue;
            } else {
                best.min(len as usize / 2)
            };
            // parts of one length, in full lanes of any backend
            let count = rest.div_ceil(most.max(least));
            self.len = rest.div_ceil(count).next_multiple_of(8).min(rest);
            return;
        }
    }

    /// How many rows are taken to have one bad row among them, if any are.
    fn gap(&self) -> Option<u64> {
        let before = u64::from(self.before.gap()?).max(1);
        let trust = before.min(MOST_TRUST).min(self.before.rows.into());
        let one = u64::from(ONE);
        let bad = u64::from(self.here.bad) + one * trust / before;
        Some((u64::from(self.here.rows) + trust) * one / bad.max(1))
    }

    /// The best number of rows of a part of which nothing is known.
    fn best(&self) -> usize {
        self.gap().map_or(usize::MAX, |gap| (gap / 5).min(512 + gap / 32) as usize)
    }
}

#[cfg(test)]
mod tests;
