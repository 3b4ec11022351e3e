//! Reads source text as far as the walls need it: names, paths and strings, without comments and without unit tests.

/// A word, mark or string of Rust or C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Text(String),
    /// One character, but `::` is one mark.
    Mark(&'static str),
    Other(char),
}

/// The tokens with the line on which each begins.
pub fn tokens(source: &str) -> Vec<(usize, Token)> {
    let mut rest = source;
    let mut line = 1;
    let mut out = Vec::new();
    while let Some(c) = rest.chars().next() {
        let (length, token) = next(rest, c);
        if let Some(token) = token {
            out.push((line, token));
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    out
}

fn next(rest: &str, c: char) -> (usize, Option<Token>) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (rest.find("*/").map_or(rest.len(), |end| end + 2), None);
    }
    if rest.starts_with("::") {
        return (2, Some(Token::Mark("::")));
    }
    for prefix in ["r", "br", "cr"] {
        if let Some(after) = rest.strip_prefix(prefix) {
            let hashes = after.len() - after.trim_start_matches('#').len();
            if let Some(body) = after[hashes..].strip_prefix('"') {
                let close = format!("\"{}", "#".repeat(hashes));
                let end = body.find(&close).unwrap_or(body.len());
                let length = prefix.len() + hashes + 1 + end + close.len();
                return (length.min(rest.len()), Some(Token::Text(body[..end].into())));
            }
        }
    }
    if c.is_alphabetic() || c == '_' {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return (end, Some(Token::Word(rest[..end].into())));
    }
    if c == '"' {
        let end = quoted(&rest[1..], '"');
        return ((end + 2).min(rest.len()), Some(Token::Text(rest[1..=end].into())));
    }
    if c == '\'' {
        return (character(rest), None);
    }
    (c.len_utf8(), (!c.is_whitespace()).then_some(Token::Other(c)))
}

/// Where the closing quote is.
fn quoted(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i,
            _ => {}
        }
    }
    body.len()
}

/// The length of a character literal, or 1 for the tick of a lifetime.
fn character(rest: &str) -> usize {
    let body = &rest[1..];
    let first = body.chars().next().map_or(0, char::len_utf8);
    if body.starts_with('\\') || body[first..].starts_with('\'') { quoted(body, '\'') + 2 } else { 1 }
}

/// Drops `#[cfg(test)] mod … { … }`: a unit test may walk through several rooms.
pub fn without_tests(tokens: &[(usize, Token)]) -> Vec<(usize, Token)> {
    let opening: Vec<Token> = self::tokens("#[cfg(test)] mod").into_iter().map(|(_, t)| t).collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let starts = tokens.len() >= i + opening.len() && tokens[i..].iter().zip(&opening).all(|((_, a), b)| a == b);
        if !starts {
            out.push(tokens[i].clone());
            i += 1;
            continue;
        }
        i += opening.len();
        let mut depth = 0;
        while i < tokens.len() {
            match tokens[i].1 {
                Token::Other('{') => depth += 1,
                Token::Other('}') => depth -= 1,
                _ => {}
            }
            i += 1;
            if depth == 0 && matches!(tokens[i - 1].1, Token::Other('}' | ';')) {
                break;
            }
        }
    }
    out
}

/// The modules that are declared as `#[cfg(test)] mod NAME;`, each in a file of its own.
pub fn test_modules(tokens: &[(usize, Token)]) -> Vec<String> {
    let opening: Vec<Token> = self::tokens("#[cfg(test)] mod").into_iter().map(|(_, t)| t).collect();
    let declared = |part: &[(usize, Token)]| {
        let (opens, rest) = part.split_at(opening.len());
        let same = opens.iter().zip(&opening).all(|((_, a), b)| a == b);
        match rest {
            [(_, Token::Word(name)), (_, Token::Other(';'))] if same => Some(name.clone()),
            _ => None,
        }
    };
    tokens.windows(opening.len() + 2).filter_map(declared).collect()
}

/// Every path of two or more names, groups in braces spread out, and the single names that follow `use`.
pub fn paths(tokens: &[(usize, Token)]) -> Vec<(usize, Vec<String>)> {
    let mut out = Vec::new();
    let mut i = 0;
    let mut after_use = false;
    while i < tokens.len() {
        if let Token::Word(word) = &tokens[i].1 {
            if word == "use" {
                after_use = true;
                i += 1;
                continue;
            }
            let from = out.len();
            i = path(tokens, i, &[], &mut out);
            if !after_use {
                let long = out.split_off(from).into_iter().filter(|(_, path): &(usize, Vec<String>)| path.len() > 1);
                out.extend(long.collect::<Vec<_>>());
            }
        } else {
            // `use ::name` begins with a mark.
            if tokens[i].1 != Token::Mark("::") {
                after_use = false;
            }
            i += 1;
        }
        if !matches!(tokens.get(i), Some((_, Token::Word(_)))) {
            after_use = false;
        }
    }
    out
}

/// Reads the path that begins with the name at `i`, behind `before`; returns where it ends.
fn path(tokens: &[(usize, Token)], mut i: usize, before: &[String], out: &mut Vec<(usize, Vec<String>)>) -> usize {
    let line = tokens[i].0;
    let mut names = before.to_vec();
    while let Some((_, Token::Word(word))) = tokens.get(i) {
        names.push(word.clone());
        i += 1;
        if tokens.get(i).is_none_or(|(_, t)| *t != Token::Mark("::")) {
            break;
        }
        i += 1;
        if matches!(tokens.get(i), Some((_, Token::Other('{')))) {
            i += 1;
            while let Some((_, token)) = tokens.get(i) {
                match token {
                    Token::Word(_) => i = path(tokens, i, &names, out),
                    Token::Other('}') => return i + 1,
                    _ => i += 1,
                }
            }
            return i;
        }
    }
    out.push((line, names));
    i
}

/// A path from inside `module` as a path from the crate's root; `None` if it does not begin in this crate.
/// `super` is that of the file: inline modules other than unit tests are not in use.
pub fn absolute(module: &str, path: &[String]) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").filter(|m| !m.is_empty()).collect();
    let mut names = path.iter().map(String::as_str).peekable();
    match names.next()? {
        "crate" | "schedq" => base.clear(),
        "self" => {}
        "super" => {
            base.pop();
        }
        _ => return None,
    }
    while names.next_if_eq(&"super").is_some() {
        base.pop();
    }
    base.extend(names.filter(|&name| name != "self"));
    Some(base.join("::"))
}
