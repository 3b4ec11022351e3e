//! The division of a predicate between kernel and frame has the meaning of the text: clauses and filter together are held
//! against an evaluator that knows nothing of either and walks the parsed expression.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::check::{CheckOptions, check};
use super::layout::MAX_TERMS;
use super::predicate::{Order, Predicate, Term, Test};
use super::pushdown::undecided;
use super::{Params, Plan};
use crate::catalog::{Column, Kind};
use crate::diagnostic::Span;
use crate::lang::ast::{Compare, Expr, List, Query, Spanned, Value, Word};

pub(super) fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

pub(super) fn word(text: &str) -> Word {
    at(text.to_string())
}

pub(super) fn query(filter: Expr) -> Query {
    Query {
        from: None,
        family: word("runq"),
        measure: None,
        filter: Some(at(filter)),
        stats: Vec::new(),
        by: Vec::new(),
        having: None,
        sort: Vec::new(),
        limit: None,
        around: None,
        every: None,
        duration: None,
        save: None,
        span: Span::default(),
    }
}

/// A value of a row: numbers (words and flags too) or text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Datum {
    Number(i64),
    Text(&'static str),
}

/// Columns that are not in it are missing.
pub(super) type Row = BTreeMap<&'static str, Datum>;

const NUMBERS: &[&str] = &["tid", "tgid", "prev_tid", "cpu"];
const NAMES: &[&str] = &["comm", "process", "prev_comm"];
pub(super) const TEXTS: &[&str] = &["", "a", "ab", "aba", "b", "ba"];
const GLOBS: &[&str] = &["*", "a*", "*a", "?", "a?", "*b*", "ab", "a**", "", "?*b"];
pub(super) const PATHS: &[&str] = &["/", "/a", "/a/b", "/a/bc", "/b", "/b/a"];
const PATH_GLOBS: &[&str] = &["/a*", "*", "/?/b", "*b", "/a"];
const CAUSES: &[&str] = &["wakeup", "new", "preempt", "throttle"];

pub(super) fn rows() -> impl Strategy<Value = Row> {
    let number = |name: &'static str| (Just(name), prop::option::weighted(0.8, (0i64..4).prop_map(Datum::Number)));
    let text = |name: &'static str, from: &'static [&'static str]| {
        (Just(name), prop::option::weighted(0.8, prop::sample::select(from).prop_map(Datum::Text)))
    };
    let numbers = ["tid", "tgid", "prev_tid", "cpu", "latency", "cause"].map(number).to_vec();
    let texts = NAMES.iter().map(|name| text(name, TEXTS)).chain([text("cgroup", PATHS)]).collect::<Vec<_>>();
    let flag = (Just("kthread"), prop::option::weighted(0.8, (0i64..2).prop_map(Datum::Number)));
    (numbers, texts, flag).prop_map(|(numbers, texts, flag)| {
        numbers.into_iter().chain(texts).chain([flag]).filter_map(|(name, value)| Some((name, value?))).collect()
    })
}

fn orders() -> impl Strategy<Value = Compare> {
    use Compare::*;
    prop::sample::select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn equalities() -> impl Strategy<Value = Compare> {
    prop::sample::select(vec![Compare::Equal, Compare::NotEqual])
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

pub(super) fn compare(column: &str, op: Compare, right: Value) -> Expr {
    Expr::Compare { column: word(column), op: at(op), right: at(right) }
}

pub(super) fn leaves() -> BoxedStrategy<Expr> {
    let number = || prop::sample::select(NUMBERS);
    let name = || prop::sample::select(NAMES);
    let all = [NUMBERS, NAMES, &["cgroup", "latency", "cause", "kthread"]].concat();
    prop_oneof![
        (number(), orders(), -1i64..5).prop_map(|(c, op, n)| compare(c, op, Value::Int(n))),
        (orders(), 0u64..4).prop_map(|(op, n)| compare("latency", op, Value::Duration(n))),
        (prop::sample::select(&["tid", "tgid", "prev_tid"][..]), orders()).prop_map(|(c, op)| compare(
            c,
            op,
            Value::Word("pid".into())
        )),
        (name(), equalities(), prop::sample::select(TEXTS)).prop_map(|(c, op, t)| compare(c, op, text(t))),
        (name(), equalities(), name()).prop_map(|(c, op, other)| compare(c, op, Value::Word(other.into()))),
        (name(), prop::sample::select(GLOBS)).prop_map(|(c, glob)| compare(c, Compare::Like, text(glob))),
        prop::sample::select(PATH_GLOBS).prop_map(|glob| compare("cgroup", Compare::Like, text(glob))),
        (equalities(), prop::sample::select(PATHS)).prop_map(|(op, path)| compare("cgroup", op, text(path))),
        prop::sample::select(PATHS).prop_map(|path| Expr::Under { column: word("cgroup"), path: at(text(path)) }),
        (equalities(), prop::sample::select(CAUSES)).prop_map(|(op, w)| compare("cause", op, Value::Word(w.into()))),
        Just(compare("cause", Compare::Like, text("*e*"))),
        (number(), prop::collection::vec(0i64..4, 1..4)).prop_map(|(c, values)| {
            let values = values.into_iter().map(|n| at(Value::Int(n))).collect();
            Expr::In { column: word(c), list: at(List::Values(values)) }
        }),
        (number(), prop::collection::vec((0u32..4, 0u32..3), 1..3)).prop_map(|(c, ranges)| {
            let ranges = ranges.into_iter().map(|(lo, more)| (lo, lo + more)).collect();
            Expr::In { column: word(c), list: at(List::Ranges(ranges)) }
        }),
        (name(), prop::collection::vec(prop::sample::select(TEXTS), 1..4)).prop_map(|(c, values)| {
            let values = values.into_iter().map(|t| at(text(t))).collect();
            Expr::In { column: word(c), list: at(List::Values(values)) }
        }),
        prop::sample::select(all).prop_map(|c| Expr::Missing { column: word(c) }),
        Just(Expr::Flag { column: word("kthread") }),
        number().prop_map(|c| compare(c, Compare::Equal, Value::Word("any".into()))),
    ]
    .boxed()
}

fn expressions() -> impl Strategy<Value = Expr> {
    leaves().prop_recursive(5, 40, 4, |inner| {
        let parts = prop::collection::vec(inner.clone().prop_map(at), 2..5);
        prop_oneof![
            parts.clone().prop_map(Expr::And),
            parts.prop_map(Expr::Or),
            inner.prop_map(|part| Expr::Not(Box::new(at(part)))),
        ]
    })
}

/// What the text says of a row.
pub(super) fn says(expr: &Expr, row: &Row) -> bool {
    let get = |name: &str| row.get(if name == "pid" { "tgid" } else { name });
    match expr {
        Expr::Or(parts) => parts.iter().any(|part| says(&part.node, row)),
        Expr::And(parts) => parts.iter().all(|part| says(&part.node, row)),
        Expr::Not(part) => !says(&part.node, row),
        Expr::Missing { column } => get(&column.node).is_none(),
        Expr::Flag { column } => get(&column.node) == Some(&Datum::Number(1)),
        Expr::Under { column, path } => {
            let Value::Text(path) = &path.node else { panic!("{path:?}") };
            let Some(Datum::Text(cgroup)) = get(&column.node) else { return false };
            let path = std::str::from_utf8(path).unwrap();
            path == "/" || *cgroup == path || cgroup.starts_with(&format!("{path}/"))
        }
        Expr::In { column, list } => {
            let Some(value) = get(&column.node) else { return false };
            match (&list.node, value) {
                (List::Ranges(ranges), Datum::Number(n)) => {
                    ranges.iter().any(|(lo, hi)| i64::from(*lo) <= *n && *n <= i64::from(*hi))
                }
                (List::Values(values), value) => values.iter().any(|v| datum(&v.node) == *value),
                other => panic!("{other:?}"),
            }
        }
        Expr::Compare { column, op, right } => {
            if right.node == Value::Word("any".into()) {
                return true;
            }
            let Some(left) = get(&column.node) else { return false };
            if op.node == Compare::Like {
                let (Value::Text(glob), name) = (&right.node, left) else { panic!("{right:?}") };
                return match name {
                    Datum::Text(name) => like(glob, name.as_bytes()),
                    Datum::Number(n) => like(glob, CAUSES[*n as usize].as_bytes()),
                };
            }
            let right = match &right.node {
                Value::Word(name) => match CAUSES.iter().position(|cause| cause == name) {
                    Some(n) => Datum::Number(n as i64),
                    None => match get(name) {
                        Some(value) => value.clone(),
                        None => return false,
                    },
                },
                literal => datum(literal),
            };
            match (left, &right, op.node) {
                (l, r, Compare::Equal) => l == r,
                (l, r, Compare::NotEqual) => l != r,
                (Datum::Number(l), Datum::Number(r), Compare::Less) => l < r,
                (Datum::Number(l), Datum::Number(r), Compare::LessOrEqual) => l <= r,
                (Datum::Number(l), Datum::Number(r), Compare::Greater) => l > r,
                (Datum::Number(l), Datum::Number(r), Compare::GreaterOrEqual) => l >= r,
                other => panic!("{other:?}"),
            }
        }
    }
}

fn datum(value: &Value) -> Datum {
    match value {
        Value::Int(n) => Datum::Number(*n),
        Value::Duration(ns) => Datum::Number(*ns as i64),
        Value::Text(bytes) => {
            let all = TEXTS.iter().chain(PATHS);
            Datum::Text(all.copied().find(|t| t.as_bytes() == bytes.as_slice()).expect("a text of the test"))
        }
        other => panic!("{other:?}"),
    }
}

fn like(glob: &[u8], text: &[u8]) -> bool {
    match glob.first() {
        None => text.is_empty(),
        Some(b'*') => (0..=text.len()).any(|n| like(&glob[1..], &text[n..])),
        Some(b'?') => !text.is_empty() && like(&glob[1..], &text[1..]),
        Some(byte) => text.first() == Some(byte) && like(&glob[1..], &text[1..]),
    }
}

/// What the plan says of a row: `negated XOR (there AND holds)`, as `predicate` defines it.
pub(super) fn holds(predicate: &Predicate, row: &Row) -> bool {
    match predicate {
        Predicate::And(parts) => parts.iter().all(|part| holds(part, row)),
        Predicate::Or(parts) => parts.iter().any(|part| holds(part, row)),
        Predicate::Term(term) => term.negated != passes(term, row),
    }
}

fn passes(term: &Term, row: &Row) -> bool {
    let get = |column: &Column| row.get(column.name);
    let value = get(term.column);
    match &term.test {
        Test::Always(answer) => return *answer,
        Test::Missing => return value.is_none(),
        _ => {}
    }
    let Some(value) = value else { return false };
    let number = || match value {
        Datum::Number(n) => *n,
        Datum::Text(text) => panic!("{text} is no number"),
    };
    let name = || match value {
        Datum::Text(text) => text.as_bytes(),
        Datum::Number(n) => panic!("{n} is no text"),
    };
    match &term.test {
        Test::Always(_) | Test::Missing => unreachable!("answered above"),
        Test::Equal(n) => number() == *n,
        Test::NotEqual(n) => number() != *n,
        Test::Less(n) => number() < *n,
        Test::LessOrEqual(n) => number() <= *n,
        Test::Greater(n) => number() > *n,
        Test::GreaterOrEqual(n) => number() >= *n,
        Test::Between(lo, hi) => (*lo..=*hi).contains(&number()),
        Test::NameEqual(text) => name() == text.as_slice(),
        Test::NameNotEqual(text) => name() != text.as_slice(),
        Test::Like(glob) => glob.matches(name()),
        Test::CgroupEqual(path) => name() == path.as_bytes(),
        Test::CgroupNotEqual(path) => name() != path.as_bytes(),
        Test::Under(path) => {
            path == "/" || name() == path.as_bytes() || name().starts_with(format!("{path}/").as_bytes())
        }
        Test::True => number() == 1,
        Test::Column(order, other) => match get(other) {
            None => false,
            Some(Datum::Text(text)) => match order {
                Order::Equal => name() == text.as_bytes(),
                Order::NotEqual => name() != text.as_bytes(),
                other => panic!("{other:?} of names"),
            },
            Some(Datum::Number(n)) => match order {
                Order::Equal => number() == *n,
                Order::NotEqual => number() != *n,
                Order::Less => number() < *n,
                Order::LessOrEqual => number() <= *n,
                Order::Greater => number() > *n,
                Order::GreaterOrEqual => number() >= *n,
            },
        },
    }
}

pub(super) fn planned(filter: &Expr) -> Plan {
    check(&query(filter.clone()), &Params::new(), &CheckOptions::default())
        .unwrap_or_else(|e| panic!("{filter:?}: {e:?}"))
}

pub(super) fn answers(plan: &Plan, row: &Row) -> bool {
    let source = plan.scan.clauses.iter().all(|clause| {
        let terms: Vec<_> = clause.terms.iter().cloned().map(Predicate::Term).collect();
        holds(&Predicate::Or(terms), row)
    });
    source && plan.rest.filter.as_ref().is_none_or(|filter| holds(filter, row))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn clauses_and_filter_together_say_what_the_text_says(filter in expressions(), rows in prop::collection::vec(rows(), 1..8)) {
        let plan = planned(&filter);
        for row in &rows {
            prop_assert_eq!(answers(&plan, row), says(&filter, row), "{:?}\n{:?}\n{:?}", filter, plan.scan.clauses, row);
        }
    }

    #[test]
    fn the_kernel_is_given_what_it_can_decide(filter in expressions()) {
        let plan = planned(&filter);
        let clauses = &plan.scan.clauses;
        prop_assert!(clauses.iter().map(|clause| clause.terms.len()).sum::<usize>() <= MAX_TERMS);
        let terms: Vec<&Term> = clauses.iter().flat_map(|clause| &clause.terms).collect();
        prop_assert!(terms.iter().all(|term| undecided(term).is_none() && term.constant().is_none()));
        let mut paths: Vec<&String> = terms.iter().filter_map(|t| match &t.test { Test::Under(path) => Some(path), _ => None }).collect();
        paths.sort();
        paths.dedup();
        prop_assert!(paths.len() <= 4);
        let stages: Vec<_> = clauses.iter().map(|clause| clause.terms.iter().map(Term::stage).max()).collect();
        prop_assert!(stages.is_sorted());
        if plan.scan.is_empty() {
            prop_assert_eq!(clauses.len(), 1);
        }
    }
}

#[test]
fn the_test_makes_all_kinds_of_kernel_terms_and_leaves_some() {
    // Both properties would hold of an empty plan; this shows that they are asked of more.
    let like = |glob| compare("comm", Compare::Like, text(glob));
    let plan = planned(&Expr::And(vec![at(like("a*")), at(like("*a"))]));
    assert_eq!(plan.scan.clauses.len(), 1);
    assert!(plan.rest.filter.is_some());
    assert!(matches!(plan.scan.clauses[0].terms[0].column.kind, Kind::Name));
}
