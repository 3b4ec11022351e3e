//! Recordings of raw events.

#[cfg(feature = "live")]
mod filters;
#[cfg(feature = "live")]
mod identities;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod losses;
#[cfg(feature = "live")]
mod recorder;
#[cfg(feature = "live")]
mod remains;
