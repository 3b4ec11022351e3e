//! Maps as numbers: groups, cells, counters.

use std::fs;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};

use libbpf_rs::{Map, MapCore, MapFlags, Object};

use super::bytes::words;
use super::error::Error;
use crate::catalog::{RECURSION, ROWS_MEMORY, SHARED_LOSSES};
use crate::plan::Scan;
use crate::plan::histogram::Histogram;
use crate::plan::layout::{CELL_BYTES, Layout, Machine, Mode};
use crate::source::decode::Group;
use crate::source::{Account, Cell, Loss};

/// `struct counters` of `src/bpf/counters.bpf.h`, as far as all families share it; a test compares it with the BTF.
pub const COUNTERS: &[&str] = &["seen", "opened", "closed", "group_full", "ring_full", "state_failed", "clamped"];

const CELL_WORDS: usize = CELL_BYTES as usize / 8;

/// A map by its name; data sections by the end of it.
pub fn map<'o>(object: &'o Object, name: &str) -> Result<Map<'o>, Error> {
    object
        .maps()
        .find(|m| m.name().to_str().is_some_and(|n| n == name || name.starts_with('.') && n.ends_with(name)))
        .ok_or_else(|| Error::Object(format!("no map {name}")))
}

/// Sum over CPUs of every counter, in the order of the struct.
fn counters(object: &Object) -> Result<Vec<u64>, Error> {
    let map = map(object, "counters")?;
    let values = map.lookup_percpu(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?.unwrap_or_default();
    let mut sums = vec![0u64; map.value_size() as usize / 8];
    for value in values {
        sums.iter_mut().zip(words(&value)).for_each(|(sum, word)| *sum += word);
    }
    Ok(sums)
}

/// Spans that began and did not end.
pub fn open_spans(object: &Object) -> Result<u64, Error> {
    let sums = counters(object)?;
    let of = |name| sums[COUNTERS.iter().position(|c| *c == name).expect("a shared counter")];
    // Two CPUs may be read between an end and its count.
    Ok(of("opened").saturating_sub(of("closed")))
}

/// Everything that was seen, set aside or lost; `refused` rows found no room here, `skipped_before` events were kept from the
/// programs before they were attached.
pub fn losses(
    object: &Object,
    scan: &Scan,
    refused: u64,
    skipped_before: u64,
    account: &mut Account,
) -> Result<(), Error> {
    let sums = counters(object)?;
    account.seen = sums[0];
    account.losses.clear();
    for kind in SHARED_LOSSES {
        let at = COUNTERS.iter().position(|c| *c == kind.counter).expect("a shared counter");
        account.losses.push(Loss { name: kind.name, label: kind.label, count: sums[at], is_loss: kind.is_loss });
    }
    // A family's own counters stand behind the shared ones, in the order of its declaration.
    for (i, kind) in scan.family.losses.iter().enumerate() {
        let count = sums[COUNTERS.len() + i];
        account.losses.push(Loss { name: kind.name, label: kind.label, count, is_loss: kind.is_loss });
    }
    account.losses.push(Loss {
        name: RECURSION.name,
        label: RECURSION.label,
        count: recursion_misses(object).saturating_sub(skipped_before),
        is_loss: RECURSION.is_loss,
    });
    account.losses.push(Loss {
        name: ROWS_MEMORY.name,
        label: ROWS_MEMORY.label,
        count: refused,
        is_loss: ROWS_MEMORY.is_loss,
    });
    Ok(())
}

/// From our own descriptors, which needs no capability; kernels before 5.12 do not tell (0).
pub fn recursion_misses(object: &Object) -> u64 {
    let one = |fd: i32| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).ok()?;
        text.lines().find_map(|l| l.strip_prefix("recursion_misses:"))?.trim().parse().ok()
    };
    object.progs().filter(|p| p.autoload()).filter_map(|p| one(p.as_fd().as_raw_fd())).sum()
}

/// The one cell of a query without keys.
pub fn single(object: &Object, layout: &Layout) -> Result<Cell, Error> {
    let map = map(object, "single")?;
    let values = map.lookup_percpu(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?.unwrap_or_default();
    let mut cell = Cell::default();
    let mut buckets = vec![0u64; layout.histogram_slots as usize];
    for value in &values {
        let value: Vec<u64> = words(value).collect();
        add(&mut cell, &value[..CELL_WORDS]);
        buckets.iter_mut().zip(&value[CELL_WORDS..]).for_each(|(sum, n)| *sum += n);
    }
    cell.histogram = Histogram::from_dense(&buckets);
    Ok(cell)
}

/// All groups, or those of a range of intervals, which are then deleted from the map.
pub fn take_groups(
    object: &Object,
    scan: &Scan,
    layout: &Layout,
    machine: Machine,
    intervals: Option<Range<u64>>,
) -> Result<Vec<Group>, Error> {
    let shared = layout.mode == Mode::Histograms;
    let map = map(object, if shared { "histograms" } else { "groups" })?;
    let wanted = |key: &[u8]| match &intervals {
        Some(range) if scan.every_ns.is_some() => words(key).next().is_some_and(|n| range.contains(&n)),
        _ => true,
    };
    // Keys first: deleting while iterating would start the kernel's walk anew.
    let keys: Vec<Vec<u8>> = map.keys().filter(|k| wanted(k)).collect();
    let mut groups = Vec::with_capacity(keys.len());
    for key in keys {
        let mut cell = Cell::default();
        if shared {
            let Some(value) = map.lookup(&key, MapFlags::ANY).map_err(Error::read)? else { continue };
            let value: Vec<u64> = words(&value).collect();
            let (cells, buckets) = value.split_at(CELL_WORDS * machine.cpus as usize);
            cells.chunks_exact(CELL_WORDS).for_each(|words| add(&mut cell, words));
            cell.histogram = Histogram::from_dense(&buckets[..layout.histogram_slots as usize]);
        } else {
            let Some(values) = map.lookup_percpu(&key, MapFlags::ANY).map_err(Error::read)? else { continue };
            for value in &values {
                let value: Vec<u64> = words(value).collect();
                add(&mut cell, &value);
            }
        }
        if intervals.is_some() {
            map.delete(&key).map_err(Error::read)?;
        }
        groups.push(Group { key: words(&key).collect(), cell });
    }
    Ok(groups)
}

/// Adds one CPU's `struct cell`: count, sum, inverted minimum, maximum, time of the maximum.
fn add(cell: &mut Cell, words: &[u64]) {
    let (count, sum, min, max, max_at) = (words[0], words[1], !words[2], words[3], words[4]);
    if count == 0 {
        return;
    }
    let first = cell.count == 0;
    cell.min = if first { min } else { cell.min.min(min) };
    if first || max > cell.max || (max == cell.max && max_at < cell.max_at) {
        (cell.max, cell.max_at) = (max, max_at);
    }
    cell.count += count;
    cell.sum += sum;
}
