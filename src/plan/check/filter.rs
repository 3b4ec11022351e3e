//! Predicates: from the expression of a `where` to terms over columns.

use super::bind::is_any;
use super::{Error, Scope};
use crate::catalog::{Column, Kind};
use crate::diagnostic::Span;
use crate::lang::ast::{Compare, Expr, List, Spanned, Value, Word};
use crate::plan::predicate::{Predicate, Term, Test};

impl Scope<'_> {
    /// The predicate that an expression means. `not` is pushed down to the terms.
    pub(super) fn predicate(&mut self, expr: &Spanned<Expr>) -> Option<Predicate> {
        match &expr.node {
            Expr::Or(parts) => self.parts(parts).map(Predicate::any),
            Expr::And(parts) => self.parts(parts).map(Predicate::all),
            Expr::Not(inner) => self.predicate(inner).map(Predicate::negate),
            Expr::Compare { column, op, right } => {
                let column = self.comparable(column, op.node, right)?;
                self.compare(column, op.node, right)
            }
            Expr::In { column, list } => self.is_in(column, list),
            Expr::Missing { column } => self.column(column).map(|c| term(c, Test::Missing)),
            Expr::Under { column, path } => self.under(column, path),
            Expr::Flag { column } => self.flag(column),
        }
    }

    /// All parts, so that each has its errors reported.
    fn parts(&mut self, parts: &[Spanned<Expr>]) -> Option<Vec<Predicate>> {
        let checked: Vec<_> = parts.iter().map(|part| self.predicate(part)).collect();
        checked.into_iter().collect()
    }

    /// A column that may stand left of an operator.
    fn comparable(&mut self, word: &Word, op: Compare, right: &Spanned<Value>) -> Option<&'static Column> {
        let column = self.column(word)?;
        if column.kind != Kind::Bool {
            return Some(column);
        }
        let no = match &right.node {
            Value::Int(n) => *n == 0,
            Value::Word(word) => matches!(word.as_str(), "false" | "no"),
            Value::Text(text) => matches!(text.as_slice(), b"false" | b"no"),
            _ => false,
        };
        let opposite = no != (op == Compare::NotEqual);
        self.refuse(Error::FlagCompared { column, opposite, span: word.span.to(right.span) })
    }

    fn is_in(&mut self, word: &Word, list: &Spanned<List>) -> Option<Predicate> {
        let column = self.column(word)?;
        if column.kind == Kind::Bool {
            return self.refuse(Error::FlagCompared { column, opposite: false, span: word.span.to(list.span) });
        }
        match &list.node {
            List::Ranges(ranges) => self.in_ranges(column, ranges, list.span),
            List::Values(values) => {
                let checked: Vec<_> = values.iter().map(|value| self.compare(column, Compare::Equal, value)).collect();
                let terms: Option<Vec<_>> = checked.into_iter().collect();
                terms.map(merge_numbers)
            }
            // A parameter without a value, reported when it was looked up.
            List::Param(_) => None,
        }
    }

    fn in_ranges(&mut self, column: &'static Column, ranges: &[(u32, u32)], span: Span) -> Option<Predicate> {
        if column.kind != Kind::Int {
            return self.refuse(Error::RangesOn { column, span });
        }
        let terms = ranges.iter().map(|&(lo, hi)| term(column, Test::Between(i64::from(lo), i64::from(hi)))).collect();
        Some(merge_numbers(terms))
    }

    fn under(&mut self, word: &Word, path: &Spanned<Value>) -> Option<Predicate> {
        let column = self.column(word)?;
        if column.kind != Kind::Cgroup {
            let cgroup = self.family.columns().find(|c| c.kind == Kind::Cgroup).map(|c| c.name);
            return self.refuse(Error::UnderOn { column, cgroup, span: word.span });
        }
        match &path.node {
            value if is_any(value) => Some(term(column, Test::Always(true))),
            Value::Param(_) => None,
            Value::Text(text) => self.cgroup_path(text, path.span).map(|path| term(column, Test::Under(path))),
            value => self.refuse(Error::NotText { column, op: Compare::Equal, value: value.clone(), span: path.span }),
        }
    }

    fn flag(&mut self, word: &Word) -> Option<Predicate> {
        let column = self.column(word)?;
        match column.kind {
            Kind::Bool => Some(term(column, Test::True)),
            _ => self.refuse(Error::NotAFlag { column, span: word.span }),
        }
    }
}

pub(super) fn term(column: &'static Column, test: Test) -> Predicate {
    Predicate::Term(Term::new(column, test))
}

/// The disjunction of terms on one column, with neighbouring numbers made one range, so that a list takes few of the
/// terms that a program can hold.
fn merge_numbers(parts: Vec<Predicate>) -> Predicate {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for part in &parts {
        match part {
            Predicate::Term(Term { test: Test::Equal(n), negated: false, .. }) => ranges.push((*n, *n)),
            Predicate::Term(Term { test: Test::Between(lo, hi), negated: false, .. }) => ranges.push((*lo, *hi)),
            _ => return Predicate::any(parts),
        }
    }
    let column = match parts.first() {
        // Words are numbers only inside, and keep their order as typed.
        Some(Predicate::Term(term)) if term.column.kind == Kind::Int => term.column,
        _ => return Predicate::any(parts),
    };
    ranges.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (lo, hi) in ranges {
        match merged.last_mut() {
            Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
            _ => merged.push((lo, hi)),
        }
    }
    Predicate::any(merged.into_iter().map(|(lo, hi)| {
        let test = if lo == hi { Test::Equal(lo) } else { Test::Between(lo, hi) };
        term(column, test)
    }))
}
