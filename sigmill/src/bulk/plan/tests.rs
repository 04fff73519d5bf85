//! Rows with the same spec come together.

use super::sort_by_bits;
use std::vec::Vec;

#[test]
fn rows_are_sorted_by_the_numbers_of_their_specs() {
    for specs in [1, 2, 3, 8, 300, u32::MAX] {
        let numbers: Vec<u32> =
            (1..=500_u32).map(|i| i.wrapping_mul(0x9e37_79b9) % specs).collect();
        let highest = numbers.iter().max().copied().unwrap_or(0);
        let mut rows: Vec<u32> = (0..500).collect();
        sort_by_bits(&mut rows, &|row| numbers[row as usize], u32::BITS - highest.leading_zeros());
        let got: Vec<u32> = rows.iter().map(|row| numbers[*row as usize]).collect();
        let mut expected = numbers;
        expected.sort_unstable();
        assert_eq!(got, expected, "{specs} specs");
        // none twice, none lost
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..500), "{specs} specs");
    }
}
