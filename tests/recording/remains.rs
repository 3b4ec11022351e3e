//! Nothing of a recorder stays in the kernel.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::recorder::Recording;
use crate::live::remains::{all_gone, held};
use crate::support::{live_lock, require, require_bpf};

const HOLD: &str = "SCHEDQ_TEST_HOLDS_A_RECORDER";

/// Ids of what a process holds of BPF, by its open files.
fn held_by(pid: u32) -> [BTreeSet<u32>; 3] {
    let files = std::fs::read_dir(format!("/proc/{pid}/fdinfo")).into_iter().flatten().flatten();
    let texts: Vec<String> = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    // A link's file speaks of its program too, which has a file of its own.
    ["prog_id:", "map_id:", "link_id:"].map(|field| {
        let of = |line: &str| line.strip_prefix(field)?.trim().parse().ok();
        texts.iter().flat_map(|text| text.lines()).filter_map(of).collect()
    })
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
    let mut holder = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "recording::remains::holds_a_recorder", "--nocapture"])
        .env(HOLD, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("this program again");
    let end = Instant::now() + Duration::from_secs(30);
    // Nine programs on tracepoints; the walk over all tasks is the tenth link for a moment.
    while held_by(holder.id())[2].len() < 9 {
        assert_eq!(holder.try_wait().expect("a child"), None, "it ended");
        assert!(Instant::now() < end, "{:?}", held_by(holder.id()));
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    let ours = held_by(holder.id());
    // Its maps, and a ring for each CPU.
    assert!(ours[0].len() >= 11 && ours[1].len() > 5, "{ours:?}");
    assert!(held().iter().zip(&ours).all(|(all, ours)| ours.is_subset(all)), "{ours:?}");
    holder.kill().expect("it runs");
    holder.wait().expect("a child");
    all_gone(&ours);
}
