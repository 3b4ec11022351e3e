//! Why a result is empty. "0" alone leaves a person with the question that they came with.

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::results;
use crate::catalog::Column;
use crate::host::namespace;
use crate::plan::Plan;
use crate::plan::predicate::Test;
use crate::source::Outcome;

/// What was there when the window began.
pub struct Before {
    /// Tasks that the query names by number: the column, the number, whether it was there.
    tasks: Vec<(&'static Column, i64, bool)>,
}

impl Before {
    pub fn look(plan: &Plan) -> Before {
        let mut tasks = Vec::new();
        // The machine's numbers say nothing about those of a PID namespace.
        if namespace::pid_namespace().is_some() {
            return Before { tasks };
        }
        // Only clauses of one term: where there is an "or", another task may have been meant.
        for clause in plan.scan.clauses.iter().filter(|c| c.terms.len() == 1) {
            let term = &clause.terms[0];
            if let (Test::Equal(number), false, "tid" | "tgid") = (&term.test, term.negated, term.column.name) {
                tasks.push((term.column, *number, exists(*number)));
            }
        }
        Before { tasks }
    }

    /// Why an outcome has no rows.
    pub fn reason(&self, plan: &Plan, outcome: &Outcome) -> String {
        if plan.scan.is_empty() {
            return results::nothing(plan, outcome, "the window");
        }
        for (column, number, was_there) in &self.tasks {
            let what = if column.name == "tid" { "thread" } else { "process" };
            if !was_there {
                return format!("no rows: there is no {what} {number}");
            }
            if !exists(*number) {
                return format!("no rows: the {what} {number} exited during the window");
            }
        }
        results::nothing(plan, outcome, "the window")
    }
}

fn exists(number: i64) -> bool {
    // Not by /proc, which may hide what belongs to others.
    let number = i32::try_from(number).ok().filter(|n| *n > 0);
    number.is_some_and(|n| kill(Pid::from_raw(n), None) != Err(Errno::ESRCH))
}
