//! The words of the language with what they do, declared once: help, completion and the tables of the language page are made
//! of this. What families and columns are is in the catalog.

use super::words;

/// A word, how it is written with what belongs to it, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub word: &'static str,
    pub usage: &'static str,
    pub doc: &'static str,
}

const fn entry(word: &'static str, usage: &'static str, doc: &'static str) -> Entry {
    Entry { word, usage, doc }
}

/// What a query is made of, in canonical order; `from` stands before the family.
pub static CLAUSES: &[Entry] = &[
    entry("from", "from 'FILE' FAMILY …", "asks a recording, not the running system"),
    entry("where", "where CONDITION", "keeps the rows of which the condition holds"),
    entry("by", "by COLUMN, …", "one group for each combination of values"),
    entry("having", "having CONDITION", "keeps groups, by their keys and stats"),
    entry("sort", "sort COLUMN [asc|desc], …", "the order, descending unless asc follows"),
    entry("top", "top N", "keeps the first N groups"),
    entry("first", "first N", "ends a query of events when N rows are there"),
    entry("around", "around TIME DURATION", "looks at a part of a recording"),
    entry("every", "every DURATION", "one group of rows for each interval, printed as they come"),
    entry("for", "for DURATION", "ends the window; without it Ctrl-C does"),
    entry("save", "save 'FILE'", "also writes the result to a file, by its ending"),
];

/// What a recording is made of besides `where` and `for`.
pub static RECORD_CLAUSES: &[Entry] = &[
    entry("where", "where CONDITION", "records the events of these tasks only"),
    entry("for", "for DURATION", "ends the recording; without it Ctrl-C does"),
    entry("to", "to 'FILE.parquet'", "where the recording goes"),
];

/// A stat, and the column of the result that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatEntry {
    pub word: &'static str,
    pub usage: &'static str,
    pub doc: &'static str,
    /// With the measure `latency`; empty where it has none.
    pub column: &'static str,
    /// Whether it is of the measure, and so nothing for a family that only counts.
    pub of_measure: bool,
}

const fn stat(
    word: &'static str,
    usage: &'static str,
    doc: &'static str,
    column: &'static str,
    of_measure: bool,
) -> StatEntry {
    StatEntry { word, usage, doc, column, of_measure }
}

pub static STATS: &[StatEntry] = &[
    stat("count", "count", "how many rows", "count", false),
    stat("sum", "sum", "the measure, added up", "latency_sum_ns", true),
    stat("avg", "avg", "its mean", "latency_avg_ns", true),
    stat("min", "min", "the least", "latency_min_ns", true),
    stat("max", "max", "the greatest", "latency_max_ns", true),
    stat("p50", "p50", "the median", "latency_p50_ns", true),
    stat("p90", "p90", "90 % are at most this", "latency_p90_ns", true),
    stat("p99", "p99", "99 % are at most this", "latency_p99_ns", true),
    stat("p99.9", "p99.9", "99.9 % are at most this; any other percentile too", "latency_p99_9_ns", true),
    stat("max_at", "max_at", "when the row of max ended", "latency_max_at", true),
    stat("hist", "hist", "the distribution in powers of two; hist(linear, LO, HI, STEP): in equal steps", "", true),
    stat("rate", "rate", "rows per second of the window's (interval's) true length", "rate", false),
    stat("pct", "pct", "the group's part of all rows, before having and top", "pct", false),
    stat("uniq", "uniq(COLUMN)", "how many different values", "uniq_COLUMN", false),
    stat("events", "events(COLUMN, …)", "the rows themselves; without columns the family's short list", "", false),
];

/// What can be asked of a row.
pub static CONDITIONS: &[Entry] = &[
    entry("=", "COLUMN = VALUE", "equal; != is not equal"),
    entry("<", "COLUMN < VALUE", "less, also <= > >=: for numbers, durations and times"),
    entry("~", "COLUMN ~ 'GLOB*'", "the glob matches the whole text: * is any bytes, ? is one"),
    entry("in", "COLUMN in (…)", "one of a list, or of a CPU list: cpu in 0-3,6"),
    entry("is", "COLUMN is missing", "the row does not have it"),
    entry("under", "cgroup under '/a/b'", "that cgroup or one below it"),
    entry("child", "child", "the command after -- or a descendant of it"),
    entry("not", "not CONDITION", "holds when the other does not; binds closest"),
    entry("and", "A and B", "both hold"),
    entry("or", "A or B", "one of them holds"),
];

/// Statements that are no query, in the order of the language page. Those of which the language does not know the word yet
/// are left out of everything: see [`statements`].
static ALL_STATEMENTS: &[Entry] = &[
    entry("NAME", "NAME = QUERY", "keeps a result under a name"),
    entry("show", "show NAME [as STYLE]", "prints a result, all of it"),
    entry("save", "save NAME to 'FILE'", "writes a result to a file, by its ending"),
    entry("sql", "sql SELECT …", "asks the named results with SQL"),
    entry("compare", "compare A B", "what differs between two results, and whether noise explains it"),
    entry("assert", "assert NAME.COLUMN < VALUE else 'TEXT'", "fails when a row of a result does not hold it"),
    entry("for", "for D { … }", "several queries in one window"),
    entry("record", "record SET for D to 'FILE.parquet'", "writes raw events, to be asked later"),
    entry("explain", "explain QUERY", "how it would run: programs, what the kernel decides, memory"),
    entry("verify", "verify QUERY", "runs it and sets it beside the kernel's own counters"),
    entry("param", "param NAME = VALUE", "declares $NAME, and what it is unless somebody says otherwise"),
    entry("run", "run 'FILE' NAME=VALUE …", "runs a saved query"),
    entry("env", "env", "this machine, and what can run on it"),
];

/// The statements that this version has.
pub fn statements() -> impl Iterator<Item = &'static Entry> {
    ALL_STATEMENTS.iter().filter(|entry| entry.word == "NAME" || words::STATEMENTS.contains(&entry.word))
}

/// What only the prompt understands.
pub static PROMPT: &[Entry] = &[
    entry("help", "help [TOPIC]", "this, or more of one thing"),
    entry("list", "list [families|queries|frames]", "what there is to ask, saved queries, kept results"),
    entry("describe", "describe FAMILY|FILE", "a family's columns, or what a recording holds"),
    entry("quit", "quit", "leaves; Ctrl-D does too"),
];

/// How values are written.
pub static VALUES: &[Entry] = &[
    entry("number", "5 1_000 -5 12.5 90%", "fractions and percentages are for rate and pct in having"),
    entry("duration", "10ns 5us 1.5ms 5s 2m 1h", "one unit, lower case"),
    entry("text", "'nginx' \"nginx\"", "escapes: \\\\ \\' \\\" \\n \\t \\r \\0 \\xNN"),
    entry("CPU list", "0-3,6", "after in, without brackets"),
    entry("list", "(1, 2, 3)", "after in"),
    entry("parameter", "$pid", "a value that is declared with param"),
];

/// Points in time, after `around`.
pub static TIMES: &[Entry] = &[
    entry("clock", "'14:03:21.5' '2026-12-01 14:03:21'", "the clock on the wall, local unless a zone follows"),
    entry("number", "123456789", "nanoseconds of CLOCK_MONOTONIC"),
    entry("frame", "NAME.COLUMN", "that column of the first row of a result"),
    entry("worst", "worst(QUERY)", "when the row with the greatest measure ended"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_language_says_what_it_does() {
        let has = |entries: &[Entry], word: &str| entries.iter().any(|entry| entry.word == word);
        for word in words::CLAUSES {
            assert!(has(CLAUSES, word), "{word}");
        }
        for word in words::RECORD_CLAUSES {
            assert!(has(RECORD_CLAUSES, word), "{word}");
        }
        for word in words::STATEMENTS {
            assert!(has(ALL_STATEMENTS, word), "{word}");
        }
        for word in words::PROMPT_ONLY {
            assert!(has(PROMPT, word), "{word}");
        }
        for word in words::STATS {
            assert!(STATS.iter().any(|stat| stat.word == *word), "{word}");
        }
    }

    #[test]
    fn what_is_not_in_the_language_is_not_offered() {
        for entry in statements().filter(|entry| entry.word != "NAME") {
            assert!(words::STATEMENTS.contains(&entry.word), "{}", entry.word);
        }
        assert!(!words::STATEMENTS.contains(&"verify") || statements().any(|entry| entry.word == "verify"));
    }
}
