//! What is asked of the rows: the measure, the stats or events, the keys.

use super::{Error, Scope};
use crate::catalog::{Cardinality, Column, Kind};
use crate::diagnostic::Span;
use crate::lang::ast::{Query, Spanned, Stat, Value, Word};
use crate::plan::layout::MAX_KEY_WORDS;
use crate::plan::{StatColumn, columns};

/// Steps of a linear histogram: more than a person can read, few enough for a column of lists.
const MOST_STEPS: u64 = 10_000;

/// The stats of a query. Either `columns` has one at least, or `events` is there.
#[derive(Default)]
pub(super) struct Stats {
    pub columns: Vec<StatColumn>,
    pub events: Option<Vec<&'static Column>>,
    /// The columns of `uniq`, which must reach the frame.
    pub uniq: Vec<&'static Column>,
    /// Where `events` stands.
    pub events_span: Option<Span>,
}

impl Scope<'_> {
    /// The measure that was named, or the family's first.
    pub(super) fn measure(&mut self, word: Option<&Word>) -> Option<&'static Column> {
        let first = self.family.measures.first().and_then(|name| self.family.measure(name));
        let Some(word) = word else { return first };
        let named = self.family.measure(&word.node);
        if named.is_none() {
            self.errors.push(Error::UnknownMeasure { family: self.family, name: word.clone() });
        }
        // A wrong one is taken for the first, so that the rest of the query is still checked.
        named.or(first)
    }

    pub(super) fn stats(&mut self, query: &Query, measure: Option<&'static Column>) -> Stats {
        let mut stats = Stats::default();
        if query.stats.is_empty() {
            let stat = if self.family.measures.is_empty() { Stat::Count } else { Stat::Hist };
            stats.columns.push(StatColumn { name: columns::name(&stat, measure), stat, linear: None });
            return stats;
        }
        let mut spans: Vec<Span> = Vec::new();
        for (at, stat) in query.stats.iter().enumerate() {
            if let Stat::Events(words) = &stat.node {
                stats.events_span = Some(stat.span);
                stats.events = Some(self.event_columns(words));
                if let Some((_, other)) = query.stats.iter().enumerate().find(|(n, _)| *n != at) {
                    self.errors.push(Error::EventsAlone { span: stat.span, other: other.span });
                }
                if let Some(key) = query.by.first() {
                    self.errors.push(Error::EventsGrouped { events: stat.span, by: key.span });
                }
                return stats;
            }
            if let Some(column) = self.stat(stat, measure, &mut stats.uniq) {
                match stats.columns.iter().position(|known| known.name == column.name) {
                    Some(at) => {
                        self.errors.push(Error::StatTwice { column: column.name, span: stat.span, first: spans[at] })
                    }
                    None => {
                        stats.columns.push(column);
                        spans.push(stat.span);
                    }
                }
            }
        }
        stats
    }

    fn stat(
        &mut self,
        stat: &Spanned<Stat>,
        measure: Option<&'static Column>,
        uniq: &mut Vec<&'static Column>,
    ) -> Option<StatColumn> {
        let span = stat.span;
        if columns::of_measure(&stat.node) && self.family.measures.is_empty() {
            return self.refuse(Error::NoMeasure { family: self.family, stat: stat.node.word(), span });
        }
        let mut linear = None;
        match &stat.node {
            Stat::HistLinear { lo, hi, step } => linear = Some(self.steps(measure?, lo, hi, step, span)?),
            Stat::Uniq(word) => uniq.push(self.column(word)?),
            _ => {}
        }
        Some(StatColumn { name: columns::name(&stat.node, measure), stat: stat.node.clone(), linear })
    }

    /// LO, HI and STEP in the measure's unit.
    fn steps(
        &mut self,
        measure: &'static Column,
        lo: &Spanned<Value>,
        hi: &Spanned<Value>,
        step: &Spanned<Value>,
        span: Span,
    ) -> Option<(u64, u64, u64)> {
        let parts = [lo, hi, step].map(|value| self.measured(measure, value));
        let [Some(from), Some(to), Some(width)] = parts else { return None };
        if from >= to || width == 0 {
            let (lo, hi, step) = (lo.node.clone(), hi.node.clone(), step.node.clone());
            return self.refuse(Error::HistRange { lo, hi, step, span });
        }
        let steps = (to - from).div_ceil(width);
        if steps > MOST_STEPS {
            return self.refuse(Error::HistSteps { steps, most: MOST_STEPS, span });
        }
        Some((from, to, width))
    }

    fn measured(&mut self, measure: &'static Column, value: &Spanned<Value>) -> Option<u64> {
        let what = "hist".to_string();
        match (measure.kind, &value.node) {
            (_, Value::Param(_)) => None,
            (Kind::Duration, Value::Duration(ns)) => Some(*ns),
            (Kind::Duration, given) => {
                self.refuse(Error::NotADuration { what, value: given.clone(), span: value.span })
            }
            (_, Value::Int(n)) if *n >= 0 => Some(*n as u64),
            (_, given) => self.refuse(Error::NotWhole { what, value: given.clone(), span: value.span }),
        }
    }

    fn event_columns(&mut self, words: &[Word]) -> Vec<&'static Column> {
        if words.is_empty() {
            return self.family.short_list.iter().filter_map(|name| self.family.column(name)).collect();
        }
        let mut shown: Vec<&'static Column> = Vec::new();
        for word in words {
            let Some(column) = self.column(word) else { continue };
            if shown.contains(&column) {
                self.errors.push(Error::EventsTwice { name: word.clone() });
            } else {
                shown.push(column);
            }
        }
        shown
    }

    /// The columns of `by`.
    pub(super) fn keys(&mut self, query: &Query, measure: Option<&'static Column>) -> Vec<&'static Column> {
        let mut keys: Vec<(&'static Column, Span)> = Vec::new();
        for key in &query.by {
            let Some(column) = self.column(&key.node.column) else { continue };
            let span = key.node.column.span;
            let is_measure = measure == Some(column) || self.family.measures.contains(&column.name);
            if let Some((_, first)) = keys.iter().find(|(known, _)| *known == column) {
                let first = *first;
                self.errors.push(Error::KeyTwice { name: key.node.column.clone(), first });
            } else if is_measure || column.few == Cardinality::Many {
                self.errors.push(Error::KeyTooFine { column, measure: is_measure, span });
            } else if key.node.depth.is_some() {
                self.errors.push(Error::KeyLevels { column, span: key.span });
            } else {
                keys.push((column, span));
            }
        }
        let words = keys.iter().map(|(column, _)| usize::from(column.kind.slots())).sum::<usize>()
            + usize::from(query.every.is_some());
        if words > MAX_KEY_WORDS
            && let (Some(first), Some(last)) = (query.by.first(), query.by.last())
        {
            self.errors.push(Error::TooManyKeys { words, most: MAX_KEY_WORDS, span: first.span.to(last.span) });
        }
        keys.into_iter().map(|(column, _)| column).collect()
    }
}
