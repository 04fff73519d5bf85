//! The search for rows whose equations do not hold: the order in which parts of a failed combination are combined again.
//!
//! The parts are the whole, large parts of it, and small parts of these. A part that holds is done. A part that does not is
//! taken apart, and a small one is left to lanes. The test of a small part costs about half of what it saves in lanes if the
//! part holds, and that of a large part less. So each size has a credit: a part that holds adds to it, and one that does not
//! takes from it. Once the credit is spent, there are too many bad rows for parts of that size.
//!
//! No verdict depends on this.

/// Rows of a small part, at most.
const SMALL: usize = 128;
/// Rows of which there are large parts, at least, and how many of these there are at most.
const LARGE: usize = 4096;
const LARGE_PARTS: usize = 16;

/// Parts of one size that come one after the other.
#[derive(Clone, Copy)]
struct Parts {
    size: usize,
    /// The end of the last one.
    end: usize,
    /// Whether one of them is known to have a bad row.
    bad: bool,
    credit: usize,
}

/// The parts that have been tested, and the next one.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// The first row of the next part.
    at: usize,
    /// The size of the next part, as an index of `levels`.
    level: usize,
    /// The whole, large parts, small parts.
    levels: [Parts; 3],
}

/// How much of the credit of its size a part costs that does not hold.
const LOSS: [usize; 3] = [0, 2, 1];

impl Search {
    /// A search among so many rows, before the first test.
    pub(super) const fn new(rows: usize) -> Self {
        const fn parts(size: usize, end: usize, credit: usize) -> Parts {
            Parts { size, end, bad: false, credit }
        }
        let count = rows.div_ceil(SMALL);
        // full lanes of any backend
        let small = if count == 0 { 1 } else { rows.div_ceil(count).next_multiple_of(8) };
        let large =
            if rows < LARGE { rows } else { rows.div_ceil(LARGE_PARTS).next_multiple_of(small) };
        let credit = match count / 4 {
            0 | 1 => 2,
            2 => 3,
            _ => 4,
        };
        Search {
            at: 0,
            level: 0,
            levels: [parts(rows, rows, 1), parts(large, rows, 4), parts(small, rows, credit)],
        }
    }

    /// The first row of the next part, and that after its last.
    pub(super) fn part(&self) -> Option<(usize, usize)> {
        let Parts { size, end, .. } = self.levels[self.level];
        (self.at < end).then(|| (self.at, end.min(self.at + size)))
    }

    /// Records whether the equations of that part hold.
    pub(super) fn tested(&mut self, holds: bool) {
        let Some((_, high)) = self.part() else { return };
        let parts = &mut self.levels[self.level];
        if holds {
            parts.credit += 1;
            self.at = high;
        } else {
            parts.credit = parts.credit.saturating_sub(LOSS[self.level]);
            parts.bad = true;
            self.take_apart(high, false);
        }
        self.settle();
    }

    /// Goes on with smaller parts up to `end`; parts of the smallest size are left to lanes. `bad` says that one of them is
    /// known to be bad, or that nothing is known.
    fn take_apart(&mut self, end: usize, bad: bool) {
        match self.levels.get_mut(self.level + 1) {
            Some(smaller) => {
                (smaller.end, smaller.bad) = (end, bad);
                self.level += 1;
            }
            None => self.at = end,
        }
    }

    /// Goes on to a part whose test is worth its cost.
    fn settle(&mut self) {
        while self.level > 0 {
            let Parts { size, end, bad, credit } = self.levels[self.level];
            if self.at == end {
                self.level -= 1;
            } else if credit == 0 {
                self.take_apart(end, true);
            } else if !bad && self.at + size >= end {
                // all before it hold
                self.levels[self.level].bad = true;
                self.take_apart(end, false);
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
