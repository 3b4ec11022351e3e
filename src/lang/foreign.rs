//! What people bring from SQL, bpftrace, perf and plain English, with this language's word for it.

use super::error::Problem;
use super::tokens::{Kind, Token};

/// Words that stand where a clause, a stat or a direction is due.
const WORDS: &[(&str, &str)] = &[
    ("group", "by"),
    ("groupby", "by"),
    ("group_by", "by"),
    ("per", "by"),
    ("order", "sort"),
    ("orderby", "sort"),
    ("order_by", "sort"),
    ("sorted", "sort"),
    ("sortby", "sort"),
    ("limit", "top"),
    ("head", "first"),
    ("take", "first"),
    ("filter", "where"),
    ("if", "where"),
    ("with", "where"),
    ("during", "for"),
    ("duration", "for"),
    ("timeout", "for"),
    ("within", "for"),
    ("over", "for"),
    ("near", "around"),
    ("interval", "every"),
    ("each", "every"),
    ("into", "save"),
    ("output", "save"),
    ("write", "save"),
    ("ascending", "asc"),
    ("descending", "desc"),
    ("mean", "avg"),
    ("average", "avg"),
    ("median", "p50"),
    ("total", "sum"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("histogram", "hist"),
    ("quantize", "hist"),
    ("lhist", "hist(linear, LO, HI, STEP)"),
    ("lquantize", "hist(linear, LO, HI, STEP)"),
    ("percentile", "p99"),
    ("quantile", "p99"),
    ("percent", "pct"),
    ("distinct", "uniq(COLUMN)"),
    ("unique", "uniq(COLUMN)"),
    ("raw", "events"),
    ("rows", "events"),
    ("print", "events"),
];

const OPERATORS: &[(&str, &str)] = &[
    ("==", "="),
    ("=~", "~"),
    ("=<", "<="),
    ("=>", ">="),
    ("<>", "!="),
    ("&&", "and"),
    ("&", "and"),
    ("||", "or"),
    ("|", "or"),
    ("!", "not"),
];

const UNITS: &[(&str, &[&str])] = &[
    ("ns", &["ns", "nsec", "nsecs", "nanosecond", "nanoseconds"]),
    ("us", &["us", "usec", "usecs", "microsecond", "microseconds", "µs", "μs", "µ", "μ"]),
    ("ms", &["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("m", &["m", "min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
];

const PROBES: &[&str] = &[
    "tracepoint",
    "t",
    "kprobe",
    "k",
    "kretprobe",
    "kr",
    "uprobe",
    "u",
    "uretprobe",
    "ur",
    "usdt",
    "profile",
    "interval",
    "software",
    "hardware",
    "fentry",
    "fexit",
    "kfunc",
    "kretfunc",
    "rawtracepoint",
    "rt",
    "raw_tracepoint",
    "watchpoint",
    "iter",
    "sched",
];

const COMMANDS: &[&str] = &["perf", "bpftrace", "trace-cmd", "schedq", "sudo"];

/// This language's word for `word`, when it is one that other tools use.
pub fn counterpart(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, ours)| *ours)
}

pub(super) fn operator(mark: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(foreign, _)| *foreign == mark).map(|(_, ours)| *ours)
}

/// The unit that a word in any case and length means.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    UNITS.iter().find(|(_, names)| names.contains(&word.as_str())).map(|(unit, _)| *unit)
}

/// Whether the whole statement is of another language.
pub(super) fn statement(head: &[Token], has_body: bool) -> Option<Problem> {
    let first = head.first()?;
    let names_frame = head.get(1).is_some_and(|next| next.is("="));
    if first.is("@") {
        return Some(Problem::Bpftrace { what: "a map".into() });
    }
    if first.kind != Kind::Word || names_frame {
        return None;
    }
    let word = first.lower();
    let probe = word.split(':').next().unwrap_or_default();
    let colon = word.contains(':') || head.get(1).is_some_and(|next| next.is(":"));
    if colon && PROBES.contains(&probe) {
        return Some(Problem::Bpftrace { what: "a probe".into() });
    }
    if has_body && matches!(first.text, "BEGIN" | "END") {
        return Some(Problem::Bpftrace { what: format!("a `{}` block", first.text) });
    }
    if word == "select" {
        let from = head.iter().position(|token| token.is_word("from"));
        let family = from.and_then(|at| head.get(at + 1)).filter(|token| token.kind == Kind::Word);
        return Some(Problem::Sql { family: family.map(Token::lower) });
    }
    if COMMANDS.contains(&word.as_str()) {
        let words = head.iter().take(3).take_while(|token| token.kind == Kind::Word);
        let what: Vec<&str> = words.map(|token| token.text).collect();
        let recording = what.iter().skip(1).any(|word| word.eq_ignore_ascii_case("record"));
        return Some(Problem::Command { what: what.join(" "), recording });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::words::{CLAUSES, STATS};

    #[test]
    fn every_counterpart_is_a_word_of_the_language_and_no_word_has_one() {
        for (foreign, ours) in WORDS {
            let head = ours.split('(').next().unwrap();
            assert!(
                CLAUSES.contains(&head) || STATS.contains(&head) || matches!(head, "asc" | "desc" | "p50" | "p99"),
                "{ours}"
            );
            assert!(!CLAUSES.contains(foreign) && !STATS.contains(foreign), "{foreign}");
        }
    }

    #[test]
    fn units_are_known_in_any_case() {
        assert_eq!(unit("Seconds"), Some("s"));
        assert_eq!(unit("S"), Some("s"));
        assert_eq!(unit("fortnight"), None);
    }
}
