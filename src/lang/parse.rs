//! The way from text to AST: tokens, then statements, then each statement by itself.

use super::Options;
use super::ast::{Item, Script, Spanned, Statement};
use super::builder::Builder;
use super::diagnose::diagnose;
use super::error::{Error, MAX_BYTES, MAX_DEPTH, MAX_ERRORS, Parsed, Problem};
use super::foreign;
use super::grammar::{Rule, read};
use super::named::{self, sql_word};
use super::split::{Body, Chunk, split};
use super::tokens::{Kind, Token, tokens_with};
use super::words::PROMPT_ONLY;
use crate::diagnostic::{Source, Span};

/// Reads a script or the statements of a command line. Statements that are wrong are left out of the script; each gives
/// one error, so that one run shows all of them.
pub fn parse(source: &Source) -> Parsed {
    parse_with(source, Options::default())
}

/// As [`parse`]; at a prompt a deeper line does not continue a statement.
pub fn parse_with(source: &Source, options: Options) -> Parsed {
    let text = &*source.text;
    if text.len() > MAX_BYTES {
        let error = Error::new(Span::new(0, 0), Problem::TooLong);
        return Parsed { script: Script::default(), errors: vec![error] };
    }
    let tokens = tokens_with(text, options);
    let pieces = split(&tokens, options);
    let mut reader = Reader { text, errors: Vec::new() };
    let statements = reader.items(pieces.chunks);
    // What is wrong with a block as a whole is found after what is wrong inside.
    reader.errors.sort_by_key(|error| error.span.start);
    Parsed { script: Script { statements, trailing: pieces.trailing }, errors: reader.errors }
}

/// Whether a person at a prompt has written half a statement: a bracket or brace is open, or the last token is a comma,
/// an operator or a word that needs an argument. A statement that is wrong but finished is not incomplete.
pub fn is_incomplete(text: &str) -> bool {
    let options = Options { indentation_continues: false };
    text.len() <= MAX_BYTES && split(&tokens_with(text, options), options).incomplete
}

/// The text of a file: without a byte order mark, and UTF-8 throughout. The error has no place in any [`Source`], for
/// there is no text; its message names line, column and byte offset.
pub fn decode(bytes: &[u8]) -> Result<String, Error> {
    let mark = b"\xef\xbb\xbf";
    let start = if bytes.starts_with(mark) { mark.len() } else { 0 };
    match std::str::from_utf8(&bytes[start..]) {
        Ok(text) => Ok(text.to_string()),
        Err(error) => {
            let offset = start + error.valid_up_to();
            let before = String::from_utf8_lossy(&bytes[start..offset]);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            let problem = Problem::NotUtf8 { byte: bytes[offset], line, column, offset };
            Err(Error::new(Span::new(offset, offset), problem))
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn items(&mut self, chunks: Vec<Chunk>) -> Vec<Item> {
        let mut items = Vec::new();
        for chunk in chunks {
            if self.errors.len() >= MAX_ERRORS {
                self.give_up(chunk.span());
                break;
            }
            let span = chunk.span();
            let misplaced = chunk.misplaced;
            let (comments, blank_before, comment) = (chunk.comments.clone(), chunk.blank_before, chunk.comment.clone());
            match self.statement(chunk) {
                Ok(Some(statement)) => {
                    let statement = Spanned::new(statement, span);
                    items.push(Item { comments, blank_before, statement, comment });
                    if let Some(token) = misplaced {
                        self.errors.push(Error::new(token.span(), Problem::AfterBlock));
                    }
                }
                Ok(None) => {}
                Err(error) => self.errors.push(error),
            }
        }
        items
    }

    fn give_up(&mut self, span: Span) {
        if self.errors.last().is_none_or(|last| last.problem != Problem::TooManyErrors) {
            self.errors.push(Error::new(span, Problem::TooManyErrors));
        }
    }

    /// `None` when the statement is a block whose statements are wrong.
    fn statement(&mut self, chunk: Chunk) -> Result<Option<Statement>, Error> {
        let head = chunk.head.as_slice();
        let Some(first) = head.first() else {
            return Err(match (chunk.body, chunk.misplaced) {
                (Some(body), _) => Error::new(body.open, Problem::BraceOnOwnLine),
                (None, brace) => {
                    let span = brace.map_or(Span::default(), |token| token.span());
                    Error::new(span, Problem::UnmatchedBracket { close: '}' })
                }
            });
        };
        if let Some(problem) = foreign::statement(head, chunk.body.is_some()) {
            return Err(Error::new(head_span(head), problem));
        }
        let named = head.get(1).is_some_and(|next| next.is("="));
        if !named && first.is_any_word(PROMPT_ONLY) {
            return Err(Error::new(first.span(), Problem::PromptOnly { word: first.lower() }));
        }
        if let Some(error) = head.iter().find_map(wrong_token) {
            return Err(error);
        }
        let depth = depth(head)?;
        if let Some(bracket) = chunk.odd_bracket {
            let problem = match bracket.text {
                "(" => Problem::UnclosedBracket { open: '(' },
                _ => Problem::UnmatchedBracket { close: ')' },
            };
            return Err(Error::new(bracket.span(), problem));
        }
        if let (Some(word), None) = (sql_word(head), &chunk.body) {
            return self.sql(head, word).map(Some);
        }
        match chunk.body {
            Some(body) => self.block(head, body),
            None => with_room(depth, head, || self.single(head)).map(Some),
        }
    }

    fn single(&self, head: &[Token]) -> Result<Statement, Error> {
        let span = head_span(head);
        let text = &self.text[span.start..span.end];
        // `for 10s` alone is the head of a block whose brace is missing.
        if head[0].is_word("for") && head.len() <= 2 && read(Rule::block_head, text).is_ok() {
            return Err(Error::new(span, Problem::BraceWanted));
        }
        match read(Rule::statement, text) {
            Ok(pair) => Builder { base: span.start }.statement(pair),
            Err(stop) => Err(diagnose(head, &stop)),
        }
    }

    fn sql(&self, head: &[Token], word: usize) -> Result<Statement, Error> {
        let (before, text) = head.split_at(word + 1);
        let span = head_span(before);
        let name = match read(Rule::sql_head, &self.text[span.start..span.end]) {
            Ok(pair) => Builder { base: span.start }.sql_name(pair),
            Err(stop) => return Err(diagnose(before, &stop)),
        };
        Ok(Statement::Sql { name, sql: named::sql(before, text)? })
    }

    fn block(&mut self, head: &[Token], body: Body) -> Result<Option<Statement>, Error> {
        if let Some(when) = head.iter().find(|token| token.is_word("when")) {
            return Err(Error::new(when.span(), Problem::NotYet { word: "when".into() }));
        }
        if !head[0].is_word("for") {
            return Err(Error::new(body.open, Problem::BodyWithoutFor));
        }
        let span = head_span(head);
        let duration = match read(Rule::block_head, &self.text[span.start..span.end]) {
            Ok(pair) => Builder { base: span.start }.block_head(pair),
            Err(stop) => Err(diagnose(head, &stop)),
        };
        let unclosed_quote = body.chunks.iter().flat_map(|chunk| &chunk.head).any(|t| t.kind == Kind::UnclosedText);
        let before = self.errors.len();
        let duration = duration.map_err(|error| self.errors.push(error)).ok();
        if body.end.is_none() && !unclosed_quote {
            // An unclosed quote has swallowed the brace, and is reported where it stands.
            self.errors.push(Error::new(body.open, Problem::UnclosedBracket { open: '{' }));
        }
        if let Some(nested) = body.nested {
            self.errors.push(Error::new(nested, Problem::NestedBlock));
            return Ok(None);
        }
        let statements = self.items(body.chunks);
        for item in &statements {
            let word = match item.statement.node {
                Statement::Query(_) | Statement::Assign { .. } | Statement::Record(_) => continue,
                Statement::Block { .. } => "for",
                Statement::Show { .. } => "show",
                Statement::Save { .. } => "save",
                Statement::Explain(_) | Statement::Analyze(_) => "explain",
                Statement::Verify(_) => "verify",
                Statement::Param { .. } => "param",
                Statement::Sql { .. } => "sql",
                Statement::Assert(_) => "assert",
                Statement::Compare(_) => "compare",
                Statement::Run(_) => "run",
                Statement::Env => "env",
            };
            self.errors.push(Error::new(item.statement.span, Problem::NotInBlock { word }));
        }
        if statements.is_empty() && self.errors.len() == before {
            return Err(Error::new(body.open, Problem::EmptyBlock));
        }
        let Some(duration) = duration.filter(|_| self.errors.len() == before) else { return Ok(None) };
        Ok(Some(Statement::Block { duration, statements, trailing: body.trailing }))
    }
}

fn head_span(head: &[Token]) -> Span {
    head.first().map_or(Span::default(), |first| first.span().to(head[head.len() - 1].span()))
}

/// A token that is wrong wherever it stands.
fn wrong_token(token: &Token) -> Option<Error> {
    let found = token.text.chars().next()?;
    let problem = match token.kind {
        Kind::UnclosedText => Problem::UnclosedQuote { quote: found },
        Kind::Stray if matches!(found, '“' | '”' | '„' | '‘' | '’' | '‚' | '«' | '»') => {
            Problem::SmartQuote { found }
        }
        Kind::Stray => Problem::StrayCharacter { found },
        _ => return None,
    };
    Some(Error::new(token.span(), problem))
}

/// Brackets and `not`s are read recursively, so they are counted before that.
fn depth(head: &[Token]) -> Result<usize, Error> {
    // For each open bracket, itself and the `not`s before it; they end with the bracket's partner.
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut nots = 0;
    let mut deepest = 0;
    for token in head {
        if token.is_word("not") {
            nots += 1;
        } else if token.is("(") {
            depth += nots + 1;
            open.push(std::mem::take(&mut nots) + 1);
        } else {
            nots = 0;
            if token.is(")") {
                depth -= open.pop().unwrap_or(0);
            }
        }
        deepest = deepest.max(depth + nots);
        if deepest > MAX_DEPTH {
            return Err(Error::new(token.span(), Problem::TooDeep));
        }
    }
    Ok(deepest)
}

/// Reads where the stack suffices. The grammar's parser takes some 10 KiB of it for each bracket when it is not
/// optimized, and the caller's thread may have little.
fn with_room<T: Send>(
    depth: usize,
    head: &[Token],
    read: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    const ANYWHERE: usize = 20;
    const STACK: usize = 16 << 20;
    if depth <= ANYWHERE {
        return read();
    }
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => Err(Error::new(head_span(head), Problem::TooDeep)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::ast::{Expr, Stat, Value};

    fn source(text: &str) -> Source {
        Source::new("test", text)
    }

    #[test]
    fn every_node_knows_its_place_in_the_whole_source() {
        let text = "# first\ntask; runq latency\n  where (cpu=1 or not tgid in 0-3)  hist , p99.9 by comm  # end\n";
        let parsed = parse(&source(text));
        assert_eq!(parsed.errors, []);
        let [_, item] = parsed.script.statements.as_slice() else { panic!("two statements") };
        let Statement::Query(query) = &item.statement.node else { panic!("a query") };
        let marked = |span: Span| &text[span.start..span.end];
        assert_eq!(marked(query.span), "runq latency\n  where (cpu=1 or not tgid in 0-3)  hist , p99.9 by comm");
        assert_eq!(item.statement.span, query.span);
        assert_eq!(marked(query.family.span), "runq");
        let filter = query.filter.as_ref().unwrap();
        assert_eq!(marked(filter.span), "(cpu=1 or not tgid in 0-3)");
        let Expr::Or(parts) = &filter.node else { panic!("an or") };
        assert_eq!(parts.iter().map(|part| marked(part.span)).collect::<Vec<_>>(), ["cpu=1", "not tgid in 0-3"]);
        let Expr::Compare { column, op, right } = &parts[0].node else { panic!("a comparison") };
        assert_eq!([column.span, op.span, right.span].map(marked), ["cpu", "=", "1"]);
        assert_eq!(query.stats.iter().map(|stat| marked(stat.span)).collect::<Vec<_>>(), ["hist", "p99.9"]);
        assert_eq!(query.stats[1].node, Stat::Percentile(999_000));
        assert_eq!(marked(query.by[0].span), "comm");
    }

    #[test]
    fn each_statement_is_read_by_itself() {
        let parsed = parse(&source(
            "switch limit 3\na = switch count\nfor 5s { b = switch; switch for 5 }; show a; shwo a as b",
        ));
        let kept: Vec<String> = parsed.statements().map(|statement| format!("{statement:.6?}")).collect();
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert!(matches!(parsed.script.statements[0].statement.node, Statement::Assign { .. }));
        assert!(matches!(parsed.script.statements[1].statement.node, Statement::Show { .. }));
        let places: Vec<usize> = parsed.errors.iter().map(|error| error.span.start).collect();
        assert_eq!(places.len(), 3);
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn at_a_prompt_a_deeper_line_is_a_statement_of_its_own() {
        let text = "switch count\n  show a";
        assert_eq!(parse_with(&source(text), Options { indentation_continues: false }).script.statements.len(), 2);
        assert_eq!(parse(&source(text)).errors.len(), 1);
    }

    #[test]
    fn a_prompt_is_told_what_is_half_written() {
        assert!(is_incomplete("switch where (cpu=1"));
        assert!(is_incomplete("for 5s {\n  switch count"));
        assert!(is_incomplete("runq latency p50,"));
        assert!(!is_incomplete("runq latency where ) for 5"));
        assert!(!is_incomplete("switch where comm='a"));
    }

    #[test]
    fn words_are_lower_case_but_for_frames_and_parameters() {
        let parsed = parse(&source("Mine = SWITCH Count WHERE State=Disk AND Tgid=$Pid BY Comm"));
        let Some(Statement::Assign { name, query }) = parsed.statements().next() else { panic!("an assignment") };
        assert_eq!((name.node.as_str(), query.family.node.as_str()), ("Mine", "switch"));
        let Expr::And(parts) = &query.filter.as_ref().unwrap().node else { panic!("an and") };
        let right = |part: &Spanned<Expr>| match &part.node {
            Expr::Compare { right, .. } => right.node.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(right(&parts[0]), Value::Word("disk".into()));
        assert_eq!(right(&parts[1]), Value::Param("Pid".into()));
    }

    #[test]
    fn a_file_is_decoded_or_its_wrong_byte_is_named() {
        assert_eq!(decode(b"\xef\xbb\xbfswitch\r\n").unwrap(), "switch\r\n");
        let error = decode(b"\xef\xbb\xbfone\ntw\xc3\xb6 \xff").unwrap_err();
        assert_eq!(error.problem, Problem::NotUtf8 { byte: 0xff, line: 2, column: 5, offset: 12 });
    }
}
