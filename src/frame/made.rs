//! Frames that come from no window: facts of the machine, and what is computed of other frames.

use polars::prelude::{DataFrame, NamedFrom, Series};

use super::meta::{ColumnMeta, Meta, SCHEMA_VERSION, Totals};
use super::{ColumnKind, Frame, FrameColumn, FrameError, Role};
use crate::source::{Ended, Values};

/// One column of such a frame.
pub struct MadeColumn {
    pub name: &'static str,
    pub kind: ColumnKind,
    pub role: Role,
    pub values: Values,
}

impl Meta {
    /// Of what no window gave: `query` says where it comes from, `at_ns` when that was, since the epoch.
    pub fn of_no_window(query: String, at_ns: i64, host: Vec<(String, String)>) -> Meta {
        Meta {
            schema_version: SCHEMA_VERSION,
            query,
            started_ns: at_ns,
            window_ns: 0,
            ended: Ended::Elapsed,
            rows_seen: 0,
            rows_matched: 0,
            lost: 0,
            loss: Vec::new(),
            set_aside: Vec::new(),
            open: 0,
            measure_unit: None,
            totals: Totals::default(),
            groups: Vec::new(),
            notes: Vec::new(),
            host,
            columns: Vec::new(),
        }
    }
}

impl Frame {
    /// The columns must be of one length.
    pub fn made(columns: Vec<MadeColumn>, mut meta: Meta) -> Result<Frame, FrameError> {
        let series = |column: &MadeColumn| match &column.values {
            Values::Int(values)
                if matches!(column.kind, ColumnKind::Rate | ColumnKind::Percent | ColumnKind::Decimal) =>
            {
                let values: Vec<Option<f64>> = values.iter().map(|v| v.map(|v| v as f64)).collect();
                Series::new(column.name.into(), values)
            }
            Values::Int(values) => Series::new(column.name.into(), values.as_slice()),
            Values::Bool(values) => Series::new(column.name.into(), values.as_slice()),
            Values::Text(values) => {
                Series::new(column.name.into(), values.iter().map(Option::as_deref).collect::<Vec<Option<&str>>>())
            }
        };
        let data: Vec<_> = columns.iter().map(|column| series(column).into()).collect();
        let height = data.first().map_or(0, |first: &polars::prelude::Column| first.len());
        let columns: Vec<FrameColumn> = columns
            .into_iter()
            .map(|column| FrameColumn {
                name: column.name.into(),
                label: column.name.into(),
                kind: column.kind,
                role: column.role,
                marks: Vec::new(),
            })
            .collect();
        meta.columns = columns.iter().map(ColumnMeta::of).collect();
        meta.rows_matched = height as u64;
        Ok(Frame { data: DataFrame::new(height, data)?, columns, meta, samples: None })
    }
}
