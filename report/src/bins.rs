//! Positions of rows in a table: at most as many bins as a strip has columns, each of as many rows as the table asks for.

/// So many bins there are at most.
const BINS: usize = 512;

/// Counts of `KINDS` kinds of rows by position. A bin has twice the rows whenever the table outgrows them all.
#[derive(Clone, Debug)]
pub(crate) struct Bins<const KINDS: usize> {
    /// A bin has 2^this rows.
    width_log2: u32,
    counts: Vec<[u64; KINDS]>,
}

impl<const KINDS: usize> Bins<KINDS> {
    pub(crate) fn new() -> Self {
        Bins { width_log2: 0, counts: vec![[0; KINDS]; BINS] }
    }

    /// Counts a row.
    pub(crate) fn add(&mut self, row: u64, kind: usize) {
        self.reach(row);
        self.counts[(row >> self.width_log2) as usize][kind] += 1;
    }

    /// Makes bins so wide that this row has one.
    pub(crate) fn reach(&mut self, row: u64) {
        // 2^55 rows a bin are enough for every number
        while row >> self.width_log2 >= BINS as u64 {
            for bin in 0..BINS {
                self.counts[bin] = match self.counts.get(2 * bin..2 * bin + 2) {
                    Some([first, second]) => std::array::from_fn(|kind| first[kind] + second[kind]),
                    _ => [0; KINDS],
                };
            }
            self.width_log2 += 1;
        }
    }

    /// The rows of a bin.
    pub(crate) const fn width(&self) -> u64 {
        1 << self.width_log2
    }

    /// The bins that a table of so many rows has.
    pub(crate) fn of_table(&self, rows: u64) -> &[[u64; KINDS]] {
        let bins = usize::try_from(rows.div_ceil(self.width())).unwrap_or(BINS);
        &self.counts[..bins.min(BINS)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_lose_no_row() {
        let mut bins = Bins::<2>::new();
        let rows = [0, 1, 2, 3, 511, 512, 513, 1024, 5000, 5001, 100_000];
        for (i, row) in rows.into_iter().enumerate() {
            bins.add(row, i % 2);
            let total: u64 = bins.counts.iter().flatten().sum();
            assert_eq!(total, i as u64 + 1, "after row {row}");
        }
        assert_eq!(bins.width(), 256);
        let mut expected = vec![[0; 2]; 391];
        for (i, row) in rows.into_iter().enumerate() {
            expected[row as usize / 256][i % 2] += 1;
        }
        assert_eq!(bins.of_table(100_001), expected);
    }

    #[test]
    fn bins_of_a_short_table_are_its_rows() {
        let mut bins = Bins::<1>::new();
        bins.add(2, 0);
        assert_eq!((bins.width(), bins.of_table(4)), (1, &[[0], [0], [1], [0]][..]));
        assert!(bins.of_table(0).is_empty());
        bins.reach(512);
        assert_eq!((bins.width(), bins.of_table(513).len()), (2, 257));
    }

    #[test]
    fn every_number_of_a_row_has_a_bin() {
        let mut bins = Bins::<1>::new();
        bins.add(u64::MAX, 0);
        assert_eq!((bins.width(), bins.counts[BINS - 1]), (1 << 55, [1]));
        assert_eq!(bins.of_table(u64::MAX).len(), BINS);
    }
}
