//! The builder's part for `sql`, `assert`, `compare` and `run`.

use pest::iterators::Pair;

use super::ast::{Assert, Claim, Comparison, FrameColumn, Operand, Piece, Run, Side, Spanned, Sql, Value};
use super::builder::{Builder, Result, first, parts};
use super::error::{Error, Named, Problem};
use super::grammar::Rule;
use super::terms::compare;
use super::tokens::{Kind, Token};

/// With what an SQL text that only asks can begin.
const BEGINNINGS: &[&str] = &["select", "with", "values", "from"];

/// Where the word `sql` stands in a statement of it: first, or behind `NAME =`.
pub(super) fn sql_word(head: &[Token]) -> Option<usize> {
    let starts = |at: usize| head.get(at).is_some_and(|token| token.is_word("sql"));
    if starts(0) {
        let named = head.get(1).is_some_and(|next| next.is("="));
        return (!named).then_some(0);
    }
    (head.get(1).is_some_and(|next| next.is("=")) && starts(2)).then_some(2)
}

/// The text behind the word `sql`, which is the last of `before`.
pub(super) fn sql(before: &[Token], text: &[Token]) -> Result<Sql> {
    let word = before[before.len() - 1];
    let (Some(first), Some(last)) = (text.first(), text.last()) else {
        return Err(Error::new(word.span(), Problem::Named(Named::SqlWanted { found: None })));
    };
    if !first.is_any_word(BEGINNINGS) && !first.is("(") {
        return Err(Error::new(first.span(), Problem::Named(Named::SqlWanted { found: Some(first.text.into()) })));
    }
    let mut end = first.start;
    let mut pieces = Vec::new();
    for token in text {
        let is_param = token.kind == Kind::Parameter;
        let text = if is_param { &token.text[1..] } else { token.text };
        let piece = Piece { text: text.to_owned(), is_param, apart: token.start > end };
        pieces.push(Spanned::new(piece, token.span()));
        end = token.span().end;
    }
    Ok(Sql { pieces, span: first.span().to(last.span()) })
}

impl Builder {
    /// The name of [`Rule::sql_head`].
    pub(super) fn sql_name(self, pair: Pair<Rule>) -> Option<super::ast::Word> {
        pair.into_inner().find(|part| part.as_rule() == Rule::frame).map(|frame| self.name(&frame))
    }

    pub(super) fn assert(self, pair: Pair<Rule>) -> Result<Assert> {
        let mut pairs = pair.into_inner().filter(|part| matches!(part.as_rule(), Rule::claim | Rule::path));
        let claim = self.claim(pairs.next().expect("assert has a claim"))?;
        Ok(Assert { claim, otherwise: pairs.next().map(|text| self.value(text)).transpose()? })
    }

    fn claim(self, pair: Pair<Rule>) -> Result<Spanned<Claim>> {
        self.claims(pair, Self::claim_all, Claim::Or, |claim| match claim {
            Claim::Or(parts) => Ok(parts),
            other => Err(other),
        })
    }

    fn claim_all(self, pair: Pair<Rule>) -> Result<Spanned<Claim>> {
        self.claims(pair, Self::claim_term, Claim::And, |claim| match claim {
            Claim::And(parts) => Ok(parts),
            other => Err(other),
        })
    }

    /// Parts joined by one word, flattened: `a and (b and c)` has three.
    fn claims(
        self,
        pair: Pair<Rule>,
        build: fn(Self, Pair<Rule>) -> Result<Spanned<Claim>>,
        join: fn(Vec<Spanned<Claim>>) -> Claim,
        parts_of: fn(Claim) -> std::result::Result<Vec<Spanned<Claim>>, Claim>,
    ) -> Result<Spanned<Claim>> {
        let span = self.span(&pair);
        let mut all = Vec::new();
        for inner in pair.into_inner().filter(|part| !matches!(part.as_rule(), Rule::and_word | Rule::or_word)) {
            let part = build(self, inner)?;
            match parts_of(part.node) {
                Ok(inner) => all.extend(inner),
                Err(node) => all.push(Spanned::new(node, part.span)),
            }
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        Ok(Spanned::new(join(all), span))
    }

    fn claim_term(self, pair: Pair<Rule>) -> Result<Spanned<Claim>> {
        let span = self.span(&pair);
        let claim = match pair.as_rule() {
            Rule::claim_negation => {
                let [_, term] = parts(pair);
                Claim::Not(Box::new(self.claim_term(term)?))
            }
            Rule::claim_bracketed => {
                let [_, claim, _] = parts(pair);
                return self.claim(claim);
            }
            Rule::claim_comparison => {
                let [left, operator, right] = parts(pair);
                let op = Spanned::new(compare(operator.as_str()), self.span(&operator));
                let right_span = self.span(&right);
                let right = match right.as_rule() {
                    Rule::frame_column => Side::Column(self.frame_column(right)?.node),
                    _ => Side::Value(self.value(right)?.node),
                };
                Claim::Compare { left: self.frame_column(left)?, op, right: Spanned::new(right, right_span) }
            }
            Rule::claim_membership => {
                let [left, _, list] = parts(pair);
                Claim::In { left: self.frame_column(left)?, list: self.list(list)? }
            }
            Rule::claim_flag => Claim::Flag(self.frame_column(first(pair))?),
            rule => unreachable!("{rule:?} is no claim"),
        };
        Ok(Spanned::new(claim, span))
    }

    fn frame_column(self, pair: Pair<Rule>) -> Result<Spanned<FrameColumn>> {
        let span = self.span(&pair);
        let [frame, column] = parts(pair);
        Ok(Spanned::new(FrameColumn { frame: self.name(&frame), column: self.column(&column)? }, span))
    }

    pub(super) fn compare(self, pair: Pair<Rule>) -> Result<Comparison> {
        let [_, before, after] = parts(pair);
        Ok(Comparison { before: self.operand(before)?, after: self.operand(after)? })
    }

    fn operand(self, pair: Pair<Rule>) -> Result<Spanned<Operand>> {
        let span = self.span(&pair);
        let inner = first(pair);
        let operand = match inner.as_rule() {
            Rule::frame => Operand::Frame(inner.as_str().to_owned()),
            _ => Operand::File(self.value(inner)?.node),
        };
        Ok(Spanned::new(operand, span))
    }

    pub(super) fn run(self, pair: Pair<Rule>) -> Result<Run> {
        let mut script = None;
        let mut arguments: Vec<(super::ast::Word, Spanned<Value>)> = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::path => script = Some(self.value(part)?),
                Rule::saved_query => {
                    script = Some(Spanned::new(Value::Text(part.as_str().as_bytes().to_vec()), self.span(&part)));
                }
                Rule::argument => {
                    let [name, _, value] = parts(part);
                    let name = self.name(&name);
                    if let Some((first, _)) = arguments.iter().find(|(known, _)| known.node == name.node) {
                        let problem = Named::ArgumentTwice { name: name.node, first: first.span };
                        return Err(Error::new(name.span, Problem::Named(problem)));
                    }
                    arguments.push((name, self.argument(value)?));
                }
                _ => {}
            }
        }
        Ok(Run { script: script.expect("run has a script"), arguments })
    }

    /// As a command line gives it: text needs no quotes, and keeps its case.
    fn argument(self, pair: Pair<Rule>) -> Result<Spanned<Value>> {
        let typed = pair.as_str().trim_end().to_owned();
        let value = self.value(pair)?;
        Ok(match value.node {
            Value::Word(word) if word != typed && word != "any" => {
                Spanned::new(Value::Text(typed.into_bytes()), value.span)
            }
            node => Spanned::new(node, value.span),
        })
    }
}
