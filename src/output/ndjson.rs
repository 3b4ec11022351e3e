//! One JSON object per line and row, with the result to which it belongs: can be written while a window runs.

use std::io::{self, Write};

use super::json::Rows;
use crate::frame::Frame;

/// Which of several results a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label<'a> {
    /// From 1, in the order of the queries.
    Number(usize),
    /// The name that the script gave it.
    Name(&'a str),
}

/// Every row of the frame; `result` comes first.
pub fn write(out: &mut dyn Write, frame: &Frame, label: Label) -> io::Result<()> {
    let label = match label {
        Label::Number(n) => serde_json::to_string(&n)?,
        Label::Name(name) => serde_json::to_string(name)?,
    };
    let rows = Rows::of(frame)?;
    for row in 0..frame.data.height() {
        write!(out, "{{\"result\":{label}")?;
        if !frame.columns.is_empty() {
            out.write_all(b",")?;
            rows.write_fields(out, row)?;
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}
