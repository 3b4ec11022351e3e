//! What can stand inside of a condition.

use super::position::{Want, some, word};
use crate::catalog::{Column, Kind as Holds, Unit};
use crate::lang::reference;
use crate::lang::tokens::{Kind, Token};
use crate::plan::check::canonical_column;

/// What is due behind the tokens of a condition. Names are as they were typed, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// A comparison begins.
    Column,
    /// Behind a column.
    Operator(String),
    /// A value of a column.
    Value(String),
    /// One word of the language.
    Word(&'static str),
    /// Something of which nothing is known.
    Nothing,
    /// It is whole: `and`, `or`, or the next clause.
    More,
}

/// Brackets that are open at the end.
pub(super) fn depth(tokens: &[Token]) -> i32 {
    tokens.iter().fold(0, |depth, token| depth + i32::from(token.is("(")) - i32::from(token.is(")")))
}

const OPERATORS: &[&str] = &["=", "!=", "<", "<=", ">", ">=", "~", "==", "=~", "<>"];

pub(super) fn next(tokens: &[Token]) -> Next {
    if let Some(column) = listed(tokens) {
        return match tokens.last() {
            Some(last) if last.is("(") || last.is(",") => Next::Value(column),
            _ => Next::Nothing,
        };
    }
    let Some((last, before)) = tokens.split_last() else { return Next::Column };
    if last.is_any_word(&["and", "or", "not"]) || last.is("(") {
        return Next::Column;
    }
    let column = before.last().map(|token| token.lower());
    match (last.kind, column) {
        (Kind::Mark, Some(column)) if OPERATORS.contains(&last.text) => Next::Value(column),
        (Kind::Word, Some(column)) if last.is_word("in") => Next::Value(column),
        (Kind::Word, Some(_)) if last.is_word("is") => Next::Word("missing"),
        (Kind::Word, Some(column)) if last.is_word("under") => Next::Value(column),
        (Kind::Word, _) if !is_right_side(before) && !last.is_word("missing") => Next::Operator(last.lower()),
        _ => Next::More,
    }
}

/// Whether what follows these tokens is the right side of a comparison.
fn is_right_side(before: &[Token]) -> bool {
    before.last().is_some_and(|last| OPERATORS.contains(&last.text) || last.is_any_word(&["in", "is", "under"]))
}

/// The column of a list that is open: `cpu in (0, `
fn listed(tokens: &[Token]) -> Option<String> {
    if depth(tokens) <= 0 {
        return None;
    }
    let open = tokens.iter().rposition(|token| token.is("("))?;
    let [.., column, word] = &tokens[..open] else { return None };
    (word.is_word("in") && depth(&tokens[open..]) > 0).then(|| column.lower())
}

/// What can stand there, of these columns, and whether the condition can end there.
pub(super) fn wants(tokens: &[Token], columns: &[&'static Column]) -> (Vec<Want>, bool) {
    let of = |name: &str| columns.iter().copied().find(|column| column.name == canonical_column(name));
    match next(tokens) {
        Next::Column => (vec![Want::Columns(columns.to_vec()), some(reference::CONDITIONS, &["not"])], false),
        Next::Operator(name) => match of(&name) {
            Some(column) if column.kind == Holds::Bool => (more(), depth(tokens) <= 0),
            Some(column) => (vec![some(reference::CONDITIONS, operators(column))], false),
            None => (Vec::new(), false),
        },
        Next::Value(name) => (of(&name).map(|column| values(column, tokens)).unwrap_or_default(), false),
        Next::Word(found) => (vec![word(found, "the row does not have it")], false),
        Next::Nothing => (Vec::new(), false),
        Next::More => (more(), depth(tokens) <= 0),
    }
}

fn more() -> Vec<Want> {
    vec![some(reference::CONDITIONS, &["and", "or"])]
}

fn operators(column: &Column) -> &'static [&'static str] {
    match column.kind {
        Holds::Name | Holds::Word(_) => &["=", "~", "in", "is"],
        Holds::Cgroup => &["=", "~", "in", "is", "under"],
        Holds::Duration | Holds::Time => &["<", "=", "is"],
        Holds::Int | Holds::Bool => &["=", "<", "in", "is"],
    }
}

fn values(column: &'static Column, tokens: &[Token]) -> Vec<Want> {
    // A list has brackets, but that of CPUs.
    if tokens.last().is_some_and(|last| last.is_word("in")) && column.unit != Unit::Cpu {
        return vec![word("(", "a list")];
    }
    vec![Want::Values(column)]
}
