//! Objects that were loaded before and are attached again: the same counts as those of a fresh load.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use schedq::diagnostic::Source;
use schedq::lang::ast::Statement;
use schedq::plan::{CheckOptions, Params, Plan, check};
use schedq::source::live::{Facts, Live, Pool, Processes};
use schedq::source::{Account, Table};

use crate::support::{Workload, live_lock, require_bpf};

fn plan(text: &str) -> Plan {
    let parsed = schedq::lang::parse(&Source::new("test", text));
    let Some(Statement::Query(query)) = parsed.statements().next().cloned() else { panic!("{text}") };
    check(&query, &Params::new(), &CheckOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("a clock");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

fn processes() -> Processes {
    Processes { own: std::process::id(), child: None }
}

const OLD: Facts = Facts { task_storage: false, prev_state_argument: true };

struct Answer {
    table: Table,
    account: Account,
    /// From before the attachment to after the window's end, nanoseconds.
    attached_ns: u64,
    start: Duration,
}

/// Other tests of this process start programs, which hold links of the last window for a moment: waits until no program of
/// ours has two.
fn each_is_attached_once() {
    let end = Instant::now() + Duration::from_secs(10);
    let of_link =
        |text: String| text.lines().find_map(|line| line.strip_prefix("prog_id:")?.trim().parse::<u32>().ok());
    loop {
        let files = std::fs::read_dir("/proc/self/fdinfo").expect("our files").flatten();
        let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        let own: Vec<u32> = texts.filter(|text| text.contains("link_id:")).filter_map(of_link).collect();
        let all: Vec<u32> = libbpf_rs::query::LinkInfoIter::default().map(|link| link.prog_id).collect();
        if own.iter().all(|own| all.iter().filter(|id| *id == own).count() == 1) {
            return;
        }
        assert!(Instant::now() < end, "links that stay: {own:?} of {all:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Asks while `during` runs.
fn ask(plan: &Plan, facts: Option<Facts>, pool: &mut Pool, during: impl FnOnce()) -> Answer {
    let (begin, begin_ns) = (Instant::now(), now());
    let mut live = Live::attach_again(&plan.scan, processes(), facts, pool).unwrap_or_else(|e| panic!("{e:?}"));
    let start = begin.elapsed();
    each_is_attached_once();
    live.open(now()).expect("opened");
    during();
    live.close().expect("closed");
    let attached_ns = now() - begin_ns;
    let (table, account, _) = live.finish_into(pool).expect("read");
    Answer { table, account, attached_ns, start }
}

/// Rows in groups, or the rows themselves.
fn rows(table: &Table) -> u64 {
    table.cells.as_ref().map_or(table.height as u64, |cells| cells.iter().map(|cell| cell.count).sum())
}

#[test]
fn every_layout_counts_right_again_and_again() {
    if !require_bpf("live::again::every_layout_counts_right_again_and_again") {
        return;
    }
    let _alone = live_lock();
    let mut pool = Pool::new(1 << 30);
    for facts in [None, Some(OLD)] {
        for query in ["count", "count by tid, kind", "events(tid, at)", "count by tid every 10s"] {
            let plan = plan(&format!("switch where comm = 'again' {query}"));
            for round in 0..3 {
                let mut workload = Workload::start("sleeper 300 200 --name again");
                let mut switches = 0;
                let answer = ask(&plan, facts, &mut pool, || {
                    let worker = workload.finish().worker().tid;
                    std::thread::sleep(Duration::from_millis(5));
                    // The kernel's own account, from before the window until now.
                    switches = workload.switches()[&worker].all();
                });
                let found = rows(&answer.table);
                assert_eq!(found, switches, "{query}, round {round}");
                assert_eq!((answer.account.matched, answer.account.lost()), (found, 0), "{query}, round {round}");
            }
        }
    }
}

/// What a task was waiting for when the programs were let go is not a wait that goes on until they come back.
#[test]
fn no_wait_is_longer_than_the_attachment() {
    if !require_bpf("live::again::no_wait_is_longer_than_the_attachment") {
        return;
    }
    let _alone = live_lock();
    let mut pool = Pool::new(1 << 30);
    let plan = plan("runq latency where comm = 'again' max, hist by tid");
    // Two that spin on one CPU: at any time one of them waits.
    let mut workload = Workload::start("spinner 4 --threads 2 --cpu 0 --name again");
    workload.go();
    for facts in [None, Some(OLD)] {
        for round in 0..3 {
            let answer = ask(&plan, facts, &mut pool, || std::thread::sleep(Duration::from_millis(100)));
            let longest = answer.table.cells.iter().flatten().map(|cell| cell.max).max().expect("waits");
            assert!(longest <= answer.attached_ns, "round {round}: {longest} ns in {} ns", answer.attached_ns);
            std::thread::sleep(Duration::from_millis(400));
        }
    }
}

#[test]
fn an_object_that_waits_starts_sooner() {
    if !require_bpf("live::again::an_object_that_waits_starts_sooner") {
        return;
    }
    let _alone = live_lock();
    let mut pool = Pool::new(1 << 30);
    let plan = plan("runq latency where comm = 'again' hist");
    let start = |pool: &mut Pool| ask(&plan, None, pool, || ()).start;
    let fresh: Vec<Duration> = (0..5).map(|_| start(&mut Pool::new(0))).collect();
    start(&mut pool);
    let again: Vec<Duration> = (0..5).map(|_| start(&mut pool)).collect();
    eprintln!("fresh {fresh:?}, again {again:?}");
    assert!(again.iter().min() < fresh.iter().min(), "fresh {fresh:?}, again {again:?}");
}
