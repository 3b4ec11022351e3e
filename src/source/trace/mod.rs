//! Rows from a recording.

mod cgroups;
mod collect;
mod groups;
mod replay;
mod terms;

pub use replay::{Answer, Error, Needs, Playback, Recorded, run};
