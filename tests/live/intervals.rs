//! Intervals add up to the whole.

use std::collections::BTreeMap;

use crate::support::watch::{best_of_three, number, opened, over};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

#[test]
fn they_add_up() {
    if !require_bpf("live::intervals::they_add_up") {
        return;
    }
    let _alone = live_lock();
    // Two programs read the clock one after the other, and a virtual machine may be stopped between them.
    best_of_three(add_up);
}

fn add_up() -> Result<(), String> {
    let mut workload = Workload::start("duty 400 400 1 --threads 3 --cpu 0-1");
    let queries = [
        "switch where tgid=PID count by tid, kind every 200ms",
        "switch where tgid=PID count by tid, kind",
        "runq latency where tgid=PID count, sum, max by tid every 100ms",
        "runq latency where tgid=PID count, sum, max by tid",
        "runq latency where tgid=PID p99, count every 200ms",
        "switch where tgid=PID events(at, tid) every 200ms",
    ];
    let (_, answers) = over(&mut workload, &queries);
    let by = |at: usize, key: &str, column: &str| {
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for row in &answers[at].rows {
            *all.entry(row[key].to_string()).or_default() += number(row, column);
        }
        all
    };
    assert_eq!(by(0, "kind", "count"), by(1, "kind", "count"));
    assert_eq!(by(0, "tid", "count"), by(1, "tid", "count"));
    assert_eq!(by(2, "tid", "count"), by(3, "tid", "count"));
    let (parts, whole) = (answers[2].sum("latency_sum_ns") as f64, answers[3].sum("latency_sum_ns") as f64);
    if (parts - whole).abs() > whole * 0.001 + 1e6 {
        return Err(format!("the intervals' sum is {parts}, the whole's {whole}"));
    }
    assert_eq!(answers[4].sum("count"), answers[3].sum("count"));
    assert_eq!(answers[5].rows.len() as u64, answers[1].sum("count"));
    for answer in [0, 2, 4, 5] {
        let length = if answer == 2 { 100_000_000 } else { 200_000_000 };
        let starts: Vec<u64> = answers[answer].rows.iter().map(|row| number(row, "interval_start")).collect();
        assert!(starts.is_sorted(), "{answer}");
        let first = starts[0];
        assert!(starts.iter().all(|start| (start - first).is_multiple_of(length)), "{answer}: {starts:?}");
        let different = starts.iter().collect::<std::collections::BTreeSet<_>>().len() as u64;
        assert!(different * length >= 800_000_000, "{answer}: a second of work is in {different} intervals");
    }
    // A row belongs to the interval in which it ended.
    for row in &answers[5].rows {
        let (at, start) = (number(row, "at"), number(row, "interval_start"));
        assert!(at >= start && at < start + 200_000_000, "{row}");
    }
    Ok(())
}

/// A wait can be longer than the interval in which it ends; then it is said.
#[test]
fn a_wait_longer_than_its_interval() {
    if !require_bpf("live::intervals::a_wait_longer_than_its_interval") {
        return;
    }
    let _alone = live_lock();
    // Of two real-time threads of one strength the second waits until the first has ended.
    let line = "spinner 0.25 --threads 2 --fifo 5 --cpu 1";
    let mut workload = Workload::start(line);
    let queries = ["runq latency where tgid=PID max by tid every 50ms", "runq latency where tgid=PID max"];
    let (_, answers) = over(&mut workload, &queries);
    let longest = answers[1].sum("latency_max_ns");
    assert!(longest > 150_000_000, "{longest}");
    let of_intervals = answers[0].rows.iter().map(|row| number(row, "latency_max_ns")).max();
    assert!(of_intervals.is_some_and(|ns| ns.abs_diff(longest) < 1_000_000), "{of_intervals:?} {longest}");

    let mut workload = Workload::start(line);
    let query = format!("runq latency where tgid={} max by tid every 50ms", workload.pid());
    let mut running = Schedq::eval(&query).start();
    opened(&mut running);
    workload.finish();
    let output = running.interrupt().success();
    let marked = output.stdout.lines().filter(|line| line.contains(" *")).count();
    assert!(marked > 0 && marked <= 3, "{}", output.stdout);
    assert!(output.stdout.contains("* longer than its interval"), "{}", output.stdout);
}

/// As lines come, so that a reader need not wait for the end.
#[test]
fn they_come_while_the_window_is_open() {
    if !require_bpf("live::intervals::they_come_while_the_window_is_open") {
        return;
    }
    let _alone = live_lock();
    let output = Schedq::eval("switch count every 100ms for 550ms").arg("--format").arg("ndjson").run().success();
    let lines: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(lines.len(), 6, "{}", output.stdout);
    assert!(lines.iter().all(|line| number(line, "count") > 0 && !line["result"].is_null()), "{}", output.stdout);
    let csv = Schedq::eval("switch count by cpu every 100ms for 350ms").arg("--format").arg("csv").run().success();
    let headers = csv.stdout.lines().filter(|line| line.starts_with("interval_start")).count();
    assert_eq!(headers, 1, "{}", csv.stdout);
    assert!(csv.stdout.lines().count() >= 4, "{}", csv.stdout);
}
