//! Times of the clock on the wall, as a person types them: `14:03:21.5`, `2026-12-01 14:03:21`, `2026-12-01T14:03Z`.
//! Which point in time that is depends on where the recording was made, and is not decided here.

/// What a text says of a time, no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallTime {
    /// Year, month from 1, day from 1; without it, a day of the recording.
    pub date: Option<(i16, u8, u8)>,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanosecond: u32,
    /// Seconds east of UTC; `None` is local time. Only with a date.
    pub offset_s: Option<i32>,
}

impl WallTime {
    /// `None` when it is no time.
    pub fn read(text: &str) -> Option<WallTime> {
        let text = text.trim();
        let Some((date, rest)) = text.split_once(['T', 't', ' ']) else {
            return if text.contains(':') { time_of_day(text) } else { None };
        };
        let (time, offset_s) = offset(rest.trim())?;
        Some(WallTime { date: Some(day(date)?), offset_s, ..time_of_day(time)? })
    }
}

/// `14:03`, `14:03:21`, `14:03:21.123456789`
fn time_of_day(text: &str) -> Option<WallTime> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hour, minute, second) = match (parts.as_slice(), fraction) {
        ([hour, minute], None) => (hour, minute, "0"),
        ([hour, minute, second], _) => (hour, minute, *second),
        _ => return None,
    };
    let (hour, minute, second) = (number(hour, 2, 23)?, number(minute, 2, 59)?, number(second, 2, 59)?);
    let nanosecond = match fraction {
        None => 0,
        Some(digits) if digits.len() <= 9 => number(digits, 9, 999_999_999)? * 10u32.pow(9 - digits.len() as u32),
        Some(_) => return None,
    };
    let [hour, minute, second] = [hour, minute, second].map(|part| part as u8);
    Some(WallTime { date: None, hour, minute, second, nanosecond, offset_s: None })
}

/// `2026-12-01`
fn day(text: &str) -> Option<(i16, u8, u8)> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    if year.len() != 4 {
        return None;
    }
    let (year, month) = (number(year, 4, 9999)?, number(month, 2, 12)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let day = number(day, 2, days)?;
    (day > 0).then_some((year as i16, month as u8, day as u8))
}

/// A time, and the zone behind it: `Z`, `+02:00`, `-0530`.
fn offset(text: &str) -> Option<(&str, Option<i32>)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time.trim_end(), Some(0)));
    }
    let Some(at) = text.find(['+', '-']) else { return Some((text, None)) };
    let (time, zone) = text.split_at(at);
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = (digits.get(..2)?, digits.get(2..)?);
    let minutes = if minutes.is_empty() { "0" } else { minutes };
    let seconds = number(hours, 2, 14)? as i32 * 3600 + number(minutes, 2, 59)? as i32 * 60;
    Some((time.trim_end(), Some(if zone.starts_with('-') { -seconds } else { seconds })))
}

/// Digits, at most so many, that are at most so much.
fn number(text: &str, digits: usize, most: u32) -> Option<u32> {
    let right = (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| text.parse().ok()).flatten().filter(|number| *number <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(hour: u8, minute: u8, second: u8, nanosecond: u32) -> WallTime {
        WallTime { date: None, hour, minute, second, nanosecond, offset_s: None }
    }

    #[test]
    fn times_are_read_as_they_are_printed_and_typed() {
        assert_eq!(WallTime::read("14:03"), Some(time(14, 3, 0, 0)));
        assert_eq!(WallTime::read("14:03:21.5"), Some(time(14, 3, 21, 500_000_000)));
        assert_eq!(WallTime::read("9:03:21.000000001"), Some(time(9, 3, 21, 1)));
        let dated = WallTime { date: Some((2026, 12, 1)), ..time(14, 3, 21, 0) };
        assert_eq!(WallTime::read("2026-12-01 14:03:21"), Some(dated));
        assert_eq!(WallTime::read("2026-12-01T14:03:21Z"), Some(WallTime { offset_s: Some(0), ..dated }));
        assert_eq!(WallTime::read("2026-12-01 14:03:21 -05:30"), Some(WallTime { offset_s: Some(-19_800), ..dated }));
        assert_eq!(WallTime::read("2026-12-01T14:03:21+02"), Some(WallTime { offset_s: Some(7_200), ..dated }));
        assert_eq!(WallTime::read("2024-02-29 00:00").and_then(|time| time.date), Some((2024, 2, 29)));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "noon",
            "14",
            "24:00",
            "14:60",
            "14:03:61",
            "14:03.5",
            "14:03:21.",
            "14:03:21.1234567890",
            "14:03:21Z",
            "2026-12-01",
            "2026-13-01 14:03",
            "2026-02-29 14:03",
            "2026-12-00 14:03",
            "26-12-01 14:03",
            "2026-12-01 1403",
            "2026-12-01 14:03+15:00",
            "2026-12-01 14:03 CET",
            "-1:00",
            "1 2:03",
            "14:03 5",
        ] {
            assert_eq!(WallTime::read(text), None, "{text}");
        }
    }
}
