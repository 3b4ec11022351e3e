//! Text to AST and back. The syntax is stated once, in `grammar/schedq.pest`.

pub mod ast;
mod builder;
mod conditions;
pub mod cursor;
mod diagnose;
pub mod error;
mod foreign;
pub mod format;
mod grammar;
mod literal;
mod messages;
mod named;
mod number;
mod parse;
mod recorded;
pub mod reference;
mod split;
mod terms;
pub mod tokens;
pub mod words;

pub use error::{Error, Parsed};
pub use foreign::counterpart;
pub use parse::{decode, is_incomplete, parse, parse_with};
pub use words::{RESERVED, is_reserved};

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether a line indented deeper than the first line of a statement continues it: everywhere but at a prompt.
    pub indentation_continues: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { indentation_continues: true }
    }
}
