//! `for` and `every`: how long, and in which pieces.

use super::{Error, Scope};
use crate::diagnostic::Span;
use crate::lang::ast::{Query, Spanned, Value};

/// Below this, what is asked is shorter than attaching the probes takes.
const LEAST_WINDOW_NS: u64 = 1_000_000;
/// A year, so that a slip in the unit is found and sums of nanoseconds stay far from 64 bits.
const MOST_WINDOW_NS: u64 = 366 * 86_400 * 1_000_000_000;
/// Every interval is read out of the kernel while the next one runs; closer together, the reading is most of the work
/// that is seen.
const LEAST_INTERVAL_NS: u64 = 10_000_000;
/// Intervals of one window: each adds rows to a frame that is held in memory.
const MOST_INTERVALS: u64 = 1_000_000;

pub(super) struct Time {
    pub window_ns: Option<u64>,
    pub every_ns: Option<u64>,
}

impl Scope<'_> {
    pub(super) fn time(&mut self, query: &Query) -> Time {
        let window_ns = match &query.from {
            Some(from) => self.no_window(from, query.duration.as_ref()),
            None => self.window(query.duration.as_ref()),
        };
        let every = query.every.as_ref();
        let every_ns = every.and_then(|value| self.duration_clause("every", value, LEAST_INTERVAL_NS));
        if let (Some(ns), Some(window), Some(every)) = (every_ns, window_ns, every) {
            self.intervals(ns, window, every.span);
        }
        Time { window_ns, every_ns }
    }

    /// `for D`, or the length of the block.
    pub(super) fn window(&mut self, duration: Option<&Spanned<Value>>) -> Option<u64> {
        let own = duration.and_then(|value| {
            if self.options.block_ns.is_some() {
                return self.refuse(Error::WindowInBlock { span: value.span });
            }
            self.duration_clause("for", value, LEAST_WINDOW_NS)
        });
        own.or(self.options.block_ns)
    }

    /// A recording has the length that it has.
    fn no_window(&mut self, from: &Spanned<Value>, duration: Option<&Spanned<Value>>) -> Option<u64> {
        if let Some(duration) = duration {
            self.errors.push(Error::WindowOfRecording { span: duration.span });
        } else if self.options.block_ns.is_some() {
            self.errors.push(Error::RecordingInBlock { span: from.span });
        }
        None
    }

    /// How far `around` reaches on each side.
    pub(super) fn each_side(&mut self, value: &Spanned<Value>) -> Option<u64> {
        self.duration_clause("around", value, 1)
    }

    fn duration_clause(&mut self, word: &'static str, value: &Spanned<Value>, least_ns: u64) -> Option<u64> {
        let span = value.span;
        match value.node {
            Value::Duration(ns) if ns < least_ns => self.refuse(Error::TooShort { word, ns, least_ns, span }),
            Value::Duration(ns) if ns > MOST_WINDOW_NS => {
                self.refuse(Error::TooLong { word, ns, most_ns: MOST_WINDOW_NS, span })
            }
            Value::Duration(ns) => Some(ns),
            // Without a value, or `any`: reported when it was looked up.
            Value::Param(_) => None,
            _ => self.refuse(Error::NotADuration { what: word.to_string(), value: value.node.clone(), span }),
        }
    }

    fn intervals(&mut self, every_ns: u64, window_ns: u64, span: Span) {
        if every_ns > window_ns {
            self.errors.push(Error::IntervalBeyondWindow { every_ns, window_ns, span });
        }
        let count = window_ns.div_ceil(every_ns);
        if count > MOST_INTERVALS {
            self.errors.push(Error::TooManyIntervals { count, most: MOST_INTERVALS, every_ns, window_ns, span });
        }
    }
}
