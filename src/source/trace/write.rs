//! Writing a recording: batches of events go in, and at any time what is on disk can be read.

use std::path::Path;
use std::time::{Duration, Instant};

use super::container;
use super::error::Error;
use super::group::Group;
use super::meta::Meta;
use super::parts::{self, Parts};
use crate::catalog::event::Batch;

/// How much is held and how often it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Rows of a full row group.
    pub group_rows: usize,
    /// After this time what was recorded is on disk.
    pub every: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { group_rows: 1 << 20, every: Duration::from_secs(5) }
    }
}

/// How a recording ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Closing {
    /// When the window closed, CLOCK_MONOTONIC ns.
    pub end_ns: u64,
    /// `elapsed`, `interrupted` or `command_ended`.
    pub ended: &'static str,
    /// Events that happened and are not in the recording, by cause; those of gaps are among them.
    pub losses: Vec<(&'static str, u64)>,
}

/// A recording that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub bytes: u64,
    pub meta: Meta,
}

/// When the first part with events is written, unless all are written sooner.
const FIRST_PART: Duration = Duration::from_millis(500);

pub struct Writer {
    parts: Parts,
    group: Group,
    meta: Meta,
    options: Options,
    /// When the window opened, or all was made ready for it.
    begun: Instant,
    /// When the part of the open group was last written, and with how many rows.
    written: Instant,
    written_rows: usize,
    /// Losses of gaps, for a recording whose end does not tell them.
    gaps: Vec<(&'static str, u64)>,
}

/// Tries whether a recording could be written there, and leaves nothing behind.
pub fn prepare(path: &Path) -> Result<(), Error> {
    parts::prepare(path).map(|_| ())
}

impl Writer {
    /// Makes the folder for the parts, and in it a first one without events. The times of `meta` come with
    /// [`Writer::begin`].
    pub fn create(path: &Path, meta: Meta) -> Result<Writer, Error> {
        Writer::with(path, meta, Options::default())
    }

    pub fn with(path: &Path, meta: Meta, options: Options) -> Result<Writer, Error> {
        let parts = Parts::create(parts::prepare(path)?)?;
        let mut writer = Writer {
            parts,
            group: Group::new(),
            meta,
            options,
            begun: Instant::now(),
            written: Instant::now(),
            written_rows: 0,
            gaps: Vec::new(),
        };
        match writer.put(false) {
            Ok(()) => Ok(writer),
            Err(error) => {
                writer.parts.discard();
                Err(error)
            }
        }
    }

    /// The folder with the parts.
    pub fn folder(&self) -> &Path {
        self.parts.folder()
    }

    /// Takes what a batch holds, in the order of time; of what happened at one time, who tasks are comes first. An empty
    /// batch is a good moment to write what is waiting.
    pub fn write(&mut self, batch: &Batch) -> Result<(), Error> {
        for (id, path) in &batch.cgroups {
            self.group.name_cgroup(*id, path);
        }
        let (mut identities, mut gaps) = (batch.identities.iter().peekable(), batch.gaps.iter().peekable());
        for event in &batch.events {
            while let Some(who) = identities.next_if(|who| who.at <= event.at) {
                while let Some(gap) = gaps.next_if(|gap| gap.to <= who.at) {
                    self.row(|group| group.gap(gap))?;
                }
                self.row(|group| group.identity(who))?;
            }
            while let Some(gap) = gaps.next_if(|gap| gap.to <= event.at) {
                self.row(|group| group.gap(gap))?;
            }
            self.row(|group| group.event(event))?;
        }
        for who in identities {
            while let Some(gap) = gaps.next_if(|gap| gap.to <= who.at) {
                self.row(|group| group.gap(gap))?;
            }
            self.row(|group| group.identity(who))?;
        }
        for gap in gaps {
            self.row(|group| group.gap(gap))?;
        }
        for gap in &batch.gaps {
            match self.gaps.iter_mut().find(|(cause, _)| *cause == gap.cause) {
                Some((_, count)) => *count += gap.count,
                None => self.gaps.push((gap.cause, gap.count)),
            }
        }
        if self.group.rows() > self.written_rows && self.written.elapsed() >= self.pause() {
            self.put(false)?;
        }
        Ok(())
    }

    /// Until what is waiting is put on disk: the first parts soon, so that one can ask them when one has just begun.
    fn pause(&self) -> Duration {
        self.options.every.min(FIRST_PART.max(self.written.duration_since(self.begun)))
    }

    /// The window opens: CLOCK_MONOTONIC ns, and how far the clock on the wall is ahead of it. From now on the parts say so,
    /// however soon the recorder is killed.
    pub fn begin(&mut self, start_ns: u64, wall_offset_ns: i64) -> Result<(), Error> {
        (self.meta.start_ns, self.meta.wall_offset_ns) = (start_ns, wall_offset_ns);
        self.begun = Instant::now();
        self.put(false)
    }

    #[inline]
    fn row(&mut self, take: impl FnOnce(&mut Group) -> Result<(), super::error::Doing>) -> Result<(), Error> {
        take(&mut self.group).map_err(|doing| doing.at(self.parts.target()))?;
        if self.group.rows() >= self.options.group_rows { self.put(true) } else { Ok(()) }
    }

    fn put(&mut self, full: bool) -> Result<(), Error> {
        let rows = self.group.rows();
        let body = if rows == 0 {
            container::body(&[], 0)
        } else {
            self.group.chunks().and_then(|chunks| container::body(&chunks, rows))
        };
        let body = body.map_err(|doing| doing.at(self.parts.target()))?;
        self.parts.put(body, self.group.meta(), &self.meta, full)?;
        self.written = Instant::now();
        self.written_rows = rows;
        if full {
            self.group.next();
            self.written_rows = 0;
        }
        Ok(())
    }

    /// Puts the parts together into the file that was named. When this fails, the parts stay and can be asked.
    pub fn finish(mut self, closing: Closing) -> Result<Written, Error> {
        if self.group.rows() > 0 {
            self.put(true)?;
        }
        let losses = if closing.losses.is_empty() { std::mem::take(&mut self.gaps) } else { closing.losses };
        self.meta.end_ns = closing.end_ns;
        self.meta.ended = Some(closing.ended.to_owned());
        let losses = losses.into_iter().filter(|(_, count)| *count > 0);
        self.meta.losses = losses.map(|(cause, count)| (cause.to_owned(), count)).collect();
        self.meta.complete = true;
        self.meta.groups = self.parts.groups().to_vec();
        let bytes = self.parts.join(&self.meta)?;
        Ok(Written { bytes, meta: self.meta })
    }

    /// Nothing was written to it.
    pub fn is_empty(&self) -> bool {
        self.group.rows() == 0 && self.parts.groups().is_empty()
    }

    /// Leaves nothing behind: the window never opened.
    pub fn discard(self) {
        self.parts.discard();
    }
}
