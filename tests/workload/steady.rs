//! Jobs that one thread does by itself.

use std::ffi::CString;
use std::io;
use std::thread;
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity, sched_yield};
use nix::sys::prctl;
use nix::unistd::Pid;
use serde_json::Value;

use crate::crew::{self, Worker};
use crate::options::{self, Options};
use crate::truth::{Diary, monotonic_ns, thread_cpu_ns};

pub fn sleep_us(us: u64) {
    thread::sleep(Duration::from_micros(us));
}

/// Burns that much CPU time, however long it takes.
pub fn burn_ns(ns: i64) {
    let end = thread_cpu_ns() + ns;
    while thread_cpu_ns() < end {
        std::hint::spin_loop();
    }
}

/// Burns CPU until that much wall time has gone by.
fn spin_ns(ns: i64) {
    let end = monotonic_ns() + ns;
    while monotonic_ns() < end {
        std::hint::spin_loop();
    }
}

/// `--threads` copies of one job.
fn crew_of(o: &Options, job: impl Fn() + Clone + Send + 'static) -> Result<(), String> {
    let workers = (0..o.threads)
        .map(|_| {
            let job = job.clone();
            Worker::new("worker", o, move |_: &mut Diary| job())
        })
        .collect();
    crew::run(o, workers, Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}

pub fn sleeper(o: &Options) -> Result<(), String> {
    let (n, us): (u64, u64) = (o.number(0)?, o.number(1)?);
    crew_of(o, move || (0..n).for_each(|_| sleep_us(us)))
}

pub fn spinner(o: &Options) -> Result<(), String> {
    let seconds: f64 = o.number(0)?;
    crew_of(o, move || spin_ns((seconds * 1e9) as i64))
}

pub fn duty(o: &Options) -> Result<(), String> {
    let (on, off, seconds): (i64, u64, f64) = (o.number(0)?, o.number(1)?, o.number(2)?);
    crew_of(o, move || {
        let end = monotonic_ns() + (seconds * 1e9) as i64;
        while monotonic_ns() < end {
            burn_ns(on * 1000);
            sleep_us(off);
        }
    })
}

pub fn yielder(o: &Options) -> Result<(), String> {
    let n: u64 = o.number(0)?;
    crew_of(o, move || {
        for _ in 0..n {
            sched_yield().expect("sched_yield");
        }
    })
}

pub fn migrate(o: &Options) -> Result<(), String> {
    let n: usize = o.number(0)?;
    let cpus = match &o.cpus {
        Some(cpus) => cpus.clone(),
        None => {
            let all = sched_getaffinity(Pid::from_raw(0)).map_err(|e| e.to_string())?;
            (0..CpuSet::count()).filter(|&cpu| all.is_set(cpu).unwrap_or(false)).collect()
        }
    };
    if cpus.len() < 2 {
        return Err("a migration needs two CPUs".into());
    }
    let job = move |diary: &mut Diary| {
        crew::pin(&[cpus[0]]).expect("affinity");
        // The first move may be none, if the thread is there already: it belongs to no phase.
        diary.begin();
        for i in 1..=n {
            crew::pin(&[cpus[i % cpus.len()]]).expect("affinity");
        }
    };
    crew::run(o, vec![Worker::new("worker", o, job)], Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}

/// A phase of 20 sleeps under each name, and one entry for each.
pub fn rename(o: &Options) -> Result<(), String> {
    let names = o.args.iter().map(|a| options::name(a)).collect::<Result<Vec<CString>, _>>()?;
    let Some(first) = names.first().cloned() else { return Err("rename to what?".into()) };
    let job = move |diary: &mut Diary| {
        for (i, name) in names.iter().enumerate() {
            if i > 0 {
                diary.mark();
                prctl::set_name(name).expect("a name");
            }
            (0..20).for_each(|_| sleep_us(1000));
        }
    };
    let worker = Worker { name: Some(first), ..Worker::new("worker", o, job) };
    crew::run(o, vec![worker], Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}

/// Sleeps that only a signal ends.
pub fn alarm(o: &Options) -> Result<(), String> {
    use nix::sys::time::TimeSpec;
    use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
    let n: u32 = o.number(0)?;
    let job = |_: &mut Diary| -> io::Result<Vec<Value>> {
        crate::sys::alarm_every(2000)?;
        let mut broken = 0;
        while broken < n {
            let long = TimeSpec::new(1000, 0);
            if clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::empty(), &long).is_err() {
                broken += 1;
            }
        }
        crate::sys::alarm_every(0)?;
        Ok(Vec::new())
    };
    crew::solo(o, job).map_err(|e| e.to_string())
}
