//! How rows come out of recorded events: what a family declares of it, and the two sides that meet in it. One side pairs
//! events to spans and is the family's own; the other tests, groups or collects rows and is the same for all.

mod known;

use std::ops::ControlFlow;

use super::LossKind;
use super::event::columns::Place;
use super::event::{Columns, Event, Kind, flag};
pub use known::{Known, MISSING, Task, Verdict, Window};

/// What a family declares so that its rows can be had from a recording.
#[derive(Debug, Clone, Copy)]
pub struct Replay {
    /// The events that it looks at; a reader may leave out all others. Those that tell who a task is are always read.
    pub kinds: &'static [Kind],
    /// What it looks at in them, when the query reads the slots of this mask.
    pub reads: fn(need: u64) -> Fields,
    /// Its pairing, when the query reads the slots of this mask.
    pub start: fn(need: u64) -> Box<dyn Pairing>,
}

/// A declaration is a static: it is equal to itself only.
impl PartialEq for Replay {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.start, other.start) && self.kinds == other.kinds
    }
}

impl Eq for Replay {}

/// The fields of an [`Event`] that are looked at, beside its kind and its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fields {
    /// By the pairing; whoever tests, groups or keeps rows may need it too.
    pub at: bool,
    pub other: bool,
    pub state: bool,
    pub cpu: bool,
    /// The bits of [`flag`] that are looked at.
    pub flags: u8,
    /// The slots of the task's columns that are looked at of the other task in the event.
    pub of_other: u64,
}

const SWITCH: u8 = Kind::Switch as u8;
const WAKING: u8 = Kind::Waking as u8;
const WAKEUP: u8 = Kind::Wakeup as u8;

/// Makes a family's rows of events, one after the other.
pub trait Pairing {
    /// The next event in the order of time, of the declared kinds; who its tasks are is known as far as it will ever be.
    /// `Break` when `out` wants no more. To be inlined: it is called in the two loops below only.
    fn event(&mut self, event: &Event, known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()>;

    fn events(&mut self, events: &[Event], known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()> {
        events.iter().try_for_each(|event| self.event(event, known, out))
    }

    /// The events of these kinds (a bit each) in the rows up to one. On a `Break` the columns stand where they stood.
    fn columns(
        &mut self,
        columns: &mut Columns,
        (end, kinds): (usize, u16),
        known: &mut Known,
        out: &mut dyn Rows,
    ) -> ControlFlow<()> {
        if columns.only_of_switches() {
            return self.marked(columns, (end, kinds), known, out);
        }
        let mut place = columns.place;
        let rows = &columns.kind[..end];
        // Events come in an order that no processor foresees, so there is one branch on the kind and no more: behind it, what
        // the family does with other kinds is known not to be.
        macro_rules! event {
            ($kind:expr) => {
                if kinds >> $kind as u16 & 1 == 1 {
                    self.event(&columns.event(&place, $kind), known, out)?;
                }
            };
        }
        while let Some(&number) = rows.get(place.row) {
            match number {
                SWITCH => {
                    event!(Kind::Switch);
                    place.switches += 1;
                }
                WAKING => {
                    event!(Kind::Waking);
                    place.wakes += 1;
                }
                WAKEUP => {
                    event!(Kind::Wakeup);
                    place.wakes += 1;
                    place.wakeups += 1;
                }
                _ => {
                    if let Some(kind) = Kind::of_number(number) {
                        event!(kind);
                    }
                    place.count(number);
                }
            }
            place.row += 1;
        }
        columns.place = place;
        ControlFlow::Continue(())
    }

    /// The same where rows that are not of these kinds can be stepped over 64 at a time.
    fn marked(
        &mut self,
        columns: &mut Columns,
        (end, kinds): (usize, u16),
        known: &mut Known,
        out: &mut dyn Rows,
    ) -> ControlFlow<()> {
        let mut place = columns.place;
        let only_switches = kinds == 1 << SWITCH;
        for first in (place.row..end).step_by(64) {
            let mut left = columns.mask(kinds, first..end.min(first + 64));
            while left != 0 {
                place.row = first + left.trailing_zeros() as usize;
                left &= left - 1;
                if only_switches || columns.kind[place.row] == SWITCH {
                    self.event(&columns.event(&place, Kind::Switch), known, out)?;
                    place.switches += 1;
                } else if columns.kind[place.row] == WAKEUP {
                    self.event(&columns.event(&place, Kind::Wakeup), known, out)?;
                } else if let Some(kind) = Kind::of_number(columns.kind[place.row]) {
                    self.event(&columns.event(&place, kind), known, out)?;
                }
            }
        }
        // Rows of other kinds were not counted.
        if kinds & 1 << SWITCH == 0 {
            let before = columns.place.row;
            place.switches += columns.kind[before..end].iter().filter(|kind| **kind == SWITCH).count();
        }
        columns.place = Place { row: end, ..place };
        ControlFlow::Continue(())
    }

    /// A task is known to be gone whose span is still open: its number has been given to another one.
    fn gone(&mut self, place: usize, at: u64, known: &mut Known) {
        let _ = (place, at, known);
    }

    /// Rows completed inside the window, of tasks that passed the tests of identity.
    fn seen(&self) -> u64;

    /// How often each of the family's own losses was met, in the order of its declaration.
    fn losses(&self) -> Vec<u64>;
}

/// Where completed rows go.
pub trait Rows {
    /// Whether a task passes the tests of identity on a CPU; only asked where the answer depends on the CPU.
    fn wanted_on(&mut self, task: &mut Task, cpu: u16) -> bool;

    /// A row that is complete: of which task, when (CLOCK_MONOTONIC ns) and where it ended, and the slots of the family's
    /// own columns, of which only those need be right that the query reads. `Break` when no more are wanted.
    fn row(&mut self, task: &mut Task, at: u64, cpu: u16, own: &[u64]) -> ControlFlow<()>;
}

/// What a recording can lack, beside what was lost while it was made and what the family's pairing finds.
pub static LOSSES: &[LossKind] = &[
    LossKind {
        counter: "gap",
        name: "gap",
        label: "across lost events",
        is_loss: true,
        doc: "events were lost after the row had begun, so that it may be two rows or none: discarded",
    },
    LossKind {
        counter: "out_of_order",
        name: "out_of_order",
        label: "out of order",
        is_loss: true,
        doc: "an event stood in the recording behind later ones, or could not be written in its place: left out",
    },
    LossKind {
        counter: "identity_unseen",
        name: "identity_unseen",
        label: "identity unseen",
        is_loss: true,
        doc: "the recording does not tell who the task is: no row, or one that does not name the other task",
    },
];

/// Bits of task_struct.exit_state, which [`Event::state`] holds too.
const EXIT_STATES: u32 = 0x10 | 0x20;
/// TASK_DEAD of task_struct.__state: the task is never switched in again.
const TASK_DEAD: u32 = 0x80;

/// Whether the task that leaves in a switch stays runnable: preempted, whatever state it had begun to take, or in no other
/// state. A task that has ended but still runs does so too: the state it ended with is not one that it sleeps in.
pub fn stays_runnable(event: &Event) -> bool {
    (event.flags & flag::PREEMPT != 0) | (event.state & !EXIT_STATES == 0)
}

/// Whether the task that leaves in a switch leaves for good.
pub fn leaves_for_good(event: &Event) -> bool {
    event.state & TASK_DEAD != 0
}
