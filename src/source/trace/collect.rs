//! Rows that come out of a recording: tested to the end, then grouped or kept, by the same layout that steers the kernel's
//! programs (`src/bpf/collect.bpf.h`).

use std::ops::ControlFlow;

use super::groups::{Groups, handed_on};
use super::terms::{Terms, value};
use crate::catalog::replay::{Rows, Task};
use crate::catalog::task::{OWN_SLOT, slot};
use crate::plan::layout::{Layout, MAX_KEY_WORDS, Mode};
use crate::plan::{Needs, Output, Scan};
use crate::source::decode::Group;

/// What is lost for want of room here, and what was counted below its true place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoRoom {
    pub groups: u64,
    pub rows: u64,
    pub clamped: u64,
}

pub struct Collector {
    pub terms: Terms,
    mode: Mode,
    /// Where the measure stands among the family's own slots.
    measure: Option<usize>,
    key_slots: Vec<u8>,
    /// The key is the task's alone, so its group is remembered with it.
    key_of_task: bool,
    /// Of the row at hand.
    key: [u64; MAX_KEY_WORDS],
    /// A row's group is the task's, and nothing of the row itself is tested or kept.
    plain: bool,
    groups: Groups,
    intervals: Option<Intervals>,
    /// Groups of intervals that are over.
    finished: Vec<Group>,
    finished_bytes: u64,
    /// Counts the intervals that had groups: what tasks remember of an earlier one is no longer good.
    round: u32,
    record_slots: Vec<u8>,
    words: Vec<u64>,
    most_words: usize,
    first: Option<u64>,
    matched: u64,
    no_room: NoRoom,
}

struct Intervals {
    every: u64,
    origin: u64,
    number: u64,
    /// When the next one begins.
    next: u64,
}

impl Collector {
    /// `origin`: from when intervals are counted.
    pub fn new(scan: &Scan, layout: &Layout, terms: Terms, origin: u64) -> Collector {
        let (needs, first) = match scan.output {
            Output::Groups { needs, .. } => (needs, None),
            Output::Rows { first, .. } => (Needs::default(), first),
        };
        let grouped = layout.mode != Mode::Rows;
        let buckets = layout.histogram_slots as usize;
        let words = layout.key_slots.len();
        let mut groups = Groups::new(needs, buckets, words, scan.map_bytes, scan.groups);
        if layout.mode == Mode::Single {
            groups.place(&[], 0);
        }
        let of_task = |slot: &u8| *slot < OWN_SLOT && !matches!(usize::from(*slot), slot::AT | slot::CPU);
        let key_of_task = layout.key_slots.iter().all(of_task);
        Collector {
            plain: key_of_task && grouped && scan.every_ns.is_none() && !terms.test_rows(),
            terms,
            mode: layout.mode,
            measure: scan.measure.map(|measure| usize::from(measure.slot - OWN_SLOT)),
            key_of_task,
            key_slots: layout.key_slots.clone(),
            key: [0; MAX_KEY_WORDS],
            groups,
            intervals: scan.every_ns.filter(|_| grouped).map(|every| Intervals {
                every,
                origin,
                number: 0,
                next: origin.saturating_add(every),
            }),
            finished: Vec::new(),
            finished_bytes: 0,
            round: 1,
            record_slots: layout.record_slots.clone(),
            words: Vec::new(),
            most_words: usize::try_from(scan.map_bytes / 8).unwrap_or(usize::MAX),
            first,
            matched: 0,
            no_room: NoRoom::default(),
        }
    }

    /// Rows that were added to a group or kept.
    pub fn matched(&self) -> u64 {
        self.matched
    }

    pub fn no_room(&self) -> NoRoom {
        NoRoom { clamped: self.groups.clamped, ..self.no_room }
    }

    /// All groups as they are, of a query without intervals.
    pub fn groups(&self) -> Vec<Group> {
        self.groups.all()
    }

    /// The one group of a query without keys.
    pub fn single(&self) -> crate::source::Cell {
        self.groups.cell(0)
    }

    /// Groups of the intervals that are over, each key with its interval's number in front.
    pub fn take_finished(&mut self) -> Vec<Group> {
        self.finished_bytes = 0;
        std::mem::take(&mut self.finished)
    }

    /// All groups that were not taken.
    pub fn take_groups(&mut self) -> Vec<Group> {
        match &self.intervals {
            Some(intervals) => {
                self.finished.extend(self.groups.take(&[intervals.number]));
                self.take_finished()
            }
            None => self.groups.take(&[]),
        }
    }

    /// The words of kept rows, the oldest first and at most so many rows.
    pub fn take_words(&mut self, most: usize) -> Vec<u64> {
        let end = self.words.len().min(most.saturating_mul(self.record_slots.len()));
        if end == self.words.len() {
            return std::mem::take(&mut self.words);
        }
        self.words.drain(..end).collect()
    }

    fn keep(&mut self, task: &Task, own: &[u64]) -> ControlFlow<()> {
        if self.words.len() + self.record_slots.len() > self.most_words {
            self.no_room.rows += 1;
            return ControlFlow::Continue(());
        }
        self.words.extend(self.record_slots.iter().map(|slot| value(task, own, *slot)));
        self.matched += 1;
        match self.first {
            Some(first) if self.matched >= first => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    /// The group of a row.
    #[inline]
    fn group(&mut self, task: &mut Task, own: &[u64]) -> Option<u32> {
        if self.mode == Mode::Single {
            (task.group, task.group_of) = (0, self.round);
            return Some(0);
        }
        if self.key_of_task && task.group_of == self.round {
            return Some(task.group);
        }
        for (word, slot) in self.key.iter_mut().zip(&self.key_slots) {
            *word = value(task, own, *slot);
        }
        let key = &self.key[..self.key_slots.len()];
        // Where a key has more than the task in it, most rows of a task are in the group of its last one.
        if task.group_of == self.round && self.groups.key(task.group) == key {
            return Some(task.group);
        }
        let place = self.groups.place(key, self.finished_bytes)?;
        (task.group, task.group_of) = (place, self.round);
        Some(place)
    }
}

impl Intervals {
    /// Goes on to the interval of that time.
    #[cold]
    fn go_on(&mut self, at: u64) {
        self.number = at.saturating_sub(self.origin) / self.every;
        self.next = self.origin.saturating_add((self.number + 1).saturating_mul(self.every));
    }
}

impl Rows for Collector {
    fn wanted_on(&mut self, task: &mut Task, cpu: u16) -> bool {
        self.terms.hold_on(task, cpu)
    }

    #[inline]
    fn row(&mut self, task: &mut Task, at: u64, cpu: u16, own: &[u64]) -> ControlFlow<()> {
        // What most queries ask, and most tasks have had a row of.
        if self.plain && task.group_of == self.round {
            self.groups.add(task.group, self.measure.map_or(0, |measure| own[measure]), at);
            self.matched += 1;
            return ControlFlow::Continue(());
        }
        self.any_row(task, at, cpu, own)
    }
}

impl Collector {
    fn any_row(&mut self, task: &mut Task, at: u64, cpu: u16, own: &[u64]) -> ControlFlow<()> {
        task.slots[slot::AT] = at;
        task.slots[slot::CPU] = u64::from(cpu);
        if !self.terms.hold_of_row(task, own) {
            return ControlFlow::Continue(());
        }
        if self.mode == Mode::Rows {
            return self.keep(task, own);
        }
        if let Some(intervals) = &mut self.intervals
            && at >= intervals.next
        {
            let over = self.groups.take(&[intervals.number]);
            self.finished_bytes += handed_on(&over);
            self.finished.extend(over);
            self.round += 1;
            intervals.go_on(at);
        }
        match self.group(task, own) {
            Some(group) => {
                self.groups.add(group, self.measure.map_or(0, |measure| own[measure]), at);
                self.matched += 1;
            }
            None => self.no_room.groups += 1,
        }
        ControlFlow::Continue(())
    }
}
