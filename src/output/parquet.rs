//! Parquet with zstd. Times are timestamps (nanoseconds, UTC), durations and counts are integers, and the key `schedq`
//! of the file's metadata holds the same `meta` as a JSON document.

use std::io::{self, Write};

use polars::prelude::{DataFrame, DataType, PolarsResult, TimeUnit, TimeZone};
use polars_io::parquet::write::{KeyValueMetadata, ParquetCompression, ParquetWriter};

use super::watched::{Watched, as_io};
use crate::frame::{ColumnKind, Frame};

/// The key of the metadata.
pub const META_KEY: &str = "schedq";
/// The key of the metadata's version alone.
pub const VERSION_KEY: &str = "schedq_schema_version";

pub fn write(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let mut data = timestamps(frame).map_err(as_io)?;
    let meta = vec![
        (META_KEY.to_owned(), serde_json::to_string(&frame.meta)?),
        (VERSION_KEY.to_owned(), frame.meta.schema_version.to_string()),
    ];
    Watched::through(out, |out| {
        ParquetWriter::new(out)
            .with_compression(ParquetCompression::Zstd(None))
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(meta)))
            .finish(&mut data)
            .map(|_| ())
    })
}

fn timestamps(frame: &Frame) -> PolarsResult<DataFrame> {
    let mut data = frame.data.clone();
    for column in frame.columns.iter().filter(|c| c.kind == ColumnKind::Time) {
        let kind = DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC));
        let converted = data.column(&column.name)?.cast(&kind)?;
        data.with_column(converted)?;
    }
    Ok(data)
}
