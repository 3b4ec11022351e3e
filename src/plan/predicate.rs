//! A checked predicate: names are columns, literals have the column's unit, and every comparison is two-valued.
//!
//! A comparison with a missing value is false, whatever it compares; `negated` turns the answer, so `not (x = 1)` is true
//! for a missing `x` and `x != 1` is false. The kernel, the replay and the frame all evaluate exactly this.

use crate::catalog::Column;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
    Term(Term),
}

/// `negated XOR (column is there AND test holds)`; for [`Test::Missing`] it is `negated XOR column is missing`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub column: &'static Column,
    pub test: Test,
    pub negated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// `true` or `false` whatever the row, from a parameter that is `any`. `negated` still turns it.
    Always(bool),
    Equal(i64),
    NotEqual(i64),
    Less(i64),
    LessOrEqual(i64),
    Greater(i64),
    GreaterOrEqual(i64),
    /// Both ends belong to it.
    Between(i64, i64),
    /// Names are compared as bytes.
    NameEqual(Vec<u8>),
    NameNotEqual(Vec<u8>),
    /// A name (or a cgroup's path) that matches a glob: `*` any bytes, `?` one character.
    Like(Glob),
    /// A cgroup by its path as the user wrote it; the source resolves it to an id.
    CgroupEqual(String),
    CgroupNotEqual(String),
    /// The cgroup or one of its ancestors.
    Under(String),
    /// A boolean column that is true.
    True,
    Missing,
    /// Against a column of the same unit; a missing value on either side makes it false.
    Column(Order, &'static Column),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A glob over bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(pub Vec<u8>);

impl Predicate {
    /// Every column it reads, each once, in order of appearance.
    pub fn columns(&self) -> Vec<&'static Column> {
        let mut found: Vec<&'static Column> = Vec::new();
        self.visit(&mut |term| {
            let second = match term.test {
                Test::Column(_, other) => Some(other),
                _ => None,
            };
            for column in std::iter::once(term.column).chain(second) {
                if !found.contains(&column) {
                    found.push(column);
                }
            }
        });
        found
    }

    /// Calls `f` on every term.
    pub fn visit(&self, f: &mut impl FnMut(&Term)) {
        match self {
            Predicate::And(parts) | Predicate::Or(parts) => parts.iter().for_each(|p| p.visit(f)),
            Predicate::Term(term) => f(term),
        }
    }
}

/// A glob that needs no search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plain {
    Exact(Vec<u8>),
    /// `prefix*`
    Prefix(Vec<u8>),
}

impl Glob {
    /// `None` when it holds a `?`, or a `*` before its end.
    pub fn plain(&self) -> Option<Plain> {
        let special = self.0.iter().position(|b| matches!(b, b'*' | b'?'));
        match special {
            None => Some(Plain::Exact(self.0.clone())),
            Some(at) if self.0[at] == b'*' && at + 1 == self.0.len() => Some(Plain::Prefix(self.0[..at].to_vec())),
            Some(_) => None,
        }
    }
}
