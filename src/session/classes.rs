//! What the parts of a text are, for whoever shows it in colours: by the grammar's own tokens and the catalog.

use crate::catalog;
use crate::diagnostic::Span;
use crate::lang::reference;
use crate::lang::tokens::{Kind, Token, tokens};
use crate::lang::{is_reserved, words};

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Keyword,
    Stat,
    Family,
    Column,
    Text,
    Number,
    Parameter,
    Comment,
    /// What cannot be right: a quote that does not close on its line, a character that the language does not have.
    Wrong,
}

/// The parts that are something, in order; what lies between them is nothing in particular.
pub fn classes(text: &str) -> Vec<(Span, Class)> {
    let all = tokens(text);
    // While it is typed, the last text is open and not wrong.
    let last = all.last().map(|token| token.start);
    let class = |token: &Token| match token.kind {
        Kind::Newline | Kind::Mark => None,
        Kind::Comment => Some(Class::Comment),
        Kind::Text => Some(Class::Text),
        Kind::UnclosedText if Some(token.start) == last => Some(Class::Text),
        Kind::UnclosedText | Kind::Stray => Some(Class::Wrong),
        Kind::Parameter => Some(Class::Parameter),
        Kind::Number => Some(Class::Number),
        Kind::Word => of_word(&token.lower()),
    };
    all.iter().filter_map(|token| Some((token.span(), class(token)?))).collect()
}

fn of_word(word: &str) -> Option<Class> {
    if words::is_stat(word) {
        return Some(Class::Stat);
    }
    if is_reserved(word) || reference::PROMPT.iter().any(|entry| entry.word == word) {
        return Some(Class::Keyword);
    }
    if catalog::family(word).is_some() || catalog::event_set(word).is_some() {
        return Some(Class::Family);
    }
    catalog::FAMILIES.iter().any(|family| family.column(word).is_some()).then_some(Class::Column)
}

/// The bracket at byte `at` and its partner, if there is one.
pub fn partners(text: &str, at: usize) -> Option<(usize, usize)> {
    let all = tokens(text);
    let mut open: Vec<&Token> = Vec::new();
    for token in &all {
        match token.text {
            "(" | "{" => open.push(token),
            ")" | "}" => {
                let partner = open.pop()?;
                if partner.start == at || token.start == at {
                    return Some((partner.start, token.start));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Class)> {
        classes(text).into_iter().map(|(span, class)| (&text[span.start..span.end], class)).collect()
    }

    #[test]
    fn every_word_has_its_class() {
        let family = catalog::FAMILIES[0];
        let text = format!("{} where comm = 'a' and $x < 5ms p99 by cpu # so", family.name);
        assert_eq!(
            found(&text),
            [
                (family.name, Class::Family),
                ("where", Class::Keyword),
                ("comm", Class::Column),
                ("'a'", Class::Text),
                ("and", Class::Keyword),
                ("$x", Class::Parameter),
                ("5ms", Class::Number),
                ("p99", Class::Stat),
                ("by", Class::Keyword),
                ("cpu", Class::Column),
                ("# so", Class::Comment),
            ]
        );
        assert_eq!(found("x 'a"), [("'a", Class::Text)]);
        assert_eq!(found("x 'a\ny"), [("'a", Class::Wrong)]);
        assert_eq!(found("é"), [("é", Class::Wrong)]);
    }

    #[test]
    fn brackets_find_their_partners() {
        let text = "a (b '(' c) d";
        assert_eq!(partners(text, 2), Some((2, 10)));
        assert_eq!(partners(text, 10), Some((2, 10)));
        assert_eq!(partners(text, 6), None, "in a text");
        assert_eq!(partners("a (b", 2), None);
        assert_eq!(partners("a) b", 1), None);
    }
}
