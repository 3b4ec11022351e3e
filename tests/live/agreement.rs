//! What the kernel aggregates and what the rows themselves add up to are the same, for every key, condition and stat.
//!
//! The rows are emitted by a second object in the same window, over a workload that lies inside it: the two see the same
//! events, so counts are equal, and values differ by the time between the two programs' clock reads only.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::watch::{Answer, number, over};
use crate::support::{Workload, live_lock, require_bpf};

/// Two clock reads in one event are not the same instant.
pub const CLOCK_NS: f64 = 20_000.0;

/// Rows by the values of some columns, as text.
fn grouped<'a>(rows: &'a [Value], keys: &[&str]) -> BTreeMap<String, Vec<&'a Value>> {
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for row in rows {
        let key: Vec<String> = keys.iter().map(|key| row[*key].to_string()).collect();
        groups.entry(key.join(" ")).or_default().push(row);
    }
    groups
}

fn counts(answer: &Answer, keys: &[&str]) -> BTreeMap<String, u64> {
    let groups = grouped(&answer.rows, keys);
    groups.into_iter().map(|(key, rows)| (key, rows.iter().map(|row| number(row, "count")).sum())).collect()
}

fn counted(rows: &[Value], keys: &[&str]) -> BTreeMap<String, u64> {
    grouped(rows, keys).into_iter().map(|(key, rows)| (key, rows.len() as u64)).collect()
}

pub const SWITCH_KEYS: &[&str] = &[
    "cpu",
    "tid",
    "tgid",
    "comm",
    "process",
    "prio",
    "policy",
    "nice",
    "cgroup",
    "kthread",
    "kind",
    "state",
    "next_tid",
    "next_comm",
    "next_prio",
];
pub const RUNQ_KEYS: &[&str] = &[
    "cpu",
    "tid",
    "tgid",
    "comm",
    "process",
    "prio",
    "policy",
    "nice",
    "cgroup",
    "kthread",
    "cause",
    "prev_tid",
    "prev_comm",
];

#[test]
fn every_key_and_all_of_them() {
    if !require_bpf("live::agreement::every_key_and_all_of_them") {
        return;
    }
    let _alone = live_lock();
    for (family, keys) in [("switch", SWITCH_KEYS), ("runq", RUNQ_KEYS)] {
        let mut queries = vec![format!("{family} where tgid=PID events({})", keys.join(", "))];
        queries.extend(keys.iter().map(|key| format!("{family} where tgid=PID count by {key}")));
        queries.push(format!("{family} where tgid=PID count by cpu, comm, tid, {}", keys[keys.len() - 3]));
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let mut workload = Workload::start("pingpong 1500 --cpu 0-1 --name lt-agree --nice 2");
        let (_, answers) = over(&mut workload, &queries);
        let rows = &answers[0].rows;
        assert!(rows.len() > 2000, "{family}: {}", rows.len());
        for (key, answer) in keys.iter().zip(&answers[1..]) {
            assert_eq!(counts(answer, &[key]), counted(rows, &[key]), "{family} by {key}");
        }
        let several = ["cpu", "comm", "tid", keys[keys.len() - 3]];
        assert_eq!(counts(answers.last().expect("one"), &several), counted(rows, &several), "{family}");
    }
}

/// A condition as the language has it, and the same in plain words.
pub type Case = (&'static str, fn(&Value) -> bool);

fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().expect("text")
}

pub const SWITCH_CASES: &[Case] = &[
    ("kind = voluntary", |r| r["kind"] == "voluntary"),
    ("kind != voluntary", |r| r["kind"] != "voluntary"),
    ("cpu = 0", |r| r["cpu"] == 0),
    ("cpu < 1", |r| number(r, "cpu") < 1),
    ("cpu >= 1", |r| number(r, "cpu") >= 1),
    ("cpu in 0-1", |_| true),
    ("cpu in 1,3-5", |r| r["cpu"] == 1),
    ("state in (sleep, running)", |r| r["state"] == "sleep" || r["state"] == "running"),
    ("not state in (sleep, disk)", |r| r["state"] != "sleep" && r["state"] != "disk"),
    ("next_tid > 0 and next_tid <= 4194304", |r| number(r, "next_tid") > 0),
    ("next_tid = 0 or kind = involuntary", |r| r["next_tid"] == 0 || r["kind"] == "involuntary"),
    ("next_comm = 'lt-agree'", |r| r["next_comm"] == "lt-agree"),
    ("next_comm != 'lt-agree'", |r| r["next_comm"] != "lt-agree"),
    ("next_comm ~ 'lt-*'", |r| text(r, "next_comm").starts_with("lt-")),
    ("next_comm ~ '*agree'", |r| text(r, "next_comm").ends_with("agree")),
    ("not next_comm ~ '*a?re*'", |r| !text(r, "next_comm").contains("agre")),
    ("next_comm = comm", |r| r["next_comm"] == r["comm"]),
    ("next_comm != comm", |r| r["next_comm"] != r["comm"]),
    ("next_tid < tid", |r| number(r, "next_tid") < number(r, "tid")),
    ("next_tid >= tid", |r| number(r, "next_tid") >= number(r, "tid")),
    ("next_prio > prio", |r| number(r, "next_prio") > number(r, "prio")),
    ("next_prio <= prio", |r| number(r, "next_prio") <= number(r, "prio")),
    ("next_comm is missing", |_| false),
    ("not next_comm is missing", |_| true),
    ("not kthread", |_| true),
    ("kthread or cpu = 1", |r| r["cpu"] == 1),
    ("not (cpu = 0 and kind = voluntary)", |r| !(r["cpu"] == 0 && r["kind"] == "voluntary")),
    ("(cpu = 0 or next_tid = 0) and (kind = voluntary or state = running)", |r| {
        (r["cpu"] == 0 || r["next_tid"] == 0) && (r["kind"] == "voluntary" || r["state"] == "running")
    }),
    ("cpu = 0 or next_comm ~ '*g*'", |r| r["cpu"] == 0 || text(r, "next_comm").contains('g')),
];

/// Every kind of condition, wherever it is decided.
#[test]
fn every_condition() {
    if !require_bpf("live::agreement::every_condition") {
        return;
    }
    let _alone = live_lock();
    let columns = "tid, cpu, comm, kind, state, prio, next_tid, next_comm, next_prio, kthread";
    for cases in SWITCH_CASES.chunks(10) {
        let mut queries = vec![format!("switch where tgid=PID events({columns})")];
        queries.extend(cases.iter().map(|(condition, _)| format!("switch where tgid=PID and ({condition}) count")));
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let mut workload = Workload::start("pingpong 1500 --name lt-agree");
        let (_, answers) = over(&mut workload, &queries);
        let rows = &answers[0].rows;
        for ((condition, holds), answer) in cases.iter().zip(&answers[1..]) {
            let expected = rows.iter().filter(|row| holds(row)).count() as u64;
            assert_eq!(answer.sum("count"), expected, "{condition}");
            assert_eq!(answer.meta["rows_matched"], expected, "{condition}");
        }
    }
}

/// Conditions on the measure and on when.
#[test]
fn every_condition_on_a_wait() {
    if !require_bpf("live::agreement::every_condition_on_a_wait") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("duty 500 200 0.5 --threads 3 --cpu 0");
    let near = |limit: u64, rows: &[Value]| {
        let close = |row: &&Value| (number(row, "latency") as f64 - limit as f64).abs() < CLOCK_NS;
        rows.iter().filter(close).count() as u64
    };
    let queries = [
        "runq where tgid=PID events(tid, latency, cause)",
        "runq where tgid=PID and latency > 1ms count",
        "runq where tgid=PID and not latency > 1ms count",
        "runq where tgid=PID and latency < 50us or tgid=PID and cause = preempt count",
        "runq where tgid=PID and (latency >= 3ms or latency <= 20us) count by cause",
        "runq latency where tgid=PID and latency > 1ms min",
    ];
    let (_, answers) = over(&mut workload, &queries);
    let rows = &answers[0].rows;
    let count = |holds: &dyn Fn(&Value) -> bool| rows.iter().filter(|row| holds(row)).count() as u64;
    let long = count(&|r| number(r, "latency") > 1_000_000);
    let (edge, all) = (near(1_000_000, rows), rows.len() as u64);
    assert!(long > 0 && long < all, "{long} of {all}");
    assert!(answers[1].sum("count").abs_diff(long) <= edge, "{long}");
    assert_eq!(answers[1].sum("count") + answers[2].sum("count"), all, "a condition and its opposite");
    let either = count(&|r| number(r, "latency") < 50_000 || r["cause"] == "preempt");
    assert!(answers[3].sum("count").abs_diff(either) <= near(50_000, rows), "{either}");
    let outside = count(&|r| number(r, "latency") >= 3_000_000 || number(r, "latency") <= 20_000);
    assert!(answers[4].sum("count").abs_diff(outside) <= near(3_000_000, rows) + near(20_000, rows), "{outside}");
    assert!(answers[5].sum("latency_min_ns") > 1_000_000);
}

/// A number of a group in the kernel's answer against the same number of its rows.
#[track_caller]
fn close(what: &str, kernel: f64, rows: f64, allowed: f64) {
    assert!((kernel - rows).abs() <= allowed, "{what}: {kernel} in the kernel, {rows} of the rows");
}

#[test]
fn every_stat() {
    if !require_bpf("live::agreement::every_stat") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("duty 300 300 0.6 --threads 4 --cpu 1");
    let queries = [
        "runq where tgid=PID events(at, tid, cause, latency, prev_tid)",
        "runq latency where tgid=PID count, sum, min, max, avg, p50, p90, p99, max_at, hist, rate, pct, uniq(prev_tid) by tid",
        "runq latency where tgid=PID sum, max, count by tid, cause",
        "runq latency where tgid=PID min, p50, hist",
    ];
    let (_, answers) = over(&mut workload, &queries);
    let window = number(&answers[1].meta, "window_ns") as f64 / 1e9;
    let total = answers[0].rows.len() as f64;
    let groups = grouped(&answers[0].rows, &["tid"]);
    assert_eq!(answers[1].rows.len(), groups.len());
    for row in &answers[1].rows {
        let rows = &groups[&row["tid"].to_string()];
        let mut waits: Vec<u64> = rows.iter().map(|r| number(r, "latency")).collect();
        waits.sort_unstable();
        let (n, sum) = (waits.len() as f64, waits.iter().sum::<u64>() as f64);
        let value = |column: &str| row[column].as_f64().unwrap_or_else(|| panic!("{column} in {row}"));
        assert_eq!(value("count"), n, "{row}");
        close("sum", value("latency_sum_ns"), sum, sum * 0.001 + n * 2_000.0);
        close("avg", value("latency_avg_ns"), sum / n, sum / n * 0.001 + 2_000.0);
        close("min", value("latency_min_ns"), waits[0] as f64, CLOCK_NS);
        let max = waits[waits.len() - 1];
        close("max", value("latency_max_ns"), max as f64, CLOCK_NS);
        for (column, q) in [("latency_p50_ns", 0.5), ("latency_p90_ns", 0.9), ("latency_p99_ns", 0.99)] {
            let exact = waits[((waits.len() as f64 * q).ceil() as usize).max(1) - 1] as f64;
            // The width of a bucket, and a neighbour's place in the order for the difference of the clocks.
            close(column, value(column), exact, exact * 0.07 + CLOCK_NS);
        }
        let longest: Vec<_> = rows.iter().filter(|r| number(r, "latency") + 20_000 > max).collect();
        let at = value("latency_max_at");
        assert!(longest.iter().any(|r| (at - r["at"].as_f64().expect("a time")).abs() < 1e6), "{at}: {longest:?}");
        let buckets = row["latency_hist"].as_array().expect("buckets");
        assert_eq!(buckets.iter().map(|b| number(b, "count")).sum::<u64>() as f64, n, "{row}");
        for bucket in buckets {
            let (lo, hi) = (number(bucket, "lo_ns"), number(bucket, "hi_ns"));
            let within = |slack: u64| waits.iter().filter(|w| **w + slack >= lo && **w < hi + slack).count() as u64;
            assert!(lo < hi && number(bucket, "count") <= within(20_000), "{bucket}");
        }
        close("rate", value("rate"), n / window, n / window * 0.001);
        close("pct", value("pct"), n / total * 100.0, 0.001);
        let different = grouped(&rows.iter().map(|r| (*r).clone()).collect::<Vec<_>>(), &["prev_tid"]).len();
        assert_eq!(value("uniq_prev_tid") as usize, different, "{row}");
    }
    assert_eq!(counts(&answers[2], &["tid", "cause"]), counted(&answers[0].rows, &["tid", "cause"]));
    let lone = &answers[3].rows[0];
    let least = answers[0].rows.iter().map(|r| number(r, "latency")).min().expect("rows");
    close("min of all", number(lone, "latency_min_ns") as f64, least as f64, CLOCK_NS);
}
