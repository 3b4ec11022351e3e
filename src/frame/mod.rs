//! What a source delivered becomes a result frame: the part of the query that the source did not decide is done here,
//! with polars and the histogram maths.
//!
//! Counts, nanoseconds and times are `Int64` columns (times: nanoseconds since the epoch). Unsigned columns would hold
//! nothing more that can occur, and in most readers `after.max - before.max` would wrap around or fail.

mod aggregate;
pub mod buckets;
pub mod cells;
pub mod claim;
pub mod compare;
mod concat;
mod events;
mod grouping;
mod keys;
mod made;
pub mod meta;
mod predicate;
mod rank;
pub mod samples;
pub mod shift;
pub mod sql;
mod stats;
mod verified;

use std::fmt;

use polars::prelude::{DataFrame, PolarsError};

use crate::catalog::Kind;
use crate::plan::Plan;
use crate::source::Outcome;

pub use concat::concat;
pub use made::MadeColumn;
pub use meta::Meta;
pub use samples::Samples;
pub use verified::{Verified, verified};

/// A result: the data, what each column is, and how far it can be trusted.
#[derive(Debug, Clone)]
pub struct Frame {
    pub data: DataFrame,
    /// One for each column of `data`, in its order.
    pub columns: Vec<FrameColumn>,
    pub meta: Meta,
    /// The distributions of its groups; `None` when its query has neither a histogram nor a percentile.
    pub samples: Option<Samples>,
}

impl Frame {
    /// The names of the columns that hold times.
    pub fn times(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|c| c.kind == ColumnKind::Time).map(|c| c.name.as_str())
    }

    /// The time of a column of times in the first row, nanoseconds since the epoch; `None` without rows, and for a missing
    /// value.
    pub fn first_time(&self, column: &str) -> Option<i64> {
        self.data.column(column).ok()?.i64().ok()?.first()
    }

    /// Its first rows, with what it says of itself as a whole.
    pub fn first_rows(&self, count: usize) -> Frame {
        Frame { data: self.data.head(Some(count)), ..self.clone() }
    }

    /// What it says of itself, alone.
    pub fn without_rows(mut self) -> Frame {
        self.data = self.data.clear();
        self.columns.iter_mut().for_each(|column| column.marks.clear());
        self.meta.groups.clear();
        self.samples.iter_mut().for_each(|samples| samples.groups.clear());
        self
    }
}

/// What `output` must know of a column, so that it never looks at names.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameColumn {
    pub name: String,
    /// The word for people: `p99` for `latency_p99_ns`, the measure for a lone histogram.
    pub label: String,
    pub kind: ColumnKind,
    pub role: Role,
    /// For each row; empty when no row is marked.
    pub marks: Vec<Mark>,
}

impl FrameColumn {
    pub fn mark(&self, row: usize) -> Mark {
        self.marks.get(row).copied().unwrap_or(Mark::None)
    }
}

/// What a column's values are; the polars type in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// An identifier or a level, never an amount (`Int64`).
    Number,
    /// How many (`Int64`).
    Count,
    /// (`Boolean`)
    YesNo,
    /// Escaped by [`crate::name::escape`] (`String`).
    Text,
    /// Nanoseconds (`Int64`).
    Duration,
    /// Nanoseconds since the epoch (`Int64`).
    Time,
    /// Per second (`Float64`).
    Rate,
    /// 0 to 100 (`Float64`).
    Percent,
    /// A number that is none of these, such as an average of levels (`Float64`).
    Decimal,
    /// `List(Struct{lo_ns, hi_ns, count})`, without `_ns` where the measure is no duration.
    Buckets(Scale),
}

impl ColumnKind {
    /// The word for people, with the unit in which the data is kept.
    pub const fn noun(self) -> &'static str {
        match self {
            ColumnKind::Number => "number",
            ColumnKind::Count => "count",
            ColumnKind::YesNo => "yes/no",
            ColumnKind::Text => "text",
            ColumnKind::Duration => "duration (ns)",
            ColumnKind::Time => "time (ns since the epoch)",
            ColumnKind::Rate => "per second",
            ColumnKind::Percent => "percent, 0 to 100",
            ColumnKind::Decimal => "number with a fraction",
            ColumnKind::Buckets(_) => "histogram",
        }
    }
}

impl From<Kind> for ColumnKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Int => ColumnKind::Number,
            Kind::Bool => ColumnKind::YesNo,
            Kind::Name | Kind::Word(_) | Kind::Cgroup => ColumnKind::Text,
            Kind::Duration => ColumnKind::Duration,
            Kind::Time => ColumnKind::Time,
        }
    }
}

/// How the buckets of a histogram are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The fine buckets of [`crate::plan::histogram`].
    LogLinear { unit: Measured },
    /// `hist(linear, LO, HI, STEP)`; what is below `lo` and from `hi` on has a bucket each.
    Linear { unit: Measured, lo: u64, hi: u64, step: u64 },
}

/// What a bucket's bounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    Nanoseconds,
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The start of the interval of `every`, whose nominal length this is, nanoseconds.
    Interval(u64),
    Key,
    Stat,
    /// A column of the rows themselves.
    Event,
    /// The three columns of a lone histogram in long form.
    BucketLow(Scale),
    BucketHigh,
    BucketCount,
}

/// What a person must know of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    None,
    /// A percentile of fewer than 1/(1−q) samples.
    Rough,
    /// Longer than the interval in which it ended.
    PastInterval,
}

/// The source delivered something that the plan does not fit, or polars refused.
#[derive(Debug)]
pub enum FrameError {
    /// A column that the plan needs was not delivered.
    MissingColumn(String),
    /// A column was delivered with other values than its kind has.
    WrongValues(String),
    /// Exact linear buckets cannot be had from log-linear ones.
    LinearNeedsRows,
    Polars(PolarsError),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::MissingColumn(name) => write!(f, "the source delivered no column '{name}'"),
            FrameError::WrongValues(name) => write!(f, "the source delivered column '{name}' with the wrong type"),
            FrameError::LinearNeedsRows => write!(f, "a linear histogram needs the rows themselves"),
            FrameError::Polars(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FrameError {}

impl From<PolarsError> for FrameError {
    fn from(error: PolarsError) -> Self {
        FrameError::Polars(error)
    }
}

/// The result of a plan from what its scan gave; `host` is stored with it, in that order.
pub fn build(plan: &Plan, outcome: &Outcome, host: &[(String, String)]) -> Result<Frame, FrameError> {
    let keep = keys::keep(plan, outcome)?;
    let built = match &plan.rest.events {
        Some(columns) => events::build(plan, outcome, &keep, columns)?,
        None => aggregate::build(plan, outcome, &keep)?,
    };
    let meta = meta::of(plan, outcome, host, &built);
    Ok(Frame { data: built.data, columns: built.columns, meta, samples: built.samples })
}

/// What the two ways of building have in common.
struct Built {
    data: DataFrame,
    columns: Vec<FrameColumn>,
    /// Over everything that passed the filter.
    totals: meta::Totals,
    /// For a lone histogram, per group in the order of its rows.
    groups: Vec<meta::Totals>,
    samples: Option<Samples>,
}
