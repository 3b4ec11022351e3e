//! Signals end the window, and what there is by then is a whole answer; the command after `--` gets its signals too.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::command::shell;
use crate::support::watch::{Answer, opened};
use crate::support::{Schedq, live_lock, require_bpf};

#[test]
fn a_signal_ends_the_window_with_an_answer() {
    if !require_bpf("live::signals::a_signal_ends_the_window_with_an_answer") {
        return;
    }
    let _alone = live_lock();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut running = Schedq::eval("switch count by comm for 60s").arg("--format").arg("json").start();
        opened(&mut running);
        std::thread::sleep(Duration::from_millis(100));
        running.signal(signal);
        let answer = Answer::one(&running.finish().success());
        assert_eq!(answer.meta["ended"], "interrupted");
        assert!(!answer.rows.is_empty());
        let window = answer.meta["window_ns"].as_u64().expect("a number");
        assert!((100_000_000..50_000_000_000).contains(&window), "its true length: {window}");
    }
}

#[test]
fn interrupted_with_nothing_to_show() {
    if !require_bpf("live::signals::interrupted_with_nothing_to_show") {
        return;
    }
    let _alone = live_lock();
    let mut running = Schedq::eval("switch where tid = 4194303 count").arg("--format").arg("json").start();
    opened(&mut running);
    let output = running.interrupt().fails_with(130);
    assert_eq!(Answer::one(&output).meta["rows_matched"], 0, "the document is whole all the same");
}

#[test]
fn the_commands_status_is_ours() {
    if !require_bpf("live::signals::the_commands_status_is_ours") {
        return;
    }
    let _alone = live_lock();
    let run = |words: &[&str]| {
        let mut schedq = Schedq::eval("switch where child count").arg("--");
        for word in words {
            schedq = schedq.arg(word);
        }
        schedq.run()
    };
    for code in [0, 7, 255] {
        run(&["sh", "-c", &format!("exit {code}")]).fails_with(code);
    }
    run(&["sh", "-c", "kill -KILL $$"]).fails_with(128 + 9);
    let output = run(&["/no/such/command"]).fails_with(127);
    assert!(output.stderr.contains("/no/such/command"), "{}", output.stderr);
    run(&["/etc/passwd"]).fails_with(126);
}

#[test]
fn a_window_that_ends_first_waits_for_the_command() {
    if !require_bpf("live::signals::a_window_that_ends_first_waits_for_the_command") {
        return;
    }
    let _alone = live_lock();
    let start = Instant::now();
    let query = "switch where child count by comm for 100ms";
    let output =
        Schedq::eval(query).arg("--format").arg("json").arg("--").arg("sh").arg("-c").arg("sleep 0.7; exit 3").run();
    let output = output.fails_with(3);
    assert!(start.elapsed() >= Duration::from_millis(700));
    let window = Answer::one(&output).meta["window_ns"].as_u64().expect("a number");
    assert!((100_000_000..600_000_000).contains(&window), "{window}");
}

/// The window is the command's life.
#[test]
fn the_command_ends_the_window() {
    if !require_bpf("live::signals::the_command_ends_the_window") {
        return;
    }
    let _alone = live_lock();
    let query = "switch count\nswitch where child count by comm";
    let output = Schedq::eval(query).arg("--format").arg("json").arg("--").arg("sleep").arg("0.3").run().success();
    for answer in Answer::all(&output) {
        assert_eq!(answer.meta["ended"], "command_ended", "{}", answer.meta);
        let window = answer.meta["window_ns"].as_u64().expect("a number");
        assert!((290_000_000..3_000_000_000).contains(&window), "{window}");
    }
}

/// The command hears of it, and its last words are waited for.
#[test]
fn a_signal_goes_on_to_the_command() {
    if !require_bpf("live::signals::a_signal_goes_on_to_the_command") {
        return;
    }
    let _alone = live_lock();
    let script = "trap 'echo heard; exit 9' TERM; echo up; while :; do sleep 0.05; done";
    let schedq = Schedq::eval("switch where child count by comm").arg("--").arg("sh").arg("-c").arg(script);
    let mut running = schedq.start();
    running.attached(1);
    std::thread::sleep(Duration::from_millis(400));
    running.signal(Signal::SIGTERM);
    let output = running.finish().fails_with(9);
    assert!(output.stdout.contains("up\n") && output.stdout.contains("heard\n"), "{}", output.stdout);
    assert!(output.stderr.contains("interrupted"), "{}", output.stderr);
}

/// The command keeps its standard input.
#[test]
fn the_command_reads_our_input() {
    if !require_bpf("live::signals::the_command_reads_our_input") {
        return;
    }
    let _alone = live_lock();
    let script =
        "printf 'one\\ntwo\\n' | \"$SCHEDQ\" -e 'switch where child count' --quiet -o /dev/null --format csv -- cat";
    let output = shell(script, &[]);
    // The ending of /dev/null says nothing; a result may go anywhere, the command's words go to standard output.
    let output = if output.code() == 0 {
        output
    } else {
        shell("printf 'one\\ntwo\\n' | \"$SCHEDQ\" -e 'switch where child count' --quiet -- cat", &[]).success()
    };
    assert!(output.stdout.starts_with("one\ntwo\n"), "{}", output.stdout);
}
