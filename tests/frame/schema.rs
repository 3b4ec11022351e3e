//! Names, types, and what is there when nothing happened.

use polars::prelude::DataType;
use schedq::catalog::family;
use schedq::frame::{FrameError, Meta, build};
use schedq::lang::ast::Stat;
use schedq::plan::{INTERVAL, Output};
use schedq::source::Outcome;

use crate::plans::{EPOCH_NS, groups, ints, linear, p, plan, rows, sort, texts, values};

fn schema(plan: &schedq::plan::Plan, outcome: &Outcome) -> Vec<(String, DataType)> {
    let frame = build(plan, outcome, &[]).unwrap();
    assert_eq!(frame.columns.len(), frame.data.width());
    let names = |c: &polars::prelude::Column| (c.name().to_string(), c.dtype().clone());
    let found: Vec<_> = frame.data.columns().iter().map(names).collect();
    assert!(frame.columns.iter().zip(&found).all(|(c, (name, _))| c.name == *name));
    found
}

#[test]
fn no_rows_have_the_schema_of_rows() {
    let stats = [Stat::Count, Stat::Avg, p(99), Stat::Rate, Stat::Pct, Stat::MaxAt, Stat::Hist];
    let mut plan = plan("runq latency", &["comm", "cpu", "kthread"], &stats);
    let full = groups(
        vec![
            texts("comm", &["a"]),
            ints("cpu", &[1]),
            schedq::source::TableColumn {
                name: "kthread".into(),
                values: schedq::source::Values::Bool(vec![Some(true)]),
            },
        ],
        vec![values(&[1, 2])],
    );
    assert_eq!(schema(&plan, &groups(Vec::new(), Vec::new())), schema(&plan, &full));
    plan.rest.stats.drain(..6);
    assert_eq!(schema(&plan, &groups(Vec::new(), Vec::new())), schema(&plan, &full));
    plan.scan.every_ns = Some(1);
    let names: Vec<String> = schema(&plan, &groups(Vec::new(), Vec::new())).into_iter().map(|c| c.0).collect();
    assert_eq!(names, [INTERVAL, "comm", "cpu", "kthread", "lo_ns", "hi_ns", "count"]);
}

#[test]
fn an_aggregation_without_keys_always_answers() {
    let asked = plan("runq latency", &[], &[Stat::Count, Stat::Sum, Stat::Avg, p(99), Stat::Rate, Stat::Pct]);
    for outcome in [groups(Vec::new(), Vec::new()), rows(Vec::new()), groups(Vec::new(), vec![Default::default()])] {
        let frame = build(&asked, &outcome, &[]).unwrap();
        assert_eq!(frame.data.height(), 1);
        let shown: Vec<String> = frame.data.get(0).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["0", "0", "null", "null", "0.0", "null"]);
    }
    let hist = build(&plan("runq latency", &[], &[Stat::Hist]), &groups(Vec::new(), Vec::new()), &[]).unwrap();
    assert_eq!(hist.data.height(), 0);
}

#[test]
fn a_linear_histogram_counts_exactly_and_covers_everything() {
    let mut asked = plan("runq latency", &[], &[linear(10, 30, 10)]);
    let outcome = rows(vec![ints("latency", &[9, 10, 19, 20, 29, 30, 5_000])]);
    assert!(matches!(build(&asked, &groups(Vec::new(), vec![values(&[1])]), &[]), Err(FrameError::LinearNeedsRows)));
    asked.scan.output = Output::Rows { columns: Vec::new(), first: None };
    let frame = build(&asked, &outcome, &[]).unwrap();
    let column = |name: &str| frame.data.column(name).unwrap().i64().unwrap().iter().collect::<Vec<_>>();
    assert_eq!(column("lo_ns"), [Some(0), Some(10), Some(20), Some(30)]);
    assert_eq!(column("hi_ns"), [Some(10), Some(20), Some(30), None]);
    assert_eq!(column("count"), [Some(1), Some(2), Some(2), Some(2)]);
}

#[test]
fn events_show_only_what_is_named_in_the_order_of_time() {
    let mut asked = plan("switch", &[], &[]);
    let columns = ["at", "comm"].map(|name| asked.family.column(name).unwrap());
    asked.rest.events = Some(columns.to_vec());
    asked.scan.output = Output::Rows { columns: columns.to_vec(), first: None };
    let outcome = rows(vec![ints("at", &[30, 10, 20]), texts("comm", &["c", "a", "b"]), ints("cpu", &[1, 2, 3])]);
    let frame = build(&asked, &outcome, &[]).unwrap();
    let at: Vec<i64> = frame.data.column("at").unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(at, [EPOCH_NS + 10, EPOCH_NS + 20, EPOCH_NS + 30]);
    assert_eq!(frame.data.get_column_names(), ["at", "comm"]);
    assert_eq!(frame.meta.totals.count, 3);
    asked.rest.top = Some(2);
    assert_eq!(build(&asked, &outcome, &[]).unwrap().data.height(), 2);
}

#[test]
fn events_are_sorted_by_what_is_not_shown_after_the_first_are_taken() {
    let mut asked = plan("switch", &[], &[]);
    let column = |name| family("switch").unwrap().column(name).unwrap();
    asked.rest.events = Some(vec![column("comm")]);
    asked.rest.sort = vec![sort("cpu", true)];
    asked.rest.first = Some(2);
    asked.scan.output = Output::Rows { columns: vec![column("comm"), column("cpu"), column("at")], first: None };
    let outcome =
        rows(vec![texts("comm", &["late", "low", "high"]), ints("cpu", &[9, 1, 2]), ints("at", &[30, 10, 20])]);
    let frame = build(&asked, &outcome, &[]).unwrap();
    assert_eq!(frame.data.get_column_names(), ["comm"]);
    let names: Vec<_> = frame.data.column("comm").unwrap().str().unwrap().iter().flatten().collect();
    assert_eq!(names, ["high", "low"]);
}

#[test]
fn what_the_source_failed_to_deliver_is_an_error() {
    let asked = plan("runq latency", &["comm"], &[Stat::Count]);
    let missing = build(&asked, &groups(vec![ints("cpu", &[1])], vec![values(&[1])]), &[]);
    assert!(matches!(missing, Err(FrameError::MissingColumn(name)) if name == "comm"));
    let wrong = build(&asked, &groups(vec![ints("comm", &[1])], vec![values(&[1])]), &[]);
    assert!(matches!(wrong, Err(FrameError::WrongValues(name)) if name == "comm"));
}

#[test]
fn meta_comes_back_from_its_serialised_form() {
    let mut outcome = groups(vec![texts("comm", &["a"])], vec![values(&[1, 2])]);
    outcome.account.losses[0].count = 3;
    outcome.notes.push("a note".into());
    let host = [("kernel".to_owned(), "6.12.0".to_owned()), ("cpus".to_owned(), "4".to_owned())];
    let frame = build(&plan("runq latency hist by comm", &["comm"], &[Stat::Hist]), &outcome, &host).unwrap();
    let text = serde_json::to_string(&frame.meta).unwrap();
    assert!(text.contains(r#""started":"2023-11-14T22:13:20Z""#), "{text}");
    assert!(text.contains(r#""loss":{"map_full":3,"start_unseen":0}"#), "{text}");
    assert_eq!(serde_json::from_str::<Meta>(&text).unwrap(), frame.meta);
}

#[test]
fn a_total_beyond_the_window_is_explained() {
    let outcome = groups(Vec::new(), vec![values(&[3_000_000_000, 3_000_000_000])]);
    let notes = |stat| build(&plan("runq latency", &[], &[stat]), &outcome, &[]).unwrap().meta.notes;
    assert_eq!(notes(Stat::Sum).len(), 1);
    assert_eq!(notes(Stat::Hist), notes(Stat::Sum));
    assert!(notes(Stat::Max).is_empty());
}
