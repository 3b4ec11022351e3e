//! The kernel counts switch-outs by kind for every thread, and so does this family: the two are equal, not nearly equal.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::counters::{self, Switches};
use crate::support::watch::{Answer, Watch, number, over};
use crate::support::{Workload, live_lock, require_bpf};

/// Switch-outs by thread, out of a result by tid and kind.
fn by_thread(answer: &Answer) -> BTreeMap<i32, Switches> {
    let mut all: BTreeMap<i32, Switches> = BTreeMap::new();
    for row in &answer.rows {
        let one = all.entry(number(row, "tid") as i32).or_default();
        match row["kind"].as_str() {
            Some("voluntary") => one.voluntary += number(row, "count"),
            Some("involuntary") => one.involuntary += number(row, "count"),
            _ => panic!("no kind: {row}"),
        }
    }
    all
}

/// Voluntary means that it did not leave as a runnable task, and involuntary that it did.
#[track_caller]
fn kinds_fit_states(answer: &Answer, line: &str) {
    for row in &answer.rows {
        assert_eq!(row["kind"] == "involuntary", row["state"] == "running", "{line}: {row}");
    }
}

#[test]
fn are_those_of_the_kernel() {
    let name = "families::switch::are_those_of_the_kernel";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    for line in [
        "sleeper 200 300 --threads 3",
        "spinner 0.3 --threads 3 --cpu 0",
        "duty 300 300 0.2 --threads 2 --cpu 1",
        "yielder 3000 --threads 2 --cpu 0",
        "pingpong 2000",
        "pingpong 2000 --cpu 1",
    ] {
        let mut workload = Workload::start(line);
        let (truth, answers) = over(&mut workload, &["switch where tgid=PID count by tid, kind, state"]);
        let kernel: BTreeMap<_, _> = workload.switches().into_iter().filter(|(_, n)| n.all() > 0).collect();
        assert_eq!(by_thread(&answers[0]), kernel, "{line}");
        kinds_fit_states(&answers[0], line);
        // The kernel's own two accounts agree, or the comparison would show nothing.
        assert!(truth.workers().all(|t| t.switches() == t.timeslices && t.switches() > 0), "{line}: {truth:?}");
        assert_eq!(answers[0].lost(), 0, "{line}: {}", answers[0].meta);
        assert_eq!(answers[0].meta["totals"]["count"], answers[0].sum("count"), "{line}");
        assert_eq!(answers[0].meta["rows_seen"], answers[0].sum("count"), "{line}");
    }
}

/// A task that yields goes on being runnable, so the kernel counts it as involuntary.
#[test]
fn a_yield_is_involuntary() {
    if !require_bpf("families::switch::a_yield_is_involuntary") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("yielder 3000 --threads 2 --cpu 0");
    let (truth, answers) = over(&mut workload, &["switch where tgid=PID count by kind"]);
    let yielded: u64 = truth.workers().map(|t| t.nivcsw).sum();
    assert!(yielded > 3000, "two threads on one CPU change at nearly every yield: {truth:?}");
    assert!(answers[0].of("kind", "involuntary", "count") >= yielded);
    assert!(answers[0].of("kind", "voluntary", "count") <= 10, "{:?}", answers[0].rows);
}

/// With a signal pending, a sleep that has just begun is broken off: the kernel counts a voluntary switch of a task that
/// is runnable again. It is rare, and stated: such a switch is involuntary here.
#[test]
fn a_sleep_broken_off_by_a_signal() {
    if !require_bpf("families::switch::a_sleep_broken_off_by_a_signal") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("alarm 150");
    let (truth, answers) = over(&mut workload, &["switch where tgid=PID count by tid, kind, state"]);
    let (pid, kernel) = (workload.pid(), workload.switches());
    let seen = by_thread(&answers[0])[&pid];
    assert!(truth.worker().nvcsw >= 150, "{truth:?}");
    assert_eq!(seen.all(), kernel[&pid].all());
    assert!(seen.voluntary <= kernel[&pid].voluntary);
    assert!(seen.voluntary + 5 >= kernel[&pid].voluntary, "{seen:?} {kernel:?}");
}

/// Everything that the machine did, schedq and the idle tasks included, is the kernel's one counter of switches.
#[test]
fn all_together_are_the_machines() {
    if !require_bpf("families::switch::all_together_are_the_machines") {
        return;
    }
    let _alone = live_lock();
    let before = counters::all_switches();
    let watch = Watch::open(&["switch where tid = 0 or comm ~ 'schedq*' or tid > 0 count by tid"]);
    let opened = counters::all_switches();
    let idle = counters::idle_ticks();
    Workload::start("pingpong 20000").finish();
    let closing = counters::all_switches();
    let idled = counters::idle_ticks() - idle;
    let answer = watch.close().remove(0);
    let after = counters::all_switches();
    let seen = answer.sum("count");
    assert!(idled == 0 || answer.of("tid", 0, "count") > 0, "the idle tasks were asked for");
    assert!(seen <= after - before, "{seen} seen, {} were", after - before);
    // Handlers are not called while some threads of the virtual machine's own are current.
    assert!(seen as f64 >= (closing - opened) as f64 * 0.97, "{seen} seen, at least {} were", closing - opened);
}

#[test]
fn the_idle_task_is_left_out() {
    if !require_bpf("families::switch::the_idle_task_is_left_out") {
        return;
    }
    let _alone = live_lock();
    let watch = Watch::open(&[
        "switch count by tid",
        "switch where tid = 0 count by comm, cpu",
        "switch where tid < 100 count by tid",
    ]);
    let before = counters::idle_ticks();
    Workload::start("sleeper 100 1000").finish();
    let idled = counters::idle_ticks() - before;
    let answers = watch.close();
    let idle = |answer: &Answer| answer.rows.iter().any(|row| row["tid"] == 0);
    assert!(!answers[0].rows.is_empty() && !idle(&answers[0]));
    assert!(!idle(&answers[2]), "a range that only happens to hold it does not ask for it");
    let swapper = |row: &Value| row["comm"].as_str().is_some_and(|c| c.starts_with("swapper"));
    assert!(answers[1].rows.iter().all(swapper), "{:?}", answers[1].rows);
    // On a busy machine no CPU may ever be idle.
    assert!(idled == 0 || !answers[1].rows.is_empty(), "idle for {idled} ticks");
}
