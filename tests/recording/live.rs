//! Events of the recorder against what the kernel and the workloads count.

use std::collections::BTreeSet;
use std::time::Duration;

use schedq::catalog::event::{Kind, flag, who};
use schedq::source::live::{Facts, RecordOptions};

use super::recorder::{Recording, Setting, name};
use crate::support::cgroup::Cgroup;
use crate::support::watch::best_of_three;
use crate::support::{Workload, counters, live_lock, require, require_bpf};

/// Every thread's switch-outs are those that the kernel counted, of each kind, and every task of every event is known.
#[test]
fn switches_are_those_of_the_kernel() {
    if !require_bpf("recording::live::switches_are_those_of_the_kernel") {
        return;
    }
    let _alone = live_lock();
    let lines = [
        "sleeper 200 300 --threads 4",
        "yielder 2000 --threads 3 --cpu 0",
        "pingpong 5000",
        "duty 300 200 0.3 --threads 3 --cpu 1",
    ];
    for line in lines {
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
    }
}

/// On kernels without task storage, and without the state in the tracepoint's arguments.
#[test]
fn switches_on_older_kernels() {
    if !require_bpf("recording::live::switches_on_older_kernels") {
        return;
    }
    let _alone = live_lock();
    for prev_state_argument in [true, false] {
        let facts = Some(Facts { task_storage: false, prev_state_argument });
        let mut workload = Workload::start("sleeper 100 300 --threads 4");
        let recording = Recording::open_with("", Setting { facts, ..Setting::default() });
        workload.finish();
        let recorded = recording.close();
        let seen = recorded.switches();
        for (tid, truth) in workload.switches() {
            let seen = seen.get(&(tid as u32)).copied().unwrap_or_default();
            // The task's own field may have changed since, if its waker was quick.
            let allowed = if prev_state_argument { 0 } else { 1 + truth.voluntary / 50 };
            assert_eq!(seen.all(), truth.all(), "{tid}");
            assert!(seen.voluntary.abs_diff(truth.voluntary) <= allowed, "{tid}: {seen:?} {truth:?}");
        }
        assert_eq!(recorded.lost(), 0, "{:?}", recorded.summary);
    }
}

/// The whole machine's switches, idle tasks' included, and in each CPU's chain who comes is who leaves next.
#[test]
fn every_switch_of_the_machine() {
    if !require_bpf("recording::live::every_switch_of_the_machine") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("duty 200 200 0.3 --threads 6");
        let mut recording = Recording::open("");
        let before = counters::all_switches();
        workload.go();
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(30));
            recording.take();
        }
        workload.truth();
        let between = counters::all_switches() - before;
        let recorded = recording.close();
        let mut links = 0;
        let mut running = std::collections::HashMap::new();
        for event in recorded.of_kind(Kind::Switch) {
            if running.insert(event.cpu, event.other) == Some(event.tid) {
                links += 1;
            }
        }
        let switches = recorded.of_kind(Kind::Switch).count() as u64;
        if switches * 100 < between * 97 || links * 100 < switches * 97 {
            return Err(format!(
                "{switches} switches, {links} of them after the one before; the kernel counted {between}"
            ));
        }
        // What happened before the one count and after the other is in the recording too.
        assert!(switches <= between + 2000, "{switches} of {between}");
        Ok(())
    });
}

/// Of a pair on one CPU, each is woken by the other.
#[test]
fn who_wakes_whom() {
    if !require_bpf("recording::live::who_wakes_whom") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("pingpong 2000 --cpu 0");
        let recording = Recording::open("");
        let truth = workload.finish();
        let recorded = recording.close();
        let pair: Vec<u32> = truth.workers().map(|t| t.tid as u32).collect();
        assert_eq!(pair.len(), 2);
        let slept: u64 = truth.workers().map(|t| t.nvcsw).sum();
        let count = |kind| recorded.of_kind(kind).filter(|e| pair.contains(&e.tid)).count() as u64;
        let by_partner = recorded
            .of_kind(Kind::Waking)
            .filter(|e| pair.contains(&e.tid) && pair.contains(&e.other) && e.tid != e.other)
            .count() as u64;
        let (waking, wakeup) = (count(Kind::Waking), count(Kind::Wakeup));
        // The handshake before and after the phase wakes them too.
        assert!(waking <= slept + 20 && wakeup <= slept + 20, "{waking} {wakeup} of {slept}");
        let all_on_cpu_0 = recorded.of_kind(Kind::Wakeup).filter(|e| pair.contains(&e.tid)).all(|e| e.state == 0);
        assert!(all_on_cpu_0, "woken for the CPU to which they are pinned");
        match by_partner * 100 >= slept * 97 && wakeup * 100 >= slept * 97 {
            true => Ok(()),
            false => Err(format!("{by_partner} of {waking} by the partner, {wakeup} made runnable, {slept} slept")),
        }
    });
}

/// A task runs where it was moved to.
#[test]
fn migrations() {
    let test = "recording::live::migrations";
    if !require_bpf(test) || !require(test, cpus() > 1, "two CPUs") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("migrate 200");
        let recording = Recording::open("");
        let truth = workload.finish();
        let recorded = recording.close();
        let tid = truth.worker().tid as u32;
        let (mut moved_to, mut arrived, mut moves) = (None, 0, 0);
        for event in &recorded.batch.events {
            match event.kind {
                Kind::Migrate if event.tid == tid => {
                    assert_ne!(event.other, event.state, "from one CPU to another: {event:?}");
                    moves += 1;
                    moved_to = Some(event.state);
                }
                Kind::Switch if event.other == tid => {
                    arrived += u64::from(moved_to.take() == Some(u32::from(event.cpu)))
                }
                _ => {}
            }
        }
        let told = truth.worker().migrations;
        match moves >= 194 && arrived * 100 >= moves * 97 && told.is_none_or(|told| moves <= told + 5) {
            true => Ok(()),
            false => Err(format!("{moves} moves of 200 ({told:?}), {arrived} arrived")),
        }
    });
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a quota takes away is flagged where the task leaves.
#[test]
fn throttled() {
    let test = "recording::live::throttled";
    let group = || Cgroup::v1_cpu("record-quota").or_else(|| Cgroup::v2_cpu("record-quota"));
    if !require_bpf(test) {
        return;
    }
    let _alone = live_lock();
    let Some(group) = group() else {
        require(test, false, "a hierarchy with the cpu controller");
        return;
    };
    group.quota(Duration::from_millis(5), Duration::from_millis(50));
    let mut workload = Workload::start("spinner 0.4");
    group.attach(workload.pid());
    let recording = Recording::open(&format!("tgid = {}", workload.pid()));
    let truth = workload.finish();
    let recorded = recording.close();
    let tid = truth.worker().tid as u32;
    let flagged = recorded.of_kind(Kind::Switch).filter(|e| e.tid == tid && e.flags & flag::THROTTLED != 0).count();
    assert!((4..=12).contains(&flagged), "{flagged} of about eight periods");
    assert!(recorded.of_kind(Kind::Switch).all(|e| e.tid == tid || e.flags & flag::THROTTLED == 0));
    let path = recorded.batch.cgroups.iter().find(|(id, _)| *id == group.id()).map(|(_, path)| path.as_str());
    assert_eq!(path, Some(group.path().as_str()));
    assert!(recorded.who(tid).iter().all(|identity| identity.cgroup == group.id()));
}

/// Two threads that read rings give what one gives: the same events in the same order.
#[test]
fn two_consumers_give_the_same_as_one() {
    if !require_bpf("recording::live::two_consumers_give_the_same_as_one") {
        return;
    }
    let _alone = live_lock();
    // On every CPU, whatever else is running.
    let on = |cpu: usize| Workload::start(&format!("pingpong 3000 --name lr-both --cpu {cpu}"));
    let mut workloads: Vec<Workload> = (0..cpus()).map(on).collect();
    let open = |n| {
        let options = RecordOptions { consumers: Some(n), ..RecordOptions::default() };
        Recording::open_with("comm = 'lr-both'", Setting { options, ..Setting::default() })
    };
    let mut both = [open(1), open(2)];
    workloads.iter_mut().for_each(Workload::go);
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(10));
        both.iter_mut().for_each(Recording::take);
    }
    for workload in &mut workloads {
        workload.truth();
    }
    std::thread::sleep(Duration::from_millis(5));
    let [one, two] = both.map(Recording::close);
    assert_eq!((one.lost(), two.lost()), (0, 0), "{:?} {:?}", one.summary, two.summary);
    for cpu in 0..cpus() as u16 {
        let chain = |recorded: &super::recorder::Recorded| -> Vec<_> {
            recorded.batch.events.iter().filter(|e| e.cpu == cpu).map(|e| (e.kind, e.tid, e.other, e.state)).collect()
        };
        assert!(chain(&one).len() > 6000, "{}", chain(&one).len());
        assert_eq!(chain(&one), chain(&two), "CPU {cpu}");
    }
}
