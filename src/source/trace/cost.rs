//! What a recording costs: bytes on disk and nanoseconds of this thread's CPU time per event. Run with
//! `cargo test --release --lib cost -- --ignored --nocapture`.

use nix::time::{ClockId, clock_gettime};

use super::meta::Meta;
use super::read::Recording;
use super::schema::COLUMNS;
use super::wanted::Wanted;
use super::write::{Closing, Writer};
use crate::catalog::event::{Batch, Event, Identity, Kind, flag, who};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// With a long tail, as times between events have.
    fn tail(&mut self, mean: f64) -> u64 {
        let u = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        (-mean * (1.0 - u).ln() * if self.below(20) == 0 { 12.0 } else { 0.7 }) as u64
    }
}

fn told(at: u64, tid: u32, cpu: u16, comm: &str) -> Identity {
    let mut name = [0; 16];
    name[..comm.len()].copy_from_slice(comm.as_bytes());
    Identity {
        at,
        tid,
        other: 0,
        state: 1,
        cpu,
        kind: Kind::Task,
        flags: who::WANTED,
        born: u64::from(tid) * 1_000_003,
        cgroup: 1 + u64::from(tid % 7),
        comm: name,
        process: name,
        tgid: tid / 4 * 4,
        prio: 120,
        policy: 0,
        nice: 0,
    }
}

fn event(at: u64, kind: Kind, cpu: u16, tid: u32, other: u32, state: u32, flags: u8) -> Event {
    Event { at, tid, other, state, cpu, kind, flags }
}

/// Two threads that wake each other over a pipe on one CPU.
fn ping_pong(events: usize) -> Vec<Batch> {
    let mut random = Random(88172645463325252);
    let mut at = 5_000_000_000_000u64;
    let mut batches = Vec::new();
    let mut batch = Batch {
        identities: vec![told(at, 0, 0, "swapper/0"), told(at, 4100, 0, "ping"), told(at, 4101, 0, "pong")],
        cgroups: (1..8).map(|id| (id, format!("/group{id}"))).collect(),
        ..Batch::default()
    };
    let (mut me, mut it) = (4100, 4101);
    while batches.len() * 4096 < events {
        for (kind, tid, other, state) in
            [(Kind::Waking, it, me, 0), (Kind::Wakeup, it, 0, 0), (Kind::Switch, me, it, 1)]
        {
            at += 500 + random.tail(700.0);
            batch.events.push(event(at, kind, 0, tid, other, state, 0));
        }
        std::mem::swap(&mut me, &mut it);
        if batch.events.len() >= 4096 {
            batches.push(std::mem::take(&mut batch));
        }
    }
    batches
}

/// Many tasks on eight CPUs: wakings by tasks and interrupts, preemptions, migrations, idle CPUs.
fn crowd(events: usize, tasks: u32) -> Vec<Batch> {
    let mut random = Random(0x9E3779B97F4A7C15);
    let mut at = 5_000_000_000_000u64;
    let mut batches = Vec::new();
    let mut batch = Batch { cgroups: (1..8).map(|id| (id, format!("/group{id}"))).collect(), ..Batch::default() };
    for cpu in 0..8 {
        batch.identities.push(told(at, 0, cpu, &format!("swapper/{cpu}")));
    }
    for task in 0..tasks {
        batch.identities.push(told(at, 20_000 + 3 * task, (task % 8) as u16, &format!("worker-{}", task / 3)));
    }
    let mut current = [0u32; 8];
    let mut waiting: [Vec<u32>; 8] = Default::default();
    let mut asleep: Vec<u32> = (0..tasks).map(|task| 20_000 + 3 * task).collect();
    let mut left = events;
    while left > 0 {
        let cpu = random.below(8) as usize;
        let now = current[cpu];
        if !asleep.is_empty() && random.below(100) < 48 {
            let which = random.below(asleep.len() as u64) as usize;
            let woken = asleep.swap_remove(which);
            let target = random.below(8) as usize;
            at += 150 + random.tail(900.0);
            batch.events.push(event(at, Kind::Waking, cpu as u16, woken, now, target as u32, 0));
            if random.below(4) == 0 {
                at += 100 + random.tail(200.0);
                let from = random.below(8) as u32;
                batch.events.push(event(at, Kind::Migrate, cpu as u16, woken, from, target as u32, 0));
                left = left.saturating_sub(1);
            }
            at += 200 + random.tail(300.0);
            let flags = if random.below(50) == 0 { flag::ON_CPU } else { 0 };
            batch.events.push(event(at, Kind::Wakeup, cpu as u16, woken, 0, target as u32, flags));
            waiting[target].push(woken);
            left = left.saturating_sub(2);
        } else if now != 0 || !waiting[cpu].is_empty() {
            at += 200 + random.tail(1500.0);
            let next = if waiting[cpu].is_empty() { 0 } else { waiting[cpu].remove(0) };
            let preempted = now != 0 && random.below(6) == 0;
            let state = if now == 0 || preempted { 0 } else { [1, 1, 1, 2, 0x402][random.below(5) as usize] };
            batch.events.push(event(at, Kind::Switch, cpu as u16, now, next, state, u8::from(preempted)));
            match now {
                0 => {}
                _ if preempted => waiting[cpu].push(now),
                _ => asleep.push(now),
            }
            current[cpu] = next;
            left = left.saturating_sub(1);
        }
        if batch.events.len() >= 4096 {
            batches.push(std::mem::take(&mut batch));
        }
    }
    batches.push(batch);
    batches
}

/// Short processes: fork, exec, a few switches, exit.
fn churn(events: usize) -> Vec<Batch> {
    let mut random = Random(0xD1B54A32D192ED03);
    let mut at = 5_000_000_000_000u64;
    let mut batch = Batch { cgroups: vec![(1, "/a".to_owned())], ..Batch::default() };
    batch.identities.push(told(at, 0, 0, "swapper/0"));
    let mut batches = Vec::new();
    let mut tid = 1000;
    let mut left = events as i64;
    while left > 0 {
        tid += 1;
        let mut who = told(at, tid, 0, "sh");
        who.cgroup = 1;
        batch.identities.push(Identity { kind: Kind::Fork, other: 900, ..who });
        batch.events.push(event(at, Kind::WakeupNew, 0, tid, 900, 0, 0));
        at += 20_000 + random.tail(5000.0);
        batch.identities.push(Identity {
            kind: Kind::Exec,
            at,
            ..told(at, tid, 0, ["cc1", "ld", "as", "sed"][random.below(4) as usize])
        });
        for _ in 0..3 + random.below(6) {
            at += 3000 + random.tail(5000.0);
            batch.events.push(event(at, Kind::Switch, 0, tid, 0, 1, 0));
            at += 3000 + random.tail(5000.0);
            batch.events.push(event(at, Kind::Waking, 0, tid, 0, 0, 0));
            at += 300;
            batch.events.push(event(at, Kind::Wakeup, 0, tid, 0, 0, 0));
            at += 300;
            batch.events.push(event(at, Kind::Switch, 0, 0, tid, 0, 0));
            left -= 4;
        }
        at += 3000;
        batch.events.push(event(at, Kind::Exit, 0, tid, 0, 0, 0));
        left -= 3;
        if batch.events.len() >= 4096 {
            batches.push(std::mem::take(&mut batch));
        }
    }
    batches.push(batch);
    batches
}

/// Prints what each column takes.
fn sizes(path: &std::path::Path, events: usize) {
    let file = std::fs::File::open(path).unwrap();
    let known = polars_parquet::parquet::read::read_metadata(&mut std::io::BufReader::new(file)).unwrap();
    let mut sizes = vec![0; COLUMNS.len()];
    for group in &known.row_groups {
        for (size, column) in sizes.iter_mut().zip(group.parquet_columns()) {
            *size += column.compressed_size();
        }
    }
    let line: Vec<String> =
        COLUMNS.iter().zip(&sizes).map(|(c, s)| format!("{} {:.2}", c.name, *s as f64 / events as f64)).collect();
    println!("  {}", line.join(", "));
}

fn cpu_ns() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}

#[test]
#[ignore = "a measurement"]
fn bytes_and_time_per_event() {
    let count = 4 << 20;
    for (name, batches) in [("ping-pong", ping_pong(count)), ("400 tasks", crowd(count, 400)), ("churn", churn(count))]
    {
        let events: usize = batches.iter().map(|b| b.events.len()).sum();
        let per = |ns: f64| ns / events as f64;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let mut writer = Writer::create(&path, Meta::default()).unwrap();
        let before = cpu_ns();
        for batch in &batches {
            writer.write(batch).unwrap();
        }
        let encoded = cpu_ns();
        let written = writer.finish(Closing { ended: "elapsed", ..Closing::default() }).unwrap();
        let joined = cpu_ns();
        println!(
            "{name}: {events} events, {:.2} bytes, write {:.1} ns, join {:.1} ns",
            per(written.bytes as f64),
            per(encoded - before),
            per(joined - encoded)
        );
        sizes(&path, events);
        let recording = Recording::open(&path).unwrap();
        let runq = Wanted {
            kinds: Wanted::kinds(&[Kind::Switch, Kind::Wakeup, Kind::WakeupNew]),
            cpu: false,
            target: false,
            identities: false,
            comm: false,
            prio: false,
            ..Wanted::ALL
        };
        let named = Wanted { cpu: true, identities: true, comm: true, ..runq };
        for (what, wanted) in [("runq", runq), ("runq by comm, cpu", named), ("all", Wanted::ALL)] {
            let mut batch = Batch::default();
            let best = (0..3).map(|_| {
                let before = cpu_ns();
                let mut all = recording.batches(&wanted, None);
                let mut sum = 0u64;
                while all.advance(&mut batch).unwrap() {
                    sum += batch.events.len() as u64;
                }
                assert!(sum > 0);
                cpu_ns() - before
            });
            println!("  read {what}: {:.1} ns", per(best.fold(f64::MAX, f64::min)));
        }
    }
}
