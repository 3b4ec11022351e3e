//! The kernel's own statistics of BPF programs: how often each ran and for how long. They cost two reads of the clock in every
//! BPF program of the machine, so they are on only while somebody asks. One of two files with `unsafe`: the call that turns
//! them on has no safe wrapper.
#![allow(unsafe_code)]

use std::fs;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use libbpf_rs::Object;

/// Statistics are kept while this lives, and end with the process whatever ends it.
pub struct Statistics(#[expect(dead_code, reason = "held open")] OwnedFd);

impl Statistics {
    /// Turns them on; `None` where the kernel or a missing right says no (before 5.8, or without CAP_SYS_ADMIN).
    pub fn on() -> Option<Statistics> {
        // SAFETY: takes a number, gives a new file descriptor or a negative error.
        let fd = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
        // SAFETY: the descriptor is new and nobody else's.
        (fd >= 0).then(|| Statistics(unsafe { OwnedFd::from_raw_fd(fd) }))
    }
}

/// What a program has run so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRun {
    pub name: String,
    pub ns: u64,
    pub runs: u64,
}

/// From our own descriptors, which needs no further right.
pub fn runs(object: &Object) -> Vec<ProgramRun> {
    let one = |fd: i32, name: String| -> Option<ProgramRun> {
        let text = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).ok()?;
        let field = |field: &str| text.lines().find_map(|l| l.strip_prefix(field))?.trim().parse().ok();
        Some(ProgramRun { name, ns: field("run_time_ns:")?, runs: field("run_cnt:")? })
    };
    let loaded = object.progs().filter(|p| p.autoload());
    loaded.filter_map(|p| one(p.as_fd().as_raw_fd(), p.name().to_string_lossy().into_owned())).collect()
}
