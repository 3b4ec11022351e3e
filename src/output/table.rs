//! The table for people: plain columns, numbers to the right, no borders to cut away with other tools.

use polars::prelude::PolarsResult;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::cells::{self, Value};
use super::{Style, bars, units};
use crate::frame::buckets::{Bucket, fill_linear, power_of, powers_of_two};
use crate::frame::{ColumnKind, Frame, FrameColumn, Mark, Measured, Role, Scale};

/// Between two columns.
const GAP: usize = 2;
/// To what a text column may be narrowed.
const NARROWEST: usize = 8;
/// What a column of numbers takes at least where further intervals follow, so that they seldom need a new header.
const ROOM_TO_GROW: usize = 8;

/// The whole frame.
pub fn render(frame: &Frame, style: &Style) -> PolarsResult<String> {
    Batches::default().render(frame, style)
}

/// The tables of consecutive intervals or rows: later ones go on under the first one's header as long as they fit its
/// columns.
#[derive(Debug, Default)]
pub struct Batches {
    /// More batches will come: columns get room for what these may hold.
    goes_on: bool,
    widths: Vec<usize>,
    /// The marks that have been explained.
    told: Vec<Mark>,
}

impl Batches {
    /// For tables that are shown while more of them come.
    pub fn that_go_on() -> Self {
        Self { goes_on: true, ..Self::default() }
    }

    pub fn render(&mut self, frame: &Frame, style: &Style) -> PolarsResult<String> {
        let columns = rendered(frame, style)?;
        let goes_on = self.goes_on || frame.columns.iter().any(|c| matches!(c.role, Role::Interval(_)));
        let least = |c: &FrameColumn| match (c.role, c.kind) {
            (Role::Stat, _) | (Role::Event, ColumnKind::Duration | ColumnKind::Number) if goes_on => ROOM_TO_GROW,
            // A thread's name is at most 15 bytes.
            (Role::Event, ColumnKind::Text) if goes_on => 15,
            _ => 0,
        };
        let mut wanted: Vec<usize> =
            columns.iter().zip(&frame.columns).map(|(column, of)| column.width().max(least(of))).collect();
        let fits = wanted.len() == self.widths.len() && wanted.iter().zip(&self.widths).all(|(w, have)| w <= have);
        if !self.widths.is_empty() && wanted.len() == self.widths.len() {
            wanted.iter_mut().zip(&self.widths).for_each(|(w, have)| *w = (*w).max(*have));
        }
        let first = self.widths.is_empty();
        self.widths = wanted.clone();
        Ok(lay_out(&columns, wanted, frame.data.height(), first || !fits, &mut self.told, style))
    }
}

struct RenderedColumn {
    header: String,
    cells: Vec<String>,
    to_the_right: bool,
    may_shrink: bool,
    marks: Vec<Mark>,
}

impl RenderedColumn {
    fn width(&self) -> usize {
        self.cells.iter().map(|c| c.width()).chain([self.header.width()]).max().unwrap_or(0)
    }
}

fn rendered(frame: &Frame, style: &Style) -> PolarsResult<Vec<RenderedColumn>> {
    let height = frame.data.height();
    let cells = cells::of(frame)?;
    let column = |(column, cells): (&FrameColumn, &cells::Cells)| {
        let spark = Spark::over(column, cells, height);
        let text = |row| match (cells.get(row), column.kind) {
            (Value::Buckets(buckets), _) => spark.draw(&buckets, style),
            (value, kind) => marked(text(&value, kind, column.role, style), column.mark(row)),
        };
        RenderedColumn {
            header: spark.header(column, style),
            cells: (0..height).map(text).collect(),
            to_the_right: !matches!(
                column.kind,
                ColumnKind::Text | ColumnKind::YesNo | ColumnKind::Time | ColumnKind::Buckets(_)
            ),
            may_shrink: column.kind == ColumnKind::Text,
            marks: column.marks.clone(),
        }
    };
    Ok(frame.columns.iter().zip(&cells).map(column).collect())
}

/// One value, empty where it is missing.
pub(super) fn text(value: &Value, kind: ColumnKind, role: Role, style: &Style) -> String {
    match (value, kind) {
        (Value::Missing | Value::Buckets(_), _) => String::new(),
        (Value::Int(ns), ColumnKind::Duration) => units::duration(*ns, style),
        (Value::Int(ns), ColumnKind::Time) => units::time_of_day(*ns, decimals(role), style),
        (Value::Int(n), ColumnKind::Count) => units::count(*n),
        (Value::Int(n), _) => n.to_string(),
        (Value::Float(x), ColumnKind::Rate) => units::rate(*x),
        (Value::Float(x), ColumnKind::Percent) => units::percent(*x),
        (Value::Float(ns), ColumnKind::Duration) => units::duration(ns.round() as i64, style),
        (Value::Float(x), _) => units::decimal(*x),
        (Value::Bool(answer), _) => if *answer { "yes" } else { "no" }.to_owned(),
        (Value::Text(text), _) => (*text).to_owned(),
    }
}

/// The start of an interval is told to the precision that tells intervals apart.
fn decimals(role: Role) -> usize {
    match role {
        Role::Interval(1_000_000_000..) => 0,
        Role::Interval(10_000_000..) => 3,
        _ => 6,
    }
}

fn marked(text: String, mark: Mark) -> String {
    match mark {
        Mark::None => text,
        Mark::Rough => format!("~{text}"),
        Mark::PastInterval => format!("*{text}"),
    }
}

/// Bars of a sparkline.
const WIDEST_SPARK: usize = 64;

/// A column of histograms as sparklines over one range, so that rows can be compared.
struct Spark {
    scale: Option<Scale>,
    low: u64,
    high: u64,
}

impl Spark {
    fn over(column: &FrameColumn, cells: &cells::Cells, height: usize) -> Self {
        let ColumnKind::Buckets(scale) = column.kind else { return Self { scale: None, low: 0, high: 0 } };
        let mut spark = Self { scale: Some(scale), low: u64::MAX, high: 0 };
        for row in 0..height {
            let Value::Buckets(buckets) = cells.get(row) else { continue };
            for bucket in buckets {
                spark.low = spark.low.min(bucket.lo);
                spark.high = spark.high.max(bucket.lo);
            }
        }
        spark
    }

    fn draw(&self, buckets: &[Bucket], style: &Style) -> String {
        let counts: Vec<u64> = match self.scale {
            Some(Scale::Linear { lo, hi, step, .. }) => {
                let edge = |at| Bucket { lo: at, hi: None, count: 0 };
                let all = fill_linear(&[edge(self.low), edge(self.high)], lo, hi, step);
                all.iter().map(|b| buckets.iter().find(|f| f.lo == b.lo).map_or(0, |f| f.count)).collect()
            }
            _ => {
                let mut counts = vec![0; (power_of(self.high) + 1).saturating_sub(power_of(self.low))];
                for bucket in powers_of_two(buckets) {
                    counts[power_of(bucket.lo) - power_of(self.low)] = bucket.count;
                }
                counts
            }
        };
        // Powers of two are never more; equal steps may be thousands.
        let of_each = counts.len().div_ceil(WIDEST_SPARK).max(1);
        let counts: Vec<u64> = counts.chunks(of_each).map(|some| some.iter().sum()).collect();
        bars::spark(&counts, style).trim_end().to_owned()
    }

    fn header(&self, column: &FrameColumn, style: &Style) -> String {
        let (unit, from, to) = match self.scale {
            _ if self.low > self.high => return column.label.clone(),
            None => return column.label.clone(),
            Some(Scale::LogLinear { unit }) => {
                let powers = [power_of(self.low), power_of(self.high)];
                let from = if powers[0] == 0 { 0 } else { 1 << (powers[0] - 1) };
                (unit, from, 1u64.checked_shl(powers[1] as u32).unwrap_or(u64::MAX))
            }
            Some(Scale::Linear { unit, hi, step, .. }) => (unit, self.low, self.high.saturating_add(step).min(hi)),
        };
        let bound = |value: u64| bound(value, unit, style);
        format!("{} {}{}{}", column.label, bound(from), if style.unicode { "–" } else { "-" }, bound(to))
    }
}

/// A bound of a bucket.
pub(super) fn bound(value: u64, unit: Measured, style: &Style) -> String {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    match unit {
        Measured::Nanoseconds => units::duration(value, style),
        Measured::Plain => units::count(value),
    }
}

fn lay_out(
    columns: &[RenderedColumn],
    mut widths: Vec<usize>,
    height: usize,
    header: bool,
    told: &mut Vec<Mark>,
    style: &Style,
) -> String {
    let shown = narrow(columns, &mut widths, style.width);
    let mut out = String::new();
    let remark =
        |out: &mut String, text: &str| out.push_str(&format!("{}\n", style.faint(&cut(text, style.width, style))));
    let line = |cell: &dyn Fn(&RenderedColumn) -> String, paint: &dyn Fn(&str) -> String| {
        let mut text = String::new();
        for (column, width) in columns.iter().zip(&widths).take(shown) {
            if !text.is_empty() {
                text.push_str(&" ".repeat(GAP));
            }
            text.push_str(&pad(&cut(&cell(column), *width, style), *width, column.to_the_right));
        }
        format!("{}\n", paint(text.trim_end()))
    };
    if header {
        out.push_str(&line(&|c| c.header.clone(), &|text| style.bold(text)));
        let rule = if style.unicode { "─" } else { "-" };
        let rules: Vec<String> = widths.iter().take(shown).map(|w| rule.repeat(*w)).collect();
        out.push_str(&format!("{}\n", style.faint(&rules.join(&" ".repeat(GAP)))));
    }
    for row in 0..height {
        out.push_str(&line(&|c| c.cells[row].clone(), &str::to_owned));
    }
    if height == 0 && header {
        out.push_str("(no rows)\n");
    }
    if shown < columns.len() {
        let names: Vec<&str> = columns[shown..].iter().map(|c| c.header.as_str()).collect();
        remark(&mut out, &format!("(too narrow for: {})", names.join(", ")));
    }
    for (mark, meaning) in
        [(Mark::Rough, "~ rough: too few samples"), (Mark::PastInterval, "* longer than its interval")]
    {
        if !told.contains(&mark) && columns.iter().take(shown).any(|c| c.marks.contains(&mark)) {
            told.push(mark);
            remark(&mut out, meaning);
        }
    }
    out
}

/// Narrows text columns, the widest first, until the line fits; what does not fit even so loses its last columns, but
/// for one. Returns how many columns are shown.
fn narrow(columns: &[RenderedColumn], widths: &mut [usize], available: usize) -> usize {
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    for shown in (1..=widths.len()).rev() {
        let mut tried = widths[..shown].to_vec();
        while total(&tried) > available {
            let shrinkable = (0..shown).filter(|at| columns[*at].may_shrink && tried[*at] > NARROWEST);
            let Some(widest) = shrinkable.max_by_key(|at| tried[*at]) else { break };
            tried[widest] -= 1;
        }
        if shown == 1 || total(&tried) <= available {
            widths[..shown].copy_from_slice(&tried);
            return shown;
        }
    }
    0
}

/// At most `width` columns wide. Of a path the end is kept, which tells more.
fn cut(text: &str, width: usize, style: &Style) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let sign = if style.unicode { "…" } else { ">" };
    let room = width.saturating_sub(1);
    let fitting = |chars: &mut dyn Iterator<Item = char>| {
        let mut used = 0;
        let fits = |c: &char| {
            used += c.width().unwrap_or(0);
            used <= room
        };
        chars.take_while(fits).collect::<Vec<char>>()
    };
    if text.starts_with('/') {
        let kept: String = fitting(&mut text.chars().rev()).into_iter().rev().collect();
        format!("{}{kept}", if style.unicode { sign } else { "<" })
    } else {
        let kept: String = fitting(&mut text.chars()).into_iter().collect();
        format!("{kept}{sign}")
    }
}

fn pad(text: &str, width: usize, to_the_right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    if to_the_right { format!("{space}{text}") } else { format!("{text}{space}") }
}
