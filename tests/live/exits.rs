//! The exit status says what kind of end it was.

use crate::support::{Output, Schedq, live_lock, require_bpf};

fn run(query: &str) -> Output {
    Schedq::eval(query).run()
}

#[test]
fn fine_wrong_or_failed() {
    if !require_bpf("live::exits::fine_wrong_or_failed") {
        return;
    }
    let _alone = live_lock();
    run("switch count for 50ms").success();
    // Nothing found is an answer.
    run("switch where tid = 4194303 count for 50ms").success();
    for wrong in ["switch cuont for 50ms", "switch where tid = 'x' count", "swich count", "switch count for 5 sec"] {
        let output = run(wrong).fails_with(2);
        assert!(output.stdout.is_empty() && output.stderr.starts_with("error"), "{wrong}: {}", output.stderr);
    }
    Schedq::new(["--no-such-option"]).run().fails_with(2);
    Schedq::new(["run", "no-such-query"]).run().fails_with(2);
    run("switch where cgroup under '/no/such' count for 50ms").fails_with(4);
}

/// A script with a mistake anywhere runs nothing.
#[test]
fn a_mistake_stops_all() {
    if !require_bpf("live::exits::a_mistake_stops_all") {
        return;
    }
    let _alone = live_lock();
    let output = Schedq::new(["-e", "switch count for 50ms", "-e", "switch cuont for 50ms"]).run().fails_with(2);
    assert!(output.stdout.is_empty(), "{}", output.stdout);
}

/// At a pipe, as at the prompt, each statement stands by itself, and the status is that of the first mistake.
#[test]
fn statements_on_standard_input() {
    if !require_bpf("live::exits::statements_on_standard_input") {
        return;
    }
    let _alone = live_lock();
    let none: [&str; 0] = [];
    let output = Schedq::new(none).stdin("switch cuont\nswitch count for 50ms\n").run().fails_with(2);
    assert!(output.stdout.contains("count"), "{}", output.stdout);
    Schedq::new(none).stdin("a = switch count for 50ms\nshow a\n").run().success();
}

/// Saved queries with their parameters, by name.
#[test]
fn saved_queries() {
    if !require_bpf("live::exits::saved_queries") {
        return;
    }
    let _alone = live_lock();
    let list = Schedq::new(["list", "queries"]).run().success().stdout;
    let names: Vec<&str> =
        list.lines().filter(|l| l.starts_with(' ')).filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.contains(&"runqlat"), "{list}");
    for name in names {
        let mut running = Schedq::new(["run", name]).start();
        crate::support::watch::opened(&mut running);
        std::thread::sleep(std::time::Duration::from_millis(60));
        let output = running.interrupt();
        assert!([0, 130].contains(&output.code()), "{name}: {}", output.stderr);
    }
    let output = Schedq::new(["run", "runqlat", "nosuch=1"]).run().fails_with(2);
    assert!(output.stderr.contains("nosuch"), "{}", output.stderr);
}
