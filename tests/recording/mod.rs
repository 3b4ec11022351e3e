//! Recordings of raw events.

mod file;
