//! Checked plans and what a source delivers for them, put together by hand.

use proptest::prelude::*;
use schedq::catalog::{Column, family};
use schedq::diagnostic::Span;
use schedq::lang::ast::{Spanned, Stat, Value};
use schedq::plan::histogram::Histogram;
use schedq::plan::predicate::{Term, Test};
use schedq::plan::{INTERVAL, Needs, Output, Plan, Rest, Scan, SortColumn, StatColumn};
use schedq::source::{Account, Cell, Ended, Loss, Outcome, Table, TableColumn, Values, Window};

/// 2023-11-14 22:13:20 UTC.
pub const EPOCH_NS: i64 = 1_700_000_000_000_000_000;

/// A plan of `family` for one window of five seconds, its groups made by the source.
pub fn plan(text: &str, by: &[&str], stats: &[Stat]) -> Plan {
    let family = family(text.split(' ').next().unwrap()).expect("a family");
    let measure = family.measures.first().and_then(|name| family.measure(name));
    let keys: Vec<&'static Column> = by.iter().map(|name| family.column(name).expect("a column")).collect();
    let scan = Scan {
        family,
        measure,
        clauses: Vec::new(),
        output: Output::Groups {
            keys: keys.clone(),
            needs: Needs { sum: measure.is_some(), extremes: true, max_at: true, histogram: true },
        },
        every_ns: None,
        bound_ns: None,
        idle: false,
        own: false,
        map_bytes: 256 << 20,
        groups: None,
        range: None,
    };
    let rest = Rest {
        filter: None,
        by: keys,
        stats: stats.iter().map(|stat| column(measure, stat)).collect(),
        events: None,
        having: None,
        first: None,
        sort: Vec::new(),
        top: None,
    };
    Plan {
        text: text.into(),
        family,
        measure,
        scan,
        rest,
        window_ns: Some(5_000_000_000),
        save: None,
        from: None,
        around: None,
    }
}

fn column(measure: Option<&'static Column>, stat: &Stat) -> StatColumn {
    let word = stat.word().replace('.', "_");
    let name = match (stat, measure) {
        (Stat::Count | Stat::Rate | Stat::Pct | Stat::Uniq(_), _) | (_, None) => word,
        (Stat::MaxAt | Stat::Hist | Stat::HistLinear { .. }, Some(measure)) => format!("{}_{word}", measure.name),
        (_, Some(measure)) => format!("{}_{word}_ns", measure.name),
    };
    let linear = match stat {
        Stat::HistLinear { lo, hi, step } => Some((number(&lo.node), number(&hi.node), number(&step.node))),
        _ => None,
    };
    StatColumn { name, stat: stat.clone(), linear }
}

fn number(value: &Value) -> u64 {
    match value {
        Value::Duration(ns) => *ns,
        other => panic!("{other:?}"),
    }
}

pub fn linear(lo: u64, hi: u64, step: u64) -> Stat {
    let value = |ns| Spanned::new(Value::Duration(ns), Span::default());
    Stat::HistLinear { lo: value(lo), hi: value(hi), step: value(step) }
}

pub fn uniq(name: &str) -> Stat {
    Stat::Uniq(Spanned::new(name.into(), Span::default()))
}

pub fn p(percent: u32) -> Stat {
    Stat::Percentile(percent * 10_000)
}

pub fn sort(name: &str, descending: bool) -> SortColumn {
    SortColumn { name: name.into(), descending }
}

pub fn key_term(family_name: &str, column: &str, test: Test, negated: bool) -> Term {
    Term { column: family(family_name).unwrap().column(column).expect("a column"), test, negated }
}

pub fn ints(name: &str, values: &[i64]) -> TableColumn {
    TableColumn { name: name.into(), values: Values::Int(values.iter().copied().map(Some).collect()) }
}

pub fn texts(name: &str, values: &[&str]) -> TableColumn {
    TableColumn { name: name.into(), values: Values::Text(values.iter().map(|v| Some((*v).to_owned())).collect()) }
}

/// What a kernel would keep of these values, each with the time of its row.
pub fn cell(rows: &[(u64, u64)]) -> Cell {
    let mut histogram = Histogram::default();
    rows.iter().for_each(|(value, _)| histogram.add(*value));
    let max = rows.iter().map(|r| r.0).max().unwrap_or(0);
    Cell {
        blocks: Vec::new(),
        count: rows.len() as u64,
        sum: rows.iter().map(|r| r.0).sum(),
        min: rows.iter().map(|r| r.0).min().unwrap_or(0),
        max,
        max_at: rows.iter().filter(|r| r.0 == max).map(|r| r.1).min().unwrap_or(0),
        histogram,
    }
}

/// A cell of values that all ended at 1 s.
pub fn values(values: &[u64]) -> Cell {
    cell(&values.iter().map(|v| (*v, 1_000_000_000)).collect::<Vec<_>>())
}

pub fn groups(columns: Vec<TableColumn>, cells: Vec<Cell>) -> Outcome {
    let matched = cells.iter().map(|c| c.count).sum();
    outcome(Table { columns, height: cells.len(), cells: Some(cells) }, matched)
}

pub fn rows(columns: Vec<TableColumn>) -> Outcome {
    let height = columns.first().map_or(0, |column| match &column.values {
        Values::Int(values) => values.len(),
        Values::Bool(values) => values.len(),
        Values::Text(values) => values.len(),
    });
    outcome(Table { columns, cells: None, height }, height as u64)
}

fn outcome(table: Table, matched: u64) -> Outcome {
    let loss = |name, label, count, is_loss| Loss { name, label, count, is_loss };
    Outcome {
        table,
        account: Account {
            seen: matched + 45,
            matched,
            losses: vec![
                loss("map_full", "map full", 0, true),
                loss("start_unseen", "start unseen", 0, true),
                loss("began_before_window", "began before the window", 0, false),
            ],
            open: 0,
        },
        window: Window { start_ns: 0, wall_offset_ns: EPOCH_NS, length_ns: 5_000_000_000, ended: Ended::Elapsed },
        notes: Vec::new(),
    }
}

/// One row of `runq`, as far as these tests need it.
#[derive(Debug, Clone)]
pub struct Row {
    pub at: u64,
    pub cpu: i64,
    pub comm: Option<String>,
    pub cause: &'static str,
    pub latency: u64,
}

pub fn row() -> impl Strategy<Value = Row> {
    let comm =
        proptest::option::weighted(0.9, prop_oneof!["[ab]", Just("\\xff".to_owned()), Just("a\\\\b".to_owned())]);
    let cause = prop_oneof![Just("wakeup"), Just("new"), Just("preempt")];
    let latency = prop_oneof![0u64..40, 0u64..5_000_000_000, Just(7u64)];
    (0u64..3_000_000_000, 0i64..3, comm, cause, latency).prop_map(|(at, cpu, comm, cause, latency)| Row {
        at,
        cpu,
        comm,
        cause,
        latency,
    })
}

/// The table that a source makes when it emits all rows.
pub fn as_rows(all: &[Row], every_ns: Option<u64>) -> Outcome {
    let mut columns = Vec::new();
    if let Some(every) = every_ns {
        columns.push(ints(INTERVAL, &all.iter().map(|r| (r.at / every * every) as i64).collect::<Vec<_>>()));
    }
    columns.push(ints("at", &all.iter().map(|r| r.at as i64).collect::<Vec<_>>()));
    columns.push(ints("cpu", &all.iter().map(|r| r.cpu).collect::<Vec<_>>()));
    let comm = Values::Text(all.iter().map(|r| r.comm.clone()).collect());
    columns.push(TableColumn { name: "comm".into(), values: comm });
    columns.push(texts("cause", &all.iter().map(|r| r.cause).collect::<Vec<_>>()));
    columns.push(ints("latency", &all.iter().map(|r| r.latency as i64).collect::<Vec<_>>()));
    rows(columns)
}

/// The table that a source makes when it aggregates by all of interval, CPU, comm and cause.
pub fn as_groups(all: &[Row], every_ns: Option<u64>) -> Outcome {
    type Key = (u64, i64, Option<String>, &'static str);
    let mut found: Vec<(Key, Vec<(u64, u64)>)> = Vec::new();
    for row in all {
        let interval = every_ns.map_or(0, |every| row.at / every * every);
        let key = (interval, row.cpu, row.comm.clone(), row.cause);
        match found.iter_mut().find(|(k, _)| *k == key) {
            Some((_, values)) => values.push((row.latency, row.at)),
            None => found.push((key, vec![(row.latency, row.at)])),
        }
    }
    let mut columns = Vec::new();
    if every_ns.is_some() {
        columns.push(ints(INTERVAL, &found.iter().map(|f| f.0.0 as i64).collect::<Vec<_>>()));
    }
    columns.push(ints("cpu", &found.iter().map(|f| f.0.1).collect::<Vec<_>>()));
    let comm = Values::Text(found.iter().map(|f| f.0.2.clone()).collect());
    columns.push(TableColumn { name: "comm".into(), values: comm });
    columns.push(texts("cause", &found.iter().map(|f| f.0.3).collect::<Vec<_>>()));
    groups(columns, found.iter().map(|f| cell(&f.1)).collect())
}
