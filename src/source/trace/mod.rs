//! Rows from a recording.

mod cgroups;
mod collect;
mod groups;
mod replay;
#[cfg(test)]
mod speed;
mod terms;

pub use replay::{Answer, Error, Needs, Playback, Recorded, run};
