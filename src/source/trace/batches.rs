//! From columns back to events: a page of each column that is needed is unpacked, and its rows are put together.

use std::collections::HashMap;

use super::chunk::{Chunk, Dictionary, Unpack};
use super::decode::Malformed;
use super::error::Error;
use super::read::Recording;
use super::schema::{IDENTITIES, Id, LOSSES, PAGED, Rows};
use super::told::{Frame, Told};
use super::wanted::Wanted;
use crate::catalog::event::{Batch, Event, Kind, flag};

/// Rows that are handed out at once: few enough to stay in the processor's cache.
const SLICE: usize = 1 << 14;

/// Stands for an event of a later version, which is left alone.
const UNKNOWN: u8 = u8::MAX;

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
    failed: bool,
}

/// A row group whose pages are read.
struct Open {
    number: usize,
    rows: usize,
    /// The row of the group with which the page that is next begins.
    at: usize,
    chunks: [Option<Chunk>; PAGED],
    wanted: Wanted,
    told: Told,
    /// By the key of the column `event`.
    kinds: Vec<u8>,
}

/// A page of each column, and how far it was put together.
#[derive(Default)]
struct Page {
    /// The row of the group with which it begins.
    start: usize,
    row: usize,
    at: Vec<i64>,
    kind: Vec<u8>,
    cpu: Vec<u32>,
    tid: Vec<u32>,
    /// Of all rows that tell of a task: keys of names, and one, so that 0 is missing.
    comm: Vec<u32>,
    prio: Vec<u32>,
    state: Vec<u32>,
    next: Vec<u32>,
    waker: Vec<u32>,
    from: Vec<u32>,
    target: Vec<u32>,
    preempted: Vec<u8>,
    throttled: Vec<u8>,
    on_cpu: Vec<u8>,
    cursors: Cursors,
    keys: Vec<u32>,
}

/// How many rows of each sort were put together.
#[derive(Default, Clone, Copy)]
struct Cursors {
    switch: usize,
    stated: usize,
    wake: usize,
    waker: usize,
    target: usize,
    migrate: usize,
}

/// A CPU of a loss that is not known.
const NOWHERE: u32 = u32::MAX;

impl<'a> Batches<'a> {
    pub(super) fn new(recording: &'a Recording, wanted: Wanted, range: Option<(u64, u64)>) -> Batches<'a> {
        Batches {
            recording,
            wanted,
            range,
            group: 0,
            open: None,
            page: Page::default(),
            unpack: Unpack::new(),
            cgroups: HashMap::new(),
            done: 0,
            failed: false,
        }
    }

    /// Rows that were read or left out.
    pub fn done(&self) -> u64 {
        self.done
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

    fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        loop {
            while self.page.row == self.page.kind.len() {
                if !self.next_page()? {
                    return Ok(false);
                }
            }
            let Some(open) = &mut self.open else { return Ok(false) };
            let end = self.page.kind.len().min(self.page.row + SLICE);
            let (before, number) = (self.page.row, open.number);
            let whole = self.page.assemble(end, open, &mut self.cgroups, batch);
            self.done += (end - before) as u64;
            whole.map_err(|column| self.recording.damaged(number, column))?;
            if !batch.is_empty() {
                return Ok(true);
            }
        }
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

impl Open {
    fn new(recording: &Recording, number: usize, wanted: Wanted, unpack: &mut Unpack) -> Result<Open, Error> {
        let group = &recording.groups()[number];
        let there = Kind::ALL.into_iter().filter(|kind| group.count(*kind) > 0);
        let there = there.fold(0, |bits, kind| bits | 1 << kind as u16);
        let mut chunks = [const { None }; PAGED];
        for (column, slot) in super::schema::IDS.into_iter().zip(&mut chunks) {
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
        Ok(Open { number, rows: group.rows as usize, at: 0, chunks, wanted, told, kinds })
    }
}

/// Rows of these kinds on a page.
fn count(counts: &[usize; 256], rows: Rows) -> usize {
    let kinds = rows.kinds();
    (0..Kind::ALL.len()).filter(|kind| kinds >> kind & 1 == 1).map(|kind| counts[kind]).sum()
}

impl Page {
    /// Unpacks the next page of each column; an error names the column.
    fn read(&mut self, open: &mut Open, unpack: &mut Unpack) -> Result<(), Id> {
        let bad = |column: Id| move |Malformed| column;
        let Open { chunks, kinds, wanted, .. } = open;
        self.row = 0;
        self.cursors = Cursors::default();
        let chunk = chunks[Id::Event as usize].as_mut().ok_or(Id::Event)?;
        let rows = chunk.keys(unpack, &mut self.keys).map_err(bad(Id::Event))?.rows;
        if rows == 0 || rows > open.rows - open.at {
            return Err(Id::Event);
        }
        self.kind.clear();
        self.kind.extend(self.keys.iter().map(|key| kinds[*key as usize]));
        let mut counts = [0; 256];
        self.kind.iter().for_each(|kind| counts[usize::from(*kind)] += 1);
        let there = (0..Kind::ALL.len()).filter(|kind| counts[*kind] > 0).fold(0, |bits, kind| bits | 1 << kind);
        if chunks[Id::At as usize].as_mut().ok_or(Id::At)?.times(unpack, &mut self.at).map_err(bad(Id::At))? != rows {
            return Err(Id::At);
        }
        for column in super::schema::IDS {
            let Some(chunk) = &mut chunks[column as usize] else { continue };
            if matches!(column, Id::At | Id::Event) {
                continue;
            }
            let declared = count(&counts, super::schema::COLUMNS[column as usize].rows);
            if !wanted.needs(column, there) {
                self.list(column).clear();
                if chunk.skip().map_err(bad(column))? != rows {
                    return Err(column);
                }
                continue;
            }
            let (there, present) = match column {
                Id::Preempted | Id::Throttled | Id::OnCpu => {
                    let out = match column {
                        Id::Preempted => &mut self.preempted,
                        Id::Throttled => &mut self.throttled,
                        _ => &mut self.on_cpu,
                    };
                    let page = chunk.flags(unpack, out).map_err(bad(column))?;
                    (page.rows, page.present)
                }
                // An event of a later version tells of a task too, perhaps.
                Id::Cpu | Id::Tid | Id::Comm | Id::Prio => {
                    let page = match column {
                        Id::Comm => chunk.keys(unpack, &mut self.keys),
                        _ => chunk.numbers(unpack, &mut self.keys),
                    };
                    let page = page.map_err(bad(column))?;
                    let (out, shift, missing) = match column {
                        Id::Cpu => (&mut self.cpu, 0, NOWHERE),
                        Id::Tid => (&mut self.tid, 0, 0),
                        Id::Comm => (&mut self.comm, 1, 0),
                        _ => (&mut self.prio, 0, 0),
                    };
                    out.clear();
                    if page.present == page.rows {
                        out.extend(self.keys.iter().map(|value| value.wrapping_add(shift)));
                    } else {
                        let mut values = self.keys.iter();
                        out.extend((0..page.rows).map(|row| match page.has(row) {
                            true => values.next().map_or(missing, |value| value.wrapping_add(shift)),
                            false => missing,
                        }));
                    }
                    (page.rows, declared)
                }
                _ => {
                    let out = self.list(column);
                    let page = chunk.numbers(unpack, out).map_err(bad(column))?;
                    (page.rows, page.present)
                }
            };
            if there != rows || present != declared {
                return Err(column);
            }
        }
        open.at += rows;
        Ok(())
    }

    fn list(&mut self, column: Id) -> &mut Vec<u32> {
        match column {
            Id::Cpu => &mut self.cpu,
            Id::Tid => &mut self.tid,
            Id::Comm => &mut self.comm,
            Id::Prio => &mut self.prio,
            Id::StateBits => &mut self.state,
            Id::NextTid => &mut self.next,
            Id::WakerTid => &mut self.waker,
            Id::FromCpu => &mut self.from,
            Id::TargetCpu => &mut self.target,
            _ => &mut self.keys,
        }
    }

    /// Puts rows together up to `end`; an error names the column that contradicts the others.
    fn assemble(
        &mut self,
        end: usize,
        open: &mut Open,
        cgroups: &mut HashMap<u64, String>,
        batch: &mut Batch,
    ) -> Result<(), Id> {
        const SWITCH: u8 = Kind::Switch as u8;
        const WAKING: u8 = Kind::Waking as u8;
        const WAKEUP: u8 = Kind::Wakeup as u8;
        const WAKEUP_NEW: u8 = Kind::WakeupNew as u8;
        const MIGRATE: u8 = Kind::Migrate as u8;
        const EXIT: u8 = Kind::Exit as u8;
        const LOSS: u8 = Kind::Loss as u8;
        let wanted = open.wanted;
        let get = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(0);
        let bit = |list: &[u8], at: usize, bit: u8| list.get(at).map_or(0, |set| set * bit);
        let mut at = self.cursors;
        batch.events.reserve(end - self.row);
        for row in self.row..end {
            let number = self.kind[row];
            let mut event = Event {
                at: self.at[row] as u64,
                tid: get(&self.tid, row),
                other: 0,
                state: 0,
                cpu: get(&self.cpu, row) as u16,
                kind: Kind::Exit,
                flags: 0,
            };
            match number {
                SWITCH => {
                    event.kind = Kind::Switch;
                    event.other = get(&self.next, at.switch);
                    event.state = get(&self.state, at.stated);
                    event.flags = bit(&self.preempted, at.switch, flag::PREEMPT)
                        | bit(&self.throttled, at.switch, flag::THROTTLED);
                    at.switch += 1;
                    at.stated += 1;
                }
                WAKEUP => {
                    event.kind = Kind::Wakeup;
                    event.state = get(&self.target, at.target);
                    event.flags = bit(&self.on_cpu, at.wake, flag::ON_CPU);
                    at.wake += 1;
                    at.target += 1;
                }
                WAKING | WAKEUP_NEW => {
                    event.kind = if number == WAKING { Kind::Waking } else { Kind::WakeupNew };
                    event.other = get(&self.waker, at.waker);
                    event.state = get(&self.target, at.target);
                    event.flags = bit(&self.on_cpu, at.wake, flag::ON_CPU);
                    at.wake += 1;
                    at.waker += 1;
                    at.target += 1;
                }
                MIGRATE => {
                    event.kind = Kind::Migrate;
                    event.other = get(&self.from, at.migrate);
                    event.state = get(&self.target, at.target);
                    at.migrate += 1;
                    at.target += 1;
                }
                EXIT => {}
                LOSS => {
                    let cpu = get(&self.cpu, row);
                    let cpu = (wanted.cpu && cpu != NOWHERE).then_some(cpu as u16);
                    let gap = open.told.gap((self.start + row) as u32, event.at, cpu).ok_or(Id::Lost)?;
                    batch.gaps.push(gap);
                    continue;
                }
                UNKNOWN => continue,
                _ => {
                    event.kind = Kind::of_number(number).ok_or(Id::Event)?;
                    event.state = get(&self.state, at.stated);
                    at.stated += 1;
                    if wanted.identities {
                        self.identity(row, event, open, cgroups, batch)?;
                    }
                    continue;
                }
            }
            if wanted.kinds >> number & 1 == 1 {
                batch.events.push(event);
            }
        }
        self.row = end;
        self.cursors = at;
        Ok(())
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
