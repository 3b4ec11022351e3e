//! Where the rooms meet: text → AST → plan → scan → table → frame → whoever asked.

#[cfg(feature = "live")]
mod analyze;
mod around;
#[cfg(feature = "live")]
mod ask;
mod asserted;
pub mod classes;
pub mod command;
mod compared;
pub mod complete;
pub mod described;
mod environment;
mod events;
mod help;
pub mod manual;
mod named;
pub mod prompt;
mod queried;
mod recording;
pub mod replay;
mod results;
pub mod saved;
mod steps;
#[cfg(feature = "live")]
mod tape;
pub mod texts;
mod verify;
#[cfg(feature = "live")]
mod verifying;
#[cfg(feature = "live")]
mod window;
#[cfg(feature = "live")]
mod zero;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;

use crate::diagnostic::{Diagnostic, Exit, Source};
pub use crate::frame::Frame;
use crate::lang::ast::Statement;
use crate::output::ndjson::Label;
use crate::plan::Params;
pub use crate::plan::Plan;
#[cfg(not(feature = "live"))]
use crate::plan::Record;

pub use events::{Event, Events, Pressed, Teller, Told, ends_the_program, events, is_ignored};
pub use recording::{Recorded, filter_clauses, must_cover};
pub use steps::{Planned, Step};

/// What holds for every query of a session.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The most memory that the maps of one query may take, bytes.
    pub map_bytes: u64,
    /// Room for so many groups in the kernel, if the user says so.
    pub groups: Option<u64>,
    /// Results are wanted as CSV, which some shapes of result do not fit.
    pub csv: bool,
    /// They go to a file that holds one result only.
    pub one_result: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { map_bytes: 256 << 20, groups: None, csv: false, one_result: false }
    }
}

/// Who asked.
pub trait Audience {
    /// Whether [`Audience::progress`] is wanted: waking up for it costs the machine a little.
    fn wants_progress(&self) -> bool;
    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>);
    /// A recording is being read: so many of its rows.
    fn reading(&mut self, done: u64, total: u64);
    /// Whether results are put together at the end; if not, what [`Audience::batch`] has had is not kept.
    fn keeps(&self) -> bool;
    /// Intervals that ended, or rows as they came, while the window is still open.
    fn batch(&mut self, label: Label<'_>, plan: &Plan, frame: &Frame) -> io::Result<()>;
    /// A whole result. `shown` is false for one that only gets a name; `batches` tells that its intervals were handed
    /// out before, all but those of the frame `last`.
    fn result(&mut self, result: &Finished<'_>) -> io::Result<()>;
    /// A recording was made.
    fn recorded(&mut self, recorded: &Recorded) -> io::Result<()>;
    /// A result that no window gave, but other results.
    fn derived(&mut self, label: Label<'_>, frame: &Frame) -> io::Result<()>;
    /// Two results compared.
    fn compared(&mut self, label: Label<'_>, comparison: &Compared<'_>) -> io::Result<()>;
    /// One of the frames of `env`; people are shown only the short ones.
    fn environment(&mut self, name: &str, frame: &Frame, short: bool) -> io::Result<()>;
    /// `show NAME [as STYLE]`
    fn show(&mut self, name: &str, frame: &Frame, style: Option<&str>) -> io::Result<()>;
    /// Plain text, such as a plan explained.
    fn text(&mut self, text: &str) -> io::Result<()>;
    fn problem(&mut self, problem: &Diagnostic);
}

/// One query's result, ready to be shown.
pub struct Finished<'a> {
    pub label: Label<'a>,
    pub plan: &'a Plan,
    pub frame: &'a Frame,
    /// With `every`, and for rows: what was not yet handed out by [`Audience::batch`].
    pub last: Option<&'a Frame>,
    pub shown: bool,
}

/// A comparison, ready to be shown.
pub struct Compared<'a> {
    pub frame: &'a Frame,
    /// So many of its first rows say something.
    pub told: usize,
    /// What people are told before the rows, and behind them.
    pub before: &'a [String],
    pub after: &'a [String],
}

/// How a run went, for the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Some result lacks something.
    pub lost: bool,
    /// A signal ended a window: no further one is opened.
    pub interrupted: bool,
    /// Ended by a signal with not one row in any result.
    pub interrupted_empty: bool,
    /// Queries that a signal kept from running.
    pub not_run: usize,
    /// The status of the command after `--`.
    pub command: Option<u8>,
    /// The status of the first problem.
    pub problem: Option<Exit>,
}

/// Says that a signal kept queries from running, which has a status of its own.
fn tell_not_run(summary: &mut Summary, audience: &mut dyn Audience) {
    if summary.not_run > 0 {
        let queries = if summary.not_run == 1 { "one query was" } else { &format!("{} queries were", summary.not_run) };
        audience.problem(&Diagnostic::new("interrupted", Exit::Interrupted, format!("interrupted: {queries} not run")));
        summary.problem = summary.problem.or(Some(Exit::Interrupted));
    }
}

/// Parameters, named frames, and the way to the signals.
pub struct Session {
    pub settings: Settings,
    params: Params,
    frames: BTreeMap<String, Frame>,
    events: Events,
    /// Results so far: numbers those without a name.
    results: usize,
    /// The last result is kept as [`prompt::LAST`].
    keeps_last: bool,
    /// Programs that wait to be asked again.
    #[cfg(feature = "live")]
    pool: crate::source::live::Pool,
}

/// Why a run stopped.
enum Stop {
    Problem(Box<Diagnostic>),
    /// The one who asked does not take any more (a closed pipe).
    Output(io::Error),
}

impl From<Diagnostic> for Stop {
    fn from(problem: Diagnostic) -> Self {
        Stop::Problem(Box::new(problem))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

impl Session {
    pub fn new(settings: Settings, events: Events) -> Self {
        Self {
            settings,
            params: Params::new(),
            frames: BTreeMap::new(),
            events,
            results: 0,
            keeps_last: false,
            #[cfg(feature = "live")]
            pool: crate::source::live::Pool::new(settings.map_bytes),
        }
    }

    /// Sets parameters from outside, as text that is typed where it is used; they win over a script's own defaults.
    pub fn bind(&mut self, name: &str, value: &str) {
        self.params.insert(name.to_owned(), texts::value(value));
    }

    /// Checks all statements first, then runs them: a script with a mistake anywhere runs nothing.
    ///
    /// # Errors
    /// Only of output. What is wrong with statements is told to the audience.
    pub fn run(
        &mut self,
        source: &Source,
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
    ) -> io::Result<Summary> {
        let steps = match self.check(source, command.is_some()) {
            Ok(steps) => steps,
            Err(problems) => {
                problems.iter().for_each(|p| audience.problem(p));
                return Ok(Summary { problem: problems.first().map(|p| p.exit), ..Summary::default() });
            }
        };
        if let Some(problem) = command.and_then(|_| steps::windows_with_command(&steps)) {
            audience.problem(&problem);
            return Ok(Summary { problem: Some(problem.exit), ..Summary::default() });
        }
        let mut summary = Summary::default();
        let steps = if command.is_some() { steps::together(steps) } else { steps };
        self.run_steps(&steps, command, audience, &mut summary)?;
        tell_not_run(&mut summary, audience);
        Ok(summary)
    }

    /// The plan of every query of a source, in words.
    pub fn explain(&self, source: &Source) -> Result<Vec<String>, Vec<Diagnostic>> {
        let steps = self.check(source, true)?;
        let pages = steps.into_iter().flat_map(|step| match step {
            Step::Explain(text) => vec![text],
            Step::Run { queries, records } => {
                let queries = queries.iter().map(|query| steps::explained(&query.plan));
                queries.chain(records.iter().map(steps::explained_record)).collect()
            }
            Step::Replay(query) => vec![steps::explained(&query.plan)],
            Step::Analyze(query) | Step::Verify(query) => vec![steps::explained(&query.plan)],
            _ => Vec::new(),
        });
        Ok(pages.collect())
    }

    /// Runs each statement by itself, as at a prompt: a wrong one is told and the next one runs.
    pub fn run_each(&mut self, source: &Source, audience: &mut dyn Audience) -> io::Result<Summary> {
        let mut summary = Summary::default();
        for part in steps::parts(source) {
            if summary.interrupted
                && !part.as_ref().is_ok_and(|item| self.still_due(&item.statement.node, &mut summary))
            {
                continue;
            }
            match part.and_then(|item| self.check_item(source, &item)) {
                Ok(steps) => self.run_steps(&steps, None, audience, &mut summary)?,
                // The query that would have made it was not run, which is said already.
                Err(problems) if summary.not_run > 0 && problems.iter().all(|p| p.code == "unknown-frame") => {}
                Err(problems) => {
                    problems.iter().for_each(|p| audience.problem(p));
                    summary.problem = summary.problem.or(problems.first().map(|p| p.exit));
                }
            }
        }
        tell_not_run(&mut summary, audience);
        Ok(summary)
    }

    /// Whether a statement is run although a signal has ended a window before it: it uses what there is.
    fn still_due(&self, statement: &Statement, summary: &mut Summary) -> bool {
        match statement {
            Statement::Analyze(_) | Statement::Verify(_) => summary.not_run += 1,
            Statement::Query(_) | Statement::Assign { .. } | Statement::Record(_) => summary.not_run += 1,
            Statement::Block { statements, .. } => summary.not_run += statements.len(),
            Statement::Show { frame, .. } | Statement::Save { frame, .. } => {
                return self.frames.contains_key(&frame.node) || environment::NAMES.contains(&frame.node.as_str());
            }
            // What a script would ask is counted when its statements come.
            Statement::Param { .. }
            | Statement::Explain(_)
            | Statement::Run(_)
            | Statement::Env
            | Statement::Sql { .. }
            | Statement::Assert(_)
            | Statement::Compare(_) => return true,
        }
        false
    }

    fn run_steps(
        &mut self,
        steps: &[Step],
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> io::Result<()> {
        for step in steps {
            match self.step(step, command, audience, summary) {
                Ok(()) => {}
                Err(Stop::Output(error)) => return Err(error),
                Err(Stop::Problem(problem)) => {
                    audience.problem(&problem);
                    summary.problem = summary.problem.or(Some(problem.exit));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        step: &Step,
        command: Option<&[OsString]>,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        match step {
            // Who stops a script does not want its next window.
            Step::Run { queries, records } if summary.interrupted => {
                summary.not_run += queries.len() + records.len();
                Ok(())
            }
            Step::Replay(_) | Step::Analyze(_) | Step::Verify(_) if summary.interrupted => {
                summary.not_run += 1;
                Ok(())
            }
            step if summary.not_run > 0 && step.uses().iter().any(|name| self.named(name).is_err()) => Ok(()),
            Step::Run { queries, records } => self.ask(queries, records, command, audience, summary),
            Step::Replay(query) => self.replay(query, audience, summary),
            Step::Verify(query) => self.verify(query, command, audience, summary),
            Step::Analyze(query) => self.analyze(query, command, audience, summary),
            Step::Explain(text) => Ok(audience.text(text)?),
            Step::Param { name, value } => {
                self.params.entry(name.clone()).or_insert_with(|| value.clone());
                Ok(())
            }
            Step::Show { frame, style } => {
                let found = self.named(frame)?;
                Ok(audience.show(frame, &found, style.as_deref())?)
            }
            Step::Save { frame, file } => {
                let found = self.named(frame)?;
                Ok(file.write_all(&[(Label::Name(frame), &found)])?)
            }
            Step::Sql { name, sql, .. } => self.sql(name.as_deref(), sql, audience, summary),
            Step::Assert(claimed) => self.assert(claimed, audience, summary),
            Step::Compare(both) => self.compare(both, audience, summary),
            Step::Environment => self.environment(audience),
        }
    }

    #[cfg(not(feature = "live"))]
    fn ask(
        &mut self,
        queries: &[Planned],
        records: &[Record],
        _: Option<&[OsString]>,
        _: &mut dyn Audience,
        _: &mut Summary,
    ) -> Result<(), Stop> {
        let texts = queries.iter().map(|q| &q.plan.text).chain(records.iter().map(|r| &r.text));
        Err(no_live_source(texts.map(String::as_str).next().unwrap_or("the query")).into())
    }

    #[cfg(not(feature = "live"))]
    fn verify(
        &mut self,
        planned: &Planned,
        _: Option<&[OsString]>,
        _: &mut dyn Audience,
        _: &mut Summary,
    ) -> Result<(), Stop> {
        Err(no_live_source(&planned.plan.text).into())
    }

    #[cfg(not(feature = "live"))]
    fn analyze(
        &mut self,
        planned: &Planned,
        _: Option<&[OsString]>,
        _: &mut dyn Audience,
        _: &mut Summary,
    ) -> Result<(), Stop> {
        Err(no_live_source(&planned.plan.text).into())
    }
}

#[cfg(not(feature = "live"))]
fn no_live_source(what: &str) -> Diagnostic {
    Diagnostic::new("no-live-source", Exit::NotPossible, format!("this build cannot run {what}"))
        .help("it was built without the feature `live`; it can ask recordings (from 'FILE' …), check, explain and fmt")
}
