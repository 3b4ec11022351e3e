//! `assert`: all failures of a script are told, with their values, and end it with 3.

use super::RESULTS;
use crate::support::command::Schedq;

/// What is said beside the line of losses.
fn told(statements: &str, code: i32) -> String {
    let stderr = Schedq::eval(&format!("{RESULTS}{statements}")).arg("--quiet").run().fails_with(code).stderr;
    let of_windows = |line: &&str| line.contains(" window · ") || line.starts_with("note: ");
    stderr.lines().filter(|line| !of_windows(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn two_that_fail_are_both_told_and_the_script_goes_on() {
    let output = Schedq::eval(&format!(
        "{RESULTS}assert a.max < 1us else 'too slow'\nassert one.count < 5\nassert one.count > 5 else 'never'\nshow one"
    ))
    .args(["--quiet", "--format", "csv"])
    .run()
    .fails_with(3);
    assert_eq!(output.stdout, "count\n2321\n");
    let stderr = output.stderr;
    assert!(stderr.contains("error[assertion]: assertion failed: too slow\n"), "{stderr}");
    assert!(stderr.contains("it does not hold in 26 of 26 rows"), "{stderr}");
    assert!(stderr.contains("comm=mover: a.max is 6.603493ms"), "{stderr}");
    assert!(stderr.contains("error[assertion]: assertion failed: one.count < 5\n"), "{stderr}");
    assert!(stderr.contains("one.count is 2321"), "{stderr}");
    assert!(!stderr.contains("never"), "{stderr}");
}

#[test]
fn what_holds_is_silent() {
    let claims = "assert a.count > 0 and a.p50 <= a.p99 and a.p99 <= a.max
assert not a.comm in ('nobody', 'else')
assert a.comm ~ 'k*' or a.count < 1_000_000
assert one.count in 1-10000
assert one.count >= 1.5
param limit = any
assert a.max < $limit";
    assert_eq!(told(claims, 0), "");
}

#[test]
fn no_rows_and_missing_values_fail() {
    let stderr = told("none = from '@sample' switch count by comm where comm='nobody'\nassert none.count >= 0", 3);
    assert!(stderr.contains("none has no rows"), "{stderr}");
    let missing = "e = from '@sample' runq latency p99 where comm='nobody'\nassert not e.p99 > 1s";
    let stderr = told(missing, 3);
    assert!(stderr.contains("e.p99 is missing"), "{stderr}");
}

#[test]
fn a_claim_of_two_results_wants_one_row_of_the_second() {
    assert_eq!(told("assert a.count <= one.count or a.comm != 'ticker'", 0), "");
    let stderr = told("assert one.count > a.count", 3);
    assert!(stderr.contains("a has 26 rows") && stderr.contains("join them first"), "{stderr}");
}

#[test]
fn names_and_units_are_checked_before_anything_runs() {
    for (claim, said) in [
        ("assert b.count > 1", "there is no frame b"),
        ("assert a.p98 < 1s", "a has no column p98"),
        ("assert a.p99 < 5", "it needs a unit, such as `5ms`"),
        ("assert a.comm = nginx", "text stands in quotes: `'nginx'`"),
        ("assert a.count", "a.count is compared with something"),
        ("assert a.p99 < a.count", "a duration and a count cannot be compared"),
        ("assert a.p99 in 0-5", "a duration is compared with other values"),
        ("assert a.p99 < $x", "there is no parameter $x"),
    ] {
        let stderr = told(claim, 2);
        assert!(stderr.contains(said), "{claim}: {stderr}");
    }
}
