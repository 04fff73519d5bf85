//! The scan of a table against its index.

use super::entry;
use core::array::from_fn;

#[test]
fn an_entry_is_that_at_its_index() {
    let table: [[u64; 16]; 12] =
        from_fn(|word| from_fn(|at| !((16 * word + at) as u64) << 32 | (16 * word + at) as u64));
    for at in 0..16 {
        assert_eq!(entry(&table, at as u64), from_fn(|word| table[word][at]));
    }
    for outside in [16, 17, 31, 32, 1 << 32, 1 << 63, u64::MAX] {
        assert_eq!(entry(&table, outside), [0; 12], "{outside}");
    }
}
