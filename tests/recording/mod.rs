//! Recordings of raw events: made, written, read, and asked.

mod accidents;
mod agree;
mod columns;
mod commands;
mod equal;
mod file;
#[cfg(feature = "live")]
mod filters;
#[cfg(feature = "live")]
mod identities;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod losses;
mod naive;
mod notation;
mod pairing;
#[cfg(feature = "live")]
mod recorder;
mod refused;
#[cfg(feature = "live")]
mod remains;
mod sample;
mod under_way;
