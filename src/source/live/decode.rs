//! Words of the kernel as values for people: names made printable, numbers made words, ids made paths.

use std::collections::HashMap;

use super::read::Group;
use crate::catalog::{Column, Kind};
use crate::host::cgroup;
use crate::name;
use crate::plan::layout::Layout;
use crate::plan::predicate::Test;
use crate::plan::{INTERVAL, Output, Scan};
use crate::source::{Cell, Table, TableColumn, Values};

/// `MISSING` of `src/bpf/config.bpf.h`.
const MISSING: u64 = 1 << 63;

/// Ids of cgroups to their paths, read when one is first needed.
pub struct Paths {
    hierarchy: Option<cgroup::Hierarchy>,
    known: HashMap<u64, String>,
}

impl Paths {
    pub fn of(scan: &Scan) -> Paths {
        Paths { hierarchy: hierarchy(scan), known: HashMap::new() }
    }

    /// Read anew when an id is unknown, since groups are born while a query runs.
    fn path(&mut self, id: u64) -> String {
        if !self.known.contains_key(&id) {
            if let Some(hierarchy) = &self.hierarchy {
                for (id, path) in cgroup::paths(hierarchy) {
                    self.known.entry(id).or_insert(path);
                }
            }
            self.known.entry(id).or_insert_with(|| gone(id));
        }
        self.known[&id].clone()
    }
}

/// The hierarchy that the scan speaks of, else that of the cpu controller.
pub fn hierarchy(scan: &Scan) -> Option<cgroup::Hierarchy> {
    let all = cgroup::hierarchies();
    let named = scan.clauses.iter().flat_map(|c| &c.terms).find_map(|t| match &t.test {
        Test::Under(path) | Test::CgroupEqual(path) | Test::CgroupNotEqual(path) => {
            cgroup::resolve(path, &all).ok().map(|g| g.v1)
        }
        _ => None,
    });
    match named {
        Some(false) => all.iter().find(|h| !h.v1).cloned(),
        _ => cgroup::cpu_hierarchy(&all).cloned(),
    }
}

/// What stands for the path of a group that is gone: its id, so that it is never taken for another.
pub fn gone(id: u64) -> String {
    format!("(gone: cgroup id {id})")
}

/// A query without keys: one row, also when nothing happened.
pub fn single(cell: Cell) -> Table {
    Table { columns: Vec::new(), cells: Some(vec![cell]), height: 1 }
}

pub fn groups(scan: &Scan, layout: &Layout, groups: Vec<Group>, start_ns: u64, paths: &mut Paths) -> Table {
    let Output::Groups { keys, .. } = &scan.output else { return Table::default() };
    let mut columns = Vec::new();
    let mut at = 0;
    if let Some(every) = scan.every_ns {
        let starts = groups.iter().map(|g| Some((start_ns + g.key[0] * every) as i64)).collect();
        columns.push(TableColumn { name: INTERVAL.to_owned(), values: Values::Int(starts) });
        at = 1;
    }
    for key in keys {
        columns.push(column(key, groups.iter().map(|g| &g.key[at..]), paths));
        at += usize::from(key.kind.slots());
    }
    debug_assert_eq!(at, layout.key_words(scan) as usize);
    let height = groups.len();
    Table { columns, cells: Some(groups.into_iter().map(|g| g.cell).collect()), height }
}

/// Emitted rows; `before` were handed out already, which counts for `first`.
pub fn rows(scan: &Scan, layout: &Layout, words: &[u64], before: u64, start_ns: u64, paths: &mut Paths) -> Table {
    let Output::Rows { columns: wanted, first } = &scan.output else { return Table::default() };
    let width = layout.record_slots.len();
    let found = words.len() / width;
    let height = first.map_or(found, |first| found.min(first.saturating_sub(before) as usize));
    let records = || words.chunks_exact(width).take(height);
    let mut columns = Vec::new();
    let mut at = 0;
    if let (Some(every), Some(place)) = (scan.every_ns, layout.record_slots.iter().position(|s| *s == 0)) {
        let interval = |r: &[u64]| start_ns + r[place].saturating_sub(start_ns) / every * every;
        let starts = records().map(|r| Some(interval(r) as i64)).collect();
        columns.push(TableColumn { name: INTERVAL.to_owned(), values: Values::Int(starts) });
    }
    for column_wanted in wanted {
        columns.push(column(column_wanted, records().map(|r| &r[at..]), paths));
        at += usize::from(column_wanted.kind.slots());
    }
    Table { columns, cells: None, height }
}

fn column<'a>(column: &Column, words: impl Iterator<Item = &'a [u64]>, paths: &mut Paths) -> TableColumn {
    let there = |w: &[u64]| (w[0] != MISSING).then_some(w[0]);
    let values = match column.kind {
        Kind::Int | Kind::Duration | Kind::Time => Values::Int(words.map(|w| there(w).map(|v| v as i64)).collect()),
        Kind::Bool => Values::Bool(words.map(|w| there(w).map(|v| v != 0)).collect()),
        Kind::Name => Values::Text(words.map(|w| there(w).map(|first| name_of(first, w[1]))).collect()),
        Kind::Word(set) => Values::Text(words.map(|w| there(w).map(|v| word(set, v))).collect()),
        Kind::Cgroup => Values::Text(words.map(|w| there(w).map(|id| paths.path(id))).collect()),
    };
    TableColumn { name: column.name.to_owned(), values }
}

fn name_of(first: u64, second: u64) -> String {
    let mut bytes = [0u8; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(16);
    name::escape(&bytes[..end])
}

/// A number that a newer kernel may have added stays a number.
fn word(set: &[(&str, i64)], value: u64) -> String {
    set.iter().find(|(_, n)| *n == value as i64).map_or_else(|| value.to_string(), |(word, _)| (*word).to_owned())
}
