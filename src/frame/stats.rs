//! The stat columns of a result, from its groups.

use polars::prelude::{Column as PolarsColumn, NamedFrom, Series};

use super::buckets::{self, Bucket, signed};
use super::grouping::{Group, Linear};
use super::meta::wall;
use super::{ColumnKind, Mark, Measured, Scale};
use crate::catalog::{Column, Kind};
use crate::lang::ast::Stat;
use crate::plan::StatColumn;

/// What stats need besides the groups.
pub(super) struct Context<'a> {
    pub measure: Option<&'a Column>,
    pub wall_offset_ns: i64,
    /// Per group: the interval's true length (that of the window without `every`), nanoseconds.
    pub lengths: Vec<u64>,
    /// Per group: the count of everything in its interval.
    pub totals: Vec<u64>,
    /// The nominal interval, when there is one.
    pub every_ns: Option<u64>,
}

/// The values of one stat column.
pub(super) enum Made {
    Scalar(PolarsColumn),
    Buckets(Vec<Vec<Bucket>>),
}

impl Context<'_> {
    pub fn unit(&self) -> Measured {
        match self.measure {
            Some(Column { kind: Kind::Duration, .. }) => Measured::Nanoseconds,
            _ => Measured::Plain,
        }
    }
}

pub(super) fn kind(column: &StatColumn, context: &Context) -> ColumnKind {
    let duration = context.unit() == Measured::Nanoseconds;
    match column.stat {
        Stat::Count | Stat::Uniq(_) | Stat::Events(_) => ColumnKind::Count,
        Stat::Avg if !duration => ColumnKind::Decimal,
        Stat::Sum if !duration => ColumnKind::Count,
        Stat::Sum | Stat::Avg | Stat::Min | Stat::Max | Stat::Percentile(_) => {
            context.measure.map_or(ColumnKind::Number, |m| m.kind.into())
        }
        Stat::Rate => ColumnKind::Rate,
        Stat::Pct => ColumnKind::Percent,
        Stat::MaxAt => ColumnKind::Time,
        Stat::Hist | Stat::HistLinear { .. } => ColumnKind::Buckets(scale(column, context)),
    }
}

pub(super) fn scale(column: &StatColumn, context: &Context) -> Scale {
    let unit = context.unit();
    match column.linear {
        Some((lo, hi, step)) => Scale::Linear { unit, lo, hi, step },
        None => Scale::LogLinear { unit },
    }
}

/// `uniq` and `linear` are the column's places among those of their sort.
pub(super) fn make(column: &StatColumn, groups: &[Group], context: &Context, uniq: usize, linear: usize) -> Made {
    let name = column.name.as_str();
    let integers = |value: &dyn Fn(&Group) -> Option<u64>| {
        let values: Vec<Option<i64>> = groups.iter().map(|g| value(g).map(signed)).collect();
        Made::Scalar(Series::new(name.into(), values).into())
    };
    let decimals = |value: &dyn Fn(usize, &Group) -> Option<f64>| {
        let values: Vec<Option<f64>> = groups.iter().enumerate().map(|(i, g)| value(i, g)).collect();
        Made::Scalar(Series::new(name.into(), values).into())
    };
    let some = |group: &Group, value: u64| (group.count > 0).then_some(value);
    match &column.stat {
        Stat::Count | Stat::Events(_) => integers(&|g| Some(g.count)),
        Stat::Sum => integers(&|g| Some(g.sum)),
        Stat::Avg if context.unit() == Measured::Plain => {
            decimals(&|_, g| (g.count > 0).then(|| g.sum as f64 / g.count as f64))
        }
        Stat::Avg => integers(&rounded_average),
        Stat::Min => integers(&|g| some(g, g.min)),
        Stat::Max => integers(&|g| some(g, g.max)),
        Stat::Percentile(millionths) => integers(&|g| g.histogram().quantile(*millionths, g.min, g.max.max(g.min))),
        Stat::Uniq(_) => integers(&|g| Some(g.distinct(uniq))),
        Stat::Rate => decimals(&|i, g| {
            let length = context.lengths[i];
            (length > 0).then(|| g.count as f64 * 1e9 / length as f64)
        }),
        Stat::Pct => decimals(&|i, g| {
            let total = context.totals[i];
            (total > 0).then(|| g.count as f64 * 100.0 / total as f64)
        }),
        Stat::MaxAt => {
            let values: Vec<Option<i64>> =
                groups.iter().map(|g| (g.count > 0).then(|| wall(g.max_at, context.wall_offset_ns))).collect();
            Made::Scalar(Series::new(name.into(), values).into())
        }
        Stat::Hist => Made::Buckets(groups.iter().map(buckets::fine).collect()),
        Stat::HistLinear { .. } => {
            let (lo, hi, step) = column.linear.unwrap_or_default();
            let buckets = |g| buckets::linear(g, linear, Linear { lo, hi, step });
            Made::Buckets(groups.iter().map(buckets).collect())
        }
    }
}

/// To the nearest nanosecond, halves up.
fn rounded_average(group: &Group) -> Option<u64> {
    let (sum, count) = (u128::from(group.sum), u128::from(group.count));
    (count > 0).then(|| ((sum + count / 2) / count) as u64)
}

/// The marks of a column, none when no value has one.
pub(super) fn marks(column: &StatColumn, groups: &[Group], context: &Context) -> Vec<Mark> {
    let mark = |group: &Group| match column.stat {
        Stat::Percentile(millionths) if is_rough(group.count, millionths) => Mark::Rough,
        Stat::Max if context.every_ns.is_some_and(|every| group.max > every) => Mark::PastInterval,
        _ => Mark::None,
    };
    let marks: Vec<Mark> = groups.iter().map(mark).collect();
    if marks.iter().all(|m| *m == Mark::None) { Vec::new() } else { marks }
}

/// Fewer than 1/(1−q) samples: the rank is then that of the largest. `p100` is the maximum, and exact.
fn is_rough(count: u64, millionths: u32) -> bool {
    let above = u64::from(1_000_000u32.saturating_sub(millionths));
    count > 0 && above > 0 && u128::from(count) * u128::from(above) < 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_rough_below_the_samples_it_needs() {
        assert!(is_rough(99, 990_000) && !is_rough(100, 990_000));
        assert!(is_rough(999, 999_000) && !is_rough(1000, 999_000));
        assert!(is_rough(1, 500_000) && !is_rough(2, 500_000));
        assert!(!is_rough(1, 1_000_000) && !is_rough(0, 990_000));
    }
}
