//! The word that was meant, where a statement or a clause was read as the name of something else.

use super::super::Session;
use crate::diagnostic::Diagnostic;
use crate::lang::ast::Query;
use crate::lang::words;
use crate::nearest::nearest;

impl Session {
    /// `shwo x` reads as a query of the family `shwo`.
    pub(super) fn meant_statement(&self, problem: &mut Diagnostic, first: &str) {
        // The shorter words are too short for a slip to be told from a name.
        let statements = words::STATEMENTS.iter().copied().filter(|word| word.len() > 3);
        let of_prompt = words::PROMPT_ONLY.iter().copied().filter(|_| self.keeps_last);
        if problem.code == "unknown-family"
            && !has_suggestion(problem)
            && let Some(near) = nearest(first, statements.chain(of_prompt))
        {
            problem.help.insert(0, format!("did you mean the statement `{near}`?"));
        }
    }
}

/// `FAMILY coutn` reads as a measure of that name.
pub(super) fn meant_clause(problem: &mut Diagnostic, query: &Query) {
    let words = words::STATS.iter().chain(words::CLAUSES).copied();
    if problem.code == "unknown-measure"
        && !has_suggestion(problem)
        && let Some(near) = query.measure.as_ref().and_then(|word| nearest(&word.node, words))
    {
        problem.help.insert(0, format!("did you mean `{near}`?"));
    }
}

fn has_suggestion(problem: &Diagnostic) -> bool {
    problem.help.iter().any(|help| help.starts_with("did you mean"))
}
