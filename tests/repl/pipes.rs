//! Statements from a pipe.

use super::family;
use crate::support::Schedq;

#[test]
fn a_wrong_statement_is_told_with_its_line_and_the_others_run() {
    let name = family();
    let query = |by: &str| format!("from '@sample' {name} count by {by}");
    let text = format!("{}\nbad (\n{}\n", query("cpu"), query("comm"));
    let output = Schedq::new(["--format", "csv"]).stdin(text).run().fails_with(2);
    assert!(output.stderr.contains("stdin:2:1") || output.stderr.contains("stdin:2:5"), "{}", output.stderr);
    assert!(output.stdout.starts_with("cpu,count\n") && output.stdout.contains("\ncomm,count\n"), "{}", output.stdout);
    let all = format!("{}{}", output.stdout, output.stderr);
    assert!(!all.contains("schedq> "), "no prompt: {all}");
}

#[test]
fn what_runs_has_status_0_and_half_a_statement_is_wrong() {
    let name = family();
    Schedq::new(["--format", "csv"]).stdin(format!("from '@sample' {name} count\n")).run().success();
    let output = Schedq::new([""; 0]).stdin(format!("{name} where (\n")).run().fails_with(2);
    assert!(output.stdout.is_empty() && output.stderr.contains("stdin:1"), "{}", output.stderr);
}
