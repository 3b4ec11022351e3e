//! The kernel sums up how long a thread waited (run_delay) and how often it was switched in; so does this family.
//!
//! A small part of the wakeups and switch-ins of a virtual machine cannot be seen by any program, so the counts are never
//! above the truth and hardly below it, in the best of three runs.

use crate::support::counters::Schedstat;
use crate::support::watch::{Answer, best_of_three, number, over};
use crate::support::{Workload, live_lock, require_bpf};

/// Rows and their sum for one thread.
fn of(answer: &Answer, tid: i32) -> (u64, u64) {
    (answer.of("tid", tid, "count"), answer.of("tid", tid, "latency_sum_ns"))
}

/// Whether count and sum of a thread's waits fit its schedstat. Panics when there are more waits than switch-ins: then a
/// wait was made up.
#[track_caller]
fn fits(line: &str, tid: i32, (count, sum): (u64, u64), kernel: Schedstat) -> Result<(), String> {
    assert!(count <= kernel.slices, "{line}: {tid}: {count} waits, but {kernel:?}");
    // The kernel's wait starts at the enqueueing, a little later than the event that tells of it; and on an idle CPU it does
    // not look at the clock again when it picks the task (rq_clock_skip_update), so it leaves out the time in which a
    // halted virtual CPU comes back. Time that was slept, counted as waited, would be far more.
    let allowed = kernel.run_delay_ns as f64 * 1.02 + count as f64 * 100_000.0 + 100_000.0;
    assert!((sum as f64) < allowed, "{line}: {tid}: {sum} ns in {count} waits, but {kernel:?}");
    if (count as f64) < kernel.slices as f64 * 0.97 - 1.0 {
        return Err(format!("{line}: {tid}: {count} waits of {}", kernel.slices));
    }
    Ok(())
}

#[test]
fn of_contended_threads_are_those_of_the_kernel() {
    if !require_bpf("families::runq::of_contended_threads_are_those_of_the_kernel") {
        return;
    }
    let _alone = live_lock();
    for line in [
        "spinner 0.8 --threads 3 --cpu 0",
        "duty 2000 500 0.8 --threads 3 --cpu 1",
        // A task that is preempted in the kernel leaves in another state (R+) than one that ends its slice in user space.
        "kernel 0.8 --threads 3 --cpu 0",
    ] {
        best_of_three(|| {
            let mut workload = Workload::start(line);
            let query = "runq latency where tgid=PID count, sum, max by tid";
            let (truth, answers) = over(&mut workload, &[query, "switch where tgid=PID count by tid"]);
            let kernel = workload.schedstats();
            let longest = answers[0].rows.iter().map(|row| number(row, "latency_max_ns")).max().expect("rows");
            // A time that nobody waited would be made by a start that was missed, or by one that was taken twice.
            assert!(longest < truth.wall_ns as u64, "{line}: {longest} ns");
            for thread in truth.workers() {
                let (count, sum) = of(&answers[0], thread.tid);
                let kernel = kernel[&thread.tid];
                fits(line, thread.tid, (count, sum), kernel)?;
                // A wait whose end could not be seen is no row, and is told.
                let missing = kernel.slices - count;
                let told = answers[0].loss("switch_in_unseen") + answers[0].loss("start_unseen");
                let off = sum as f64 - kernel.run_delay_ns as f64;
                let allowed = kernel.run_delay_ns as f64 * 0.01;
                let lacking = missing.min(told) as f64 * longest as f64;
                if off > allowed || off < -(allowed + lacking) {
                    return Err(format!("{line}: {count} waits of {sum} ns, {told} told as unseen, {kernel:?}"));
                }
            }
            Ok(())
        });
    }
}

#[test]
fn of_sleepers_and_of_partners() {
    if !require_bpf("families::runq::of_sleepers_and_of_partners") {
        return;
    }
    let _alone = live_lock();
    for line in
        ["sleeper 400 300 --threads 2", "pingpong 3000", "pingpong 3000 --cpu 0", "yielder 3000 --threads 2 --cpu 1"]
    {
        best_of_three(|| {
            let mut workload = Workload::start(line);
            let (truth, answers) = over(&mut workload, &["runq latency where tgid=PID count, sum by tid"]);
            let kernel = workload.schedstats();
            truth.workers().try_for_each(|t| fits(line, t.tid, of(&answers[0], t.tid), kernel[&t.tid]))
        });
    }
}

/// What was set aside is counted, and adds up with the rows to all switch-ins.
#[test]
fn rows_and_losses_together_are_the_switch_ins() {
    if !require_bpf("families::runq::rows_and_losses_together_are_the_switch_ins") {
        return;
    }
    let _alone = live_lock();
    let line = "pingpong 5000 --cpu 0";
    best_of_three(|| {
        let mut workload = Workload::start(line);
        let (_, answers) = over(&mut workload, &["runq latency where tgid=PID count by tid"]);
        let answer = &answers[0];
        let slices: u64 = workload.schedstats().values().map(|s| s.slices).sum();
        let rows = answer.sum("count");
        assert_eq!(answer.meta["rows_seen"], rows);
        let told =
            rows + answer.loss("start_unseen") + answer.loss("switch_in_unseen") + answer.loss("negative_dropped");
        assert!(rows <= slices, "{rows} of {slices}");
        // A wait that both began and ended unseen leaves no trace.
        let lacking = slices.saturating_sub(told);
        if lacking * 500 > slices { Err(format!("{told} told of {slices}: {}", answer.meta["loss"])) } else { Ok(()) }
    });
}

#[test]
fn nobody_waits_longer_than_the_window() {
    if !require_bpf("families::runq::nobody_waits_longer_than_the_window") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("pingpong 5000 --cpu 0");
    let (_, answers) = over(&mut workload, &["runq latency max, p50 by tid"]);
    let window = answers[0].meta["window_ns"].as_u64().expect("a number");
    // A start may lie before the window, between the attaching and the opening.
    for row in &answers[0].rows {
        assert!(row["latency_max_ns"].as_u64() < Some(window + 200_000_000), "{row}");
    }
    assert!(answers[0].rows.len() > 2);
}
