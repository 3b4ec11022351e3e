//! SQL over frames, by polars' own reader of it. What comes out is a frame: a column that is one of the tables' columns
//! keeps its unit.

use std::collections::HashMap;

use polars::prelude::{
    Column as PolarsColumn, DataFrame, DataType, IntoLazy, PolarsError, RoundMode, RoundSeries, TimeUnit,
};
use polars::sql::SQLContext;

use super::meta::{Cause, ColumnMeta, Meta};
use super::{ColumnKind, Frame, FrameColumn, Mark, Role};

/// What is wrong with a statement, as far as polars says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlError {
    /// The text is no SQL; the place counts from 1, columns in characters.
    Syntax {
        message: String,
        place: Option<(usize, usize)>,
    },
    UnknownTable {
        name: String,
    },
    /// With the columns that there are, as far as they are told.
    UnknownColumn {
        name: String,
        known: Vec<String>,
    },
    /// A result that is no column of a frame, such as a list.
    NoColumn {
        name: String,
        data_type: String,
    },
    Other {
        message: String,
    },
}

impl SqlError {
    /// The table that there is not.
    pub fn table(&self) -> Option<&str> {
        match self {
            SqlError::UnknownTable { name } => Some(name),
            _ => None,
        }
    }
}

/// The answer to one `select`. `query` is the statement for the metadata, `aliases` are the names that it gives.
///
/// # Errors
/// What is wrong with the text, or failed while it was computed.
pub fn run(text: &str, query: String, aliases: &[&str], tables: &[(&str, &Frame)]) -> Result<Frame, SqlError> {
    let mut context = SQLContext::new();
    for (name, frame) in tables {
        context.register(name, frame.data.clone().lazy());
    }
    let answer = context.execute(text).and_then(|lazy| lazy.collect()).map_err(|error| of_polars(&error))?;
    let kinds = kinds(tables);
    let (mut data, mut columns) = (Vec::new(), Vec::new());
    for column in answer.columns() {
        let (column, kind) = settled(column, kinds.get(plain(column.name())).copied().flatten(), aliases)?;
        columns.push(FrameColumn {
            name: column.name().to_string(),
            label: column.name().to_string(),
            kind,
            role: match kind {
                ColumnKind::Text | ColumnKind::YesNo | ColumnKind::Number => Role::Key,
                _ => Role::Stat,
            },
            marks: Vec::new(),
        });
        data.push(column);
    }
    let failed = |error: PolarsError| SqlError::Other { message: error.to_string() };
    let data = DataFrame::new(answer.height(), data).map_err(failed)?;
    let mut meta = meta(query, tables);
    meta.columns = columns.iter().map(ColumnMeta::of).collect();
    meta.notes.extend(rough(&columns, tables));
    Ok(Frame { data, columns, meta, samples: None })
}

/// A column of a join is named `column:table` where both tables have it.
fn plain(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// What the columns are, by name; `None` where tables differ.
fn kinds<'t>(tables: &[(&str, &'t Frame)]) -> HashMap<&'t str, Option<ColumnKind>> {
    let mut kinds: HashMap<&str, Option<ColumnKind>> = HashMap::new();
    for column in tables.iter().flat_map(|(_, frame)| &frame.columns) {
        let known = kinds.entry(&column.name).or_insert(Some(column.kind));
        if *known != Some(column.kind) {
            *known = None;
        }
    }
    kinds
}

/// The column in a type that frames have, and what it is. Of what was computed only the type is known: a count of durations
/// bears the name of the durations.
fn settled(
    column: &PolarsColumn,
    kind: Option<ColumnKind>,
    aliases: &[&str],
) -> Result<(PolarsColumn, ColumnKind), SqlError> {
    let name = column.name().to_string();
    let refused = |_| SqlError::NoColumn { name: name.clone(), data_type: column.dtype().to_string() };
    let cast = |to: DataType| column.cast(&to).map_err(refused);
    let is_ns = name.ends_with("_ns");
    Ok(match column.dtype() {
        DataType::Int64 => match kind {
            Some(kind) if !matches!(kind, ColumnKind::Buckets(_)) => (column.clone(), kind),
            _ if is_ns => (column.clone(), ColumnKind::Duration),
            _ => (column.clone(), ColumnKind::Number),
        },
        DataType::Float64 => match kind {
            Some(kind @ (ColumnKind::Rate | ColumnKind::Percent)) => (column.clone(), kind),
            // A ratio of two durations bears the name of the first; only a name that was given says what it is.
            _ if is_ns && aliases.contains(&name.as_str()) => {
                let series = column.as_materialized_series().round(0, RoundMode::HalfAwayFromZero).map_err(refused)?;
                (PolarsColumn::from(series).cast(&DataType::Int64).map_err(refused)?, ColumnKind::Duration)
            }
            _ => (column.clone(), ColumnKind::Decimal),
        },
        DataType::Boolean => (column.clone(), ColumnKind::YesNo),
        DataType::String => (column.clone(), ColumnKind::Text),
        DataType::List(_) => match kind {
            Some(kind @ ColumnKind::Buckets(_)) => (column.clone(), kind),
            _ => return Err(refused(PolarsError::NoData("".into()))),
        },
        DataType::Null => (cast(DataType::Int64)?, ColumnKind::Number),
        DataType::Duration(_) => {
            let ns = cast(DataType::Duration(TimeUnit::Nanoseconds))?;
            (ns.cast(&DataType::Int64).map_err(refused)?, ColumnKind::Duration)
        }
        DataType::Datetime(..) | DataType::Date => {
            let ns = cast(DataType::Datetime(TimeUnit::Nanoseconds, None))?;
            (ns.cast(&DataType::Int64).map_err(refused)?, ColumnKind::Time)
        }
        kind if kind.is_unsigned_integer() => (cast(DataType::Int64)?, ColumnKind::Count),
        kind if kind.is_integer() => (cast(DataType::Int64)?, ColumnKind::Number),
        kind if kind.is_primitive_numeric() || kind.is_decimal() => (cast(DataType::Float64)?, ColumnKind::Decimal),
        _ => (cast(DataType::String)?, ColumnKind::Text),
    })
}

/// What was lost on the way to any table is lost here too.
fn meta(query: String, tables: &[(&str, &Frame)]) -> Meta {
    let of = |tables: &[(&str, &Frame)]| tables.iter().map(|(_, frame)| frame.meta.clone()).collect::<Vec<Meta>>();
    let all = of(tables);
    let started = all.iter().map(|meta| meta.started_ns).min().unwrap_or(0);
    let host = all.first().map_or_else(Vec::new, |meta| meta.host.clone());
    let mut meta = Meta::of_no_window(query, started, host);
    meta.window_ns = all.iter().map(|table| table.window_ns).max().unwrap_or(0);
    for table in &all {
        meta.rows_seen = meta.rows_seen.saturating_add(table.rows_seen);
        meta.rows_matched = meta.rows_matched.saturating_add(table.rows_matched);
        meta.lost = meta.lost.saturating_add(table.lost);
        add(&mut meta.loss, &table.loss);
        add(&mut meta.set_aside, &table.set_aside);
    }
    meta
}

fn add(sums: &mut Vec<Cause>, more: &[Cause]) {
    for cause in more {
        match sums.iter_mut().find(|known| known.name == cause.name) {
            Some(known) => known.count = known.count.saturating_add(cause.count),
            None => sums.push(cause.clone()),
        }
    }
}

/// Which rows a mark belongs to is lost in SQL, but not that there are some.
fn rough(columns: &[FrameColumn], tables: &[(&str, &Frame)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (table, frame) in tables {
        for of in frame.columns.iter().filter(|of| columns.iter().any(|c| plain(&c.name) == of.name)) {
            match of.marks.iter().filter(|mark| **mark == Mark::Rough).count() {
                0 => {}
                1 => notes.push(format!("one value of {table}.{} is of too few samples", of.name)),
                n => notes.push(format!("{n} values of {table}.{} are of too few samples", of.name)),
            }
        }
    }
    notes
}

fn of_polars(error: &PolarsError) -> SqlError {
    let text = match error {
        PolarsError::SQLInterface(text) | PolarsError::SQLSyntax(text) | PolarsError::ColumnNotFound(text) => {
            text.to_string()
        }
        other => other.to_string(),
    };
    let text = text.split("\n\n").next().unwrap_or(&text).trim();
    if let Some(name) = between(text, "relation '", "' was not found") {
        return SqlError::UnknownTable { name };
    }
    if let Some(name) = between(text, "unable to find column \"", "\"") {
        let known = text.split_once("valid columns: [").map_or("", |(_, rest)| rest.trim_end_matches(']'));
        let known = known.split(", ").map(|name| name.trim_matches('"').to_owned()).filter(|name| !name.is_empty());
        return SqlError::UnknownColumn { name, known: known.collect() };
    }
    if let Some(name) = between(text, "no column named '", "'") {
        return SqlError::UnknownColumn { name, known: Vec::new() };
    }
    match text.strip_prefix("sql parser error: ") {
        Some(message) => {
            let place = message.rsplit_once(" at Line: ").and_then(|(_, place)| {
                let (line, column) = place.split_once(", Column: ")?;
                Some((line.parse().ok()?, column.parse().ok()?))
            });
            let message = message.rsplit_once(" at Line: ").map_or(message, |(message, _)| message);
            SqlError::Syntax { message: message.to_owned(), place }
        }
        None => SqlError::Other { message: text.to_owned() },
    }
}

fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(name, _)| name.to_owned())
}
