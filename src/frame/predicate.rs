//! A checked predicate as a polars expression, with the two-valued logic of [`crate::plan::predicate`]: polars' nulls
//! never get past a single term.

use polars::prelude::{
    BooleanChunked, Column as PolarsColumn, DataType, Expr, Field, IntoColumn, NULL, col, lit, when,
};

use crate::catalog::{Column, Kind};
use crate::name::{escape, unescape};
use crate::plan::predicate::{Glob, Order, Predicate, Term, Test};

/// True, false, never null.
pub(super) fn expression(predicate: &Predicate) -> Expr {
    match predicate {
        Predicate::And(parts) => joined(parts, Expr::and, true),
        Predicate::Or(parts) => joined(parts, Expr::or, false),
        Predicate::Term(term) => term_expression(term),
    }
}

/// Halves joined with each other: polars' time and stack grow with an expression's depth, and a list may be long.
fn joined(parts: &[Predicate], join: fn(Expr, Expr) -> Expr, of_none: bool) -> Expr {
    match parts {
        [] => lit(of_none),
        [one] => expression(one),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            join(joined(left, join, of_none), joined(right, join, of_none))
        }
    }
}

pub(super) fn term_expression(term: &Term) -> Expr {
    let holds = match &term.test {
        Test::Missing => col(term.column.name).is_null(),
        test => positive(term.column, test).fill_null(lit(false)),
    };
    if term.negated { holds.not() } else { holds }
}

/// May be null where the column is.
fn positive(column: &'static Column, test: &Test) -> Expr {
    let value = || col(column.name);
    match test {
        Test::Always(answer) => lit(*answer),
        Test::Equal(n) => equal(column, *n),
        Test::NotEqual(n) => equal(column, *n).not(),
        Test::Less(n) => number(column).lt(lit(*n)),
        Test::LessOrEqual(n) => number(column).lt_eq(lit(*n)),
        Test::Greater(n) => number(column).gt(lit(*n)),
        Test::GreaterOrEqual(n) => number(column).gt_eq(lit(*n)),
        Test::Between(low, high) => number(column).gt_eq(lit(*low)).and(number(column).lt_eq(lit(*high))),
        Test::NameEqual(bytes) => value().eq(lit(escape(bytes))),
        Test::NameNotEqual(bytes) => value().neq(lit(escape(bytes))),
        Test::Like(glob) => like(value(), glob.clone()),
        Test::CgroupEqual(path) => value().eq(lit(cgroup(path))),
        Test::CgroupNotEqual(path) => value().neq(lit(cgroup(path))),
        Test::Under(path) => under(value(), &cgroup(path)),
        Test::True => number(column).neq(lit(0i64)),
        Test::Missing => value().is_null(),
        Test::Column(order, other) => compare(*order, column, other),
    }
}

/// Words stand in the frame as words, and those that are not of the set equal no number.
fn equal(column: &'static Column, n: i64) -> Expr {
    match column.kind {
        Kind::Word(set) => match set.iter().find(|(_, number)| *number == n) {
            Some((word, _)) => col(column.name).eq(lit(*word)),
            None => when(col(column.name).is_null()).then(lit(NULL).cast(DataType::Boolean)).otherwise(lit(false)),
        },
        _ => number(column).eq(lit(n)),
    }
}

/// A column's value as the number that the kernel side compares.
fn number(column: &'static Column) -> Expr {
    let value = col(column.name);
    match column.kind {
        Kind::Bool => value.cast(DataType::Int64),
        Kind::Word(set) => set.iter().fold(lit(NULL).cast(DataType::Int64), |otherwise, (word, n)| {
            when(col(column.name).eq(lit(*word))).then(lit(*n)).otherwise(otherwise)
        }),
        Kind::Int | Kind::Duration | Kind::Time | Kind::Name | Kind::Cgroup => value,
    }
}

fn compare(order: Order, left: &'static Column, right: &'static Column) -> Expr {
    match order {
        Order::Equal => col(left.name).eq(col(right.name)),
        Order::NotEqual => col(left.name).neq(col(right.name)),
        Order::Less => number(left).lt(number(right)),
        Order::LessOrEqual => number(left).lt_eq(number(right)),
        Order::Greater => number(left).gt(number(right)),
        Order::GreaterOrEqual => number(left).gt_eq(number(right)),
    }
}

/// Matched against the name's own bytes, so that an escaped byte counts as the one character it stands for.
fn like(value: Expr, glob: Glob) -> Expr {
    value.map(
        move |column: PolarsColumn| {
            let text = column.str()?;
            let answers: BooleanChunked =
                text.iter().map(|name| name.map(|name| glob.matches(&unescape(name)))).collect();
            Ok(answers.with_name(column.name().clone()).into_column())
        },
        |_, field| Ok(Field::new(field.name().clone(), DataType::Boolean)),
    )
}

/// A path as it stands in a frame: escaped, and without a slash at its end.
fn cgroup(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    escape(if trimmed.is_empty() { "/" } else { trimmed }.as_bytes())
}

fn under(value: Expr, path: &str) -> Expr {
    if path == "/" {
        return value.clone().eq(value);
    }
    value.clone().eq(lit(path)).or(value.str().starts_with(lit(format!("{path}/"))))
}
