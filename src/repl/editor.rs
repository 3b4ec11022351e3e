//! Reading lines with an editor: rustyline on the terminal, which is raw only while a line is read.

use std::io::{self, IsTerminal};

use rustyline::config::BellStyle;
use rustyline::error::{ReadlineError, Signal};
use rustyline::history::{History as _, MemHistory};
use rustyline::{Behavior, ColorMode, CompletionType, Config};

use super::helper::Helper;
use super::input::{Input, Lines};
use crate::session::Session;

/// Earlier statements that are at hand.
const RECALLED: usize = 20_000;
/// Longer lists are asked about.
const LISTED: usize = 200;

pub struct Editor {
    inner: rustyline::Editor<Helper, MemHistory>,
}

impl Editor {
    pub fn new(earlier: &[String], colour: bool) -> io::Result<Editor> {
        // What is edited is no result: it must not go where standard output goes.
        let behavior = if io::stdout().is_terminal() { Behavior::Stdio } else { Behavior::PreferTerm };
        let config = Config::builder()
            .auto_add_history(false)
            .max_history_size(RECALLED)
            .map_err(io::Error::other)?
            .behavior(behavior)
            .color_mode(if colour { ColorMode::Enabled } else { ColorMode::Disabled })
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .completion_prompt_limit(LISTED)
            .bell_style(BellStyle::None)
            .build();
        let history = MemHistory::with_config(&config);
        let mut inner = rustyline::Editor::with_history(config, history).map_err(io::Error::other)?;
        inner.set_helper(Some(Helper::default()));
        for statement in earlier {
            inner.history_mut().add(statement).map_err(io::Error::other)?;
        }
        Ok(Editor { inner })
    }
}

impl Lines for Editor {
    fn read(&mut self, prompt: &str, before: &str, session: &Session) -> io::Result<Input> {
        if let Some(helper) = self.inner.helper_mut() {
            helper.look(before, session.world());
        }
        session.rest();
        let read = self.inner.readline(prompt);
        session.busy();
        match read {
            Ok(line) => Ok(Input::Line(line)),
            // From the keyboard, or as a signal from elsewhere.
            Err(ReadlineError::Interrupted | ReadlineError::Signal(Signal::Interrupt)) => {
                Ok(if session.terminated().is_some() { Input::Terminated } else { Input::Interrupted })
            }
            Err(ReadlineError::Signal(_)) => Ok(Input::Line(String::new())),
            Err(ReadlineError::Eof) => Ok(Input::End),
            // The terminal is gone.
            Err(ReadlineError::Io(error)) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(Input::End),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn remember(&mut self, statement: &str) {
        // A convenience: a question must not fail for it.
        let _ = self.inner.history_mut().add(statement);
    }
}
