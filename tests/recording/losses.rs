//! What could not be recorded is told where it is missing.

use std::time::Duration;

use schedq::source::live::RecordOptions;
use schedq::source::trace::{self, Error};
use schedq::source::{Table, Values};

use super::notation::plan;
use super::recorder::{Recorded, Recording, Setting};
use crate::support::{Workload, live_lock, require_bpf};

/// Each event that only the complete recording has lies in a gap of its CPU, and there are as many as the gaps say.
#[track_caller]
fn gaps_are_what_is_missing(small: &Recorded, complete: &Recorded) {
    assert_eq!(complete.lost(), 0, "{:?}", complete.summary);
    let (kept, all) = (small.batch.events.len() as u64, complete.batch.events.len() as u64);
    assert_eq!(kept + small.lost(), all, "{:?}", small.summary);
    assert_eq!(small.lost(), small.summary.lost.iter().find(|l| l.0 == "ring_full").expect("a cause").1);
    let cpus: u16 = complete.batch.events.iter().map(|e| e.cpu).max().expect("events");
    for cpu in 0..=cpus {
        let times = |recorded: &Recorded| -> Vec<u64> {
            recorded.batch.events.iter().filter(|e| e.cpu == cpu).map(|e| e.at).collect()
        };
        let (here, whole) = (times(small), times(complete));
        let gaps: Vec<_> = small.batch.gaps.iter().filter(|g| g.cpu == Some(cpu)).collect();
        let told: u64 = gaps.iter().map(|g| g.count).sum();
        assert_eq!(here.len() as u64 + told, whole.len() as u64, "CPU {cpu}");
        for gap in gaps {
            let inside = |times: &[u64]| times.iter().filter(|at| (gap.from..=gap.to).contains(at)).count() as u64;
            let missing = inside(&whole).saturating_sub(inside(&here));
            // The two programs read the clock one after the other: at its ends it may be one event or another.
            assert!(missing.abs_diff(gap.count) <= 4 + gap.count / 20, "CPU {cpu}: {missing} missing in {gap:?}");
        }
    }
}

fn record_both(line: &str, options: RecordOptions) -> (Recorded, Recorded) {
    let mut workload = Workload::start(line);
    let filter = format!("tgid = {}", workload.pid());
    let complete = Recording::open(&filter);
    let mut small = Recording::open_with(&filter, Setting { options, ..Setting::default() });
    workload.go();
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(20));
        small.take();
    }
    workload.truth();
    std::thread::sleep(Duration::from_millis(5));
    (small.close(), complete.close())
}

#[test]
fn a_tiny_ring() {
    if !require_bpf("recording::losses::a_tiny_ring") {
        return;
    }
    let _alone = live_lock();
    unless_it_stood_still(|| {
        let (small, complete) =
            record_both("pingpong 20000", RecordOptions { ring_bytes: 8192, ..RecordOptions::default() });
        assert!(small.batch.gaps.len() > 5, "gaps between what was recorded: {:?}", small.batch.gaps);
        gaps_are_what_is_missing(&small, &complete);
    });
}

/// A machine that is itself a guest may stand still between two programs' clock reads; then their events cannot be told
/// to be the same. Not three times in a row.
fn unless_it_stood_still(attempt: impl Fn()) {
    let again = (0..2).all(|_| std::panic::catch_unwind(std::panic::AssertUnwindSafe(&attempt)).is_err());
    if again {
        attempt();
    }
}

/// Nobody takes what was read: reading stops, and what then finds no room is counted by the kernel.
#[test]
fn a_full_queue() {
    if !require_bpf("recording::losses::a_full_queue") {
        return;
    }
    let _alone = live_lock();
    unless_it_stood_still(|| {
        let mut workload = Workload::start("pingpong 20000");
        let filter = format!("tgid = {}", workload.pid());
        let complete = Recording::open(&filter);
        let options = RecordOptions { ring_bytes: 128 << 10, queue_bytes: 64 << 10, consumers: None };
        let small = Recording::open_with(&filter, Setting { options, ..Setting::default() });
        workload.finish();
        std::thread::sleep(Duration::from_millis(5));
        let (small, complete) = (small.close(), complete.close());
        assert!(small.lost() > 10_000, "{:?}", small.summary);
        gaps_are_what_is_missing(&small, &complete);
    });
}

/// A row as its words, and its numbers: when it ended, and how long it took.
struct Row {
    what: Vec<String>,
    at: i64,
    length: i64,
}

fn rows(table: &Table) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..table.height).map(|_| Row { what: Vec::new(), at: 0, length: 0 }).collect();
    for column in &table.columns {
        for (i, row) in rows.iter_mut().enumerate() {
            match (&column.values, column.name.as_str()) {
                (Values::Int(values), "at") => row.at = values[i].expect("a time"),
                (Values::Int(values), "latency") => row.length = values[i].expect("a measure"),
                (Values::Int(values), _) => row.what.push(format!("{:?}", values[i])),
                (Values::Bool(values), _) => row.what.push(format!("{:?}", values[i])),
                (Values::Text(values), _) => row.what.push(format!("{:?}", values[i])),
            }
        }
    }
    rows
}

fn ask(recorded: &Recorded, query: &str) -> trace::Answer {
    let gaps = recorded.batch.gaps.clone();
    let known = trace::Recorded { start_ns: recorded.start_ns, gaps, ..trace::Recorded::default() };
    trace::run(&plan(query).scan, &known, [Ok::<_, Error>(&recorded.batch)]).expect("a family with replay")
}

/// The two programs read the clock one after the other, and a virtual machine may be held up between. A gap is far longer.
const BETWEEN_NS: f64 = 500_000.0;

/// What comes of a recording that lacks half of its events is less than what there was, and never something else.
#[test]
fn nothing_is_made_up_for_what_is_missing() {
    if !require_bpf("recording::losses::nothing_is_made_up_for_what_is_missing") {
        return;
    }
    let _alone = live_lock();
    for ring_bytes in [8 << 10, 64 << 10] {
        let options = RecordOptions { ring_bytes, ..RecordOptions::default() };
        let (small, complete) = record_both("pingpong 20000 --threads 2", options);
        assert!(small.lost() > 1000, "{:?}", small.summary);
        for query in [
            "runq events(at, tid, comm, cpu, latency, cause, prev_tid, prev_comm, prio)",
            "switch events(at, tid, comm, cpu, kind, state, next_tid, next_comm)",
        ] {
            let (few, all) = (ask(&small, query), ask(&complete, query));
            let lost = few.account.losses.iter().find(|loss| loss.name == "ring_full").expect("a cause").count;
            assert_eq!(lost, small.lost(), "{query}");
            let (few, all) = (rows(&few.table), rows(&all.table));
            assert!(few.len() > 50 && few.len() < all.len(), "{query}: {} of {}", few.len(), all.len());
            let mut from = 0;
            for row in &few {
                while (all[from].at as f64) < row.at as f64 - BETWEEN_NS {
                    from += 1;
                }
                let near = |other: &&Row| (other.at - row.at).abs() as f64 <= BETWEEN_NS;
                let same =
                    |other: &Row| other.what == row.what && (other.length - row.length).abs() as f64 <= BETWEEN_NS;
                let found = all[from..].iter().take_while(near).any(same);
                assert!(
                    found,
                    "{query}: {:?} of {} ns at {} is in no complete recording",
                    row.what, row.length, row.at
                );
            }
        }
    }
}
