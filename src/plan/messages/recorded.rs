//! Words for what is wrong with recordings and with questions to them.

use crate::catalog::{self, sched};
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::lang::format;
use crate::plan::error::{Error, Undecidable};
use crate::plan::words::{list, nearest};

pub(super) fn diagnostic(error: &Error, source: &Source) -> Diagnostic {
    let say = |code, title: String, span: Span, label: &str| {
        Diagnostic::new(code, Exit::Wrong, title).at(source, span, label)
    };
    match error {
        Error::NotARecording { word, path, span } => {
            let d = say(
                "not-a-recording",
                "a recording is a file with the ending .parquet".to_string(),
                *span,
                "another ending",
            );
            match path.rsplit_once('.').filter(|(name, _)| !name.is_empty()) {
                // Nothing of it is worth keeping: '', '.', 'folder/' and a name that is an ending alone.
                _ if !names_a_file(path) => d.help(format!("name a file: `{word} 'trace.parquet'`")),
                Some(_) if *word == "from" => {
                    d.help("other tools' files cannot be asked; `record sched for 10s to 'trace.parquet'` makes one")
                }
                Some((name, _)) => {
                    d.help(format!("write `{word} {}`", format::text(format!("{name}.parquet").as_bytes())))
                }
                None => d.help(format!("write `{word} {}`", format::text(format!("{path}.parquet").as_bytes()))),
            }
        }
        Error::SavedOverRecording { span } => say(
            "saved-over-recording",
            "this would replace the recording by its answer".to_string(),
            *span,
            "the file that is asked",
        )
        .help("save the answer to another file"),
        Error::WindowOfRecording { span } => say(
            "window-of-recording",
            "a recording has a length of its own".to_string(),
            *span,
            "not possible with `from`",
        )
        .help("leave `for` out, or ask for a part: `around '14:03:21.5' 10ms`"),
        Error::RecordingInBlock { span } => say(
            "recording-in-block",
            "a block is a window of the running system, and this asks a recording".to_string(),
            *span,
            "a recording",
        )
        .help("put the query behind the block's `}`"),
        Error::AroundLive { span } => say(
            "around-live",
            "`around` looks at a part of a recording, and this asks none".to_string(),
            *span,
            "needs `from`",
        )
        .help("record first: `record sched for 10s to 'trace.parquet'`; then begin with `from 'trace.parquet'`"),
        Error::NotAPointInTime { value, span } => say(
            "not-a-point-in-time",
            format!("{} is no point in time", format::value(value)),
            *span,
            "not a time",
        )
        .help(
            "such as '14:03:21.5', '2026-12-01 14:03:21', or '2026-12-01T14:03:21Z'; local time unless a zone is given",
        )
        .help("a whole number is ns of CLOCK_MONOTONIC; `worst(QUERY)` is when the worst row of a query ended"),
        Error::WorstClause { clause, span } => say(
            "worst-clause",
            "`worst` takes the one row with the greatest measure".to_string(),
            *span,
            &format!("no {clause} in it"),
        )
        .help("a query in `worst(…)` has `from`, `where` and `around`"),
        Error::WorstTooDeep { most, span } => {
            say("worst-too-deep", format!("`worst` stands in `worst` more than {most} times"), *span, "too deep")
        }
        Error::WorstOfNone { family, span } => say(
            "worst-of-none",
            format!("{} only counts, so none of its rows is the worst", family.name),
            *span,
            "no measure",
        )
        .help(format!("families with a measure: {}", list(measured()))),
        Error::UnknownSet { name, family: true } => say(
            "unknown-set",
            format!("{} is a family, and sets of events are recorded", name.node),
            name.span,
            "a family",
        )
        .help(format!("record the events: `record {} for 10s to 'trace.parquet'`", list(sets())))
        .help(format!("then ask them: `from 'trace.parquet' {} …`", name.node)),
        Error::UnknownSet { name, family: false } => {
            let d = say("unknown-set", format!("there is no set of events {}", name.node), name.span, "unknown");
            let d = match nearest(&name.node, sets()) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            };
            d.help(format!("sets of events: {}", list(sets())))
        }
        Error::SetTwice { name, first } => {
            say("set-twice", format!("{} is recorded already", name.node), name.span, "again").at(
                source,
                *first,
                "first here",
            )
        }
        Error::NotARecordedFilter { name } => say(
            "not-a-recorded-filter",
            format!("a recording is not filtered by {}", name.node),
            name.span,
            "can differ between the events of one wait",
        )
        .help(format!("it is filtered by who a task is: {}", list(sched::FILTERS.iter().copied())))
        .help(format!("ask for {} in the question: `from 'trace.parquet' FAMILY where {} …`", name.node, name.node)),
        Error::FilterNotDecided { why: Undecidable::Pattern { term, of_cgroup }, span } => {
            let d =
                say("filter-not-decided", format!("the kernel cannot decide `{term}`"), *span, "not for a recording");
            let d = if *of_cgroup {
                d.help("it knows cgroups by number: name one, `cgroup = '/a/b'`, or what is below one, `cgroup under '/a'`")
            } else {
                d.help("it compares how a name begins: `comm ~ 'nginx*'`")
            };
            d.help("a recording keeps only what was wanted while it ran; record more, and ask for this in the question")
        }
        Error::FilterNotDecided { why: Undecidable::TooLong { most }, span } => say(
            "filter-not-decided",
            "this filter is longer than the kernel can decide".to_string(),
            *span,
            &format!("at most {most} terms in conjunctive form, and 4 paths of `under`"),
        )
        .help("record more, and ask for this in the question"),
        Error::FilterOfNone { span } => say(
            "filter-of-none",
            "this filter holds for no task, so nothing would be recorded".to_string(),
            *span,
            "never holds",
        ),
        other => unreachable!("{other:?} has its words elsewhere"),
    }
}

fn names_a_file(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| !name.trim_matches('.').is_empty() && name != ".parquet")
}

fn sets() -> impl Iterator<Item = &'static str> {
    catalog::EVENT_SETS.iter().map(|set| set.name)
}

fn measured() -> impl Iterator<Item = &'static str> {
    catalog::FAMILIES.iter().filter(|family| !family.measures.is_empty()).map(|family| family.name)
}
