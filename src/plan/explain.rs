//! What a query will do, in words: which programs run where, what the kernel is given to decide, what is kept, what is
//! left for user space, and what all that costs.

mod analyzed;
mod recorded;

pub use analyzed::{Measured, explain_analyzed};

use super::columns::{self, holds};
use super::layout::{Layout, Machine, Mode};
use super::page::Page;
use super::predicate::{Predicate, Test};
use super::pushdown::{self, RowsBecause, Undecided};
use super::words::{bytes, duration, list};
use super::{Clause, INTERVAL, Needs, Output, Plan, Scan};
use crate::catalog::{Cardinality, Column, Family, Kind, Program, Stage, When, task};
use crate::lang::ast::Stat;

pub use recorded::explain_record;

/// The plan of a query on a machine, as plain text.
pub fn explain(plan: &Plan, layout: &Layout, machine: Machine) -> String {
    if plan.from.is_some() {
        return recorded::explain_replay(plan);
    }
    let mut page = Page::default();
    heading(&mut page, plan);
    if plan.scan.is_empty() {
        page.section("condition");
        page.line("  holds for no row, whatever happens: nothing needs to run");
        result(&mut page, plan);
        return page.text;
    }
    programs(&mut page, plan, machine);
    kernel_filter(&mut page, plan, layout);
    kept(&mut page, plan, layout);
    maps(&mut page, plan, layout, machine);
    frame(&mut page, plan);
    result(&mut page, plan);
    notes(&mut page, plan, layout);
    page.text
}

fn heading(page: &mut Page, plan: &Plan) {
    page.line(&plan.text);
    page.section("what is asked");
    let family = plan.family;
    let mut rows = vec![vec![family.name.to_string(), family.doc.to_string()]];
    if let Some(measure) = plan.measure {
        rows.push(vec![measure.name.to_string(), format!("{}, {}", measure.doc, columns::noun(measure))]);
    }
    rows.extend(recorded::asked(plan).unwrap_or_else(|| vec![vec!["window".to_string(), window(plan.window_ns)]]));
    if let Some(every) = plan.scan.every_ns {
        rows.push(vec![
            "interval".to_string(),
            format!("{}; a row belongs to the one in which it ends", duration(every)),
        ]);
    }
    if let Some(path) = &plan.save {
        rows.push(vec!["saved to".to_string(), path.clone()]);
    }
    page.table(&rows);
}

fn window(window_ns: Option<u64>) -> String {
    match window_ns {
        Some(ns) => duration(ns),
        None => "until interrupted, or the life of the command after --".to_string(),
    }
}

fn programs(page: &mut Page, plan: &Plan, machine: Machine) {
    page.section("programs");
    let child = uses_child(&plan.scan);
    let runs = |program: &&Program| match program.when {
        When::Always | When::Asked => true,
        // A query about `child` cannot run without a command.
        When::Child | When::Command => child,
        When::HashState => (plan.family.state || child) && !machine.task_storage,
    };
    let row = |program: &Program| vec![program.name.to_string(), program.hook.to_string(), program.doc.to_string()];
    let rows: Vec<_> = plan.family.programs.iter().filter(runs).map(row).collect();
    page.table(&rows);
}

/// Whether anything that the source reads tells the command's descendants from others.
fn uses_child(scan: &Scan) -> bool {
    let output = match &scan.output {
        Output::Groups { keys, .. } => keys,
        Output::Rows { columns, .. } => columns,
    };
    let tested = scan.clauses.iter().flat_map(|clause| &clause.terms).flat_map(|term| term.columns());
    tested.chain(output.iter().copied()).any(|column| column.name == super::check::CHILD)
}

fn kernel_filter(page: &mut Page, plan: &Plan, layout: &Layout) {
    let scan = &plan.scan;
    if scan.clauses.is_empty() {
        let rest = if plan.rest.filter.is_some() { "all of it is left for user space" } else { "every row counts" };
        page.section(&format!("condition in the kernel: none, {rest}"));
    } else {
        let terms = layout.terms.len();
        page.section(&format!(
            "condition in the kernel: {terms} of {} terms; of every clause one term must hold",
            super::layout::MAX_TERMS
        ));
        clauses(page, scan, |clause| tested(latest(clause), plan.family));
    }
    let mut rows = Vec::new();
    let stages = [
        ("first", layout.need_fixed),
        ("then", layout.need_identity),
        ("of the row", layout.need_row),
        ("for the output", layout.need_output),
    ];
    for (when, mask) in stages {
        if mask != 0 {
            rows.push(vec![format!("reads {when}"), list(read(plan.family, mask).iter().map(String::as_str))]);
        }
    }
    page.table(&rows);
}

/// Every term of the source's predicate, and when its clause is tested.
fn clauses(page: &mut Page, scan: &Scan, tested: impl Fn(&Clause) -> &'static str) {
    let mut rows = vec![["clause", "term", "test", "tested"].map(String::from).to_vec()];
    let mut number = 0;
    for (i, clause) in scan.clauses.iter().enumerate() {
        for term in &clause.terms {
            number += 1;
            rows.push(vec![(i + 1).to_string(), number.to_string(), term.to_string(), tested(clause).to_string()]);
        }
    }
    page.table(&rows);
}

fn latest(clause: &Clause) -> Stage {
    clause.terms.iter().map(|term| term.stage()).max().unwrap_or(Stage::Fixed)
}

fn tested(stage: Stage, family: &Family) -> &'static str {
    match (stage, family.state) {
        (Stage::Fixed, true) => "at start and end of a row, before clock and state are touched",
        (Stage::Identity, true) => "at the end of a row, before the clock is read",
        (Stage::Fixed | Stage::Identity, false) => "before the clock is read",
        (Stage::Row, _) => "when the row is complete",
    }
}

/// The columns whose slots are in a mask.
fn read(family: &Family, mask: u64) -> Vec<String> {
    let under = task::UNDER_SLOTS.iter().filter(|slot| mask & (1 << **slot) != 0).count();
    let named = family.columns().filter(|column| mask & (1 << column.slot) != 0).map(|column| column.name.to_string());
    let ancestors = (under > 0).then(|| "cgroup's ancestor".to_string());
    named.chain(ancestors).collect()
}

fn kept(page: &mut Page, plan: &Plan, layout: &Layout) {
    match &plan.scan.output {
        Output::Groups { keys, needs } => {
            page.section("kept in the kernel: groups");
            let mut key: Vec<String> = Vec::new();
            if plan.scan.every_ns.is_some() {
                key.push("interval".to_string());
            }
            for column in keys {
                let hidden = if plan.rest.by.contains(column) { "" } else { " (hidden)" };
                key.push(format!("{}{hidden}", column.name));
            }
            let key = if key.is_empty() {
                "none: one group".to_string()
            } else {
                let words = layout.key_words(&plan.scan);
                format!("{}; {} bytes", key.join(", "), words * 8)
            };
            page.table(&[vec!["key".to_string(), key], vec!["of each".to_string(), of_each(*needs, layout)]]);
        }
        Output::Rows { columns, first } => {
            page.section("kept in the kernel: nothing, every matching row is sent");
            let names = list(columns.iter().map(|column| column.name));
            let mut rows = vec![vec!["row".to_string(), format!("{names}; {} bytes", layout.record_slots.len() * 8)]];
            if let Some(first) = first {
                rows.push(vec!["ends".to_string(), format!("after {first} rows")]);
            }
            page.table(&rows);
        }
    }
}

fn of_each(needs: Needs, layout: &Layout) -> String {
    let mut kept = vec!["count".to_string()];
    for (wanted, name) in
        [(needs.sum, "sum"), (needs.extremes, "least and greatest"), (needs.max_at, "time of the greatest")]
    {
        if wanted {
            kept.push(name.to_string());
        }
    }
    if needs.histogram {
        kept.push(format!("histogram of {} buckets", layout.histogram_slots));
    }
    kept.join(", ")
}

fn maps(page: &mut Page, plan: &Plan, layout: &Layout, machine: Machine) {
    let cpus = if machine.cpus == 1 { "1 CPU".to_string() } else { format!("{} CPUs", machine.cpus) };
    page.section(&format!("maps, for {cpus}"));
    let mut rows = Vec::new();
    for map in &layout.maps {
        let (entries, size) = match map.kind {
            "ring buffer" => ("".to_string(), bytes(map.bytes)),
            "task storage" => (format!("{} bytes a task", map.value_bytes), "grows with the tasks".to_string()),
            _ => (
                format!("{} × ({} + {} bytes{})", map.entries, map.key_bytes, map.value_bytes, per_cpu(map.kind)),
                bytes(map.bytes),
            ),
        };
        rows.push(vec![map.name.to_string(), map.kind.to_string(), entries, size]);
    }
    let total = layout.total_bytes();
    rows.push(vec![
        "total".to_string(),
        String::new(),
        String::new(),
        format!("{}, taken at the start (limit {})", bytes(total), bytes(plan.scan.map_bytes)),
    ]);
    page.table(&rows);
}

fn per_cpu(kind: &str) -> &'static str {
    if kind.starts_with("per-CPU") { " a CPU" } else { "" }
}

/// What is left, in the order in which it is done.
fn frame(page: &mut Page, plan: &Plan) {
    let rest = &plan.rest;
    let mut steps: Vec<String> = Vec::new();
    if let Some(filter) = &rest.filter {
        let parts = match filter {
            Predicate::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        for part in parts {
            let why = if plan.from.is_some() { String::new() } else { format!("  ({})", why_left(&part)) };
            steps.push(format!("keep {part}{why}"));
        }
    }
    match &plan.scan.output {
        Output::Groups { keys, .. } if keys.len() > rest.by.len() => {
            let hidden = keys.iter().filter(|column| !rest.by.contains(column)).map(|column| column.name);
            steps.push(format!("merge the groups that differ only in {}", list(hidden)));
        }
        Output::Rows { .. } if rest.events.is_none() => steps.push("aggregate the rows".to_string()),
        _ => {}
    }
    if let Some(having) = &rest.having {
        steps.push(format!("keep groups with {having}"));
    }
    if let Some(first) = rest.first.filter(|_| rest.filter.is_some()) {
        steps.push(format!("take the first {first} rows"));
    }
    if !rest.sort.is_empty() && (!rest.by.is_empty() || rest.events.is_some()) {
        let by = rest.sort.iter().map(|s| format!("{}{}", s.name, if s.descending { " descending" } else { "" }));
        steps.push(format!("sort by {}", by.collect::<Vec<_>>().join(", ")));
    }
    if let Some(top) = rest.top {
        let each = if plan.scan.every_ns.is_some() { " of each interval" } else { "" };
        steps.push(format!("take the first {top}{each}"));
    }
    if !steps.is_empty() {
        page.section(if plan.from.is_some() { "then" } else { "then, in user space" });
        let rows: Vec<_> = steps.into_iter().enumerate().map(|(i, step)| vec![(i + 1).to_string(), step]).collect();
        page.table(&rows);
    }
}

fn why_left(part: &Predicate) -> &'static str {
    let mut reason = None;
    part.visit(&mut |term| reason = reason.or(pushdown::undecided(term)));
    let mut paths = 0;
    part.visit(&mut |term| paths += usize::from(matches!(term.test, Test::Under(_))));
    match reason {
        Some(Undecided::Glob) => "the kernel compares whole names and how they begin",
        Some(Undecided::CgroupGlob) => "the kernel knows cgroups by number, not by path",
        None if paths > 0 => "no room: at most 4 paths for `under` and 16 terms",
        None => "no room: at most 16 terms",
    }
}

fn result(page: &mut Page, plan: &Plan) {
    page.section("result");
    let rest = &plan.rest;
    let mut rows: Vec<Vec<String>> = Vec::new();
    if plan.scan.every_ns.is_some() {
        rows.push(vec![INTERVAL.to_string(), "time".to_string()]);
    }
    let described = |column: &&'static Column| vec![column.name.to_string(), columns::noun(column)];
    if let Some(events) = &rest.events {
        rows.extend(events.iter().map(described));
    }
    rows.extend(rest.by.iter().map(described));
    match rest.stats.as_slice() {
        // A histogram alone is in long form.
        [only] if matches!(only.stat, Stat::Hist | Stat::HistLinear { .. }) => {
            let unit = if plan.measure.is_some_and(|m| m.kind == Kind::Duration) { "_ns" } else { "" };
            rows.push(vec![format!("lo{unit}"), "whole number, least value of the bucket".to_string()]);
            rows.push(vec![format!("hi{unit}"), "whole number, least value above it".to_string()]);
            rows.push(vec!["count".to_string(), "whole number".to_string()]);
        }
        stats => {
            let described =
                |stat: &super::StatColumn| vec![stat.name.clone(), holds(&stat.stat, plan.measure).noun().to_string()];
            rows.extend(stats.iter().map(described));
        }
    }
    page.table(&rows);
}

/// What the figures cost, and what to know of them.
fn notes(page: &mut Page, plan: &Plan, layout: &Layout) {
    let scan = &plan.scan;
    let mut notes: Vec<String> = Vec::new();
    notes.push(cost(plan, layout).to_string());
    let early = scan.clauses.iter().any(|clause| latest(clause) == Stage::Fixed);
    if early && plan.family.state {
        notes.push("tasks that fail the first tests cost a few comparisons each and leave no state".to_string());
    }
    notes.extend(why_rows(plan));
    if let Output::Groups { keys, needs } = &scan.output {
        let hidden: Vec<_> = keys.iter().filter(|column| !plan.rest.by.contains(column)).map(|c| c.name).collect();
        if !hidden.is_empty() {
            let more =
                if hidden.len() == 1 { hidden[0].to_string() } else { format!("combination of {}", list(hidden)) };
            notes.push(format!("hidden keys: the kernel keeps a group for each {more}"));
        }
        let bounded = |column: &&Column| matches!(column.few, Cardinality::Fixed(_) | Cardinality::Cpus);
        if let Some(map) = layout.maps.iter().find(|map| matches!(map.name, "groups" | "histograms"))
            && !keys.iter().all(bounded)
        {
            let each = map.bytes / u64::from(map.entries.max(1));
            let cut = if map.bytes + each > scan.map_bytes { ", as many as the memory allows" } else { "" };
            notes.push(format!("room for {} groups{cut}; rows of further groups are counted as lost", map.entries));
        }
        if needs.histogram {
            notes.push("percentiles are at most 3.2 % off".to_string());
        }
    }
    if plan.rest.first.is_some() && plan.rest.filter.is_some() {
        notes.push("`first` cannot end the window early, because user space decides which rows count".to_string());
    }
    if scan.clauses.iter().flat_map(|clause| &clause.terms).any(|term| matches!(term.test, Test::Under(_))) {
        notes.push("the cgroup must exist at the start; groups made below it later belong to it".to_string());
    }
    if scan.idle {
        notes.push("the idle task is measured too, because the condition names it".to_string());
    }
    if scan.own {
        notes.push("schedq's own threads are measured too, because the condition names them".to_string());
    }
    page.section("notes");
    for note in notes {
        page.wrapped("  ".to_string(), &note);
    }
}

fn cost(plan: &Plan, layout: &Layout) -> &'static str {
    match (layout.mode, plan.scan.output.clone()) {
        (Mode::Single, _) => "cost: low; a row adds to one cell of its CPU",
        (Mode::Groups, _) => "cost: moderate; a row looks its group up in a hash and adds to its CPU's cell",
        (Mode::Histograms, _) => {
            "cost: moderate; a row looks its group up in a hash and adds to a histogram that the CPUs share"
        }
        (Mode::Rows, Output::Rows { first: Some(_), .. }) => {
            "cost: high while it lasts; every matching row is sent to user space until there are enough"
        }
        (Mode::Rows, _) => "cost: high; every matching row is sent to user space",
    }
}

fn why_rows(plan: &Plan) -> Option<String> {
    match pushdown::why_rows(plan)? {
        RowsBecause::Asked => None,
        RowsBecause::LinearHistogram => Some(
            "rows are sent because equal steps are not the kernel's buckets; `hist` alone is far cheaper".to_string(),
        ),
        RowsBecause::TooFine(column) => Some(format!(
            "rows are sent because {} differs on nearly every row and only user space can look at it",
            column.name
        )),
        RowsBecause::KeyTooLong => {
            Some("rows are sent because keys and hidden keys together are longer than a key can be".to_string())
        }
    }
}
