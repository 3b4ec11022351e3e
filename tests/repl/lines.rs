//! Typing: lines that go on, keys, leaving.

use std::fs;

use super::{family, prompt};
use crate::support::pty::{CTRL_C, CTRL_D, ENTER, UP};

#[test]
fn half_a_statement_is_dropped_by_ctrl_c() {
    let Some((_state, prompt)) = prompt("repl::lines::half_a_statement_is_dropped_by_ctrl_c") else { return };
    let mut pty = prompt.start();
    pty.send(&format!("{} where (", family()));
    pty.send(ENTER);
    pty.wait("   ...> ");
    pty.send("cpu = ");
    pty.send(CTRL_C);
    pty.wait("\nschedq> ");
    // What follows is a statement of its own.
    let said = pty.ask("list frames");
    assert!(said.contains("none yet"), "{said}");
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}

#[test]
fn a_statement_of_several_lines_is_recalled_as_one() {
    let Some((state, prompt)) = prompt("repl::lines::a_statement_of_several_lines_is_recalled_as_one") else { return };
    let mut pty = prompt.start();
    let asked = format!("explain {} count,", family());
    pty.send(&asked);
    pty.send(ENTER);
    pty.wait("   ...> ");
    pty.send("rate");
    pty.send(ENTER);
    let first = pty.wait("\nschedq> ");
    assert!(first.contains("rate"), "{first}");
    pty.send(UP);
    pty.wait("rate");
    pty.send(ENTER);
    let second = pty.wait("\nschedq> ");
    let plan = |said: &str| said.split_once("programs").map(|(_, plan)| plan.to_owned());
    assert!(plan(&first).is_some(), "{first}");
    assert_eq!(plan(&first), plan(&second));
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
    // The same twice is kept once, on one line.
    let kept = fs::read_to_string(state.path().join("schedq/history")).expect("a history");
    assert_eq!(kept, format!("{asked}\\nrate\n"));
}

#[test]
fn the_end_in_the_middle_of_a_statement_runs_nothing_and_says_so() {
    let Some((state, prompt)) = prompt("repl::lines::the_end_in_the_middle_of_a_statement") else { return };
    let mut pty = prompt.start();
    pty.send("explain");
    pty.send(ENTER);
    pty.wait("   ...> ");
    pty.send(CTRL_D);
    let (code, said) = pty.finish();
    assert_eq!(code, 0);
    assert!(said.contains("the input ended in the middle of a statement: it was not run"), "{said}");
    assert!(!said.contains("error"), "{said}");
    assert_eq!(fs::read_to_string(state.path().join("schedq/history")).expect("a history"), "");
}

#[test]
fn ways_to_leave() {
    for leave in ["quit", "exit", "\\q", "QUIT;"] {
        let Some((_state, prompt)) = prompt("repl::lines::ways_to_leave") else { return };
        let mut pty = prompt.start();
        pty.send(leave);
        pty.send(ENTER);
        assert_eq!(pty.finish().0, 0, "{leave}");
    }
}

#[test]
fn pasted_lines_run_together() {
    let Some((_state, prompt)) = prompt("repl::lines::pasted_lines_run_together") else { return };
    let mut pty = prompt.start();
    // As terminals mark what is pasted.
    pty.send("\x1b[200~param a = 1\nshow nothing\nparam b = 2\x1b[201~");
    pty.wait("b = 2");
    pty.send(ENTER);
    let said = pty.wait("\nschedq> ");
    assert!(said.contains("there is no frame nothing") && said.contains("prompt:2:6"), "{said}");
}

#[test]
fn sigterm_at_the_prompt_leaves_the_terminal_as_it_was() {
    let Some((_state, prompt)) = prompt("repl::lines::sigterm_at_the_prompt") else { return };
    let mut pty = prompt.start();
    pty.send("half a");
    pty.wait("half a");
    let pid = nix::unistd::Pid::from_raw(pty.pid());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("it runs");
    let (code, _) = pty.finish();
    assert_eq!(code, 128 + 15);
}
