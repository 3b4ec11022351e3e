//! What is told of a recording that was made.

use super::{Style, units};
use crate::name;
use crate::source::trace::write::Written;

/// A line on what it holds and how far it can be trusted.
pub fn lines(path: &str, written: &Written, style: &Style) -> Vec<String> {
    let meta = &written.meta;
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let length = units::duration(number(meta.end_ns.saturating_sub(meta.start_ns)), style);
    let mut parts = vec![
        format!(
            "recorded {} events of {} tasks in {length}",
            units::count(number(meta.events())),
            units::count(number(meta.tasks()))
        ),
        format!("{} in '{}'", size(written.bytes), name::escape(path.as_bytes())),
    ];
    if meta.lost() == 0 {
        parts.push("no loss".to_owned());
    } else {
        let causes: Vec<String> = meta
            .losses
            .iter()
            .map(|(cause, count)| format!("{} {}", cause.replace('_', " "), units::count(number(*count))))
            .collect();
        let share = meta.lost() as f64 * 100.0 / (meta.events() + meta.lost()) as f64;
        let total = units::count(number(meta.lost()));
        parts.push(style.alarm(&format!("LOSS {total} ({}: {})", units::percent(share), causes.join(", "))));
    }
    vec![parts.join(if style.unicode { " · " } else { ", " })]
}

/// Bytes for people.
pub fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
