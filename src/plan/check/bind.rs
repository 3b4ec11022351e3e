//! Parameters get their values, and aliases their names, before anything is checked; the plan's own text is printed from
//! what comes out here.

use super::names::canonical;
use super::{Error, Params, Scope};
use crate::catalog::Kind;
use crate::diagnostic::Span;
use crate::lang::ast::{Around, Expr, Limit, List, Query, Record, Spanned, Stat, Time, Value, Word};

/// The value of a parameter that restricts nothing.
pub(super) const ANY: &str = "any";

pub(super) fn is_any(value: &Value) -> bool {
    matches!(value, Value::Word(word) if word == ANY)
}

impl Scope<'_> {
    /// The query with the values of its parameters. A parameter without a value stays, and is reported.
    pub(super) fn bind(&mut self, query: &Query, params: &Params) -> Query {
        let mut query = query.clone();
        if let Some(filter) = &mut query.filter {
            self.bind_expr(&mut filter.node, params);
        }
        for stat in &mut query.stats {
            match &mut stat.node {
                Stat::HistLinear { lo, hi, step } => {
                    for value in [lo, hi, step] {
                        self.bind_value(value, params, "hist");
                    }
                }
                Stat::Uniq(column) => rename(column),
                Stat::Events(columns) => columns.iter_mut().for_each(rename),
                _ => {}
            }
        }
        query.by.iter_mut().for_each(|key| rename(&mut key.node.column));
        if let Some(having) = &mut query.having {
            self.bind_expr(&mut having.node, params);
        }
        query.sort.iter_mut().for_each(|sort| rename(&mut sort.column));
        if let Some(Spanned { node: Limit::Top(n), .. }) = &mut query.limit {
            self.bind_value(n, params, "top");
        }
        if let Some(Spanned { node: Limit::First(n), .. }) = &mut query.limit {
            self.bind_value(n, params, "first");
        }
        let Query { from, every, duration, save, .. } = &mut query;
        for (value, what) in [(from, "from"), (every, "every"), (duration, "for"), (save, "save")] {
            if let Some(value) = value {
                self.bind_value(value, params, what);
            }
        }
        if let Some(around) = &mut query.around {
            let Around { time, each_side } = &mut around.node;
            // A query in `worst(…)` is checked, and so bound, by itself.
            if let Time::Value(given) = &time.node {
                let mut value = Spanned::new(given.clone(), time.span);
                self.bind_value(&mut value, params, "around");
                time.node = Time::Value(value.node);
            }
            self.bind_value(each_side, params, "around");
        }
        query
    }

    /// As [`Scope::bind`].
    pub(super) fn bind_record(&mut self, record: &Record, params: &Params) -> Record {
        let mut record = record.clone();
        if let Some(filter) = &mut record.filter {
            self.bind_expr(&mut filter.node, params);
        }
        if let Some(duration) = &mut record.duration {
            self.bind_value(duration, params, "for");
        }
        self.bind_value(&mut record.to, params, "to");
        record
    }

    fn bind_expr(&mut self, expr: &mut Expr, params: &Params) {
        match expr {
            Expr::Or(parts) | Expr::And(parts) => parts.iter_mut().for_each(|p| self.bind_expr(&mut p.node, params)),
            Expr::Not(inner) => self.bind_expr(&mut inner.node, params),
            Expr::Compare { column, right, .. } => {
                rename(column);
                self.bind_for_column(column, right, params);
            }
            Expr::Under { column, path } => {
                rename(column);
                self.bind_for_column(column, path, params);
            }
            Expr::In { column, list } => {
                rename(column);
                self.bind_list(column, list, params);
            }
            Expr::Missing { column } | Expr::Flag { column } => rename(column),
        }
    }

    fn bind_list(&mut self, column: &Word, list: &mut Spanned<List>, params: &Params) {
        let span = list.span;
        match &mut list.node {
            List::Values(values) => values.iter_mut().for_each(|v| self.bind_for_column(column, v, params)),
            List::Ranges(_) => {}
            List::Param(name) => {
                let mut value = Spanned::new(Value::Param(name.clone()), span);
                self.bind_for_column(column, &mut value, params);
                list.node = match value.node {
                    Value::Ranges(ranges) => List::Ranges(ranges),
                    _ => List::Values(vec![value]),
                };
            }
        }
    }

    /// A value that is compared with a column: what came without quotes from a command line takes the column's type.
    fn bind_for_column(&mut self, column: &Word, value: &mut Spanned<Value>, params: &Params) {
        let Value::Param(name) = &value.node else { return };
        if let Some(given) = self.given(name, value.span, params) {
            let kind = self.family.column(&column.node).map(|c| c.kind);
            value.node = typed_by_use(given, kind);
        }
    }

    /// A value that stands elsewhere, where `any` has no meaning.
    fn bind_value(&mut self, value: &mut Spanned<Value>, params: &Params, what: &'static str) {
        let span = value.span;
        if let Value::Param(name) = &value.node
            && let Some(given) = self.given(name, span, params)
        {
            if is_any(&given) {
                self.errors.push(Error::AnyIsNoValue { what, span });
            } else {
                value.node = given;
            }
        }
    }

    fn given(&mut self, name: &str, span: Span, params: &Params) -> Option<Value> {
        match params.get(name) {
            Some(value) => Some(value.clone()),
            None => {
                let known = params.keys().cloned().collect();
                self.refuse(Error::UnknownParam { name: name.to_string(), span, known })
            }
        }
    }
}

fn rename(word: &mut Word) {
    let name = canonical(&word.node);
    if name != word.node {
        word.node = name.to_string();
    }
}

/// `comm=nginx` and `comm=42` are text for a name, `cause='wakeup'` is a word for a column of words.
fn typed_by_use(value: Value, kind: Option<Kind>) -> Value {
    match (kind, value) {
        (_, value) if is_any(&value) => value,
        (Some(Kind::Name | Kind::Cgroup), Value::Word(word)) => Value::Text(word.into_bytes()),
        (Some(Kind::Name), Value::Int(n)) => Value::Text(n.to_string().into_bytes()),
        (Some(Kind::Int | Kind::Time), Value::Text(text)) => {
            match std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok()) {
                Some(n) => Value::Int(n),
                None => Value::Text(text),
            }
        }
        (_, value) => value,
    }
}
