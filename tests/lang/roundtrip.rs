//! Reading what was printed gives the same back: for any tree, in any order of clauses, with hostile strings; and no
//! text makes the parser panic.

use proptest::collection::vec;
use proptest::prelude::*;

use schedq::diagnostic::Source;
use schedq::lang::ast::*;
use schedq::lang::{self, Options, format};

use super::made::{comments, container, item, query, record, statement};
use super::soup::soup;
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
