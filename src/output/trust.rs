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
    let mut parts = vec![format!("{window} window{end}")];
    // A filter that is decided before a row is made leaves nothing to count.
    if meta.rows_seen >= meta.rows_matched {
        parts.push(format!("{} seen", count(meta.rows_seen)));
    }
    parts.push(format!("{} matched", count(meta.rows_matched)));
    if meta.has_loss() {
        let happened = meta.loss.iter().filter(|c| c.count > 0);
        let causes: Vec<String> = happened.map(|c| format!("{} {}", c.label, count(c.count))).collect();
        // Of what should have been seen: what was, and what is known to be lost.
        let share = meta.lost as f64 * 100.0 / meta.rows_seen.saturating_add(meta.lost) as f64;
        let loss = format!("LOSS {} ({}: {})", count(meta.lost), units::percent(share), causes.join(", "));
        parts.push(style.alarm(&loss));
    } else {
        parts.push("no loss".to_owned());
    }
    if meta.open > 0 {
        parts.push(format!("{} still open at the end", count(meta.open)));
    }
    parts.extend(meta.set_aside.iter().filter(|c| c.count > 0).map(|c| format!("{} {}", count(c.count), c.label)));
    let separator = if style.unicode { " · " } else { ", " };
    let mut lines = vec![parts.join(separator)];
    lines.extend(meta.notes.iter().map(|note| format!("note: {note}")));
    lines
}
