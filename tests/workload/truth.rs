//! What the kernel counted for a thread, read by the thread itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::ClockId;
use nix::unistd::{getpid, gettid};
use serde_json::{Value, json};

/// The kernel's counters of one thread at a moment at which it ran.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counters {
    nvcsw: i64,
    nivcsw: i64,
    run_ns: i64,
    run_delay_ns: i64,
    timeslices: i64,
    migrations: Option<i64>,
    at_ns: i64,
}

impl Counters {
    const FIELDS: [&str; 5] = ["nvcsw", "nivcsw", "run_ns", "run_delay_ns", "timeslices"];

    /// What a thread starts its life with. Its first switch-in counts as a time slice in schedstat, but no switch-out came
    /// before it; so that time slices = switches holds for it as for others, it starts with one.
    fn at_birth(now_ns: i64) -> Counters {
        Counters { timeslices: 1, migrations: Some(0), at_ns: now_ns, ..Counters::default() }
    }

    fn since(&self, before: &Counters) -> Value {
        json!({
            "nvcsw": self.nvcsw - before.nvcsw,
            "nivcsw": self.nivcsw - before.nivcsw,
            "run_ns": self.run_ns - before.run_ns,
            "run_delay_ns": self.run_delay_ns - before.run_delay_ns,
            "timeslices": self.timeslices - before.timeslices,
            "migrations": self.migrations.zip(before.migrations).map(|(a, b)| a - b),
            "wall_ns": self.at_ns - before.at_ns,
            "begin_ns": before.at_ns,
            "end_ns": self.at_ns,
        })
    }

    /// For handing a thread's counters over an exec.
    pub fn to_text(self) -> String {
        let c = self;
        [c.nvcsw, c.nivcsw, c.run_ns, c.run_delay_ns, c.timeslices, c.at_ns].map(|n| n.to_string()).join(" ")
    }

    pub fn from_text(text: &str) -> Counters {
        let n: Vec<i64> = text.split(' ').map(|n| n.parse().expect("a number")).collect();
        let &[nvcsw, nivcsw, run_ns, run_delay_ns, timeslices, at_ns] = &n[..] else { panic!("six numbers: {text}") };
        Counters { nvcsw, nivcsw, run_ns, run_delay_ns, timeslices, migrations: None, at_ns }
    }
}

pub fn monotonic_ns() -> i64 {
    nanos(ClockId::CLOCK_MONOTONIC)
}

/// CPU time of the calling thread; reading it also brings the kernel's own sum up to now.
pub fn thread_cpu_ns() -> i64 {
    nanos(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

fn nanos(clock: ClockId) -> i64 {
    Duration::from(clock.now().expect("a clock that every kernel has")).as_nanos() as i64
}

/// Bytes as printable ASCII; every other byte, and the backslash, is `\xNN`, as `--name` takes it.
pub fn escape(bytes: &[u8]) -> String {
    let plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'\\';
    bytes.iter().map(|&b| if plain(b) { char::from(b).to_string() } else { format!("\\x{b:02x}") }).collect()
}

/// One thread's account of itself, in one or several phases.
pub struct Diary {
    role: &'static str,
    born_inside: bool,
    schedstat: File,
    sched: Option<File>,
    before: Counters,
    entries: Vec<Value>,
}

impl Diary {
    /// For a thread that exists before the measured phase; [`Diary::begin`] begins it.
    pub fn open(role: &'static str) -> io::Result<Diary> {
        Ok(Diary {
            role,
            born_inside: false,
            schedstat: File::open("/proc/thread-self/schedstat")?,
            // Not on kernels built without scheduler debugging.
            sched: File::open("/proc/thread-self/sched").ok(),
            before: Counters::default(),
            entries: Vec::new(),
        })
    }

    /// Without the migrations, and so with one open file only: for a crowd near the limit of open files.
    pub fn open_lean(role: &'static str) -> io::Result<Diary> {
        Ok(Diary { sched: None, ..Diary::open(role)? })
    }

    /// For a thread whose whole life lies inside the measured phase: its counters start at zero.
    pub fn born(role: &'static str) -> io::Result<Diary> {
        let mut diary = Diary::open(role)?;
        diary.born_inside = true;
        diary.before = Counters::at_birth(monotonic_ns());
        Ok(diary)
    }

    /// For a thread that already began under another program.
    pub fn resumed(role: &'static str, before: Counters) -> io::Result<Diary> {
        let mut diary = Diary::open(role)?;
        diary.before = before;
        Ok(diary)
    }

    pub fn begin(&mut self) {
        self.before = self.read();
    }

    /// Ends a phase, under the name that the thread bears now, and begins the next. Returns the counters between them.
    pub fn mark(&mut self) -> Counters {
        let now = self.read();
        let comm = prctl::get_name().expect("a thread has a name");
        let mut entry = json!({
            "role": self.role,
            "tid": gettid().as_raw(),
            "tgid": getpid().as_raw(),
            "comm": escape(comm.to_bytes()),
            "born_inside": self.born_inside,
        });
        let numbers = now.since(&self.before);
        entry.as_object_mut().expect("an object").extend(numbers.as_object().expect("an object").clone());
        self.entries.push(entry);
        self.before = now;
        now
    }

    /// Takes in the accounts of threads that have ended.
    pub fn take_in(&mut self, entries: Vec<Value>) {
        self.entries.extend(entries);
    }

    pub fn finish(mut self) -> Vec<Value> {
        self.mark();
        self.entries
    }

    pub fn entries(self) -> Vec<Value> {
        self.entries
    }

    /// Counters that belong to one moment: read again whenever the thread was switched out in between.
    fn read(&self) -> Counters {
        loop {
            let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("getrusage");
            let run_ns = thread_cpu_ns();
            let mut text = [0; 128];
            let n = self.schedstat.read_at(&mut text, 0).expect("schedstat");
            let text = std::str::from_utf8(&text[..n]).expect("digits");
            let mut fields = text.split_ascii_whitespace().map(|f| f.parse::<i64>().expect("a number")).skip(1);
            let (Some(run_delay_ns), Some(timeslices)) = (fields.next(), fields.next()) else {
                panic!("/proc/thread-self/schedstat: {text}")
            };
            let migrations = self.sched.as_ref().and_then(migrations);
            let at_ns = monotonic_ns();
            let again = getrusage(UsageWho::RUSAGE_THREAD).expect("getrusage");
            let switches =
                |u: &nix::sys::resource::Usage| (u.voluntary_context_switches(), u.involuntary_context_switches());
            if switches(&usage) == switches(&again) {
                let (nvcsw, nivcsw) = switches(&usage);
                return Counters { nvcsw, nivcsw, run_ns, run_delay_ns, timeslices, migrations, at_ns };
            }
        }
    }
}

fn migrations(sched: &File) -> Option<i64> {
    let mut text = [0; 4096];
    let n = sched.read_at(&mut text, 0).ok()?;
    let text = String::from_utf8_lossy(&text[..n]);
    let line = text.lines().find(|l| l.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// Sums over entries.
pub fn totals(entries: &[Value]) -> Value {
    let mut sum = json!({ "entries": entries.len() });
    for field in Counters::FIELDS {
        sum[field] = entries.iter().map(|e| e[field].as_i64().expect("a number")).sum::<i64>().into();
    }
    sum
}

/// Switches of the whole process, threads that have ended included.
pub fn process_switches() -> (i64, i64) {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage");
    (usage.voluntary_context_switches(), usage.involuntary_context_switches())
}
