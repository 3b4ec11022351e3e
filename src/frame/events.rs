//! The frame of `events`: the rows themselves, only the columns named.

use polars::prelude::{DataFrame, NamedFrom, Series};

use super::meta::Totals;
use super::{Built, ColumnKind, FrameColumn, FrameError, Role, keys, rank};
use crate::catalog::{Column, Kind};
use crate::plan::{INTERVAL, Plan};
use crate::source::{Outcome, Values};

/// In the order in which they happened, as far as the rows tell, unless the query sorts.
pub(super) fn build(
    plan: &Plan,
    outcome: &Outcome,
    keep: &[bool],
    shown: &[&'static Column],
) -> Result<Built, FrameError> {
    let table = &outcome.table;
    let every = plan.scan.every_ns;
    let mut rows: Vec<usize> = (0..table.height).filter(|row| keep[*row]).collect();
    if let Ok(ends) = keys::integers(table, "at") {
        rows.sort_by_key(|row| ends[*row]);
    }
    if let Some(first) = plan.rest.first {
        rows.truncate(usize::try_from(first).unwrap_or(usize::MAX));
    }
    let count = rows.len() as u64;

    let mut columns: Vec<FrameColumn> = Vec::new();
    if let Some(length) = every {
        columns.push(column(INTERVAL, "interval", ColumnKind::Time, Role::Interval(length)));
    }
    columns.extend(shown.iter().map(|c| column(c.name, c.name, c.kind.into(), Role::Event)));
    let offset = |kind: Kind| if kind == Kind::Time { outcome.window.wall_offset_ns } else { 0 };
    let take = |name: &str, kind: Kind, values: Option<&Values>| match values {
        Some(values) if !rows.is_empty() => keys::take(name, values, &rows, offset(kind)),
        _ => keys::empty(name, kind),
    };
    let mut data = Vec::new();
    if every.is_some() {
        let values = if rows.is_empty() { None } else { Some(&keys::find_named(table, INTERVAL)?.values) };
        data.push(take(INTERVAL, Kind::Time, values));
    }
    for column in shown {
        let values = if rows.is_empty() { None } else { Some(&keys::find(table, column)?.values) };
        data.push(take(column.name, column.kind, values));
    }
    // Columns by which the rows are sorted and which are not shown.
    let unseen: Vec<&'static Column> = plan
        .rest
        .sort
        .iter()
        .filter_map(|sort| plan.family.column(&sort.name))
        .filter(|column| !shown.contains(column))
        .collect();
    for column in &unseen {
        let values = if rows.is_empty() { None } else { Some(&keys::find(table, column)?.values) };
        data.push(take(column.name, column.kind, values));
    }
    // The query may count rows only by their order, so equal rows keep it.
    data.push(Series::new(rank::GROUP.into(), (0..rows.len() as i64).collect::<Vec<i64>>()).into());
    let ranked = rank::rank(DataFrame::new(rows.len(), data)?, &plan.rest, &[rank::GROUP.to_owned()], None)?;
    let dropped = unseen.iter().map(|column| column.name).chain([rank::GROUP]);
    Ok(Built {
        data: ranked.drop_many(dropped),
        columns,
        totals: Totals { count, sum: None },
        groups: Vec::new(),
        samples: None,
    })
}

fn column(name: &str, label: &str, kind: ColumnKind, role: Role) -> FrameColumn {
    FrameColumn { name: name.into(), label: label.into(), kind, role, marks: Vec::new() }
}
