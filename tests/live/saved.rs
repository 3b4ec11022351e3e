//! The saved queries, as they are built into the program, over workloads of which the answer is known.

use crate::support::watch::{Answer, number, opened};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

/// Runs a saved query over the workload, whose threads sleep when the window opens and when it is ended.
fn over(workload: &mut Workload, name: &str, values: &[&str]) -> Answer {
    let pid = format!("pid={}", workload.pid());
    let mut words = vec!["run", name, "--format", "json", &pid, "window=10m"];
    words.extend(values);
    let mut running = Schedq::new(words).start();
    opened(&mut running);
    workload.finish();
    Answer::one(&running.interrupt().success())
}

/// Waits that two threads on one CPU must have had: nearly as many as they were preempted.
fn preemptions(workload: &Workload) -> u64 {
    workload.switches().values().map(|s| s.involuntary).sum()
}

#[test]
fn runqlat() {
    if !require_bpf("live::saved::runqlat") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("spinner 0.6 --threads 2 --cpu 0");
    let answer = over(&mut workload, "runqlat", &[]);
    let preempted = preemptions(&workload);
    let waits = answer.sum("count");
    assert!(preempted > 20 && waits >= preempted * 9 / 10, "{waits} waits, {preempted} preemptions");
    // The one who waits, waits for the other's slice: milliseconds.
    let long = answer.sum_where("count", |row| number(row, "hi_ns") > 1_000_000);
    assert!(long * 10 > waits * 7, "{long} of {waits} above 1 ms: {:?}", answer.rows);
}

#[test]
fn runqslower() {
    if !require_bpf("live::saved::runqslower") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("spinner 0.6 --threads 2 --cpu 0 --name lt-slower");
    let answer = over(&mut workload, "runqslower", &["limit=1ms"]);
    assert!(answer.rows.len() > 20, "{:?}", answer.rows);
    for row in &answer.rows {
        assert!(number(row, "latency") > 1_000_000, "{row}");
        // The process' main thread may wait for the workers that it has woken.
        assert!(row["comm"] == "lt-slower" || row["tid"] == workload.pid(), "{row}");
    }
    // Often it is the other one that sat there; the machine may have more to do.
    let other = answer.rows.iter().filter(|row| row["prev_comm"] == "lt-slower").count();
    assert!(other > 0, "none of {}", answer.rows.len());
}

#[test]
fn runq_by_cause() {
    if !require_bpf("live::saved::runq_by_cause") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("spinner 0.6 --threads 2 --cpu 0");
    let answer = over(&mut workload, "runq-by-cause", &[]);
    let preempted = answer.sum_where("count", |row| row["cause"] == "preempt");
    let truth = preemptions(&workload);
    assert!(preempted <= truth + 2 && preempted >= truth * 9 / 10, "{preempted} of {truth}");
}

#[test]
fn switches() {
    if !require_bpf("live::saved::switches") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("sleeper 100 500 --threads 3");
    let answer = over(&mut workload, "switches", &["rows=50"]);
    for (tid, truth) in workload.switches() {
        for (kind, count) in [("voluntary", truth.voluntary), ("involuntary", truth.involuntary)] {
            assert_eq!(answer.sum_where("count", |r| r["tid"] == tid && r["kind"] == kind), count, "{tid} {kind}");
        }
    }
    let one =
        Answer::one(&Schedq::new(["run", "switches", "--format", "json", "rows=1", "window=200ms"]).run().success());
    assert_eq!(one.rows.len(), 1, "{:?}", one.rows);
}
