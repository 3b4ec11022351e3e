//! Runs a job's threads through the handshake, so that a test can attach probes while all of them sleep, and detach them
//! while all of them sleep again.

use std::ffi::CString;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::gate::{Arrivals, Gate};
use crate::options::Options;
use crate::sys;
use crate::truth::{Diary, monotonic_ns, process_switches, totals};

/// One thread and what it does in the measured phase.
pub struct Worker {
    pub role: &'static str,
    pub name: Option<CString>,
    pub fifo: Option<i32>,
    pub job: Box<dyn FnOnce(&mut Diary) + Send>,
}

impl Worker {
    pub fn new(role: &'static str, o: &Options, job: impl FnOnce(&mut Diary) + Send + 'static) -> Worker {
        Worker { role, name: o.name.clone(), fifo: o.fifo, job: Box::new(job) }
    }
}

/// What the main thread does while the workers work, given the job's own results that the workers left.
pub type Lead<'a> = Box<dyn FnOnce() + 'a>;

#[derive(Default)]
struct Stage {
    here: Arrivals,
    go: Gate,
    done: Arrivals,
    end: Gate,
}

/// Runs `workers` beside the main thread, which does `lead` meanwhile, and prints the truth. `facts` is asked at the end.
pub fn run(o: &Options, workers: Vec<Worker>, lead: Lead, facts: impl FnOnce() -> Value) -> io::Result<()> {
    let stage = Arc::new(Stage::default());
    stage.here.expect(workers.len() as u32);
    stage.done.expect(workers.len() as u32);
    let mut main = Diary::open("main")?;
    let lean = workers.len() > 1000;
    let mut threads = Vec::new();
    let mut slots = Vec::new();
    for worker in workers {
        let slot = Arc::new(Mutex::new(Vec::new()));
        slots.push(slot.clone());
        let (stage, nice) = (stage.clone(), o.nice);
        // Small stacks: a burst has many thousand threads.
        threads.push(thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            // The others would wait for this one for ever.
            if let Err(e) = live(&stage, worker, nice, lean, &slot) {
                eprintln!("workload: a worker: {e}");
                std::process::exit(1);
            }
        })?);
    }
    stage.here.wait();
    ready(o)?;
    let process = process_switches();
    let begin = monotonic_ns();
    main.begin();
    stage.go.open();
    lead();
    stage.done.wait();
    let mut entries = main.finish();
    let end = monotonic_ns();
    let after = process_switches();
    for slot in slots {
        entries.append(&mut slot.lock().expect("no worker panicked"));
    }
    report(o, entries, (begin, end), (process, after), facts())?;
    stage.end.open();
    for thread in threads {
        thread.join().expect("a worker");
    }
    Ok(())
}

fn live(stage: &Stage, worker: Worker, nice: Option<i32>, lean: bool, slot: &Mutex<Vec<Value>>) -> io::Result<()> {
    enter(&worker.name, worker.fifo, nice)?;
    let mut diary = if lean { Diary::open_lean(worker.role)? } else { Diary::open(worker.role)? };
    stage.here.arrive();
    stage.go.wait();
    diary.begin();
    (worker.job)(&mut diary);
    *slot.lock().expect("no worker panicked") = diary.finish();
    stage.done.arrive();
    stage.end.wait();
    Ok(())
}

/// Gives the calling thread its name and its class.
pub fn enter(name: &Option<CString>, fifo: Option<i32>, nice: Option<i32>) -> io::Result<()> {
    if let Some(name) = name {
        prctl::set_name(name)?;
    }
    if let Some(nice) = nice {
        sys::set_nice(nice)?;
    }
    fifo.map_or(Ok(()), sys::set_fifo)
}

/// Runs a job on the main thread, alone in its process. The job returns what it learned of others.
pub fn solo(o: &Options, job: impl FnOnce(&mut Diary) -> io::Result<Vec<Value>>) -> io::Result<()> {
    enter(&o.name, o.fifo, o.nice)?;
    let mut diary = Diary::open("worker")?;
    ready(o)?;
    let process = process_switches();
    let begin = monotonic_ns();
    diary.begin();
    let others = job(&mut diary)?;
    let mut entries = diary.finish();
    let end = monotonic_ns();
    entries.extend(others);
    report(o, entries, (begin, end), (process, process_switches()), Value::Null)
}

/// Restricts the calling thread, and those it will start, to these CPUs.
pub fn pin(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

pub fn ready(o: &Options) -> io::Result<()> {
    if o.wait {
        println!("ready");
        next_line()?;
    }
    Ok(())
}

fn next_line() -> io::Result<()> {
    io::stdin().lock().read_line(&mut String::new()).map(drop)
}

pub fn report(
    o: &Options,
    entries: Vec<Value>,
    (begin, end): (i64, i64),
    (before, after): ((i64, i64), (i64, i64)),
    facts: Value,
) -> io::Result<()> {
    let mut truth = json!({
        "job": o.job,
        "pid": std::process::id(),
        "begin_ns": begin,
        "end_ns": end,
        "wall_ns": end - begin,
        "process": { "nvcsw": after.0 - before.0, "nivcsw": after.1 - before.1 },
        "totals": totals(&entries),
        "facts": facts,
    });
    truth["threads"] = if o.totals { json!([]) } else { entries.into() };
    let mut out = io::stdout().lock();
    writeln!(out, "{truth}")?;
    out.flush()?;
    drop(out);
    if o.wait { next_line() } else { Ok(()) }
}
