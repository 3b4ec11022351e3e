//! The walls between the rooms hold, and a family is declared once: read from the source text itself.

mod source;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use schedq::catalog::{EVENT_SETS, FAMILIES, Family, Origin};

use source::Token;

/// What is wrong in one file of `src`, given its path below `src`.
fn violations(file: &str, text: &str) -> Vec<String> {
    let module = module_of(file);
    let Some(room) = table::room_of(&module) else { return vec![format!("{file}: in no room of the table")] };
    let tokens = source::without_tests(&source::tokens(text));
    let mut wrong = Vec::new();
    for (line, path) in source::paths(&tokens) {
        if let Some(target) = source::absolute(&module, &path) {
            if let Some(name) = forbidden(room, &target) {
                wrong.push(format!("{file}:{line}: `{}` may not use `{name}`", room.at));
            }
        } else if let Some((name, rooms)) = table::KEPT_CRATES.iter().find(|(name, _)| *name == path[0])
            && !rooms.contains(&room.at)
        {
            wrong.push(format!("{file}:{line}: the crate `{name}` is for {rooms:?} only"));
        }
    }
    for pair in tokens.windows(2) {
        if let [(line, Token::Word(word)), (_, Token::Other('!'))] = pair {
            let prints = table::PRINTING.contains(&word.as_str()) && !table::MAY_PRINT.contains(&room.at);
            if prints || word == "dbg" {
                wrong.push(format!("{file}:{line}: `{}` may not print ({word}!)", room.at));
            }
        }
    }
    // One line can name a thing several times.
    wrong.dedup();
    wrong
}

/// The room that `target` lies in, if `room` may not use it.
fn forbidden(room: &table::Room, target: &str) -> Option<String> {
    // Items of the crate's root are its rooms; anything else there has no room of its own.
    let Some(there) = table::room_of(target) else { return Some(target.to_owned()) };
    let own = there.at == room.at;
    let open = room.may_use.iter().any(|&path| {
        // A grant ends at the walls inside it: `source` does not open `source::live`.
        table::holds(path, target) && table::room_of(path).is_some_and(|granted| granted.at == there.at)
    });
    (!own && !open && !there.at.is_empty()).then(|| target.to_owned())
}

/// `source/live/load.rs` → `source::live::load`
fn module_of(file: &str) -> String {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { String::new() } else { path.replace('/', "::") }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of `src` in Rust, without those of unit tests.
fn rust_files() -> Vec<(String, String)> {
    let mut files = files(&[".rs"]);
    let declared = |(file, text): &(String, String)| {
        let module = module_of(file);
        let names = source::test_modules(&source::tokens(text));
        names.into_iter().map(move |name| format!("{module}::{name}")).collect::<Vec<_>>()
    };
    let tests: Vec<String> = files.iter().flat_map(declared).collect();
    files.retain(|(file, _)| !tests.iter().any(|test| table::holds(test, &module_of(file))));
    files
}

/// Files below `src` with one of these endings, as paths below `src`.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
            if entry.is_dir() { walk(&entry, out) } else { out.push(entry) }
        }
    }
    let src = root().join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    paths.sort();
    let name = |path: &PathBuf| path.strip_prefix(&src).expect("below src").to_str().expect("UTF-8").to_owned();
    let wanted = paths.iter().filter(|path| endings.iter().any(|end| name(path).ends_with(end)));
    wanted.map(|path| (name(path), fs::read_to_string(path).expect("UTF-8 text"))).collect()
}

#[test]
fn rooms_use_only_what_they_may() {
    let files = rust_files();
    assert!(files.len() > 10, "src was read");
    let wrong: Vec<String> = files.iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_wall_test_can_fail() {
    let cases = [
        ("plan/check.rs", "use crate::lang::parse;", "`plan` may not use `lang::parse`"),
        ("plan/check.rs", "use crate::{catalog::Family, frame};", "`plan` may not use `frame`"),
        ("plan/mod.rs", "fn f() { super::host::cpus() }", "`plan` may not use `host::cpus`"),
        ("plan/a/b.rs", "use super::super::super::output;", "`plan` may not use `output`"),
        ("source/mod.rs", "use crate::lang::ast::Query;", "`source` may not use `lang::ast::Query`"),
        ("frame/mod.rs", "use crate::source::live::Host;", "`frame` may not use `source::live::Host`"),
        ("catalog/x.rs", "use polars::prelude::*;", "the crate `polars`"),
        ("source/live/load.rs", "fn f() -> polars::Frame {}", "the crate `polars`"),
        ("cli/mod.rs", "use libbpf_rs;", "the crate `libbpf_rs`"),
        ("lang/mod.rs", "use clap::{Parser, Args};", "the crate `clap`"),
        ("session.rs", "fn f() { println!(\"x\") }", "may not print"),
        ("cli/mod.rs", "fn f() { dbg!(1) }", "may not print"),
        ("elsewhere.rs", "", "in no room"),
    ];
    for (file, text, expected) in cases {
        let wrong = violations(file, text);
        assert!(wrong.len() == 1 && wrong[0].contains(expected), "{file}: {text}: {wrong:?}");
    }
}

#[test]
fn the_wall_test_lets_pass_what_is_allowed() {
    let cases = [
        (
            "plan/check.rs",
            "use crate::lang::ast::{Query, Clause}; use super::Plan; use crate::catalog::{self, Family};",
        ),
        ("plan/check.rs", "// use crate::frame;\n/* println!() */ const A: &str = \"crate::frame::x\";"),
        ("plan/check.rs", "#[cfg(test)]\nmod tests { use crate::lang::parse; fn f() { println!(\"{}\", '}') } }"),
        ("source/live/load.rs", "use libbpf_rs::Object; use crate::source::Table;"),
        ("lang/mod.rs", "fn f<'a>(pest: &'a str) { let c = '\\''; self::ast::f(); }"),
        ("main.rs", "fn main() { schedq::cli::main() }"),
        ("cli/mod.rs", "fn f() { println!() }"),
    ];
    for (file, text) in cases {
        assert_eq!(violations(file, text), [""; 0], "{file}: {text}");
    }
    let tests_end = "#[cfg(test)] mod tests { fn f() {} } use crate::frame::F;";
    assert_eq!(violations("plan/check.rs", tests_end).len(), 1, "what follows the unit tests is read");
}

/// Where a family's name is spelled in a file: as a name, as a string of its own, or as the beginning of a query.
fn spellings(family: &Family, file: &str, text: &str) -> Vec<String> {
    let may = [format!("catalog/{}.rs", family.name), format!("bpf/{}.bpf.c", family.name)];
    let folder = format!("catalog/{}/", family.name);
    // Kinds of events have words of their own.
    if file == "catalog/event.rs" || file.starts_with(&folder) || may.iter().any(|m| m == file) {
        return Vec::new();
    }
    let words = ["count", "events"].into_iter().chain(family.measures.iter().copied());
    let queries: Vec<String> = words.map(|word| format!("{} {word}", family.name)).collect();
    let tokens = source::without_tests(&source::tokens(text));
    let spelled = |token: &Token| match token {
        Token::Word(word) => word == family.name && !means_more(family.name),
        Token::Text(string) => {
            string.eq_ignore_ascii_case(family.name) && !is_column(family.name)
                || queries.iter().any(|query| string.contains(query.as_str()))
        }
        _ => false,
    };
    let lines = tokens.iter().filter(|(_, token)| spelled(token)).map(|(line, _)| *line);
    // The list of families is the one place that names them all.
    let is_list = |line: &usize| {
        let line = text.lines().nth(line - 1).unwrap_or_default();
        file == "catalog/mod.rs"
            && (line.contains("::FAMILY") || line.trim_start_matches("pub ") == format!("mod {};", family.name))
    };
    lines
        .filter(|line| !is_list(line))
        .map(|line| format!("src/{file}:{line}: spells the family `{}`", family.name))
        .collect()
}

/// Whether the word is also a keyword of C or a column, and so stands in the code for that.
fn means_more(name: &str) -> bool {
    name == "switch" || is_column(name)
}

fn is_column(name: &str) -> bool {
    FAMILIES.iter().any(|family| family.column(name).is_some())
}

#[test]
fn a_family_is_spelled_in_its_own_files_only() {
    let files = [rust_files(), files(&[".c", ".h"])].concat();
    let all = FAMILIES.iter().flat_map(|family| files.iter().flat_map(|(file, text)| spellings(family, file, text)));
    let wrong: Vec<String> = all.collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_spelling_test_can_fail() {
    let family = FAMILIES[0];
    let (name, measure) = (family.name, family.measures[0]);
    let found = |file: &str, text: &str| spellings(family, file, text).len();
    assert_eq!(found("plan/check.rs", &format!("if f == \"{name}\" {{}}")), 1);
    assert_eq!(found("plan/check.rs", &format!("catalog::{name}::F")), 1);
    assert_eq!(found("cli/mod.rs", &format!("const HELP: &str = \"schedq -e '{name} {measure}'\";")), 1);
    assert_eq!(found("catalog/mod.rs", &format!("fn f() {{ {name}::f() }}")), 1);
    assert_eq!(found("catalog/mod.rs", &format!("mod {name};\nconst F: &[&Family] = &[&{name}::FAMILY];")), 0);
    assert_eq!(found(&format!("catalog/{name}.rs"), &format!("\"{name}\"")), 0);
    assert_eq!(found("plan/check.rs", &format!("// {name} {measure}\nlet {name}s = 1;")), 0);
}

/// A family has one static, one program in C if its rows come from the kernel, one pairing in Rust if they come out of a
/// recording, and one folder of tests.
#[test]
fn families_are_complete() {
    let names = |families: &mut dyn Iterator<Item = &&'static Family>| -> BTreeSet<String> {
        families.map(|family| family.name.to_owned()).collect()
    };
    let all = names(&mut FAMILIES.iter());
    let of_kernel =
        names(&mut FAMILIES.iter().chain(EVENT_SETS).filter(|family| family.origins.contains(&Origin::Kernel)));
    let entries = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    };
    let programs: BTreeSet<String> =
        entries("src/bpf").iter().filter_map(|file| file.strip_suffix(".bpf.c").map(str::to_owned)).collect();
    assert_eq!(programs, of_kernel, "src/bpf/*.bpf.c, and the families and sets of events from the kernel");
    let folders: BTreeSet<String> =
        entries("tests/families").into_iter().filter(|entry| !entry.ends_with(".rs")).collect();
    assert_eq!(folders, all, "the folders of tests/families, and the catalog");
    let of_replay = names(&mut FAMILIES.iter().filter(|family| family.origins.contains(&Origin::Replay)));
    let declared = names(&mut FAMILIES.iter().filter(|family| family.replay.is_some()));
    assert_eq!(
        declared, of_replay,
        "families that declare how their rows come out of a recording, and say that they do"
    );
    let has_replay = |file: &String| root().join("src/catalog").join(file).join("replay.rs").is_file();
    let pairings: BTreeSet<String> = entries("src/catalog").into_iter().filter(has_replay).collect();
    assert_eq!(pairings, of_replay, "src/catalog/*/replay.rs, and the families with rows from a recording");
    assert_eq!(all.len(), FAMILIES.len(), "no two families of one name");
}
