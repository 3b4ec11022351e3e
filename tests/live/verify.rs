//! A query held against the kernel's own counters, and what it costs.

use std::time::Duration;

use crate::support::watch::{Answer, best_of_three, number, opened};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

/// Verifies over a workload that lies inside the window.
#[track_caller]
fn verified(query: &str, workload: &str) -> Answer {
    let mut workload = Workload::start(workload);
    let query = query.replace("PID", &workload.pid().to_string());
    let mut running = Schedq::eval(&query).arg("--format").arg("json").start();
    opened(&mut running);
    workload.finish();
    std::thread::sleep(Duration::from_millis(5));
    Answer::one(&running.interrupt().success())
}

#[test]
fn switches_are_those_that_the_kernel_counted() {
    if !require_bpf("live::verify::switches_are_those_that_the_kernel_counted") {
        return;
    }
    let _alone = live_lock();
    let answer = verified("verify switch where tgid=PID count", "duty 300 300 0.4 --threads 3 --cpu 1");
    assert_eq!(answer.rows.len(), 2, "{:?}", answer.rows);
    for row in &answer.rows {
        assert_eq!(row["count"], row["kernel_count"], "{row}");
        assert!(number(row, "count") > 0 && row["gap_pct"] == 0.0, "{row}");
        assert!(row["counter"].as_str().expect("text").starts_with("/proc/T/status"), "{row}");
    }
}

#[test]
fn waits_are_near_to_run_delay() {
    if !require_bpf("live::verify::waits_are_near_to_run_delay") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let answer = verified("verify runq latency where tgid=PID hist", "duty 2000 500 0.6 --threads 4 --cpu 0");
        let row = answer.rows.iter().find(|row| row["figure"] == "time waited").expect("the sum");
        assert!(number(row, "kernel_sum_ns") > 500_000_000, "{row}");
        let gap = row["gap_pct"].as_f64().expect("a number");
        if gap.abs() < 1.0 { Ok(()) } else { Err(row.to_string()) }
    });
}

#[test]
fn what_it_cost_stands_beside_what_was_expected() {
    if !require_bpf("live::verify::what_it_cost_stands_beside_what_was_expected") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 20000 --cpu 1");
    let mut running = Schedq::eval("explain analyze runq latency count, max by comm for 2s").start();
    running.attached(3);
    workload.finish();
    let page = running.finish().success().stdout;
    let line = |begin: &str| page.lines().find(|line| line.trim_start().starts_with(begin)).map(str::to_owned);
    let all = line("all ").unwrap_or_else(|| panic!("{page}"));
    let words: Vec<&str> = all.split_whitespace().collect();
    // Runs, a second, ns each.
    let (runs, each): (u64, u64) = (words[1].parse().expect("runs"), words[3].parse().expect("ns"));
    assert!(runs > 40_000 && (20..5_000).contains(&each), "{all}");
    assert!(line("expected ").is_some_and(|line| line.contains('%')), "{page}");
    assert!(line("groups ").is_some(), "{page}");
}

#[test]
fn what_the_kernel_does_not_count_is_refused() {
    for (query, why) in [
        ("verify runq where cpu = 1", "not of what this where says"),
        ("verify switch where comm = 'x'", "not of what this where says"),
        ("verify switch where not tid = 5", "not of what this where says"),
        ("verify from '@sample' switch", "a recording cannot be verified"),
    ] {
        let output = Schedq::new(["check", query]).run().fails_with(2);
        assert!(output.stderr.contains(why), "{query}: {}", output.stderr);
    }
}
