//! Histograms of a frame by group and interval: what a histogram, a heat map and a plot are drawn from.

use polars::prelude::PolarsResult;

use super::Style;
use super::cells::{self, Value};
use super::table::text;
use crate::frame::buckets::Bucket;
use crate::frame::{Frame, Role, Scale};

/// What the buckets of a frame measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure<'a> {
    pub label: &'a str,
    pub scale: Scale,
}

/// The measure of a lone histogram in long form; `None` for a frame of another shape.
pub(super) fn measure(frame: &Frame) -> Option<Measure<'_>> {
    frame.columns.iter().find_map(|c| match c.role {
        Role::BucketLow(scale) => Some(Measure { label: &c.label, scale }),
        _ => None,
    })
}

/// The nominal length of an interval of `every`, nanoseconds.
pub(super) fn interval_ns(frame: &Frame) -> Option<u64> {
    frame.columns.iter().find_map(|c| match c.role {
        Role::Interval(ns) => Some(ns),
        _ => None,
    })
}

/// One group's histogram in one interval.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    /// The values of its keys for people: `cpu=1`.
    pub heading: String,
    /// When the interval starts, nanoseconds since the epoch.
    pub interval: Option<i64>,
    pub buckets: Vec<Bucket>,
}

/// In the frame's order: rows of equal keys and interval are one.
pub(super) fn of(frame: &Frame, style: &Style) -> PolarsResult<Vec<Cell>> {
    let columns = cells::of(frame)?;
    let mut found: Vec<Cell> = Vec::new();
    for row in 0..frame.data.height() {
        let mut heading = Vec::new();
        let (mut lo, mut hi, mut count, mut interval) = (None, None, None, None);
        let integer = |value: Value| if let Value::Int(n) = value { Some(n) } else { None };
        for (column, cells) in frame.columns.iter().zip(&columns) {
            let value = cells.get(row);
            match column.role {
                Role::BucketLow(_) => lo = integer(value),
                Role::BucketHigh => hi = integer(value),
                Role::BucketCount => count = integer(value),
                Role::Interval(_) => interval = integer(value),
                Role::Key | Role::Stat | Role::Event => {
                    let shown = match value {
                        Value::Missing => "(missing)".to_owned(),
                        value => text(&value, column.kind, column.role, style),
                    };
                    heading.push(format!("{}={shown}", column.label));
                }
            }
        }
        let heading = heading.join("  ");
        let Some(bucket) = cells::bucket(lo, hi, count) else { continue };
        match found.last_mut() {
            Some(last) if last.heading == heading && last.interval == interval => last.buckets.push(bucket),
            _ => found.push(Cell { heading, interval, buckets: vec![bucket] }),
        }
    }
    Ok(found)
}
