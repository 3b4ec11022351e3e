//! Against the running kernel, what holds for every family: whose rows, how they are counted, what is lost, who may look.

#[cfg(feature = "live")]
mod again;
pub mod agreement;
mod cgroups;
mod child;
mod decided;
mod exits;
mod identity;
mod intervals;
mod losses;
mod names;
#[cfg(feature = "live")]
mod older;
mod pipes;
#[cfg(feature = "live")]
pub mod remains;
mod rights;
mod saved;
mod signals;
mod together;
mod verify;
