//! A checked predicate: names are columns, literals have the column's unit, and every comparison is two-valued.
//!
//! A comparison with a missing value is false, whatever it compares; `negated` turns the answer, so `not (x = 1)` is true
//! for a missing `x` and `x != 1` is false. The kernel, the replay and the frame all evaluate exactly this.

use crate::catalog::{Column, Stage};
use crate::lang::ast::Compare;

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

/// A glob over bytes: `*` is any bytes, none too; `?` is one character (one byte where the bytes are not UTF-8). There is
/// no escape: a name that holds a star is matched by `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(pub Vec<u8>);

impl Predicate {
    /// Holds when every part does; nested conjunctions are flattened, and a single part stands for itself. Without parts
    /// it is true.
    pub fn all(parts: impl IntoIterator<Item = Predicate>) -> Predicate {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Predicate::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Predicate::And(flat) }
    }

    /// Holds when one part does; without parts it is false.
    pub fn any(parts: impl IntoIterator<Item = Predicate>) -> Predicate {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Predicate::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Predicate::Or(flat) }
    }

    /// The opposite. De Morgan's laws hold exactly, because no term is ever "unknown".
    pub fn negate(self) -> Predicate {
        match self {
            Predicate::And(parts) => Predicate::Or(parts.into_iter().map(Predicate::negate).collect()),
            Predicate::Or(parts) => Predicate::And(parts.into_iter().map(Predicate::negate).collect()),
            Predicate::Term(term) => Predicate::Term(Term { negated: !term.negated, ..term }),
        }
    }

    /// Every column it reads, each once, in order of appearance.
    pub fn columns(&self) -> Vec<&'static Column> {
        let mut found: Vec<&'static Column> = Vec::new();
        self.visit(&mut |term| {
            for column in term.columns() {
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

impl Term {
    /// A term that is not negated.
    pub fn new(column: &'static Column, test: Test) -> Self {
        Self { column, test, negated: false }
    }

    /// The column, and the one on the right side if there is one.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        let second = match self.test {
            Test::Column(_, other) => Some(other),
            _ => None,
        };
        std::iter::once(self.column).chain(second)
    }

    /// When all that it reads is known.
    pub fn stage(&self) -> Stage {
        self.columns().map(|c| c.stage).max().unwrap_or(Stage::Row)
    }

    /// The answer, when it is the same for every row.
    pub fn constant(&self) -> Option<bool> {
        match self.test {
            Test::Always(value) => Some(value != self.negated),
            _ => None,
        }
    }
}

impl Order {
    /// The ordering that an operator asks for; `None` for `~`.
    pub const fn of(op: Compare) -> Option<Order> {
        Some(match op {
            Compare::Equal => Order::Equal,
            Compare::NotEqual => Order::NotEqual,
            Compare::Less => Order::Less,
            Compare::LessOrEqual => Order::LessOrEqual,
            Compare::Greater => Order::Greater,
            Compare::GreaterOrEqual => Order::GreaterOrEqual,
            Compare::Like => return None,
        })
    }

    pub const fn symbol(self) -> &'static str {
        match self {
            Order::Equal => "=",
            Order::NotEqual => "!=",
            Order::Less => "<",
            Order::LessOrEqual => "<=",
            Order::Greater => ">",
            Order::GreaterOrEqual => ">=",
        }
    }

    /// The test against a number.
    pub const fn number(self, n: i64) -> Test {
        match self {
            Order::Equal => Test::Equal(n),
            Order::NotEqual => Test::NotEqual(n),
            Order::Less => Test::Less(n),
            Order::LessOrEqual => Test::LessOrEqual(n),
            Order::Greater => Test::Greater(n),
            Order::GreaterOrEqual => Test::GreaterOrEqual(n),
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

    /// The fewest bytes that a match can have.
    pub fn least_bytes(&self) -> usize {
        self.0.iter().filter(|b| **b != b'*').count()
    }

    /// Whether the whole of `text` matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        let glob = &self.0;
        let (mut g, mut t) = (0, 0);
        // Where to go on when the last star takes one byte more.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match glob.get(g) {
                Some(b'*') => {
                    retry = Some((g, t));
                    g += 1;
                    continue;
                }
                Some(b'?') if t < text.len() => {
                    g += 1;
                    t += character_length(&text[t..]);
                    continue;
                }
                Some(byte) if text.get(t) == Some(byte) => {
                    g += 1;
                    t += 1;
                    continue;
                }
                None if t == text.len() => return true,
                _ => {}
            }
            match retry {
                Some((star, from)) if from < text.len() => {
                    retry = Some((star, from + 1));
                    g = star + 1;
                    t = from + 1;
                }
                _ => return false,
            }
        }
    }
}

/// Bytes of the first character; 1 for a byte that begins none.
fn character_length(text: &[u8]) -> usize {
    (1..=text.len().min(4)).find(|n| std::str::from_utf8(&text[..*n]).is_ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, text: &[u8]) -> bool {
        Glob(glob.as_bytes().to_vec()).matches(text)
    }

    #[test]
    fn globs() {
        for (glob, text) in [
            ("nginx*", "nginx"),
            ("*web*", "a web b"),
            ("CPU */KVM", "CPU 0/KVM"),
            ("*a*b", "aab ab"),
            ("?", "\u{e9}"),
            ("", ""),
            ("**", ""),
            ("a?c*", "abcd"),
        ] {
            assert!(matches(glob, text.as_bytes()), "{glob} {text}");
        }
        for (glob, text) in [("nginx*", "ngin"), ("*web", "webs"), ("?", ""), ("?", "ab"), ("", "a"), ("a*b", "ac")] {
            assert!(!matches(glob, text.as_bytes()), "{glob} {text}");
        }
        assert!(matches("?b", b"\xffb"), "one byte where the bytes are not UTF-8");
    }

    proptest::proptest! {
        /// Against the definition, tried by recursion.
        #[test]
        fn globs_follow_their_definition(glob in "[ab*?]{0,7}", text in "[ab]{0,7}") {
            fn defined(glob: &[u8], text: &[u8]) -> bool {
                match glob.first() {
                    None => text.is_empty(),
                    Some(b'*') => (0..=text.len()).any(|n| defined(&glob[1..], &text[n..])),
                    Some(b'?') => !text.is_empty() && defined(&glob[1..], &text[1..]),
                    Some(byte) => text.first() == Some(byte) && defined(&glob[1..], &text[1..]),
                }
            }
            proptest::prop_assert_eq!(matches(&glob, text.as_bytes()), defined(glob.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn a_plain_glob_says_all_that_its_glob_does(glob in "[ab]{0,3}\\*?", text in "[ab]{0,5}") {
            let glob = Glob(glob.into_bytes());
            let simple = match glob.plain().unwrap() {
                Plain::Exact(name) => name == text.as_bytes(),
                Plain::Prefix(name) => text.as_bytes().starts_with(&name),
            };
            proptest::prop_assert_eq!(glob.matches(text.as_bytes()), simple);
        }
    }
}
