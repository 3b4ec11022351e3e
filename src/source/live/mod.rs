//! Rows from the running kernel: all of libbpf.
//!
//! Host facts → decision → read-only data → load, attach, read. A [`Live`] is one scan's loaded object; it sees nothing
//! before [`Live::open`] and nothing after [`Live::close`].

mod bytes;
mod error;
mod facts;
mod load;
mod paths;
mod pool;
mod read;
pub mod record;
pub mod rodata;
mod statistics;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use libbpf_rs::{Link, MapCore, MapFlags, Object, RingBuffer, RingBufferBuilder};

pub use error::Error;
pub use facts::{Facts, machine};
pub use pool::Pool;
pub use read::COUNTERS;
pub use record::{Gate, RecordOptions, Recorder, Summary};
pub use statistics::{ProgramRun, Statistics};

use super::blocks::Blocks;
use super::decode::Group;
use super::{Account, Table, decode};
use crate::plan::layout::{Layout, Machine, Mode};
use crate::plan::{Output, Scan};

/// The compiled programs, by family.
mod objects {
    include!(concat!(env!("OUT_DIR"), "/objects.rs"));
}

/// The compiled object of a family; tests read its BTF.
pub fn object(family: &str) -> Option<&'static [u8]> {
    objects::OBJECTS.iter().find(|o| o.0 == family).map(|o| o.1)
}

/// The families that have programs.
pub fn families() -> impl Iterator<Item = &'static str> {
    objects::OBJECTS.iter().map(|o| o.0)
}

/// Which processes a scan sets apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processes {
    /// schedq itself.
    pub own: u32,
    /// The command after `--`.
    pub child: Option<u32>,
}

/// What a scan's programs did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Empty of times while nobody holds [`Statistics`].
    pub programs: Vec<ProgramRun>,
    /// Name, groups, room.
    pub maps: Vec<(&'static str, u64, u64)>,
}

/// A scan whose programs are attached.
pub struct Live {
    // Links are dropped before the object that they belong to.
    links: Vec<Link>,
    ring: Option<RingBuffer<'static>>,
    rows: Rc<RefCell<Rows>>,
    /// Rows that were handed out by [`Live::take_rows`].
    rows_taken: u64,
    /// Those that lay behind the last interval.
    rows_behind: u64,
    object: Object,
    key: Option<pool::Key>,
    attachment: u16,
    /// Events that the kernel had kept from its programs before.
    skipped_before: u64,
    scan: Scan,
    layout: Layout,
    machine: Machine,
    notes: Vec<String>,
    start_ns: u64,
    /// The first interval that was not yet taken.
    next_interval: u64,
    /// Its matched rows are those that were handed out; those still in the maps come on top.
    account: Account,
    paths: paths::HostPaths,
    /// What the groups' histograms got in parts of the window.
    blocks: Blocks,
}

impl Live {
    /// Loads and attaches. Nothing is counted until [`Live::open`].
    pub fn attach(scan: &Scan, processes: Processes) -> Result<Live, Error> {
        Live::attach_any(scan, processes, None, None)
    }

    /// The same, with an object that was loaded before where there is one.
    pub fn attach_again(
        scan: &Scan,
        processes: Processes,
        facts: Option<Facts>,
        pool: &mut Pool,
    ) -> Result<Live, Error> {
        Live::attach_any(scan, processes, facts, Some(pool))
    }

    /// The same, as on a kernel of which these facts hold: a newer one takes the programs of an older one too.
    pub fn attach_as(scan: &Scan, processes: Processes, facts: Option<Facts>) -> Result<Live, Error> {
        Live::attach_any(scan, processes, facts, None)
    }

    fn attach_any(
        scan: &Scan,
        processes: Processes,
        facts: Option<Facts>,
        pool: Option<&mut Pool>,
    ) -> Result<Live, Error> {
        let load::Loaded { object, key, attachment, links, layout, machine, notes } =
            load::load(scan, processes, facts, pool)?;
        let skipped_before = if attachment > 0 { read::recursion_misses(&object) } else { 0 };
        let rows = Rc::new(RefCell::new(Rows::up_to(scan.map_bytes)));
        let ring = (layout.mode == Mode::Rows).then(|| ring(&object, &rows)).transpose()?;
        let paths = paths::HostPaths::of(scan);
        Ok(Live {
            links,
            ring,
            rows,
            rows_taken: 0,
            rows_behind: 0,
            object,
            key,
            attachment,
            skipped_before,
            scan: scan.clone(),
            layout,
            machine,
            notes,
            start_ns: 0,
            next_interval: 0,
            account: Account::default(),
            paths,
            blocks: Blocks::default(),
        })
    }

    /// The window begins: CLOCK_MONOTONIC ns, read by the caller just before.
    pub fn open(&mut self, start_ns: u64) -> Result<(), Error> {
        self.start_ns = start_ns;
        set_window(&self.object, start_ns, true)
    }

    /// The window ends. Counts what is still open, then lets go of the kernel's tracepoints.
    pub fn close(&mut self) -> Result<(), Error> {
        set_window(&self.object, self.start_ns, false)?;
        self.account.open = read::open_spans(&self.object)?;
        // Programs that were running finish before their links are gone, and then the counters stand still.
        self.links.clear();
        self.poll()?;
        let refused = self.rows.borrow().refused;
        read::losses(&self.object, &self.scan, refused, self.skipped_before, &mut self.account)
    }

    /// Empties the ring; to be called many times a second while [`Live::has_ring`].
    pub fn poll(&mut self) -> Result<(), Error> {
        match &self.ring {
            Some(ring) => ring.consume().map_err(Error::read),
            None => Ok(()),
        }
    }

    pub fn has_ring(&self) -> bool {
        self.ring.is_some()
    }

    /// Tasks of which something is remembered; `None` where the kernel keeps that with the task itself.
    pub fn remembered(&self) -> Result<Option<usize>, Error> {
        match self.machine.task_storage {
            true => Ok(None),
            false => Ok(Some(read::map(&self.object, "state_hash")?.keys().count())),
        }
    }

    /// Rows that came through the ring so far.
    pub fn rows_read(&self) -> u64 {
        let width = self.layout.record_slots.len().max(1);
        self.rows_taken + (self.rows.borrow().words.len() / width) as u64
    }

    /// Rows that came through the ring and were not handed out, the oldest first and at most so many; `None` when there are
    /// none.
    pub fn take_rows(&mut self, most: usize) -> Option<Table> {
        let words = self.taken_rows(most);
        if words.is_empty() {
            return None;
        }
        let table = decode::rows(&self.scan, &self.layout, &words, self.rows_taken, self.start_ns, &mut self.paths);
        self.rows_taken += table.height as u64;
        self.account.matched += table.height as u64;
        Some(table)
    }

    /// The words of the rows that came meanwhile. The end of the window is a signal from here, a little late: with intervals,
    /// a row that lies behind the last one is none.
    fn taken_rows(&mut self, most: usize) -> Vec<u64> {
        let width = self.layout.record_slots.len().max(1);
        let words: Vec<u64> = {
            let kept = &mut self.rows.borrow_mut().words;
            let end = kept.len().min(most.saturating_mul(width));
            kept.drain(..end).collect()
        };
        let at = self.layout.record_slots.iter().position(|slot| *slot == 0);
        let (Some(_), Some(bound), Some(at)) = (self.scan.every_ns, self.scan.bound_ns, at) else { return words };
        let end = self.start_ns.saturating_add(bound);
        let inside: Vec<u64> = words.chunks_exact(width).filter(|row| row[at] < end).flatten().copied().collect();
        self.rows_behind += ((words.len() - inside.len()) / width) as u64;
        inside
    }

    /// The groups of every interval that ended before `now_ns`, removed from the kernel's map; `None` when there is no
    /// such interval. Only for scans with `every` that aggregate.
    pub fn take_intervals(&mut self, now_ns: u64) -> Result<Option<Table>, Error> {
        let Some(every) = self.scan.every_ns else { return Ok(None) };
        if self.layout.mode == Mode::Rows {
            return Ok(None);
        }
        let current = now_ns.saturating_sub(self.start_ns) / every;
        if current <= self.next_interval {
            return Ok(None);
        }
        let from = self.next_interval;
        self.next_interval = current;
        let groups = read::take_groups(&self.object, &self.scan, &self.layout, self.machine, Some(from..current))?;
        let table = decode::groups(&self.scan, &self.layout, groups, self.start_ns, &mut self.paths);
        self.account.matched += matched(&table);
        Ok(Some(table))
    }

    /// What the programs did so far, and how full the maps of groups are.
    pub fn ran(&self) -> Ran {
        let map = match self.layout.mode {
            Mode::Groups => Some("groups"),
            Mode::Histograms => Some("histograms"),
            Mode::Single | Mode::Rows => None,
        };
        let used = |name: &'static str| {
            let map = read::map(&self.object, name).ok()?;
            Some((name, map.keys().count() as u64, u64::from(self.layout.map(name)?.entries)))
        };
        Ran { programs: statistics::runs(&self.object), maps: map.and_then(used).into_iter().collect() }
    }

    /// Whether the parts of this scan's window can be told apart by [`Live::end_part`].
    pub fn has_parts(&self) -> bool {
        let needs = matches!(self.scan.output, Output::Groups { needs, .. } if needs.histogram);
        needs && self.scan.every_ns.is_none() && self.blocks.wants_more()
    }

    /// A part of the window has ended: what it brought is kept by itself. Nothing is taken out of the kernel's maps. Gives
    /// whether parts are to be twice as long from now on.
    pub fn end_part(&mut self) -> Result<bool, Error> {
        let groups = match self.layout.mode {
            Mode::Rows => return Ok(false),
            Mode::Single => vec![Group { key: Vec::new(), cell: read::single(&self.object, &self.layout)? }],
            Mode::Groups | Mode::Histograms => {
                read::take_groups(&self.object, &self.scan, &self.layout, self.machine, None)?
            }
        };
        Ok(self.blocks.end_part(groups.iter().map(|group| (group.key.as_slice(), &group.cell.histogram))))
    }

    /// What is left to read after [`Live::close`], and the account of the whole window.
    pub fn finish(mut self) -> Result<(Table, Account, Vec<String>), Error> {
        self.rest()
    }

    /// The same; the object then waits in `pool` for a scan that is the same.
    pub fn finish_into(mut self, pool: &mut Pool) -> Result<(Table, Account, Vec<String>), Error> {
        let rest = self.rest()?;
        let Live { links, ring, object, key, attachment, .. } = self;
        drop((links, ring));
        if let Some(key) = key {
            pool.put(key, object, attachment);
        }
        Ok(rest)
    }

    fn rest(&mut self) -> Result<(Table, Account, Vec<String>), Error> {
        let table = match self.layout.mode {
            Mode::Rows => {
                let words = self.taken_rows(usize::MAX);
                self.account.seen = self.account.seen.saturating_sub(self.rows_behind);
                decode::rows(&self.scan, &self.layout, &words, self.rows_taken, self.start_ns, &mut self.paths)
            }
            Mode::Single => {
                let mut whole = [Group { key: Vec::new(), cell: read::single(&self.object, &self.layout)? }];
                std::mem::take(&mut self.blocks).finish(&mut whole);
                let [Group { cell, .. }] = whole;
                decode::single(cell)
            }
            Mode::Groups | Mode::Histograms => {
                let mut groups = read::take_groups(&self.object, &self.scan, &self.layout, self.machine, None)?;
                if let (Some(every), Some(bound)) = (self.scan.every_ns, self.scan.bound_ns) {
                    // The end of the window is a signal from here, a little late: an interval that lies behind it is none.
                    let (inside, behind): (Vec<_>, Vec<_>) =
                        groups.into_iter().partition(|g| g.key[0].saturating_mul(every) < bound);
                    groups = inside;
                    let rows: u64 = behind.iter().map(|g| g.cell.count).sum();
                    self.account.seen = self.account.seen.saturating_sub(rows);
                }
                std::mem::take(&mut self.blocks).finish(&mut groups);
                decode::groups(&self.scan, &self.layout, groups, self.start_ns, &mut self.paths)
            }
        };
        self.account.matched += matched(&table);
        Ok((table, std::mem::take(&mut self.account), std::mem::take(&mut self.notes)))
    }
}

/// Opens or closes the window of an object's programs.
fn set_window(object: &Object, start_ns: u64, open: bool) -> Result<(), Error> {
    change_window(object, |value| {
        value[..8].copy_from_slice(&start_ns.to_ne_bytes());
        value[8..16].copy_from_slice(&u64::from(open).to_ne_bytes());
    })
}

/// The number of the attachment to come.
fn set_attachment(object: &Object, attachment: u16) -> Result<(), Error> {
    change_window(object, |value| value[16..18].copy_from_slice(&attachment.to_ne_bytes()))
}

/// `struct query_window` of `src/bpf/config.bpf.h`.
fn change_window(object: &Object, change: impl FnOnce(&mut [u8])) -> Result<(), Error> {
    let map = read::map(object, ".bss")?;
    // What stands behind these is the programs' own.
    let mut value = map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?.unwrap_or_default();
    value.resize(map.value_size() as usize, 0);
    change(&mut value);
    map.update(&0u32.to_ne_bytes(), &value, MapFlags::ANY).map_err(Error::read)
}

fn matched(table: &Table) -> u64 {
    match &table.cells {
        Some(cells) => cells.iter().map(|c| c.count).sum(),
        None => table.height as u64,
    }
}

/// Rows that wait for the end of the window: a person may have asked for more than this machine can hold.
struct Rows {
    words: VecDeque<u64>,
    most_words: usize,
    refused: u64,
}

impl Rows {
    fn up_to(bytes: u64) -> Rows {
        Rows { words: VecDeque::new(), most_words: usize::try_from(bytes / 8).unwrap_or(usize::MAX), refused: 0 }
    }

    fn add(&mut self, record: &[u8]) {
        if self.words.len() + record.len() / 8 > self.most_words {
            self.refused += 1;
        } else {
            self.words.extend(bytes::words(record));
        }
    }
}

fn ring(object: &Object, rows: &Rc<RefCell<Rows>>) -> Result<RingBuffer<'static>, Error> {
    let rows = rows.clone();
    let map = read::map(object, "ring")?;
    let mut builder = RingBufferBuilder::new();
    builder
        .add(&map, move |bytes| {
            rows.borrow_mut().add(bytes);
            0
        })
        .map_err(Error::read)?;
    builder.build().map_err(Error::read)
}
