//! Jobs of many threads, or of threads that act on each other.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::crew::{self, Worker};
use crate::gate::{Arrivals, Rounds};
use crate::options::Options;
use crate::steady::{burn_ns, sleep_us};
use crate::sys::PiMutex;
use crate::truth::{Diary, monotonic_ns};

/// Two threads that pass one byte to and fro.
pub fn pingpong(o: &Options) -> Result<(), String> {
    let n: u64 = o.number(0)?;
    let ends = || io::pipe().map_err(|e| e.to_string());
    let ((mut there_out, mut there_in), (mut back_out, mut back_in)) = (ends()?, ends()?);
    let ping = Worker::new("ping", o, move |_: &mut Diary| {
        for _ in 0..n {
            there_in.write_all(b"x").expect("a pipe");
            back_out.read_exact(&mut [0]).expect("a pipe");
        }
    });
    let pong = Worker::new("pong", o, move |_: &mut Diary| {
        for _ in 0..n {
            there_out.read_exact(&mut [0]).expect("a pipe");
            back_in.write_all(b"x").expect("a pipe");
        }
    });
    crew::run(o, vec![ping, pong], Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}

/// Short-lived threads, each of which sleeps once. A thread's end is not in its own account (nobody could write it down),
/// but in the process' totals: those hold every switch but the last of each thread, that into death.
pub fn churn(o: &Options) -> Result<(), String> {
    let (n, at_once, name) = (o.number::<usize>(0)?, o.at_once.max(1), o.name.clone());
    let job = move |diary: &mut Diary| {
        let mut alive: VecDeque<JoinHandle<Vec<Value>>> = VecDeque::new();
        let mut entries = Vec::new();
        for _ in 0..n {
            if alive.len() == at_once {
                entries.extend(alive.pop_front().expect("not empty").join().expect("a thread"));
            }
            let name = name.clone();
            let thread = thread::Builder::new().stack_size(64 * 1024).spawn(move || {
                let diary = Diary::born("churned").expect("a diary");
                crew::enter(&name, None, None).expect("a name");
                sleep_us(10);
                diary.finish()
            });
            alive.push_back(thread.expect("a thread"));
        }
        alive.into_iter().for_each(|t| entries.extend(t.join().expect("a thread")));
        // A joined thread may still be on its way out, and its switches are not yet in the process' totals.
        while fs::read_dir("/proc/self/task").expect("proc").count() > 2 {
            sleep_us(500);
        }
        diary.take_in(entries);
    };
    crew::run(o, vec![Worker::new("spawner", o, job)], Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}

/// Sleepers that are all woken by one call.
pub fn burst(o: &Options) -> Result<(), String> {
    let n: u32 = o.number(0)?;
    // Every thread keeps files of /proc open.
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(|e| e.to_string())?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map_err(|e| e.to_string())?;
    let (last, rounds, asleep) = (o.rounds, Arc::new(Rounds::default()), Arc::new(Arrivals::default()));
    asleep.expect(n);
    let workers = (0..n)
        .map(|_| {
            let (rounds, asleep) = (rounds.clone(), asleep.clone());
            Worker::new("worker", o, move |_: &mut Diary| {
                for round in 1..=last {
                    asleep.arrive();
                    rounds.wait(round);
                }
            })
        })
        .collect();
    let lead = || {
        for _ in 0..last {
            asleep.wait();
            // The last to arrive has yet to fall asleep.
            thread::sleep(Duration::from_millis(20));
            asleep.expect(n);
            rounds.begin_next();
        }
    };
    crew::run(o, workers, Box::new(lead), || json!({ "rounds": last })).map_err(|e| e.to_string())
}

/// The low thread holds the mutex and is preempted by the middle one; when the high one wants the mutex, the low one
/// inherits its priority, and both finish before the middle one goes on.
pub fn pi(o: &Options) -> Result<(), String> {
    let mutex = Arc::new(PiMutex::new().map_err(|e| e.to_string())?);
    let held = Arc::new(AtomicBool::new(false));
    let role = |role, fifo, job: Box<dyn FnOnce(&mut Diary) + Send>| Worker {
        role,
        name: o.name.clone(),
        fifo: Some(fifo),
        job,
    };
    let (m, h) = (mutex.clone(), held.clone());
    let low = role(
        "low",
        10,
        Box::new(move |_| {
            m.hold(|| {
                h.store(true, Ordering::Release);
                burn_ns(20_000_000);
            });
        }),
    );
    let after = |held: &AtomicBool, ms: u64| {
        while !held.load(Ordering::Acquire) {
            sleep_us(500);
        }
        sleep_us(ms * 1000);
    };
    let h = held.clone();
    let middle = role(
        "middle",
        20,
        Box::new(move |_| {
            after(&h, 5);
            burn_ns(30_000_000);
        }),
    );
    let wait_ns = Arc::new(Mutex::new(0));
    let (m, h, ns) = (mutex, held, wait_ns.clone());
    let high = role(
        "high",
        30,
        Box::new(move |_| {
            after(&h, 8);
            let begin = monotonic_ns();
            m.hold(|| *ns.lock().expect("no panic") = monotonic_ns() - begin);
        }),
    );
    let facts = || json!({ "high_wait_ns": *wait_ns.lock().expect("no panic") });
    crew::run(o, vec![low, middle, high], Box::new(|| ()), facts).map_err(|e| e.to_string())
}
