//! From columns back to events: a page of each column that is needed is unpacked, and its rows are put together.

use std::collections::HashMap;

use super::chunk::{Chunk, Dictionary, Unpack};
use super::decode::Malformed;
use super::error::Error;
use super::read::Recording;
use super::schema::{COLUMNS, IDS, Id, PAGED, Rows};
use super::told::{Frame, Told};
use super::wanted::Wanted;
use crate::catalog::event::{Batch, Event, Kind, flag};

/// Stands for an event of a later version, which is left alone.
const UNKNOWN: u8 = u8::MAX;

/// A row group whose pages are read.
pub struct Open {
    pub number: usize,
    pub rows: usize,
    /// The row of the group with which the page that is next begins.
    pub at: usize,
    chunks: [Option<Chunk>; PAGED],
    wanted: Wanted,
    told: Told,
    /// By the key of the column `event`.
    kinds: Vec<u8>,
}

/// A page of each column, and how far it was put together.
#[derive(Default)]
pub struct Page {
    /// The row of the group with which it begins.
    pub start: usize,
    pub row: usize,
    at: Vec<i64>,
    kind: Vec<u8>,
    cpu: Vec<u32>,
    tid: Vec<u32>,
    /// Of all rows that tell of a task: keys of names, and one, so that 0 is missing.
    comm: Vec<u32>,
    prio: Vec<u32>,
    /// Values of fields that only some events have, by where they come from: see [`SOURCES`].
    other: [Field<u32>; 4],
    state: [Field<u32>; 3],
    flags: [Field<u8>; 3],
    keys: Vec<u32>,
    bits: Vec<u8>,
}

/// The values of the rows that have one, and how many were taken. Without values every row takes the same 0.
struct Field<T> {
    values: Vec<T>,
    step: usize,
    next: usize,
}

impl<T: Copy + Default> Default for Field<T> {
    fn default() -> Field<T> {
        Field { values: vec![T::default()], step: 0, next: 0 }
    }
}

impl<T: Copy + Default> Field<T> {
    fn clear(&mut self) {
        self.values.clear();
        self.values.push(T::default());
        self.step = 0;
        self.next = 0;
    }

    /// What was put into `values` is taken from now on.
    fn start(&mut self) {
        self.step = 1;
        self.next = 0;
    }

    #[inline]
    fn take(&mut self) -> T {
        let value = self.values.get(self.next).copied().unwrap_or_default();
        self.next += self.step;
        value
    }
}

/// By kind of event, which of [`Page::other`], [`Page::state`] and [`Page::flags`] it takes. Events come in an order that no
/// processor foresees: looked up like this, a row costs the same whatever it is, where a branch a kind costs twice as much.
const SOURCES: [(u8, u8, u8); Kind::Task as usize] = {
    let mut table = [(0, 0, 0); Kind::Task as usize];
    table[Kind::Switch as usize] = (1, 1, 1);
    table[Kind::Waking as usize] = (2, 2, 2);
    table[Kind::Wakeup as usize] = (0, 2, 2);
    table[Kind::WakeupNew as usize] = (2, 2, 2);
    table[Kind::Migrate as usize] = (3, 2, 0);
    table
};

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
        Ok(Open { number, rows: group.rows as usize, at: 0, chunks, wanted, told, kinds })
    }
}

/// Rows of these kinds on a page.
fn count(counts: &[usize; 256], rows: Rows) -> usize {
    let kinds = rows.kinds();
    (0..Kind::ALL.len()).filter(|kind| kinds >> kind & 1 == 1).map(|kind| counts[kind]).sum()
}

impl Page {
    pub fn rows(&self) -> usize {
        self.kind.len()
    }

    /// Unpacks the next page of each column; an error names the column.
    pub fn read(&mut self, open: &mut Open, unpack: &mut Unpack) -> Result<(), Id> {
        let bad = |column: Id| move |Malformed| column;
        let Open { chunks, kinds, wanted, .. } = open;
        self.row = 0;
        self.other.iter_mut().for_each(Field::clear);
        self.state.iter_mut().for_each(Field::clear);
        self.flags.iter_mut().for_each(Field::clear);
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
        for column in IDS {
            let Some(chunk) = &mut chunks[column as usize] else { continue };
            if matches!(column, Id::At | Id::Event) {
                continue;
            }
            let declared = count(&counts, COLUMNS[column as usize].rows);
            if !wanted.needs(column, there) {
                if chunk.skip().map_err(bad(column))? != rows {
                    return Err(column);
                }
                continue;
            }
            let (there, present) = match column {
                Id::Preempted | Id::Throttled | Id::OnCpu => {
                    let (source, bit) = match column {
                        Id::Preempted => (1, flag::PREEMPT),
                        Id::Throttled => (1, flag::THROTTLED),
                        _ => (2, flag::ON_CPU),
                    };
                    let page = chunk.flags(unpack, &mut self.bits).map_err(bad(column))?;
                    let field = &mut self.flags[source];
                    field.values.resize(self.bits.len(), 0);
                    field.values.iter_mut().zip(&self.bits).for_each(|(flags, set)| *flags |= set * bit);
                    field.start();
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
                    let field = match column {
                        Id::NextTid => &mut self.other[1],
                        Id::WakerTid => &mut self.other[2],
                        Id::FromCpu => &mut self.other[3],
                        Id::StateBits => &mut self.state[1],
                        _ => &mut self.state[2],
                    };
                    let page = chunk.numbers(unpack, &mut field.values).map_err(bad(column))?;
                    field.start();
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

    /// Puts rows together up to `end`; an error names the column that contradicts the others.
    pub fn assemble(
        &mut self,
        end: usize,
        open: &mut Open,
        cgroups: &mut HashMap<u64, String>,
        batch: &mut Batch,
    ) -> Result<(), Id> {
        let wanted = open.wanted;
        let get = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(0);
        let nothing = Event { at: 0, tid: 0, other: 0, state: 0, cpu: 0, kind: Kind::Exit, flags: 0 };
        let mut taken = batch.events.len();
        batch.events.resize(taken + end - self.row, nothing);
        for row in self.row..end {
            let number = self.kind[row];
            let (at, tid, cpu) = (self.at[row] as u64, get(&self.tid, row), get(&self.cpu, row));
            if let Some((other, state, flags)) = SOURCES.get(usize::from(number)) {
                let event = Event {
                    at,
                    tid,
                    other: self.other[usize::from(*other)].take(),
                    state: self.state[usize::from(*state)].take(),
                    cpu: cpu as u16,
                    kind: Kind::ALL[usize::from(number)],
                    flags: self.flags[usize::from(*flags)].take(),
                };
                batch.events[taken] = event;
                // An event that is not wanted is written over by the next one.
                taken += usize::from(wanted.kinds >> number & 1);
                continue;
            }
            match Kind::of_number(number) {
                // Of a later version.
                None => {}
                Some(Kind::Loss) => {
                    let cpu = (wanted.cpu && cpu != NOWHERE).then_some(cpu as u16);
                    batch.gaps.push(open.told.gap((self.start + row) as u32, at, cpu).ok_or(Id::Lost)?);
                }
                Some(kind) => {
                    let state = self.state[1].take();
                    if wanted.identities {
                        let event = Event { at, tid, other: 0, state, cpu: cpu as u16, kind, flags: 0 };
                        self.identity(row, event, open, cgroups, batch)?;
                    }
                }
            }
        }
        batch.events.truncate(taken);
        self.row = end;
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
