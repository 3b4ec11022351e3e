//! Namespaces, in which numbers and rights mean something else than on the whole machine.

use std::fs;
use std::os::unix::fs::MetadataExt;

use nix::sys::stat::{major, minor};

/// The inode of the first namespace of process numbers, the same on every kernel (PROC_PID_INIT_INO).
const FIRST_PID_NAMESPACE: u64 = 0xefff_fffc;

/// A namespace of process numbers, as the kernel knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PidNamespace {
    /// In the kernel's own form, which is not that of stat.
    pub device: u64,
    pub inode: u64,
}

/// The one that this process is in, unless it is that of the whole machine.
pub fn pid_namespace() -> Option<PidNamespace> {
    let found = fs::metadata("/proc/self/ns/pid").ok().filter(|found| found.ino() != FIRST_PID_NAMESPACE)?;
    Some(PidNamespace { device: major(found.dev()) << 20 | minor(found.dev()), inode: found.ino() })
}

/// Whether capabilities are those of a user namespace only.
pub fn in_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let words: Vec<&str> = map.split_ascii_whitespace().collect();
    !words.is_empty() && words != ["0", "0", "4294967295"]
}
