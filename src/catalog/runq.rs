//! Waiting for a CPU: from runnable to running.

mod replay;

use super::task::OWN_SLOT;
use super::{Cardinality, Check, Column, Counter, Family, Figure, Kind, LossKind, Origin, Program, Stage, Unit, When};

/// `enum runq_cause` in `src/bpf/runq.bpf.c`.
mod cause {
    pub const WAKEUP: u32 = 0;
    pub const NEW: u32 = 1;
    pub const PREEMPT: u32 = 2;
    pub const THROTTLE: u32 = 3;
}

const CAUSES: &[(&str, i64)] = &[
    ("wakeup", cause::WAKEUP as i64),
    ("new", cause::NEW as i64),
    ("preempt", cause::PREEMPT as i64),
    ("throttle", cause::THROTTLE as i64),
];

pub static FAMILY: Family = Family {
    name: "runq",
    doc: "a task waited runnable and got a CPU",
    detail: "A wait starts when a task is woken (sched_wakeup), is new (sched_wakeup_new), or leaves a CPU while still \
             runnable (preempted, yielding or throttled); it ends when the task is switched in. A wakeup of a task that \
             is still on its CPU starts no wait, and a wait that is running is never restarted. Time during which a \
             cgroup's quota held the task back is inside the wait; its cause then is throttle.",
    measures: &["latency"],
    own: &[
        Column {
            name: "latency",
            kind: Kind::Duration,
            unit: Unit::Nanoseconds,
            slot: OWN_SLOT,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Many,
            doc: "from runnable to running",
            from: "sched_wakeup, sched_wakeup_new or sched_switch to sched_switch",
        },
        Column {
            name: "cause",
            kind: Kind::Word(CAUSES),
            unit: Unit::Words,
            slot: OWN_SLOT + 1,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Fixed(4),
            doc: "how the wait began: wakeup, new, preempt (lost the CPU while runnable) or throttle (by its quota)",
            from: "the event that started the wait; task_struct.throttled or cfs_rq.throttle_count",
        },
        Column {
            name: "prev_tid",
            kind: Kind::Int,
            unit: Unit::Task,
            slot: OWN_SLOT + 2,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Tasks,
            doc: "the thread that ran on this CPU just before; 0 is the idle task",
            from: "sched_switch prev->pid",
        },
        Column {
            name: "prev_comm",
            kind: Kind::Name,
            unit: Unit::Name,
            slot: OWN_SLOT + 3,
            stage: Stage::Row,
            nullable: false,
            few: Cardinality::Tasks,
            doc: "the name of the thread that ran on this CPU just before",
            from: "sched_switch prev->comm",
        },
    ],
    short_list: &["at", "cpu", "tid", "comm", "latency", "cause", "prev_tid", "prev_comm"],
    example: "runq latency where tgid=123 hist by cpu for 5s",
    state: true,
    programs: &[
        Program { name: "runq_wakeup", hook: "tp_btf/sched_wakeup", when: When::Always, doc: "starts a wait" },
        Program {
            name: "runq_wakeup_new",
            hook: "tp_btf/sched_wakeup_new",
            when: When::Always,
            doc: "starts a new task's first wait",
        },
        Program {
            name: "runq_switch",
            hook: "tp_btf/sched_switch",
            when: When::Always,
            doc: "starts the wait of a task that leaves while runnable, ends the wait of the task that comes",
        },
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
            name: "waits",
            ours: Figure::Count,
            kernel: Counter::TimeSlices,
            why: "the kernel also counts a task that was switched out and in without having waited",
        },
        Check {
            name: "time waited",
            ours: Figure::Sum,
            kernel: Counter::RunDelay,
            why: "sched_wakeup comes a little before the task is queued: with short waits more than run_delay",
        },
    ],
    losses: &[
        LossKind {
            counter: "start_unseen",
            name: "start_unseen",
            label: "start unseen",
            is_loss: true,
            doc: "a task that was seen before, or born in the window, was switched in, but what made it runnable was not \
                  seen: no row",
        },
        LossKind {
            counter: "switch_in_unseen",
            name: "switch_in_unseen",
            label: "switch-in unseen",
            is_loss: true,
            doc: "a task left a CPU while its wait was still open: its switch-in was not seen, the wait is discarded",
        },
        LossKind {
            counter: "negative",
            name: "negative_dropped",
            label: "negative delta dropped",
            is_loss: true,
            doc: "the clock of the CPU that ended the wait was behind that of the CPU that started it",
        },
        LossKind {
            counter: "before_window",
            name: "began_before_window",
            label: "began before the window",
            is_loss: false,
            doc: "the first switch-in of a task whose wait had begun before the probes were there: not a row",
        },
    ],
};
