//! Asking the running kernel: one window for several queries, then their frames.

use std::ffi::OsString;
use std::io;

use super::command::Command;
use super::results::{Passed, build, joined, label, streams_rows};
use super::{Audience, Planned, Session, Stop, Summary, window, zero};
use crate::diagnostic::{Diagnostic, Exit};
use crate::host::{environment, load};
use crate::plan::{Plan, Record};
use crate::source::{Ended, Table, Window};

impl Session {
    /// Runs queries and makes recordings in one window, and hands out what came of them.
    pub(super) fn ask(
        &mut self,
        queries: &[Planned],
        records: &[Record],
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let mut command = command.map(Command::hold).transpose()?;
        let before: Vec<zero::Before> = queries.iter().map(|q| zero::Before::look(&q.plan)).collect();
        let first_number = self.results + 1;
        let keeps_last = self.keeps_last;
        let mut passed: Vec<Passed<'_>> =
            queries.iter().enumerate().map(|(i, q)| Passed::new(q, label(q, first_number + i), keeps_last)).collect();
        let plans: Vec<&Plan> = queries.iter().map(|q| &q.plan).collect();
        let mut relay = Relay { audience: &mut *audience, queries, passed: &mut passed, failed: None };
        let load = load::now();
        let results = window::run(&plans, records, command.as_mut(), &self.events, Some(&mut self.pool), &mut relay);
        if let Some(error) = relay.failed {
            return Err(Stop::Output(error));
        }
        let window::Results { outcomes, recordings, .. } =
            results.inspect_err(|problem| summary.interrupted |= problem.exit == Exit::Interrupted)?;
        if recordings.is_empty() {
            self.go_on()?;
        }
        let mut host = environment::facts();
        host.extend(load.zip(load::now()).map_or_else(Vec::new, |(before, after)| before.until(after)));
        let (mut rows, mut interrupted) = (0, false);
        for ((index, planned), (outcome, passed)) in queries.iter().enumerate().zip(outcomes.into_iter().zip(passed)) {
            interrupted |= outcome.window.ended == Ended::Interrupted;
            summary.lost |= outcome.account.lost() > 0;
            let last = build(&planned.plan, &outcome, &host)?;
            let (mut frames, let_go) = (passed.frames, passed.let_go);
            frames.push(last.clone());
            let mut whole = joined(frames)?.unwrap_or_else(|| last.clone());
            rows += whole.meta.rows_matched;
            if whole.meta.rows_matched == 0 {
                whole.meta.notes.push(before[index].reason(&planned.plan, &outcome));
            }
            let streamed = planned.plan.scan.every_ns.is_some() || streams_rows(&planned.plan);
            self.hand_out(index, planned, (whole, let_go), streamed.then_some(last), audience)?;
        }
        self.results += queries.len();
        summary.interrupted |= interrupted;
        summary.interrupted_empty |= interrupted && rows == 0 && recordings.is_empty();
        for recording in recordings {
            match recording {
                Ok(recorded) => {
                    summary.lost |= recorded.written.meta.lost() > 0;
                    summary.interrupted |= recorded.written.meta.ended.as_deref() == Some("interrupted");
                    audience.recorded(&recorded)?;
                }
                Err(problem) => {
                    audience.problem(&problem);
                    summary.problem = summary.problem.or(Some(problem.exit));
                }
            }
        }
        if let Some(command) = command {
            summary.command = Some(command.wait(&self.events));
        }
        Ok(())
    }
}

/// Hands intervals on while the window is open.
struct Relay<'a, 'p> {
    audience: &'a mut dyn Audience,
    queries: &'a [Planned],
    passed: &'a mut [Passed<'p>],
    failed: Option<io::Error>,
}

impl window::Watcher for Relay<'_, '_> {
    fn wants_progress(&self) -> bool {
        self.audience.wants_progress()
    }

    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        self.audience.progress(elapsed_ns, total_ns);
    }

    fn wants_parts(&self, index: usize) -> bool {
        self.queries[index].may_be_compared(&*self.audience)
    }

    fn wants_rows(&self, index: usize) -> bool {
        self.queries[index].name.is_none() && !self.audience.keeps()
    }

    fn batch(&mut self, index: usize, table: Table, window: &Window) -> Result<(), Diagnostic> {
        match self.passed[index].on(table, window, self.audience) {
            Ok(()) => Ok(()),
            Err(Stop::Problem(problem)) => Err(*problem),
            Err(Stop::Output(error)) => {
                self.failed = Some(error);
                Err(Diagnostic::new("output", Exit::Failed, "the output was closed"))
            }
        }
    }
}
