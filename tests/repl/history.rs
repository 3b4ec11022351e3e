//! History between prompts.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::prompt;
use crate::support::pty::{CTRL_D, Prompt, UP, has_script};

/// Statements that only name a thing, a hundred of them.
fn asks(state: &Path, who: &str) -> impl FnOnce() + Send + use<> {
    let (state, who) = (state.to_owned(), who.to_owned());
    move || {
        let mut pty = Prompt::new(&state).start();
        for i in 0..100 {
            let said = pty.ask(&format!("param {who}{i} = {i}"));
            assert!(!said.contains("error"), "{said}");
        }
        pty.send(CTRL_D);
        assert_eq!(pty.finish().0, 0);
    }
}

#[test]
fn two_prompts_at_once_lose_nothing() {
    let test = "repl::history::two_prompts_at_once_lose_nothing";
    if !has_script(test) {
        return;
    }
    let state = tempfile::tempdir().expect("a folder");
    let both = [asks(state.path(), "a"), asks(state.path(), "b")].map(std::thread::spawn);
    both.into_iter().for_each(|thread| thread.join().expect("no panic"));
    let file = state.path().join("schedq/history");
    let kept = fs::read_to_string(&file).expect("a history");
    let found: BTreeSet<&str> = kept.lines().collect();
    let expected: Vec<String> =
        ["a", "b"].iter().flat_map(|w| (0..100).map(move |i| format!("param {w}{i} = {i}"))).collect();
    assert_eq!(found, expected.iter().map(String::as_str).collect());
    assert_eq!(kept.lines().count(), 200);
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_next_prompt_recalls_and_hints() {
    let Some((state, first)) = prompt("repl::history::the_next_prompt_recalls_and_hints") else { return };
    let mut pty = first.start();
    pty.ask("param unusual = 5ms");
    // One that begins with a blank is not for the file.
    pty.ask(" param secret = 1");
    pty.send(CTRL_D);
    pty.finish();
    let mut pty = Prompt::new(state.path()).start();
    pty.send(UP);
    pty.wait("schedq> param unusual = 5ms");
    pty.send("\x15par");
    // The rest stands there in grey.
    pty.wait("param unusual = 5ms");
    let kept = fs::read_to_string(state.path().join("schedq/history")).expect("a history");
    assert_eq!(kept, "param unusual = 5ms\n");
}

#[test]
fn without_a_place_it_says_so_and_works() {
    let Some((state, prompt)) = prompt("repl::history::without_a_place_it_says_so_and_works") else { return };
    let mut pty = prompt.without("HOME").without("XDG_STATE_HOME").launch();
    let greeting = pty.wait("\nschedq> ");
    let lines: Vec<&str> = greeting.lines().filter(|line| line.contains("history is not kept")).collect();
    assert_eq!(lines, ["note: history is not kept: neither HOME nor XDG_STATE_HOME says where"]);
    let said = pty.ask("list frames");
    assert!(said.contains("none yet"), "{said}");
    pty.send(UP);
    pty.wait("list frames");

    // A file stands where the folder would be: not even root can make one there.
    let file = state.path().join("file");
    fs::write(&file, "").expect("written");
    let mut pty = Prompt::new(&file).launch();
    let greeting = pty.wait("\nschedq> ");
    assert!(greeting.contains("note: history is not kept: ") && greeting.contains("file/schedq"), "{greeting}");
    assert!(pty.ask("list frames").contains("none yet"));
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}
