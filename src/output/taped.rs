//! What is told of a recording that was made.

use super::{Style, units};
use crate::name;

/// What a recording came to.
pub struct Taped<'a> {
    /// As it was typed.
    pub path: &'a str,
    pub bytes: u64,
    pub length_ns: u64,
    pub events: u64,
    pub tasks: u64,
    /// By cause.
    pub lost: Vec<(&'a str, u64)>,
    /// Sentences for people.
    pub notes: &'a [String],
}

/// A line on what it holds and how far it can be trusted, then one per note.
pub fn lines(taped: &Taped<'_>, style: &Style) -> Vec<String> {
    let count = |n: u64| units::count(i64::try_from(n).unwrap_or(i64::MAX));
    let length = units::duration(i64::try_from(taped.length_ns).unwrap_or(i64::MAX), style);
    let path = name::escape(taped.path.as_bytes());
    let mut parts = vec![
        format!("recorded {} events of {} tasks in {length}", count(taped.events), count(taped.tasks)),
        format!("{} in '{path}'", size(taped.bytes)),
    ];
    let lost: u64 = taped.lost.iter().map(|(_, count)| count).sum();
    if lost == 0 {
        parts.push("no loss".to_owned());
    } else {
        let cause = |(cause, n): &(&str, u64)| format!("{} {}", cause.replace('_', " "), count(*n));
        let causes: Vec<String> = taped.lost.iter().filter(|(_, n)| *n > 0).map(cause).collect();
        let share = lost as f64 * 100.0 / (taped.events + lost) as f64;
        parts.push(style.alarm(&format!("LOSS {} ({}: {})", count(lost), units::percent(share), causes.join(", "))));
    }
    let mut lines = vec![parts.join(if style.unicode { " · " } else { ", " })];
    lines.extend(taped.notes.iter().map(|note| format!("note: {note}")));
    lines
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
