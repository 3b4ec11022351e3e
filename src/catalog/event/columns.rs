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
        let (words, rest) = self.kind[rows].as_chunks::<8>();
        let mut last = [UNKNOWN; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain((!rest.is_empty()).then_some(&last));
        words.zip((0..).step_by(8)).fold(0, |mask, (word, shift)| mask | marks(kinds, *word) << shift)
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

/// Of eight rows, a bit for each that is of these kinds; all eight are compared at once, since the numbers of kinds are so
/// small that no byte carries over into the next.
#[inline]
fn marks(kinds: u16, rows: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7f * ONES;
    let rows = u64::from_le_bytes(rows);
    let mut others = LOW + ONES;
    let mut left = kinds;
    while left != 0 {
        let kind = u64::from(left.trailing_zeros());
        left &= left - 1;
        others &= (rows ^ (kind * ONES)) + LOW;
    }
    // The tops of the bytes, put side by side.
    (!others >> 7 & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Whether a row is an event of these kinds.
#[inline]
pub fn is_of(kinds: u16, kind: u8) -> bool {
    kinds.checked_shr(u32::from(kind)).unwrap_or(0) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u8 = Kind::Switch as u8;
    const W: u8 = Kind::Waking as u8;
    const U: u8 = Kind::Wakeup as u8;
    const N: u8 = Kind::WakeupNew as u8;
    const M: u8 = Kind::Migrate as u8;
    const X: u8 = Kind::Exit as u8;
    const T: u8 = Kind::Task as u8;
    const L: u8 = Kind::Loss as u8;

    fn bits(kinds: &[Kind]) -> u16 {
        kinds.iter().fold(0, |bits, kind| bits | 1 << *kind as u16)
    }

    #[test]
    fn rows_of_kinds_are_marked() {
        let kind: Vec<u8> = [W, U, S, S, T, L, UNKNOWN, X, M, N, S].into_iter().cycle().take(90).collect();
        let columns = Columns { kind: &kind, ..Columns::default() };
        assert_eq!(columns.mask(bits(&[Kind::Switch]), 0..11), 0b100_0000_1100);
        assert_eq!(columns.mask(bits(&[Kind::Switch]), 2..5), 0b11);
        assert_eq!(columns.mask(bits(&[Kind::Switch, Kind::Wakeup, Kind::WakeupNew]), 0..11), 0b110_0000_1110);
        assert_eq!(columns.mask(0, 0..64), 0);
        let all = bits(&Kind::ALL);
        for first in 0..26 {
            let mask = columns.mask(all, first..first + 64);
            for row in 0..64 {
                assert_eq!(mask >> row & 1 == 1, kind[first + row] != UNKNOWN, "{first} {row}");
            }
            let mask = columns.mask(bits(&[Kind::Waking, Kind::Exit]), first..first + 64);
            for row in 0..64 {
                assert_eq!(mask >> row & 1 == 1, matches!(kind[first + row], W | X), "{first} {row}");
            }
        }
    }

    #[test]
    fn each_row_takes_the_values_of_its_kind() {
        let columns = Columns {
            kind: &[W, U, T, S, M, L, N, UNKNOWN, S, X],
            at: &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
            tid: &[1, 1, 2, 3, 1, 0, 4, 0, 1, 3],
            cpu: &[0, 0, 0, 1, 0, 0, 1, 0, 1, 1],
            next_tid: &[30, 31],
            waker_tid: &[40, 41],
            from_cpu: &[50],
            state: &[60, 61],
            target_cpu: &[70, 71, 72, 73],
            switch_flags: &[],
            wake_flags: &[0, 4, 0],
            place: Place::default(),
        };
        let mut place = Place::default();
        let mut events = Vec::new();
        for number in columns.kind {
            if let Some(kind) = Kind::of_number(*number).filter(|kind| (*kind as u8) < T) {
                let Event { at, tid, other, state, cpu, kind, flags } = columns.event(&place, kind);
                events.push((at, tid, other, state, cpu, kind, flags));
            }
            place.step(*number);
        }
        let wanted = [
            (10, 1, 40, 70, 0, Kind::Waking, 0),
            (11, 1, 0, 71, 0, Kind::Wakeup, 4),
            (13, 3, 30, 60, 1, Kind::Switch, 0),
            (14, 1, 50, 72, 0, Kind::Migrate, 0),
            (16, 4, 41, 73, 1, Kind::WakeupNew, 0),
            (18, 1, 31, 61, 1, Kind::Switch, 0),
            (19, 3, 0, 0, 1, Kind::Exit, 0),
        ];
        assert_eq!(events, wanted);
        assert!(!columns.only_of_switches());
    }

    #[test]
    fn the_next_the_last_and_the_first_row_from_a_time_on() {
        let mut columns = Columns { kind: &[W, S, U, X, S], at: &[1, 2, 2, 5, 9], ..Columns::default() };
        let switches = bits(&[Kind::Switch]);
        assert_eq!(columns.next(switches), Some(2));
        assert_eq!(columns.place, Place { row: 1, wakes: 1, ..Place::default() });
        assert_eq!([0, 2, 3, 9, 10].map(|time| columns.row_at(time)), [1, 1, 3, 4, 5]);
        assert_eq!(
            [columns.last(switches, 5), columns.last(switches, 4), columns.last(switches, 1)],
            [Some(9), Some(2), None]
        );
        columns.place = Place { row: 5, ..Place::default() };
        assert_eq!(columns.next(switches), None);
    }
}
