//! The prompt: statements one after another, with results and parameters that stay.

mod editor;
mod helper;
mod history;
mod input;
pub mod keys;
mod plain;

use std::io;

use crate::diagnostic::Source;
use crate::session::prompt::{Command, command};
use crate::session::{Audience, Pressed, Session, texts};

use history::History;
use input::{Input, Lines};

const PROMPT: &str = "schedq> ";
const MORE: &str = "   ...> ";

/// The one who asks at a terminal.
pub trait Screen: Audience {
    /// From now on results are for somebody at a prompt: long ones are cut to the screen, each says how long it took, and a
    /// key that is pressed while one is printed ends the printing.
    fn at_prompt(&mut self, pressed: Pressed);
    /// A statement begins.
    fn begin(&mut self);
    /// Whether colours are wanted.
    fn has_colour(&self) -> bool;
    /// A line beside the results.
    fn remark(&mut self, line: &str);
}

/// Reads and runs until Ctrl-D or `quit`. The status is 0, since every problem was told when it came; 128 + its number for
/// a signal that ended it.
pub fn run(session: &mut Session, screen: &mut dyn Screen) -> io::Result<u8> {
    session.keep_last();
    screen.at_prompt(session.pressed());
    let (mut history, why) = match History::open() {
        Ok(history) => (history, None),
        Err(why) => (History::in_memory(), Some(why)),
    };
    let mut lines: Box<dyn Lines> = if plain::is_due() {
        Box::new(plain::Plain::default())
    } else {
        Box::new(editor::Editor::new(history.entries(), screen.has_colour())?)
    };
    let example = texts::examples().next().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    screen.text(&format!(
        "schedq {version}. Ask, for example: {example}\n`help` says more, Tab completes, Ctrl-D leaves."
    ))?;
    if let Some(why) = why {
        screen.remark(&format!("note: history is not kept: {why}"));
    }
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { PROMPT } else { MORE };
        match lines.read(prompt, &text, session)? {
            Input::Line(line) => {
                text.push_str(&line);
                text.push('\n');
                if texts::is_incomplete(&text) {
                    continue;
                }
                let whole = std::mem::take(&mut text);
                if whole.trim().is_empty() {
                    continue;
                }
                // One that begins with a blank is not to be remembered, as in a shell.
                if !whole.starts_with(' ') && history.is_new(whole.trim_end()) {
                    lines.remember(whole.trim_end());
                    if let Some(why) = history.add(whole.trim_end()) {
                        screen.remark(&format!("note: history is not kept any more: {why}"));
                    }
                }
                screen.begin();
                if answer(whole, session, screen)? {
                    return Ok(0);
                }
            }
            // Half a statement is dropped, the prompt stays.
            Input::Interrupted => text.clear(),
            Input::End => {
                if !text.is_empty() {
                    screen.remark("the input ended in the middle of a statement: it was not run");
                }
                return Ok(0);
            }
            Input::Terminated => {}
        }
        if let Some(signal) = session.terminated() {
            return Ok(128 + signal as u8);
        }
    }
}

/// Does what was said; whether the prompt is to be left.
fn answer(whole: String, session: &mut Session, screen: &mut dyn Screen) -> io::Result<bool> {
    let said = match command(&whole) {
        None => {
            session.run_each(&Source::new("prompt", whole), screen)?;
            return Ok(false);
        }
        Some(Command::Quit) => return Ok(true),
        Some(Command::Help(topic)) => session.help(topic.as_deref(), keys::KEYS),
        Some(Command::List(what)) => session.list(what.as_deref()),
        Some(Command::Describe(what)) => session.describe(what.as_deref()),
        Some(Command::Elsewhere { found, right }) => {
            screen.remark(&format!("{found} is another program's: here it is {right}"));
            return Ok(false);
        }
    };
    match said {
        Ok(text) => screen.text(&text)?,
        Err(problem) => screen.problem(&problem),
    }
    Ok(false)
}
