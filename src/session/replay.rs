//! Asking a recording: open, read what the question needs, pair, and the frame.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::memfd::{MFdFlags, memfd_create};

use super::results::{Passed, build, joined, streams_rows};
use super::{Audience, Event, Planned, Session, Stop, Summary, around, recording, results};
use crate::catalog::event::Batch;
use crate::diagnostic::{Diagnostic, Exit};
use crate::name;
use crate::plan::{AroundTime, Plan, Scan};
use crate::source::trace::batches::Next;
use crate::source::trace::read::Recording;
use crate::source::trace::wanted::Wanted;
use crate::source::trace::{Error, Playback, Recorded};
use crate::source::{Ended, Outcome, Table, Window};

/// The name under which the built-in recording is asked.
pub const SAMPLE: &str = "@sample";
static SAMPLE_BYTES: &[u8] = include_bytes!("../../recordings/sample.parquet");

/// Reading that takes longer is shown.
const PATIENCE: Duration = Duration::from_millis(300);
/// So many parts of a recording are kept by themselves, if its slices are as short.
const PARTS: u64 = 20;
const PROGRESS: Duration = Duration::from_millis(100);
/// So many rows are handed on at once.
const ROWS_AT_ONCE: usize = 4096;

/// Takes what is complete while a recording is read.
trait Taker {
    /// Whether what is asked is to be kept in parts too.
    fn wants_parts(&self) -> bool {
        false
    }

    fn progress(&mut self, done: u64, total: u64);
    fn table(&mut self, table: Table, window: &Window) -> Result<(), Stop>;
}

impl Session {
    /// Answers a query with a `from`.
    pub(super) fn replay(
        &mut self,
        planned: &Planned,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let plan = &planned.plan;
        let file = plan.from.as_deref().unwrap_or_default();
        let recording = open(file)?;
        let range = self.range(plan, &recording)?;
        let label = results::label(planned, self.results + 1);
        let mut passed = Passed::new(planned, label, self.keeps_last);
        let scan = Scan { range, ..plan.scan.clone() };
        let parts = planned.may_be_compared(audience);
        let mut reader = Reader { audience: &mut *audience, passed: &mut passed, parts };
        let outcome = self.answer(plan, &scan, &recording, &mut reader)?;
        self.go_on()?;
        let host = &recording.meta().host;
        summary.lost |= outcome.account.lost() > 0;
        summary.interrupted |= outcome.window.ended == Ended::Interrupted;
        let last = build(plan, &outcome, host)?;
        let (mut frames, let_go) = (passed.frames, passed.let_go);
        frames.push(last.clone());
        let mut whole = joined(frames)?.unwrap_or_else(|| last.clone());
        if whole.meta.rows_matched == 0 {
            whole.meta.notes.push(results::nothing(plan, &outcome, "the recording"));
        }
        let streamed = plan.scan.every_ns.is_some() || streams_rows(plan);
        self.hand_out(0, planned, (whole, let_go), streamed.then_some(last), audience)?;
        self.results += 1;
        Ok(())
    }

    /// What part of the recording is asked: all of it, or around a time.
    fn range(&self, plan: &Plan, recording: &Recording) -> Result<Option<(u64, u64)>, Stop> {
        let Some(around) = &plan.around else { return Ok(None) };
        let worst = match &around.time {
            AroundTime::Worst(query) => self.worst(query, recording)?,
            _ => None,
        };
        Ok(Some(around::range(around, recording.meta(), &self.frames, worst)?))
    }

    /// When the row with the greatest measure ended; `None` without rows.
    fn worst(&self, query: &Plan, outer: &Recording) -> Result<Option<u64>, Stop> {
        let own = query.from.as_deref().map(open).transpose()?;
        let recording = own.as_ref().unwrap_or(outer);
        let scan = Scan { range: self.range(query, recording)?, ..query.scan.clone() };
        let outcome = self.answer(query, &scan, recording, &mut Quiet)?;
        let frame = build(query, &outcome, &[])?;
        let column = frame.times().next().map(str::to_owned);
        let epoch = column.and_then(|column| frame.first_time(&column));
        Ok(epoch.and_then(|epoch| u64::try_from(i128::from(epoch) - i128::from(recording.meta().wall_offset_ns)).ok()))
    }

    fn answer(&self, plan: &Plan, scan: &Scan, recording: &Recording, taker: &mut dyn Taker) -> Result<Outcome, Stop> {
        let meta = recording.meta();
        if let (Some(filter), [set, ..]) = (&meta.filter, meta.sets.as_slice()) {
            recording::must_cover(plan, &recording::filter_clauses(set, filter)?)?;
        }
        let recorded = Recorded {
            start_ns: meta.start_ns,
            range: scan.range,
            cgroup_mount: meta.cgroup_mount.clone(),
            gaps: if meta.lost() > 0 || !meta.complete {
                recording.gaps().map_err(|e| e.diagnostic())?
            } else {
                Vec::new()
            },
        };
        let mut playback = Playback::new(scan, &recorded).map_err(|Error::NoReplay { family }| {
            Diagnostic::new("no-replay", Exit::NotPossible, format!("{family} cannot be had from recorded events"))
                .help("ask the running system, without from")
        })?;
        let wanted = Wanted::of(&playback.needs());
        let (from, to) = scan.range.unwrap_or((0, u64::MAX));
        let start_ns = from.max(meta.start_ns);
        let mut window = Window {
            start_ns,
            wall_offset_ns: meta.wall_offset_ns,
            length_ns: to.min(meta.end_ns).saturating_sub(start_ns),
            ended: Ended::Elapsed,
        };
        let mut notes = notes(plan, recording);
        let by_rows = streams_rows(plan);
        // What happened before the part that is asked tells what was open when it began.
        let mut batches = recording.batches(&wanted, scan.range.map(|(_, to)| (0, to)));
        let mut part = window.length_ns / PARTS;
        let mut part_due = (taker.wants_parts() && playback.has_parts() && part > 0).then(|| start_ns + part);
        let (mut batch, mut told) = (Batch::default(), Instant::now() + PATIENCE - PROGRESS);
        while !scan.is_empty() {
            let last = match batches.next_columns(&mut batch).map_err(|e| e.diagnostic())? {
                Next::End => break,
                Next::Rows => playback.feed(&batch),
                Next::Columns(columns) => playback.feed_columns(columns, &batch),
            };
            let last = last.is_break();
            if by_rows {
                while let Some(table) = playback.take_rows(ROWS_AT_ONCE) {
                    taker.table(table, &window)?;
                }
            } else if let Some(table) = playback.take_intervals() {
                taker.table(table, &window)?;
            }
            if last {
                break;
            }
            if let (Some(due), Some(event)) = (part_due, batch.events.last())
                && event.at >= due
            {
                part <<= u32::from(playback.end_part());
                part_due = playback.has_parts().then(|| event.at + part);
            }
            if told.elapsed() >= PROGRESS {
                told = Instant::now();
                taker.progress(batches.done(), batches.total());
            }
            if let Ok(Event::Stop(_)) = self.events.wait_for(Duration::ZERO) {
                window.length_ns = batches.latest().min(to).saturating_sub(start_ns);
                window.ended = Ended::Interrupted;
                notes.push("interrupted: what the recording holds after that was not read".into());
                break;
            }
        }
        let answer = playback.finish();
        if let Some(at) = answer.complete_at {
            window.length_ns = at.saturating_sub(start_ns);
            window.ended = Ended::Complete;
        }
        for path in answer.unknown_cgroups {
            notes.push(format!("no task of the recording was in the cgroup {}", name::escape(path.as_bytes())));
        }
        Ok(Outcome { table: answer.table, account: answer.account, window, notes })
    }
}

/// Hands on what is complete.
struct Reader<'a, 'p> {
    audience: &'a mut dyn Audience,
    passed: &'a mut Passed<'p>,
    parts: bool,
}

impl Taker for Reader<'_, '_> {
    fn wants_parts(&self) -> bool {
        self.parts
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.audience.wants_progress() {
            self.audience.reading(done, total);
        }
    }

    fn table(&mut self, table: Table, window: &Window) -> Result<(), Stop> {
        self.passed.on(table, window, self.audience)
    }
}

/// For a question inside of another one.
struct Quiet;

impl Taker for Quiet {
    fn progress(&mut self, _: u64, _: u64) {}

    fn table(&mut self, _: Table, _: &Window) -> Result<(), Stop> {
        Ok(())
    }
}

/// Opens what a query names: a file, the folder of an unfinished recording, or the recording that comes with the program.
pub fn open(name: &str) -> Result<Recording, Diagnostic> {
    if name != SAMPLE {
        return Recording::open(Path::new(name)).map_err(|e| e.diagnostic());
    }
    let failed = |e: std::io::Error| {
        Diagnostic::new("sample", Exit::Failed, format!("the built-in recording cannot be unpacked: {e}"))
    };
    // A file of memory: there may be no disk that can be written.
    let memory = memfd_create("schedq-sample", MFdFlags::MFD_CLOEXEC).map_err(|e| failed(e.into()))?;
    let mut file = File::from(memory);
    file.write_all(SAMPLE_BYTES).map_err(failed)?;
    // It is held open from here on; this name of it is good as long as `file`.
    Recording::open(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd()))).map_err(|e| e.diagnostic())
}

/// What a person must know of the recording to read the answer.
fn notes(plan: &Plan, recording: &Recording) -> Vec<String> {
    let meta = recording.meta();
    let mut notes = Vec::new();
    if plan.from.as_deref() == Some(SAMPLE) {
        let host = meta.fact("kernel").map_or_else(String::new, |kernel| format!(" on Linux {kernel}"));
        notes.push(format!(
            "this is the recording that comes with schedq, made in {}{host}: it says nothing about this machine",
            around::month(meta)
        ));
    }
    if recording.is_under_way() {
        notes.push("the recording is still being made: this is what was on disk of it".into());
    } else if !meta.complete {
        notes.push("the recording was not finished: what was lost at its end is not known".into());
    }
    if let Some(part) = recording.left_out() {
        let part = name::escape(part.as_os_str().as_encoded_bytes());
        notes.push(format!("its last part was not written to the end and is left out: {part}"));
    }
    notes
}
