//! A result for somebody who looks at a screen: as much of it as there is room for, and a word on the rest.

use polars::prelude::PolarsResult;
use unicode_width::UnicodeWidthStr;

use super::{Style, histogram, table, units};
use crate::frame::Frame;

/// Lines besides rows: the prompt before and after, a table's header, what is said of the rest and of losses.
const BESIDES: usize = 10;
/// On a lower screen it scrolls.
const LEAST: usize = 5;

/// The text for a screen of so many lines; `name` is how all of it can be had.
pub fn render(frame: &Frame, style: &Style, lines: usize, name: &str) -> PolarsResult<String> {
    let room = lines.saturating_sub(BESIDES).max(LEAST);
    if histogram::applies(frame) {
        let text = histogram::render(frame, style)?;
        let rest = text.lines().count().saturating_sub(room + 2);
        // A few lines more are no reason to hide them.
        if rest <= BESIDES {
            return Ok(text);
        }
        let shown: String = text.lines().take(room).map(|line| format!("{line}\n")).collect();
        let rest = text.lines().count() - room;
        return Ok(shown + &remark(&format!("{} more lines", units::count(rest as i64)), name, style));
    }
    let rows = frame.data.height();
    if rows <= room + 1 {
        return table::render(frame, style);
    }
    let text = table::render(&frame.first_rows(room), style)?;
    Ok(text + &remark(&format!("{} more rows", units::count((rows - room) as i64)), name, style))
}

fn remark(rest: &str, name: &str, style: &Style) -> String {
    let dots = if style.unicode { "…" } else { "..." };
    let long = format!("{dots} {rest}: show {name} prints all, save {name} to 'FILE.parquet' keeps it");
    let said = if long.width() <= style.width { long } else { format!("{dots} {rest}: show {name}") };
    format!("{}\n", style.faint(&said))
}
