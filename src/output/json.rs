//! JSON documents: `{"meta": {…}, "rows": [{…}]}`, one line per row. Durations and times are integer nanoseconds.

use std::io::{self, Write};

use serde_json::{Number, Value as Json, json};

use super::cells::{self, Cells, Value};
use crate::frame::{ColumnKind, Frame, FrameColumn, Measured, Scale};

/// One document for one frame, an array of documents for several.
pub fn write(out: &mut dyn Write, frames: &[&Frame]) -> io::Result<()> {
    match frames {
        [frame] => {
            document(out, frame)?;
            out.write_all(b"\n")
        }
        _ => {
            out.write_all(b"[")?;
            for (at, frame) in frames.iter().enumerate() {
                out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
                document(out, frame)?;
            }
            out.write_all(b"\n]\n")
        }
    }
}

fn document(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let rows = Rows::of(frame)?;
    out.write_all(b"{\"meta\": ")?;
    serde_json::to_writer(&mut *out, &frame.meta)?;
    out.write_all(b",\n\"rows\": [")?;
    for row in 0..frame.data.height() {
        out.write_all(if row == 0 { b"\n" } else { b",\n" })?;
        out.write_all(b"{")?;
        rows.write_fields(out, row)?;
        out.write_all(b"}")?;
    }
    out.write_all(b"]}")
}

/// The rows of a frame as JSON objects.
pub(super) struct Rows<'a> {
    columns: &'a [FrameColumn],
    cells: Vec<Cells>,
}

impl<'a> Rows<'a> {
    pub fn of(frame: &'a Frame) -> io::Result<Self> {
        Ok(Self { columns: &frame.columns, cells: cells::of(frame).map_err(io::Error::other)? })
    }

    /// `"name":value,…` without the braces.
    pub fn write_fields(&self, out: &mut dyn Write, row: usize) -> io::Result<()> {
        for (at, (column, cells)) in self.columns.iter().zip(&self.cells).enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            serde_json::to_writer(&mut *out, &column.name)?;
            out.write_all(b":")?;
            serde_json::to_writer(&mut *out, &value(cells.get(row), column.kind))?;
        }
        Ok(())
    }
}

fn value(value: Value, kind: ColumnKind) -> Json {
    match value {
        Value::Missing => Json::Null,
        Value::Int(n) => n.into(),
        Value::Float(x) => Number::from_f64(x).map_or(Json::Null, Json::Number),
        Value::Bool(answer) => answer.into(),
        Value::Text(text) => text.into(),
        Value::Buckets(buckets) => {
            let nanoseconds = matches!(
                kind,
                ColumnKind::Buckets(
                    Scale::LogLinear { unit: Measured::Nanoseconds }
                        | Scale::Linear { unit: Measured::Nanoseconds, .. }
                )
            );
            let bucket = |b: crate::frame::buckets::Bucket| {
                if nanoseconds {
                    json!({"lo_ns": b.lo, "hi_ns": b.hi, "count": b.count})
                } else {
                    json!({"lo": b.lo, "hi": b.hi, "count": b.count})
                }
            };
            buckets.into_iter().map(bucket).collect()
        }
    }
}
