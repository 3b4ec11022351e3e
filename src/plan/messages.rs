//! Words for what is wrong with a query: where, what, and what would be right.

mod literals;
mod names;
mod recorded;

use super::check::NAME_BYTES;
use super::error::Error;
use super::words::{duration, list, nearest, quoted};
use crate::catalog::Kind;
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::lang::ast::Value;
use crate::lang::format;
use literals::{example, is_digits, not_a_duration, not_text, noun, thing, what_belongs, words};
use names::{key_too_fine, no_measure, not_in_result, unknown_column, unknown_family, unknown_measure};

/// The problems of a query that stands in `source`, in the order of their places.
pub fn diagnostics(errors: &[Error], source: &Source) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = errors.iter().map(|error| diagnostic(error, source)).collect();
    all.sort_by_key(|d| d.labels.first().map(|label| label.span.start));
    all
}

/// One problem of a query that stands in `source`.
pub fn diagnostic(error: &Error, source: &Source) -> Diagnostic {
    let say = |code, title: String, span: Span, label: &str| {
        Diagnostic::new(code, Exit::Wrong, title).at(source, span, label)
    };
    match error {
        Error::UnknownFamily { name, saved, saved_names } => unknown_family(name, *saved, saved_names, source),
        Error::UnknownMeasure { family, name } => unknown_measure(family, name, source),
        Error::UnknownColumn { family, name } => unknown_column(family, name, source),
        Error::UnknownParam { name, span, known } => {
            let d = say("unknown-parameter", format!("${name} has no value"), *span, "not given");
            let d = match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => d.help(format!("did you mean ${near}?")),
                None => d,
            };
            d.help(format!("give it one: `param {name} = VALUE` in the script, or {name}=VALUE when it is run"))
        }
        Error::AnyIsNoValue { what, span } => {
            say("any-is-no-value", format!("`any` is no value for `{what}`"), *span, "a value is needed here")
                .help("`any` only makes a comparison true, such as `tgid = $tgid`")
        }

        Error::NotANumber { column, op, value, name_column, span } => {
            let name = column.name;
            let d = say("not-a-number", format!("{name} is a number"), *span, "not a number");
            match (value, name_column) {
                (Value::Text(text), _) if is_digits(text) => {
                    d.help(format!("without quotes: `{name} {} {}`", op.symbol(), String::from_utf8_lossy(text)))
                }
                (Value::Word(word), _) if names::owners(word).next().is_some() => {
                    let owners = list(names::owners(word));
                    d.help(format!("{word} is a column of {owners}, which this query is not about"))
                }
                (Value::Text(_) | Value::Word(_), Some(by_name)) => {
                    d.help(format!("for a name use `{by_name} {} {}`", op.symbol(), quoted(value)))
                }
                _ => d.help(format!("a whole number belongs here: `{name} {} 1`", op.symbol())),
            }
        }
        Error::NotWhole { what, value, span } => {
            say("not-a-whole-number", format!("{what} wants a whole number"), *span, noun(value)).help(match value {
                Value::Duration(_) => format!("{what} has no unit of time: leave the unit out"),
                _ => "give it without fraction, sign of percent or unit".to_string(),
            })
        }
        Error::NotADuration { what, value, span } => not_a_duration(what, value, *span, source),
        Error::NotATime { column, span } => say(
            "not-a-time",
            format!("{} is compared with whole nanoseconds", column.name),
            *span,
            "not whole nanoseconds",
        )
        .help("of CLOCK_MONOTONIC, as `events` gives them in json, csv and parquet"),
        Error::NotText { column, op, value, span } => not_text(column, *op, value, *span, source),
        Error::NameTooLong { column, text, bytes, glob, span } => {
            let label = if *glob { "a match would have at least" } else { "this has" };
            let d = say(
                "name-too-long",
                format!("{} has at most {NAME_BYTES} bytes, so this can never match", column.name),
                *span,
                &format!("{label} {bytes} bytes"),
            );
            if *glob {
                return d.help("the kernel cuts a task's name after 15 bytes: shorten the pattern");
            }
            let cut = &text[..NAME_BYTES.min(text.len())];
            d.help(format!("the kernel cuts a task's name after 15 bytes, which leaves {}", format::text(cut)))
        }
        Error::NulInName { column, span } => {
            say("nul-in-name", format!("{} holds no NUL, so this can never match", column.name), *span, "has a NUL")
        }
        Error::UnknownWord { column, value, span } => {
            let given = format::value(value);
            let d = say("unknown-word", format!("{} is never {given}", column.name), *span, "not one of its words");
            let d = match nearest(&given, words(column)) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            };
            d.help(format!("{} is one of: {}", column.name, list(words(column))))
        }
        Error::NoWordMatches { column, glob, span } => {
            say("no-word-matches", format!("no word of {} matches '{glob}'", column.name), *span, "matches nothing")
                .help(format!("{} is one of: {}", column.name, list(words(column))))
        }
        Error::OtherUnit { left, right, span } => say(
            "other-unit",
            format!("{} and {} cannot be compared", left.name, right.name),
            *span,
            &format!("{} is {}, {} {}", right.name, thing(right), left.name, thing(left)),
        )
        .help(match left.kind {
            Kind::Name => format!("for the name, quote it: '{}'", right.name),
            _ => format!("{} is compared with {}, or with a column of its own unit", left.name, what_belongs(left)),
        }),
        Error::NoOrder { column, op, span } => {
            say("no-order", format!("{} has no order, so `{}` has no meaning", column.name, op.symbol()), *span, "")
                .help(format!("use `=`, `!=`, `~` or `in` with {}", column.name))
        }
        Error::NoGlob { column, value, span } => {
            let label = if matches!(value, Value::Word(_)) { "a column" } else { noun(value) };
            let d = say("no-glob", format!("`~` compares {} with a pattern", column.name), *span, label);
            match column.kind {
                Kind::Name | Kind::Cgroup | Kind::Word(_) => {
                    d.help(format!("quote the pattern: `{} ~ '…*'`; columns are compared by `=`", column.name))
                }
                _ => d.help(format!("{} is {}: use `=`, `<` or `in`", column.name, thing(column))),
            }
        }
        Error::FlagCompared { column, opposite, span } => {
            let name = column.name;
            let right = if *opposite { format!("not {name}") } else { name.to_string() };
            say("flag-compared", format!("{name} is yes or no and stands alone"), *span, "")
                .help(format!("say `{right}`"))
        }
        Error::NotAFlag { column, span } => say(
            "not-a-flag",
            format!("{} is {}, not a condition", column.name, thing(column)),
            *span,
            "needs a comparison",
        )
        .help(format!("such as `{}`", example(column))),
        Error::ListCompared { column, span } => {
            say("list-compared", "several values are compared by `in`".to_string(), *span, "a list")
                .help(format!("say `{} in …`", column.name))
        }
        Error::RangesOn { column, span } => say(
            "ranges-without-numbers",
            format!("{} is {}, and ranges are of numbers", column.name, thing(column)),
            *span,
            "",
        )
        .help(format!("list the values: `{} in (…, …)`", column.name)),
        Error::UnderOn { column, cgroup, span } => {
            let d = say("under-without-cgroup", format!("{} is not a cgroup", column.name), *span, "not a cgroup");
            match cgroup {
                Some(cgroup) => d.help(format!("`under` asks for a cgroup and its descendants: `{cgroup} under '/…'`")),
                None => d,
            }
        }
        Error::RelativePath { path, span } => {
            say("relative-cgroup", "a cgroup's path begins with `/`".to_string(), *span, "relative")
                .help(format!("write '/{path}', as /proc/PID/cgroup does"))
        }
        Error::NotUtf8 { what, span } => say("not-utf8", format!("{what} must be UTF-8"), *span, ""),
        Error::NeedsCommand { column, span } => say(
            "needs-command",
            format!("`{}` is the command started with the query, and there is none", column.name),
            *span,
            "no command",
        )
        .help("give it after `--`: schedq -e '…' -- COMMAND ARG…")
        .help("for a process that runs already: `tgid = NUMBER`"),

        Error::NoMeasure { family, stat, span } => no_measure(family, stat, *span, source),
        Error::StatTwice { column, span, first } => {
            say("stat-twice", format!("{column} is asked for twice"), *span, "again").at(source, *first, "first here")
        }
        Error::EventsAlone { span, other } => {
            say("events-alone", "`events` gives the rows themselves and stands alone".to_string(), *span, "rows")
                .at(source, *other, "a figure over rows")
                .help("ask twice: one query for the rows, one for the figures; `for D { …; … }` gives them one window")
        }
        Error::EventsGrouped { events, by } => {
            say("events-grouped", "`events` gives the rows themselves, which have no groups".to_string(), *by, "groups")
                .at(source, *events, "rows")
                .help("name the columns to be shown: `events(cpu, comm, …)`; or ask for a stat, such as `count`")
        }
        Error::EventsHaving { having } => {
            say("events-having", "`having` chooses groups, and `events` has none".to_string(), *having, "")
                .help("rows are chosen by `where`")
        }
        Error::EventsTwice { name } => {
            say("column-twice", format!("{} is shown already", name.node), name.span, "again")
        }
        Error::HistRange { lo, hi, step, span } => say(
            "hist-range",
            format!("hist(linear, {}, {}, {}) has no steps", format::value(lo), format::value(hi), format::value(step)),
            *span,
            "",
        )
        .help("LO is below HI, and STEP above zero: hist(linear, 0ms, 10ms, 1ms)"),
        Error::HistSteps { steps, most, span } => {
            say("hist-steps", format!("{steps} steps are too many"), *span, &format!("at most {most}"))
                .help("take a wider STEP, or `hist`, whose steps grow with the value")
        }

        Error::KeyTwice { name, first } => {
            say("key-twice", format!("{} is a key already", name.node), name.span, "again").at(
                source,
                *first,
                "first here",
            )
        }
        Error::KeyTooFine { column, measure, span } => key_too_fine(column, *measure, *span, source),
        Error::KeyLevels { column, span } => {
            say("key-levels", format!("{} is grouped whole", column.name), *span, "levels are not known here")
                .help(format!("say `by {}`", column.name))
        }
        Error::TooManyKeys { words, most, span } => {
            say("too-many-keys", "these keys are longer than a key can be".to_string(), *span, "")
                .help(format!("{words} words of 64 bits, at most {most}; a name takes two, any other column one"))
        }

        Error::NotInResult { name, stats, keys, measure, exists } => {
            not_in_result(name, stats, keys, *measure, *exists, source)
        }
        Error::HistIsNoNumber { name, verb } => {
            say("hist-is-no-number", format!("a histogram cannot be {verb}"), name.span, "a histogram")
                .help("ask for a percentile, `max` or `count` too, and use that")
        }
        Error::StatNeedsNumber { column, span } => {
            say("stat-needs-number", format!("{column} is a figure"), *span, "").help(format!("such as `{column} > …`"))
        }
        Error::StatUnit { column, wants, value, span } => {
            let d = say("stat-unit", format!("{column} is compared with {wants}"), *span, noun(value));
            if wants.contains("percentage") { d.help(format!("such as `{column} > 5%`")) } else { d }
        }
        Error::IntervalTested { span } => {
            say("interval-tested", "intervals are not chosen by `having`".to_string(), *span, "")
                .help("save the result and ask it with `sql`")
        }
        Error::IntervalsBackward { span } => {
            say("intervals-backward", "intervals are shown as they end, in order".to_string(), *span, "cannot descend")
                .help("leave `desc` out")
        }
        Error::SortTwice { name } => {
            say("sort-twice", format!("{} orders the result already", name.node), name.span, "again")
        }
        Error::TopWithoutBy { measure, span } => {
            let d =
                say("top-without-by", "without `by` there is one group".to_string(), *span, "nothing to choose from");
            let d = d.help("for the first of several groups, say which: `by comm`");
            match measure {
                Some(measure) => d.help(format!("for the greatest single ones: `events sort {measure} top 10`")),
                None => d,
            }
        }
        Error::TopWithoutSort { measure, span } => {
            let column = measure.unwrap_or("at");
            say("top-without-sort", "`top` of rows needs an order".to_string(), *span, "")
                .help(format!("say which: `sort {column} top 10`"))
                .help("for the rows that come first, which also ends the query: `first 10`")
        }
        Error::FirstOfGroups { span } => say(
            "first-of-groups",
            "`first` ends a query of `events`; groups are there at the end".to_string(),
            *span,
            "",
        )
        .help("for the first groups in order use `top`"),
        Error::NotACount { word, value, span } => say(
            "not-a-count",
            format!("`{word}` wants a whole number from 1"),
            *span,
            &format!("this is {}", format::value(value)),
        ),

        Error::TooShort { word, ns, least_ns, span } => say(
            "too-short",
            format!("`{word} {}` is too short", duration(*ns)),
            *span,
            &format!("at least {}", duration(*least_ns)),
        )
        .help(match *word {
            "every" => {
                "each interval is read while the next one runs; closer together, reading is what would be measured"
            }
            _ => "attaching the probes takes longer",
        }),
        Error::TooLong { word, ns, most_ns, span } => say(
            "too-long",
            format!("{} is too long for `{word}`", duration(*ns)),
            *span,
            &format!("at most {}", duration(*most_ns)),
        ),
        Error::IntervalBeyondWindow { every_ns, window_ns, span } => say(
            "interval-beyond-window",
            format!("no interval of {} ends within {}", duration(*every_ns), duration(*window_ns)),
            *span,
            "longer than the window",
        )
        .help("make `every` shorter or the window longer, or leave `every` out"),
        Error::TooManyIntervals { count, most, every_ns, window_ns, span } => say(
            "too-many-intervals",
            format!("{} in pieces of {} are {count} intervals", duration(*window_ns), duration(*every_ns)),
            *span,
            &format!("at most {most}"),
        )
        .help("take longer intervals or a shorter window"),
        Error::WindowInBlock { span } => {
            say("window-in-block", "the block has one window for all its queries".to_string(), *span, "a second window")
                .help("leave this `for` out")
        }
        Error::NotAFileName { word, span } => {
            say("not-a-file-name", format!("`{word}` wants a quoted file name"), *span, "")
                .help(format!("such as `{word} 'result.parquet'`; the ending says the format"))
        }
        _ => recorded::diagnostic(error, source),
    }
}
