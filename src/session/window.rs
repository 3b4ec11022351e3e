//! One window: several scans attached together, opened at the same moment, each ended by its own `for`, by the command,
//! or by a signal.

use std::time::Duration;

use super::command::Command;
use super::recording::Recorded;
use super::results::streams_rows;
use super::tape::Tape;
use super::{Event, Events};
use crate::diagnostic::{Diagnostic, Exit};
use crate::host::clock::{monotonic_ns, realtime_ns};
use crate::plan::{Plan, Record};
use crate::source::live::{Live, Pool, Processes, Ran};
use crate::source::{Ended, Outcome, Table, Window};

/// How often a ring is emptied. At 16 MiB it takes a million rows of five columns a second.
const RING_PERIOD_NS: u64 = 20_000_000;
/// An interval is read a little after its end, when the programs that were running at its end have returned.
const INTERVAL_LAG_NS: u64 = 5_000_000;
/// How often rows are shown as they come: often enough to look alive, seldom enough to be cheap.
const ROWS_PERIOD_NS: u64 = 250_000_000;
/// So many are written before the next look at ring and clock.
const ROWS_AT_ONCE: usize = 2048;
/// How long the parts of a window are at first, of which is kept what each brought: longer than most bursts, and there are
/// to be some twenty of them.
const PART_NS: u64 = 100_000_000;
const LEAST_PART_NS: u64 = 10_000_000;
const PARTS: u64 = 20;
/// How often a recording is looked at: it may have ended by itself.
const TAPE_PERIOD_NS: u64 = 200_000_000;
/// How often the one who asks is told the time, if at all.
const PROGRESS_PERIOD_NS: u64 = 250_000_000;

/// What happens while a window is open.
pub trait Watcher {
    /// Whether [`Watcher::progress`] is wanted: waking up for it costs the machine a little.
    fn wants_progress(&self) -> bool;
    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>);
    /// Whether it matters what the programs did.
    fn wants_runs(&self) -> bool {
        false
    }
    /// The window has just opened, or closed.
    fn opened(&mut self) {}
    fn closed(&mut self) {}
    /// Whether the result of query number `index` may be compared with another one, for which parts of its window are kept.
    fn wants_parts(&self, _index: usize) -> bool {
        false
    }
    /// Whether the rows of query number `index` are wanted as they come.
    fn wants_rows(&self, index: usize) -> bool;
    /// Groups of intervals that ended, or rows as they came, of query number `index`.
    fn batch(&mut self, index: usize, table: Table, window: &Window) -> Result<(), Diagnostic>;
}

struct Open {
    live: Live,
    start_ns: u64,
    deadline_ns: Option<u64>,
    every_ns: Option<u64>,
    first: Option<u64>,
    /// When rows are shown next; `None` for queries whose rows are needed together.
    rows_due_ns: Option<u64>,
    /// When the next part of the window ends, and how long parts are.
    part_due_ns: Option<(u64, u64)>,
    wall_offset_ns: i64,
    ended: Option<(u64, Ended)>,
}

impl Open {
    fn window(&self, now_ns: u64) -> Window {
        let (mut end, ended) = self.ended.unwrap_or((now_ns, Ended::Elapsed));
        // Intervals end on the dot, so the window does too.
        if let (Some(_), Some(deadline), Ended::Elapsed) = (self.every_ns, self.deadline_ns, ended) {
            end = end.min(deadline);
        }
        Window { start_ns: self.start_ns, wall_offset_ns: self.wall_offset_ns, length_ns: end - self.start_ns, ended }
    }

    fn close(&mut self, now_ns: u64, how: Ended) -> Result<(), Diagnostic> {
        self.live.close().map_err(|e| e.diagnostic())?;
        self.ended = Some((now_ns, how));
        Ok(())
    }
}

/// A recording, which a thread of its own makes.
struct Taping {
    tape: Tape,
    deadline_ns: Option<u64>,
    ended: bool,
}

impl Taping {
    fn close(&mut self, now_ns: u64, how: Ended) -> Result<(), Diagnostic> {
        self.ended = true;
        self.tape.close(now_ns, how)
    }
}

/// What has a part in a window.
struct Parts {
    queries: Vec<Open>,
    tapes: Vec<Taping>,
}

impl Parts {
    fn are_over(&self) -> bool {
        self.queries.iter().all(|one| one.ended.is_some()) && self.tapes.iter().all(|one| one.ended)
    }

    /// Ends what still runs; with `CommandEnded` only what has no end of its own.
    fn close(&mut self, now: u64, how: Ended) -> Result<(), Diagnostic> {
        let all = how != Ended::CommandEnded;
        for one in self.queries.iter_mut().filter(|one| one.ended.is_none() && (all || one.deadline_ns.is_none())) {
            one.close(now, how)?;
        }
        for one in self.tapes.iter_mut().filter(|one| !one.ended && (all || one.deadline_ns.is_none())) {
            one.close(now, how)?;
        }
        Ok(())
    }

    fn last_deadline_ns(&self) -> Option<u64> {
        let of_queries = self.queries.iter().filter_map(|one| one.deadline_ns);
        of_queries.chain(self.tapes.iter().filter_map(|one| one.deadline_ns)).max()
    }
}

/// What came of a window.
pub struct Results {
    pub outcomes: Vec<Outcome>,
    pub recordings: Vec<Result<Recorded, Diagnostic>>,
    /// What the programs of each query did, if that was wanted.
    pub runs: Vec<Ran>,
}

/// Runs the plans and makes the recordings in one window. The command, if any, is started when all probes are attached, and
/// waited for. Programs that `pool` has are attached again; without one everything is loaded, and counts from its birth on.
pub fn run(
    plans: &[&Plan],
    records: &[Record],
    mut command: Option<&mut Command>,
    events: &Events,
    mut pool: Option<&mut Pool>,
    watcher: &mut dyn Watcher,
) -> Result<Results, Diagnostic> {
    let processes = Processes { own: std::process::id(), child: command.as_ref().map(|c| c.pid()) };
    let mut parts = Parts { queries: Vec::with_capacity(plans.len()), tapes: Vec::with_capacity(records.len()) };
    for record in records {
        parts.tapes.push(Taping { tape: Tape::attach(record, processes)?, deadline_ns: None, ended: false });
    }
    for (index, plan) in plans.iter().enumerate() {
        let live = match pool.as_deref_mut() {
            Some(pool) => Live::attach_again(&plan.scan, processes, None, pool),
            None => Live::attach(&plan.scan, processes),
        };
        let live = live.map_err(|e| e.diagnostic())?;
        parts.queries.push(Open {
            live,
            start_ns: 0,
            deadline_ns: None,
            every_ns: plan.scan.every_ns,
            first: plan.rest.first.filter(|_| plan.rest.filter.is_none() && plan.rest.sort.is_empty()),
            rows_due_ns: (streams_rows(plan) && watcher.wants_rows(index)).then_some(0),
            part_due_ns: None,
            wall_offset_ns: 0,
            ended: None,
        });
    }
    if !records.is_empty() && events.stop_comes_early() {
        let title = "interrupted before the window opened: nothing was recorded";
        return Err(Diagnostic::new("interrupted", Exit::Interrupted, title));
    }
    let start = monotonic_ns();
    let wall_offset_ns = realtime_ns() - start as i64;
    let deadline = |window: Option<u64>| window.map(|window| start.saturating_add(window));
    for (one, record) in parts.tapes.iter_mut().zip(records) {
        one.deadline_ns = deadline(record.window_ns);
        one.tape.open(start, wall_offset_ns)?;
    }
    for (index, (one, plan)) in parts.queries.iter_mut().zip(plans).enumerate() {
        let part = plan.window_ns.map_or(PART_NS, |window| (window / PARTS).clamp(LEAST_PART_NS, PART_NS));
        one.part_due_ns = (one.live.has_parts() && watcher.wants_parts(index)).then_some((start + part, part));
        one.start_ns = start;
        one.wall_offset_ns = wall_offset_ns;
        one.deadline_ns = deadline(plan.window_ns);
        one.live.open(start).map_err(|e| e.diagnostic())?;
    }
    watcher.opened();
    if let Some(command) = &mut command {
        command.go()?;
    }
    wait(&mut parts, command, events, watcher, start)?;
    watcher.closed();
    let ran = parts.queries.iter().filter(|_| watcher.wants_runs());
    let runs = ran.map(|one| one.live.ran()).collect();
    let mut outcomes = Vec::with_capacity(parts.queries.len());
    for one in parts.queries {
        let window = one.window(start);
        let read = match pool.as_deref_mut() {
            Some(pool) => one.live.finish_into(pool),
            None => one.live.finish(),
        };
        let (table, account, notes) = read.map_err(|e| e.diagnostic())?;
        outcomes.push(Outcome { table, account, window, notes });
    }
    let recordings = parts.tapes.into_iter().map(|one| one.tape.finish()).collect();
    Ok(Results { outcomes, recordings, runs })
}

fn wait(
    parts: &mut Parts,
    mut command: Option<&mut Command>,
    events: &Events,
    watcher: &mut dyn Watcher,
    start: u64,
) -> Result<(), Diagnostic> {
    let mut running = command.is_some();
    let mut stopped = false;
    loop {
        let now = monotonic_ns();
        for one in parts.tapes.iter_mut().filter(|one| !one.ended) {
            if one.tape.has_failed() {
                one.ended = true;
            } else if one.deadline_ns.is_some_and(|deadline| now >= deadline) {
                one.close(now, Ended::Elapsed)?;
            }
        }
        for (index, one) in parts.queries.iter_mut().enumerate().filter(|(_, one)| one.ended.is_none()) {
            look(index, one, now, watcher)?;
        }
        if parts.are_over() && (stopped || !running) {
            return Ok(());
        }
        if watcher.wants_progress() {
            watcher.progress(now - start, parts.last_deadline_ns().map(|deadline| deadline - start));
        }
        let event = match sleep_ns(parts, now, watcher.wants_progress()) {
            Some(ns) => events.wait_for(Duration::from_nanos(ns)),
            None => events.wait(),
        };
        match event {
            Ok(Event::Stop(signal)) => {
                if let Some(command) = command.as_deref_mut().filter(|_| running) {
                    command.forward(signal);
                }
                parts.close(monotonic_ns(), Ended::Interrupted)?;
                stopped = true;
            }
            Ok(Event::Child) => {
                if let Some(command) = command.as_deref_mut() {
                    running = !command.has_ended();
                }
                if !running {
                    parts.close(monotonic_ns(), Ended::CommandEnded)?;
                }
            }
            Err(_) => {}
        }
    }
}

/// Takes what is due of a query, and ends it when it is over.
fn look(index: usize, one: &mut Open, now: u64, watcher: &mut dyn Watcher) -> Result<(), Diagnostic> {
    if one.live.has_ring() {
        one.live.poll().map_err(|e| e.diagnostic())?;
    }
    if let Some(table) = one.live.take_intervals(now.saturating_sub(INTERVAL_LAG_NS)).map_err(|e| e.diagnostic())? {
        let window = one.window(now);
        watcher.batch(index, table, &window)?;
    }
    if one.first.is_some_and(|first| one.live.rows_read() >= first) {
        one.close(now, Ended::Complete)?;
    } else if one.deadline_ns.is_some_and(|deadline| now >= deadline) {
        one.close(now, Ended::Elapsed)?;
    } else if let Some((due, length)) = one.part_due_ns.filter(|(due, _)| now >= *due) {
        let doubled = one.live.end_part().map_err(|e| e.diagnostic())?;
        let length = if doubled { 2 * length } else { length };
        one.part_due_ns = one.live.has_parts().then_some((due.max(now.saturating_sub(length)) + length, length));
    } else if one.rows_due_ns.is_some_and(|due| now >= due) {
        // Few at a time: while rows are written, nobody empties the ring and nobody looks at the clock.
        let taken = one.live.take_rows(ROWS_AT_ONCE);
        if taken.as_ref().is_none_or(|table| table.height < ROWS_AT_ONCE) {
            one.rows_due_ns = Some(now + ROWS_PERIOD_NS);
        }
        if let Some(table) = taken {
            let window = one.window(now);
            watcher.batch(index, table, &window)?;
        }
    }
    Ok(())
}

/// Until something is due; `None` when only an event can end the wait.
fn sleep_ns(parts: &Parts, now: u64, progress: bool) -> Option<u64> {
    let mut due: Option<u64> = progress.then(|| now + PROGRESS_PERIOD_NS);
    let mut by = |at: u64| due = Some(due.map_or(at, |d| d.min(at)));
    for one in parts.tapes.iter().filter(|one| !one.ended) {
        by(one.deadline_ns.map_or(u64::MAX, |deadline| deadline).min(now + TAPE_PERIOD_NS));
    }
    for one in parts.queries.iter().filter(|one| one.ended.is_none()) {
        if let Some(deadline) = one.deadline_ns {
            by(deadline);
        }
        if one.live.has_ring() {
            by(now + RING_PERIOD_NS);
        }
        if let Some(rows_due) = one.rows_due_ns {
            by(rows_due);
        }
        if let Some((part_due, _)) = one.part_due_ns {
            by(part_due);
        }
        if let Some(every) = one.every_ns {
            let gone = (now.saturating_sub(INTERVAL_LAG_NS).saturating_sub(one.start_ns)) / every;
            by(one.start_ns + (gone + 1) * every + INTERVAL_LAG_NS);
        }
    }
    due.map(|at| at.saturating_sub(now))
}
