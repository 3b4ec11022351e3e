//! What this process may do, and what of BPF this machine has.

use std::path::Path;

use caps::{CapSet, Capability};

/// What watching the scheduler needs and this process does not have. Empty: all there.
pub fn missing_for_bpf() -> Vec<&'static str> {
    let has = |c| caps::has_cap(None, CapSet::Effective, c).unwrap_or(false);
    if has(Capability::CAP_SYS_ADMIN) {
        return Vec::new();
    }
    let mut missing = Vec::new();
    if !has(Capability::CAP_BPF) {
        missing.push("CAP_BPF");
    }
    if !has(Capability::CAP_PERFMON) {
        missing.push("CAP_PERFMON");
    }
    missing
}

/// Whether the kernel describes its own types, which the programs are fitted to.
pub fn has_btf() -> bool {
    Path::new("/sys/kernel/btf/vmlinux").exists()
}
