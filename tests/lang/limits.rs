//! Hostile sources end soon, with a message, and never by a crash.

use std::time::{Duration, Instant};

use schedq::diagnostic::Source;
use schedq::lang::error::{MAX_BYTES, MAX_DEPTH, MAX_ERRORS, MAX_ITEMS, Problem};
use schedq::lang::{self, format};

/// Generous: an unoptimized build on a busy machine.
const SOON: Duration = Duration::from_secs(60);

fn problems(text: String) -> Vec<Problem> {
    let begin = Instant::now();
    let parsed = lang::parse(&Source::new("hostile", text));
    assert!(begin.elapsed() < SOON, "took {:?}", begin.elapsed());
    parsed.errors.into_iter().map(|error| error.problem).collect()
}

/// As long as a source may be, or what shows more than linear time when nothing is optimized.
const FULL: usize = if cfg!(debug_assertions) { MAX_BYTES / 32 } else { MAX_BYTES };

fn fill(before: &str, part: &str, after: &str) -> String {
    let count = (FULL - before.len() - after.len()) / part.len();
    format!("{before}{}{after}", part.repeat(count))
}

#[test]
fn a_source_has_a_largest_size() {
    assert_eq!(problems(" ".repeat(MAX_BYTES)), []);
    assert_eq!(problems(" ".repeat(MAX_BYTES + 1)), [Problem::TooLong]);
    assert!(!lang::is_incomplete(&"(".repeat(MAX_BYTES + 1)));
}

#[test]
fn nesting_is_counted_before_it_is_read() {
    for (open, close) in [("(", ")"), ("not ", ""), ("not (", ")"), ("(not not ", ")")] {
        let deep = format!("switch where {}kthread{}", open.repeat(50_000), close.repeat(50_000));
        assert_eq!(problems(deep), [Problem::TooDeep], "{open}");
    }
    assert_eq!(problems(format!("switch where {}", "(".repeat(200_000))), [Problem::TooDeep]);
    // Brackets that stand side by side, and nots of different terms, are not deep.
    let wide = format!("switch where {}", vec!["(not not (a=1))"; 1_000].join(" and "));
    assert_eq!(problems(wide), []);
}

#[test]
fn the_deepest_allowed_predicate_is_read_and_printed() {
    for part in ["not ", "(", "a=1 or not (b=2 and "] {
        let each = part.matches(['(']).count() + part.matches("not").count();
        let count = MAX_DEPTH / each;
        let text =
            format!("switch where {}kthread{}", part.repeat(count), ")".repeat(part.matches('(').count() * count));
        let parsed = lang::parse(&Source::new("deep", text));
        assert_eq!(parsed.errors, []);
        let canonical = format::script(&parsed.script);
        assert_eq!(lang::parse(&Source::new("deep", canonical)).script, parsed.script);
    }
}

#[test]
fn a_list_has_a_largest_length() {
    let list = |items: usize| format!("switch where tgid in ({})", vec!["1"; items].join(","));
    assert_eq!(problems(list(MAX_ITEMS)), []);
    assert_eq!(problems(list(MAX_ITEMS + 1)), [Problem::TooManyItems { items: MAX_ITEMS + 1 }]);
    let cpus = |items: usize| format!("switch where cpu in {}", vec!["0-1"; items].join(","));
    assert_eq!(problems(cpus(MAX_ITEMS + 1)), [Problem::TooManyItems { items: MAX_ITEMS + 1 }]);
}

#[test]
fn errors_are_reported_up_to_a_number() {
    let found = problems("switch limit 5\n".repeat(10_000));
    assert_eq!(found.len(), MAX_ERRORS + 1);
    assert_eq!(found.last(), Some(&Problem::TooManyErrors));
    let found = problems(format!("for 5s {{ {} }}\nswitch limit 5", "switch limit 5;".repeat(10_000)));
    assert_eq!(found.len(), MAX_ERRORS + 1);
}

#[test]
fn full_sources_of_one_kind_end_soon() {
    for (before, part, after) in [
        ("", "switch\n", ""),
        ("", "switch;", ""),
        ("", ";", ""),
        ("", "\n", ""),
        ("", "#\n", ""),
        ("", "(\n", ""),
        ("", "switch where (\n", ""),
        ("", "(", ""),
        ("", ")", ""),
        ("", "{", ""),
        ("", "}", ""),
        ("", "{}", ""),
        ("", "for 5s {", ""),
        ("", "'", ""),
        ("", "\u{1f600}", ""),
        ("", "a", ""),
        ("", "a-", ""),
        ("", "9", ""),
        ("switch where ", "a=1 and ", "b=2"),
        ("switch where ", "a=1 or b=2 and ", "c"),
        ("switch where ", "(a) or ", "b"),
        ("switch where comm='", "\\", "'"),
        ("switch ", "count, ", "max"),
        ("switch ", "count ", ""),
        ("switch by ", "a,", "b"),
        ("switch for ", "1h", ""),
        ("switch where a=", "1.", "0"),
        ("switch where a in 0-3", ",1", ""),
        ("switch where a in (", "1,", ""),
        ("switch ", "x ", ""),
        ("switch ", ",\n", ""),
        ("", "sql a;", ""),
        ("", "sql\n", ""),
        ("", "sql (\n", ""),
        ("", "sql select 'a\n  -- b\n", ""),
        ("sql select ", "a,\n", "b"),
        ("sql select ", "a b ", ""),
        ("assert ", "a.b<1 or ", "c.d"),
        ("run a ", "b=1 ", ""),
    ] {
        let text = fill(before, part, after);
        let begin = Instant::now();
        problems(text.clone());
        lang::is_incomplete(&text);
        assert!(begin.elapsed() < SOON, "{before}{part}…: {:?}", begin.elapsed());
    }
}

#[test]
fn queries_in_queries_are_read_to_the_deepest() {
    let nested = |depth: usize| {
        let mut text = String::from("from 'a.parquet' runq");
        for _ in 0..depth {
            text = format!("from 'a.parquet' runq around worst({text}) 1ms");
        }
        text
    };
    for depth in [1, 19, 20, 21, 200] {
        let source = Source::new("nested", nested(depth));
        let parsed = lang::parse(&source);
        assert_eq!(parsed.errors, [], "{depth}");
        assert_eq!(lang::format::script(&parsed.script).trim_end(), &*source.text);
    }
    assert_eq!(lang::parse(&Source::new("nested", nested(201))).errors.len(), 1);
}
