//! The maths of a frame: against values computed naively, whichever way the source delivered.

mod agree;
mod ranking;
mod schema;
mod where_;
