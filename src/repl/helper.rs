//! What the editor asks while a line is typed: completion, hints, colours.

use std::borrow::Cow;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::SearchDirection;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Context};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::session::classes::{Class, classes, partners};
use crate::session::complete::{Candidate, Here, Quiet, complete};

/// Between a candidate and what it is.
const GAP: &str = "  ";
/// To what the column of candidates may grow.
const WIDEST: usize = 40;

#[derive(Default)]
pub struct Helper {
    /// What the statement has had in earlier lines.
    before: String,
    world: Here,
}

impl Helper {
    /// A new line begins.
    pub fn look(&mut self, before: &str, world: Here) {
        before.clone_into(&mut self.before);
        self.world = world;
    }

    /// Where in the line that is, of a place in the whole statement.
    fn in_line(&self, place: usize) -> usize {
        place.saturating_sub(self.before.len())
    }
}

impl rustyline::Helper for Helper {}

impl Validator for Helper {}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let found = complete(&format!("{}{}", self.before, &line[..pos]), &self.world);
        let start = self.in_line(found.start);
        if let [only] = found.candidates.as_slice() {
            // What is whole is followed by a blank, unless one is there.
            let whole = !only.insert.ends_with(['(', '/', '=']) && !line[pos..].starts_with([' ', ')', ',']);
            let replacement = format!("{}{}", only.insert, if whole { " " } else { "" });
            return Ok((start, vec![Pair { display: only.shown.clone(), replacement }]));
        }
        let columns = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let widest = found.candidates.iter().map(|c| c.shown.width()).max().unwrap_or(0).min(WIDEST);
        let pair = |c: &Candidate| Pair { display: listed(c, widest, columns), replacement: c.insert.clone() };
        let mut pairs: Vec<Pair> = found.candidates.iter().map(pair).collect();
        // One a line where they are explained: the editor puts as many side by side as the longest has room for.
        if let (Some(first), true) = (pairs.first_mut(), found.candidates.iter().any(|c| !c.about.is_empty())) {
            let width = (columns / 2).saturating_sub(first.display.width());
            first.display.push_str(&" ".repeat(width));
        }
        Ok((start, pairs))
    }
}

/// A line of the list: the candidate and what it is, within the screen.
fn listed(candidate: &Candidate, widest: usize, columns: usize) -> String {
    let pad = " ".repeat(widest.saturating_sub(candidate.shown.width()));
    let line = match candidate.about.is_empty() {
        true => candidate.shown.clone(),
        false => format!("{}{pad}{GAP}{}", candidate.shown, candidate.about),
    };
    // The editor puts two blanks behind each.
    let room = columns.saturating_sub(2).max(8);
    if line.width() <= room {
        return line;
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    let kept: String = line.chars().take_while(fits).collect();
    format!("{kept}…")
}

impl Hinter for Helper {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        if pos < line.len() || line.trim().is_empty() {
            return None;
        }
        self.of_history(line, context).or_else(|| self.only_way_on(line))
    }
}

impl Helper {
    /// The rest of the last statement that began so.
    fn of_history(&self, line: &str, context: &Context<'_>) -> Option<String> {
        if !self.before.is_empty() {
            return None;
        }
        let last = context.history().len().checked_sub(1)?;
        let found = context.history().starts_with(line, last, SearchDirection::Reverse).ok()??;
        let rest = found.entry.get(line.len()..)?;
        (!rest.is_empty() && !rest.contains('\n')).then(|| rest.to_owned())
    }

    /// The rest of the only word that can stand here. Nothing live is looked up: this is asked with every key.
    fn only_way_on(&self, line: &str) -> Option<String> {
        let found = complete(&format!("{}{line}", self.before), &Quiet(&self.world));
        let [only] = found.candidates.as_slice() else { return None };
        let typed = line.get(self.in_line(found.start)..)?;
        let rest = only.insert.strip_prefix(typed)?;
        (!rest.is_empty() && !typed.is_empty()).then(|| rest.to_owned())
    }
}

impl Highlighter for Helper {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        let partners = partners(line, pos);
        let mut painted = String::with_capacity(line.len() * 2);
        let mut done = 0;
        let mut paint = |from: usize, to: usize, code: &str| {
            painted.push_str(&line[done..from]);
            painted.push_str(&format!("\x1b[{code}m{}\x1b[0m", &line[from..to]));
            done = to;
        };
        let mut parts: Vec<(usize, usize, &str)> =
            classes(line).into_iter().map(|(span, class)| (span.start, span.end, code(class))).collect();
        if let Some((open, close)) = partners {
            parts.extend([(open, open + 1, "1;34"), (close, close + 1, "1;34")]);
            parts.sort_unstable();
        }
        parts.into_iter().for_each(|(from, to, code)| paint(from, to, code));
        painted.push_str(&line[done..]);
        Cow::Owned(painted)
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(format!("\x1b[1m{prompt}\x1b[0m"))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }

    fn highlight_candidate<'c>(&self, candidate: &'c str, _: CompletionType) -> Cow<'c, str> {
        match candidate.find(GAP) {
            Some(at) => Cow::Owned(format!("{}\x1b[2m{}\x1b[0m", &candidate[..at], &candidate[at..])),
            None => Cow::Borrowed(candidate),
        }
    }

    /// A letter can change what the word before it is.
    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

/// SGR parameters, of the sixteen colours that every terminal has in a form that its user can read.
fn code(class: Class) -> &'static str {
    match class {
        Class::Keyword => "1",
        Class::Stat => "36",
        Class::Family => "1;32",
        Class::Column => "34",
        Class::Text => "33",
        Class::Number | Class::Parameter => "35",
        Class::Comment => "2",
        Class::Wrong => "1;31",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(painted: &str) -> String {
        let mut out = String::new();
        let mut rest = painted;
        while let Some(at) = rest.find('\x1b') {
            out.push_str(&rest[..at]);
            rest = rest[at..].split_once('m').map_or("", |(_, rest)| rest);
        }
        out + rest
    }

    #[test]
    fn painting_changes_no_letter() {
        let helper = Helper::default();
        for line in ["", "a where comm = 'ä (' and (x", "((b)) # c", "'a", "é ) ("] {
            for pos in 0..=line.len() {
                assert_eq!(plain(&helper.highlight(line, pos)), line);
            }
        }
        assert_eq!(helper.highlight("where", 5), "\x1b[1mwhere\x1b[0m");
        assert_eq!(helper.highlight("(5s)", 0), "\x1b[1;34m(\x1b[0m\x1b[35m5s\x1b[0m\x1b[1;34m)\x1b[0m");
    }

    #[test]
    fn a_list_stays_within_the_screen() {
        let candidate = Candidate { insert: "x".into(), shown: "名前".into(), about: "what it is".into() };
        assert_eq!(listed(&candidate, 6, 80), "名前    what it is");
        let narrow = listed(&candidate, 6, 14);
        assert_eq!(narrow, "名前    wha…");
        assert_eq!(narrow.width(), 12);
    }
}
