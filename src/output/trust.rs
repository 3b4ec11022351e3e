//! The line that says how far a result can be trusted, and the notes that go with it.

use super::{Style, units};
use crate::frame::Meta;
use crate::source::Ended;

/// The line, then one per note.
pub fn lines(meta: &Meta, style: &Style) -> Vec<String> {
    let count = |n: u64| units::count(i64::try_from(n).unwrap_or(i64::MAX));
    let window = units::duration(i64::try_from(meta.window_ns).unwrap_or(i64::MAX), style);
    let end = match meta.ended {
        Ended::Elapsed => "",
        Ended::Interrupted => " (interrupted)",
        Ended::CommandEnded => " (until the command ended)",
        Ended::Complete => " (until all rows were there)",
    };
    let mut parts = vec![
        format!("{window} window{end}"),
        format!("{} seen", count(meta.rows_seen)),
        format!("{} matched", count(meta.rows_matched)),
    ];
    let causes = |causes: &[crate::frame::meta::Cause]| {
        let happened = causes.iter().filter(|c| c.count > 0);
        happened.map(|c| format!("{} {}", c.label, count(c.count))).collect::<Vec<_>>().join(", ")
    };
    if meta.has_loss() {
        let loss = format!("LOSS {} ({})", count(meta.lost), causes(&meta.loss));
        parts.push(style.alarm(&loss));
    } else {
        parts.push("no loss".to_owned());
    }
    if meta.open > 0 {
        parts.push(format!("{} still open at the end", count(meta.open)));
    }
    let aside = causes(&meta.set_aside);
    if !aside.is_empty() {
        parts.push(format!("left out: {aside}"));
    }
    let separator = if style.unicode { " · " } else { ", " };
    let mut lines = vec![parts.join(separator)];
    lines.extend(meta.notes.iter().map(|note| format!("note: {note}")));
    lines
}
