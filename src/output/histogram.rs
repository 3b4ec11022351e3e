//! A lone histogram for people: one block per group, its bars and what they add up to.

use polars::prelude::PolarsResult;
use unicode_width::UnicodeWidthStr;

use super::cells::Value;
use super::grid::{self, Measure};
use super::table::{bound, text};
use super::{Style, bars, units};
use crate::frame::buckets::{Bucket, fill_linear, powers_of_two};
use crate::frame::meta::Totals;
use crate::frame::{Frame, Measured, Role, Scale};

/// The longest bar, however wide the terminal.
const LONGEST: usize = 60;
/// The shortest that is of use.
const SHORTEST: usize = 4;

/// Whether this frame is one for [`render`]: a histogram in long form.
pub fn applies(frame: &Frame) -> bool {
    grid::measure(frame).is_some()
}

/// Every group's histogram. A frame that is none gives an empty text.
pub fn render(frame: &Frame, style: &Style) -> PolarsResult<String> {
    let Some(Measure { label, scale }) = grid::measure(frame) else { return Ok(String::new()) };
    let blocks = blocks(frame, style)?;
    if blocks.is_empty() {
        return Ok("(no rows)\n".to_owned());
    }
    let unit = match scale {
        Scale::LogLinear { unit } | Scale::Linear { unit, .. } => unit,
    };
    let mut out = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        if !block.heading.is_empty() {
            out.push_str(&format!("{}\n", style.bold(&block.heading)));
        }
        let buckets = match scale {
            Scale::LogLinear { .. } => powers_of_two(&block.buckets),
            Scale::Linear { lo, hi, step, .. } => fill_linear(&block.buckets, lo, hi, step),
        };
        draw(&mut out, label, &buckets, unit, style);
        if let Some(totals) = frame.meta.groups.get(at) {
            out.push_str(&format!("{}\n", summary(totals, unit, style)));
        }
    }
    if blocks.len() > 1 {
        out.push_str(&format!("\n{}\n{}\n", style.bold("all"), summary(&frame.meta.totals, unit, style)));
    }
    Ok(out)
}

/// One group, of one interval.
struct Block {
    heading: String,
    buckets: Vec<Bucket>,
}

fn blocks(frame: &Frame, style: &Style) -> PolarsResult<Vec<Block>> {
    let interval = frame.columns.iter().find(|column| matches!(column.role, Role::Interval(_)));
    let block = |cell: grid::Cell| {
        let start = cell.interval.zip(interval);
        let start = start.map(|(at, column)| text(&Value::Int(at), column.kind, column.role, style));
        let parts: Vec<String> = start.into_iter().chain((!cell.heading.is_empty()).then_some(cell.heading)).collect();
        Block { heading: parts.join("  "), buckets: cell.buckets }
    };
    Ok(grid::of(frame, style)?.into_iter().map(block).collect())
}

fn draw(out: &mut String, measure: &str, buckets: &[Bucket], unit: Measured, style: &Style) {
    let low: Vec<String> = buckets.iter().map(|b| bound(b.lo, unit, style)).collect();
    let high: Vec<String> = buckets.iter().map(|b| b.hi.map_or("...".into(), |hi| bound(hi, unit, style))).collect();
    let counts: Vec<String> = buckets.iter().map(|b| units::count(b.count as i64)).collect();
    let widest = |texts: &[String]| texts.iter().map(|t| t.width()).max().unwrap_or(0);
    let (low_width, high_width) = (widest(&low), widest(&high));
    let range_width = (low_width + high_width + 4).max(measure.width());
    let count_width = widest(&counts).max("count".len());
    let room = style.width.saturating_sub(range_width + count_width + 4);
    let longest = room.clamp(SHORTEST, LONGEST);
    let most = buckets.iter().map(|b| b.count).max().unwrap_or(0);
    let title = format!("{measure:<range_width$}  {:>count_width$}", "count");
    out.push_str(&format!("{}\n", style.faint(&title)));
    for (at, bucket) in buckets.iter().enumerate() {
        let pad = |text: &str, width: usize| " ".repeat(width - text.width());
        let range = format!("[{}{}, {}{})", pad(&low[at], low_width), low[at], pad(&high[at], high_width), high[at]);
        let bar = bars::bar(bucket.count, most, longest, style);
        let line = format!("{range}{}  {:>count_width$}  {bar}", pad(&range, range_width), counts[at]);
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// `305 samples, total 13.1ms, average 42.8µs`
fn summary(totals: &Totals, unit: Measured, style: &Style) -> String {
    let samples = if totals.count == 1 {
        "1 sample".to_owned()
    } else {
        format!("{} samples", units::count(totals.count as i64))
    };
    let Some(sum) = totals.sum.filter(|_| totals.count > 0) else { return samples };
    let average = match unit {
        Measured::Nanoseconds => bound((sum + totals.count / 2) / totals.count, unit, style),
        Measured::Plain => units::decimal(sum as f64 / totals.count as f64),
    };
    let line = format!("{samples}, total {}, average {average}", bound(sum, unit, style));
    if line.width() > style.width { line.replace(", total", "\ntotal") } else { line }
}
