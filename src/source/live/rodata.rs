//! `struct query_config` of `src/bpf/config.bpf.h` as bytes: the query, as the program sees it. A test compares names, order
//! and offsets with the object's own BTF.

use crate::host::namespace::PidNamespace;
use crate::plan::layout::{Layout, MAX_KEY_WORDS, MAX_RECORD_WORDS, MAX_TERMS, Machine, Mode, RawTerm};
use crate::plan::{Needs, Output, Scan};

/// What the loader found out besides the layout.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    pub own_tgid: u32,
    pub child_tgid: u32,
    pub cgroup_v1: bool,
    pub prev_state_argument: bool,
    /// The two numbers of processes above are those of this namespace.
    pub pid_namespace: Option<PidNamespace>,
    pub under_level: [u32; 4],
}

/// The bytes for `.rodata`, and where each member of the struct begins in them.
#[derive(Debug, Default)]
pub struct Config {
    pub bytes: Vec<u8>,
    pub members: Vec<(&'static str, usize)>,
    /// Those of one `struct term`, in it.
    pub term_members: Vec<(&'static str, usize)>,
}

/// Members stand in the order of the struct, which has no padding.
pub fn config(scan: &Scan, layout: &Layout, machine: Machine, decided: &Decided) -> Config {
    let mut out = Config::default();
    out.member("terms");
    for i in 0..MAX_TERMS {
        out.term(layout.terms.get(i).unwrap_or(&RawTerm::default()));
    }
    out.u64("need_fixed", layout.need_fixed);
    out.u64("need_identity", layout.need_identity);
    out.u64("need_row", layout.need_row);
    out.u64("need_output", layout.need_output);
    out.u64("every_ns", if layout.mode == Mode::Rows { 0 } else { scan.every_ns.unwrap_or(0) });
    out.u64("pid_namespace_device", decided.pid_namespace.map_or(0, |n| n.device));
    out.u64("pid_namespace", decided.pid_namespace.map_or(0, |n| n.inode));
    out.u32("fixed_terms", layout.fixed_terms as u32);
    out.u32("identity_terms", layout.identity_terms as u32);
    out.u32("all_terms", layout.terms.len() as u32);
    out.u32("mode", layout.mode as u32);
    out.u32("keep", keep(scan));
    out.u32("key_words", layout.key_slots.len() as u32);
    out.u32("record_words", layout.record_slots.len() as u32);
    out.u32("histogram_slots", layout.histogram_slots);
    out.u32("histogram_offset", layout.histogram_offset(machine));
    out.u32("cpus", machine.cpus);
    out.u32("own_tgid", if scan.own { 0 } else { decided.own_tgid });
    out.u32("child_tgid", decided.child_tgid);
    out.member("under_level");
    decided.under_level.iter().for_each(|level| out.bytes.extend(level.to_ne_bytes()));
    out.slots("key_slots", &layout.key_slots, MAX_KEY_WORDS);
    out.slots("record_slots", &layout.record_slots, MAX_RECORD_WORDS);
    out.u8("idle", scan.idle);
    out.u8("task_storage", machine.task_storage);
    out.u8("cgroup_v1", decided.cgroup_v1);
    out.u8("prev_state_argument", decided.prev_state_argument);
    out.member("unused");
    out.bytes.extend([0; 4]);
    out
}

/// `enum query_keep`.
fn keep(scan: &Scan) -> u32 {
    let Output::Groups { needs: Needs { sum, extremes, max_at, histogram }, .. } = scan.output else { return 0 };
    u32::from(sum) | u32::from(extremes) << 1 | u32::from(max_at) << 2 | u32::from(histogram) << 3
}

impl Config {
    fn member(&mut self, name: &'static str) {
        self.members.push((name, self.bytes.len()));
    }

    fn u8(&mut self, name: &'static str, value: bool) {
        self.member(name);
        self.bytes.push(u8::from(value));
    }

    fn u32(&mut self, name: &'static str, value: u32) {
        self.member(name);
        self.bytes.extend(value.to_ne_bytes());
    }

    fn u64(&mut self, name: &'static str, value: u64) {
        self.member(name);
        self.bytes.extend(value.to_ne_bytes());
    }

    fn term(&mut self, term: &RawTerm) {
        let start = self.bytes.len();
        let mut members = Vec::new();
        let mut put = |name, value: &[u8]| {
            members.push((name, self.bytes.len() - start));
            self.bytes.extend(value);
        };
        put("op", &[term.op]);
        put("slot", &[term.slot]);
        put("other", &[term.other]);
        put("flags", &[term.flags]);
        put("unused", &[0; 4]);
        put("a", &term.a.to_ne_bytes());
        put("b", &term.b.to_ne_bytes());
        put("mask_a", &term.mask_a.to_ne_bytes());
        put("mask_b", &term.mask_b.to_ne_bytes());
        self.term_members = members;
    }

    fn slots(&mut self, name: &'static str, slots: &[u8], room: usize) {
        self.member(name);
        self.bytes.extend(slots);
        self.bytes.extend(std::iter::repeat_n(0, room - slots.len()));
    }
}
