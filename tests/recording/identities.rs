//! Who a task is, from the start of a recording on, and as it becomes another.

use std::collections::BTreeSet;

use schedq::catalog::event::{Kind, who};

use super::recorder::{Recording, name};
use crate::support::cgroup::Cgroup;
use crate::support::watch::best_of_three;
use crate::support::{Workload, live_lock, require, require_bpf};

/// What the recorder said of one thread: kinds and names, in order, without what only its priority changed.
fn told(recorded: &super::recorder::Recorded, tid: u32) -> Vec<(Kind, String)> {
    let mut told: Vec<(Kind, String)> =
        recorded.who(tid).iter().map(|who| (who.kind, name(&who.comm).to_owned())).collect();
    told.dedup();
    told
}

#[test]
fn twelve_thousand_at_the_start() {
    if !require_bpf("recording::identities::twelve_thousand_at_the_start") {
        return;
    }
    let _alone = live_lock();
    let workload = Workload::start("burst 12000 --totals --name lr-crowd");
    let recorded = Recording::open("").close();
    let at_start: Vec<_> = recorded.batch.identities.iter().filter(|i| i.at < recorded.start_ns).collect();
    let crowd: BTreeSet<u32> = at_start
        .iter()
        .filter(|i| i.tgid as i32 == workload.pid() && name(&i.comm) == "lr-crowd")
        .map(|i| {
            // They wait interruptibly, whatever else the kernel notes there (that they may be frozen).
            assert_eq!((i.kind, i.state & 0xff, i.flags), (Kind::Task, 1, who::WANTED), "{i:?}");
            assert!(i.born > 0 && i.born < i.at && i.nice == 0 && i.prio == 120 && i.policy == 0, "{i:?}");
            i.tid
        })
        .collect();
    let tids: BTreeSet<u32> = workload.tids().into_iter().map(|tid| tid as u32).collect();
    assert_eq!(crowd.len(), 12_000);
    assert!(crowd.is_subset(&tids));
    // The thread that asked was running, and it is the recorder's own.
    let me = nix::unistd::gettid().as_raw() as u32;
    let mine = at_start.iter().find(|i| i.tid == me).expect("this thread");
    assert_eq!(mine.flags, who::WANTED | who::RECORDER | who::RUNNING);
    let kthread = at_start.iter().find(|i| name(&i.comm) == "kthreadd").expect("the parent of the kernel's threads");
    assert_eq!(kthread.flags & who::KTHREAD, who::KTHREAD);
    let running = at_start.iter().filter(|i| i.flags & who::RUNNING != 0).count();
    assert!(running <= std::thread::available_parallelism().map_or(1, usize::from) + 1, "{running}");
}

#[test]
fn a_thread_takes_another_name() {
    if !require_bpf("recording::identities::a_thread_takes_another_name") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start_words(&["rename", "lr-first", "lr-second", "lr-third"]);
    let recording = Recording::open("");
    let truth = workload.finish();
    let recorded = recording.close();
    let tid = truth.workers().next().expect("a worker").tid as u32;
    let says: Vec<_> = [(Kind::Task, "lr-first"), (Kind::Rename, "lr-second"), (Kind::Rename, "lr-third")]
        .map(|(k, n)| (k, n.to_owned()))
        .into();
    assert_eq!(told(&recorded, tid), says);
    // In each phase it bears that phase's name in all events.
    for entry in truth.workers() {
        let (begin, end) = (entry.begin_ns as u64, entry.end_ns as u64);
        let mut outs = 0;
        recorded.with_identities(|event, task, _| {
            if event.kind == Kind::Switch && event.tid == tid && (begin..end).contains(&event.at) {
                assert_eq!(name(&task.comm), entry.comm);
                outs += 1;
            }
        });
        assert_eq!(outs, entry.switches(), "{entry:?}");
    }
    assert!(recorded.who(tid).iter().all(|i| name(&i.process) == "workload"));
}

/// Executing: another name, then the program itself; born: known before it is woken; ended: told, and switched out dead.
#[test]
fn a_tree_of_processes() {
    if !require_bpf("recording::identities::a_tree_of_processes") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("forks 7 --name lr-node");
    let recording = Recording::open("");
    let truth = workload.finish();
    let recorded = recording.close();
    let nodes: BTreeSet<u32> = truth.threads.iter().filter(|t| t.role == "node").map(|t| t.tid as u32).collect();
    assert_eq!(nodes.len(), 6);
    for node in &nodes {
        let said = recorded.who(*node);
        assert_eq!(said[0].kind, Kind::Fork, "{said:?}");
        assert!(said[0].other != 0 && said[0].tgid == *node && said[0].born <= said[0].at, "{:?}", said[0]);
        let order = told(&recorded, *node);
        let at = |kind, comm: &str| {
            let place = order.iter().position(|(k, n)| *k == kind && n == comm);
            place.unwrap_or_else(|| panic!("{kind:?} {comm}: {order:?}"))
        };
        let (renamed, executed, named) =
            (at(Kind::Rename, "workload"), at(Kind::Exec, "workload"), at(Kind::Rename, "lr-node"));
        assert!(renamed < executed && executed < named, "{order:?}");
        // A process whose only thread executes keeps its number.
        assert!(said.iter().filter(|i| i.kind == Kind::Exec).all(|i| i.other == *node));
        let events: Vec<_> = recorded.batch.events.iter().filter(|e| e.tid == *node).collect();
        let born = events.iter().find(|e| e.kind == Kind::WakeupNew).expect("woken for the first time");
        assert!(born.at >= said[0].at && born.other == said[0].other, "{born:?} {:?}", said[0]);
        let exit = events.iter().find(|e| e.kind == Kind::Exit).expect("an end");
        let last = events.iter().rfind(|e| e.kind == Kind::Switch).expect("a last switch");
        // TASK_DEAD, and EXIT_ZOMBIE or EXIT_DEAD.
        assert!(last.at > exit.at && last.state & 0x80 != 0 && last.state & 0x30 != 0, "{last:?}");
    }
    recorded.with_identities(|_, _, _| {});
}

/// One number after the other: who bears it is told anew each time.
#[test]
fn a_number_used_again() {
    if !require_bpf("recording::identities::a_number_used_again") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("reuse 3");
    let recording = Recording::open("");
    let truth = workload.finish();
    let recorded = recording.close();
    let born: Vec<_> = truth.threads.iter().filter(|t| t.born_inside).collect();
    let tid = born[0].tid as u32;
    assert_eq!(recorded.who(tid).iter().filter(|i| i.kind == Kind::Fork).count(), 3);
    for thread in born {
        let mut voluntary = 0;
        recorded.with_identities(|event, task, _| {
            let out = event.kind == Kind::Switch && event.tid == tid && name(&task.comm) == thread.comm;
            voluntary += u64::from(out && event.flags & 1 == 0 && event.state != 0);
        });
        // And the switch into death.
        assert_eq!(voluntary, thread.nvcsw + 1, "{thread:?}");
    }
}

/// A priority that is inherited, and given back, is told before the switches in which it counts.
#[test]
fn a_priority_inherited() {
    if !require_bpf("recording::identities::a_priority_inherited") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("pi");
        let recording = Recording::open("");
        let truth = workload.finish();
        let recorded = recording.close();
        let of = |role: &str| truth.threads.iter().find(|t| t.role == role).expect("a role").tid as u32;
        let highest = recorded.who(of("high")).iter().map(|i| i.prio).min().expect("told");
        let low = recorded.who(of("low"));
        assert!(low.iter().all(|i| i.policy == 1), "SCHED_FIFO as set");
        let mut prios: Vec<i32> = low.iter().map(|i| i.prio).collect();
        prios.dedup();
        // It has it for one stint, whose only event that can tell may be unseen.
        match prios[..] {
            [own, inherited, again] if own == again && inherited == highest && own > inherited => Ok(()),
            _ => Err(format!("{prios:?} {highest}")),
        }
    });
}

/// Five thousand short lives: each is told when it begins and when it ends, and every event's tasks are known.
#[test]
fn a_crowd_that_comes_and_goes() {
    if !require_bpf("recording::identities::a_crowd_that_comes_and_goes") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("churn 5000 --totals");
    let mut recording = Recording::open("");
    workload.go();
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        recording.take();
    }
    workload.truth();
    let recorded = recording.close();
    assert_eq!(recorded.lost(), 0, "{:?}", recorded.summary);
    let pid = workload.pid() as u32;
    let born = recorded.batch.identities.iter().filter(|i| i.kind == Kind::Fork && i.tgid == pid);
    assert_eq!(born.inspect(|i| assert_ne!(i.tid, pid, "{i:?}")).count(), 5000);
    let (mut ended, mut dead) = (0, 0);
    recorded.with_identities(|event, task, _| {
        let ours = task.tgid == pid && event.tid != pid;
        ended += u32::from(ours && event.kind == Kind::Exit);
        // TASK_DEAD.
        dead += u32::from(ours && event.kind == Kind::Switch && event.state & 0x80 != 0);
    });
    assert_eq!((ended, dead), (5000, 5000));
}

/// A group that is made, entered and left while events are recorded: its path is told with the first identity in it, and
/// stays known when the group is gone.
#[test]
fn a_group_born_later() {
    let test = "recording::identities::a_group_born_later";
    if !require_bpf(test) {
        return;
    }
    let _alone = live_lock();
    let make = || Cgroup::v1_cpu("record-later").or_else(|| Cgroup::v2_cpu("record-later"));
    let mut workload = Workload::start("sleeper 300 1000");
    let mut recording = Recording::open(&format!("tgid = {}", workload.pid()));
    let Some(group) = make() else {
        require(test, false, "a hierarchy with the cpu controller");
        return;
    };
    let (id, path) = (group.id(), group.path());
    workload.go();
    std::thread::sleep(std::time::Duration::from_millis(50));
    group.attach(workload.pid());
    for _ in 0..6 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        recording.take();
    }
    // What is in it goes back to where it was.
    drop(group);
    let truth = workload.truth();
    let recorded = recording.close();
    let mut groups: Vec<u64> = recorded.who(truth.worker().tid as u32).iter().map(|i| i.cgroup).collect();
    groups.dedup();
    assert_eq!((groups.len(), groups[1], groups[0] == groups[2]), (3, id, true), "{groups:?}");
    let told: Vec<_> = recorded.batch.cgroups.iter().filter(|(told, _)| *told == id).map(|(_, path)| path).collect();
    assert_eq!(told, [&path]);
}
