//! The power of the clock for one operation, and its decision.
//!
//! A machine may be too noisy for its clock to show a leak. So a leak of the size of the bar is planted in a quarter of
//! the pairs. Once the test of those pairs sees it, the test of the others, three times as many, would see a
//! leak of this size as well. Until then more is measured, and when the share of time is used up, the clock has
//! not decided: that is printed, and no failure. A difference beyond the limit is a failure in either case, if
//! new measurements show it again.

use crate::statistics::{LIMIT, Pair, Test};

/// Seconds for one operation: at least, and where the bar is not seen, at most.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// Pairs as they are, and those with the planted leak in class 1.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) plain: Vec<Pair>,
    pub(crate) planted: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// No difference, and one of the bar's size would be seen.
    Equal,
    /// No difference; one of the bar's size may be hidden in the noise.
    Undecided,
    /// Twice the same difference.
    Different,
    /// The planted leak is not seen, and half of it would be.
    Broken,
}

pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) pairs: usize,
    pub(crate) test: Test,
    /// Nanoseconds of the planted leak.
    pub(crate) bar: f64,
    /// Of the pairs that have it.
    pub(crate) planted: Test,
}

/// `take` adds measurements of so many seconds to a sample, with a planted leak of `bar` nanoseconds; `tolerated` ones, which are
/// fewer, are no difference.
pub(crate) fn decide(
    share: Share,
    bar: f64,
    tolerated: f64,
    mut take: impl FnMut(&mut Sample, f64),
) -> Decision {
    let (mut sample, mut seconds) = (Sample::default(), 0.0);
    let (test, planted, is_seen) = loop {
        take(&mut sample, share.least);
        seconds += share.least;
        let test = Test::new(&sample.plain, tolerated);
        let planted = Test::new(&sample.planted, tolerated);
        let is_seen = planted.longest() > LIMIT && test.sees <= bar;
        if is_seen || seconds >= share.most {
            break (test, planted, is_seen);
        }
    };
    let beyond: Vec<_> = test.beyond().collect();
    let is_different = !beyond.is_empty() && {
        let mut again = Sample::default();
        take(&mut again, 2.0 * seconds);
        Test::new(&again.plain, tolerated).beyond().any(|one| beyond.contains(&one))
    };
    let verdict = if is_different {
        Verdict::Different
    } else if is_seen {
        Verdict::Equal
    } else if planted.longest() <= LIMIT && 2.0 * planted.sees <= bar + tolerated {
        Verdict::Broken
    } else {
        Verdict::Undecided
    };
    Decision { verdict, pairs: sample.plain.len(), test, bar, planted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// How the time of a machine goes wrong.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Noise {
        /// Hardly at all.
        Quiet,
        /// Its clock jumps between two levels, and stays for so many measurements.
        Levels(f64),
        /// Its clock climbs and falls in many small steps.
        Steps,
        /// Each measurement takes a little longer than the last one.
        Drift,
        /// Another process has the processor for milliseconds, and leaves cold caches.
        Neighbour,
        /// Without a mean.
        HeavyTails,
        /// It counts in units of a thousandth of the operation's time.
        Coarse,
        /// Any measurement may take twice as long as the one before.
        Chaos,
    }

    /// Each noise with so many seeds.
    fn every(seeds: u64) -> impl Iterator<Item = (Noise, u64)> {
        let noises = [
            Noise::Quiet,
            Noise::Levels(1000.0),
            Noise::Levels(20.0),
            Noise::Steps,
            Noise::Drift,
            Noise::Neighbour,
            Noise::HeavyTails,
            Noise::Coarse,
            Noise::Chaos,
        ];
        noises.into_iter().flat_map(move |noise| (0..seeds).map(move |seed| (noise, seed)))
    }

    /// An operation of 400 us.
    const TIME: f64 = 4e5;
    const BAR: f64 = 0.001 * TIME;
    const SHARE: Share = Share { least: 1.0, most: 4.0 };

    /// By how much class 1 takes longer.
    type Leak<'a> = &'a dyn Fn(&mut Random) -> f64;

    struct Machine {
        random: Random,
        noise: Noise,
        /// What the clock is at, in the time of the fastest one.
        level: f64,
        measured: f64,
    }

    impl Machine {
        fn new(seed: u64, noise: Noise) -> Machine {
            Machine { random: Random(seed), noise, level: 1.0, measured: 0.0 }
        }

        /// At least 0, less than 1.
        fn part(&mut self) -> f64 {
            (self.random.word() >> 11) as f64 / (1_u64 << 53) as f64
        }

        /// Of what takes so many nanoseconds at the fastest clock.
        fn time(&mut self, nanoseconds: f64) -> u32 {
            let part = self.part();
            self.measured += 1.0;
            // twelve uniform numbers: nearly normal, a thousandth wide
            let jitter = (0..12).map(|_| self.part()).sum::<f64>() - 6.0;
            let mut time = nanoseconds + 0.001 * TIME * jitter;
            match self.noise {
                Noise::Quiet | Noise::Coarse => {}
                Noise::Levels(stay) if part < 1.0 / stay => self.level = 2.25 - self.level,
                Noise::Levels(_) => {}
                Noise::Steps if part < 0.01 => {
                    self.level = (self.level + 0.1 * (self.part() - 0.5)).clamp(1.0, 2.0);
                }
                Noise::Steps => {}
                Noise::Drift => time += 20.0 * self.measured,
                Noise::Neighbour if part < 0.1 => time += 4e6 * self.part(),
                Noise::Neighbour if part < 0.3 => time += 0.1 * TIME * self.part(),
                Noise::Neighbour => {}
                Noise::HeavyTails => time += 0.001 * TIME / (part + 1e-9),
                Noise::Chaos => time += TIME * part,
            }
            time *= self.level;
            if self.noise == Noise::Coarse {
                time -= time % BAR;
            }
            time as u32
        }

        fn take(&mut self, sample: &mut Sample, seconds: f64, leak: Leak<'_>, planted: f64) {
            for i in 0..(seconds * 1e9 / TIME / 2.0) as usize {
                let later = (self.random.word() & 1) as usize;
                let times = [1 - later, later].map(|class| {
                    let leak = if class == 1 { leak(&mut self.random) } else { 0.0 };
                    let planted = if class == 1 && i % 4 == 0 { planted } else { 0.0 };
                    self.time(TIME + leak + planted)
                });
                let pairs = if i % 4 == 0 { &mut sample.planted } else { &mut sample.plain };
                pairs.push(Pair { times, later });
            }
        }
    }

    fn decide_on(seed: u64, noise: Noise, leak: Leak<'_>, planted: f64) -> Decision {
        let mut machine = Machine::new(seed, noise);
        decide(SHARE, BAR, 0.0, |sample, seconds| machine.take(sample, seconds, leak, planted))
    }

    #[test]
    fn times_without_a_leak_are_equal_or_undecided() {
        for (noise, seed) in every(25) {
            let found = decide_on(seed, noise, &|_| 0.0, BAR);
            let expected = if noise == Noise::Chaos { Verdict::Undecided } else { Verdict::Equal };
            assert_eq!(found.verdict, expected, "{noise:?}, seed {seed}: {:?}", found.test);
            assert!(found.test.largest().abs() <= LIMIT && found.pairs >= 900 && found.bar == BAR);
        }
    }

    #[test]
    fn a_leak_that_the_machine_sees_is_found() {
        for (noise, seed) in every(10) {
            let sees = decide_on(seed, noise, &|_| 0.0, BAR).test.sees;
            for leak in [1.2 * sees, f64::max(BAR, sees), 50.0 * sees] {
                let found = decide_on(seed + 100, noise, &|_| leak, BAR);
                // this run may have ended sooner
                if leak >= found.test.sees {
                    assert_eq!(
                        found.verdict,
                        Verdict::Different,
                        "{noise:?}, seed {seed}: {leak} ns"
                    );
                } else {
                    assert!(
                        leak < BAR || found.verdict != Verdict::Equal,
                        "{noise:?}, seed {seed}: {leak} ns"
                    );
                }
            }
        }
    }

    #[test]
    fn leaks_of_other_forms_are_found() {
        let leaks: [(&str, Leak<'_>); 4] = [
            ("class 1 is faster", &|_| -BAR),
            ("seldom and large", &|random| if random.word() % 16 == 0 { 16.0 * BAR } else { 0.0 }),
            ("for half of the secrets", &|random| (random.word() & 1) as f64 * 2.0 * BAR),
            ("as long, less steady", &|random| {
                if random.word() & 1 == 0 { 4.0 * BAR } else { -4.0 * BAR }
            }),
        ];
        for ((form, leak), seed) in leaks.into_iter().zip(1..) {
            let found = decide_on(seed, Noise::Levels(100.0), leak, BAR);
            assert_eq!(found.verdict, Verdict::Different, "{form}: {:?}", found.test);
        }
    }

    #[test]
    fn a_planted_leak_that_is_not_there_is_missed() {
        for (noise, seed) in every(5) {
            let found = decide_on(seed, noise, &|_| 0.0, 0.0);
            assert_ne!(
                found.verdict,
                Verdict::Equal,
                "{noise:?}, seed {seed}: {:?}",
                found.planted
            );
            assert!(noise != Noise::Quiet || found.verdict == Verdict::Broken, "seed {seed}");
        }
    }

    #[test]
    fn no_noise_makes_t_larger_than_coins_do() {
        let (mut all, mut large) = (0, 0);
        for (noise, seed) in every(40) {
            let mut sample = Sample::default();
            Machine::new(seed, noise).take(&mut sample, 0.4, &|_| 0.0, 0.0);
            for t in Test::new(&sample.plain, 0.0).t.into_iter().flatten() {
                all += 1;
                large += usize::from(t.abs() > 3.0);
            }
        }
        // 2 exp(-9/2) bounds it; where t is normal it is a tenth of it
        assert!(large as f64 <= 0.022 * all as f64, "{large} of {all}");
    }
}
