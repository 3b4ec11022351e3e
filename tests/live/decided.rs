//! A condition means the same wherever it is decided. A glob that needs a search is left to user space; put beside a
//! condition with "or", it takes that one along, whatever the kernel could have done with it.

use crate::support::watch::over;
use crate::support::{Schedq, Workload, live_lock, require_bpf};

/// Holds for no name, and no kernel can tell.
const NEVER: &str = "comm ~ '*no*such?name*'";

const CONDITIONS: &[&str] = &[
    "kind = voluntary",
    "cpu = 0",
    "cpu in 0,2-7",
    "state in (sleep, running)",
    "next_tid = 0 and kind != involuntary",
    "next_comm = 'lt-decide'",
    "not next_comm ~ 'lt-*'",
    "next_tid > tid",
    "next_prio >= prio",
    "next_comm is missing",
    "prio = 121 and nice = 1 and policy = other",
    "process = 'workload'",
];

#[test]
fn by_the_kernel_or_by_us() {
    if !require_bpf("live::decided::by_the_kernel_or_by_us") {
        return;
    }
    let _alone = live_lock();
    for some in CONDITIONS.chunks(4) {
        let mut queries = Vec::new();
        for condition in some {
            queries.push(format!("switch where tgid=PID and ({condition}) count by tid, kind"));
            queries.push(format!("switch where tgid=PID and ({condition} or {NEVER}) count by tid, kind"));
            queries.push(format!("switch where tgid=PID and not ({condition}) count by tid, kind"));
        }
        queries.push("switch where tgid=PID count by tid, kind".into());
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let mut workload = Workload::start("pingpong 1000 --name lt-decide --nice 1");
        let (_, answers) = over(&mut workload, &queries);
        let all = answers[answers.len() - 1].sum("count");
        for (condition, three) in some.iter().zip(answers.chunks(3)) {
            assert_eq!(three[0].rows, three[1].rows, "{condition}");
            assert_eq!(three[0].sum("count") + three[2].sum("count"), all, "{condition}: two-valued");
        }
    }
}

/// The comparison above compares something: the plans differ.
#[test]
fn the_plans_differ() {
    let explain = |query: &str| Schedq::new(["explain", query]).run().success().stdout;
    let kernel = explain("switch where tgid=1 and (kind = voluntary) count by tid, kind for 1s");
    let user = explain(&format!("switch where tgid=1 and (kind = voluntary or {NEVER}) count by tid, kind for 1s"));
    assert!(kernel.contains("kind = voluntary") && !kernel.contains("hidden"), "{kernel}");
    assert!(user.contains("comm (hidden)"), "{user}");
}

/// More terms than a program holds, and keys too long for one: what does not fit is decided after.
#[test]
fn more_than_the_kernel_holds() {
    if !require_bpf("live::decided::more_than_the_kernel_holds") {
        return;
    }
    let _alone = live_lock();
    let many: Vec<String> = (0..30).map(|n| format!("not (next_tid = {} and cpu = {n})", 900_000_000 + n)).collect();
    // Fifteen words, and two more that only the condition needs.
    let long = "cpu, tid, tgid, comm, process, prio, policy, nice, cgroup, kind, state, next_tid, next_prio";
    let unknown = "next_comm ~ '*no*such?name*'";
    let queries = [
        "switch where tgid=PID count by tid".to_owned(),
        format!("switch where tgid=PID and {} count by tid", many.join(" and ")),
        format!("switch where tgid=PID and ({unknown} or kind = voluntary) count by {long}"),
        "switch where tgid=PID and kind = voluntary count by tid".to_owned(),
    ];
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let mut workload = Workload::start("pingpong 1000");
    let (_, answers) = over(&mut workload, &queries);
    assert_eq!(answers[0].rows, answers[1].rows);
    assert_eq!(answers[2].sum("count"), answers[3].sum("count"));
    assert!(answers[2].rows.len() > 2);
}
