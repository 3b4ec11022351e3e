//! Why the grammar stopped: from the place, the token there and the one before it, to a problem that can be answered.
//!
//! What is due after a word (`for`, `=`, `in` …) is asked first; then what the token itself may have been meant as.

mod named;
mod nouns;
mod recorded;

use self::nouns::{argument_of, noun};
use super::error::{Error, Problem};
use super::foreign;
use super::grammar::{Rule, Stop};
use super::number;
use super::tokens::{Kind, Token};
use super::words::{CLAUSES, NOT_YET, STATEMENTS, STATS, is_reserved, is_stat};
use crate::diagnostic::Span;
use crate::nearest::nearest;

/// `tokens` are a statement's, at least one; `stop` is counted from the start of the first.
pub(super) fn diagnose(tokens: &[Token], stop: &Stop) -> Error {
    let offset = tokens[0].start + stop.offset;
    let at = tokens.iter().position(|token| token.span().end > offset).unwrap_or(tokens.len());
    Place { tokens, at, nested: false }.diagnose(&stop.expected)
}

impl Place<'_> {
    fn diagnose(self, expected: &[Rule]) -> Error {
        if let Some(error) = self.named(expected) {
            return error;
        }
        if let Some(error) = self.family_wanted() {
            return error;
        }
        if let Some(inner) = self.inner_query() {
            return inner.diagnose(expected);
        }
        self.recorded()
            .or_else(|| self.beginning())
            .or_else(|| self.assigned())
            .or_else(|| self.at_the_end())
            .or_else(|| self.not_yet())
            .or_else(|| self.after_word())
            .or_else(|| self.in_brackets())
            .or_else(|| self.measure())
            .or_else(|| self.predicate())
            .or_else(|| self.mark())
            .or_else(|| self.word())
            .unwrap_or_else(|| self.unexpected(expected))
    }
}

/// Where the grammar stopped: `tokens[at]` does not fit; `at` is the length when the end does not.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub tokens: &'t [Token<'t>],
    pub at: usize,
    /// The tokens are those of a query inside a statement, behind `from 'file'` or in `worst(…)`: the first is its family.
    pub nested: bool,
}

impl<'t> Place<'t> {
    pub fn here(self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    pub fn before(self, back: usize) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at.checked_sub(back)?)
    }

    pub fn after(self, ahead: usize) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at + ahead)
    }

    /// The place itself: the token, or the point behind the last one.
    fn span(self) -> Span {
        match self.here() {
            Some(token) => token.span(),
            None => self.tokens[self.tokens.len() - 1].span(),
        }
    }

    pub fn error(self, problem: Problem) -> Error {
        Error::new(self.span(), problem)
    }

    /// From the token `back` before the place to the one `ahead` of it.
    pub fn error_over(self, back: usize, ahead: usize, problem: Problem) -> Error {
        let start = self.before(back).map_or(self.span(), |token| token.span());
        let end = self.after(ahead).map_or(self.span(), |token| token.span());
        Error::new(start.to(end), problem)
    }

    /// The word that began the clause of the place; `stats` for stats, `None` before the first.
    pub fn clause(self) -> Option<&'static str> {
        let mut clause = None;
        let mut behind_worst = 0;
        for (index, token) in self.tokens[..self.at].iter().enumerate().skip(1) {
            if index < behind_worst {
                continue;
            }
            if token.is_word("worst") {
                behind_worst = self.closing(index + 1);
            } else if let Some(word) = CLAUSES.iter().find(|word| token.is_word(word)) {
                clause = Some(*word);
            } else if token.kind == Kind::Word && is_stat(&token.lower()) {
                let before = &self.tokens[index - 1];
                let continues = before.is(",") || before.is("(") || is_operator(before) || needs_column(before);
                let compared = self.tokens.get(index + 1).is_some_and(is_operator);
                if !(continues || compared || before.is_word("sort") || before.is_word("by")) {
                    clause = Some("stats");
                }
            }
        }
        clause
    }

    pub fn in_predicate(self) -> bool {
        matches!(self.clause(), Some("where" | "having"))
    }

    /// Whether a clause, a statement's end or nothing stands here: what came before lacks its argument.
    fn argument_is_missing(self) -> bool {
        self.here().is_none_or(|token| {
            token.is_any_word(CLAUSES)
                || token.is_word("to")
                || token.is(")")
                || token.is(",") && self.before(1).is_some_and(|t| !t.is(","))
        })
    }

    fn beginning(self) -> Option<Error> {
        let first = &self.tokens[0];
        let word = first.lower();
        let named = self.tokens.get(1).is_some_and(|token| token.is("="));
        if self.at > 0 {
            if self.nested {
                return None;
            }
            let file = self.tokens.get(1).is_some_and(|token| token.kind == Kind::Text);
            let from = file.then_some("from").into_iter();
            // A longer word than a short one is rather the name of something.
            let statements = STATEMENTS.iter().copied().filter(|known| known.len() > 3 || known.len() == word.len());
            let nearest = nearest(&word, from.chain(statements))?;
            let unknown = self.at <= 2 && first.kind == Kind::Word && nearest != word && !named;
            let fits = self.here().is_none_or(|token| !token.is_any_word(CLAUSES) && !is_operator(token));
            return (unknown && fits)
                .then(|| Error::new(first.span(), Problem::UnknownStatement { word: first.text.into(), nearest }));
        }
        if first.kind != Kind::Word {
            return Some(self.error(Problem::FamilyFirst { word: None }));
        }
        if first.text.contains(['.', ':', '-']) {
            let text = first.text.replace(['.', ':', '-'], " ");
            return Some(self.error(Problem::Parted { text }));
        }
        if named && is_reserved(&word) {
            return Some(self.error(Problem::Reserved { word, role: "a frame" }));
        }
        if CLAUSES.contains(&word.as_str()) || is_stat(&word) || foreign::counterpart(&word).is_some() {
            return Some(self.error(Problem::FamilyFirst { word: Some(word) }));
        }
        is_reserved(&word).then(|| self.error(Problem::Reserved { word, role: "a family" }))
    }

    /// Behind the `=` of `NAME = …` and `param NAME = …`.
    fn assigned(self) -> Option<Error> {
        if !self.before(1)?.is("=") {
            return None;
        }
        match self.at {
            2 => Some(self.error(Problem::QueryWanted {
                after: "=".into(),
                found: self.here().map(|token| token.text.to_string()),
            })),
            3 if self.here().is_none() && self.tokens[0].is_word("param") => {
                Some(self.missing(&self.tokens[2], "a value, a list of CPUs or `any`"))
            }
            _ => None,
        }
    }

    fn at_the_end(self) -> Option<Error> {
        if self.here().is_some() {
            return None;
        }
        let last = self.before(1)?;
        let wanted = match last.lower().as_str() {
            _ if last.kind == Kind::Mark => {
                let after = last.text.to_string();
                let wanted = last.is(",") || is_operator(last) && foreign::operator(last.text).is_none();
                return wanted.then(|| self.error(Problem::ValueWanted { after, found: None }));
            }
            _ if last.kind != Kind::Word => return None,
            "is" => "`missing`",
            "as" => "the style",
            "to" => "the file's name in quotes",
            "under" => "a path in quotes",
            word => return argument_of(word).map(|wanted| self.missing(last, wanted)),
        };
        Some(self.missing(last, wanted))
    }

    fn missing(self, word: &Token, wanted: &'static str) -> Error {
        Error::new(word.span(), Problem::MissingArgument { word: word.lower(), wanted })
    }

    /// Words of the language that are to come, where a clause may stand.
    fn not_yet(self) -> Option<Error> {
        let here = self.here()?;
        let word = here.lower();
        let argument = self.before(1).is_some_and(|before| is_operator(before) || before.is("("));
        let known = here.kind == Kind::Word && NOT_YET.contains(&word.as_str());
        (known && !argument).then(|| self.error(Problem::NotYet { word }))
    }

    /// Something is due after the word before the place, and it is not what stands here.
    fn after_word(self) -> Option<Error> {
        let before = self.before(1).filter(|token| token.kind == Kind::Word)?;
        let here = self.here()?;
        let word = before.lower();
        let found = || here.text.to_string();
        match word.as_str() {
            "sort" if here.is_word("by") => {
                return Some(self.error_over(1, 0, Problem::Elsewhere { found: "sort by".into(), right: "sort" }));
            }
            "sort" if here.is("-") && self.after(1).is_some() => {
                let column = self.after(1).map(|token| token.text.to_string());
                return Some(self.error_over(0, 1, Problem::DirectionFirst { direction: "desc".into(), column }));
            }
            "save" if here.is_word("to") && self.at > 1 => {
                return Some(self.error_over(1, 0, Problem::Elsewhere { found: "save to".into(), right: "save" }));
            }
            "save" if self.at == 1 => return Some(self.error(Problem::NameWanted { usage: "save NAME to 'file'" })),
            "show" => return Some(self.error(Problem::NameWanted { usage: "show NAME as table" })),
            "param" => return Some(self.error(Problem::NameWanted { usage: "param NAME = 5" })),
            "child" if is_operator(here) => return Some(self.error_over(1, 0, Problem::FlagAlone)),
            "and" | "or" | "not" | "where" | "having" if is_operator(here) => {
                let column = self.before(4).filter(|_| self.before(3).is_some_and(is_operator));
                let column = column.map_or("COLUMN", |token| token.text).to_string();
                return Some(self.error(Problem::Chained { column }));
            }
            "is" => return self.after_is(),
            _ if self.argument_is_missing() => {
                return argument_of(&word).map(|wanted| self.missing(before, wanted));
            }
            _ => {}
        }
        let problem = match word.as_str() {
            "for" | "every" => {
                let clause = if word == "for" { "for" } else { "every" };
                return Some(number::duration_wanted(self, clause));
            }
            "top" | "first" => {
                let clause = if word == "top" { "top" } else { "first" };
                Problem::LimitWanted { clause, found: found() }
            }
            "save" | "to" => {
                let rest = self.tokens[self.at..].iter().take_while(|token| !token.is_any_word(CLAUSES));
                let rest: Vec<&str> = rest.map(|token| token.text).collect();
                return Some(self.error_over(
                    0,
                    rest.len().saturating_sub(1),
                    Problem::FileWanted { found: rest.concat() },
                ));
            }
            "sort" if here.is_any_word(&["asc", "desc", "ascending", "descending"]) => {
                let column = self.after(1).filter(|token| token.kind == Kind::Word && !token.is_any_word(CLAUSES));
                let column = column.map(|token| token.text.to_string());
                let ahead = usize::from(column.is_some());
                let direction = if here.lower().starts_with('a') { "asc" } else { "desc" };
                return Some(self.error_over(
                    0,
                    ahead,
                    Problem::DirectionFirst { direction: direction.into(), column },
                ));
            }
            "in" => Problem::ListWanted { column: self.before(2).map_or("", |token| token.text).to_string() },
            "under" => return Some(self.unquoted()),
            "where" | "having" | "and" | "or" | "not" if is_value(here) => {
                let column = self.before(4).filter(|_| self.before(3).is_some_and(is_operator));
                Problem::ColumnFirst { column: column.map(|token| token.text.to_string()), found: found() }
            }
            "uniq" => Problem::UniqArgument,
            "explain" | "analyze" | "verify" => Problem::QueryWanted { after: word.clone(), found: Some(found()) },
            "by" | "sort" | "where" | "having" | "and" | "or" | "not" if here.kind == Kind::Word => {
                if here.is_word("not") && self.after(1).is_some_and(|next| next.is_word("in")) {
                    return None;
                }
                let word = here.lower();
                let role = if self.in_predicate() { "a column" } else { "a key" };
                is_reserved(&word).then_some(Problem::Reserved { word, role })?
            }
            _ => return None,
        };
        Some(self.error(problem))
    }

    fn after_is(self) -> Option<Error> {
        let column = self.before(2)?.text.to_string();
        let here = self.here()?;
        if here.is_word("not") {
            let ahead = usize::from(self.after(1).is_some_and(|next| next.is_any_word(&["missing", "null", "none"])));
            return Some(self.error_over(1, ahead, Problem::IsNot { column }));
        }
        if here.is_any_word(&["null", "none", "nil", "empty", "absent"]) {
            return Some(self.error_over(1, 0, Problem::IsNull { column }));
        }
        let equal = is_value(here) || here.kind == Kind::Word && !is_reserved(here.text);
        let problem = Problem::Elsewhere { found: "is".into(), right: "=" };
        equal.then(|| Error::new(self.before(1).map_or(self.span(), |token| token.span()), problem))
    }

    fn in_brackets(self) -> Option<Error> {
        let here = self.here()?;
        if here.is("(") {
            let stat = self.before(1).filter(|token| token.kind == Kind::Word)?;
            let argument = self.after(1).filter(|token| !token.is(")")).map(|token| token.text.to_string());
            let known = is_stat(&stat.lower()) || foreign::counterpart(&stat.lower()).is_some();
            let close = self.tokens[self.at..].iter().position(|token| token.is(")")).unwrap_or(0);
            let (family, stat) = (self.tokens[0].lower(), stat.lower());
            return known.then(|| self.error_over(1, close, Problem::StatWithArgument { family, stat, argument }));
        }
        // Inside the brackets of a stat, a key or a list.
        let open = (0..self.at).rev().find(|index| self.tokens[*index].is("("))?;
        if self.tokens[open..self.at].iter().any(|token| token.is(")")) {
            return None;
        }
        let owner = open.checked_sub(1).map(|index| &self.tokens[index])?;
        let problem = match owner.lower().as_str() {
            "hist" if self.at == open + 1 && here.kind == Kind::Word => {
                let close = self.tokens[open..].iter().position(|token| token.is(")")).unwrap_or(1);
                let argument = Some(here.text.to_string());
                let family = self.tokens[0].lower();
                let problem = Problem::StatWithArgument { family, stat: "hist".into(), argument };
                return Some(self.error_over(2, close.saturating_sub(1), problem));
            }
            "hist" => Problem::HistArguments,
            "uniq" => Problem::UniqArgument,
            "in" if here.is(")") && self.at == open + 1 => {
                return Some(self.error_over(1, 0, Problem::EmptyList));
            }
            "in" if here.is(")") => Problem::ValueWanted { after: ",".into(), found: Some(")".into()) },
            "in" if is_value(here) && self.before(1).is_some_and(is_value) => {
                let before = self.before(1).map_or("", |token| token.text).to_string();
                Problem::MissingComma { before, after: here.text.into() }
            }
            "in" if here.kind == Kind::Number => return Some(number::wrong_number(self)),
            _ if self.clause() == Some("by") && owner.kind == Kind::Word => {
                Problem::KeyDepth { column: owner.text.to_string() }
            }
            _ => return None,
        };
        Some(self.error(problem))
    }

    /// The grammar takes any word behind the family for its measure, also a misspelt clause.
    fn measure(self) -> Option<Error> {
        let measure = self.before(1).filter(|token| self.at == 2 && token.kind == Kind::Word)?;
        let here = self.here().filter(|token| !is_operator(token))?;
        if let Some(right) = foreign::counterpart(measure.text) {
            let found = measure.lower();
            return Some(Error::new(measure.span(), Problem::Elsewhere { found, right }));
        }
        let nearest = nearest(measure.text, CLAUSES.iter().copied()).filter(|_| !here.is_any_word(CLAUSES))?;
        let word = measure.text.to_string();
        Some(Error::new(measure.span(), Problem::UnknownWord { word, nearest: Some(nearest) }))
    }

    fn mark(self) -> Option<Error> {
        let here = self.here()?;
        let before = self.before(1)?;
        let found = here.text.to_string();
        if !self.in_predicate() && matches!(here.text, "-" | "|" | "||" | "&" | "&&" | "/") {
            return Some(self.error(Problem::Shell { sign: found }));
        }
        if let Some(right) = foreign::operator(here.text) {
            return Some(self.error(Problem::Operator { found, right }));
        }
        if before.is(",") && self.argument_is_missing() || before.is(",") && here.is(",") {
            return Some(self.error(Problem::ValueWanted { after: ",".into(), found: Some(found) }));
        }
        let problem = match here.text {
            _ if here.kind != Kind::Mark => return None,
            "." if before.kind == Kind::Number => Problem::Elsewhere { found: "..".into(), right: "-" },
            "+" | "-" | "*" | "/" | "%" => Problem::Arithmetic { sign: found },
            "[" | "]" => Problem::SquareBracket,
            "$" => Problem::ParameterName,
            _ => return None,
        };
        Some(self.error(problem))
    }

    fn word(self) -> Option<Error> {
        let here = self.here().filter(|token| token.kind == Kind::Word)?;
        let word = here.lower();
        let by = usize::from(self.after(1).is_some_and(|next| next.is_word("by")));
        if let Some(right) = foreign::counterpart(&word) {
            let by = if matches!(word.as_str(), "group" | "order" | "sorted") { by } else { 0 };
            let found = if by == 1 { format!("{word} by") } else { word };
            let rows = self.tokens[..self.at].iter().any(|token| token.is_word("events"));
            let right = if found == "limit" && rows { "first" } else { right };
            return Some(self.error_over(0, by, Problem::Elsewhere { found, right }));
        }
        if by == 1 && nearest(&word, ["group", "order"]).is_some() {
            let right = if nearest(&word, ["order"]).is_some() { "sort" } else { "by" };
            return Some(self.error_over(0, 1, Problem::Elsewhere { found: format!("{word} by"), right }));
        }
        if word == "to" && self.tokens[0].is_word("show") {
            return Some(self.error(Problem::Elsewhere { found: "show … to".into(), right: "save … to" }));
        }
        if self.tokens[0].is_any_word(&["show", "save", "param"]) {
            return None;
        }
        if self.clause() == Some("by") && self.before(1).is_some_and(|token| token.is(",")) && is_stat(&word) {
            return Some(self.error(Problem::Reserved { word, role: "a key" }));
        }
        if matches!(word.as_str(), "and" | "or") && self.clause() != Some("where") {
            let before = self.before(1).map_or("", |token| token.text).to_string();
            let after = self.after(1).map_or("", |token| token.text).to_string();
            return Some(self.error(Problem::MissingComma { before, after }));
        }
        let near = nearest(&word, CLAUSES.iter().chain(STATS).copied());
        let listing = matches!(self.clause(), Some("by" | "sort")) && !is_reserved(&word);
        if near.is_none() && listing && self.before(1).is_some_and(|token| token.kind == Kind::Word) {
            let before = self.before(1).map_or("", |token| token.text).to_string();
            return Some(self.error(Problem::MissingComma { before, after: here.text.into() }));
        }
        let several = self.in_predicate() && near.is_none() && self.before(2).is_some_and(is_operator);
        if let (true, Some(before)) = (several, self.before(1).filter(|token| token.kind == Kind::Word)) {
            let text = format!("{} {}", before.text, here.text);
            return Some(self.error_over(1, 0, Problem::Unquoted { text }));
        }
        (!is_reserved(&word)).then(|| self.error(Problem::UnknownWord { word: here.text.into(), nearest: near }))
    }

    fn unexpected(self, expected: &[Rule]) -> Error {
        let mut nouns: Vec<&'static str> = expected.iter().filter_map(|rule| noun(*rule)).collect();
        nouns.sort_unstable();
        nouns.dedup();
        self.error(Problem::Unexpected { found: self.here().map(|token| token.text.to_string()), expected: nouns })
    }
}

fn needs_column(token: &Token) -> bool {
    token.is_any_word(&["where", "having", "and", "or", "not"])
}

/// A comparison sign, ours or another language's.
pub(super) fn is_operator(token: &Token) -> bool {
    const OURS: &[&str] = &["=", "!=", "<", "<=", ">", ">=", "~", "!~"];
    token.kind == Kind::Mark && (OURS.contains(&token.text) || matches!(token.text, "==" | "=~" | "<>" | "=<" | "=>"))
}

pub(super) fn is_value(token: &Token) -> bool {
    matches!(token.kind, Kind::Number | Kind::Text | Kind::Parameter)
}
