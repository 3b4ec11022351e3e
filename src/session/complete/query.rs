//! What can stand inside of a query: clauses, stats, columns of its result.

use super::condition::{self, Next};
use super::position::{CHILD, RECORDINGS, RESULTS, Want, some, word, words};
use crate::catalog::{self, Cardinality, Column, Family, task};
use crate::lang::reference;
use crate::lang::tokens::{Kind, Token};
use crate::lang::words as language;
use crate::plan::check::canonical_column;

/// A query up to the cursor, taken apart into its clauses.
#[derive(Default)]
struct Parts<'t, 's> {
    /// The word that began the last clause; `None` before the first, `count` and the like for stats.
    last: Option<String>,
    /// What stands behind that word, or for stats with it.
    behind: &'t [Token<'s>],
    used: Vec<String>,
    stats: Vec<String>,
    keys: Vec<&'static Column>,
    /// The question is to a recording.
    recorded: bool,
}

impl Parts<'_, '_> {
    /// What can stand in `where` and be a key. At a prompt there is no command of which a task could be a child; a recording
    /// may have been made with one.
    fn columns(&self, family: &'static Family) -> Vec<&'static Column> {
        let all = family.own.iter().chain(task::COLUMNS);
        all.filter(|column| self.recorded || column.name != CHILD).collect()
    }
}

/// Behind these tokens of a query.
pub(super) fn query(tokens: &[Token]) -> Vec<Want> {
    let Some(first) = tokens.first() else {
        return vec![Want::Families, some(reference::CLAUSES, &["from"])];
    };
    if first.is_word("from") {
        return match tokens.len() {
            1 => vec![Want::Files(RECORDINGS)],
            2 => vec![Want::Families],
            _ => of_family(&tokens[2..], true),
        };
    }
    of_family(tokens, false)
}

/// Behind the family, which is the first token.
fn of_family(tokens: &[Token], recorded: bool) -> Vec<Want> {
    let Some(family) = catalog::family(&tokens[0].lower()) else { return Vec::new() };
    let rest = &tokens[1..];
    let measured = rest.first().is_some_and(|token| family.measure(&token.lower()).is_some());
    let rest = if measured { &rest[1..] } else { rest };
    let parts = Parts { recorded, ..parts(family, rest) };
    let mut wants = Vec::new();
    let complete = match parts.last.as_deref() {
        None => {
            if !measured {
                let measures = family.columns().filter(|column| family.measures.contains(&column.name));
                wants.push(Want::Columns(measures.collect()));
            }
            true
        }
        Some(clause) => within(clause, family, &parts, &mut wants),
    };
    if complete {
        let stats_due = parts.stats.is_empty();
        if stats_due {
            wants.push(stats(family));
        }
        // A recording has its own length; the running system has no time to look around.
        let due = |word: &str| match word {
            "from" => false,
            "for" => !recorded,
            "around" => recorded,
            _ => true,
        };
        let fits = |word: &str| due(word) && !parts.used.iter().any(|used| used == word);
        wants.push(words(&reference::CLAUSES.iter().filter(|entry| fits(entry.word)).copied().collect::<Vec<_>>()));
    }
    wants
}

/// What can stand inside of the last clause; whether the clause can also end here.
fn within(clause: &str, family: &'static Family, parts: &Parts, wants: &mut Vec<Want>) -> bool {
    let behind = parts.behind;
    let last = behind.last();
    let open = last.is_none_or(|last| last.is(","));
    let all = parts.columns(family);
    match clause {
        "where" => {
            let (found, complete) = condition::wants(behind, &all);
            wants.extend(found);
            complete
        }
        "by" if open => {
            let is_key =
                |column: &&'static Column| column.few != Cardinality::Many && !family.measures.contains(&column.name);
            wants.push(Want::Columns(all.into_iter().filter(is_key).collect()));
            false
        }
        "having" => match condition::next(behind) {
            Next::Column => {
                wants.push(result_columns(family, parts));
                wants.push(some(reference::CONDITIONS, &["not"]));
                false
            }
            Next::Operator(_) => {
                wants.push(some(reference::CONDITIONS, &["=", "<", "is"]));
                false
            }
            Next::Value(_) => {
                wants.push(Want::Durations);
                false
            }
            Next::Word(word) => {
                wants.push(self::word(word, ""));
                false
            }
            Next::Nothing => false,
            Next::More => {
                wants.push(some(reference::CONDITIONS, &["and", "or"]));
                true
            }
        },
        "sort" if open => {
            wants.push(result_columns(family, parts));
            false
        }
        "sort" => {
            let directed = last.is_some_and(|last| last.is_any_word(&["asc", "desc"]));
            if !directed {
                wants.push(Want::Words(vec![
                    ("asc".into(), "the least first".into()),
                    ("desc".into(), "the greatest first".into()),
                ]));
            }
            true
        }
        "every" | "for" if behind.is_empty() => {
            wants.push(Want::Durations);
            false
        }
        "save" if behind.is_empty() => {
            wants.push(Want::Files(RESULTS));
            false
        }
        "around" => around(behind, wants),
        "top" | "first" => !behind.is_empty(),
        "stats" => in_stats(family, behind, wants),
        _ => true,
    }
}

fn around(behind: &[Token], wants: &mut Vec<Want>) -> bool {
    if let [worst, open, inner @ ..] = behind
        && worst.is_word("worst")
        && open.is("(")
        && condition::depth(behind) > 0
    {
        wants.extend(query(inner));
        return false;
    }
    match behind {
        [] => {
            wants.push(word("worst(", "when the row with the greatest measure ended"));
            wants.push(Want::FrameColumns { times: true });
            false
        }
        [worst] if worst.is_word("worst") => {
            wants.push(word("(", "a query"));
            false
        }
        [.., last] if last.is(")") || behind.len() == 1 => {
            wants.push(Want::Durations);
            false
        }
        _ => true,
    }
}

fn in_stats(family: &'static Family, behind: &[Token], wants: &mut Vec<Want>) -> bool {
    let open = behind.iter().rposition(|token| token.is("("));
    if condition::depth(behind) > 0
        && let Some(before) = open.and_then(|open| behind.get(open.wrapping_sub(1)))
    {
        let last_opens = behind.last().is_some_and(|last| last.is("(") || last.is(","));
        if before.is_any_word(&["uniq", "events"]) && last_opens {
            wants.push(Want::Columns(family.own.iter().chain(task::COLUMNS).collect()));
        } else if before.is_word("hist") && last_opens {
            let linear = behind.last().is_some_and(|last| last.is("("));
            wants.push(if linear { word("linear", "equal steps: linear, LO, HI, STEP") } else { Want::Durations });
        }
        return false;
    }
    if behind.last().is_some_and(|last| last.is(",")) {
        wants.push(stats(family));
        return false;
    }
    true
}

fn stats(family: &Family) -> Want {
    let fits = |entry: &&reference::StatEntry| !entry.of_measure || !family.measures.is_empty();
    let words = reference::STATS.iter().filter(fits).map(|entry| (entry.word.to_owned(), entry.doc.to_owned()));
    Want::Words(words.collect())
}

/// The keys and stats of the result, or the columns of its rows.
fn result_columns(family: &'static Family, parts: &Parts) -> Want {
    if parts.stats.iter().any(|stat| stat == "events") {
        return Want::Columns(family.own.iter().chain(task::COLUMNS).collect());
    }
    let keys = parts.keys.iter().map(|column| (column.name.to_owned(), column.doc.to_owned()));
    let doc = |word: &str| reference::STATS.iter().find(|entry| entry.word == word).map_or("", |entry| entry.doc);
    let stats = parts.stats.iter().map(|stat| (stat.clone(), doc(stat).to_owned()));
    let default = (parts.stats.is_empty() && family.measures.is_empty()).then(|| ("count".into(), doc("count").into()));
    Want::Words(keys.chain(stats).chain(default).collect())
}

fn parts<'t, 's>(family: &'static Family, rest: &'t [Token<'s>]) -> Parts<'t, 's> {
    let mut parts = Parts::default();
    let (mut depth, mut start) = (0i32, 0);
    for (at, token) in rest.iter().enumerate() {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        let lower = token.lower();
        let clause = parts.last.clone();
        let so_far = &rest[start..at];
        if depth == 0 && token.kind == Kind::Word && language::CLAUSES.contains(&lower.as_str()) {
            parts.used.push(lower.clone());
            parts.last = Some(lower);
            start = at + 1;
        } else if depth == 0 && token.kind == Kind::Word && language::is_stat(&lower) {
            if clause.as_deref() != Some("stats") && ends_here(clause.as_deref(), so_far) {
                parts.last = Some("stats".into());
                start = at;
            }
            if parts.last.as_deref() == Some("stats") {
                parts.stats.push(lower);
            }
        } else if clause.as_deref() == Some("by")
            && let Some(column) = family.column(canonical_column(&lower))
        {
            parts.keys.push(column);
        }
    }
    parts.behind = &rest[start..];
    parts
}

/// Whether a clause is whole, so that a stat behind it is one of the query.
fn ends_here(clause: Option<&str>, behind: &[Token]) -> bool {
    match clause {
        None => true,
        Some("where" | "having") => condition::next(behind) == Next::More,
        Some(_) => behind.last().is_some_and(|last| !last.is(",")),
    }
}
