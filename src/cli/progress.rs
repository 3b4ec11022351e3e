//! One line that says how far something is, while it runs.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::look;

#[derive(Debug, Default)]
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Only ASCII.
    plain: bool,
}

impl Progress {
    /// One that is drawn with these characters, or with ASCII alone.
    pub fn new(unicode: bool) -> Progress {
        Progress { plain: !unicode, ..Progress::default() }
    }

    /// A window that is open.
    pub fn window(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        let template = if total_ns.is_some() { "{wide_bar} {msg}" } else { "{msg}" };
        let bar = self.bar(total_ns.map(|ns| ns / 1_000_000), template);
        bar.set_position(elapsed_ns / 1_000_000);
        let seconds = |ns: u64| format!("{:.0} s", Duration::from_nanos(ns).as_secs_f64());
        bar.set_message(match total_ns {
            Some(total) => format!("{} left (Ctrl-C ends and shows)", seconds(total.saturating_sub(elapsed_ns))),
            None => format!("{} (Ctrl-C ends and shows)", seconds(elapsed_ns)),
        });
        bar.tick();
    }

    /// A recording that is read.
    pub fn reading(&mut self, done: u64, total: u64) {
        let bar = self.bar(Some(total), "{wide_bar} {percent} % of the recording (Ctrl-C ends and shows)");
        bar.set_position(done);
        bar.tick();
    }

    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&mut self, total: Option<u64>, template: &str) -> &ProgressBar {
        let signs = if self.plain { "=>-" } else { "━╸─" };
        self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::term_like_with_hz(Box::new(Line), 10);
            let bar = ProgressBar::with_draw_target(total, target);
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars(signs));
            }
            bar
        })
    }
}

/// Columns that are left free: the terminal puts `^C` there, which would else go to a line of its own.
const FREE: u16 = 4;

/// The last line of standard error's terminal.
#[derive(Debug)]
struct Line;

impl Line {
    fn put(&self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn go(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.put(&format!("\x1b[{count}{direction}")) }
    }
}

impl TermLike for Line {
    fn width(&self) -> u16 {
        u16::try_from(look::widths().1).unwrap_or(80).saturating_sub(FREE).max(1)
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.go(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.go(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.go(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.go(count, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.put(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
