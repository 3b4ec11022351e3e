//! The verbs that only read text: check, fmt, explain, list, describe.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::args::{Args, Format, Listed};
use super::terminal::Terminal;
use super::{Failure, finish};
use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::session::{Audience, Session, described, saved, texts};

/// Where a text came from, so that `fmt --write` can put it back.
pub struct Given {
    pub source: Source,
    file: Option<PathBuf>,
}

/// Each argument is a file or the statements themselves; without any, standard input.
pub fn sources(texts: &[OsString]) -> Result<Vec<Given>, Failure> {
    if texts.is_empty() {
        let bytes = saved::read(io::stdin())?;
        return Ok(vec![Given { source: saved::source("stdin".into(), &bytes)?, file: None }]);
    }
    texts.iter().map(given).collect()
}

fn given(text: &OsString) -> Result<Given, Failure> {
    let path = Path::new(text);
    let looks_like_file = path.extension().is_some_and(|e| e == saved::ENDING);
    // Also a pipe (`schedq check <(…)`); a folder may bear the name of a family.
    let is_there = fs::metadata(path).is_ok_and(|found| !found.is_dir());
    if !looks_like_file && !is_there {
        return Ok(Given { source: saved::source("-e".into(), text.as_encoded_bytes())?, file: None });
    }
    let (source, _) = saved::load(path, None)?;
    Ok(Given { source, file: Some(path.to_owned()) })
}

pub fn check(session: &Session, given: &[Given], terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut status = 0;
    for one in given {
        // A query that asks for `child` is right; it only wants a command when it runs.
        if let Err(problems) = session.check(&one.source, true) {
            problems.iter().for_each(|p| terminal.tell(p));
            status = Exit::Wrong.code();
        }
    }
    Ok(status)
}

pub fn format(texts: &[OsString], check: bool, write: bool, terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut status = 0;
    for one in sources(texts)? {
        let text = match texts::canonical(&one.source) {
            Ok(text) => text,
            Err(problems) => {
                problems.iter().for_each(|p| terminal.tell(p));
                status = Exit::Wrong.code();
                continue;
            }
        };
        match &one.file {
            _ if check => {
                if text.trim_end() != one.source.text.trim_end() {
                    terminal.note(&format!("{} is not in canonical form", one.source.name));
                    status = status.max(Exit::Failed.code());
                }
            }
            Some(file) if write => {
                if *text != *one.source.text {
                    fs::write(file, &text).map_err(|error| {
                        let title = format!("{} cannot be written: {error}", one.source.name);
                        Diagnostic::new("write", Exit::Failed, title)
                    })?;
                }
            }
            _ => terminal.print(&text)?,
        }
    }
    Ok(status)
}

/// `explain QUERY`, also for a script: every query of it is explained.
pub fn explain(args: &Args, texts: &[OsString], session: &Session, terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut status = 0;
    for one in sources(texts)? {
        match session.explain(&one.source) {
            Ok(pages) => pages.iter().try_for_each(|page| terminal.text(page))?,
            Err(problems) => {
                problems.iter().for_each(|p| terminal.tell(p));
                status = problems.first().map_or(0, |p| p.exit.code());
            }
        }
    }
    finish(args, Default::default(), terminal)?;
    Ok(status)
}

pub fn list(what: Listed, terminal: &mut Terminal) -> Result<u8, Failure> {
    if what != Listed::Queries {
        terminal.print(&texts::families())?;
    }
    if what == Listed::All {
        terminal.print("\n")?;
    }
    if what != Listed::Families {
        terminal.print(&texts::queries())?;
    }
    Ok(0)
}

/// A family, or a recording if it is the path of something.
pub fn describe(args: &Args, what: &Path, terminal: &mut Terminal) -> Result<u8, Failure> {
    let name = what.to_string_lossy();
    let text = match (described::is_recording(&name), args.format) {
        (false, _) => texts::describe(&name)?,
        (true, Some(Format::Json)) => described::json(&name)?,
        (true, _) => described::text(&name)?,
    };
    terminal.print(&text)?;
    Ok(0)
}
