//! `explain analyze QUERY`: the query is run, and what it cost is measured beside what was expected.

use std::ffi::OsString;
use std::thread;
use std::time::Duration;

use super::command::Command;
use super::{Audience, Planned, Session, Stop, Summary, window};
use crate::diagnostic::Diagnostic;
use crate::host::{clock, counters, lists};
use crate::plan::explain::{Measured, explain_analyzed};
use crate::plan::layout::{Machine, layout};
use crate::source::live::Statistics;
use crate::source::{Ended, Table, Window};

/// How long the rate of switches is looked at before the window.
const LOOK: Duration = Duration::from_millis(250);

struct Watcher<'a> {
    audience: &'a mut dyn Audience,
    /// Switches at the window's begin and end, with the time.
    counted: Vec<(u64, Option<u64>)>,
}

impl window::Watcher for Watcher<'_> {
    fn wants_progress(&self) -> bool {
        self.audience.wants_progress()
    }

    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        self.audience.progress(elapsed_ns, total_ns);
    }

    /// Rows are taken as they come, so that they cost what they would cost when somebody reads them.
    fn wants_rows(&self, _: usize) -> bool {
        true
    }

    fn batch(&mut self, _: usize, _: Table, _: &Window) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wants_runs(&self) -> bool {
        true
    }

    fn opened(&mut self) {
        self.counted.push((clock::monotonic_ns(), counters::context_switches()));
    }

    fn closed(&mut self) {
        self.counted.push((clock::monotonic_ns(), counters::context_switches()));
    }
}

impl Session {
    pub(super) fn analyze(
        &mut self,
        planned: &Planned,
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let plan = &planned.plan;
        let mut command = command.map(Command::hold).transpose()?;
        let before = counters::context_switches();
        let began = clock::monotonic_ns();
        thread::sleep(LOOK);
        let before = rate((began, before), (clock::monotonic_ns(), counters::context_switches()));
        let statistics = Statistics::on();
        let mut watcher = Watcher { audience, counted: Vec::new() };
        let results = window::run(&[plan], &[], command.as_mut(), &self.events, None, &mut watcher);
        let Watcher { audience, counted, .. } = watcher;
        drop(statistics);
        let window::Results { outcomes, mut runs, .. } = results?;
        let (Some(outcome), Some(ran)) = (outcomes.into_iter().next(), runs.pop()) else { return Ok(()) };
        summary.lost |= outcome.account.lost() > 0;
        summary.interrupted |= outcome.window.ended == Ended::Interrupted;
        let measured = Measured {
            window_ns: outcome.window.length_ns,
            seen: outcome.account.seen,
            matched: outcome.account.matched,
            lost: outcome.account.lost(),
            programs: ran.programs.into_iter().filter(|p| p.runs > 0).map(|p| (p.name, p.ns, p.runs)).collect(),
            maps: ran.maps,
            switches_before: before,
            switches: match counted.as_slice() {
                [first, last] => rate(*first, *last),
                _ => None,
            },
        };
        let machine = Machine { cpus: lists::possible_cpus(), task_storage: true };
        audience.text(&explain_analyzed(plan, &layout(&plan.scan, machine), machine, &measured))?;
        if let Some(command) = command {
            summary.command = Some(command.wait(&self.events));
        }
        Ok(())
    }
}

/// Switches a second.
fn rate(first: (u64, Option<u64>), last: (u64, Option<u64>)) -> Option<f64> {
    let seconds = last.0.checked_sub(first.0)? as f64 / 1e9;
    (seconds > 0.0).then_some(last.1?.checked_sub(first.1?)? as f64 / seconds)
}
