//! From the grammar's pairs to the AST, and what the grammar cannot see: clauses that stand twice, and values that are
//! out of range.

use pest::iterators::Pair;

use super::ast::*;
use super::error::{Error, Problem};
use super::grammar::Rule;
use super::literal;
use super::words::STYLES;
use crate::diagnostic::Span;
use crate::nearest::nearest;

pub(super) type Result<T> = std::result::Result<T, Error>;

/// Builds nodes from pairs whose text begins `base` bytes into the source.
#[derive(Clone, Copy)]
pub(super) struct Builder {
    pub base: usize,
}

impl Builder {
    pub(super) fn span(self, pair: &Pair<Rule>) -> Span {
        Span::new(self.base + pair.as_span().start(), self.base + end(pair))
    }

    /// The pair's text in lower case, for everything but frames and parameters.
    pub(super) fn word(self, pair: &Pair<Rule>) -> Word {
        Spanned::new(pair.as_str().to_ascii_lowercase(), self.span(pair))
    }

    /// The pair's text as typed.
    pub(super) fn name(self, pair: &Pair<Rule>) -> Word {
        Spanned::new(pair.as_str().to_string(), self.span(pair))
    }

    /// Of [`Rule::statement`].
    pub fn statement(self, pair: Pair<Rule>) -> Result<Statement> {
        let inner = first(pair);
        Ok(match inner.as_rule() {
            Rule::query => Statement::Query(Box::new(self.query(inner)?)),
            Rule::record => Statement::Record(Box::new(self.record(inner)?)),
            Rule::explain => Statement::Explain(match argument(inner) {
                record if record.as_rule() == Rule::record => Explained::Record(Box::new(self.record(record)?)),
                query => Explained::Query(Box::new(self.query(query)?)),
            }),
            Rule::analyze => Statement::Analyze(Box::new(self.query(last(inner))?)),
            Rule::verify => Statement::Verify(Box::new(self.query(last(inner))?)),
            Rule::assign => {
                let [frame, _, query] = parts(inner);
                Statement::Assign { name: self.name(&frame), query: Box::new(self.query(query)?) }
            }
            Rule::save_frame => {
                let [_, frame, _, path] = parts(inner);
                Statement::Save { frame: self.name(&frame), path: self.value(path)? }
            }
            Rule::show => self.show(inner)?,
            Rule::assert => Statement::Assert(self.assert(inner)?),
            Rule::compare => Statement::Compare(self.compare(inner)?),
            Rule::run => Statement::Run(self.run(inner)?),
            Rule::env => Statement::Env,
            Rule::param => {
                let mut pairs =
                    inner.into_inner().filter(|pair| !matches!(pair.as_rule(), Rule::param_word | Rule::equals));
                let name = self.name(&pairs.next().expect("param has a name"));
                Statement::Param { name, default: pairs.next().map(|default| self.value(default)).transpose()? }
            }
            rule => unreachable!("{rule:?} is no statement"),
        })
    }

    /// The duration of [`Rule::block_head`].
    pub fn block_head(self, pair: Pair<Rule>) -> Result<Spanned<Value>> {
        self.window("for", argument(pair))
    }

    fn show(self, pair: Pair<Rule>) -> Result<Statement> {
        let mut frame = None;
        let mut style = None;
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Rule::frame => frame = Some(self.name(&pair)),
                Rule::style => style = Some(self.word(&pair)),
                _ => {}
            }
        }
        if let Some(word) = style.as_ref().filter(|style| !STYLES.contains(&style.node.as_str())) {
            let nearest = nearest(&word.node, STYLES.iter().copied());
            return Err(Error::new(word.span, Problem::UnknownStyle { word: word.node.clone(), nearest }));
        }
        Ok(Statement::Show { frame: frame.expect("show has a frame"), style })
    }

    pub(super) fn query(self, pair: Pair<Rule>) -> Result<Query> {
        let mut query = Query {
            from: None,
            family: Spanned::new(String::new(), Span::default()),
            measure: None,
            filter: None,
            stats: Vec::new(),
            by: Vec::new(),
            having: None,
            sort: Vec::new(),
            limit: None,
            around: None,
            every: None,
            duration: None,
            save: None,
            span: self.span(&pair),
        };
        let mut seen: Vec<(&'static str, Span)> = Vec::new();
        for part in pair.into_inner() {
            let span = self.span(&part);
            if let Some(clause) = clause_word(part.as_rule()) {
                if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == clause) {
                    return Err(twice(
                        clause,
                        *first,
                        seen.last().map(|(last, _)| *last) == Some(clause),
                        span,
                        &query,
                        &part,
                    ));
                }
                let other = match clause {
                    "top" => "first",
                    "first" => "top",
                    _ => "",
                };
                if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == other) {
                    return Err(Error::new(span, Problem::TopAndFirst { first: *first }));
                }
                seen.push((clause, span));
            }
            match part.as_rule() {
                Rule::from_word => {}
                Rule::path => query.from = Some(self.value(part)?),
                Rule::family => query.family = self.word(&part),
                Rule::measure => query.measure = Some(self.word(&part)),
                Rule::where_clause => query.filter = Some(self.predicate(argument(part))?),
                Rule::having_clause => query.having = Some(self.predicate(argument(part))?),
                Rule::stats_clause => query.stats = self.each(part, Rule::stat, Self::stat)?,
                Rule::by_clause => query.by = self.each(part, Rule::key, Self::key)?,
                Rule::sort_clause => query.sort = self.each(part, Rule::sort_key, Self::sort)?,
                Rule::top_clause => {
                    query.limit = Some(Spanned::new(Limit::Top(self.amount("top", argument(part))?), span))
                }
                Rule::first_clause => {
                    query.limit = Some(Spanned::new(Limit::First(self.amount("first", argument(part))?), span));
                }
                Rule::around_clause => query.around = Some(Spanned::new(self.around(part)?, span)),
                Rule::every_clause => query.every = Some(self.window("every", argument(part))?),
                Rule::for_clause => query.duration = Some(self.window("for", argument(part))?),
                Rule::save_clause => query.save = Some(self.value(argument(part))?),
                rule => unreachable!("{rule:?} is no part of a query"),
            }
        }
        Ok(query)
    }

    /// The children that are of `rule`; the others are commas and brackets.
    pub(super) fn each<T>(
        self,
        pair: Pair<Rule>,
        rule: Rule,
        build: fn(Self, Pair<Rule>) -> Result<T>,
    ) -> Result<Vec<T>> {
        pair.into_inner().filter(|pair| pair.as_rule() == rule).map(|pair| build(self, pair)).collect()
    }

    fn stat(self, pair: Pair<Rule>) -> Result<Spanned<Stat>> {
        let span = self.span(&pair);
        let inner = first(pair);
        let stat = match inner.as_rule() {
            Rule::percentile => {
                Stat::Percentile(literal::percentile(inner.as_str()).map_err(|problem| Error::new(span, problem))?)
            }
            Rule::uniq => {
                let columns = self.each(inner, Rule::column, |builder, pair| Ok(builder.word(&pair)))?;
                Stat::Uniq(columns.into_iter().next().expect("uniq has a column"))
            }
            Rule::events => Stat::Events(self.each(inner, Rule::column, |builder, pair| Ok(builder.word(&pair)))?),
            Rule::hist_linear => {
                let bounds = self.each(inner, Rule::bound, Self::value)?;
                let [lo, hi, step] = <[_; 3]>::try_from(bounds).expect("hist(linear) has three bounds");
                Stat::HistLinear { lo, hi, step }
            }
            _ => match inner.as_str().to_ascii_lowercase().as_str() {
                "count" => Stat::Count,
                "sum" => Stat::Sum,
                "avg" => Stat::Avg,
                "min" => Stat::Min,
                "max" => Stat::Max,
                "hist" => Stat::Hist,
                "rate" => Stat::Rate,
                "pct" => Stat::Pct,
                "max_at" => Stat::MaxAt,
                word => unreachable!("{word} is no stat of the grammar"),
            },
        };
        Ok(Spanned::new(stat, span))
    }

    fn key(self, pair: Pair<Rule>) -> Result<Spanned<Key>> {
        let span = self.span(&pair);
        let mut pairs = pair.into_inner();
        let column = self.word(&pairs.next().expect("a key has a column"));
        let depth = pairs.find(|pair| pair.as_rule() == Rule::depth);
        let depth = match depth {
            None => None,
            Some(pair) => {
                let span = self.span(&pair);
                let depth = pair.as_str().parse().ok().filter(|depth: &u32| (1..=64).contains(depth));
                let problem = || Problem::KeyDepth { column: column.node.clone() };
                Some(Spanned::new(depth.ok_or_else(|| Error::new(span, problem()))?, span))
            }
        };
        Ok(Spanned::new(Key { column, depth }, span))
    }

    fn sort(self, pair: Pair<Rule>) -> Result<Sort> {
        let mut pairs = pair.into_inner();
        let column = self.column(&pairs.next().expect("a sort key has a column"))?;
        let direction = pairs.next().map(|pair| match pair.as_str().eq_ignore_ascii_case("asc") {
            true => Direction::Ascending,
            false => Direction::Descending,
        });
        Ok(Sort { column, direction })
    }

    /// A column of a row or of a result; a percentile gets its one spelling.
    pub(super) fn column(self, pair: &Pair<Rule>) -> Result<Word> {
        let mut word = self.word(pair);
        if word.node == "tree" {
            return Err(Error::new(word.span, Problem::NotYet { word: word.node }));
        }
        if let Some(inner) = pair.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::percentile) {
            let stat = literal::percentile(inner.as_str()).map_err(|problem| Error::new(word.span, problem))?;
            word.node = Stat::Percentile(stat).word();
        }
        Ok(word)
    }

    pub(super) fn window(self, clause: &'static str, pair: Pair<Rule>) -> Result<Spanned<Value>> {
        let value = self.value(pair)?;
        match value.node {
            Value::Duration(0) => Err(Error::new(value.span, Problem::DurationZero { clause })),
            _ => Ok(value),
        }
    }

    fn amount(self, clause: &'static str, pair: Pair<Rule>) -> Result<Spanned<Value>> {
        let value = self.value(pair.clone())?;
        match value.node {
            Value::Int(..1) => {
                Err(Error::new(value.span, Problem::LimitWanted { clause, found: pair.as_str().to_string() }))
            }
            _ => Ok(value),
        }
    }
}

pub(super) fn first(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().next().expect("the grammar gives this rule a part")
}

/// Where the pair's last token ends: the pair itself may end with the blanks in which another item was sought.
fn end(pair: &Pair<Rule>) -> usize {
    match pair.clone().into_inner().next_back() {
        Some(last) => end(&last),
        None => pair.as_span().end(),
    }
}

/// What follows a keyword.
/// The last part of a pair.
fn last(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().next_back().expect("the grammar gives this rule a part")
}

pub(super) fn argument(pair: Pair<Rule>) -> Pair<Rule> {
    pair.into_inner().nth(1).expect("the grammar gives this keyword an argument")
}

pub(super) fn parts<const N: usize>(pair: Pair<Rule>) -> [Pair<Rule>; N] {
    let parts: Vec<_> = pair.into_inner().collect();
    parts.try_into().expect("the grammar gives this rule its parts")
}

pub(super) fn clause_word(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::where_clause => "where",
        Rule::stats_clause => "stats",
        Rule::by_clause => "by",
        Rule::having_clause => "having",
        Rule::sort_clause => "sort",
        Rule::top_clause => "top",
        Rule::first_clause => "first",
        Rule::around_clause => "around",
        Rule::every_clause => "every",
        Rule::for_clause => "for",
        Rule::save_clause => "save",
        Rule::to_clause => "to",
        _ => return None,
    })
}

/// Two rows of stats side by side want a comma; anything else stands twice.
fn twice(clause: &'static str, first: Span, adjacent: bool, span: Span, query: &Query, part: &Pair<Rule>) -> Error {
    if clause == "stats" && adjacent {
        let before = query.stats.last().map(|stat| stat.node.word()).unwrap_or_default();
        let after = part.clone().into_inner().next().map(|stat| stat.as_str().to_string()).unwrap_or_default();
        return Error::new(span, Problem::MissingComma { before, after });
    }
    Error::new(span, Problem::Twice { clause, first })
}
