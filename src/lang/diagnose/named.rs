//! Why the grammar stopped in a statement on results: `assert`, `compare`, `run`, `env`.

use super::nouns::argument_of;
use super::{Place, is_operator, is_value};
use crate::lang::error::{Error, Named, Problem};
use crate::lang::foreign;
use crate::lang::grammar::Rule;
use crate::lang::number;
use crate::lang::tokens::{Kind, Token};

impl Place<'_> {
    /// Answers for such a statement altogether: what is said of queries does not fit it.
    pub(super) fn named(self, expected: &[Rule]) -> Option<Error> {
        let first = &self.tokens[0];
        if self.nested || !first.is_any_word(&["assert", "compare", "run", "env"]) {
            return None;
        }
        if self.tokens.get(1).is_some_and(|next| next.is("=")) {
            let problem = Problem::Reserved { word: first.lower(), role: "a frame" };
            return Some(Error::new(first.span(), problem));
        }
        let answer = match first.lower().as_str() {
            "assert" => self.in_assert(),
            "compare" => self.in_compare(),
            "run" => self.in_run(),
            _ => None,
        };
        Some(answer.or_else(|| self.at_the_end()).unwrap_or_else(|| self.unexpected(expected)))
    }

    fn in_assert(self) -> Option<Error> {
        let here = self.here()?;
        let before = self.before(1)?;
        let claims = |token: &Token| token.is_any_word(&["assert", "and", "or", "not"]) || token.is("(");
        let problem = |named| Problem::Named(named);
        if before.is_word("else") {
            let rest = &self.tokens[self.at..];
            let text = as_written(rest);
            return Some(self.error_over(0, rest.len() - 1, Problem::Unquoted { text }));
        }
        if here.kind == Kind::Text && !is_operator(before) && !claims(before) && !before.is(",") {
            return Some(self.error(problem(Named::ElseWanted { text: here.text.into() })));
        }
        if here.is(",") && self.after(1).is_some_and(|next| next.kind == Kind::Text) {
            let text = self.after(1).map_or("", |next| next.text).into();
            return Some(self.error_over(0, 1, problem(Named::ElseWanted { text })));
        }
        if claims(before) && here.kind != Kind::Mark {
            return Some(self.error(problem(Named::ColumnWanted { found: here.text.into() })));
        }
        if here.is_word("is") {
            return Some(self.error_over(0, 1, problem(Named::MissingTest)));
        }
        if self.before(2).is_some_and(claims) && before.kind == Kind::Word && !before.text.contains('.') {
            return Some(self.error_over(1, 0, problem(Named::ColumnWanted { found: before.text.into() })));
        }
        if let Some(right) = foreign::operator(here.text) {
            return Some(self.error(Problem::Operator { found: here.text.into(), right }));
        }
        if number::is_unit_apart(self) {
            return Some(number::wrong_number(Place { at: self.at - 1, ..self }));
        }
        if is_operator(before) && here.kind == Kind::Number {
            return Some(number::wrong_number(self));
        }
        if is_value(here) && before.kind == Kind::Word {
            let (column, value) = (before.text.into(), here.text.into());
            return Some(self.error_over(1, 0, Problem::OperatorWanted { column, value }));
        }
        None
    }

    fn in_compare(self) -> Option<Error> {
        let joins = |token: &Token| token.is(",") || token.is_any_word(&["and", "with", "to", "vs", "against"]);
        // `with` and the like may be read as the second name.
        let join = self.tokens.iter().skip(2).find(|token| joins(token));
        if let Some(sign) = join.filter(|_| self.at >= 2) {
            let problem = Named::CompareJoined { sign: sign.lower() };
            return Some(Error::new(sign.span(), Problem::Named(problem)));
        }
        if self.here().is_none() {
            let last = self.before(1)?;
            return Some(Error::new(last.span(), Problem::Named(Named::CompareTwo)));
        }
        self.file_unquoted()
    }

    fn in_run(self) -> Option<Error> {
        if let Some(error) = self.file_unquoted() {
            return Some(error);
        }
        let here = self.here()?;
        if self.at == 1 {
            let wanted = argument_of("run")?;
            let word = self.tokens[0].lower();
            return Some(Error::new(here.span(), Problem::MissingArgument { word, wanted }));
        }
        let assigned = self.before(1).is_some_and(|before| before.is("="));
        if assigned && here.kind == Kind::Number {
            return Some(number::wrong_number(self));
        }
        let found = as_written(&self.tokens[self.at..]);
        let rest = self.tokens.len() - self.at - 1;
        Some(self.error_over(0, rest, Problem::Named(Named::ArgumentWanted { found })))
    }

    /// A path that is not in quotes.
    fn file_unquoted(self) -> Option<Error> {
        let here = self.here()?;
        let before = self.before(1)?;
        let whole = here.kind == Kind::Word && here.text.contains('.') && self.at <= 2;
        let begins = matches!(here.text, "/" | "." | "-" | "~");
        // `../x.sq`, `dir/x.sq`, `x.sq`: the tokens that no blank parts.
        let start = match () {
            () if begins && before.span().end == here.start && before.kind == Kind::Word => self.at - 1,
            () if whole || begins && self.at <= 2 => self.at,
            () => return None,
        };
        let place = Place { at: start, ..self };
        let rest = &self.tokens[start..];
        let joined = rest.windows(2).take_while(|pair| pair[0].span().end == pair[1].start).count();
        let found = rest[..=joined].iter().map(|token| token.text).collect::<String>();
        if !found.contains(['/', '.']) {
            return None;
        }
        Some(place.error_over(0, joined, Problem::FileWanted { found }))
    }
}

/// The tokens with a blank where there are some.
fn as_written(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut end = tokens.first().map_or(0, |first| first.start);
    for token in tokens {
        if token.start > end {
            text.push(' ');
        }
        text.push_str(token.text);
        end = token.span().end;
    }
    text
}
