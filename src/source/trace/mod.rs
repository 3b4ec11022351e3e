//! Recorded events: the file that holds them, both ways, and how rows are made of them again.

mod cgroups;
mod collect;
mod container;
mod decode;
mod digest;
mod encode;
pub mod error;
mod group;
mod groups;
pub mod meta;
mod parts;
mod replay;
pub mod schema;
mod tasks;
mod terms;
pub mod write;

pub use replay::{Answer, Error, Needs, Playback, Recorded, run};
