//! `compare`, without a kernel: results by hand, of the recording, and of files.

use std::fs;

use schedq::frame::compare::{Comparison, compare};
use schedq::frame::{Frame, build};
use schedq::lang::ast::Stat;
use schedq::output::{file, load};

use super::RESULTS;
use crate::plans::{groups, p, plan, texts, values};
use crate::support::command::Schedq;

/// Two groups: `steady` has a hundred waits of 1 to 100 µs in each of ten parts, `other` the same times `factor`.
fn frame(factor: u64, kernel: &str) -> Frame {
    let part: Vec<u64> = (1..=100u64).map(|us| us * 1000).collect();
    let cell = |factor: u64| {
        let scaled: Vec<u64> = part.iter().map(|ns| ns * factor).collect();
        let mut cell = values(&scaled.repeat(10));
        cell.blocks = vec![values(&scaled).histogram; 10];
        cell
    };
    let outcome = groups(vec![texts("comm", &["steady", "other"])], vec![cell(1), cell(factor)]);
    let host = [("kernel".to_owned(), kernel.to_owned()), ("cpu_busy_percent".to_owned(), format!("5{factor}.0"))];
    build(&plan("runq latency p50, p99 by comm", &["comm"], &[p(50), p(99)]), &outcome, &host).unwrap()
}

fn compared(before: &Frame, after: &Frame) -> Comparison {
    compare(before, after, "compare a b".into()).unwrap().unwrap()
}

#[test]
fn what_has_moved_is_told_with_its_bounds() {
    let made = compared(&frame(1, "6.1"), &frame(3, "6.1"));
    // Busy shares are never quite the same.
    assert_eq!(made.environment, []);
    let moved: Vec<(&str, &str)> = made.moved.iter().map(|one| (one.group.as_str(), one.quantile.as_str())).collect();
    assert_eq!(moved, [("comm=other", "p50"), ("comm=other", "p99")]);
    let shift = made.moved[0].shift;
    // The median of 1 to 100 µs is 50 µs, to a bucket of 2 µs; three times it is 150 µs, to one of 8 µs.
    assert!((shift.before - 50e3).abs() < 2e3 && (shift.after - 150e3).abs() < 8e3, "{shift:?}");
    assert!(shift.low.unwrap() > 80e3 && shift.high.unwrap() < 120e3, "{shift:?}");
    let verdicts = made.frame.data.column("verdict").unwrap().str().unwrap().clone();
    let groups = made.frame.data.column("comm").unwrap().str().unwrap().clone();
    let rows: Vec<(Option<&str>, Option<&str>)> = groups.iter().zip(verdicts.iter()).collect();
    let row = |group, verdict| (Some(group), Some(verdict));
    let right = [row("other", "moved"), row("other", "moved"), row("steady", "noise"), row("steady", "noise")];
    assert_eq!(rows, right);
    assert_eq!(made.statements, 4);
}

#[test]
fn of_equal_results_nothing_has_moved() {
    let made = compared(&frame(2, "6.1"), &frame(2, "6.6"));
    assert_eq!(made.moved, []);
    let [kernel] = made.environment.as_slice() else { panic!("{:?}", made.environment) };
    assert_eq!(
        (kernel.name.as_str(), kernel.before.as_deref(), kernel.after.as_deref()),
        ("kernel", Some("6.1"), Some("6.6"))
    );
}

#[test]
fn a_group_that_only_one_has_is_told() {
    let one = build(
        &plan("runq latency hist by comm", &["comm"], &[Stat::Hist]),
        &groups(vec![texts("comm", &["gone"])], vec![values(&[5; 50])]),
        &[],
    )
    .unwrap();
    let other = build(
        &plan("runq latency hist by comm", &["comm"], &[Stat::Hist]),
        &groups(vec![texts("comm", &["new"])], vec![values(&[5; 40])]),
        &[],
    )
    .unwrap();
    let made = compared(&one, &other);
    let column = |name: &str| made.frame.data.column(name).unwrap().clone();
    let verdicts: Vec<Option<&str>> = vec![Some("only before"), Some("only after")];
    assert_eq!(column("verdict").str().unwrap().iter().collect::<Vec<_>>(), verdicts);
    assert_eq!(column("comm").str().unwrap().iter().collect::<Vec<_>>(), [Some("gone"), Some("new")]);
    assert_eq!(column("before_count").i64().unwrap().iter().collect::<Vec<_>>(), [Some(50), Some(0)]);
    assert_eq!((made.told, made.silent, made.statements), (0, 2, 0));
}

#[test]
fn results_come_back_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let frame = frame(3, "6.1");
    for ending in ["parquet", "arrow"] {
        let path = folder.path().join(format!("x.{ending}"));
        file::prepare(&path).unwrap().write(&frame).unwrap();
        let back = load::load(&path).unwrap();
        assert!(back.data.equals_missing(&frame.data), "{ending}: {:?}", back.data);
        assert_eq!((&back.meta, &back.samples), (&frame.meta, &frame.samples), "{ending}");
        let kinds = |frame: &Frame| frame.columns.iter().map(|c| (c.name.clone(), c.kind, c.role)).collect::<Vec<_>>();
        assert_eq!(kinds(&back), kinds(&frame), "{ending}");
        // Cut short, it is refused and nothing panics.
        let bytes = fs::read(&path).unwrap();
        for length in [0, 7, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(load::load(&path).unwrap_err().code, "read-result", "{ending} {length}");
        }
    }
}

#[test]
fn times_come_back_as_times() {
    let folder = tempfile::tempdir().unwrap();
    let script = "t = from '@sample' runq latency max, max_at, p50 by comm top 3
save t to 't.arrow'
save t to 't.parquet'
compare t 't.arrow'
compare 't.parquet' t";
    let output = Schedq::eval(script).arg("--quiet").dir(folder.path()).run().success();
    assert_eq!(output.stdout.matches("nothing moved").count(), 2, "{}", output.stdout);
    let (arrow, parquet) = (load::load(&folder.path().join("t.arrow")), load::load(&folder.path().join("t.parquet")));
    let (arrow, parquet) = (arrow.unwrap(), parquet.unwrap());
    assert!(arrow.data.equals_missing(&parquet.data));
    assert!(arrow.first_time("latency_max_at").unwrap() > 1_700_000_000_000_000_000);
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_runs() {
    for (text, said) in [
        ("compare a one", "one holds no distribution"),
        ("h = from '@sample' runq latency hist\ncompare a h", "a is grouped by comm, h by nothing"),
        ("compare a 'nosuch.parquet'", "'nosuch.parquet' cannot be read"),
        ("compare a 'x.csv'", "saved results are read from .parquet and .arrow"),
        ("compare a b", "there is no frame b"),
    ] {
        let stderr = Schedq::eval(&format!("{RESULTS}{text}")).run().fails_with(2).stderr;
        assert!(stderr.contains(said), "{text}: {stderr}");
    }
}
