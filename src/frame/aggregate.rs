//! The frame of an aggregation: groups, their stats, and the order in which they stand.

use std::collections::HashMap;

use polars::prelude::{Column as PolarsColumn, DataFrame, NamedFrom, Series};

use super::buckets::{self, Bucket};
use super::grouping::{Group, Linear, Request, gather};
use super::meta::Totals;
use super::samples::Samples;
use super::stats::{Context, Made};
use super::{Built, ColumnKind, FrameColumn, FrameError, Measured, Role, keys, rank, stats};
use crate::catalog::{Column, Kind};
use crate::lang::ast::Stat;
use crate::plan::columns::of_measure;
use crate::plan::{INTERVAL, Output, Plan, StatColumn};
use crate::source::{Outcome, Values};

/// The name under which a group's count can be sorted and tested when it is not shown.
const COUNT: &str = "count";

pub(super) fn build(plan: &Plan, outcome: &Outcome, keep: &[bool]) -> Result<Built, FrameError> {
    let rest = &plan.rest;
    let table = &outcome.table;
    let every = plan.scan.every_ns.is_some();
    if table.cells.is_some() && rest.stats.iter().any(|s| s.linear.is_some()) {
        return Err(FrameError::LinearNeedsRows);
    }

    let none = Values::Int(Vec::new());
    let values_of = |name: &str, column: Option<&Column>| -> Result<&Values, FrameError> {
        // A source that had nothing to deliver may leave out the columns.
        if table.height == 0 {
            return Ok(&none);
        }
        match column {
            Some(column) => Ok(&keys::find(table, column)?.values),
            None => Ok(&keys::find_named(table, name)?.values),
        }
    };
    let mut key_values: Vec<&Values> = Vec::new();
    if every {
        key_values.push(values_of(INTERVAL, None)?);
    }
    for column in &rest.by {
        key_values.push(values_of(column.name, Some(column))?);
    }
    let distinct: Result<Vec<&Values>, FrameError> =
        rest.stats.iter().filter_map(|s| uniq(s)).map(|name| values_of(name, None)).collect();
    let has = |test: fn(&Stat) -> bool| rest.stats.iter().any(|s| test(&s.stat));
    let groups = gather(&Request {
        table,
        keep,
        keys: key_values.clone(),
        // A quiet interval of an aggregation without keys is a row, with a count of 0.
        keep_empty: rest.by.is_empty(),
        // The source gives it only to stats of it.
        measure: plan.measure.filter(|_| rest.stats.iter().any(|s| of_measure(&s.stat))).map(|m| m.name),
        at: has(|s| matches!(s, Stat::MaxAt)).then_some("at"),
        distinct: distinct?,
        linear: rest.stats.iter().filter_map(linear).collect(),
        histogram: has(|s| matches!(s, Stat::Hist | Stat::Percentile(_))),
    })?;

    let starts: Vec<Option<i64>> = groups
        .iter()
        .map(|g| match key_values.first() {
            Some(Values::Int(starts)) if every => g.row.and_then(|row| starts[row]),
            _ => None,
        })
        .collect();
    let context = Context {
        measure: plan.measure,
        wall_offset_ns: outcome.window.wall_offset_ns,
        lengths: starts.iter().map(|start| length(*start, plan, outcome)).collect(),
        totals: interval_totals(&groups, &starts),
        every_ns: plan.scan.every_ns.filter(|_| plan.measure.is_some_and(|m| m.kind == Kind::Duration)),
    };

    let totals = totals(&groups, plan);
    let key_columns = key_columns(plan, outcome, &key_values, &groups);
    let (ranked, order) = ranked(plan, &key_columns, &groups, &context)?;
    let groups: Vec<Group> = order.iter().map(|at| groups[*at].clone()).collect();
    let context = Context {
        lengths: order.iter().map(|at| context.lengths[*at]).collect(),
        totals: order.iter().map(|at| context.totals[*at]).collect(),
        ..context
    };

    let mut columns: Vec<FrameColumn> = Vec::new();
    if let Some(length) = plan.scan.every_ns {
        columns.push(FrameColumn {
            name: INTERVAL.into(),
            label: "interval".into(),
            kind: ColumnKind::Time,
            role: Role::Interval(length),
            marks: Vec::new(),
        });
    }
    columns.extend(rest.by.iter().map(|column| key(column)));
    let keys: Result<Vec<PolarsColumn>, FrameError> =
        columns.iter().map(|c| Ok(ranked.column(&c.name)?.clone())).collect();
    let keys = keys?;
    let mut built = match &rest.stats[..] {
        [only] if is_histogram(&only.stat) => long_form(only, keys, columns, &groups, &context, totals),
        stats => wide(stats, keys, columns, &groups, &context, totals),
    }?;
    if let (Some(measure), true) = (plan.measure, has(|s| matches!(s, Stat::Hist | Stat::Percentile(_)))) {
        let mut samples = Samples::of(measure, rest);
        let long = matches!(&rest.stats[..], [only] if is_histogram(&only.stat));
        let mut row = 0;
        for group in groups.iter().filter(|group| !long || group.count > 0) {
            samples.add(row, group);
            row += if long { buckets::fine(group).len() } else { 1 };
        }
        built.samples = Some(samples);
    }
    Ok(built)
}

/// One row per group.
fn wide(
    stats: &[StatColumn],
    mut data: Vec<PolarsColumn>,
    mut columns: Vec<FrameColumn>,
    groups: &[Group],
    context: &Context,
    totals: Totals,
) -> Result<Built, FrameError> {
    let (mut uniqs, mut linears) = (0, 0);
    for stat in stats {
        let made = match stats::make(stat, groups, context, uniqs, linears) {
            Made::Scalar(column) => column,
            Made::Buckets(lists) => buckets::lists(&stat.name, &lists, context.unit())?,
        };
        uniqs += usize::from(uniq(stat).is_some());
        linears += usize::from(stat.linear.is_some());
        data.push(made);
        columns.push(FrameColumn {
            name: stat.name.clone(),
            label: stat.stat.word().replace('_', " "),
            kind: stats::kind(stat, context),
            role: Role::Stat,
            marks: stats::marks(stat, groups, context),
        });
    }
    Ok(Built { data: DataFrame::new(groups.len(), data)?, columns, totals, groups: Vec::new(), samples: None })
}

/// A lone histogram: one row per bucket that holds something.
fn long_form(
    stat: &StatColumn,
    keys: Vec<PolarsColumn>,
    mut columns: Vec<FrameColumn>,
    groups: &[Group],
    context: &Context,
    totals: Totals,
) -> Result<Built, FrameError> {
    let Made::Buckets(lists) = stats::make(stat, groups, context, 0, 0) else {
        unreachable!("only histograms come here")
    };
    let mut rows: Vec<u32> = Vec::new();
    let mut all: Vec<Bucket> = Vec::new();
    for (group, list) in lists.iter().enumerate() {
        rows.extend(std::iter::repeat_n(group as u32, list.len()));
        all.extend(list);
    }
    let rows = polars::prelude::IdxCa::new("".into(), rows);
    let mut data: Vec<PolarsColumn> = Vec::new();
    for key in keys {
        data.push(key.take(&rows)?);
    }
    data.extend(buckets::columns(&all, context.unit()).map(PolarsColumn::from));
    let bound = match context.unit() {
        Measured::Nanoseconds => ColumnKind::Duration,
        Measured::Plain => ColumnKind::Number,
    };
    let roles = [
        (Role::BucketLow(stats::scale(stat, context)), bound),
        (Role::BucketHigh, bound),
        (Role::BucketCount, ColumnKind::Count),
    ];
    let measure = context.measure.map_or("value", |m| m.name);
    for (name, (role, kind)) in buckets::field_names(context.unit()).into_iter().zip(roles) {
        let label = if matches!(role, Role::BucketLow(_)) { measure } else { name };
        columns.push(FrameColumn { name: name.into(), label: label.into(), kind, role, marks: Vec::new() });
    }
    let groups = groups
        .iter()
        .filter(|g| g.count > 0)
        .map(|g| Totals { count: g.count, sum: totals.sum.map(|_| g.sum) })
        .collect();
    Ok(Built { data: DataFrame::new(all.len(), data)?, columns, totals, groups, samples: None })
}

/// The key columns in the groups' order, times as wall clock.
fn key_columns(plan: &Plan, outcome: &Outcome, values: &[&Values], groups: &[Group]) -> Vec<PolarsColumn> {
    let offset = outcome.window.wall_offset_ns;
    let rows: Vec<usize> = groups.iter().filter_map(|g| g.row).collect();
    let named = plan.scan.every_ns.map(|_| (INTERVAL, Kind::Time)).into_iter();
    let named = named.chain(plan.rest.by.iter().map(|c| (c.name, c.kind)));
    named
        .zip(values)
        .map(|((name, kind), values)| match rows[..] {
            [] => keys::empty(name, kind),
            _ => keys::take(name, values, &rows, if kind == Kind::Time { offset } else { 0 }),
        })
        .collect()
}

/// The keys of the groups that stay, in their order, and which of `groups` they are.
fn ranked(
    plan: &Plan,
    keys: &[PolarsColumn],
    groups: &[Group],
    context: &Context,
) -> Result<(DataFrame, Vec<usize>), FrameError> {
    let mut data = keys.to_vec();
    let (mut uniqs, mut linears) = (0, 0);
    for stat in &plan.rest.stats {
        if let Made::Scalar(column) = stats::make(stat, groups, context, uniqs, linears) {
            data.push(column);
        }
        uniqs += usize::from(uniq(stat).is_some());
        linears += usize::from(stat.linear.is_some());
    }
    if !data.iter().any(|c| c.name() == COUNT) {
        let counts: Vec<i64> = groups.iter().map(|g| buckets::signed(g.count)).collect();
        data.push(Series::new(COUNT.into(), counts).into());
    }
    data.push(Series::new(rank::GROUP.into(), (0..groups.len() as i64).collect::<Vec<i64>>()).into());
    let first = plan.rest.stats.first().filter(|s| !is_histogram(&s.stat)).map(|s| s.name.as_str());
    let names: Vec<String> = keys.iter().map(|k| k.name().to_string()).collect();
    let ranked = rank::rank(DataFrame::new(groups.len(), data)?, &plan.rest, &names, first)?;
    let order = ranked.column(rank::GROUP)?.i64()?.iter().flatten().map(|at| at as usize).collect();
    Ok((ranked, order))
}

/// The part of an interval that lies in the window, nanoseconds: the last may be cut short.
fn length(start: Option<i64>, plan: &Plan, outcome: &Outcome) -> u64 {
    let window = &outcome.window;
    match (start, plan.scan.every_ns) {
        (Some(start), Some(every)) => {
            let start = u64::try_from(start).unwrap_or(0);
            let end = start.saturating_add(every).min(window.start_ns.saturating_add(window.length_ns));
            end.saturating_sub(start.max(window.start_ns))
        }
        _ => window.length_ns,
    }
}

/// For each group, the count of all groups of its interval.
fn interval_totals(groups: &[Group], starts: &[Option<i64>]) -> Vec<u64> {
    let mut sums: HashMap<Option<i64>, u64> = HashMap::new();
    for (group, start) in groups.iter().zip(starts) {
        *sums.entry(*start).or_default() += group.count;
    }
    starts.iter().map(|start| sums[start]).collect()
}

fn totals(groups: &[Group], plan: &Plan) -> Totals {
    let summed = match &plan.scan.output {
        Output::Groups { needs, .. } => needs.sum,
        Output::Rows { .. } => plan.measure.is_some() && plan.rest.stats.iter().any(|s| of_measure(&s.stat)),
    };
    let sum = || groups.iter().fold(0u64, |all, g| all.saturating_add(g.sum));
    Totals { count: groups.iter().map(|g| g.count).sum(), sum: summed.then(sum) }
}

fn key(column: &Column) -> FrameColumn {
    FrameColumn {
        name: column.name.into(),
        label: column.name.into(),
        kind: column.kind.into(),
        role: Role::Key,
        marks: Vec::new(),
    }
}

fn is_histogram(stat: &Stat) -> bool {
    matches!(stat, Stat::Hist | Stat::HistLinear { .. })
}

fn uniq(stat: &StatColumn) -> Option<&str> {
    match &stat.stat {
        Stat::Uniq(column) => Some(&column.node),
        _ => None,
    }
}

fn linear(stat: &StatColumn) -> Option<Linear> {
    stat.linear.map(|(lo, hi, step)| Linear { lo, hi, step })
}
