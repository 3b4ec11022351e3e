//! The builder's part for recordings: `record … to` and `around`.

use pest::iterators::Pair;

use super::ast::{Around, Record, Spanned, Time, Value};
use super::builder::{Builder, Result, argument, clause_word, first, parts};
use super::error::{Error, Problem, Recorded};
use super::grammar::Rule;
use crate::diagnostic::Span;

impl Builder {
    pub(super) fn record(self, pair: Pair<Rule>) -> Result<Record> {
        let span = self.span(&pair);
        let (mut sets, mut filter, mut duration, mut to) = (Vec::new(), None, None, None);
        let mut seen: Vec<(&'static str, Span)> = Vec::new();
        for part in pair.into_inner() {
            let span = self.span(&part);
            if let Some(clause) = clause_word(part.as_rule()) {
                if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == clause) {
                    return Err(Error::new(span, Problem::Twice { clause, first: *first }));
                }
                seen.push((clause, span));
            }
            match part.as_rule() {
                Rule::event_set => sets.push(self.word(&part)),
                Rule::where_clause => filter = Some(self.predicate(argument(part))?),
                Rule::for_clause => duration = Some(self.window("for", argument(part))?),
                Rule::to_clause => to = Some(self.value(argument(part))?),
                _ => {}
            }
        }
        let to = to.ok_or_else(|| Error::new(span, Problem::Recorded(Recorded::ToMissing)))?;
        Ok(Record { sets, filter, duration, to, span })
    }

    pub(super) fn around(self, pair: Pair<Rule>) -> Result<Around> {
        let [_, time, each_side] = parts(pair);
        Ok(Around { time: self.time(time)?, each_side: self.window("around", each_side)? })
    }

    fn time(self, pair: Pair<Rule>) -> Result<Spanned<Time>> {
        let span = self.span(&pair);
        let inner = first(pair.clone());
        let time = match inner.as_rule() {
            Rule::worst => {
                let query = inner.into_inner().find(|part| part.as_rule() == Rule::query);
                Time::Worst(Box::new(self.query(query.expect("worst has a query"))?))
            }
            Rule::frame_column => {
                let [frame, column] = parts(inner);
                Time::Column { frame: self.name(&frame), column: self.column(&column)? }
            }
            _ => match self.value(pair)?.node {
                Value::Int(..0) => return Err(Error::new(span, Problem::Recorded(Recorded::TimeNegative))),
                value => Time::Value(value),
            },
        };
        Ok(Spanned::new(time, span))
    }
}
