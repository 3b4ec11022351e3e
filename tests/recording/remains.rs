//! Nothing of a recorder stays in the kernel.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libbpf_rs::query::{LinkInfoIter, MapInfoIter, ProgInfoIter};

use super::recorder::Recording;
use crate::support::{live_lock, require, require_bpf};

const HOLD: &str = "SCHEDQ_TEST_HOLDS_A_RECORDER";

/// Ids of what the kernel holds of BPF.
fn held() -> [BTreeSet<u32>; 3] {
    [
        ProgInfoIter::default().map(|p| p.id).collect(),
        MapInfoIter::default().map(|m| m.id).collect(),
        LinkInfoIter::default().map(|l| l.id).collect(),
    ]
}

/// The process that the test below kills: this same program.
#[test]
fn holds_a_recorder() {
    if std::env::var_os(HOLD).is_some() {
        let _recording = Recording::open("");
        std::thread::sleep(Duration::from_secs(60));
    }
}

#[test]
fn killed_it_leaves_nothing() {
    let name = "recording::remains::killed_it_leaves_nothing";
    if !require_bpf(name) || !require(name, nix::unistd::geteuid().is_root(), "root (to list all BPF objects)") {
        return;
    }
    let _alone = live_lock();
    let before = held();
    let mut holder = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "recording::remains::holds_a_recorder"])
        .env(HOLD, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("this program again");
    let ours = || -> Vec<BTreeSet<u32>> { held().iter().zip(&before).map(|(now, then)| now - then).collect() };
    let end = Instant::now() + Duration::from_secs(20);
    // Nine programs on tracepoints, and a ring for each CPU beside the maps.
    while ours()[2].len() < 9 {
        assert!(Instant::now() < end && holder.try_wait().expect("a child").is_none(), "{:?}", ours());
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    let ours = ours();
    assert!(ours[0].len() >= 11 && ours[1].len() > 5, "{ours:?}");
    holder.kill().expect("it runs");
    holder.wait().expect("a child");
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let left: Vec<BTreeSet<u32>> = held().iter().zip(&ours).map(|(now, ours)| now & ours).collect();
        if left.iter().all(BTreeSet::is_empty) {
            return;
        }
        assert!(Instant::now() < end, "left behind: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
