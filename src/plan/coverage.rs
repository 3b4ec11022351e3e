//! Whether a recording holds all that a question needs, when it was filtered while it was made: every row that the question
//! lets through must be of a task that the recording kept.
//!
//! Both are conjunctions of clauses. A recorded clause is kept by the question if one of the question's own clauses implies
//! it, or if what the question says of one number lies within what was recorded of it. What cannot be shown is refused:
//! a person can always repeat the recording's filter in the question.

use super::predicate::{Plain, Predicate, Term, Test};
use super::{Clause, Scan};
use crate::catalog::{Column, Kind};

/// A recording's filter for its file: clauses in the language's words, which read back to the same clauses. `None` when
/// there are none.
pub fn text(clauses: &[Clause]) -> Option<String> {
    let parts = clauses.iter().map(|clause| Predicate::any(clause.terms.iter().cloned().map(Predicate::Term)));
    (!clauses.is_empty()).then(|| Predicate::all(parts).to_string())
}

/// Whether every row that a question's own clauses let through is of a task that a recording with these clauses kept.
pub fn covers(scan: &Scan, recorded: &[Clause]) -> bool {
    uncovered(scan, recorded).is_empty()
}

/// The clauses of a recording that a question must say too, so that the recording can answer it.
pub fn uncovered<'a>(scan: &Scan, recorded: &'a [Clause]) -> Vec<&'a Clause> {
    recorded.iter().filter(|kept| !is_implied(&scan.clauses, kept)).collect()
}

fn is_implied(asked: &[Clause], kept: &Clause) -> bool {
    let by_one = |clause: &Clause| clause.terms.iter().all(|term| kept.terms.iter().any(|wider| implies(term, wider)));
    asked.iter().any(by_one) || kept.terms.iter().any(|term| lies_within(asked, term.column, kept))
}

/// Whether a term holds wherever another does.
fn implies(term: &Term, wider: &Term) -> bool {
    if term == wider {
        return true;
    }
    if term.column != wider.column || term.negated {
        return false;
    }
    match (&term.test, &wider.test) {
        (Test::NameEqual(name), Test::NameEqual(_) | Test::NameNotEqual(_) | Test::Like(_)) => {
            name_holds(name, &wider.test) != wider.negated
        }
        (Test::Like(glob), _) => match glob.plain() {
            Some(Plain::Prefix(prefix)) => prefix_implies(&prefix, wider),
            _ => false,
        },
        (Test::CgroupEqual(path) | Test::Under(path), Test::Under(above)) => !wider.negated && is_below(path, above),
        _ => false,
    }
}

fn name_holds(name: &[u8], test: &Test) -> bool {
    match test {
        Test::NameEqual(other) => name == other.as_slice(),
        Test::NameNotEqual(other) => name != other.as_slice(),
        Test::Like(glob) => glob.matches(name),
        _ => false,
    }
}

/// Whether every name that begins so passes a term.
fn prefix_implies(prefix: &[u8], wider: &Term) -> bool {
    match (&wider.test, wider.negated) {
        (Test::Like(glob), negated) => match glob.plain() {
            Some(Plain::Prefix(other)) if negated => !prefix.starts_with(&other) && !other.starts_with(prefix),
            Some(Plain::Prefix(other)) => prefix.starts_with(&other),
            _ => false,
        },
        (Test::NameEqual(name), true) | (Test::NameNotEqual(name), false) => !name.starts_with(prefix),
        _ => false,
    }
}

/// Whether a path is that of a cgroup or of one below it. A path that goes up again says nothing as it stands.
fn is_below(path: &str, above: &str) -> bool {
    let plain = |path: &str| path.split('/').all(|part| !matches!(part, "." | ".."));
    let rest = path.strip_prefix(above.trim_end_matches('/'));
    plain(path) && plain(above) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a number that passes all that is asked of it alone passes a recorded clause.
fn lies_within(asked: &[Clause], column: &'static Column, kept: &Clause) -> bool {
    if column.kind != Kind::Int || column.nullable {
        return false;
    }
    let of_column = |clause: &Clause| clause.terms.iter().map(|term| ranges(term, column)).collect::<Option<Vec<_>>>();
    let asked: Vec<Vec<(i64, i64)>> = asked.iter().filter_map(of_column).map(|terms| terms.concat()).collect();
    if asked.is_empty() {
        return false;
    }
    // What is recorded of other columns beside it can only be more.
    let kept: Vec<(i64, i64)> = kept.terms.iter().filter_map(|term| ranges(term, column)).flatten().collect();
    let everything = vec![(i64::MIN, i64::MAX)];
    let asked = asked.into_iter().fold(everything, |left, right| common(&left, &right));
    asked.iter().all(|range| is_filled(*range, &kept))
}

/// The numbers that pass a term on that column, as inclusive ranges; `None` for another column or test.
fn ranges(term: &Term, column: &'static Column) -> Option<Vec<(i64, i64)>> {
    const LEAST: i64 = i64::MIN;
    const MOST: i64 = i64::MAX;
    if term.column != column {
        return None;
    }
    let below = |n: i64| n.checked_sub(1).map(|end| (LEAST, end));
    let above = |n: i64| n.checked_add(1).map(|start| (start, MOST));
    let passing = match term.test {
        Test::Equal(n) => vec![(n, n)],
        Test::NotEqual(n) => [below(n), above(n)].into_iter().flatten().collect(),
        Test::Less(n) => below(n).into_iter().collect(),
        Test::LessOrEqual(n) => vec![(LEAST, n)],
        Test::Greater(n) => above(n).into_iter().collect(),
        Test::GreaterOrEqual(n) => vec![(n, MOST)],
        Test::Between(lo, hi) if lo <= hi => vec![(lo, hi)],
        Test::Between(..) => Vec::new(),
        _ => return None,
    };
    if !term.negated {
        return Some(passing);
    }
    // No test leaves more than two ranges, which are in order.
    let mut others = Vec::new();
    let mut from = Some(LEAST);
    for (lo, hi) in passing {
        if let (Some(start), Some(end)) = (from, lo.checked_sub(1))
            && start <= end
        {
            others.push((start, end));
        }
        from = hi.checked_add(1);
    }
    others.extend(from.map(|start| (start, MOST)));
    Some(others)
}

fn common(left: &[(i64, i64)], right: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let both = |a: &(i64, i64), b: &(i64, i64)| (a.0.max(b.0), a.1.min(b.1));
    let all = left.iter().flat_map(|a| right.iter().map(move |b| both(a, b)));
    all.filter(|(lo, hi)| lo <= hi).collect()
}

/// Whether ranges together hold every number of one.
fn is_filled(range: (i64, i64), by: &[(i64, i64)]) -> bool {
    let (mut from, end) = range;
    loop {
        let Some((_, reach)) = by.iter().filter(|(lo, hi)| *lo <= from && from <= *hi).max_by_key(|(_, hi)| *hi) else {
            return false;
        };
        if *reach >= end {
            return true;
        }
        from = *reach + 1;
    }
}

#[cfg(test)]
mod tests;
