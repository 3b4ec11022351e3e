//! Statements on results that there are already, and on scripts that make them.

use super::{Compare, List, Spanned, Value, Word};
use crate::diagnostic::Span;

/// `sql …`: the text of another language, in the pieces of which it is made. Its place does not take part in equality.
#[derive(Debug, Clone, Eq)]
pub struct Sql {
    /// At least one.
    pub pieces: Vec<Spanned<Piece>>,
    /// Of the text, without the word `sql`.
    pub span: Span,
}

impl PartialEq for Sql {
    fn eq(&self, other: &Self) -> bool {
        self.pieces == other.pieces
    }
}

/// A token of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// As typed; of a parameter its name, without the `$`.
    pub text: String,
    pub is_param: bool,
    /// Whether a blank, a line's end or a comment stands before it; never of the first.
    pub apart: bool,
}

/// `assert CLAIM [else 'text']`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    pub claim: Spanned<Claim>,
    /// What to say when it does not hold.
    pub otherwise: Option<Spanned<Value>>,
}

/// What `assert` claims. `And` and `Or` hold two or more parts and are never nested in themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    Or(Vec<Spanned<Claim>>),
    And(Vec<Spanned<Claim>>),
    Not(Box<Spanned<Claim>>),
    Compare {
        left: Spanned<FrameColumn>,
        op: Spanned<Compare>,
        right: Spanned<Side>,
    },
    In {
        left: Spanned<FrameColumn>,
        list: Spanned<List>,
    },
    /// A yes/no column.
    Flag(Spanned<FrameColumn>),
}

/// What a column is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    Value(Value),
    Column(FrameColumn),
}

/// `FRAME.COLUMN`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameColumn {
    pub frame: Word,
    /// A column's name, or a stat's own word.
    pub column: Word,
}

/// `compare A B`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub before: Spanned<Operand>,
    pub after: Spanned<Operand>,
}

/// A result: by its name, or in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Frame(String),
    File(Value),
}

/// `run 'file.sq' name=value …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// A file, or the name of a saved query.
    pub script: Spanned<Value>,
    pub arguments: Vec<(Word, Spanned<Value>)>,
}
