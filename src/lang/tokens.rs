//! A whole source as a row of tokens, by the grammar's rule `tokens`.

use super::grammar::{Rule, read};
use crate::diagnostic::Span;

/// What a token is, by its form alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Newline,
    Comment,
    Text,
    /// A string whose quote does not close on its line.
    UnclosedText,
    Parameter,
    /// Written like a number, right or wrong: `5`, `1.5ms`, `0-3`, `5sec`.
    Number,
    /// Written like a word, right or wrong: `by`, `p99.9`, `rwsem:r`, `kprobe:x`.
    Word,
    Mark,
    /// A character that the language does not have.
    Stray,
}

/// Blanks are no tokens; what matters of them is how deep the token's line is indented.
#[derive(Debug, Clone, Copy)]
pub struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    pub start: usize,
    /// The width of the blanks before the first token of this token's line, tabs going to the next multiple of eight.
    pub indent: usize,
}

impl<'s> Token<'s> {
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    pub fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    /// Whether it is this word of the language, in any case.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub fn is_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(word))
    }

    pub fn lower(&self) -> String {
        self.text.to_ascii_lowercase()
    }
}

/// A whole source, also a wrong one: every text is a row of tokens.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let Ok(pair) = read(Rule::tokens, text) else {
        unreachable!("the rule `tokens` takes any text: its last alternative is any character");
    };
    let mut tokens = Vec::new();
    let mut line_start = 0;
    let mut indent = None;
    for pair in pair.into_inner() {
        let kind = match pair.as_rule() {
            Rule::newline => Kind::Newline,
            Rule::comment => Kind::Comment,
            Rule::text => Kind::Text,
            Rule::unclosed_text => Kind::UnclosedText,
            Rule::parameter => Kind::Parameter,
            Rule::number => Kind::Number,
            Rule::word => Kind::Word,
            Rule::mark => Kind::Mark,
            Rule::stray => Kind::Stray,
            _ => continue,
        };
        let start = pair.as_span().start();
        let width = *indent.get_or_insert_with(|| width(&text[line_start..start]));
        tokens.push(Token { kind, text: pair.as_str(), start, indent: width });
        if kind == Kind::Newline {
            line_start = start + 1;
            indent = None;
        }
    }
    tokens
}

fn width(blanks: &str) -> usize {
    blanks.bytes().fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        b'\r' => width,
        _ => width + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        tokens(text).into_iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn strings_and_comments_hide_everything_in_them() {
        use Kind::*;
        assert_eq!(
            cut("a = 'x;#\\'' # b';\n\"y"),
            [(Word, "a"), (Mark, "="), (Text, "'x;#\\''"), (Comment, "# b';"), (Newline, "\n"), (UnclosedText, "\"y")]
        );
    }

    #[test]
    fn what_is_written_together_is_one_token() {
        use Kind::*;
        assert_eq!(
            cut("nice=-5 in 0-3,6 p99.9>1.5µs 1h30m rwsem:r $x 1.5.2 a==b"),
            [
                (Word, "nice"),
                (Mark, "="),
                (Number, "-5"),
                (Word, "in"),
                (Number, "0-3"),
                (Mark, ","),
                (Number, "6"),
                (Word, "p99.9"),
                (Mark, ">"),
                (Number, "1.5µs"),
                (Number, "1h30m"),
                (Word, "rwsem:r"),
                (Parameter, "$x"),
                (Number, "1.5.2"),
                (Word, "a"),
                (Mark, "=="),
                (Word, "b"),
            ]
        );
    }

    #[test]
    fn a_line_knows_its_indentation() {
        let indents: Vec<usize> = tokens("a\n  b c\n\td").iter().map(|token| token.indent).collect();
        assert_eq!(indents, [0, 0, 2, 2, 2, 8]);
    }
}
