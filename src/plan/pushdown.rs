//! What the source decides, and what is left for the frame.
//!
//! A predicate is brought into conjunctive form; the kernel tests a list of terms in its read-only data, so each clause
//! goes there if every one of its terms can be tested on a row's 64-bit slots. A clause that cannot is left: its columns
//! then travel as hidden keys of the groups, or, where there would be a group for nearly every row, as rows.

use std::collections::BTreeSet;

use super::columns::of_measure;
use super::layout::{MAX_KEY_WORDS, MAX_TERMS};
use super::predicate::{Glob, Predicate, Term, Test};
use super::{Clause, Needs, Output, Plan, StatColumn};
use crate::catalog::task::UNDER_SLOTS;
use crate::catalog::{Cardinality, Column, Kind, Stage};
use crate::lang::ast::Stat;

/// Terms that one part of a predicate may have in conjunctive form: beyond, it is left as it stands. Larger than what the
/// kernel holds, because simplification comes after.
const MOST_TERMS_OF_A_PART: usize = 128;

/// Clauses that are looked at together: each is held against each other one. Further parts are left as they stand.
const MOST_CLAUSES: usize = 256;

/// Why the kernel cannot decide a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// A glob that is more than the beginning of a name.
    Glob,
    /// A pattern of cgroup paths: the kernel knows cgroups by number.
    CgroupGlob,
}

/// Whether the kernel can decide a term, and if not, why.
pub fn undecided(term: &Term) -> Option<Undecided> {
    match &term.test {
        Test::Like(_) if term.column.kind == Kind::Cgroup => Some(Undecided::CgroupGlob),
        Test::Like(glob) if glob.plain().is_none() => Some(Undecided::Glob),
        _ => None,
    }
}

/// A predicate, divided. Its meaning is "every clause holds, and the filter does".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Division {
    /// For the source, those that are known earliest first. A clause without terms holds for no row; it then is the only
    /// one.
    pub clauses: Vec<Clause>,
    /// For the frame.
    pub filter: Option<Predicate>,
}

/// Divides a predicate between the source and the frame.
pub fn divide(predicate: Option<Predicate>) -> Division {
    let parts = match predicate {
        None => return Division::default(),
        Some(Predicate::And(parts)) => parts,
        Some(other) => vec![other],
    };
    let mut clauses: Vec<Vec<Term>> = Vec::new();
    let mut left: Vec<Predicate> = Vec::new();
    for part in parts {
        match conjunctive(&part, MOST_TERMS_OF_A_PART) {
            Some(found) if clauses.len() + found.len() <= MOST_CLAUSES => clauses.extend(found),
            _ => left.push(part),
        }
    }
    let mut clauses = settle(simplify(clauses));
    if clauses.iter().any(Vec::is_empty) {
        return Division { clauses: vec![Clause { terms: Vec::new() }], filter: None };
    }
    for clause in &mut clauses {
        clause.sort_by_key(Term::stage);
    }
    clauses.sort_by_key(|clause| (latest(clause), clause.len()));

    let mut division = Division::default();
    let mut terms = 0;
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for clause in clauses {
        let more: BTreeSet<String> = paths.iter().cloned().chain(under_paths(&clause)).collect();
        let fits = terms + clause.len() <= MAX_TERMS && more.len() <= UNDER_SLOTS.len();
        let decided = clause.iter().all(|term| undecided(term).is_none());
        if fits && let Some(implied) = implied(&clause) {
            terms += implied.len();
            paths = more;
            division.clauses.push(Clause { terms: implied });
        }
        if !fits || !decided {
            left.push(Predicate::any(clause.into_iter().map(Predicate::Term)));
        }
    }
    if !left.is_empty() {
        division.filter = Some(Predicate::all(left));
    }
    division
}

/// What the kernel can test of a clause and what must hold wherever the clause does: the clause itself where all of it is
/// decided, else one in which a glob is only how it begins (`CPU *` for `CPU */KVM`), so that few rows are carried along
/// for user space to refuse. `None` when that would say nothing.
fn implied(clause: &[Term]) -> Option<Vec<Term>> {
    let weaker = |term: &Term| match (undecided(term), &term.test) {
        (None, _) => Some(term.clone()),
        (Some(Undecided::Glob), Test::Like(glob)) if !term.negated => {
            let mut stem: Vec<u8> = glob.0.iter().copied().take_while(|b| !matches!(b, b'*' | b'?')).collect();
            stem.push(b'*');
            (stem.len() > 1).then(|| Term { test: Test::Like(Glob(stem)), ..term.clone() })
        }
        _ => None,
    };
    clause.iter().map(weaker).collect()
}

fn latest(clause: &[Term]) -> Stage {
    clause.iter().map(Term::stage).max().unwrap_or(Stage::Fixed)
}

fn under_paths(clause: &[Term]) -> impl Iterator<Item = String> + '_ {
    clause.iter().filter_map(|term| match &term.test {
        Test::Under(path) => Some(path.clone()),
        _ => None,
    })
}

/// The clauses of a predicate, or `None` when they would have more than `most` terms. Terms that are the same for every
/// row are gone: a true one takes its clause with it.
fn conjunctive(predicate: &Predicate, most: usize) -> Option<Vec<Vec<Term>>> {
    let clauses = match predicate {
        Predicate::Term(term) => match term.constant() {
            Some(true) => Vec::new(),
            Some(false) => vec![Vec::new()],
            None => vec![vec![term.clone()]],
        },
        Predicate::And(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(conjunctive(part, most)?);
            }
            all
        }
        Predicate::Or(parts) => {
            let mut product: Vec<Vec<Term>> = vec![Vec::new()];
            for part in parts {
                let right = conjunctive(part, most)?;
                let terms = |clauses: &[Vec<Term>]| clauses.iter().map(Vec::len).sum::<usize>();
                if terms(&product) * right.len() + terms(&right) * product.len() > most {
                    return None;
                }
                product = product
                    .iter()
                    .flat_map(|left| right.iter().map(move |clause| [left.as_slice(), clause].concat()))
                    .collect();
            }
            simplify(product)
        }
    };
    (clauses.iter().map(Vec::len).sum::<usize>() <= most).then_some(clauses)
}

/// Drops terms that stand twice in a clause, clauses that always hold, and clauses that another one implies.
fn simplify(clauses: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
    let mut kept: Vec<Vec<Term>> = Vec::new();
    for clause in clauses {
        let mut terms: Vec<Term> = Vec::new();
        for term in clause {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let always = terms.iter().any(|term| terms.contains(&opposite(term)));
        let implied = |other: &[Term], by: &[Term]| by.iter().all(|term| other.contains(term));
        if always || kept.iter().any(|known| implied(&terms, known)) {
            continue;
        }
        kept.retain(|known| !implied(known, &terms));
        kept.push(terms);
    }
    kept
}

/// Takes from every clause the terms that a clause of a single term rules out.
fn settle(mut clauses: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
    loop {
        let ruled_out: Vec<Term> = clauses.iter().filter(|c| c.len() == 1).map(|c| opposite(&c[0])).collect();
        let before: usize = clauses.iter().map(Vec::len).sum();
        for clause in &mut clauses {
            clause.retain(|term| !ruled_out.contains(term));
        }
        if clauses.iter().map(Vec::len).sum::<usize>() == before {
            return simplify(clauses);
        }
    }
}

fn opposite(term: &Term) -> Term {
    Term { negated: !term.negated, ..term.clone() }
}

/// What the frame must be given.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub measure: Option<&'static Column>,
    pub stats: &'a [StatColumn],
    /// The columns that `events` shows.
    pub events: Option<&'a [&'static Column]>,
    pub by: &'a [&'static Column],
    /// The columns whose values are counted.
    pub uniq: &'a [&'static Column],
    /// The columns by which rows are sorted.
    pub sorted: &'a [&'static Column],
    /// What is left of the predicate.
    pub filter: Option<&'a Predicate>,
    /// There are intervals.
    pub every: bool,
    pub first: Option<u64>,
}

/// Why every row must reach the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsBecause {
    /// The query asks for the rows themselves.
    Asked,
    /// The steps of a linear histogram are not the kernel's buckets.
    LinearHistogram,
    /// A column of the filter that is left, or of `uniq`, differs on nearly every row.
    TooFine(&'static Column),
    /// The keys and hidden keys together are longer than a key can be.
    KeyTooLong,
}

/// What the source delivers for it: visible keys first, in the order of `by`, then hidden ones.
pub fn output(wanted: &Wanted) -> Output {
    let hidden = hidden_columns(wanted.filter, wanted.uniq);
    if rows_because(wanted.stats, wanted.events.is_some(), wanted.by, &hidden, wanted.every).is_none() {
        return Output::Groups { keys: union([wanted.by, &hidden]), needs: needs(wanted) };
    }
    match wanted.events {
        Some(shown) => Output::Rows {
            columns: union([shown, wanted.sorted, &hidden]),
            // The source cannot count what only the frame decides.
            first: wanted.first.filter(|_| wanted.filter.is_none()),
        },
        None => {
            let measured: Vec<_> =
                wanted.measure.filter(|_| wanted.stats.iter().any(|s| of_measure(&s.stat))).into_iter().collect();
            let at: Vec<_> = wanted
                .measure
                .filter(|_| wanted.stats.iter().any(|s| s.stat == Stat::MaxAt))
                .and_then(|_| crate::catalog::task::COLUMNS.iter().find(|c| c.kind == Kind::Time))
                .into_iter()
                .collect();
            Output::Rows { columns: union([wanted.by, &measured, &hidden, &at]), first: None }
        }
    }
}

/// Why a plan has its rows emitted instead of aggregated at the source.
pub fn why_rows(plan: &Plan) -> Option<RowsBecause> {
    let rest = &plan.rest;
    let uniq: Vec<_> = rest
        .stats
        .iter()
        .filter_map(|stat| match &stat.stat {
            Stat::Uniq(word) => plan.family.column(&word.node),
            _ => None,
        })
        .collect();
    let hidden = hidden_columns(rest.filter.as_ref(), &uniq);
    rows_because(&rest.stats, rest.events.is_some(), &rest.by, &hidden, plan.scan.every_ns.is_some())
}

fn hidden_columns(filter: Option<&Predicate>, uniq: &[&'static Column]) -> Vec<&'static Column> {
    let filtered = filter.map(Predicate::columns).unwrap_or_default();
    union([&filtered, uniq])
}

fn rows_because(
    stats: &[StatColumn],
    events: bool,
    by: &[&'static Column],
    hidden: &[&'static Column],
    every: bool,
) -> Option<RowsBecause> {
    if events {
        return Some(RowsBecause::Asked);
    }
    if stats.iter().any(|stat| stat.linear.is_some()) {
        return Some(RowsBecause::LinearHistogram);
    }
    if let Some(column) = hidden.iter().find(|column| column.few == Cardinality::Many) {
        return Some(RowsBecause::TooFine(column));
    }
    let words: usize = union([by, hidden]).iter().map(|column| usize::from(column.kind.slots())).sum();
    (words + usize::from(every) > MAX_KEY_WORDS).then_some(RowsBecause::KeyTooLong)
}

fn needs(wanted: &Wanted) -> Needs {
    let mut needs = Needs::default();
    for stat in wanted.stats {
        match stat.stat {
            Stat::Sum | Stat::Avg => needs.sum = true,
            Stat::Min | Stat::Max => needs.extremes = true,
            // Clamped to the extremes.
            Stat::Percentile(_) => {
                needs.extremes = true;
                needs.histogram = true;
            }
            // The printed histogram ends with samples, total and average.
            Stat::Hist | Stat::HistLinear { .. } => {
                needs.sum = true;
                needs.histogram = true;
            }
            Stat::MaxAt => {
                needs.extremes = true;
                needs.max_at = true;
            }
            Stat::Count | Stat::Rate | Stat::Pct | Stat::Uniq(_) | Stat::Events(_) => {}
        }
    }
    // A span can be longer than the interval in which it ended; such groups are marked by their maximum.
    if wanted.every && wanted.measure.is_some_and(|measure| measure.kind == Kind::Duration) {
        needs.extremes = true;
    }
    needs
}

/// All columns, each once, in order.
fn union<const N: usize>(lists: [&[&'static Column]; N]) -> Vec<&'static Column> {
    let mut all: Vec<&'static Column> = Vec::new();
    for column in lists.into_iter().flatten() {
        if !all.contains(column) {
            all.push(column);
        }
    }
    all
}
