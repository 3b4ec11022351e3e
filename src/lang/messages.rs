//! The words for every problem of a text: what is wrong, at the place, and what would be right.

mod named;
mod recorded;

use super::error::{Error, MAX_BYTES, MAX_CPU, MAX_DEPTH, MAX_ERRORS, MAX_ITEMS, Named, Problem};
use super::words::STYLES;
use crate::diagnostic::{Diagnostic, Exit, Source, Span};

const UNITS: &str = "units are `ns`, `us`, `ms`, `s`, `m` and `h`, such as `500us`, `1.5ms`, `10s`";
const PREDICATES: &str =
    "a condition is `COLUMN=VALUE`, also with `!= < <= > >= ~`, or `COLUMN in …`, `COLUMN is missing`";
const CLAUSES: &str =
    "clauses are `where`, `by`, `having`, `sort`, `top`, `first`, `around`, `every`, `for` and `save`";
const STATS: &str = "stats are `count sum avg min max p50 p99 p99.9 … hist rate pct max_at uniq(COLUMN) events`";

/// The words of one problem, before they get their place.
struct Words {
    code: &'static str,
    title: String,
    label: String,
    help: Vec<String>,
}

fn words(code: &'static str, title: impl Into<String>, label: impl Into<String>) -> Words {
    Words { code, title: title.into(), label: label.into(), help: Vec::new() }
}

impl Words {
    fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

impl Error {
    /// The error in words. A file that is not UTF-8 has no text to mark: its diagnostic names the place in its title.
    pub fn diagnostic(&self, source: &Source) -> Diagnostic {
        let Words { code, title, label, help } = self.problem.words();
        let mut diagnostic = Diagnostic::new(code, Exit::Wrong, title);
        if matches!(self.problem, Problem::NotUtf8 { .. } | Problem::TooLong) {
            diagnostic.source = Some(source.clone());
        } else {
            diagnostic = diagnostic.at(source, self.span, label);
        }
        if let Some((first, text)) = first_place(&self.problem) {
            diagnostic = diagnostic.at(source, first, text);
        }
        diagnostic.help = help;
        diagnostic
    }
}

/// The other place of a problem that has two.
fn first_place(problem: &Problem) -> Option<(Span, &'static str)> {
    match problem {
        Problem::Twice { first, .. }
        | Problem::TopAndFirst { first }
        | Problem::Named(Named::ArgumentTwice { first, .. }) => Some((*first, "the first stands here")),
        _ => None,
    }
}

/// `text` in code marks, shortened when it is long.
fn code(text: &str) -> String {
    const LONGEST: usize = 60;
    let shown = crate::name::escape(text.as_bytes()).replace("\\\\", "\\");
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &shown[..end]),
        None => format!("`{shown}`"),
    }
}

/// What stands before the duration of a clause.
fn usage(clause: &str) -> &str {
    if clause == "around" { "around TIME" } else { clause }
}

fn one_of(nouns: &[&str]) -> String {
    match nouns {
        [] => String::new(),
        [one] => (*one).to_string(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

fn glob(pattern: Option<&str>) -> String {
    let pattern = pattern.filter(|pattern| pattern.starts_with(['\'', '"', '$'])).unwrap_or("'nginx*'");
    pattern.replace('%', "*")
}

impl Problem {
    fn words(&self) -> Words {
        match self {
            // ---- The source as a whole, brackets, quotes, characters
            Problem::TooLong => words("source-too-long", format!("this source is longer than {MAX_BYTES} bytes"), "")
                .help("split it into several scripts"),
            Problem::NotUtf8 { byte, line, column, offset } => words(
                "not-utf8",
                format!("not UTF-8: byte \\x{byte:02x} at line {line}, column {column} (byte offset {offset})"),
                "",
            )
            .help("save the file as UTF-8; in a string any byte can be written as `\\xNN`"),
            Problem::TooManyErrors => words(
                "too-many-errors",
                format!("more than {MAX_ERRORS} errors; the statements from here on were not read"),
                "from here on",
            ),
            Problem::TooDeep => {
                words("too-deep", format!("brackets and `not` nest deeper than {MAX_DEPTH}"), "this one is too deep")
                    .help("`in (…)` replaces many comparisons of one column")
            }
            Problem::TooManyItems { items } => {
                words("list-too-long", format!("this list has {items} items, more than {MAX_ITEMS}"), "too long")
                    .help("a range, such as `0-65535`, is one item")
            }
            Problem::UnclosedQuote { quote } => words("unclosed-quote", "this string is not closed", "it begins here")
                .help(format!("a string ends on its line: add {} behind it", code(&quote.to_string())))
                .help("a line's end inside a string is written `\\n`, a quote `\\'` or `\\\"`"),
            Problem::UnclosedBracket { open } => {
                let close = if *open == '{' { '}' } else { ')' };
                words(
                    "unclosed-bracket",
                    format!("`{open}` is not closed"),
                    format!("`{close}` is missing for this one"),
                )
            }
            Problem::UnmatchedBracket { close } => {
                let open = if *close == '}' { '{' } else { '(' };
                words("unmatched-bracket", format!("`{close}` closes nothing"), format!("no `{open}` stands before it"))
            }
            Problem::SmartQuote { found } => {
                words("smart-quote", format!("`{found}` is a typographic quote"), "a plain quote is needed")
                    .help("write strings in plain quotes: 'text' or \"text\"")
            }
            Problem::StrayCharacter { found } => {
                let shown = if found.is_whitespace() { "a special blank".into() } else { code(&found.to_string()) };
                words(
                    "stray-character",
                    format!("{shown} (U+{:04X}) has no meaning outside of a string", u32::from(*found)),
                    "not expected here",
                )
                .help(if found.is_whitespace() {
                    "replace it by an ordinary blank"
                } else {
                    "names consist of ASCII letters, digits and `_`; any other text stands in quotes"
                })
            }
            Problem::UnknownEscape { escape } => {
                words("unknown-escape", format!("{} is no escape", code(escape)), "not known")
                    .help(r#"escapes are `\\` `\'` `\"` `\n` `\t` `\r` `\0` and `\xNN` with two hexadecimal digits"#)
                    .help(r"for a backslash itself write `\\`")
            }

            // ---- Statements and blocks
            Problem::NotYet { word } => {
                let words = words("not-yet", format!("this version does not have `{word}`"), "not yet");
                match word.as_str() {
                    "tree" => words.help("`child` is the command started after `--`, with its descendants"),
                    "keep" => words.help("`record sched for 10s to 'trace.parquet'` records from now on"),
                    _ => words,
                }
            }
            Problem::PromptOnly { word } => {
                words("prompt-only", format!("`{word}` is a command of the prompt"), "not in a script")
                    .help("start `schedq` without arguments for the prompt")
                    .help(match word.as_str() {
                        "list" | "describe" | "help" => format!("from a shell: `schedq {word}`"),
                        _ => "a script ends at its last statement".to_string(),
                    })
            }
            Problem::UnknownStatement { word, nearest } => {
                words("unknown-statement", format!("there is no statement {}", code(word)), "not known")
                    .help(format!("did you mean `{nearest}`?"))
            }
            Problem::UnknownStyle { word, nearest } => {
                let words = words("unknown-style", format!("there is no style {}", code(word)), "not known");
                let words = match nearest {
                    Some(nearest) => words.help(format!("did you mean `{nearest}`?")),
                    None => words,
                };
                words.help(format!("styles are {}", STYLES.join(", ")))
            }
            Problem::FamilyFirst { word } => {
                words("family-first", "a query begins with its family", "no family stands before this").help(format!(
                    "`FAMILY [MEASURE] {} …`; `schedq list families` names the families",
                    word.as_deref().unwrap_or("hist")
                ))
            }
            Problem::Reserved { word, role } => {
                let words = words(
                    "reserved-word",
                    format!("`{word}` is a word of the language"),
                    format!("not the name of {role}"),
                );
                match *role {
                    "a frame" => words.help(format!("choose another name, such as `{word}_`")),
                    "a family" => words.help("`schedq list families` names the families"),
                    "a key" => {
                        words.help("keys are columns of the rows, such as `by cpu, comm`; stats stand by themselves")
                    }
                    _ => words.help(PREDICATES),
                }
            }
            Problem::BraceWanted => {
                words("brace-wanted", "this begins a block, and its `{` is missing", "`{` is due behind this")
                    .help("`for 10s { … }` runs several queries in one window; the brace opens on the same line")
                    .help("for one query the window stands behind it: `FAMILY … for 10s`")
            }
            Problem::BraceOnOwnLine => words("brace-placement", "`{` begins no statement", "nothing stands before it")
                .help("a block is `for 10s { … }`, its `{` on the line of the `for`"),
            Problem::BodyWithoutFor => {
                words("brace-placement", "only `for DURATION` has a block", "a block is not possible here")
                    .help("`for 10s { … }` runs several queries in one window")
            }
            Problem::NestedBlock => words("nested-block", "a block cannot stand in a block", "the inner block")
                .help("all queries of a block share its one window; close it before the next begins"),
            Problem::EmptyBlock => words("empty-block", "this block holds no query", "nothing to run")
                .help("`for 10s { first = FAMILY …; second = FAMILY … }`"),
            Problem::NotInBlock { word } => {
                words("not-in-block", format!("`{word}` cannot stand in a block"), "not a query")
                    .help(format!("a block holds queries and named queries; put `{word}` behind its `}}`"))
            }
            Problem::AfterBlock => {
                words("after-block", "`}` ends the statement", "a new line or `;` is due before this")
            }

            // ---- Clauses and stats
            Problem::Twice { clause, .. } => {
                let title = match *clause {
                    "stats" => "stats stand in two places of this query".to_string(),
                    "to" => "`to` stands twice in this recording".to_string(),
                    clause => format!("`{clause}` stands twice in this query"),
                };
                words("clause-twice", title, "the second stands here").help(match *clause {
                    "where" | "having" => format!("join the conditions with `and` in one `{clause}`"),
                    "stats" => "put them together, with commas: `count, p99`".to_string(),
                    "by" | "sort" => format!("one `{clause}` takes several columns, with commas"),
                    _ => "leave one of them".to_string(),
                })
            }
            Problem::TopAndFirst { .. } => {
                words("clause-twice", "`top` and `first` both limit this query", "the second stands here")
                    .help("`top N` keeps the first groups after sorting; `first N` ends `events` after N rows")
            }
            Problem::UnknownWord { word, nearest } => {
                let words = words(
                    "unknown-word",
                    format!("{} is neither a clause nor a stat", code(word)),
                    "not expected here",
                );
                match nearest {
                    Some(nearest) => words.help(format!("did you mean `{nearest}`?")),
                    None => words.help(CLAUSES).help(STATS),
                }
            }
            Problem::MissingArgument { word, wanted } => {
                words("missing-argument", format!("`{word}` needs {wanted}"), "nothing follows it")
            }
            Problem::MissingComma { before, after } => {
                words("missing-comma", "a comma is missing", "a comma is due before this")
                    .help(format!("write `{before}, {after}`"))
            }
            Problem::Unexpected { found, expected } => {
                let title = match found {
                    Some(found) => format!("{} is not expected here", code(found)),
                    None => "the statement is not complete".to_string(),
                };
                let label = match expected.as_slice() {
                    [] => "not expected".to_string(),
                    nouns => {
                        format!("{} is due {}", one_of(nouns), if found.is_some() { "here" } else { "behind this" })
                    }
                };
                let words = words("syntax", title, label);
                if expected.contains(&"a clause") { words.help(CLAUSES) } else { words }
            }
            Problem::DirectionFirst { direction, column } => {
                let column = column.as_deref().unwrap_or("COLUMN");
                words(
                    "direction-first",
                    format!("`{direction}` stands behind its column"),
                    "no column stands before this",
                )
                .help(format!("write `sort {column} {direction}`"))
            }
            Problem::LimitWanted { clause, found } => words(
                "limit-wanted",
                format!("`{clause}` needs a whole number from 1"),
                format!("{} is none", code(found)),
            )
            .help(format!("such as `{clause} 10`")),
            Problem::KeyDepth { column } => {
                words("key-depth", "the levels of a key are a whole number from 1 to 64", "not a number of levels")
                    .help(format!("`by {column}(2)` groups by its first two levels"))
            }
            Problem::FileWanted { found } => {
                let title = "a file's name stands in quotes";
                let plain = !found.is_empty() && !found.contains(['\'', '"', '\\']);
                let words = words("file-wanted", title, "not in quotes");
                if plain { words.help(format!("write `'{found}'`")) } else { words.help("such as `'result.parquet'`") }
            }
            Problem::PercentileRange { word } => {
                words("percentile-range", format!("`{word}` is not between 0 and 100"), "no such percentile").help(
                    if word.trim_start_matches(['p', 'P']).starts_with(['1', '2', '3', '4', '5', '6', '7', '8', '9']) {
                        "the highest value is `max`; a percentile with a fraction is written `p99.9`"
                    } else {
                        "the lowest value is `min`"
                    },
                )
            }
            Problem::PercentileDigits { word } => words(
                "percentile-digits",
                format!("`{word}` is finer than a millionth"),
                "at most four digits behind the point",
            ),
            Problem::StatWithArgument { family, stat, argument } => {
                let words =
                    words("stat-argument", format!("`{stat}` takes nothing in brackets"), "brackets are not for this");
                match argument.as_deref() {
                    Some("*") | None => words.help(format!("write `{stat}` alone")),
                    Some(argument) if argument.starts_with(|c: char| c.is_ascii_digit()) => {
                        words.help("a percentile is one word, such as `p99`")
                    }
                    Some(argument) => {
                        words.help(format!("the measure stands behind the family: `{family} {argument} {stat}`")).help(
                            "only `uniq(COLUMN)`, `events(COLUMN, …)` and `hist(linear, LO, HI, STEP)` have brackets",
                        )
                    }
                }
            }
            Problem::HistArguments => {
                words("hist-arguments", "`hist(linear, …)` needs three bounds", "not expected here")
                    .help("`hist(linear, LO, HI, STEP)`, such as `hist(linear, 0ns, 1ms, 50us)`")
            }
            Problem::UniqArgument => {
                words("uniq-argument", "`uniq` counts the different values of one column", "one column is due")
                    .help("such as `uniq(comm)`")
            }

            Problem::Recorded(problem) => recorded::words_of(problem),
            Problem::Named(problem) => named::words_of(problem),

            // ---- Values
            Problem::NumberTooLarge { text } => {
                words("number-too-large", format!("{} does not fit into 64 bits", code(text)), "too large")
                    .help(format!("whole numbers go from {} to {}", i64::MIN, i64::MAX))
            }
            Problem::MalformedNumber { text } => {
                words("malformed-number", format!("{} is not a number", code(text)), "not a number")
                    .help("numbers are `5`, `-5`, `12.5`, `1_000_000`, `90%`, and durations such as `1.5ms`")
            }
            Problem::NumberWithoutZero { text } => {
                words("malformed-number", "a number begins with a digit", "a digit is missing before the point")
                    .help(format!("write `0.{text}`"))
            }
            Problem::CpuListAsValue { column, text } => {
                let column = column.as_deref().unwrap_or("COLUMN");
                words("range-as-value", format!("{} is a range, not one value", code(text)), "a range")
                    .help(format!("write `{column} in {text}`"))
            }
            Problem::CpuListReversed { low, high } => {
                words("range-reversed", format!("the range `{low}-{high}` runs backwards"), "the lower end comes first")
                    .help(format!("write `{high}-{low}`"))
            }
            Problem::CpuTooLarge { text } => {
                words("cpu-too-large", format!("{} is above the highest CPU, {MAX_CPU}", code(text)), "too large")
            }
            Problem::DurationTooLong { text } => {
                words("duration-too-long", format!("{} is longer than 292 years", code(text)), "too long")
                    .help("durations are whole nanoseconds in 64 bits")
            }
            Problem::DurationTooFine { text } => words(
                "duration-too-fine",
                format!("{} is finer than a nanosecond", code(text)),
                "not whole nanoseconds",
            ),
            Problem::DurationNegative { text } => {
                words("duration-negative", format!("{} is a negative duration", code(text)), "below zero")
                    .help(format!("write `{}`", text.trim_start_matches('-')))
            }
            Problem::DurationZero { clause } => {
                words("duration-zero", format!("`{clause}` needs a duration above zero"), "no time at all")
            }
            Problem::DurationWanted { clause, found, number } => {
                let words = match number {
                    true => words(
                        "duration-wanted",
                        format!("{} has no unit", code(found)),
                        format!("`{clause}` needs a duration"),
                    )
                    .help(format!(
                        "write `{} {}s` for seconds",
                        usage(clause),
                        found.trim_start_matches('-')
                    )),
                    false => words(
                        "duration-wanted",
                        format!("`{clause}` needs a duration"),
                        format!("{} is none", code(found)),
                    ),
                };
                words.help(UNITS)
            }
            Problem::DurationUnit { found, right } => {
                let words = words(
                    "duration-unit",
                    format!("{} is not a duration", code(found)),
                    match right {
                        Some(_) => "spelt otherwise here",
                        None => "the unit is not known",
                    },
                );
                let words = match right {
                    Some(right) => words.help(format!("write `{right}`")),
                    None => words,
                };
                words.help(UNITS)
            }
            Problem::DurationMixed { found, right } => {
                let words =
                    words("duration-mixed", format!("{} has more than one unit", code(found)), "one unit is allowed");
                match right {
                    Some(right) => words.help(format!("write `{right}`")),
                    None => words.help(UNITS),
                }
            }

            Problem::NameWanted { usage } => {
                words("name-wanted", "a name is due", "not a name").help(format!("write `{usage}`"))
            }
            Problem::Parted { text } => {
                words("parted", "a blank stands between a family and its measure", "two names in one word")
                    .help(format!("write `{text}`"))
            }
            Problem::Shell { sign } => {
                words("shell", format!("{} has no meaning in a query", code(sign)), "not expected here")
                    .help("a query has clauses instead of options and pipes")
                    .help(CLAUSES)
            }

            // ---- Predicates
            Problem::AndWanted { column } => {
                words("and-wanted", "conditions are joined with `and` or `or`", "a second condition begins here")
                    .help(format!("write `and {column} …`"))
            }
            Problem::FlagAlone => words("flag-alone", "`child` is a condition by itself", "it is not compared")
                .help("write `child`, or `not child`"),
            Problem::WhereWanted { condition } => {
                words("where-wanted", "a condition needs `where`", "no `where` stands before this")
                    .help(format!("write `where {condition}`"))
                    .help("a condition on the result's columns stands after `having`")
            }
            Problem::Operator { found, right } => {
                words("wrong-operator", format!("`{found}` is written `{right}` here"), format!("write `{right}`"))
            }
            Problem::NotIn { column } => {
                words("not-in", "`not` stands before the whole condition", "`not in` is two things here")
                    .help(format!("write `not {column} in …`"))
            }
            Problem::NotLike { column, pattern } => {
                words("not-like", "`not` stands before the whole condition", "there is no negated pattern")
                    .help(format!("write `not {column} ~ {}`", glob(pattern.as_deref())))
            }
            Problem::IsNot { column } => {
                words("is-not", "`not` stands before the whole condition", "spelt otherwise here")
                    .help(format!("write `not {column} is missing`"))
            }
            Problem::IsNull { column } => {
                words("is-null", "a value that is not there is `missing`", "spelt otherwise here")
                    .help(format!("write `{column} is missing`"))
            }
            Problem::Like { column, pattern } => {
                words("like", "a pattern is compared with `~`", "spelt otherwise here").help(format!(
                    "write `{column} ~ {}`; `*` is any text and `?` one character",
                    glob(pattern.as_deref())
                ))
            }
            Problem::Between { column, bounds } => {
                let (low, high) = bounds.as_ref().map_or(("LO", "HI"), |(low, high)| (low, high));
                words("between", "there is no `between`", "two comparisons are needed")
                    .help(format!("write `{column} >= {low} and {column} <= {high}`"))
            }
            Problem::ListWanted { column } => words("list-wanted", "`in` needs a list", "not a list").help(format!(
                "`{column} in (1, 2)`, `{column} in ('a', 'b')`, a CPU list `{column} in 0-3,6`, or `{column} in $name`"
            )),
            Problem::EmptyList => words("empty-list", "this list is empty", "nothing can be in it")
                .help("leave the condition out, or name at least one value"),
            Problem::ValueWanted { after, found } => {
                let label = match found {
                    Some(found) => format!("{} is none", code(found)),
                    None => "nothing follows it".to_string(),
                };
                let wanted = match after.as_str() {
                    "," => "another item",
                    "under" => "a path in quotes",
                    _ => "a value",
                };
                let words = words("value-wanted", format!("`{after}` needs {wanted} behind it"), label);
                match after.as_str() {
                    "," => words,
                    "under" => words.help("such as `under '/system.slice'`"),
                    _ => words.help("values are numbers, durations, words, columns, `$name`, and other text in quotes"),
                }
            }
            Problem::ColumnFirst { column, found } => {
                let column = column.as_deref().unwrap_or("COLUMN");
                words("column-first", "a condition begins with its column", format!("{} is a value", code(found)))
                    .help(format!("write `{column}={found}`; for several values of one column `{column} in (…)`"))
            }
            Problem::Arithmetic { sign } => words(
                "arithmetic",
                format!("{} is not possible: a query does not calculate", code(sign)),
                "no arithmetic here",
            )
            .help("compare a column with a value in its own unit, such as `1.5ms`"),
            Problem::SquareBracket => words("square-bracket", "square brackets have no meaning here", "not expected")
                .help("a list of values is `(1, 2)`; columns stand without brackets: `by cpu, comm`"),
            Problem::ParameterName => {
                words("parameter-name", "the name of a parameter begins with a letter or `_`", "no name follows it")
                    .help("such as `$tgid`, with `param tgid = any` before it")
            }
            Problem::Unquoted { text } => {
                let words = words("unquoted", "text stands in quotes", "not in quotes");
                match text.contains(['\'', '"', '\\']) {
                    true => words.help("such as `'nginx'`"),
                    false if text.contains(['*', '?']) => words.help(format!("a pattern is written `~ '{text}'`")),
                    false => words.help(format!("write `'{text}'`")),
                }
            }
            Problem::QueryWanted { after, found } => {
                let label = match found {
                    Some(found) => format!("{} begins no query", code(found)),
                    None => "nothing follows it".to_string(),
                };
                words("query-wanted", format!("a query is due behind `{after}`"), label)
                    .help("a query is `FAMILY [MEASURE]` and its clauses, such as `p99 by COLUMN for 10s`")
            }
            Problem::OperatorWanted { column, value } => {
                words("operator-wanted", "an operator is missing", "between these")
                    .help(format!("write `{column}={value}`, or one of `!= < <= > >= ~`"))
            }
            Problem::Chained { column } => {
                words("chained", "one comparison cannot go on with another", "a second comparison")
                    .help(format!("join them with `and`, and name the column again: `and {column} …`"))
            }
            Problem::CommaInPredicate => {
                words("comma-in-condition", "conditions are joined with `and` or `or`", "not with a comma")
                    .help("for several values of one column write `COLUMN in (1, 2)`")
            }
            Problem::FrameColumn { text } => {
                words("frame-column", format!("{} is a column of another result", code(text)), "not possible here")
                    .help("a query compares with values, parameters and columns of its own row")
                    .help(format!("if it is text, write `'{text}'`"))
            }

            // ---- Other languages
            Problem::Elsewhere { found, right } => {
                words("other-language", format!("`{found}` is `{right}` here"), format!("write `{right}`"))
            }
            Problem::Sql { family } => {
                let family = family.as_deref().unwrap_or("FAMILY");
                words("sql", "a query is not written in SQL", "there is no `select`")
                .help(format!("begin with the family: `{family} [MEASURE] where … STATS by COLUMN sort … top N`"))
                .help("what SQL selects are the stats, such as `count, p99`; `events(COLUMN, …)` gives the rows themselves")
            }
            Problem::Bpftrace { what } => {
                words("bpftrace", format!("this is bpftrace: {what}"), "not of this language")
                    .help("a query is one line: `FAMILY [MEASURE] where CONDITION STATS by COLUMN for 5s`")
                    .help("`schedq list families` names what can be asked; `hist` and `count` are stats")
            }
            Problem::Command { what, recording: true } => {
                words("command", format!("{} is a command of another tool", code(what)), "not of this language")
                    .help(recorded::RECORD)
                    .help("afterwards `from 'trace.parquet' FAMILY …` asks it")
            }
            Problem::Command { what, recording: false } => {
                words("command", format!("{} is a command, not a query", code(what)), "a query is due here")
                    .help("a query is one line: `FAMILY [MEASURE] where CONDITION STATS by COLUMN for 5s`")
                    .help("`schedq list families` names what can be asked")
            }
        }
    }
}
