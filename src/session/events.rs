//! What ends or interrupts a wait, on its way from whoever owns the signals to whoever waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// SIGINT or SIGTERM.
    Stop(i32),
    /// A child changed its state.
    Child,
}

/// The end at which events arrive.
#[derive(Debug)]
pub struct Events {
    from: Receiver<Event>,
    heard: Arc<AtomicU64>,
}

/// The end at which they are told.
#[derive(Debug)]
pub struct Teller {
    to: Sender<Event>,
    told: u64,
    heard: Arc<AtomicU64>,
}

/// The number of a told [`Event::Stop`], by which one can ask whether anybody heard of it.
#[derive(Debug, Clone)]
pub struct Told {
    number: u64,
    heard: Arc<AtomicU64>,
}

pub fn events() -> (Teller, Events) {
    let (to, from) = channel();
    let heard = Arc::new(AtomicU64::new(0));
    (Teller { to, told: 0, heard: heard.clone() }, Events { from, heard })
}

impl Teller {
    pub fn child(&self) {
        // Nobody left to hear it: the program is about to end.
        let _ = self.to.send(Event::Child);
    }

    /// Tells of a signal that shall end what runs.
    pub fn stop(&mut self, signal: i32) -> Told {
        self.told += 1;
        let _ = self.to.send(Event::Stop(signal));
        Told { number: self.told, heard: self.heard.clone() }
    }
}

impl Told {
    pub fn was_heard(&self) -> bool {
        self.heard.load(Ordering::Acquire) >= self.number
    }

    /// Whether one told before it was not heard either.
    pub fn follows_unheard(&self) -> bool {
        self.heard.load(Ordering::Acquire) + 1 < self.number
    }
}

impl Events {
    pub fn wait(&self) -> Result<Event, RecvTimeoutError> {
        self.from.recv().map(|event| self.hear(event)).map_err(|_| RecvTimeoutError::Disconnected)
    }

    pub fn wait_for(&self, time: Duration) -> Result<Event, RecvTimeoutError> {
        self.from.recv_timeout(time).map(|event| self.hear(event))
    }

    fn hear(&self, event: Event) -> Event {
        if let Event::Stop(_) = event {
            self.heard.fetch_add(1, Ordering::AcqRel);
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_heard_is_known() {
        let (mut teller, events) = events();
        teller.child();
        let first = teller.stop(2);
        assert!(!first.was_heard() && !first.follows_unheard());
        let second = teller.stop(2);
        assert!(second.follows_unheard());
        for event in [Event::Child, Event::Stop(2)] {
            assert_eq!(events.wait_for(Duration::ZERO), Ok(event));
        }
        assert!(first.was_heard() && !second.was_heard() && !second.follows_unheard());
    }
}
