//! Signals when no window is open.

use std::thread;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::support::watch::opened;
use crate::support::{Schedq, live_lock, require_bpf};

/// Whatever only reads a text ends as every program does.
#[test]
fn reading_is_ended_by_a_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("query.sq");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    for verb in ["check", "explain", "run"] {
        // Nobody writes: it waits.
        let running = Schedq::new([verb]).arg(&pipe).limit(Duration::from_secs(10)).start();
        thread::sleep(Duration::from_millis(300));
        running.interrupt().fails_with(128 + 2);
    }
}

/// A result that nobody takes must not hold the program for ever.
#[test]
fn a_blocked_writer_ends() {
    if !require_bpf("hardening::signals::a_blocked_writer_ends") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("result.json");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let start = || {
        let _alone = live_lock();
        let running = Schedq::eval("switch count for 50ms").arg("-o").arg(&pipe).start();
        thread::sleep(Duration::from_secs(1));
        running
    };
    let (twice, once) = (start(), start());
    twice.signal(Signal::SIGINT);
    thread::sleep(Duration::from_millis(200));
    twice.interrupt().fails_with(128 + 2);
    once.signal(Signal::SIGTERM);
    once.finish().fails_with(128 + 15);
}

/// Who stops a script does not want its next window; what there is is shown.
#[test]
fn a_stopped_script_opens_no_further_window() {
    if !require_bpf("hardening::signals::a_stopped_script_opens_no_further_window") {
        return;
    }
    let _alone = live_lock();
    let script = "a = switch count for 60s\nb = runq count for 60s\nshow a\nshow b\nswitch count for 60s";
    for by_pipe in [false, true] {
        let schedq = if by_pipe {
            Schedq::new(["--format", "ndjson"]).stdin(script)
        } else {
            Schedq::eval(script).arg("--format").arg("ndjson")
        };
        let mut running = schedq.start();
        opened(&mut running);
        thread::sleep(Duration::from_millis(200));
        let output = running.interrupt().fails_with(130);
        assert_eq!(output.stdout.lines().count(), 1, "only a: {}", output.stdout);
        assert!(output.stderr.contains("2 queries were not run"), "{}", output.stderr);
    }
}
