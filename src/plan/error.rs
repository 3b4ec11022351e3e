//! Everything that can be wrong with a query that parses, as data. [`super::messages`] puts words to it.

use crate::catalog::{Column, Family};
use crate::diagnostic::Span;
use crate::lang::ast::{Compare, Value, Word};

/// One problem of one query.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// No family has that name; `saved` when a saved query has.
    UnknownFamily {
        name: Word,
        saved: bool,
        saved_names: Vec<String>,
    },
    /// The word after the family is none of its measures.
    UnknownMeasure {
        family: &'static Family,
        name: Word,
    },
    /// The family has no such column.
    UnknownColumn {
        family: &'static Family,
        name: Word,
    },
    /// `$name` was never given a value.
    UnknownParam {
        name: String,
        span: Span,
        known: Vec<String>,
    },
    /// `any` stands where a value is needed.
    AnyIsNoValue {
        what: &'static str,
        span: Span,
    },

    /// A number is compared with something that is none.
    NotANumber {
        column: &'static Column,
        op: Compare,
        value: Value,
        name_column: Option<&'static str>,
        span: Span,
    },
    /// A number of whole things is compared with a fraction, a percentage or a duration.
    NotWhole {
        what: String,
        value: Value,
        span: Span,
    },
    /// A duration is due.
    NotADuration {
        what: String,
        value: Value,
        span: Span,
    },
    /// A time is compared with something other than whole nanoseconds.
    NotATime {
        column: &'static Column,
        span: Span,
    },
    /// A name or path is compared with something that is no quoted text.
    NotText {
        column: &'static Column,
        op: Compare,
        value: Value,
        span: Span,
    },
    /// Longer than a task's name can be.
    NameTooLong {
        column: &'static Column,
        text: Vec<u8>,
        bytes: usize,
        glob: bool,
        span: Span,
    },
    /// The kernel ends a name at its first NUL.
    NulInName {
        column: &'static Column,
        span: Span,
    },
    /// None of the column's words.
    UnknownWord {
        column: &'static Column,
        value: Value,
        span: Span,
    },
    /// A glob that none of the column's words matches.
    NoWordMatches {
        column: &'static Column,
        glob: String,
        span: Span,
    },
    /// A column on the right side, of another unit than the left one.
    OtherUnit {
        left: &'static Column,
        right: &'static Column,
        span: Span,
    },
    /// `<` and the like on what has no order.
    NoOrder {
        column: &'static Column,
        op: Compare,
        span: Span,
    },
    /// `~` on what is no text, or with a column on the right.
    NoGlob {
        column: &'static Column,
        value: Value,
        span: Span,
    },
    /// A yes/no column with an operator.
    FlagCompared {
        column: &'static Column,
        opposite: bool,
        span: Span,
    },
    /// Another column that stands alone.
    NotAFlag {
        column: &'static Column,
        span: Span,
    },
    /// A list where one value is due.
    ListCompared {
        column: &'static Column,
        span: Span,
    },
    /// A CPU list for a column that is no number.
    RangesOn {
        column: &'static Column,
        span: Span,
    },
    /// `under` on another column than a cgroup.
    UnderOn {
        column: &'static Column,
        cgroup: Option<&'static str>,
        span: Span,
    },
    /// A cgroup's path that does not begin with a slash.
    RelativePath {
        path: String,
        span: Span,
    },
    /// A path that is not UTF-8.
    NotUtf8 {
        what: &'static str,
        span: Span,
    },
    /// `child` without a command.
    NeedsCommand {
        column: &'static Column,
        span: Span,
    },

    /// A stat of a measure, where the family only counts.
    NoMeasure {
        family: &'static Family,
        stat: String,
        span: Span,
    },
    StatTwice {
        column: String,
        span: Span,
        first: Span,
    },
    /// `events` beside another stat.
    EventsAlone {
        span: Span,
        other: Span,
    },
    /// `events` with `by`.
    EventsGrouped {
        events: Span,
        by: Span,
    },
    /// `events` with `having`.
    EventsHaving {
        having: Span,
    },
    /// A column that `events` names twice.
    EventsTwice {
        name: Word,
    },
    /// LO is not below HI, or STEP is zero.
    HistRange {
        lo: Value,
        hi: Value,
        step: Value,
        span: Span,
    },
    HistSteps {
        steps: u64,
        most: u64,
        span: Span,
    },

    KeyTwice {
        name: Word,
        first: Span,
    },
    /// A key that differs on nearly every row.
    KeyTooFine {
        column: &'static Column,
        measure: bool,
        span: Span,
    },
    /// `by cgroup(2)`
    KeyLevels {
        column: &'static Column,
        span: Span,
    },
    TooManyKeys {
        words: usize,
        most: usize,
        span: Span,
    },

    /// `having` or `sort` of a column that the result has not.
    NotInResult {
        name: Word,
        stats: Vec<String>,
        keys: Vec<&'static str>,
        measure: Option<&'static str>,
        exists: bool,
    },
    /// A histogram as a value.
    HistIsNoNumber {
        name: Word,
        verb: &'static str,
    },
    /// `~`, a flag and the like on a stat.
    StatNeedsNumber {
        column: String,
        span: Span,
    },
    /// A stat compared with a value of another unit.
    StatUnit {
        column: String,
        wants: &'static str,
        value: Value,
        span: Span,
    },
    /// `having` on the interval.
    IntervalTested {
        span: Span,
    },
    /// Intervals are printed as they end.
    IntervalsBackward {
        span: Span,
    },
    SortTwice {
        name: Word,
    },
    TopWithoutBy {
        measure: Option<&'static str>,
        span: Span,
    },
    /// `top` of `events` without an order.
    TopWithoutSort {
        measure: Option<&'static str>,
        span: Span,
    },
    /// `first` of groups.
    FirstOfGroups {
        span: Span,
    },
    /// `top` or `first` of something other than a whole number from 1.
    NotACount {
        word: &'static str,
        value: Value,
        span: Span,
    },

    /// `every` or `for` outside of what makes sense.
    TooShort {
        word: &'static str,
        ns: u64,
        least_ns: u64,
        span: Span,
    },
    TooLong {
        word: &'static str,
        ns: u64,
        most_ns: u64,
        span: Span,
    },
    IntervalBeyondWindow {
        every_ns: u64,
        window_ns: u64,
        span: Span,
    },
    TooManyIntervals {
        count: u64,
        most: u64,
        every_ns: u64,
        window_ns: u64,
        span: Span,
    },
    /// A query's own `for` inside a block that has one.
    WindowInBlock {
        span: Span,
    },
    /// `save`, `from` or `to` of something other than text.
    NotAFileName {
        word: &'static str,
        span: Span,
    },

    /// `from` or `to` of a file with another ending than a recording has.
    NotARecording {
        word: &'static str,
        path: String,
        span: Span,
    },
    /// `save` to the recording that is asked.
    SavedOverRecording {
        span: Span,
    },
    /// `for` of a recording.
    WindowOfRecording {
        span: Span,
    },
    /// A question to a recording in a block, which is a window of the running system.
    RecordingInBlock {
        span: Span,
    },
    /// `around` without a recording.
    AroundLive {
        span: Span,
    },
    /// `around` of what is no time.
    NotAPointInTime {
        value: Value,
        span: Span,
    },
    /// A clause in `worst(…)` beyond those that choose rows.
    WorstClause {
        clause: &'static str,
        span: Span,
    },
    /// `worst(…)` in `worst(…)`, again and again.
    WorstTooDeep {
        most: usize,
        span: Span,
    },
    /// `worst(…)` of a family that only counts.
    WorstOfNone {
        family: &'static Family,
        span: Span,
    },

    /// No set of events has that name; `family` when a family has.
    UnknownSet {
        name: Word,
        family: bool,
    },
    SetTwice {
        name: Word,
        first: Span,
    },
    /// A recording's filter on a column that can differ between the events of one row.
    NotARecordedFilter {
        name: Word,
    },
    /// A recording's filter that the kernel cannot decide wholly.
    FilterNotDecided {
        why: Undecidable,
        span: Span,
    },
    /// A recording's filter that holds for no task.
    FilterOfNone {
        span: Span,
    },
}

/// Why the kernel cannot decide a recording's filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecidable {
    /// A pattern that is more than the beginning of a name, or one of cgroups.
    Pattern { term: String, of_cgroup: bool },
    /// More terms than a program can hold, or more paths of `under`.
    TooLong { most: usize },
}
