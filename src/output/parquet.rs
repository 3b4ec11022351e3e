//! Parquet with zstd. Times are timestamps (nanoseconds, UTC), durations and counts are integers, and the key `schedq`
//! of the file's metadata holds the same `meta` as a JSON document.

use std::fs::File;
use std::io::{self, Write};

use polars::prelude::{DataFrame, PolarsResult};
use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use polars_io::parquet::write::{KeyValueMetadata, ParquetCompression, ParquetWriter};

use super::beside::{Beside, pairs, timestamps};
use super::watched::{Watched, as_io};
use crate::frame::Frame;

pub use super::beside::{META_KEY, VERSION_KEY};

pub fn write(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let mut data = timestamps(frame).map_err(as_io)?;
    let meta = pairs(frame)?;
    Watched::through(out, |out| {
        ParquetWriter::new(out)
            .with_compression(ParquetCompression::Zstd(None))
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(meta)))
            .finish(&mut data)
            .map(|_| ())
    })
}

/// The columns, and what stands beside them.
pub fn read(file: File) -> PolarsResult<(DataFrame, Beside)> {
    let mut reader = ParquetReader::new(file);
    let metadata = reader.get_metadata()?.clone();
    let pairs = metadata.key_value_metadata().iter().flatten();
    let beside = Beside::read(pairs.filter_map(|pair| Some((pair.key.as_str(), pair.value.as_deref()?))));
    Ok((reader.finish()?, beside))
}
