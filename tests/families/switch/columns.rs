//! What a row says of the task that left and of the one that came.

use crate::support::watch::over;
use crate::support::{Workload, live_lock, require_bpf};

#[test]
fn who_left_and_who_came() {
    if !require_bpf("families::switch::who_left_and_who_came") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 300 --cpu 1 --name lt-pp --nice 3");
    let before = wall_ns();
    let (truth, answers) = over(
        &mut workload,
        &[
            "switch where tgid=PID events(at, cpu, tid, tgid, comm, process, prio, policy, nice, kthread, next_tid, next_comm, next_prio, kind)",
        ],
    );
    let tids: Vec<i32> = truth.workers().map(|t| t.tid).collect();
    let mine = |tid: &serde_json::Value| tids.iter().any(|t| *tid == *t);
    let rows: Vec<_> = answers[0].rows.iter().filter(|row| mine(&row["tid"])).collect();
    assert!(rows.len() >= 600, "{}", rows.len());
    for row in &rows {
        assert_eq!(row["cpu"], 1, "{row}");
        assert_eq!(row["tgid"], workload.pid(), "{row}");
        assert_eq!(row["comm"], "lt-pp", "{row}");
        assert_eq!(row["process"], "workload", "{row}");
        assert_eq!((&row["nice"], &row["prio"], &row["policy"]), (&3.into(), &123.into(), &"other".into()), "{row}");
        assert_eq!(row["kthread"], false, "{row}");
        if mine(&row["next_tid"]) {
            assert_ne!(row["next_tid"], row["tid"], "{row}");
            assert_eq!((&row["next_comm"], &row["next_prio"]), (&"lt-pp".into(), &123.into()), "{row}");
        }
        if row["next_tid"] == 0 {
            assert_eq!((&row["next_comm"], &row["next_prio"]), (&"swapper/1".into(), &120.into()), "{row}");
        }
    }
    let handed_over = rows.iter().filter(|row| mine(&row["next_tid"])).count();
    assert!(
        handed_over * 2 > rows.len(),
        "on one CPU the one makes room for the other: {handed_over} of {}",
        rows.len()
    );
    // The wall clock, as every other program reads it.
    let instant = |row: &&serde_json::Value| row["at"].as_i64().expect("a time");
    let (first, last) = (rows.iter().map(instant).min(), rows.iter().map(instant).max());
    assert!(first >= Some(before) && last <= Some(wall_ns()), "{before} {first:?} {last:?}");
    // Rows of one CPU come in their order.
    assert!(rows.is_sorted_by_key(|row| row["at"].as_i64()));
}

fn wall_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock that is set");
    i64::try_from(since.as_nanos()).expect("some centuries")
}

#[test]
fn real_time_tasks() {
    if !require_bpf("families::switch::real_time_tasks") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("sleeper 100 300 --fifo 7");
    let (truth, answers) = over(
        &mut workload,
        &[
            "switch where tgid=PID count by tid, policy, prio",
            "switch where tgid=PID and policy = fifo count by tid",
            "switch where tgid=PID and prio < 100 count by tid",
        ],
    );
    let tid = truth.worker().tid;
    let seen = workload.switches()[&tid].all();
    let of = |at: usize| answers[at].of("tid", tid, "count");
    assert_eq!((of(0), of(1), of(2)), (seen, seen, seen));
    // The kernel counts real-time priorities downwards from 99.
    assert!(answers[0].rows.iter().all(|row| row["tid"] != tid || (row["policy"] == "fifo" && row["prio"] == 92)));
    assert_eq!(answers[1].rows.len(), 1, "main is no real-time task: {:?}", answers[1].rows);
}
