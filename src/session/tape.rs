//! A recording while its window is open: a thread of its own takes the events from the kernel and writes them, so that no
//! other query of the window waits for a disk.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::recording::Recorded;
use crate::catalog::event::Batch;
use crate::diagnostic::{Diagnostic, Exit};
use crate::host::{cgroup, clock, environment};
use crate::plan::Record;
use crate::source::Ended;
use crate::source::live::{Gate, Processes, RecordOptions, Recorder, Summary};
use crate::source::trace::meta::Meta;
use crate::source::trace::write::{self, Closing, Writer, Written};

/// How often what is complete is written. The recorder holds what comes meanwhile.
const PERIOD: Duration = Duration::from_millis(100);

pub struct Tape {
    path: String,
    state: State,
    shared: Arc<Shared>,
}

enum State {
    /// Attached; the window is not open.
    Ready(Box<Recorder>, Box<Writer>),
    Running {
        gate: Gate,
        thread: JoinHandle<Result<(Written, Summary), Diagnostic>>,
    },
    Gone,
}

#[derive(Default)]
struct Shared {
    end: Mutex<Option<(u64, Ended)>>,
    told: Condvar,
}

impl Shared {
    fn end(&self) -> MutexGuard<'_, Option<(u64, Ended)>> {
        // It is whole at any moment.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    /// Loads and attaches, and makes the place for the parts.
    pub fn attach(record: &Record, processes: Processes) -> Result<Tape, Diagnostic> {
        let path = Path::new(&record.to);
        write::prepare(path).map_err(|e| e.diagnostic())?;
        let recorder =
            Recorder::attach(&record.scan, processes, RecordOptions::default()).map_err(|e| e.diagnostic())?;
        let writer = Writer::create(path, meta(record, processes)).map_err(|e| e.diagnostic())?;
        let state = State::Ready(Box::new(recorder), Box::new(writer));
        Ok(Tape { path: record.to.clone(), state, shared: Arc::default() })
    }

    /// The window begins: CLOCK_MONOTONIC ns, and how far the clock on the wall is ahead of it.
    pub fn open(&mut self, start_ns: u64, wall_offset_ns: i64) -> Result<(), Diagnostic> {
        let State::Ready(mut recorder, writer) = std::mem::replace(&mut self.state, State::Gone) else {
            return Ok(());
        };
        if let Err(error) = recorder.open(start_ns) {
            writer.discard();
            return Err(error.diagnostic());
        }
        let gate = recorder.gate();
        let shared = self.shared.clone();
        let thread = thread::Builder::new()
            .name("schedq-tape".into())
            .spawn(move || run(*recorder, *writer, (start_ns, wall_offset_ns), &shared))
            .map_err(|e| Diagnostic::new("thread", Exit::Failed, format!("no thread could be had to record: {e}")))?;
        self.state = State::Running { gate, thread };
        Ok(())
    }

    /// Whether it ended by itself: the disk is full, say.
    pub fn has_failed(&self) -> bool {
        matches!(&self.state, State::Running { thread, .. } if thread.is_finished())
    }

    /// The window ends.
    pub fn close(&mut self, now_ns: u64, how: Ended) -> Result<(), Diagnostic> {
        let State::Running { gate, .. } = &self.state else { return Ok(()) };
        gate.close().map_err(|e| e.diagnostic())?;
        *self.shared.end() = Some((now_ns, how));
        self.shared.told.notify_all();
        Ok(())
    }

    /// Waits until all is written.
    pub fn finish(mut self) -> Result<Recorded, Diagnostic> {
        let State::Running { thread, .. } = std::mem::replace(&mut self.state, State::Gone) else {
            return Err(Diagnostic::new("recording", Exit::Failed, "the recording was never begun"));
        };
        let ended = thread.join();
        let (written, summary) = ended
            .unwrap_or_else(|_| Err(Diagnostic::new("recording", Exit::Failed, "the thread that records failed")))?;
        Ok(Recorded { path: std::mem::take(&mut self.path), written, notes: summary.notes })
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.state, State::Gone) {
            State::Ready(_, writer) => writer.discard(),
            // Something else went wrong: what was recorded so far is kept.
            State::Running { gate, thread } => {
                let _ = gate.close();
                self.shared.end().get_or_insert((clock::monotonic_ns(), Ended::Interrupted));
                self.shared.told.notify_all();
                let _ = thread.join();
            }
            State::Gone => {}
        }
    }
}

fn run(
    recorder: Recorder,
    mut writer: Writer,
    opened: (u64, i64),
    shared: &Shared,
) -> Result<(Written, Summary), Diagnostic> {
    match take(recorder, &mut writer, opened, shared) {
        Ok((closing, summary)) => Ok((writer.finish(closing).map_err(|e| e.diagnostic())?, summary)),
        Err(problem) => {
            // Parts without an event would only be in the way of the next try.
            if writer.is_empty() {
                writer.discard();
            }
            Err(problem)
        }
    }
}

/// Writes what is complete until the window ends, and then the rest.
fn take(
    mut recorder: Recorder,
    writer: &mut Writer,
    opened: (u64, i64),
    shared: &Shared,
) -> Result<(Closing, Summary), Diagnostic> {
    let (start_ns, wall_offset_ns) = opened;
    writer.begin(start_ns, wall_offset_ns).map_err(|e| e.diagnostic())?;
    let mut batch = Batch::default();
    let (end_ns, how) = loop {
        let end = shared.end();
        let (end, _) =
            shared.told.wait_timeout_while(end, PERIOD, |end| end.is_none()).unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = *end {
            break end;
        }
        drop(end);
        batch.clear();
        recorder.take(&mut batch).map_err(|e| e.diagnostic())?;
        writer.write(&batch).map_err(|e| e.diagnostic())?;
    };
    recorder.close().map_err(|e| e.diagnostic())?;
    batch.clear();
    let summary = recorder.finish(&mut batch).map_err(|e| e.diagnostic())?;
    writer.write(&batch).map_err(|e| e.diagnostic())?;
    let ended = match how {
        Ended::Elapsed | Ended::Complete => "elapsed",
        Ended::Interrupted => "interrupted",
        Ended::CommandEnded => "command_ended",
    };
    Ok((Closing { end_ns, ended, losses: summary.lost.clone() }, summary))
}

fn meta(record: &Record, processes: Processes) -> Meta {
    let all = cgroup::hierarchies();
    let cgroups = cgroup::cpu_hierarchy(&all);
    Meta {
        statement: record.text.clone(),
        sets: vec![record.set.name.to_owned()],
        filter: record.filter.clone(),
        window_ns: record.window_ns,
        cgroup_mount: cgroups.map(|h| h.mount.to_string_lossy().into_owned()),
        cgroup_version: cgroups.map(|h| if h.v1 { 1 } else { 2 }),
        child_tgid: processes.child,
        host: environment::facts(),
        ..Meta::default()
    }
}
