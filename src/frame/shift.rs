//! How far a quantile has moved between two runs, and whether noise explains it.
//!
//! The interval of one quantile is Woodruff's (Journal of the American Statistical Association 47, 1952, 635–646): an
//! interval around the share of samples below it (on the scale of log odds, as Korn and Graubard have it, Survey
//! Methodology 24, 1998, 193–201), turned into values by the distribution itself. Waits come in bursts, so
//! the share's variance is the greatest of that of independent samples and of those between the run's consecutive parts,
//! by ones, twos, fours and so on (a ratio estimate over clusters; batch means, as simulations are judged by: Law,
//! Simulation Modeling and Analysis, 9.5.3). The interval of the difference is put together of the two (Zou and Donner,
//! Statistics in Medicine 27, 2008, 1693–1702).

use crate::plan::histogram::{Histogram, lower, upper};

/// The samples of one group in one run.
#[derive(Debug, Clone)]
pub struct Run {
    whole: Histogram,
    blocks: Vec<Histogram>,
}

/// What is said of one quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    pub before: f64,
    pub after: f64,
    /// Bounds of `after - before`; `None` where the samples do not reach so far out.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub moved: bool,
}

/// One quantile with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Estimate {
    at: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl Run {
    /// Of consecutive parts; of one part only the samples' number speaks.
    pub fn of(blocks: &[Histogram]) -> Run {
        let mut whole = Histogram::default();
        blocks.iter().for_each(|block| whole.merge(block));
        Run { whole, blocks: blocks.to_vec() }
    }

    pub fn count(&self) -> u64 {
        self.whole.total()
    }

    /// Whether it has samples enough beyond this quantile for a statement about it.
    pub fn reaches(&self, quantile: f64) -> bool {
        self.count() as f64 * quantile.min(1.0 - quantile) >= 5.0 - 1e-9
    }

    fn estimate(&self, quantile: f64, confidence: f64) -> Estimate {
        // On the scale of log odds, where an interval never leaves 0 to 1 and is right in the tails too.
        let spread = quantile * (1.0 - quantile);
        let reach = self.reach(quantile, confidence) / spread;
        let share = |odds: f64| 1.0 / (1.0 + (-odds).exp());
        let odds = (quantile / (1.0 - quantile)).ln();
        let (low, high) = (share(odds - reach), share(odds + reach));
        // Beyond the outermost sample nothing is known.
        let least = 0.5 / self.count() as f64;
        Estimate {
            at: value_at(&self.whole, quantile),
            low: (low >= least).then(|| value_at(&self.whole, low)),
            high: (1.0 - high >= least).then(|| value_at(&self.whole, high)),
        }
    }

    /// How far the share of samples below the quantile may be off.
    fn reach(&self, quantile: f64, confidence: f64) -> f64 {
        let factor = |freedom: f64| t_quantile((1.0 + confidence) / 2.0, freedom);
        let total = self.count() as f64;
        let independent = quantile * (1.0 - quantile) / total;
        let at = value_at(&self.whole, quantile);
        let mut blocks: Vec<(f64, f64)> =
            self.blocks.iter().map(|block| (block.total() as f64, below(block, at))).collect();
        let share = blocks.iter().map(|(_, below)| below).sum::<f64>() / total;
        let mut found = independent.sqrt() * factor(f64::INFINITY);
        loop {
            let filled = blocks.iter().filter(|(count, _)| *count > 0.0);
            let number = filled.clone().count() as f64;
            if number < LEAST_BLOCKS {
                return found;
            }
            let residuals = filled.map(|(count, below)| (below - count * share).powi(2)).sum::<f64>();
            let deviation = (residuals / (total * total) * number / (number - 1.0)).sqrt();
            // The fewer parts, the less is known of how much they differ.
            found = found.max(deviation * factor(number - 1.0));
            let joined = |two: &[(f64, f64)]| two.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            blocks = blocks.chunks(2).map(joined).collect();
        }
    }
}

/// Fewer parts tell nothing of how much parts differ.
const LEAST_BLOCKS: f64 = 5.0;
/// Two buckets' width: a bucket is up to 1/16 wider than its lower end, and a shift that two of them can make is none that
/// anybody should act on.
const RESOLUTION: f64 = 2.0 / 16.0;

/// How far a quantile moved. `confidence` is that of this statement alone.
pub fn shift(before: &Run, after: &Run, quantile: f64, confidence: f64) -> Shift {
    let (a, b) = (before.estimate(quantile, confidence), after.estimate(quantile, confidence));
    let distance = b.at - a.at;
    let join = |one: Option<f64>, other: Option<f64>| Some((one?, other?));
    let low = join(b.low, a.high).map(|(b_low, a_high)| distance - (b.at - b_low).hypot(a_high - a.at));
    let high = join(b.high, a.low).map(|(b_high, a_low)| distance + (b_high - b.at).hypot(a.at - a_low));
    let beyond = low.is_some_and(|low| low > 0.0) || high.is_some_and(|high| high < 0.0);
    let moved = beyond && distance.abs() > RESOLUTION * a.at.min(b.at);
    Shift { before: a.at, after: b.at, low, high, moved }
}

/// The value below which that share of the samples lies; within a bucket they are taken to lie evenly.
fn value_at(histogram: &Histogram, share: f64) -> f64 {
    let wanted = share * histogram.total() as f64;
    let mut before = 0.0;
    for &(slot, count) in &histogram.buckets {
        let (low, count) = (lower(usize::from(slot)) as f64, count as f64);
        if before + count >= wanted {
            let width = upper(usize::from(slot)) as f64 - low;
            return low + width * ((wanted - before) / count).clamp(0.0, 1.0);
        }
        before += count;
    }
    histogram.buckets.last().map_or(0.0, |(slot, _)| upper(usize::from(*slot)) as f64)
}

/// How many samples lie below a value.
fn below(histogram: &Histogram, value: f64) -> f64 {
    let mut sum = 0.0;
    for &(slot, count) in &histogram.buckets {
        let (low, high) = (lower(usize::from(slot)) as f64, upper(usize::from(slot)) as f64);
        if value >= high {
            sum += count as f64;
        } else {
            return sum + count as f64 * ((value - low) / (high - low)).clamp(0.0, 1.0);
        }
    }
    sum
}

/// Of Student's distribution, by its expansion around the normal one (Abramowitz and Stegun, 26.7.5), which from four
/// degrees of freedom on is right to a percent where it is used.
fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let x = normal_quantile(probability);
    if !freedom.is_finite() {
        return x;
    }
    let (x2, v) = (x * x, freedom);
    let one = x * (x2 + 1.0) / 4.0;
    let two = x * ((5.0 * x2 + 16.0) * x2 + 3.0) / 96.0;
    let three = x * (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / 384.0;
    let four = x * ((((79.0 * x2 + 776.0) * x2 + 1482.0) * x2 - 1920.0) * x2 - 945.0) / 92160.0;
    x + one / v + two / v.powi(2) + three / v.powi(3) + four / v.powi(4)
}

/// Of the standard normal distribution above one half, found by halving the tail's probability.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    // Each step halves the interval: after 60 it is as narrow as the numbers are.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tail(middle) > 1.0 - probability { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The probability that a standard normal value is greater: by its series below three, by its continued fraction from there.
fn tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            n += 2.0;
            term *= x * x / n;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..=40).rev().fold(x, |below, k| x + f64::from(k) / below);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::histogram::slot_of;

    /// Numbers that look random and are the same in every run (xorshift64*).
    struct Dice(u64);

    impl Dice {
        fn unit(&mut self) -> f64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.unit().max(1e-300).ln()).sqrt() * (2.0 * std::f64::consts::PI * self.unit()).cos()
        }
    }

    /// Waits as a scheduler has them: log-normal around `median`, with a tail of 2 % that is fifty times as long. With
    /// `burst` each part of the run has a level of its own.
    fn run(dice: &mut Dice, blocks: usize, each: usize, median: f64, burst: f64) -> Run {
        let blocks: Vec<Histogram> = (0..blocks)
            .map(|_| {
                let level = median * (burst * dice.normal()).exp();
                let mut counts = vec![0u64; crate::plan::histogram::SLOTS];
                for _ in 0..each {
                    let tail = if dice.unit() < 0.02 { 50.0 } else { 1.0 };
                    counts[slot_of((level * tail * (0.5 * dice.normal()).exp()) as u64)] += 1;
                }
                Histogram::from_dense(&counts)
            })
            .collect();
        Run::of(&blocks)
    }

    const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

    /// In how many of so many draws some quantile is said to have moved, at 99 % for all three.
    fn alarms(draws: usize, make: impl Fn(&mut Dice) -> (Run, Run)) -> usize {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let confidence = 1.0 - 0.01 / QUANTILES.len() as f64;
        let moved = |(before, after): (Run, Run)| {
            QUANTILES.iter().any(|quantile| shift(&before, &after, *quantile, confidence).moved)
        };
        (0..draws).filter(|_| moved(make(&mut dice))).count()
    }

    #[test]
    fn known_quantiles() {
        for (probability, x) in [(0.5, 0.0), (0.975, 1.959964), (0.995, 2.575829), (0.99999, 4.264891)] {
            assert!((normal_quantile(probability) - x).abs() < 1e-5, "{probability}");
        }
        for (freedom, t) in [(5.0, 2.570582), (19.0, 2.093024), (30.0, 2.042272)] {
            assert!((t_quantile(0.975, freedom) / t - 1.0).abs() < 0.002, "{freedom}");
        }
        assert!((t_quantile(0.999, 4.0) / 7.173182 - 1.0).abs() < 0.05);
    }

    #[test]
    fn equal_runs_of_independent_waits_have_not_moved() {
        let found = alarms(1000, |dice| (run(dice, 1, 1000, 5e3, 0.0), run(dice, 1, 1000, 5e3, 0.0)));
        assert!(found <= 20, "{found} of 1000");
    }

    #[test]
    fn equal_runs_with_bursts_have_not_moved() {
        let pair = |dice: &mut Dice| (run(dice, 20, 100, 5e3, 0.3), run(dice, 20, 100, 5e3, 0.3));
        let found = alarms(1000, pair);
        assert!(found <= 50, "{found} of 1000");
        // The number of samples alone would have said that something changed.
        let blind = alarms(200, |dice| {
            let (before, after) = pair(dice);
            (Run::of(&[before.whole]), Run::of(&[after.whole]))
        });
        assert!(blind > 50, "{blind} of 200");
    }

    #[test]
    fn equal_runs_beside_a_load_that_comes_and_goes_have_not_moved() {
        // A level that keeps 0.75 of itself from part to part, over both runs without a break.
        let found = alarms(1000, |dice| {
            let mut level = 0.3 * dice.normal();
            let mut one = |dice: &mut Dice| {
                let parts: Vec<Histogram> = (0..20)
                    .map(|_| {
                        level = 0.75 * level + 0.3 * (1.0f64 - 0.75 * 0.75).sqrt() * dice.normal();
                        run(dice, 1, 100, 5e3 * level.exp(), 0.0).whole
                    })
                    .collect();
                Run::of(&parts)
            };
            (one(dice), one(dice))
        });
        assert!(found <= 50, "{found} of 1000");
    }

    #[test]
    fn few_waits_are_no_proof() {
        let found = alarms(1000, |dice| (run(dice, 1, 30, 5e3, 0.0), run(dice, 1, 30, 5e3, 0.0)));
        assert!(found <= 50, "{found} of 1000");
    }

    #[test]
    fn what_has_moved_is_seen() {
        let found = alarms(200, |dice| (run(dice, 20, 100, 5e3, 0.2), run(dice, 20, 100, 1e4, 0.2)));
        assert!(found >= 195, "{found} of 200");
        let mut dice = Dice(7);
        let (before, after) = (run(&mut dice, 20, 1000, 5e3, 0.0), run(&mut dice, 20, 1000, 1e4, 0.0));
        let shift = shift(&before, &after, 0.5, 0.95);
        assert!(shift.moved && shift.low.unwrap() < 5e3 && shift.high.unwrap() > 5e3, "{shift:?}");
    }

    #[test]
    fn the_true_shift_lies_within_its_bounds() {
        let mut dice = Dice(11);
        let mut inside = 0;
        for _ in 0..500 {
            let (before, after) = (run(&mut dice, 20, 50, 5e3, 0.3), run(&mut dice, 20, 50, 8e3, 0.3));
            let found = shift(&before, &after, 0.5, 0.95);
            // Below the median lies half of all, which is 0.5 / 0.98 of those outside of the tail: 0.0256 deviations of
            // √(0.5² + 0.3²) above their level.
            let right = 3e3 * (0.0256f64 * 0.5f64.hypot(0.3)).exp();
            inside += usize::from(found.low.unwrap() <= right && right <= found.high.unwrap());
        }
        assert!(inside >= 465, "{inside} of 500");
    }

    #[test]
    fn a_shift_of_a_bucket_is_none() {
        let of = |value: u64| Run::of(&[Histogram { buckets: vec![(slot_of(value) as u16, 1_000_000)] }]);
        let same = shift(&of(1000), &of(1010), 0.5, 0.95);
        assert!(!same.moved && same.before == same.after, "{same:?}");
        // The next buckets are 1024 to 1088, to 1152, to 1216.
        assert!(!shift(&of(1000), &of(1050), 0.5, 0.95).moved);
        assert!(shift(&of(1000), &of(1200), 0.5, 0.95).moved);
    }

    #[test]
    fn a_quantile_beyond_the_samples_has_no_bound() {
        let mut dice = Dice(3);
        let (before, after) = (run(&mut dice, 1, 50, 5e3, 0.0), run(&mut dice, 1, 50, 5e3, 0.0));
        assert!(!before.reaches(0.99) && before.reaches(0.9));
        assert_eq!(shift(&before, &after, 0.99, 0.95).high, None);
    }
}
