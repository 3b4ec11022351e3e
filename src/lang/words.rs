//! The words of the language, for what the grammar cannot tell: the nearest word to a misspelt one, and which names
//! other rooms may not give.

/// Words that are never the name of a family, measure, column or frame. Besides them every percentile (`p50`, `p99.9`)
/// is reserved: [`is_reserved`] knows both.
pub const RESERVED: &[&str] = &[
    "from", "where", "by", "having", "sort", "asc", "desc", "top", "first", "around", "every", "when", "for", "save",
    "in", "is", "missing", "not", "and", "or", "under", "child", "any", "as", "to", "else", "keep", "worst", "show",
    "sql", "compare", "assert", "record", "param", "run", "explain", "analyze", "verify", "env", "help", "list",
    "describe", "quit", "count", "sum", "avg", "min", "max", "hist", "rate", "pct", "max_at", "uniq", "events",
    "select", "group", "order", "limit",
];

/// The words that begin a clause, in canonical order.
pub const CLAUSES: &[&str] = &["where", "by", "having", "sort", "top", "first", "around", "every", "for", "save"];

/// The words that begin a clause of `record`, in canonical order.
pub const RECORD_CLAUSES: &[&str] = &["where", "for", "to"];

/// The stats that are one word; percentiles come on top.
pub const STATS: &[&str] = &["count", "sum", "avg", "min", "max", "hist", "rate", "pct", "max_at", "uniq", "events"];

/// The words that begin a statement which is not a query.
pub const STATEMENTS: &[&str] =
    &["show", "save", "explain", "verify", "param", "record", "for", "sql", "assert", "compare", "run", "env"];

/// The words after `show NAME as`.
pub const STYLES: &[&str] = &["table", "hist", "heatmap", "json", "csv"];

/// Words of the language that this version does not have yet.
pub(super) const NOT_YET: &[&str] = &["when", "tree", "keep"];

/// Commands that only the prompt understands.
pub const PROMPT_ONLY: &[&str] = &["help", "list", "describe", "quit"];

/// Whether `word`, in any case, may not be the name of a family, measure, column or frame.
pub fn is_reserved(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    RESERVED.contains(&word.as_str()) || is_percentile(&word)
}

/// `p` and a number, in lower case.
pub(super) fn is_percentile(word: &str) -> bool {
    let Some(number) = word.strip_prefix('p') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match number.split_once('.') {
        Some((whole, rest)) => digits(whole) && digits(rest),
        None => digits(number),
    }
}

/// Whether it is a stat, in lower case.
pub fn is_stat(word: &str) -> bool {
    STATS.contains(&word) || is_percentile(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::grammar::{Rule, read};
    use crate::nearest::nearest;

    #[test]
    fn the_grammar_reserves_exactly_these_words() {
        for word in RESERVED.iter().chain(&["p50", "p99.9", "WHERE", "P99"]) {
            assert!(read(Rule::family, word).is_err(), "{word}");
            assert!(is_reserved(word), "{word}");
        }
        for word in ["wherefrom", "from_cpu", "p", "p9x", "counts", "asx", "_", "order_by", "max_a"] {
            assert_eq!(read(Rule::family, word).ok().map(|pair| pair.as_str().to_string()).as_deref(), Some(word));
            assert!(!is_reserved(word), "{word}");
        }
        // The grammar's own list holds no word beyond ours.
        let grammar = include_str!("../../grammar/schedq.pest");
        let list = grammar.split("reserved = _{").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
        let mut words: Vec<&str> = list.split('"').skip(1).step_by(2).filter(|word| word.len() > 1).collect();
        let mut ours = RESERVED.to_vec();
        words.sort_unstable();
        ours.sort_unstable();
        assert_eq!(words, ours);
    }

    #[test]
    fn every_word_that_begins_something_is_reserved() {
        for word in CLAUSES.iter().chain(RECORD_CLAUSES).chain(STATS).chain(STATEMENTS).chain(PROMPT_ONLY) {
            assert!(is_reserved(word), "{word}");
        }
        for word in NOT_YET.iter().filter(|word| **word != "tree") {
            assert!(is_reserved(word), "{word}");
        }
    }

    #[test]
    fn nearest_is_one_slip_away() {
        assert_eq!(nearest("wher", CLAUSES.iter().copied()), Some("where"));
        assert_eq!(nearest("SROT", CLAUSES.iter().copied()), Some("sort"));
        assert_eq!(nearest("x", CLAUSES.iter().copied()), None);
        assert_eq!(nearest("latency", CLAUSES.iter().copied()), None);
    }
}
