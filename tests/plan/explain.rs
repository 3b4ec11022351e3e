//! What `explain` and `describe` say, read as someone would who has to decide whether to run the query on a busy machine.

use schedq::catalog;
use schedq::diagnostic::Source;
use schedq::plan::layout::{Machine, layout};
use schedq::plan::{Plan, check, check_record, describe, explain};

use super::{Asked, options, queries};

const MACHINE: Machine = Machine { cpus: 8, task_storage: true };

fn plan(text: &str) -> Plan {
    let source = Source::new("test", text);
    let (queries, params) = queries(&source);
    let (Asked::Query(query), block_ns) = &queries[0] else { panic!("{text} is no query") };
    let options = schedq::plan::CheckOptions { has_command: text.contains("child"), ..options(*block_ns) };
    check(query, &params, &options).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn explained(name: &str, text: &str) {
    let plan = plan(text);
    let layout = layout(&plan.scan, MACHINE);
    snapshot(name, text, &explain::explain(&plan, &layout, MACHINE));
}

fn snapshot(name: &str, description: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("explain");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn plans_are_explained() {
    for (name, text) in [
        ("plain_hist", "runq latency hist for 5s"),
        ("one_process", "runq latency where pid=123 hist by cpu for 5s"),
        ("or_of_ands", "runq latency where tgid=123 or (comm ~ 'nginx*' and cpu in 0-3) hist by cpu for 5s"),
        ("child", "switch where child count by tid, comm, kind"),
        (
            "leftover_glob",
            "runq latency where comm ~ '*web*' and latency > 1ms p50, p99, max by cpu having p99 > 5ms sort max top 10 for 10s",
        ),
        ("leftover_rows", "runq latency where comm ~ '*web*' or latency > 1ms p99 for 5s"),
        ("events", "runq latency where comm = 'nginx' events first 20"),
        ("events_sorted", "runq events(comm, latency) where comm ~ '*x?' sort latency top 5 for 1s"),
        ("every", "switch rate, pct by kind every 1s for 1m"),
        ("every_latency", "runq latency count, max_at by comm every 1s"),
        ("cgroup_under", "runq latency where cgroup under '/app' and not kthread hist by cause for 5s"),
        ("cgroup_glob", "runq latency where cgroup ~ '/app/*' avg by cgroup for 5s"),
        ("linear", "runq latency hist(linear, 0ms, 10ms, 1ms) by comm for 5s"),
        ("uniq", "switch where kind = involuntary count, uniq(next_comm) by comm for 5s"),
        ("nothing", "param t = any\nrunq latency where cpu = 1 and not (tid = $t) for 5s"),
        ("glob_with_a_stem", "runq latency where comm ~ 'CPU */KVM' p99 by comm for 5s"),
        ("idle", "switch where tid = 0 count by cpu, next_comm for 1s save 'idle.parquet'"),
        (
            "many_terms",
            "switch where tid in (1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33) and cpu in 0-3 count for 1s",
        ),
        ("against_column", "switch where next_prio < prio and next_comm != comm count by next_comm for 1s"),
        ("any", "param t = any\nrunq where tgid = $t and cpu = 1 for 1s"),
    ] {
        explained(name, text);
    }
}

#[test]
fn questions_to_recordings_are_explained() {
    for (name, text) in [
        ("from_plain", "from 'trace.parquet' runq latency hist by cpu"),
        (
            "from_filter",
            "from 'trace.parquet' runq latency where comm ~ '*web*' and tgid = 3 and latency > 1ms p99 by cpu around '14:03:21.5' 10ms save 'a.csv'",
        ),
        ("from_worst", "from 'trace.parquet' switch events around worst(runq latency where comm = 'nginx') 5ms"),
        ("from_nothing", "param t = any\nfrom 'trace.parquet' runq latency where not (tid = $t) count"),
    ] {
        explained(name, text);
    }
}

#[test]
fn recordings_are_explained() {
    for (name, text) in [
        ("record_all", "record sched for 10s to 'trace.parquet'"),
        ("record_filter", "record sched where tgid in (3, 4) and (comm ~ 'nginx*' or child) to 'trace.parquet'"),
    ] {
        let source = Source::new("test", text);
        let (asked, params) = queries(&source);
        let (Asked::Record(record), _) = &asked[0] else { panic!("{text}") };
        let options = schedq::plan::CheckOptions { has_command: true, ..options(None) };
        let record = check_record(record, &params, &options).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        snapshot(name, text, &explain::explain_record(&record, &layout(&record.scan, MACHINE), MACHINE));
    }
}

#[test]
fn without_task_storage_state_is_in_a_hash() {
    let plan = plan("runq latency avg for 5s");
    let machine = Machine { cpus: 1, task_storage: false };
    snapshot("hash_state", "", &explain::explain(&plan, &layout(&plan.scan, machine), machine));
}

#[test]
fn families_are_described() {
    snapshot("list", "", &describe::list_families());
    for family in catalog::FAMILIES {
        snapshot(&format!("describe_{}", family.name), "", &describe::describe_family(family));
    }
}
