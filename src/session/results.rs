//! From what a source gave to a frame, and on to whoever asked.

use super::prompt::LAST;
use super::{Audience, Finished, Planned, Session, Stop};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::{self, Frame};
use crate::output::ndjson::Label;
use crate::plan::Plan;
use crate::source::{Account, Outcome, Table, Window};

/// What of a result was handed on before its end: the intervals that were over, or rows as they came.
pub(super) struct Passed<'p> {
    planned: &'p Planned,
    label: Label<'p>,
    /// Kept if somebody will ask for them again; else only what they say of themselves.
    pub frames: Vec<Frame>,
    /// How many rows may still be kept for a result that nobody has named.
    room: usize,
    /// Rows were let go, so that what is left is not the whole.
    pub let_go: bool,
}

/// Rows that are kept of a result in case somebody asks for the last one: a run without end would fill the memory.
const MOST_KEPT: usize = 1_000_000;

impl<'p> Passed<'p> {
    pub fn new(planned: &'p Planned, label: Label<'p>, keeps_last: bool) -> Self {
        let room = if keeps_last { MOST_KEPT } else { 0 };
        Passed { planned, label, frames: Vec::new(), room, let_go: false }
    }

    pub fn on(&mut self, table: Table, window: &Window, audience: &mut dyn Audience) -> Result<(), Stop> {
        let Planned { name, plan, save } = self.planned;
        let outcome = Outcome { table, account: Account::default(), window: window.clone(), notes: Vec::new() };
        let made = build(plan, &outcome, &[])?;
        if name.is_none() {
            audience.batch(self.label, plan, &made)?;
        }
        let needed = name.is_some() || save.is_some() || audience.keeps();
        let fits = !self.let_go && made.data.height() <= self.room;
        if needed || fits {
            self.room = self.room.saturating_sub(made.data.height());
            self.frames.push(made);
        } else {
            // Nobody will ask for its rows again; a run without end would fill the memory with them.
            self.let_go = true;
            self.frames.push(made);
            let all = std::mem::take(&mut self.frames).into_iter().map(Frame::without_rows);
            self.frames = joined(all.collect())?.into_iter().collect();
        }
        Ok(())
    }
}

impl Planned {
    /// Whether its result stays when it has been shown: under a name, or in a file.
    pub(super) fn may_be_compared(&self, audience: &dyn Audience) -> bool {
        self.name.is_some() || self.save.is_some() || audience.keeps()
    }
}

/// Whether rows can be shown as they come: they are not sorted, and the source knows which are the first.
pub(super) fn streams_rows(plan: &Plan) -> bool {
    let counted = plan.rest.first.is_none() || plan.rest.filter.is_none();
    plan.rest.events.is_some() && plan.rest.sort.is_empty() && counted
}

/// Why an outcome has no rows. `place` is where they could have been.
pub(super) fn nothing(plan: &Plan, outcome: &Outcome, place: &str) -> String {
    if plan.scan.is_empty() {
        return "no rows: the filter can hold for no row at all".into();
    }
    let why = match outcome.account.seen {
        0 if plan.scan.clauses.is_empty() => format!("nothing happened in {place} (a row is when {})", plan.family.doc),
        0 => format!("no task that the filter speaks of did it in {place} (a row is when {})", plan.family.doc),
        1 => "one was seen, and the filter did not match it".into(),
        seen => format!("{seen} were seen, and the filter matched none of them"),
    };
    match outcome.account.lost() {
        0 => format!("no rows: {why}"),
        lost => format!("no rows: {why} (lost: {lost})"),
    }
}

impl Session {
    /// A whole result. `last`, where batches of it were handed out before, is what was not yet; `let_go` tells that rows of
    /// the whole were not kept.
    pub(super) fn hand_out(
        &mut self,
        index: usize,
        planned: &Planned,
        (whole, let_go): (Frame, bool),
        last: Option<Frame>,
        audience: &mut dyn Audience,
    ) -> Result<(), Stop> {
        let label = label(planned, self.results + index + 1);
        audience.result(&Finished {
            label,
            plan: &planned.plan,
            frame: &whole,
            last: last.as_ref(),
            shown: planned.name.is_none(),
        })?;
        if let Some(file) = &planned.save {
            file.write_all(&[(label, &whole)])?;
        }
        if self.keeps_last && let_go {
            self.frames.remove(LAST);
        } else if self.keeps_last {
            self.frames.insert(LAST.to_owned(), whole.clone());
        }
        if let Some(name) = &planned.name {
            self.frames.insert(name.clone(), whole);
        }
        Ok(())
    }
}

pub(super) fn label(planned: &Planned, number: usize) -> Label<'_> {
    planned.name.as_deref().map_or(Label::Number(number), Label::Name)
}

pub(super) fn build(plan: &Plan, outcome: &Outcome, host: &[(String, String)]) -> Result<Frame, Diagnostic> {
    frame::build(plan, outcome, host).map_err(|e| frame_problem(&e))
}

pub(super) fn joined(batches: Vec<Frame>) -> Result<Option<Frame>, Diagnostic> {
    frame::concat(batches).map_err(|e| frame_problem(&e))
}

fn frame_problem(error: &frame::FrameError) -> Diagnostic {
    Diagnostic::new("frame", Exit::Failed, format!("the result cannot be made: {error}"))
}
