//! A terminal with somebody at a prompt: results fit the screen, say how long they took, and a key ends their printing.

use std::io::{self, StdoutLock, Write};
use std::time::{Duration, Instant};

use super::look;
use super::terminal::Terminal;
use crate::repl::Screen;
use crate::session::Pressed;

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
    fn times_have_three_digits() {
        let said = |ms: u64| seconds(Duration::from_millis(ms));
        assert_eq!([said(0), said(14), said(999), said(1000)], ["0ms", "14ms", "999ms", "1.00s"]);
        assert_eq!([said(9_990), said(10_040), said(123_456)], ["9.99s", "10.0s", "123s"]);
    }
}
