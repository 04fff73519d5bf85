//! Searches among rows of which some are bad: how parts lie, what is found, and what it costs.

use super::*;
use std::vec::Vec;

const CHUNK: usize = 16384;
const LIMITS: Limits = Limits { least: 32, gap: 100 };

/// Additions of points a row: its own equation, and a combination of so many rows, by the widths of windows.
const OWN: usize = 210;
fn combined(rows: usize) -> usize {
    let by_width =
        |width| 384_usize.div_ceil(width) + (1 << width) * 256_usize.div_ceil(width) / rows;
    (4..12).map(by_width).min().unwrap_or_default()
}

/// The result of a search.
#[derive(Default)]
struct Found {
    held: usize,
    tests: usize,
    /// How many parts a row is in at most.
    deepest: usize,
    /// Additions of points a row: of all parts and of the rows that are left.
    cost: usize,
}

/// Searches `rows` rows for those that are `bad`, and adds what was seen to the rate.
fn search(rows: usize, rate: &mut Rate, bad: impl Fn(usize) -> bool) -> Found {
    let mut parts_of = std::vec![0; rows];
    let mut held = std::vec![false; rows];
    let (mut found, mut cost) = (Found::default(), 0);
    let mut search = Search::new(rows, *rate, LIMITS);
    let mut last = 0;
    while let Some((low, high)) = search.part() {
        assert!(last <= low && low < high && high <= rows, "{low}..{high} of {rows}");
        assert!(!held[low..high].contains(&true), "{low}..{high} of {rows} holds");
        last = low;
        let holds = !(low..high).any(&bad);
        held[low..high].fill(holds);
        parts_of[low..high].iter_mut().for_each(|parts| *parts += 1);
        cost += (high - low) * combined(high - low);
        found.tests += 1;
        search.tested(holds);
    }
    found.held = held.iter().filter(|held| **held).count();
    found.deepest = parts_of.into_iter().max().unwrap_or_default();
    found.cost = (cost + (rows - found.held) * OWN) / rows.max(1);
    rate.add(rows, (0..rows).filter(|row| bad(*row)).count());
    rate.forget(Rate::MEMORY);
    found
}

/// Numbers below `n` that nobody chooses.
fn numbers(n: usize) -> impl FnMut() -> usize {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % n
    }
}

const SIZES: [usize; 17] =
    [1, 2, 7, 8, 100, 127, 128, 129, 200, 256, 300, 1000, 2048, 4095, 4096, 5000, CHUNK];

#[test]
fn good_rows_take_one_test() {
    assert_eq!(search(0, &mut Rate::default(), |_| false).tests, 0);
    for rows in SIZES {
        let mut rate = Rate::UNKNOWN;
        for _ in 0..3 {
            let Found { held, tests, .. } = search(rows, &mut rate, |_| false);
            assert_eq!((held, tests), (rows, 1));
        }
    }
}

#[test]
fn one_bad_row_leaves_two_of_the_smallest_parts_at_most() {
    for rows in SIZES {
        for bad in (0..rows).step_by(1 + rows / 64).chain([rows - 1]) {
            let mut rate = Rate::UNKNOWN;
            let Found { held, cost, .. } = search(rows, &mut rate, |row| row == bad);
            let left = rows - held;
            assert!((1..=2 * 32 + 8).contains(&left), "{rows} {bad}: {left}");
            assert!(rows < 1000 || cost < 3 * combined(rows), "{rows} {bad}: {cost}");
        }
    }
}

/// The cost of a chunk of a long table by the share of bad rows, against one that has none: hashes and points take as much as
/// 35 additions.
#[test]
fn a_known_rate_has_parts_of_its_size() {
    const OTHERS: usize = 35;
    let clean = OTHERS + combined(CHUNK);
    let mut next = numbers(1_000_000);
    // of a million rows, and how many hundredths of the time of none the chunks after the first take at most
    for (share, most) in [(0, 100), (60, 141), (100, 142), (1000, 196), (3000, 244), (4200, 261)] {
        let (mut rate, mut sum) = (Rate::UNKNOWN, 0);
        for chunk in 0..17 {
            let bad: Vec<bool> = (0..CHUNK).map(|_| next() < share).collect();
            let found = search(CHUNK, &mut rate, |row| bad[row]);
            sum += if chunk > 0 { OTHERS + found.cost } else { 0 };
        }
        let mean = 100 * sum / (16 * clean);
        assert!(mean <= most, "{share} of a million: {mean}, {most} at most");
    }
}

/// No pattern of bad rows, whoever chooses it, costs more than all rows in vain and then each by its own equation, but for an
/// eighth.
#[test]
fn no_pattern_costs_more_than_the_rate_allows() {
    type Bad = fn(usize) -> bool;
    let patterns: [(&str, Bad); 8] = [
        ("one at the end", |row| row == CHUNK - 1),
        ("one in front", |row| row == 0),
        ("one in each half", |row| row % (CHUNK / 2) == CHUNK / 4),
        ("a cluster in front", |row| row < 160),
        ("a cluster at the end", |row| row >= CHUNK - 160),
        ("clusters", |row| row % 2048 < 16),
        ("every sixtieth", |row| row % 60 == 59),
        ("all", |_| true),
    ];
    for (name, bad) in patterns {
        let mut rate = Rate::UNKNOWN;
        for chunk in 0..4 {
            let Found { cost, .. } = search(CHUNK, &mut rate, bad);
            let most = OWN + combined(CHUNK) + OWN / 8;
            assert!(cost <= most, "{name}, chunk {chunk}: {cost}, {most} at most");
        }
        // and what comes behind is soon as fast as ever
        for _ in 0..4 {
            search(CHUNK, &mut rate, |_| false);
        }
        let Found { cost, .. } = search(CHUNK, &mut rate, |_| false);
        assert!(3 * cost <= 5 * combined(CHUNK), "{name}, good rows after it: {cost}");
    }
}

#[test]
fn searches_end_whatever_holds_and_no_row_is_in_many_parts() {
    let mut next = numbers(1 << 20);
    for rows in (0..1000).chain(SIZES).chain([CHUNK; 40]) {
        let (share, rate) = (next() % 101, [next() as u32, next() as u32]);
        let answers: Vec<bool> = (0..4000).map(|_| next() % 100 < share).collect();
        let mut parts_of = std::vec![0; rows];
        let mut search = Search::new(rows, Rate::of_words(rate), LIMITS);
        let mut tests = 0;
        while let Some((low, high)) = search.part() {
            parts_of[low..high].iter_mut().for_each(|parts| *parts += 1);
            search.tested(answers[tests]);
            tests += 1;
        }
        let deepest = parts_of.into_iter().max().unwrap_or_default();
        assert!(deepest <= MAX_PARTS, "{rows}: {deepest}");
        assert!(tests <= MOST_TESTS, "{rows}: {tests}");
    }
}

#[test]
fn words_of_other_threads_are_a_rate() {
    let words = [0, 1, 255, 256, 65_536, u32::MAX];
    for rows in words {
        for bad in words {
            let mut rate = Rate::of_words([rows, bad]);
            assert_eq!(rate.to_words(), [rows, bad]);
            search(4096, &mut rate, |row| row % 100 == 0);
            rate.add(usize::MAX, usize::MAX);
            rate.forget(Rate::MEMORY);
            assert!(rate.rows <= Rate::MEMORY);
        }
    }
}
