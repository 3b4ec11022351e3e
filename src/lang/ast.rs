//! What the text says, before any name is looked up. Spans do not take part in equality, so that
//! `parse(format(q)) == parse(q)` can be asked directly.

mod named;

use crate::diagnostic::Span;

pub use named::{Assert, Claim, Comparison, FrameColumn, Operand, Piece, Run, Side, Sql};

/// A node with its place in the source.
#[derive(Debug, Clone, Copy, Eq)]
pub struct Spanned<T> {
    pub node: T,
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T> Spanned<T> {
    pub fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }
}

/// A bare word, in lower case unless it is the name of a frame or parameter.
pub type Word = Spanned<String>;

/// All statements of one source, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    pub statements: Vec<Item>,
    /// Comments behind the last statement.
    pub trailing: Vec<Comment>,
}

/// A comment on its own line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Without the `#`, trimmed at its end.
    pub text: String,
    /// Whether an empty line stands before it; never true of what comes first in a source or block.
    pub blank_before: bool,
}

/// A statement with the comments that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Comments on their own lines before it, and any from inside it.
    pub comments: Vec<Comment>,
    /// Whether an empty line stands before the statement itself; never true of what comes first in a source or block.
    pub blank_before: bool,
    pub statement: Spanned<Statement>,
    /// The comment on its last line, as in [`Comment::text`].
    pub comment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    Query(Box<Query>),
    /// `NAME = query`
    Assign {
        name: Word,
        query: Box<Query>,
    },
    /// `for D { … }`: several queries, one window.
    Block {
        duration: Spanned<Value>,
        statements: Vec<Item>,
        trailing: Vec<Comment>,
    },
    /// `show FRAME [as STYLE]`
    Show {
        frame: Word,
        style: Option<Word>,
    },
    /// `save FRAME to 'file'`
    Save {
        frame: Word,
        path: Spanned<Value>,
    },
    /// `record SET … to 'file'`
    Record(Box<Record>),
    /// `explain QUERY`, `explain record …`
    Explain(Explained),
    /// `explain analyze QUERY`: the query is run, and what it cost is measured.
    Analyze(Box<Query>),
    /// `verify QUERY`: the query's figures are set beside the kernel's own counters.
    Verify(Box<Query>),
    /// `param NAME [= default]`
    Param {
        name: Word,
        default: Option<Spanned<Value>>,
    },
    /// `sql …`, `NAME = sql …`
    Sql {
        name: Option<Word>,
        sql: Sql,
    },
    /// `assert CLAIM [else 'text']`
    Assert(Assert),
    /// `compare A B`
    Compare(Comparison),
    /// `run 'file.sq' name=value …`
    Run(Run),
    /// `env`
    Env,
}

/// What can be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explained {
    Query(Box<Query>),
    Record(Box<Record>),
}

/// `record SET, … [where PREDICATE] [for D] to 'file'`: raw events, to be asked later. Its place does not take part in
/// equality.
#[derive(Debug, Clone, Eq)]
pub struct Record {
    /// The sets of events, at least one.
    pub sets: Vec<Word>,
    pub filter: Option<Spanned<Expr>>,
    pub duration: Option<Spanned<Value>>,
    pub to: Spanned<Value>,
    /// The whole statement.
    pub span: Span,
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let Self { sets, filter, duration, to, span: _ } = self;
        *sets == other.sets && *filter == other.filter && *duration == other.duration && *to == other.to
    }
}

/// One question. Every clause is optional and stands at most once. Its place does not take part in equality.
#[derive(Debug, Clone, Eq)]
pub struct Query {
    /// The recording that is asked; without it, the running system.
    pub from: Option<Spanned<Value>>,
    pub family: Word,
    pub measure: Option<Word>,
    pub filter: Option<Spanned<Expr>>,
    pub stats: Vec<Spanned<Stat>>,
    pub by: Vec<Spanned<Key>>,
    pub having: Option<Spanned<Expr>>,
    pub sort: Vec<Sort>,
    pub limit: Option<Spanned<Limit>>,
    pub around: Option<Spanned<Around>>,
    pub every: Option<Spanned<Value>>,
    pub duration: Option<Spanned<Value>>,
    pub save: Option<Spanned<Value>>,
    /// The whole query.
    pub span: Span,
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            from,
            family,
            measure,
            filter,
            stats,
            by,
            having,
            sort,
            limit,
            around,
            every,
            duration,
            save,
            span: _,
        } = self;
        *from == other.from
            && *family == other.family
            && *measure == other.measure
            && *filter == other.filter
            && *stats == other.stats
            && *by == other.by
            && *having == other.having
            && *sort == other.sort
            && *limit == other.limit
            && *around == other.around
            && *every == other.every
            && *duration == other.duration
            && *save == other.save
    }
}

/// `around TIME DURATION`: from so long before to so long after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    pub time: Spanned<Time>,
    pub each_side: Spanned<Value>,
}

/// A point in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Time {
    /// Text is a time of the clock on the wall, a number is ns of CLOCK_MONOTONIC; or a parameter.
    Value(Value),
    /// `FRAME.COLUMN`
    Column { frame: Word, column: Word },
    /// `worst(QUERY)`: when its row with the greatest measure ended.
    Worst(Box<Query>),
}

/// `by COLUMN` or, for columns that have levels, `by COLUMN(DEPTH)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub column: Word,
    pub depth: Option<Spanned<u32>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// A key, a stat's own word (`p99.9`) or a frame column's full name.
    pub column: Word,
    /// `None` when neither `asc` nor `desc` was written.
    pub direction: Option<Direction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// `top N` keeps the first N groups after sorting; `first N` ends an `events` query after N rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    Top(Spanned<Value>),
    First(Spanned<Value>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stat {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    /// In millionths: `p99.9` is 999_000.
    Percentile(u32),
    Hist,
    /// `hist(linear, LO, HI, STEP)`
    HistLinear {
        lo: Spanned<Value>,
        hi: Spanned<Value>,
        step: Spanned<Value>,
    },
    Rate,
    Pct,
    MaxAt,
    Uniq(Word),
    /// `events` or `events(COLUMN, …)`
    Events(Vec<Word>),
}

impl Stat {
    /// The word as typed: `p99.9`, `max_at`, `hist`.
    pub fn word(&self) -> String {
        match self {
            Stat::Count => "count".into(),
            Stat::Sum => "sum".into(),
            Stat::Avg => "avg".into(),
            Stat::Min => "min".into(),
            Stat::Max => "max".into(),
            Stat::Percentile(millionths) => {
                let whole = millionths / 10_000;
                let rest = millionths % 10_000;
                if rest == 0 {
                    format!("p{whole}")
                } else {
                    format!("p{whole}.{}", format!("{rest:04}").trim_end_matches('0'))
                }
            }
            Stat::Hist | Stat::HistLinear { .. } => "hist".into(),
            Stat::Rate => "rate".into(),
            Stat::Pct => "pct".into(),
            Stat::MaxAt => "max_at".into(),
            Stat::Uniq(column) => format!("uniq_{}", column.node),
            Stat::Events(_) => "events".into(),
        }
    }
}

/// A predicate. `And` and `Or` hold two or more parts and are never nested in themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    Or(Vec<Spanned<Expr>>),
    And(Vec<Spanned<Expr>>),
    Not(Box<Spanned<Expr>>),
    Compare {
        column: Word,
        op: Spanned<Compare>,
        right: Spanned<Value>,
    },
    /// `COLUMN in (…)`, `COLUMN in 0-3,6`, `COLUMN in $list`
    In {
        column: Word,
        list: Spanned<List>,
    },
    /// `COLUMN is missing`
    Missing {
        column: Word,
    },
    /// `cgroup under '/a/b'`
    Under {
        column: Word,
        path: Spanned<Value>,
    },
    /// A column that is a predicate by itself: `kthread`, `child`.
    Flag {
        column: Word,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `~`, a glob
    Like,
}

impl Compare {
    pub const fn symbol(self) -> &'static str {
        match self {
            Compare::Equal => "=",
            Compare::NotEqual => "!=",
            Compare::Less => "<",
            Compare::LessOrEqual => "<=",
            Compare::Greater => ">",
            Compare::GreaterOrEqual => ">=",
            Compare::Like => "~",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    Values(Vec<Spanned<Value>>),
    /// A CPU list: inclusive ranges, as written.
    Ranges(Vec<(u32, u32)>),
    Param(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Int(i64),
    /// `12.5`, kept as its canonical text so that equality and printing are exact.
    Decimal(String),
    /// `90%` or `12.5%`: the text before the sign.
    Percent(String),
    /// Nanoseconds.
    Duration(u64),
    /// Any bytes: escapes are already resolved.
    Text(Vec<u8>),
    /// `$name`
    Param(String),
    /// A bare word: an enumerated word, a column, or `any` as a parameter's default.
    Word(String),
    /// A CPU list, only where a parameter's value is one.
    Ranges(Vec<(u32, u32)>),
}
