//! A terminal with somebody at a prompt: results fit the screen, say how long they took, and a key ends their printing.

use std::io::{self, StdoutLock, Write};
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr;

use super::look;
use super::terminal::Terminal;
use crate::output::ndjson::Label;
use crate::output::screen;
use crate::repl::Screen;
use crate::session::{Frame, Pressed};

pub struct Prompted {
    pressed: Pressed,
    since: Instant,
}

impl Prompted {
    /// How long the statement has taken so far, in words.
    pub fn took(&self) -> String {
        format!("took {}", seconds(self.since.elapsed()))
    }
}

/// To three digits, as long as a person's patience.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 0.9995 => format!("{:.0}ms", s * 1000.0),
        s if s < 9.995 => format!("{s:.2}s"),
        s if s < 99.95 => format!("{s:.1}s"),
        s => format!("{s:.0}s"),
    }
}

impl Screen for Terminal {
    fn at_prompt(&mut self, pressed: Pressed) {
        self.prompted = Some(Prompted { pressed, since: Instant::now() });
    }

    fn begin(&mut self) {
        self.measure();
        if let Some(prompted) = &mut self.prompted {
            prompted.since = Instant::now();
        }
    }

    fn has_colour(&self) -> bool {
        self.out.color
    }

    fn remark(&mut self, line: &str) {
        self.note(line);
    }
}

impl Terminal {
    /// Looks how wide the screen is now.
    pub fn measure(&mut self) {
        (self.out.width, self.err.width) = look::widths();
    }

    /// Standard output; at a prompt, Ctrl-C ends what is written to it.
    pub fn outlet(&self) -> Outlet {
        let pressed = self.prompted.as_ref().map(|prompted| (prompted.pressed.clone(), prompted.pressed.count()));
        Outlet { out: io::stdout().lock(), pressed, cut: false }
    }

    /// Ends what was written.
    pub(super) fn written(&mut self, mut out: Outlet) -> io::Result<()> {
        out.flush()?;
        let was_cut = out.was_cut();
        drop(out);
        if was_cut {
            self.note("interrupted: the rest is not shown");
        }
        Ok(())
    }

    /// As much of a result as the screen has room for, where somebody looks at one.
    pub(super) fn fitted(&mut self, label: Label<'_>, frame: &Frame) -> io::Result<String> {
        let lines = self.prompted.as_ref().and_then(|_| look::lines());
        let Some(lines) = lines else { return self.people(frame) };
        self.measure();
        let name = if let Label::Name(name) = label { name } else { "_" };
        screen::render(frame, &self.out, lines, name).map_err(io::Error::other)
    }

    /// The lines about a result: with how long it took, and none wider than the screen.
    pub(super) fn at_length(&self, mut lines: Vec<String>) -> Vec<String> {
        let Some(prompted) = &self.prompted else { return lines };
        if let Some(first) = lines.first_mut() {
            first.push_str(if self.err.unicode { " · " } else { ", " });
            first.push_str(&prompted.took());
        }
        lines.iter().flat_map(|line| folded(line, self.err.width)).collect()
    }
}

/// Lines that are broken between words, and go on indented. What is painted counts as wide as it is written.
fn folded(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is one");
        if last.trim().is_empty() || last.width() + 1 + word.width() <= width {
            if !last.is_empty() && !last.ends_with("  ") {
                last.push(' ');
            }
            last.push_str(word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

/// So much is written before the next look whether somebody has had enough.
const AT_ONCE: usize = 4096;

/// Writes until somebody presses Ctrl-C, and takes the rest without showing it.
pub struct Outlet {
    out: StdoutLock<'static>,
    /// And how often it had been pressed before.
    pressed: Option<(Pressed, u64)>,
    cut: bool,
}

impl Outlet {
    /// Whether something was not shown.
    pub fn was_cut(&self) -> bool {
        self.cut
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cut |= self.pressed.as_ref().is_some_and(|(pressed, before)| pressed.count() > *before);
        if self.cut {
            return Ok(bytes.len());
        }
        self.out.write(&bytes[..bytes.len().min(AT_ONCE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(folded("a bb ccc", usize::MAX), ["a bb ccc"]);
        assert_eq!(folded("a bb ccc dd", 6), ["a bb", "  ccc", "  dd"]);
        assert_eq!(folded("longword x", 4), ["longword", "  x"]);
    }

    #[test]
    fn times_have_three_digits() {
        let said = |ms: u64| seconds(Duration::from_millis(ms));
        assert_eq!([said(0), said(14), said(999), said(1000)], ["0ms", "14ms", "999ms", "1.00s"]);
        assert_eq!([said(9_990), said(10_040), said(123_456)], ["9.99s", "10.0s", "123s"]);
    }
}
