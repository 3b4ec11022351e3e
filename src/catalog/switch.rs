//! Leaving a CPU, voluntarily or not.

mod replay;

use super::task::OWN_SLOT;
use super::{Cardinality, Check, Column, Counter, Family, Figure, Kind, Origin, Program, Stage, Unit, When};

/// `enum switch_kind` in `src/bpf/switch.bpf.c`.
const VOLUNTARY: u64 = 0;
const INVOLUNTARY: u64 = 1;
const KINDS: &[(&str, i64)] = &[("voluntary", VOLUNTARY as i64), ("involuntary", INVOLUNTARY as i64)];

/// `enum switch_state` in `src/bpf/switch.bpf.c`: one number per word, not the kernel's bits, which differ between kernels.
mod state {
    pub const RUNNING: u64 = 0;
    pub const SLEEP: u64 = 1;
    pub const DISK: u64 = 2;
    pub const STOPPED: u64 = 3;
    pub const TRACED: u64 = 4;
    pub const PARKED: u64 = 5;
    pub const IDLE: u64 = 6;
    pub const ZOMBIE: u64 = 7;
    pub const DEAD: u64 = 8;
}

const STATES: &[(&str, i64)] = &[
    ("running", state::RUNNING as i64),
    ("sleep", state::SLEEP as i64),
    ("disk", state::DISK as i64),
    ("stopped", state::STOPPED as i64),
    ("traced", state::TRACED as i64),
    ("parked", state::PARKED as i64),
    ("idle", state::IDLE as i64),
    ("zombie", state::ZOMBIE as i64),
    ("dead", state::DEAD as i64),
];

pub static FAMILY: Family = Family {
    name: "switch",
    doc: "a task left a CPU",
    detail: "Voluntary is what the kernel counts in voluntary_ctxt_switches: the task was not preempted and was no longer \
             runnable. Everything else, sched_yield too, is involuntary. The idle task is left out unless the query names it \
             (tid = 0).",
    measures: &[],
    own: &[
        Column {
            name: "kind",
            kind: Kind::Word(KINDS),
            unit: Unit::Words,
            slot: OWN_SLOT,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Fixed(2),
            doc: "voluntary or involuntary, by the kernel's own rule",
            from: "sched_switch preempt, prev_state",
        },
        Column {
            name: "state",
            kind: Kind::Word(STATES),
            unit: Unit::Words,
            slot: OWN_SLOT + 1,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Fixed(9),
            doc: "the state in which it left; running when it was still runnable",
            from: "sched_switch prev_state, task_struct.exit_state",
        },
        Column {
            name: "next_tid",
            kind: Kind::Int,
            unit: Unit::Task,
            slot: OWN_SLOT + 2,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Tasks,
            doc: "the thread that runs next; 0 is the idle task",
            from: "sched_switch next->pid",
        },
        Column {
            name: "next_comm",
            kind: Kind::Name,
            unit: Unit::Name,
            slot: OWN_SLOT + 3,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Tasks,
            doc: "the name of the thread that runs next",
            from: "sched_switch next->comm",
        },
        Column {
            name: "next_prio",
            kind: Kind::Int,
            unit: Unit::Priority,
            slot: OWN_SLOT + 5,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Fixed(141),
            doc: "the effective priority of the thread that runs next",
            from: "sched_switch next->prio",
        },
    ],
    short_list: &["at", "cpu", "tid", "comm", "kind", "state", "next_tid", "next_comm"],
    example: "switch count by tid, comm, kind for 5s",
    state: false,
    programs: &[
        Program { name: "switch_out", hook: "tp_btf/sched_switch", when: When::Always, doc: "one row per switch-out" },
        Program {
            name: "command_exec",
            hook: "tp_btf/sched_process_exec",
            when: When::Command,
            doc: "tells when the command itself begins",
        },
        Program {
            name: "child_fork",
            hook: "tp_btf/sched_process_fork",
            when: When::Child,
            doc: "marks the descendants of the command",
        },
        Program {
            name: "state_free",
            hook: "tp_btf/sched_process_free",
            when: When::HashState,
            doc: "forgets a task that is gone",
        },
    ],
    origins: &[Origin::Kernel, Origin::Replay],
    replay: Some(replay::REPLAY),
    checks: &[
        Check {
            name: "voluntary",
            ours: Figure::CountWhere("kind", "voluntary"),
            kernel: Counter::Voluntary,
            why: "exact for threads that live on; those that ended are missing in /proc",
        },
        Check {
            name: "involuntary",
            ours: Figure::CountWhere("kind", "involuntary"),
            kernel: Counter::Involuntary,
            why: "exact for threads that live on; those that ended are missing in /proc",
        },
        Check {
            name: "all switches",
            ours: Figure::Count,
            kernel: Counter::ContextSwitches,
            why: "the counter is read a moment before the window opens and after it closes",
        },
    ],
    losses: &[],
};
