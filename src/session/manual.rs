//! The language for the manual: the same declarations that help, completion and the language page read, as parts that
//! somebody else sets in type.

use super::{saved, texts};
use crate::catalog::{self, Column, Family, Kind, LossKind, event, replay, task};
use crate::lang::reference::{self, Entry};
use crate::lang::words;

/// A chapter of the manual.
#[derive(Debug, PartialEq, Eq)]
pub struct Chapter {
    pub title: &'static str,
    pub parts: Vec<Part>,
}

/// What a chapter is made of, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Heading(String),
    Text(String),
    /// As it is typed.
    Code(String),
    /// A term, and what it is.
    Terms(Vec<(String, String)>),
}

/// All that can be said, and all that can be asked.
pub fn chapters() -> Vec<Chapter> {
    vec![
        Chapter { title: "LANGUAGE", parts: language() },
        Chapter { title: "FAMILIES", parts: families() },
        Chapter { title: "RECORDINGS", parts: recordings() },
        Chapter { title: "LOSSES", parts: losses() },
        Chapter { title: "SAVED QUERIES", parts: saved_queries() },
    ]
}

fn language() -> Vec<Part> {
    let heading = |title: &str| Part::Heading(title.to_owned());
    let statements: Vec<Entry> = reference::statements().copied().collect();
    let stats = reference::STATS.iter().map(|stat| {
        let column = if stat.column.is_empty() { String::new() } else { format!(" (column {})", stat.column) };
        (stat.usage.to_owned(), format!("{}{column}", stat.doc))
    });
    vec![
        Part::Text(
            "A question names a family, a measure of it, and clauses in any order; only the family is needed. One row of a \
             family is one thing that happened."
                .to_owned(),
        ),
        Part::Code(texts::examples().collect::<Vec<_>>().join("\n")),
        heading("Clauses"),
        entries(reference::CLAUSES),
        heading("Stats"),
        Part::Terms(stats.collect()),
        heading("Conditions"),
        entries(reference::CONDITIONS),
        heading("Values"),
        entries(reference::VALUES),
        heading("Points in time, after around"),
        entries(reference::TIMES),
        heading("Statements"),
        entries(&statements),
        Part::Text(format!("The styles of show are {}.", words::STYLES.join(", "))),
        heading("At the prompt"),
        entries(reference::PROMPT),
    ]
}

fn entries(entries: &[Entry]) -> Part {
    Part::Terms(entries.iter().map(|entry| (entry.usage.to_owned(), entry.doc.to_owned())).collect())
}

fn families() -> Vec<Part> {
    let mut parts = vec![Part::Heading("Columns of every family".to_owned()), columns(task::COLUMNS.iter())];
    catalog::FAMILIES.iter().for_each(|family| parts.extend(of_family(family)));
    parts
}

fn of_family(family: &Family) -> [Part; 5] {
    let measures = match family.measures {
        [] => "It has no measure: it counts.".to_owned(),
        [only] => format!("Its measure is {only}."),
        [first, ..] => format!("Its measures are {}; {first} when none is named.", family.measures.join(", ")),
    };
    [
        Part::Heading(family.name.to_owned()),
        Part::Text(format!("One row: {}. {}", family.doc, family.detail)),
        Part::Text(format!("{measures} events shows {}.", family.short_list.join(", "))),
        Part::Code(family.example.to_owned()),
        columns(family.own.iter()),
    ]
}

fn columns<'a>(columns: impl Iterator<Item = &'a Column>) -> Part {
    let term = |column: &'a Column| {
        let holds = match column.kind {
            Kind::Duration | Kind::Time => format!("{}, ns", column.kind.noun()),
            Kind::Word(words) => words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" "),
            kind => kind.noun().to_owned(),
        };
        let missing = if column.nullable { "; can be missing" } else { "" };
        (format!("{} ({holds})", column.name), format!("{}{missing}. From {}.", column.doc, column.from))
    };
    Part::Terms(columns.map(term).collect())
}

fn recordings() -> Vec<Part> {
    let mut parts = Vec::new();
    for set in catalog::EVENT_SETS {
        parts.push(Part::Heading(set.name.to_owned()));
        parts.push(Part::Text(format!("{} {}", sentence(set.doc), set.detail)));
        parts.push(Part::Code(set.example.to_owned()));
    }
    let asked = catalog::FAMILIES.iter().filter(|family| family.replay.is_some()).map(|family| family.name);
    parts.extend([
        Part::Heading("Clauses of record".to_owned()),
        entries(reference::RECORD_CLAUSES),
        Part::Heading("Events".to_owned()),
        Part::Terms(event::Kind::ALL.iter().map(|kind| (kind.word().to_owned(), kind.doc().to_owned())).collect()),
        Part::Text(format!("These families can be asked of a recording: {}.", asked.collect::<Vec<_>>().join(", "))),
    ]);
    parts
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn losses() -> Vec<Part> {
    let mut all: Vec<&LossKind> =
        catalog::SHARED_LOSSES.iter().chain([&catalog::ROWS_MEMORY, &catalog::RECURSION]).collect();
    for loss in catalog::FAMILIES.iter().flat_map(|family| family.losses).chain(replay::LOSSES) {
        if !all.contains(&loss) {
            all.push(loss);
        }
    }
    let term = |loss: &&LossKind| {
        let kind = if loss.is_loss { "" } else { " (no loss, only stated)" };
        (loss.label.to_owned(), format!("{}{kind}", loss.doc))
    };
    vec![
        Part::Text("Under every result stands what it may lack, each by its cause.".to_owned()),
        Part::Terms(all.iter().map(term).collect()),
    ]
}

fn saved_queries() -> Vec<Part> {
    let built_in = saved::built_in().map(|(name, text)| (name.to_owned(), saved::headline(text).to_owned()));
    vec![
        Part::Text("These are built in; schedq run NAME runs one, and takes your own of that name first.".to_owned()),
        Part::Terms(built_in.collect()),
    ]
}
