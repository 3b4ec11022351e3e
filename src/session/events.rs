//! What ends or interrupts a wait, on its way from whoever owns the signals to whoever waits.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::host::signals;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// SIGINT, SIGTERM or SIGHUP.
    Stop(i32),
    /// A child changed its state.
    Child,
}

/// SIGTERM and SIGHUP, which end the program and not only what it does.
const TERMINATE: [i32; 2] = [15, 1];

pub const fn ends_the_program(signal: i32) -> bool {
    signal == TERMINATE[0] || signal == TERMINATE[1]
}

/// Whether a signal was ignored when the program was started, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    signals::ignored().is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}

/// The end at which events arrive.
#[derive(Debug)]
pub struct Events {
    from: Receiver<Event>,
    shared: Arc<Shared>,
    /// At a prompt: how many stops had been told when the statement that runs began.
    statement: Cell<Option<u64>>,
    terminated: Cell<Option<i32>>,
}

/// The end at which they are told.
#[derive(Debug)]
pub struct Teller {
    to: Sender<Event>,
    shared: Arc<Shared>,
}

/// Stops told and heard of.
#[derive(Debug, Default)]
struct Shared {
    told: AtomicU64,
    heard: AtomicU64,
    /// Nothing runs: somebody is at the prompt.
    rests: AtomicBool,
}

/// The number of a told [`Event::Stop`], by which one can ask whether anybody heard of it.
#[derive(Debug, Clone)]
pub struct Told {
    number: u64,
    shared: Arc<Shared>,
}

/// Counts stops for one who only wants to know whether another one came.
#[derive(Debug, Clone)]
pub struct Pressed(Arc<Shared>);

impl Pressed {
    /// How many there were so far.
    pub fn count(&self) -> u64 {
        self.0.told.load(Ordering::Acquire)
    }
}

pub fn events() -> (Teller, Events) {
    let (to, from) = channel();
    let shared = Arc::new(Shared::default());
    let events = Events { from, shared: shared.clone(), statement: Cell::new(None), terminated: Cell::new(None) };
    (Teller { to, shared }, events)
}

impl Teller {
    pub fn child(&self) {
        // Nobody left to hear it: the program is about to end.
        let _ = self.to.send(Event::Child);
    }

    /// Tells of a signal that shall end what runs.
    pub fn stop(&mut self, signal: i32) -> Told {
        let number = self.shared.told.fetch_add(1, Ordering::AcqRel) + 1;
        let _ = self.to.send(Event::Stop(signal));
        Told { number, shared: self.shared.clone() }
    }
}

impl Told {
    /// Whether nothing runs that could hear of it: somebody is at the prompt.
    pub fn is_at_rest(&self) -> bool {
        self.shared.rests.load(Ordering::Acquire)
    }

    pub fn was_heard(&self) -> bool {
        self.shared.heard.load(Ordering::Acquire) >= self.number
    }

    /// How many told before it were not heard either.
    pub fn unheard_before(&self) -> u64 {
        (self.number - 1).saturating_sub(self.shared.heard.load(Ordering::Acquire))
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
        if let Event::Stop(signal) = event {
            self.shared.heard.fetch_add(1, Ordering::AcqRel);
            if ends_the_program(signal) {
                self.terminated.set(Some(signal));
            }
        }
        event
    }

    /// Hears of a stop that was told already, while what it is to end had not begun.
    pub fn stop_comes_early(&self) -> bool {
        let waits = || self.shared.told.load(Ordering::Acquire) > self.shared.heard.load(Ordering::Acquire);
        while waits() {
            // It is counted a moment before it is sent.
            if let Ok(Event::Stop(_)) = self.wait() {
                return true;
            }
        }
        false
    }

    /// Somebody is at the prompt: what was told to the statement before is of no use to the next one.
    pub fn rest(&self) {
        while self.wait_for(Duration::ZERO).is_ok() {}
        self.shared.rests.store(true, Ordering::Release);
    }

    /// A statement begins.
    pub fn busy(&self) {
        self.shared.rests.store(false, Ordering::Release);
        while self.wait_for(Duration::ZERO).is_ok() {}
        self.statement.set(Some(self.pressed().count()));
    }

    /// At a prompt: whether a second stop came, after the one that ends a window. Its result is not wanted any more.
    pub fn abandoned(&self) -> bool {
        self.statement.get().is_some_and(|before| self.pressed().count() >= before + 2)
    }

    /// The signal that ends the program, if one was heard of.
    pub fn terminated(&self) -> Option<i32> {
        self.terminated.get()
    }

    pub fn pressed(&self) -> Pressed {
        Pressed(self.shared.clone())
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
        assert!(!first.was_heard() && first.unheard_before() == 0);
        let second = teller.stop(2);
        assert_eq!(second.unheard_before(), 1);
        for event in [Event::Child, Event::Stop(2)] {
            assert_eq!(events.wait_for(Duration::ZERO), Ok(event));
        }
        assert!(first.was_heard() && !second.was_heard() && second.unheard_before() == 0);
    }

    #[test]
    fn a_second_stop_abandons_what_runs_at_a_prompt() {
        let (mut teller, events) = events();
        teller.stop(2);
        let told = teller.stop(2);
        assert!(!events.abandoned(), "no prompt");
        events.rest();
        assert!(told.is_at_rest());
        events.busy();
        assert!(!told.is_at_rest());
        teller.stop(2);
        assert!(!events.abandoned(), "what came before is forgotten");
        assert_eq!(events.wait_for(Duration::ZERO), Ok(Event::Stop(2)));
        teller.stop(2);
        assert!(events.abandoned());
        assert_eq!(events.terminated(), None);
        teller.stop(15);
        events.rest();
        assert_eq!(events.terminated(), Some(15));
    }
}
