//! The known workloads of `tests/workload`, and what they say about themselves.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::counters::{self, Schedstat, Switches};

/// What a workload says at its end.
#[derive(Debug, Deserialize)]
pub struct Truth {
    pub pid: i32,
    /// CLOCK_MONOTONIC.
    pub begin_ns: i64,
    pub end_ns: i64,
    pub wall_ns: i64,
    /// Of all threads, those that ended included, over the phase.
    pub process: ProcessTruth,
    pub totals: Totals,
    pub threads: Vec<ThreadTruth>,
    pub facts: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub struct ProcessTruth {
    pub nvcsw: u64,
    pub nivcsw: u64,
}

/// Sums over the entries of [`Truth::threads`], also when these were left out.
#[derive(Debug, Deserialize)]
pub struct Totals {
    pub entries: u64,
    pub nvcsw: u64,
    pub nivcsw: u64,
    pub run_ns: u64,
    pub run_delay_ns: u64,
    pub timeslices: u64,
}

/// One thread in one phase, counted between two moments at which it ran.
#[derive(Debug, Deserialize)]
pub struct ThreadTruth {
    /// main, worker, or the thread's part in the job.
    pub role: String,
    pub tid: i32,
    pub tgid: i32,
    /// Printable ASCII; other bytes as `\xNN`.
    pub comm: String,
    /// Its whole life lies inside the phase, so its counters began at zero. Its switch into death is not counted.
    pub born_inside: bool,
    pub nvcsw: u64,
    pub nivcsw: u64,
    pub run_ns: u64,
    pub run_delay_ns: u64,
    pub timeslices: u64,
    pub migrations: Option<u64>,
    pub wall_ns: u64,
    pub begin_ns: i64,
    pub end_ns: i64,
}

impl ThreadTruth {
    /// Times it was switched out, which is the number of its time slices.
    pub fn switches(&self) -> u64 {
        self.nvcsw + self.nivcsw
    }
}

impl Truth {
    /// The measured threads: all but the main thread, which only waits.
    pub fn workers(&self) -> impl Iterator<Item = &ThreadTruth> {
        self.threads.iter().filter(|t| t.role != "main")
    }

    /// The only measured thread.
    #[track_caller]
    pub fn worker(&self) -> &ThreadTruth {
        let mut workers = self.workers();
        let (first, second) = (workers.next().expect("a worker"), workers.next());
        assert!(second.is_none(), "more than one worker");
        first
    }
}

/// A workload under way. Dropping it ends it.
pub struct Workload {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    before: BTreeMap<i32, Switches>,
    stats_before: BTreeMap<i32, Schedstat>,
}

impl Workload {
    /// Starts a workload, given as its command line, and returns when all its threads sleep before their phase.
    #[track_caller]
    pub fn start(line: &str) -> Workload {
        let words: Vec<&str> = line.split(' ').filter(|w| !w.is_empty()).collect();
        Workload::start_words(&words)
    }

    #[track_caller]
    pub fn start_words(words: &[&str]) -> Workload {
        assert!(path().exists(), "no {}: cargo build --example workload", path().display());
        let mut child = Command::new(path())
            .args(words)
            .arg("--wait")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the workload starts");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let stdout = BufReader::new(stdout);
        let mut workload = Workload { child, stdin, stdout, before: BTreeMap::new(), stats_before: BTreeMap::new() };
        assert_eq!(workload.line(), "ready", "{words:?}");
        counters::wait_asleep(workload.pid());
        workload.before = counters::switches(workload.pid());
        workload.stats_before = counters::schedstats(workload.pid());
        workload
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// The threads there are now, main included.
    pub fn tids(&self) -> Vec<i32> {
        counters::threads(self.pid())
    }

    /// Begins the phase.
    pub fn go(&mut self) {
        writeln!(self.stdin, "go").expect("the workload reads");
    }

    /// Waits for the end of the phase, and until all threads sleep again. They live on until the workload is dropped.
    #[track_caller]
    pub fn truth(&mut self) -> Truth {
        let line = self.line();
        let truth = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        counters::wait_asleep(self.pid());
        truth
    }

    /// [`Workload::go`], then [`Workload::truth`].
    #[track_caller]
    pub fn finish(&mut self) -> Truth {
        self.go();
        self.truth()
    }

    /// How often each thread was switched out from the start (all asleep) until now, handshake included. Exact for a window
    /// that began and ends while all threads sleep. Threads that ended are missing.
    pub fn switches(&self) -> BTreeMap<i32, Switches> {
        let now = counters::switches(self.pid());
        let before = |tid: &i32| self.before.get(tid).copied().unwrap_or_default();
        now.iter().map(|(tid, now)| (*tid, *now - before(tid))).collect()
    }

    /// What schedstat counted for each thread between the same moments.
    pub fn schedstats(&self) -> BTreeMap<i32, Schedstat> {
        let now = counters::schedstats(self.pid());
        let before = |tid: &i32| self.stats_before.get(tid).copied().unwrap_or_default();
        now.iter().map(|(tid, now)| (*tid, *now - before(tid))).collect()
    }

    #[track_caller]
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the workload writes");
        assert!(!line.is_empty(), "the workload ended early: {:?}", self.child.wait());
        line.trim_end().to_owned()
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        // Fails when it has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The workload's binary: cargo builds examples beside the package's binaries.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_schedq")).parent().expect("a profile's folder").join("examples/workload")
}
