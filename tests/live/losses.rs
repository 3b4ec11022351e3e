//! What is lost is counted by its cause, marks the answer, and with --strict is the exit status.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::watch::{Answer, Watch, opened};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

/// The reader stands still while rows come: the ring fills up, and what found no room is counted.
#[test]
fn a_full_ring() {
    if !require_bpf("live::losses::a_full_ring") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 8000");
    let query = format!("switch where tgid={} events(tid, kind, next_tid)", workload.pid());
    let watch = Watch::open_with(&[query], &["--map-memory", "64KiB", "--strict"]);
    let reader = Pid::from_raw(watch.pid());
    kill(reader, Signal::SIGSTOP).expect("schedq runs");
    workload.finish();
    kill(reader, Signal::SIGCONT).expect("schedq runs");
    let output = watch.close_with(5);
    let answer = Answer::one(&output);
    let all: u64 = workload.switches().values().map(|s| s.all()).sum();
    let (rows, lost) = (answer.rows.len() as u64, answer.loss("ring_full"));
    assert!(lost > 10_000, "{lost} of {all}");
    assert_eq!(rows + lost, all, "every row is either there or counted");
    assert_eq!((answer.lost(), &answer.meta["rows_matched"]), (lost, &rows.into()));
    assert!(output.stderr.contains("LOSS") && output.stderr.contains("ring full"), "{}", output.stderr);
}

/// The ring's ordinary size holds what a busy workload does between two looks at it.
#[test]
fn a_ring_that_is_read_loses_nothing() {
    if !require_bpf("live::losses::a_ring_that_is_read_loses_nothing") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 30000");
    let watch = Watch::open(&[format!("switch where tgid={} events", workload.pid())]);
    workload.finish();
    let answer = watch.close().remove(0);
    let all: u64 = workload.switches().values().map(|s| s.all()).sum();
    assert_eq!((answer.rows.len() as u64, answer.lost()), (all, 0));
}

#[test]
fn a_full_map() {
    if !require_bpf("live::losses::a_full_map") {
        return;
    }
    let _alone = live_lock();
    for (query, max) in [("switch where tgid=PID count by tid", 4), ("runq where tgid=PID hist by tid", 4)] {
        let mut workload = Workload::start("sleeper 30 300 --threads 20");
        let query = query.replace("PID", &workload.pid().to_string());
        let watch = Watch::open_with(&[&query], &["--groups", "4", "--strict"]);
        workload.finish();
        let output = watch.close_with(5);
        let answer = Answer::one(&output);
        let groups = if answer.meta["groups"].is_null() {
            answer.rows.len()
        } else {
            answer.meta["groups"].as_array().map_or(0, Vec::len)
        };
        assert_eq!(groups, max, "{query}: {:?}", answer.meta);
        let (seen, matched) = (answer.meta["rows_seen"].as_u64(), answer.meta["rows_matched"].as_u64());
        assert_eq!(seen, matched.map(|m| m + answer.loss("map_full")), "{query}");
        assert!(answer.loss("map_full") > 15 * 30, "{query}: {}", answer.meta["loss"]);
        assert!(output.stderr.contains("map full"), "{}", output.stderr);
    }
}

/// Without loss --strict changes nothing; loss without --strict is no failure.
#[test]
fn strict_or_not() {
    if !require_bpf("live::losses::strict_or_not") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("sleeper 20 300 --threads 8");
    let pid = workload.pid();
    let strict = Watch::open_with(&[format!("switch where tgid={pid} count by tid")], &["--strict"]);
    let loose = Watch::open_with(&[format!("switch where tgid={pid} count by tid")], &["--groups", "2", "--quiet"]);
    workload.finish();
    strict.close_with(0);
    let output = loose.close_with(0);
    assert!(output.stderr.contains("LOSS"), "loss is told even with --quiet: {}", output.stderr);
}

/// More threads, one after the other, than any map has room for: each is counted or told as lost.
#[test]
fn fifty_thousand_threads() {
    if !require_bpf("live::losses::fifty_thousand_threads") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("churn 50000 --totals");
    let pid = workload.pid();
    let watch = Watch::open(&[
        format!("switch where tgid={pid} count by kind"),
        format!("switch where tgid={pid} count by tid"),
        format!("switch where tgid={pid} and state = dead count"),
        format!("runq where tgid={pid} and cause = new count"),
    ]);
    let truth = workload.finish();
    std::thread::sleep(Duration::from_millis(50));
    let answers = watch.close();
    let all = answers[0].sum("count");
    // The process' own account is closed a little before each thread's end: its switch into death is missing, and those
    // for which it still had to make room. The handshake is in no account.
    let voluntary = answers[0].of("kind", "voluntary", "count");
    let counted = truth.process.nvcsw + 50_000;
    assert!(voluntary >= counted && voluntary <= counted + 10, "{voluntary} seen, {counted} counted");
    let involuntary = answers[0].of("kind", "involuntary", "count");
    assert!(involuntary >= truth.process.nivcsw && involuntary <= truth.process.nivcsw + 100_000, "{involuntary}");
    assert_eq!(answers[1].sum("count") + answers[1].loss("map_full"), all, "{}", answers[1].meta["loss"]);
    assert_eq!(answers[1].lost(), answers[1].loss("map_full"));
    // The kernel gives numbers again after 32,768 of them, unless it was told otherwise.
    assert_eq!(answers[2].sum("count"), 50_000);
    let new = answers[3].sum("count");
    assert!(new <= 50_000, "{new}");
    // What is missing is told: a thread that was born in the window did not begin to wait before it.
    let told = new + answers[3].lost();
    assert!(told >= 49_900, "{told} of 50000: {}", answers[3].meta["loss"]);
    let before = answers[3].meta["set_aside"]["began_before_window"].as_u64();
    assert!(before.is_some_and(|n| n <= 2), "{before:?}");
}

/// Twelve thousand new keys within moments.
#[test]
fn a_burst_of_twelve_thousand() {
    let name = "live::losses::a_burst_of_twelve_thousand";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("burst 12000 --rounds 2 --totals");
    let pid = workload.pid();
    let watch = Watch::open(&[
        format!("switch where tgid={pid} count by tid"),
        format!("runq latency where tgid={pid} count, max by tid"),
        format!("runq latency where tgid={pid} p50 by tid"),
    ]);
    let truth = workload.finish();
    let seen = workload.switches();
    let answers = watch.close();
    assert_eq!(answers[0].lost(), 0, "{}", answers[0].meta["loss"]);
    assert_eq!(answers[0].rows.len(), seen.len());
    assert_eq!(answers[0].sum("count"), seen.values().map(|s| s.all()).sum::<u64>());
    assert!(truth.totals.entries >= 12_000);
    let slices: u64 = workload.schedstats().values().map(|s| s.slices).sum();
    for answer in &answers[1..] {
        let told = answer.meta["rows_matched"].as_u64().expect("a number") + answer.lost();
        assert!(
            told <= slices + answer.lost() && told * 100 >= slices * 97,
            "{told} of {slices}: {}",
            answer.meta["loss"]
        );
    }
    // A histogram for each of them would take more memory than the budget: the rest is told as lost.
    let histograms = &answers[2];
    assert!(histograms.rows.len() >= 8_000, "{}", histograms.rows.len());
    assert!(histograms.rows.len() == seen.len() || histograms.loss("map_full") > 0, "{}", histograms.meta["loss"]);
}

#[test]
fn the_first_rows_end_it() {
    if !require_bpf("live::losses::the_first_rows_end_it") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 3000");
    let query = format!("switch where tgid={} events(tid, kind) first 25", workload.pid());
    let mut running = Schedq::eval(&query).arg("--format").arg("json").arg("--strict").start();
    opened(&mut running);
    workload.go();
    let output = running.finish().success();
    let answer = Answer::one(&output);
    assert_eq!((answer.rows.len(), answer.lost()), (25, 0), "{}", answer.meta);
    assert_eq!(answer.meta["ended"], "complete");
    workload.truth();
}
