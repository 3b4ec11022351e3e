//! The recorder against the running kernel.

use std::collections::BTreeSet;

use schedq::catalog::event::{Kind, who};

use super::recorder::{Recording, name};
use crate::support::{Workload, live_lock, require_bpf};

/// Every thread's switch-outs are those that the kernel counted, of each kind, and every task of every event is known.
#[test]
fn switches_are_those_of_the_kernel() {
    if !require_bpf("recording::live::switches_are_those_of_the_kernel") {
        return;
    }
    let _alone = live_lock();
    for line in [
        "sleeper 200 300 --threads 4",
        "yielder 2000 --threads 3 --cpu 0",
        "pingpong 5000",
        "duty 300 200 0.3 --threads 3 --cpu 1",
    ] {
        let mut workload = Workload::start(line);
        let recording = Recording::open("");
        workload.finish();
        let recorded = recording.close();
        let seen = recorded.switches();
        for (tid, truth) in workload.switches() {
            assert_eq!(seen.get(&(tid as u32)).copied().unwrap_or_default(), truth, "{line}: {tid}");
        }
        assert_eq!(recorded.lost(), 0, "{:?}", recorded.summary);
        let mut events = 0;
        let ours: BTreeSet<u32> = workload.tids().iter().map(|tid| *tid as u32).collect();
        recorded.with_identities(|event, task, _| {
            events += 1;
            if ours.contains(&event.tid) {
                assert_eq!((task.tgid as i32, name(&task.process)), (workload.pid(), "workload"), "{event:?} {task:?}");
                assert_eq!(task.flags, who::WANTED);
            }
        });
        assert_eq!(events, recorded.batch.events.len());
        assert!(recorded.of_kind(Kind::Wakeup).any(|e| ours.contains(&e.tid)));
    }
}
