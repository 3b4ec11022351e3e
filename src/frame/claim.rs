//! What is claimed of a frame, row by row. A missing value fails, whatever is claimed of it.

use polars::prelude::PolarsResult;

use super::Frame;
use super::cells::{Cells, Value};
use crate::plan::predicate::{Glob, Order};

/// A claim whose names and units are settled. Columns are numbers into the list that [`judge`] is given.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    And(Vec<Claim>),
    Or(Vec<Claim>),
    Not(Box<Claim>),
    Compare {
        left: usize,
        order: Order,
        right: Right,
    },
    In {
        left: usize,
        any_of: Vec<Given>,
    },
    Like {
        left: usize,
        glob: Glob,
    },
    Flag {
        left: usize,
    },
    /// Of a parameter that is `any`.
    Always,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Right {
    Given(Given),
    Column(usize),
}

/// A value in the unit of the column that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    Int(i64),
    Float(f64),
    /// Escaped, as in a frame.
    Text(String),
    /// From the one to the other, both included.
    Range(i64, i64),
}

/// A column of a frame. That of the first column is the one whose rows are tested; another one's single row stands beside
/// each of them.
pub struct Tested<'f> {
    pub frame: &'f Frame,
    pub column: &'f str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    /// The frame of the column of that number has no rows.
    NoRows(usize),
    /// It has other rows than the first column's frame, and not one alone.
    OtherRows(usize),
    /// In these rows of so many it does not hold.
    Fails {
        rows: Vec<usize>,
        of: usize,
    },
}

/// Whether a claim holds for every row.
pub fn judge(claim: &Claim, columns: &[Tested<'_>]) -> PolarsResult<Verdict> {
    let Some(first) = columns.first() else { return Ok(Verdict::Holds) };
    let height = first.frame.data.height();
    for (at, tested) in columns.iter().enumerate() {
        match tested.frame.data.height() {
            0 => return Ok(Verdict::NoRows(at)),
            1 => {}
            _ if std::ptr::eq(tested.frame, first.frame) => {}
            _ => return Ok(Verdict::OtherRows(at)),
        }
    }
    let cells: Vec<Cells> =
        columns.iter().map(|c| Cells::of(c.frame.data.column(c.column)?)).collect::<PolarsResult<_>>()?;
    let row = |of: usize, row: usize| if columns[of].frame.data.height() == 1 { 0 } else { row };
    let failing = |at: &usize| {
        let values: Vec<Value<'_>> = cells.iter().enumerate().map(|(of, cells)| cells.get(row(of, *at))).collect();
        values.contains(&Value::Missing) || !holds(claim, &values)
    };
    let rows: Vec<usize> = (0..height).filter(failing).collect();
    Ok(if rows.is_empty() { Verdict::Holds } else { Verdict::Fails { rows, of: height } })
}

fn holds(claim: &Claim, row: &[Value<'_>]) -> bool {
    match claim {
        Claim::And(parts) => parts.iter().all(|part| holds(part, row)),
        Claim::Or(parts) => parts.iter().any(|part| holds(part, row)),
        Claim::Not(part) => !holds(part, row),
        Claim::Compare { left, order, right } => {
            let found = match right {
                Right::Column(other) => ordering(&row[*left], &row[*other]),
                Right::Given(given) => against(&row[*left], given),
            };
            found.is_some_and(|found| order_holds(*order, found))
        }
        Claim::In { left, any_of } => any_of.iter().any(|given| match given {
            Given::Range(low, high) => matches!(row[*left], Value::Int(n) if (*low..=*high).contains(&n)),
            given => against(&row[*left], given) == Some(std::cmp::Ordering::Equal),
        }),
        Claim::Like { left, glob } => {
            matches!(row[*left], Value::Text(text) if glob.matches(&crate::name::unescape(text)))
        }
        Claim::Flag { left } => row[*left] == Value::Bool(true),
        Claim::Always => true,
    }
}

fn order_holds(order: Order, found: std::cmp::Ordering) -> bool {
    match order {
        Order::Equal => found.is_eq(),
        Order::NotEqual => found.is_ne(),
        Order::Less => found.is_lt(),
        Order::LessOrEqual => found.is_le(),
        Order::Greater => found.is_gt(),
        Order::GreaterOrEqual => found.is_ge(),
    }
}

fn against(value: &Value<'_>, given: &Given) -> Option<std::cmp::Ordering> {
    match given {
        Given::Int(n) => ordering(value, &Value::Int(*n)),
        Given::Float(x) => ordering(value, &Value::Float(*x)),
        Given::Text(text) => ordering(value, &Value::Text(text)),
        Given::Range(..) => None,
    }
}

/// Whole numbers are compared as such: beyond 2^53 fractions would not tell them apart.
fn ordering(left: &Value<'_>, right: &Value<'_>) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
