//! What a right query becomes.

use super::*;
use crate::catalog::Column;
use crate::diagnostic::Source;
use crate::lang::ast::{Statement, Value};
use crate::plan::predicate::Order;
use crate::plan::{Around, AroundTime, Having, INTERVAL, Needs, Output, Record};

fn query(text: &str) -> ast::Query {
    let parsed = crate::lang::parse(&Source::new("test", text));
    assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
    match parsed.statements().next() {
        Some(Statement::Query(query)) => (**query).clone(),
        other => panic!("{text}: {other:?}"),
    }
}

fn plan_with(text: &str, params: &[(&str, Value)]) -> Plan {
    let params = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    check(&query(text), &params, &options).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn plan(text: &str) -> Plan {
    plan_with(text, &[])
}

/// The clauses and what is left, in words.
fn divided(text: &str) -> (Vec<String>, Option<String>) {
    let plan = plan(text);
    let clause =
        |clause: &crate::plan::Clause| clause.terms.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
    (plan.scan.clauses.iter().map(clause).collect(), plan.rest.filter.map(|filter| filter.to_string()))
}

fn names(columns: &[&'static Column]) -> Vec<&'static str> {
    columns.iter().map(|column| column.name).collect()
}

fn keys(plan: &Plan) -> Vec<&'static str> {
    match &plan.scan.output {
        Output::Groups { keys, .. } => names(keys),
        rows => panic!("{rows:?}"),
    }
}

fn needs(text: &str) -> Needs {
    match plan(text).scan.output {
        Output::Groups { needs, .. } => needs,
        rows => panic!("{rows:?}"),
    }
}

fn rows(text: &str) -> (Vec<&'static str>, Option<u64>) {
    match plan(text).scan.output {
        Output::Rows { columns, first } => (names(&columns), first),
        groups => panic!("{groups:?}"),
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let stat_names = |text: &str| plan(text).rest.stats.into_iter().map(|s| s.name).collect::<Vec<_>>();
    assert_eq!(stat_names("runq"), ["latency_hist"]);
    assert_eq!(stat_names("switch"), ["count"]);
    assert_eq!(
        stat_names("runq count, sum, avg, p99.9, max_at, rate, pct, uniq(pid)"),
        ["count", "latency_sum_ns", "latency_avg_ns", "latency_p99_9_ns", "latency_max_at", "rate", "pct", "uniq_tgid"]
    );
    assert_eq!(names(&plan("switch events").rest.events.unwrap())[..3], ["at", "cpu", "tid"]);
}

#[test]
fn a_conjunctive_form_goes_to_the_kernel_earliest_first() {
    assert_eq!(
        divided("runq where latency > 1ms and (pid=123 or (comm ~ 'nginx*' and cpu in 0-3,6)) and kthread"),
        (
            vec![
                "kthread".to_string(),
                "tgid = 123 or comm ~ 'nginx*'".to_string(),
                "tgid = 123 or cpu in 0-3 or cpu = 6".to_string(),
                "latency > 1ms".to_string(),
            ],
            None
        )
    );
}

#[test]
fn neighbours_in_a_list_are_one_range_and_patterns_of_words_are_words() {
    assert_eq!(divided("switch where cpu in (3, 1, 2, 7)").0, ["cpu in 1-3 or cpu = 7"]);
    assert_eq!(divided("switch where state ~ 'd*'").0, ["state = disk or state = dead"]);
    assert_eq!(divided("switch where not state ~ 'd*'").0, ["not (state = disk)", "not (state = dead)"]);
    assert_eq!(divided("switch where comm ~ 'a' and process ~ 'b**'").0, ["comm = 'a'", "process ~ 'b*'"]);
}

#[test]
fn what_the_kernel_cannot_decide_is_left_and_its_beginning_is_not() {
    assert_eq!(divided("switch where comm ~ '*web*'"), (vec![], Some("comm ~ '*web*'".into())));
    assert_eq!(
        divided("switch where comm ~ 'CPU */KVM' and tid > 1"),
        (vec!["tid > 1".into(), "comm ~ 'CPU *'".into()], Some("comm ~ 'CPU */KVM'".into()))
    );
    assert_eq!(divided("switch where not comm ~ 'a*b'"), (vec![], Some("not (comm ~ 'a*b')".into())));
    assert_eq!(divided("switch where cgroup ~ '/a/*'"), (vec![], Some("cgroup ~ '/a/*'".into())));
    let five = "cgroup under '/a' or cgroup under '/b' or cgroup under '/c' or cgroup under '/d' or cgroup under '/e'";
    assert_eq!(divided(&format!("switch where ({five}) and kthread")).0, ["kthread"]);
}

#[test]
fn a_large_disjunction_is_left_whole_and_a_small_part_is_not() {
    let pairs: Vec<String> = (0..12).map(|n| format!("(tid = {} and cpu = {n})", n * 2)).collect();
    let (clauses, left) = divided(&format!("switch where ({}) and kthread", pairs.join(" or ")));
    assert_eq!(clauses, ["kthread"]);
    assert!(left.unwrap().starts_with("(tid = 0 and cpu = 0) or (tid = 2 and cpu = 1)"));
}

#[test]
fn a_very_long_condition_is_divided_at_once() {
    let begun = std::time::Instant::now();
    for word in [" and ", " or "] {
        let mut query = query(&format!("switch where tid != 0{word}tid != 1"));
        if let Some(ast::Spanned { node: ast::Expr::And(parts) | ast::Expr::Or(parts), .. }) = &mut query.filter {
            let first = parts[0].clone();
            parts.extend((2..20_000).map(|n| {
                let mut part = first.clone();
                if let ast::Expr::Compare { right, .. } = &mut part.node {
                    right.node = Value::Int(n);
                }
                part
            }));
        }
        let plan = check(&query, &Params::new(), &CheckOptions::default()).unwrap();
        assert!(plan.rest.filter.is_some());
    }
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

#[test]
fn what_is_left_travels_as_hidden_keys_or_as_rows() {
    let plan = plan("runq latency p99 by cpu where comm ~ '*web*'");
    assert_eq!(keys(&plan), ["cpu", "comm"]);
    assert_eq!(names(&plan.rest.by), ["cpu"]);
    assert_eq!(
        rows("runq latency p99 by cpu where comm ~ '*web*' or latency > 1ms"),
        (vec!["cpu", "latency", "comm"], None)
    );
    assert_eq!(rows("switch uniq(at) by cpu"), (vec!["cpu", "at"], None));
    assert_eq!(rows("runq hist(linear, 0ms, 1ms, 10us), max_at by comm"), (vec!["comm", "latency", "at"], None));
    // Ten names fill a key.
    let long =
        "switch count by tid, tgid, comm, process, prio, policy, nice, cgroup, kthread, cpu, kind, state, next_tid";
    assert_eq!(keys(&self::plan(long)).len(), 13);
    assert_eq!(rows(&format!("{long} where next_comm ~ '*x*'")).0.len(), 14);
}

#[test]
fn the_source_ends_at_the_first_rows_only_if_it_knows_them() {
    assert_eq!(rows("switch events(cpu) first 5"), (vec!["cpu"], Some(5)));
    assert_eq!(rows("switch events(cpu) where comm ~ '*x' first 5 sort at"), (vec!["cpu", "at", "comm"], None));
    assert_eq!(plan("switch events(cpu) where comm ~ '*x' first 5").rest.first, Some(5));
}

#[test]
fn a_group_keeps_what_its_stats_need() {
    let none = Needs::default();
    assert_eq!(needs("runq count, rate, pct"), none);
    assert_eq!(needs("runq sum"), Needs { sum: true, ..none });
    assert_eq!(needs("runq avg, max"), Needs { sum: true, extremes: true, ..none });
    assert_eq!(needs("runq hist"), Needs { sum: true, histogram: true, ..none });
    assert_eq!(needs("runq p50"), Needs { extremes: true, histogram: true, ..none });
    assert_eq!(needs("runq max_at"), Needs { extremes: true, max_at: true, ..none });
    assert_eq!(
        needs("runq count every 1s"),
        Needs { extremes: true, ..none },
        "rows longer than the interval are marked"
    );
    assert_eq!(needs("switch count every 1s"), none);
}

#[test]
fn any_makes_its_comparison_true_also_behind_not() {
    let any = [("t", Value::Word("any".into()))];
    let plan = plan_with("switch where tgid = $t and cpu = 1", &any);
    assert_eq!(plan.scan.clauses.len(), 1);
    assert_eq!(plan.text, "switch where tgid=any and cpu=1");
    assert!(plan_with("switch where not tgid = $t", &any).scan.is_empty());
    assert!(plan_with("switch where tgid != $t", &any).scan.clauses.is_empty());
    assert!(plan_with("switch where cpu in $t", &any).scan.clauses.is_empty());
    assert!(plan_with("switch where cgroup under $t", &any).scan.clauses.is_empty());
    assert_eq!(plan_with("switch count by cpu having count > $t", &any).rest.having, Some(Having::And(vec![])));
    assert_eq!(plan_with("switch count by cpu having cpu in $t", &any).rest.having, Some(Having::And(vec![])));
}

#[test]
fn parameters_are_typed_by_use() {
    let text = |text: &str| Value::Text(text.as_bytes().to_vec());
    for (query, value, bound) in [
        ("switch where comm = $p", Value::Word("nginx".into()), "switch where comm='nginx'"),
        ("switch where comm = $p", Value::Int(42), "switch where comm='42'"),
        ("switch where tid = $p", text("42"), "switch where tid=42"),
        ("switch where cpu in $p", Value::Ranges(vec![(4, 7), (9, 9)]), "switch where cpu in 4-7,9"),
        ("switch where cpu in $p", Value::Int(3), "switch where cpu in (3)"),
        ("switch count by cpu top $p for 1s", Value::Int(3), "switch count by cpu top 3 for 1s"),
        ("switch count for $p", Value::Duration(5_000_000_000), "switch count for 5s"),
    ] {
        assert_eq!(plan_with(query, &[("p", value)]).text, bound);
    }
    assert_eq!(plan_with("switch where kind = $p", &[("p", text("Voluntary"))]).scan.clauses.len(), 1);
}

#[test]
fn rows_of_idle_and_of_ourselves_are_only_there_when_named() {
    let asked = |text: &str| {
        let scan = plan(text).scan;
        (scan.idle, scan.own)
    };
    for text in [
        "switch where tid = 0",
        "switch where pid in (0, 5)",
        "switch where cpu in 0-3 and tid in 0-3",
        "switch where not tid != 0",
        "switch where comm ~ 'swapper/*'",
        "switch where kthread or process = 'swapper/1'",
    ] {
        assert_eq!(asked(text), (true, false), "{text}");
    }
    for text in ["switch where comm = 'schedq'", "switch where process ~ 'schedq*'"] {
        assert_eq!(asked(text), (false, true), "{text}");
    }
    for text in ["switch", "switch where tid != 0", "switch where not comm = 'schedq'", "switch where comm ~ '*'"] {
        assert_eq!(asked(text), (false, false), "{text}");
    }
}

#[test]
fn the_order_is_complete() {
    let order = |text: &str| {
        let columns = plan(text).rest.sort.into_iter();
        columns.map(|c| format!("{}{}", c.name, if c.descending { " desc" } else { "" })).collect::<Vec<_>>()
    };
    assert_eq!(order("switch count by tid, comm"), ["count desc", "tid", "comm"]);
    assert_eq!(order("switch count by tid, comm sort comm asc, count"), ["comm", "count desc", "tid"]);
    assert_eq!(order("runq latency hist by cpu"), ["cpu"]);
    assert_eq!(order("runq latency p99, max by cpu sort latency_max_ns"), ["latency_max_ns desc", "cpu"]);
    assert_eq!(order("switch count by tid every 1s"), [INTERVAL, "count desc", "tid"]);
    assert_eq!(
        order("switch count by tid every 1s sort tid, interval_start"),
        ["tid desc", INTERVAL, "count desc"][..2]
    );
    assert_eq!(order("switch events"), [""; 0]);
    assert_eq!(order("switch events(comm) sort at"), ["at desc"]);
}

#[test]
fn having_speaks_of_the_result_in_its_units() {
    let having = |text: &str| plan(text).rest.having.unwrap();
    assert_eq!(
        having("runq latency p99 by comm having p99 > 5ms"),
        Having::Stat { column: "latency_p99_ns".into(), order: Order::Greater, value: 5e6 }
    );
    assert_eq!(
        having("switch pct by comm having pct >= 12.5%"),
        Having::Stat { column: "pct".into(), order: Order::GreaterOrEqual, value: 12.5 }
    );
    assert_eq!(
        having("switch rate, count by comm having not (rate < 0.5 or comm ~ 'x*') and count in 1-3").to_string(),
        "not (rate < 0.5 or comm ~ 'x*') and (count >= 1 and count <= 3)"
    );
    assert_eq!(having("runq max by comm having max is missing").to_string(), "latency_max_ns is missing");
}

#[test]
fn the_window_is_the_query_s_own_or_its_block_s() {
    assert_eq!(plan("switch for 5s").window_ns, Some(5_000_000_000));
    assert_eq!(plan("switch").window_ns, None);
    let options = CheckOptions { block_ns: Some(7_000_000_000), ..CheckOptions::default() };
    let plan = check(&query("runq"), &Params::new(), &options).unwrap();
    assert_eq!((plan.window_ns, plan.scan.bound_ns), (Some(7_000_000_000), Some(7_000_000_000)));
}

#[test]
fn the_plan_s_text_is_canonical_and_means_the_same() {
    let first = plan("RUNQ by CPU, pid for 5s where Comm ~ 'x*' hist");
    assert_eq!(first.text, "runq where comm ~ 'x*' hist by cpu, tgid for 5s");
    assert_eq!(plan(&first.text), first);
}

#[test]
fn every_example_of_the_catalog_is_a_plan() {
    for family in catalog::FAMILIES.iter().copied() {
        assert_eq!(plan(family.example).family, family);
    }
}

#[test]
fn a_question_to_a_recording_has_its_file_and_part() {
    let asked = plan("from 't.parquet' runq latency where child around '14:03:21.5' 10ms");
    assert_eq!(asked.from.as_deref(), Some("t.parquet"));
    assert_eq!((asked.window_ns, asked.scan.range, asked.scan.bound_ns), (None, None, None));
    let around = asked.around.unwrap();
    assert_eq!(around.each_side_ns, 10_000_000);
    let AroundTime::Clock { text, span, time } = around.time else { panic!("{around:?}") };
    assert_eq!((text.as_str(), span.end - span.start), ("14:03:21.5", 12));
    assert_eq!((time.hour, time.minute, time.second, time.nanosecond), (14, 3, 21, 500_000_000));

    let time = |text: &str| plan(&format!("from 't.parquet' runq around {text} 1s")).around.unwrap().time;
    assert_eq!(time("123_456"), AroundTime::Ns(123_456));
    assert!(
        matches!(time("Before.max_at"), AroundTime::Column { frame, column, .. } if frame == "Before" && column == "max_at")
    );
    let params = [("at", Value::Text(b"14:03".to_vec())), ("file", Value::Text(b"a/b.PARQUET".to_vec()))];
    let bound = plan_with("from $file runq around $at 1s", &params);
    assert_eq!(bound.text, "from 'a/b.PARQUET' runq around '14:03' 1s");
    assert_eq!(bound.from.as_deref(), Some("a/b.PARQUET"));
    assert!(matches!(bound.around.unwrap().time, AroundTime::Clock { .. }));
    assert_eq!(plan("from 't.parquet.partial' runq").from.as_deref(), Some("t.parquet.partial"));
    assert_eq!(plan("from '@sample' runq").from.as_deref(), Some("@sample"));
}

#[test]
fn the_worst_row_is_asked_of_the_same_recording() {
    let worst = |text: &str| {
        let asked = plan(text);
        match asked.around.map(|around| around.time) {
            Some(AroundTime::Worst(worst)) => (asked.text, *worst),
            other => panic!("{text}: {other:?}"),
        }
    };
    let (text, inner) = worst("from 't.parquet' runq around worst(runq where pid=7) 1ms");
    assert_eq!(text, "from 't.parquet' runq around worst(runq where tgid=7) 1ms");
    // As it was typed: what is measured of it is not its own word.
    assert_eq!(inner.text, "runq where tgid=7");
    assert_eq!(inner.from.as_deref(), Some("t.parquet"));
    assert_eq!(
        inner.rest.stats.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
        ["latency_max_ns", "latency_max_at"]
    );
    assert_eq!(keys(&inner), [""; 0]);
    let (text, inner) = worst("from 't.parquet' switch around worst(from 'u.parquet' runq around 5 1s) 1ms");
    assert_eq!(text, "from 't.parquet' switch around worst(from 'u.parquet' runq around 5 1s) 1ms");
    assert_eq!(inner.from.as_deref(), Some("u.parquet"));
    assert_eq!(inner.around, Some(Around { time: AroundTime::Ns(5), each_side_ns: 1_000_000_000 }));
}

#[test]
fn worst_stands_in_worst_so_deep_and_no_deeper() {
    let nested = |depth: usize| {
        let around = |inner: String, _| format!("from 't.parquet' runq around worst({inner}) 1ms");
        (0..depth).fold("runq".to_string(), around)
    };
    let mut depth = 0;
    let mut plan = plan(&nested(8));
    while let Some(Around { time: AroundTime::Worst(inner), .. }) = plan.around.take() {
        plan = *inner;
        depth += 1;
    }
    assert_eq!(depth, 8);
    for depth in [9, 200] {
        let errors = check(&query(&nested(depth)), &Params::new(), &CheckOptions::default()).unwrap_err();
        assert!(matches!(errors.as_slice(), [Error::WorstTooDeep { most: 8, .. }]), "{errors:?}");
    }
}

fn record(text: &str, params: &[(&str, Value)]) -> Record {
    let parsed = crate::lang::parse(&Source::new("test", text));
    let Some(Statement::Record(record)) = parsed.statements().next() else { panic!("{text}: {:?}", parsed.errors) };
    let params = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    check_record(record, &params, &options).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

#[test]
fn a_recording_has_its_set_filter_and_file() {
    let all = record("record sched to 't.parquet'", &[]);
    assert_eq!((all.set.name, all.filter, all.window_ns, all.to.as_str()), ("sched", None, None, "t.parquet"));
    assert_eq!(all.scan.clauses, []);
    assert_eq!(all.scan.output, Output::Rows { columns: Vec::new(), first: None });

    let text = "record sched for 10s where pid in (3, 4) and (comm ~ 'ng*' or child) to $file";
    let some = record(text, &[("file", Value::Text(b"x.parquet".to_vec()))]);
    assert_eq!(some.text, "record sched where tgid in (3, 4) and (comm ~ 'ng*' or child) for 10s to 'x.parquet'");
    assert_eq!(some.filter.as_deref(), Some("tgid in 3-4 and (child or comm ~ 'ng*')"));
    assert_eq!(some.window_ns, Some(10_000_000_000));
    assert_eq!(some.scan.clauses.len(), 2);
    assert!(!some.scan.idle && !some.scan.own);
    assert!(record("record sched where tid = 0 to 't.parquet'", &[]).scan.idle);
    assert!(record("record sched where comm = 'schedq' to 't.parquet'", &[]).scan.own);

    let any = record("record sched where tid = $t to 't.parquet'", &[("t", Value::Word("any".into()))]);
    assert_eq!(any.filter, None, "what `any` makes true is no filter");
}

#[test]
fn a_recording_in_a_block_has_its_length() {
    let parsed = crate::lang::parse(&Source::new("test", "record sched to 't.parquet'"));
    let Some(Statement::Record(record)) = parsed.statements().next() else { panic!("a recording") };
    let options = CheckOptions { block_ns: Some(5_000_000_000), ..CheckOptions::default() };
    assert_eq!(check_record(record, &Params::new(), &options).unwrap().window_ns, Some(5_000_000_000));
}
