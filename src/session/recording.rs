//! What a recording was filtered by, and which questions it can answer.

use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::lang;
use crate::lang::ast::Statement;
use crate::output::taped::Taped;
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

impl Recorded {
    /// For the one who is told of it.
    pub fn taped(&self) -> Taped<'_> {
        let meta = &self.written.meta;
        Taped {
            path: &self.path,
            bytes: self.written.bytes,
            length_ns: meta.end_ns.saturating_sub(meta.start_ns),
            events: meta.events(),
            tasks: meta.tasks(),
            lost: meta.losses.iter().map(|(cause, count)| (cause.as_str(), *count)).collect(),
            notes: &self.notes,
        }
    }
}

/// The clauses by which a recording was filtered, from the text that its file keeps ([`crate::plan::Record::filter`]).
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
    let missing_clauses: Vec<Clause> = coverage::uncovered(&plan.scan, recorded).into_iter().cloned().collect();
    let (Some(whole), Some(missing)) = (coverage::text(recorded), coverage::text(&missing_clauses)) else {
        return Ok(());
    };
    let file = plan.from.as_deref().unwrap_or("the recording");
    let asks_all = plan.scan.clauses.is_empty() && plan.rest.filter.is_none();
    let say = if asks_all { "ask only for what it holds" } else { "join this to the condition with `and`" };
    let missing = if asks_all { format!("where {missing}") } else { bracketed(&missing_clauses, missing) };
    let title = format!("{file} does not hold all that this asks for: {}", plan.text);
    Err(Diagnostic::new("not-recorded", Exit::Wrong, title)
        .help(format!("it was filtered while it was recorded: where {whole}"))
        .help(format!("{say}: `{missing}`")))
}

/// So that it can stand behind an `and`.
fn bracketed(clauses: &[Clause], text: String) -> String {
    match clauses {
        [only] if only.terms.len() > 1 => format!("({text})"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::check;

    fn plan(text: &str) -> Plan {
        let parsed = lang::parse(&Source::new("test", text));
        let Some(Statement::Query(query)) = parsed.statements().next() else { panic!("{text}") };
        check(query, &Params::new(), &CheckOptions::default()).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
    }

    #[test]
    fn what_a_recording_lacks_is_said() {
        let recorded = filter_clauses("sched", "comm = 'a' or comm = 'b'").unwrap();
        assert_eq!(must_cover(&plan("from 't.parquet' runq where comm='b'"), &recorded), Ok(()));
        assert_eq!(must_cover(&plan("from 't.parquet' runq"), &[]), Ok(()));
        let refused = must_cover(&plan("from 't.parquet' runq"), &recorded).unwrap_err();
        assert_eq!(refused.code, "not-recorded");
        assert_eq!(refused.title, "t.parquet does not hold all that this asks for: from 't.parquet' runq");
        assert_eq!(
            refused.help,
            [
                "it was filtered while it was recorded: where comm = 'a' or comm = 'b'",
                "ask only for what it holds: `where comm = 'a' or comm = 'b'`",
            ]
        );
        let refused = must_cover(&plan("from 't.parquet' runq where cpu=1"), &recorded).unwrap_err();
        assert_eq!(refused.help[1], "join this to the condition with `and`: `(comm = 'a' or comm = 'b')`");
    }

    #[test]
    fn a_filter_of_another_version_is_told() {
        for (text, why) in [
            ("nosuch = 1", "sched has no column nosuch"),
            ("comm ~~ 1", "`~` needs a value behind it"),
            ("tid = 1 to 'x.parquet'; runq where tid = 1", "`to` is not expected here"),
        ] {
            let refused = filter_clauses("sched", text).unwrap_err();
            assert_eq!(refused.code, "recorded-filter");
            let begins = "this version does not understand the recording's filter `";
            assert!(refused.title.starts_with(begins), "{}", refused.title);
            assert!(refused.title.contains(why), "{}", refused.title);
        }
        assert_eq!(filter_clauses("sched", "child").map(|clauses| clauses.len()), Ok(1));
    }
}
