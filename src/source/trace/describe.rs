//! What a recording holds, for people: labels and texts, which a session lays out.

use super::error::Error;
use super::meta::Meta;
use super::read::Recording;
use super::schema::IDENTITIES;
use crate::catalog::event::{Gap, Kind, LOSSES};
use crate::catalog::{FAMILIES, Origin};
use crate::name::escape;

/// Gaps that are told one by one.
const GAPS: usize = 5;

/// What a recording holds: a label and a text a line.
pub fn describe(recording: &Recording) -> Result<Vec<(&'static str, String)>, Error> {
    let meta = recording.meta();
    let mut lines = vec![("recording", escape(recording.path().as_os_str().as_encoded_bytes()))];
    let mut line = |label, text: String| lines.push((label, text));
    line("statement", meta.statement.clone());
    line("filter", meta.filter.clone().unwrap_or_else(|| "none: all tasks".to_owned()));
    line("from", clock(meta, meta.start_ns));
    line("to", format!("{} ({})", clock(meta, meta.end_ns), ended(recording)));
    line("length", seconds(meta.end_ns.saturating_sub(meta.start_ns)));
    let host = ["hostname", "kernel", "machine", "cpus_online"].map(|name| meta.fact(name).unwrap_or("?"));
    line("host", format!("{}, Linux {}, {}, CPUs {}", host[0], host[1], host[2], host[3]));
    line("made by", format!("schedq {}", meta.schedq));
    line("events", with_counts(meta.events(), meta, !(IDENTITIES | 1 << Kind::Loss as u16)));
    line("tasks", with_counts(meta.tasks(), meta, IDENTITIES));
    if let Some(child) = meta.child_tgid {
        line("command", format!("process {child}"));
    }
    let gaps = recording.gaps()?;
    line("lost", lost(meta, &gaps));
    for gap in gaps.iter().take(GAPS) {
        line("", told(meta, gap));
    }
    if gaps.len() > GAPS {
        line("", format!("and {} gaps more", gaps.len() - GAPS));
    }
    if let Some(part) = recording.left_out() {
        let part = escape(part.as_os_str().as_encoded_bytes());
        line("left out", format!("{part}: it was not written to its end"));
    }
    let families = FAMILIES.iter().filter(|family| family.origins.contains(&Origin::Replay));
    let families: Vec<&str> = families.map(|family| family.name).collect();
    line("can be asked", families.join(", "));
    Ok(lines)
}

/// A number, and how many rows there are of each of these kinds (a bit for each).
fn with_counts(number: u64, meta: &Meta, kinds: u16) -> String {
    let there = |kind: &Kind| kinds & (1 << *kind as u16) != 0 && meta.count(*kind) > 0;
    let counts: Vec<String> =
        Kind::ALL.into_iter().filter(there).map(|kind| format!("{} {}", kind.word(), meta.count(kind))).collect();
    if counts.is_empty() { number.to_string() } else { format!("{number} ({})", counts.join(", ")) }
}

fn ended(recording: &Recording) -> &str {
    let meta = recording.meta();
    match meta.ended.as_deref() {
        _ if recording.is_under_way() => "so far: it is still being made",
        _ if !meta.complete => "not finished: the recorder ended before its window did",
        Some("elapsed") => "as long as was asked",
        Some("interrupted") => "interrupted",
        Some("command_ended") => "the command ended",
        other => other.unwrap_or("it is not known why"),
    }
}

/// The wall clock in UTC, and the clock of the events.
fn clock(meta: &Meta, at: u64) -> String {
    let wall = i128::from(at) + i128::from(meta.wall_offset_ns);
    let instant = jiff::Timestamp::from_nanosecond(wall).map_or_else(|_| "?".to_owned(), |instant| instant.to_string());
    format!("{instant} (at {at} ns)")
}

fn seconds(ns: u64) -> String {
    format!("{}.{:03}s", ns / 1_000_000_000, ns % 1_000_000_000 / 1_000_000)
}

fn cause(key: &str) -> &str {
    LOSSES.iter().find(|(known, _)| *known == key).map_or(key, |(_, words)| words)
}

fn lost(meta: &Meta, gaps: &[Gap]) -> String {
    // Of a recording that was not finished only its gaps are known.
    let mut causes: Vec<(&str, u64)> = meta.losses.iter().map(|(key, count)| (key.as_str(), *count)).collect();
    if !meta.complete {
        for gap in gaps {
            match causes.iter_mut().find(|(key, _)| *key == gap.cause) {
                Some((_, count)) => *count += gap.count,
                None => causes.push((gap.cause, gap.count)),
            }
        }
    }
    if causes.is_empty() {
        return "nothing".to_owned();
    }
    causes.iter().map(|(key, count)| format!("{count}: {}", cause(key))).collect::<Vec<_>>().join("; ")
}

fn told(meta: &Meta, gap: &Gap) -> String {
    let since = |at: u64| seconds(at.saturating_sub(meta.start_ns));
    let place = gap.cpu.map_or_else(String::new, |cpu| format!(" on CPU {cpu}"));
    format!("{} between {} and {}{place} ({})", gap.count, since(gap.from), since(gap.to), gap.cause)
}
