//! From text's meaning to a plan: names, types and units are checked, and the work is divided between the kernel and the
//! frame. Pure: no clock, no files, no root.

#[cfg(test)]
mod agreement;
pub mod check;
pub mod clock;
pub mod columns;
pub mod cost;
pub mod coverage;
pub mod describe;
mod display;
pub mod error;
pub mod explain;
pub mod histogram;
pub mod layout;
pub mod messages;
mod page;
pub mod predicate;
pub mod pushdown;
pub mod rings;
pub mod words;

use crate::catalog::{Column, Family};
use crate::diagnostic::Span;
use crate::lang::ast::Stat;
pub use check::{CheckOptions, Params, check, check_record};
pub use error::Error;
use predicate::{Predicate, Term};

/// A checked query.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The query in canonical form, parameters bound.
    pub text: String,
    pub family: &'static Family,
    /// `None` for a family without measures.
    pub measure: Option<&'static Column>,
    pub scan: Scan,
    pub rest: Rest,
    /// `for D`, nanoseconds; `None` runs until interrupted (or for the life of the command), or has the length of the
    /// recording.
    pub window_ns: Option<u64>,
    pub save: Option<String>,
    /// The file of the recording that is asked; `None` asks the running system.
    pub from: Option<String>,
    /// Only of a recording: what part of it.
    pub around: Option<Around>,
}

/// `around TIME DURATION`: the rows that end at most so long before or after.
#[derive(Debug, Clone, PartialEq)]
pub struct Around {
    pub time: AroundTime,
    pub each_side_ns: u64,
}

/// A point in time, as far as it is known without the recording.
#[derive(Debug, Clone, PartialEq)]
pub enum AroundTime {
    /// Of the clock on the wall; as it was typed, where, and what it says.
    Clock { text: String, span: Span, time: clock::WallTime },
    /// CLOCK_MONOTONIC, nanoseconds.
    Ns(u64),
    /// That column of the first row of a result.
    Column { frame: String, column: String, span: Span },
    /// When the row with the greatest measure ended: `max_at` of this query, whose stats are `max, max_at`, without groups.
    /// It asks a recording; if it names none, that of the query around it.
    Worst(Box<Plan>),
}

/// A checked `record` statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// In canonical form, parameters bound.
    pub text: String,
    /// What is recorded.
    pub set: &'static Family,
    /// The filter as clauses, decided wholly in the kernel; its output is rows of no columns.
    pub scan: Scan,
    /// The filter for the file, from which [`coverage`] tells later which questions it can answer; `None` keeps every event.
    pub filter: Option<String>,
    /// `for D` or the block's length, nanoseconds; `None` records until interrupted (or for the life of the command).
    pub window_ns: Option<u64>,
    /// The file to write.
    pub to: String,
}

/// What a source must deliver: the part of a query that is decided where the events are.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    pub family: &'static Family,
    pub measure: Option<&'static Column>,
    /// Conjunctive form, ordered by [`Stage`](crate::catalog::Stage): every clause must hold.
    pub clauses: Vec<Clause>,
    pub output: Output,
    /// `every D`, nanoseconds: the interval's number becomes part of the key (or of the row).
    pub every_ns: Option<u64>,
    /// Upper bound of a measure that is a duration, nanoseconds, when the window bounds it: trims histograms.
    pub bound_ns: Option<u64>,
    /// Rows of the idle task are wanted.
    pub idle: bool,
    /// Rows of schedq's own threads are wanted.
    pub own: bool,
    /// The most memory that the maps may take, bytes.
    pub map_bytes: u64,
    /// Room for so many groups, if the user says so; else it follows from the keys.
    pub groups: Option<u64>,
    /// Of a recording: only rows that end from the one to the other, both included, CLOCK_MONOTONIC ns. The check leaves it
    /// open, for what `around` means is known when the recording is open; the running system has no use for it.
    pub range: Option<(u64, u64)>,
}

impl Scan {
    /// Whether its predicate is false for every row, so that nothing need be run.
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().any(|clause| clause.terms.is_empty())
    }
}

/// Holds when any of its terms does; without terms for no row, and it then is the scan's only clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Aggregated at the source: one group per combination of keys.
    Groups { keys: Vec<&'static Column>, needs: Needs },
    /// Every row, these columns; `first` ends it after so many matched rows.
    Rows { columns: Vec<&'static Column>, first: Option<u64> },
}

/// What a group must keep; the count is always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    pub sum: bool,
    /// Minimum and maximum, which clamp percentiles too.
    pub extremes: bool,
    /// When the maximum was.
    pub max_at: bool,
    pub histogram: bool,
}

/// What is left for the frame, in the order in which it is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// The part of `where` that the source did not decide.
    pub filter: Option<Predicate>,
    /// The keys that are shown, in the order of `by`; the source's other keys are hidden and merged away.
    pub by: Vec<&'static Column>,
    /// The frame's stat columns, in the order typed. Empty for `events`.
    pub stats: Vec<StatColumn>,
    /// `events`: the columns shown. `None` for an aggregation.
    pub events: Option<Vec<&'static Column>>,
    pub having: Option<Having>,
    /// `first N`: only the first rows that passed the filter, before they are sorted.
    pub first: Option<u64>,
    /// The whole order, ties broken by the keys; with intervals it begins with [`INTERVAL`] unless the query sorts by that.
    /// Empty for events that are shown as they came.
    pub sort: Vec<SortColumn>,
    /// `top N`, of every interval.
    pub top: Option<u64>,
}

/// One stat column of the result frame.
#[derive(Debug, Clone, PartialEq)]
pub struct StatColumn {
    /// `latency_p99_ns`, `count`, `latency_max_at`
    pub name: String,
    pub stat: Stat,
    /// `hist(linear, LO, HI, STEP)` in the measure's unit.
    pub linear: Option<(u64, u64, u64)>,
}

/// `having`: a predicate over the result's own columns.
#[derive(Debug, Clone, PartialEq)]
pub enum Having {
    /// Without parts it is true.
    And(Vec<Having>),
    /// Without parts it is false.
    Or(Vec<Having>),
    Not(Box<Having>),
    /// A comparison of a stat column with a number in its unit; a missing value makes it false.
    Stat {
        column: String,
        order: predicate::Order,
        value: f64,
    },
    /// A stat column that is missing.
    StatMissing {
        column: String,
    },
    /// A test of a key.
    Key(Term),
}

#[derive(Debug, Clone, PartialEq)]
pub struct SortColumn {
    /// A column of the result frame.
    pub name: String,
    pub descending: bool,
}

/// The name of the key column that `every` adds.
pub const INTERVAL: &str = "interval_start";
