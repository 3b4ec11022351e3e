//! `having`, `sort`, `top`, and the order without them.

use schedq::frame::{Frame, Mark, build};
use schedq::lang::ast::Stat;
use schedq::plan::predicate::Order;
use schedq::plan::{Having, INTERVAL, Plan};
use schedq::source::{Cell, Outcome};

use crate::plans::{groups, ints, p, plan, sort, texts, values};

fn comms(frame: &Frame) -> Vec<String> {
    frame.data.column("comm").unwrap().str().unwrap().iter().flatten().map(str::to_owned).collect()
}

fn three() -> Outcome {
    groups(vec![texts("comm", &["c", "a", "b"])], vec![values(&[5]), values(&[5, 1]), values(&[9, 1])])
}

fn asked(stats: &[Stat]) -> Plan {
    plan("runq latency", &["comm"], stats)
}

#[test]
fn the_first_stat_descends_and_keys_break_ties() {
    assert_eq!(comms(&build(&asked(&[Stat::Count]), &three(), &[]).unwrap()), ["a", "b", "c"]);
    assert_eq!(comms(&build(&asked(&[Stat::Max, Stat::Count]), &three(), &[]).unwrap()), ["b", "a", "c"]);
    let beside = build(&asked(&[Stat::Hist, Stat::Max]), &three(), &[]).unwrap();
    assert_eq!(comms(&beside), ["a", "b", "c"]);
}

#[test]
fn a_named_column_sorts_by_the_plan_and_top_cuts() {
    let mut plan = asked(&[Stat::Count, Stat::Max]);
    plan.rest.sort = vec![sort("latency_max_ns", false)];
    assert_eq!(comms(&build(&plan, &three(), &[]).unwrap()), ["a", "c", "b"]);
    plan.rest.sort = vec![sort("comm", true)];
    plan.rest.top = Some(2);
    assert_eq!(comms(&build(&plan, &three(), &[]).unwrap()), ["c", "b"]);
    plan.rest.top = Some(0);
    assert!(comms(&build(&plan, &three(), &[]).unwrap()).is_empty());
}

#[test]
fn having_comes_before_top_and_after_pct() {
    let mut plan = asked(&[Stat::Pct, Stat::Max]);
    let test = |column: &str, value| Having::Stat { column: column.into(), order: Order::Greater, value };
    plan.rest.having = Some(Having::And(vec![test("latency_max_ns", 5.0), test("pct", 10.0)]));
    plan.rest.top = Some(1);
    let frame = build(&plan, &three(), &[]).unwrap();
    assert_eq!(comms(&frame), ["b"]);
    assert_eq!(frame.data.column("pct").unwrap().f64().unwrap().get(0), Some(40.0));
    assert_eq!((frame.meta.totals.count, frame.meta.totals.sum), (5, Some(21)));
    // The count can be spoken of though it is not shown, and a stat by its own word.
    plan.rest.having = Some(Having::Not(Box::new(Having::Or(vec![test("count", 1.0), test("max", 5.0)]))));
    assert_eq!(comms(&build(&plan, &three(), &[]).unwrap()), ["c"]);
}

#[test]
fn intervals_ascend_and_top_and_pct_are_of_each() {
    let second = 1_000_000_000;
    let outcome = groups(
        vec![ints(INTERVAL, &[second, 0, 0, second]), texts("comm", &["a", "b", "a", "b"])],
        vec![values(&[1]), values(&[1, 2]), values(&[1]), values(&[1, 2, 3])],
    );
    let mut plan = asked(&[Stat::Count, Stat::Pct]);
    plan.scan.every_ns = Some(second as u64);
    plan.rest.top = Some(1);
    let frame = build(&plan, &outcome, &[]).unwrap();
    assert_eq!(comms(&frame), ["b", "b"]);
    let starts: Vec<i64> = frame.data.column(INTERVAL).unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(starts, [crate::plans::EPOCH_NS, crate::plans::EPOCH_NS + second]);
    let parts: Vec<f64> = frame.data.column("pct").unwrap().f64().unwrap().iter().flatten().collect();
    assert!((parts[0] - 200.0 / 3.0).abs() < 1e-9 && parts[1] == 75.0, "{parts:?}");
}

#[test]
fn the_rate_of_a_cut_interval_is_of_its_true_length() {
    let second = 1_000_000_000i64;
    let mut outcome = groups(vec![ints(INTERVAL, &[0, second])], vec![values(&[1; 10]), values(&[1; 10])]);
    outcome.window.length_ns = 1_250_000_000;
    let mut plan = plan("switch", &[], &[Stat::Rate]);
    plan.scan.every_ns = Some(second as u64);
    let frame = build(&plan, &outcome, &[]).unwrap();
    let rates: Vec<f64> = frame.data.column("rate").unwrap().f64().unwrap().iter().flatten().collect();
    assert_eq!(rates, [10.0, 40.0]);
}

#[test]
fn marks_follow_their_rows() {
    let outcome =
        groups(vec![texts("comm", &["few", "many"])], vec![values(&[1; 99]), values(&(1..=100).collect::<Vec<_>>())]);
    let frame = build(&asked(&[p(99), p(50)]), &outcome, &[]).unwrap();
    assert_eq!(comms(&frame), ["many", "few"]);
    assert_eq!(frame.columns[1].marks, [Mark::None, Mark::Rough]);
    assert!(frame.columns[2].marks.is_empty());
    assert_eq!(frame.meta.columns[1].rough, 1);
}

#[test]
fn a_wait_longer_than_its_interval_is_marked() {
    let second = 1_000_000_000i64;
    let mut plan = plan("runq latency", &[], &[Stat::Max]);
    plan.scan.every_ns = Some(second as u64);
    let outcome = groups(vec![ints(INTERVAL, &[0, second])], vec![values(&[5]), values(&[1_500_000_000])]);
    let frame = build(&plan, &outcome, &[]).unwrap();
    assert_eq!(frame.columns[1].marks, [Mark::None, Mark::PastInterval]);
}

#[test]
fn groups_that_the_source_left_empty_are_none() {
    let outcome = groups(vec![texts("comm", &["a", "b"])], vec![Cell::default(), values(&[3])]);
    assert_eq!(comms(&build(&asked(&[Stat::Min]), &outcome, &[]).unwrap()), ["b"]);
}
