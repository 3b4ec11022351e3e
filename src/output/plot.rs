//! Histograms and heat maps as pictures: SVG, or a page of HTML that says beside it what the picture shows.

use std::io::{self, Write};

use plotters::coord::Shift;
use plotters::prelude::{BLACK, Color, DrawingArea, IntoDrawingArea, RGBColor, Rectangle, SVGBackend, Text, WHITE};
use plotters::style::{IntoFont, TextStyle};

use super::grid::{self, Cell};
use super::heatmap::{self, Map, rough};
use super::table::bound;
use super::{Style, trust, units};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::buckets::Bucket;
use crate::frame::{Frame, Measured, Scale};
use crate::lang::ast::Stat;
use crate::plan::Plan;

const WIDTH: u32 = 960;
/// Of one group's picture.
const HEIGHT: u32 = 340;
/// Of a heading over it.
const HEADING: u32 = 22;
/// Groups beyond make no picture that anybody looks at.
const MOST_GROUPS: usize = 64;
/// Columns of a heat map.
const COLUMNS: usize = 240;

const LEFT: i32 = 90;
const RIGHT: i32 = 16;
const TOP: i32 = 10;
const BOTTOM: i32 = 48;

const BAR: RGBColor = RGBColor(0x33, 0x66, 0x99);
/// As in the terminal: one hue that darkens.
const FEW: (f64, f64, f64) = (255.0, 245.0, 205.0);
const MANY: (f64, f64, f64) = (130.0, 0.0, 0.0);

/// Whether the plan's result can be drawn: asked before the window starts.
pub fn accepts(plan: &Plan) -> Result<(), Diagnostic> {
    let drawn = |stat: &Stat| matches!(stat, Stat::Hist | Stat::HistLinear { .. });
    match plan.rest.stats.as_slice() {
        [only] if drawn(&only.stat) => Ok(()),
        _ => Err(Diagnostic::new("no-picture", Exit::Wrong, "only a histogram can be drawn as .svg or .html")
            .help("ask for `hist` alone; with `every D` it becomes a heat map")
            .help("other results go to .parquet .csv .json .ndjson")),
    }
}

pub fn svg(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    out.write_all(picture(frame)?.as_bytes())
}

pub fn html(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let style = paper();
    let title = escape(&frame.meta.query);
    let picture = picture(frame)?;
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>")?;
    writeln!(
        out,
        "<style>body {{ font-family: sans-serif; margin: 2em; max-width: {WIDTH}px }} pre {{ white-space: pre-wrap }}</style>"
    )?;
    writeln!(
        out,
        "</head>\n<body>\n<h1><code>{title}</code></h1>\n{picture}\n<h2>How far it can be trusted</h2>\n<pre>"
    )?;
    for line in trust::lines(&frame.meta, &style) {
        writeln!(out, "{}", escape(&line))?;
    }
    writeln!(out, "</pre>\n<h2>Where</h2>\n<table>")?;
    for (name, value) in &frame.meta.host {
        writeln!(out, "<tr><th align=\"left\">{}</th><td>{}</td></tr>", escape(name), escape(value))?;
    }
    writeln!(out, "</table>\n</body>\n</html>")
}

/// Text for a page, where nothing in it may act.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// How text in a picture looks: nothing here depends on a terminal, nor on where it is drawn.
fn paper() -> Style {
    Style { color: false, unicode: true, width: usize::MAX, zone: jiff::tz::TimeZone::UTC }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn picture(frame: &Frame) -> io::Result<String> {
    let style = paper();
    let Some(measure) = grid::measure(frame) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a picture, and this result is no histogram"));
    };
    let drawings: Vec<Drawing> = if heatmap::applies(frame) {
        let maps = heatmap::maps(frame, COLUMNS, &style).map_err(io::Error::other)?;
        maps.into_iter().map(Drawing::Map).collect()
    } else {
        let cells = grid::of(frame, &style).map_err(io::Error::other)?;
        let all: Vec<Bucket> = cells.iter().flat_map(|cell| cell.buckets.iter().copied()).collect();
        let bounds = rough(&all, measure.scale);
        cells.iter().map(|cell| drawing_of(cell, &bounds, measure.scale)).collect()
    };
    let left_out = drawings.len().saturating_sub(MOST_GROUPS);
    let shown = &drawings[..drawings.len() - left_out];
    let height = (HEIGHT + HEADING) * shown.len().max(1) as u32 + HEADING;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&root, shown, left_out, measure.label, measure.scale, &style)
            .map_err(|e| io::Error::other(e.to_string()))?;
        root.present().map_err(|e| io::Error::other(e.to_string()))?;
    }
    Ok(text)
}

enum Drawing {
    /// Of one group; the bounds are those of all, so that pictures can be held beside each other.
    Bars {
        heading: String,
        buckets: Vec<Bucket>,
    },
    Map(Map),
}

fn drawing_of(cell: &Cell, bounds: &[Bucket], scale: Scale) -> Drawing {
    let own = rough(&cell.buckets, scale);
    let count = |bound: &Bucket| own.iter().filter(|b| (b.lo, b.hi) == (bound.lo, bound.hi)).map(|b| b.count).sum();
    let buckets = bounds.iter().map(|bound| Bucket { count: count(bound), ..*bound }).collect();
    Drawing::Bars { heading: cell.heading.clone(), buckets }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(root: &Area<'_>, drawings: &[Drawing], left_out: usize, label: &str, scale: Scale, style: &Style) -> Drawn {
    root.fill(&WHITE)?;
    if drawings.is_empty() {
        write(root, "no rows", (LEFT, TOP + 8), 14.0)?;
    }
    let most = drawings.iter().map(|drawing| match drawing {
        Drawing::Map(map) => map.counts.iter().flatten().copied().max().unwrap_or(0),
        Drawing::Bars { .. } => 0,
    });
    let most = most.max().unwrap_or(0);
    for (at, drawing) in drawings.iter().enumerate() {
        let top = ((HEIGHT + HEADING) * at as u32) as i32;
        let area = root.clone().shrink((0, top as u32), (WIDTH, HEIGHT + HEADING));
        match drawing {
            Drawing::Bars { heading, buckets } => bars(&area, heading, buckets, label, scale, style)?,
            Drawing::Map(map) => map_of(&area, map, most, label, scale, style)?,
        }
    }
    if left_out > 0 {
        let y = ((HEIGHT + HEADING) * drawings.len() as u32) as i32;
        write(root, &format!("{left_out} more groups are not drawn: filter, or group by less"), (LEFT, y), 14.0)?;
    }
    Ok(())
}

fn write(area: &Area<'_>, text: &str, at: (i32, i32), size: f64) -> Drawn {
    let font = TextStyle::from(("sans-serif", size).into_font()).color(&BLACK);
    area.draw(&Text::new(text.to_owned(), at, font))?;
    Ok(())
}

fn unit_of(scale: Scale) -> Measured {
    match scale {
        Scale::LogLinear { unit } | Scale::Linear { unit, .. } => unit,
    }
}

/// The place for the picture inside of its axes: left, top, right, bottom.
fn inside() -> (i32, i32, i32, i32) {
    (LEFT, TOP + HEADING as i32, WIDTH as i32 - RIGHT, (HEIGHT + HEADING) as i32 - BOTTOM)
}

fn frame_line(area: &Area<'_>) -> Drawn {
    let (left, top, right, bottom) = inside();
    area.draw(&Rectangle::new([(left, top), (right, bottom)], BLACK.mix(0.4).stroke_width(1)))?;
    Ok(())
}

fn bars(area: &Area<'_>, heading: &str, buckets: &[Bucket], label: &str, scale: Scale, style: &Style) -> Drawn {
    let total: u64 = buckets.iter().map(|b| b.count).sum();
    let heading = match heading.is_empty() {
        true => format!("{label}, {} samples", units::count(total as i64)),
        false => format!("{heading}: {label}, {} samples", units::count(total as i64)),
    };
    write(area, &heading, (LEFT, 6), 15.0)?;
    let (left, top, right, bottom) = inside();
    let most = buckets.iter().map(|b| b.count).max().unwrap_or(0).max(1);
    let width = f64::from(right - left) / buckets.len().max(1) as f64;
    for quarter in 0..=4u64 {
        let y = bottom - ((bottom - top) as f64 * quarter as f64 / 4.0) as i32;
        area.draw(&Rectangle::new([(left, y), (right, y)], BLACK.mix(0.1).stroke_width(1)))?;
        let count = (most as f64 * quarter as f64 / 4.0).round() as i64;
        write(area, &units::count(count), (8, y - 7), 12.0)?;
    }
    let each = labels_every(buckets.len(), 12);
    for (at, bucket) in buckets.iter().enumerate() {
        let x = left + (width * at as f64) as i32;
        let to = left + (width * (at + 1) as f64) as i32 - 1;
        let y = bottom - ((bottom - top) as f64 * bucket.count as f64 / most as f64).ceil() as i32;
        if bucket.count > 0 {
            area.draw(&Rectangle::new([(x, y.min(bottom - 1)), (to.max(x + 1), bottom)], BAR.filled()))?;
        }
        if at % each == 0 {
            write(area, &bound(bucket.lo, unit_of(scale), style), (x, bottom + 8), 12.0)?;
        }
    }
    if let Some(end) = buckets.last().and_then(|last| last.hi) {
        write(area, &bound(end, unit_of(scale), style), (right - 40, bottom + 24), 12.0)?;
    }
    frame_line(area)
}

fn map_of(area: &Area<'_>, map: &Map, most: u64, label: &str, scale: Scale, style: &Style) -> Drawn {
    let total: u64 = map.counts.iter().flatten().sum();
    let column = units::duration(i64::try_from(map.column_ns).unwrap_or(i64::MAX), style);
    let what = format!("{label}, {} samples, a column is {column}", units::count(total as i64));
    let heading = if map.heading.is_empty() { what } else { format!("{}: {what}", map.heading) };
    write(area, &heading, (LEFT, 6), 15.0)?;
    let (left, top, right, bottom) = inside();
    let (rows, columns) = (map.bounds.len().max(1), map.starts.len().max(1));
    let (width, height) = (f64::from(right - left) / columns as f64, f64::from(bottom - top) / rows as f64);
    let row_labels = labels_every(rows, 14);
    for (row, counts) in map.counts.iter().enumerate() {
        let low = bottom - (height * row as f64) as i32;
        let high = bottom - (height * (row + 1) as f64) as i32;
        if row % row_labels == 0 {
            write(area, &bound(map.bounds[row].lo, unit_of(scale), style), (8, low - 12), 12.0)?;
        }
        for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (x, to) = (left + (width * at as f64) as i32, left + (width * (at + 1) as f64) as i32);
            let share = if most <= 1 { 1.0 } else { ((*count as f64).ln() + 1.0) / ((most as f64).ln() + 1.0) };
            area.draw(&Rectangle::new([(x, high), (to.max(x + 1), low)], shade(share).filled()))?;
        }
    }
    let decimals = if map.column_ns.is_multiple_of(1_000_000_000) { 0 } else { 3 };
    let each = labels_every(columns, 6);
    for (at, start) in map.starts.iter().enumerate().filter(|(at, _)| at % each == 0) {
        let x = left + (width * at as f64) as i32;
        write(area, &units::time_of_day(*start, decimals, style), (x, bottom + 8), 12.0)?;
    }
    write(
        area,
        &format!("UTC; the darkest is {} in a column, by the logarithm", units::count(most as i64)),
        (left, bottom + 26),
        12.0,
    )?;
    frame_line(area)
}

/// Every which one has a label, so that there are at most so many.
fn labels_every(count: usize, most: usize) -> usize {
    count.div_ceil(most).max(1)
}

fn shade(share: f64) -> RGBColor {
    let mix = |few: f64, many: f64| (few + (many - few) * share.clamp(0.0, 1.0)).round() as u8;
    RGBColor(mix(FEW.0, MANY.0), mix(FEW.1, MANY.1), mix(FEW.2, MANY.2))
}
