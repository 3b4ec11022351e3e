//! Arrow's file format, for readers that map it into memory. Columns and metadata are those of the parquet file.

use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

use polars::prelude::{ArrowField, CompatLevel, DataFrame, PolarsResult, SchemaExt, Series};
use polars_arrow::array::new_empty_array;
use polars_arrow::io::ipc::read::{FileReader, read_file_metadata};
use polars_arrow::io::ipc::write::{FileWriter, WriteOptions};

use super::beside::{Beside, pairs, timestamps};
use super::watched::{Watched, as_io};
use crate::frame::Frame;

pub fn write(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let mut data = timestamps(frame).map_err(as_io)?;
    data.rechunk_mut();
    let pairs = pairs(frame)?;
    // Views of texts are younger than most readers.
    let level = CompatLevel::oldest();
    let schema = data.schema().to_arrow(level);
    Watched::through(out, |out| {
        let mut writer = FileWriter::new(out, Arc::new(schema), None, WriteOptions { compression: None });
        let pairs = pairs.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into()));
        writer.set_custom_schema_metadata(Arc::new(pairs.collect()));
        writer.start()?;
        for batch in data.iter_chunks(level, false) {
            writer.write(&batch, None)?;
        }
        writer.finish()
    })
}

/// The columns, and what stands beside them.
pub fn read(mut file: impl Read + Seek) -> PolarsResult<(DataFrame, Beside)> {
    let metadata = read_file_metadata(&mut file)?;
    let schema = metadata.schema.clone();
    let beside = metadata.custom_schema_metadata.as_ref().map_or_else(Beside::default, |pairs| {
        Beside::read(pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    });
    let empty = |field: &ArrowField| Ok(Series::try_from((field, new_empty_array(field.dtype().clone())))?.into());
    let columns: PolarsResult<Vec<_>> = schema.iter_values().map(empty).collect();
    let mut data = DataFrame::new(0, columns?)?;
    for batch in FileReader::new(file, metadata, None, None) {
        let batch = batch?;
        let columns: PolarsResult<Vec<_>> = schema
            .iter_values()
            .zip(batch.arrays())
            .map(|(field, array)| Ok(Series::try_from((field, array.clone()))?.into()))
            .collect();
        data.vstack_mut(&DataFrame::new(batch.len(), columns?)?)?;
    }
    Ok((data, beside))
}
