//! Reading a frame's columns value by value, whatever integer or float type they have.

use polars::prelude::{
    BooleanChunked, Column, DataType, Float64Chunked, Int64Chunked, ListChunked, PolarsResult, StringChunked,
};

use super::Frame;
use super::buckets::Bucket;

#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    Missing,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(&'a str),
    Buckets(Vec<Bucket>),
}

pub enum Cells {
    Int(Int64Chunked),
    Float(Float64Chunked),
    Bool(BooleanChunked),
    Text(StringChunked),
    Buckets(ListChunked),
}

/// One for each column of the frame.
pub fn of(frame: &Frame) -> PolarsResult<Vec<Cells>> {
    frame.data.columns().iter().map(Cells::of).collect()
}

impl Cells {
    pub fn of(column: &Column) -> PolarsResult<Self> {
        let column = column.rechunk();
        Ok(match column.dtype() {
            DataType::Boolean => Cells::Bool(column.bool()?.clone()),
            DataType::String => Cells::Text(column.str()?.clone()),
            DataType::List(_) => Cells::Buckets(column.list()?.clone()),
            DataType::Float32 | DataType::Float64 => Cells::Float(column.cast(&DataType::Float64)?.f64()?.clone()),
            kind if kind.is_integer() || kind.is_temporal() => {
                Cells::Int(column.cast(&DataType::Int64)?.i64()?.clone())
            }
            _ => Cells::Text(column.cast(&DataType::String)?.str()?.clone()),
        })
    }

    pub fn get(&self, row: usize) -> Value<'_> {
        let value = match self {
            Cells::Int(values) => values.get(row).map(Value::Int),
            Cells::Float(values) => values.get(row).filter(|v| v.is_finite()).map(Value::Float),
            Cells::Bool(values) => values.get(row).map(Value::Bool),
            Cells::Text(values) => values.get(row).map(Value::Text),
            Cells::Buckets(values) => buckets(values, row).map(Value::Buckets),
        };
        value.unwrap_or(Value::Missing)
    }
}

fn buckets(lists: &ListChunked, row: usize) -> Option<Vec<Bucket>> {
    let list = lists.get_as_series(row)?;
    let fields = list.struct_().ok()?.fields_as_series();
    let [lo, hi, count] = &fields[..] else { return None };
    let (lo, hi, count) = (lo.i64().ok()?, hi.i64().ok()?, count.i64().ok()?);
    Some((0..list.len()).filter_map(|at| bucket(lo.get(at), hi.get(at), count.get(at))).collect())
}

/// A bucket from its three values as they stand in a frame.
pub fn bucket(lo: Option<i64>, hi: Option<i64>, count: Option<i64>) -> Option<Bucket> {
    let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
    Some(Bucket { lo: unsigned(lo?), hi: hi.map(unsigned), count: unsigned(count?) })
}
