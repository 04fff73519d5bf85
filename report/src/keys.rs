//! The keys that occur most often, in bounded memory: the summary of Misra and Gries, "Finding repeated elements" (1982).
//! With n counters, what a key has is at most rows/(n + 1) below its true number.

use hashbrown::{Equivalent, HashMap};
use std::hash::{Hash, Hasher};

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
        let mut head = [0; LONGEST];
        let len = bytes.len().min(LONGEST);
        head[..len].copy_from_slice(&bytes[..len]);
        Key { head, len: bytes.len() }
    }

    /// The bytes that are known.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head[..self.len.min(LONGEST)]
    }
}

/// A key where it lies in the table.
#[derive(PartialEq, Eq, Hash)]
struct Seen<'a> {
    head: &'a [u8],
    len: usize,
}

impl<'a> Seen<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Seen { head: &bytes[..bytes.len().min(LONGEST)], len: bytes.len() }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Seen { head: self.head(), len: self.len }.hash(state);
    }
}

impl Equivalent<Key> for Seen<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.len == key.len && self.head == key.head()
    }
}

/// Counts of the keys that occur most often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frequent {
    counts: HashMap<Key, u64>,
    /// What has been taken from every count.
    taken: u64,
}

impl Frequent {
    pub(crate) fn add(&mut self, key: &[u8]) {
        if let Some(count) = self.counts.get_mut(&Seen::of(key)) {
            *count += 1;
        } else if self.counts.len() < COUNTERS {
            self.counts.insert(Key::of(key), 1);
        } else {
            self.taken += 1;
            self.counts.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
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
        let long = [5; 1000];
        let (whole, cut) = (Key::of(&long[..LONGEST]), Key::of(&long));
        assert_eq!((cut.head().len(), cut.len), (LONGEST, 1000));
        assert_ne!(whole, cut);
    }
}
