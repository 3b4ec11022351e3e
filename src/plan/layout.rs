//! From a [`Scan`] to numbers: the read-only data, key, value and record layouts, and map sizes of its program variant.
//!
//! The one place where masks, offsets and sizes come from; a forgotten need bit is not caught by the kernel's verifier.

use super::Scan;

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

/// The layout of a scan's program variant.
pub fn layout(_scan: &Scan, _machine: Machine) -> Layout {
    unreachable!("being written")
}
