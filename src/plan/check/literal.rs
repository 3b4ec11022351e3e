//! The right side of a comparison: a literal that must have the column's type, one of its words, or another column.

use super::bind::is_any;
use super::filter::term;
use super::names::canonical;
use super::{Error, Scope};
use crate::catalog::{Column, Kind};
use crate::diagnostic::Span;
use crate::lang::ast::{Compare, Spanned, Value};
use crate::plan::predicate::{Glob, Order, Plain, Predicate, Test};

/// Bytes of a task's name; the kernel's TASK_COMM_LEN less the NUL.
pub(in crate::plan) const NAME_BYTES: usize = 15;

impl Scope<'_> {
    /// `column op right`.
    pub(super) fn compare(
        &mut self,
        column: &'static Column,
        op: Compare,
        right: &Spanned<Value>,
    ) -> Option<Predicate> {
        let span = right.span;
        if is_any(&right.node) {
            return Some(term(column, Test::Always(true)));
        }
        match &right.node {
            Value::Param(_) => return None,
            Value::Ranges(_) => return self.refuse(Error::ListCompared { column, span }),
            _ => {}
        }
        let Some(order) = Order::of(op) else { return self.like(column, right) };
        let has_order = matches!(column.kind, Kind::Int | Kind::Duration | Kind::Time);
        if !has_order && !matches!(order, Order::Equal | Order::NotEqual) {
            return self.refuse(Error::NoOrder { column, op, span });
        }
        if let Kind::Word(words) = column.kind
            && let Some(n) = word_of(&right.node).and_then(|word| number_of(words, &word))
        {
            return Some(term(column, order.number(n)));
        }
        if let Value::Word(word) = &right.node
            && let Some(other) = self.family.column(canonical(word))
        {
            return self.against(column, order, other, span);
        }
        self.literal(column, op, order, right).map(|test| term(column, test))
    }

    fn against(
        &mut self,
        left: &'static Column,
        order: Order,
        right: &'static Column,
        span: Span,
    ) -> Option<Predicate> {
        // Words are compared by number, so the sets must be the same.
        if left.unit != right.unit || std::mem::discriminant(&left.kind) != std::mem::discriminant(&right.kind) {
            return self.refuse(Error::OtherUnit { left, right, span });
        }
        if matches!(left.kind, Kind::Word(_)) && left.kind != right.kind {
            return self.refuse(Error::OtherUnit { left, right, span });
        }
        Some(term(left, Test::Column(order, right)))
    }

    fn literal(&mut self, column: &'static Column, op: Compare, order: Order, right: &Spanned<Value>) -> Option<Test> {
        let (value, span) = (right.node.clone(), right.span);
        match (column.kind, &right.node) {
            // The least number of all stands for a missing value in the kernel; no column has its neighbour either.
            (Kind::Int | Kind::Time, Value::Int(n)) => Some(order.number((*n).max(i64::MIN + 1))),
            (Kind::Int, Value::Decimal(_) | Value::Percent(_) | Value::Duration(_)) => {
                self.refuse(Error::NotWhole { what: column.name.to_string(), value, span })
            }
            (Kind::Int, _) => {
                let name_column = self.name_column(column);
                self.refuse(Error::NotANumber { column, op, value, name_column, span })
            }
            (Kind::Time, _) => self.refuse(Error::NotATime { column, span }),
            (Kind::Duration, Value::Duration(ns)) => match i64::try_from(*ns) {
                Ok(ns) => Some(order.number(ns)),
                Err(_) => self.refuse(Error::TooLong { word: column.name, ns: *ns, most_ns: i64::MAX as u64, span }),
            },
            (Kind::Duration, _) => self.refuse(Error::NotADuration { what: column.name.to_string(), value, span }),
            (Kind::Name, Value::Text(text)) => {
                self.possible_name(column, text, false, text.len(), span)?;
                Some(match order {
                    Order::NotEqual => Test::NameNotEqual(text.clone()),
                    _ => Test::NameEqual(text.clone()),
                })
            }
            (Kind::Cgroup, Value::Text(text)) => {
                let path = self.cgroup_path(text, span)?;
                Some(match order {
                    Order::NotEqual => Test::CgroupNotEqual(path),
                    _ => Test::CgroupEqual(path),
                })
            }
            (Kind::Name | Kind::Cgroup, _) => self.refuse(Error::NotText { column, op, value, span }),
            (Kind::Word(_), _) => self.refuse(Error::UnknownWord { column, value, span }),
            (Kind::Bool, _) => self.refuse(Error::FlagCompared { column, opposite: false, span }),
        }
    }

    /// `column ~ glob`
    fn like(&mut self, column: &'static Column, right: &Spanned<Value>) -> Option<Predicate> {
        let span = right.span;
        let text = match (&right.node, column.kind) {
            (Value::Text(text), Kind::Name | Kind::Cgroup | Kind::Word(_)) => text,
            // `type ~ mutex`: a word is as good as the glob that matches only it.
            (Value::Word(word), Kind::Word(words)) if number_of(words, word).is_some() => {
                return self.compare(column, Compare::Equal, right);
            }
            (value, Kind::Name | Kind::Cgroup | Kind::Word(_)) if !is_column(self, value) => {
                return self.refuse(Error::NotText { column, op: Compare::Like, value: value.clone(), span });
            }
            (value, _) => return self.refuse(Error::NoGlob { column, value: value.clone(), span }),
        };
        let glob = Glob(one_star(text));
        match column.kind {
            Kind::Word(words) => {
                let lower = Glob(glob.0.to_ascii_lowercase());
                let matching: Vec<_> = words.iter().filter(|(word, _)| lower.matches(word.as_bytes())).collect();
                if matching.is_empty() {
                    let glob = String::from_utf8_lossy(text).into_owned();
                    return self.refuse(Error::NoWordMatches { column, glob, span });
                }
                Some(Predicate::any(matching.into_iter().map(|(_, n)| term(column, Test::Equal(*n)))))
            }
            Kind::Cgroup => {
                if !glob.0.first().is_some_and(|b| matches!(b, b'/' | b'*' | b'?')) {
                    let path = String::from_utf8_lossy(text).into_owned();
                    return self.refuse(Error::RelativePath { path, span });
                }
                if matches!(glob.plain(), Some(Plain::Exact(_))) {
                    return self.compare(column, Compare::Equal, right);
                }
                Some(term(column, Test::Like(glob)))
            }
            _ => {
                self.possible_name(column, text, true, glob.least_bytes(), span)?;
                if matches!(glob.plain(), Some(Plain::Exact(_))) {
                    return Some(term(column, Test::NameEqual(glob.0)));
                }
                Some(term(column, Test::Like(glob)))
            }
        }
    }

    /// Whether a task can have such a name of at least so many bytes.
    fn possible_name(
        &mut self,
        column: &'static Column,
        text: &[u8],
        glob: bool,
        bytes: usize,
        span: Span,
    ) -> Option<()> {
        if bytes > NAME_BYTES {
            return self.refuse(Error::NameTooLong { column, text: text.to_vec(), bytes, glob, span });
        }
        if text.contains(&0) {
            return self.refuse(Error::NulInName { column, span });
        }
        Some(())
    }

    /// A cgroup's path without a slash at its end.
    pub(super) fn cgroup_path(&mut self, text: &[u8], span: Span) -> Option<String> {
        let Ok(path) = std::str::from_utf8(text) else {
            return self.refuse(Error::NotUtf8 { what: "a cgroup's path", span });
        };
        if !path.starts_with('/') {
            return self.refuse(Error::RelativePath { path: path.to_string(), span });
        }
        let trimmed = path.trim_end_matches('/');
        Some(if trimmed.is_empty() { "/".to_string() } else { trimmed.to_string() })
    }
}

fn is_column(scope: &Scope, value: &Value) -> bool {
    matches!(value, Value::Word(word) if scope.family.column(canonical(word)).is_some())
}

/// Stars beside each other say no more than one, and hide that a glob is a prefix.
fn one_star(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for &byte in text {
        if byte != b'*' || out.last() != Some(&b'*') {
            out.push(byte);
        }
    }
    out
}

/// A word, also where it was quoted.
fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::Word(word) => Some(word.to_ascii_lowercase()),
        Value::Text(text) => String::from_utf8(text.to_ascii_lowercase()).ok(),
        _ => None,
    }
}

fn number_of(words: &[(&str, i64)], word: &str) -> Option<i64> {
    words.iter().find(|(w, _)| *w == word).map(|(_, n)| *n)
}
