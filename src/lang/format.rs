//! The canonical form: one spelling for each AST, such that reading it gives the AST back.
//!
//! Clauses stand in the order of the language's reference, a statement stands on one line, and brackets only where
//! without them the text would mean something else.

mod named;

use super::ast::*;
use super::literal::write_duration;
use crate::name;

pub use named::{claim, sql};

/// One query, without a line's end.
pub fn query(query: &Query) -> String {
    let mut out = match &query.from {
        Some(path) => format!("from {} {}", value(&path.node), query.family.node),
        None => query.family.node.clone(),
    };
    let mut put = |text: &str| {
        out.push(' ');
        out.push_str(text);
    };
    if let Some(measure) = &query.measure {
        put(&measure.node);
    }
    if let Some(filter) = &query.filter {
        put(&format!("where {}", predicate(&filter.node)));
    }
    if !query.stats.is_empty() {
        put(&list(&query.stats, |stat| self::stat(&stat.node)));
    }
    if !query.by.is_empty() {
        put(&format!("by {}", list(&query.by, |key| self::key(&key.node))));
    }
    if let Some(having) = &query.having {
        put(&format!("having {}", predicate(&having.node)));
    }
    if !query.sort.is_empty() {
        put(&format!("sort {}", list(&query.sort, sort)));
    }
    match query.limit.as_ref().map(|limit| &limit.node) {
        Some(Limit::Top(amount)) => put(&format!("top {}", value(&amount.node))),
        Some(Limit::First(amount)) => put(&format!("first {}", value(&amount.node))),
        None => {}
    }
    if let Some(around) = &query.around {
        put(&format!("around {} {}", time(&around.node.time.node), value(&around.node.each_side.node)));
    }
    if let Some(every) = &query.every {
        put(&format!("every {}", value(&every.node)));
    }
    if let Some(duration) = &query.duration {
        put(&format!("for {}", value(&duration.node)));
    }
    if let Some(path) = &query.save {
        put(&format!("save {}", value(&path.node)));
    }
    out
}

fn time(time: &Time) -> String {
    match time {
        Time::Value(given) => value(given),
        Time::Column { frame, column } => format!("{}.{}", frame.node, column.node),
        Time::Worst(query) => format!("worst({})", self::query(query)),
    }
}

/// One recording, without a line's end.
pub fn record(record: &Record) -> String {
    let mut out = format!("record {}", list(&record.sets, |set| set.node.clone()));
    if let Some(filter) = &record.filter {
        out.push_str(&format!(" where {}", predicate(&filter.node)));
    }
    if let Some(duration) = &record.duration {
        out.push_str(&format!(" for {}", value(&duration.node)));
    }
    out.push_str(&format!(" to {}", value(&record.to.node)));
    out
}

/// A whole script with its comments, each statement on a line; empty for an empty script.
pub fn script(script: &Script) -> String {
    let mut out = String::new();
    items(&mut out, &script.statements, &script.trailing, "");
    out
}

fn items(out: &mut String, items: &[Item], trailing: &[Comment], indent: &str) {
    for item in items {
        comments(out, &item.comments, indent);
        if item.blank_before {
            out.push('\n');
        }
        out.push_str(indent);
        statement(out, &item.statement.node, indent);
        if let Some(comment) = &item.comment {
            out.push_str(" #");
            out.push_str(comment);
        }
        out.push('\n');
    }
    comments(out, trailing, indent);
}

fn comments(out: &mut String, comments: &[Comment], indent: &str) {
    for comment in comments {
        if comment.blank_before {
            out.push('\n');
        }
        out.push_str(indent);
        out.push('#');
        out.push_str(&comment.text);
        out.push('\n');
    }
}

fn statement(out: &mut String, statement: &Statement, indent: &str) {
    match statement {
        Statement::Query(query) => out.push_str(&self::query(query)),
        Statement::Assign { name, query } => out.push_str(&format!("{} = {}", name.node, self::query(query))),
        Statement::Block { duration, statements, trailing } => {
            out.push_str(&format!("for {} {{\n", value(&duration.node)));
            items(out, statements, trailing, &format!("{indent}    "));
            out.push_str(indent);
            out.push('}');
        }
        Statement::Show { frame, style: None } => out.push_str(&format!("show {}", frame.node)),
        Statement::Show { frame, style: Some(style) } => {
            out.push_str(&format!("show {} as {}", frame.node, style.node))
        }
        Statement::Save { frame, path } => out.push_str(&format!("save {} to {}", frame.node, value(&path.node))),
        Statement::Record(record) => out.push_str(&self::record(record)),
        Statement::Analyze(query) => out.push_str(&format!("explain analyze {}", self::query(query))),
        Statement::Verify(query) => out.push_str(&format!("verify {}", self::query(query))),
        Statement::Explain(Explained::Query(query)) => out.push_str(&format!("explain {}", self::query(query))),
        Statement::Explain(Explained::Record(record)) => out.push_str(&format!("explain {}", self::record(record))),
        Statement::Param { name, default: None } => out.push_str(&format!("param {}", name.node)),
        Statement::Param { name, default: Some(default) } => {
            out.push_str(&format!("param {} = {}", name.node, value(&default.node)));
        }
        Statement::Sql { name, sql } => {
            let name = name.as_ref().map_or_else(String::new, |name| format!("{} = ", name.node));
            out.push_str(&format!("{name}sql {}", named::sql(sql)));
        }
        Statement::Assert(assert) => out.push_str(&named::assert(assert)),
        Statement::Compare(comparison) => out.push_str(&named::compare(comparison)),
        Statement::Run(run) => out.push_str(&named::run(run)),
        Statement::Env => out.push_str("env"),
    }
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join(", ")
}

/// One stat as typed in a query: `p99.9`, `hist(linear, 0ns, 1ms, 10us)`.
pub fn stat(stat: &Stat) -> String {
    match stat {
        Stat::HistLinear { lo, hi, step } => {
            format!("hist(linear, {}, {}, {})", value(&lo.node), value(&hi.node), value(&step.node))
        }
        Stat::Uniq(column) => format!("uniq({})", column.node),
        Stat::Events(columns) if !columns.is_empty() => {
            format!("events({})", list(columns, |column| column.node.clone()))
        }
        other => other.word(),
    }
}

fn key(key: &Key) -> String {
    match &key.depth {
        Some(depth) => format!("{}({})", key.column.node, depth.node),
        None => key.column.node.clone(),
    }
}

fn sort(sort: &Sort) -> String {
    match sort.direction {
        Some(Direction::Ascending) => format!("{} asc", sort.column.node),
        Some(Direction::Descending) => format!("{} desc", sort.column.node),
        None => sort.column.node.clone(),
    }
}

/// How tightly an expression holds together; a part that holds less than its place demands stands in brackets.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Or,
    And,
    Term,
}

/// A predicate, as after `where`.
pub fn predicate(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr, Strength::Or);
    out
}

fn write_expr(out: &mut String, expr: &Expr, place: Strength) {
    let own = match expr {
        Expr::Or(_) => Strength::Or,
        Expr::And(_) => Strength::And,
        _ => Strength::Term,
    };
    let bracketed = own < place;
    if bracketed {
        out.push('(');
    }
    match expr {
        Expr::Or(parts) => write_joined(out, parts, " or ", || Strength::And),
        Expr::And(parts) => write_joined(out, parts, " and ", || Strength::Term),
        Expr::Not(inner) => {
            out.push_str("not ");
            write_expr(out, &inner.node, Strength::Term);
        }
        Expr::Compare { column, op, right } => {
            let space = if matches!(op.node, Compare::Equal | Compare::NotEqual) { "" } else { " " };
            let (column, right) = (&column.node, value(&right.node));
            out.push_str(&format!("{column}{space}{}{space}{right}", op.node.symbol()));
        }
        Expr::In { column, list } => out.push_str(&format!("{} in {}", column.node, self::in_list(&list.node))),
        Expr::Missing { column } => out.push_str(&format!("{} is missing", column.node)),
        Expr::Under { column, path } => out.push_str(&format!("{} under {}", column.node, value(&path.node))),
        Expr::Flag { column } => out.push_str(&column.node),
    }
    if bracketed {
        out.push(')');
    }
}

fn write_joined(out: &mut String, parts: &[Spanned<Expr>], word: &str, place: fn() -> Strength) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(word);
        }
        write_expr(out, &part.node, place());
    }
}

fn in_list(list: &List) -> String {
    match list {
        List::Values(values) => format!("({})", self::list(values, |item| value(&item.node))),
        List::Ranges(ranges) => cpus(ranges),
        List::Param(name) => format!("${name}"),
    }
}

fn cpus(ranges: &[(u32, u32)]) -> String {
    let range = |(low, high): &(u32, u32)| if low == high { low.to_string() } else { format!("{low}-{high}") };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

/// One value as typed.
pub fn value(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Decimal(text) => text.clone(),
        Value::Percent(text) => format!("{text}%"),
        Value::Duration(ns) => write_duration(*ns),
        Value::Text(bytes) => text(bytes),
        Value::Param(name) => format!("${name}"),
        Value::Word(word) => word.clone(),
        // As a default, a CPU alone would be a number.
        Value::Ranges(ranges) => match ranges.as_slice() {
            [(low, high)] => format!("{low}-{high}"),
            ranges => cpus(ranges),
        },
    }
}

/// A string in single quotes, with no byte in it that could act on a terminal.
pub fn text(bytes: &[u8]) -> String {
    format!("'{}'", name::escape(bytes).replace('\'', "\\'"))
}
