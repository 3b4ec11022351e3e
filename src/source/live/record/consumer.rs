//! A thread that empties the rings of some CPUs.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use libbpf_rs::{Object, RingBuffer, RingBufferBuilder};

use super::bytes;
use super::merge::{Merge, Read};
use super::rings::{self, Ring};
use crate::host::clock::monotonic_ns;
use crate::source::live::error::Error;

/// Rings are looked at often enough that a CPU may write so much in a second: some 150,000 switches with their wakeups.
const BYTES_PER_SECOND: u64 = 20 << 20;
const SHORTEST: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_millis(50);
/// How long the last look waits for records whose writers were held up.
const LAST_LOOKS: u32 = 500;

/// Before each record in a ring.
const HEADER_BYTES: u64 = 8;

pub struct Consumer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Told when it is to end.
    ended: Condvar,
}

#[derive(Default)]
struct Queue {
    read: Read,
    /// Everything before this time that happened on its CPUs is in the queue or taken.
    until: u64,
    end: bool,
    error: Option<Error>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // What is in it is whole at any moment.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer {
    pub fn start(object: Arc<Object>, rings: Vec<Ring>, queue_bytes: u64) -> Consumer {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = thread::Builder::new().name("schedq-rings".into()).spawn(move || {
            if let Err(error) = run(&object, rings, queue_bytes, &theirs) {
                theirs.queue().error = Some(error);
            }
        });
        match thread {
            Ok(thread) => Consumer { shared, thread: Some(thread) },
            Err(error) => {
                shared.queue().error = Some(Error::Read(format!("no thread could be had to read rings: {error}")));
                Consumer { shared, thread: None }
            }
        }
    }

    /// Moves what was read into `merge`; the time before which nothing is missing.
    pub fn take(&self, merge: &mut Merge) -> Result<u64, Error> {
        let mut read = Read::default();
        let mut queue = self.shared.queue();
        if let Some(error) = queue.error.take() {
            return Err(error);
        }
        read.append(&mut queue.read);
        let until = queue.until;
        drop(queue);
        merge.add(&mut read);
        Ok(until)
    }

    /// Reads what is left, when nothing more is written, and ends the thread.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.shared.queue().end = true;
        self.shared.ended.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            return Err(Error::Read("the thread that reads rings failed".into()));
        }
        match self.shared.queue().error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        // Whoever wants to know how it ended has called it before.
        let _ = self.stop();
    }
}

/// What the callbacks of all rings fill.
#[derive(Default)]
struct Taken {
    read: Read,
    /// Up to where each ring was read, by place in the list of rings.
    positions: Vec<u64>,
    unknown: u64,
}

impl Taken {
    fn record(&mut self, ring: usize, record: &[u8]) {
        self.positions[ring] += HEADER_BYTES + record.len().next_multiple_of(8) as u64;
        let known = if let Ok(event) = record.try_into() {
            bytes::event(event).map(|event| self.read.events.push(event))
        } else if let Ok(identity) = record.try_into() {
            bytes::identity(identity).map(|identity| self.read.identities.push(identity))
        } else if let Ok(loss) = record.try_into() {
            bytes::gap(loss).map(|gap| self.read.gaps.push(gap))
        } else {
            None
        };
        self.unknown += u64::from(known.is_none());
    }
}

struct Looker<'o> {
    object: &'o Object,
    cpus: Vec<u32>,
    // Gone before the maps that it reads.
    buffers: Vec<RingBuffer<'static>>,
    _rings: Vec<Ring>,
    taken: Rc<RefCell<Taken>>,
    /// By ring: everything before this time was read.
    until: Vec<u64>,
    wanted: Vec<u64>,
}

fn run(object: &Object, rings: Vec<Ring>, queue_bytes: u64, shared: &Shared) -> Result<(), Error> {
    let least = rings.iter().map(|ring| ring.bytes).min().unwrap_or(0);
    let period = Duration::from_nanos(least * 1_000_000_000 / BYTES_PER_SECOND).clamp(SHORTEST, LONGEST);
    let mut looker = Looker::new(object, rings)?;
    loop {
        let queue = shared.queue();
        let (queue, _) =
            shared.ended.wait_timeout_while(queue, period, |queue| !queue.end).unwrap_or_else(PoisonError::into_inner);
        let (end, full) = (queue.end, queue.read.bytes() >= queue_bytes);
        drop(queue);
        if end {
            break;
        }
        if !full {
            looker.look()?;
            looker.hand_over(shared);
        }
    }
    // A program that was running when the window closed may still be writing.
    for _ in 0..LAST_LOOKS {
        let now = monotonic_ns();
        looker.look()?;
        looker.hand_over(shared);
        if looker.until.iter().all(|until| *until >= now) {
            break;
        }
        thread::sleep(SHORTEST);
    }
    Ok(())
}

impl<'o> Looker<'o> {
    fn new(object: &'o Object, rings: Vec<Ring>) -> Result<Looker<'o>, Error> {
        let taken = Rc::new(RefCell::new(Taken { positions: vec![0; rings.len()], ..Taken::default() }));
        let reader = |(place, ring): (usize, &Ring)| {
            let taken = taken.clone();
            let read = move |record: &[u8]| {
                taken.borrow_mut().record(place, record);
                0
            };
            // One by one: libbpf-rs 0.27 panics when there is no memory for the second ring of a buffer.
            let mut builder = RingBufferBuilder::new();
            builder.add(&ring.map, read)?;
            builder.build()
        };
        let buffers = rings.iter().enumerate().map(reader).collect::<Result<_, _>>().map_err(Error::read)?;
        let cpus = rings.iter().map(|ring| ring.cpu).collect();
        let until = vec![0; rings.len()];
        Ok(Looker { object, cpus, buffers, _rings: rings, taken, until, wanted: Vec::new() })
    }

    /// Reads all rings. One is complete up to the time at which its position was asked for, when that position is reached:
    /// room is taken before the clock is read. It is not reached while a writer that took room is held up.
    fn look(&mut self) -> Result<(), Error> {
        let now = monotonic_ns();
        rings::positions(self.object, &self.cpus, &mut self.wanted)?;
        self.buffers.iter().try_for_each(RingBuffer::consume).map_err(Error::read)?;
        let taken = self.taken.borrow();
        if taken.unknown > 0 {
            return Err(Error::Object(format!("{} records of an unknown form", taken.unknown)));
        }
        for ((until, wanted), reached) in self.until.iter_mut().zip(&self.wanted).zip(&taken.positions) {
            if reached >= wanted {
                *until = now;
            }
        }
        Ok(())
    }

    fn hand_over(&self, shared: &Shared) {
        let until = self.until.iter().copied().min().unwrap_or(0);
        let mut queue = shared.queue();
        queue.read.append(&mut self.taken.borrow_mut().read);
        queue.until = until;
    }
}
