//! Switch-outs of recorded events: what `src/bpf/switch.bpf.c` does, over events instead of in them.

use std::ops::ControlFlow;

use super::{INVOLUNTARY, VOLUNTARY, state};
use crate::catalog::event::{Event, Kind, flag};
use crate::catalog::replay::{Fields, Known, MISSING, Pairing, Replay, Rows, Verdict, stays_runnable};
use crate::catalog::task::{OWN_SLOT, slot};

pub const REPLAY: Replay =
    Replay { kinds: &[Kind::Switch], reads, start: |need| Box::new(SwitchOuts { need, seen: 0 }) };

/// Slots of the family's own columns.
const KIND: usize = 0;
const STATE: usize = 1;
const NEXT_TID: usize = 2;
const NEXT_COMM: usize = 3;
const NEXT_PRIO: usize = 5;
const SLOTS: usize = 6;

/// The kernel's bits, the same since 4.14.
const TASK_INTERRUPTIBLE: u32 = 0x1;
const TASK_UNINTERRUPTIBLE: u32 = 0x2;
const TASK_STOPPED: u32 = 0x4;
const TASK_TRACED: u32 = 0x8;
const EXIT_DEAD: u32 = 0x10;
const EXIT_ZOMBIE: u32 = 0x20;
const TASK_PARKED: u32 = 0x40;
const TASK_DEAD: u32 = 0x80;
const TASK_NOLOAD: u32 = 0x400;

const fn bit(own: usize) -> u64 {
    1 << (OWN_SLOT as usize + own)
}

fn reads(need: u64) -> Fields {
    let comm = if need & bit(NEXT_COMM) != 0 { 0b11 << slot::COMM } else { 0 };
    let prio = if need & bit(NEXT_PRIO) != 0 { 1 << slot::PRIO } else { 0 };
    let of_other = comm | prio;
    let other = of_other != 0 || need & bit(NEXT_TID) != 0;
    let flags = if need & (bit(KIND) | bit(STATE)) != 0 { flag::PREEMPT } else { 0 };
    // An idle task is found by its CPU.
    Fields { at: false, other, state: true, cpu: of_other != 0, flags, of_other }
}

struct SwitchOuts {
    need: u64,
    seen: u64,
}

fn state_word(state: u32, waits: bool) -> u64 {
    let has = |bits: u32| state & bits != 0;
    match () {
        () if waits => state::RUNNING,
        () if has(EXIT_ZOMBIE) => state::ZOMBIE,
        () if has(EXIT_DEAD | TASK_DEAD) => state::DEAD,
        () if has(TASK_UNINTERRUPTIBLE) && has(TASK_NOLOAD) => state::IDLE,
        () if has(TASK_PARKED) => state::PARKED,
        () if has(TASK_TRACED) => state::TRACED,
        () if has(TASK_STOPPED) => state::STOPPED,
        () if has(TASK_INTERRUPTIBLE) => state::SLEEP,
        // Also a frozen task and one that waits for a sleeping spinlock: ps shows both as D.
        () => state::DISK,
    }
}

impl Pairing for SwitchOuts {
    #[inline(always)]
    fn event(&mut self, event: &Event, known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()> {
        if event.kind != Kind::Switch {
            return ControlFlow::Continue(());
        }
        let prev = known.leaving(event);
        if known[prev].fixed {
            self.leaves(event, prev, known, out)?;
        }
        known.left(event, prev);
        ControlFlow::Continue(())
    }

    fn seen(&self) -> u64 {
        self.seen
    }

    fn losses(&self) -> Vec<u64> {
        Vec::new()
    }
}

impl SwitchOuts {
    #[inline(always)]
    fn leaves(&mut self, event: &Event, prev: usize, known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()> {
        if !known.wants(prev, event, out) {
            if known[prev].identity == Verdict::Unknown && known.inside(event.at) {
                known.identity_unseen += 1;
            }
            return ControlFlow::Continue(());
        }
        self.seen += 1;
        // As the kernel counts it in nvcsw and nivcsw: the other side of voluntary is preempted or still runnable.
        let waits = stays_runnable(event);
        let mut own = [0; SLOTS];
        own[KIND] = if waits { INVOLUNTARY } else { VOLUNTARY };
        if self.need & bit(STATE) != 0 {
            own[STATE] = state_word(event.state, waits);
        }
        own[NEXT_TID] = u64::from(event.other);
        if self.need & (bit(NEXT_COMM) | bit(NEXT_PRIO)) != 0 {
            let next = known.place(event.other, event.cpu);
            (own[NEXT_COMM], own[NEXT_COMM + 1], own[NEXT_PRIO]) = match known.told_of(next) {
                Some(next) => (next.slots[slot::COMM], next.slots[slot::COMM + 1], next.slots[slot::PRIO]),
                None => (MISSING, MISSING, MISSING),
            };
        }
        out.row(&mut known[prev], event.at, event.cpu, &own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::switch::FAMILY;

    #[test]
    fn slots_are_those_of_the_columns() {
        let slots = [
            ("kind", KIND),
            ("state", STATE),
            ("next_tid", NEXT_TID),
            ("next_comm", NEXT_COMM),
            ("next_prio", NEXT_PRIO),
        ];
        let own: Vec<_> = FAMILY.own.iter().map(|c| (c.name, usize::from(c.slot - OWN_SLOT))).collect();
        assert_eq!(own, slots);
        assert_eq!(FAMILY.own.iter().map(|c| usize::from(c.kind.slots())).sum::<usize>(), SLOTS);
    }
}
