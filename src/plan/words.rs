//! How values and names read in messages and in `explain`.

use crate::lang::ast::Value;
use crate::name;

/// A duration in the largest unit that gives it exactly, with a fraction where that is shorter: `1.5ms`, `90s`.
pub fn duration(ns: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
    if ns == 0 {
        return "0ns".to_string();
    }
    for (unit, size) in [("h", 3_600_000_000_000u64), ("m", 60_000_000_000)] {
        if ns % size == 0 {
            return format!("{}{unit}", ns / size);
        }
    }
    for (unit, size) in UNITS {
        let rest = ns % size;
        if ns >= size {
            if rest == 0 {
                return format!("{}{unit}", ns / size);
            }
            let digits = size.ilog10() as usize;
            let fraction = format!("{rest:0digits$}");
            return format!("{}.{}{unit}", ns / size, fraction.trim_end_matches('0'));
        }
    }
    unreachable!("every nonzero number is at least one nanosecond")
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

/// A literal as it was typed, nearly.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Decimal(text) => text.clone(),
        Value::Percent(text) => format!("{text}%"),
        Value::Duration(ns) => duration(*ns),
        Value::Text(text) => text_in_quotes(text),
        Value::Param(name) => format!("${name}"),
        Value::Word(word) => word.clone(),
        Value::Ranges(ranges) => {
            let parts: Vec<String> =
                ranges.iter().map(|(lo, hi)| if lo == hi { lo.to_string() } else { format!("{lo}-{hi}") }).collect();
            parts.join(",")
        }
    }
}

/// A literal as it would be typed to be text.
pub fn quoted(value: &Value) -> String {
    match value {
        Value::Text(_) => literal(value),
        other => format!("'{}'", literal(other)),
    }
}

/// Bytes as a quoted string of the language.
pub fn text_in_quotes(text: &[u8]) -> String {
    format!("'{}'", name::escape(text).replace('\'', "\\'"))
}

/// `a, b, c`
pub fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

/// The one of `known` that was most likely meant: one of which `given` is the beginning, or one that differs in a few
/// letters, a third of them at most.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let allowed = given.chars().count().div_ceil(3);
    let mut best: Option<(usize, &'a str)> = None;
    for word in known {
        let distance = if given.len() >= 2 && (word.starts_with(&given) || (word.len() >= 3 && given.starts_with(word)))
        {
            1
        } else {
            strsim::damerau_levenshtein(&given, word)
        };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, word));
        }
    }
    best.map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact_and_short() {
        for (ns, text) in [
            (0, "0ns"),
            (7, "7ns"),
            (1_500, "1.5us"),
            (10_000_000, "10ms"),
            (1_000_000_001, "1.000000001s"),
            (90_000_000_000, "90s"),
            (120_000_000_000, "2m"),
            (7_200_000_000_000, "2h"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

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
        assert_eq!(nearest("x", known), None, "one letter says nothing");
    }

    #[test]
    fn text_is_typed_back() {
        assert_eq!(literal(&Value::Text(b"it's \xff".to_vec())), "'it\\'s \\xff'");
        assert_eq!(quoted(&Value::Int(3)), "'3'");
    }
}
