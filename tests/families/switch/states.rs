//! The state in which a task left.

use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::watch::{Watch, over};
use crate::support::{Workload, live_lock, require_bpf};

#[test]
fn asleep() {
    if !require_bpf("families::switch::asleep") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("sleeper 100 500");
    let (truth, answers) = over(&mut workload, &["switch where tgid=PID count by tid, state"]);
    let (tid, seen) = (truth.worker().tid, workload.switches());
    let of = |state: &str| answers[0].sum_where("count", |row| row["tid"] == tid && row["state"] == state);
    // Its hundred sleeps, and what the handshake took.
    assert!(of("sleep") >= 100 && of("sleep") <= seen[&tid].voluntary, "{:?}", answers[0].rows);
    assert_eq!(of("running"), seen[&tid].involuntary);
}

/// Each of the two threads stops once each time.
#[test]
fn stopped() {
    if !require_bpf("families::switch::stopped") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("spinner 0.3");
    let pid = Pid::from_raw(workload.pid());
    let watch = Watch::open(&[format!("switch where tgid={pid} count by tid, kind, state")]);
    workload.go();
    for _ in 0..3 {
        sleep(Duration::from_millis(30));
        kill(pid, Signal::SIGSTOP).expect("the workload runs");
        sleep(Duration::from_millis(30));
        kill(pid, Signal::SIGCONT).expect("the workload runs");
    }
    workload.truth();
    let answer = watch.close().remove(0);
    for tid in workload.tids() {
        let n = answer.sum_where("count", |row| row["tid"] == tid && row["state"] == "stopped");
        assert_eq!(n, 3, "{tid}: {:?}", answer.rows);
    }
    assert!(answer.rows.iter().all(|row| row["state"] != "stopped" || row["kind"] == "voluntary"));
}

/// A tracee stops once for each signal.
#[test]
fn traced() {
    if !require_bpf("families::switch::traced") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("traced 25 --name tracee");
    let (_, answers) = over(&mut workload, &["switch where comm = 'tracee' and tgid != PID count by state"]);
    assert_eq!(answers[0].of("state", "traced", "count"), 25, "{:?}", answers[0].rows);
}

/// The parent of a process that shares its time (vfork) waits uninterruptibly.
#[test]
fn uninterruptible() {
    if !require_bpf("families::switch::uninterruptible") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("vforks 25");
    let (_, answers) = over(&mut workload, &["switch where tgid=PID count by state, kind"]);
    let disk = answers[0].sum_where("count", |row| row["state"] == "disk");
    // Memory may have to be waited for as well.
    assert!((25..=27).contains(&disk), "{:?}", answers[0].rows);
    assert!(answers[0].rows.iter().all(|row| row["state"] != "disk" || row["kind"] == "voluntary"));
}

#[test]
fn threads_end_dead_and_processes_as_zombies() {
    if !require_bpf("families::switch::threads_end_dead_and_processes_as_zombies") {
        return;
    }
    let _alone = live_lock();
    let mut threads = Workload::start("churn 300");
    let (_, answers) = over(&mut threads, &["switch where tgid=PID count by state, kind"]);
    assert_eq!(answers[0].of("state", "dead", "count"), 300, "{:?}", answers[0].rows);
    assert_eq!(answers[0].of("state", "zombie", "count"), 0);

    let mut processes = Workload::start("forks 15 --name lt-tree");
    let (_, answers) = over(&mut processes, &["switch where comm = 'lt-tree' and tgid != PID count by state"]);
    let of = |state: &str| answers[0].of("state", state, "count");
    // A parent that is quick has buried its child before the child has left the CPU.
    assert_eq!(of("zombie") + of("dead"), 14, "{:?}", answers[0].rows);
    assert!(of("zombie") > 0);
}

/// Threads of the kernel that wait without being counted as load.
#[test]
fn idle_workers() {
    if !require_bpf("families::switch::idle_workers") {
        return;
    }
    let _alone = live_lock();
    let watch = Watch::open(&["switch where kthread count by state, kind", "switch where not kthread count by state"]);
    Workload::start("sleeper 300 1000").finish();
    let answers = watch.close();
    assert!(answers[0].of("state", "idle", "count") > 0, "{:?}", answers[0].rows);
    assert_eq!(answers[1].of("state", "idle", "count"), 0, "{:?}", answers[1].rows);
}
