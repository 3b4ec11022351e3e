//! The notebook example of README.md runs as it stands there.

use std::process::Command;

use super::python;
use crate::support::{Schedq, live_lock, require, require_bpf};

/// The first indented shell line below a heading.
fn shell_line<'a>(readme: &'a str, heading: &str) -> &'a str {
    let section = readme.split(heading).nth(1).expect("the heading is in README.md");
    section.lines().find(|l| l.starts_with("    schedq ")).expect("an indented line with schedq").trim()
}

#[test]
fn the_readme_example_runs() {
    let test = "the_readme_example_runs";
    let python = python();
    if !require_bpf(test) || !require(test, python.is_some(), "python packages (scripts/setup --python)") {
        return;
    }
    let _alone = live_lock();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let line = shell_line(&readme, "## In a notebook");
    let statement = line.split('"').nth(1).expect("the statement in double quotes").replace("for 5s", "for 1s");
    let code = readme.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of python");

    let folder = tempfile::tempdir().expect("a folder");
    Schedq::new(["-e", &statement]).dir(folder.path()).run().success();
    let ran =
        Command::new(python.expect("found")).args(["-c", code]).current_dir(folder.path()).output().expect("python");
    let [out, err] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{err}");
    assert!(out.contains("latency_p99_ns") && out.contains("max_ms"), "{out}");
    assert!(out.lines().last().is_some_and(|l| l.starts_with("runq latency") && l.contains("lost:")), "{out}");
}
