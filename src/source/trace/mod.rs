//! Recorded events: the file that holds them, both ways, and how rows are made of them again.

pub mod batches;
mod cgroups;
mod chunk;
mod collect;
mod container;
mod decode;
pub mod describe;
pub mod digest;
mod encode;
pub mod error;
mod group;
mod groups;
pub mod meta;
mod page;
mod parts;
mod rare;
pub mod read;
mod replay;
pub mod schema;
mod tasks;
mod terms;
mod told;
pub mod wanted;
pub mod write;

pub use replay::{Answer, Error, Needs, Playback, Recorded, run};
