//! The prompt: statements one after another, with frames and parameters that stay.

use std::io;

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::diagnostic::Source;
use crate::session::{Audience, Session, texts};

const PROMPT: &str = "schedq> ";
const MORE: &str = "   ...> ";

/// Reads and runs until Ctrl-D or `quit`; the status is 0, since every problem was told when it came.
pub fn run(session: &mut Session, audience: &mut dyn Audience) -> io::Result<u8> {
    let config = Config::builder().auto_add_history(false).build();
    let mut editor = DefaultEditor::with_config(config).map_err(io::Error::other)?;
    let example = texts::examples().next().unwrap_or_default();
    audience.text(&format!("schedq: ask the scheduler, for example: {example}\n`help` says more, Ctrl-D leaves."))?;
    let mut text = String::new();
    loop {
        match editor.readline(if text.is_empty() { PROMPT } else { MORE }) {
            Ok(line) => {
                if text.is_empty() && matches!(line.trim(), "quit" | "quit;" | "exit") {
                    return Ok(0);
                }
                text.push_str(&line);
                text.push('\n');
                if texts::is_incomplete(&text) {
                    continue;
                }
                let whole = std::mem::take(&mut text);
                if whole.trim().is_empty() {
                    continue;
                }
                if command(&whole, audience)? {
                    continue;
                }
                // History is a convenience: a question must not fail for it.
                let _ = editor.add_history_entry(whole.trim_end());
                session.run_each(&Source::new("prompt", whole), audience)?;
            }
            // Half a statement is dropped, the prompt stays.
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Ok(0),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
}

/// What only the prompt understands; `false` for a statement.
fn command(line: &str, audience: &mut dyn Audience) -> io::Result<bool> {
    let words: Vec<&str> = line.trim().trim_end_matches(';').split_whitespace().collect();
    match words.as_slice() {
        ["help", ..] => audience.text(&texts::help())?,
        ["list"] => audience.text(&format!("{}\n{}", texts::families(), texts::queries()))?,
        ["list", "families"] => audience.text(&texts::families())?,
        ["list", "queries"] => audience.text(&texts::queries())?,
        ["describe", family] => match texts::describe(family) {
            Ok(text) => audience.text(&text)?,
            Err(problem) => audience.problem(&problem),
        },
        _ => return Ok(false),
    }
    Ok(true)
}
