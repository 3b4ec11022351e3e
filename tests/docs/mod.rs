//! The documentation is tried: its queries and commands are checked, its links lead somewhere, and what it says of
//! families and losses is what the catalog says.
//!
//! Every fence names its language. Those that are read:
//! - `schedq`: statements that pass `schedq check`; `schedq canonical`: also as `schedq fmt` prints them; `schedq wrong`:
//!   they must not pass.
//! - `sh`: every command that runs schedq is checked; `console live`: the lines behind `$ `, the others are output.
//! - `console`: it is typed, and what comes is compared: see `console.rs`. `UPDATE_DOCS=1` writes it anew.
//!
//! Code in a line, and an indented line, that begins with `schedq ` is a command too. One with a placeholder (`NAME`, `…`) is parsed, not checked.

mod console;
mod generated;
mod markdown;
mod shell;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use schedq::catalog::{EVENT_SETS, FAMILIES};
use schedq::cli::args::{Args, Verb};
use schedq::diagnostic::{Diagnostic, Source};
use schedq::lang::{RESERVED, reference};
use schedq::output::file::Format;
use schedq::session::{Session, Settings, events, saved, texts};

use crate::support::Schedq;
use markdown::{Block, Page};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages for people: those of the root, and docs/.
fn pages() -> Vec<(String, String)> {
    let in_folder = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
        let names = entries.map(|e| format!("{folder}{}", e.unwrap().file_name().into_string().unwrap()));
        names.filter(|name| name.ends_with(".md")).collect::<Vec<_>>()
    };
    let mut names = [in_folder(""), in_folder("docs/")].concat();
    names.sort();
    let read = |name: String| (name.clone(), fs::read_to_string(root().join(name)).unwrap());
    names.into_iter().map(read).collect()
}

fn session(csv: bool) -> Session {
    Session::new(Settings { csv, ..Settings::default() }, events().1)
}

fn told(problems: Vec<Diagnostic>) -> Vec<String> {
    problems.iter().map(|problem| format!("{problem}; {}", problem.help.join("; "))).collect()
}

/// What is wrong with statements.
fn wrong_statements(text: &str, csv: bool, has_command: bool) -> Vec<String> {
    session(csv).check(&Source::new("docs", text), has_command).err().map(told).unwrap_or_default()
}

fn not_canonical(text: &str) -> Vec<String> {
    match texts::canonical(&Source::new("docs", text)) {
        Ok(canonical) if canonical.trim_end() == text.trim_end() => Vec::new(),
        Ok(canonical) => vec![format!("not canonical; it is\n{canonical}")],
        Err(problems) => told(problems),
    }
}

/// What is wrong with a command line of schedq. With `placeholders` only its arguments are parsed.
fn wrong_command(words: &[String], placeholders: bool) -> Vec<String> {
    let args = match Args::read(words.iter().map(OsString::from).collect()) {
        Ok(args) => args,
        Err(error) if error.use_stderr() => return vec![error.to_string()],
        Err(_) => return Vec::new(),
    };
    if placeholders {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    if let Some(file) = &args.output
        && Format::from_path(file).is_none()
    {
        wrong.push(format!("{} has no ending that is known", file.display()));
    }
    let csv = args.wants_csv();
    match &args.verb {
        Some(Verb::Run { query, values, command }) => wrong.extend(wrong_run(query, values, csv, !command.is_empty())),
        Some(Verb::Check { text } | Verb::Fmt { text, .. } | Verb::Explain { text }) => {
            for text in text {
                let text = text.to_str().expect("the pages are UTF-8");
                let statements = match text.ends_with(".sq") {
                    true => fs::read_to_string(root().join(text)).map_err(|e| format!("{text}: {e}")),
                    false => Ok(text.to_owned()),
                };
                match statements {
                    Ok(statements) => wrong.extend(wrong_statements(&statements, csv, true)),
                    Err(error) => wrong.push(error),
                }
            }
        }
        // A recording that is described was made by a line before it.
        Some(Verb::Describe { what }) if what.extension().is_none() => {
            wrong.extend(texts::describe(&what.to_string_lossy()).err().map(|e| e.to_string()));
        }
        Some(_) => {}
        None => {
            let text: Vec<&str> = args.statements.iter().filter_map(|s| s.to_str()).collect();
            wrong.extend(wrong_statements(&text.join("\n"), csv, !args.command.is_empty()));
        }
    }
    wrong
}

fn wrong_run(query: &Path, values: &[(String, String)], csv: bool, has_command: bool) -> Vec<String> {
    let (name, bytes) = match saved::find(query) {
        Ok(found) => found,
        Err(problem) => return told(vec![problem]),
    };
    let source = match saved::source(name, &bytes) {
        Ok(source) => source,
        Err(problem) => return told(vec![problem]),
    };
    let known = texts::parameters(&source);
    let mut session = session(csv);
    let mut wrong = Vec::new();
    for (name, value) in values {
        if known.contains(name) {
            session.bind(name, value);
        } else {
            wrong.push(format!("{} has no parameter {name}", source.name));
        }
    }
    wrong.extend(session.check(&source, has_command).err().map(told).unwrap_or_default());
    wrong
}

/// All commands of a piece of shell.
fn wrong_shell(script: &str) -> Vec<String> {
    match shell::commands(script) {
        Ok(commands) => commands
            .iter()
            .flat_map(|words| {
                let shown = words.join(" ");
                wrong_command(words, false).into_iter().map(move |problem| format!("`{shown}`: {problem}"))
            })
            .collect(),
        Err(error) => vec![error],
    }
}

fn wrong_block(block: &Block) -> Vec<String> {
    match block.info.as_str() {
        "" => vec!["the fence names no language".to_owned()],
        "schedq" => wrong_statements(&block.text, false, true),
        "schedq canonical" => [wrong_statements(&block.text, false, true), not_canonical(&block.text)].concat(),
        "schedq wrong" if wrong_statements(&block.text, false, true).is_empty() => vec!["nothing is wrong".to_owned()],
        "schedq wrong" => Vec::new(),
        info if info.starts_with("schedq") => vec![format!("what is `{info}`?")],
        // It is typed: see `what_is_typed_on_the_pages_gives_what_they_show`.
        "console" => Vec::new(),
        "console live" => wrong_session(&console::typed(&block.text)),
        info if info.starts_with("console") => vec![format!("what is `{info}`?")],
        "sh" => wrong_shell(&block.text),
        _ => Vec::new(),
    }
}

/// What is wrong with lines of a terminal: scripts that are written there, and commands that may use them, and results that
/// were saved by a line before.
fn wrong_session(typed: &[console::Typed]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut written = Vec::new();
    for one in typed {
        if let Some((file, text)) = one.written() {
            wrong.extend(wrong_statements(&text, false, true));
            written.push(file);
            continue;
        }
        let uses = written.iter().any(|file| one.command.split_whitespace().any(|word| word == file));
        let found = wrong_shell(&one.command);
        wrong.extend(found.into_iter().filter(|problem| !problem.contains("[read-result]") && !uses));
    }
    wrong
}

/// Code in a line: a command when it begins so.
fn wrong_code(code: &str) -> Vec<String> {
    // Outside of quotes, choices tell a synopsis.
    let bare: String = code.split('\'').step_by(2).collect();
    let bare: String = bare.split('"').step_by(2).collect::<String>().replace(" | ", " ");
    if !code.starts_with("schedq ") || bare.contains(['[', '|']) {
        return Vec::new();
    }
    let placeholder = |word: &str| {
        word.contains('…') || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || "'|".contains(c))
    };
    let mut words: Vec<String> = code.split_whitespace().map(str::to_owned).collect();
    if let [_, named] = words.as_slice() {
        // Only the name of an option, without its value, or of a verb: its help is there.
        let option = named.starts_with('-');
        words.push(if option { "x" } else { "--help" }.to_owned());
        let unknown = |problem: &String| !option || problem.contains(&format!("unexpected argument '{}'", words[1]));
        return wrong_command(&words, true).into_iter().filter(unknown).collect();
    }
    if code.split_whitespace().any(placeholder) {
        return wrong_command(&words, true);
    }
    wrong_shell(code)
}

fn wrong_page(name: &str, page: &Page) -> Vec<String> {
    let blocks = page.blocks.iter().flat_map(|b| wrong_block(b).into_iter().map(|p| (b.line, p)));
    let code = page.code.iter().flat_map(|(line, code)| wrong_code(code).into_iter().map(|p| (*line, p)));
    blocks.chain(code).map(|(line, problem)| format!("{name}:{line}: {problem}")).collect()
}

/// Commands in the comments of a saved query: indented, and parted by two blanks from their explanation.
fn header_commands(text: &str) -> Vec<String> {
    let comments = text.lines().filter_map(|line| line.strip_prefix('#')).map(str::trim);
    let commands = comments.filter(|line| line.starts_with("schedq "));
    commands.map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
}

fn queries() -> Vec<(String, String)> {
    let folder = root().join("queries");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| format!("queries/{}", path.file_name().unwrap().to_str().unwrap());
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

fn wrong_query_file(name: &str, text: &str) -> Vec<String> {
    let mut wrong = [wrong_statements(text, false, true), not_canonical(text)].concat();
    let commands = header_commands(text);
    if commands.is_empty() {
        wrong.push("its comments show no command".to_owned());
    }
    wrong.extend(commands.iter().flat_map(|command| wrong_shell(command)));
    wrong.into_iter().map(|problem| format!("{name}: {problem}")).collect()
}

#[track_caller]
fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn queries_and_commands_of_the_pages_are_right() {
    let pages = pages();
    for (name, least) in [("docs/language.md", 10), ("docs/trust.md", 1)] {
        let text = pages.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name} is missing"));
        assert!(Page::read(&text.1).blocks.len() >= least, "{name} was read");
    }
    none(pages.iter().flat_map(|(name, text)| wrong_page(name, &Page::read(text))).collect());
}

/// The front page is the one that is read: it must have something to try.
#[test]
fn the_front_page_has_queries() {
    let Ok(text) = fs::read_to_string(root().join("README.md")) else { return };
    let page = Page::read(&text);
    let tried = page.blocks.iter().filter(|b| b.info.starts_with("schedq")).count();
    let commands = page.code.iter().map(|(_, code)| code.as_str()).chain(page.blocks.iter().map(|b| b.text.as_str()));
    assert!(tried + commands.filter(|code| code.contains("schedq -e ")).count() > 0, "README.md has no query");
}

#[test]
fn saved_queries_and_their_comments_are_right() {
    let queries = queries();
    assert!(queries.len() >= 4, "the saved queries are there");
    none(queries.iter().flat_map(|(name, text)| wrong_query_file(name, text)).collect());
}

#[test]
fn examples_of_the_catalog_are_right() {
    for family in FAMILIES.iter().chain(EVENT_SETS) {
        none([wrong_statements(family.example, false, true), not_canonical(family.example)].concat());
    }
    for family in FAMILIES.iter().filter(|family| family.replay.is_some()) {
        // A recording has its own length.
        let (question, _) = family.example.rsplit_once(" for ").expect("an example with a window");
        let ran = Schedq::eval(&format!("from '@sample' {question}")).run().success();
        assert!(ran.stderr.contains(" seen · ") || ran.stderr.contains(" seen, "), "{}", ran.stderr);
    }
}

#[test]
fn these_tests_can_fail() {
    let block = |info: &str, text: &str| {
        wrong_block(&Block { line: 1, info: info.to_owned(), text: text.to_owned() }).join("\n")
    };
    let example = FAMILIES[0].example;
    for (info, text, expected) in [
        ("", example, "no language"),
        ("schedq", "nosuch count", "no family"),
        ("schedq", &format!("{example}\nshow nosuch"), "no frame"),
        ("schedq canonical", &example.replace(' ', "  "), "not canonical"),
        ("schedq canonical", &example.to_uppercase(), ""),
        ("schedq wrong", example, "nothing is wrong"),
        ("schedq fine", example, "what is"),
        ("sh", "schedq run nosuch", "no saved query"),
        ("sh", "true && schedq run runqlat window=5", "duration"),
        ("sh", "schedq run runqlat nosuch=5", "no parameter"),
        ("sh", "schedq --nosuch", "--nosuch"),
        ("sh", "schedq list -o x.txt", "ending"),
        ("sh", "schedq check nosuch.sq", "nosuch.sq"),
        ("sh", "schedq describe nosuch", "no family"),
        ("sh", "schedq -e 'open", "quote"),
        ("console live", "output\n$ schedq -e 'nosuch'\n", "no family"),
        ("console live", "$ schedq -e '\n> nosuch'\n", "no family"),
        ("console live", "$ cat > x.sq <<'END'\n> nosuch\n> END\n$ schedq run x.sq\n", "no family"),
        ("console live", "$ cat > y.sq <<'END'\n> END\n$ schedq run x.sq\n", "no saved query"),
        ("console dead", "", "what is"),
    ] {
        let found = block(info, text);
        assert!(!found.is_empty() && found.contains(expected), "{info}: {text}: {found:?}");
    }
    for (info, text) in [
        ("schedq canonical", example),
        ("schedq wrong", "nosuch count"),
        ("sh", &*format!("sudo schedq -e \"{example}\" | head; schedq run runqlat pid=$PID")),
        ("sh", "cargo install nosuch"),
        ("console live", "schedq -e 'nosuch' is output\n$ schedq list"),
        ("console live", &*format!("$ cat > x.sq <<'END'\n> {example}\n> END\n$ schedq run x.sq\n")),
        ("text", "nosuch"),
    ] {
        assert_eq!(block(info, text), "", "{info}: {text}");
    }
    assert!(!wrong_code("schedq nosuch").is_empty() && !wrong_code("schedq run NAME --nosuch").is_empty());
    assert!(!wrong_code("schedq --nosuch").is_empty());
    assert!(wrong_code("schedq -e").is_empty() && wrong_code("schedq --strict").is_empty());
    assert!(wrong_code("schedq run NAME").is_empty() && wrong_code("schedq check|fmt").is_empty());
    assert!(!wrong_code("schedq -e 'nosuch'").is_empty() && !wrong_code("schedq -e 'nosuch [' | head").is_empty());
    assert_eq!(wrong_query_file("x", &format!("# A\n#\n#   schedq nosuch  how\n{example}")).len(), 1);
    assert!(wrong_query_file("x", example)[0].contains("no command"));
    let page =
        Page::read("[a](nosuch.md) [b](#nosuch) [c](docs/language.md#nosuch) [d](docs/language.md) [e](https://x)");
    assert_eq!(dead_links("README.md", &page).len(), 3);
    assert_eq!(of_the_workplace("x", &format!("/{}/main", "work")).len(), 1);
    assert_eq!(of_the_workplace("x", &format!("see {} 12", "issue")).len(), 1);
    assert_eq!(of_the_workplace("x", "/home/runner/work/x an issue, workers/").len(), 0);
}

/// The pages say what the catalog says. To write them anew: `UPDATE_DOCS=1 cargo test docs`
#[test]
fn generated_parts_are_up_to_date() {
    let parts = [
        ("docs/language.md", "families", generated::families()),
        ("docs/trust.md", "losses", generated::losses()),
        ("docs/recording.md", "events", generated::recorded_events()),
        ("docs/recording.md", "columns", generated::recorded_columns()),
        ("docs/language.md", "stats", generated::stats()),
        ("docs/language.md", "verbs", generated::verbs()),
        ("docs/language.md", "options", generated::options()),
        ("docs/language.md", "statuses", generated::statuses()),
        ("docs/language.md", "environment", generated::environment()),
        ("docs/shell.md", "keys", generated::keys()),
    ];
    for (file, name, body) in parts {
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let right = markdown::fill(&text, name, &body).unwrap_or_else(|| panic!("{file} has no marks of `{name}`"));
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, right).unwrap();
        } else {
            assert!(text == right, "`{name}` in {file} is not what the catalog says: UPDATE_DOCS=1 cargo test docs");
        }
    }
}

/// What the pages show of a terminal is what a terminal shows.
#[test]
fn what_is_typed_on_the_pages_gives_what_they_show() {
    let mut wrong = Vec::new();
    for (name, text) in pages() {
        let blocks = Page::read(&text).blocks;
        if !blocks.iter().any(|block| block.info == "console") {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let now = console::renewed(&text, &blocks, folder.path());
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(root().join(name), now).expect("a page");
            continue;
        }
        let differs = now.lines().zip(text.lines()).enumerate().find(|(_, (now, page))| now != page);
        if let Some((index, (now, page))) = differs {
            wrong.push(format!("{name}:{}: shows\n  {page}\nbut what comes is\n  {now}", index + 1));
        } else if now != text {
            wrong.push(format!("{name}: something more or less comes at its end"));
        }
    }
    none(wrong);
}

/// What is told in words of its own on the language page is all there.
#[test]
fn the_language_page_leaves_nothing_out() {
    let text = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let page = Page::read(&text);
    let code: String = page.code.iter().map(|(_, code)| format!(" {code} ")).collect::<String>()
        + &page.blocks.iter().map(|block| format!(" {} ", block.text)).collect::<String>();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let entries = [reference::CLAUSES, reference::RECORD_CLAUSES, reference::CONDITIONS, reference::PROMPT];
    let declared = entries.into_iter().flatten().chain(reference::statements());
    let missing: Vec<&str> = declared
        .map(|entry| entry.word)
        .filter(|word| word.chars().all(char::is_alphanumeric) && !words.contains(word))
        .collect();
    assert!(missing.is_empty(), "docs/language.md does not speak of {missing:?}");
    assert!(!words.contains(&"nosuch"), "the test can fail");
}

#[test]
fn every_loss_has_advice() {
    let text = fs::read_to_string(root().join("docs/trust.md")).unwrap();
    for (loss, _) in generated::all_losses() {
        assert!(
            text.contains(&format!("**{}**", loss.label)),
            "docs/trust.md does not say what to do about {}",
            loss.label
        );
    }
}

#[test]
fn reserved_words_are_listed() {
    let text = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let listed = text.split("never the name of a result: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let mut listed: Vec<&str> = listed.split_whitespace().collect();
    let mut reserved = RESERVED.to_vec();
    listed.sort_unstable();
    reserved.sort_unstable();
    assert_eq!(listed, reserved);
}

fn dead_links(name: &str, page: &Page) -> Vec<String> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut dead = Vec::new();
    for (line, target) in page.links.iter().filter(|(_, target)| !target.contains("://")) {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let anchors = match file {
            "" => Ok(page.anchors.clone()),
            file if file.ends_with(".md") => {
                fs::read_to_string(root().join(folder).join(file)).map(|text| Page::read(&text).anchors)
            }
            file => fs::metadata(root().join(folder).join(file)).map(|_| Vec::new()),
        };
        if !anchors.is_ok_and(|anchors| anchor.is_empty() || anchors.iter().any(|known| known == anchor)) {
            dead.push(format!("{name}:{line}: the link to {target} leads nowhere"));
        }
    }
    dead
}

#[test]
fn links_lead_somewhere() {
    none(pages().iter().flat_map(|(name, text)| dead_links(name, &Page::read(text))).collect());
}

/// What only those know who made it: paths of their machine, numbers of their tasks.
fn of_the_workplace(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let path = ["/wo", "rk/"].concat();
        let is_path = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}".contains(c));
        let numbered = |at: usize| line[at + 6..].trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit());
        let hit = line.match_indices(&path).any(|(at, _)| is_path(at))
            || line.contains(&["../sha", "red"].concat())
            || line.to_lowercase().match_indices("issue ").any(|(at, _)| line.is_char_boundary(at + 6) && numbered(at));
        if hit {
            found.push(format!("{name}:{}: {line}", index + 1));
        }
    }
    found
}

#[test]
fn nothing_speaks_of_the_workplace() {
    let listed = Command::new("git").arg("-C").arg(root()).arg("ls-files").output();
    // From an unpacked release there is nothing to ask.
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else { return };
    let names = String::from_utf8(listed.stdout).expect("names in UTF-8");
    let mut found = Vec::new();
    for name in names.lines() {
        if let Ok(text) = fs::read_to_string(root().join(name)) {
            found.extend(of_the_workplace(name, &text));
        }
    }
    none(found);
}
