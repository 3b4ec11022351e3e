//! From a parsed query to a plan: every name becomes a column, every literal gets its column's unit.
//!
//! All that is wrong with a query is reported at once. What cannot be known without the machine (whether a task exists,
//! whether a cgroup does) is not asked here.

mod bind;
mod filter;
mod literal;
mod names;
mod record;
mod recorded;
mod result;
mod stats;
mod time;

pub(super) use literal::NAME_BYTES;
pub(super) use names::CHILD;
pub use names::{ALIASES, canonical as canonical_column};
pub use record::check_record;

use std::collections::BTreeMap;

use super::error::Error;
use super::predicate::{Predicate, Test};
use super::pushdown::{self, Division, Wanted};
use super::{Plan, Rest, Scan};
use crate::catalog::{self, Family};
use crate::lang::{ast, format};

/// Values of parameters by name. `Value::Word("any")` makes the comparison in which the parameter stands true, also where
/// `not` stands before it: `not (tgid = $t)` with `any` is then false for every row, while `tgid != $t` is true.
pub type Params = BTreeMap<String, ast::Value>;

/// What the check must know beside the query.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions<'a> {
    /// The most memory that the maps of one query may take, bytes.
    pub map_bytes: u64,
    /// Room for so many groups, if the user says so.
    pub groups: Option<u64>,
    /// A command is started with the query, so `child` has a meaning.
    pub has_command: bool,
    /// The length of the block in which the query stands, nanoseconds; it then may not have a `for` of its own.
    pub block_ns: Option<u64>,
    /// Names of saved queries, to tell them from misspelt families.
    pub saved: &'a [&'a str],
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        Self { map_bytes: 256 << 20, groups: None, has_command: false, block_ns: None, saved: &[] }
    }
}

/// What the parts of the check share: where names are looked up, and what was found wrong so far.
struct Scope<'a> {
    family: &'static Family,
    options: &'a CheckOptions<'a>,
    /// A recording is asked, which has its own command, length and losses.
    recorded: bool,
    errors: Vec<Error>,
}

impl Scope<'_> {
    fn refuse<T>(&mut self, error: Error) -> Option<T> {
        self.errors.push(error);
        None
    }
}

/// Checks a query and divides its work between the source and the frame.
///
/// # Errors
/// All that is wrong with it, in the order of its clauses.
pub fn check(query: &ast::Query, params: &Params, options: &CheckOptions) -> Result<Plan, Vec<Error>> {
    bound(query, params, options, 0).map(|(plan, _)| plan)
}

/// The plan, and the query with the values of its parameters. `depth` counts the queries around it.
fn bound(
    query: &ast::Query,
    params: &Params,
    options: &CheckOptions,
    depth: usize,
) -> Result<(Plan, ast::Query), Vec<Error>> {
    let Some(family) = catalog::family(&query.family.node) else {
        return Err(vec![Error::UnknownFamily {
            name: query.family.clone(),
            saved: options.saved.contains(&query.family.node.as_str()),
            saved_names: options.saved.iter().map(|name| name.to_string()).collect(),
        }]);
    };
    let mut scope = Scope { family, options, recorded: query.from.is_some(), errors: Vec::new() };
    let mut query = scope.bind(query, params);

    let measure = scope.measure(query.measure.as_ref());
    let filter = query.filter.as_ref().and_then(|expr| scope.predicate(expr));
    let before = scope.errors.len();
    let stats = scope.stats(&query, measure);
    let by = scope.keys(&query, measure);
    let partial = scope.errors.len() > before;
    let shape = result::Shape { measure, stats: &stats, by: &by, every: query.every.is_some(), partial };
    let having = query.having.as_ref().and_then(|expr| scope.having(expr, &shape));
    let sort = scope.sort(&query.sort, &shape);
    let limit = scope.limit(&query, &stats, measure);
    let time = scope.time(&query);
    let save = query.save.as_ref().and_then(|path| scope.file_name("save", path));
    let from = query.from.as_ref().and_then(|path| scope.recording("from", path));
    scope.not_over_the_recording(&query, from.as_deref(), save.as_deref());
    let around = scope.around(&mut query, params, depth);
    if !scope.errors.is_empty() {
        return Err(scope.errors);
    }

    let idle = filter.as_ref().is_some_and(names_idle);
    let own = filter.as_ref().is_some_and(names_own);
    let Division { clauses, filter } = pushdown::divide(filter);
    let output = pushdown::output(&Wanted {
        measure,
        stats: &stats.columns,
        events: stats.events.as_deref(),
        by: &by,
        uniq: &stats.uniq,
        sorted: &sort.rows,
        filter: filter.as_ref(),
        every: time.every_ns.is_some(),
        first: limit.first,
    });
    let plan = Plan {
        text: format::query(&query),
        family,
        measure,
        scan: Scan {
            family,
            measure,
            clauses,
            output,
            every_ns: time.every_ns,
            bound_ns: time.window_ns,
            idle,
            own,
            map_bytes: options.map_bytes,
            groups: options.groups,
            range: None,
        },
        rest: Rest {
            filter,
            by,
            stats: stats.columns,
            events: stats.events,
            having,
            first: limit.first,
            sort: sort.columns,
            top: limit.top,
        },
        window_ns: time.window_ns,
        save,
        from,
        around,
    };
    Ok((plan, query))
}

/// The name of the threads of this program, by which a query asks for its rows too.
const OWN_NAME: &[u8] = b"schedq";
/// The name of every CPU's idle task begins with it.
const IDLE_NAME: &[u8] = b"swapper";

/// Whether it asks for the idle task by its number or name.
fn names_idle(predicate: &Predicate) -> bool {
    let mut found = false;
    predicate.visit(&mut |term| {
        found |= match (term.column.name, &term.test) {
            ("tid" | "tgid", Test::Equal(0)) => !term.negated,
            ("tid" | "tgid", Test::NotEqual(0)) => term.negated,
            ("tid" | "tgid", Test::Between(lo, hi)) => !term.negated && *lo <= 0 && *hi >= 0,
            _ => names(term, IDLE_NAME),
        };
    });
    found
}

/// Whether it asks for this program's own threads by name.
fn names_own(predicate: &Predicate) -> bool {
    let mut found = false;
    predicate.visit(&mut |term| found |= names(term, OWN_NAME));
    found
}

/// Whether a term wants the measured task to have a name that begins so.
fn names(term: &super::predicate::Term, name: &[u8]) -> bool {
    matches!(term.column.name, "comm" | "process")
        && match &term.test {
            Test::NameEqual(text) => !term.negated && text.starts_with(name),
            Test::NameNotEqual(text) => term.negated && text.starts_with(name),
            Test::Like(glob) => !term.negated && glob.0.starts_with(name),
            _ => false,
        }
}

#[cfg(test)]
mod tests;
