//! Events from the running kernel as they are, for a recording: a ring per CPU, threads that empty them, and one stream in
//! the order of time.
//!
//! Who everyone is at the start comes first, through an iterator. From [`Recorder::open`] to [`Recorder::close`] the programs
//! fill the rings; [`Recorder::take`] hands out what is complete.

mod bytes;
mod cgroups;
mod consumer;
mod merge;
mod rings;

use std::sync::Arc;

use libbpf_rs::{Link, Object};

pub use bytes::{event, gap, identity};

use super::error::Error;
use super::{Facts, Processes, load, paths, read, set_window};
use crate::catalog::event::{Batch, Gap, LOSSES};
use crate::host::clock::monotonic_ns;
use crate::host::{lists, namespace};
use crate::plan::{self, Scan};
use cgroups::Cgroups;
use consumer::Consumer;
use merge::Merge;
use rings::Ring;

/// What a recorder may take of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordOptions {
    /// Of all rings together, shared out over the CPUs that are online; each is the next power of two below its share, and
    /// at least a page.
    pub ring_bytes: u64,
    /// Threads that empty them; `None`: one for eight CPUs, at most eight.
    pub consumers: Option<usize>,
    /// What may wait to be taken. When it is full the rings are not emptied, and what then finds no room in them is counted.
    pub queue_bytes: u64,
}

impl Default for RecordOptions {
    fn default() -> RecordOptions {
        let cpus = lists::online_cpus().map_or(1, |cpus| cpus.len() as u32);
        RecordOptions { ring_bytes: plan::rings::all_bytes(cpus), consumers: None, queue_bytes: 256 << 20 }
    }
}

/// What a recording came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub events: u64,
    pub identities: u64,
    /// By cause, in the order of [`LOSSES`]; zeros are there too.
    pub lost: Vec<(&'static str, u64)>,
    pub notes: Vec<String>,
}

/// A scan whose programs are attached. Dropping it leaves nothing in the kernel.
pub struct Recorder {
    // Links are dropped before the object that they belong to.
    links: Vec<Link>,
    consumers: Vec<Consumer>,
    object: Arc<Object>,
    merge: Merge,
    cgroups: Cgroups,
    notes: Vec<String>,
    start_ns: u64,
    end_ns: u64,
}

/// Ends the window of a recorder that another thread holds.
pub struct Gate {
    object: Arc<Object>,
    start_ns: u64,
}

impl Gate {
    /// Nothing that happens from now on is recorded.
    pub fn close(&self) -> Result<(), Error> {
        set_window(&self.object, self.start_ns, false)
    }
}

impl Recorder {
    /// Loads, attaches, and learns who everyone is. Of a scan only the filter counts. Nothing is recorded until
    /// [`Recorder::open`].
    pub fn attach(scan: &Scan, processes: Processes, options: RecordOptions) -> Result<Recorder, Error> {
        Recorder::attach_as(scan, processes, options, None)
    }

    /// The same, as on a kernel of which these facts hold.
    pub fn attach_as(
        scan: &Scan,
        processes: Processes,
        options: RecordOptions,
        facts: Option<Facts>,
    ) -> Result<Recorder, Error> {
        // Our own threads are recorded as such: a query over the recording leaves them out or not.
        let scan = Scan { own: false, ..scan.clone() };
        let load::Loaded { object, links, machine, mut notes, .. } = load::load(&scan, processes, facts, None)?;
        let rings = rings::make(&object, machine, options.ring_bytes)?;
        let mut merge = Merge::default();
        merge.start(rings::tasks(&object)?);
        if namespace::pid_namespace().is_some() {
            notes.push(
                "tasks outside of the PID namespace that schedq is in are known from their first event on, and all numbers \
                 are those of the whole machine"
                    .into(),
            );
        }
        let object = Arc::new(object);
        let consumers = share(rings, consumers(options.consumers))
            .into_iter()
            .map(|rings| Consumer::start(object.clone(), rings, options.queue_bytes))
            .collect();
        let cgroups = Cgroups::of(paths::hierarchy(&scan));
        Ok(Recorder { links, consumers, object, merge, cgroups, notes, start_ns: 0, end_ns: 0 })
    }

    /// The window begins: CLOCK_MONOTONIC ns, read by the caller just before.
    pub fn open(&mut self, start_ns: u64) -> Result<(), Error> {
        self.start_ns = start_ns;
        set_window(&self.object, start_ns, true)
    }

    /// By which the window can be ended at once, whatever the recorder is doing.
    pub fn gate(&self) -> Gate {
        Gate { object: self.object.clone(), start_ns: self.start_ns }
    }

    /// Appends what is complete: everything before a moment that lies a little behind now. To be called many times a second.
    pub fn take(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let mut until = u64::MAX;
        for consumer in &self.consumers {
            until = until.min(consumer.take(&mut self.merge)?);
        }
        self.deliver(until, batch);
        Ok(())
    }

    /// The window ends, and the programs are detached.
    pub fn close(&mut self) -> Result<(), Error> {
        set_window(&self.object, self.start_ns, false)?;
        self.end_ns = monotonic_ns();
        self.links.clear();
        self.consumers.iter_mut().try_for_each(Consumer::stop)
    }

    /// Appends the rest, after [`Recorder::close`].
    pub fn finish(mut self, batch: &mut Batch) -> Result<Summary, Error> {
        for consumer in &self.consumers {
            consumer.take(&mut self.merge)?;
        }
        self.merge.gaps(rings::pending(&self.object)?);
        let skipped = read::recursion_misses(&self.object);
        if skipped > 0 {
            let (from, to) = (self.start_ns, self.end_ns);
            self.merge.gaps([Gap { from, to, cpu: None, count: skipped, cause: "recursion" }]);
        }
        self.deliver(u64::MAX, batch);
        let lost = LOSSES.iter().map(|(cause, _)| (*cause, self.merge.lost(cause))).collect();
        Ok(Summary { events: self.merge.events(), identities: self.merge.identities(), lost, notes: self.notes })
    }

    fn deliver(&mut self, until: u64, batch: &mut Batch) {
        let known = batch.identities.len();
        self.merge.deliver(until, batch);
        self.cgroups.tell(&batch.identities[known..], &mut batch.cgroups);
    }
}

fn consumers(asked: Option<usize>) -> usize {
    let cpus = lists::online_cpus().map_or(1, |cpus| cpus.len());
    asked.unwrap_or(cpus / 8).clamp(1, 8)
}

/// Rings dealt out to so many consumers, neighbours together, and none without one.
fn share(mut rings: Vec<Ring>, consumers: usize) -> Vec<Vec<Ring>> {
    let each = rings.len().div_ceil(consumers).max(1);
    let mut shares = Vec::new();
    while !rings.is_empty() {
        shares.push(rings.drain(..each.min(rings.len())).collect());
    }
    shares
}
