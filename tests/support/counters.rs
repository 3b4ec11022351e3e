//! The kernel's counters, read from outside.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How often a thread was switched out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Switches {
    pub voluntary: u64,
    pub involuntary: u64,
}

impl Switches {
    pub fn all(self) -> u64 {
        self.voluntary + self.involuntary
    }
}

impl std::ops::Sub for Switches {
    type Output = Switches;

    fn sub(self, before: Switches) -> Switches {
        Switches { voluntary: self.voluntary - before.voluntary, involuntary: self.involuntary - before.involuntary }
    }
}

/// The switches of every thread of a process, by tid.
pub fn switches(pid: i32) -> BTreeMap<i32, Switches> {
    threads(pid)
        .into_iter()
        .filter_map(|tid| {
            let status = read(format!("/proc/{pid}/task/{tid}/status"))?;
            let field = |name: &str| {
                let line = status.lines().find(|l| l.starts_with(name)).expect("a kernel counter");
                line.rsplit('\t').next().expect("a value").parse().expect("a number")
            };
            let voluntary = field("voluntary_ctxt_switches:");
            Some((tid, Switches { voluntary, involuntary: field("nonvoluntary_ctxt_switches:") }))
        })
        .collect()
}

pub fn threads(pid: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect()
}

/// Waits until every thread of a process sleeps, off the CPU and not queued for one.
#[track_caller]
pub fn wait_asleep(pid: i32) {
    let end = Instant::now() + Duration::from_secs(30);
    let asleep = |tid: &i32| {
        let stat = read(format!("/proc/{pid}/task/{tid}/stat")).unwrap_or_default();
        // The name, in brackets, may hold anything, a closing bracket too: the state comes after the last.
        stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" S"))
    };
    // A thread that is about to sleep already bears the state of a sleeper: the counters must stand still too.
    let mut before = None;
    loop {
        let quiet = threads(pid).iter().all(asleep);
        let now = quiet.then(|| switches(pid));
        if now.is_some() && now == before {
            return;
        }
        before = now;
        assert!(Instant::now() < end, "the threads of {pid} do not come to rest");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A file in which a thread's name stands, which may be any bytes.
fn read(path: String) -> Option<String> {
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Switches of the whole machine since it started, idle tasks included.
pub fn all_switches() -> u64 {
    stat_field("ctxt")
}

/// Processes and threads made since the machine started.
pub fn all_forks() -> u64 {
    stat_field("processes")
}

/// Time that all CPUs together have been idle, in the kernel's ticks.
pub fn idle_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/stat").expect("/proc/stat");
    let all = stat.lines().next().expect("the line of all CPUs");
    all.split_ascii_whitespace().nth(4).and_then(|n| n.parse().ok()).expect("a number")
}

/// What schedstat holds of a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schedstat {
    pub run_ns: u64,
    pub run_delay_ns: u64,
    /// Switch-ins.
    pub slices: u64,
}

impl std::ops::Sub for Schedstat {
    type Output = Schedstat;

    fn sub(self, before: Schedstat) -> Schedstat {
        Schedstat {
            run_ns: self.run_ns - before.run_ns,
            run_delay_ns: self.run_delay_ns - before.run_delay_ns,
            slices: self.slices - before.slices,
        }
    }
}

/// The schedstat of every thread of a process, by tid.
pub fn schedstats(pid: i32) -> BTreeMap<i32, Schedstat> {
    let one = |tid: i32| {
        let text = read(format!("/proc/{pid}/task/{tid}/schedstat"))?;
        let mut numbers = text.split_ascii_whitespace().map(|n| n.parse().expect("a number"));
        let mut next = || numbers.next().expect("three numbers");
        Some((tid, Schedstat { run_ns: next(), run_delay_ns: next(), slices: next() }))
    };
    threads(pid).into_iter().filter_map(one).collect()
}

fn stat_field(name: &str) -> u64 {
    let stat = fs::read_to_string("/proc/stat").expect("/proc/stat");
    let value = stat.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' ')).expect("a kernel counter");
    value.trim().parse().expect("a number")
}
