//! The source's columns as polars columns, and which of its rows or groups pass the rest of `where`.

use polars::prelude::{Column as PolarsColumn, DataFrame, IntoLazy, NamedFrom, Series};

use super::{FrameError, predicate};
use crate::catalog::{Column, Kind};
use crate::plan::Plan;
use crate::plan::predicate::{Predicate, Test};
use crate::source::{Outcome, Table, TableColumn, Values};

/// For each row or group of the table, whether it passes what the source did not decide.
pub(super) fn keep(plan: &Plan, outcome: &Outcome) -> Result<Vec<bool>, FrameError> {
    let table = &outcome.table;
    let Some(filter) = &plan.rest.filter else { return Ok(vec![true; table.height]) };
    if table.height == 0 {
        return Ok(Vec::new());
    }
    // Whatever the predicate reads, there is one column, so that an answer is broadcast to every row.
    let row: Vec<i64> = (0..table.height as i64).collect();
    let mut columns = vec![PolarsColumn::from(Series::new("#row".into(), row))];
    for column in needed(filter) {
        columns.push(as_column(column.name, &find(table, column)?.values));
    }
    let kept = DataFrame::new(table.height, columns)?
        .lazy()
        .with_columns([predicate::expression(filter).alias("#keep")])
        .collect()?;
    Ok(kept.column("#keep")?.bool()?.iter().map(|answer| answer == Some(true)).collect())
}

/// The columns of which the predicate reads a value; a parameter that is `any` reads none.
fn needed(filter: &Predicate) -> Vec<&'static Column> {
    let mut read: Vec<&'static Column> = Vec::new();
    filter.visit(&mut |term| match term.test {
        Test::Always(_) => {}
        Test::Column(_, other) => read.extend([term.column, other]),
        _ => read.push(term.column),
    });
    filter.columns().into_iter().filter(|column| read.contains(column)).collect()
}

/// The source's column, with values of the kind that the catalog declares.
pub(super) fn find<'a>(table: &'a Table, column: &Column) -> Result<&'a TableColumn, FrameError> {
    let found = find_named(table, column.name)?;
    let right = match column.kind {
        Kind::Int | Kind::Duration | Kind::Time => matches!(found.values, Values::Int(_)),
        Kind::Bool => matches!(found.values, Values::Bool(_)),
        Kind::Name | Kind::Word(_) | Kind::Cgroup => matches!(found.values, Values::Text(_)),
    };
    if right { Ok(found) } else { Err(FrameError::WrongValues(column.name.to_owned())) }
}

pub(super) fn find_named<'a>(table: &'a Table, name: &str) -> Result<&'a TableColumn, FrameError> {
    table.columns.iter().find(|c| c.name == name).ok_or_else(|| FrameError::MissingColumn(name.to_owned()))
}

pub(super) fn integers<'a>(table: &'a Table, name: &str) -> Result<&'a [Option<i64>], FrameError> {
    match &find_named(table, name)?.values {
        Values::Int(values) => Ok(values),
        _ => Err(FrameError::WrongValues(name.to_owned())),
    }
}

fn as_column(name: &str, values: &Values) -> PolarsColumn {
    match values {
        Values::Int(values) => Series::new(name.into(), values.as_slice()),
        Values::Bool(values) => Series::new(name.into(), values.as_slice()),
        Values::Text(values) => {
            Series::new(name.into(), values.iter().map(Option::as_deref).collect::<Vec<Option<&str>>>())
        }
    }
    .into()
}

/// The given rows of a column, in that order; `offset` is added to numbers (it turns CLOCK_MONOTONIC into wall clock).
pub(super) fn take(name: &str, values: &Values, rows: &[usize], offset: i64) -> PolarsColumn {
    match values {
        Values::Int(values) => {
            let taken: Vec<Option<i64>> = rows.iter().map(|r| values[*r].map(|v| v.saturating_add(offset))).collect();
            Series::new(name.into(), taken)
        }
        Values::Bool(values) => {
            Series::new(name.into(), rows.iter().map(|r| values[*r]).collect::<Vec<Option<bool>>>())
        }
        Values::Text(values) => {
            Series::new(name.into(), rows.iter().map(|r| values[*r].as_deref()).collect::<Vec<Option<&str>>>())
        }
    }
    .into()
}

/// A column of no rows, with the type that it would have.
pub(super) fn empty(name: &str, kind: Kind) -> PolarsColumn {
    let values = match kind {
        Kind::Int | Kind::Duration | Kind::Time => Values::Int(Vec::new()),
        Kind::Bool => Values::Bool(Vec::new()),
        Kind::Name | Kind::Word(_) | Kind::Cgroup => Values::Text(Vec::new()),
    };
    take(name, &values, &[], 0)
}
