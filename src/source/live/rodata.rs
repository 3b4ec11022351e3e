//! `struct query_config` of `src/bpf/config.bpf.h` as bytes: the query, as the program sees it. A test compares the order
//! and the offsets with the object's own BTF.

use crate::plan::layout::{Layout, MAX_KEY_WORDS, MAX_RECORD_WORDS, MAX_TERMS, Machine, Mode, RawTerm};
use crate::plan::{Needs, Output, Scan};

/// What the loader found out besides the layout.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    pub own_tgid: u32,
    pub child_tgid: u32,
    pub cgroup_v1: bool,
    pub prev_state_argument: bool,
    pub under_level: [u32; 4],
}

/// The bytes for `.rodata`. Members stand in the order of the struct, which has no padding.
pub fn bytes(scan: &Scan, layout: &Layout, machine: Machine, decided: &Decided) -> Vec<u8> {
    let mut out = Bytes(Vec::new());
    for i in 0..MAX_TERMS {
        out.term(layout.terms.get(i).unwrap_or(&RawTerm::default()));
    }
    out.u64(layout.need_fixed);
    out.u64(layout.need_identity);
    out.u64(layout.need_row);
    out.u64(layout.need_output);
    out.u64(if layout.mode == Mode::Rows { 0 } else { scan.every_ns.unwrap_or(0) });
    out.u32(layout.fixed_terms as u32);
    out.u32(layout.identity_terms as u32);
    out.u32(layout.terms.len() as u32);
    out.u32(layout.mode as u32);
    out.u32(keep(scan));
    out.u32(layout.key_slots.len() as u32);
    out.u32(layout.record_slots.len() as u32);
    out.u32(layout.histogram_slots);
    out.u32(layout.histogram_offset(machine));
    out.u32(machine.cpus);
    out.u32(if scan.own { 0 } else { decided.own_tgid });
    out.u32(decided.child_tgid);
    decided.under_level.iter().for_each(|level| out.u32(*level));
    out.slots(&layout.key_slots, MAX_KEY_WORDS);
    out.slots(&layout.record_slots, MAX_RECORD_WORDS);
    out.0.push(u8::from(scan.idle));
    out.0.push(u8::from(machine.task_storage));
    out.0.push(u8::from(decided.cgroup_v1));
    out.0.push(u8::from(decided.prev_state_argument));
    out.0.extend([0; 4]);
    out.0
}

/// `enum query_keep`.
fn keep(scan: &Scan) -> u32 {
    let Output::Groups { needs: Needs { sum, extremes, max_at, histogram }, .. } = scan.output else { return 0 };
    u32::from(sum) | u32::from(extremes) << 1 | u32::from(max_at) << 2 | u32::from(histogram) << 3
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn u32(&mut self, value: u32) {
        self.0.extend(value.to_ne_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_ne_bytes());
    }

    fn term(&mut self, term: &RawTerm) {
        self.0.extend([term.op, term.slot, term.other, term.flags]);
        self.u32(0);
        self.u64(term.a);
        self.u64(term.b);
        self.u64(term.mask_a);
        self.u64(term.mask_b);
    }

    fn slots(&mut self, slots: &[u8], room: usize) {
        self.0.extend(slots);
        self.0.extend(std::iter::repeat_n(0, room - slots.len()));
    }
}
