//! What a recording was filtered by, and which questions it can answer.

use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::lang;
use crate::lang::ast::Statement;
use crate::plan::{CheckOptions, Clause, Params, Plan, check_record, coverage, messages};
use crate::source::trace::write::Written;

/// A recording that was made.
#[derive(Debug)]
pub struct Recorded {
    /// As it was typed.
    pub path: String,
    pub written: Written,
    /// Sentences for people.
    pub notes: Vec<String>,
}

/// The clauses by which a recording was filtered, from the text that its file keeps ([`Record::filter`]).
///
/// # Errors
/// A text that this version does not understand: a file of a later one, or a damaged one.
pub fn filter_clauses(set: &str, text: &str) -> Result<Vec<Clause>, Diagnostic> {
    let source = Source::new("the recording's filter", format!("record {set} where {text} to 'a.parquet'"));
    let not_understood = |problem: Option<Diagnostic>| {
        let why = problem.map_or_else(String::new, |problem| format!(": {}", problem.title));
        let title = format!("this version does not understand the recording's filter `{text}`{why}");
        Diagnostic::new("recorded-filter", Exit::Failed, title)
    };
    let parsed = lang::parse(&source);
    if let Some(error) = parsed.errors.first() {
        return Err(not_understood(Some(error.diagnostic(&source))));
    }
    let mut statements = parsed.statements();
    let (Some(Statement::Record(record)), None) = (statements.next(), statements.next()) else {
        return Err(not_understood(None));
    };
    // The recording had its command, if it speaks of one.
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    match check_record(record, &Params::new(), &options) {
        Ok(record) => Ok(record.scan.clauses),
        Err(errors) => Err(not_understood(messages::diagnostics(&errors, &source).into_iter().next())),
    }
}

/// Refuses a question that a recording cannot answer wholly, because it was filtered while it was made.
///
/// # Errors
/// What the recording was filtered by, and what the question must say too.
pub fn must_cover(plan: &Plan, recorded: &[Clause]) -> Result<(), Diagnostic> {
    let missing: Vec<Clause> = coverage::uncovered(&plan.scan, recorded).into_iter().cloned().collect();
    let (Some(whole), Some(missing)) = (coverage::text(recorded), coverage::text(&missing)) else { return Ok(()) };
    let file = plan.from.as_deref().unwrap_or("the recording");
    let add = if plan.scan.clauses.is_empty() && plan.rest.filter.is_none() { "where" } else { "and" };
    let missing = if add == "and" && missing.contains(" or ") && !missing.contains('(') {
        format!("({missing})")
    } else {
        missing
    };
    Err(Diagnostic::new(
        "not-recorded",
        Exit::Wrong,
        format!("{file} does not hold all that this asks for: {}", plan.text),
    )
    .help(format!("it was filtered while it was recorded: where {whole}"))
    .help(format!("ask only for what it holds: `{add} {missing}`")))
}
