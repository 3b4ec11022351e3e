//! `around TIME DURATION`: which part of a recording that is.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::Frame;
use crate::name;
use crate::plan::clock::WallTime;
use crate::plan::{Around, AroundTime};
use crate::source::trace::meta::Meta;

/// From when to when, both included, CLOCK_MONOTONIC ns. `worst` is when the row of `worst(…)` ended.
///
/// # Errors
/// When the time lies outside of the recording, or is not known.
pub fn range(
    around: &Around,
    meta: &Meta,
    frames: &BTreeMap<String, Frame>,
    worst: Option<u64>,
) -> Result<(u64, u64), Diagnostic> {
    let at = match &around.time {
        AroundTime::Ns(ns) => i128::from(*ns),
        AroundTime::Clock { text, time, .. } => of_wall(*time, meta, &TimeZone::system())
            .ok_or_else(|| outside(&format!("{:?}", name::escape(text.as_bytes())), meta))?,
        AroundTime::Column { frame, column, .. } => of_frame(frames, frame, column, meta)?,
        AroundTime::Worst(query) => worst.map(i128::from).ok_or_else(|| {
            Diagnostic::new(
                "no-time",
                Exit::Failed,
                format!("worst(…) is no time: no row of the recording is one of {}", query.text),
            )
        })?,
    };
    let each = i128::from(around.each_side_ns);
    let (from, to) = ((at - each).max(0), at + each);
    if to < i128::from(meta.start_ns) || from > i128::from(meta.end_ns) {
        return Err(outside("that time", meta));
    }
    Ok((from as u64, u64::try_from(to).unwrap_or(u64::MAX)))
}

fn outside(what: &str, meta: &Meta) -> Diagnostic {
    let (from, to) = (wall_text(meta.start_ns, meta), wall_text(meta.end_ns, meta));
    Diagnostic::new("outside", Exit::Failed, format!("{what} is outside of the recording"))
        .help(format!("it holds {from} to {to}, in ns of CLOCK_MONOTONIC {} to {}", meta.start_ns, meta.end_ns))
}

/// A time of the recording as this machine's clock on the wall has it.
pub fn wall_text(at_ns: u64, meta: &Meta) -> String {
    let Ok(time) = Timestamp::from_nanosecond(i128::from(at_ns) + i128::from(meta.wall_offset_ns)) else {
        return format!("{at_ns} ns");
    };
    TimeZone::system().to_datetime(time).strftime("%Y-%m-%d %H:%M:%S%.6f").to_string()
}

/// The month in which a recording was made.
pub fn month(meta: &Meta) -> String {
    let epoch = i128::from(meta.start_ns) + i128::from(meta.wall_offset_ns);
    let time = Timestamp::from_nanosecond(epoch).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(time).strftime("%B %Y").to_string()
}

/// Without a date it is the first such time inside the recording.
fn of_wall(time: WallTime, meta: &Meta, zone: &TimeZone) -> Option<i128> {
    let zone = match time.offset_s {
        Some(seconds) => TimeZone::fixed(Offset::from_seconds(seconds).ok()?),
        None => zone.clone(),
    };
    let clock = Time::new(time.hour as i8, time.minute as i8, time.second as i8, time.nanosecond as i32).ok()?;
    let monotonic = |date: Date| {
        let time = zone.to_timestamp(DateTime::from_parts(date, clock)).ok()?;
        Some(time.as_nanosecond() - i128::from(meta.wall_offset_ns))
    };
    if let Some((year, month, day)) = time.date {
        return monotonic(Date::new(year, month as i8, day as i8).ok()?);
    }
    let date_of = |at_ns: u64| {
        let time = Timestamp::from_nanosecond(i128::from(at_ns) + i128::from(meta.wall_offset_ns)).ok()?;
        Some(zone.to_datetime(time).date())
    };
    let (mut date, last) = (date_of(meta.start_ns)?, date_of(meta.end_ns)?);
    // A time that is written without a fraction means all of its second.
    let slack = 1_000_000_000;
    while date <= last {
        let at = monotonic(date)?;
        if at + slack > i128::from(meta.start_ns) && at <= i128::from(meta.end_ns) {
            return Some(at);
        }
        date = date.checked_add(1.day()).ok()?;
    }
    None
}

fn of_frame(frames: &BTreeMap<String, Frame>, name: &str, column: &str, meta: &Meta) -> Result<i128, Diagnostic> {
    let failed = |title: String| Diagnostic::new("no-time", Exit::Failed, title);
    let frame = frames.get(name).ok_or_else(|| failed(format!("there is no frame {name}: its query gave none")))?;
    let times: Vec<&str> = frame.times().collect();
    if !times.contains(&column) {
        let has = if times.is_empty() { "it has none".to_owned() } else { format!("it has {}", times.join(", ")) };
        let title = format!("{name}.{column} is no column of times");
        return Err(Diagnostic::new("no-time", Exit::Wrong, title).help(has));
    }
    let epoch = frame.first_time(column).ok_or_else(|| failed(format!("{name}.{column} holds no time: no rows")))?;
    Ok(i128::from(epoch) - i128::from(meta.wall_offset_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A minute of 2026-12-01, 23:59:30 to 00:00:30 UTC.
    fn meta() -> Meta {
        let start: Timestamp = "2026-12-01T23:59:30Z".parse().unwrap();
        Meta {
            start_ns: 1000 * SECOND,
            end_ns: 1060 * SECOND,
            wall_offset_ns: (start.as_nanosecond() - 1000 * i128::from(SECOND)) as i64,
            ..Meta::default()
        }
    }

    fn at(text: &str) -> Option<i128> {
        of_wall(WallTime::read(text).unwrap(), &meta(), &TimeZone::UTC)
    }

    #[test]
    fn clocks_on_the_wall() {
        let second = i128::from(SECOND);
        assert_eq!(at("23:59:40"), Some(1010 * second));
        // After midnight it is another day.
        assert_eq!(at("00:00:10.5"), Some(1040 * second + second / 2));
        assert_eq!(at("12:00"), None);
        assert_eq!(at("2026-12-02 00:00:00"), Some(1030 * second));
        assert_eq!(at("2026-12-02T01:00:00+01:00"), Some(1030 * second));
    }

    #[test]
    fn a_part_that_is_there() {
        let around = |ns| Around { time: AroundTime::Ns(ns), each_side_ns: 5 * SECOND };
        let range = |ns| range(&around(ns), &meta(), &BTreeMap::new(), None);
        assert_eq!(range(1010 * SECOND).unwrap(), (1005 * SECOND, 1015 * SECOND));
        assert_eq!(range(2 * SECOND).unwrap_err().code, "outside");
        assert_eq!(range(1066 * SECOND).unwrap_err().code, "outside");
        assert_eq!(range(1064 * SECOND).unwrap(), (1059 * SECOND, 1069 * SECOND));
    }
}
