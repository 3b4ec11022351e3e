//! Words for literals of the wrong kind.

use crate::catalog::{Column, Kind, Unit};
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::lang::ast::{Compare, Value};
use crate::plan::words::quoted;

pub(super) fn not_a_duration(what: &str, value: &Value, span: Span, source: &Source) -> Diagnostic {
    let d = Diagnostic::new("not-a-duration", Exit::Wrong, format!("{what} wants a duration")).at(
        source,
        span,
        match value {
            Value::Int(_) | Value::Decimal(_) => "a number without a unit",
            other => noun(other),
        },
    );
    match value {
        Value::Int(n) if *n >= 0 => d.help(format!("say which unit: {n}ns, {n}us, {n}ms or {n}s; also m and h")),
        Value::Decimal(text) if !text.starts_with('-') => {
            d.help(format!("say which unit: {text}us, {text}ms or {text}s; also ns, m and h"))
        }
        _ => d.help("such as 500us, 10ms or 5s; units: ns, us, ms, s, m, h"),
    }
}

pub(super) fn not_text(column: &Column, op: Compare, value: &Value, span: Span, source: &Source) -> Diagnostic {
    let name = column.name;
    let d = Diagnostic::new("not-text", Exit::Wrong, format!("{name} is compared with quoted text")).at(
        source,
        span,
        match value {
            Value::Word(_) => "neither quoted nor a column",
            other => noun(other),
        },
    );
    match (column.kind, value) {
        (Kind::Cgroup, _) => d.help(format!("such as `{name} {} '/system.slice'`", op.symbol())),
        _ => d.help(format!("quote it: `{name} {} {}`", op.symbol(), quoted(value))),
    }
}

pub(super) fn words(column: &Column) -> impl Iterator<Item = &'static str> + use<> {
    let words = match column.kind {
        Kind::Word(words) => words,
        _ => &[],
    };
    words.iter().map(|(word, _)| *word)
}

pub(super) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// What kind of literal this is, for a label.
pub(super) fn noun(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => "a number",
        Value::Decimal(_) => "a fraction",
        Value::Percent(_) => "a percentage",
        Value::Duration(_) => "a duration",
        Value::Text(_) => "text",
        Value::Param(_) => "a parameter",
        Value::Word(_) => "a word",
        Value::Ranges(_) => "a list",
    }
}

pub(super) fn what_belongs(column: &Column) -> &'static str {
    match column.kind {
        Kind::Int => "a number",
        Kind::Bool => "nothing: it stands alone",
        Kind::Name => "quoted text",
        Kind::Word(_) => "one of its words",
        Kind::Duration => "a duration",
        Kind::Time => "whole nanoseconds",
        Kind::Cgroup => "a quoted path",
    }
}

/// A condition on the column that would be right.
pub(super) fn example(column: &Column) -> String {
    let name = column.name;
    match column.kind {
        Kind::Int | Kind::Time => format!("{name} = 1"),
        Kind::Bool => name.to_string(),
        Kind::Name => format!("{name} = 'nginx'"),
        Kind::Word(words) => format!("{name} = {}", words.first().map_or("", |(word, _)| word)),
        Kind::Duration => format!("{name} > 1ms"),
        Kind::Cgroup => format!("{name} under '/system.slice'"),
    }
}

/// What a column is, with its article.
pub(super) fn thing(column: &Column) -> &'static str {
    match column.unit {
        Unit::Cpu => "a CPU",
        Unit::Task => "the number of a task",
        Unit::Priority => "a priority",
        Unit::Nice => "a nice value",
        Unit::Instant => "a time",
        Unit::Nanoseconds => "a duration",
        Unit::Name => "text",
        Unit::Cgroup => "a cgroup",
        Unit::Words => "a word of its own set",
        Unit::None if column.kind == Kind::Bool => "yes or no",
        Unit::None => "a number",
    }
}
