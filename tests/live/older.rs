//! The variants for older kernels: without task storage what is remembered of a task is in a hash by its number, and the
//! state in which it leaves is read from the task. This kernel takes them too.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use schedq::diagnostic::Source;
use schedq::lang::ast::Statement;
use schedq::lang::parse;
use schedq::plan::{CheckOptions, Params, Plan, check};
use schedq::source::live::{Facts, Live, Processes};
use schedq::source::{Account, Table, Values};

use crate::support::watch::best_of_three;
use crate::support::{Workload, live_lock, require_bpf, workload};

const OLD: Facts = Facts { task_storage: false, prev_state_argument: true };
const OLDEST: Facts = Facts { task_storage: false, prev_state_argument: false };

fn plan(text: &str) -> Plan {
    let source = Source::new("test", text.to_owned());
    let parsed = parse(&source);
    let query = parsed.statements().find_map(|s| match s {
        Statement::Query(query) => Some(query.clone()),
        _ => None,
    });
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    check(&query.expect("a query"), &Params::new(), &options).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

struct Old {
    live: Live,
}

impl Old {
    fn open(text: &str, facts: Facts, child: Option<u32>) -> Old {
        let processes = Processes { own: std::process::id(), child };
        let mut live = Live::attach_as(&plan(text).scan, processes, Some(facts)).unwrap_or_else(|e| panic!("{e:?}"));
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("a clock");
        live.open(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64).expect("the window opens");
        Old { live }
    }

    fn close(mut self) -> (Table, Account) {
        self.live.close().expect("the window closes");
        let (table, account, _) = self.live.finish().expect("maps can be read");
        (table, account)
    }
}

fn ints(table: &Table, name: &str) -> Vec<i64> {
    let column = table.columns.iter().find(|c| c.name == name).expect("a column");
    let Values::Int(values) = &column.values else { panic!("{name} is no number") };
    values.iter().map(|v| v.expect("there")).collect()
}

fn texts<'t>(table: &'t Table, name: &str) -> Vec<&'t str> {
    let column = table.columns.iter().find(|c| c.name == name).expect("a column");
    let Values::Text(values) = &column.values else { panic!("{name} is no text") };
    values.iter().map(|v| v.as_deref().expect("there")).collect()
}

fn counts(table: &Table) -> Vec<u64> {
    table.cells.as_ref().expect("groups").iter().map(|c| c.count).collect()
}

/// Counts by thread.
fn by_tid(table: &Table) -> BTreeMap<i64, u64> {
    let mut all = BTreeMap::new();
    for (tid, count) in ints(table, "tid").into_iter().zip(counts(table)) {
        *all.entry(tid).or_default() += count;
    }
    all
}

#[test]
fn switches() {
    if !require_bpf("live::older::switches") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("duty 300 300 0.3 --threads 3 --cpu 0");
    let query = format!("switch where tgid={} count by tid, kind", workload.pid());
    let both = [OLD, OLDEST].map(|facts| Old::open(&query, facts, None));
    workload.finish();
    for (old, facts) in both.into_iter().zip([OLD, OLDEST]) {
        let (table, account) = old.close();
        let seen = by_tid(&table);
        let (mut voluntary, mut truth) = (0u64, 0u64);
        for (kind, count) in texts(&table, "kind").into_iter().zip(counts(&table)) {
            voluntary += if kind == "voluntary" { count } else { 0 };
        }
        for (tid, switches) in workload.switches() {
            assert_eq!(seen.get(&i64::from(tid)).copied().unwrap_or(0), switches.all(), "{facts:?}");
            truth += switches.voluntary;
        }
        // The task's own field may have changed since, if its waker was quick.
        let allowed = if facts.prev_state_argument { 0 } else { truth / 50 };
        assert!(voluntary.abs_diff(truth) <= allowed, "{facts:?}: {voluntary} {truth}");
        assert_eq!(account.lost(), 0, "{:?}", account.losses);
    }
}

#[test]
fn waits() {
    if !require_bpf("live::older::waits") {
        return;
    }
    let _alone = live_lock();
    best_of_three(|| {
        let mut workload = Workload::start("duty 500 300 0.5 --threads 3 --cpu 1");
        let query = format!("runq latency where tgid={} sum, count by tid", workload.pid());
        let both = [OLD, OLDEST].map(|facts| Old::open(&query, facts, None));
        let truth = workload.finish();
        let kernel = workload.schedstats();
        for old in both {
            let (table, account) = old.close();
            for thread in truth.workers() {
                let kernel = kernel[&thread.tid];
                let at = ints(&table, "tid").iter().position(|tid| *tid == i64::from(thread.tid)).expect("a group");
                let cell = &table.cells.as_ref().expect("groups")[at];
                assert!(cell.count <= kernel.slices, "{cell:?} {kernel:?}");
                assert!(cell.sum as f64 <= kernel.run_delay_ns as f64 * 1.02 + 1e6, "{cell:?} {kernel:?}");
                if cell.count * 100 < kernel.slices * 97 {
                    return Err(format!("{} of {}: {:?}", cell.count, kernel.slices, account.losses));
                }
            }
        }
        Ok(())
    });
}

/// What is remembered of a thread goes away with it: far more threads than the hash has room for leave it empty.
#[test]
fn nothing_is_remembered_of_the_dead() {
    if !require_bpf("live::older::nothing_is_remembered_of_the_dead") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start("churn 3000 --totals");
    let query = format!("runq latency where tgid={} count", workload.pid());
    let old = Old::open(&query, OLD, None);
    workload.finish();
    // The kernel lets go of a dead task some time after its end. Two threads live, and the query speaks of nobody else.
    let end = Instant::now() + Duration::from_secs(5);
    let mut remembered = None;
    while remembered.is_none_or(|n| n > 3) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
        remembered = old.live.remembered().expect("the hash can be read");
    }
    let (table, account) = old.close();
    assert!(counts(&table)[0] > 3000, "{table:?}");
    assert_eq!(account.losses.iter().find(|l| l.name == "task_state").map(|l| l.count), Some(0));
    assert!(remembered.is_some_and(|n| n <= 3), "{remembered:?} of 3002 threads");
}

/// The command and what it starts, to their last switch.
#[test]
fn descendants() {
    if !require_bpf("live::older::descendants") {
        return;
    }
    let _alone = live_lock();
    let mut command = Command::new("sh")
        .args(["-c", "read go; exec \"$0\" forks 15 --name lt-old"])
        .arg(workload::path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    std::thread::sleep(Duration::from_millis(100));
    let old = Old::open("switch where child count by tid, state", OLD, Some(command.id()));
    writeln!(command.stdin.take().expect("piped"), "go").expect("the shell reads");
    let output = command.wait_with_output().expect("the command");
    std::thread::sleep(Duration::from_millis(20));
    let (table, account) = old.close();
    let truth: workload::Truth = serde_json::from_slice(&output.stdout).expect("the workload's account");
    let tids: Vec<i64> = by_tid(&table).into_keys().collect();
    let mut known: Vec<i64> = truth.threads.iter().map(|t| i64::from(t.tid)).collect();
    known.sort_unstable();
    assert_eq!(tids, known);
    let ends = texts(&table, "state").into_iter().zip(counts(&table)).filter(|(s, _)| ["zombie", "dead"].contains(s));
    assert_eq!(ends.map(|(_, n)| n).sum::<u64>(), 15, "{table:?}");
    assert_eq!(account.lost(), 0, "{:?}", account.losses);
}
