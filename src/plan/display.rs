//! Checked predicates in the words of the language, for `explain` and messages.

use std::fmt;

use super::Having;
use super::predicate::{Order, Predicate, Term, Test};
use super::words::duration;
use crate::catalog::{Column, Kind};
use crate::lang::format;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column.name;
        let simple = matches!(self.test, Test::True | Test::Always(_));
        match (self.negated, simple) {
            (true, true) => f.write_str("not ")?,
            (true, false) => f.write_str("not (")?,
            (false, _) => {}
        }
        let number = |order: Order, n: &i64| format!("{column} {} {}", order.symbol(), number(self.column, *n));
        let text = match &self.test {
            Test::Always(true) => "any".to_string(),
            Test::Always(false) => "none".to_string(),
            Test::Equal(n) => number(Order::Equal, n),
            Test::NotEqual(n) => number(Order::NotEqual, n),
            Test::Less(n) => number(Order::Less, n),
            Test::LessOrEqual(n) => number(Order::LessOrEqual, n),
            Test::Greater(n) => number(Order::Greater, n),
            Test::GreaterOrEqual(n) => number(Order::GreaterOrEqual, n),
            Test::Between(lo, hi) if *lo >= 0 => format!("{column} in {lo}-{hi}"),
            // Ranges of the language have no sign; such a one was made of the neighbours in a list, and reads back to itself.
            Test::Between(lo, hi) => {
                let values: Vec<String> = (*lo..=*hi).map(|n| n.to_string()).collect();
                format!("{column} in ({})", values.join(", "))
            }
            Test::NameEqual(name) => format!("{column} = {}", format::text(name)),
            Test::NameNotEqual(name) => format!("{column} != {}", format::text(name)),
            Test::Like(glob) => format!("{column} ~ {}", format::text(&glob.0)),
            Test::CgroupEqual(path) => format!("{column} = {}", format::text(path.as_bytes())),
            Test::CgroupNotEqual(path) => format!("{column} != {}", format::text(path.as_bytes())),
            Test::Under(path) => format!("{column} under {}", format::text(path.as_bytes())),
            Test::True => column.to_string(),
            Test::Missing => format!("{column} is missing"),
            Test::Column(order, other) => format!("{column} {} {}", order.symbol(), other.name),
        };
        f.write_str(&text)?;
        if self.negated && !simple { f.write_str(")") } else { Ok(()) }
    }
}

/// A number as its column writes it.
fn number(column: &Column, n: i64) -> String {
    match column.kind {
        Kind::Duration => match u64::try_from(n) {
            Ok(ns) => duration(ns),
            Err(_) => format!("{n}ns"),
        },
        Kind::Word(words) => match words.iter().find(|(_, value)| *value == n) {
            Some((word, _)) => word.to_string(),
            None => n.to_string(),
        },
        _ => n.to_string(),
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Term(term) => term.fmt(f),
            Predicate::And(parts) => joined(f, parts, " and ", "true", |part| matches!(part, Predicate::Or(_))),
            Predicate::Or(parts) => joined(f, parts, " or ", "false", |part| matches!(part, Predicate::And(_))),
        }
    }
}

impl fmt::Display for Having {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Having::And(parts) => {
                joined(f, parts, " and ", "true", |part| matches!(part, Having::Or(_) | Having::And(_)))
            }
            Having::Or(parts) => joined(f, parts, " or ", "false", |part| matches!(part, Having::And(_))),
            Having::Not(part) => write!(f, "not ({part})"),
            Having::Stat { column, order, value } if column.ends_with("_ns") && *value >= 0.0 => {
                write!(f, "{column} {} {}", order.symbol(), duration(*value as u64))
            }
            Having::Stat { column, order, value } => write!(f, "{column} {} {value}", order.symbol()),
            Having::StatMissing { column } => write!(f, "{column} is missing"),
            Having::Key(term) => term.fmt(f),
        }
    }
}

fn joined<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    parts: &[T],
    word: &str,
    none: &str,
    brackets: impl Fn(&T) -> bool,
) -> fmt::Result {
    if parts.is_empty() {
        return f.write_str(none);
    }
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(word)?;
        }
        if brackets(part) {
            write!(f, "({part})")?;
        } else {
            part.fmt(f)?;
        }
    }
    Ok(())
}
