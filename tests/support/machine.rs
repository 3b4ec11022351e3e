//! What this machine can do, and what is skipped for lack of it: a skip is never silent.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Live tests measure the machine that other live tests load: they run one at a time.
pub fn live_lock() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A test that failed has told so itself; the next one may go on.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this machine can run BPF. If not, the test is skipped by name; with `SCHEDQ_REQUIRE_BPF` set (as
/// `scripts/test` does for root) it fails instead, so that none passes by comparing nothing.
pub fn require_bpf(test: &str) -> bool {
    let Err(reason) = bpf_possible() else { return true };
    assert!(std::env::var_os("SCHEDQ_REQUIRE_BPF").is_none(), "{test}: this machine must run BPF, but {reason}");
    skip(test, &reason);
    false
}

/// Skips a test by name unless `what` is there.
pub fn require(test: &str, there: bool, what: &str) -> bool {
    if !there {
        skip(test, &format!("needs {what}"));
    }
    there
}

/// Prints that a test was skipped, and notes it in `target/skips`, which `scripts/test` counts and prints.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED {test}: {reason}\n");
    eprint!("{line}");
    let file = OpenOptions::new().create(true).append(true).open(target_dir().join("skips"));
    // One write, so that lines of tests that run at once do not mix.
    file.and_then(|mut f| f.write_all(line.as_bytes())).expect("target/skips");
}

/// Cargo's target directory.
pub fn target_dir() -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_schedq")).parent().expect("a profile's folder");
    profile.parent().expect("a target folder").to_path_buf()
}

fn bpf_possible() -> Result<(), String> {
    const CAP_SYS_ADMIN: u64 = 1 << 21;
    const BPF_AND_PERFMON: u64 = 1 << 39 | 1 << 38;
    if !cfg!(feature = "live") {
        return Err("this build is without the feature `live`".into());
    }
    let status = fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let caps = status.lines().find_map(|l| l.strip_prefix("CapEff:")).unwrap_or_default().trim();
    let caps = u64::from_str_radix(caps, 16).map_err(|e| e.to_string())?;
    if caps & CAP_SYS_ADMIN == 0 && caps & BPF_AND_PERFMON != BPF_AND_PERFMON {
        return Err("the test has neither CAP_SYS_ADMIN nor CAP_BPF and CAP_PERFMON (run it as root)".into());
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Err("the kernel has no BTF (/sys/kernel/btf/vmlinux)".into());
    }
    Ok(())
}
