//! What stands beside the columns in a file of its own format (parquet, arrow), under keys of its metadata.

use std::io;

use polars::prelude::{DataFrame, DataType, PolarsResult, TimeUnit, TimeZone};

use crate::frame::{ColumnKind, Frame, Meta, Samples};

/// The key of the metadata: the `meta` of a JSON document.
pub const META_KEY: &str = "schedq";
/// The key of the metadata's version alone.
pub const VERSION_KEY: &str = "schedq_schema_version";
/// The key of the distributions, from which `compare` works.
pub const SAMPLES_KEY: &str = "schedq_samples";

/// More buckets than this are not kept in parts: some readers hold all metadata in memory.
const MOST_BUCKETS: usize = 200_000;

/// What a file said, as far as it is ours.
#[derive(Debug, Default)]
pub struct Beside {
    pub meta: Option<Meta>,
    pub samples: Option<Samples>,
}

pub(super) fn pairs(frame: &Frame) -> io::Result<Vec<(String, String)>> {
    let mut pairs = vec![
        (META_KEY.to_owned(), serde_json::to_string(&frame.meta)?),
        (VERSION_KEY.to_owned(), frame.meta.schema_version.to_string()),
    ];
    if let Some(samples) = &frame.samples {
        let samples = if samples.buckets() > MOST_BUCKETS { &samples.in_one() } else { samples };
        pairs.push((SAMPLES_KEY.to_owned(), serde_json::to_string(samples)?));
    }
    Ok(pairs)
}

impl Beside {
    pub(super) fn read<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> Beside {
        let mut beside = Beside::default();
        for (key, value) in pairs {
            match key {
                META_KEY => beside.meta = serde_json::from_str(value).ok(),
                SAMPLES_KEY => beside.samples = serde_json::from_str(value).ok(),
                _ => {}
            }
        }
        beside
    }
}

/// The columns, with times as timestamps.
pub(super) fn timestamps(frame: &Frame) -> PolarsResult<DataFrame> {
    let mut data = frame.data.clone();
    for column in frame.columns.iter().filter(|c| c.kind == ColumnKind::Time) {
        let kind = DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC));
        let converted = data.column(&column.name)?.cast(&kind)?;
        data.with_column(converted)?;
    }
    Ok(data)
}
