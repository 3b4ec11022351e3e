//! `verify QUERY`: its figures beside the kernel's own counters over the same window.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::command::Command;
use super::results::build;
use super::verify::scope;
use super::{Audience, Finished, Planned, Session, Stop, Summary, window};
use crate::catalog::{Check, Counter, Figure};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::{Frame, Verified, verified};
use crate::host::counters::{self, Scope, TaskCounters};
use crate::host::environment;
use crate::output::ndjson::Label;
use crate::source::{Ended, Outcome, Table, Values, Window};

/// The counters at one moment.
struct Moment {
    tasks: BTreeMap<u32, TaskCounters>,
    switches: Option<u64>,
}

impl Moment {
    fn now(scope: Scope, checks: &[Check]) -> Moment {
        let machine_wide = |check: &Check| check.kernel == Counter::ContextSwitches;
        let tasks = if checks.iter().all(machine_wide) { BTreeMap::new() } else { counters::tasks(scope) };
        Moment { tasks, switches: counters::context_switches() }
    }
}

/// Reads the counters as near to the window's ends as can be.
struct Reader<'a> {
    audience: &'a mut dyn Audience,
    scope: Scope,
    checks: Vec<Check>,
    before: Option<Moment>,
    after: Option<Moment>,
}

impl window::Watcher for Reader<'_> {
    fn wants_progress(&self) -> bool {
        self.audience.wants_progress()
    }

    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        self.audience.progress(elapsed_ns, total_ns);
    }

    fn wants_rows(&self, _: usize) -> bool {
        false
    }

    fn batch(&mut self, _: usize, _: Table, _: &Window) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn opened(&mut self) {
        self.before = Some(Moment::now(self.scope, &self.checks));
    }

    fn closed(&mut self) {
        self.after = Some(Moment::now(self.scope, &self.checks));
    }
}

impl Session {
    /// Runs the query, whose stats are those that its family's checks need.
    pub(super) fn verify(
        &mut self,
        planned: &Planned,
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let plan = &planned.plan;
        let scope = scope(plan)?;
        let mut command = command.map(Command::hold).transpose()?;
        let checks: Vec<Check> = plan.family.checks.iter().filter(|check| applies(check, scope)).copied().collect();
        let mut reader = Reader { audience, scope, checks, before: None, after: None };
        let results = window::run(&[plan], &[], command.as_mut(), &self.events, None, &mut reader);
        let Reader { audience, checks, before, after, .. } = reader;
        let window::Results { mut outcomes, .. } = results?;
        let (Some(outcome), Some(before), Some(after)) = (outcomes.pop(), before, after) else { return Ok(()) };
        summary.lost |= outcome.account.lost() > 0;
        summary.interrupted |= outcome.window.ended == Ended::Interrupted;
        let rows: Vec<Verified> = checks.iter().filter_map(|check| row(check, &outcome, &before, &after)).collect();
        let run = build(plan, &outcome, &environment::facts())?;
        let mut frame: Frame = verified(&run, &rows)
            .map_err(|e| Diagnostic::new("frame", Exit::Failed, format!("the result cannot be made: {e}")))?;
        frame.meta.notes.extend(notes(scope, &before, &after));
        self.results += 1;
        let label = Label::Number(self.results);
        audience.result(&Finished { label, plan, frame: &frame, last: None, shown: true })?;
        if let Some(command) = command {
            summary.command = Some(command.wait(&self.events));
        }
        Ok(())
    }
}

/// The kernel counts switches of single tasks and of the machine; the sum over tasks lacks idle ones and those that ended.
fn applies(check: &Check, scope: Scope) -> bool {
    match check.kernel {
        Counter::ContextSwitches => scope == Scope::Machine,
        Counter::Voluntary | Counter::Involuntary => scope != Scope::Machine,
        Counter::TimeSlices | Counter::RunDelay => true,
    }
}

fn row(check: &Check, outcome: &Outcome, before: &Moment, after: &Moment) -> Option<Verified> {
    let of_tasks = |counter: fn(&TaskCounters) -> u64| -> u64 {
        let earlier = |tid: &u32| before.tasks.get(tid).map_or(0, counter);
        after.tasks.iter().map(|(tid, now)| counter(now).saturating_sub(earlier(tid))).sum()
    };
    let kernel = match check.kernel {
        Counter::Voluntary => of_tasks(|c| c.voluntary),
        Counter::Involuntary => of_tasks(|c| c.involuntary),
        Counter::TimeSlices => of_tasks(|c| c.time_slices),
        Counter::RunDelay => of_tasks(|c| c.run_delay_ns),
        Counter::ContextSwitches => after.switches?.saturating_sub(before.switches?),
    };
    Some(Verified {
        what: check.name,
        nanoseconds: check.ours == Figure::Sum,
        ours: ours(check.ours, &outcome.table),
        kernel,
        place: check.kernel.place(),
        why: check.why.to_owned(),
    })
}

fn ours(figure: Figure, table: &Table) -> u64 {
    let cells = table.cells.as_deref().unwrap_or_default();
    match figure {
        Figure::Count => cells.iter().map(|cell| cell.count).sum(),
        Figure::Sum => cells.iter().map(|cell| cell.sum).sum(),
        Figure::CountWhere(column, word) => {
            let Some(Values::Text(values)) = table.columns.iter().find(|c| c.name == column).map(|c| &c.values) else {
                return 0;
            };
            values
                .iter()
                .zip(cells)
                .filter(|(value, _)| value.as_deref() == Some(word))
                .map(|(_, cell)| cell.count)
                .sum()
        }
    }
}

fn notes(scope: Scope, before: &Moment, after: &Moment) -> Vec<String> {
    let ended = before.tasks.keys().filter(|tid| !after.tasks.contains_key(tid)).count();
    let mut notes = Vec::new();
    if ended > 0 {
        let threads = if ended == 1 { "one thread".to_owned() } else { format!("{ended} threads") };
        notes.push(format!("{threads} ended in the window: what the kernel counted for them is gone with them"));
    }
    if after.tasks.is_empty() && scope != Scope::Machine {
        notes.push("there is no such thread or process any more, so the kernel's side is empty".into());
    }
    notes
}
