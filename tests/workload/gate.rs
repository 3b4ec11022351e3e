//! Where threads wait for each other with exactly one sleep each: a condition variable would add switches of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::sys;

/// Closed until opened, once.
#[derive(Default)]
pub struct Gate(AtomicU32);

impl Gate {
    pub fn wait(&self) {
        while self.0.load(Ordering::Acquire) == 0 {
            sys::futex_wait(&self.0, 0);
        }
    }

    pub fn open(&self) {
        self.0.store(1, Ordering::Release);
        sys::futex_wake_all(&self.0);
    }
}

/// Lets a crowd go together, again and again.
#[derive(Default)]
pub struct Rounds(AtomicU32);

impl Rounds {
    /// Waits until round `n` (from 1) has begun.
    pub fn wait(&self, n: u32) {
        loop {
            let now = self.0.load(Ordering::Acquire);
            if now >= n {
                return;
            }
            sys::futex_wait(&self.0, now);
        }
    }

    pub fn begin_next(&self) {
        self.0.fetch_add(1, Ordering::Release);
        sys::futex_wake_all(&self.0);
    }
}

/// Counts arrivals; only the arrival that completes the number wakes who waits for it.
#[derive(Default)]
pub struct Arrivals {
    come: AtomicU32,
    expected: AtomicU32,
}

impl Arrivals {
    pub fn expect(&self, n: u32) {
        self.come.store(0, Ordering::Release);
        self.expected.store(n, Ordering::Release);
    }

    pub fn arrive(&self) {
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.expected.load(Ordering::Acquire) {
            sys::futex_wake_all(&self.come);
        }
    }

    pub fn wait(&self) {
        loop {
            let come = self.come.load(Ordering::Acquire);
            if come >= self.expected.load(Ordering::Acquire) {
                return;
            }
            sys::futex_wait(&self.come, come);
        }
    }
}
