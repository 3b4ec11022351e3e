//! A result that was saved, as a frame again.

use std::fs::File;
use std::path::Path;

use polars::prelude::{DataFrame, DataType, PolarsError};

use super::beside::Beside;
use super::{arrow, parquet};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::{ColumnKind, Frame, FrameColumn, Meta, Role};
use crate::name::escape;
use crate::plan::INTERVAL;

/// Whether it can be one, by its ending.
pub fn has_known_ending(path: &Path) -> Result<(), Diagnostic> {
    let shown = escape(path.as_os_str().as_encoded_bytes());
    ending(path).map(|_| ()).ok_or_else(|| {
        Diagnostic::new("unknown-ending", Exit::Wrong, format!("'{shown}' is no result that can be read"))
            .help("saved results are read from .parquet and .arrow")
    })
}

/// Whether it is there too.
pub fn readable(path: &Path) -> Result<(), Diagnostic> {
    has_known_ending(path)?;
    let shown = escape(path.as_os_str().as_encoded_bytes());
    match File::open(path).and_then(|file| file.metadata()) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(Diagnostic::new("read-result", Exit::Wrong, format!("'{shown}' is no file"))),
        Err(error) => Err(Diagnostic::new("read-result", Exit::Wrong, format!("'{shown}' cannot be read: {error}"))),
    }
}

type Reader = fn(File) -> Result<(DataFrame, Beside), PolarsError>;

fn ending(path: &Path) -> Option<Reader> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "parquet" => Some(parquet::read),
        "arrow" => Some(arrow::read),
        _ => None,
    }
}

/// # Errors
/// A file that is broken, or that schedq has not written.
pub fn load(path: &Path) -> Result<Frame, Diagnostic> {
    readable(path)?;
    let shown = escape(path.as_os_str().as_encoded_bytes());
    let failed =
        |cause: String| Diagnostic::new("read-result", Exit::Failed, format!("'{shown}' cannot be read: {cause}"));
    let read = ending(path).expect("it was looked at before");
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let (data, beside) = read(file).map_err(|error| failed(escape(error.to_string().as_bytes())))?;
    let meta = beside.meta.ok_or_else(|| {
        failed("schedq has not written it".to_owned())
            .help("it has no `schedq` in its metadata; a recording is asked with `from 'FILE' FAMILY …`")
    })?;
    let (data, columns) = typed(data, &meta, beside.samples.as_ref().map_or(&[], |samples| &samples.keys))
        .map_err(|error| failed(error.to_string()))?;
    Ok(Frame { data, columns, meta, samples: beside.samples })
}

/// The columns as frames have them: times are numbers again.
fn typed(mut data: DataFrame, meta: &Meta, keys: &[String]) -> Result<(DataFrame, Vec<FrameColumn>), PolarsError> {
    let mut columns = Vec::new();
    for name in data.get_column_names_owned() {
        let said = meta.columns.iter().find(|column| column.name == name.as_str());
        let kind = match (data.column(&name)?.dtype(), said.and_then(|said| said.unit.as_deref())) {
            (DataType::Datetime(..), _) | (_, Some("epoch_ns")) => ColumnKind::Time,
            (_, Some("ns")) if said.is_some_and(|said| said.data_type == "int64") => ColumnKind::Duration,
            (_, Some("count")) => ColumnKind::Count,
            (_, Some("per_second")) => ColumnKind::Rate,
            (_, Some("percent")) => ColumnKind::Percent,
            (DataType::Boolean, _) => ColumnKind::YesNo,
            (DataType::String, _) => ColumnKind::Text,
            (DataType::Float64, _) => ColumnKind::Decimal,
            _ => ColumnKind::Number,
        };
        if kind == ColumnKind::Time {
            let number = data.column(&name)?.cast(&DataType::Int64)?;
            data.with_column(number)?;
        }
        let role = match name.as_str() {
            INTERVAL => Role::Interval(0),
            name if keys.iter().any(|key| key == name) => Role::Key,
            _ => Role::Stat,
        };
        columns.push(FrameColumn { name: name.to_string(), label: name.to_string(), kind, role, marks: Vec::new() });
    }
    Ok((data, columns))
}
