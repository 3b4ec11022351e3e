//! What asking a recording costs beyond reading it; run by hand:
//! `cargo test --release --lib source::trace::speed -- --ignored --nocapture`.

use nix::time::{ClockId, clock_gettime};

use super::{Error, Recorded, run};
use crate::catalog::event::{Batch, Event, Identity, Kind, flag};
use crate::lang::ast::Statement;
use crate::plan::{CheckOptions, Params, Scan, check};

fn scan(text: &str) -> Scan {
    let parsed = crate::lang::parse(&crate::diagnostic::Source::new("speed", text.to_owned()));
    let Some(Statement::Query(query)) = parsed.statements().next() else { panic!("{text} is no query") };
    check(query, &Params::new(), &CheckOptions::default()).expect("a right query").scan
}

/// Batches as a reader makes them, of so many tasks that take turns on so many CPUs: each is woken, comes, and leaves
/// asleep or preempted.
fn batches(tasks: u32, cpus: u16, events: usize) -> Vec<Batch> {
    let mut all = Vec::new();
    let mut batch = Batch::default();
    for tid in 0..=tasks {
        let mut comm = [0; 16];
        let name = format!("task-{}", tid / 8);
        comm[..name.len()].copy_from_slice(name.as_bytes());
        let identity = Identity {
            at: 1,
            tid,
            other: 0,
            state: 0,
            cpu: 0,
            kind: Kind::Task,
            flags: 0,
            born: 1,
            cgroup: 1,
            comm,
            process: comm,
            tgid: tid / 4,
            prio: 120,
            policy: 0,
            nice: 0,
        };
        batch.identities.push(identity);
    }
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut running = vec![0u32; usize::from(cpus)];
    let mut now = 1000;
    let mut made = 0;
    while made < events {
        let cpu = (next() % u64::from(cpus)) as u16;
        let tid = 1 + (next() % u64::from(tasks)) as u32;
        let prev = std::mem::replace(&mut running[usize::from(cpu)], tid);
        now += 100 + next() % 5000;
        let blank = Event { at: now, tid, other: prev, state: 0, cpu, kind: Kind::Wakeup, flags: 0 };
        if prev == tid {
            continue;
        }
        batch.events.push(Event { kind: Kind::Waking, ..blank });
        batch.events.push(Event { at: now + 1, ..blank });
        let (state, flags) = if next().is_multiple_of(4) { (0, flag::PREEMPT) } else { (1, 0) };
        now += 10 + next() % 3000;
        batch.events.push(Event { at: now, tid: prev, other: tid, state, cpu, kind: Kind::Switch, flags });
        made += 3;
        if batch.events.len() >= 16_000 {
            all.push(std::mem::take(&mut batch));
        }
    }
    all.push(batch);
    all
}

/// CPU time of this thread: other work runs beside.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has it");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

#[test]
#[ignore = "measures; run in release"]
fn nanoseconds_per_event() {
    const EVENTS: usize = 2_400_000;
    let queries = [
        "runq latency hist by comm",
        "runq latency hist",
        "runq latency p99, max by comm, cpu",
        "runq latency hist by cpu",
        "runq latency where comm='task-3' hist by cpu",
        "runq latency count by cause",
        "runq latency p99 by comm every 10ms for 100s",
        "runq latency where latency > 1us and comm != prev_comm count by tid",
        "runq latency events(at, tid, latency) for 5s",
        "switch count by comm",
        "switch count by tid, comm, kind",
    ];
    for tasks in [2, 400, 12_000] {
        let batches = batches(tasks, 4, EVENTS);
        let count: usize = batches.iter().map(|batch| batch.events.len()).sum();
        for text in queries {
            let scan = Scan { map_bytes: 1 << 30, ..scan(text) };
            let mut best = f64::INFINITY;
            let mut matched = 0;
            for _ in 0..5 {
                let start = cpu_ns();
                let read = batches.iter().map(Ok::<_, Error>);
                let answer = run(&scan, &Recorded { start_ns: 1, ..Recorded::default() }, read).expect("replay");
                best = best.min((cpu_ns() - start) as f64 / count as f64);
                matched = answer.account.matched;
            }
            println!("{tasks:6} tasks  {best:6.1} ns/event  {matched:8} rows  {text}");
        }
    }
}
