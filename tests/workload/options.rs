//! The command line: a job, its numbers, and what holds for every job.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

pub const USAGE: &str = "\
usage: workload JOB [OPTIONS]

jobs
  sleeper N T_US             n sleeps of t microseconds
  spinner SECONDS            burns CPU
  duty ON_US OFF_US SECONDS  burns and sleeps in turn
  yielder N                  n calls of sched_yield
  migrate N                  n forced moves between the CPUs of --cpu (or all)
  rename NAME NAME...        bears each name for a phase of sleeps; \\xNN is a byte
  pingpong N                 two threads, n round trips over pipes
  churn N                    n short threads, at most --at-once at a time
  burst N                    n sleepers released together, --rounds times
  pi                         a mutex with priority inheritance, three SCHED_FIFO threads on one CPU
  alarm N                    n sleeps, each broken off by SIGALRM
  exec-midway                sleeps, executes itself (its name is then `exe`), sleeps again
  forks N                    a binary tree of n processes, each of which sleeps 20 times
  reuse N                    n processes one after the other under one process number
  hold                       waits for SIGTERM
  traced N                   a traced child that stops n times
  vforks N                   n children, for each of which the parent waits uninterruptibly
  kernel SECONDS             burns CPU in the kernel

options
  --cpu LIST      run on these CPUs only (0-3,6)
  --name NAME     name of the measured threads, at most 15 bytes, \\xNN is a byte
  --fifo PRIO     SCHED_FIFO for the measured threads
  --nice N        nice value of the measured threads
  --threads K     that many threads do the job (sleeper, spinner, duty, yielder, kernel)
  --at-once K     churn: at most that many at once (16)
  --rounds R      burst: released that often (3)
  --totals        print sums only, no entry per thread
  --wait          print `ready` and wait for a line; after the last line wait for another before the threads end

Ends with one line of JSON: what the kernel counted for each thread.";

#[derive(Debug, Clone)]
pub struct Options {
    pub job: String,
    pub args: Vec<OsString>,
    pub cpus: Option<Vec<usize>>,
    pub name: Option<CString>,
    pub fifo: Option<i32>,
    pub nice: Option<i32>,
    pub threads: usize,
    pub at_once: usize,
    pub rounds: u32,
    pub totals: bool,
    pub wait: bool,
}

impl Options {
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, String> {
        let mut o = Options {
            job: String::new(),
            args: Vec::new(),
            cpus: None,
            name: None,
            fifo: None,
            nice: None,
            threads: 1,
            at_once: 16,
            rounds: 3,
            totals: false,
            wait: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let flag = word.to_string_lossy().into_owned();
            let mut value = || words.next().ok_or(format!("{flag} needs a value"));
            match flag.as_str() {
                "--cpu" => o.cpus = Some(cpu_list(&text(value()?)?)?),
                "--name" => o.name = Some(name(&value()?)?),
                "--fifo" => o.fifo = Some(number(&value()?)?),
                "--nice" => o.nice = Some(number(&value()?)?),
                "--threads" => o.threads = number(&value()?)?,
                "--at-once" => o.at_once = number(&value()?)?,
                "--rounds" => o.rounds = number(&value()?)?,
                "--totals" => o.totals = true,
                "--wait" => o.wait = true,
                _ if flag.starts_with("--") => return Err(format!("no option {flag}")),
                _ if o.job.is_empty() => o.job = flag,
                _ => o.args.push(word),
            }
        }
        if o.job.is_empty() { Err("which job?".into()) } else { Ok(o) }
    }

    /// The job's `i`-th argument as a number.
    pub fn number<T: std::str::FromStr>(&self, i: usize) -> Result<T, String> {
        number(self.args.get(i).ok_or(format!("{} needs {} or more arguments", self.job, i + 1))?)
    }
}

fn text(word: OsString) -> Result<String, String> {
    word.into_string().map_err(|w| format!("not UTF-8: {w:?}"))
}

fn number<T: std::str::FromStr>(word: &std::ffi::OsStr) -> Result<T, String> {
    word.to_str().and_then(|w| w.parse().ok()).ok_or(format!("not a number that fits: {word:?}"))
}

/// A thread's name; `\xNN` is one byte.
pub fn name(word: &std::ffi::OsStr) -> Result<CString, String> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some(&first) = rest.first() {
        let hex = rest.get(2..4).filter(|_| rest.starts_with(b"\\x")).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(first);
                rest = &rest[1..];
            }
        }
    }
    if bytes.len() > 15 {
        return Err(format!("longer than 15 bytes: {:?}", OsString::from_vec(bytes)));
    }
    CString::new(bytes).map_err(|_| "a name cannot hold a zero byte".into())
}

fn cpu_list(list: &str) -> Result<Vec<usize>, String> {
    let cpu = |s: &str| s.parse::<usize>().map_err(|_| format!("not a list of CPUs: {list}"));
    let mut cpus = Vec::new();
    for item in list.split(',') {
        match item.split_once('-') {
            Some((first, last)) => cpus.extend(cpu(first)?..=cpu(last)?),
            None => cpus.push(cpu(item)?),
        }
    }
    Ok(cpus)
}
