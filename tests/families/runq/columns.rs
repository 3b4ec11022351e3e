//! What a row says of the task that waited and of the one that ran before it.

use serde_json::Value;

use crate::support::watch::over;
use crate::support::{Workload, live_lock, require_bpf};

#[test]
fn who_waited_and_for_whom() {
    if !require_bpf("families::runq::who_waited_and_for_whom") {
        return;
    }
    let _alone = live_lock();
    // Of two real-time threads that yield to each other, each waits while the other runs, whatever else there is.
    let mut workload = Workload::start("yielder 400 --threads 2 --cpu 1 --name lt-wait --fifo 5");
    let columns = "at, cpu, tid, tgid, comm, process, prio, policy, nice, kthread, latency, cause, prev_tid, prev_comm";
    let (truth, answers) = over(&mut workload, &[&format!("runq where tgid=PID events({columns})")]);
    let tids: Vec<i32> = truth.workers().map(|t| t.tid).collect();
    let mine = |tid: &Value| tids.iter().any(|t| *tid == *t);
    let rows: Vec<&Value> = answers[0].rows.iter().filter(|row| mine(&row["tid"])).collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in &rows {
        assert_eq!((&row["cpu"], &row["tgid"]), (&1.into(), &workload.pid().into()), "{row}");
        assert_eq!((&row["comm"], &row["process"]), (&"lt-wait".into(), &"workload".into()), "{row}");
        assert_eq!((&row["nice"], &row["prio"], &row["policy"]), (&0.into(), &94.into(), &"fifo".into()), "{row}");
        assert_eq!(row["kthread"], false, "{row}");
        assert_ne!(row["prev_tid"], row["tid"], "nobody waits for itself: {row}");
        if mine(&row["prev_tid"]) {
            assert_eq!(row["prev_comm"], "lt-wait", "{row}");
        }
    }
    let for_each_other = rows.iter().filter(|row| mine(&row["prev_tid"])).count();
    assert!(for_each_other * 10 > rows.len() * 9, "{for_each_other} of {}", rows.len());
}

/// Priority inheritance lifts the priority that counts, and leaves the policy and its parameter alone.
#[test]
fn an_inherited_priority() {
    if !require_bpf("families::runq::an_inherited_priority") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pi --cpu 0");
    let (truth, answers) = over(&mut workload, &["runq where tgid=PID events(tid, prio, policy, cause)"]);
    let low = truth.threads.iter().find(|t| t.role == "low").expect("a role").tid;
    let prios: Vec<(i64, &str)> = answers[0]
        .rows
        .iter()
        .filter(|row| row["tid"] == low)
        .map(|row| (row["prio"].as_i64().expect("a number"), row["policy"].as_str().expect("a word")))
        .collect();
    assert!(prios.iter().all(|(_, policy)| *policy == "fifo"), "{prios:?}");
    // 99 - 10 its own, 99 - 30 that of the thread that waits for its mutex.
    assert!(prios.iter().any(|(prio, _)| *prio == 89) && prios.iter().any(|(prio, _)| *prio == 69), "{prios:?}");
}
