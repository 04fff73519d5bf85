//! The keys that occur most often, in bounded memory: the summary of Misra and Gries, "Finding repeated elements" (1982).
//! With n counters, what a key has is at most rows/(n + 1) below its true number.

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// So many keys are counted at the same time.
const COUNTERS: usize = 1024;
/// So many bytes of a key are kept: an uncompressed point of P-384.
const LONGEST: usize = 97;

/// A key, or the beginning of a longer one. It lies in place, as counters come and go with the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// With zeros behind it.
    head: [u8; LONGEST],
    pub(crate) len: usize,
}

impl Key {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (known, len) = parts(bytes);
        let mut head = [0; LONGEST];
        head[..known.len()].copy_from_slice(known);
        Key { head, len }
    }

    /// The bytes that are known.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head[..self.len.min(LONGEST)]
    }
}

/// The parts that identify a key: its beginning and its length.
fn parts(bytes: &[u8]) -> (&[u8], usize) {
    (&bytes[..bytes.len().min(LONGEST)], bytes.len())
}

/// Counts of the keys that occur most often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frequent {
    counts: HashTable<(Key, u64)>,
    hasher: DefaultHashBuilder,
    /// The number taken from every count.
    taken: u64,
}

impl Frequent {
    pub(crate) fn add(&mut self, key: &[u8]) {
        let seen = parts(key);
        let is_full = self.counts.len() == COUNTERS;
        let place = self.counts.entry(
            self.hasher.hash_one(seen),
            |(key, _)| (key.head(), key.len) == seen,
            |(key, _)| self.hasher.hash_one((key.head(), key.len)),
        );
        match place {
            Entry::Occupied(mut place) => place.get_mut().1 += 1,
            Entry::Vacant(place) if !is_full => {
                place.insert((Key::of(key), 1));
            }
            Entry::Vacant(_) => {
                self.taken += 1;
                self.counts.retain(|(_, count)| {
                    *count -= 1;
                    *count > 0
                });
            }
        }
    }

    /// How far a count may be below the true number.
    pub(crate) const fn error(&self) -> u64 {
        self.taken
    }

    /// The keys with the highest counts, `most` at most.
    pub(crate) fn top(&self, most: usize) -> Vec<(&Key, u64)> {
        let mut keys: Vec<_> = self.counts.iter().map(|(key, count)| (key, *count)).collect();
        keys.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        keys.truncate(most);
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_counted_exactly() {
        let mut frequent = Frequent::default();
        for key in ["b", "a", "c", "a", "b", "a"] {
            frequent.add(key.as_bytes());
        }
        let top: Vec<_> = frequent.top(2).into_iter().map(|(key, n)| (key.head(), n)).collect();
        assert_eq!((frequent.error(), top), (0, vec![(&b"a"[..], 3), (b"b", 2)]));
    }

    #[test]
    fn a_frequent_key_among_many_is_found_and_bounded() {
        let mut frequent = Frequent::default();
        let (rows, every) = (100_000_u32, 50);
        for row in 0..rows {
            let key = if row % every == 0 { *b"same" } else { row.to_be_bytes() };
            frequent.add(&key);
            assert!(frequent.counts.len() <= COUNTERS);
        }
        let (key, count) = frequent.top(1)[0];
        let truth = u64::from(rows / every);
        assert_eq!(key.head(), b"same");
        assert!(count <= truth && truth <= count + frequent.error());
        assert!(frequent.error() <= u64::from(rows) / (COUNTERS as u64 + 1));
    }

    #[test]
    fn long_keys_are_cut_but_not_confused_with_their_beginning() {
        let mut frequent = Frequent::default();
        for len in [LONGEST, 1000, LONGEST, 999] {
            frequent.add(&[5; 1000][..len]);
        }
        let top: Vec<_> =
            frequent.top(3).into_iter().map(|(key, n)| (key.head().len(), key.len, n)).collect();
        assert_eq!(top, [(LONGEST, LONGEST, 2), (LONGEST, 999, 1), (LONGEST, 1000, 1)]);
    }
}
