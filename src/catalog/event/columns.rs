//! Events column by column, as a page of a recording has them: what pairing takes without anybody putting them together in
//! memory first.

use std::ops::Range;

use super::{Event, Kind};

/// No number of a [`Kind`].
pub const UNKNOWN: u8 = 31;

/// Rows of a page in the order of time, identities and losses among them. A field that only some kinds of events have is a
/// list of their values only; a list that was not wanted, or of which all values are 0, is empty, and the field is 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns<'a> {
    /// Numbers of [`Kind`]; what is of a later version has [`UNKNOWN`].
    pub kind: &'a [u8],
    /// CLOCK_MONOTONIC ns.
    pub at: &'a [u64],
    pub tid: &'a [u32],
    pub cpu: &'a [u32],
    /// `Event::other` of switches, of waking and wakeup_new, and of migrations.
    pub next_tid: &'a [u32],
    pub waker_tid: &'a [u32],
    pub from_cpu: &'a [u32],
    /// `Event::state` of switches, and of wakes and migrations.
    pub state: &'a [u32],
    pub target_cpu: &'a [u32],
    /// `Event::flags` of switches and of wakes.
    pub switch_flags: &'a [u8],
    pub wake_flags: &'a [u8],
    /// What was gone through of each.
    pub place: Place,
}

/// Before a row: how many there were, and how many of these kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    pub row: usize,
    pub switches: usize,
    /// Waking, wakeup and wakeup_new; of them, the wakeups, which do not tell a waker.
    pub wakes: usize,
    pub wakeups: usize,
    pub migrations: usize,
}

impl Place {
    /// Goes over one row.
    #[inline]
    pub fn step(&mut self, kind: u8) {
        self.count(kind);
        self.row += 1;
    }

    /// All of [`Place::step`] but the row itself.
    pub fn count(&mut self, kind: u8) {
        match Kind::of_number(kind) {
            Some(Kind::Switch) => self.switches += 1,
            Some(Kind::Waking | Kind::WakeupNew) => self.wakes += 1,
            Some(Kind::Wakeup) => {
                self.wakes += 1;
                self.wakeups += 1;
            }
            Some(Kind::Migrate) => self.migrations += 1,
            _ => {}
        }
    }
}

/// A field of a row that has one.
#[inline]
fn field<T: Copy + Default>(list: &[T], at: usize) -> T {
    list.get(at).copied().unwrap_or_default()
}

impl Columns<'_> {
    /// When the next event is of these kinds (a bit each); rows of others before it are left behind. `None`: there is none.
    pub fn next(&mut self, kinds: u16) -> Option<u64> {
        while let Some(kind) = self.kind.get(self.place.row) {
            if is_of(kinds, *kind) {
                return Some(field(self.at, self.place.row));
            }
            self.place.step(*kind);
        }
        None
    }

    /// The first row from here on that is no earlier than that time.
    pub fn row_at(&self, time: u64) -> usize {
        if self.at.last().is_none_or(|last| *last < time) {
            return self.kind.len();
        }
        self.place.row + self.at[self.place.row..].partition_point(|at| *at < time)
    }

    /// When the last event of these kinds was, of the rows before one.
    pub fn last(&self, kinds: u16, end: usize) -> Option<u64> {
        let row = self.kind[..end].iter().rposition(|kind| is_of(kinds, *kind))?;
        Some(field(self.at, row))
    }

    /// Whether no event but switches has fields beside those that all have: only switches need be counted then.
    pub fn only_of_switches(&self) -> bool {
        let lists = [self.waker_tid, self.from_cpu, self.target_cpu];
        lists.iter().all(|list| list.is_empty()) && self.wake_flags.is_empty()
    }

    /// Of so many rows from one on, at most 64: a bit for each that is an event of these kinds.
    #[inline]
    pub fn mask(&self, kinds: u16, rows: Range<usize>) -> u64 {
        let kinds = u32::from(kinds);
        let byte =
            |rows: &[u8]| rows.iter().rev().fold(0, |byte, kind| byte << 1 | u64::from(kinds >> (kind & 31) & 1));
        let bytes = self.kind[rows].chunks(8);
        bytes.zip((0..).step_by(8)).fold(0, |mask, (rows, shift)| mask | byte(rows) << shift)
    }

    /// The event of the row at a place, whose kind is no identity and no loss.
    #[inline(always)]
    pub fn event(&self, place: &Place, kind: Kind) -> Event {
        let Place { row, switches, wakes, wakeups, migrations } = *place;
        let (other, state, flags) = match kind {
            Kind::Switch => {
                (field(self.next_tid, switches), field(self.state, switches), field(self.switch_flags, switches))
            }
            Kind::Wakeup => (0, field(self.target_cpu, wakes + migrations), field(self.wake_flags, wakes)),
            Kind::Waking | Kind::WakeupNew => (
                field(self.waker_tid, wakes - wakeups),
                field(self.target_cpu, wakes + migrations),
                field(self.wake_flags, wakes),
            ),
            Kind::Migrate => (field(self.from_cpu, migrations), field(self.target_cpu, wakes + migrations), 0),
            _ => (0, 0, 0),
        };
        let (at, tid, cpu) = (field(self.at, row), field(self.tid, row), field(self.cpu, row) as u16);
        Event { at, tid, other, state, cpu, kind, flags }
    }
}

/// Whether a row is an event of these kinds.
#[inline]
pub fn is_of(kinds: u16, kind: u8) -> bool {
    kinds.checked_shr(u32::from(kind)).unwrap_or(0) & 1 == 1
}
