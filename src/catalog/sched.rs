//! The scheduler's events, all that recordings of the set `sched` hold. It is declared as families are, so that one loader
//! serves both; what its filter may speak of are the task's columns that tell who a task is.

use super::{Family, Origin};

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
    programs: &[],
    state: false,
    origins: &[Origin::Kernel],
    replay: None,
    losses: &[],
};
