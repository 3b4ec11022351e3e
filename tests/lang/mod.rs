//! The corpus of the language: queries that are right with their canonical form, and wrong ones with their message.

mod limits;
mod made;
mod roundtrip;
mod soup;

use std::fs;
use std::path::{Path, PathBuf};

use schedq::diagnostic::{Diagnostic, Source};
use schedq::lang;

/// A diagnostic in plain text: code, title, each label with its place and the text it marks, help.
fn plain(diagnostic: &Diagnostic) -> String {
    let mut out = format!("[{}] {}\n", diagnostic.code, diagnostic.title);
    for label in &diagnostic.labels {
        let source = diagnostic.source.as_ref().expect("a label is in a source");
        let (line, column) = source.position(label.span.start);
        let marked = &source.text[label.span.start..label.span.end];
        out += &format!("  {line}:{column} {marked:?}: {}\n", label.text);
    }
    for help in &diagnostic.help {
        out += &format!("  help: {help}\n");
    }
    out
}

fn messages(source: &Source, errors: &[lang::Error]) -> String {
    errors.iter().map(|error| plain(&error.diagnostic(source))).collect::<Vec<_>>().join("")
}

/// The `.sq` files of a folder of the corpus, in order of their names.
fn corpus(folder: &str) -> Vec<(String, Source)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lang").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sq"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let text = lang::decode(&fs::read(path).unwrap()).unwrap();
        (name.clone(), Source::new(format!("{name}.sq"), text))
    };
    paths.iter().map(read).collect()
}

fn snapshot(folder: &str, name: &str, text: String) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lang").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn right_scripts_have_one_canonical_form() {
    let corpus = corpus("accept");
    assert!(corpus.len() >= 10, "the corpus is there");
    for (name, source) in corpus {
        let parsed = lang::parse(&source);
        assert!(parsed.errors.is_empty(), "{name}:\n{}", messages(&source, &parsed.errors));
        let canonical = lang::format::script(&parsed.script);
        let again = lang::parse(&Source::new("canonical", canonical.as_str()));
        assert_eq!(again.errors, [], "{name}");
        assert_eq!(again.script, parsed.script, "{name}");
        assert_eq!(lang::format::script(&again.script), canonical, "{name}");
        snapshot("accept", &name, canonical);
    }
}

#[test]
fn wrong_scripts_are_answered() {
    let corpus = corpus("wrong");
    assert!(corpus.len() >= 60, "the corpus is there");
    for (name, source) in corpus {
        let parsed = lang::parse(&source);
        assert!(!parsed.errors.is_empty(), "{name} is not wrong");
        let text = format!("{}\n----\n{}", source.text.trim_end(), messages(&source, &parsed.errors));
        snapshot("wrong", &name, text);
    }
}
