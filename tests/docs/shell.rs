//! As much of a shell as the pages use: words, quotes, placeholders, and where a command ends.

/// What stands for a `$NAME` or `$(…)` that a person would fill in: a process' number.
const FILLED: &str = "1234";

/// The commands of a script that run schedq, each as its words without what stands before `schedq`.
///
/// # Errors
/// A quote that does not close.
pub fn commands(script: &str) -> Result<Vec<Vec<String>>, String> {
    let joined = script.replace("\\\n", " ");
    let mut rest: &str = &joined;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (words, after) = command(rest)?;
        rest = after;
        let runs = |word: &String| word == "schedq" || word.ends_with("/schedq");
        // Before it may stand `sudo` or settings of the environment.
        let before = |word: &String| word == "sudo" || word.contains('=');
        if let Some(at) = words.iter().position(runs)
            && words[..at].iter().all(before)
        {
            found.push(words[at..].to_vec());
        }
    }
    Ok(found)
}

/// The words of the first simple command, and what follows it.
fn command(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut redirected = false;
    let mut at = 0;
    let end = |word: &mut Option<String>, redirected: &mut bool, words: &mut Vec<String>| {
        if let Some(done) = word.take()
            && !std::mem::take(redirected)
        {
            words.push(done);
        }
    };
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        at = match c {
            '\'' => {
                let close = text[next..].find('\'').ok_or_else(|| format!("a quote is open: {text}"))?;
                word.get_or_insert_default().push_str(&text[next..next + close]);
                next + close + 1
            }
            '"' => double_quoted(text, next, word.get_or_insert_default())?,
            '$' => filled(text, next, word.get_or_insert_default()),
            '\\' => {
                let escaped = text[next..].chars().next().unwrap_or(' ');
                word.get_or_insert_default().push(escaped);
                next + escaped.len_utf8().min(text.len() - next)
            }
            '#' if word.is_none() => text[at..].find('\n').map_or(text.len(), |line| at + line),
            '\n' | ';' | '|' | '&' => {
                end(&mut word, &mut redirected, &mut words);
                return Ok((words, &text[next..]));
            }
            '<' | '>' => {
                // `2>` is no word.
                if word.as_ref().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
                    word = None;
                }
                end(&mut word, &mut redirected, &mut words);
                redirected = true;
                next
            }
            c if c.is_whitespace() => {
                end(&mut word, &mut redirected, &mut words);
                next
            }
            c => {
                word.get_or_insert_default().push(c);
                next
            }
        };
    }
    end(&mut word, &mut redirected, &mut words);
    Ok((words, ""))
}

fn double_quoted(text: &str, start: usize, word: &mut String) -> Result<usize, String> {
    let mut at = start;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        match c {
            '"' => return Ok(next),
            '$' => at = filled(text, next, word),
            '\\' if text[next..].starts_with(['"', '\\', '$', '`']) => {
                word.push_str(&text[next..=next]);
                at = next + 1;
            }
            c => {
                word.push(c);
                at = next;
            }
        }
    }
    Err(format!("a quote is open: {text}"))
}

/// Steps over a `$NAME`, `${NAME}` or `$(…)` whose `$` stands before `start`.
fn filled(text: &str, start: usize, word: &mut String) -> usize {
    word.push_str(FILLED);
    let rest = &text[start..];
    let close = match rest.chars().next() {
        Some('(') => rest.find(')').map(|at| at + 1),
        Some('{') => rest.find('}').map(|at| at + 1),
        _ => rest.find(|c: char| !c.is_alphanumeric() && c != '_'),
    };
    close.map_or(text.len(), |at| start + at)
}

#[test]
fn commands_are_cut_into_words() {
    let words = |script: &str| commands(script).unwrap();
    assert_eq!(words("schedq -e 'a > 1; b' | jq . # c"), [["schedq", "-e", "a > 1; b"]]);
    assert_eq!(
        words("sudo schedq list 2>&1 >x; ls; ./target/debug/schedq list > y"),
        [["schedq", "list"], ["./target/debug/schedq", "list"]]
    );
    assert_eq!(
        words("schedq -e \"where tgid=$PID and x=$(pidof a b) \\\"q\\\"\" \\\n  -o x.csv"),
        [["schedq", "-e", "where tgid=1234 and x=1234 \"q\"", "-o", "x.csv"]]
    );
    assert_eq!(
        words("schedq run x pid=$(pidof nginx) window=${W}"),
        [["schedq", "run", "x", "pid=1234", "window=1234"]]
    );
    assert_eq!(words("cargo install schedq; echo schedq"), [[""; 0]; 0]);
    assert!(commands("schedq -e 'a").is_err());
}
