//! Switch-outs: all of them, each of the right kind, each of the right task.

mod columns;
mod counts;
mod states;
