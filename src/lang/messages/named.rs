//! The words for what is wrong with statements on results.

use super::{Words, code, words};
use crate::lang::error::Named;

const ASSERT: &str =
    "write `assert FRAME.COLUMN < 5ms else 'too slow'`; a stat's own word (`before.p99`) is a column too";

pub(super) fn words_of(problem: &Named) -> Words {
    match problem {
        Named::SqlWanted { found } => {
            let label = match found {
                Some(found) => format!("{} asks for nothing", code(found)),
                None => "nothing follows it".to_string(),
            };
            words("sql-wanted", "`sql` needs a `select`", label)
                .help("such as `sql select comm, count from before order by count desc`")
                .help("its tables are the results that have a name; it changes none of them")
        }
        Named::ColumnWanted { found } => words(
            "claim-wanted",
            "an assertion speaks of a column of a result that has a name",
            format!("{} is no `FRAME.COLUMN`", code(found)),
        )
        .help(ASSERT),
        Named::MissingTest => {
            words("claim-missing", "an assertion does not ask whether a value is missing", "not possible here")
                .help("a missing value fails every assertion about it; `sql` can count missing values")
        }
        Named::ElseWanted { text } => {
            words("else-wanted", "`else` stands before the text of an assertion", "no `else` stands before this")
                .help(format!("write `else {text}`"))
        }
        Named::CompareTwo => words("compare-two", "`compare` needs two results", "the second is missing")
            .help("write `compare before after`, or with files `compare 'before.parquet' 'after.parquet'`"),
        Named::CompareJoined { sign } => words(
            "compare-two",
            format!("the two results of `compare` stand side by side, without {}", code(sign)),
            "not expected here",
        )
        .help("write `compare before after`"),
        Named::ArgumentWanted { found } => {
            words("argument-wanted", "behind a script stand its parameters", format!("{} is none", code(found)))
                .help("a parameter is `name=value`, such as `run 'runqlat.sq' pid=42 window=5s`")
        }
        Named::ArgumentTwice { name, .. } => {
            words("argument-twice", format!("{} is given twice", code(name)), "the second stands here")
                .help("leave one of them")
        }
    }
}
