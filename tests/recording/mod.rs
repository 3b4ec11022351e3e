//! Recordings of raw events.

#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod recorder;
