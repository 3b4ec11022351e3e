//! A histogram over time: intervals from left to right, values from bottom to top, and how many by shade or colour.

use polars::prelude::PolarsResult;
use unicode_width::UnicodeWidthStr;

use super::grid::{self, Cell};
use super::table::bound;
use super::{Style, units};
use crate::frame::buckets::{Bucket, fill_linear, powers_of_two};
use crate::frame::{Frame, Measured, Scale};

/// The most columns that an interval each may take, however wide the terminal.
const WIDEST: usize = 240;
/// Terminals narrower than this are written over the edge of.
const NARROWEST: usize = 8;

/// Backgrounds of the 256-colour palette from few to many: one hue that darkens, so that it can also be told apart by
/// whoever does not see all colours.
const COLORS: [u8; 6] = [230, 222, 214, 202, 160, 88];
const SHADES: [char; 4] = ['░', '▒', '▓', '█'];
const ASCII: [char; 6] = ['.', ':', '-', '=', '*', '#'];

/// Whether this frame is one for [`render`]: a histogram for each interval.
pub fn applies(frame: &Frame) -> bool {
    grid::measure(frame).is_some() && grid::interval_ns(frame).is_some()
}

/// A group's histograms over time.
pub(super) struct Map {
    pub heading: String,
    /// The start of each column, nanoseconds since the epoch, and how long all are.
    pub starts: Vec<i64>,
    pub column_ns: u64,
    /// From the lowest up.
    pub bounds: Vec<Bucket>,
    /// By bucket and column.
    pub counts: Vec<Vec<u64>>,
}

/// Every group's map with at most so many columns: intervals beside each other are put together until they fit.
pub(super) fn maps(frame: &Frame, most_columns: usize, style: &Style) -> PolarsResult<Vec<Map>> {
    let (Some(measure), Some(interval)) = (grid::measure(frame), grid::interval_ns(frame)) else {
        return Ok(Vec::new());
    };
    let cells = grid::of(frame, style)?;
    let times: Vec<i64> = cells.iter().filter_map(|cell| cell.interval).collect();
    let (Some(first), Some(last)) = (times.iter().min().copied(), times.iter().max().copied()) else {
        return Ok(Vec::new());
    };
    let interval = i64::try_from(interval.max(1)).unwrap_or(i64::MAX);
    // Quiet intervals between two others have a column too.
    let intervals = ((last - first) / interval + 1) as usize;
    let together = intervals.div_ceil(most_columns.max(1)).max(1);
    let columns = intervals.div_ceil(together);
    let column_ns = (interval as u64).saturating_mul(together as u64);
    let starts: Vec<i64> =
        (0..columns).map(|c| first.saturating_add((column_ns as i64).saturating_mul(c as i64))).collect();
    // Over all groups the same values, so that maps can be held beside each other.
    let all: Vec<Bucket> = cells.iter().flat_map(|cell| cell.buckets.iter().copied()).collect();
    let bounds = rough(&all, measure.scale);
    let mut found: Vec<Map> = Vec::new();
    for cell in &cells {
        let at = match found.iter().position(|map| map.heading == cell.heading) {
            Some(at) => at,
            None => {
                let counts = vec![vec![0; columns]; bounds.len()];
                let (heading, starts) = (cell.heading.clone(), starts.clone());
                found.push(Map { heading, starts, column_ns, bounds: bounds.clone(), counts });
                found.len() - 1
            }
        };
        add(&mut found[at], cell, first, interval, together, measure.scale);
    }
    Ok(found)
}

fn add(map: &mut Map, cell: &Cell, first: i64, interval: i64, together: usize, scale: Scale) {
    let Some(start) = cell.interval else { return };
    let column = ((start - first) / interval) as usize / together;
    for bucket in rough(&cell.buckets, scale) {
        if let Some(row) = map.bounds.iter().position(|bound| (bound.lo, bound.hi) == (bucket.lo, bucket.hi)) {
            map.counts[row][column] += bucket.count;
        }
    }
}

/// Buckets as people see them, the empty ones between included: of several groups' buckets, the bounds of all.
pub(super) fn rough(buckets: &[Bucket], scale: Scale) -> Vec<Bucket> {
    match scale {
        Scale::LogLinear { .. } => powers_of_two(buckets),
        Scale::Linear { lo, hi, step, .. } => {
            let mut sorted = buckets.to_vec();
            sorted.sort_by_key(|bucket| bucket.lo);
            fill_linear(&sorted, lo, hi, step)
        }
    }
}

/// Every group's heat map. A frame that has none gives an empty text.
pub fn render(frame: &Frame, style: &Style) -> PolarsResult<String> {
    let Some(measure) = grid::measure(frame) else { return Ok(String::new()) };
    let unit = match measure.scale {
        Scale::LogLinear { unit } | Scale::Linear { unit, .. } => unit,
    };
    // The labels' width is only known with the buckets; they are the same for any number of columns.
    let labels = maps(frame, 1, style)?.first().map(|map| labels(map, unit, style)).unwrap_or_default();
    let label_width = labels.iter().map(|l| l.width()).max().unwrap_or(0).max(measure.label.width());
    let room = style.width.saturating_sub(label_width + 2).clamp(NARROWEST, WIDEST);
    let maps = maps(frame, room, style)?;
    if maps.is_empty() {
        return Ok("(no rows)\n".to_owned());
    }
    let most = maps.iter().flat_map(|map| map.counts.iter().flatten()).copied().max().unwrap_or(0);
    let mut out = String::new();
    for (at, map) in maps.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        if !map.heading.is_empty() {
            out.push_str(&format!("{}\n", style.bold(&map.heading)));
        }
        out.push_str(&format!("{}\n", style.faint(measure.label)));
        for (row, label) in labels.iter().enumerate().rev() {
            let cells = shades(&map.counts[row], most, style);
            let line = format!("{}{label}  {cells}", " ".repeat(label_width - label.width()));
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push_str(&axis(map, label_width, style));
    }
    out.push_str(&legend(&maps[0], most, style));
    Ok(out)
}

/// The lower bound of each row.
fn labels(map: &Map, unit: Measured, style: &Style) -> Vec<String> {
    map.bounds.iter().map(|b| bound(b.lo, unit, style)).collect()
}

fn levels(style: &Style) -> usize {
    match (style.color, style.unicode) {
        (true, _) => COLORS.len(),
        (false, true) => SHADES.len(),
        (false, false) => ASCII.len(),
    }
}

/// The level of a count, by its logarithm: a rare value must not be lost beside many.
fn level(count: u64, most: u64, levels: usize) -> usize {
    if most <= 1 {
        return levels - 1;
    }
    let share = (count as f64).ln() / (most as f64).ln();
    ((share * levels as f64) as usize).min(levels - 1)
}

fn shade(count: u64, most: u64, style: &Style) -> String {
    shades(&[count], most, style)
}

/// A line of counts; cells of one colour beside each other have one escape sequence.
fn shades(counts: &[u64], most: u64, style: &Style) -> String {
    let level_of = |count: &u64| (*count > 0).then(|| level(*count, most, levels(style)));
    let mut out = String::new();
    for run in counts.chunk_by(|a, b| level_of(a) == level_of(b)) {
        let length = run.len();
        match (level_of(&run[0]), style.color, style.unicode) {
            (None, _, _) => out.push_str(&" ".repeat(length)),
            (Some(level), true, _) => {
                out.push_str(&format!("\x1b[48;5;{}m{}\x1b[0m", COLORS[level], " ".repeat(length)))
            }
            (Some(level), false, true) => out.extend(std::iter::repeat_n(SHADES[level], length)),
            (Some(level), false, false) => out.extend(std::iter::repeat_n(ASCII[level], length)),
        }
    }
    out
}

/// When it begins and ends.
fn axis(map: &Map, label_width: usize, style: &Style) -> String {
    let (Some(first), Some(last)) = (map.starts.first(), map.starts.last()) else { return String::new() };
    let decimals = if map.column_ns.is_multiple_of(1_000_000_000) { 0 } else { 3 };
    let from = units::time_of_day(*first, decimals, style);
    let to = units::time_of_day(last.saturating_add(map.column_ns as i64), decimals, style);
    let gap = map.starts.len().saturating_sub(from.width() + to.width());
    // Where both do not fit, the beginning is enough.
    let text = if gap > 0 { format!("{from}{}{to}", " ".repeat(gap)) } else { from };
    format!("{}  {}\n", " ".repeat(label_width), style.faint(&text))
}

/// What a column is and what each shade means.
fn legend(map: &Map, most: u64, style: &Style) -> String {
    let column = units::duration(i64::try_from(map.column_ns).unwrap_or(i64::MAX), style);
    let count = levels(style);
    let mut parts = vec![format!("a column is {column}")];
    let mut from = 1;
    for at in 0..count {
        // The greatest count of this level.
        let to = match at + 1 == count {
            true => most,
            false => ((most as f64).powf((at + 1) as f64 / count as f64).ceil() as u64).saturating_sub(1),
        };
        if to < from {
            continue;
        }
        let shade = shade(to, most, style);
        let range = if from == to {
            units::count(from as i64)
        } else {
            format!("{}-{}", units::count(from as i64), units::count(to as i64))
        };
        parts.push(format!("{shade} {range}"));
        from = to + 1;
    }
    let mut out = String::new();
    let mut width = 0;
    for part in parts {
        // Escape sequences have no width; a shade has one column.
        let plain = part.rsplit("\x1b[0m").next().map_or(0, |rest| rest.width() + usize::from(part.contains('\x1b')));
        let plain = if part.contains('\x1b') { plain } else { part.width() };
        if width > 0 && width + 2 + plain > style.width {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push_str("  ");
            width += 2;
        }
        out.push_str(&part);
        width += plain;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(color: bool, unicode: bool) -> Style {
        Style { color, unicode, width: 80, zone: jiff::tz::TimeZone::UTC }
    }

    #[test]
    fn a_level_for_every_count() {
        for levels in [4, 6] {
            for most in [1, 2, 3, 10, 1000, u64::MAX] {
                let mut last = 0;
                for count in [1, 2, 3, 9, 10, 500, 1000, u64::MAX].into_iter().filter(|c| *c <= most) {
                    let level = level(count, most, levels);
                    assert!(level >= last && level < levels, "{count} of {most}");
                    last = level;
                }
                assert_eq!(level(most, most, levels), levels - 1);
            }
        }
    }

    #[test]
    fn nothing_is_blank_and_something_is_not() {
        for style in [style(false, true), style(false, false), style(true, true)] {
            assert_eq!(shade(0, 10, &style), " ");
            assert_ne!(shade(1, 1_000_000, &style), " ");
        }
        assert_eq!(shade(1_000_000, 1_000_000, &style(false, true)), "█");
        assert_eq!(shade(1, 1_000_000, &style(false, false)), ".");
    }
}
