//! Amounts as lengths and heights of characters.

use super::Style;

/// A bar of at most `width` characters for `value` of `max`; what is more than nothing is never empty.
pub(super) fn bar(value: u64, max: u64, width: usize, style: &Style) -> String {
    if value == 0 || max == 0 || width == 0 {
        return String::new();
    }
    if !style.unicode {
        let length = scaled(value, max, width as u64).max(1);
        return "#".repeat(length as usize);
    }
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = scaled(value, max, width as u64 * 8).max(1);
    format!("{}{}", "█".repeat((eighths / 8) as usize), EIGHTHS[(eighths % 8) as usize])
}

/// One character for each count, its height a part of the largest.
pub(super) fn spark(counts: &[u64], style: &Style) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const ASCII: [char; 8] = ['.', ',', ':', '-', '=', '+', '*', '#'];
    let levels = if style.unicode { BLOCKS } else { ASCII };
    let max = counts.iter().copied().max().unwrap_or(0);
    let level = |n: &u64| match n {
        0 => ' ',
        n => levels[(scaled(*n, max, 8).max(1) - 1) as usize],
    };
    counts.iter().map(level).collect()
}

/// To the nearest, without overflow.
fn scaled(value: u64, max: u64, size: u64) -> u64 {
    ((u128::from(value) * u128::from(size) + u128::from(max) / 2) / u128::from(max.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_never_nothing_and_nothing_is_never_something() {
        let style = Style { color: false, unicode: true, width: 80, zone: jiff::tz::TimeZone::UTC };
        let ascii = Style { unicode: false, ..style.clone() };
        assert_eq!(bar(0, 100, 10, &style), "");
        assert_eq!(bar(1, 1_000_000, 10, &style), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX, 3, &style), "███");
        assert_eq!(bar(1, 2, 3, &style), "█▌");
        assert_eq!(bar(1, 1_000_000, 10, &ascii), "#");
        assert_eq!(spark(&[0, 1, 50, 100], &style), " ▁▄█");
        assert_eq!(spark(&[0, 1, 50, 100], &ascii), " .-#");
    }
}
