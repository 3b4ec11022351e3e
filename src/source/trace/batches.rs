//! A recording's events, batch by batch: which row groups can matter, and what of them.

use std::collections::HashMap;

use super::chunk::Unpack;
use super::error::Error;
use super::page::{Open, Page};
use super::read::Recording;
use super::schema::{IDENTITIES, LOSSES};
use super::wanted::Wanted;
use crate::catalog::event::columns::Place;
use crate::catalog::event::{Batch, Columns};

/// Rows that are handed out at once: few enough to stay in the processor's cache.
const SLICE: usize = 1 << 14;

/// What comes next.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is handed over once a page")]
pub enum Next<'a> {
    End,
    /// All of it is in the batch.
    Rows,
    /// The events are in these columns, whose other rows are in the batch.
    Columns(Columns<'a>),
}

/// The recording's events, batch by batch.
pub struct Batches<'a> {
    recording: &'a Recording,
    wanted: Wanted,
    range: Option<(u64, u64)>,
    /// The next group.
    group: usize,
    open: Option<Open>,
    page: Page,
    unpack: Unpack,
    /// Paths as they were last told.
    cgroups: HashMap<u64, String>,
    done: u64,
    /// The latest time of all pages that were taken.
    latest: u64,
    failed: bool,
}

impl<'a> Batches<'a> {
    pub(super) fn new(recording: &'a Recording, wanted: Wanted, range: Option<(u64, u64)>) -> Batches<'a> {
        Batches {
            recording,
            wanted: Wanted { at: wanted.at || !recording.meta().in_order(), ..wanted },
            range,
            group: 0,
            open: None,
            page: Page::default(),
            unpack: Unpack::new(),
            cgroups: HashMap::new(),
            done: 0,
            latest: 0,
            failed: false,
        }
    }

    /// Rows that were read or left out.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The latest time of what was handed out; CLOCK_MONOTONIC ns.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    /// Rows of the whole recording.
    pub fn total(&self) -> u64 {
        self.recording.meta().rows()
    }

    /// Fills `batch` with what comes next; `false` at the end, and after an error.
    pub fn advance(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.clear();
        if self.failed {
            return Ok(false);
        }
        let result = self.fill(batch);
        self.failed = result.is_err();
        result
    }

    /// The same, with the events in columns where they are in order. [`Wanted::at`] may be left out here only.
    pub fn next_columns(&mut self, batch: &mut Batch) -> Result<Next<'_>, Error> {
        batch.clear();
        if self.failed {
            return Ok(Next::End);
        }
        let result = self.whole_page(batch);
        self.failed = result.is_err();
        Ok(match result? {
            None => Next::End,
            Some(None) => Next::Rows,
            Some(Some(place)) => Next::Columns(Columns { place, ..self.page.columns() }),
        })
    }

    /// Takes what is left of a page; its place if the events stay in their columns.
    fn whole_page(&mut self, batch: &mut Batch) -> Result<Option<Option<Place>>, Error> {
        if !self.find_page()? {
            return Ok(None);
        }
        if self.open.as_ref().is_some_and(|open| open.wanted.kinds != 0) && self.page.follows(self.latest) {
            let place = self.page.columns().place;
            self.page.taken();
            self.took(place.row, self.page.rows(), batch)?;
            return Ok(Some(Some(place)));
        }
        Ok(self.fill(batch)?.then_some(None))
    }

    /// `false` at the end.
    fn find_page(&mut self) -> Result<bool, Error> {
        while self.page.row() == self.page.rows() {
            if !self.next_page()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        while self.find_page()? {
            let Some(open) = &self.open else { return Ok(false) };
            let from = self.page.row();
            let end = self.page.rows().min(from + SLICE);
            self.page.assemble(end, open.wanted.kinds, &mut batch.events);
            self.took(from, end, batch)?;
            if !batch.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Of rows whose events were taken, what else they tell.
    fn took(&mut self, from: usize, end: usize, batch: &mut Batch) -> Result<(), Error> {
        let Some(open) = &mut self.open else { return Ok(()) };
        self.done += (end - from) as u64;
        if end == self.page.rows() {
            self.latest = self.latest.max(self.page.latest());
        }
        let whole = self.page.take_rare(end, open, &mut self.cgroups, batch);
        whole.map_err(|column| self.recording.damaged(open.number, column))
    }

    /// Opens groups until there is a page; `false` at the end.
    fn next_page(&mut self) -> Result<bool, Error> {
        loop {
            if let Some(open) = &mut self.open {
                if open.at < open.rows {
                    self.page.start = open.at;
                    let read = self.page.read(open, &mut self.unpack);
                    read.map_err(|column| self.recording.damaged(open.number, column))?;
                    return Ok(true);
                }
                self.open = None;
            }
            let groups = self.recording.groups();
            let (from, to) = self.range.unwrap_or((0, u64::MAX));
            let Some(group) = groups.get(self.group).filter(|group| group.first_ns <= to) else {
                self.done = self.total();
                return Ok(false);
            };
            let number = self.group;
            self.group += 1;
            let mut wanted = self.wanted;
            if group.last_ns < from {
                wanted.kinds = 0;
            }
            let mut needed = wanted.kinds & !IDENTITIES | LOSSES;
            if wanted.identities {
                needed |= IDENTITIES;
            }
            if group.count_of(needed) == 0 {
                self.done += group.rows;
                continue;
            }
            self.open = Some(Open::new(self.recording, number, wanted, &mut self.unpack)?);
        }
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Result<Batch, Error>> {
        let mut batch = Batch::default();
        self.advance(&mut batch).map(|more| more.then_some(batch)).transpose()
    }
}
