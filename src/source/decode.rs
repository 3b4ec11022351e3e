//! Words of rows as values for people: names made printable, numbers made words, ids made paths.

use super::{Cell, Table, TableColumn, Values};
use crate::catalog::{Column, Kind};
use crate::name;
use crate::plan::layout::Layout;
use crate::plan::{INTERVAL, Output, Scan};

/// `MISSING` of `src/bpf/config.bpf.h`.
const MISSING: u64 = 1 << 63;

/// One group as it was kept: its key's words and what they hold.
pub struct Group {
    pub key: Vec<u64>,
    pub cell: Cell,
}

/// Who knows the paths of cgroups.
pub trait Paths {
    /// The path of that id, for people; of one that is not known, its number.
    fn path(&mut self, id: u64) -> String;
}

/// A query without keys: one row, also when nothing happened.
pub fn single(cell: Cell) -> Table {
    Table { columns: Vec::new(), cells: Some(vec![cell]), height: 1 }
}

pub fn groups(scan: &Scan, layout: &Layout, groups: Vec<Group>, start_ns: u64, paths: &mut dyn Paths) -> Table {
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
pub fn rows(scan: &Scan, layout: &Layout, words: &[u64], before: u64, start_ns: u64, paths: &mut dyn Paths) -> Table {
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

fn column<'a>(column: &Column, words: impl Iterator<Item = &'a [u64]>, paths: &mut dyn Paths) -> TableColumn {
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
