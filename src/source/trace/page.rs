//! From columns back to events: a page of each column that is needed is unpacked, and its rows are put together.

use std::collections::HashMap;

use super::chunk::{Chunk, Dictionary, Unpack};
use super::decode::{Keys, Malformed};
use super::error::Error;
use super::read::Recording;
use super::schema::{COLUMNS, IDENTITIES, IDS, Id, LOSSES, PAGED, Rows};
use super::told::{Frame, Told};
use super::wanted::Wanted;
use crate::catalog::event::columns::{Columns, Place, UNKNOWN};
use crate::catalog::event::{Batch, Event, Kind, flag};

/// A row group whose pages are read.
pub struct Open {
    pub number: usize,
    pub rows: usize,
    /// The row of the group with which the page that is next begins.
    pub at: usize,
    chunks: [Option<Chunk>; PAGED],
    pub wanted: Wanted,
    told: Told,
    /// By the key of the column `event`.
    kinds: Vec<u8>,
    /// By the key of the column `comm`: the key and one.
    names: Vec<u32>,
}

/// A page of each column, and how far it was taken.
#[derive(Default)]
pub struct Page {
    /// The row of the group with which it begins.
    pub start: usize,
    place: Place,
    /// Its rows that tell who a task is or what was lost, and how many of them were taken.
    rare: Vec<u32>,
    rare_taken: usize,
    told: usize,
    /// Whether its times are in order, and the latest of them.
    sorted: bool,
    latest: u64,
    kind: Vec<u8>,
    at: Vec<u64>,
    /// Of all rows that tell of a task.
    tid: Vec<u32>,
    cpu: Vec<u32>,
    /// Keys of names, and one, so that 0 is missing.
    comm: Vec<u32>,
    prio: Vec<u32>,
    /// The state of identities, in their order.
    told_state: Vec<u32>,
    /// Of rows that have a value, as [`Columns`] has them; empty if they are not wanted.
    next_tid: Vec<u32>,
    waker_tid: Vec<u32>,
    from_cpu: Vec<u32>,
    state: Vec<u32>,
    target_cpu: Vec<u32>,
    switch_flags: Vec<u8>,
    wake_flags: Vec<u8>,
    values: Vec<u32>,
    bits: Vec<u8>,
}

/// The CPU of a loss when it is not known.
const NOWHERE: u32 = u32::MAX;

impl Open {
    pub fn new(recording: &Recording, number: usize, wanted: Wanted, unpack: &mut Unpack) -> Result<Open, Error> {
        let group = &recording.groups()[number];
        let there = Kind::ALL.into_iter().filter(|kind| group.count(*kind) > 0);
        let there = there.fold(0, |bits, kind| bits | 1 << kind as u16);
        let mut chunks = [const { None }; PAGED];
        for (column, slot) in IDS.into_iter().zip(&mut chunks) {
            if wanted.needs(column, there) {
                let bytes = recording.chunk(number, column)?;
                let chunk = Chunk::new(column, bytes, unpack).map_err(|Malformed| recording.damaged(number, column))?;
                *slot = Some(chunk);
            }
        }
        let words = match chunks[Id::Event as usize].as_ref().map(|chunk| &chunk.dictionary) {
            Some(Dictionary::Texts(words)) => words.as_slice(),
            _ => &[],
        };
        let kinds = words.iter().map(|word| Kind::of_word(word).map_or(UNKNOWN, |kind| kind as u8)).collect();
        let told = Told::read(recording, number, wanted.identities, unpack)?;
        let names = match chunks[Id::Comm as usize].as_ref().map(|chunk| &chunk.dictionary) {
            Some(Dictionary::Names(names)) => (1..=names.len() as u32).collect(),
            _ => Vec::new(),
        };
        Ok(Open { number, rows: group.rows as usize, at: 0, chunks, wanted, told, kinds, names })
    }
}

/// How many rows of a page are of each kind, by its number. A kind at a time, since that is done for many rows at once.
fn counts(kinds: &[u8]) -> [usize; Kind::ALL.len()] {
    let mut counts = [0; Kind::ALL.len()];
    // So few at once that a byte can count them.
    for kinds in kinds.chunks(255) {
        for (count, number) in counts.iter_mut().zip(0u8..) {
            *count += usize::from(kinds.iter().map(|kind| u8::from(*kind == number)).sum::<u8>());
        }
    }
    counts
}

/// Rows of these kinds on a page.
fn count(counts: &[usize; Kind::ALL.len()], rows: Rows) -> usize {
    let kinds = rows.kinds();
    counts.iter().zip(0..).filter(|(_, kind)| kinds >> kind & 1 == 1).map(|(count, _)| count).sum()
}

impl Page {
    pub fn rows(&self) -> usize {
        self.kind.len()
    }

    /// How many rows were put together.
    pub fn row(&self) -> usize {
        self.place.row
    }

    /// Unpacks the next page of each column; an error names the column.
    pub fn read(&mut self, open: &mut Open, unpack: &mut Unpack) -> Result<(), Id> {
        let bad = |column: Id| move |Malformed| column;
        let Open { chunks, kinds, wanted, .. } = open;
        self.place = Place::default();
        for list in [
            &mut self.tid,
            &mut self.cpu,
            &mut self.comm,
            &mut self.prio,
            &mut self.next_tid,
            &mut self.waker_tid,
            &mut self.from_cpu,
            &mut self.state,
            &mut self.target_cpu,
        ] {
            list.clear();
        }
        self.switch_flags.clear();
        self.wake_flags.clear();
        let chunk = chunks[Id::Event as usize].as_mut().ok_or(Id::Event)?;
        let (page, keys) = chunk.keys(unpack).map_err(bad(Id::Event))?;
        let rows = page.rows;
        if rows == 0 || rows > open.rows - open.at {
            return Err(Id::Event);
        }
        match keys {
            // This program gives out the numbers as keys.
            Keys::Bytes(keys) if kinds.iter().zip(0..).all(|(kind, key)| *kind == key) => {
                self.kind.clear();
                self.kind.extend_from_slice(keys);
            }
            _ => keys.values(kinds, &mut self.kind, rows),
        }
        let counts = counts(&self.kind);
        let kinds_there: u16 =
            counts.iter().zip(0..).filter(|(count, _)| **count > 0).fold(0, |bits, (_, kind)| bits | 1 << kind);
        let chunk = chunks[Id::At as usize].as_mut().ok_or(Id::At)?;
        let there = if wanted.at || kinds_there & (IDENTITIES | LOSSES) != 0 {
            let (there, sorted) = chunk.times(unpack, &mut self.at).map_err(bad(Id::At))?;
            self.sorted = sorted;
            let latest = if sorted { self.at.last() } else { self.at.iter().max() };
            self.latest = latest.copied().unwrap_or(0);
            there
        } else {
            // Nobody wants them of a recording that is not in order.
            self.at.clear();
            self.sorted = true;
            let (there, latest) = chunk.skip_times().map_err(bad(Id::At))?;
            self.latest = latest;
            there
        };
        if there != rows {
            return Err(Id::At);
        }
        for column in IDS {
            let Some(chunk) = &mut chunks[column as usize] else { continue };
            if matches!(column, Id::At | Id::Event) {
                continue;
            }
            let declared = count(&counts, COLUMNS[column as usize].rows);
            if !wanted.needs(column, kinds_there) {
                if chunk.skip().map_err(bad(column))? != rows {
                    return Err(column);
                }
                continue;
            }
            let (there, present) = match column {
                Id::Preempted | Id::Throttled | Id::OnCpu => {
                    let (flags, bit) = match column {
                        Id::Preempted => (&mut self.switch_flags, flag::PREEMPT),
                        Id::Throttled => (&mut self.switch_flags, flag::THROTTLED),
                        _ => (&mut self.wake_flags, flag::ON_CPU),
                    };
                    let found = chunk.flags(unpack, &mut self.bits).map_err(bad(column))?;
                    flags.resize(flags.len().max(self.bits.len()), 0);
                    flags.iter_mut().zip(&self.bits).for_each(|(flags, set)| *flags |= set * bit);
                    found
                }
                // An event of a later version tells of a task too, perhaps.
                Id::Cpu | Id::Tid | Id::Comm | Id::Prio => {
                    let (out, missing) = match column {
                        Id::Cpu => (&mut self.cpu, NOWHERE),
                        Id::Tid => (&mut self.tid, 0),
                        Id::Comm => (&mut self.comm, 0),
                        _ => (&mut self.prio, 0),
                    };
                    let page = match column {
                        Id::Comm => {
                            let (page, keys) = chunk.keys(unpack).map_err(bad(column))?;
                            keys.values(&open.names, out, page.present);
                            page
                        }
                        _ => chunk.numbers(unpack, out).map_err(bad(column))?,
                    };
                    if page.present != page.rows {
                        let mut values = out.iter().copied();
                        let row = |row| if page.has(row) { values.next().unwrap_or(missing) } else { missing };
                        self.values.clear();
                        self.values.extend((0..page.rows).map(row));
                        std::mem::swap(out, &mut self.values);
                    }
                    (page.rows, declared)
                }
                _ => {
                    let out = match column {
                        Id::NextTid => &mut self.next_tid,
                        Id::WakerTid => &mut self.waker_tid,
                        Id::FromCpu => &mut self.from_cpu,
                        Id::StateBits => &mut self.state,
                        _ => &mut self.target_cpu,
                    };
                    let page = chunk.numbers(unpack, out).map_err(bad(column))?;
                    (page.rows, page.present)
                }
            };
            if there != rows || present != declared {
                return Err(column);
            }
        }
        self.find_rare(kinds_there);
        open.at += rows;
        Ok(())
    }

    /// Notes which rows are no events, and takes their states out of those of switches.
    fn find_rare(&mut self, there: u16) {
        self.rare.clear();
        (self.rare_taken, self.told) = (0, 0);
        self.told_state.clear();
        if there & (IDENTITIES | LOSSES) == 0 {
            return;
        }
        let is_rare = |kind: &u8| (IDENTITIES | LOSSES).checked_shr((*kind).into()).unwrap_or(0) & 1 == 1;
        for (kinds, first) in self.kind.chunks(64).zip((0..).step_by(64)) {
            // Most have none, and that is found for all of them at once.
            if kinds.iter().any(|kind| *kind >= Kind::Task as u8) {
                self.rare.extend(kinds.iter().zip(first..).filter(|(kind, _)| is_rare(kind)).map(|(_, row)| row));
            }
        }
        if self.state.is_empty() {
            return;
        }
        self.values.clear();
        let (mut row, mut at) = (0, 0);
        for &rare in self.rare.iter().filter(|row| self.kind[**row as usize] != Kind::Loss as u8) {
            let is_switch = |kind: &&u8| **kind == Kind::Switch as u8;
            let switches = self.kind[row..rare as usize].iter().filter(is_switch).count();
            self.values.extend_from_slice(&self.state[at..at + switches]);
            self.told_state.push(self.state[at + switches]);
            (row, at) = (rare as usize, at + switches + 1);
        }
        self.values.extend_from_slice(&self.state[at..]);
        std::mem::swap(&mut self.state, &mut self.values);
    }

    /// Whether its rows are in order and none is before that time.
    pub fn follows(&self, time: u64) -> bool {
        self.sorted && self.at.get(self.place.row).is_none_or(|first| *first >= time)
    }

    /// What was not taken.
    pub fn columns(&self) -> Columns<'_> {
        Columns {
            kind: &self.kind,
            at: &self.at,
            tid: &self.tid,
            cpu: &self.cpu,
            next_tid: &self.next_tid,
            waker_tid: &self.waker_tid,
            from_cpu: &self.from_cpu,
            state: &self.state,
            target_cpu: &self.target_cpu,
            switch_flags: &self.switch_flags,
            wake_flags: &self.wake_flags,
            place: self.place,
        }
    }

    /// The latest time on it.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    /// Puts the events up to `end` together.
    pub fn assemble(&mut self, end: usize, wanted: u16, events: &mut Vec<Event>) {
        let wanted = wanted & !(IDENTITIES | LOSSES);
        let mut place = self.place;
        let all = self.columns();
        for number in &all.kind[place.row..end] {
            if let Some(kind) = Kind::of_number(*number).filter(|kind| wanted >> *kind as u16 & 1 == 1) {
                events.push(all.event(&place, kind));
            }
            place.step(*number);
        }
        self.place = place;
    }

    /// Takes of the rows up to `end` who tasks are and what was lost. An error names the column that contradicts the
    /// others.
    pub fn take_rare(
        &mut self,
        end: usize,
        open: &mut Open,
        cgroups: &mut HashMap<u64, String>,
        batch: &mut Batch,
    ) -> Result<(), Id> {
        let wanted = open.wanted;
        let get = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(0);
        while let Some(row) = self.rare.get(self.rare_taken).map(|row| *row as usize).filter(|row| *row < end) {
            self.rare_taken += 1;
            let (at, tid, cpu) = (self.at[row], get(&self.tid, row), get(&self.cpu, row));
            match Kind::of_number(self.kind[row]) {
                Some(Kind::Loss) => {
                    let cpu = (wanted.cpu && cpu != NOWHERE).then_some(cpu as u16);
                    batch.gaps.push(open.told.gap((self.start + row) as u32, at, cpu).ok_or(Id::Lost)?);
                }
                Some(kind) if wanted.identities => {
                    let state = get(&self.told_state, self.told);
                    self.told += 1;
                    let event = Event { at, tid, other: 0, state, cpu: cpu as u16, kind, flags: 0 };
                    self.identity(row, event, open, cgroups, batch)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Nothing is left of it.
    pub fn taken(&mut self) {
        self.place.row = self.kind.len();
    }

    fn identity(
        &self,
        row: usize,
        event: Event,
        open: &mut Open,
        cgroups: &mut HashMap<u64, String>,
        batch: &mut Batch,
    ) -> Result<(), Id> {
        let names = open.chunks[Id::Comm as usize].as_ref().map(|chunk| &chunk.dictionary);
        let comm = match (names, self.comm.get(row)) {
            (Some(Dictionary::Names(names)), Some(key @ 1..)) => names[*key as usize - 1],
            _ => [0; 16],
        };
        let prio = self.prio.get(row).map_or(0, |prio| *prio as i32);
        let Event { at, tid, state, cpu, kind, .. } = event;
        let frame = Frame { at, kind, cpu, tid, state, comm, prio };
        let (who, path) = open.told.identity((self.start + row) as u32, frame).ok_or(Id::Tgid)?;
        if let Some(path) = path.filter(|path| cgroups.get(&who.cgroup).is_none_or(|known| known != path)) {
            batch.cgroups.push((who.cgroup, path.to_owned()));
            cgroups.insert(who.cgroup, path.to_owned());
        }
        batch.identities.push(who);
        Ok(())
    }
}
