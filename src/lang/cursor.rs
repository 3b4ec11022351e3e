//! The statement in which a cursor stands: what is known of it when somebody asks how it can go on.

use super::split::{Chunk, needs_more, split};
use super::tokens::{Kind, Token, tokens};
use super::{Options, literal};

/// A statement up to the cursor.
#[derive(Debug)]
pub struct Before<'s> {
    /// The whole tokens, without newlines and comments.
    pub tokens: Vec<Token<'s>>,
    /// The token that the cursor touches, which may go on: a word, a number, a text that is open.
    pub partial: Option<Token<'s>>,
    /// Inside of `for D { … }`.
    pub in_block: bool,
}

/// What stands before the end of `text`; `None` in a comment, or right behind a text, where nothing can be put in.
pub fn before_end(text: &str) -> Option<Before<'_>> {
    let all = tokens(text);
    if let Some(last) = all.last()
        && last.span().end == text.len()
        && matches!(last.kind, Kind::Comment | Kind::Text)
    {
        return None;
    }
    let pieces = split(&all, Options { indentation_continues: false });
    let open = pieces.chunks.last();
    let body = open.and_then(|chunk| chunk.body.as_ref()).filter(|body| body.end.is_none());
    let in_block = body.is_some();
    let chunk = match body {
        Some(body) => body.chunks.last(),
        None => open.filter(|chunk| chunk.body.is_none()),
    };
    let mut found = chunk.filter(|chunk| goes_on(chunk, &all)).map_or_else(Vec::new, |chunk| chunk.head.clone());
    let may_go_on = |token: &Token| {
        token.span().end == text.len()
            && matches!(token.kind, Kind::Word | Kind::Number | Kind::Parameter | Kind::UnclosedText)
    };
    let partial = found.last().copied().filter(may_go_on);
    if partial.is_some() {
        found.pop();
    }
    Some(Before { tokens: found, partial, in_block })
}

/// The bytes of a text that is not closed yet; an escape that is not whole, or wrong, is left out with what follows it.
pub fn open_text(typed: &str) -> Vec<u8> {
    let quote = typed.chars().next().unwrap_or('\'');
    // Half an escape.
    let odd = typed.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2;
    let mut end = typed.len() - odd;
    loop {
        match literal::text(&format!("{}{quote}", &typed[..end])) {
            Ok(bytes) => return bytes,
            Err((place, _)) if place.start > 0 && place.start < end => end = place.start,
            Err(_) => return Vec::new(),
        }
    }
}

/// The bytes of a text with its quotes; none of one that is wrong.
pub fn closed_text(text: &str) -> Vec<u8> {
    let closes = text.len() >= 2 && text.ends_with(&text[..1]);
    if closes { literal::text(text).unwrap_or_default() } else { Vec::new() }
}

/// Whether what follows still belongs to it.
fn goes_on(chunk: &Chunk, all: &[Token]) -> bool {
    let Some(last) = chunk.head.last() else { return false };
    let behind = all.iter().skip_while(|token| token.start <= last.start);
    let mut ended = false;
    for token in behind {
        match token.kind {
            Kind::Newline => ended = true,
            Kind::Comment => {}
            // `;`, or the brace that opens or closes a block.
            _ => return false,
        }
    }
    let depth =
        chunk.head.iter().fold(0i32, |depth, token| depth + i32::from(token.is("(")) - i32::from(token.is(")")));
    !ended || depth > 0 || needs_more(&chunk.head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Vec<&str>, Option<&str>) {
        let before = before_end(text).expect("a place");
        (before.tokens.iter().map(|t| t.text).collect(), before.partial.map(|t| t.text))
    }

    #[test]
    fn the_statement_under_the_cursor() {
        assert_eq!(found(""), (vec![], None));
        assert_eq!(found("a b"), (vec!["a"], Some("b")));
        assert_eq!(found("a b "), (vec!["a", "b"], None));
        assert_eq!(found("a where x = '"), (vec!["a", "where", "x", "="], Some("'")));
        assert_eq!(found("a where x = 'it\\'s"), (vec!["a", "where", "x", "="], Some("'it\\'s")));
        assert_eq!(found("a where x in (1,"), (vec!["a", "where", "x", "in", "(", "1", ","], None));
        assert_eq!(found("a count; b"), (vec![], Some("b")));
        assert_eq!(found("a count;"), (vec![], None));
    }

    #[test]
    fn lines_end_statements_unless_more_is_needed() {
        assert_eq!(found("a count\nb"), (vec![], Some("b")));
        assert_eq!(found("a count,\nm"), (vec!["a", "count", ","], Some("m")));
        assert_eq!(found("a count\n"), (vec![], None));
        assert_eq!(found("a where\n"), (vec!["a", "where"], None));
        assert_eq!(found("a where (x\n"), (vec!["a", "where", "(", "x"], None));
    }

    #[test]
    fn blocks_hold_statements_of_their_own() {
        let before = before_end("for 1s { a = b c").expect("a place");
        assert!(before.in_block);
        assert_eq!(found("for 1s { a = b c"), (vec!["a", "=", "b"], Some("c")));
        assert_eq!(found("for 1s {"), (vec![], None));
        assert_eq!(found("for 1s {\n a count\n b"), (vec![], Some("b")));
        assert_eq!(found("for 1s { a }\nb"), (vec![], Some("b")));
        assert!(!before_end("for 1s { a }\nb").expect("a place").in_block);
    }

    #[test]
    fn an_open_text_is_bytes() {
        assert_eq!(open_text("'it\\'s"), b"it's");
        assert_eq!(open_text("\"a'\\xff"), b"a'\xff");
        assert_eq!(open_text("'a\\x1"), b"a");
        assert_eq!(open_text("'a\\"), b"a");
        assert_eq!(open_text("'"), b"");
    }

    #[test]
    fn nothing_goes_into_comments_or_behind_texts() {
        assert!(before_end("a # b").is_none());
        assert!(before_end("a where x = 'b'").is_none());
        assert_eq!(found("a where x = 'b' "), (vec!["a", "where", "x", "=", "'b'"], None));
    }
}
