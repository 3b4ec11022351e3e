//! The Tab key.

use super::{family, prompt};
use crate::support::pty::{CTRL_C, ENTER, TAB};

/// What a list shows: the line of a word, if there is one.
fn line<'a>(said: &'a str, word: &str) -> Option<&'a str> {
    said.lines().map(str::trim_end).find(|line| line.split_whitespace().next() == Some(word))
}

#[test]
fn tab_lists_what_there_is_and_what_it_means() {
    let Some((_state, prompt)) = prompt("repl::completion::tab_lists_what_there_is") else { return };
    let mut pty = prompt.size(50, 120).start();
    pty.send(TAB);
    let said = pty.wait("quit");
    let of = schedq::catalog::FAMILIES[0];
    assert_eq!(line(&said, of.name).map(|l| l.trim_start_matches(of.name).trim()), Some(of.doc));
    pty.send(&format!("{} where ", family()));
    pty.send(TAB);
    let said = pty.wait("kthread");
    assert_eq!(line(&said, "comm"), Some("comm       the thread's name when the row ended, at most 15 bytes"));
    // Only one word can stand here.
    pty.send("comm is mi");
    pty.send(TAB);
    pty.wait("comm is missing ");
    pty.send(CTRL_C);
}

#[test]
fn names_that_run_are_offered_and_put_in_as_texts() {
    let Some((_state, prompt)) = prompt("repl::completion::names_that_run_are_offered") else { return };
    // A thread of this test bears a name that must be quoted.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("zq'it\\".into()).spawn(move || wait.recv()).expect("a thread");
    let mut pty = prompt.size(50, 120).start();
    pty.send(&format!("{} where comm = 'zq", family()));
    pty.send(TAB);
    pty.wait("comm = 'zq\\'it\\\\' ");
    // And it can be asked.
    pty.send("count for 10ms");
    pty.send("\x01explain ");
    pty.wait("explain ");
    pty.send(ENTER);
    let said = pty.wait("\nschedq> ");
    assert!(said.contains("programs") && !said.contains("error"), "{said}");
    // By the number of the process, whose name stands beside it.
    let own = std::process::id().to_string();
    let comm = std::fs::read_to_string(format!("/proc/{own}/comm")).expect("ours");
    pty.send(&format!("{} where tgid = {}", family(), &own[..own.len() - 1]));
    pty.send(TAB);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let said = pty.fresh();
    // The only one is put in; of several there is a list.
    let only = said.trim_end().ends_with(&format!("tgid = {own}"));
    assert!(only || line(&said, &own).is_some_and(|l| l.contains(comm.trim())), "{said}");
    drop(go);
    let _ = thread.join();
}
