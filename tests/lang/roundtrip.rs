//! Reading what was printed gives the same back: for any tree, in any order of clauses, with hostile strings; and no
//! text makes the parser panic.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use schedq::diagnostic::{Source, Span};
use schedq::lang::ast::*;
use schedq::lang::{self, Options, format, is_reserved};

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

fn query() -> BoxedStrategy<Query> {
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

fn record() -> BoxedStrategy<Record> {
    (vec(name(), 1..4), option::of(expr()), option::of(window()), path())
        .prop_map(|(sets, filter, duration, to)| Record { sets, filter, duration, to, span: Span::default() })
        .boxed()
}

fn comment() -> impl Strategy<Value = String> {
    "[ -~é]{0,12}".prop_map(|text| text.trim_end().to_string())
}

fn comments() -> impl Strategy<Value = Vec<Comment>> {
    vec((comment(), any::<bool>()).prop_map(|(text, blank_before)| Comment { text, blank_before }), 0..3)
}

fn item(statement: impl Strategy<Value = Statement>) -> impl Strategy<Value = Item> {
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
fn container(mut items: Vec<Item>, mut trailing: Vec<Comment>) -> (Vec<Item>, Vec<Comment>) {
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

fn statement() -> BoxedStrategy<Statement> {
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

fn parse(text: &str) -> lang::Parsed {
    lang::parse(&Source::new("test", text))
}

fn parse_query(text: &str) -> Query {
    let parsed = parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    let [Item { statement: Spanned { node: Statement::Query(query), .. }, .. }] = parsed.script.statements.as_slice()
    else {
        panic!("one query: {text}");
    };
    (**query).clone()
}

/// The clauses of a query in words, each by itself.
fn clauses(query: &Query) -> (String, Vec<String>) {
    let bare = Query {
        filter: None,
        stats: Vec::new(),
        by: Vec::new(),
        having: None,
        sort: Vec::new(),
        limit: None,
        around: None,
        every: None,
        duration: None,
        save: None,
        ..query.clone()
    };
    let head = format::query(&bare);
    let alone = [
        Query { filter: query.filter.clone(), ..bare.clone() },
        Query { stats: query.stats.clone(), ..bare.clone() },
        Query { by: query.by.clone(), ..bare.clone() },
        Query { having: query.having.clone(), ..bare.clone() },
        Query { sort: query.sort.clone(), ..bare.clone() },
        Query { limit: query.limit.clone(), ..bare.clone() },
        Query { around: query.around.clone(), ..bare.clone() },
        Query { every: query.every.clone(), ..bare.clone() },
        Query { duration: query.duration.clone(), ..bare.clone() },
        Query { save: query.save.clone(), ..bare },
    ];
    let words = alone.iter().map(|query| format::query(query)[head.len()..].trim().to_string());
    let clauses = words.filter(|words| !words.is_empty()).collect();
    (head, clauses)
}

fn soup() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "runq",
        "latency",
        "where",
        "tgid",
        "=",
        "123",
        "and",
        "or",
        "not",
        "(",
        ")",
        "in",
        "0-3",
        ",",
        "'a'",
        "hist",
        "count",
        "p99",
        "p99.9",
        "p0",
        "by",
        "cpu",
        "having",
        "sort",
        "asc",
        "desc",
        "top",
        "first",
        "5",
        "-1",
        "every",
        "1s",
        "for",
        "5sec",
        "1h30m",
        "save",
        "'x.csv'",
        "show",
        "as",
        "to",
        "param",
        "any",
        "$p",
        "explain",
        "analyze",
        "{",
        "}",
        ";",
        "# c",
        "is",
        "missing",
        "null",
        "under",
        "child",
        "tree",
        "==",
        "&&",
        "!",
        "!~",
        "<>",
        "like",
        "between",
        "select",
        "from",
        "*",
        "group",
        "order",
        "limit",
        "'open",
        "\"",
        "“",
        "µ",
        "5µs",
        "1.5.2",
        ".",
        "..",
        "@",
        "$",
        "[",
        "linear",
        "uniq",
        "events",
        "max",
        "mean",
        "wher",
        "shwo",
        "before.p99",
        "kprobe:x",
        "tracepoint:a:b",
        "perf",
        "when",
        "around",
        "worst",
        "record",
        "sched",
        "'14:03'",
        "14:03:21",
        "near",
        "keep",
        "sql",
        "env",
        "quit",
        "-",
        "/",
        "%",
        "90%",
        "\u{a0}",
        "9223372036854775808",
        "99999999999999999999s",
        "cgroup",
        "\\",
        "'\\q'",
        "null",
        "é",
        "\u{0}",
        "18446744073709551616",
    ];
    let blank = prop_oneof![6 => Just(" "), 2 => Just(""), 2 => Just("\n"), 1 => Just("\n   "), 1 => Just("\r\n\t")];
    vec((proptest::sample::select(WORDS), blank), 0..24)
        .prop_map(|parts| parts.into_iter().map(|(word, blank)| format!("{word}{blank}")).collect())
}

/// Whatever a text is, it is answered, with places inside it; and what is read without error prints stably.
fn is_answered(text: &str) -> Result<(), TestCaseError> {
    let source = Source::new("soup", text);
    lang::is_incomplete(text);
    for indentation_continues in [true, false] {
        let parsed = lang::parse_with(&source, Options { indentation_continues });
        for error in &parsed.errors {
            let diagnostic = error.diagnostic(&source);
            prop_assert!(!diagnostic.title.is_empty());
            prop_assert!(!diagnostic.labels.is_empty(), "no place: {:?}", diagnostic);
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.start..label.span.end).is_some_and(|marked| !marked.is_empty()));
                prop_assert!(!label.text.is_empty());
            }
        }
        if parsed.errors.is_empty() {
            let canonical = format::script(&parsed.script);
            let again = parse(&canonical);
            prop_assert_eq!(&again.errors, &[]);
            prop_assert_eq!(again.script, parsed.script);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_query_reads_the_same(query in query()) {
        let text = format::query(&query);
        let again = parse_query(&text);
        prop_assert_eq!(format::query(&again), text);
        prop_assert_eq!(again, query);
    }

    #[test]
    fn a_printed_script_reads_the_same(items in vec(item(statement()), 0..4), trailing in comments()) {
        let (statements, trailing) = container(items, trailing);
        let script = Script { statements, trailing };
        let text = format::script(&script);
        let parsed = parse(&text);
        prop_assert_eq!(&parsed.errors, &[], "{}", text);
        prop_assert_eq!(format::script(&parsed.script), text);
        prop_assert_eq!(parsed.script, script);
    }

    #[test]
    fn clauses_stand_in_any_order(
        query in query(),
        order in vec(any::<u32>(), 10),
        blank in prop_oneof![Just(" "), Just("\n  "), Just(" # note\n\t"), Just("\n\n # note\n ")],
    ) {
        let (head, clauses) = clauses(&query);
        let mut ordered: Vec<_> = order.iter().zip(&clauses).collect();
        ordered.sort();
        let mut text = head;
        for (_, clause) in ordered {
            text += blank;
            text += clause;
        }
        prop_assert_eq!(parse_query(&text), query, "{}", text);
    }

    #[test]
    fn clauses_of_a_recording_stand_in_any_order(record in record(), order in proptest::sample::select(vec![[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])) {
        let text = format::record(&record);
        let head = text.find(" where ").or(text.find(" for ")).or(text.find(" to ")).unwrap();
        let clauses = [
            record.filter.as_ref().map(|filter| format!(" where {}", format::predicate(&filter.node))),
            record.duration.as_ref().map(|duration| format!(" for {}", format::value(&duration.node))),
            Some(format!(" to {}", format::value(&record.to.node))),
        ];
        let text = order.iter().fold(text[..head].to_string(), |text, at| text + clauses[*at].as_deref().unwrap_or_default());
        let parsed = parse(&text);
        prop_assert_eq!(&parsed.errors, &[], "{}", text);
        prop_assert_eq!(parsed.statements().next(), Some(&Statement::Record(Box::new(record))), "{}", text);
    }

    #[test]
    fn any_soup_of_words_is_answered(text in soup()) {
        is_answered(&text)?;
    }

    #[test]
    fn any_text_is_answered(text in "(.|\n){0,60}") {
        is_answered(&text)?;
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in vec(any::<u8>(), 0..40)) {
        match (lang::decode(&bytes), std::str::from_utf8(&bytes)) {
            (Ok(text), Ok(right)) => prop_assert_eq!(text, right.trim_start_matches('\u{feff}')),
            (Err(error), Err(right)) => {
                prop_assert_eq!(error.span.start, right.valid_up_to());
                let diagnostic = error.diagnostic(&Source::new("bytes", ""));
                prop_assert_eq!(diagnostic.code, "not-utf8");
            }
            (ours, right) => prop_assert!(false, "{ours:?} but {right:?}"),
        }
    }
}
