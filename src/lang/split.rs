//! Where each statement of a source begins and ends, and which comments are its own.
//!
//! A statement ends at `;` or at the end of its line. It goes on inside round brackets, after a comma, an operator or a
//! word that needs an argument, and onto a line indented deeper than the line it began on. Braces hold statements.

use super::Options;
use super::ast::Comment;
use super::named::sql_word;
use super::tokens::{Kind, Token};
use crate::diagnostic::Span;

/// A statement's tokens, without newlines and comments.
#[derive(Debug)]
pub(super) struct Chunk<'s> {
    pub comments: Vec<Comment>,
    pub blank_before: bool,
    /// What stands before the body, if there is one. Empty only for a body or a closing brace without a statement.
    pub head: Vec<Token<'s>>,
    pub body: Option<Body<'s>>,
    /// The comment on its last line.
    pub comment: Option<String>,
    /// The first round bracket of the head that has no partner.
    pub odd_bracket: Option<Token<'s>>,
    /// A token that follows the body on its line, or a closing brace that closes nothing.
    pub misplaced: Option<Token<'s>>,
}

#[derive(Debug)]
pub(super) struct Body<'s> {
    pub open: Span,
    /// Where the closing brace ends; `None` when there is none.
    pub end: Option<usize>,
    pub chunks: Vec<Chunk<'s>>,
    pub trailing: Vec<Comment>,
    /// The first brace that opens inside a body, which the language does not have; what it holds is skipped.
    pub nested: Option<Span>,
}

impl Chunk<'_> {
    pub fn span(&self) -> Span {
        let start = self.head.first().map(|token| token.start).or(self.body.as_ref().map(|body| body.open.start));
        let head = self.head.last().map(|token| token.span().end);
        let body = self.body.as_ref().map(|body| body.end.unwrap_or(body.open.end));
        let start = start.or(self.misplaced.map(|token| token.start)).unwrap_or(0);
        Span::new(start, body.or(head).or(self.misplaced.map(|token| token.span().end)).unwrap_or(start))
    }
}

/// The statements of a source, and the comments behind the last.
#[derive(Debug)]
pub(super) struct Pieces<'s> {
    pub chunks: Vec<Chunk<'s>>,
    pub trailing: Vec<Comment>,
    /// Whether more text could only help: a bracket or brace is open, or the last word or sign needs something.
    pub incomplete: bool,
}

pub(super) fn split<'s>(tokens: &[Token<'s>], options: Options) -> Pieces<'s> {
    let (partners, open_at_end) = partners(tokens);
    let mut splitter = Splitter { tokens, partners, options, at: 0, wants_more: false };
    let (chunks, trailing) = splitter.statements(0);
    let open_brace = chunks.last().and_then(|chunk| chunk.body.as_ref()).is_some_and(|body| body.end.is_none());
    let incomplete = open_at_end || open_brace || splitter.wants_more;
    Pieces { chunks, trailing, incomplete }
}

/// For each round bracket the index of its partner. Brackets never reach over `;` and braces. Found for the whole
/// source at once: a bracket that is never closed must not draw in the rest of the source, nor be searched for twice.
fn partners(tokens: &[Token]) -> (Vec<Option<usize>>, bool) {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text {
            "(" => open.push(index),
            ")" => {
                if let Some(partner) = open.pop() {
                    partners[partner] = Some(index);
                    partners[index] = Some(partner);
                }
            }
            ";" | "{" | "}" => open.clear(),
            _ => {}
        }
    }
    (partners, !open.is_empty())
}

struct Splitter<'t, 's> {
    tokens: &'t [Token<'s>],
    partners: Vec<Option<usize>>,
    options: Options,
    at: usize,
    /// Whether the statement read last stopped at the end of the text although its last token needs something.
    wants_more: bool,
}

impl<'s> Splitter<'_, 's> {
    fn peek(&self) -> Option<Token<'s>> {
        self.tokens.get(self.at).copied()
    }

    /// The statements up to the end of the text or, inside a body, up to its closing brace.
    fn statements(&mut self, depth: usize) -> (Vec<Chunk<'s>>, Vec<Comment>) {
        let mut chunks = Vec::new();
        let mut comments = Vec::new();
        let mut newlines = 0;
        while let Some(token) = self.peek() {
            let first = chunks.is_empty() && comments.is_empty();
            let blank_before = newlines > 1 && !first;
            match token.kind {
                Kind::Newline => {
                    newlines += 1;
                    self.at += 1;
                    continue;
                }
                Kind::Comment => {
                    comments.push(Comment { text: comment_text(token), blank_before });
                    self.at += 1;
                }
                _ if token.is(";") => self.at += 1,
                _ if token.is("}") && depth > 0 => break,
                _ => {
                    let comments = std::mem::take(&mut comments);
                    chunks.push(self.statement(comments, blank_before, depth));
                }
            }
            newlines = 0;
        }
        (chunks, comments)
    }

    fn statement(&mut self, comments: Vec<Comment>, blank_before: bool, depth: usize) -> Chunk<'s> {
        let mut chunk = Chunk {
            comments,
            blank_before,
            head: Vec::new(),
            body: None,
            comment: None,
            odd_bracket: None,
            misplaced: None,
        };
        self.wants_more = false;
        let indent = self.tokens[self.at].indent;
        if self.tokens[self.at].is("}") {
            chunk.misplaced = self.peek();
            self.at += 1;
            return chunk;
        }
        // Up to which token an open bracket reaches.
        let mut bracket_end = 0;
        while let Some(token) = self.peek() {
            if matches!(token.kind, Kind::Newline | Kind::Comment) {
                let gap_end = self.after_gap();
                let inside = self.at < bracket_end;
                let wants_more = needs_more(&chunk.head);
                let next = self.tokens.get(gap_end).filter(|next| !next.is("}") && !next.is(";"));
                self.wants_more = wants_more && gap_end == self.tokens.len();
                let deeper = |next: &Token| self.options.indentation_continues && next.indent > indent;
                if next.is_some_and(|next| inside || wants_more || deeper(next)) {
                    let gap = self.tokens[self.at..gap_end].iter().filter(|token| token.kind == Kind::Comment);
                    chunk.comments.extend(gap.map(|token| Comment { text: comment_text(*token), blank_before: false }));
                    self.at = gap_end;
                    continue;
                }
                break;
            }
            if token.is(";") || token.is("}") {
                break;
            }
            if token.is("{") {
                self.body(&mut chunk, depth);
                break;
            }
            if token.is("(") || token.is(")") {
                match self.partners[self.at] {
                    Some(partner) => bracket_end = bracket_end.max(partner),
                    None => chunk.odd_bracket = chunk.odd_bracket.or(Some(token)),
                }
            }
            chunk.head.push(token);
            self.at += 1;
        }
        if self.at == self.tokens.len() {
            self.wants_more = chunk.body.is_none() && needs_more(&chunk.head);
        }
        if self.peek().is_some_and(|token| token.is(";")) {
            self.at += 1;
        }
        if let Some(token) = self.peek().filter(|token| token.kind == Kind::Comment) {
            chunk.comment = Some(comment_text(token));
            self.at += 1;
        }
        chunk
    }

    /// The index of the next token that is neither a newline nor a comment.
    fn after_gap(&self) -> usize {
        let gap = self.tokens[self.at..].iter().take_while(|token| matches!(token.kind, Kind::Newline | Kind::Comment));
        self.at + gap.count()
    }

    fn body(&mut self, chunk: &mut Chunk<'s>, depth: usize) {
        let open = self.tokens[self.at].span();
        self.at += 1;
        let mut body = Body { open, end: None, chunks: Vec::new(), trailing: Vec::new(), nested: None };
        if depth == 0 {
            (body.chunks, body.trailing) = self.statements(1);
        } else {
            // There is one level of braces; deeper ones are stepped over without recursion.
            let mut depth = 1;
            while let Some(token) = self.peek() {
                depth = depth + usize::from(token.is("{")) - usize::from(token.is("}"));
                if depth == 0 {
                    break;
                }
                self.at += 1;
            }
        }
        if let Some(close) = self.peek() {
            body.end = Some(close.span().end);
            self.at += 1;
        }
        body.nested = body.chunks.iter().find_map(|chunk| chunk.body.as_ref()).map(|body| body.open);
        chunk.body = Some(body);
        chunk.misplaced = self
            .peek()
            .filter(|token| !matches!(token.kind, Kind::Newline | Kind::Comment) && !token.is(";") && !token.is("}"));
    }
}

/// SQL's comments begin with two signs.
fn comment_text(token: Token) -> String {
    token.text.strip_prefix("--").unwrap_or(&token.text[1..]).trim_end().to_string()
}

/// Whether the statement cannot end here: its last token is a comma, an operator or a word that needs an argument.
pub(super) fn needs_more(head: &[Token]) -> bool {
    const WORDS: &[&str] = &[
        "where", "by", "having", "sort", "top", "first", "every", "for", "save", "and", "or", "not", "in", "is",
        "under", "as", "to", "from", "around", "when", "show", "explain", "analyze", "verify", "param", "record",
        "sql", "assert", "else", "compare", "run",
    ];
    const OPERATORS: &[&str] =
        &[",", "=", "!=", "<", "<=", ">", ">=", "~", "==", "=~", "!~", "<>", "=<", "=>", "&&", "||", "!"];
    let Some((last, before)) = head.split_last() else { return false };
    if sql_word(head).is_some() {
        // Its words are not ours: `from` may be the last thing that is missing, `nulls first` the end.
        return last.is(",") || before.len() < 3 && last.is_word("sql");
    }
    match last.kind {
        Kind::Mark => OPERATORS.contains(&last.text),
        // A parameter may have any name, a reserved word too.
        Kind::Word => last.is_any_word(WORDS) && !matches!(before, [param] if param.is_word("param")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::tokens::tokens;

    fn heads(text: &str, indentation_continues: bool) -> Vec<String> {
        fn collect(chunks: &[Chunk], out: &mut Vec<String>) {
            for chunk in chunks {
                out.push(chunk.head.iter().map(|token| token.text).collect::<Vec<_>>().join(" "));
                if let Some(body) = &chunk.body {
                    out.push("{".into());
                    collect(&body.chunks, out);
                    out.push("}".into());
                }
            }
        }
        let mut out = Vec::new();
        collect(&split(&tokens(text), Options { indentation_continues }).chunks, &mut out);
        out
    }

    fn script(text: &str) -> Vec<String> {
        heads(text, true)
    }

    #[test]
    fn a_statement_ends_at_a_semicolon_or_its_line() {
        assert_eq!(script("a b; c\nd ;;\n\n;e"), ["a b", "c", "d", "e"]);
        assert_eq!(script(""), [""; 0]);
        assert_eq!(script("  \n# only a comment\n"), [""; 0]);
        assert_eq!(script("a 'x;y' b"), ["a 'x;y' b"]);
    }

    #[test]
    fn it_goes_on_where_it_cannot_end() {
        assert_eq!(script("a in (1\n,2\n) b\nc"), ["a in ( 1 , 2 ) b", "c"]);
        assert_eq!(script("a p50,\n\n# note\np99\nc"), ["a p50 , p99", "c"]);
        assert_eq!(script("a where\nx =\n1 AND\ny\nc"), ["a where x = 1 AND y", "c"]);
        assert_eq!(script("a for\n;b"), ["a for", "b"]);
        assert_eq!(script("param for\nb"), ["param for", "b"]);
    }

    #[test]
    fn deeper_lines_go_on_but_not_at_the_prompt() {
        let text = "a\n  by cpu\n\n    # note\n  for 5s\nb";
        assert_eq!(script(text), ["a by cpu for 5s", "b"]);
        assert_eq!(heads(text, false), ["a", "by cpu", "for 5s", "b"]);
        assert_eq!(script("  a\n  b\n\tc\n d"), ["a", "b c", "d"]);
        // The first line of a statement counts, not the one before.
        assert_eq!(script("a\n    b\n  c\nd"), ["a b c", "d"]);
    }

    #[test]
    fn an_open_bracket_does_not_draw_in_the_rest() {
        assert_eq!(script("a (\nb (c\n)\nd"), ["a (", "b ( c )", "d"]);
        assert_eq!(script("a (b; c)"), ["a ( b", "c )"]);
    }

    #[test]
    fn braces_hold_statements() {
        assert_eq!(script("for 10s { a = x; b\n c }\nd"), ["for 10s", "{", "a = x", "b c", "}", "d"]);
        assert_eq!(script("for 10s {\n    a\n    b\n}\nd"), ["for 10s", "{", "a", "b", "}", "d"]);
        assert_eq!(script("for 10s { a { b { c } } d }"), ["for 10s", "{", "a", "{", "}", "d", "}"]);
    }

    #[test]
    fn comments_go_to_their_statement() {
        let text = "# head\n\n# one\na # two\n# three\nb, # four\n c # five\n#last";
        let tokens = tokens(text);
        let pieces = split(&tokens, Options::default());
        let texts =
            |comments: &[Comment]| comments.iter().map(|c| (c.text.clone(), c.blank_before)).collect::<Vec<_>>();
        let [a, b] = pieces.chunks.as_slice() else { panic!("two statements") };
        assert_eq!(texts(&a.comments), [(" head".into(), false), (" one".into(), true)]);
        assert_eq!(a.comment.as_deref(), Some(" two"));
        assert_eq!(texts(&b.comments), [(" three".into(), false), (" four".into(), false)]);
        assert_eq!(b.comment.as_deref(), Some(" five"));
        assert_eq!(texts(&pieces.trailing), [("last".into(), false)]);
    }

    #[test]
    fn a_prompt_waits_only_for_what_is_missing() {
        let incomplete = |text: &str| split(&tokens(text), Options { indentation_continues: false }).incomplete;
        for text in [
            "a where (x",
            "a p50,",
            "a p50, # note\n",
            "a where x =",
            "a for",
            "for 5s {",
            "for 5s { a;",
            "for 5s { a\n",
        ] {
            assert!(incomplete(text), "{text}");
        }
        for text in
            ["", "a", "a)", "a 'x", "a for;", "for 5s { a }", "for 5s { a", "# a,", "a where x) (b);", "param for"]
        {
            assert_eq!(incomplete(text), text == "for 5s { a", "{text}");
        }
    }
}
