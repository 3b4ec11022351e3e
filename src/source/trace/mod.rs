//! Recorded events: the file that holds them, both ways, and how rows are made of them again.

pub mod batches;
mod chunk;
mod container;
mod decode;
mod digest;
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
#[cfg(test)]
mod cost;
