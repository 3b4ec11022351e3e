//! Statements on results that have a name: what they say, and with which status the program ends.

mod compared;
mod live;
mod scripts;
mod sql;
mod stated;

/// Two results of the recording that comes with schedq, whose answers stand in docs and do not change.
pub const RESULTS: &str = "a = from '@sample' runq latency count, p50, p99, max by comm
one = from '@sample' switch count where comm='ticker'
";
