//! The same question, asked of the running kernel and of a recording of the same window, has the same answer: for every
//! key, condition and stat. Two programs count here and two read the clock, over a workload that lies inside the window.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::live::agreement::{CLOCK_NS, RUNQ_KEYS, SWITCH_CASES, SWITCH_KEYS};
use crate::support::command::Schedq;
use crate::support::watch::{Answer, number, over};
use crate::support::{Workload, live_lock, require_bpf};

/// Answers from the kernel and from the recording, query by query.
#[track_caller]
fn both(workload: &str, queries: &[String]) -> Vec<(String, Answer, Answer)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace.parquet");
    let mut workload = Workload::start(workload);
    let record = format!("record sched to '{}'", file.display());
    let mut lines: Vec<&str> = vec![&record];
    lines.extend(queries.iter().map(String::as_str));
    let (_, live) = over(&mut workload, &lines);
    let pid = workload.pid().to_string();
    let asked: Vec<String> = queries.iter().map(|query| query.replace("PID", &pid)).collect();
    let recorded = ask(&file, &asked);
    assert_eq!(live.len(), recorded.len());
    asked.into_iter().zip(live).zip(recorded).map(|((query, live), recorded)| (query, live, recorded)).collect()
}

#[track_caller]
fn ask(file: &Path, queries: &[String]) -> Vec<Answer> {
    let lines: Vec<String> = queries.iter().map(|query| format!("from '{}' {query}", file.display())).collect();
    Answer::all(&Schedq::eval(&lines.join("\n")).arg("--format").arg("json").run().success())
}

/// Rows by the values of their keys.
fn by_keys<'a>(answer: &'a Answer, keys: &[&str]) -> BTreeMap<String, &'a Value> {
    let key = |row: &Value| keys.iter().map(|key| row[*key].to_string()).collect::<Vec<_>>().join(" ");
    answer.rows.iter().map(|row| (key(row), row)).collect()
}

/// The number of rows of each group is the same.
#[track_caller]
fn same_counts(query: &str, live: &Answer, recorded: &Answer, keys: &[&str]) {
    let of = |answer| -> BTreeMap<String, u64> {
        by_keys(answer, keys).into_iter().map(|(key, row)| (key, number(row, "count"))).collect()
    };
    assert_eq!(of(live), of(recorded), "{query}: live, recorded");
}

#[test]
fn every_key() {
    if !require_bpf("recording::equal::every_key") {
        return;
    }
    let _alone = live_lock();
    for (family, keys) in [("switch", SWITCH_KEYS), ("runq", RUNQ_KEYS)] {
        let queries: Vec<String> = keys.iter().map(|key| format!("{family} where tgid=PID count by {key}")).collect();
        let answers = both("pingpong 1500 --cpu 0-1 --name rc-equal --nice 2", &queries);
        for ((query, live, recorded), key) in answers.iter().zip(keys) {
            assert!(live.sum("count") > 2000, "{query}");
            same_counts(query, live, recorded, &[key]);
        }
    }
}

#[test]
fn every_condition() {
    if !require_bpf("recording::equal::every_condition") {
        return;
    }
    let _alone = live_lock();
    for cases in SWITCH_CASES.chunks(10) {
        let queries: Vec<String> =
            cases.iter().map(|(condition, _)| format!("switch where tgid=PID and ({condition}) count")).collect();
        for (query, live, recorded) in both("pingpong 1000 --name lt-agree", &queries) {
            same_counts(&query, &live, &recorded, &[]);
            assert_eq!(live.meta["rows_matched"], recorded.meta["rows_matched"], "{query}");
        }
    }
}

/// Rows whose latency is so near to a limit that another reading of the clock may put them on its other side.
fn near(rows: &[Value], limit: u64) -> u64 {
    rows.iter().filter(|row| (number(row, "latency") as f64 - limit as f64).abs() < CLOCK_NS).count() as u64
}

#[test]
fn every_stat() {
    if !require_bpf("recording::equal::every_stat") {
        return;
    }
    let _alone = live_lock();
    let queries = [
        "runq where tgid=PID events(at, tid, cause, latency, prev_tid)",
        "runq latency where tgid=PID count, sum, min, max, avg, p50, p99, max_at, rate, pct, uniq(prev_tid) by tid",
        "runq latency where tgid=PID hist",
        "runq latency where tgid=PID count, sum by cause",
        "runq latency where tgid=PID and latency > 1ms count",
        "runq latency where tgid=PID and (latency >= 3ms or cause = wakeup) count, sum by tid",
        "runq latency where tgid=PID hist(linear, 0ms, 10ms, 1ms)",
        "runq latency where tgid=PID count, max every 100ms",
        "switch where tgid=PID count by kind, state having count > 5 sort kind asc",
    ]
    .map(str::to_owned);
    let answers = both("duty 500 200 1.5 --threads 4 --cpu 1", &queries);
    let (live, recorded): (Vec<&Answer>, Vec<&Answer>) = answers.iter().map(|(_, l, r)| (l, r)).unzip();

    // The rows themselves, in the order of time.
    let rows = &recorded[0].rows;
    let mut seen = live[0].rows.clone();
    seen.sort_by_key(|row| number(row, "at"));
    assert!(rows.len() > 200, "{}", rows.len());
    assert_eq!(rows.len(), seen.len());
    for (l, r) in seen.iter().zip(rows) {
        for column in ["tid", "cause", "prev_tid"] {
            assert_eq!(l[column], r[column], "{l} {r}");
        }
    }
    // An interrupt may come between the two clock reads, seldom.
    let far = |(l, r): &(&Value, &Value)| (number(l, "latency") as f64 - number(r, "latency") as f64).abs() >= CLOCK_NS;
    let far: Vec<_> = seen.iter().zip(rows).filter(far).collect();
    assert!(far.len() <= 1 + rows.len() / 50, "{} of {}: {far:?}", far.len(), rows.len());

    for (key, l) in by_keys(live[1], &["tid"]) {
        let r = by_keys(recorded[1], &["tid"])[&key];
        let close = |column: &str, allowed: f64| {
            let (l, r) = (l[column].as_f64().expect("a number"), r[column].as_f64().expect("a number"));
            assert!((l - r).abs() <= allowed, "{column} of {key}: {l} live, {r} recorded");
        };
        let (sum, count) = (number(l, "latency_sum_ns") as f64, number(l, "count") as f64);
        close("count", 0.0);
        close("uniq_prev_tid", 0.0);
        // Of a thread with a few short waits the time between the two clock reads is no small part.
        close("latency_sum_ns", sum * 0.001 + CLOCK_NS + count * 2_000.0);
        close("latency_avg_ns", sum / count * 0.001 + CLOCK_NS);
        close("latency_min_ns", CLOCK_NS);
        close("latency_max_ns", number(l, "latency_max_ns") as f64 * 0.01 + CLOCK_NS);
        // A bucket's width, and a neighbour's place in the order.
        close("latency_p50_ns", number(l, "latency_p50_ns") as f64 * 0.07 + CLOCK_NS);
        close("latency_p99_ns", number(l, "latency_p99_ns") as f64 * 0.07 + CLOCK_NS);
        close("pct", 0.001);
        close("rate", l["rate"].as_f64().expect("a number") * 0.01);
    }

    let total = |answer: &Answer| answer.sum("latency_sum_ns") as f64;
    let (l, r) = (total(live[1]), total(recorded[1]));
    assert!((l - r).abs() <= l * 0.001, "sum of all: {l} live, {r} recorded");

    // Up to every edge of a bucket as many waits, but for those at the edge.
    // The last of equal steps has no end.
    let end = |row: &Value| row["hi_ns"].as_u64().unwrap_or(u64::MAX);
    let upto = |answer: &Answer, edge: u64| -> u64 { answer.sum_where("count", |row| end(row) <= edge) };
    for buckets in [2, 6] {
        let edges: Vec<u64> = recorded[buckets].rows.iter().map(end).collect();
        assert!(edges.len() > 2, "{edges:?}");
        assert_eq!(live[buckets].sum("count"), recorded[buckets].sum("count"));
        for edge in edges {
            let (l, r) = (upto(live[buckets], edge), upto(recorded[buckets], edge));
            assert!(l.abs_diff(r) <= near(rows, edge) + 1, "up to {edge} ns: {l} live, {r} recorded");
        }
    }

    same_counts(&answers[3].0, live[3], recorded[3], &["cause"]);
    for (limit, at) in [(1_000_000, 4), (3_000_000, 5)] {
        let (l, r) = (live[at].sum("count"), recorded[at].sum("count"));
        assert!(l > 0 && l.abs_diff(r) <= near(rows, limit) + 1, "{}: {l} live, {r} recorded", answers[at].0);
    }
    // An interval more or less may hold a row at its edge.
    assert_eq!(live[7].sum("count"), recorded[7].sum("count"));
    assert!(recorded[7].rows.len() > 10, "{:?}", recorded[7].rows);
    assert_eq!(live[8].rows, recorded[8].rows, "{}", answers[8].0);
}
