//! Asking a recording: rows out of recorded events.

mod agree;
mod naive;
mod notation;
mod pairing;
