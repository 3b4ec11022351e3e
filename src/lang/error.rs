//! What can be wrong with a text, as data. The words are in `messages.rs`.

use super::ast::{Script, Statement};
use crate::diagnostic::Span;

/// The most bytes that a source may have.
pub const MAX_BYTES: usize = 1 << 20;
/// How deep brackets and `not` may nest.
pub const MAX_DEPTH: usize = 200;
/// How many values a list after `in` may have.
pub const MAX_ITEMS: usize = 65_536;
/// The highest CPU number in a CPU list.
pub const MAX_CPU: u32 = 65_535;
/// How many errors of one source are reported.
pub const MAX_ERRORS: usize = 100;

/// A script with the errors of the statements that are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    pub script: Script,
    /// In the order of their places.
    pub errors: Vec<Error>,
}

impl Parsed {
    /// The statements, without their comments.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.script.statements.iter().map(|item| &item.statement.node)
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub span: Span,
    pub problem: Problem,
}

impl Error {
    pub(super) fn new(span: Span, problem: Problem) -> Self {
        Self { span, problem }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    // ---- The source as a whole
    TooLong,
    /// Line and column from 1, the byte offset from 0 and counted in the bytes given.
    NotUtf8 {
        byte: u8,
        line: usize,
        column: usize,
        offset: usize,
    },
    /// Further errors are not reported.
    TooManyErrors,

    // ---- Brackets, quotes, characters
    TooDeep,
    TooManyItems {
        items: usize,
    },
    UnclosedQuote {
        quote: char,
    },
    UnclosedBracket {
        open: char,
    },
    UnmatchedBracket {
        close: char,
    },
    SmartQuote {
        found: char,
    },
    StrayCharacter {
        found: char,
    },
    UnknownEscape {
        escape: String,
    },

    // ---- Statements and blocks
    NotYet {
        word: String,
    },
    PromptOnly {
        word: String,
    },
    UnknownStatement {
        word: String,
        nearest: &'static str,
    },
    UnknownStyle {
        word: String,
        nearest: Option<&'static str>,
    },
    /// A query that begins with one of its clauses.
    FamilyFirst {
        word: Option<String>,
    },
    Reserved {
        word: String,
        role: &'static str,
    },
    BraceWanted,
    BraceOnOwnLine,
    BodyWithoutFor,
    NestedBlock,
    EmptyBlock,
    /// Something other than a query or a named query in a block.
    NotInBlock {
        word: &'static str,
    },
    AfterBlock,

    // ---- Clauses
    /// A clause that stands twice.
    Twice {
        clause: &'static str,
        first: Span,
    },
    /// `top` and `first` in one query.
    TopAndFirst {
        first: Span,
    },
    UnknownWord {
        word: String,
        nearest: Option<&'static str>,
    },
    MissingArgument {
        word: String,
        wanted: &'static str,
    },
    MissingComma {
        before: String,
        after: String,
    },
    Unexpected {
        found: Option<String>,
        expected: Vec<&'static str>,
    },
    DirectionFirst {
        direction: String,
        column: Option<String>,
    },
    LimitWanted {
        clause: &'static str,
        found: String,
    },
    KeyDepth {
        column: String,
    },
    FileWanted {
        found: String,
    },

    Recorded(Recorded),
    Named(Named),

    // ---- Stats
    PercentileRange {
        word: String,
    },
    PercentileDigits {
        word: String,
    },
    /// `count(*)`, `avg(latency)`
    StatWithArgument {
        family: String,
        stat: String,
        argument: Option<String>,
    },
    HistArguments,
    UniqArgument,

    // ---- Values
    NumberTooLarge {
        text: String,
    },
    MalformedNumber {
        text: String,
    },
    NumberWithoutZero {
        text: String,
    },
    CpuListAsValue {
        column: Option<String>,
        text: String,
    },
    CpuListReversed {
        low: u32,
        high: u32,
    },
    CpuTooLarge {
        text: String,
    },
    DurationTooLong {
        text: String,
    },
    DurationTooFine {
        text: String,
    },
    DurationNegative {
        text: String,
    },
    DurationZero {
        clause: &'static str,
    },
    /// `for 5`, `every fast`
    DurationWanted {
        clause: &'static str,
        found: String,
        number: bool,
    },
    /// `5 sec`, `5seconds`, `5S`: with the right spelling, when the unit is known.
    DurationUnit {
        found: String,
        right: Option<String>,
    },
    /// `1h30m`: with the same length in one unit.
    DurationMixed {
        found: String,
        right: Option<String>,
    },

    /// `save 'x.csv'` as a statement: what is due is the name of a result.
    NameWanted {
        usage: &'static str,
    },
    /// `runq.latency`: with the words parted.
    Parted {
        text: String,
    },
    /// A sign of a shell's command line outside of a condition.
    Shell {
        sign: String,
    },

    // ---- Predicates
    /// Two comparisons side by side; the column of the second.
    AndWanted {
        column: String,
    },
    FlagAlone,
    /// A comparison that no `where` leads.
    WhereWanted {
        condition: String,
    },
    Operator {
        found: String,
        right: &'static str,
    },
    NotIn {
        column: String,
    },
    NotLike {
        column: String,
        pattern: Option<String>,
    },
    IsNot {
        column: String,
    },
    IsNull {
        column: String,
    },
    Like {
        column: String,
        pattern: Option<String>,
    },
    Between {
        column: String,
        bounds: Option<(String, String)>,
    },
    ListWanted {
        column: String,
    },
    EmptyList,
    ValueWanted {
        after: String,
        found: Option<String>,
    },
    /// With the column before it, in `comm='a' or 'b'`.
    ColumnFirst {
        column: Option<String>,
        found: String,
    },
    OperatorWanted {
        column: String,
        value: String,
    },
    Chained {
        column: String,
    },
    CommaInPredicate,
    Arithmetic {
        sign: String,
    },
    SquareBracket,
    ParameterName,
    /// `comm=nginx*`
    Unquoted {
        text: String,
    },
    QueryWanted {
        after: String,
        found: Option<String>,
    },
    FrameColumn {
        text: String,
    },

    // ---- Other languages
    /// A spelling that has one right word here.
    Elsewhere {
        found: String,
        right: &'static str,
    },
    Sql {
        family: Option<String>,
    },
    Bpftrace {
        what: String,
    },
    /// `recording` when it is one that writes events down.
    Command {
        what: String,
        recording: bool,
    },
}

/// What is wrong with a statement on results that have a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// `sql` without something that asks.
    SqlWanted {
        found: Option<String>,
    },
    /// `assert p99 < 5ms`
    ColumnWanted {
        found: String,
    },
    /// `assert a.p99 is missing`
    MissingTest,
    /// `assert a.p99 < 5ms 'too slow'`
    ElseWanted {
        text: String,
    },
    /// `compare a`
    CompareTwo,
    /// `compare a and b`
    CompareJoined {
        sign: String,
    },
    /// What stands behind the script of `run` and is no `name=value`.
    ArgumentWanted {
        found: String,
    },
    ArgumentTwice {
        name: String,
        first: Span,
    },
}

/// What is wrong with a recording, with a question to one, or with a time in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// `from 'file'` and no family behind it.
    FamilyWanted {
        found: Option<String>,
    },
    /// `FAMILY from 'file'`
    FromBehind,
    /// `record SET` without `to`.
    ToMissing,
    /// `record to 'file'`
    SetWanted {
        found: String,
    },
    /// `record SET 'file'`
    ToWanted {
        file: String,
    },
    /// A clause or stat that only a query has.
    NotOfRecord {
        word: String,
    },
    /// `around 5s`; with the time in quotes where one was meant.
    TimeWanted {
        found: String,
        quoted: Option<String>,
    },
    TimeNegative,
    /// `worst` without a query in brackets.
    WorstArgument,
}
