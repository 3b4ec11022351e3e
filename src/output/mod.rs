//! A frame becomes a table, a histogram or a file, and a problem becomes text. Nothing here decides what a query means;
//! all text goes to the caller or through a `Write`, whose errors come back as they are.

pub mod arrow;
mod bars;
mod beside;
pub mod csv;
pub mod diagnostic;
pub mod file;
mod grid;
pub mod heatmap;
pub mod histogram;
pub mod json;
pub mod load;
pub mod ndjson;
pub mod parquet;
mod plot;
pub mod screen;
pub mod table;
pub mod taped;
pub mod trust;
pub mod units;
mod watched;

use jiff::tz::TimeZone;
use polars::prelude::PolarsResult;

use crate::frame::{Frame, cells};

/// A result as people read it: bars for a lone histogram, else a table.
pub fn text(frame: &Frame, style: &Style) -> PolarsResult<String> {
    if histogram::applies(frame) { histogram::render(frame, style) } else { table::render(frame, style) }
}

/// What may stand behind `show NAME as`.
pub const STYLES: &[&str] = &["table", "hist", "heatmap", "json", "csv"];

/// How text for people may look.
#[derive(Debug, Clone)]
pub struct Style {
    pub color: bool,
    /// Whether the terminal shows characters beyond ASCII (a UTF-8 locale).
    pub unicode: bool,
    /// Columns to stay within; `usize::MAX` where the text goes to no terminal.
    pub width: usize,
    /// For times of day.
    pub zone: TimeZone,
}

impl Style {
    fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    fn faint(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn alarm(&self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
