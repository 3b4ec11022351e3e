//! Queries from text to plans: what is refused and with which words, and what `explain` says of the rest.

mod explain;
mod wrong;

use schedq::diagnostic::{Diagnostic, Source};
use schedq::lang::ast::{Item, Query, Record, Statement, Value};
use schedq::lang::parse;
use schedq::plan::{CheckOptions, Error, Params, check, check_record};

/// What can be checked by itself.
#[derive(Debug)]
enum Asked {
    Query(Box<Query>),
    Record(Box<Record>),
}

impl Asked {
    fn errors(&self, params: &Params, options: &CheckOptions) -> Vec<Error> {
        match self {
            Asked::Query(query) => check(query, params, options).err(),
            Asked::Record(record) => check_record(record, params, options).err(),
        }
        .unwrap_or_default()
    }
}

/// The queries and recordings of a text with the length of the block in which they stand, and the parameters that it gives.
fn queries(source: &Source) -> (Vec<(Asked, Option<u64>)>, Params) {
    let parsed = parse(source);
    assert!(parsed.errors.is_empty(), "{} does not parse: {:?}", source.name, parsed.errors);
    let mut found = (Vec::new(), Params::new());
    collect(parsed.script.statements, None, &mut found);
    found
}

fn collect(items: Vec<Item>, block_ns: Option<u64>, found: &mut (Vec<(Asked, Option<u64>)>, Params)) {
    for item in items {
        match item.statement.node {
            Statement::Query(query) | Statement::Assign { query, .. } => {
                found.0.push((Asked::Query(query), block_ns));
            }
            Statement::Record(record) => found.0.push((Asked::Record(record), block_ns)),
            Statement::Block { duration, statements, .. } => {
                let Value::Duration(ns) = duration.node else { panic!("{duration:?}") };
                collect(statements, Some(ns), found);
            }
            Statement::Param { name, default: Some(value) } => {
                found.1.insert(name.node, value.node);
            }
            other => panic!("{other:?} is no matter of the plan"),
        }
    }
}

fn options(block_ns: Option<u64>) -> CheckOptions<'static> {
    CheckOptions { block_ns, saved: &["runqlat", "isolation"], ..CheckOptions::default() }
}

/// Code, title, places with the text that is marked there, and remedies.
fn plain(diagnostic: &Diagnostic) -> String {
    let mut out = format!("{}: {}\n", diagnostic.code, diagnostic.title);
    let source = diagnostic.source.as_ref().expect("a query's error has a place");
    for label in &diagnostic.labels {
        let (line, column) = source.position(label.span.start);
        let marked = &source.text[label.span.start..label.span.end];
        assert!(!marked.is_empty(), "{out} marks nothing");
        out.push_str(format!("  {line}:{column} `{marked}` {}", label.text).trim_end());
        out.push('\n');
    }
    for help in &diagnostic.help {
        out.push_str(&format!("  help: {help}\n"));
    }
    out
}
