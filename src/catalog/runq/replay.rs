//! Waits of recorded events: what `src/bpf/runq.bpf.c` does, over events instead of in them.
//!
//! A recording knows its gaps: a wait that may have been cut by one is set aside. Its events come in the order of time, so
//! that no wait is negative here; where two CPUs' clocks disagree, an event is out of order or its counterpart unseen.

use std::ops::ControlFlow;

use super::cause;
use crate::catalog::event::{Event, Kind, flag};
use crate::catalog::replay::{Fields, Known, Pairing, Replay, Rows, Verdict, stays_runnable};
use crate::catalog::task::{OWN_SLOT, slot};

pub const REPLAY: Replay = Replay {
    kinds: &[Kind::Switch, Kind::Wakeup, Kind::WakeupNew],
    reads,
    start: |need| Box::new(Waits { need, ..Waits::default() }),
};

/// Slots of the family's own columns.
const LATENCY: usize = 0;
const CAUSE: usize = 1;
const PREV_TID: usize = 2;
const PREV_COMM: usize = 3;
const SLOTS: usize = 5;

const fn bit(own: usize) -> u64 {
    1 << (OWN_SLOT as usize + own)
}

fn reads(need: u64) -> Fields {
    let throttled = if need & bit(CAUSE) != 0 { flag::THROTTLED } else { 0 };
    // The name of an idle task is found by its CPU.
    let cpu = need & bit(PREV_COMM) != 0;
    let of_other = if cpu { 0b11 << slot::COMM } else { 0 };
    let flags = flag::PREEMPT | flag::ON_CPU | throttled;
    Fields { at: true, other: true, state: true, cpu, flags, of_other }
}

#[derive(Default)]
struct Waits {
    need: u64,
    seen: u64,
    start_unseen: u64,
    switch_in_unseen: u64,
    before_window: u64,
}

impl Pairing for Waits {
    #[inline(always)]
    fn event(&mut self, event: &Event, known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()> {
        match event.kind {
            Kind::Switch => self.switch(event, known, out)?,
            Kind::Wakeup => runnable(event, cause::WAKEUP, known, out),
            Kind::WakeupNew => runnable(event, cause::NEW, known, out),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// It ran to its end without a switch-in that was seen.
    fn gone(&mut self, place: usize, at: u64, known: &mut Known) {
        let task = &known[place];
        if !task.fixed || !matches!(task.identity, Verdict::Yes | Verdict::ByCpu) || !known.inside(at) {
            return;
        }
        match known[place].start > known.lost_until {
            true => self.switch_in_unseen += 1,
            false => known.across_gaps += 1,
        }
    }

    fn seen(&self) -> u64 {
        self.seen
    }

    fn losses(&self) -> Vec<u64> {
        // Nothing is negative here.
        vec![self.start_unseen, self.switch_in_unseen, 0, self.before_window]
    }
}

#[inline(always)]
fn runnable(event: &Event, cause: u32, known: &mut Known, out: &mut dyn Rows) {
    if event.tid == 0 {
        return;
    }
    let place = known.place(event.tid, event.cpu);
    // Woken before it had left its CPU: it never waits.
    if !known[place].fixed || event.flags & flag::ON_CPU != 0 {
        return;
    }
    let start = known[place].start;
    if start > known.lost_until {
        // A wait that is running goes on: a wakeup can hit a task that is queued already.
        return;
    }
    if start != 0 && known.wants(place, event, out) {
        known.across_gaps += 1;
    }
    let task = &mut known[place];
    (task.start, task.tag, task.seen) = (event.at, cause, true);
}

impl Waits {
    /// Each of the two is judged by itself. The idle task is always runnable and never waits, even for a query that
    /// names it.
    #[inline(always)]
    fn switch(&mut self, event: &Event, known: &mut Known, out: &mut dyn Rows) -> ControlFlow<()> {
        let prev = known.leaving(event);
        if event.tid != 0 && known[prev].fixed {
            self.leaves(event, prev, known, out);
        }
        if event.other != 0 {
            let next = known.place(event.other, event.cpu);
            if known[next].fixed {
                self.comes(event, prev, next, known, out)?;
            }
        }
        known.left(event, prev);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn leaves(&mut self, event: &Event, prev: usize, known: &mut Known, out: &mut dyn Rows) {
        let start = known[prev].start;
        if start != 0 {
            // It ran, so its wait had ended, and we did not see when: a loss, if the query is about this task.
            if known.wants(prev, event, out) {
                match start > known.lost_until {
                    true => self.switch_in_unseen += 1,
                    false => known.across_gaps += 1,
                }
            }
        }
        let task = &mut known[prev];
        task.seen = true;
        // A preempted task is runnable whatever state it had begun to take (R+). No branch: nobody foresees it.
        task.start = if stays_runnable(event) { event.at } else { 0 };
        task.tag = if event.flags & flag::THROTTLED != 0 { cause::THROTTLE } else { cause::PREEMPT };
    }

    #[inline(always)]
    fn comes(
        &mut self,
        event: &Event,
        prev: usize,
        next: usize,
        known: &mut Known,
        out: &mut dyn Rows,
    ) -> ControlFlow<()> {
        let wanted = known.wants(next, event, out);
        let lost_until = known.lost_until;
        let task = &mut known[next];
        let start = std::mem::take(&mut task.start);
        if !wanted {
            if task.identity == Verdict::Unknown && known.inside(event.at) {
                known.identity_unseen += 1;
            }
            return ControlFlow::Continue(());
        }
        if start == 0 {
            // A task that was born inside the window cannot have waited before it, and where events were lost nobody can
            // say that one has.
            match task.seen || task.born > known.window.recorded_from || lost_until > 0 {
                true => self.start_unseen += 1,
                false => self.before_window += 1,
            }
            return ControlFlow::Continue(());
        }
        if start <= lost_until {
            known.across_gaps += 1;
            return ControlFlow::Continue(());
        }
        self.seen += 1;
        let mut own = [0; SLOTS];
        own[LATENCY] = event.at - start;
        own[CAUSE] = u64::from(task.tag);
        own[PREV_TID] = u64::from(event.tid);
        if self.need & bit(PREV_COMM) != 0 {
            [own[PREV_COMM], own[PREV_COMM + 1]] = known.name_of(prev);
        }
        out.row(&mut known[next], event.at, event.cpu, &own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::runq::FAMILY;

    #[test]
    fn slots_are_those_of_the_columns() {
        let slots = [("latency", LATENCY), ("cause", CAUSE), ("prev_tid", PREV_TID), ("prev_comm", PREV_COMM)];
        let own: Vec<_> = FAMILY.own.iter().map(|c| (c.name, usize::from(c.slot - OWN_SLOT))).collect();
        assert_eq!(own, slots);
        assert_eq!(FAMILY.own.iter().map(|c| usize::from(c.kind.slots())).sum::<usize>(), SLOTS);
    }
}
