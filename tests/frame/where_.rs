//! `where` in the frame: two-valued, and by the bytes that a name really has.

use proptest::prelude::*;
use schedq::frame::build;
use schedq::lang::ast::Stat;
use schedq::plan::predicate::{Glob, Order, Predicate, Test};
use schedq::source::{TableColumn, Values};

use crate::plans::{groups, ints, key_term, plan, texts, values};

/// Which of the CPUs 0, 1, 2 … pass.
fn passing(others: Vec<TableColumn>, height: i64, filter: Predicate) -> Vec<i64> {
    let mut plan = plan("switch", &["cpu"], &[Stat::Count]);
    plan.rest.filter = Some(filter);
    let mut columns = vec![ints("cpu", &(0..height).collect::<Vec<_>>())];
    columns.extend(others);
    let outcome = groups(columns, (0..height).map(|_| values(&[1])).collect());
    let frame = build(&plan, &outcome, &[]).unwrap();
    frame.data.column("cpu").unwrap().i64().unwrap().iter().flatten().collect()
}

fn term(column: &str, test: Test, negated: bool) -> Predicate {
    Predicate::Term(key_term("switch", column, test, negated))
}

#[test]
fn a_missing_value_fails_every_comparison_and_its_negation_holds() {
    let comm = || {
        let values = Values::Text(vec![Some("a".into()), None, Some("b".into())]);
        vec![TableColumn { name: "comm".into(), values }]
    };
    let equal = || Test::NameEqual(b"a".to_vec());
    assert_eq!(passing(comm(), 3, term("comm", equal(), false)), [0]);
    assert_eq!(passing(comm(), 3, term("comm", equal(), true)), [1, 2]);
    assert_eq!(passing(comm(), 3, term("comm", Test::NameNotEqual(b"a".to_vec()), false)), [2]);
    assert_eq!(passing(comm(), 3, term("comm", Test::NameNotEqual(b"a".to_vec()), true)), [0, 1]);
    assert_eq!(passing(comm(), 3, term("comm", Test::Missing, false)), [1]);
    assert_eq!(passing(comm(), 3, term("comm", Test::Missing, true)), [0, 2]);
    let either = Predicate::Or(vec![term("comm", equal(), true), term("comm", Test::Missing, false)]);
    assert_eq!(passing(comm(), 3, either), [1, 2]);
}

#[test]
fn always_ignores_the_row() {
    assert_eq!(passing(vec![texts("comm", &["a", "b"])], 2, term("comm", Test::Always(true), false)), [0, 1]);
    assert!(passing(Vec::new(), 2, term("comm", Test::Always(true), true)).is_empty());
}

#[test]
fn words_compare_by_their_numbers() {
    let state = || vec![texts("state", &["running", "sleep", "disk", "odd"])];
    assert_eq!(passing(state(), 4, term("state", Test::Equal(1), false)), [1]);
    assert_eq!(passing(state(), 4, term("state", Test::NotEqual(1), false)), [0, 2, 3]);
    assert_eq!(passing(state(), 4, term("state", Test::Between(1, 2), false)), [1, 2]);
    assert!(passing(state(), 4, term("state", Test::Equal(99), false)).is_empty());
    assert_eq!(passing(state(), 4, term("state", Test::NotEqual(99), false)), [0, 1, 2, 3]);
}

#[test]
fn globs_see_the_bytes_behind_the_escapes() {
    let comm = || vec![texts("comm", &["a\\xffb", "a\\\\b", "aéb", "axxxxb", "a\\x1bb"])];
    let like = |pattern: &[u8]| term("comm", Test::Like(Glob(pattern.to_vec())), false);
    assert_eq!(passing(comm(), 5, like(b"a?b")), [0, 1, 2, 4]);
    assert_eq!(passing(comm(), 5, like(b"a\xffb")), [0]);
    assert_eq!(passing(comm(), 5, like(b"a\\b")), [1]);
    assert_eq!(passing(comm(), 5, like(b"*x*")), [3]);
    assert_eq!(passing(comm(), 5, like(b"*")), [0, 1, 2, 3, 4]);
}

#[test]
fn flags_and_columns() {
    let values = Values::Bool(vec![Some(true), Some(false), None]);
    let kthread = || vec![TableColumn { name: "kthread".into(), values: values.clone() }];
    assert_eq!(passing(kthread(), 3, term("kthread", Test::True, false)), [0]);
    assert_eq!(passing(kthread(), 3, term("kthread", Test::True, true)), [1, 2]);

    let pairs = || vec![ints("prio", &[100, 120, 130]), ints("next_prio", &[120, 120, 110])];
    let other = schedq::catalog::family("switch").unwrap().column("next_prio").unwrap();
    let less = |negated| term("prio", Test::Column(Order::Less, other), negated);
    assert_eq!(passing(pairs(), 3, less(false)), [0]);
    assert_eq!(passing(pairs(), 3, less(true)), [1, 2]);
}

#[test]
fn a_cgroup_is_under_itself_and_its_ancestors_only() {
    let cgroup = || vec![texts("cgroup", &["/a", "/a/b", "/ab", "/"])];
    let under = |path: &str| term("cgroup", Test::Under(path.into()), false);
    assert_eq!(passing(cgroup(), 4, under("/a")), [0, 1]);
    assert_eq!(passing(cgroup(), 4, under("/a/")), [0, 1]);
    assert_eq!(passing(cgroup(), 4, under("/")), [0, 1, 2, 3]);
    assert_eq!(passing(cgroup(), 4, term("cgroup", Test::CgroupEqual("/a/".into()), false)), [0]);
}

/// A row as the kernel has it: bytes, numbers, or nothing.
#[derive(Debug, Clone)]
struct Raw {
    comm: Option<Vec<u8>>,
    prio: Option<i64>,
    next_prio: Option<i64>,
}

fn raw() -> impl Strategy<Value = Raw> {
    let byte = prop_oneof![Just(b'a'), Just(b'b'), Just(b'\\'), Just(0xffu8), Just(0xc3), Just(0xa9), Just(0x1b)];
    let comm = proptest::option::of(proptest::collection::vec(byte, 0..4));
    let prio = || proptest::option::of(0i64..4);
    (comm, prio(), prio()).prop_map(|(comm, prio, next_prio)| Raw { comm, prio, next_prio })
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let bytes = || proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'\\'), Just(0xffu8), Just(0xa9)], 0..3);
    let glob = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'*'), Just(b'?'), Just(0xc3u8)], 0..4);
    let on_comm = prop_oneof![
        bytes().prop_map(Test::NameEqual),
        bytes().prop_map(Test::NameNotEqual),
        glob.prop_map(|g| Test::Like(Glob(g))),
        Just(Test::Missing),
        any::<bool>().prop_map(Test::Always),
    ];
    let orders =
        [Order::Equal, Order::NotEqual, Order::Less, Order::LessOrEqual, Order::Greater, Order::GreaterOrEqual];
    let other = schedq::catalog::family("switch").unwrap().column("next_prio").unwrap();
    let on_prio = prop_oneof![
        (0i64..4).prop_map(Test::Equal),
        (0i64..4).prop_map(Test::NotEqual),
        (0i64..4).prop_map(Test::Less),
        (0i64..4).prop_map(Test::LessOrEqual),
        (0i64..4).prop_map(Test::Greater),
        (0i64..4).prop_map(Test::GreaterOrEqual),
        (0i64..4, 0i64..4).prop_map(|(a, b)| Test::Between(a, b)),
        proptest::sample::select(orders.to_vec()).prop_map(move |order| Test::Column(order, other)),
        Just(Test::Missing),
    ];
    let leaf = prop_oneof![
        (on_comm, any::<bool>()).prop_map(|(test, negated)| term("comm", test, negated)),
        (on_prio, any::<bool>()).prop_map(|(test, negated)| term("prio", test, negated)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let parts = proptest::collection::vec(inner, 2..4);
        prop_oneof![parts.clone().prop_map(Predicate::And), parts.prop_map(Predicate::Or)]
    })
}

/// The rule of the language, told once more and as plainly as can be.
fn holds(predicate: &Predicate, row: &Raw) -> bool {
    let term = match predicate {
        Predicate::And(parts) => return parts.iter().all(|p| holds(p, row)),
        Predicate::Or(parts) => return parts.iter().any(|p| holds(p, row)),
        Predicate::Term(term) => term,
    };
    let name = row.comm.as_ref();
    let order = |order: Order, a: i64, b: i64| match order {
        Order::Equal => a == b,
        Order::NotEqual => a != b,
        Order::Less => a < b,
        Order::LessOrEqual => a <= b,
        Order::Greater => a > b,
        Order::GreaterOrEqual => a >= b,
    };
    let prio = |test: &dyn Fn(i64) -> bool| row.prio.is_some_and(test);
    let answer = match &term.test {
        Test::Always(answer) => *answer,
        Test::Missing if term.column.name == "comm" => name.is_none(),
        Test::Missing => row.prio.is_none(),
        Test::NameEqual(bytes) => name.is_some_and(|n| n == bytes),
        Test::NameNotEqual(bytes) => name.is_some_and(|n| n != bytes),
        Test::Like(glob) => name.is_some_and(|n| glob.matches(n)),
        Test::Equal(n) => prio(&|v| v == *n),
        Test::NotEqual(n) => prio(&|v| v != *n),
        Test::Less(n) => prio(&|v| v < *n),
        Test::LessOrEqual(n) => prio(&|v| v <= *n),
        Test::Greater(n) => prio(&|v| v > *n),
        Test::GreaterOrEqual(n) => prio(&|v| v >= *n),
        Test::Between(low, high) => prio(&|v| (*low..=*high).contains(&v)),
        Test::Column(by, _) => row.next_prio.is_some_and(|next| prio(&|v| order(*by, v, next))),
        other => panic!("{other:?}"),
    };
    answer != term.negated
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn polars_decides_as_the_rule_says(rows in proptest::collection::vec(raw(), 1..12), filter in predicate()) {
        let comm = rows.iter().map(|r| r.comm.as_ref().map(|name| schedq::name::escape(name))).collect();
        let column = |name: &str, values| TableColumn { name: name.into(), values };
        let columns = vec![
            column("comm", Values::Text(comm)),
            column("prio", Values::Int(rows.iter().map(|r| r.prio).collect())),
            column("next_prio", Values::Int(rows.iter().map(|r| r.next_prio).collect())),
        ];
        let expected: Vec<i64> = (0..rows.len()).filter(|at| holds(&filter, &rows[*at])).map(|at| at as i64).collect();
        prop_assert_eq!(passing(columns, rows.len() as i64, filter), expected);
    }
}
