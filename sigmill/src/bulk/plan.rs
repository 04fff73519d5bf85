//! The order in which the rows of one chunk are verified: those with the same spec together, and
//! which of them share a key.

use super::table::Table;
use crate::memory::Memory;
use core::ops::Range;

/// Rows that are verified together. Scratch memory is bounded by it.
pub const CHUNK_ROWS: usize = 16384;

/// Writes the rows that have no null into `order`, those with the same spec together; returns how many
/// there are.
pub(super) fn order_rows(table: &Table<'_>, rows: Range<usize>, order: &mut [u32]) -> usize {
    let first = rows.start;
    let mut len = 0;
    for row in rows {
        if has_verdict(table, row) {
            order[len] = (row - first) as u32;
            len += 1;
        }
    }
    if !table.specs.are_same() {
        let number = |row| table.specs.group(first + row as usize);
        let order = &mut order[..len];
        let highest = order.iter().fold(0, |highest, row| highest.max(number(*row)));
        sort_by_bits(order, &number, u32::BITS - highest.leading_zeros());
    }
    len
}

/// Sorts rows by the lowest `bits` bits of their numbers, from the highest bit down: few specs have few bits.
fn sort_by_bits(rows: &mut [u32], number: &impl Fn(u32) -> u32, bits: u32) {
    let mut zeros = 0;
    if bits == 0 || rows.len() < 2 {
        return;
    }
    for i in 0..rows.len() {
        if number(rows[i]) >> (bits - 1) & 1 == 0 {
            rows.swap(zeros, i);
            zeros += 1;
        }
    }
    let (with_0, with_1) = rows.split_at_mut(zeros);
    sort_by_bits(with_0, number, bits - 1);
    sort_by_bits(with_1, number, bits - 1);
}

/// Whether nothing in the row is null.
fn has_verdict(table: &Table<'_>, row: usize) -> bool {
    table.keys.get(row).is_some()
        && table.messages.get(row).is_some()
        && table.signatures.get(row).is_some()
        && table.specs.spec(table.specs.group(row)).is_some()
}

/// How many places are looked at for a key before it counts as one of its own.
const PROBES: usize = 8;

/// Orders rows so that equal keys are together and says which rows have the same: `keys[i]` is the
/// number of row `order[i]`'s key, from 0 in order, and `firsts[j]` the first place of key j. Returns
/// how many keys there are. Keys that collide too often count as different ones: that costs time, not a
/// verdict.
pub(super) fn group_keys<'k>(
    key: impl Fn(u32) -> &'k [u8; 32],
    order: &mut [u32],
    keys: &mut [u32],
    firsts: &mut [u32],
    mut memory: Memory<'_>,
) -> usize {
    let len = order.len();
    let slots = (2 * len).next_power_of_two();
    let (Some(table), Some(ends), Some(sorted)) =
        (memory.take::<u32>(slots), memory.take::<u32>(len + 1), memory.take::<u32>(len))
    else {
        // not enough memory to compare: each row has its own
        for (number, (key, first)) in (0..).zip(keys.iter_mut().zip(firsts)) {
            (*key, *first) = (number, number);
        }
        return len;
    };
    table.fill(0);
    let mut count = 0;
    for (row, number) in order.iter().zip(&mut *keys) {
        let bytes = key(*row);
        let mut slot = hash(bytes) as usize;
        *number = count;
        for _ in 0..PROBES {
            slot &= slots - 1;
            // 0 is an empty slot, n + 1 the key whose first row is firsts[n]
            match table[slot] {
                0 => {
                    table[slot] = count + 1;
                    break;
                }
                n if key(firsts[n as usize - 1]) == bytes => {
                    *number = n - 1;
                    break;
                }
                _ => slot += 1,
            }
        }
        if *number == count {
            firsts[count as usize] = *row;
            count += 1;
        }
    }
    let distinct = count as usize;
    if distinct == len {
        (0..).zip(firsts).for_each(|(number, first)| *first = number);
        return len;
    }
    // counting sort by key
    ends.fill(0);
    for number in &*keys {
        ends[*number as usize + 1] += 1;
    }
    let mut end = 0;
    for (first, count) in firsts.iter_mut().zip(&mut ends[..=distinct]) {
        end += *count;
        (*first, *count) = (end, end);
    }
    for (row, number) in order.iter().zip(&*keys) {
        let place = &mut ends[*number as usize];
        sorted[*place as usize] = *row;
        *place += 1;
    }
    order.copy_from_slice(sorted);
    for number in 0..distinct {
        keys[firsts[number] as usize..ends[number] as usize].fill(number as u32);
    }
    distinct
}

/// Spreads keys over slots. Whoever makes keys collide only makes them count as different ones.
fn hash(key: &[u8; 32]) -> u32 {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mixed =
        (words[0] ^ words[2].rotate_left(23)).wrapping_add(words[1] ^ words[3].rotate_left(41));
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests;
