//! What a condition that the grammar refuses was meant to be: another language's operator, a missing `where`, a text
//! without quotes.

use super::diagnose::{Place, is_operator, is_value};
use super::error::{Error, Problem};
use super::foreign;
use super::number;
use super::tokens::{Kind, Token};
use super::words::is_reserved;

impl Place<'_> {
    /// Inside `where` and `having`, and comparisons outside of them.
    pub(super) fn predicate(self) -> Option<Error> {
        let here = self.here()?;
        let before = self.before(1)?;
        let text = |token: Option<&Token>| token.map(|token| token.text.to_string());
        if is_operator(before) && !here.is("(") {
            if here.kind == Kind::Number || here.is(".") {
                return Some(number::wrong_number(self));
            }
            if here.kind == Kind::Word && here.text.contains('.') {
                return Some(self.error(Problem::FrameColumn { text: here.text.into() }));
            }
            if here.is("$") {
                return Some(self.error(Problem::ParameterName));
            }
            if is_glob_sign(here) {
                return Some(self.unquoted());
            }
            if here.is_word("missing") {
                let column = text(self.before(2)).unwrap_or_default();
                return Some(self.error_over(1, 0, Problem::IsNull { column }));
            }
            if foreign::operator(here.text).is_none() {
                let after = before.text.to_string();
                return Some(self.error(Problem::ValueWanted { after, found: Some(here.text.into()) }));
            }
        }
        if is_operator(before) && here.is("(") {
            let column = text(self.before(2)).unwrap_or_default();
            return (before.is("=")).then(|| self.error_over(1, 0, Problem::ListWanted { column }));
        }
        if number::is_unit_apart(self) {
            return Some(number::wrong_number(Place { at: self.at - 1, ..self }));
        }
        if number::is_second_part(self) {
            return Some(number::two_parts(self));
        }
        if !self.in_predicate() {
            if self.at == 1 && here.is("==") {
                return Some(self.error(Problem::Operator { found: "==".into(), right: "=" }));
            }
            let compared = here.kind == Kind::Word && self.after(1).is_some_and(is_operator);
            let measured =
                is_operator(here) && before.kind == Kind::Word && foreign::operator(here.text) != Some("and");
            if here.is(">") && self.after(1).is_some_and(names_file) {
                return Some(self.error(Problem::Elsewhere { found: ">".into(), right: "save" }));
            }
            if compared && foreign::counterpart(here.text).is_none() {
                return Some(self.where_wanted());
            }
            if measured && foreign::operator(here.text) != Some("or") {
                return Some(Place { at: self.at - 1, ..self }.where_wanted());
            }
            return None;
        }
        if is_glob_sign(here) && before.kind == Kind::Word && self.before(2).is_some_and(is_operator) {
            return Some(Place { at: self.at - 1, ..self }.unquoted());
        }
        let column = before.text.to_string();
        if here.is_word("not") && self.after(1).is_some_and(|next| next.is_word("in")) {
            return Some(self.error_over(0, 1, Problem::NotIn { column }));
        }
        if here.is_word("not") && self.after(1).is_some_and(|next| next.is_any_word(&["like", "ilike"])) {
            return Some(self.error_over(0, 1, Problem::NotLike { column, pattern: text(self.after(2)) }));
        }
        if here.is("!~") {
            return Some(self.error(Problem::NotLike { column, pattern: text(self.after(1)) }));
        }
        if here.is_any_word(&["like", "ilike", "matches", "regexp", "contains", "glob"]) {
            return Some(self.error(Problem::Like { column, pattern: text(self.after(1)) }));
        }
        if here.is_word("between") {
            let bounds = text(self.after(1)).zip(text(self.after(3)));
            let bounds = bounds.filter(|_| self.after(2).is_some_and(|word| word.is_word("and")));
            let ahead = if bounds.is_some() { 3 } else { 0 };
            return Some(self.error_over(0, ahead, Problem::Between { column, bounds }));
        }
        if is_operator(here) && foreign::operator(here.text).is_none() && self.before(2).is_some_and(is_operator) {
            let column = text(self.before(3)).unwrap_or_default();
            return Some(self.error(Problem::Chained { column }));
        }
        if is_value(here) && before.kind == Kind::Word && !is_reserved(before.text) {
            return Some(self.error_over(1, 0, Problem::OperatorWanted { column, value: here.text.into() }));
        }
        let compared = here.kind == Kind::Word && self.after(1).is_some_and(is_operator);
        if compared && !before.is("(") && foreign::counterpart(here.text).is_none() && !is_reserved(here.text) {
            return Some(self.error(Problem::AndWanted { column: here.text.into() }));
        }
        here.is(",").then(|| self.error(Problem::CommaInPredicate))
    }

    fn where_wanted(self) -> Error {
        let parts = self.tokens[self.at..].iter().take(3);
        let ours = parts.map(|token| foreign::operator(token.text).unwrap_or(token.text));
        let condition = ours.collect();
        self.error_over(0, 2, Problem::WhereWanted { condition })
    }

    /// The tokens from here on that no blank parts, as the text that they were meant to be.
    pub(super) fn unquoted(self) -> Error {
        let rest = &self.tokens[self.at..];
        let joined = rest.windows(2).take_while(|pair| pair[0].span().end == pair[1].start).count();
        let text = rest[..=joined].iter().map(|token| token.text).collect();
        self.error_over(0, joined, Problem::Unquoted { text })
    }
}

/// What a shell's redirection or a file's name begins with.
fn names_file(token: &Token) -> bool {
    token.kind == Kind::Text || token.is(">") || token.is("/") || token.kind == Kind::Word && token.text.contains('.')
}

fn is_glob_sign(token: &Token) -> bool {
    token.kind == Kind::Mark && matches!(token.text, "*" | "?" | "/" | "." | "-" | "%")
}
