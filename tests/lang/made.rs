//! Trees of the language, made at random.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use schedq::diagnostic::Span;
use schedq::lang::ast::*;
use schedq::lang::is_reserved;

fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

fn name() -> impl Strategy<Value = Word> {
    "[a-z_][a-z0-9_]{0,8}"
        .prop_filter("reserved", |name| !is_reserved(name) && name != "tree" && name != "null")
        .prop_map(at)
}

/// Names of frames keep their case.
fn frame() -> impl Strategy<Value = Word> {
    let free = |name: &String| {
        let taken = ["perf", "bpftrace", "schedq", "sudo"];
        !is_reserved(name) && !taken.contains(&name.to_lowercase().as_str())
    };
    "[A-Za-z_][A-Za-z0-9_]{0,8}".prop_filter("reserved", free).prop_map(at)
}

/// A parameter may be called anything, a reserved word too.
fn parameter() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z_][A-Za-z0-9_]{0,8}", Just("for".to_string()), Just("not".to_string())]
}

/// Digits without zeros around them.
fn decimal(keep_point: bool) -> impl Strategy<Value = String> {
    (any::<bool>(), 0..i64::MAX, 0..1_000_000u32).prop_map(move |(negative, whole, rest)| {
        let fraction = format!("{rest:06}");
        let fraction = fraction.trim_end_matches('0');
        let sign = if negative && (whole > 0 || rest > 0) { "-" } else { "" };
        match fraction {
            "" if keep_point => format!("{sign}{whole}.0"),
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    })
}

fn nanoseconds() -> impl Strategy<Value = u64> {
    let round =
        (1..5_000u64, prop_oneof![Just(1), Just(1_000), Just(1_000_000), Just(1_000_000_000), Just(60_000_000_000)]);
    prop_oneof![1..i64::MAX as u64, round.prop_map(|(count, unit)| count * unit)]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..12),
        ".{0,12}".prop_map(String::into_bytes),
        r#"['"\\#;{}()xn0 ]{0,12}"#.prop_map(String::into_bytes)
    ]
}

fn path() -> impl Strategy<Value = Spanned<Value>> {
    prop_oneof![text().prop_map(Value::Text), parameter().prop_map(Value::Param)].prop_map(at)
}

fn window() -> impl Strategy<Value = Spanned<Value>> {
    prop_oneof![nanoseconds().prop_map(Value::Duration), parameter().prop_map(Value::Param)].prop_map(at)
}

fn amount() -> impl Strategy<Value = Spanned<Value>> {
    prop_oneof![(1..i64::MAX).prop_map(Value::Int), parameter().prop_map(Value::Param)].prop_map(at)
}

fn bound() -> impl Strategy<Value = Spanned<Value>> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        decimal(true).prop_map(Value::Decimal),
        decimal(false).prop_map(Value::Percent),
        prop_oneof![Just(0), nanoseconds()].prop_map(Value::Duration),
        parameter().prop_map(Value::Param),
    ]
    .prop_map(at)
}

fn value() -> BoxedStrategy<Spanned<Value>> {
    let word = (name(), option::of("[-:][a-z0-9_]{1,4}"))
        .prop_map(|(word, tail)| at(Value::Word(word.node + tail.as_deref().unwrap_or_default())));
    prop_oneof![3 => bound(), 2 => text().prop_map(|bytes| at(Value::Text(bytes))), 2 => word].boxed()
}

fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
    vec((0..=65_535u32, 0..=65_535u32).prop_map(|(a, b)| (a.min(b), a.max(b))), 1..4)
}

/// A percentile in millionths, or another stat's own word.
fn result_column() -> impl Strategy<Value = Word> {
    let stats = prop_oneof![Just("count"), Just("max"), Just("max_at"), Just("rate"), Just("hist")];
    prop_oneof![
        2 => name(),
        1 => stats.prop_map(|word| at(word.to_string())),
        1 => (1..1_000_000u32).prop_map(|millionths| at(Stat::Percentile(millionths).word())),
    ]
}

fn compare() -> impl Strategy<Value = Spanned<Compare>> {
    use Compare::*;
    prop_oneof![
        Just(Equal),
        Just(NotEqual),
        Just(Less),
        Just(LessOrEqual),
        Just(Greater),
        Just(GreaterOrEqual),
        Just(Like)
    ]
    .prop_map(at)
}

fn joined(parts: Vec<Spanned<Expr>>, and: bool) -> Spanned<Expr> {
    let mut flat = Vec::new();
    for part in parts {
        match (part.node, and) {
            (Expr::And(inner), true) | (Expr::Or(inner), false) => flat.extend(inner),
            (node, _) => flat.push(at(node)),
        }
    }
    at(if and { Expr::And(flat) } else { Expr::Or(flat) })
}

fn expr() -> BoxedStrategy<Spanned<Expr>> {
    let list = prop_oneof![
        vec(value(), 1..4).prop_map(List::Values),
        ranges().prop_map(List::Ranges),
        parameter().prop_map(List::Param),
    ];
    let flag = prop_oneof![3 => name(), 1 => Just(at("child".to_string()))];
    let leaf = prop_oneof![
        4 => (result_column(), compare(), value()).prop_map(|(column, op, right)| Expr::Compare { column, op, right }),
        2 => (result_column(), list).prop_map(|(column, list)| Expr::In { column, list: at(list) }),
        1 => result_column().prop_map(|column| Expr::Missing { column }),
        1 => (name(), path()).prop_map(|(column, path)| Expr::Under { column, path }),
        1 => flag.prop_map(|column| Expr::Flag { column }),
    ]
    .prop_map(at);
    leaf.prop_recursive(6, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| at(Expr::Not(Box::new(inner)))),
            (vec(inner, 2..4), any::<bool>()).prop_map(|(parts, and)| joined(parts, and)),
        ]
    })
    .boxed()
}

fn stat() -> impl Strategy<Value = Spanned<Stat>> {
    let plain = prop_oneof![
        Just(Stat::Count),
        Just(Stat::Sum),
        Just(Stat::Avg),
        Just(Stat::Min),
        Just(Stat::Max),
        Just(Stat::Hist),
        Just(Stat::Rate),
        Just(Stat::Pct),
        Just(Stat::MaxAt),
    ];
    prop_oneof![
        4 => plain,
        2 => (1..1_000_000u32).prop_map(Stat::Percentile),
        1 => (bound(), bound(), bound()).prop_map(|(lo, hi, step)| Stat::HistLinear { lo, hi, step }),
        1 => name().prop_map(Stat::Uniq),
        1 => vec(name(), 0..3).prop_map(Stat::Events),
    ]
    .prop_map(at)
}

fn key() -> impl Strategy<Value = Spanned<Key>> {
    (name(), option::of((1..=64u32).prop_map(at))).prop_map(|(column, depth)| at(Key { column, depth }))
}

fn sort() -> impl Strategy<Value = Sort> {
    let direction = prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)];
    (result_column(), option::of(direction)).prop_map(|(column, direction)| Sort { column, direction })
}

/// A point in time; `worst(…)` holds a query that has one only up to a depth.
fn time(depth: u32) -> BoxedStrategy<Spanned<Time>> {
    let column = (frame(), result_column()).prop_map(|(frame, column)| Time::Column { frame, column });
    let plain = prop_oneof![
        2 => text().prop_map(|bytes| Time::Value(Value::Text(bytes))),
        1 => (0..=i64::MAX).prop_map(|ns| Time::Value(Value::Int(ns))),
        1 => parameter().prop_map(|name| Time::Value(Value::Param(name))),
        1 => column,
    ];
    if depth == 0 {
        return plain.prop_map(at).boxed();
    }
    let worst = query_within(depth - 1).prop_map(|query| Time::Worst(Box::new(query)));
    prop_oneof![3 => plain, 1 => worst].prop_map(at).boxed()
}

pub fn query() -> BoxedStrategy<Query> {
    query_within(1)
}

fn query_within(depth: u32) -> BoxedStrategy<Query> {
    let around = (time(depth), window()).prop_map(|(time, each_side)| at(Around { time, each_side }));
    let recorded = (option::of(path()), option::of(around)).boxed();
    let limit = (any::<bool>(), amount()).prop_map(|(top, n)| at(if top { Limit::Top(n) } else { Limit::First(n) }));
    let head = (name(), option::of(name()), option::of(expr()), vec(stat(), 0..3), vec(key(), 0..3)).boxed();
    let tail = (option::of(expr()), vec(sort(), 0..3), option::of(limit)).boxed();
    (head, tail, recorded, option::of(window()), option::of(window()), option::of(path()))
        .prop_map(
            |((family, measure, filter, stats, by), (having, sort, limit), (from, around), every, duration, save)| {
                Query {
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
                    span: Span::default(),
                }
            },
        )
        .boxed()
}

pub fn record() -> BoxedStrategy<Record> {
    (vec(name(), 1..4), option::of(expr()), option::of(window()), path())
        .prop_map(|(sets, filter, duration, to)| Record { sets, filter, duration, to, span: Span::default() })
        .boxed()
}

fn comment() -> impl Strategy<Value = String> {
    "[ -~é]{0,12}".prop_map(|text| text.trim_end().to_string())
}

pub fn comments() -> impl Strategy<Value = Vec<Comment>> {
    vec((comment(), any::<bool>()).prop_map(|(text, blank_before)| Comment { text, blank_before }), 0..3)
}

pub fn item(statement: impl Strategy<Value = Statement>) -> impl Strategy<Value = Item> {
    (comments(), any::<bool>(), statement, option::of(comment())).prop_map(
        |(comments, blank_before, statement, comment)| Item {
            comments,
            blank_before,
            statement: at(statement),
            comment,
        },
    )
}

/// What comes first has no empty line before it.
pub fn container(mut items: Vec<Item>, mut trailing: Vec<Comment>) -> (Vec<Item>, Vec<Comment>) {
    if let Some(first) = items.first_mut() {
        match first.comments.first_mut() {
            Some(comment) => comment.blank_before = false,
            None => first.blank_before = false,
        }
    } else if let Some(comment) = trailing.first_mut() {
        comment.blank_before = false;
    }
    (items, trailing)
}

fn measured() -> BoxedStrategy<Statement> {
    prop_oneof![
        query().prop_map(|query| Statement::Query(Box::new(query))),
        (frame(), query()).prop_map(|(name, query)| Statement::Assign { name, query: Box::new(query) }),
        record().prop_map(|record| Statement::Record(Box::new(record))),
    ]
    .boxed()
}

pub fn statement() -> BoxedStrategy<Statement> {
    let style = prop_oneof![Just("table"), Just("hist"), Just("csv")].prop_map(|style| at(style.to_string()));
    let default = prop_oneof![
        3 => value(),
        1 => Just(at(Value::Word("any".into()))),
        1 => ranges().prop_map(|ranges| at(Value::Ranges(ranges))),
    ];
    let block = (window(), vec(item(measured()), 1..3), comments()).prop_map(|(duration, items, trailing)| {
        let (statements, trailing) = container(items, trailing);
        Statement::Block { duration, statements, trailing }
    });
    prop_oneof![
        3 => named(),
        4 => measured(),
        1 => block,
        1 => (frame(), option::of(style)).prop_map(|(frame, style)| Statement::Show { frame, style }),
        1 => (frame(), path()).prop_map(|(frame, path)| Statement::Save { frame, path }),
        1 => query().prop_map(|query| Statement::Explain(Explained::Query(Box::new(query)))),
        1 => query().prop_map(|query| Statement::Analyze(Box::new(query))),
        1 => query().prop_map(|query| Statement::Verify(Box::new(query))),
        1 => record().prop_map(|record| Statement::Explain(Explained::Record(Box::new(record)))),
        1 => (parameter(), option::of(default)).prop_map(|(name, default)| Statement::Param { name: at(name), default }),
    ]
    .boxed()
}

fn frame_column() -> impl Strategy<Value = FrameColumn> {
    (frame(), result_column()).prop_map(|(frame, column)| FrameColumn { frame, column })
}

fn claim() -> BoxedStrategy<Spanned<Claim>> {
    let list = prop_oneof![
        vec(value(), 1..4).prop_map(List::Values),
        ranges().prop_map(List::Ranges),
        parameter().prop_map(List::Param),
    ];
    let side = prop_oneof![value().prop_map(|value| Side::Value(value.node)), frame_column().prop_map(Side::Column)];
    let leaf = prop_oneof![
        4 => (frame_column(), compare(), side)
            .prop_map(|(left, op, right)| Claim::Compare { left: at(left), op, right: at(right) }),
        1 => (frame_column(), list).prop_map(|(left, list)| Claim::In { left: at(left), list: at(list) }),
        1 => frame_column().prop_map(|left| Claim::Flag(at(left))),
    ]
    .prop_map(at);
    let joined = |parts: Vec<Spanned<Claim>>, and: bool| {
        let flat = parts.into_iter().flat_map(|part| match (part.node, and) {
            (Claim::And(inner), true) | (Claim::Or(inner), false) => inner,
            (node, _) => vec![at(node)],
        });
        at(if and { Claim::And(flat.collect()) } else { Claim::Or(flat.collect()) })
    };
    leaf.prop_recursive(4, 16, 3, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| at(Claim::Not(Box::new(inner)))),
            (vec(inner, 2..4), any::<bool>()).prop_map(move |(parts, and)| joined(parts, and)),
        ]
    })
    .boxed()
}

/// Tokens of SQL that may stand side by side with or without a blank.
fn sql() -> impl Strategy<Value = Sql> {
    let word = "[a-zA-Z_][a-zA-Z0-9_]{0,6}".prop_map(|text| (text, false, true));
    let number = "[0-9]{1,5}(\\.[0-9]{1,3})?".prop_map(|text| (text, false, true));
    let text = "'([a-z \\\\#;{}\"-]|''){0,8}'".prop_map(|text| (text, false, true));
    let quoted = "\"([a-z '.;#]|\"\"){0,6}\"".prop_map(|text| (text, false, true));
    let mark = prop_oneof![Just("("), Just(")"), Just(","), Just("="), Just("<="), Just("*"), Just("."), Just("+")]
        .prop_map(|text| (text.to_string(), false, false));
    let param = parameter().prop_map(|name| (name, true, true));
    let piece = (prop_oneof![3 => word, 1 => number, 1 => text, 1 => quoted, 2 => mark, 1 => param], any::<bool>());
    (prop_oneof![Just("select"), Just("WITH"), Just("values")], vec(piece, 0..12)).prop_map(|(first, rest)| {
        let mut pieces = vec![at(Piece { text: first.to_string(), is_param: false, apart: false })];
        let mut open = 0;
        for ((text, is_param, _), _) in rest {
            // An open bracket is an error of its own.
            match text.as_str() {
                "(" if !is_param => open += 1,
                ")" if !is_param && open == 0 => continue,
                ")" if !is_param => open -= 1,
                _ => {}
            }
            pieces.push(at(Piece { text, is_param, apart: true }));
        }
        for _ in 0..open {
            pieces.push(at(Piece { text: ")".to_string(), is_param: false, apart: false }));
        }
        // A comma at the end would wait for more.
        pieces.push(at(Piece { text: "limit".to_string(), is_param: false, apart: true }));
        Sql { pieces, span: Span::default() }
    })
}

/// Statements on results that have a name.
fn named() -> BoxedStrategy<Statement> {
    let operand =
        || prop_oneof![frame().prop_map(|name| Operand::Frame(name.node)), path().prop_map(|p| Operand::File(p.node))];
    let argument = prop_oneof![3 => value(), 1 => Just(at(Value::Word("any".into())))];
    let arguments = vec((parameter(), argument), 0..3).prop_map(|arguments| {
        let mut seen: Vec<String> = Vec::new();
        let mut distinct = Vec::new();
        for (name, value) in arguments {
            if !seen.contains(&name) {
                seen.push(name.clone());
                distinct.push((at(name), value));
            }
        }
        distinct
    });
    prop_oneof![
        2 => (option::of(frame()), sql()).prop_map(|(name, sql)| Statement::Sql { name, sql }),
        2 => (claim(), option::of(path())).prop_map(|(claim, otherwise)| Statement::Assert(Assert { claim, otherwise })),
        1 => (operand(), operand())
            .prop_map(|(before, after)| Statement::Compare(Comparison { before: at(before), after: at(after) })),
        1 => (path(), arguments).prop_map(|(script, arguments)| Statement::Run(Run { script, arguments })),
        1 => Just(Statement::Env),
    ]
    .boxed()
}
