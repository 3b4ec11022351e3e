//! Recorded events: the file that holds them, both ways, and how rows are made of them again.

mod container;
mod decode;
mod digest;
mod encode;
pub mod error;
mod group;
pub mod meta;
mod parts;
pub mod schema;
mod tasks;
pub mod write;
