//! `having`, `sort` and `top` over a result's groups.

use polars::prelude::{DataFrame, DataType, Expr, IntoLazy, SortMultipleOptions, col, lit};

use super::{FrameError, predicate};
use crate::plan::predicate::Order;
use crate::plan::{Having, INTERVAL, Rest};

/// The column by which groups are found again afterwards; no name of a frame can have a `#`.
pub(super) const GROUP: &str = "#group";

/// The rows that stay, in their order: intervals ascend, then what the query sorts by, then the keys ascending.
///
/// `default_sort` is the first stat, unless it has no order; missing values come last.
pub(super) fn rank(
    data: DataFrame,
    rest: &Rest,
    keys: &[String],
    default_sort: Option<&str>,
) -> Result<DataFrame, FrameError> {
    let mut lazy = data.lazy();
    if let Some(condition) = &rest.having {
        let names = lazy.collect_schema()?;
        let resolve = |name: &str| resolve(name, rest, &|n| names.contains(n));
        lazy = lazy.filter(having(condition, &resolve));
    }
    let schema = lazy.collect_schema()?;
    let exists = |name: &str| schema.contains(name);
    let mut by: Vec<(String, bool)> = Vec::new();
    if exists(INTERVAL) {
        by.push((INTERVAL.to_owned(), false));
    }
    for sort in &rest.sort {
        let name = resolve(&sort.name, rest, &exists);
        if exists(&name) {
            by.push((name, sort.descending));
        }
    }
    if rest.sort.is_empty() {
        by.extend(default_sort.map(|name| (name.to_owned(), true)));
    }
    by.extend(keys.iter().map(|key| (key.clone(), false)));
    let mut seen = Vec::new();
    by.retain(|(name, _)| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    let mut sorted = lazy.collect()?;
    if !by.is_empty() {
        let (names, descending): (Vec<String>, Vec<bool>) = by.into_iter().unzip();
        let options = SortMultipleOptions::default()
            .with_order_descending_multi(descending)
            .with_nulls_last(true)
            .with_maintain_order(true);
        sorted = sorted.sort(names, options)?;
    }
    top(sorted, rest.top)
}

/// The first so many, of each interval.
pub(super) fn top(sorted: DataFrame, top: Option<u64>) -> Result<DataFrame, FrameError> {
    let Some(top) = top else { return Ok(sorted) };
    if sorted.column(INTERVAL).is_err() {
        return Ok(sorted.head(Some(usize::try_from(top).unwrap_or(usize::MAX))));
    }
    let mut last = None;
    let mut taken = 0;
    let keep = sorted
        .column(INTERVAL)?
        .i64()?
        .iter()
        .map(|interval| {
            taken = if last == Some(interval) { taken + 1 } else { 1 };
            last = Some(interval);
            taken <= top
        })
        .collect();
    Ok(sorted.filter(&keep)?)
}

/// A stat may be spoken of by its own word; one of the frame's names goes first.
fn resolve(name: &str, rest: &Rest, exists: &dyn Fn(&str) -> bool) -> String {
    if exists(name) {
        return name.to_owned();
    }
    rest.stats.iter().find(|s| s.stat.word() == name).map_or(name, |s| &s.name).to_owned()
}

/// Two-valued, like every predicate.
fn having(condition: &Having, resolve: &dyn Fn(&str) -> String) -> Expr {
    match condition {
        Having::And(parts) => parts.iter().map(|p| having(p, resolve)).reduce(Expr::and).unwrap_or(lit(true)),
        Having::Or(parts) => parts.iter().map(|p| having(p, resolve)).reduce(Expr::or).unwrap_or(lit(false)),
        Having::Not(part) => having(part, resolve).not(),
        Having::Stat { column, order, value } => {
            let stat = col(resolve(column)).cast(DataType::Float64);
            let value = lit(*value);
            let test = match order {
                Order::Equal => stat.eq(value),
                Order::NotEqual => stat.neq(value),
                Order::Less => stat.lt(value),
                Order::LessOrEqual => stat.lt_eq(value),
                Order::Greater => stat.gt(value),
                Order::GreaterOrEqual => stat.gt_eq(value),
            };
            test.fill_null(lit(false))
        }
        Having::StatMissing { column } => col(resolve(column)).is_null(),
        Having::Key(term) => predicate::term_expression(term),
    }
}
