//! Jobs that bring a task into a state that sleeping and burning do not.

use std::fs::File;
use std::io::{self, Read};

use nix::sys::wait::{WaitStatus, waitpid};
use serde_json::Value;

use crate::crew::{self, Worker};
use crate::options::Options;
use crate::steady::sleep_us;
use crate::sys;
use crate::truth::{Diary, monotonic_ns};

/// A traced child that stops n times, once for each signal that it sends itself.
pub fn traced(o: &Options) -> Result<(), String> {
    let n: u32 = o.number(0)?;
    let job = |_: &mut Diary| -> io::Result<Vec<Value>> {
        let Some(child) = sys::fork_as(None)? else {
            // On failure the parent sees the exit and says so.
            if sys::trace_me().is_ok() {
                for _ in 0..n {
                    let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGUSR1);
                }
            }
            sys::exit_now()
        };
        let mut stops = 0;
        while let WaitStatus::Stopped(..) = waitpid(child, None)? {
            stops += 1;
            sys::trace_go_on(child)?;
        }
        if stops == n { Ok(Vec::new()) } else { Err(io::Error::other(format!("{stops} stops"))) }
    };
    crew::solo(o, job).map_err(|e| e.to_string())
}

/// Children, n of them, during whose short lives their parent waits uninterruptibly.
pub fn vforks(o: &Options) -> Result<(), String> {
    let n: u32 = o.number(0)?;
    let job = |_: &mut Diary| -> io::Result<Vec<Value>> {
        for _ in 0..n {
            let Some(child) = sys::fork_and_wait_for_it()? else {
                sleep_us(1500);
                sys::exit_now()
            };
            waitpid(child, None)?;
        }
        Ok(Vec::new())
    };
    crew::solo(o, job).map_err(|e| e.to_string())
}

/// Burns CPU in the kernel, where a task is preempted in another way than in user space.
pub fn kernel(o: &Options) -> Result<(), String> {
    let seconds: f64 = o.number(0)?;
    let workers = (0..o.threads)
        .map(|_| {
            Worker::new("worker", o, move |_: &mut Diary| {
                let mut zeroes = File::open("/dev/zero").expect("/dev/zero");
                let mut buffer = vec![0; 4 << 20];
                let end = monotonic_ns() + (seconds * 1e9) as i64;
                while monotonic_ns() < end {
                    zeroes.read_exact(&mut buffer).expect("zeroes");
                }
            })
        })
        .collect();
    crew::run(o, workers, Box::new(|| ()), || Value::Null).map_err(|e| e.to_string())
}
