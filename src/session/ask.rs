//! Asking the running kernel: one window for several queries, then their frames.

use std::ffi::OsString;
use std::io;

use super::command::Command;
use super::{Audience, Finished, Planned, Session, Stop, Summary, window, zero};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::{self, Frame};
use crate::host::environment;
use crate::output::ndjson::Label;
use crate::plan::Plan;
use crate::source::{Account, Ended, Outcome, Table, Window};

impl Session {
    /// Runs queries in one window and hands out their results.
    pub(super) fn ask(
        &mut self,
        queries: &[Planned],
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let mut command = command.map(Command::hold).transpose()?;
        let before: Vec<zero::Before> = queries.iter().map(|q| zero::Before::look(&q.plan)).collect();
        let mut batches: Vec<Vec<Frame>> = queries.iter().map(|_| Vec::new()).collect();
        let plans: Vec<&Plan> = queries.iter().map(|q| &q.plan).collect();
        let first_number = self.results + 1;
        let mut relay = Relay { audience, queries, batches: &mut batches, first_number, failed: None };
        let outcomes = window::run(&plans, command.as_mut(), &self.events, &mut relay);
        if let Some(error) = relay.failed {
            return Err(Stop::Output(error));
        }
        let outcomes = outcomes?;
        let host = environment::facts();
        let (mut rows, mut interrupted) = (0, false);
        for ((index, planned), outcome) in queries.iter().enumerate().zip(outcomes) {
            interrupted |= outcome.window.ended == Ended::Interrupted;
            summary.lost |= outcome.account.lost() > 0;
            let last = build(&planned.plan, &outcome, &host)?;
            let mut taken = std::mem::take(&mut batches[index]);
            taken.push(last.clone());
            let mut whole = joined(taken)?.unwrap_or_else(|| last.clone());
            rows += whole.meta.rows_matched;
            if whole.meta.rows_matched == 0 {
                whole.meta.notes.push(before[index].reason(&planned.plan, &outcome));
            }
            self.hand_out(index, planned, whole, last, audience)?;
        }
        self.results += queries.len();
        summary.interrupted |= interrupted;
        summary.interrupted_empty |= interrupted && rows == 0;
        if let Some(command) = command {
            summary.command = Some(command.wait(&self.events));
        }
        Ok(())
    }

    fn hand_out(
        &mut self,
        index: usize,
        planned: &Planned,
        whole: Frame,
        last: Frame,
        audience: &mut dyn Audience,
    ) -> Result<(), Stop> {
        let streamed = planned.plan.scan.every_ns.is_some() || window::streams_rows(&planned.plan);
        let label = label(planned, self.results + index + 1);
        audience.result(&Finished {
            label,
            plan: &planned.plan,
            frame: &whole,
            last: streamed.then_some(&last),
            shown: planned.name.is_none(),
        })?;
        if let Some(file) = &planned.save {
            file.write_all(&[(label, &whole)])?;
        }
        if let Some(name) = &planned.name {
            self.frames.insert(name.clone(), whole);
        }
        Ok(())
    }
}

fn label(planned: &Planned, number: usize) -> Label<'_> {
    planned.name.as_deref().map_or(Label::Number(number), Label::Name)
}

fn build(plan: &Plan, outcome: &Outcome, host: &[(String, String)]) -> Result<Frame, Diagnostic> {
    frame::build(plan, outcome, host).map_err(|e| frame_problem(&e))
}

fn joined(batches: Vec<Frame>) -> Result<Option<Frame>, Diagnostic> {
    frame::concat(batches).map_err(|e| frame_problem(&e))
}

fn frame_problem(error: &frame::FrameError) -> Diagnostic {
    Diagnostic::new("frame", Exit::Failed, format!("the result cannot be made: {error}"))
}

/// Hands intervals on while the window is open.
struct Relay<'a> {
    audience: &'a mut dyn Audience,
    queries: &'a [Planned],
    batches: &'a mut [Vec<Frame>],
    first_number: usize,
    failed: Option<io::Error>,
}

impl window::Watcher for Relay<'_> {
    fn wants_progress(&self) -> bool {
        self.audience.wants_progress()
    }

    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        self.audience.progress(elapsed_ns, total_ns);
    }

    fn wants_rows(&self, index: usize) -> bool {
        self.queries[index].name.is_none() && !self.audience.keeps()
    }

    fn batch(&mut self, index: usize, table: Table, window: &Window) -> Result<(), Diagnostic> {
        let planned = &self.queries[index];
        let outcome = Outcome { table, account: Account::default(), window: window.clone(), notes: Vec::new() };
        let made = build(&planned.plan, &outcome, &[])?;
        if planned.name.is_none() {
            let label = label(planned, self.first_number + index);
            if let Err(error) = self.audience.batch(label, &planned.plan, &made) {
                self.failed = Some(error);
                return Err(Diagnostic::new("output", Exit::Failed, "the output was closed"));
            }
        }
        let batches = &mut self.batches[index];
        if planned.name.is_some() || planned.save.is_some() || self.audience.keeps() {
            batches.push(made);
        } else {
            // Nobody will ask for its rows again; a run without end would fill the memory with them.
            batches.push(made.without_rows());
            *batches = joined(std::mem::take(batches))?.into_iter().collect();
        }
        Ok(())
    }
}
