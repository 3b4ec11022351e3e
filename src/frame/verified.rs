//! Figures set beside the kernel's own, as a frame.

use polars::prelude::{DataFrame, NamedFrom, Series};

use super::{ColumnKind, Frame, FrameColumn, FrameError, Role};
use crate::frame::meta::ColumnMeta;

/// A figure and what the kernel says of the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    pub what: &'static str,
    /// Whether both are nanoseconds; else numbers of things.
    pub nanoseconds: bool,
    pub ours: u64,
    pub kernel: u64,
    /// Where the kernel shows it.
    pub place: &'static str,
    pub why: String,
}

impl Verified {
    /// How far ours is above (or below) the kernel's, in percent; `None` where the kernel says 0 and we do not.
    pub fn gap(&self) -> Option<f64> {
        match (self.ours, self.kernel) {
            (0, 0) => Some(0.0),
            (_, 0) => None,
            (ours, kernel) => Some((ours as f64 - kernel as f64) / kernel as f64 * 100.0),
        }
    }
}

/// The frame of a verification: what it says of itself is that of the query that was run.
pub fn verified(run: &Frame, rows: &[Verified]) -> Result<Frame, FrameError> {
    let of = |nanoseconds: bool, value: fn(&Verified) -> u64| -> Vec<Option<i64>> {
        let signed = |row: &Verified| i64::try_from(value(row)).unwrap_or(i64::MAX);
        rows.iter().map(|row| (row.nanoseconds == nanoseconds).then(|| signed(row))).collect()
    };
    let texts = |text: fn(&Verified) -> &str| -> Vec<String> { rows.iter().map(|row| text(row).to_owned()).collect() };
    let series = [
        (ColumnKind::Text, "figure", "figure", Series::new("figure".into(), texts(|row| row.what))),
        (ColumnKind::Count, "count", "schedq", Series::new("count".into(), of(false, |row| row.ours))),
        (ColumnKind::Count, "kernel_count", "kernel", Series::new("kernel_count".into(), of(false, |row| row.kernel))),
        (ColumnKind::Duration, "sum_ns", "schedq", Series::new("sum_ns".into(), of(true, |row| row.ours))),
        (
            ColumnKind::Duration,
            "kernel_sum_ns",
            "kernel",
            Series::new("kernel_sum_ns".into(), of(true, |row| row.kernel)),
        ),
        (
            ColumnKind::Percent,
            "gap_pct",
            "gap",
            Series::new("gap_pct".into(), rows.iter().map(Verified::gap).collect::<Vec<Option<f64>>>()),
        ),
        (ColumnKind::Text, "counter", "the kernel's counter", Series::new("counter".into(), texts(|row| row.place))),
        (ColumnKind::Text, "why", "why they may differ", Series::new("why".into(), texts(|row| &row.why))),
    ];
    let mut columns = Vec::new();
    let mut data = Vec::new();
    for (kind, name, label, values) in series {
        // A kind of figure that no row has needs no column.
        if values.null_count() == rows.len() && !rows.is_empty() {
            continue;
        }
        let (name, label) = (name.to_owned(), label.to_owned());
        columns.push(FrameColumn { name, label, kind, role: Role::Stat, marks: Vec::new() });
        data.push(values.into());
    }
    let mut meta = run.meta.clone();
    meta.columns = columns.iter().map(ColumnMeta::of).collect();
    meta.groups.clear();
    Ok(Frame { data: DataFrame::new(rows.len(), data)?, columns, meta, samples: None })
}
