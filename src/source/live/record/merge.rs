//! Streams of several CPUs as one in the order of time.

use std::collections::HashMap;

use crate::catalog::event::{Batch, Event, Gap, Identity};

/// What came out of rings, in no order over CPUs.
#[derive(Debug, Default)]
pub struct Read {
    pub events: Vec<Event>,
    pub identities: Vec<Identity>,
    pub gaps: Vec<Gap>,
}

impl Read {
    /// Bytes that wait here.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&self.events[..]) + size_of_val(&self.identities[..]) + size_of_val(&self.gaps[..])) as u64
    }

    /// Moves everything behind what is here already.
    pub fn append(&mut self, from: &mut Read) {
        append(&mut self.events, &mut from.events);
        append(&mut self.identities, &mut from.identities);
        append(&mut self.gaps, &mut from.gaps);
    }
}

/// Copies nothing when there is nothing yet.
fn append<T>(to: &mut Vec<T>, from: &mut Vec<T>) {
    if to.is_empty() {
        std::mem::swap(to, from);
    } else {
        to.append(from);
    }
}

/// Holds back what may still be preceded by something unread.
#[derive(Debug, Default)]
pub struct Merge {
    held: Read,
    /// Everything before this time has been handed out.
    done_ns: u64,
    events: u64,
    identities: u64,
    lost: HashMap<&'static str, u64>,
}

impl Merge {
    /// Who everyone is, found before any event.
    pub fn start(&mut self, identities: Vec<Identity>) {
        self.held.identities = identities;
    }

    pub fn add(&mut self, read: &mut Read) {
        self.held.append(read);
    }

    pub fn gaps(&mut self, gaps: impl IntoIterator<Item = Gap>) {
        self.held.gaps.extend(gaps);
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    pub fn identities(&self) -> u64 {
        self.identities
    }

    /// How many events were lost for this cause, as far as it was handed out.
    pub fn lost(&self, cause: &str) -> u64 {
        self.lost.get(cause).copied().unwrap_or(0)
    }

    /// Appends everything before `until`: nothing that is added later happened before that.
    pub fn deliver(&mut self, until: u64, batch: &mut Batch) {
        let held = &mut self.held;
        // Each CPU's part is in order but for single records: the sort finds these runs and merges them.
        held.events.sort_by_key(|event| event.at);
        held.identities.sort_by_key(|identity| identity.at);
        held.gaps.sort_by_key(|gap| gap.to);
        let late = held.events.partition_point(|event| event.at < self.done_ns);
        if let (Some(first), Some(last)) = (held.events.first(), late.checked_sub(1).map(|i| held.events[i])) {
            let gap = Gap { from: first.at, to: last.at, cpu: None, count: late as u64, cause: "out_of_order" };
            held.events.drain(..late);
            held.gaps.insert(held.gaps.partition_point(|other| other.to < gap.to), gap);
        }
        // Who a task is remains worth knowing.
        let late = held.identities.iter_mut().take_while(|identity| identity.at < self.done_ns);
        late.for_each(|identity| identity.at = self.done_ns);
        let before = (batch.events.len(), batch.identities.len(), batch.gaps.len());
        batch.events.extend(held.events.drain(..held.events.partition_point(|event| event.at < until)));
        batch.identities.extend(held.identities.drain(..held.identities.partition_point(|who| who.at < until)));
        batch.gaps.extend(held.gaps.drain(..held.gaps.partition_point(|gap| gap.to < until)));
        self.events += (batch.events.len() - before.0) as u64;
        self.identities += (batch.identities.len() - before.1) as u64;
        for gap in &batch.gaps[before.2..] {
            *self.lost.entry(gap.cause).or_default() += gap.count;
        }
        self.done_ns = self.done_ns.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::event::Kind;

    fn event(at: u64, cpu: u16) -> Event {
        Event { at, tid: 1, other: 0, state: 0, cpu, kind: Kind::Wakeup, flags: 0 }
    }

    fn times(batch: &Batch) -> Vec<(u64, u16)> {
        batch.events.iter().map(|event| (event.at, event.cpu)).collect()
    }

    fn read(events: &[Event]) -> Read {
        Read { events: events.to_vec(), ..Read::default() }
    }

    #[test]
    fn cpus_are_merged_up_to_where_all_are_read() {
        let mut merge = Merge::default();
        let mut batch = Batch::default();
        merge.add(&mut read(&[event(10, 0), event(30, 0), event(50, 0)]));
        merge.add(&mut read(&[event(20, 1), event(25, 1)]));
        merge.deliver(30, &mut batch);
        assert_eq!(times(&batch), [(10, 0), (20, 1), (25, 1)]);
        merge.add(&mut read(&[event(40, 1), event(30, 1)]));
        merge.deliver(u64::MAX, &mut batch);
        assert_eq!(times(&batch)[3..], [(30, 0), (30, 1), (40, 1), (50, 0)]);
        assert_eq!((merge.events(), batch.gaps.len()), (7, 0));
    }

    #[test]
    fn what_comes_too_late_is_counted() {
        let mut merge = Merge::default();
        let mut batch = Batch::default();
        merge.deliver(100, &mut batch);
        merge.add(&mut read(&[event(99, 0), event(101, 0), event(60, 1), event(100, 1)]));
        merge.deliver(u64::MAX, &mut batch);
        assert_eq!(times(&batch), [(100, 1), (101, 0)]);
        let gap = Gap { from: 60, to: 99, cpu: None, count: 2, cause: "out_of_order" };
        assert_eq!((&batch.gaps[..], merge.lost("out_of_order")), (&[gap][..], 2));
    }
}
