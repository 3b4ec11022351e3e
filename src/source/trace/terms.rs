//! The predicate over rows of recorded events: what `src/bpf/terms.bpf.h` does, with the answers kept that stay the same
//! until somebody tells anew who the task is.

use std::ops::Range;

use super::cgroups::{Cgroups, IS_UNDER};
use crate::catalog::replay::{MISSING, Task, Verdict};
use crate::catalog::task::{OWN_SLOT, slot};
use crate::plan::layout::{Layout, RawTerm, flag, op};

/// What no cgroup's id is: stands in a term until the recording tells of the group that it names.
const NO_ID: u64 = u64::MAX;

pub struct Terms {
    terms: Vec<RawTerm>,
    fixed: Range<usize>,
    /// Clauses of identity that do not depend on the CPU, and those that do.
    identity: Range<usize>,
    by_cpu: Range<usize>,
    row: Range<usize>,
}

impl Terms {
    pub fn of(layout: &Layout, cgroups: &Cgroups) -> Terms {
        let split = |range: Range<usize>| layout.terms[range].split_inclusive(|term| term.flags & flag::LAST != 0);
        let (of_cpu, elsewhere): (Vec<&[RawTerm]>, Vec<&[RawTerm]>) =
            split(layout.fixed_terms..layout.identity_terms).partition(|clause| clause.iter().any(reads_cpu));
        let identity_end = layout.fixed_terms + elsewhere.iter().map(|clause| clause.len()).sum::<usize>();
        let fixed = layout.terms[..layout.fixed_terms].iter();
        let row = layout.terms[layout.identity_terms..].iter();
        let middle = elsewhere.into_iter().chain(of_cpu).flatten();
        let mut made = Terms {
            terms: fixed.chain(middle).chain(row).cloned().collect(),
            fixed: 0..layout.fixed_terms,
            identity: layout.fixed_terms..identity_end,
            by_cpu: identity_end..layout.identity_terms,
            row: layout.identity_terms..layout.terms.len(),
        };
        for term in &mut made.terms {
            let Some(path) = &mut term.path else { continue };
            *path = cgroups.recorded(path);
            term.a = if usize::from(term.slot) == slot::CGROUP { NO_ID } else { IS_UNDER };
        }
        made
    }

    /// A cgroup was told: terms that name it now know its id.
    pub fn told(&mut self, cgroups: &Cgroups) {
        for term in self.terms.iter_mut().filter(|term| term.a == NO_ID) {
            if let Some(id) = term.path.as_ref().and_then(|path| cgroups.id(path)) {
                term.a = id;
            }
        }
    }

    /// Judges a task of which somebody told anew who it is. `left_out`: it is none that the query asks for at all.
    pub fn judge(&self, task: &mut Task, left_out: bool) {
        task.fixed = !left_out && self.hold(self.fixed.clone(), task, &[]);
        task.identity = match self.hold(self.identity.clone(), task, &[]) {
            false => Verdict::No,
            true if self.by_cpu.is_empty() => Verdict::Yes,
            true => Verdict::ByCpu,
        };
    }

    /// Those of identity that depend on the CPU.
    pub fn hold_on(&self, task: &mut Task, cpu: u16) -> bool {
        task.slots[slot::CPU] = u64::from(cpu);
        self.hold(self.by_cpu.clone(), task, &[])
    }

    /// Whether there are any of a complete row.
    pub fn test_rows(&self) -> bool {
        !self.row.is_empty()
    }

    /// Those of a complete row, its time and CPU in the task's slots.
    #[inline]
    pub fn hold_of_row(&self, task: &Task, own: &[u64]) -> bool {
        self.row.is_empty() || self.hold(self.row.clone(), task, own)
    }

    /// Every clause has a term that holds.
    fn hold(&self, range: Range<usize>, task: &Task, own: &[u64]) -> bool {
        let mut clause = false;
        for term in &self.terms[range] {
            clause = clause || holds(term, task, own);
            if term.flags & flag::LAST != 0 {
                if !clause {
                    return false;
                }
                clause = false;
            }
        }
        true
    }
}

fn reads_cpu(term: &RawTerm) -> bool {
    let two = !matches!(term.op, op::EQUAL | op::NOT_EQUAL | op::BETWEEN | op::NAME | op::NOT_NAME | op::MISSING);
    usize::from(term.slot) == slot::CPU || two && usize::from(term.other) == slot::CPU
}

/// A slot of a row whose own part stands apart.
#[inline]
pub fn value(task: &Task, own: &[u64], slot: u8) -> u64 {
    match slot.checked_sub(OWN_SLOT) {
        Some(own_slot) => own[usize::from(own_slot)],
        None => task.slots[usize::from(slot)],
    }
}

/// One comparison; a missing value makes it false, and only then is it turned.
fn holds(term: &RawTerm, task: &Task, own: &[u64]) -> bool {
    let at = |slot: u8| value(task, own, slot);
    let v = at(term.slot);
    let name = || (v & term.mask_a) == term.a && (at(term.slot + 1) & term.mask_b) == term.b;
    let names = || v == at(term.other) && at(term.slot + 1) == at(term.other + 1);
    let there = v != MISSING;
    let both = || there && at(term.other) != MISSING;
    let holds = match term.op {
        op::MISSING => !there,
        op::EQUAL => there && v == term.a,
        op::NOT_EQUAL => there && v != term.a,
        op::BETWEEN => there && (term.a as i64..=term.b as i64).contains(&(v as i64)),
        op::NAME => there && name(),
        op::NOT_NAME => there && !name(),
        op::SLOT_EQUAL => both() && v == at(term.other),
        op::SLOT_NOT_EQUAL => both() && v != at(term.other),
        op::SLOT_LESS => both() && (v as i64) < at(term.other) as i64,
        op::SLOT_LESS_OR_EQUAL => both() && v as i64 <= at(term.other) as i64,
        op::NAMES_EQUAL => both() && names(),
        op::NAMES_NOT_EQUAL => both() && !names(),
        other => unreachable!("the layout makes no operator {other}"),
    };
    holds != (term.flags & flag::NEGATED != 0)
}
