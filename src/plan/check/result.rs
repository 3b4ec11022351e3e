//! What is done with the result: `having`, `sort`, `top` and `first`, `save`. They speak of the result's own columns.

use super::bind::is_any;
use super::stats::Stats;
use super::{Error, Scope};
use crate::catalog::Column;
use crate::lang::ast::{Direction, Expr, Limit, List, Query, Sort, Spanned, Value, Word};
use crate::plan::columns::{self, Holds};
use crate::plan::predicate::{Order, Predicate};
use crate::plan::{Having, INTERVAL, SortColumn, StatColumn};

/// The columns of the result, as far as they are known.
pub(super) struct Shape<'a> {
    pub measure: Option<&'static Column>,
    pub stats: &'a Stats,
    pub by: &'a [&'static Column],
    pub every: bool,
    /// A stat or key was refused, so a name that is not there may be the one that it would have had.
    pub partial: bool,
}

enum Found<'a> {
    Interval,
    Key(&'static Column),
    Stat(&'a StatColumn),
}

/// An order, complete: ties are broken by the keys.
#[derive(Default)]
pub(super) struct Ordering {
    pub columns: Vec<SortColumn>,
    /// The columns that rows are sorted by, shown or not.
    pub rows: Vec<&'static Column>,
}

pub(super) struct Ends {
    pub top: Option<u64>,
    pub first: Option<u64>,
}

impl Shape<'_> {
    fn find(&self, word: &Word) -> Option<Found<'_>> {
        let name = word.node.as_str();
        if name == INTERVAL && self.every {
            return Some(Found::Interval);
        }
        if let Some(key) = self.by.iter().find(|key| key.name == name) {
            return Some(Found::Key(key));
        }
        self.stats.columns.iter().find(|stat| stat.name == name || stat.stat.word() == name).map(Found::Stat)
    }
}

impl Scope<'_> {
    fn result_column<'a>(&mut self, word: &Word, shape: &'a Shape) -> Option<Found<'a>> {
        if let Some(found) = shape.find(word) {
            return Some(found);
        }
        if shape.partial {
            return None;
        }
        self.refuse(Error::NotInResult {
            name: word.clone(),
            stats: shape.stats.columns.iter().map(|stat| stat.stat.word()).collect(),
            keys: shape.by.iter().map(|key| key.name).collect(),
            measure: shape.measure.map(|m| m.name),
            exists: self.family.column(&word.node).is_some(),
        })
    }

    /// The predicate of `having`.
    pub(super) fn having(&mut self, expr: &Spanned<Expr>, shape: &Shape) -> Option<Having> {
        if shape.stats.events.is_some() {
            return self.refuse(Error::EventsHaving { having: expr.span });
        }
        self.having_part(expr, shape)
    }

    fn having_part(&mut self, expr: &Spanned<Expr>, shape: &Shape) -> Option<Having> {
        let word = match &expr.node {
            Expr::Or(parts) => return self.having_parts(parts, shape).map(Having::Or),
            Expr::And(parts) => return self.having_parts(parts, shape).map(Having::And),
            Expr::Not(inner) => return self.having_part(inner, shape).map(|part| Having::Not(Box::new(part))),
            Expr::Compare { column, .. }
            | Expr::In { column, .. }
            | Expr::Missing { column }
            | Expr::Under { column, .. }
            | Expr::Flag { column } => column,
        };
        match self.result_column(word, shape)? {
            Found::Interval => self.refuse(Error::IntervalTested { span: word.span }),
            Found::Key(_) => self.having_key(expr, shape),
            Found::Stat(stat) => self.having_stat(expr, stat, shape),
        }
    }

    fn having_parts(&mut self, parts: &[Spanned<Expr>], shape: &Shape) -> Option<Vec<Having>> {
        let checked: Vec<_> = parts.iter().map(|part| self.having_part(part, shape)).collect();
        checked.into_iter().collect()
    }

    /// A key is tested as it would be in `where`, but only against what the result has too.
    fn having_key(&mut self, expr: &Spanned<Expr>, shape: &Shape) -> Option<Having> {
        let predicate = self.predicate(expr)?;
        if let Some(other) = predicate.columns().into_iter().find(|column| !shape.by.contains(column)) {
            let name = Word::new(other.name.to_string(), expr.span);
            self.result_column(&name, shape)?;
        }
        Some(of_keys(predicate))
    }

    fn having_stat(&mut self, expr: &Spanned<Expr>, stat: &StatColumn, shape: &Shape) -> Option<Having> {
        let column = stat.name.clone();
        let span = expr.span;
        let kind = columns::holds(&stat.stat, shape.measure);
        match &expr.node {
            Expr::Missing { .. } => Some(Having::StatMissing { column }),
            Expr::Compare { column: word, .. } | Expr::In { column: word, .. } if kind == Holds::Histogram => {
                self.refuse(Error::HistIsNoNumber { name: word.clone(), verb: "compared" })
            }
            Expr::Compare { op, right, .. } => {
                if is_any(&right.node) {
                    return Some(Having::And(Vec::new()));
                }
                match Order::of(op.node) {
                    Some(order) => {
                        self.stat_value(stat, kind, right).map(|value| Having::Stat { column, order, value })
                    }
                    None => self.refuse(Error::StatNeedsNumber { column, span }),
                }
            }
            Expr::In { list, .. } => match &list.node {
                List::Values(values) if values.iter().any(|value| is_any(&value.node)) => Some(Having::And(Vec::new())),
                List::Values(values) => {
                    let checked: Vec<_> = values.iter().map(|value| self.stat_value(stat, kind, value)).collect();
                    let values: Option<Vec<f64>> = checked.into_iter().collect();
                    let equal = |value| Having::Stat { column: column.clone(), order: Order::Equal, value };
                    values.map(|values| one_of(values.into_iter().map(equal).collect()))
                }
                List::Ranges(ranges) if matches!(kind, Holds::Number | Holds::PerSecond) => {
                    let test =
                        |order, value: u32| Having::Stat { column: column.clone(), order, value: f64::from(value) };
                    let within = |&(lo, hi): &(u32, u32)| {
                        Having::And(vec![test(Order::GreaterOrEqual, lo), test(Order::LessOrEqual, hi)])
                    };
                    Some(one_of(ranges.iter().map(within).collect()))
                }
                List::Ranges(_) => self.refuse(Error::StatNeedsNumber { column, span: list.span }),
                List::Param(_) => None,
            },
            _ => self.refuse(Error::StatNeedsNumber { column, span }),
        }
    }

    /// A literal in the unit of a stat's column.
    fn stat_value(&mut self, stat: &StatColumn, kind: Holds, value: &Spanned<Value>) -> Option<f64> {
        let decimal = |text: &str| text.parse::<f64>().ok();
        let number = match (kind, &value.node) {
            (_, Value::Param(_)) => return None,
            (Holds::Nanoseconds | Holds::NanosecondsMean, Value::Duration(ns)) => Some(*ns as f64),
            (Holds::Nanoseconds | Holds::NanosecondsMean, _) => {
                let what = stat.stat.word();
                return self.refuse(Error::NotADuration { what, value: value.node.clone(), span: value.span });
            }
            (Holds::Percent, Value::Percent(text)) => decimal(text),
            (Holds::Percent | Holds::PerSecond | Holds::Mean | Holds::Number, Value::Decimal(text)) => decimal(text),
            (_, Value::Int(n)) => Some(*n as f64),
            _ => None,
        };
        match number {
            Some(number) => Some(number),
            None => {
                let wants = match kind {
                    Holds::Percent => "a number or a percentage",
                    Holds::Instant => "whole nanoseconds of CLOCK_MONOTONIC",
                    _ => "a number",
                };
                let column = stat.stat.word();
                self.refuse(Error::StatUnit { column, wants, value: value.node.clone(), span: value.span })
            }
        }
    }

    /// The order of the result: what `sort` names, else the first stat descending; then the keys. With intervals, each is
    /// ordered by itself.
    pub(super) fn sort(&mut self, sort: &[Sort], shape: &Shape) -> Ordering {
        let mut order = Ordering::default();
        for part in sort {
            let Some(name) = self.sorted_by(&part.column, shape, &mut order.rows) else { continue };
            if name == INTERVAL && part.direction == Some(Direction::Descending) {
                self.errors.push(Error::IntervalsBackward { span: part.column.span });
            }
            let descending = name != INTERVAL && part.direction != Some(Direction::Ascending);
            if order.columns.iter().any(|known| known.name == name) {
                self.errors.push(Error::SortTwice { name: part.column.clone() });
            } else {
                order.columns.push(SortColumn { name, descending });
            }
        }
        if shape.stats.events.is_some() {
            if shape.every && !order.columns.is_empty() {
                intervals_first(&mut order.columns);
            }
            return order;
        }
        if order.columns.is_empty()
            && let Some(stat) = shape.stats.columns.first()
            && columns::holds(&stat.stat, shape.measure) != Holds::Histogram
        {
            order.columns.push(SortColumn { name: stat.name.clone(), descending: true });
        }
        for key in shape.by {
            if !order.columns.iter().any(|known| known.name == key.name) {
                order.columns.push(SortColumn { name: key.name.to_string(), descending: false });
            }
        }
        if shape.every {
            intervals_first(&mut order.columns);
        }
        order
    }

    fn sorted_by(&mut self, word: &Word, shape: &Shape, rows: &mut Vec<&'static Column>) -> Option<String> {
        if shape.stats.events.is_some() && !(shape.every && word.node == INTERVAL) {
            let column = self.column(word)?;
            rows.push(column);
            return Some(column.name.to_string());
        }
        match self.result_column(word, shape)? {
            Found::Interval => Some(INTERVAL.to_string()),
            Found::Key(key) => Some(key.name.to_string()),
            Found::Stat(stat) if columns::holds(&stat.stat, shape.measure) == Holds::Histogram => {
                self.refuse(Error::HistIsNoNumber { name: word.clone(), verb: "sorted" })
            }
            Found::Stat(stat) => Some(stat.name.clone()),
        }
    }

    /// `top` or `first`.
    pub(super) fn limit(&mut self, query: &Query, stats: &Stats, measure: Option<&'static Column>) -> Ends {
        let measure = measure.map(|m| m.name);
        let mut ends = Ends { top: None, first: None };
        let Some(limit) = &query.limit else { return ends };
        let span = limit.span;
        match &limit.node {
            Limit::Top(n) => {
                ends.top = self.how_many("top", n);
                if stats.events.is_some() {
                    if query.sort.is_empty() {
                        self.errors.push(Error::TopWithoutSort { measure, span });
                    }
                } else if query.by.is_empty() {
                    self.errors.push(Error::TopWithoutBy { measure, span });
                }
            }
            Limit::First(n) => {
                ends.first = self.how_many("first", n);
                if stats.events.is_none() {
                    self.errors.push(Error::FirstOfGroups { span });
                }
            }
        }
        ends
    }

    fn how_many(&mut self, word: &'static str, n: &Spanned<Value>) -> Option<u64> {
        match &n.node {
            Value::Int(count) if *count >= 1 => Some(*count as u64),
            Value::Param(_) => None,
            value => self.refuse(Error::NotACount { word, value: value.clone(), span: n.span }),
        }
    }

    /// The file of `save`, `from` or `to`.
    pub(super) fn file_name(&mut self, word: &'static str, path: &Spanned<Value>) -> Option<String> {
        match &path.node {
            Value::Text(text) => match String::from_utf8(text.clone()) {
                Ok(path) => Some(path),
                Err(_) => self.refuse(Error::NotUtf8 { what: "a file's name", span: path.span }),
            },
            Value::Param(_) => None,
            _ => self.refuse(Error::NotAFileName { word, span: path.span }),
        }
    }
}

/// A disjunction; a single part stands for itself.
fn one_of(mut parts: Vec<Having>) -> Having {
    if parts.len() == 1 { parts.remove(0) } else { Having::Or(parts) }
}

fn intervals_first(columns: &mut Vec<SortColumn>) {
    if !columns.iter().any(|column| column.name == INTERVAL) {
        columns.insert(0, SortColumn { name: INTERVAL.to_string(), descending: false });
    }
}

/// Tests of keys, as they stand in `having`. One that is the same for all rows is an empty `And` or `Or`.
fn of_keys(predicate: Predicate) -> Having {
    match predicate {
        Predicate::And(parts) => Having::And(parts.into_iter().map(of_keys).collect()),
        Predicate::Or(parts) => Having::Or(parts.into_iter().map(of_keys).collect()),
        Predicate::Term(term) => match term.constant() {
            Some(true) => Having::And(Vec::new()),
            Some(false) => Having::Or(Vec::new()),
            None => Having::Key(term),
        },
    }
}
