//! Reading lines on a terminal that can do nothing else (`TERM=dumb`): no escape sequence is written, the terminal's own
//! line editing is all there is.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::read;

use super::input::{Input, Lines};
use crate::session::Session;

/// A signal that woke us is told by another thread, a moment later.
const MOMENT: Duration = Duration::from_millis(200);

#[derive(Default)]
pub struct Plain {
    /// What was read and not yet given out.
    rest: Vec<u8>,
    ended: bool,
}

/// Whether the terminal is one of which no editor can make use.
pub fn is_due() -> bool {
    std::env::var("TERM").is_ok_and(|term| ["dumb", "cons25", "emacs"].contains(&term.to_lowercase().as_str()))
}

impl Plain {
    fn line(&mut self) -> Option<String> {
        let end = match self.rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if self.ended && !self.rest.is_empty() => self.rest.len(),
            None => return None,
        };
        let line: Vec<u8> = self.rest.drain(..end).collect();
        Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
    }
}

impl Lines for Plain {
    fn read(&mut self, prompt: &str, _: &str, session: &Session) -> io::Result<Input> {
        let mut out = io::stdout();
        write!(out, "{prompt}")?;
        out.flush()?;
        let stdin = io::stdin();
        session.rest();
        loop {
            if let Some(line) = self.line() {
                session.busy();
                return Ok(Input::Line(line));
            }
            if self.ended {
                session.busy();
                writeln!(out)?;
                return Ok(Input::End);
            }
            // A wait for the terminal is ended by a signal, a read would begin anew.
            let mut waiting = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
            match poll(&mut waiting, PollTimeout::NONE) {
                Err(Errno::EINTR) => match session.signalled(MOMENT) {
                    Some(_) => {
                        self.rest.clear();
                        writeln!(out)?;
                        let left = session.terminated().is_some();
                        session.busy();
                        return Ok(if left { Input::Terminated } else { Input::Interrupted });
                    }
                    None => continue,
                },
                Err(error) => return Err(error.into()),
                Ok(_) => {}
            }
            let mut buffer = [0; 4096];
            match read(stdin.as_fd(), &mut buffer) {
                // The terminal is gone.
                Ok(0) | Err(Errno::EIO) => self.ended = true,
                Ok(count) => self.rest.extend(&buffer[..count]),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn remember(&mut self, _: &str) {}
}
