//! `where` in the frame: two-valued, and by the bytes that a name really has.

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
