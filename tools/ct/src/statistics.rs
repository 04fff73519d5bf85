//! Do the times of two classes differ? A test by signs on pairs of adjacent measurements.
//!
//! **Pairs.** A pair is one measurement of each class, one right after the other; a coin, thrown before, says
//! which class comes first. Both meet the same clock, the same neighbour, the same temperature.
//!
//! **Hypothesis.** The time of a measurement does not depend on its class. The coin then says nothing about
//! the two times, whatever the machine does: given all times, the coins are fair and independent.
//!
//! **Statistic.** x is the later time less the earlier one, less the median of all these, and s is +1 where the
//! later one is of class 1 and -1 elsewhere. x is clipped to ±c, and t = Σ s·x / √(Σ x²). Clips are the quantiles
//! [`CLIPS`] of |x|, which are fixed here and do not know the coins: strong ones hide interrupts and changes of
//! the clock, weak ones keep what is seldom and large. The same is done with the distance of each time from
//! the median of its neighbourhood, since a class may vary more without taking longer.
//!
//! **Limit.** Given the times, t is a sum of independent signs with fixed weights, of variance 1: by Hoeffding
//! P(|t| > L) ≤ 2·exp(-L²/2) for every noise, and about 2·Φ(-L) where no weight dominates. With [`LIMIT`] 4.5 that is
//! at most 8.1e-5, in general 6.8e-6. A difference counts where new measurements show it again by the same statistic
//! on the same side, at most 3.3e-9: 3e-7 a run of nine operations with ten statistics each.
//!
//! **Power.** Where class 1 takes d longer, t grows by about n·g·d / √(Σ x²), where g is the part of the pairs that are
//! not clipped. [`Test::sees`] is the d that lifts t to the limit and [`SURE`] beyond it, for the best clip:
//! it is missed once in 700 times. The coins have no part in it, so it may decide how long to measure.

/// Each statistic clips at such a quantile.
pub(crate) const CLIPS: [f64; 5] = [0.25, 0.5, 0.9, 0.99, 1.0];
/// Where |t| is above it, times differ.
pub(crate) const LIMIT: f64 = 4.5;
/// Deviations of t by which a difference that is sure to be seen lifts it beyond the limit.
const SURE: f64 = 3.0;
/// Pairs whose median is that of a neighbourhood.
const NEIGHBOURS: usize = 32;

/// Two adjacent measurements, in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    /// The earlier one and the later one.
    pub(crate) times: [u32; 2],
    /// The class of the later one, 0 or 1.
    pub(crate) later: usize,
}

/// An x of a pair, with the sign that makes class 1 less class 0 of it.
#[derive(Clone, Copy)]
struct Signed {
    x: f64,
    sign: f64,
}

/// The statistics of pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    /// t of times and of distances from the neighbourhood, by clips; positive where class 1 has more.
    pub(crate) t: [[f64; CLIPS.len()]; 2],
    /// Nanoseconds by which class 1 has to take longer to be seen.
    pub(crate) sees: f64,
}

impl Test {
    /// A difference of so many nanoseconds is tolerated: t is that of what is beyond it.
    pub(crate) fn new(pairs: &[Pair], tolerated: f64) -> Test {
        let times = centred(pairs.iter().map(|pair| (pair, pair.times.map(f64::from))));
        let distances = centred(pairs.chunks(NEIGHBOURS).flat_map(|near| {
            let mut times: Vec<_> =
                near.iter().flat_map(|pair| pair.times).map(f64::from).collect();
            let median = median(&mut times);
            near.iter()
                .map(move |pair| (pair, pair.times.map(|time| (f64::from(time) - median).abs())))
        }));
        let [clips, clips_of_distances] = [&times, &distances].map(|all| clips(all));
        let sees = clips.map(|clip| power(&times, clip)).into_iter().fold(f64::INFINITY, f64::min);
        Test {
            t: [
                clips.map(|clip| t(&times, clip, tolerated)),
                clips_of_distances.map(|clip| t(&distances, clip, tolerated)),
            ],
            sees: tolerated + sees,
        }
    }

    /// Where t is beyond the limit: which statistic, and whether class 1 has more.
    pub(crate) fn beyond(&self) -> impl Iterator<Item = (usize, bool)> {
        let ts = self.t.into_iter().flatten().enumerate();
        ts.filter(|(_, t)| t.abs() > LIMIT).map(|(which, t)| (which, t > 0.0))
    }

    /// The largest t of times: how much longer class 1 takes.
    pub(crate) fn longest(&self) -> f64 {
        self.t[0].into_iter().fold(0.0, f64::max)
    }

    /// t that is farthest from 0.
    pub(crate) fn largest(&self) -> f64 {
        let ts = self.t.into_iter().flatten();
        ts.fold(0.0, |largest: f64, t| if t.abs() > largest.abs() { t } else { largest })
    }
}

fn median(values: &mut [f64]) -> f64 {
    match values.len() / 2 {
        0 => values.first().copied().unwrap_or(0.0),
        middle => *values.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

fn centred<'a>(values: impl Iterator<Item = (&'a Pair, [f64; 2])>) -> Vec<Signed> {
    let mut all: Vec<_> = values
        .map(|(pair, [earlier, later])| Signed {
            x: later - earlier,
            sign: if pair.later == 1 { 1.0 } else { -1.0 },
        })
        .collect();
    let centre = median(&mut all.iter().map(|one| one.x).collect::<Vec<_>>());
    all.iter_mut().for_each(|one| one.x -= centre);
    all
}

fn clips(all: &[Signed]) -> [f64; CLIPS.len()] {
    let mut sizes: Vec<_> = all.iter().map(|one| one.x.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    CLIPS.map(|part| {
        let count = (sizes.len() as f64 * part).ceil() as usize;
        sizes.get(count.saturating_sub(1)).copied().unwrap_or(0.0)
    })
}

/// Σ s·x / √(Σ x²) of clipped values; 0 where all are 0.
fn t(all: &[Signed], clip: f64, tolerated: f64) -> f64 {
    let less = |difference: f64| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for one in all {
            let value = (one.sign * one.x - difference).clamp(-clip, clip);
            sum += value;
            squares += value * value;
        }
        if squares == 0.0 { 0.0 } else { sum / f64::sqrt(squares) }
    };
    // what is beyond the tolerated difference, on one side or the other
    less(tolerated).max(0.0) + less(-tolerated).min(0.0)
}

fn power(all: &[Signed], clip: f64) -> f64 {
    let squares: f64 = all.iter().map(|one| one.x.clamp(-clip, clip).powi(2)).sum();
    let inside = all.iter().filter(|one| one.x.abs() < clip).count();
    if squares == 0.0 || inside == 0 {
        return f64::INFINITY;
    }
    (LIMIT + SURE) * squares.sqrt() / inside as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Times around 1000, of few values, as a coarse clock gives them; what class 1 takes longer.
    fn pairs(longer: impl Fn(u64) -> i32) -> Vec<Pair> {
        let mut random = Random(7);
        let mut pair = || {
            let later = (random.word() & 1) as usize;
            let mut time = |class| {
                let word = random.word();
                (1000 + 10 * (word % 7) as i32 + if class == 1 { longer(word >> 32) } else { 0 })
                    as u32
            };
            Pair { times: [time(1 - later), time(later)], later }
        };
        (0..50_000).map(|_| pair()).collect()
    }

    fn differ(test: &Test) -> bool {
        test.beyond().next().is_some()
    }

    #[test]
    fn equal_times_are_equal() {
        let test = Test::new(&pairs(|_| 0), 0.0);
        assert!(!differ(&test) && test.sees < 2.0, "{test:?}");
    }

    #[test]
    fn one_value_alone_is_no_difference() {
        let test = Test::new(&[Pair { times: [40; 2], later: 1 }; 1000], 0.0);
        assert_eq!((test.largest(), test.sees), (0.0, f64::INFINITY));
        let nothing = Test::new(&[], 0.0);
        assert_eq!((nothing.largest(), nothing.sees), (0.0, f64::INFINITY));
    }

    #[test]
    fn differences_are_seen_on_their_side() {
        // a little each time; much, once in 100 times; very much, once in 500 times
        let leaks: [fn(u64) -> i32; 3] = [
            |_| 1,
            |word| 100 * i32::from(word % 100 == 0),
            |word| 9000 * i32::from(word % 500 == 0),
        ];
        for leak in leaks {
            let mut pairs = pairs(leak);
            let test = Test::new(&pairs, 0.0);
            assert!(test.longest() > LIMIT && test.beyond().all(|(_, longer)| longer), "{test:?}");
            // the other way round
            pairs.iter_mut().for_each(|pair| pair.later = 1 - pair.later);
            let test = Test::new(&pairs, 0.0);
            assert!(test.largest() < -LIMIT && test.longest() == 0.0, "{test:?}");
        }
    }

    #[test]
    fn steady_times_differ_from_unsteady_ones() {
        let test = Test::new(&pairs(|word| 30 - 60 * (word % 2) as i32), 0.0);
        assert!(test.t[0].iter().all(|t| t.abs() < LIMIT) && differ(&test), "{test:?}");
    }

    #[test]
    fn small_differences_are_tolerated_where_that_is_asked() {
        let pairs = pairs(|_| 2);
        assert!(differ(&Test::new(&pairs, 0.0)) && differ(&Test::new(&pairs, 1.0)));
        assert!(!differ(&Test::new(&pairs, 3.0)));
        assert!(Test::new(&pairs, 3.0).sees > 3.0);
    }
}
