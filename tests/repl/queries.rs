//! Windows at the prompt: Ctrl-C, and right counts after it.

use std::time::{Duration, Instant};

use super::prompt;
use crate::support::pty::{CTRL_C, CTRL_D, ENTER, Pty};
use crate::support::{Workload, counters, live_lock, require_bpf};

/// Starts a question and returns when its window is open.
fn begin(pty: &mut Pty, query: &str) {
    pty.send(query);
    pty.send(ENTER);
    pty.wait("Ctrl-C ends and shows");
}

/// The number before a word of the line about the window.
fn before(said: &str, word: &str) -> u64 {
    let at = said.rfind(&format!(" {word}")).unwrap_or_else(|| panic!("no {word}: {said}"));
    let number = said[..at].rsplit(' ').next().expect("a number").replace(',', "");
    number.parse().unwrap_or_else(|_| panic!("{number} before {word}: {said}"))
}

#[test]
fn ctrl_c_ends_a_window_and_the_next_one_counts_right() {
    let test = "repl::queries::ctrl_c_ends_a_window_and_the_next_one_counts_right";
    if !require_bpf(test) {
        return;
    }
    let Some((_state, prompt)) = prompt(test) else { return };
    let _alone = live_lock();
    let mut pty = prompt.start();
    begin(&mut pty, "switch count by comm for 60s");
    std::thread::sleep(Duration::from_secs(1));
    let start = Instant::now();
    pty.send(CTRL_C);
    let said = pty.wait("\nschedq> ");
    assert!(start.elapsed() < Duration::from_secs(5), "it goes on at once");
    assert!(said.contains("(interrupted)") && before(&said, "matched") > 0, "{said}");

    // Twice the same, so that the second one finds its programs loaded.
    for _ in 0..2 {
        let mut workload = Workload::start("sleeper 500 200");
        begin(&mut pty, &format!("switch where tgid = {} count by tid", workload.pid()));
        counters::wait_asleep(pty.pid());
        let truth = workload.finish();
        std::thread::sleep(Duration::from_millis(5));
        // The kernel's own account, from before the window until now.
        let switches = workload.switches();
        pty.send(CTRL_C);
        let said = pty.wait("\nschedq> ");
        let tid = truth.worker().tid;
        let row = said.lines().find(|line| line.trim_start().starts_with(&format!("{tid} ")));
        let counted = row.and_then(|row| row.split_whitespace().nth(1)).map(|n| n.replace(',', ""));
        assert_eq!(counted, Some(switches[&tid].all().to_string()), "{said}");
    }
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}

#[test]
fn a_second_ctrl_c_abandons_and_the_session_goes_on() {
    let test = "repl::queries::a_second_ctrl_c_abandons";
    if !require_bpf(test) {
        return;
    }
    let Some((_state, prompt)) = prompt(test) else { return };
    let _alone = live_lock();
    let mut pty = prompt.start();
    pty.ask("kept = switch count for 50ms");
    for _ in 0..3 {
        begin(&mut pty, "switch count by tid, comm, cpu for 60s");
        // So fast that the first may not be heard before the second.
        pty.send(CTRL_C);
        pty.send(CTRL_C);
        let said = pty.wait("\nschedq> ");
        assert!(said.contains("abandoned") || said.contains("(interrupted)"), "{said}");
    }
    let said = pty.ask("show kept");
    assert!(said.contains("count"), "{said}");
    let said = pty.ask("switch count for 100ms");
    assert!(said.contains("window") && !said.contains("interrupted"), "{said}");
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}

#[test]
fn sigterm_ends_the_window_and_the_prompt() {
    let test = "repl::queries::sigterm_ends_the_window_and_the_prompt";
    if !require_bpf(test) {
        return;
    }
    let Some((_state, prompt)) = prompt(test) else { return };
    let _alone = live_lock();
    let mut pty = prompt.start();
    begin(&mut pty, "switch count for 60s");
    std::thread::sleep(Duration::from_millis(200));
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pty.pid()), nix::sys::signal::Signal::SIGTERM).expect("it runs");
    let (code, said) = pty.finish();
    assert_eq!(code, 128 + 15);
    assert!(said.contains("(interrupted)"), "{said}");
}
