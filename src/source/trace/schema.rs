//! The columns of a recording's file, declared once: the writer, the reader and `docs/recording.md` all follow this table.

use crate::catalog::event::Kind;

/// The version of the format that this program writes. A reader takes any file of its own major version: columns that it
/// does not know are left alone, and a column that the file lacks has no values. A higher major version is refused.
pub const MAJOR: u32 = 1;
pub const MINOR: u32 = 0;

/// Of the file's key-value metadata: [`super::meta::Meta`] as JSON, and `MAJOR.MINOR` alone.
pub const META_KEY: &str = "schedq_recording";
pub const VERSION_KEY: &str = "schedq_recording_version";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Int64,
    Int32,
    Bool,
    Text,
}

impl Type {
    pub const fn word(self) -> &'static str {
        match self {
            Type::Int64 => "int64",
            Type::Int32 => "int32",
            Type::Bool => "bool",
            Type::Text => "text",
        }
    }
}

/// Which rows can have a value. Columns of the same kind of rows share one bitmap while they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Every row has one.
    All,
    /// All, but a loss whose CPU is not known has none.
    Place,
    /// All that tell of a task.
    Task,
    Switch,
    /// Switches and identities.
    Stated,
    /// Waking, wakeup and wakeup_new.
    Wake,
    /// Waking and wakeup_new.
    Waker,
    /// Wakes and migrations.
    Target,
    Migrate,
    /// Task, fork, exec and rename.
    Identity,
    Fork,
    Exec,
    Loss,
}

const fn mask(kinds: &[Kind]) -> u16 {
    let mut bits = 0;
    let mut i = 0;
    while i < kinds.len() {
        bits |= 1 << kinds[i] as u16;
        i += 1;
    }
    bits
}

pub const IDENTITIES: u16 = mask(&[Kind::Task, Kind::Fork, Kind::Exec, Kind::Rename]);
pub const LOSSES: u16 = mask(&[Kind::Loss]);
const EVERY: u16 = mask(&Kind::ALL);

impl Rows {
    /// A bit for each kind of event, by its number.
    pub const fn kinds(self) -> u16 {
        match self {
            Rows::All | Rows::Place => EVERY,
            Rows::Task => EVERY & !LOSSES,
            Rows::Switch => mask(&[Kind::Switch]),
            Rows::Stated => mask(&[Kind::Switch]) | IDENTITIES,
            Rows::Wake => mask(&[Kind::Waking, Kind::Wakeup, Kind::WakeupNew]),
            Rows::Waker => mask(&[Kind::Waking, Kind::WakeupNew]),
            Rows::Target => mask(&[Kind::Waking, Kind::Wakeup, Kind::WakeupNew, Kind::Migrate]),
            Rows::Migrate => mask(&[Kind::Migrate]),
            Rows::Identity => IDENTITIES,
            Rows::Fork => mask(&[Kind::Fork]),
            Rows::Exec => mask(&[Kind::Exec]),
            Rows::Loss => LOSSES,
        }
    }

    /// For the documentation: the words of the events that have it.
    pub fn words(self) -> String {
        match self {
            Rows::All => "all".to_owned(),
            Rows::Place => "all (missing of a loss whose CPU is not known)".to_owned(),
            Rows::Task => "all but loss".to_owned(),
            _ => {
                let has = Kind::ALL.into_iter().filter(|kind| self.kinds() & (1 << *kind as u16) != 0);
                has.map(Kind::word).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// A column by its place in [`COLUMNS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Id {
    At,
    Event,
    Cpu,
    Tid,
    Comm,
    Prio,
    State,
    StateBits,
    Preempted,
    Throttled,
    NextTid,
    NextComm,
    NextPrio,
    OnCpu,
    WakerTid,
    WakerComm,
    TargetCpu,
    FromCpu,
    Tgid,
    Process,
    Policy,
    Nice,
    Cgroup,
    CgroupId,
    Kthread,
    Recorder,
    Child,
    Wanted,
    Running,
    Born,
    ParentTid,
    OldTid,
    Lost,
    LostFrom,
    LostCause,
}

/// How many columns, the first ones, have values on so many rows that they are written page by page as rows come. The
/// others tell who tasks are and what was lost, which is rare; they are written once a row group.
pub const PAGED: usize = Id::Tgid as usize;

/// The columns that are paged.
pub const IDS: [Id; PAGED] = [
    Id::At,
    Id::Event,
    Id::Cpu,
    Id::Tid,
    Id::Comm,
    Id::Prio,
    Id::State,
    Id::StateBits,
    Id::Preempted,
    Id::Throttled,
    Id::NextTid,
    Id::NextComm,
    Id::NextPrio,
    Id::OnCpu,
    Id::WakerTid,
    Id::WakerComm,
    Id::TargetCpu,
    Id::FromCpu,
];

#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Type,
    pub rows: Rows,
    pub doc: &'static str,
}

impl Column {
    pub const fn required(&self) -> bool {
        matches!(self.rows, Rows::All)
    }
}

const fn column(name: &'static str, kind: Type, rows: Rows, doc: &'static str) -> Column {
    Column { name, kind, rows, doc }
}

pub static COLUMNS: [Column; 35] = [
    column("at_ns", Type::Int64, Rows::All, "when, ns of CLOCK_MONOTONIC; of a loss, the time of the last lost event"),
    column("event", Type::Text, Rows::All, "what happened: one of the words below"),
    column("cpu", Type::Int32, Rows::Place, "where; of an idle task's identity, the CPU that it belongs to"),
    column(
        "tid",
        Type::Int32,
        Rows::Task,
        "the thread that the event is about; of a switch, the one that leaves; 0 is the idle task",
    ),
    column("comm", Type::Text, Rows::Task, "its name at that time; missing if the recording never told it"),
    column(
        "prio",
        Type::Int32,
        Rows::Task,
        "its effective priority at that time, -1 to 139; missing if it was never told",
    ),
    column("state", Type::Text, Rows::Switch, "in which state it leaves, as in the family switch"),
    column(
        "state_bits",
        Type::Int32,
        Rows::Stated,
        "the same as the kernel has it: prev_state with exit_state; of an identity, the state at the start",
    ),
    column("preempted", Type::Bool, Rows::Switch, "whether the kernel preempted it: it is runnable whatever its state"),
    column("throttled", Type::Bool, Rows::Switch, "whether its cgroup's quota holds it back"),
    column("next_tid", Type::Int32, Rows::Switch, "the thread that comes"),
    column("next_comm", Type::Text, Rows::Switch, "its name; missing if it was never told"),
    column("next_prio", Type::Int32, Rows::Switch, "its effective priority; missing if it was never told"),
    column("on_cpu", Type::Bool, Rows::Wake, "whether the woken task has not left its CPU yet: it does not wait"),
    column(
        "waker_tid",
        Type::Int32,
        Rows::Waker,
        "the thread that was current: the waker or the parent, unless an interrupt did it",
    ),
    column("waker_comm", Type::Text, Rows::Waker, "its name; missing if it was never told"),
    column("target_cpu", Type::Int32, Rows::Target, "the CPU for which it is woken, or to which it moves"),
    column("from_cpu", Type::Int32, Rows::Migrate, "the CPU from which it moves"),
    column("tgid", Type::Int32, Rows::Identity, "its process"),
    column("process", Type::Text, Rows::Identity, "the name of the leader of its process"),
    column(
        "policy",
        Type::Text,
        Rows::Identity,
        "its scheduling policy: other, fifo, rr, batch, idle, deadline, ext or a number",
    ),
    column("nice", Type::Int32, Rows::Identity, "its nice value, -20 to 19"),
    column(
        "cgroup",
        Type::Text,
        Rows::Identity,
        "the path of its cgroup in the hierarchy of the cpu controller; missing if not known",
    ),
    column("cgroup_id", Type::Int64, Rows::Identity, "the number of that cgroup; missing if not known"),
    column("kthread", Type::Bool, Rows::Identity, "whether it is a kernel thread"),
    column("recorder", Type::Bool, Rows::Identity, "whether it is a thread of the recorder itself"),
    column("child", Type::Bool, Rows::Identity, "whether it is the recorded command or a descendant of it"),
    column(
        "wanted",
        Type::Bool,
        Rows::Identity,
        "whether the recording's filter wants it; of other tasks there are only the events that they share with such a one",
    ),
    column("running", Type::Bool, Rows::Identity, "whether it was running when the recording began"),
    column("born_ns", Type::Int64, Rows::Identity, "when it was born, ns of CLOCK_MONOTONIC"),
    column("parent_tid", Type::Int32, Rows::Fork, "its parent"),
    column("old_tid", Type::Int32, Rows::Exec, "the number that the thread had before: it takes over its leader's"),
    column("lost", Type::Int64, Rows::Loss, "how many events were lost"),
    column("lost_from_ns", Type::Int64, Rows::Loss, "the time of the first of them"),
    column("lost_cause", Type::Text, Rows::Loss, "why"),
];

/// The words of `state`; the numbers are those of `enum switch_state` in `src/bpf/switch.bpf.c`.
pub const STATES: [&str; 9] = ["running", "sleep", "disk", "stopped", "traced", "parked", "idle", "zombie", "dead"];

/// Which of [`STATES`] a task leaves in: `state_word` of `src/bpf/switch.bpf.c`, over bits that are the same since 4.14.
pub const fn state_word(bits: u32, preempted: bool) -> u8 {
    const ZOMBIE: u32 = 0x20;
    const DEAD: u32 = 0x10 | 0x80;
    const UNINTERRUPTIBLE: u32 = 0x2;
    const NOLOAD: u32 = 0x400;
    if preempted || bits == 0 {
        0
    } else if bits & ZOMBIE != 0 {
        7
    } else if bits & DEAD != 0 {
        8
    } else if bits & UNINTERRUPTIBLE != 0 && bits & NOLOAD != 0 {
        6
    } else if bits & 0x40 != 0 {
        5
    } else if bits & 0x8 != 0 {
        4
    } else if bits & 0x4 != 0 {
        3
    } else if bits & 0x1 != 0 {
        1
    } else {
        2
    }
}

/// SCHED_* of include/uapi/linux/sched.h.
pub const POLICIES: [(&str, u32); 7] =
    [("other", 0), ("fifo", 1), ("rr", 2), ("batch", 3), ("idle", 5), ("deadline", 6), ("ext", 7)];

pub fn policy_word(policy: u32) -> String {
    let known = POLICIES.iter().find(|(_, number)| *number == policy);
    known.map_or_else(|| policy.to_string(), |(word, _)| (*word).to_owned())
}

pub fn policy_number(word: &str) -> Option<u32> {
    let known = POLICIES.iter().find(|(known, _)| *known == word);
    known.map(|(_, number)| *number).or_else(|| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_their_names_say() {
        for (id, name) in [
            (Id::At, "at_ns"),
            (Id::StateBits, "state_bits"),
            (Id::OnCpu, "on_cpu"),
            (Id::FromCpu, "from_cpu"),
            (Id::Tgid, "tgid"),
            (Id::Born, "born_ns"),
            (Id::LostCause, "lost_cause"),
        ] {
            assert_eq!(COLUMNS[id as usize].name, name);
        }
        assert!(IDS.iter().enumerate().all(|(at, id)| *id as usize == at));
        assert_eq!(COLUMNS.len(), Id::LostCause as usize + 1);
        assert!(COLUMNS[PAGED..].iter().all(|c| c.rows.kinds() & !(IDENTITIES | LOSSES) == 0));
    }

    #[test]
    fn states_are_the_words_of_the_family() {
        let word = |bits, preempted| STATES[state_word(bits, preempted) as usize];
        assert_eq!(word(0, false), "running");
        assert_eq!(word(1, true), "running");
        assert_eq!(word(1, false), "sleep");
        assert_eq!(word(0x2, false), "disk");
        assert_eq!(word(0x402, false), "idle");
        assert_eq!(word(0x4, false), "stopped");
        assert_eq!(word(0x8, false), "traced");
        assert_eq!(word(0x40, false), "parked");
        assert_eq!(word(0x80 | 0x20, false), "zombie");
        assert_eq!(word(0x80 | 0x10, false), "dead");
        assert_eq!(word(0x1000, false), "disk");
        let family = crate::catalog::family("switch").and_then(|f| f.column("state")).unwrap().kind;
        let crate::catalog::Kind::Word(words) = family else { panic!("state is a word") };
        assert_eq!(words.iter().map(|(word, _)| *word).collect::<Vec<_>>(), STATES);
        assert!(words.iter().enumerate().all(|(i, (_, number))| *number == i as i64));
    }

    #[test]
    fn policies_have_words() {
        for policy in 0..10 {
            assert_eq!(policy_number(&policy_word(policy)), Some(policy));
        }
        assert_eq!(policy_word(6), "deadline");
    }
}
