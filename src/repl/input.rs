//! Where lines come from: an editor on a terminal, or plain reading where a terminal can do nothing more.

use std::io;

use crate::session::Session;

/// What came instead of, or as, a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Line(String),
    /// Ctrl-C: what was typed so far is dropped.
    Interrupted,
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
    /// SIGTERM.
    Terminated,
}

pub trait Lines {
    /// Reads a line. `before` is what the statement has had so far.
    fn read(&mut self, prompt: &str, before: &str, session: &Session) -> io::Result<Input>;
    /// A statement, to be recalled as one.
    fn remember(&mut self, statement: &str);
}
