//! How values and names read in messages and in `explain`.

use crate::lang::ast::Value;
use crate::lang::format;

/// A duration as it would be typed: `1.5ms`, `90s`.
pub fn duration(ns: u64) -> String {
    format::value(&Value::Duration(ns))
}

/// A size of memory in the largest binary unit: `12.4 KiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A literal as it would be typed to be text.
pub fn quoted(value: &Value) -> String {
    match value {
        Value::Text(_) => format::value(value),
        other => format!("'{}'", format::value(other)),
    }
}

/// `a, b, c`
pub fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

/// The one of `known` that was most likely meant: one of which `given` is the beginning or which is the beginning of
/// it, else one that differs in a letter or two.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let begins =
        |word: &&&str| (given.len() >= 2 && word.starts_with(&given)) || (word.len() >= 3 && given.starts_with(**word));
    known.iter().find(begins).copied().or_else(|| crate::nearest::nearest(&given, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(bytes(8), "8 B");
        assert_eq!(bytes(4096), "4.0 KiB");
        assert_eq!(bytes(256 << 20), "256.0 MiB");
    }

    #[test]
    fn the_nearest_name_is_near() {
        let known = ["latency", "cause", "tid", "tgid", "comm"];
        assert_eq!(nearest("latncy", known), Some("latency"));
        assert_eq!(nearest("lat", known), Some("latency"));
        assert_eq!(nearest("command", known), Some("comm"));
        assert_eq!(nearest("LATENCY", known), Some("latency"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("kind", known), None, "two letters of four are another word");
        assert_eq!(nearest("x", known), None, "one letter says nothing");
    }

    #[test]
    fn text_is_typed_back() {
        assert_eq!(quoted(&Value::Text(b"it's \xff".to_vec())), "'it\\'s \\xff'");
        assert_eq!(quoted(&Value::Int(3)), "'3'");
    }
}
