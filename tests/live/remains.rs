//! Nothing of ours stays in the kernel.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use libbpf_rs::query::{LinkInfoIter, MapInfoIter, ProgInfoIter};

use crate::support::watch::opened;
use crate::support::{Schedq, live_lock, require, require_bpf};

/// Ids of what the kernel holds of BPF.
pub fn held() -> [BTreeSet<u32>; 3] {
    [
        ProgInfoIter::default().map(|p| p.id).collect(),
        MapInfoIter::default().map(|m| m.id).collect(),
        LinkInfoIter::default().map(|l| l.id).collect(),
    ]
}

#[test]
fn killed_it_leaves_nothing() {
    let name = "live::remains::killed_it_leaves_nothing";
    // To look at other programs' objects takes more than to load one's own.
    if !require_bpf(name) || !require(name, nix::unistd::geteuid().is_root(), "root (to list all BPF objects)") {
        return;
    }
    let _alone = live_lock();
    let before = held();
    let mut running = Schedq::eval("for 10m { runq hist by tid; switch events; runq count by comm }").start();
    running.attached(7);
    opened(&mut running);
    let ours: Vec<BTreeSet<u32>> = held().iter().zip(&before).map(|(now, then)| now - then).collect();
    // Others may load programs of their own meanwhile, but these seven at least are ours.
    assert!(ours[0].len() >= 7 && ours[1].len() >= 7 && ours[2].len() >= 7, "{ours:?}");
    running.signal(nix::sys::signal::Signal::SIGKILL);
    drop(running);
    all_gone(&ours);
}

/// Waits until the kernel holds nothing of these any more.
#[track_caller]
pub fn all_gone(ours: &[BTreeSet<u32>]) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let left: Vec<BTreeSet<u32>> = held().iter().zip(ours).map(|(now, ours)| now & ours).collect();
        // The kernel frees them when the programs that may still run have ended.
        if left.iter().all(BTreeSet::is_empty) {
            return;
        }
        assert!(Instant::now() < end, "left behind: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
