//! The scheduler's events as they are recorded: one form for whoever records them, for the file and for whoever makes rows
//! of them again.

pub mod columns;

pub use columns::Columns;

/// What an event tells. The numbers are those of `enum event_kind` in `src/bpf/records.bpf.h`; the words stand in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A task left a CPU and another came (sched_switch).
    Switch = 0,
    /// A task is about to be woken by the task that is current there (sched_waking).
    Waking = 1,
    /// A task was made runnable (sched_wakeup).
    Wakeup = 2,
    /// A new task was made runnable for the first time (sched_wakeup_new).
    WakeupNew = 3,
    /// A task's CPU is about to be changed (sched_migrate_task).
    Migrate = 4,
    /// A task ends (sched_process_exit).
    Exit = 5,
    /// Who a task is from now on: as found at the start, or changed since it was last told.
    Task = 6,
    /// A task was born (sched_process_fork); who it is.
    Fork = 7,
    /// A task runs another program (sched_process_exec); who it is now.
    Exec = 8,
    /// A task has another name (task_rename); who it is now.
    Rename = 9,
    /// Events were lost.
    Loss = 10,
}

impl Kind {
    pub const ALL: [Kind; 11] = [
        Kind::Switch,
        Kind::Waking,
        Kind::Wakeup,
        Kind::WakeupNew,
        Kind::Migrate,
        Kind::Exit,
        Kind::Task,
        Kind::Fork,
        Kind::Exec,
        Kind::Rename,
        Kind::Loss,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Kind::Switch => "switch",
            Kind::Waking => "waking",
            Kind::Wakeup => "wakeup",
            Kind::WakeupNew => "wakeup_new",
            Kind::Migrate => "migrate",
            Kind::Exit => "exit",
            Kind::Task => "task",
            Kind::Fork => "fork",
            Kind::Exec => "exec",
            Kind::Rename => "rename",
            Kind::Loss => "loss",
        }
    }

    /// What happened, in a line.
    pub const fn doc(self) -> &'static str {
        match self {
            Kind::Switch => "a task left a CPU and another came",
            Kind::Waking => "a task is about to be woken by the task that is current there",
            Kind::Wakeup => "a task was made runnable",
            Kind::WakeupNew => "a new task was made runnable for the first time",
            Kind::Migrate => "a task's CPU is about to be changed",
            Kind::Exit => "a task ends",
            Kind::Task => "who a task is from now on: as found at the start, or changed since it was last told",
            Kind::Fork => "a task was born; who it is",
            Kind::Exec => "a task runs another program; who it is now",
            Kind::Rename => "a task has another name; who it is now",
            Kind::Loss => "events were lost",
        }
    }

    pub fn of_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    pub fn of_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }
}

/// What happened to tasks that are known already: `struct event_record` in `src/bpf/records.bpf.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Event {
    /// CLOCK_MONOTONIC ns.
    pub at: u64,
    /// The thread that the event is about; of a switch, the one that leaves. 0 is the idle task of that CPU.
    pub tid: u32,
    /// Of a switch, the thread that comes. Of waking and wakeup_new, the one that is current: the waker or the parent, unless
    /// an interrupt does it. Of a migration, the CPU from which. Else 0.
    pub other: u32,
    /// Of a switch, in which state the task leaves: the tracepoint's prev_state together with task_struct.exit_state. Of
    /// wakeups, the CPU for which it was woken; of a migration, the CPU to which. Else 0.
    pub state: u32,
    /// Where it happened.
    pub cpu: u16,
    pub kind: Kind,
    /// Of [`flag`].
    pub flags: u8,
}

/// Flags of an [`Event`], `enum event_flag` in `src/bpf/records.bpf.h`.
pub mod flag {
    /// The task that leaves was preempted by the kernel: it is runnable whatever its state says.
    pub const PREEMPT: u8 = 1;
    /// Its cgroup's quota holds back the task that leaves.
    pub const THROTTLED: u8 = 2;
    /// The task that is woken has not left its CPU: it does not wait.
    pub const ON_CPU: u8 = 4;
}

/// Who a task is from a time on: `struct identity_record` in `src/bpf/records.bpf.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Identity {
    /// CLOCK_MONOTONIC ns; it holds for every event from then on.
    pub at: u64,
    pub tid: u32,
    /// Of a fork, the parent; of an exec, the number that the thread had before. Else 0.
    pub other: u32,
    /// In which state it is, as `Event::state`; only told at the start of a recording, else 0.
    pub state: u32,
    /// Where it was told; of idle tasks, the CPU that they belong to.
    pub cpu: u16,
    /// [`Kind::Task`], [`Kind::Fork`], [`Kind::Exec`] or [`Kind::Rename`].
    pub kind: Kind,
    /// Of [`who`].
    pub flags: u8,
    /// When it was born, ns of CLOCK_MONOTONIC.
    pub born: u64,
    /// The number of its cgroup, in the hierarchy that holds the cpu controller; [`NO_CGROUP`] when it is not known.
    pub cgroup: u64,
    /// Any bytes up to the first NUL.
    pub comm: [u8; 16],
    /// The name of the leader of its process.
    pub process: [u8; 16],
    pub tgid: u32,
    /// -1 to 139.
    pub prio: i32,
    /// SCHED_*.
    pub policy: u32,
    /// -20 to 19.
    pub nice: i32,
}

pub const NO_CGROUP: u64 = 1 << 63;

/// Flags of an [`Identity`], `enum identity_flag` in `src/bpf/records.bpf.h`.
pub mod who {
    pub const KTHREAD: u8 = 1;
    /// A thread of the recorder itself, or the process that is to become its command while it is held.
    pub const RECORDER: u8 = 2;
    /// The command after `--` or a descendant of it.
    pub const CHILD: u8 = 4;
    /// It is running; only told at the start of a recording.
    pub const RUNNING: u8 = 8;
    /// The recording's filter wants it: of other tasks there are only the events that they share with such a one.
    pub const WANTED: u8 = 16;
}

/// Events that happened and are not in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// From the first to the last of them, CLOCK_MONOTONIC ns.
    pub from: u64,
    pub to: u64,
    /// On which CPU; `None` when that is not known.
    pub cpu: Option<u16>,
    pub count: u64,
    /// Why: a key of [`LOSSES`].
    pub cause: &'static str,
}

/// The ways to lose events while recording: key and words.
pub const LOSSES: &[(&str, &str)] = &[
    ("ring_full", "the ring buffer was full when an event was to be recorded"),
    ("task_state", "no memory could be had to remember who a task is"),
    ("recursion", "the kernel skipped a program because it was running already on that CPU"),
    ("out_of_order", "an event came later than others were written that happened after it"),
];

/// Events of a stretch of time, each list in the order of time. An identity holds for the events at its own time too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    pub events: Vec<Event>,
    pub identities: Vec<Identity>,
    pub gaps: Vec<Gap>,
    /// Paths of cgroups by their numbers, told before an identity speaks of them for the first time.
    pub cgroups: Vec<(u64, String)>,
}

impl Batch {
    pub fn clear(&mut self) {
        self.events.clear();
        self.identities.clear();
        self.gaps.clear();
        self.cgroups.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.identities.is_empty() && self.gaps.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_their_numbers_and_words() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(Kind::of_word(kind.word()), Some(kind));
            assert_eq!(Kind::of_number(number as u8), Some(kind));
        }
        assert_eq!(Kind::of_number(Kind::ALL.len() as u8), None);
    }

    #[test]
    fn records_have_no_hidden_bytes() {
        assert_eq!(size_of::<Event>(), 24);
        assert_eq!(size_of::<Identity>(), 88);
    }
}
