//! `verify QUERY`, checked: the query with the stats that can be held against the kernel's counters.

use super::super::{Planned, Session, verify};
use super::Scope;
use crate::catalog::{self, Figure};
use crate::lang::ast::{Key, Query, Spanned, Stat};

impl Session {
    pub(super) fn verification(&self, query: &Query, scope: &mut Scope<'_>) -> Option<Planned> {
        // As it was typed, so that what is wrong with it is told in its own words.
        let asked = self.planned(None, query, None, scope)?;
        let mut query = query.clone();
        let family = catalog::family(asked.plan.family.name)?;
        let span = query.span;
        let figures = || family.checks.iter().map(|check| check.ours);
        let sums = figures().any(|figure| figure == Figure::Sum);
        query.stats = if sums { vec![Stat::Count, Stat::Sum] } else { vec![Stat::Count] }
            .into_iter()
            .map(|stat| Spanned::new(stat, span))
            .collect();
        let mut columns: Vec<&str> = figures()
            .filter_map(|figure| match figure {
                Figure::CountWhere(column, _) => Some(column),
                Figure::Count | Figure::Sum => None,
            })
            .collect();
        columns.dedup();
        query.by = columns
            .into_iter()
            .map(|name| Key { column: Spanned::new(name.to_owned(), span), depth: None })
            .map(|key| Spanned::new(key, span))
            .collect();
        (query.having, query.limit, query.every, query.save) = (None, None, None, None);
        query.sort = Vec::new();
        let mut planned = self.planned(None, &query, None, scope)?;
        if let Err(problem) = verify::scope(&planned.plan) {
            scope.problems.push(problem.at(scope.source, span, ""));
            return None;
        }
        // The kernel counts idle tasks and this program too.
        planned.plan.scan.idle = planned.plan.scan.clauses.is_empty();
        planned.plan.scan.own = true;
        planned.plan.text = format!("verify {}", asked.plan.text);
        Some(planned)
    }
}
