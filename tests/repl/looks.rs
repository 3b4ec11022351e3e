//! Colours, narrow and low screens, terminals that can do nothing.

use std::process::Command;

use super::{family, prompt};
use crate::support::pty::{CTRL_C, CTRL_D, ENTER};

/// A question to the recording that comes with schedq, which needs no right.
fn sample(rest: &str) -> String {
    format!("from '@sample' {} {rest}", family())
}

#[test]
fn colours_of_a_line_are_those_of_its_words() {
    let Some((_state, prompt)) = prompt("repl::looks::colours_of_a_line") else { return };
    let mut pty = prompt.start();
    pty.send(&format!("{} where comm = 'a' and cpu < 5", family()));
    pty.wait("cpu < 5");
    let raw = pty.raw();
    let name = family();
    for painted in
        [&format!("\x1b[1;32m{name}\x1b[0m"), "\x1b[1mwhere\x1b[0m", "\x1b[33m'a'\x1b[0m", "\x1b[35m5\x1b[0m"]
    {
        assert!(raw.contains(painted), "no {painted:?} in {raw:?}");
    }
    pty.send(CTRL_C);
    pty.wait("\nschedq> ");
    // An error has its place marked, in colour.
    let said = pty.ask(&format!("{name} where coom = 'a'"));
    assert!(said.contains("━━━━") && said.contains("did you mean `comm`?"), "{said}");
    assert!(pty.raw().contains("\x1b[1m\x1b[91merror"), "{:?}", pty.raw());
}

#[test]
fn no_color_means_none() {
    for (name, value, args) in [("NO_COLOR", "1", ""), ("X", "1", "--color never")] {
        let Some((_state, prompt)) = prompt("repl::looks::no_color_means_none") else { return };
        let mut pty = prompt.env(name, value).args(args).start();
        pty.ask(&format!("{} where coom = 'a'", family()));
        pty.ask(&sample("count by comm"));
        pty.ask("help");
        let raw = pty.raw();
        // Sequences that set colours end in `m`; those that move the cursor stay.
        let painted = raw
            .split("\x1b[")
            .skip(1)
            .find(|rest| rest.find(|c: char| c.is_alphabetic()).is_some_and(|at| rest[at..].starts_with('m')));
        assert_eq!(painted, None, "{args}");
    }
}

#[test]
fn a_dumb_terminal_gets_no_escape_sequence() {
    let Some((_state, prompt)) = prompt("repl::looks::a_dumb_terminal") else { return };
    let mut pty = prompt.env("TERM", "dumb").start();
    let said = pty.ask(&sample("count by comm"));
    assert!(said.contains("comm") && said.contains("matched"), "{said}");
    pty.send(&format!("{} where (", family()));
    pty.send(ENTER);
    pty.wait("   ...> ");
    pty.send(CTRL_C);
    pty.wait("\nschedq> ");
    assert!(pty.ask("list frames").contains("_  "));
    assert!(pty.ask("shwo x").contains("did you mean the statement `show`?"));
    assert!(!pty.raw().contains('\x1b'), "{:?}", pty.raw());
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}

#[test]
fn a_dumb_terminal_in_the_middle_of_a_statement() {
    let Some((_state, prompt)) = prompt("repl::looks::a_dumb_terminal_in_the_middle") else { return };
    let mut pty = prompt.env("TERM", "dumb").start();
    pty.send("explain");
    pty.send(ENTER);
    pty.wait("   ...> ");
    pty.send(CTRL_D);
    let (code, said) = pty.finish();
    assert!(code == 0 && said.contains("the input ended in the middle of a statement: it was not run"), "{said}");
}

#[test]
fn a_long_table_is_cut_to_the_screen() {
    let Some((_state, prompt)) = prompt("repl::looks::a_long_table_is_cut_to_the_screen") else { return };
    let mut pty = prompt.start();
    let said = pty.ask(&sample("count by tid, cpu, comm"));
    let lines = said.lines().count();
    assert!(lines <= 24, "{lines} lines:\n{said}");
    let rest = said.lines().find(|line| line.contains("more rows")).expect("a word on the rest");
    let hidden: usize = rest.split_whitespace().nth(1).and_then(|n| n.replace(',', "").parse().ok()).expect("a number");
    assert!(rest.ends_with("show _ prints all, save _ to 'FILE.parquet' keeps it"), "{rest}");
    let all = pty.ask("show _");
    let rows = |said: &str| {
        let table = said.lines().take_while(|line| !line.contains("more rows"));
        table.filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count()
    };
    assert_eq!(rows(&all), rows(&said) + hidden, "{said}\n{all}");
    // A named one says its own name.
    pty.ask(&format!("mine = {}", sample("count by tid, cpu, comm")));
    let listed = pty.ask("list frames");
    assert!(listed.contains(&format!("mine  {} rows", rows(&all))), "{listed}");
}

#[test]
fn a_screen_that_gets_narrower() {
    let Some((_state, prompt)) = prompt("repl::looks::a_screen_that_gets_narrower") else { return };
    let mut pty = prompt.start();
    let wide = pty.ask(&sample("p50, p99, max, count by comm"));
    assert!(wide.lines().any(|line| line.contains("p50") && line.contains("count")), "{wide}");
    let tty = pty.tty();
    let status = Command::new("stty").arg("-F").arg(&tty).args(["cols", "30"]).status().expect("stty");
    assert!(status.success());
    std::thread::sleep(std::time::Duration::from_millis(200));
    let narrow = pty.ask("show _");
    let widest = narrow.lines().skip(1).map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 30), "{narrow}");
    assert!(narrow.contains("too narrow for"), "{narrow}");
}
