//! What the statements before have brought, for those after them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::{Session, environment};
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::frame::{self, Frame};
use crate::lang::ast::{Spanned, Value};
use crate::name;
use crate::nearest::nearest;
use crate::output::file::{self, Prepared};
use crate::plan::{Params, Plan};
use crate::source::{Account, Ended, Outcome, Table, Window};

pub(in crate::session) struct Scope<'a> {
    pub source: &'a Source,
    pub params: Params,
    /// Every result that has a name by then, without its rows; `None` where only the name is known, since its query is wrong.
    pub frames: BTreeMap<String, Option<Frame>>,
    pub has_command: bool,
    /// What is saved to already.
    pub saved: Vec<Prepared>,
    /// The files of recordings.
    pub recorded: Vec<String>,
    /// The scripts that are being run, the outermost first.
    pub running: Vec<PathBuf>,
    pub problems: Vec<Diagnostic>,
}

impl Scope<'_> {
    pub fn refuse(&mut self, code: &'static str, span: Span, title: String, help: &str) {
        self.problems.push(Diagnostic::new(code, Exit::Wrong, title).at(self.source, span, "").help(help));
    }

    /// A frame by its name, without rows; those of the environment too.
    pub fn schema(&self, name: &str) -> Option<Frame> {
        match self.frames.get(name) {
            Some(known) => known.clone(),
            None => environment::schema(name),
        }
    }

    pub fn knows(&self, name: &str) -> bool {
        self.frames.contains_key(name) || environment::NAMES.contains(&name)
    }

    /// The name of a result that is to be made, and what will be known of it.
    pub fn brings(&mut self, name: &Spanned<String>, frame: Option<Frame>) {
        if environment::NAMES.contains(&name.node.as_str()) {
            let title = format!("{} is the name of a frame that is always there", name.node);
            self.refuse("environment-name", name.span, title, "choose another name");
        }
        self.frames.insert(name.node.clone(), frame);
    }

    /// Says that there is no such result.
    pub fn unknown_frame(&mut self, name: &str, span: Span) {
        let known: Vec<&str> = self.frames.keys().map(String::as_str).collect();
        let near = nearest(name, known.iter().copied().chain(environment::NAMES.iter().copied()));
        let help = match (near, known.as_slice()) {
            (Some(near), _) => format!("did you mean {near}?"),
            (None, []) => format!("name one first: {name} = QUERY"),
            (None, known) => format!("there are {}", known.join(", ")),
        };
        self.refuse("unknown-frame", span, format!("there is no frame {}", name::escape(name.as_bytes())), &help);
    }

    /// A path or another text, also one that a parameter gives.
    pub fn text(&mut self, given: &Spanned<Value>, what: &str) -> Option<Vec<u8>> {
        match &given.node {
            Value::Text(bytes) => Some(bytes.clone()),
            Value::Param(name) => match self.params.get(name) {
                Some(Value::Text(bytes)) => Some(bytes.clone()),
                Some(Value::Word(word)) => Some(word.clone().into_bytes()),
                _ => {
                    self.refuse("file-name", given.span, format!("${name} is no {what}"), "give it as text");
                    None
                }
            },
            _ => {
                let help = "put it in quotes: 'out.parquet'";
                self.refuse("file-name", given.span, format!("a {what} is needed"), help);
                None
            }
        }
    }
}

impl Session {
    pub(super) fn scope<'a>(&self, source: &'a Source, has_command: bool) -> Scope<'a> {
        let schema = |(name, frame): (&String, &Frame)| (name.clone(), Some(frame.clone().without_rows()));
        Scope {
            source,
            params: self.params.clone(),
            frames: self.frames.iter().map(schema).collect(),
            has_command,
            saved: Vec::new(),
            recorded: Vec::new(),
            running: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn known_frame(&self, frame: &Spanned<String>, scope: &mut Scope<'_>) {
        if !scope.knows(&frame.node) {
            scope.unknown_frame(&frame.node, frame.span);
        }
    }
}

/// What a plan's result will look like.
pub(in crate::session) fn schema(plan: &Plan) -> Option<Frame> {
    let window = Window { start_ns: 0, wall_offset_ns: 0, length_ns: 0, ended: Ended::Elapsed };
    let nothing = Outcome { table: Table::default(), account: Account::default(), window, notes: Vec::new() };
    frame::build(plan, &nothing, &[]).ok().map(Frame::without_rows)
}

/// A path is tried before the window starts, not after it.
pub(super) fn prepared(path: &Spanned<Value>, scope: &mut Scope<'_>) -> Option<Prepared> {
    let bytes = scope.text(path, "file name")?;
    match file::prepare(Path::new(OsStr::from_bytes(&bytes))) {
        Ok(file) if scope.saved.iter().any(|other| file.replaces(other)) => {
            let help = "give each result a file of its own: the second would replace the first";
            scope.refuse("saved-twice", path.span, "this file is saved to twice".into(), help);
            None
        }
        Ok(file) => {
            scope.saved.push(file.clone());
            Some(file)
        }
        Err(problem) => {
            scope.problems.push(problem.at(scope.source, path.span, ""));
            None
        }
    }
}
