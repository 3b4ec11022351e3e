//! What broke once, under bad input or in a hostile place.

mod inputs;
mod places;
mod signals;
mod windows;
