//! Numbers with their units, for people.

use jiff::tz::TimeZone;

use super::Style;
use crate::frame::cells::{Cells, Value};
use crate::frame::{ColumnKind, Frame, FrameColumn};

/// Three significant digits: `999ns`, `1.02µs`, `16.4ms`, `7.23s`, `4,321s`.
pub fn duration(ns: i64, style: &Style) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let value = u128::from(ns.unsigned_abs());
    let micro = if style.unicode { "µs" } else { "us" };
    if value < 1000 {
        return format!("{sign}{value}ns");
    }
    for (scale, unit) in [(1_000, micro), (1_000_000, "ms"), (1_000_000_000, "s")] {
        for decimals in [2, 1, 0] {
            let factor = 10u128.pow(decimals);
            let rounded = (value * factor + scale / 2) / scale;
            if rounded < 1000 {
                let (whole, part) = (rounded / factor, rounded % factor);
                return match decimals {
                    0 => format!("{sign}{whole}{unit}"),
                    width => format!("{sign}{whole}.{part:0width$}{unit}", width = width as usize),
                };
            }
        }
    }
    let seconds = (value + 500_000_000) / 1_000_000_000;
    format!("{sign}{}s", count(seconds as i64))
}

/// For a value in a sentence, wherever that is read.
pub fn plain() -> Style {
    Style { color: false, unicode: false, width: usize::MAX, zone: TimeZone::UTC }
}

/// With every digit that it has: `1.5ms`, `1.000001ms`, `90s`.
pub fn exact_duration(ns: i64) -> String {
    let size = ns.unsigned_abs();
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
    let (unit, scale) = units.into_iter().find(|(_, scale)| size >= *scale).unwrap_or(("ns", 1));
    let sign = if ns < 0 { "-" } else { "" };
    let (whole, rest) = (size / scale, size % scale);
    if rest == 0 {
        return format!("{sign}{whole}{unit}");
    }
    let digits = scale.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    format!("{sign}{whole}.{}{unit}", fraction.trim_end_matches('0'))
}

/// One value of a frame without rounding, where one is told by itself; `missing` where there is none.
pub fn exact(frame: &Frame, column: &FrameColumn, row: usize) -> String {
    let cells = frame.data.column(&column.name).and_then(Cells::of);
    let Ok(cells) = cells else { return String::new() };
    let style = Style { color: false, unicode: false, width: usize::MAX, zone: TimeZone::system() };
    match (cells.get(row), column.kind) {
        (Value::Missing, _) => "missing".to_owned(),
        (Value::Int(ns), ColumnKind::Duration) => exact_duration(ns),
        (Value::Int(ns), ColumnKind::Time) => time_of_day(ns, 6, &style),
        (Value::Int(n), _) => n.to_string(),
        (Value::Float(x), ColumnKind::Percent) => format!("{x}%"),
        (Value::Float(x), ColumnKind::Rate) => format!("{x}/s"),
        (Value::Float(x), _) => x.to_string(),
        (Value::Bool(answer), _) => if answer { "yes" } else { "no" }.to_owned(),
        (Value::Text(text), _) => text.to_owned(),
        (Value::Buckets(_), _) => "a histogram".to_owned(),
    }
}

/// With thousands set apart: `12,345`.
pub fn count(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Three significant digits below a thousand, whole and set apart from there: `0.2`, `12.5`, `1,234`.
pub fn decimal(value: f64) -> String {
    let size = value.abs();
    if size >= 999.5 {
        count(value.round() as i64)
    } else if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 || size == 0.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// `123/s`
pub fn rate(per_second: f64) -> String {
    format!("{}/s", decimal(per_second))
}

/// One decimal; `<0.1%` for what is there and would read as nothing.
pub fn percent(value: f64) -> String {
    if value > 0.0 && value < 0.05 { "<0.1%".to_owned() } else { format!("{value:.1}%") }
}

/// The time of day, with as many digits of the second's fraction.
pub fn time_of_day(epoch_ns: i64, decimals: usize, style: &Style) -> String {
    let Ok(instant) = jiff::Timestamp::from_nanosecond(i128::from(epoch_ns)) else { return String::new() };
    let time = style.zone.to_datetime(instant).time();
    let seconds = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
    if decimals == 0 {
        return seconds;
    }
    let fraction = format!("{:09}", time.subsec_nanosecond());
    format!("{seconds}.{}", &fraction[..decimals.min(9)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(unicode: bool) -> Style {
        Style { color: false, unicode, width: 80, zone: jiff::tz::TimeZone::UTC }
    }

    #[test]
    fn durations_have_three_digits() {
        let cases = [
            (0, "0ns"),
            (999, "999ns"),
            (1_000, "1.00µs"),
            (1_024, "1.02µs"),
            (9_999, "10.0µs"),
            (99_960, "100µs"),
            (999_499, "999µs"),
            (999_500, "1.00ms"),
            (16_400_000, "16.4ms"),
            (7_230_000_000, "7.23s"),
            (4_321_000_000_000, "4,321s"),
            (-1_500, "-1.50µs"),
            (i64::MAX, "9,223,372,037s"),
        ];
        for (ns, text) in cases {
            assert_eq!(duration(ns, &style(true)), text);
        }
        assert_eq!(duration(1_024, &style(false)), "1.02us");
    }

    #[test]
    fn counts_rates_and_percents() {
        assert_eq!([0, 7, 999, 1_000, 1_234_567, -1_000].map(count), ["0", "7", "999", "1,000", "1,234,567", "-1,000"]);
        assert_eq!([0.0, 0.2, 12.5, 123.4, 1234.5].map(rate), ["0.0/s", "0.20/s", "12.5/s", "123/s", "1,235/s"]);
        assert_eq!([0.0, 0.04, 12.34, 100.0].map(percent), ["0.0%", "<0.1%", "12.3%", "100.0%"]);
    }

    #[test]
    fn times_are_of_the_zone() {
        let mut here = style(true);
        assert_eq!(time_of_day(3_661_123_456_789, 6, &here), "01:01:01.123456");
        here.zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(time_of_day(3_661_123_456_789, 3, &here), "03:01:01.123");
        assert_eq!(time_of_day(3_661_123_456_789, 0, &here), "03:01:01");
    }
}
