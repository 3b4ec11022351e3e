//! One row group while it is written: rows are taken in, full pages are encoded at once, so that what is held is small.

use std::collections::HashMap;

use super::container::{Chunk, Packed};
use super::encode::{self, MISSING};
use super::error::Doing;
use super::meta;
use super::rare;
use super::schema::{COLUMNS, IDS, Id, PAGED, Rows, STATES, state_word};
use super::tasks::{Keys, Tasks};
use crate::catalog::event::{Event, Gap, Identity, Kind, flag};

/// Rows of a page. A reader holds one page of each column that it needs, unpacked.
pub const PAGE_ROWS: usize = 1 << 16;

/// Bitmaps that several columns share: which rows of the open page have a value.
const CLASSES: [Rows; 8] =
    [Rows::Place, Rows::Task, Rows::Switch, Rows::Stated, Rows::Wake, Rows::Waker, Rows::Target, Rows::Migrate];

/// By kind: in byte `n` a 1 if the class `n` has it. Shifted by the row and put together, eight rows give eight bytes, one of
/// each class' bitmap.
const CLASS_BITS: [u64; Kind::ALL.len()] = {
    let mut table = [0; Kind::ALL.len()];
    let mut kind = 0;
    while kind < table.len() {
        let mut class = 0;
        while class < CLASSES.len() {
            if CLASSES[class].kinds() >> kind & 1 == 1 {
                table[kind] |= 1 << (8 * class);
            }
            class += 1;
        }
        kind += 1;
    }
    table
};

/// The rows that are not encoded yet. Lists of columns that not every row has are shorter.
#[derive(Default)]
struct Open {
    at: Vec<i64>,
    kind: Vec<u8>,
    keys: [Vec<u32>; PAGED],
    flags: [Vec<u8>; 3],
}

impl Open {
    fn push(&mut self, column: Id, key: u32) {
        self.keys[column as usize].push(key);
    }

    fn clear(&mut self) {
        self.at.clear();
        self.kind.clear();
        self.keys.iter_mut().for_each(Vec::clear);
        self.flags.iter_mut().for_each(Vec::clear);
    }
}

pub struct Group {
    tasks: Tasks,
    cpus: Keys,
    states: Keys,
    open: Open,
    /// Of the columns that are paged.
    pages: Vec<Vec<Packed>>,
    rows: usize,
    first: u64,
    last: u64,
    in_order: bool,
    counts: [u64; Kind::ALL.len()],
    identities: Vec<(u32, Identity)>,
    gaps: Vec<(u32, Gap)>,
    /// Outlives the group: the paths of cgroups by their numbers.
    cgroups: HashMap<u64, String>,
}

impl Group {
    pub fn new() -> Group {
        Group {
            tasks: Tasks::new(),
            cpus: Keys::new(1 << 16),
            states: Keys::new(1 << 16),
            open: Open::default(),
            pages: (0..PAGED).map(|_| Vec::new()).collect(),
            rows: 0,
            first: u64::MAX,
            last: 0,
            in_order: true,
            counts: [0; Kind::ALL.len()],
            identities: Vec::new(),
            gaps: Vec::new(),
            cgroups: HashMap::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Begins another group; who tasks are and the cgroups' paths stay known.
    pub fn next(&mut self) {
        self.tasks.next_group();
        self.cpus.clear();
        self.states.clear();
        self.open.clear();
        self.pages.iter_mut().for_each(Vec::clear);
        self.rows = 0;
        self.first = u64::MAX;
        self.last = 0;
        self.in_order = true;
        self.counts = [0; Kind::ALL.len()];
        self.identities.clear();
        self.gaps.clear();
    }

    pub fn name_cgroup(&mut self, id: u64, path: &str) {
        self.cgroups.insert(id, path.to_owned());
    }

    fn row(&mut self, at: u64, kind: Kind, cpu: Option<u16>) -> Result<(), Doing> {
        if self.open.at.len() == PAGE_ROWS {
            for (all, page) in self.pages.iter_mut().zip(self.open.encode()?) {
                all.push(page);
            }
            self.open.clear();
        }
        self.in_order &= at >= self.last;
        self.first = self.first.min(at);
        self.last = self.last.max(at);
        self.counts[kind as usize] += 1;
        self.rows += 1;
        self.open.at.push(at as i64);
        self.open.kind.push(kind as u8);
        let cpu = cpu.map_or(MISSING, |cpu| self.cpus.of(cpu.into()));
        self.open.push(Id::Cpu, cpu);
        Ok(())
    }

    pub fn event(&mut self, event: &Event) -> Result<(), Doing> {
        self.row(event.at, event.kind, Some(event.cpu))?;
        let task = self.tasks.keys(event.tid, event.cpu);
        let open = &mut self.open;
        open.push(Id::Tid, task.tid);
        open.push(Id::Comm, task.comm);
        open.push(Id::Prio, task.prio);
        match event.kind {
            Kind::Switch => {
                let next = self.tasks.keys(event.other, event.cpu);
                let preempted = event.flags & flag::PREEMPT != 0;
                open.push(Id::State, state_word(event.state, preempted).into());
                open.push(Id::StateBits, self.states.of(event.state as i32));
                open.flags[0].push(preempted.into());
                open.flags[1].push((event.flags & flag::THROTTLED != 0).into());
                open.push(Id::NextTid, next.tid);
                open.push(Id::NextComm, next.comm);
                open.push(Id::NextPrio, next.prio);
            }
            Kind::Waking | Kind::Wakeup | Kind::WakeupNew => {
                open.flags[2].push((event.flags & flag::ON_CPU != 0).into());
                open.push(Id::TargetCpu, self.cpus.of(event.state as i32));
                if event.kind != Kind::Wakeup {
                    let waker = self.tasks.keys(event.other, event.cpu);
                    open.push(Id::WakerTid, waker.tid);
                    open.push(Id::WakerComm, waker.comm);
                }
            }
            Kind::Migrate => {
                open.push(Id::TargetCpu, self.cpus.of(event.state as i32));
                open.push(Id::FromCpu, self.cpus.of(event.other as i32));
            }
            // Identities and losses are lists of their own; of an exit there is no more to say.
            Kind::Exit | Kind::Task | Kind::Fork | Kind::Exec | Kind::Rename | Kind::Loss => {}
        }
        Ok(())
    }

    pub fn identity(&mut self, who: &Identity) -> Result<(), Doing> {
        self.row(who.at, who.kind, Some(who.cpu))?;
        let task = self.tasks.tell(who);
        self.open.push(Id::Tid, task.tid);
        self.open.push(Id::Comm, task.comm);
        self.open.push(Id::Prio, task.prio);
        self.open.push(Id::StateBits, self.states.of(who.state as i32));
        self.identities.push((self.rows as u32 - 1, *who));
        Ok(())
    }

    pub fn gap(&mut self, gap: &Gap) -> Result<(), Doing> {
        self.row(gap.to, Kind::Loss, gap.cpu)?;
        self.gaps.push((self.rows as u32 - 1, *gap));
        Ok(())
    }

    /// All columns of the rows so far. Full pages are those that were encoded before; only the open one is encoded now.
    pub fn chunks(&self) -> Result<Vec<Chunk<'_>>, Doing> {
        let last = if self.open.at.is_empty() { Vec::new() } else { self.open.encode()? };
        let mut last = last.into_iter();
        let mut chunks = Vec::with_capacity(COLUMNS.len());
        for (column, pages) in self.pages.iter().enumerate() {
            let dictionary = match dictionary(column, self) {
                Some((plain, values)) => Some(Packed::zstd(plain, values)?),
                None => None,
            };
            chunks.push(Chunk { column, dictionary, full: pages, last: last.next() });
        }
        rare::chunks(&self.identities, &self.gaps, &self.cgroups, self.rows, &mut chunks)?;
        Ok(chunks)
    }

    /// What the file says of the group; the digests are taken of its bytes.
    pub fn meta(&self) -> meta::Group {
        let counts = Kind::ALL.into_iter().map(|kind| (kind.word().to_owned(), self.counts[kind as usize]));
        meta::Group {
            rows: self.rows as u64,
            first_ns: self.first,
            last_ns: self.last,
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            in_order: self.in_order,
            tasks: self.tasks.fresh,
            digests: Default::default(),
        }
    }
}

impl Open {
    /// A page of each column that is paged.
    fn encode(&self) -> Result<Vec<Packed>, Doing> {
        let rows = self.at.len();
        let mut bitmaps: [Vec<u8>; CLASSES.len()] = Default::default();
        for rows in self.kind.chunks(8) {
            let bytes = rows.iter().enumerate().fold(0, |all, (i, kind)| all | CLASS_BITS[*kind as usize] << i);
            for (bitmap, byte) in bitmaps.iter_mut().zip(bytes.to_le_bytes()) {
                bitmap.push(byte);
            }
        }
        let mut pages = Vec::with_capacity(PAGED);
        for (column, declared) in COLUMNS[..PAGED].iter().enumerate() {
            let mut plain = Vec::new();
            let (mut range, mut nulls) = (None, 0);
            let keys = &self.keys[column];
            let class = CLASSES.iter().position(|class| *class == declared.rows).map(|class| &bitmaps[class]);
            match IDS[column] {
                Id::At => {
                    encode::deltas(&self.at, &mut plain);
                    let (least, most) = (self.at.iter().min(), self.at.iter().max());
                    range =
                        least.zip(most).map(|(least, most)| (least.to_le_bytes().into(), most.to_le_bytes().into()));
                }
                Id::Event => {
                    let kinds: Vec<u32> = self.kind.iter().map(|kind| (*kind).into()).collect();
                    encode::keys(&kinds, &mut plain);
                    range = words(&self.kind);
                }
                Id::Preempted | Id::Throttled | Id::OnCpu => {
                    let flags = &self.flags[match IDS[column] {
                        Id::Preempted => 0,
                        Id::Throttled => 1,
                        _ => 2,
                    }];
                    encode::levels(class.expect("a class"), rows, flags.len(), &mut plain);
                    encode::bits(flags.iter().map(|flag| *flag != 0), &mut plain);
                    nulls = rows - flags.len();
                    let (least, most) = (flags.iter().min(), flags.iter().max());
                    range = least.zip(most).map(|(least, most)| (vec![*least], vec![*most]));
                }
                _ => present(class.expect("a class"), rows, keys, &mut plain),
            }
            let packed = match IDS[column] {
                // Packed bits are hardly smaller after it, and take longer to unpack than all that is done to them.
                Id::At => Packed::plain(plain, rows),
                _ => Packed::zstd(plain, rows)?,
            };
            pages.push(Packed { range, nulls, ..packed });
        }
        Ok(pages)
    }
}

/// Levels and keys of a column of which some values may be missing beyond what its class says.
fn present(class: &[u8], rows: usize, keys: &[u32], plain: &mut Vec<u8>) {
    if !keys.contains(&MISSING) {
        encode::levels(class, rows, keys.len(), plain);
        return encode::keys(keys, plain);
    }
    let mut bitmap = class.to_vec();
    let mut all = keys.iter();
    for row in 0..rows {
        let has = bitmap[row / 8] >> (row % 8) & 1 == 1;
        if has && all.next() == Some(&MISSING) {
            bitmap[row / 8] &= !(1 << (row % 8));
        }
    }
    let there: Vec<u32> = keys.iter().copied().filter(|key| *key != MISSING).collect();
    encode::levels(&bitmap, rows, there.len(), plain);
    encode::keys(&there, plain);
}

/// The least and the greatest word of these events, for readers that look for some events only.
fn words(kinds: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut seen = [false; Kind::ALL.len()];
    kinds.iter().for_each(|kind| seen[*kind as usize] = true);
    let words = || Kind::ALL.into_iter().filter(|kind| seen[*kind as usize]).map(Kind::word);
    Some((words().min()?.into(), words().max()?.into()))
}

/// The plain values of a paged column's dictionary, and how many.
fn dictionary(column: usize, group: &Group) -> Option<(Vec<u8>, usize)> {
    let mut plain = Vec::new();
    let numbers = match IDS[column] {
        Id::At | Id::Preempted | Id::Throttled | Id::OnCpu => return None,
        Id::Event => {
            encode::texts(Kind::ALL.into_iter().map(Kind::word), &mut plain);
            return Some((plain, Kind::ALL.len()));
        }
        Id::State => {
            encode::texts(STATES.into_iter(), &mut plain);
            return Some((plain, STATES.len()));
        }
        Id::Comm | Id::NextComm | Id::WakerComm => {
            encode::texts(group.tasks.texts.iter().map(String::as_str), &mut plain);
            return Some((plain, group.tasks.texts.len()));
        }
        Id::Tid | Id::NextTid | Id::WakerTid => &group.tasks.tids,
        Id::Prio | Id::NextPrio => &group.tasks.prios,
        Id::StateBits => &group.states,
        _ => &group.cpus,
    };
    plain.extend(numbers.values.iter().flat_map(|value| value.to_le_bytes()));
    Some((plain, numbers.values.len()))
}
