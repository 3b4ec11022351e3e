//! Aggregated at the source or from rows: the same answer, and the true one.

use proptest::prelude::*;
use schedq::frame::{Frame, Role, build, concat};
use schedq::lang::ast::Stat;
use schedq::plan::predicate::{Predicate, Test};
use schedq::plan::{Output, Plan};

use crate::plans::{as_groups, as_rows, key_term, p, plan, row, uniq};

fn everything() -> Vec<Stat> {
    vec![
        Stat::Count,
        Stat::Sum,
        Stat::Avg,
        Stat::Min,
        Stat::Max,
        p(50),
        p(99),
        Stat::MaxAt,
        Stat::Rate,
        Stat::Pct,
        uniq("cause"),
        Stat::Hist,
    ]
}

/// The same plan, its rows emitted.
fn over_rows(plan: &Plan) -> Plan {
    let columns = plan.family.columns().filter(|c| ["at", "cpu", "comm", "cause", "latency"].contains(&c.name));
    let mut plan = plan.clone();
    plan.scan.output = Output::Rows { columns: columns.collect(), first: None };
    plan
}

fn filters() -> impl Strategy<Value = Option<Predicate>> {
    let test = |column: &'static str, test: Test, negated| Predicate::Term(key_term("runq", column, test, negated));
    let term = prop_oneof![
        any::<bool>().prop_map(move |n| test("comm", Test::NameEqual(b"a".to_vec()), n)),
        any::<bool>().prop_map(move |n| test("comm", Test::NameNotEqual(b"\xff".to_vec()), n)),
        any::<bool>().prop_map(move |n| test("comm", Test::Missing, n)),
        any::<bool>().prop_map(move |n| test("cause", Test::Equal(2), n)),
        (any::<bool>(), 0i64..3).prop_map(move |(n, cpu)| test("cpu", Test::LessOrEqual(cpu), n)),
    ];
    let term = term.boxed();
    prop_oneof![
        Just(None),
        term.clone().prop_map(Some),
        proptest::collection::vec(term.clone(), 2..4).prop_map(|parts| Some(Predicate::Or(parts))),
        proptest::collection::vec(term, 2..4).prop_map(|parts| Some(Predicate::And(parts))),
    ]
}

fn assert_same(a: &Frame, b: &Frame) -> Result<(), TestCaseError> {
    prop_assert!(a.data.equals_missing(&b.data), "{}\n{}", a.data, b.data);
    prop_assert_eq!(&a.columns, &b.columns);
    prop_assert_eq!(&a.meta.totals, &b.meta.totals);
    prop_assert_eq!(&a.meta.groups, &b.meta.groups);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_and_rows_give_the_same_frame(
        all in proptest::collection::vec(row(), 0..60),
        filter in filters(),
        by in proptest::sample::subsequence(vec!["cpu", "comm", "cause"], 0..=3),
        every in proptest::option::of(Just(1_000_000_000u64)),
        lone_hist in any::<bool>(),
    ) {
        let stats = if lone_hist { vec![Stat::Hist] } else { everything() };
        let mut plan = plan("runq latency", &by, &stats);
        plan.rest.filter = filter;
        plan.scan.every_ns = every;
        let from_groups = build(&plan, &as_groups(&all, every), &[]).unwrap();
        let from_rows = build(&over_rows(&plan), &as_rows(&all, every), &[]).unwrap();
        assert_same(&from_groups, &from_rows)?;
    }

    #[test]
    fn stats_are_those_of_the_values(all in proptest::collection::vec(row(), 1..80)) {
        let plan = plan("runq latency", &["cpu"], &everything());
        let frame = build(&plan, &as_groups(&all, None), &[]).unwrap();
        let column = |name: &str| frame.data.column(name).unwrap().clone();
        let int = |name: &str, at: usize| column(name).i64().unwrap().get(at).unwrap() as u64;
        let float = |name: &str, at: usize| column(name).f64().unwrap().get(at).unwrap();
        let mut seen = 0;
        for at in 0..frame.data.height() {
            let cpu = int("cpu", at) as i64;
            let mine: Vec<_> = all.iter().filter(|r| r.cpu == cpu).collect();
            let mut sorted: Vec<u64> = mine.iter().map(|r| r.latency).collect();
            sorted.sort_unstable();
            let n = sorted.len() as u64;
            seen += n;
            prop_assert_eq!(int("count", at), n);
            prop_assert_eq!(int("latency_sum_ns", at), sorted.iter().sum::<u64>());
            let average = sorted.iter().sum::<u64>() as f64 / n as f64;
            prop_assert!((int("latency_avg_ns", at) as f64 - average).abs() <= 0.5);
            prop_assert_eq!(int("latency_min_ns", at), sorted[0]);
            prop_assert_eq!(int("latency_max_ns", at), sorted[sorted.len() - 1]);
            for (name, q) in [("latency_p50_ns", 50), ("latency_p99_ns", 99)] {
                let exact = sorted[((n * q).div_ceil(100).max(1) - 1) as usize];
                let got = int(name, at);
                prop_assert!(got.abs_diff(exact) as f64 <= exact as f64 * 0.032, "{} {} {}", name, got, exact);
                prop_assert!((sorted[0]..=sorted[sorted.len() - 1]).contains(&got));
            }
            let first = mine.iter().filter(|r| r.latency == sorted[sorted.len() - 1]).map(|r| r.at).min().unwrap();
            prop_assert_eq!(int("latency_max_at", at), first + crate::plans::EPOCH_NS as u64);
            prop_assert!((float("rate", at) - n as f64 / 5.0).abs() < 1e-9);
            prop_assert!((float("pct", at) - 100.0 * n as f64 / all.len() as f64).abs() < 1e-9);
        }
        prop_assert_eq!(seen, all.len() as u64);
    }

    #[test]
    fn intervals_add_up_to_the_whole(all in proptest::collection::vec(row(), 1..60)) {
        let every = 1_000_000_000;
        let mut plan = plan("runq latency", &["comm"], &[Stat::Count, Stat::Sum, Stat::Hist]);
        plan.scan.every_ns = Some(every);
        let whole = build(&plan, &as_groups(&all, Some(every)), &[]).unwrap();
        let batches = (0..3).map(|i| {
            let part: Vec<_> = all.iter().filter(|r| r.at / every == i).cloned().collect();
            build(&plan, &as_groups(&part, Some(every)), &[]).unwrap()
        });
        let joined = concat(batches.collect()).unwrap().unwrap();
        prop_assert!(joined.data.equals_missing(&whole.data));
        prop_assert_eq!(joined.meta.totals, whole.meta.totals);
        prop_assert_eq!(joined.meta.rows_matched, all.len() as u64);
        prop_assert_eq!(joined.columns[0].role, Role::Interval(every));
    }
}
