//! The log-linear buckets that kernel and frame share: exact below 16, then 16 buckets to a power of two, so that a
//! bucket's width is at most 1/16 of its lower end and its midpoint is off by at most 3.2 %.

/// Buckets within one power of two.
pub const SUB: u64 = 16;
/// Enough for 2^64 - 1.
pub const SLOTS: usize = 16 + 60 * 16;

/// The bucket of a value. `slot_of` in `src/bpf/histogram.bpf.h` is the same function.
pub const fn slot_of(value: u64) -> usize {
    if value < SUB {
        return value as usize;
    }
    let log = 63 - value.leading_zeros() as u64;
    (((log - 3) << 4) | ((value >> (log - 4)) & 15)) as usize
}

/// The least value of a bucket.
pub const fn lower(slot: usize) -> u64 {
    if slot < SUB as usize {
        return slot as u64;
    }
    let log = (slot as u64 >> 4) + 3;
    (1 << log) | ((slot as u64 & 15) << (log - 4))
}

/// The least value above a bucket; `u64::MAX` for the last.
pub const fn upper(slot: usize) -> u64 {
    if slot + 1 >= SLOTS { u64::MAX } else { lower(slot + 1) }
}

/// The counts of one group: only buckets that hold something, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    pub buckets: Vec<(u16, u64)>,
}

impl Histogram {
    /// From a dense array of counts.
    pub fn from_dense(counts: &[u64]) -> Self {
        let buckets = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(slot, n)| (slot as u16, *n)).collect();
        Self { buckets }
    }

    pub fn add(&mut self, value: u64) {
        self.merge(&Histogram { buckets: vec![(slot_of(value) as u16, 1)] });
    }

    /// Adds another's counts; merging is exact, in any order.
    pub fn merge(&mut self, other: &Histogram) {
        for &(slot, count) in &other.buckets {
            match self.buckets.binary_search_by_key(&slot, |b| b.0) {
                Ok(at) => self.buckets[at].1 += count,
                Err(at) => self.buckets.insert(at, (slot, count)),
            }
        }
    }

    pub fn total(&self) -> u64 {
        self.buckets.iter().map(|b| b.1).sum()
    }

    /// Nearest rank: the bucket that holds sample number ceil(q·n), q in millionths, answered by the bucket's midpoint
    /// clamped to the group's own minimum and maximum.
    pub fn quantile(&self, millionths: u32, min: u64, max: u64) -> Option<u64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let rank = ((u128::from(total) * u128::from(millionths)).div_ceil(1_000_000)).max(1) as u64;
        let mut below = 0;
        for &(slot, count) in &self.buckets {
            below += count;
            if below >= rank {
                let (lo, hi) = (lower(slot as usize), upper(slot as usize));
                return Some((lo + (hi - 1 - lo) / 2).clamp(min, max));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_meet_without_gap_or_overlap() {
        for slot in 0..SLOTS - 1 {
            assert_eq!(slot_of(lower(slot)), slot);
            assert_eq!(slot_of(upper(slot) - 1), slot);
        }
        assert_eq!(slot_of(u64::MAX), SLOTS - 1);
    }

    proptest::proptest! {
        #[test]
        fn quantiles_are_within_the_stated_error(mut values in proptest::collection::vec(0u64..10_000_000_000, 1..300), q in 1u32..=1_000_000) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|v| histogram.add(*v));
            values.sort_unstable();
            let rank = ((values.len() as u128 * u128::from(q)).div_ceil(1_000_000)).max(1) as usize;
            let exact = values[rank - 1];
            let got = histogram.quantile(q, values[0], values[values.len() - 1]).unwrap();
            let error = got.abs_diff(exact) as f64;
            proptest::prop_assert!(error <= exact as f64 * 0.032, "exact {exact}, got {got}");
        }
    }
}
