//! How text may look where it goes: colours, characters, width.

use std::io::{self, IsTerminal};

use clap::ColorChoice;
use jiff::tz::TimeZone;

use crate::output::Style;

/// For standard output and for standard error: either may be a terminal alone.
pub fn styles(color: ColorChoice) -> (Style, Style) {
    let style = |is_terminal: bool, width: usize| Style {
        color: match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && !is_dumb(),
        },
        unicode: is_utf8(),
        width,
        // The machine's own is looked up when there is something to show: that costs more than many queries.
        zone: TimeZone::UTC,
    };
    let (out, err) = widths();
    (style(io::stdout().is_terminal(), out), style(io::stderr().is_terminal(), err))
}

/// Columns to stay within, now: a terminal can be made wider or narrower.
pub fn widths() -> (usize, usize) {
    let width = |is_terminal: bool, size: Option<(terminal_size::Width, terminal_size::Height)>| {
        size.filter(|size| is_terminal && size.0.0 > 0).map_or(usize::MAX, |size| usize::from(size.0.0))
    };
    (
        width(io::stdout().is_terminal(), terminal_size::terminal_size_of(io::stdout())),
        width(io::stderr().is_terminal(), terminal_size::terminal_size_of(io::stderr())),
    )
}

/// Lines of the screen that standard output goes to; `None` when it goes elsewhere.
pub fn lines() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout()).filter(|_| io::stdout().is_terminal());
    size.map(|size| usize::from(size.1.0)).filter(|lines| *lines > 0)
}

/// A terminal that takes no escape sequences.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|t| t == "dumb")
}

/// By the locale, as every program of the terminal does.
fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|v| std::env::var(v).ok().filter(|v| !v.is_empty()));
    locale.is_some_and(|l| l.to_ascii_uppercase().replace('-', "").contains("UTF8"))
}
