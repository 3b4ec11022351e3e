//! schedq beside itself and beside others: nobody takes events from anybody, and nothing is left behind.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

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

/// Ids of what the kernel holds of BPF.
#[cfg(feature = "live")]
fn held() -> [BTreeSet<u32>; 3] {
    use libbpf_rs::query::{LinkInfoIter, MapInfoIter, ProgInfoIter};
    [
        ProgInfoIter::default().map(|p| p.id).collect(),
        MapInfoIter::default().map(|m| m.id).collect(),
        LinkInfoIter::default().map(|l| l.id).collect(),
    ]
}

#[cfg(feature = "live")]
#[test]
fn killed_it_leaves_nothing() {
    let name = "live::together::killed_it_leaves_nothing";
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
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let left: Vec<BTreeSet<u32>> = held().iter().zip(&ours).map(|(now, ours)| now & ours).collect();
        // The kernel frees them when the programs that may still run have ended.
        if left.iter().all(BTreeSet::is_empty) {
            return;
        }
        assert!(Instant::now() < end, "left behind: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
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
