//! The workloads say the truth: what they count themselves agrees with what the kernel shows from outside.

use std::time::Duration;

use crate::support::cgroup::Cgroup;
use crate::support::{Workload, live_lock, require};

/// The identity that all else rests on: every switch-out ends a time slice.
#[test]
fn switches_are_time_slices() {
    let _alone = live_lock();
    for line in
        ["sleeper 50 200", "spinner 0.1 --threads 2 --cpu 0", "pingpong 200 --cpu 0", "yielder 500 --threads 2 --cpu 0"]
    {
        let mut workload = Workload::start(line);
        let truth = workload.finish();
        let seen = workload.switches();
        for thread in truth.workers() {
            assert_eq!(thread.switches(), thread.timeslices, "{line}: {thread:?}");
            // Outside the phase a thread is switched in at `go`, and switched out for its last sleep; if it lost the CPU
            // in between, that is counted from outside only.
            let outside = seen[&thread.tid].all();
            assert!(outside > thread.switches(), "{line}: {outside} from outside, {thread:?}");
            assert!(outside <= thread.switches() + 10, "{line}: {outside} from outside, {thread:?}");
        }
    }
}

#[test]
fn a_sleeper_sleeps_as_often_as_told() {
    let _alone = live_lock();
    let truth = Workload::start("sleeper 100 300 --name known").finish();
    assert_eq!(truth.worker().comm, "known");
    assert_eq!(truth.worker().nvcsw, 100);
    assert!(truth.wall_ns >= 100 * 300_000, "{truth:?}");
}

#[test]
fn a_hostile_name_is_borne() {
    let truth = Workload::start_words(&["rename", "plain", r"a'\x22\x1b[1m\xff\x5c\x0a"]).finish();
    let names: Vec<&str> = truth.workers().map(|t| t.comm.as_str()).collect();
    assert_eq!(names, ["plain", r#"a'"\x1b[1m\xff\x5c\x0a"#]);
}

#[test]
fn threads_that_ended_are_in_the_process() {
    let _alone = live_lock();
    let truth = Workload::start("churn 200 --name churny").finish();
    let born: Vec<_> = truth.threads.iter().filter(|t| t.born_inside).collect();
    assert_eq!(born.len(), 200);
    assert_eq!(truth.totals.entries, 202, "with the spawner and main");
    assert!(born.iter().all(|t| t.comm == "churny"));
    assert!(truth.process.nvcsw >= truth.totals.nvcsw && truth.process.nivcsw >= truth.totals.nivcsw, "{truth:?}");
}

#[test]
fn a_process_number_is_used_again() {
    let name = "a_process_number_is_used_again";
    if !require(name, nix::unistd::geteuid().is_root(), "root (clone3 with a chosen number)") {
        return;
    }
    let truth = Workload::start("reuse 3").finish();
    let born: Vec<_> = truth.threads.iter().filter(|t| t.born_inside).map(|t| (t.tid, t.comm.as_str())).collect();
    let tid = born[0].0;
    assert_eq!(born, [(tid, "reuse-0"), (tid, "reuse-1"), (tid, "reuse-2")]);
}

#[test]
fn priority_is_inherited() {
    let name = "priority_is_inherited";
    if !require(name, nix::unistd::geteuid().is_root(), "root (SCHED_FIFO)") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pi --cpu 0");
    let truth = workload.finish();
    let cpu_of = |role: &str| truth.threads.iter().find(|t| t.role == role).expect("a role").run_ns;
    // Without inheritance the high thread would also wait for what the middle one burns.
    let wait = truth.facts["high_wait_ns"].as_u64().expect("a number");
    assert!(wait < cpu_of("low") + cpu_of("middle") / 2, "{wait} {truth:?}");
}

#[test]
fn an_exec_keeps_the_account() {
    let truth = Workload::start("exec-midway --name before").finish();
    let names: Vec<_> = truth.threads.iter().map(|t| t.comm.as_str()).collect();
    assert_eq!(names, ["before", "exe"]);
    assert!(truth.threads.iter().all(|t| t.nvcsw >= 20), "{truth:?}");
    assert_eq!(truth.threads[0].tid, truth.threads[1].tid);
}

#[test]
fn a_tree_of_processes_is_complete() {
    let truth = Workload::start("forks 5 --name tree").finish();
    assert_eq!(truth.threads.len(), 5);
    assert!(truth.threads.iter().all(|t| t.comm == "tree" && t.nvcsw >= 20), "{truth:?}");
}

#[test]
fn forced_moves_are_migrations() {
    let _alone = live_lock();
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    if !require("forced_moves_are_migrations", cpus > 1, "two CPUs") {
        return;
    }
    let truth = Workload::start("migrate 20").finish();
    if require("forced_moves_are_migrations", truth.worker().migrations.is_some(), "/proc/PID/sched") {
        assert_eq!(truth.worker().migrations, Some(20));
    }
}

#[test]
fn a_quota_throttles() {
    let Some(group) = quota_group() else { return };
    let _alone = live_lock();
    let mut workload = Workload::start("spinner 0.5");
    group.attach(workload.pid());
    let truth = workload.finish();
    let throttled = group.throttled_ns();
    assert!(throttled > 0);
    // Throttled time is inside the kernel's own run delay.
    assert!(truth.worker().run_delay_ns > throttled / 2, "{throttled} {truth:?}");
    drop(workload);
}

fn quota_group() -> Option<Cgroup> {
    let name = "a_quota_throttles";
    if !require(name, nix::unistd::geteuid().is_root(), "root (a cgroup)") {
        return None;
    }
    let group = Cgroup::v1_cpu("quota").or_else(|| Cgroup::v2_cpu("quota"));
    if !require(name, group.is_some(), "a hierarchy with the cpu controller") {
        return None;
    }
    let group = group?;
    group.quota(Duration::from_millis(10), Duration::from_millis(50));
    assert!(group.path().starts_with("/schedq-test-") && group.id() > 0);
    Some(group)
}
