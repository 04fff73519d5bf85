//! Properties that the table of thresholds must have, whatever is measured.

use super::*;
use crate::bulk::scratch_len;

const ALL: [&Thresholds; 5] = [&IFMA, &AVX2_ADX, &AVX2, &ADX, &WORDS];

#[test]
fn no_rows_are_combined_that_have_no_memory_for_it() {
    for thresholds in ALL {
        for rows in [thresholds.exact, thresholds.cofactored] {
            let Rows { own_keys, one_key, prepared, .. } = rows;
            for least in [own_keys, one_key, prepared] {
                assert!(scratch_len(least) > least, "{least}");
            }
        }
    }
}

#[test]
fn between_one_key_and_a_key_for_each_row_the_number_of_keys_decides() {
    for thresholds in ALL {
        for equation in [Equation::Exact, Equation::Cofactored] {
            let combined = thresholds.under(equation);
            let from = |rows, keys| from(combined, Load { rows, keys, prepared: false });
            assert_eq!(from(10_000, 10_000), combined.own_keys);
            assert!(from(10_000, 1).abs_diff(combined.one_key) <= 1);
            let mut last = from(1000, 1);
            for keys in 2..=1000 {
                let now = from(1000, keys);
                let towards = combined.own_keys.cmp(&combined.one_key);
                assert!(now == last || now.cmp(&last) == towards || now.abs_diff(last) <= 1);
                last = now;
            }
        }
    }
}

#[test]
fn prepared_keys_have_a_threshold_of_their_own_and_may_never_be_combined() {
    let never = rows(49, 160, usize::MAX, WORDS.exact.limits);
    let load = Load { rows: usize::MAX / 2, keys: 3, prepared: true };
    assert_eq!(from(&never, load), usize::MAX);
    assert_eq!(from(&WORDS.cofactored, load), WORDS.cofactored.prepared);
}

#[test]
fn a_row_or_two_do_not_fill_lanes() {
    for (rows, expected) in [(FEW, Strategy::Single), (FEW + 1, Strategy::Lanes)] {
        let load = Load { rows, keys: rows, prepared: false };
        for backend in [Backend::Simd128, Backend::Avx2, Backend::Ifma] {
            assert_eq!(fastest(backend, Equation::Exact, load, true), expected, "{backend}");
        }
        let portable = fastest(Backend::Portable, Equation::Exact, load, true);
        assert_eq!(portable, Strategy::Single);
    }
}
