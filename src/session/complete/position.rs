//! What can stand at a place, by the tokens of the statement before it.

use super::condition;
use super::query::query;
use crate::catalog::{self, Column, task};
use crate::lang::cursor::Before;
use crate::lang::reference::{self, Entry};
use crate::lang::tokens::{Kind, Token};
use crate::lang::words;

/// Something that can stand at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Want {
    /// These words, each with what it is.
    Words(Vec<(String, String)>),
    Families,
    EventSets,
    Columns(Vec<&'static Column>),
    /// A value to compare a column with.
    Values(&'static Column),
    Durations,
    Frames,
    /// `FRAME.COLUMN`: columns of results, all of them or those of times.
    FrameColumns {
        times: bool,
    },
    /// Files with these endings.
    Files(&'static [&'static str]),
    Saved,
    /// Parameters of a saved query, as it was typed.
    Parameters(String),
}

/// The column that only means something beside a command.
pub(super) const CHILD: &str = "child";

/// What a result is saved as, and what a recording is.
pub(super) const RESULTS: &[&str] = &["parquet", "csv", "json", "ndjson", "arrow", "svg", "html"];
pub(super) const RECORDINGS: &[&str] = &["parquet", "partial"];

pub(super) fn words(entries: &[Entry]) -> Want {
    Want::Words(entries.iter().map(|entry| (entry.word.to_owned(), entry.doc.to_owned())).collect())
}

pub(super) fn word(word: &str, about: &str) -> Want {
    Want::Words(vec![(word.to_owned(), about.to_owned())])
}

/// Some of the entries, by their words.
pub(super) fn some(entries: &'static [Entry], wanted: &[&str]) -> Want {
    words(&entries.iter().filter(|entry| wanted.contains(&entry.word)).copied().collect::<Vec<_>>())
}

pub(super) fn wants(before: &Before<'_>) -> Vec<Want> {
    let tokens = before.tokens.as_slice();
    let Some(first) = tokens.first() else { return starters(before.in_block) };
    if tokens.get(1).is_some_and(|next| next.is("=")) && first.kind == Kind::Word {
        return match tokens.get(2) {
            Some(sql) if sql.is_word("sql") => sql_words(),
            _ => query(&tokens[2..]),
        };
    }
    let at = tokens.len();
    match first.lower().as_str() {
        "show" => match at {
            1 => vec![Want::Frames],
            2 => vec![word("as", "in another form")],
            3 => vec![Want::Words(words::STYLES.iter().map(|style| ((*style).to_owned(), String::new())).collect())],
            _ => Vec::new(),
        },
        "save" => match at {
            1 => vec![Want::Frames],
            2 => vec![word("to", "the file")],
            3 => vec![Want::Files(RESULTS)],
            _ => Vec::new(),
        },
        "explain" if at == 1 => {
            let record = reference::statements().filter(|entry| entry.word == "record").copied();
            [query(&[]), vec![words(&record.collect::<Vec<_>>())]].concat()
        }
        "explain" if tokens[1].is_word("record") => record(&tokens[1..]),
        "explain" if tokens[1].is_word("analyze") => query(&tokens[2..]),
        "explain" | "verify" => query(&tokens[1..]),
        "record" => record(tokens),
        "for" => match at {
            1 => vec![Want::Durations],
            2 => vec![word("{", "the queries that share the window")],
            _ => Vec::new(),
        },
        "run" if at == 1 => vec![Want::Saved, Want::Files(&["sq"])],
        "run" => vec![Want::Parameters(tokens[1].text.to_owned())],
        "compare" if at <= 2 => vec![Want::Frames, Want::Files(RESULTS)],
        "assert" => asserted(tokens),
        "sql" => sql_words(),
        "help" if at == 1 => vec![Want::Words(super::super::help::topics())],
        "list" if at == 1 => vec![Want::Words(super::super::help::lists())],
        "describe" if at == 1 => vec![Want::Families, Want::Files(RECORDINGS)],
        "param" if tokens.last().is_some_and(|last| last.is("=")) => {
            vec![word("any", "the comparison in which it stands holds"), Want::Durations]
        }
        "help" | "list" | "describe" | "quit" | "env" | "param" | "compare" => Vec::new(),
        _ => query(tokens),
    }
}

fn starters(in_block: bool) -> Vec<Want> {
    let statement = |entry: &&Entry| match in_block {
        true => entry.word == "record",
        false => entry.word != "NAME",
    };
    let statements: Vec<Entry> = reference::statements().filter(statement).copied().collect();
    let mut wants = vec![Want::Families, some(reference::CLAUSES, &["from"]), words(&statements)];
    if !in_block {
        wants.push(words(reference::PROMPT));
    }
    wants
}

fn sql_words() -> Vec<Want> {
    let known = ["select", "from", "where", "group by", "order by", "limit", "join", "on", "as", "and", "or", "desc"];
    let words = known.iter().map(|word| ((*word).to_owned(), "SQL".to_owned())).collect();
    vec![Want::Frames, Want::FrameColumns { times: false }, Want::Words(words)]
}

fn asserted(tokens: &[Token]) -> Vec<Want> {
    match tokens.last() {
        Some(last) if last.kind == Kind::Mark || last.is_any_word(&["assert", "and", "or", "not"]) => {
            vec![Want::FrameColumns { times: false }, Want::Durations]
        }
        _ => vec![word("else", "what is said when it fails")],
    }
}

/// `record SET, … [where …] [for …] to …`; the first token is `record`.
fn record(tokens: &[Token]) -> Vec<Want> {
    let at = tokens.iter().rposition(|token| token.is_any_word(words::RECORD_CLAUSES));
    let unused = || {
        let used = |entry: &&Entry| !tokens.iter().any(|token| token.is_word(entry.word));
        words(&reference::RECORD_CLAUSES.iter().filter(used).copied().collect::<Vec<_>>())
    };
    let Some(at) = at else {
        let open = tokens.len() == 1 || tokens.last().is_some_and(|last| last.is(","));
        return if open { vec![Want::EventSets] } else { vec![unused()] };
    };
    let behind = &tokens[at + 1..];
    match tokens[at].lower().as_str() {
        "where" => {
            let columns: Vec<&'static Column> =
                task::COLUMNS.iter().filter(|c| catalog::sched::FILTERS.contains(&c.name) && c.name != CHILD).collect();
            let (mut wants, complete) = condition::wants(behind, &columns);
            if complete {
                wants.push(unused());
            }
            wants
        }
        "for" if behind.is_empty() => vec![Want::Durations],
        "to" if behind.is_empty() => vec![Want::Files(RECORDINGS)],
        _ => vec![unused()],
    }
}
