//! A filter keeps the events in which a task that it wants takes part, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use schedq::catalog::event::{Event, Identity, Kind, flag, who};

use super::recorder::{Recorded, Recording, Setting, name};
use crate::support::cgroup::Cgroup;
use crate::support::{Workload, live_lock, require, require_bpf, workload};

type Told = (Kind, u32, u32, u32, u8);

fn told(event: &Event) -> Told {
    // Whether a task has left its CPU may change between two programs' looks at it.
    (event.kind, event.tid, event.other, event.state, event.flags & !flag::ON_CPU)
}

/// By CPU, the events of a recording of everything in which a task that is `wanted` takes part.
fn expected(all: &Recorded, wanted: impl Fn(&Identity) -> bool) -> BTreeMap<u16, Vec<Told>> {
    let mut kept: BTreeMap<u16, Vec<Told>> = BTreeMap::new();
    all.with_identities(|event, task, other| {
        let by_other = event.kind == Kind::Switch && other.is_some_and(&wanted);
        if wanted(task) || by_other {
            kept.entry(event.cpu).or_default().push(told(event));
        }
    });
    kept
}

fn seen(recorded: &Recorded) -> BTreeMap<u16, Vec<Told>> {
    let mut seen: BTreeMap<u16, Vec<Told>> = BTreeMap::new();
    recorded.batch.events.iter().for_each(|event| seen.entry(event.cpu).or_default().push(told(event)));
    seen
}

/// Records a workload twice at once: everything, and what the filter wants.
#[track_caller]
fn compare(workload: &mut Workload, filter: &str, wanted: impl Fn(&Identity) -> bool) -> Recorded {
    let all = Recording::open("");
    let some = Recording::open(filter);
    workload.finish();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let (some, all) = (some.close(), all.close());
    assert_eq!((some.lost(), all.lost()), (0, 0));
    let expected = expected(&all, &wanted);
    assert!(expected.values().map(Vec::len).sum::<usize>() > 100, "{filter}");
    assert_eq!(seen(&some), expected, "{filter}");
    some.with_identities(|event, task, other| {
        let is_wanted = |task: &Identity| task.flags & who::WANTED != 0;
        assert!(is_wanted(task) || other.is_some_and(is_wanted), "{event:?}");
        assert_eq!(is_wanted(task), wanted(task), "{task:?}");
    });
    some
}

#[test]
fn a_process() {
    if !require_bpf("recording::filters::a_process") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("duty 300 300 0.2 --threads 4");
    let pid = workload.pid() as u32;
    let some = compare(&mut workload, &format!("tgid = {pid}"), |task| task.tgid == pid);
    // At the start only they are told; others come with the events that they share.
    let before = some.batch.identities.iter().filter(|i| i.at < some.start_ns);
    assert_eq!(before.map(|i| i.tid).collect::<BTreeSet<_>>(), workload.tids().iter().map(|t| *t as u32).collect());
}

#[test]
fn a_name_or_another_process() {
    if !require_bpf("recording::filters::a_name_or_another_process") {
        return;
    }
    let _alone = live_lock();
    let neighbour = Workload::start("sleeper 1 1");
    let mut workload = Workload::start("sleeper 100 300 --threads 3 --name lr-named");
    let filter = format!("comm ~ 'lr-na*' or (tgid = {} and not kthread)", neighbour.pid());
    compare(&mut workload, &filter, |task| name(&task.comm) == "lr-named");
}

#[test]
fn a_name_that_is_given_up() {
    if !require_bpf("recording::filters::a_name_that_is_given_up") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start_words(&["rename", "lr-wanted", "lr-other", "lr-wanted"]);
    let recording = Recording::open("comm = 'lr-wanted'");
    let truth = workload.finish();
    let recorded = recording.close();
    let tid = truth.workers().next().expect("a worker").tid;
    let names: Vec<_> =
        recorded.who(tid as u32).iter().map(|i| (name(&i.comm).to_owned(), i.flags & who::WANTED != 0)).collect();
    assert_eq!(names, [("lr-wanted".to_owned(), true), ("lr-other".to_owned(), false), ("lr-wanted".to_owned(), true)]);
    for entry in truth.workers() {
        let inside = |at: u64| (entry.begin_ns as u64..entry.end_ns as u64).contains(&at);
        let outs = recorded.of_kind(Kind::Switch).filter(|e| e.tid == tid as u32 && inside(e.at)).count() as u64;
        assert_eq!(outs, if entry.comm == "lr-wanted" { entry.switches() } else { 0 }, "{entry:?}");
    }
}

#[test]
fn a_cgroup_and_what_is_below() {
    let test = "recording::filters::a_cgroup_and_what_is_below";
    if !require_bpf(test) {
        return;
    }
    let _alone = live_lock();
    let groups: Vec<Cgroup> = [Cgroup::v1_cpu("record"), Cgroup::v2("record")].into_iter().flatten().collect();
    require(test, !groups.is_empty(), "a cgroup hierarchy");
    for group in groups {
        let below = group.child("below");
        let mut workload = Workload::start("sleeper 150 300 --threads 2");
        below.attach(workload.pid());
        let pid = workload.pid() as u32;
        let filter = format!("cgroup under '{}'", group.folder().display());
        let some = compare(&mut workload, &filter, |task| task.tgid == pid);
        let ours = some.batch.identities.iter().filter(|i| i.tgid == pid);
        assert!(ours.map(|i| i.cgroup).all(|id| id == below.id()));
        let path = some.batch.cgroups.iter().find(|(id, _)| *id == below.id()).map(|(_, path)| path.clone());
        assert_eq!(path, Some(below.path()));
    }
}

/// The command and its descendants, from its execution on, on this kernel and as on older ones.
#[test]
fn descendants() {
    if !require_bpf("recording::filters::descendants") {
        return;
    }
    let _alone = live_lock();
    for task_storage in [true, false] {
        let facts = Some(schedq::source::live::Facts { task_storage, prev_state_argument: true });
        let mut command = Command::new("sh")
            .args(["-c", "read go; exec \"$0\" forks 15 --name lr-tree"])
            .arg(workload::path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        std::thread::sleep(std::time::Duration::from_millis(100));
        let setting = Setting { child: Some(command.id()), facts, ..Setting::default() };
        let recording = Recording::open_with("child", setting);
        writeln!(command.stdin.take().expect("piped"), "go").expect("the shell reads");
        let pid = command.id();
        let output = command.wait_with_output().expect("the command");
        std::thread::sleep(std::time::Duration::from_millis(20));
        let recorded = recording.close();
        let truth: workload::Truth = serde_json::from_slice(&output.stdout).expect("the workload's account");
        let tree: BTreeSet<u32> = truth.threads.iter().map(|t| t.tid as u32).collect();
        let wanted = recorded.batch.identities.iter().filter(|i| i.flags & who::CHILD != 0);
        let wanted: BTreeSet<u32> =
            wanted.inspect(|i| assert!(i.flags & who::WANTED != 0, "{i:?}")).map(|i| i.tid).collect();
        assert_eq!(wanted, tree);
        let seen = recorded.switches();
        for thread in &truth.threads {
            let outs = seen.get(&(thread.tid as u32)).copied().unwrap_or_default().all();
            assert!(outs > thread.switches(), "{outs}: {thread:?}");
        }
        let ends: Vec<u32> = recorded.of_kind(Kind::Exit).map(|e| e.tid).collect();
        assert_eq!((ends.len(), ends.into_iter().collect::<BTreeSet<_>>()), (15, tree));
        let first = recorded.who(pid)[0];
        assert_eq!((first.kind, first.flags & who::RECORDER), (Kind::Exec, 0), "held until then: {first:?}");
        assert_eq!(recorded.lost(), 0, "{:?}", recorded.summary);
    }
}
