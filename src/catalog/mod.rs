//! What can be asked: one static per family, from which help, type checking, `explain`, decoding and the language
//! reference are all read.

pub mod event;
pub mod replay;
mod runq;
pub mod sched;
mod switch;
pub mod task;

/// Every family; adding one is a file beside this one and a line here.
pub static FAMILIES: &[&Family] = &[&runq::FAMILY, &switch::FAMILY];

/// The sets of events that can be recorded; adding one is a file beside this one and a line here.
pub static EVENT_SETS: &[&Family] = &[&sched::EVENTS];

/// The set of events of that (lower-case) name.
pub fn event_set(name: &str) -> Option<&'static Family> {
    EVENT_SETS.iter().copied().find(|set| set.name == name)
}

/// The family of that (lower-case) name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|f| f.name == name)
}

/// One kind of thing that happens, of which rows can be had.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    pub name: &'static str,
    /// What one row is, in one line.
    pub doc: &'static str,
    /// A few sentences: what is and what is not a row, and by which rule of the kernel.
    pub detail: &'static str,
    /// The names of the columns that are measures; the first is the default.
    pub measures: &'static [&'static str],
    /// Its own columns, measures included; those of [`task::COLUMNS`] come before them in every family.
    pub own: &'static [Column],
    /// What `events` shows when no columns are named.
    pub short_list: &'static [&'static str],
    pub example: &'static str,
    pub programs: &'static [Program],
    /// Whether its programs remember something of a task while a row of it is open.
    pub state: bool,
    /// Where its rows can come from.
    pub origins: &'static [Origin],
    /// How its rows come out of recorded events; for families that have [`Origin::Replay`], and only for them.
    pub replay: Option<replay::Replay>,
    /// Which of its figures the kernel counts too.
    pub checks: &'static [Check],
    /// The losses that its programs count, beyond those of the shared header.
    pub losses: &'static [LossKind],
}

impl Family {
    /// All columns: the task's, then its own.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        task::COLUMNS.iter().chain(self.own.iter())
    }

    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns().find(|c| c.name == name)
    }

    pub fn measure(&self, name: &str) -> Option<&'static Column> {
        self.measures.contains(&name).then(|| self.column(name)).flatten()
    }
}

/// The losses that every family can have: counters of the shared header, and what the reader finds.
pub static SHARED_LOSSES: &[LossKind] = &[
    LossKind {
        counter: "group_full",
        name: "map_full",
        label: "map full",
        is_loss: true,
        doc: "the map of groups was full (or busy) when a row of a new group came",
    },
    LossKind {
        counter: "ring_full",
        name: "ring_full",
        label: "ring full",
        is_loss: true,
        doc: "the ring buffer was full when a row was emitted",
    },
    LossKind {
        counter: "state_failed",
        name: "task_state",
        label: "task state not taken",
        is_loss: true,
        doc: "no memory could be had to remember a task's open span",
    },
    LossKind {
        counter: "clamped",
        name: "bucket_clamped",
        label: "above the last bucket",
        is_loss: true,
        doc: "the value was counted in the histogram's last bucket, below its true place",
    },
];

/// Events that the kernel did not pass to a program because it was running already on that CPU.
pub static RECURSION: LossKind = LossKind {
    counter: "recursion_misses",
    name: "recursion",
    label: "recursion",
    is_loss: true,
    doc: "the kernel skipped a program because it was running already on that CPU",
};

/// Rows that came when as many were waiting to be shown as the query may keep.
pub static ROWS_MEMORY: LossKind = LossKind {
    counter: "rows_memory",
    name: "rows_memory",
    label: "no memory left for rows",
    is_loss: true,
    doc: "as many rows were kept as --map-memory allows when one more came",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// BPF programs on the running kernel.
    Kernel,
    /// Counters of /proc and /sys, polled.
    Counters,
    /// A recording.
    Replay,
}

/// One column of a family's row. In the kernel a row is an array of 64-bit slots.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// Two columns can be compared with each other when their units are equal.
    pub unit: Unit,
    /// The first slot in the kernel's row; [`Kind::slots`] of them.
    pub slot: u8,
    pub stage: Stage,
    /// Whether a row can be without it.
    pub nullable: bool,
    pub few: Cardinality,
    pub doc: &'static str,
    /// Where the value is read: a field or tracepoint argument.
    pub from: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Int,
    Bool,
    /// At most 15 bytes and a NUL, any bytes: two slots.
    Name,
    /// One of a fixed set of words; the number is what the kernel side stores.
    Word(&'static [(&'static str, i64)]),
    /// Nanoseconds.
    Duration,
    /// CLOCK_MONOTONIC nanoseconds.
    Time,
    /// A cgroup: its id in the kernel, its path for people.
    Cgroup,
}

impl Kind {
    pub const fn slots(self) -> u8 {
        match self {
            Kind::Name => 2,
            _ => 1,
        }
    }

    /// The word for help texts and messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Kind::Int => "number",
            Kind::Bool => "yes/no",
            Kind::Name => "text",
            Kind::Word(_) => "word",
            Kind::Duration => "duration",
            Kind::Time => "time",
            Kind::Cgroup => "cgroup path",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    None,
    Nanoseconds,
    Instant,
    Cpu,
    /// A thread's or a process' number.
    Task,
    Name,
    Priority,
    Nice,
    Cgroup,
    /// Enumerated words compare only with their own set.
    Words,
}

/// When a column of the measured task is known and cheap; the kernel tests predicates in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Cannot change between the start and the end of a row: tested at both, before clock and state are touched.
    Fixed,
    /// The task's own, but it may change while the row is open: tested when the row ends, before the clock is read.
    Identity,
    /// Known only once the row is complete.
    Row,
}

/// How many values a column can have: decides whether it may serve as a hidden key, and how large a map must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// At most this many.
    Fixed(u32),
    Cpus,
    /// As many as there are threads, processes or names.
    Tasks,
    Cgroups,
    /// A number of its own on nearly every row: never a hidden key.
    Many,
}

/// A figure of a family that the kernel itself counts too, so that the two can be set beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    pub ours: Figure,
    pub kernel: Counter,
    /// Why the two may differ.
    pub why: &'static str,
}

/// How a figure comes out of a family's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    Count,
    /// Rows with that word in that column.
    CountWhere(&'static str, &'static str),
    /// Of the first measure.
    Sum,
}

/// A counter of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// `voluntary_ctxt_switches` and `nonvoluntary_ctxt_switches` of /proc/T/status.
    Voluntary,
    Involuntary,
    /// The third field of /proc/T/schedstat: how often a task was put on a CPU after it had waited.
    TimeSlices,
    /// The second field of /proc/T/schedstat, ns.
    RunDelay,
    /// `ctxt` of /proc/stat, of the whole machine only.
    ContextSwitches,
}

impl Counter {
    /// Where the kernel shows it.
    pub const fn place(self) -> &'static str {
        match self {
            Counter::Voluntary => "/proc/T/status, voluntary_ctxt_switches",
            Counter::Involuntary => "/proc/T/status, nonvoluntary_ctxt_switches",
            Counter::TimeSlices => "/proc/T/schedstat, time slices",
            Counter::RunDelay => "/proc/T/schedstat, run_delay",
            Counter::ContextSwitches => "/proc/stat, ctxt",
        }
    }
}

/// One BPF program of a family.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// The function's name in the object.
    pub name: &'static str,
    /// The section, such as `tp_btf/sched_switch`.
    pub hook: &'static str,
    pub when: When,
    /// What it does, for `explain`.
    pub doc: &'static str,
}

/// When a program is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    /// Only with a command after `--`, which is held by a stage of this program until the probes are there.
    Command,
    /// Only for queries that speak of `child`.
    Child,
    /// Only where per-task state must be kept in a hash (no task storage on this kernel), to free it at exit.
    HashState,
    /// Always loaded, but run by the reader when it asks and not by an event.
    Asked,
}

/// A way to lose or set aside something, counted per CPU by the kernel side: an index into its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossKind {
    /// The field of `struct counters` in the BPF object.
    pub counter: &'static str,
    /// The key in machine-read metadata.
    pub name: &'static str,
    /// For people: "switch-in unseen".
    pub label: &'static str,
    /// Whether the answer lacks something because of it (marked, and `--strict` fails), or it is only stated.
    pub is_loss: bool,
    pub doc: &'static str,
}
