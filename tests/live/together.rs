//! schedq beside itself and beside others: nobody takes events from anybody.

use std::process::Command;
use std::time::Duration;

use crate::support::watch::{Answer, Watch, opened};
use crate::support::{Schedq, Workload, live_lock, require, require_bpf};

#[test]
fn sixteen_at_once() {
    if !require_bpf("live::together::sixteen_at_once") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 3000");
    let query = format!("switch where tgid={} count by tid, kind for 10m", workload.pid());
    let start = || Schedq::eval(&query).arg("--format").arg("json").start();
    let mut all: Vec<_> = (0..16).map(|_| start()).collect();
    all.iter_mut().for_each(opened);
    workload.finish();
    let seen: u64 = workload.switches().values().map(|s| s.all()).sum();
    let answers: Vec<Answer> = all.into_iter().map(|one| Answer::one(&one.interrupt().success())).collect();
    for answer in &answers {
        assert_eq!(answer.rows, answers[0].rows);
        assert_eq!((answer.sum("count"), answer.lost()), (seen, 0), "{}", answer.meta);
    }
}

/// perf counts the same events with and without us.
#[test]
fn perf_sees_every_event() {
    let name = "live::together::perf_sees_every_event";
    let perf = Command::new("perf").arg("--version").output().is_ok_and(|o| o.status.success());
    if !require_bpf(name) || !require(name, perf, "perf") {
        return;
    }
    let _alone = live_lock();
    // In a mount namespace of its own, so that the machine is left as it was.
    let script = "mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing || exit 77
        exec perf stat -x, -e sched:sched_switch -p $1 -- sleep 1.5";
    let count = |pid: i32, go: &mut dyn FnMut()| {
        let child = Command::new("unshare")
            .args(["-m", "sh", "-c", script, "sh", &pid.to_string()])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("unshare");
        std::thread::sleep(Duration::from_millis(500));
        go();
        let output = child.wait_with_output().expect("perf");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().find_map(|line| line.split(',').next()?.parse::<u64>().ok()).ok_or(text)
    };
    let mut alone = Workload::start("pingpong 1500");
    let found = count(alone.pid(), &mut || drop(alone.finish()));
    let truth: u64 = alone.switches().values().map(|s| s.all()).sum();
    if !require(name, found.as_ref().is_ok_and(|n| *n == truth), "a perf that counts sched_switch exactly by itself") {
        return;
    }
    let mut beside = Workload::start("pingpong 1500");
    let queries = ["switch count by tid", "runq hist by comm", "switch events"];
    let watch = Watch::open(&queries);
    let found = count(beside.pid(), &mut || drop(beside.finish()));
    let answers = watch.close();
    let truth: u64 = beside.switches().values().map(|s| s.all()).sum();
    assert_eq!(found, Ok(truth));
    let tids = beside.tids();
    let ours: u64 = tids.iter().map(|tid| answers[0].of("tid", *tid, "count")).sum();
    assert_eq!(ours, truth);
}
