//! Comma-separated rows under one header; missing values are empty, durations and times integer nanoseconds. Text is
//! never altered, only quoted: what a spreadsheet makes of a leading `=` is its own affair.

use std::io::{self, Write};

use polars_io::SerWriter;
use polars_io::csv::write::CsvWriter;

use super::watched::Watched;
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::Frame;
use crate::lang::ast::Stat;
use crate::plan::Plan;

/// Whether a plan's result can be CSV, which has no lists: asked before the window starts.
pub fn accepts(plan: &Plan) -> Result<(), Diagnostic> {
    let is_histogram = |s: &crate::plan::StatColumn| matches!(s.stat, Stat::Hist | Stat::HistLinear { .. });
    if plan.rest.stats.len() < 2 || !plan.rest.stats.iter().any(is_histogram) {
        return Ok(());
    }
    Err(Diagnostic::new(
        "csv-histogram",
        Exit::Wrong,
        "a histogram beside other stats is a list in each row, and CSV has no lists",
    )
    .help("ask for `hist` alone: it is written one row per bucket")
    .help("or use json, ndjson or parquet"))
}

/// Header and rows, or with `header` false the rows alone (for further intervals).
pub fn write(out: &mut dyn Write, frame: &Frame, header: bool) -> io::Result<()> {
    let mut data = frame.data.clone();
    Watched::through(out, |out| CsvWriter::new(out).include_header(header).finish(&mut data))
}
