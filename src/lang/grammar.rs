//! The parser that pest makes from `grammar/schedq.pest`. Its rules are seen by this room only.

use pest::Parser;
use pest::error::InputLocation;
use pest::iterators::Pair;
use pest_derive::Parser;

#[derive(Parser)]
#[grammar = "../grammar/schedq.pest"]
struct Grammar;

/// Where the grammar could not go on, and what it could have gone on with.
#[derive(Debug)]
pub(super) struct Stop {
    /// Byte offset into the text given.
    pub offset: usize,
    pub expected: Vec<Rule>,
}

/// The single pair of `rule`, which spans all of `text`.
pub(super) fn read(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, Stop> {
    match Grammar::parse(rule, text) {
        Ok(mut pairs) => Ok(pairs.next().expect("a rule that matched leaves its pair")),
        Err(error) => {
            let offset = match error.location {
                InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
            };
            let expected = match error.variant {
                pest::error::ErrorVariant::ParsingError { positives, .. } => positives,
                pest::error::ErrorVariant::CustomError { .. } => Vec::new(),
            };
            Err(Stop { offset, expected })
        }
    }
}
