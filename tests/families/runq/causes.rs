//! How a wait began.

use crate::support::watch::{Answer, Watch, best_of_three, over};
use crate::support::{Workload, live_lock, require_bpf};

fn cause(answer: &Answer, tid: i32, cause: &str) -> u64 {
    answer.sum_where("count", |row| row["tid"] == tid && row["cause"] == cause)
}

/// Seen, of what there was: never more, and at least 97 in a hundred.
#[track_caller]
fn nearly(what: &str, seen: u64, there_were: u64) -> Result<(), String> {
    assert!(seen <= there_were, "{what}: {seen} of {there_were}");
    if (seen as f64) < there_were as f64 * 0.97 - 1.0 { Err(format!("{what}: {seen} of {there_were}")) } else { Ok(()) }
}

#[test]
fn threads_that_only_burn_are_preempted() {
    if !require_bpf("families::runq::threads_that_only_burn_are_preempted") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("spinner 0.6 --threads 3 --cpu 0");
        let (truth, answers) = over(&mut workload, &["runq where tgid=PID count by tid, cause"]);
        let outside = workload.switches();
        for thread in truth.workers() {
            nearly("preempt", cause(&answers[0], thread.tid, "preempt"), outside[&thread.tid].involuntary)?;
            // Woken for the phase only.
            assert!(cause(&answers[0], thread.tid, "wakeup") <= 2, "{:?}", answers[0].rows);
            assert_eq!(cause(&answers[0], thread.tid, "new") + cause(&answers[0], thread.tid, "throttle"), 0);
        }
        Ok(())
    });
}

#[test]
fn sleepers_are_woken() {
    if !require_bpf("families::runq::sleepers_are_woken") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("sleeper 400 500");
        let (truth, answers) = over(&mut workload, &["runq where tgid=PID count by tid, cause"]);
        let tid = truth.worker().tid;
        let outside = workload.switches()[&tid];
        nearly("wakeup", cause(&answers[0], tid, "wakeup"), outside.voluntary)?;
        assert!(cause(&answers[0], tid, "preempt") <= outside.involuntary, "{:?}", answers[0].rows);
        assert_eq!(cause(&answers[0], tid, "new") + cause(&answers[0], tid, "throttle"), 0);
        Ok(())
    });
}

#[test]
fn the_first_wait_of_a_task_is_new() {
    if !require_bpf("families::runq::the_first_wait_of_a_task_is_new") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("churn 400");
        let (_, answers) = over(&mut workload, &["runq where tgid=PID count by cause"]);
        nearly("new threads", answers[0].of("cause", "new", "count"), 400)
    });
    best_of_three(|| {
        let mut workload = Workload::start("forks 15 --name lt-new");
        // A child has its parent's name until it takes another.
        let query = "runq where cause = new and process = 'lt-new' count";
        let (_, answers) = over(&mut workload, &[query]);
        nearly("new processes", answers[0].sum("count"), 14)
    });
}

/// A thread that is woken while it still runs does not wait: its voluntary switches that come to nothing begin no wait.
#[test]
fn woken_while_running_is_no_wait() {
    if !require_bpf("families::runq::woken_while_running_is_no_wait") {
        return;
    }
    let _alone = live_lock();
    // On two CPUs the partner is often woken while it is about to fall asleep.
    let mut workload = Workload::start("pingpong 8000");
    let (truth, answers) = over(&mut workload, &["runq latency where tgid=PID count, max by tid"]);
    let kernel = workload.schedstats();
    for thread in truth.workers() {
        let waits = answers[0].of("tid", thread.tid, "count");
        assert!(waits <= kernel[&thread.tid].slices, "{waits} {:?}", kernel[&thread.tid]);
    }
}

#[test]
fn the_idle_task_never_waits() {
    if !require_bpf("families::runq::the_idle_task_never_waits") {
        return;
    }
    let _alone = live_lock();
    let watch = Watch::open(&["runq count by tid", "runq where tid = 0 count"]);
    Workload::start("sleeper 200 1000").finish();
    let answers = watch.close();
    assert!(!answers[0].rows.is_empty());
    assert_eq!(answers[0].of("tid", 0, "count"), 0);
    assert_eq!(answers[1].sum("count"), 0, "{:?}", answers[1].rows);
}
