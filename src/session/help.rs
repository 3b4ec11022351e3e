//! Help at a prompt, from the same declarations as the language page: the words of the language and the catalog.

use super::saved;
use crate::catalog::{self, Family, Kind, task};
use crate::diagnostic::{Diagnostic, Exit};
use crate::lang::reference::{self, Entry};
use crate::lang::words;
use crate::name;
use crate::nearest::nearest;
use crate::plan::check::canonical_column;
use crate::plan::describe;

/// What help can be had of, besides single words.
const TOPICS: &[(&str, &str)] = &[
    ("query", "the clauses of a question, in their order"),
    ("conditions", "what can stand behind where"),
    ("stats", "what can be computed of rows"),
    ("time", "windows, intervals, points in time"),
    ("values", "how numbers, durations and texts are written"),
    ("statements", "everything that is no question"),
    ("families", "what can be asked"),
    ("columns", "what every row has"),
    ("keys", "the keys of this prompt"),
];

const LISTS: &[(&str, &str)] = &[
    ("families", "what can be asked"),
    ("queries", "saved queries: built in, and your own"),
    ("frames", "the results that are kept"),
];

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(word, about)| ((*word).to_owned(), (*about).to_owned())).collect()
}

/// The topics, and the families.
pub fn topics() -> Vec<(String, String)> {
    let mut topics = owned(TOPICS);
    topics.extend(catalog::FAMILIES.iter().map(|family| (family.name.to_owned(), family.doc.to_owned())));
    topics
}

/// What stands behind `list`.
pub fn lists() -> Vec<(String, String)> {
    owned(LISTS)
}

/// Help in general, or of a topic or a word. `keys` are those of whoever asks: what is pressed, and what it does.
///
/// # Errors
/// When there is no such topic.
pub fn help(topic: Option<&str>, keys: &[(&str, &str)]) -> Result<String, Diagnostic> {
    let Some(topic) = topic else { return Ok(overview()) };
    let topic = topic.to_lowercase();
    let text = match topic.as_str() {
        "query" | "queries" | "question" => clauses(),
        "conditions" | "condition" | "predicates" => section("Conditions", entries(reference::CONDITIONS)),
        "stats" | "stat" => section("Stats", stats()),
        "time" | "times" => time(),
        "values" | "value" => section("Values", entries(reference::VALUES)),
        "statements" | "statement" => statements(),
        "families" | "family" => format!("Families (describe NAME says more)\n{}", describe::list_families()),
        "columns" | "column" => section("Columns of every family", columns(None)),
        "keys" | "key" | "shell" => section("Keys", keys.iter().map(pair).collect()),
        word => return of_word(word),
    };
    Ok(text)
}

fn pair(pair: &(&str, &str)) -> (String, String) {
    (pair.0.to_owned(), pair.1.to_owned())
}

fn entries(entries: &[Entry]) -> Vec<(String, String)> {
    entries.iter().map(|entry| (entry.usage.to_owned(), entry.doc.to_owned())).collect()
}

fn overview() -> String {
    let examples: String = catalog::FAMILIES.iter().map(|family| format!("  {}\n", family.example)).collect();
    let topics = section("Topics (help TOPIC; also any word of the language, family or column)", owned(TOPICS));
    format!(
        "A question: FAMILY [MEASURE] where … STATS by … having … sort … top N every D for D\n{examples}\n{}\n{topics}",
        section("Here", entries(reference::PROMPT))
    )
}

fn clauses() -> String {
    let order = "[from 'FILE'] FAMILY [MEASURE] [where …] [STAT, …] [by …] [having …] [sort …] [top N] [every D] [for D] [save 'FILE']";
    format!("{order}\n\n{}", section("Clauses, in any order", entries(reference::CLAUSES)))
}

fn stats() -> Vec<(String, String)> {
    reference::STATS.iter().map(|stat| (stat.usage.to_owned(), stat.doc.to_owned())).collect()
}

fn time() -> String {
    let some = |words: &[&str]| {
        let wanted = reference::CLAUSES.iter().filter(|entry| words.contains(&entry.word)).copied();
        entries(&wanted.collect::<Vec<_>>())
    };
    format!(
        "{}\n{}",
        section("Windows and intervals", some(&["for", "every", "around"])),
        section("A point in time, after around", entries(reference::TIMES))
    )
}

fn statements() -> String {
    let all: Vec<Entry> = reference::statements().copied().collect();
    format!("{}\n{}", section("Statements", entries(&all)), section("At the prompt", entries(reference::PROMPT)))
}

fn columns(family: Option<&Family>) -> Vec<(String, String)> {
    let own = family.map_or(&[][..], |family| family.own);
    own.iter().chain(task::COLUMNS).map(|column| (column.name.to_owned(), column.doc.to_owned())).collect()
}

fn of_word(word: &str) -> Result<String, Diagnostic> {
    let mut text = String::new();
    let all: Vec<Entry> = reference::statements().copied().collect();
    let groups = [reference::CLAUSES, reference::RECORD_CLAUSES, reference::CONDITIONS, &all, reference::PROMPT];
    let mut found: Vec<(String, String)> = Vec::new();
    for entry in groups.into_iter().flatten().filter(|entry| entry.word == word) {
        found.push((entry.usage.to_owned(), entry.doc.to_owned()));
    }
    let percentile = words::is_stat(word) && !reference::STATS.iter().any(|stat| stat.word == word);
    for stat in reference::STATS.iter().filter(|stat| stat.word == word || percentile && stat.word == "p99") {
        let about = if percentile { "a percentile of the measure" } else { stat.doc };
        found.push((if percentile { word.to_owned() } else { stat.usage.to_owned() }, about.to_owned()));
        if !stat.column.is_empty() {
            let column =
                if percentile { stat.column.replace("p99", &word.replace('.', "_")) } else { stat.column.into() };
            found.push(("  its column".into(), column));
        }
    }
    text.push_str(&rows(&found));
    if let Some(family) = catalog::family(word) {
        text.push_str(&describe::describe_family(family));
    }
    text.push_str(&rows(&of_column(canonical_column(word))));
    if text.is_empty() { Err(unknown(word)) } else { Ok(text) }
}

/// What a column is, once for each different thing that it is.
fn of_column(name: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for family in catalog::FAMILIES {
        let Some(column) = family.column(name) else { continue };
        let everywhere = task::COLUMNS.iter().any(|known| known.name == name);
        let whose = if everywhere { name.to_owned() } else { format!("{name} of {}", family.name) };
        let words = match column.kind {
            Kind::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                format!(": one of {}", words.join(", "))
            }
            kind => format!(" ({})", kind.noun()),
        };
        let row = (whose, format!("{}{words}", column.doc));
        if !found.contains(&row) {
            found.push(row);
        }
    }
    found
}

fn unknown(word: &str) -> Diagnostic {
    let shown = name::escape(word.as_bytes());
    let mut known: Vec<String> = topics().into_iter().map(|(word, _)| word).collect();
    known.extend(reference::CLAUSES.iter().map(|entry| entry.word.to_owned()));
    known.extend(reference::STATS.iter().map(|entry| entry.word.to_owned()));
    known.extend(reference::statements().map(|entry| entry.word.to_owned()));
    known.extend(catalog::FAMILIES.iter().flat_map(|family| family.columns()).map(|column| column.name.to_owned()));
    let mut problem = Diagnostic::new("unknown-topic", Exit::Wrong, format!("there is no help on {shown:?}"));
    if let Some(near) = nearest(word, known.iter().map(String::as_str)) {
        problem = problem.help(format!("did you mean {near}?"));
    }
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.0).collect();
    problem.help(format!("topics are {}, and every word of the language", topics.join(", ")))
}

fn section(title: &str, rows_of: Vec<(String, String)>) -> String {
    format!("{title}\n{}", rows(&rows_of))
}

/// Two columns, the second at the same place in every line unless the first is long.
fn rows(pairs: &[(String, String)]) -> String {
    const WIDEST: usize = 34;
    let width = pairs.iter().map(|pair| pair.0.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let mut text = String::new();
    for (left, right) in pairs {
        let line = format!("  {left:width$}  {right}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `list WHAT`, without the results of a session.
///
/// # Errors
/// When there is nothing of that name to list.
pub fn list(what: &str) -> Result<String, Diagnostic> {
    match what.to_lowercase().as_str() {
        "families" | "family" => Ok(describe::list_families()),
        "queries" | "query" => Ok(super::texts::queries()),
        other => {
            let mut problem = Diagnostic::new(
                "unknown-list",
                Exit::Wrong,
                format!("there is no list of {:?}", name::escape(other.as_bytes())),
            );
            if let Some(near) = nearest(other, LISTS.iter().map(|list| list.0)) {
                problem = problem.help(format!("did you mean {near}?"));
            }
            Err(problem.help("list families, list queries, list frames"))
        }
    }
}

/// The name of a thing that can be described but is not one: the nearest that is.
pub fn nearest_description<'a>(word: &str, frames: impl Iterator<Item = &'a str>) -> Option<String> {
    let families = catalog::FAMILIES.iter().map(|family| family.name);
    let known: Vec<String> =
        families.chain(frames).map(str::to_owned).chain(saved::built_in().map(|q| q.0.to_owned())).collect();
    nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[(&str, &str)] = &[("Tab", "completes")];

    fn of(topic: &str) -> String {
        help(Some(topic), KEYS).unwrap_or_else(|problem| panic!("{topic}: {problem}"))
    }

    #[test]
    fn every_topic_and_word_has_its_help() {
        for (topic, _) in topics() {
            assert!(of(&topic).lines().count() >= 2, "{topic}");
        }
        for word in words::CLAUSES.iter().chain(words::STATS).chain(words::STATEMENTS).chain(words::PROMPT_ONLY) {
            assert!(of(word).contains(word), "{word}");
        }
        for column in catalog::FAMILIES.iter().flat_map(|family| family.columns()) {
            assert!(of(column.name).contains(column.doc), "{}", column.name);
        }
        assert!(of("keys").contains("Tab  completes"));
    }

    #[test]
    fn percentiles_and_other_names_are_known() {
        assert!(of("p99.9").contains("latency_p99_9_ns"));
        assert!(of("p42").contains("latency_p42_ns"), "{}", of("p42"));
        assert_eq!(of("pid"), of("tgid"));
        assert_eq!(of("WHERE"), of("where"));
    }

    #[test]
    fn a_wrong_topic_is_answered_with_the_right_one() {
        let problem = help(Some("condtions"), KEYS).unwrap_err();
        assert_eq!(problem.help[0], "did you mean conditions?");
        let problem = list("familes").unwrap_err();
        assert_eq!(problem.help[0], "did you mean families?");
    }
}
