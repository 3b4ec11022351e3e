//! The words for what is wrong with recordings, questions to them, and times in them.

use super::{Words, code, words};
use crate::lang::error::Recorded;

pub(super) const RECORD: &str = "write `record sched for 10s to 'trace.parquet'`";
const FROM: &str = "write `from 'trace.parquet' FAMILY [MEASURE] …`";
const TIMES: &str =
    "a time is `'14:03:21.5'` or `'2026-12-01 14:03:21'`, ns of CLOCK_MONOTONIC, `FRAME.COLUMN`, or `worst(QUERY)`";

pub(super) fn words_of(problem: &Recorded) -> Words {
    match problem {
        Recorded::FamilyWanted { found } => {
            let label = match found {
                Some(found) => format!("{} is none", code(found)),
                None => "no family follows".to_string(),
            };
            words("family-wanted", "a family is due behind the recording", label)
                .help(FROM)
                .help("`schedq list families` names the families")
        }
        Recorded::FromBehind => words("from-behind", "`from` stands before the family", "not behind it").help(FROM),
        Recorded::ToMissing => words("to-missing", "`record` needs a file to write to", "`to` is missing")
            .help("end it with `to 'trace.parquet'`"),
        Recorded::SetWanted { found } => {
            words("set-wanted", "`record` needs a set of events, such as `sched`", format!("{} is none", code(found)))
                .help(RECORD)
        }
        Recorded::ToWanted { file } => {
            words("to-wanted", "`to` stands before the file of a recording", "no `to` stands before this")
                .help(format!("write `to {file}`"))
        }
        Recorded::NotOfRecord { word } => {
            words("not-of-record", format!("{} is of a query, not of `record`", code(word)), "not possible here")
                .help("a recording has `where`, `for` and `to`; everything else is asked of its file afterwards")
                .help(FROM)
        }
        Recorded::TimeWanted { found, quoted } => {
            let words = words(
                "time-wanted",
                "`around` needs a time, then how far on each side",
                format!("{} is no time", code(found)),
            );
            match quoted {
                Some(quoted) => words.help(format!("write `around {quoted} 10ms`")),
                None => words.help(TIMES).help("such as `around '14:03:21.5' 10ms`"),
            }
        }
        Recorded::TimeNegative => {
            words("time-negative", "a time is not below zero", "before the machine was started").help(TIMES)
        }
        Recorded::WorstArgument => {
            words("worst-argument", "`worst` needs a query in brackets", "a query is due behind this")
                .help("`worst(FAMILY [MEASURE] where …)` is when the row with the greatest measure ended")
        }
    }
}
