//! Why a result is empty. "0" alone leaves a person with the question that they came with.

use std::path::Path;

use crate::catalog::Column;
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
        // Only clauses of one term: where there is an "or", another task may have been meant.
        for clause in plan.scan.clauses.iter().filter(|c| c.terms.len() == 1) {
            let term = &clause.terms[0];
            if let (Test::Equal(number), false, "tid" | "tgid") = (&term.test, term.negated, term.column.name) {
                tasks.push((term.column, *number, exists(*number)));
            }
        }
        Before { tasks }
    }

    /// Adds a note to an outcome without rows.
    pub fn explain(&self, plan: &Plan, outcome: &mut Outcome) {
        if outcome.account.matched > 0 {
            return;
        }
        outcome.notes.push(self.reason(plan, outcome));
    }

    fn reason(&self, plan: &Plan, outcome: &Outcome) -> String {
        if plan.scan.is_empty() {
            return "no rows: the filter can hold for no row at all".into();
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
        if outcome.account.lost() > 0 {
            return "no rows, but some were lost: see the losses".into();
        }
        match outcome.account.seen {
            0 if plan.scan.clauses.is_empty() => {
                format!("no rows: nothing happened in the window (a row is when {})", plan.family.doc)
            }
            0 => format!("no rows: no task that the filter speaks of did it (a row is when {})", plan.family.doc),
            seen => format!("no rows: {seen} were seen, and the filter matched none of them"),
        }
    }
}

fn exists(number: i64) -> bool {
    number >= 0 && Path::new(&format!("/proc/{number}")).exists()
}
