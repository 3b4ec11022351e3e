//! schedq: a query engine over Linux kernel scheduling events.
//!
//! A query flows one way, and at each arrow the type changes:
//! text → [`lang::ast`] → [`plan::Plan`] → [`plan::Scan`] → [`source::Table`] → `frame::Frame` → `output`.
//! `ARCHITECTURE.md` says what each room may use.

pub mod catalog;
pub mod cli;
pub mod diagnostic;
pub mod frame;
pub mod host;
pub mod lang;
pub mod name;
pub mod nearest;
pub mod output;
pub mod plan;
pub mod repl;
pub mod session;
pub mod source;
