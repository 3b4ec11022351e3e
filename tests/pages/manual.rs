//! The manual page: what is in it, and that those who set it in type find nothing wrong.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use schedq::catalog::FAMILIES;
use schedq::cli::surroundings::{ENVIRONMENT, FILES};
use schedq::diagnostic::Exit;
use schedq::lang::reference;

use super::has;
use crate::support::{Schedq, require};

fn page() -> String {
    Schedq::new(["man"]).run().success().stdout
}

/// What was said of the page, and the page as a terminal of 100 columns shows it.
fn shown(page: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("schedq.1"), page).expect("a file");
    let ran = Command::new("man")
        .args(["--warnings", "./schedq.1"])
        .current_dir(folder.path())
        .env("MANWIDTH", "100")
        .env("LC_ALL", "C.UTF-8")
        .env("MANPAGER", "cat")
        .output()
        .expect("man");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    assert!(ran.status.success(), "{}", text(ran.stderr));
    (text(ran.stderr), text(ran.stdout))
}

/// Of `man-db`, whose `man` knows `--warnings`.
fn has_man() -> bool {
    has("groff") && Command::new("man").arg("--version").output().is_ok_and(|ran| ran.stdout.starts_with(b"man "))
}

#[test]
fn man_finds_nothing_wrong() {
    if !require("man_finds_nothing_wrong", has_man(), "man and groff (scripts/setup --shells)") {
        return;
    }
    let (said, shown) = shown(&page());
    assert_eq!(said, "");
    let words: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("SCHEDQ(1)"), "{shown}");
    // In the forms in which they are typed, marks that roff reads for its own included.
    for typed in [
        "schedq run NAME|FILE [name=value ...] [-- COMMAND ...]",
        "COLUMN ~ 'GLOB*'",
        r#"escapes: \\ \' \" \n \t \r \0 \xNN"#,
        "schedq fmt [FILE|STATEMENTS ...] [--check] [--write]",
        "runq latency where tgid=123 hist by cpu for 5s",
        "--map-memory <SIZE> [default: 256MiB]",
        "~/.config/schedq/queries/NAME.sq",
    ] {
        assert!(words.contains(typed), "{typed} is not in\n{shown}");
    }
    let ends = shown.lines().filter(|line| line.chars().count() > 100).count();
    assert_eq!(ends, 0, "lines longer than the screen:\n{shown}");
    // What `man` does with a page of which it has to complain.
    let (said, _) = self::shown(".TH X 1\n.SH NAME\nx \\- y\n.nosuch\n");
    assert!(said.contains("nosuch"), "the test can fail: {said}");
}

#[test]
fn mandoc_finds_nothing_wrong() {
    if !require("mandoc_finds_nothing_wrong", has("mandoc"), "mandoc (scripts/setup --shells)") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("schedq.1");
    fs::write(&file, page()).expect("a file");
    let ran = Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(&file).output().expect("mandoc");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "");
}

#[test]
fn the_page_has_all_that_is_declared() {
    // Without roff's own marks.
    let page =
        page().replace("\\-", "-").replace("\\*(Aq", "'").replace("\\(ti", "~").replace("\\fB", "").replace("\\fR", "");
    let has = |text: &str| assert!(page.contains(&text.replace('…', "...").replace('\\', "\\e")), "{text} is missing");
    for family in FAMILIES {
        has(family.name);
        has(family.doc);
        has(family.detail);
        family.measures.iter().for_each(|measure| has(measure));
        family.columns().for_each(|column| [column.name, column.doc, column.from].into_iter().for_each(has));
        family.losses.iter().for_each(|loss| has(loss.doc));
    }
    let entries = [reference::CLAUSES, reference::CONDITIONS, reference::VALUES, reference::TIMES, reference::PROMPT];
    for entry in entries.into_iter().flatten().chain(reference::statements()) {
        has(entry.usage);
        has(entry.doc);
    }
    reference::STATS.iter().for_each(|stat| [stat.usage, stat.doc].into_iter().for_each(has));
    Exit::ALL.iter().for_each(|exit| has(exit.doc()));
    ENVIRONMENT.iter().chain(FILES).for_each(|(name, doc)| [*name, *doc].into_iter().for_each(has));
}

/// The names that stand in quotes on lines of the source that read the environment.
fn variables() -> BTreeSet<String> {
    fn walk(folder: &Path, found: &mut BTreeSet<String>) {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                walk(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("env::var")) {
                // A helper takes the name from the lines around it.
                for near in [&lines[at..=at], &lines[at..(at + 4).min(lines.len())]] {
                    let quoted = near.iter().flat_map(|line| line.split('"').skip(1).step_by(2));
                    let names: Vec<&str> = quoted.filter(|name| is_variable(name)).collect();
                    if !names.is_empty() || line.contains("env::var_os(\"") {
                        found.extend(names.into_iter().map(str::to_owned));
                        break;
                    }
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

fn is_variable(name: &str) -> bool {
    name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

#[test]
fn the_environment_that_is_read_is_the_one_that_is_told() {
    let mut told: BTreeSet<String> = ENVIRONMENT.iter().map(|(name, _)| (*name).to_owned()).collect();
    // The library of times reads it.
    assert!(told.remove("TZ"));
    assert_eq!(variables(), told);
}
