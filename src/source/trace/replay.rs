//! A scan over a recording: its batches go in one after the other, the same table comes out as from the running kernel.

use std::borrow::Borrow;
use std::ops::ControlFlow;

use super::cgroups::Cgroups;
use super::collect::Collector;
use super::terms::Terms;
use super::wanted::Wanted;
use crate::catalog::event::{Batch, Columns, Event, Gap, Identity, Kind, who};
use crate::catalog::replay::{Fields, Known, LOSSES, Pairing, Window};
use crate::catalog::task::{UNDER_SLOTS, slot};
use crate::catalog::{Family, LossKind, RECURSION, ROWS_MEMORY, SHARED_LOSSES};
use crate::plan::layout::{Layout, Machine, Mode, layout};
use crate::plan::{Output, Scan};
use crate::source::blocks::Blocks;
use crate::source::{Account, Loss, Table, decode};

/// What must be known of a recording before its first batch.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// When it began, CLOCK_MONOTONIC ns.
    pub start_ns: u64,
    /// Rows must end in it, both ends included; CLOCK_MONOTONIC ns. `None`: anywhere.
    pub range: Option<(u64, u64)>,
    /// Where the hierarchy of its cgroups was mounted.
    pub cgroup_mount: Option<String>,
    /// Its gaps, if they are known ahead of their batches. A gap can be told later than events of other CPUs that happened
    /// in it; rows that ended before it was told would stand.
    pub gaps: Vec<Gap>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// Rows of that family do not come out of recorded events.
    NoReplay { family: &'static str },
}

/// What a scan looks at, so that a reader may leave out the rest (and give anything for it).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Beside identities and gaps, which are always needed.
    pub kinds: &'static [Kind],
    /// Kind and task of an event are always needed.
    pub fields: Fields,
    /// Of identities: bit n, slot n of the task's columns. Their kind, tid, other, birth and flags are always needed, the
    /// CPU where `fields` has it.
    pub identity: u64,
}

/// What a scan gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub table: Table,
    pub account: Account,
    /// `first N` had its rows at that time, CLOCK_MONOTONIC ns, and what follows was not looked at.
    pub complete_at: Option<u64>,
    /// Paths of cgroups that the query names and no task of the recording was in or below.
    pub unknown_cgroups: Vec<String>,
}

/// A scan that is fed a recording.
pub struct Playback {
    scan: Scan,
    layout: Layout,
    needs: Needs,
    /// A bit for each kind of event that the pairing looks at.
    kinds: u16,
    pairing: Box<dyn Pairing>,
    known: Known,
    collector: Collector,
    cgroups: Cgroups,
    /// From when intervals are counted.
    origin: u64,
    /// The latest time of an event so far.
    now: u64,
    /// Gaps that were known ahead, those that come first last.
    ahead: Vec<Gap>,
    /// Events that stood behind later ones.
    out_of_order: u64,
    /// Lost events, by cause.
    lost: Vec<(&'static str, u64)>,
    rows_taken: u64,
    complete_at: Option<u64>,
    /// What the groups' histograms got in parts of the recording.
    blocks: Blocks,
}

impl Playback {
    /// # Errors
    /// When the scan's family cannot be had from recorded events.
    pub fn new(scan: &Scan, recorded: &Recorded) -> Result<Playback, Error> {
        let replay = scan.family.replay.ok_or(Error::NoReplay { family: scan.family.name })?;
        // One cell per group is enough here, and no state of tasks is a map.
        let layout = layout(scan, Machine { cpus: 1, task_storage: true });
        let need = layout.need_fixed | layout.need_identity | layout.need_row | layout.need_output;
        let mut fields = (replay.reads)(need);
        fields.at |= reads_time(scan, recorded, &layout);
        fields.cpu |= layout.reads(slot::CPU as u8) || scan.idle;
        let identity = (need | fields.of_other) & (((1 << (slot::CHILD + 1)) - 1) & !0b11) | under_as_cgroup(need);
        let cgroups = Cgroups::new(recorded.cgroup_mount.as_deref(), &layout.under);
        let terms = Terms::of(&layout, &cgroups);
        let (from, to) = recorded.range.unwrap_or((0, u64::MAX));
        let origin = from.max(recorded.start_ns);
        let mut ahead = recorded.gaps.clone();
        ahead.sort_by_key(|gap| std::cmp::Reverse(gap.from));
        Ok(Playback {
            scan: scan.clone(),
            needs: Needs { kinds: replay.kinds, fields, identity },
            kinds: Wanted::kinds(replay.kinds),
            pairing: (replay.start)(need),
            known: Known::new(Window { recorded_from: recorded.start_ns, from, to }, scan.idle),
            collector: Collector::new(scan, &layout, terms, origin),
            layout,
            cgroups,
            origin,
            now: 0,
            ahead,
            out_of_order: 0,
            lost: Vec::new(),
            rows_taken: 0,
            complete_at: None,
            blocks: Blocks::default(),
        })
    }

    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// The next batch. `Break`: what follows need not be read, since no row can come of it.
    pub fn feed(&mut self, batch: &Batch) -> ControlFlow<()> {
        if self.complete_at.is_some() {
            return ControlFlow::Break(());
        }
        self.cgroups_told(batch);
        let mut events = batch.events.as_slice();
        let mut identities = batch.identities.as_slice();
        let mut gaps = batch.gaps.as_slice();
        let to = self.known.window.to;
        while let Some(first) = events.first().filter(|event| event.at <= to) {
            // Who a task is holds for events of the same time.
            let told = self.told_until(first.at, &mut identities, &mut gaps);
            let until = told.min(self.ahead_until(first.at));
            if first.at < self.now {
                self.out_of_order(first);
                events = &events[1..];
                continue;
            }
            let (now, these) = stretch(events, until.min(to.saturating_add(1)));
            self.now = now;
            if self.pairing.events(these, &mut self.known, &mut self.collector).is_break() {
                self.complete_at = Some(now);
                return ControlFlow::Break(());
            }
            events = &events[these.len()..];
        }
        if !events.is_empty() {
            return ControlFlow::Break(());
        }
        self.told_until(to, &mut identities, &mut gaps);
        ControlFlow::Continue(())
    }

    /// The same of events that are all in order, none before what was fed; what else there is of them is in the batch.
    pub fn feed_columns(&mut self, mut columns: Columns, batch: &Batch) -> ControlFlow<()> {
        if self.complete_at.is_some() {
            return ControlFlow::Break(());
        }
        self.cgroups_told(batch);
        let (mut identities, mut gaps) = (batch.identities.as_slice(), batch.gaps.as_slice());
        let to = self.known.window.to;
        while let Some(first) = columns.next(self.kinds) {
            if first > to {
                return ControlFlow::Break(());
            }
            let told = self.told_until(first, &mut identities, &mut gaps);
            let until = told.min(self.ahead_until(first)).min(to.saturating_add(1));
            let end = columns.row_at(until).max(columns.place.row + 1);
            self.now = self.now.max(columns.last(self.kinds, end).unwrap_or(first));
            let these = (end, self.kinds);
            if self.pairing.columns(&mut columns, these, &mut self.known, &mut self.collector).is_break() {
                self.complete_at = Some(self.now);
                return ControlFlow::Break(());
            }
        }
        self.told_until(to, &mut identities, &mut gaps);
        ControlFlow::Continue(())
    }

    fn cgroups_told(&mut self, batch: &Batch) {
        for (id, path) in &batch.cgroups {
            self.cgroups.told(*id, path);
        }
        if !batch.cgroups.is_empty() {
            self.collector.terms.told(&self.cgroups);
        }
    }

    /// Takes over what was told up to that time, its own included; when the next is told.
    fn told_until(&mut self, at: u64, identities: &mut &[Identity], gaps: &mut &[Gap]) -> u64 {
        while let Some((gap, rest)) = gaps.split_first().filter(|(gap, _)| gap.from <= at) {
            self.gap(gap);
            *gaps = rest;
        }
        while let Some((identity, rest)) = identities.split_first().filter(|(identity, _)| identity.at <= at) {
            self.identity(identity);
            *identities = rest;
        }
        let next = [identities.first().map(|identity| identity.at), gaps.first().map(|gap| gap.from)];
        next.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// The same for gaps that were known before their batch, which will tell and count them again.
    fn ahead_until(&mut self, at: u64) -> u64 {
        while let Some(gap) = self.ahead.pop_if(|gap| gap.from <= at) {
            self.known.lost_until = self.known.lost_until.max(gap.to);
        }
        self.ahead.last().map_or(u64::MAX, |gap| gap.from)
    }

    fn gap(&mut self, gap: &Gap) {
        self.known.lost_until = self.known.lost_until.max(gap.to);
        if gap.to < self.known.window.from {
            return;
        }
        match self.lost.iter_mut().find(|(cause, _)| *cause == gap.cause) {
            Some((_, count)) => *count += gap.count,
            None => self.lost.push((gap.cause, gap.count)),
        }
    }

    /// Where it belongs is not known any more: as if it had been lost between then and now.
    fn out_of_order(&mut self, event: &Event) {
        self.known.lost_until = self.known.lost_until.max(self.now);
        if self.known.inside(self.now) || self.known.inside(event.at) {
            self.out_of_order += 1;
        }
    }

    fn identity(&mut self, identity: &Identity) {
        let (place, gone) = self.known.told(identity);
        if let Some(gone) = gone {
            self.pairing.gone(gone, identity.at, &mut self.known);
            self.known[gone].start = 0;
        }
        let task = &mut self.known[place];
        task.slots[slot::CGROUP] = self.cgroups.representative(identity.cgroup);
        let under = usize::from(UNDER_SLOTS[0]);
        task.slots[under..].copy_from_slice(&self.cgroups.under(identity.cgroup));
        let own = identity.flags & who::RECORDER != 0 && !self.scan.own;
        let idle = identity.tid == 0 && !self.scan.idle;
        self.collector.terms.judge(task, own || idle);
    }

    /// Rows that were not handed out, the oldest first and at most so many; `None` when there are none.
    pub fn take_rows(&mut self, most: usize) -> Option<Table> {
        let words = self.collector.take_words(most);
        (!words.is_empty()).then(|| self.rows(&words))
    }

    fn rows(&mut self, words: &[u64]) -> Table {
        let table = decode::rows(&self.scan, &self.layout, words, self.rows_taken, self.origin, &mut self.cgroups);
        self.rows_taken += table.height as u64;
        table
    }

    /// The groups of the intervals that are over and were not handed out; `None` when there are none.
    pub fn take_intervals(&mut self) -> Option<Table> {
        let groups = self.collector.take_finished();
        (!groups.is_empty()).then(|| self.groups(groups))
    }

    /// Whether the parts of what is asked can be told apart by [`Playback::end_part`].
    pub fn has_parts(&self) -> bool {
        let needs = matches!(self.scan.output, Output::Groups { needs, .. } if needs.histogram);
        needs && self.scan.every_ns.is_none() && self.blocks.wants_more()
    }

    /// A part has ended: what it brought is kept by itself. Gives whether parts are to be twice as long from now on.
    pub fn end_part(&mut self) -> bool {
        let groups = self.collector.groups();
        self.blocks.end_part(groups.iter().map(|group| (group.key.as_slice(), &group.cell.histogram)))
    }

    fn groups(&mut self, groups: Vec<decode::Group>) -> Table {
        decode::groups(&self.scan, &self.layout, groups, self.origin, &mut self.cgroups)
    }

    /// The recording is over: what was not handed out, and the account of all.
    pub fn finish(mut self) -> Answer {
        let table = match self.layout.mode {
            Mode::Single => {
                let mut whole = [decode::Group { key: Vec::new(), cell: self.collector.single() }];
                std::mem::take(&mut self.blocks).finish(&mut whole);
                let [decode::Group { cell, .. }] = whole;
                decode::single(cell)
            }
            Mode::Groups | Mode::Histograms => {
                let mut groups = self.collector.take_groups();
                std::mem::take(&mut self.blocks).finish(&mut groups);
                self.groups(groups)
            }
            Mode::Rows => {
                let words = self.collector.take_words(usize::MAX);
                self.rows(&words)
            }
        };
        let unknown = self.layout.terms.iter().filter_map(|term| term.path.as_ref());
        let unknown_cgroups = self.cgroups.unknown(unknown);
        Answer { table, account: self.account(), complete_at: self.complete_at, unknown_cgroups }
    }

    fn account(&mut self) -> Account {
        // A gap behind the last event has cut what is open.
        self.ahead_until(self.complete_at.unwrap_or(self.known.window.to));
        let (open, cut) = self.known.open();
        let no_room = self.collector.no_room();
        let lost = |key: &str| self.lost.iter().filter(|(cause, _)| *cause == key).map(|(_, count)| count).sum::<u64>();
        let shared = |kind: &LossKind| match kind.counter {
            "group_full" => no_room.groups,
            "clamped" => no_room.clamped,
            _ => lost(kind.name),
        };
        let of_replay = |kind: &LossKind| match kind.counter {
            "gap" => self.known.across_gaps + cut,
            "out_of_order" => self.out_of_order + lost(kind.name),
            _ => self.known.identity_unseen,
        };
        let told = |kind: &LossKind, count| Loss { name: kind.name, label: kind.label, count, is_loss: kind.is_loss };
        let family: &Family = self.scan.family;
        let mut losses: Vec<Loss> = SHARED_LOSSES.iter().map(|kind| told(kind, shared(kind))).collect();
        losses.extend(family.losses.iter().zip(self.pairing.losses()).map(|(kind, count)| told(kind, count)));
        losses.push(told(&RECURSION, lost(RECURSION.name)));
        losses.push(told(&ROWS_MEMORY, no_room.rows));
        losses.extend(LOSSES.iter().map(|kind| told(kind, of_replay(kind))));
        Account { seen: self.pairing.seen(), matched: self.collector.matched(), losses, open }
    }
}

/// Whether somebody but the pairing looks at the time of an event.
fn reads_time(scan: &Scan, recorded: &Recorded, layout: &Layout) -> bool {
    let greatest = match scan.output {
        Output::Groups { needs, .. } => needs.max_at,
        Output::Rows { .. } => true,
    };
    let divided = scan.every_ns.is_some() || recorded.range.is_some() || !recorded.gaps.is_empty();
    greatest || divided || layout.reads(slot::AT as u8)
}

/// The slots of ancestors come from the cgroup.
fn under_as_cgroup(need: u64) -> u64 {
    let under = UNDER_SLOTS.iter().fold(0, |mask, slot| mask | 1u64 << slot);
    if need & under != 0 { 1 << slot::CGROUP } else { 0 }
}

/// The first event, and those after it that are before that time and in order; when the last of them was.
fn stretch(events: &[Event], until: u64) -> (u64, &[Event]) {
    let mut now = events[0].at;
    let mut length = 1;
    for event in &events[1..] {
        if event.at < now || event.at >= until {
            break;
        }
        now = event.at;
        length += 1;
    }
    (now, &events[..length])
}

/// A whole recording at once. Rows that are many are better taken while it is fed.
///
/// # Errors
/// When the family cannot be had from recorded events, or a batch could not be read.
pub fn run<B: Borrow<Batch>, E: From<Error>>(
    scan: &Scan,
    recorded: &Recorded,
    batches: impl IntoIterator<Item = Result<B, E>>,
) -> Result<Answer, E> {
    let mut playback = Playback::new(scan, recorded)?;
    for batch in batches {
        if playback.feed(batch?.borrow()).is_break() {
            break;
        }
    }
    Ok(playback.finish())
}
