//! Rows or the source's groups, gathered by the visible keys. Both are tallied by the same rules, so that it does not
//! show in an answer where it was aggregated.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::FrameError;
use super::keys::integers;
use crate::plan::histogram::{Histogram, slot_of};
use crate::source::{Cell, Table, Values};

/// What to gather, and from which of a table's rows.
pub(super) struct Request<'a> {
    pub table: &'a Table,
    /// Per row or group of the table.
    pub keep: &'a [bool],
    /// The visible keys, the interval among them.
    pub keys: Vec<&'a Values>,
    /// Whether a group that the source delivered with a count of 0 is a row of the answer.
    pub keep_empty: bool,
    /// The measure's column, when the table has rows.
    pub measure: Option<&'a str>,
    /// The column of the row's end, when a stat needs it and the table has rows.
    pub at: Option<&'a str>,
    /// Columns of which different values are counted.
    pub distinct: Vec<&'a Values>,
    pub linear: Vec<Linear>,
    /// Whether rows are put into buckets; groups bring theirs.
    pub histogram: bool,
}

/// `hist(linear, LO, HI, STEP)`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Linear {
    pub lo: u64,
    pub hi: u64,
    pub step: u64,
}

impl Linear {
    /// 0 below `lo`; then the steps; the one after them from `hi` on.
    pub fn slot(self, value: u64) -> u64 {
        if value < self.lo {
            0
        } else if value >= self.hi {
            self.steps() + 1
        } else {
            1 + (value - self.lo) / self.step.max(1)
        }
    }

    pub fn steps(self) -> u64 {
        self.hi.saturating_sub(self.lo).div_ceil(self.step.max(1))
    }

    /// From and up to (not included); `None` for no bound.
    pub fn bounds(self, slot: u64) -> (u64, Option<u64>) {
        if slot == 0 {
            (0, Some(self.lo))
        } else if slot > self.steps() {
            (self.hi, None)
        } else {
            let from = self.lo + (slot - 1) * self.step.max(1);
            (from, Some((from + self.step.max(1)).min(self.hi)))
        }
    }
}

/// One group of the result.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    /// A row of the table that bears its keys; `None` for the one group of an aggregation without keys and rows.
    pub row: Option<usize>,
    pub count: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
    /// CLOCK_MONOTONIC ns of the earliest row that had the maximum.
    pub max_at: u64,
    slots: BTreeMap<u16, u64>,
    blocks: Vec<Histogram>,
    /// One for each of the request's, by slot.
    pub linear: Vec<BTreeMap<u64, u64>>,
    distinct: Vec<HashSet<i64>>,
}

impl Group {
    fn new(row: usize, request: &Request) -> Self {
        Self {
            row: Some(row),
            linear: vec![BTreeMap::new(); request.linear.len()],
            distinct: vec![HashSet::new(); request.distinct.len()],
            ..Self::default()
        }
    }

    pub fn histogram(&self) -> Histogram {
        Histogram { buckets: self.slots.iter().map(|(slot, n)| (*slot, *n)).collect() }
    }

    /// Its histogram in consecutive parts of the window, as far as the source kept them.
    pub fn blocks(&self) -> &[Histogram] {
        &self.blocks
    }

    /// How many different values the request's column of that index has.
    pub fn distinct(&self, index: usize) -> u64 {
        self.distinct.get(index).map_or(0, |values| values.len() as u64)
    }

    fn merge(&mut self, cell: &Cell) {
        if cell.count == 0 {
            return;
        }
        self.extremes(cell.min, cell.max, cell.max_at);
        self.count = self.count.saturating_add(cell.count);
        self.sum = self.sum.saturating_add(cell.sum);
        for (slot, n) in &cell.histogram.buckets {
            *self.slots.entry(*slot).or_default() += n;
        }
        self.blocks.resize(self.blocks.len().max(cell.blocks.len()), Histogram::default());
        self.blocks.iter_mut().zip(&cell.blocks).for_each(|(sum, block)| sum.merge(block));
    }

    /// Before the count is raised: the first value is both.
    fn extremes(&mut self, min: u64, max: u64, max_at: u64) {
        let first = self.count == 0;
        if first || min < self.min {
            self.min = min;
        }
        if first || max > self.max || (max == self.max && max_at < self.max_at) {
            self.max = max;
            self.max_at = max_at;
        }
    }

    fn add(&mut self, value: Option<u64>, at: u64, request: &Request) {
        if let Some(value) = value {
            self.extremes(value, value, at);
            self.sum = self.sum.saturating_add(value);
            if request.histogram {
                *self.slots.entry(slot_of(value) as u16).or_default() += 1;
            }
            for (counts, linear) in self.linear.iter_mut().zip(&request.linear) {
                *counts.entry(linear.slot(value)).or_default() += 1;
            }
        }
        self.count += 1;
    }
}

/// The groups in the order in which their first row stands. An aggregation without keys has one group whatever
/// happened, as in SQL; otherwise a group without rows is none.
pub(super) fn gather(request: &Request) -> Result<Vec<Group>, FrameError> {
    let table = request.table;
    let values = match (request.measure, &table.cells) {
        (Some(name), None) if table.height > 0 => Some(integers(table, name)?),
        _ => None,
    };
    let ends = match (request.at, &table.cells) {
        (Some(name), None) if table.height > 0 => Some(integers(table, name)?),
        _ => None,
    };
    let keys: Vec<Vec<Option<i64>>> = request.keys.iter().map(|v| codes(v)).collect();
    let distinct: Vec<Vec<Option<i64>>> = request.distinct.iter().map(|v| codes(v)).collect();
    let mut index: HashMap<Vec<Option<i64>>, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut key = Vec::with_capacity(keys.len());
    for row in (0..table.height).filter(|row| request.keep[*row]) {
        key.clear();
        key.extend(keys.iter().map(|codes| codes[row]));
        let at = match index.get(&key) {
            Some(at) => *at,
            None => {
                index.insert(key.clone(), groups.len());
                groups.push(Group::new(row, request));
                groups.len() - 1
            }
        };
        let group = &mut groups[at];
        match &table.cells {
            Some(cells) => group.merge(&cells[row]),
            None => match values {
                // A row without its measure says nothing about it.
                Some(values) if values[row].is_none() => continue,
                Some(values) => {
                    let end = ends.and_then(|ends| ends[row]).unwrap_or(0);
                    group.add(values[row].map(unsigned), unsigned(end), request);
                }
                None => group.add(None, 0, request),
            },
        }
        if table.cells.as_ref().is_none_or(|cells| cells[row].count > 0) {
            for (set, codes) in group.distinct.iter_mut().zip(&distinct) {
                set.extend(codes[row]);
            }
        }
    }
    if request.keys.is_empty() {
        if groups.is_empty() {
            groups.push(Group { row: None, ..Group::new(0, request) });
        }
    } else if !request.keep_empty {
        groups.retain(|group| group.count > 0);
    }
    Ok(groups)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Each value as a number that is equal exactly where the value is.
fn codes(values: &Values) -> Vec<Option<i64>> {
    match values {
        Values::Int(values) => values.clone(),
        Values::Bool(values) => values.iter().map(|v| v.map(i64::from)).collect(),
        Values::Text(values) => {
            let mut known: HashMap<&str, i64> = HashMap::new();
            let mut code = |text| {
                let next = known.len() as i64;
                *known.entry(text).or_insert(next)
            };
            values.iter().map(|v| v.as_deref().map(&mut code)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_buckets_meet_and_cover_everything() {
        let linear = Linear { lo: 10, hi: 35, step: 10 };
        assert_eq!(linear.steps(), 3);
        assert_eq!(
            (0..=4).map(|slot| linear.bounds(slot)).collect::<Vec<_>>(),
            [(0, Some(10)), (10, Some(20)), (20, Some(30)), (30, Some(35)), (35, None)]
        );
        for value in [0, 9, 10, 19, 20, 34, 35, 36, u64::MAX] {
            let (from, to) = linear.bounds(linear.slot(value));
            assert!(from <= value && to.is_none_or(|to| value < to), "{value}");
        }
    }

    #[test]
    fn the_earliest_of_equal_maxima_is_told_whatever_the_order() {
        let cell = |max_at| Cell { count: 1, max: 5, min: 5, sum: 5, max_at, ..Cell::default() };
        for order in [[3, 9], [9, 3]] {
            let mut group = Group::default();
            order.iter().for_each(|at| group.merge(&cell(*at)));
            assert_eq!(group.max_at, 3);
        }
    }

    #[test]
    fn an_empty_cell_does_not_make_the_minimum_zero() {
        let mut group = Group::default();
        group.merge(&Cell::default());
        group.merge(&Cell { count: 1, sum: 7, min: 7, max: 7, max_at: 1, ..Cell::default() });
        group.merge(&Cell::default());
        assert_eq!((group.count, group.min, group.max), (1, 7, 7));
    }
}
