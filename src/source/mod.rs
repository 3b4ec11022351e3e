//! One door to the events: a [`Scan`](crate::plan::Scan) goes in, a [`Table`] and an [`Account`] come out.

mod blocks;
mod decode;
#[cfg(feature = "live")]
pub mod live;
pub mod trace;

use crate::plan::histogram::Histogram;

/// What a source delivers, column by column. Names are already printable ([`crate::name::escape`]), words are words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Keys of groups, or the columns of rows. With `every`, the first is [`crate::plan::INTERVAL`].
    pub columns: Vec<TableColumn>,
    /// For groups, one cell each; `None` for rows.
    pub cells: Option<Vec<Cell>>,
    pub height: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    pub name: String,
    pub values: Values,
}

/// `None` is a missing value.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    Int(Vec<Option<i64>>),
    Bool(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
}

/// What a group kept. `min`, `max` and `max_at` are only meaningful when asked for and `count > 0`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    pub count: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
    /// CLOCK_MONOTONIC ns.
    pub max_at: u64,
    pub histogram: Histogram,
    /// The same in consecutive parts of the window, where they were kept; those of all groups are of the same times.
    pub blocks: Vec<Histogram>,
}

/// How far a result can be trusted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Account {
    /// Rows completed, before any filter that needs the whole row. `None` when the filter was decided before rows were made.
    pub seen: u64,
    /// Rows that passed the source's part of the filter.
    pub matched: u64,
    /// By cause; zero entries are kept so that metadata always has the same keys.
    pub losses: Vec<Loss>,
    /// Waits (or other spans) still open when the window ended, of tasks that passed the tests of identity.
    pub open: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub name: &'static str,
    pub label: &'static str,
    pub count: u64,
    pub is_loss: bool,
}

impl Account {
    /// Everything that the answer lacks.
    pub fn lost(&self) -> u64 {
        self.losses.iter().filter(|l| l.is_loss).map(|l| l.count).sum()
    }
}

/// The window as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// CLOCK_MONOTONIC ns when the last probe was attached.
    pub start_ns: u64,
    /// Wall clock minus CLOCK_MONOTONIC, nanoseconds, at the start.
    pub wall_offset_ns: i64,
    pub length_ns: u64,
    pub ended: Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// `for D` was over.
    Elapsed,
    /// SIGINT or SIGTERM.
    Interrupted,
    /// The command after `--` ended.
    CommandEnded,
    /// `first N` had its rows.
    Complete,
}

/// Everything one scan gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub table: Table,
    pub account: Account,
    pub window: Window,
    /// Why there may be nothing, found out by the source: "no task has tid 123".
    pub notes: Vec<String>,
}
