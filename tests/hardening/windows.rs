//! Windows that bring too much, or nothing.

use std::time::Duration;

use crate::support::watch::{Answer, Watch};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

/// Rows that wait to be shown take a bounded memory, and what finds no room is counted.
#[test]
fn rows_are_kept_as_far_as_the_memory_goes() {
    if !require_bpf("hardening::windows::rows_are_kept_as_far_as_the_memory_goes") {
        return;
    }
    let _alone = live_lock();
    let mut running = Schedq::new(["--map-memory", "64KiB", "--format", "json"])
        .arg("-e")
        .arg("switch where comm = 'lt-many' events(tid) for 60s")
        .start();
    crate::support::watch::opened(&mut running);
    Workload::start("yielder 20000 --name lt-many --threads 2 --cpu 0").finish();
    let answer = Answer::one(&running.interrupt().success());
    let kept = answer.rows.len() as u64;
    assert_eq!(kept, 64 * 1024 / 8, "one word a row");
    assert!(answer.loss("rows_memory") > 0);
    let lost = answer.loss("rows_memory") + answer.loss("ring_full");
    assert_eq!(kept + lost, answer.meta["rows_seen"].as_u64().expect("a number"), "{}", answer.meta);
}

/// Intervals that nobody asks for again are not kept, and the account of the whole window is right all the same.
#[test]
fn intervals_add_up_without_being_kept() {
    if !require_bpf("hardening::windows::intervals_add_up_without_being_kept") {
        return;
    }
    let _alone = live_lock();
    for filter in ["", "where comm ~ '*e*' "] {
        let query = format!("switch {filter}count by cpu every 20ms for 400ms");
        let output = Schedq::new(["--format", "ndjson", "-e", &query]).run().success();
        let rows: Vec<serde_json::Value> =
            output.stdout.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
        let sum: u64 = rows.iter().filter_map(|row| row["count"].as_u64()).sum();
        let printed = output.stderr.split(" matched").next().and_then(|said| said.rsplit(' ').next());
        let matched: u64 = printed.expect("a figure").replace(',', "").parse().expect("a number");
        assert_eq!(sum, matched, "{query}: {}", output.stderr);
        assert!(sum > 0);
    }
}

#[test]
fn quiet_intervals_print_nothing() {
    if !require_bpf("hardening::windows::quiet_intervals_print_nothing") {
        return;
    }
    let _alone = live_lock();
    let output = Schedq::eval("switch where comm = 'nobody-at-all' count by tid every 20ms for 200ms").run().success();
    assert!(!output.stdout.contains("\n\n"), "{:?}", output.stdout);
}

/// Every column there is, as a key and in a row.
#[test]
fn all_columns_at_once() {
    if !require_bpf("hardening::windows::all_columns_at_once") {
        return;
    }
    let _alone = live_lock();
    let task = "cpu, tid, tgid, comm, process, prio, policy, nice, cgroup, kthread";
    let watch = Watch::open(&[
        &format!("runq latency count, max, max_at, p99 by {task}, cause, prev_tid, prev_comm"),
        &format!("switch events(at, {task}, kind, state, next_tid, next_comm, next_prio)"),
        "runq latency count",
        "switch count",
    ]);
    Workload::start("sleeper 50 1000 --name lt-all").finish();
    std::thread::sleep(Duration::from_millis(100));
    let answers = watch.close();
    for (wide, narrow) in [(0, 2), (1, 3)] {
        assert!(!answers[wide].rows.is_empty());
        // The four end one after the other.
        let (a, b) = (answers[wide].meta["rows_matched"].as_u64(), answers[narrow].meta["rows_matched"].as_u64());
        let (a, b) = (a.expect("a number") as f64, b.expect("a number") as f64);
        assert!((a - b).abs() <= 0.2 * b + 20.0, "{a} {b}");
    }
}

/// Rows that are sent for the filter's sake bring no more than was asked for.
#[test]
fn rows_without_the_measure() {
    if !require_bpf("hardening::windows::rows_without_the_measure") {
        return;
    }
    let _alone = live_lock();
    for query in ["runq uniq(at) for 50ms", "runq where comm ~ '*e*' or at > 5 count by cpu for 50ms"] {
        let output = Schedq::new(["--format", "json", "-e", query]).run().success();
        let answer = Answer::one(&output);
        assert!(answer.meta["totals"]["sum"].is_null(), "{}", answer.meta);
    }
}

/// The window's end comes a little late: what lies behind its last interval is none, also when rows are sent.
#[test]
fn no_interval_lies_behind_the_window() {
    if !require_bpf("hardening::windows::no_interval_lies_behind_the_window") {
        return;
    }
    let _alone = live_lock();
    for _ in 0..5 {
        let query = "switch where comm ~ '*e*' or at > 5 count every 50ms for 100ms";
        let output = Schedq::new(["--format", "json", "-e", query]).run().success();
        assert!(Answer::one(&output).rows.len() <= 2, "{}", output.stdout);
    }
}

/// A column of histograms of many steps stays a column.
#[test]
fn a_sparkline_is_no_wallpaper() {
    if !require_bpf("hardening::windows::a_sparkline_is_no_wallpaper") {
        return;
    }
    let _alone = live_lock();
    let output = Schedq::eval("runq latency count, hist(linear, 0ns, 10ms, 1us) for 200ms").run().success();
    let widest = output.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{}", output.stdout);
}

/// Writing rows is slower than making them: what is not written yet waits here, and neither ring nor clock are forgotten.
#[test]
fn rows_that_come_faster_than_they_are_written() {
    if !require_bpf("hardening::windows::rows_that_come_faster_than_they_are_written") {
        return;
    }
    let _alone = live_lock();
    let mut running = Schedq::new(["--format", "ndjson", "-e", "switch where comm = 'lt-fast' events for 2s"]).start();
    crate::support::watch::opened(&mut running);
    Workload::start("pingpong 60000 --name lt-fast --cpu 0").finish();
    let output = running.finish().success();
    let window = output.stderr.split(" window").next().and_then(|said| said.strip_suffix('s'));
    let seconds: f64 = window.expect("a length").parse().expect("a number");
    assert!(seconds < 2.5, "{}", output.stderr);
    assert!(output.stdout.lines().count() > 20_000, "{}", output.stderr);
    assert!(output.stderr.contains("no loss"), "{}", output.stderr);
}
