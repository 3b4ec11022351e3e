//! What could not be recorded is told where it is missing.

use std::time::Duration;

use schedq::source::live::RecordOptions;

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
        let mut here = small.batch.events.iter().filter(|e| e.cpu == cpu).peekable();
        let gaps: Vec<_> = small.batch.gaps.iter().filter(|g| g.cpu == Some(cpu)).collect();
        let mut missing = 0;
        for event in complete.batch.events.iter().filter(|e| e.cpu == cpu) {
            let same = |e: &&schedq::catalog::event::Event| {
                (e.kind, e.tid, e.other) == (event.kind, event.tid, event.other) && e.at.abs_diff(event.at) < 500_000
            };
            if here.next_if(same).is_none() {
                missing += 1;
                // The two programs read the clock one after the other.
                let near = |g: &&&schedq::catalog::event::Gap| {
                    g.from.saturating_sub(1_000_000) <= event.at && event.at <= g.to + 1_000_000
                };
                assert!(gaps.iter().any(|g| near(&g)), "CPU {cpu}: nothing said of {event:?}: {gaps:?}");
            }
        }
        assert_eq!(missing, gaps.iter().map(|g| g.count).sum::<u64>(), "CPU {cpu}");
        assert_eq!(here.next(), None, "all of it is in the complete one too");
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
    let (small, complete) =
        record_both("pingpong 20000", RecordOptions { ring_bytes: 8192, ..RecordOptions::default() });
    assert!(small.batch.gaps.len() > 5, "gaps between what was recorded: {:?}", small.batch.gaps);
    gaps_are_what_is_missing(&small, &complete);
}

/// Nobody takes what was read: reading stops, and what then finds no room is counted by the kernel.
#[test]
fn a_full_queue() {
    if !require_bpf("recording::losses::a_full_queue") {
        return;
    }
    let _alone = live_lock();
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
}
