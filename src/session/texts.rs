//! What can be said of a text without running it, and of what there is to ask.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use super::saved;
use crate::catalog;
use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::lang::ast::{Statement, Value};
use crate::lang::{self, format};
use crate::name;
use crate::plan::describe;

/// Whether a prompt must ask for more: half a statement.
pub use crate::lang::is_incomplete;

/// The canonical form of a script.
///
/// # Errors
/// All that is wrong with it.
pub fn canonical(source: &Source) -> Result<String, Vec<Diagnostic>> {
    let parsed = lang::parse(source);
    if parsed.errors.is_empty() {
        Ok(format::script(&parsed.script))
    } else {
        Err(parsed.errors.iter().map(|e| e.diagnostic(source)).collect())
    }
}

/// How many results a text would show.
pub fn results(source: &Source) -> usize {
    fn of(statement: &Statement) -> usize {
        match statement {
            Statement::Query(_)
            | Statement::Show { style: None, .. }
            | Statement::Sql { name: None, .. }
            | Statement::Compare(_) => 1,
            Statement::Env => super::environment::NAMES.len(),
            Statement::Block { statements, .. } => statements.iter().map(|item| of(&item.statement.node)).sum(),
            _ => 0,
        }
    }
    lang::parse(source).statements().map(of).sum()
}

/// The parameters that a script declares.
pub fn parameters(source: &Source) -> Vec<String> {
    let parsed = lang::parse(source);
    let names = parsed.statements().filter_map(|statement| match statement {
        Statement::Param { name, .. } => Some(name.node.clone()),
        _ => None,
    });
    names.collect()
}

/// A value from a command line: a literal of the language as it stands, else text, which needs no quotes there.
pub(super) fn value(text: &str) -> Value {
    let parsed = lang::parse(&Source::new("value", format!("param value = {text}")));
    let mut statements = parsed.statements();
    match (statements.next(), statements.next(), parsed.errors.is_empty()) {
        (Some(Statement::Param { default: Some(value), .. }), None, true) => match &value.node {
            // A word of the language is in lower case; a name must stay as it was typed.
            Value::Word(word) if *word != text.trim() => Value::Text(text.trim().as_bytes().to_vec()),
            value => value.clone(),
        },
        _ => Value::Text(text.as_bytes().to_vec()),
    }
}

/// A question of every family.
pub fn examples() -> impl Iterator<Item = &'static str> {
    catalog::FAMILIES.iter().map(|f| f.example)
}

/// The statement that the words of a command line mean: `where comm = 'nginx' for 10s`, of the set `sched` unless they
/// begin with another.
///
/// # Errors
/// Words that are no text.
pub fn record_statement(words: &[OsString], file: &Path) -> Result<String, Diagnostic> {
    let not_text = |what: &OsStr| {
        let title = format!("'{}' is not UTF-8", name::escape(what.as_encoded_bytes()));
        Diagnostic::new("not-utf8", Exit::Wrong, title)
    };
    let mut text = String::new();
    for word in words {
        text.push(' ');
        text.push_str(word.to_str().ok_or_else(|| not_text(word))?);
    }
    let first = text.split_ascii_whitespace().next().unwrap_or("where").to_lowercase();
    let set = if ["where", "for", "to"].contains(&first.as_str()) { " sched" } else { "" };
    let to = lang::format::text(file.to_str().ok_or_else(|| not_text(file.as_os_str()))?.as_bytes());
    Ok(format!("record{set}{text} to {to}"))
}

/// Every family in a line.
pub fn families() -> String {
    describe::list_families()
}

/// The families by name, each with what a row of it is.
pub fn named_families() -> Vec<(String, String)> {
    catalog::FAMILIES.iter().map(|family| (family.name.to_owned(), family.doc.to_owned())).collect()
}

/// The saved queries by name, each with what it shows; one of the user's own is marked.
pub fn named_queries() -> Vec<(String, String)> {
    let mut named: Vec<(String, String)> =
        saved::built_in().map(|(name, text)| (name.to_owned(), saved::headline(text).to_owned())).collect();
    for (name, path) in saved::of_user() {
        let text = fs::read(&path).unwrap_or_default();
        let headline = name::escape(saved::headline(&String::from_utf8_lossy(&text)).as_bytes());
        named.push((name::escape(name.as_bytes()), format!("{headline} (yours)")));
    }
    named
}

/// Every saved query in a line.
pub fn queries() -> String {
    let lines = named_queries();
    let width = lines.iter().map(|l| l.0.len()).max().unwrap_or(0);
    let mut text = String::from("Saved queries (schedq run NAME):\n");
    for (name, headline) in lines {
        text.push_str(&format!("  {name:width$}  {headline}\n"));
    }
    text
}

pub fn is_family(name: &str) -> bool {
    catalog::family(&name.to_lowercase()).is_some()
}

/// A family in full.
pub fn describe(family: &str) -> Result<String, Diagnostic> {
    match catalog::family(&family.to_lowercase()) {
        Some(found) => Ok(describe::describe_family(found)),
        None => {
            let names: Vec<&str> = catalog::FAMILIES.iter().map(|f| f.name).collect();
            let title = format!("there is no family {family:?}");
            Err(Diagnostic::new("unknown-family", Exit::Wrong, title).help(format!("there are {}", names.join(", "))))
        }
    }
}
