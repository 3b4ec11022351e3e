//! Every file of `wrong/` parses and does not check; the words of its errors stand beside it.

use std::collections::BTreeSet;
use std::path::Path;

use schedq::diagnostic::{Exit, Source};
use schedq::plan::messages;

use super::{options, plain, queries};

#[test]
fn wrong_queries_are_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan/wrong");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sq"))
        .collect();
    files.sort();
    assert!(files.len() >= 40, "only {} files", files.len());

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("wrong");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let source = Source::new(format!("{name}.sq"), std::fs::read_to_string(&path).unwrap());
        let (queries, params) = queries(&source);
        let mut out = String::new();
        for (asked, block_ns) in &queries {
            let errors = asked.errors(&params, &options(*block_ns));
            assert!(!errors.is_empty(), "{name}: {asked:?} is right, but stands among the wrong");
            for diagnostic in messages::diagnostics(&errors, &source) {
                assert_eq!(diagnostic.exit, Exit::Wrong);
                out.push_str(&plain(&diagnostic));
            }
        }
        settings.set_description(&*source.text);
        settings.bind(|| insta::assert_snapshot!(name.as_str(), out));
    }
}

/// The codes of the messages, as `src` spells them, each of which a file of `wrong/` must bring about.
#[test]
fn every_message_is_shown_by_a_query() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    for file in ["", "/names", "/literals", "/recorded"].map(|part| format!("src/plan/messages{part}.rs")) {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        for part in text.split("say(").skip(1).chain(text.split("Diagnostic::new(").skip(1)) {
            let code = part.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
            known.extend(code.map(str::to_string));
        }
    }
    assert!(known.len() > 40, "{known:?}");
    let shown: BTreeSet<String> = std::fs::read_dir(root.join("tests/plan/wrong"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "snap"))
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let code = |line: &str| line.split_once(": ").map(|(code, _)| code.to_string());
            text.lines().filter(|line| !line.starts_with(' ')).filter_map(code).collect::<Vec<_>>()
        })
        .collect();
    let silent: Vec<_> = known.difference(&shown).collect();
    assert!(silent.is_empty(), "no query of tests/plan/wrong shows {silent:?}");
}
