//! The scheduler's events, all that recordings of the set `sched` hold. It is declared as families are, so that one loader
//! serves both; what its filter may speak of are the task's columns that tell who a task is.

use super::{Family, Origin, Program, When};

/// Which of a task's columns a recording may be filtered by: those that stay the same over one wait or one stint, so that
/// no filter cuts a span in two.
pub const FILTERS: &[&str] = &["tid", "tgid", "comm", "process", "cgroup", "kthread", "child"];

pub static EVENTS: Family = Family {
    name: "sched",
    doc: "every switch, wakeup and migration, and who each task is",
    detail: "Raw events of the scheduler as the kernel told them: switches, wakings, wakeups, migrations, births, deaths, \
             executions and renames, and at the start who every task is and who runs where.",
    measures: &[],
    own: &[],
    short_list: &["at", "cpu", "tid", "comm"],
    example: "record sched for 10s to 'trace.parquet'",
    programs: &[
        Program {
            name: "record_switch",
            hook: "tp_btf/sched_switch",
            when: When::Always,
            doc: "tells who leaves a CPU, how, and who comes",
        },
        Program {
            name: "record_waking",
            hook: "tp_btf/sched_waking",
            when: When::Always,
            doc: "tells who is about to wake whom",
        },
        Program {
            name: "record_wakeup",
            hook: "tp_btf/sched_wakeup",
            when: When::Always,
            doc: "tells who was made runnable",
        },
        Program {
            name: "record_wakeup_new",
            hook: "tp_btf/sched_wakeup_new",
            when: When::Always,
            doc: "tells which new task was made runnable",
        },
        Program {
            name: "record_migrate",
            hook: "tp_btf/sched_migrate_task",
            when: When::Always,
            doc: "tells whose CPU is changed",
        },
        Program {
            name: "record_fork",
            hook: "tp_btf/sched_process_fork",
            when: When::Always,
            doc: "tells who was born",
        },
        Program {
            name: "record_exec",
            hook: "tp_btf/sched_process_exec",
            when: When::Always,
            doc: "tells who runs another program",
        },
        Program { name: "record_exit", hook: "tp_btf/sched_process_exit", when: When::Always, doc: "tells who ends" },
        Program {
            name: "record_rename",
            hook: "tp_btf/task_rename",
            when: When::Always,
            doc: "tells who has another name",
        },
        Program {
            name: "record_tasks",
            hook: "iter/task",
            when: When::Asked,
            doc: "tells at the start who everyone is, and in which state",
        },
        Program {
            name: "record_positions",
            hook: "raw_tp",
            when: When::Asked,
            doc: "tells how far the rings are filled, so that CPUs can be merged in order",
        },
        Program {
            name: "state_free",
            hook: "tp_btf/sched_process_free",
            when: When::HashState,
            doc: "forgets a task that is gone",
        },
    ],
    state: true,
    origins: &[Origin::Kernel],
    replay: None,
    checks: &[],
    losses: &[],
};
