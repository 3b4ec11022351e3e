//! Words for names that are not there, or not where they can be used.

use crate::catalog::{self, Column, Family};
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::lang::ast::Word;
use crate::plan::words::{list, nearest};

pub(super) fn unknown_family(name: &Word, saved: bool, saved_names: &[String], source: &Source) -> Diagnostic {
    let given = &name.node;
    if saved {
        return Diagnostic::new("saved-query", Exit::Wrong, format!("{given} is a saved query, not a family"))
            .at(source, name.span, "saved query")
            .help(format!("run it: schedq run {given}"));
    }
    let families = || catalog::FAMILIES.iter().map(|family| family.name);
    let d = Diagnostic::new("unknown-family", Exit::Wrong, format!("there is no family {given}"))
        .at(source, name.span, "unknown");
    let d = match nearest(given, families()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => match nearest(given, saved_names.iter().map(String::as_str)) {
            Some(near) => d.help(format!("did you mean the saved query {near}? schedq run {near}")),
            None => d,
        },
    };
    d.help(format!("families: {}", list(families())))
}

pub(super) fn unknown_measure(family: &Family, name: &Word, source: &Source) -> Diagnostic {
    let given = &name.node;
    let place = |title: String, label: &str| {
        Diagnostic::new("unknown-measure", Exit::Wrong, title).at(source, name.span, label)
    };
    if family.measures.is_empty() {
        let d = place(format!("{} has no measure {given}: it only counts", family.name), "not a measure");
        return match family.column(given) {
            Some(_) => d.help(format!("{given} is a column: `{} count by {given}`", family.name)),
            None => d.help(format!("leave it out: `{} count`", family.name)),
        };
    }
    let measures = || family.measures.iter().copied();
    match family.column(given) {
        Some(_) => place(format!("{given} is a column of {}, not a measure", family.name), "not a measure")
            .help(format!("group by it: `{} {} by {given}`", family.name, family.measures[0])),
        None => {
            let d = place(format!("{} has no measure {given}", family.name), "unknown");
            match nearest(given, measures()) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            }
        }
    }
    .help(format!("{} measures: {}", family.name, list(measures())))
}

pub(super) fn unknown_column(family: &Family, name: &Word, source: &Source) -> Diagnostic {
    let given = &name.node;
    let mut d = Diagnostic::new("unknown-column", Exit::Wrong, format!("{} has no column {given}", family.name))
        .at(source, name.span, "unknown");
    if let Some(near) = nearest(given, family.columns().map(|c| c.name)) {
        d = d.help(format!("did you mean `{near}`?"));
    }
    let others: Vec<_> = owners(given).collect();
    if !others.is_empty() {
        d = d.help(format!("{given} is a column of {}", list(others)));
    }
    d.help(format!("{} has: {}", family.name, list(family.columns().map(|c| c.name))))
}

/// The families that have a column of that name for themselves.
pub(super) fn owners(column: &str) -> impl Iterator<Item = &'static str> {
    catalog::FAMILIES.iter().filter(move |f| f.own.iter().any(|c| c.name == column)).map(|f| f.name)
}

pub(super) fn no_measure(family: &Family, stat: &str, span: Span, source: &Source) -> Diagnostic {
    Diagnostic::new(
        "no-measure",
        Exit::Wrong,
        format!("{} only counts, so there is nothing of which {stat} could be", family.name),
    )
    .at(source, span, "needs a measure")
    .help(format!("{} has: count, rate, pct, uniq(COLUMN), events", family.name))
}

pub(super) fn key_too_fine(column: &Column, measure: bool, span: Span, source: &Source) -> Diagnostic {
    let d = Diagnostic::new(
        "key-too-fine",
        Exit::Wrong,
        format!("{} differs on nearly every row, so each would be a group", column.name),
    )
    .at(source, span, if measure { "a measure" } else { "too many values" });
    if measure {
        d.help("for its distribution use `hist`, for the rows themselves `events`")
    } else {
        d.help("for pieces of time use `every 1s`, for the rows themselves `events`")
    }
}

pub(super) fn not_in_result(
    name: &Word,
    stats: &[String],
    keys: &[&str],
    measure: Option<&str>,
    exists: bool,
    source: &Source,
) -> Diagnostic {
    let given = &name.node;
    let columns: Vec<&str> = keys.iter().copied().chain(stats.iter().map(String::as_str)).collect();
    let mut d = Diagnostic::new("not-in-result", Exit::Wrong, format!("the result has no column {given}")).at(
        source,
        name.span,
        "not in the result",
    );
    let asked = list(stats.iter().map(String::as_str));
    if measure == Some(given) {
        d = d.help(format!("say which figure of {given}: {asked}"));
    } else if is_stat_word(given) {
        d = d.help(format!("ask for it too: `{asked}, {given}`"));
    } else if let Some(near) = nearest(given, columns.iter().copied()) {
        d = d.help(format!("did you mean `{near}`?"));
    } else if exists {
        d = d.help(format!("{given} is a column of the rows: choose them by `where`, or group `by {given}`"));
    }
    d.help(format!("it has: {}", list(columns)))
}

fn is_stat_word(word: &str) -> bool {
    matches!(word, "count" | "sum" | "avg" | "min" | "max" | "hist" | "rate" | "pct" | "max_at")
        || word.strip_prefix('p').is_some_and(|q| q.parse::<f64>().is_ok())
}
