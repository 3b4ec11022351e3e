//! `record SET … to 'file'`: what is recorded, of which tasks, for how long.

use super::{Error, Params, Scope, names_idle, names_own};
use crate::catalog::{self, Family, sched};
use crate::diagnostic::Span;
use crate::lang::ast::{self, Expr, List, Spanned, Value, Word};
use crate::lang::format;
use crate::plan::error::Undecidable;
use crate::plan::layout::MAX_TERMS;
use crate::plan::predicate::Predicate;
use crate::plan::pushdown::{self, undecided};
use crate::plan::{CheckOptions, Clause, Output, Record, Scan, coverage};

/// Checks a recording.
///
/// # Errors
/// All that is wrong with it.
pub fn check_record(record: &ast::Record, params: &Params, options: &CheckOptions) -> Result<Record, Vec<Error>> {
    let (set, errors) = event_set(&record.sets);
    let Some(set) = set else { return Err(errors) };
    let mut scope = Scope { family: set, options, recorded: false, errors };
    let record = scope.bind_record(record, params);
    let filter = record.filter.as_ref().and_then(|expr| scope.recorded_filter(expr));
    let window_ns = scope.window(record.duration.as_ref());
    let to = scope.recording("to", &record.to);
    let idle = filter.as_ref().is_some_and(names_idle);
    let own = filter.as_ref().is_some_and(names_own);
    let span = record.filter.as_ref().map_or(record.span, |filter| filter.span);
    let clauses = scope.wholly_decided(filter, span);
    match to {
        Some(to) if scope.errors.is_empty() => Ok(Record {
            text: format::record(&record),
            set,
            filter: coverage::text(&clauses),
            scan: Scan {
                family: set,
                measure: None,
                clauses,
                output: Output::Rows { columns: Vec::new(), first: None },
                every_ns: None,
                bound_ns: None,
                idle,
                own,
                map_bytes: options.map_bytes,
                groups: None,
                range: None,
            },
            window_ns,
            to,
        }),
        _ => Err(scope.errors),
    }
}

/// The set that is named. There is no second one yet that could stand beside it.
fn event_set(names: &[Word]) -> (Option<&'static Family>, Vec<Error>) {
    let mut found: Option<(&'static Family, Span)> = None;
    let mut errors = Vec::new();
    for name in names {
        match (catalog::event_set(&name.node), found) {
            (None, _) => {
                errors.push(Error::UnknownSet { name: name.clone(), family: catalog::family(&name.node).is_some() });
            }
            (Some(_), Some((_, first))) => errors.push(Error::SetTwice { name: name.clone(), first }),
            (Some(set), None) => found = Some((set, name.span)),
        }
    }
    (found.map(|(set, _)| set), errors)
}

impl Scope<'_> {
    /// The predicate of a recording's `where`, if it speaks only of who a task is.
    fn recorded_filter(&mut self, expr: &Spanned<Expr>) -> Option<Predicate> {
        let before = self.errors.len();
        self.only_filters(&expr.node);
        if self.errors.len() > before {
            return None;
        }
        self.predicate(expr)
    }

    fn only_filters(&mut self, expr: &Expr) {
        match expr {
            Expr::Or(parts) | Expr::And(parts) => parts.iter().for_each(|part| self.only_filters(&part.node)),
            Expr::Not(part) => self.only_filters(&part.node),
            Expr::Compare { column, right, .. } => {
                self.only_filter(column);
                self.only_filter_value(right);
            }
            Expr::In { column, list } => {
                self.only_filter(column);
                if let List::Values(values) = &list.node {
                    values.iter().for_each(|value| self.only_filter_value(value));
                }
            }
            Expr::Missing { column } | Expr::Under { column, .. } | Expr::Flag { column } => self.only_filter(column),
        }
    }

    fn only_filter_value(&mut self, value: &Spanned<Value>) {
        if let Value::Word(word) = &value.node {
            let word = super::names::canonical(word).to_string();
            if self.family.column(&word).is_some() {
                self.only_filter(&Spanned::new(word, value.span));
            }
        }
    }

    /// Names that nothing has are reported when the predicate is made.
    fn only_filter(&mut self, word: &Word) {
        let known = |family: &&Family| family.column(&word.node).is_some();
        let there = known(&self.family) || catalog::FAMILIES.iter().any(known);
        if there && !sched::FILTERS.contains(&word.node.as_str()) {
            self.errors.push(Error::NotARecordedFilter { name: word.clone() });
        }
    }

    /// The clauses of a filter: events that were not recorded cannot be had back, and those that were are not looked at
    /// again, so nothing may be left.
    fn wholly_decided(&mut self, filter: Option<Predicate>, span: Span) -> Vec<Clause> {
        let division = pushdown::divide(filter);
        if let Some(left) = &division.filter {
            let mut why = Undecidable::TooLong { most: MAX_TERMS };
            left.visit(&mut |term| {
                if undecided(term).is_some() {
                    why = Undecidable::Pattern {
                        term: term.to_string(),
                        of_cgroup: term.column.kind == catalog::Kind::Cgroup,
                    };
                }
            });
            self.errors.push(Error::FilterNotDecided { why, span });
        }
        if division.clauses.iter().any(|clause| clause.terms.is_empty()) {
            self.errors.push(Error::FilterOfNone { span });
        }
        division.clauses
    }
}
