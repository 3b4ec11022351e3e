//! What can be asked, in words: the texts of `list` and `describe`, all of them from the catalog.

use super::page::Page;
use super::words::list;
use crate::catalog::{self, Column, Family, Kind, LossKind, When, task};

/// One line a family.
pub fn list_families() -> String {
    let mut page = Page::default();
    let row = |family: &&Family| {
        let measures =
            if family.measures.is_empty() { "counts".to_string() } else { list(family.measures.iter().copied()) };
        vec![family.name.to_string(), measures, family.doc.to_string()]
    };
    let rows: Vec<_> = catalog::FAMILIES.iter().map(row).collect();
    page.table(&rows);
    page.text
}

/// All that the catalog knows of a family.
pub fn describe_family(family: &Family) -> String {
    let mut page = Page::default();
    page.line(&format!("{}: one row is: {}", family.name, family.doc));
    page.text.push('\n');
    page.wrapped(String::new(), family.detail);

    if family.measures.is_empty() {
        page.section("measures: none, it counts");
    } else {
        page.section("measures (the first is the default)");
        page.table(&columns(family.columns().filter(|column| family.measures.contains(&column.name))));
    }
    page.section("columns");
    page.table(&columns(family.own.iter().filter(|column| !family.measures.contains(&column.name))));
    page.section("columns of the task, and where the row ended");
    page.table(&columns(task::COLUMNS.iter()));

    page.section("programs");
    let program = |program: &catalog::Program| {
        let when = match program.when {
            When::Always => "",
            When::Command => " (only with a command after --)",
            When::Child => " (only with `child`)",
            When::HashState => " (only where the kernel has no task storage)",
            When::Asked => " (when the reader asks)",
        };
        vec![program.name.to_string(), program.hook.to_string(), format!("{}{when}", program.doc)]
    };
    page.table(&family.programs.iter().map(program).collect::<Vec<_>>());
    if !family.losses.is_empty() {
        page.section("counted beside the answer");
        let loss = |loss: &LossKind| vec![loss.label.to_string(), loss.doc.to_string()];
        page.table(&family.losses.iter().map(loss).collect::<Vec<_>>());
    }
    page.section(&format!("events shows: {}", list(family.short_list.iter().copied())));
    page.section("example");
    page.line(&format!("  {}", family.example));
    page.text
}

fn columns<'a>(columns: impl Iterator<Item = &'a Column>) -> Vec<Vec<String>> {
    columns
        .map(|column| {
            let mut doc = column.doc.to_string();
            if let Kind::Word(words) = column.kind
                && !words.iter().all(|(word, _)| doc.contains(word))
            {
                doc.push_str(&format!(": {}", list(words.iter().map(|(word, _)| *word))));
            }
            if column.nullable {
                doc.push_str("; can be missing");
            }
            vec![column.name.to_string(), noun(column), format!("{doc} [{}]", column.from)]
        })
        .collect()
}

/// What a column holds, and in which unit where a machine reads it.
fn noun(column: &Column) -> String {
    let noun = column.kind.noun();
    match column.kind {
        Kind::Duration | Kind::Time => format!("{noun} (ns)"),
        _ => noun.to_string(),
    }
}
