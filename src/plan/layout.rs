//! From a [`Scan`] to numbers: the read-only data, key, value and record layouts, and map sizes of its program variant.
//!
//! The one place where masks, offsets and sizes come from; a forgotten need bit is not caught by the kernel's verifier.

use super::histogram::{SLOTS, slot_of};
use super::predicate::{Order, Plain, Term, Test};
use super::{Clause, Output, Scan};
use crate::catalog::{Cardinality, Column, Kind, Stage, task};

/// What the layout must know of the machine; `explain` may use those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Possible CPUs: per-CPU maps have a value for each.
    pub cpus: u32,
    /// Whether per-task state can live in task storage; else it is in a hash.
    pub task_storage: bool,
}

/// Terms that a program can hold.
pub const MAX_TERMS: usize = 16;
/// 64-bit words that a key can hold.
pub const MAX_KEY_WORDS: usize = 16;
/// 64-bit words that an emitted row can hold.
pub const MAX_RECORD_WORDS: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// In the order of the program's array: first those that can be tested when a row starts ([`Stage::Fixed`]), then
    /// those of identity, then the rest.
    pub terms: Vec<RawTerm>,
    /// The paths of `cgroup under`, in the order of the slots that hold the ancestors' ids.
    pub under: Vec<String>,
    pub fixed_terms: usize,
    /// Count of fixed and identity terms together.
    pub identity_terms: usize,
    /// Bit n: slot n must be filled before that stage.
    pub need_fixed: u64,
    pub need_identity: u64,
    pub need_row: u64,
    pub need_output: u64,
    pub mode: Mode,
    /// The row's slots that make the key, in order (an interval number comes before them with `every`).
    pub key_slots: Vec<u8>,
    /// Buckets that a histogram keeps; 0 without.
    pub histogram_slots: u32,
    /// The row's slots that an emitted record holds.
    pub record_slots: Vec<u8>,
    pub maps: Vec<MapSize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No key: a per-CPU array of one cell.
    Single,
    /// Groups without histogram: a preallocated per-CPU hash of cells.
    Groups,
    /// Groups with histogram: one shared hash; in each value a cell per CPU and one histogram.
    Histograms,
    /// Rows to a ring buffer.
    Rows,
}

/// One element of the program's array of terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawTerm {
    pub op: u8,
    pub slot: u8,
    pub other: u8,
    pub flags: u8,
    pub a: u64,
    pub b: u64,
    pub mask_a: u64,
    pub mask_b: u64,
    /// A cgroup path that the loader resolves to an id for `a` (and a level for `under`).
    pub path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapSize {
    pub name: &'static str,
    /// `per-CPU array`, `per-CPU hash`, `hash`, `ring buffer`, `task storage`
    pub kind: &'static str,
    pub key_bytes: u32,
    pub value_bytes: u32,
    /// 0 for task storage, which grows with the tasks.
    pub entries: u32,
    /// All CPUs together.
    pub bytes: u64,
}

/// `enum term_op` in `src/bpf/config.bpf.h`.
pub mod op {
    pub const EQUAL: u8 = 0;
    pub const NOT_EQUAL: u8 = 1;
    pub const BETWEEN: u8 = 2;
    pub const NAME: u8 = 3;
    pub const NOT_NAME: u8 = 4;
    pub const MISSING: u8 = 5;
    pub const SLOT_EQUAL: u8 = 6;
    pub const SLOT_NOT_EQUAL: u8 = 7;
    pub const SLOT_LESS: u8 = 8;
    pub const SLOT_LESS_OR_EQUAL: u8 = 9;
    pub const NAMES_EQUAL: u8 = 10;
    pub const NAMES_NOT_EQUAL: u8 = 11;
}

/// `enum term_flag` in `src/bpf/config.bpf.h`.
pub mod flag {
    pub const NEGATED: u8 = 1;
    /// The last term of its clause.
    pub const LAST: u8 = 2;
}

/// Bytes of `struct cell` in `src/bpf/collect.bpf.h`: count, sum, minimum, maximum, time of the maximum.
pub const CELL_BYTES: u32 = 40;

/// Groups that are made room for when a key has no bound of its own (threads, names, cgroups). The maps are filled in
/// advance, since an allocation in the scheduler's path fails under bursts of new keys, and that takes time at the start:
/// a histogram has 4 KB, a plain cell 40 bytes a CPU.
const UNBOUNDED_GROUPS: u64 = 32_768;
const UNBOUNDED_HISTOGRAMS: u64 = 8_192;
/// No map of groups is made larger than this, whatever is asked for.
const MOST_GROUPS: u64 = 1 << 22;

/// The ring for emitted rows; the reader empties it many times a second.
const RING_BYTES: u64 = 16 << 20;

/// The layout of a scan's program variant.
pub fn layout(scan: &Scan, machine: Machine) -> Layout {
    let mut under = Vec::new();
    let mut terms = Vec::new();
    // Counts of terms by stage: clauses come ordered by it.
    let mut ends = [0usize; 3];
    let mut need = [0u64; 3];
    for clause in &scan.clauses {
        let stage = clause_stage(clause);
        let Some(last) = clause.terms.len().checked_sub(1) else {
            // Holds for no row: an empty range of a column that is known first.
            let slot = task::COLUMNS.iter().find(|c| c.stage == Stage::Fixed).map_or(0, |c| c.slot);
            need[Stage::Fixed as usize] |= bits(slot, 1);
            terms.push(RawTerm { op: op::BETWEEN, flags: flag::LAST, slot, a: 1, b: 0, ..RawTerm::default() });
            ends = [terms.len(); 3];
            continue;
        };
        for (i, term) in clause.terms.iter().enumerate() {
            let mut raw = encode(term, &mut under);
            if i == last {
                raw.flags |= flag::LAST;
            }
            need[stage as usize] |= bits(raw.slot, term.column.kind.slots());
            // The encoded term may name the two columns the other way round.
            if let Test::Column(_, other) = term.test {
                need[stage as usize] |= bits(raw.other, other.kind.slots());
            }
            terms.push(raw);
        }
        for end in &mut ends[stage as usize..] {
            *end = terms.len();
        }
    }
    let (keys, record) = match &scan.output {
        Output::Groups { keys, .. } => (slots_of(keys), Vec::new()),
        Output::Rows { columns, .. } => (Vec::new(), slots_of(columns)),
    };
    let needs = match scan.output {
        Output::Groups { needs, .. } => needs,
        Output::Rows { .. } => Default::default(),
    };
    let mode = match &scan.output {
        Output::Rows { .. } => Mode::Rows,
        Output::Groups { keys, .. } if keys.is_empty() && scan.every_ns.is_none() => Mode::Single,
        Output::Groups { needs, .. } if needs.histogram => Mode::Histograms,
        Output::Groups { .. } => Mode::Groups,
    };
    // The task's own columns that terms of the whole row need are filled with those of identity.
    let task = (1u64 << task::OWN_SLOT) - 1;
    let need_fixed = need[0];
    let need_identity = (need[1] | (need[2] & task)) & !need_fixed;
    let need_row = need[2] & !need_fixed & !need_identity;
    let output = keys.iter().chain(&record).fold(0u64, |mask, slot| mask | 1 << slot);
    // What the fixed stage fills is filled again for each task, so the rows' own need of it is already met.
    let need_output = output & !need_fixed & !need_identity & !need_row;
    let histogram_slots = if needs.histogram { histogram_slots(scan.bound_ns) } else { 0 };
    let mut made = Layout {
        fixed_terms: ends[0],
        identity_terms: ends[1],
        terms,
        under,
        need_fixed,
        need_identity,
        need_row,
        need_output,
        mode,
        key_slots: keys,
        histogram_slots,
        record_slots: record,
        maps: Vec::new(),
    };
    made.maps = maps(scan, &made, machine);
    made
}

impl Layout {
    /// Words of a group's key, the interval's number included.
    pub fn key_words(&self, scan: &Scan) -> u32 {
        self.key_slots.len() as u32 + u32::from(scan.every_ns.is_some() && self.mode != Mode::Rows)
    }

    /// Whether the programs fill a slot of the row.
    pub fn reads(&self, slot: u8) -> bool {
        (self.need_fixed | self.need_identity | self.need_row | self.need_output) & bits(slot, 1) != 0
    }

    /// Whether they tell the command's descendants from others.
    pub fn reads_child(&self, scan: &Scan) -> bool {
        scan.family.column("child").is_some_and(|child| self.reads(child.slot))
    }

    /// Where the histogram stands in a value: behind one cell, or behind a cell per CPU.
    pub fn histogram_offset(&self, machine: Machine) -> u32 {
        match self.mode {
            Mode::Histograms => CELL_BYTES * machine.cpus,
            _ => CELL_BYTES,
        }
    }

    pub fn map(&self, name: &str) -> Option<&MapSize> {
        self.maps.iter().find(|m| m.name == name)
    }

    /// Memory of all maps whose size is known at the start.
    pub fn total_bytes(&self) -> u64 {
        self.maps.iter().map(|m| m.bytes).sum()
    }
}

fn clause_stage(clause: &Clause) -> Stage {
    let mut stage = Stage::Fixed;
    for term in &clause.terms {
        stage = stage.max(term.column.stage);
        if let Test::Column(_, other) = term.test {
            stage = stage.max(other.stage);
        }
    }
    stage
}

fn bits(slot: u8, slots: u8) -> u64 {
    ((1 << slots) - 1) << slot
}

fn slots_of(columns: &[&'static Column]) -> Vec<u8> {
    columns.iter().flat_map(|c| c.slot..c.slot + c.kind.slots()).collect()
}

/// One term as the program evaluates it. Orderings become closed ranges of signed numbers.
fn encode(term: &Term, under: &mut Vec<String>) -> RawTerm {
    let mut raw = RawTerm { slot: term.column.slot, ..RawTerm::default() };
    if term.negated {
        raw.flags |= flag::NEGATED;
    }
    // The least signed number stands for a missing value, so an open lower end begins above it.
    let mut between = |lo: i64, hi: i64| {
        raw.op = op::BETWEEN;
        (raw.a, raw.b) = (lo as u64, hi as u64);
    };
    match &term.test {
        Test::Equal(v) => raw.a = *v as u64,
        Test::NotEqual(v) => (raw.op, raw.a) = (op::NOT_EQUAL, *v as u64),
        Test::Less(v) => between(i64::MIN + 1, v.saturating_sub(1)),
        Test::LessOrEqual(v) => between(i64::MIN + 1, *v),
        Test::Greater(v) if *v == i64::MAX => between(1, 0),
        Test::Greater(v) => between(v + 1, i64::MAX),
        Test::GreaterOrEqual(v) => between(*v, i64::MAX),
        Test::Between(lo, hi) => between(*lo, *hi),
        Test::True => raw.a = 1,
        Test::Missing => raw.op = op::MISSING,
        Test::NameEqual(name) => name_term(&mut raw, op::NAME, name, false),
        Test::NameNotEqual(name) => name_term(&mut raw, op::NOT_NAME, name, false),
        Test::Like(glob) => match glob.plain() {
            Some(Plain::Exact(name)) => name_term(&mut raw, op::NAME, &name, false),
            Some(Plain::Prefix(name)) => name_term(&mut raw, op::NAME, &name, true),
            None => unreachable!("pushdown leaves other globs to the frame"),
        },
        Test::CgroupEqual(path) => raw.path = Some(path.clone()),
        Test::CgroupNotEqual(path) => {
            raw.op = op::NOT_EQUAL;
            raw.path = Some(path.clone());
        }
        Test::Under(path) => {
            let at = under.iter().position(|p| p == path).unwrap_or_else(|| {
                under.push(path.clone());
                under.len() - 1
            });
            raw.slot = task::UNDER_SLOTS[at];
            raw.path = Some(path.clone());
        }
        Test::Column(order, other) => {
            raw.other = other.slot;
            let two_words = term.column.kind == Kind::Name;
            raw.op = match order {
                Order::Equal if two_words => op::NAMES_EQUAL,
                Order::NotEqual if two_words => op::NAMES_NOT_EQUAL,
                Order::Equal => op::SLOT_EQUAL,
                Order::NotEqual => op::SLOT_NOT_EQUAL,
                Order::Less | Order::Greater => op::SLOT_LESS,
                Order::LessOrEqual | Order::GreaterOrEqual => op::SLOT_LESS_OR_EQUAL,
            };
            if matches!(order, Order::Greater | Order::GreaterOrEqual) {
                std::mem::swap(&mut raw.slot, &mut raw.other);
            }
        }
        Test::Always(_) => unreachable!("pushdown folds constants"),
    }
    raw
}

/// A name of at most 15 bytes as two little-endian words; a prefix only compares the bytes that it has.
fn name_term(raw: &mut RawTerm, op: u8, name: &[u8], prefix: bool) {
    raw.op = op;
    let mut value = [0u8; 16];
    let mut mask = [if prefix { 0 } else { 0xff }; 16];
    for (i, byte) in name.iter().take(16).enumerate() {
        value[i] = *byte;
        mask[i] = 0xff;
    }
    let word = |bytes: &[u8; 16], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    (raw.a, raw.b) = (word(&value, 0), word(&value, 8));
    (raw.mask_a, raw.mask_b) = (word(&mask, 0), word(&mask, 8));
}

/// Buckets up to what a span inside the window can last. A span may have begun while the probes were attached, just
/// before the window, and the window's end is a signal from user space, so there is room for twice the window and more.
fn histogram_slots(bound_ns: Option<u64>) -> u32 {
    match bound_ns {
        Some(bound) => slot_of(bound.saturating_mul(2).saturating_add(2_000_000_000)) as u32 + 1,
        None => SLOTS as u32,
    }
}

fn maps(scan: &Scan, layout: &Layout, machine: Machine) -> Vec<MapSize> {
    let cpus = u64::from(machine.cpus);
    let buckets = layout.histogram_slots * 8;
    let key_bytes = layout.key_words(scan) * 8;
    let mut made = Vec::new();
    match layout.mode {
        Mode::Single => {
            let value = CELL_BYTES + buckets;
            made.push(MapSize {
                name: "single",
                kind: "per-CPU array",
                key_bytes: 4,
                value_bytes: value,
                entries: 1,
                bytes: u64::from(value) * cpus,
            });
        }
        Mode::Groups => {
            let each = u64::from(key_bytes) + ENTRY_OVERHEAD + u64::from(CELL_BYTES) * cpus;
            let entries = group_entries(scan, machine, each);
            made.push(MapSize {
                name: "groups",
                kind: "per-CPU hash",
                key_bytes,
                value_bytes: CELL_BYTES,
                entries,
                bytes: each * u64::from(entries),
            });
        }
        Mode::Histograms => {
            let value = CELL_BYTES * machine.cpus + buckets;
            let each = u64::from(key_bytes + value) + ENTRY_OVERHEAD;
            let entries = group_entries(scan, machine, each);
            made.push(MapSize {
                name: "histograms",
                kind: "hash",
                key_bytes,
                value_bytes: value,
                entries,
                bytes: each * u64::from(entries),
            });
        }
        Mode::Rows => {
            let bytes = RING_BYTES.min(scan.map_bytes.max(1 << 16));
            // The kernel takes powers of two only.
            let bytes = 1u64 << (63 - bytes.leading_zeros());
            made.push(MapSize {
                name: "ring",
                kind: "ring buffer",
                key_bytes: 0,
                value_bytes: layout.record_slots.len() as u32 * 8,
                entries: bytes as u32,
                bytes,
            });
        }
    }
    if scan.family.state || layout.reads_child(scan) {
        let (name, kind, key_bytes, entries) = match machine.task_storage {
            true => ("state_storage", "task storage", 4, 0),
            false => ("state_hash", "hash", 8, 65_536),
        };
        let bytes = u64::from(entries) * (u64::from(key_bytes) + 16 + ENTRY_OVERHEAD);
        made.push(MapSize { name, kind, key_bytes, value_bytes: 16, entries, bytes });
    }
    made
}

/// A hash entry's own cost in the kernel beyond key and value, and its share of the buckets.
const ENTRY_OVERHEAD: u64 = 64;

/// As many groups as the keys can make, as far as the memory goes.
fn group_entries(scan: &Scan, machine: Machine, each: u64) -> u32 {
    let Output::Groups { keys, needs } = &scan.output else { return 1 };
    let unbounded = if needs.histogram { UNBOUNDED_HISTOGRAMS } else { UNBOUNDED_GROUPS };
    let mut groups = 1u64;
    let mut bounded = true;
    for key in keys {
        groups = groups.saturating_mul(match key.few {
            Cardinality::Fixed(n) => u64::from(n) + u64::from(key.nullable),
            Cardinality::Cpus => u64::from(machine.cpus),
            Cardinality::Tasks | Cardinality::Cgroups | Cardinality::Many => {
                bounded = false;
                unbounded
            }
        });
    }
    // With intervals, the one that is being filled and those not yet read stand side by side.
    if scan.every_ns.is_some() {
        groups = groups.saturating_mul(4);
    }
    if !bounded || groups > unbounded {
        groups = unbounded;
    }
    let wanted = scan.groups.unwrap_or(groups);
    wanted.min(MOST_GROUPS).min((scan.map_bytes / each).max(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{FAMILIES, family};
    use crate::plan::Needs;

    /// The verifier lets a program compare a slot that nobody filled.
    #[test]
    fn both_columns_of_a_comparison_are_filled() {
        let orders =
            [Order::Equal, Order::NotEqual, Order::Less, Order::LessOrEqual, Order::Greater, Order::GreaterOrEqual];
        for family in FAMILIES {
            for left in family.columns() {
                for right in family.columns().filter(|c| c.unit == left.unit && c.kind == left.kind) {
                    for order in orders {
                        let term = Term::new(left, Test::Column(order, right));
                        let made = layout(&scan(family.name, term), Machine { cpus: 2, task_storage: true });
                        assert!(
                            made.reads(left.slot) && made.reads(right.slot),
                            "{} {order:?} {}",
                            left.name,
                            right.name
                        );
                    }
                }
            }
        }
    }

    fn scan(name: &str, term: Term) -> Scan {
        Scan {
            family: family(name).expect("a family"),
            measure: None,
            clauses: vec![Clause { terms: vec![term] }],
            output: Output::Groups { keys: Vec::new(), needs: Needs::default() },
            every_ns: None,
            bound_ns: None,
            idle: false,
            own: false,
            map_bytes: 1 << 20,
            groups: None,
            range: None,
        }
    }
}
