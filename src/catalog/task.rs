//! The columns that every family has: when and where a row ended, and of which task it speaks. Their slots are those of
//! `struct task_row` in `src/bpf/row.bpf.h`.

use super::{Cardinality, Column, Kind, Stage, Unit};

/// The kernel's SCHED_* numbers.
const POLICIES: &[(&str, i64)] =
    &[("other", 0), ("fifo", 1), ("rr", 2), ("batch", 3), ("iso", 4), ("idle", 5), ("deadline", 6), ("ext", 7)];

/// The first slot that a family's own columns may take.
pub const OWN_SLOT: u8 = 18;

/// The first slots of those columns that are found by something else than the query: who makes rows of recorded events.
pub mod slot {
    pub const AT: usize = 0;
    pub const CPU: usize = 1;
    pub const TID: usize = 2;
    pub const COMM: usize = 4;
    pub const PRIO: usize = 8;
    pub const CGROUP: usize = 11;
    pub const CHILD: usize = 13;
}

/// Slots for `cgroup under`: the id of the ancestor at a level fixed at the start, one slot per level that the query names.
pub const UNDER_SLOTS: [u8; 4] = [14, 15, 16, 17];

/// The columns of `struct task_row`.
pub static COLUMNS: &[Column] = &[
    Column {
        name: "at",
        kind: Kind::Time,
        unit: Unit::Instant,
        slot: 0,
        stage: Stage::Row,
        nullable: false,
        few: Cardinality::Many,
        doc: "when the row ended",
        from: "bpf_ktime_get_ns (CLOCK_MONOTONIC)",
    },
    Column {
        name: "cpu",
        kind: Kind::Int,
        unit: Unit::Cpu,
        slot: 1,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Cpus,
        doc: "the CPU on which the row ended",
        from: "bpf_get_smp_processor_id",
    },
    Column {
        name: "tid",
        kind: Kind::Int,
        unit: Unit::Task,
        slot: 2,
        stage: Stage::Fixed,
        nullable: false,
        few: Cardinality::Tasks,
        doc: "the thread's number",
        from: "task_struct.pid",
    },
    Column {
        name: "tgid",
        kind: Kind::Int,
        unit: Unit::Task,
        slot: 3,
        stage: Stage::Fixed,
        nullable: false,
        few: Cardinality::Tasks,
        doc: "the process' number (ps calls it PID)",
        from: "task_struct.tgid",
    },
    Column {
        name: "comm",
        kind: Kind::Name,
        unit: Unit::Name,
        slot: 4,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Tasks,
        doc: "the thread's name when the row ended, at most 15 bytes",
        from: "task_struct.comm",
    },
    Column {
        name: "process",
        kind: Kind::Name,
        unit: Unit::Name,
        slot: 6,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Tasks,
        doc: "the name of the process' leader thread, at most 15 bytes",
        from: "task_struct.group_leader->comm",
    },
    Column {
        name: "prio",
        kind: Kind::Int,
        unit: Unit::Priority,
        slot: 8,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Fixed(141),
        doc: "the kernel's effective priority: -1 deadline, 0-99 real time (lower is stronger), 100-139 by nice",
        from: "task_struct.prio",
    },
    Column {
        name: "policy",
        kind: Kind::Word(POLICIES),
        unit: Unit::Words,
        slot: 9,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Fixed(8),
        doc: "the scheduling policy as set; priority inheritance does not change it",
        from: "task_struct.policy",
    },
    Column {
        name: "nice",
        kind: Kind::Int,
        unit: Unit::Nice,
        slot: 10,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Fixed(40),
        doc: "the nice value, -20 to 19",
        from: "task_struct.static_prio - 120",
    },
    Column {
        name: "cgroup",
        kind: Kind::Cgroup,
        unit: Unit::Cgroup,
        slot: 11,
        stage: Stage::Identity,
        nullable: false,
        few: Cardinality::Cgroups,
        doc: "the cgroup in the hierarchy that holds the cpu controller",
        from: "task_struct.cgroups->dfl_cgrp (v2) or task_struct.sched_task_group (v1)",
    },
    Column {
        name: "kthread",
        kind: Kind::Bool,
        unit: Unit::None,
        slot: 12,
        stage: Stage::Fixed,
        nullable: false,
        few: Cardinality::Fixed(2),
        doc: "whether it is a thread of the kernel",
        from: "task_struct.flags & PF_KTHREAD",
    },
    Column {
        name: "child",
        kind: Kind::Bool,
        unit: Unit::None,
        slot: 13,
        stage: Stage::Fixed,
        nullable: false,
        few: Cardinality::Fixed(2),
        doc: "whether it is the command started after -- or a descendant of it",
        from: "sched_process_fork, followed from that command on",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_columns() {
        let of = |name| usize::from(COLUMNS.iter().find(|c| c.name == name).expect("a column").slot);
        let named = [
            ("at", slot::AT),
            ("cpu", slot::CPU),
            ("tid", slot::TID),
            ("comm", slot::COMM),
            ("prio", slot::PRIO),
            ("cgroup", slot::CGROUP),
            ("child", slot::CHILD),
        ];
        named.into_iter().for_each(|(name, slot)| assert_eq!(of(name), slot, "{name}"));
        assert_eq!(slot::CHILD + 1, usize::from(UNDER_SLOTS[0]), "nothing stands between them");
    }
}
