//! Which task a row speaks of, while tasks change their names, end, and leave their numbers to others.

use std::time::Duration;

use crate::support::watch::{Answer, Watch, over};
use crate::support::{Schedq, Workload, live_lock, require_bpf};

#[test]
fn a_name_is_the_one_at_the_rows_end() {
    if !require_bpf("live::identity::a_name_is_the_one_at_the_rows_end") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start_words(&["rename", "lt-first", "lt-second"]);
    let queries = [
        "switch where tgid=PID count by tid, comm",
        "switch where comm = 'lt-first' count",
        "switch where comm = 'lt-second' count",
        "runq where comm = 'lt-first' count by comm",
        "switch where tgid=PID and comm ~ 'lt-*' count by tid, process",
    ];
    let (truth, answers) = over(&mut workload, &queries);
    let tid = truth.workers().next().expect("a worker").tid;
    let all = workload.switches()[&tid].all();
    assert_eq!(answers[0].of("tid", tid, "count"), all);
    for (at, entry) in truth.workers().enumerate() {
        let named = answers[0].of("comm", entry.comm.as_str(), "count");
        // Before and after its phases the thread waits under its first and its last name.
        assert!(named >= entry.switches() && named <= entry.switches() + 5, "{entry:?}: {named}");
        assert_eq!(answers[1 + at].sum("count"), named, "by condition as by key");
    }
    assert!(answers[3].rows.iter().all(|row| row["comm"] == "lt-first"));
    assert!(answers[3].sum("count") >= 19, "{:?}", answers[3].rows);
    assert_eq!(answers[4].sum("count"), all);
    assert!(answers[4].rows.iter().all(|row| row["process"] == "workload"));
}

#[test]
fn an_exec_changes_the_name_and_not_the_task() {
    if !require_bpf("live::identity::an_exec_changes_the_name_and_not_the_task") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("exec-midway --name lt-before");
    let (truth, answers) = over(&mut workload, &["switch where tgid=PID count by tid, comm"]);
    let pid = workload.pid();
    assert_eq!(answers[0].sum("count"), workload.switches()[&pid].all());
    assert!(answers[0].rows.iter().all(|row| row["tid"] == pid), "{:?}", answers[0].rows);
    // What the exec took is in the second entry, though its name changed within.
    assert!(answers[0].of("comm", "lt-before", "count") >= truth.threads[0].switches());
    assert!(answers[0].of("comm", "exe", "count") >= 20, "{:?}", answers[0].rows);
}

#[test]
fn a_process_is_all_its_threads_and_no_other() {
    if !require_bpf("live::identity::a_process_is_all_its_threads_and_no_other") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("sleeper 100 500 --threads 5");
    let mut neighbour = Workload::start("sleeper 100 500 --threads 2");
    neighbour.go();
    let queries =
        ["switch where tgid=PID count by tid, tgid", "switch where pid=PID count", "runq where tgid=PID count by tid"];
    let (_, answers) = over(&mut workload, &queries);
    let seen = workload.switches();
    assert_eq!(seen.len(), 6);
    for (tid, switches) in &seen {
        assert_eq!(answers[0].of("tid", *tid, "count"), switches.all());
    }
    let all: u64 = seen.values().map(|s| s.all()).sum();
    assert_eq!((answers[0].sum("count"), answers[1].sum("count")), (all, all));
    assert!(answers[2].rows.iter().all(|row| seen.keys().any(|tid| row["tid"] == *tid)));
}

/// Numbers are used again: the rows are those of whoever bore the number when they ended.
#[test]
fn a_number_used_again() {
    if !require_bpf("live::identity::a_number_used_again") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("reuse 3");
    let queries = [
        "switch where comm ~ 'reuse-*' and kind = voluntary count by tid, comm",
        "runq latency where comm ~ 'reuse-*' count, max by tid, comm",
    ];
    let (truth, answers) = over(&mut workload, &queries);
    let born: Vec<_> = truth.threads.iter().filter(|t| t.born_inside).collect();
    assert_eq!(answers[0].rows.len(), 3, "{:?}", answers[0].rows);
    for thread in &born {
        let n = answers[0].sum_where("count", |row| row["tid"] == thread.tid && row["comm"] == *thread.comm);
        // And the switch into death.
        assert_eq!(n, thread.nvcsw + 1, "{thread:?}");
    }
    // What the one left open must not be taken for the next one's.
    let longest = answers[1].rows.iter().map(|row| row["latency_max_ns"].as_i64().expect("a number")).max();
    assert!(longest.is_some_and(|ns| ns < truth.wall_ns), "{longest:?} in {}", truth.wall_ns);
}

#[track_caller]
fn notes(output: crate::support::Output, what: &str) {
    let answer = Answer::one(&output);
    assert!(answer.notes().contains(what), "{}", answer.notes());
    assert!(output.stderr.contains(what), "{}", output.stderr);
    assert_eq!(answer.sum("count"), 0);
}

#[test]
fn nothing_is_explained() {
    if !require_bpf("live::identity::nothing_is_explained") {
        return;
    }
    let _alone = live_lock();
    let run = |query: &str| Schedq::eval(query).arg("--format").arg("json").run().success();
    notes(run("switch where tgid = 4194303 count for 50ms"), "there is no process 4194303");
    notes(run("runq where tid = 4194303 count for 50ms"), "there is no thread 4194303");
    let asleep = Workload::start("sleeper 1 1");
    let text = format!("switch where tgid = {} count for 50ms", asleep.pid());
    notes(run(&text), "no task that the filter speaks of did it");
    notes(run("switch where comm = 'lt-nobody' count for 50ms"), "no task that the filter speaks of did it");
    let mut busy = Workload::start("pingpong 20000");
    busy.go();
    let text = format!("switch where tgid = {} and next_prio = -1 count for 100ms", busy.pid());
    notes(run(&text), "the filter matched none of them");
    notes(run("switch where tid = 7 and tid = 8 count for 50ms"), "no rows");
}

#[test]
fn a_process_that_ends_meanwhile() {
    if !require_bpf("live::identity::a_process_that_ends_meanwhile") {
        return;
    }
    let _alone = live_lock();
    let workload = Workload::start("sleeper 1 1");
    // Its last switches are no rows of this query.
    let watch = Watch::open(&[format!("switch where tgid = {} and next_prio = -1 count", workload.pid())]);
    drop(workload);
    std::thread::sleep(Duration::from_millis(20));
    let answer = watch.close().remove(0);
    assert!(answer.notes().contains("exited during the window"), "{}", answer.notes());
}

/// What schedq itself does is no part of an answer that does not name it.
#[test]
fn our_own_threads_are_left_out() {
    if !require_bpf("live::identity::our_own_threads_are_left_out") {
        return;
    }
    let _alone = live_lock();
    // The rows make its threads look into the ring many times a second.
    let watch = Watch::open(&[
        "switch count by tid, comm",
        "runq events(tid, tgid)",
        "switch where comm ~ 'schedq*' count by tgid",
        "switch where process = 'schedq' and comm != 'nobody' count by tgid",
    ]);
    Workload::start("sleeper 200 1000").finish();
    let own = watch.pid();
    let answers = watch.close();
    assert_eq!(answers[0].of("tid", own, "count"), 0);
    assert!(answers[1].rows.iter().all(|row| row["tgid"] != own) && !answers[1].rows.is_empty());
    assert!(answers[2].of("tgid", own, "count") >= 5, "{:?}", answers[2].rows);
    assert!(answers[3].of("tgid", own, "count") >= 5, "{:?}", answers[3].rows);
}
