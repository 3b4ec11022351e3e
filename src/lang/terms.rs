//! The builder's part for predicates and values.

use pest::iterators::Pair;

use super::ast::{Compare, Expr, List, Spanned, Value};
use super::builder::{Builder, Result, first};
use super::error::{Error, MAX_ITEMS, Problem};
use super::grammar::Rule;
use super::literal;
use crate::diagnostic::Span;

impl Builder {
    pub(super) fn predicate(self, pair: Pair<Rule>) -> Result<Spanned<Expr>> {
        let parts = |expr: Expr| match expr {
            Expr::Or(parts) => Ok(parts),
            other => Err(other),
        };
        self.junction(pair, Self::all_of, Expr::Or, parts)
    }

    fn all_of(self, pair: Pair<Rule>) -> Result<Spanned<Expr>> {
        let parts = |expr: Expr| match expr {
            Expr::And(parts) => Ok(parts),
            other => Err(other),
        };
        self.junction(pair, Self::term, Expr::And, parts)
    }

    /// Parts joined by one word, flattened: `a and (b and c)` has three.
    fn junction(
        self,
        pair: Pair<Rule>,
        build: fn(Self, Pair<Rule>) -> Result<Spanned<Expr>>,
        join: fn(Vec<Spanned<Expr>>) -> Expr,
        parts_of: fn(Expr) -> std::result::Result<Vec<Spanned<Expr>>, Expr>,
    ) -> Result<Spanned<Expr>> {
        let span = self.span(&pair);
        let mut parts = Vec::new();
        for inner in pair.into_inner().filter(|pair| !matches!(pair.as_rule(), Rule::and_word | Rule::or_word)) {
            let part = build(self, inner)?;
            match parts_of(part.node) {
                Ok(inner) => parts.extend(inner),
                Err(node) => parts.push(Spanned::new(node, part.span)),
            }
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Ok(Spanned::new(join(parts), span))
    }

    fn term(self, pair: Pair<Rule>) -> Result<Spanned<Expr>> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut pairs = pair.into_inner();
        let mut next = || pairs.next().expect("the grammar gives every part of a term");
        let node = match rule {
            Rule::negation => {
                next();
                Expr::Not(Box::new(self.term(next())?))
            }
            Rule::bracketed => {
                next();
                return self.predicate(next());
            }
            Rule::comparison => {
                let column = self.column(&next())?;
                let operator = next();
                let op = Spanned::new(compare(operator.as_str()), self.span(&operator));
                let right = self.value(next())?;
                if right.node == Value::Word("null".into()) {
                    let column = column.node;
                    let problem = match op.node {
                        Compare::NotEqual => Problem::IsNot { column },
                        _ => Problem::IsNull { column },
                    };
                    return Err(Error::new(op.span.to(right.span), problem));
                }
                Expr::Compare { column, op, right }
            }
            Rule::membership => {
                let column = self.column(&next())?;
                next();
                Expr::In { column, list: self.list(next())? }
            }
            Rule::missing_test => Expr::Missing { column: self.column(&next())? },
            Rule::under_test => {
                let column = self.column(&next())?;
                next();
                Expr::Under { column, path: self.value(next())? }
            }
            Rule::flag => Expr::Flag { column: self.column(&next())? },
            rule => unreachable!("{rule:?} is no term"),
        };
        Ok(Spanned::new(node, span))
    }

    pub(super) fn list(self, pair: Pair<Rule>) -> Result<Spanned<List>> {
        let span = self.span(&pair);
        let inner = first(pair);
        let list = match inner.as_rule() {
            Rule::parameter => List::Param(inner.as_str()[1..].to_string()),
            Rule::cpu_list => List::Ranges(self.ranges(inner)?),
            _ => List::Values(self.each(inner, Rule::value, Self::value)?),
        };
        let items = match &list {
            List::Values(values) => values.len(),
            List::Ranges(ranges) => ranges.len(),
            List::Param(_) => 1,
        };
        if items > MAX_ITEMS {
            return Err(Error::new(span, Problem::TooManyItems { items }));
        }
        Ok(Spanned::new(list, span))
    }

    fn ranges(self, pair: Pair<Rule>) -> Result<Vec<(u32, u32)>> {
        let pairs = pair.into_inner().filter(|pair| pair.as_rule() != Rule::comma);
        let range = |pair: Pair<Rule>| {
            literal::cpu_range(pair.as_str()).map_err(|problem| Error::new(self.span(&pair), problem))
        };
        pairs.map(range).collect()
    }

    /// Of `value` and of the rules that allow only some values.
    pub(super) fn value(self, pair: Pair<Rule>) -> Result<Spanned<Value>> {
        let span = self.span(&pair);
        let inner = first(pair);
        let text = inner.as_str();
        let value = match inner.as_rule() {
            Rule::value => return self.value(inner),
            Rule::text => {
                let bytes = literal::text(text).map_err(|(range, problem)| {
                    Error::new(Span::new(span.start + range.start, span.start + range.end), problem)
                })?;
                Ok(Value::Text(bytes))
            }
            Rule::duration => literal::duration(text).map(Value::Duration),
            Rule::percent => literal::percent(text),
            Rule::decimal => literal::decimal(text),
            Rule::integer => literal::integer(text).map(Value::Int),
            Rule::parameter => Ok(Value::Param(text[1..].to_string())),
            Rule::bare_word | Rule::any_word => Ok(Value::Word(text.to_ascii_lowercase())),
            Rule::cpu_set => Ok(Value::Ranges(self.ranges(inner.clone())?)),
            rule => unreachable!("{rule:?} is no value"),
        };
        value.map(|value| Spanned::new(value, span)).map_err(|problem| Error::new(span, problem))
    }
}

pub(super) fn compare(operator: &str) -> Compare {
    match operator {
        "=" => Compare::Equal,
        "!=" => Compare::NotEqual,
        "<" => Compare::Less,
        "<=" => Compare::LessOrEqual,
        ">" => Compare::Greater,
        ">=" => Compare::GreaterOrEqual,
        "~" => Compare::Like,
        operator => unreachable!("{operator} is no operator of the grammar"),
    }
}
