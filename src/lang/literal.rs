//! What numbers, durations, CPU lists and strings mean, and how a duration is written.

use super::ast::Value;
use super::error::{MAX_CPU, Problem};

/// The units and their nanoseconds, the largest first.
pub(super) const UNITS: &[(&str, u64)] = &[
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// The longest duration: what a signed 64-bit count of nanoseconds holds, some 292 years.
const LONGEST: u128 = i64::MAX as u128;

/// A number's parts: sign, digits, digits behind the point.
struct Number {
    negative: bool,
    whole: String,
    fraction: Option<String>,
}

impl Number {
    /// Of text that the grammar has found to be a number.
    fn read(text: &str) -> Self {
        let text: String = text.chars().filter(|c| *c != '_').collect();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction.trim_end_matches('0').to_string())),
            None => (text, None),
        };
        let whole = match whole.trim_start_matches('0') {
            "" => "0".to_string(),
            digits => digits.to_string(),
        };
        Self { negative, whole, fraction }
    }

    fn is_zero(&self) -> bool {
        self.whole == "0" && self.fraction.as_deref().unwrap_or("").is_empty()
    }

    /// One spelling for each number: no sign on zero, no zeros around. `keep_point` keeps one digit behind the point.
    fn canonical(&self, keep_point: bool) -> String {
        let sign = if self.negative && !self.is_zero() { "-" } else { "" };
        match self.fraction.as_deref() {
            Some("") if keep_point => format!("{sign}{}.0", self.whole),
            None | Some("") => format!("{sign}{}", self.whole),
            Some(fraction) => format!("{sign}{}.{fraction}", self.whole),
        }
    }

    fn fits(&self) -> bool {
        self.whole.parse::<i64>().is_ok() && self.fraction.as_ref().is_none_or(|fraction| fraction.len() <= 18)
    }
}

pub(super) fn integer(text: &str) -> Result<i64, Problem> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    digits.parse().map_err(|_| Problem::NumberTooLarge { text: text.into() })
}

pub(super) fn decimal(text: &str) -> Result<Value, Problem> {
    let number = Number::read(text);
    if !number.fits() {
        return Err(Problem::NumberTooLarge { text: text.into() });
    }
    Ok(Value::Decimal(number.canonical(true)))
}

pub(super) fn percent(text: &str) -> Result<Value, Problem> {
    let number = Number::read(text.trim_end_matches('%'));
    if !number.fits() {
        return Err(Problem::NumberTooLarge { text: text.into() });
    }
    Ok(Value::Percent(number.canonical(false)))
}

/// Nanoseconds of a number with its unit.
pub(super) fn duration(text: &str) -> Result<u64, Problem> {
    let split = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '_' | '.' | '-')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "µs" | "μs" => "us",
        unit => unit,
    };
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(Problem::DurationUnit { found: text.into(), right: None });
    };
    let number = Number::read(number);
    if number.negative && !number.is_zero() {
        return Err(Problem::DurationNegative { text: text.into() });
    }
    let too_long = || Problem::DurationTooLong { text: text.into() };
    let too_fine = || Problem::DurationTooFine { text: text.into() };
    let whole: u128 = number.whole.parse::<u64>().map_err(|_| too_long())?.into();
    let mut total = whole * u128::from(*factor);
    if let Some(fraction) = number.fraction.as_deref().filter(|fraction| !fraction.is_empty()) {
        // 3600 s in ns has 13 digits, so a longer fraction cannot come out even.
        let digits = u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 13).ok_or_else(too_fine)?;
        let scaled = fraction.parse::<u128>().map_err(|_| too_fine())? * u128::from(*factor);
        if scaled % 10u128.pow(digits) != 0 {
            return Err(too_fine());
        }
        total += scaled / 10u128.pow(digits);
    }
    if total > LONGEST { Err(too_long()) } else { Ok(total as u64) }
}

/// The largest unit that needs no more than three digits behind the point; minutes and hours only when they are exact.
pub(super) fn write_duration(ns: u64) -> String {
    for (unit, factor) in UNITS {
        if ns < *factor {
            continue;
        }
        let (whole, rest) = (ns / factor, ns % factor);
        if rest == 0 {
            return format!("{whole}{unit}");
        }
        if *factor <= 1_000_000_000 && *factor >= 1_000 && rest % (factor / 1_000) == 0 {
            let thousandths = format!("{:03}", rest / (factor / 1_000));
            return format!("{whole}.{}{unit}", thousandths.trim_end_matches('0'));
        }
    }
    format!("{ns}ns")
}

/// `3` or `0-3`.
pub(super) fn cpu_range(text: &str) -> Result<(u32, u32), Problem> {
    let cpu = |digits: &str| {
        let cpu: Option<u32> = digits.parse().ok().filter(|cpu| *cpu <= MAX_CPU);
        cpu.ok_or_else(|| Problem::CpuTooLarge { text: digits.into() })
    };
    let (low, high) = match text.split_once('-') {
        Some((low, high)) => (cpu(low)?, cpu(high)?),
        None => (cpu(text)?, cpu(text)?),
    };
    if low > high { Err(Problem::CpuListReversed { low, high }) } else { Ok((low, high)) }
}

/// A problem inside a string, with the byte range within the token.
pub(super) type TextProblem = (std::ops::Range<usize>, Problem);

/// The bytes of a quoted string.
pub(super) fn text(quoted: &str) -> Result<Vec<u8>, TextProblem> {
    let inner = &quoted[1..quoted.len() - 1];
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let first = escape.chars().next().expect("the grammar has no string that ends in a single backslash");
        let mut taken = first.len_utf8();
        let hex = escape.get(1..3).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match (first, hex) {
            ('\\' | '\'' | '"', _) => bytes.push(first as u8),
            ('n', _) => bytes.push(b'\n'),
            ('t', _) => bytes.push(b'\t'),
            ('r', _) => bytes.push(b'\r'),
            ('0', _) => bytes.push(0),
            ('x', Some(hex)) => {
                bytes.push(u8::from_str_radix(hex, 16).expect("two hexadecimal digits"));
                taken = 3;
            }
            _ => {
                let start = quoted.len() - 1 - rest.len() + at;
                let range = start..start + 1 + taken;
                let escape = quoted[range.clone()].to_string();
                return Err((range, Problem::UnknownEscape { escape }));
            }
        }
        rest = &escape[taken..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// In millionths, of `p99.9`.
pub(super) fn percentile(word: &str) -> Result<u32, Problem> {
    let number = Number::read(&word[1..]);
    let fraction = number.fraction.as_deref().unwrap_or("");
    if number.is_zero() || number.whole.len() > 2 {
        return Err(Problem::PercentileRange { word: word.into() });
    }
    if fraction.len() > 4 {
        return Err(Problem::PercentileDigits { word: word.into() });
    }
    let millionths = format!("{}{fraction:0<4}", number.whole);
    millionths.parse().map_err(|_| Problem::PercentileRange { word: word.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_nanoseconds() {
        for (text, ns) in [
            ("10ns", 10),
            ("5us", 5_000),
            ("5µs", 5_000),
            ("5μs", 5_000),
            ("1.5ms", 1_500_000),
            ("1_000ms", 1_000_000_000),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("0.5h", 1_800_000_000_000),
            ("0ns", 0),
            ("-0s", 0),
            ("9223372036854775807ns", i64::MAX as u64),
        ] {
            assert_eq!(duration(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn durations_have_limits() {
        for text in ["9223372036854775808ns", "2562048h", "18446744073709551616s", "99999999999999999999999999999999h"]
        {
            assert_eq!(duration(text), Err(Problem::DurationTooLong { text: text.into() }));
        }
        for text in ["1.5ns", "0.0001us", "0.00000000000000000001h"] {
            assert_eq!(duration(text), Err(Problem::DurationTooFine { text: text.into() }));
        }
        assert_eq!(duration("-5s"), Err(Problem::DurationNegative { text: "-5s".into() }));
    }

    #[test]
    fn durations_print_short_and_exact() {
        for (ns, text) in [
            (0, "0ns"),
            (1, "1ns"),
            (1_500, "1.5us"),
            (1_234_567, "1234.567us"),
            (1_500_000, "1.5ms"),
            (5_000_000_000, "5s"),
            (90_000_000_000, "90s"),
            (120_000_000_000, "2m"),
            (5_400_000_000_000, "90m"),
            (7_200_000_000_000, "2h"),
            (3_600_000_000_001, "3600000000.001us"),
        ] {
            assert_eq!(write_duration(ns), text);
        }
    }

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(integer("-1_000"), Ok(-1000));
        assert_eq!(integer("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(integer("9223372036854775808"), Err(Problem::NumberTooLarge { text: "9223372036854775808".into() }));
        assert_eq!(decimal("012.50"), Ok(Value::Decimal("12.5".into())));
        assert_eq!(decimal("-0.0"), Ok(Value::Decimal("0.0".into())));
        assert_eq!(percent("90.0%"), Ok(Value::Percent("90".into())));
        assert!(decimal("99999999999999999999.5").is_err());
    }

    #[test]
    fn cpu_lists_are_small_and_ordered() {
        assert_eq!(cpu_range("3"), Ok((3, 3)));
        assert_eq!(cpu_range("0-65535"), Ok((0, 65_535)));
        assert_eq!(cpu_range("3-0"), Err(Problem::CpuListReversed { low: 3, high: 0 }));
        assert_eq!(cpu_range("0-65536"), Err(Problem::CpuTooLarge { text: "65536".into() }));
        assert_eq!(cpu_range("0-99999999999"), Err(Problem::CpuTooLarge { text: "99999999999".into() }));
    }

    #[test]
    fn strings_are_bytes() {
        assert_eq!(text(r"'a\\\'\x00\xffé\n'").unwrap(), b"a\\'\0\xff\xc3\xa9\n");
        assert_eq!(text(r#""it's \"x\"""#).unwrap(), b"it's \"x\"");
        let (range, problem) = text(r"'ab\q'").unwrap_err();
        assert_eq!((range, problem), (3..5, Problem::UnknownEscape { escape: "\\q".into() }));
        let (range, _) = text(r"'\xZZ'").unwrap_err();
        assert_eq!(range, 1..3);
        assert!(text(r"'\xé1'").is_err());
    }

    #[test]
    fn percentiles_are_millionths() {
        assert_eq!(percentile("p50"), Ok(500_000));
        assert_eq!(percentile("P99.90"), Ok(999_000));
        assert_eq!(percentile("p0.0001"), Ok(1));
        assert_eq!(percentile("p05"), Ok(50_000));
        for word in ["p0", "p100", "p999"] {
            assert_eq!(percentile(word), Err(Problem::PercentileRange { word: word.into() }));
        }
        assert_eq!(percentile("p99.99999"), Err(Problem::PercentileDigits { word: "p99.99999".into() }));
    }

    proptest::proptest! {
        #[test]
        fn a_printed_duration_is_the_same(ns in 0..=i64::MAX as u64) {
            proptest::prop_assert_eq!(duration(&write_duration(ns)), Ok(ns));
        }
    }
}
