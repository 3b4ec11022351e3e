//! What a recording will do, and what a question to one will.

use super::{clauses, frame, heading, result, window};
use crate::catalog::When;
use crate::plan::layout::{Layout, MAX_TERMS, Machine};
use crate::plan::page::Page;
use crate::plan::rings;
use crate::plan::words::{bytes, duration, list};
use crate::plan::{AroundTime, Output, Plan, Record};

/// The plan of a recording on a machine, as plain text.
pub fn explain_record(record: &Record, layout: &Layout, machine: Machine) -> String {
    let mut page = Page::default();
    page.line(&record.text);
    page.section("what is recorded");
    page.table(&[
        vec![record.set.name.to_string(), record.set.doc.to_string()],
        vec!["window".to_string(), window(record.window_ns)],
        vec!["file".to_string(), record.to.clone()],
    ]);
    page.section("programs");
    let child = super::uses_child(&record.scan);
    let runs = |when: When| match when {
        When::Always | When::Asked => true,
        When::Child | When::Command => child,
        When::HashState => (record.set.state || child) && !machine.task_storage,
    };
    let programs = record.set.programs.iter().filter(|program| runs(program.when));
    let row = |program: &crate::catalog::Program| [program.name, program.hook, program.doc].map(String::from).to_vec();
    page.table(&programs.map(row).collect::<Vec<_>>());
    if record.scan.clauses.is_empty() {
        page.section("condition in the kernel: none, every event is kept");
    } else {
        let terms = layout.terms.len();
        page.section(&format!(
            "condition in the kernel: {terms} of {MAX_TERMS} terms; of every clause one term must hold"
        ));
        clauses(&mut page, &record.scan, |_| "of each task of an event");
    }
    let each = rings::bytes_of_each(rings::all_bytes(machine.cpus), machine.cpus);
    let all = bytes(each * u64::from(machine.cpus));
    page.section("maps");
    let mut rows = vec![vec!["rings".to_string(), format!("{} × ring buffer of {}", machine.cpus, bytes(each)), all]];
    for map in layout.maps.iter().filter(|map| map.name != "ring") {
        let size = if map.entries == 0 { "grows with the tasks".to_string() } else { bytes(map.bytes) };
        rows.push(vec![map.name.to_string(), format!("{}, {} bytes a task", map.kind, map.value_bytes), size]);
    }
    page.table(&rows);
    page.section("notes");
    let mut notes = vec![
        "cost: every kept event is sent to user space and written; what is asked of them is asked afterwards"
            .to_string(),
        format!("while it records, complete parts lie in {}.partial/", record.to),
    ];
    if !record.scan.clauses.is_empty() {
        notes
            .push("an event is kept if one of its tasks passes; a question must name no task beyond those".to_string());
    }
    for note in notes {
        page.wrapped("  ".to_string(), &note);
    }
    page.text
}

/// The plan of a question to a recording.
pub(super) fn explain_replay(plan: &Plan) -> String {
    let mut page = Page::default();
    heading(&mut page, plan);
    if plan.scan.is_empty() {
        page.section("condition");
        page.line("  holds for no row, whatever was recorded: nothing needs to be read");
        result(&mut page, plan);
        return page.text;
    }
    if plan.scan.clauses.is_empty() {
        let rest = if plan.rest.filter.is_some() { "it is tested on rows" } else { "every row counts" };
        page.section(&format!("condition while the recording is read: none, {rest}"));
    } else {
        page.section("condition while the recording is read; of every clause one term must hold");
        clauses(&mut page, &plan.scan, |_| "when a row is made, as early as its columns are known");
    }
    match &plan.scan.output {
        Output::Groups { .. } => page.section("kept while it is read: groups"),
        Output::Rows { .. } => page.section("kept while it is read: every matching row"),
    }
    let (what, columns) = match &plan.scan.output {
        Output::Groups { keys, .. } => ("key", keys),
        Output::Rows { columns, .. } => ("row", columns),
    };
    let names = list(columns.iter().map(|column| column.name));
    page.table(&[vec![what.to_string(), if names.is_empty() { "none: one group".to_string() } else { names }]]);
    frame(&mut page, plan);
    result(&mut page, plan);
    page.section("notes");
    page.wrapped("  ".to_string(), "no program runs in the kernel, and no right is needed but to read the file");
    page.wrapped("  ".to_string(), "rows are made of the recorded events by the rules by which they are made live");
    page.text
}

/// The recording and the part of it that is asked, in place of a window.
pub(super) fn asked(plan: &Plan) -> Option<Vec<Vec<String>>> {
    let mut rows = vec![vec!["recording".to_string(), plan.from.clone()?]];
    if let Some(around) = &plan.around {
        let time = match &around.time {
            AroundTime::Clock { text, .. } => format!("{text} of the clock on the wall"),
            AroundTime::Ns(ns) => format!("{ns} ns of CLOCK_MONOTONIC"),
            AroundTime::Column { frame, column, .. } => format!("{column} of the first row of {frame}"),
            AroundTime::Worst(worst) => format!("the end of the row with the greatest measure of: {}", worst.text),
        };
        let side = duration(around.each_side_ns);
        rows.push(vec!["part".to_string(), format!("rows that end within {side} before or after {time}")]);
    }
    Some(rows)
}
