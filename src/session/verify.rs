//! What of a query can be held against the kernel's own counters.

use crate::diagnostic::{Diagnostic, Exit};
use crate::host::counters::Scope;
use crate::plan::Plan;
use crate::plan::predicate::Test;

/// Whose counters the kernel has for what a query asks.
///
/// # Errors
/// When it asks for something that the kernel keeps no counters of.
pub fn scope(plan: &Plan) -> Result<Scope, Diagnostic> {
    let refused = |title: String| Diagnostic::new("cannot-verify", Exit::Wrong, title);
    let checks = plan.family.checks;
    if checks.is_empty() {
        return Err(refused(format!("the kernel keeps no counters that {} could be held against", plan.family.name)));
    }
    if plan.from.is_some() {
        return Err(refused("a recording cannot be verified: the kernel's counters of that time are gone".into())
            .help("verify the same question of the running system"));
    }
    let one = match plan.scan.clauses.as_slice() {
        [] if plan.rest.filter.is_none() => return Ok(Scope::Machine),
        [clause] if plan.rest.filter.is_none() => clause.terms.as_slice(),
        _ => &[],
    };
    if let [term] = one
        && let (Test::Equal(number), false) = (&term.test, term.negated)
        && let Ok(number) = u32::try_from(*number)
    {
        match term.column.name {
            "tid" => return Ok(Scope::Thread(number)),
            "tgid" => return Ok(Scope::Process(number)),
            _ => {}
        }
    }
    Err(refused(
        "the kernel has counters of a thread, of a process and of the machine, not of what this where says".into(),
    )
    .help("say `where tgid = N`, `where tid = N`, or nothing"))
}
