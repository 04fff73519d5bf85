//! Searches among rows of which some are bad: what is found, and what the tests cost.

use super::*;
use std::vec::Vec;

/// The result of a search: rows that hold, and rows of all parts that were tested, the whole included.
struct Found {
    held: usize,
    tested: usize,
}

/// Searches `rows` rows for those that are `bad`.
fn search(rows: usize, bad: impl Fn(usize) -> bool) -> Found {
    let mut held = std::vec![false; rows];
    let mut tested = 0;
    let mut search = Search::new(rows);
    let mut before = (0, usize::MAX);
    while let Some((low, high)) = search.part() {
        assert!(low < high && high <= rows, "{low}..{high} of {rows}");
        // inside the part before, or behind it
        assert!(low >= before.1 || (low >= before.0 && high <= before.1), "{low}..{high}");
        assert!((low, high) != before, "{low}..{high} again");
        let holds = !(low..high).any(&bad);
        if holds {
            held[low..high].fill(true);
        }
        tested += high - low;
        before = (low, high);
        search.tested(holds);
    }
    let held = held.iter().filter(|held| **held).count();
    Found { held, tested }
}

const SIZES: [usize; 17] =
    [1, 2, 7, 8, 100, 127, 128, 129, 200, 256, 300, 1000, 2048, 4095, 4096, 5000, 16384];

#[test]
fn good_rows_take_one_test() {
    assert_eq!(search(0, |_| false).tested, 0);
    for rows in SIZES {
        let Found { held, tested } = search(rows, |_| false);
        assert_eq!((held, tested), (rows, rows));
    }
}

#[test]
fn one_bad_row_leaves_a_small_part_and_costs_little_more_than_a_second_test() {
    for rows in SIZES {
        for bad in (0..rows).step_by(1 + rows / 64).chain([rows - 1]) {
            let Found { held, tested } = search(rows, |row| row == bad);
            assert!(rows - held <= SMALL, "{rows} {bad}: {held}");
            assert!(
                tested <= 2 * rows + rows.div_ceil(LARGE_PARTS) + SMALL,
                "{rows} {bad}: {tested}"
            );
        }
    }
}

#[test]
fn few_bad_rows_leave_few_and_many_are_given_up_soon() {
    const ROWS: usize = 16384;
    // by how many bad rows there are: rows that are left at most, and rows that are tested at most
    for (bad, left, most) in [(4, 512, 3 * ROWS), (16, 3000, 3 * ROWS), (40, 6000, 5 * ROWS / 2)] {
        let every = ROWS / bad;
        let Found { held, tested } = search(ROWS, |row| row % every == every / 2);
        assert!(
            ROWS - held <= left && tested <= most,
            "{bad} bad: {} left, {tested} tested",
            ROWS - held
        );
    }
    for rows in SIZES {
        for every in [1, 10, 30] {
            let Found { tested, .. } = search(rows, |row| row % every == 0);
            let most = rows + rows.min(rows / 6 + 4 * SMALL);
            assert!(tested <= most, "{rows}, every {every} bad: {tested} tested of {most}");
        }
    }
}

#[test]
fn searches_end_whatever_holds() {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for rows in (0..1000).chain(SIZES) {
        let share = next() % 101;
        let answers: Vec<bool> = (0..400).map(|_| next() % 100 < share).collect();
        let mut search = Search::new(rows);
        let mut tests = 0;
        while search.part().is_some() {
            search.tested(answers[tests]);
            tests += 1;
        }
        assert!(tests <= 1 + LARGE_PARTS + rows.div_ceil(SMALL), "{rows}: {tests}");
    }
}
