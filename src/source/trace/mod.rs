//! Recorded events: the file that holds them, both ways, and how rows are made of them again.

pub mod batches;
mod chunk;
mod container;
#[cfg(test)]
mod cost;
mod decode;
pub mod describe;
pub mod digest;
mod encode;
pub mod error;
mod group;
pub mod meta;
mod parts;
pub mod read;
pub mod schema;
mod tasks;
mod told;
pub mod wanted;
pub mod write;
