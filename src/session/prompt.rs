//! What only a prompt understands: help, lists, descriptions, leaving.

use std::path::Path;
use std::time::Duration;

use super::{Event, Frame, Pressed, Session, Stop, described, help, texts};
use crate::diagnostic::{Diagnostic, Exit};
use crate::lang::cursor;
use crate::name;

/// A command of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Help(Option<String>),
    List(Option<String>),
    Describe(Option<String>),
    Quit,
    /// A spelling that people bring from another shell, and what it is here.
    Elsewhere {
        found: String,
        right: &'static str,
    },
}

/// The name of the last result.
pub const LAST: &str = "_";

/// Commands of psql, DuckDB and SQLite, without their sign.
const ELSEWHERE: &[(&str, &str)] = &[
    ("d", "describe FAMILY, or list"),
    ("dt", "list families"),
    ("l", "list"),
    ("i", "schedq run FILE, from the shell"),
    ("e", "Up, which recalls a whole statement"),
    ("timing", "always on: each result says how long it took"),
    ("x", "show NAME as json"),
    ("tables", "list families"),
    ("schema", "describe FAMILY"),
    ("mode", "show NAME as STYLE"),
    ("read", "schedq run FILE, from the shell"),
    ("output", "save NAME to 'FILE'"),
    ("once", "save NAME to 'FILE'"),
    ("o", "save NAME to 'FILE'"),
    ("copy", "save NAME to 'FILE'"),
];

/// `None` for a statement of the language.
pub fn command(line: &str) -> Option<Command> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let argument = || (!rest.is_empty()).then(|| unquoted(rest));
    match first.to_lowercase().as_str() {
        // The language knows better what is wrong with that.
        _ if rest.starts_with('=') => None,
        "help" | "?" | "\\?" | "\\h" | "\\help" | ".help" => Some(Command::Help(argument())),
        "list" => Some(Command::List(argument())),
        "describe" => Some(Command::Describe(argument())),
        "quit" | "exit" | "quit()" | "exit()" | "\\q" | ".quit" | ".exit" => Some(Command::Quit),
        word => {
            let bare = word.strip_prefix(['\\', '.'])?;
            let known = ELSEWHERE.iter().find(|(foreign, _)| *foreign == bare.trim_end_matches('+'));
            let right = known.map_or("help, which says what there is", |(_, right)| *right);
            // As it was typed, if that does nothing to a terminal.
            let typed = word.chars().all(|c| c.is_ascii_graphic());
            let found = if typed { word.to_owned() } else { name::escape(word.as_bytes()) };
            Some(Command::Elsewhere { found, right })
        }
    }
}

/// A text with or without its quotes.
fn unquoted(text: &str) -> String {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    match quote.and_then(|quote| text.strip_suffix(quote)).filter(|text| !text.is_empty()) {
        Some(open) => String::from_utf8_lossy(&cursor::open_text(open)).into_owned(),
        None => text.to_owned(),
    }
}

impl Session {
    /// From now on the last result can be asked for as [`LAST`].
    pub fn keep_last(&mut self) {
        self.keeps_last = true;
    }

    /// Nothing runs: somebody is at the prompt.
    pub fn rest(&self) {
        self.events.rest();
    }

    /// A statement was typed.
    pub fn busy(&self) {
        self.events.busy();
    }

    /// The signal that came within `time`, if one did.
    pub fn signalled(&self, time: Duration) -> Option<i32> {
        match self.events.wait_for(time) {
            Ok(Event::Stop(signal)) => Some(signal),
            _ => None,
        }
    }

    /// The signal that ends the program, if one came.
    pub fn terminated(&self) -> Option<i32> {
        self.events.terminated()
    }

    /// Counts the signals that came.
    pub fn pressed(&self) -> Pressed {
        self.events.pressed()
    }

    /// Whether what runs is not wanted any more.
    pub(super) fn go_on(&self) -> Result<(), Stop> {
        match self.events.abandoned() {
            true => Err(Diagnostic::new("abandoned", Exit::Interrupted, "abandoned: the result is not kept").into()),
            false => Ok(()),
        }
    }

    /// `help [TOPIC]`; `keys` are those of the prompt.
    ///
    /// # Errors
    /// When there is no help on that.
    pub fn help(&self, topic: Option<&str>, keys: &[(&str, &str)]) -> Result<String, Diagnostic> {
        help::help(topic, keys)
    }

    /// `list [families|queries|frames]`
    ///
    /// # Errors
    /// When there is no such list.
    pub fn list(&self, what: Option<&str>) -> Result<String, Diagnostic> {
        match what.map(str::to_lowercase).as_deref() {
            None => {
                let frames = self.list_frames();
                Ok(format!("{}\n{}\nKept results:\n{frames}", texts::families(), texts::queries()))
            }
            Some("frames" | "frame" | "results") => Ok(self.list_frames()),
            Some(what) => help::list(what),
        }
    }

    fn list_frames(&self) -> String {
        if self.frames.is_empty() {
            return "  none yet: NAME = QUERY keeps one, and _ is the last\n".into();
        }
        let width = self.frames.keys().map(|name| name.len()).max().unwrap_or(0);
        let line = |(name, frame): (&String, &Frame)| {
            let rows = frame.data.height();
            let query = name::escape(frame.meta.query.as_bytes());
            format!("  {name:width$}  {rows} {}  {query}\n", if rows == 1 { "row" } else { "rows" })
        };
        self.frames.iter().map(line).collect()
    }

    /// `describe WHAT`: a family, a result, or a recording.
    ///
    /// # Errors
    /// When it is none of these, or the recording cannot be read.
    pub fn describe(&self, what: Option<&str>) -> Result<String, Diagnostic> {
        let Some(what) = what else {
            let problem = Diagnostic::new("describe-what", Exit::Wrong, "describe needs something to describe");
            return Err(problem.help("describe FAMILY, describe NAME of a kept result, describe 'FILE.parquet'"));
        };
        if let Some(frame) = self.frames.get(what) {
            return Ok(of_frame(frame));
        }
        if described::is_recording(what) {
            return described::text(what);
        }
        texts::describe(what).map_err(|mut problem| {
            if let Some(near) = help::nearest_description(what, self.frames.keys().map(String::as_str)) {
                problem.help.insert(0, format!("did you mean {near}?"));
            }
            if !Path::new(what).exists() && !self.frames.is_empty() {
                let names: Vec<&str> = self.frames.keys().map(String::as_str).collect();
                problem.help.push(format!("kept results: {}", names.join(", ")));
            }
            problem
        })
    }
}

/// A result's columns, and its question.
fn of_frame(frame: &Frame) -> String {
    let mut text = format!("{} rows of: {}\n", frame.data.height(), name::escape(frame.meta.query.as_bytes()));
    let width = frame.columns.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for column in &frame.columns {
        text.push_str(&format!("  {:width$}  {}\n", column.name, column.kind.noun()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_statements_are_told_apart() {
        assert_eq!(command("help\n"), Some(Command::Help(None)));
        assert_eq!(command("HELP where;"), Some(Command::Help(Some("where".into()))));
        assert_eq!(command("  list frames"), Some(Command::List(Some("frames".into()))));
        assert_eq!(command("describe 'a b.parquet'"), Some(Command::Describe(Some("a b.parquet".into()))));
        assert_eq!(command("describe a.parquet ;"), Some(Command::Describe(Some("a.parquet".into()))));
        for quit in ["quit", "exit", "quit;", "\\q", ".exit", "exit()", "exit 0"] {
            assert_eq!(command(quit), Some(Command::Quit), "{quit}");
        }
        for statement in ["switch count", "list = switch", "lists", "quit = 1", "x = help"] {
            assert_eq!(command(statement), None, "{statement}");
        }
        assert_eq!(command("\\dt+"), Some(Command::Elsewhere { found: "\\dt+".into(), right: "list families" }));
    }
}
