//! Histograms as columns, and the maths on them that readers of a frame need.

use polars::prelude::{Column as PolarsColumn, DataType, Field, IntoSeries, NamedFrom, Series, StructChunked};

use super::grouping::{Group, Linear};
use super::{FrameError, Measured};
use crate::plan::histogram::{lower, upper};

/// How many values lay from `lo` up to, not including, `hi`; `None` where there is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    pub lo: u64,
    pub hi: Option<u64>,
    pub count: u64,
}

/// A group's fine buckets, those that hold something.
pub(super) fn fine(group: &Group) -> Vec<Bucket> {
    let histogram = group.histogram();
    let bucket = |(slot, count): &(u16, u64)| Bucket {
        lo: lower(usize::from(*slot)),
        hi: Some(upper(usize::from(*slot))),
        count: *count,
    };
    histogram.buckets.iter().map(bucket).collect()
}

/// A group's linear buckets, those that hold something.
pub(super) fn linear(group: &Group, index: usize, linear: Linear) -> Vec<Bucket> {
    let bucket = |(slot, count): (&u64, &u64)| {
        let (lo, hi) = linear.bounds(*slot);
        Bucket { lo, hi, count: *count }
    };
    group.linear[index].iter().map(bucket).collect()
}

/// The names of the three fields, in long form and inside a list.
pub(super) fn field_names(unit: Measured) -> [&'static str; 3] {
    match unit {
        Measured::Nanoseconds => ["lo_ns", "hi_ns", "count"],
        Measured::Plain => ["lo", "hi", "count"],
    }
}

/// The three columns of these buckets.
pub(super) fn columns(buckets: &[Bucket], unit: Measured) -> [Series; 3] {
    let [lo, hi, count] = field_names(unit);
    [
        Series::new(lo.into(), buckets.iter().map(|b| signed(b.lo)).collect::<Vec<i64>>()),
        Series::new(hi.into(), buckets.iter().map(|b| b.hi.map(signed)).collect::<Vec<Option<i64>>>()),
        Series::new(count.into(), buckets.iter().map(|b| signed(b.count)).collect::<Vec<i64>>()),
    ]
}

/// One list of buckets per group.
pub(super) fn lists(name: &str, groups: &[Vec<Bucket>], unit: Measured) -> Result<PolarsColumn, FrameError> {
    let fields = field_names(unit).map(|field| Field::new(field.into(), DataType::Int64));
    if groups.is_empty() {
        let list = DataType::List(Box::new(DataType::Struct(fields.to_vec())));
        return Ok(Series::new_empty(name.into(), &list).into());
    }
    let structs: Result<Vec<Series>, FrameError> = groups
        .iter()
        .map(|buckets| {
            let columns = columns(buckets, unit);
            Ok(StructChunked::from_series("".into(), buckets.len(), columns.iter())?.into_series())
        })
        .collect();
    Ok(Series::new(name.into(), structs?).into())
}

pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Fine buckets put together to powers of two: `[0, 1)`, `[1, 2)`, `[2, 4)` … from the first that holds something to the
/// last, with the empty ones between.
pub fn powers_of_two(fine: &[Bucket]) -> Vec<Bucket> {
    let mut counts = [0u64; 65];
    for bucket in fine {
        let power = &mut counts[power_of(bucket.lo)];
        *power = power.saturating_add(bucket.count);
    }
    let (Some(first), Some(last)) = (counts.iter().position(|n| *n > 0), counts.iter().rposition(|n| *n > 0)) else {
        return Vec::new();
    };
    (first..=last)
        .map(|power| Bucket {
            lo: if power == 0 { 0 } else { 1 << (power - 1) },
            hi: Some(if power >= 64 { u64::MAX } else { 1 << power }),
            count: counts[power],
        })
        .collect()
}

/// The index of the power of two that a value belongs to: 0 for 0, n for 2^(n−1) up to 2^n.
pub fn power_of(value: u64) -> usize {
    64 - value.leading_zeros() as usize
}

/// Linear buckets from the first that holds something to the last, with the empty ones between.
pub fn fill_linear(found: &[Bucket], lo: u64, hi: u64, step: u64) -> Vec<Bucket> {
    let linear = Linear { lo, hi, step };
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return Vec::new() };
    let mut rest = found.iter().peekable();
    (linear.slot(first.lo)..=linear.slot(last.lo))
        .map(|slot| {
            let (lo, hi) = linear.bounds(slot);
            let count = rest.next_if(|b| b.lo == lo).map_or(0, |b| b.count);
            Bucket { lo, hi, count }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::histogram::Histogram;

    fn fine_of(values: &[u64]) -> Vec<Bucket> {
        let mut histogram = Histogram::default();
        values.iter().for_each(|v| histogram.add(*v));
        let bucket = |(slot, count): &(u16, u64)| Bucket {
            lo: lower(usize::from(*slot)),
            hi: Some(upper(usize::from(*slot))),
            count: *count,
        };
        histogram.buckets.iter().map(bucket).collect()
    }

    #[test]
    fn powers_start_at_the_first_and_show_the_gaps() {
        let powers = powers_of_two(&fine_of(&[5, 7, 40]));
        let shown: Vec<_> = powers.iter().map(|b| (b.lo, b.hi.unwrap(), b.count)).collect();
        assert_eq!(shown, [(4, 8, 2), (8, 16, 0), (16, 32, 0), (32, 64, 1)]);
        assert!(powers_of_two(&[]).is_empty());
        assert_eq!(powers_of_two(&fine_of(&[0, 1]))[0], Bucket { lo: 0, hi: Some(1), count: 1 });
        assert_eq!(powers_of_two(&fine_of(&[u64::MAX]))[0].lo, 1 << 63);
    }

    #[test]
    fn gaps_of_linear_buckets_are_shown() {
        let found = [Bucket { lo: 0, hi: Some(10), count: 1 }, Bucket { lo: 30, hi: None, count: 2 }];
        let filled = fill_linear(&found, 10, 30, 10);
        let shown: Vec<_> = filled.iter().map(|b| (b.lo, b.hi, b.count)).collect();
        assert_eq!(shown, [(0, Some(10), 1), (10, Some(20), 0), (20, Some(30), 0), (30, None, 2)]);
    }

    proptest::proptest! {
        #[test]
        fn a_power_of_two_holds_exactly_its_values(values in proptest::collection::vec(proptest::num::u64::ANY, 1..50)) {
            for bucket in powers_of_two(&fine_of(&values)) {
                let last = bucket.hi == Some(u64::MAX);
                let inside = |v: &&u64| **v >= bucket.lo && (last || Some(**v) < bucket.hi);
                proptest::prop_assert_eq!(values.iter().filter(inside).count() as u64, bucket.count);
            }
        }
    }
}
