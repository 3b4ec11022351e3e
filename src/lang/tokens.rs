//! A whole source as a row of tokens, by the grammar's rules `tokens` and `sql_line`.

use super::Options;
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

/// A whole source, also a wrong one: every text is a row of tokens. As [`tokens_with`], where deeper lines continue a
/// statement.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    tokens_with(text, Options::default())
}

/// SQL's tokens are others than ours, so where a statement of it ends must be known here already.
pub(super) fn tokens_with(text: &str, options: Options) -> Vec<Token<'_>> {
    let mut cutter = Cutter { text, at: 0, line_start: 0, indent: None, tokens: Vec::new() };
    while cutter.at < text.len() {
        cutter.cut(Rule::tokens);
        if let Some(indent) = cutter.begins_sql() {
            cutter.sql(indent, options);
        }
    }
    cutter.tokens
}

struct Cutter<'s> {
    text: &'s str,
    at: usize,
    line_start: usize,
    indent: Option<usize>,
    tokens: Vec<Token<'s>>,
}

impl<'s> Cutter<'s> {
    /// Goes on as far as the rule does.
    fn cut(&mut self, rule: Rule) {
        let Ok(pair) = read(rule, &self.text[self.at..]) else {
            unreachable!("both rules take any text: their last alternative is any character");
        };
        let end = pair.as_span().end();
        let from = self.at;
        for pair in pair.into_inner() {
            let kind = match pair.as_rule() {
                Rule::newline => Kind::Newline,
                Rule::comment | Rule::sql_comment => Kind::Comment,
                Rule::text | Rule::sql_text => Kind::Text,
                Rule::unclosed_text => Kind::UnclosedText,
                Rule::parameter => Kind::Parameter,
                Rule::number | Rule::sql_number => Kind::Number,
                Rule::word | Rule::sql_start | Rule::sql_name => Kind::Word,
                Rule::mark | Rule::sql_remark => Kind::Mark,
                Rule::stray => Kind::Stray,
                _ => continue,
            };
            self.push(kind, pair.as_str(), from + pair.as_span().start());
        }
        self.at = from + end;
    }

    fn push(&mut self, kind: Kind, text: &'s str, start: usize) {
        let line = &self.text[self.line_start..start];
        let indent = *self.indent.get_or_insert_with(|| width(line));
        self.tokens.push(Token { kind, text, start, indent });
        if kind == Kind::Newline {
            self.line_start = start + 1;
            self.indent = None;
        }
    }

    /// Whether the last token is the word `sql` that begins a statement or stands behind its `NAME =`; then how deep that
    /// statement is indented.
    fn begins_sql(&self) -> Option<usize> {
        let (last, before) = self.tokens.split_last().filter(|(last, _)| last.is_word("sql"))?;
        let begins = |before: &[Token]| {
            let ends = |token: &Token| token.kind == Kind::Newline || [";", "{", "}"].iter().any(|mark| token.is(mark));
            before.last().is_none_or(ends)
        };
        match before {
            before if begins(before) => Some(last.indent),
            [before @ .., name, equals] if equals.is("=") && name.kind == Kind::Word && begins(before) => {
                Some(name.indent)
            }
            _ => None,
        }
    }

    /// The lines of an SQL statement, up to what ends it.
    fn sql(&mut self, indent: usize, options: Options) {
        let mut open = 0;
        loop {
            let from = self.tokens.len();
            self.cut(Rule::sql_line);
            open += self.tokens[from..].iter().map(|t| i64::from(t.is("(")) - i64::from(t.is(")"))).sum::<i64>();
            if !self.text[self.at..].starts_with('\n') {
                return;
            }
            let last = self.tokens.iter().rfind(|token| token.kind != Kind::Comment);
            let wants_more = last.is_some_and(|last| last.is(",") || last.is_word("sql"));
            self.push(Kind::Newline, &self.text[self.at..=self.at], self.at);
            self.at += 1;
            self.remarks();
            let deeper = options.indentation_continues && self.depth() > indent;
            if !(open > 0 || wants_more || deeper) {
                return;
            }
        }
    }

    /// Empty lines and those that hold a comment alone.
    fn remarks(&mut self) {
        while self.at < self.text.len() {
            let line = self.text[self.at..].split('\n').next().unwrap_or_default();
            let words = line.trim_start_matches([' ', '\t', '\r']);
            let ends = self.at + line.len();
            if !(words.is_empty() || words.starts_with('#') || words.starts_with("--")) || ends == self.text.len() {
                return;
            }
            if !words.is_empty() {
                self.push(Kind::Comment, words, ends - words.len());
            }
            self.push(Kind::Newline, &self.text[ends..=ends], ends);
            self.at = ends + 1;
        }
    }

    /// How deep the next token's line is indented.
    fn depth(&self) -> usize {
        let rest = &self.text[self.at..];
        width(&rest[..rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len()])
    }
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
