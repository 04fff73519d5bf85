//! Welch's t of two classes of times.
//!
//! Very slow measurements say little and hide much; so t is computed for all, and for the fastest ones in
//! several parts. A part ends at a value, and all that have this value are in it, of both classes: which of
//! equal times is left out must not depend on the class.

/// The fastest parts of all measurements, in tests of their own.
pub(crate) const PARTS: [f64; 5] = [0.1, 0.5, 0.9, 0.99, 1.0];
/// Without a difference, t of one test goes beyond this once in 147,000.
pub(crate) const LIMIT: f64 = 4.5;

/// A time in nanoseconds, above its class in the lowest bit: they are sorted by time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(u32);

impl Time {
    /// A class is 0 or 1.
    pub(crate) fn new(nanoseconds: u128, class: usize) -> Time {
        const MOST: u32 = u32::MAX >> 1;
        Time(u32::try_from(nanoseconds).unwrap_or(MOST).min(MOST) << 1 | class as u32)
    }

    pub(crate) fn nanoseconds(self) -> u32 {
        self.0 >> 1
    }

    fn class(self) -> u32 {
        self.0 & 1
    }
}

/// A difference of two classes; positive where class 1 takes longer, and no number where nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    /// Of the means, in nanoseconds.
    pub(crate) nanoseconds: f64,
    /// Welch's t.
    pub(crate) t: f64,
}

fn welch(times: &[Time]) -> Difference {
    let mean_and_error = |class: u32| {
        let of_class = times.iter().filter(|time| time.class() == class);
        let times = || of_class.clone().map(|time| f64::from(time.nanoseconds()));
        let n = times().count() as f64;
        let mean = times().sum::<f64>() / n;
        (mean, times().map(|time| (time - mean) * (time - mean)).sum::<f64>() / (n - 1.0) / n)
    };
    let ((mean_0, error_0), (mean_1, error_1)) = (mean_and_error(0), mean_and_error(1));
    if mean_0 == mean_1 {
        // a part may be so narrow that there is one value in it, without any error
        return Difference { nanoseconds: 0.0, t: 0.0 };
    }
    let nanoseconds = mean_1 - mean_0;
    Difference { nanoseconds, t: nanoseconds / (error_0 + error_1).sqrt() }
}

/// The fastest part of sorted times, with all that are as slow as its last one.
fn fastest(sorted: &[Time], part: f64) -> &[Time] {
    let last = ((sorted.len() as f64 * part) as usize).clamp(1, sorted.len()) - 1;
    let slowest = sorted[last].nanoseconds();
    &sorted[..sorted.partition_point(|time| time.nanoseconds() <= slowest)]
}

/// The difference in each part; there are times.
pub(crate) fn of_parts(sorted: &[Time]) -> [Difference; PARTS.len()] {
    PARTS.map(|part| welch(fastest(sorted, part)))
}

/// Whether no part shows a difference of more nanoseconds than are tolerated.
pub(crate) fn are_equal(parts: &[Difference], tolerated: f64) -> bool {
    // false for what is no number
    parts.iter().all(|part| part.t.abs() <= LIMIT || part.nanoseconds.abs() <= tolerated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Times around 1000, of few values, as a coarse clock gives them; what class 1 takes longer.
    fn times(count: usize, longer: impl Fn(u64) -> u64) -> Vec<Time> {
        let mut random = Random(7);
        let mut times: Vec<Time> = (0..count)
            .map(|_| {
                let (class, steps) = (random.word() & 1, random.word());
                let more = if class == 1 { longer(steps >> 32) } else { 0 };
                Time::new(u128::from(1000 + 10 * (steps % 7) + more), class as usize)
            })
            .collect();
        times.sort_unstable();
        times
    }

    #[test]
    fn equal_times_stay_together() {
        let times = times(100_000, |_| 0);
        let ts = of_parts(&times);
        assert!(are_equal(&ts, 0.0), "{ts:?}");
        for part in PARTS {
            let kept = fastest(&times, part);
            assert!(kept.len() as f64 >= times.len() as f64 * part);
            let slowest = kept.last().map(|time| time.nanoseconds());
            assert!(times[kept.len()..].iter().all(|time| Some(time.nanoseconds()) > slowest));
        }
    }

    #[test]
    fn one_value_alone_is_no_difference() {
        let times: Vec<Time> = (0..1000).map(|i| Time::new(40, usize::from(i >= 500))).collect();
        let none = Difference { nanoseconds: 0.0, t: 0.0 };
        assert_eq!(of_parts(&times), [none; PARTS.len()]);
    }

    #[test]
    fn differences_are_seen() {
        // a little each time; much, once in 100 times; only where the slowest are looked at
        assert!(!are_equal(&of_parts(&times(100_000, |_| 1)), 0.0));
        assert!(!are_equal(
            &of_parts(&times(100_000, |word| 100 * u64::from(word % 100 == 0))),
            0.0
        ));
        assert!(!are_equal(
            &of_parts(&times(100_000, |word| 9000 * u64::from(word % 500 == 0))),
            0.0
        ));
    }

    #[test]
    fn small_differences_are_tolerated_where_that_is_asked() {
        let ts = of_parts(&times(1_000_000, |_| 2));
        assert!(!are_equal(&ts, 0.0) && !are_equal(&ts, 1.0), "{ts:?}");
        assert!(are_equal(&ts, 3.0), "{ts:?}");
    }

    #[test]
    fn a_class_that_is_never_fast_is_seen() {
        let ts = of_parts(&times(100_000, |_| 5000));
        assert!(ts[0].t.is_nan() && !are_equal(&ts[..1], 1e9), "{ts:?}");
    }

    #[test]
    fn what_takes_very_long_is_cut() {
        assert_eq!(Time::new(u128::MAX, 1).nanoseconds(), u32::MAX >> 1);
        assert_eq!(Time::new(u128::MAX, 1).class(), 1);
    }
}
