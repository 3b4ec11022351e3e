//! Time that a cgroup's quota takes is inside every wait; it is told apart from waiting for others.

use std::time::Duration;

use crate::support::cgroup::Cgroup;
use crate::support::watch::{best_of_three, over};
use crate::support::{Workload, live_lock, require, require_bpf};

#[test]
fn throttled_waits_are_told_apart() {
    let name = "families::runq::throttled_waits_are_told_apart";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let Some(group) = Cgroup::v1_cpu("throttle").or_else(|| Cgroup::v2_cpu("throttle")) else {
            require(name, false, "a hierarchy with the cpu controller");
            return Ok(());
        };
        group.quota(Duration::from_millis(20), Duration::from_millis(100));
        let mut workload = Workload::start("spinner 1.5");
        group.attach(workload.pid());
        let before = group.throttled_ns();
        let (truth, answers) = over(&mut workload, &["runq latency where tgid=PID count, sum, max by tid, cause"]);
        let throttled = group.throttled_ns() - before;
        let (tid, delay) = (truth.worker().tid, workload.schedstats()[&truth.worker().tid].run_delay_ns);
        let of = |cause: &str| answers[0].sum_where("latency_sum_ns", |row| row["tid"] == tid && row["cause"] == cause);
        let (by_quota, by_others) = (of("throttle"), of("preempt"));
        assert!(throttled > 500_000_000, "the quota takes hold: {throttled}");
        let told = format!("throttle {by_quota}, preempt {by_others}, cpu.stat {throttled}, run_delay {delay}");
        assert!(by_quota + by_others + of("wakeup") <= delay + delay / 50 + 1_000_000, "{told}");
        let ratio = |a: u64, b: u64| a as f64 / b as f64;
        // What comes after the quota's end until the CPU is free belongs to the same wait.
        if (0.9..1.25).contains(&ratio(by_quota, throttled)) && ratio(by_quota + by_others, delay) > 0.98 {
            Ok(())
        } else {
            Err(told)
        }
    });
}
