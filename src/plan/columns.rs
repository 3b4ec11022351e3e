//! The columns of a result: their names and what they hold.

use crate::catalog::{Column, Kind, Unit};
use crate::lang::ast::Stat;

/// What a column of a result holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A whole number of nanoseconds.
    Nanoseconds,
    /// A fraction of nanoseconds, of an average.
    NanosecondsMean,
    /// A whole number of things.
    Number,
    /// An average of a number.
    Mean,
    /// Things per second.
    PerSecond,
    /// 0 to 100.
    Percent,
    /// A point in time.
    Instant,
    /// Log-linear buckets (or the equal steps of `hist(linear, …)`).
    Histogram,
}

impl Holds {
    /// For people.
    pub const fn noun(self) -> &'static str {
        match self {
            Holds::Nanoseconds => "nanoseconds",
            Holds::NanosecondsMean => "nanoseconds, a mean",
            Holds::Number => "whole number",
            Holds::Mean => "a mean",
            Holds::PerSecond => "per second",
            Holds::Percent => "percent, 0 to 100",
            Holds::Instant => "time",
            Holds::Histogram => "histogram",
        }
    }
}

/// What the column of a stat holds.
pub fn holds(stat: &Stat, measure: Option<&Column>) -> Holds {
    let nanoseconds = measure.is_some_and(|m| m.unit == Unit::Nanoseconds);
    match stat {
        Stat::Count | Stat::Uniq(_) => Holds::Number,
        Stat::Rate => Holds::PerSecond,
        Stat::Pct => Holds::Percent,
        Stat::MaxAt => Holds::Instant,
        Stat::Hist | Stat::HistLinear { .. } => Holds::Histogram,
        Stat::Avg if nanoseconds => Holds::NanosecondsMean,
        Stat::Avg => Holds::Mean,
        Stat::Sum | Stat::Min | Stat::Max | Stat::Percentile(_) if nanoseconds => Holds::Nanoseconds,
        Stat::Sum | Stat::Min | Stat::Max | Stat::Percentile(_) => Holds::Number,
        // Rows have columns of their own.
        Stat::Events(_) => Holds::Number,
    }
}

/// The name of a stat's column: `latency_p99_9_ns`, `count`, `latency_max_at`, `uniq_comm`.
pub fn name(stat: &Stat, measure: Option<&Column>) -> String {
    let word = stat.word().replace('.', "_");
    match measure {
        Some(measure) if of_measure(stat) => {
            let unit = match holds(stat, Some(measure)) {
                Holds::Nanoseconds | Holds::NanosecondsMean => "_ns",
                _ => "",
            };
            format!("{}_{word}{unit}", measure.name)
        }
        _ => word,
    }
}

/// Whether a stat is one of the measure, not of the rows as such.
pub const fn of_measure(stat: &Stat) -> bool {
    !matches!(stat, Stat::Count | Stat::Rate | Stat::Pct | Stat::Uniq(_) | Stat::Events(_))
}

/// What a key or a row's column holds, for people.
pub fn noun(column: &Column) -> String {
    match column.kind {
        Kind::Duration => "nanoseconds".to_string(),
        Kind::Word(words) => {
            let mut list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let more = list.len() > 4;
            list.truncate(4);
            format!("word: {}{}", list.join(", "), if more { ", …" } else { "" })
        }
        kind => kind.noun().to_string(),
    }
}
