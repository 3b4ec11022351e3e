//! Problems as data: where (a span in a named source), what, and what would be right.
//!
//! No room below `output` puts colour or layout to them; this module holds data only.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A half-open range of byte offsets into the text of one [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A text with the name under which a person knows it: `-e`, `stdin`, or a file's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: Arc<str>,
    pub text: Arc<str>,
    /// The folder of its file, from which it names other files; without one, that of the process.
    pub folder: Option<Arc<Path>>,
}

impl Source {
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), folder: None }
    }

    pub fn in_folder(mut self, folder: Option<&Path>) -> Self {
        self.folder = folder.map(Arc::from);
        self
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// How the program ends because of a problem; the numbers are part of the contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The query ran and failed (1).
    Failed,
    /// The query is wrong (2).
    Wrong,
    /// An assertion does not hold (3).
    Assertion,
    /// Not permitted or not possible on this machine (4).
    NotPossible,
    /// Loss under `--strict` (5).
    Loss,
    /// Interrupted with nothing to show (130).
    Interrupted,
}

impl Exit {
    pub const ALL: &[Exit] =
        &[Exit::Failed, Exit::Wrong, Exit::Assertion, Exit::NotPossible, Exit::Loss, Exit::Interrupted];

    /// What the status says, for help and manual.
    pub const fn doc(self) -> &'static str {
        match self {
            Exit::Failed => "the query ran and failed; fmt --check found something that is not canonical",
            Exit::Wrong => "the query or the command line is wrong",
            Exit::Assertion => "an assertion does not hold",
            Exit::NotPossible => "not permitted, or not possible on this machine",
            Exit::Loss => "a result has loss, under --strict",
            Exit::Interrupted => "interrupted: with not one row in any result, or before all queries had run",
        }
    }

    pub const fn code(self) -> u8 {
        match self {
            Exit::Failed => 1,
            Exit::Wrong => 2,
            Exit::Assertion => 3,
            Exit::NotPossible => 4,
            Exit::Loss => 5,
            Exit::Interrupted => 130,
        }
    }
}

/// Words under a part of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One problem, ready to be rendered by `output::diagnostic`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word for scripts and tests, such as `unknown-column`.
    pub code: &'static str,
    pub exit: Exit,
    /// What is wrong, in one line without a full stop.
    pub title: String,
    /// `None` when the problem has no place in a text (a missing capability, a full disk).
    pub source: Option<Source>,
    /// The first label marks the place; further ones explain.
    pub labels: Vec<Label>,
    /// What would be right; one line each.
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn new(code: &'static str, exit: Exit, title: impl Into<String>) -> Self {
        Self { code, exit, title: title.into(), source: None, labels: Vec::new(), help: Vec::new() }
    }

    pub fn at(mut self, source: &Source, span: Span, text: impl Into<String>) -> Self {
        self.source = Some(source.clone());
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

/// One line, for logs and `Debug`-like uses; people are shown `output::diagnostic`'s rendering.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.title, self.code)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_told_once() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        // The compiler finds a status without words; this finds one that is not in the list.
        let source = include_str!("diagnostic.rs");
        let body =
            source.split("pub enum Exit {").nth(1).and_then(|rest| rest.split('}').next()).expect("the statuses");
        let declared = body.lines().filter(|line| line.trim_end().ends_with(',')).count();
        assert_eq!(Exit::ALL.len(), declared);
    }
}
