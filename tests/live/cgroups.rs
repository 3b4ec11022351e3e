//! A condition on a cgroup speaks of the measured task, whoever is current, and in either hierarchy.

use crate::support::cgroup::Cgroup;
use crate::support::watch::{Watch, best_of_three};
use crate::support::{Schedq, Workload, live_lock, require, require_bpf};

/// The groups that this machine can make, each with the ways to write it.
fn groups(test: &str, name: &str) -> Vec<(Cgroup, Vec<String>)> {
    let mut made = Vec::new();
    let full = |group: &Cgroup| group.folder().to_str().expect("UTF-8").to_owned();
    if let Some(group) = Cgroup::v1_cpu(name) {
        let spelt = vec![group.path(), full(&group)];
        made.push((group, spelt));
    }
    if let Some(group) = Cgroup::v2(name) {
        // On a host without v1 the path alone is enough here too.
        let spelt = if made.is_empty() { vec![group.path(), full(&group)] } else { vec![full(&group)] };
        made.push((group, spelt));
    }
    require(test, !made.is_empty(), "a cgroup hierarchy");
    made
}

/// A sleeper alone in its group: whoever wakes it is outside.
#[test]
fn a_sleeper_alone_in_its_group() {
    let name = "live::cgroups::a_sleeper_alone_in_its_group";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    for (group, spelt) in groups(name, "alone") {
        for path in spelt {
            best_of_three(|| {
                let mut workload = Workload::start("sleeper 300 500");
                group.attach(workload.pid());
                let watch = Watch::open(&[
                    format!("switch where cgroup under '{path}' count by tid"),
                    format!("runq where cgroup under '{path}' count by tid, cause"),
                    format!("switch where cgroup = '{path}' count by tid, cgroup"),
                    format!("switch where not cgroup under '{path}' and tgid = {} count", workload.pid()),
                    format!("switch where cgroup != '{path}' and tgid = {} count", workload.pid()),
                ]);
                let truth = workload.finish();
                let (answers, tid) = (watch.close(), truth.worker().tid);
                let seen = workload.switches();
                assert_eq!(answers[0].of("tid", tid, "count"), seen[&tid].all(), "{path}");
                let all: u64 = seen.values().map(|s| s.all()).sum();
                assert_eq!(answers[0].sum("count"), all, "{path}: nobody else is in the group");
                assert_eq!(answers[2].sum("count"), all, "{path}");
                assert_eq!((answers[3].sum("count"), answers[4].sum("count")), (0, 0), "{path}");
                let shown = if path == group.path() { path.clone() } else { group.path() };
                assert!(answers[2].rows.iter().all(|row| row["cgroup"] == *shown), "{path}: {:?}", answers[2].rows);
                let woken = answers[1].sum_where("count", |row| row["tid"] == tid && row["cause"] == "wakeup");
                assert!(woken <= seen[&tid].voluntary, "{path}: {woken} of {seen:?}");
                if woken * 100 < seen[&tid].voluntary * 97 {
                    Err(format!("{path}: {woken} of {seen:?}"))
                } else {
                    Ok(())
                }
            });
        }
    }
}

/// Groups without tasks of their own hold those below them, also ones that are born later.
#[test]
fn a_group_born_later() {
    let name = "live::cgroups::a_group_born_later";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    for (parent, spelt) in groups(name, "parent") {
        let path = spelt.last().expect("a spelling");
        let mut workload = Workload::start("sleeper 100 300");
        let watch = Watch::open(&[
            format!("switch where cgroup under '{path}' count by tid, cgroup"),
            format!("switch where cgroup = '{path}' count by tid"),
        ]);
        let child = parent.child("born");
        let grandchild = child.child("later");
        grandchild.attach(workload.pid());
        let truth = workload.finish();
        let (answers, tid) = (watch.close(), truth.worker().tid);
        assert_eq!(answers[0].of("tid", tid, "count"), workload.switches()[&tid].all(), "{path}");
        let shown = grandchild.path();
        assert!(answers[0].rows.iter().all(|row| row["cgroup"] == *shown), "{path}: {:?}", answers[0].rows);
        assert_eq!(answers[1].sum("count"), 0, "{path}");
        drop(workload);
        drop((grandchild, child));
    }
}

#[test]
fn a_group_that_is_not_there() {
    if !require_bpf("live::cgroups::a_group_that_is_not_there") {
        return;
    }
    let output = Schedq::eval("switch where cgroup under '/no/such/group' count for 1s").run().fails_with(4);
    assert!(output.stderr.contains("there is no cgroup \"/no/such/group\""), "{}", output.stderr);
    assert!(output.stdout.is_empty(), "{}", output.stdout);
}

/// A path in a hierarchy that says nothing about CPUs is refused with the reason.
#[test]
fn a_group_of_another_hierarchy() {
    let name = "live::cgroups::a_group_of_another_hierarchy";
    let memory = std::path::Path::new("/sys/fs/cgroup/memory/cgroup.procs").exists();
    if !require_bpf(name) || !require(name, memory, "a v1 memory hierarchy") {
        return;
    }
    let output = Schedq::eval("switch where cgroup under '/sys/fs/cgroup/memory' count for 1s").run().fails_with(4);
    assert!(output.stderr.contains("the hierarchy of /sys/fs/cgroup/memory (memory)"), "{}", output.stderr);
}
